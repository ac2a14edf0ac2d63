//! The JSON of `config`. It names the variable of a service's key, but never contains the key.

use serde_json::{Value, json};

use crate::config::keys::{self, Key, Section};
use crate::config::{self, AnswerScorer, Embedding, Labels, Loaded, Origin, Service};
use crate::{environment, home};

pub fn config(loaded: &Loaded, chosen: &[(&'static Section, &'static Key)]) -> Value {
    let embedding = match &loaded.config.embedding {
        Embedding::Static => json!({"model": "static"}),
        Embedding::Unclear => json!({"model": null}),
        Embedding::Folder(path) => json!({"model": "folder", "path": home::named_in_config(path)}),
        Embedding::Endpoint { service, dim } => {
            let mut value = described("model", "endpoint", service);
            value["dim"] = json!(dim);
            value
        }
    };
    let clusters = match &loaded.config.labels {
        Labels::Words => json!({"labels": "words"}),
        Labels::Llm(service) => described("labels", "llm", service),
    };
    let why = match &loaded.config.answers {
        AnswerScorer::Facts => json!({"answers": "facts"}),
        AnswerScorer::Llm(service) => described("answers", "llm", service),
    };
    json!({
        "file": loaded.file,
        "exists": loaded.file.exists(),
        "project_file": loaded.project_file,
        "settings": chosen.iter().map(|(section, key)| setting(loaded, section, key)).collect::<Vec<_>>(),
        "embedding": embedding,
        "clusters": clusters,
        "why": why,
        "left_out": loaded.doubts(),
    })
}

fn setting(loaded: &Loaded, section: &Section, key: &Key) -> Value {
    let (value, origin) = loaded.values.get(section, key);
    json!({
        "key": keys::full_name(section, key),
        "value": value.map(|value| value.as_json()),
        "default": config::default_of(key).map(|value| value.as_json()),
        "origin": origin_of(&origin),
        "variable": keys::variable(section, key),
        "allowed": key.kind.allowed(),
        "project_file": key.project.describe(),
        "means": key.about,
    })
}

fn origin_of(origin: &Origin) -> Value {
    match origin {
        Origin::Default => json!({"kind": "default"}),
        Origin::File { path, line } => json!({"kind": "file", "file": path, "line": line}),
        Origin::Project { path, line } => json!({"kind": "project", "file": path, "line": line}),
        Origin::Environment { name } => json!({"kind": "environment", "variable": name}),
        Origin::Flag => json!({"kind": "flag"}),
    }
}

fn described(choice: &str, chosen: &str, service: &Service) -> Value {
    let is_set = service.api_key_env.as_deref().map(|name| environment::variable(name).is_some());
    json!({
        choice: chosen,
        "url": service.url,
        "name": service.name,
        "api_key_env": service.api_key_env,
        "api_key_set": is_set,
    })
}
