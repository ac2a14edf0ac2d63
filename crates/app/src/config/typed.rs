//! From what was typed to what was meant, or to the line that is wrong.

use std::cmp::Reverse;
use std::sync::LazyLock;

use backstory_engine::log::redact::Redactor;
use serde::Deserialize;
use toml::Spanned;

use super::{Answers, Config, Embedding, Labels, Service};

/// What is wrong with which line.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    pub line: usize,
    pub message: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct TypedConfig {
    embedding: TypedEmbedding,
    clusters: TypedClusters,
    why: TypedWhy,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct TypedEmbedding {
    model: Option<Spanned<Model>>,
    path: Option<Spanned<String>>,
    url: Option<Spanned<String>>,
    name: Option<Spanned<String>>,
    dim: Option<Spanned<u16>>,
    api_key_env: Option<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct TypedClusters {
    labels: Option<Spanned<LabelMaker>>,
    url: Option<Spanned<String>>,
    name: Option<Spanned<String>>,
    api_key_env: Option<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct TypedWhy {
    answers: Option<Spanned<AnswerMaker>>,
    url: Option<Spanned<String>>,
    name: Option<Spanned<String>>,
    api_key_env: Option<Spanned<String>>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Model {
    Static,
    Folder,
    Endpoint,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum LabelMaker {
    Words,
    Llm,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum AnswerMaker {
    Facts,
    Llm,
}

pub fn parse(text: &str) -> Result<Config, Mistake> {
    let line_of = |at: usize| text.get(..at).unwrap_or(text).matches('\n').count() + 1;
    let mistake = |Wrong { at, message }| Mistake { line: line_of(at), message };
    // The parser's own words would quote the line; it may hold what nobody should see.
    let typed: TypedConfig = toml::from_str(text).map_err(|error| Mistake {
        line: line_of(error.span().map_or(0, |span| span.start)),
        message: without_keys(error.message(), text),
    })?;
    Ok(Config {
        embedding: embedding(typed.embedding).map_err(mistake)?,
        labels: labels(typed.clusters).map_err(mistake)?,
        answers: answers(typed.why).map_err(mistake)?,
    })
}

/// Of what was typed only plain words are repeated: anything else may be a key.
fn without_keys(message: &str, typed: &str) -> String {
    let plain = |word: &str| word.len() <= 20 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let words = typed.split(|c: char| c.is_whitespace() || "\"'`=,[]{}".contains(c));
    let mut hidden: Vec<&str> = words.filter(|word| word.len() >= 8 && !plain(word)).collect();
    hidden.sort_unstable_by_key(|word| Reverse(word.len()));
    hidden.iter().fold(message.to_owned(), |message, word| message.replace(word, "…"))
}

/// A mistake at a byte of the file.
struct Wrong {
    at: usize,
    message: String,
}

fn wrong<T>(place: &Spanned<T>, message: impl Into<String>) -> Wrong {
    Wrong { at: place.span().start, message: message.into() }
}

fn embedding(typed: TypedEmbedding) -> Result<Embedding, Wrong> {
    let needs_folder = "belongs to model = \"folder\"";
    let needs_endpoint = "belongs to model = \"endpoint\"";
    let TypedEmbedding { model, path, url, name, dim, api_key_env } = typed;
    match model.as_ref().map_or(Model::Static, |model| *model.get_ref()) {
        Model::Endpoint => {
            refuse(&path, "path", needs_folder)?;
            let service = service(&model, "model = \"endpoint\"", url, name, api_key_env)?;
            if let Some(dim) = dim.as_ref().filter(|dim| *dim.get_ref() == 0) {
                return Err(wrong(dim, "dim must be 1 or more"));
            }
            Ok(Embedding::Endpoint { service, dim: dim.map(|dim| usize::from(dim.into_inner())) })
        }
        other => {
            refuse(&url, "url", needs_endpoint)?;
            refuse(&name, "name", needs_endpoint)?;
            refuse(&dim, "dim", needs_endpoint)?;
            refuse(&api_key_env, "api_key_env", needs_endpoint)?;
            if let Model::Folder = other {
                return Ok(Embedding::Folder(require(&model, "model = \"folder\"", path, "path")?.into()));
            }
            refuse(&path, "path", needs_folder)?;
            Ok(Embedding::Static)
        }
    }
}

fn labels(typed: TypedClusters) -> Result<Labels, Wrong> {
    let needs_llm = "belongs to labels = \"llm\"";
    let TypedClusters { labels, url, name, api_key_env } = typed;
    match labels.as_ref().map(|labels| *labels.get_ref()) {
        Some(LabelMaker::Llm) => Ok(Labels::Llm(service(&labels, "labels = \"llm\"", url, name, api_key_env)?)),
        Some(LabelMaker::Words) | None => {
            refuse(&url, "url", needs_llm)?;
            refuse(&name, "name", needs_llm)?;
            refuse(&api_key_env, "api_key_env", needs_llm)?;
            Ok(Labels::Words)
        }
    }
}

fn answers(typed: TypedWhy) -> Result<Answers, Wrong> {
    let needs_llm = "belongs to answers = \"llm\"";
    let TypedWhy { answers, url, name, api_key_env } = typed;
    match answers.as_ref().map(|answers| *answers.get_ref()) {
        Some(AnswerMaker::Llm) => Ok(Answers::Llm(service(&answers, "answers = \"llm\"", url, name, api_key_env)?)),
        Some(AnswerMaker::Facts) | None => {
            refuse(&url, "url", needs_llm)?;
            refuse(&name, "name", needs_llm)?;
            refuse(&api_key_env, "api_key_env", needs_llm)?;
            Ok(Answers::Facts)
        }
    }
}

fn service<T>(
    chosen: &Option<Spanned<T>>,
    choice: &str,
    url: Option<Spanned<String>>,
    name: Option<Spanned<String>>,
    api_key_env: Option<Spanned<String>>,
) -> Result<Service, Wrong> {
    if let Some(typed) = &url {
        check_url(typed)?;
    }
    if let Some(typed) = &api_key_env {
        check_variable(typed)?;
    }
    Ok(Service {
        url: require(chosen, choice, url, "url")?,
        name: require(chosen, choice, name, "name")?,
        api_key_env: api_key_env.map(Spanned::into_inner),
    })
}

fn refuse<T>(field: &Option<Spanned<T>>, name: &str, why: &str) -> Result<(), Wrong> {
    field.as_ref().map_or(Ok(()), |field| Err(wrong(field, format!("`{name}` {why}"))))
}

fn require<T>(
    chosen: &Option<Spanned<T>>,
    choice: &str,
    field: Option<Spanned<String>>,
    name: &str,
) -> Result<String, Wrong> {
    let at = field.as_ref().map(|field| field.span().start).or(chosen.as_ref().map(|chosen| chosen.span().start));
    let wrong = |message: String| Wrong { at: at.unwrap_or(0), message };
    let given = field.map(Spanned::into_inner).filter(|value| !value.trim().is_empty());
    match given.ok_or_else(|| wrong(format!("{choice} needs `{name}`")))? {
        key if is_key(&key) => Err(wrong(format!("`{name}` holds a key; `api_key_env` names the key's variable"))),
        value => Ok(value),
    }
}

/// Is this, or has it, a secret of a known form?
fn is_key(text: &str) -> bool {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);
    !REDACTOR.find(text).is_empty()
}

/// Urls are printed, so nothing secret may stand in them.
fn check_url(url: &Spanned<String>) -> Result<(), Wrong> {
    let rest = url.get_ref().strip_prefix("http://").or_else(|| url.get_ref().strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if host.is_empty() {
        return Err(wrong(url, "`url` must begin with http:// or https:// and a host"));
    }
    if host.contains('@') || url.get_ref().contains('?') {
        let message = "`url` must hold no password, key or other parameter; `api_key_env` names the key's variable";
        return Err(wrong(url, message));
    }
    Ok(())
}

/// Whoever typed the key itself must not see it printed. Names of variables are
/// in capitals; hardly a key is.
fn check_variable(name: &Spanned<String>) -> Result<(), Wrong> {
    let in_capitals = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name = name.get_ref().bytes().all(in_capitals)
        && name.get_ref().starts_with(|first: char| !first.is_ascii_digit())
        && !is_key(name.get_ref());
    let message = "`api_key_env` must be the name of an environment variable (A-Z, 0-9, _), not the key itself";
    if is_name { Ok(()) } else { Err(wrong(name, message)) }
}
