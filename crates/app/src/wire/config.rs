//! The JSON of `config`. A key is never part of it, only where it is.

use std::path::Path;

use serde_json::{Value, json};

use crate::config::{Answers, Config, Embedding, Labels, Service};
use crate::home;

pub fn config(config: &Config, file: &Path, example: &str) -> Value {
    let embedding = match &config.embedding {
        Embedding::Static => json!({"model": "static"}),
        Embedding::Folder(path) => json!({"model": "folder", "path": home::model_folder(path)}),
        Embedding::Endpoint { service, dim } => {
            let mut value = described(service);
            value["model"] = json!("endpoint");
            value["dim"] = json!(dim);
            value
        }
    };
    let clusters = match &config.labels {
        Labels::Words => json!({"labels": "words"}),
        Labels::Llm(service) => {
            let mut value = described(service);
            value["labels"] = json!("llm");
            value
        }
    };
    let why = match &config.answers {
        Answers::Facts => json!({"answers": "facts"}),
        Answers::Llm(service) => {
            let mut value = described(service);
            value["answers"] = json!("llm");
            value
        }
    };
    json!({
        "file": file,
        "exists": file.exists(),
        "embedding": embedding,
        "clusters": clusters,
        "why": why,
        "example": example,
    })
}

fn described(service: &Service) -> Value {
    let is_set = service.api_key_env.as_deref().map(|name| home::variable(name).is_some());
    json!({
        "url": service.url,
        "name": service.name,
        "api_key_env": service.api_key_env,
        "api_key_set": is_set,
    })
}
