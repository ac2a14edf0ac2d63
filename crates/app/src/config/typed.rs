//! Converts values to a typed configuration, and reports mistakes with their places.

use super::keys;
use super::layers::{Mistake, Origin, Values};
use super::settings::{
    HookSettings, IngestSettings, McpSettings, PackSettings, SearchSettings, ServeSettings, ToolCheckMode,
};
use super::value::Value;
use super::{AnswerScorer, Config, Embedding, Labels, Service};

/// The configuration; inconsistent parts are added to the mistakes, and have no effect.
pub fn resolve(values: &Values, mistakes: &mut Vec<Mistake>) -> Config {
    let of = |section| Of { values, section };
    let embedding = embedding(&of("embedding")).unwrap_or_else(|mistake| {
        mistakes.push(mistake);
        Embedding::Unclear
    });
    let is_unclear = mistakes.iter().any(|mistake| matches!(mistake.section, None | Some("embedding")));
    Config {
        embedding: if is_unclear { Embedding::Unclear } else { embedding },
        labels: kept(labels(&of("clusters")), mistakes),
        answers: kept(answers(&of("why")), mistakes),
        ..without_services(values)
    }
}

/// The default in case of a mistake.
fn kept<T: Default>(meant: Result<T, Mistake>, mistakes: &mut Vec<Mistake>) -> T {
    meant.unwrap_or_else(|mistake| {
        mistakes.push(mistake);
        T::default()
    })
}

fn labels(of: &Of<'_>) -> Result<Labels, Mistake> {
    match of.choice("labels") {
        (name, at) if name == "llm" => of.service("labels = \"llm\"", &at).map(Labels::Llm),
        (_, at) => of.refuse(SERVICE, "belongs to labels = \"llm\"", &at).map(|()| Labels::Words),
    }
}

fn answers(of: &Of<'_>) -> Result<AnswerScorer, Mistake> {
    match of.choice("answers") {
        (name, at) if name == "llm" => of.service("answers = \"llm\"", &at).map(AnswerScorer::Llm),
        (_, at) => of.refuse(SERVICE, "belongs to answers = \"llm\"", &at).map(|()| AnswerScorer::Facts),
    }
}

/// The part that cannot be wrong once each value is valid for its key.
pub fn without_services(values: &Values) -> Config {
    let of = |section| Of { values, section };
    Config {
        embedding: Embedding::default(),
        labels: Labels::default(),
        answers: AnswerScorer::default(),
        search: SearchSettings {
            budget: of("search").number("budget"),
            has_chosen_budget: values.given("search", "budget").is_some(),
            thinking: of("search").flag("thinking"),
        },
        pack: PackSettings { budget: of("pack").number("budget") },
        ingest: IngestSettings { paths: of("ingest").list("paths").into_iter().map(Into::into).collect() },
        hooks: hooks(&of("hooks")),
        mcp: McpSettings { budget: of("mcp").number("budget") },
        serve: ServeSettings { port: of("serve").number("port") as u16 },
    }
}

/// The keys of a service, wherever one is configured.
const SERVICE: &[&str] = &["url", "name", "dim", "api_key_env"];

fn embedding(of: &Of<'_>) -> Result<Embedding, Mistake> {
    let (model, at) = of.choice("model");
    if model != "folder" {
        of.refuse(&["path"], "belongs to model = \"folder\"", &at)?;
    }
    if model != "endpoint" {
        of.refuse(SERVICE, "belongs to model = \"endpoint\"", &at)?;
    }
    Ok(match model.as_str() {
        "folder" => Embedding::Folder(of.require("path", "model = \"folder\"", &at)?.into()),
        "endpoint" => {
            let service = of.service("model = \"endpoint\"", &at)?;
            Embedding::Endpoint { service, dim: of.given_number("dim").map(|dim| dim as usize) }
        }
        _ => Embedding::Static,
    })
}

fn hooks(of: &Of<'_>) -> HookSettings {
    HookSettings {
        session_start: of.flag("session_start"),
        session_start_budget: of.number("session_start_budget"),
        user_prompt: of.flag("user_prompt"),
        user_prompt_budget: of.number("user_prompt_budget"),
        pre_tool_use: ToolCheckMode::parse(&of.choice("pre_tool_use").0).unwrap_or(ToolCheckMode::Off),
        post_tool_use: of.flag("post_tool_use"),
        ingest_seconds: of.number("ingest_seconds"),
    }
}

/// The values of one section. The table defines their kinds.
struct Of<'a> {
    values: &'a Values,
    section: &'static str,
}

impl Of<'_> {
    fn value(&self, key: &str) -> (Option<Value>, Origin) {
        keys::find(self.section, key).map_or((None, Origin::Default), |(section, key)| self.values.get(section, key))
    }

    fn flag(&self, key: &str) -> bool {
        matches!(self.value(key).0, Some(Value::Flag(true)))
    }

    fn given_number(&self, key: &str) -> Option<u64> {
        match self.value(key).0 {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    fn number(&self, key: &str) -> u64 {
        self.given_number(key).unwrap_or_default()
    }

    fn text(&self, key: &str) -> Option<String> {
        match self.value(key).0 {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn choice(&self, key: &str) -> (String, Origin) {
        (self.text(key).unwrap_or_default(), self.value(key).1)
    }

    fn list(&self, key: &str) -> Vec<String> {
        match self.value(key).0 {
            Some(Value::List(items)) => items,
            _ => Vec::new(),
        }
    }

    /// Rejects keys without meaning for this choice. A choice for one call, in the environment or by a flag, does not
    /// require emptying the file.
    fn refuse(&self, names: &[&str], why: &str, chosen: &Origin) -> Result<(), Mistake> {
        let given = names.iter().filter_map(|name| Some((name, self.values.given(self.section, name)?)));
        match given.into_iter().find(|(_, given)| !given.origin.is_weaker_than(chosen)) {
            Some((name, given)) => Err(self.mistake(&given.origin, format!("`{name}` {why}"))),
            None => Ok(()),
        }
    }

    fn require(&self, key: &str, choice: &str, chosen: &Origin) -> Result<String, Mistake> {
        self.text(key).ok_or_else(|| self.mistake(chosen, format!("{choice} needs `{key}`")))
    }

    fn mistake(&self, place: &Origin, message: String) -> Mistake {
        Mistake { place: place.clone(), section: Some(self.section), message }
    }

    fn service(&self, choice: &str, chosen: &Origin) -> Result<Service, Mistake> {
        Ok(Service {
            url: self.require("url", choice, chosen)?,
            name: self.require("name", choice, chosen)?,
            api_key_env: self.text("api_key_env"),
        })
    }
}
