//! Explains requests that the SDK could not parse: it treats them as unknown methods.

use rmcp::model::{CustomRequest, ErrorCode, ErrorData};
use serde_json::Value;

/// The required string in a request's `params`.
const NEEDED: [(&str, &str); 3] = [("tools/call", "name"), ("resources/read", "uri"), ("prompts/get", "name")];

/// The fault of the request.
pub fn explain(request: &CustomRequest) -> ErrorData {
    let method = crate::terminal::unstyled(&crate::terminal::clip(&request.method, 60)).into_owned();
    if let Some((_, needed)) = NEEDED.iter().find(|(known, _)| *known == method) {
        return ErrorData::invalid_params(fault(&method, needed, request.params.as_ref()), None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None)
}

fn fault(method: &str, needed: &str, params: Option<&Value>) -> String {
    let Some(params) = params else { return format!("`{method}` needs `params` with `{needed}`") };
    match (params.get(needed), params.get("arguments")) {
        (None, _) => format!("the `params` of `{method}` need `{needed}`"),
        (Some(named), _) if !named.is_string() => format!("`{needed}` must be a string"),
        (_, Some(arguments)) if !arguments.is_object() => "`arguments` must be an object".to_owned(),
        _ => format!("these are no `params` of `{method}`"),
    }
}
