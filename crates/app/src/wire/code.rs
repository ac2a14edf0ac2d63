//! The JSON of callers and callees.

use backstory_code::{Call, Place};
use serde_json::{Value, json};

use super::answers::rounded;

pub fn calls(found: &[(Place<'_>, Vec<Call<'_>>)]) -> Value {
    let items = found.iter().map(|(of, calls)| {
        let mut value = place(of);
        value["calls"] = calls.iter().map(call).collect();
        value
    });
    json!({ "items": items.collect::<Vec<_>>() })
}

fn place(place: &Place<'_>) -> Value {
    json!({
        "name": place.entity.qualified,
        "kind": place.entity.kind.as_str(),
        "path": place.path,
        "first_line": place.entity.first_line,
        "last_line": place.entity.last_line,
        "signature": place.entity.signature,
    })
}

fn call(call: &Call<'_>) -> Value {
    let mut value = place(&call.other);
    value["call_line"] = json!(call.line);
    value["unsure"] = json!(call.unsure);
    value["strength"] = json!(rounded(call.strength));
    value
}
