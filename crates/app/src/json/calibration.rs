//! The JSON of stated probabilities and their outcomes.

use backstory_engine::retrieve::{Bucket, Calibration, Overall};
use serde_json::{Value, json};

pub fn calibration(told: &Calibration) -> Value {
    json!({
        "retrievals": told.retrievals,
        "by_hand": told.by_hand,
        "by_edits": told.by_edits,
        "without_outcome": told.without_outcome(),
        "overall": told.overall.as_ref().map(overall),
        "buckets": told.buckets.iter().map(bucket).collect::<Vec<_>>(),
    })
}

fn overall(overall: &Overall) -> Value {
    json!({
        "stated": overall.stated,
        "observed": overall.observed,
        "brier": overall.brier,
        "expected_error": overall.expected_error,
    })
}

fn bucket(bucket: &Bucket) -> Value {
    json!({
        "from": bucket.from,
        "to": bucket.to,
        "count": bucket.count,
        "stated": bucket.stated,
        "observed": bucket.observed,
        "low": bucket.low,
        "high": bucket.high,
    })
}
