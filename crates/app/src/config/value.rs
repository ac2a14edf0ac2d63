//! Validates the value of a key. An error never repeats the value: it may be a misplaced secret.

use std::sync::LazyLock;

use backstory_language::redact::Redactor;
use toml::de::DeValue;

use super::keys::{InProject, Key, ValueKind};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Flag(bool),
    Number(u64),
    Text(String),
    List(Vec<String>),
}

/// From a file.
pub fn from_toml(key: &Key, typed: &DeValue<'_>) -> Result<Value, String> {
    let value = match (key.kind, typed) {
        (ValueKind::Flag, DeValue::Boolean(flag)) => Some(Value::Flag(*flag)),
        (ValueKind::Number { .. }, DeValue::Integer(number)) => {
            u64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::Number)
        }
        (ValueKind::Choice(_) | ValueKind::Text | ValueKind::Url | ValueKind::Variable, DeValue::String(text)) => {
            Some(Value::Text(text.to_string()))
        }
        (ValueKind::Paths, DeValue::Array(items)) => {
            let texts: Option<Vec<String>> = items.iter().map(|item| item.get_ref().as_str().map(Into::into)).collect();
            texts.map(Value::List)
        }
        _ => None,
    };
    checked(key, value)
}

/// From the environment or a flag, where everything is text. Several paths are separated as in `PATH`.
pub fn from_text(key: &Key, typed: &str) -> Result<Value, String> {
    let typed = typed.trim();
    let value = match key.kind {
        ValueKind::Flag => typed.parse().ok().map(Value::Flag),
        ValueKind::Number { .. } => typed.parse().ok().map(Value::Number),
        ValueKind::Choice(_) | ValueKind::Text | ValueKind::Url | ValueKind::Variable => {
            Some(Value::Text(typed.to_owned()))
        }
        ValueKind::Paths => {
            let paths = std::env::split_paths(typed).map(|path| path.to_string_lossy().into_owned());
            Some(Value::List(paths.filter(|path| !path.is_empty()).collect()))
        }
    };
    checked(key, value)
}

fn checked(key: &Key, value: Option<Value>) -> Result<Value, String> {
    let name = key.name;
    let must = || format!("`{name}` must be {}", key.kind.allowed());
    let value = value.ok_or_else(must)?;
    match (key.kind, &value) {
        (ValueKind::Number { least, most }, Value::Number(number)) if !(least..=most).contains(number) => Err(must()),
        (ValueKind::Choice(of), Value::Text(text)) => match of.contains(&text.as_str()) {
            true => Ok(()),
            false => Err(must()),
        },
        (ValueKind::Url, Value::Text(text)) => check_url(name, text),
        (ValueKind::Variable, Value::Text(text)) => check_variable(name, text),
        (_, Value::Text(text)) if text.trim().is_empty() => Err(format!("`{name}` is empty")),
        (_, Value::Text(text)) => check_words(name, text),
        (_, Value::List(items)) => items.iter().try_for_each(|item| check_words(name, item)),
        _ => Ok(()),
    }?;
    Ok(value)
}

impl Value {
    /// As written in a file.
    pub fn as_toml(&self) -> String {
        let quoted = |text: &String| toml_edit::Value::from(text.as_str()).to_string();
        match self {
            Value::Flag(flag) => flag.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) => quoted(text),
            Value::List(items) => format!("[{}]", items.iter().map(quoted).collect::<Vec<_>>().join(", ")),
        }
    }

    pub fn as_json(&self) -> serde_json::Value {
        match self {
            Value::Flag(flag) => (*flag).into(),
            Value::Number(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.as_slice().into(),
        }
    }

    /// Would an untrusted file reveal or spend more with it than with the current value?
    pub fn is_more_than(&self, held: Option<&Value>) -> bool {
        match (self, held) {
            (Value::Flag(flag), Some(Value::Flag(held))) => *flag && !held,
            (Value::Number(number), Some(Value::Number(held))) => number > held,
            _ => true,
        }
    }

    /// Does it come earlier in the list of choices?
    fn is_laxer_than(&self, held: Option<&Value>, kind: ValueKind) -> bool {
        match (self, held, kind) {
            (Value::Text(chosen), Some(Value::Text(held)), ValueKind::Choice(of)) => {
                let place = |name: &String| of.iter().position(|known| known == name);
                place(chosen) < place(held)
            }
            _ => true,
        }
    }
}

/// May a project's file set this?
pub fn check_project(key: &Key, value: &Value, held: Option<&Value>) -> Result<(), &'static str> {
    match key.project {
        InProject::Less if !value.is_more_than(held) => Ok(()),
        InProject::Less => Err("may be switched off or lowered by a project's file, not raised"),
        InProject::Stricter if !value.is_laxer_than(held, key.kind) => Ok(()),
        InProject::Stricter => Err("may be made stricter by a project's file, not weaker"),
        InProject::Never => Err("may not be set by a project's file"),
    }
}

/// Does the text contain a secret of a known form?
fn is_secret(text: &str) -> bool {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::new);
    !REDACTOR.find(text).is_empty()
}

/// The value is printed, so it must not contain a secret.
fn check_words(name: &str, text: &str) -> Result<(), String> {
    let message = || format!("`{name}` holds a key; `api_key_env` names the key's variable");
    if is_secret(text) { Err(message()) } else { Ok(()) }
}

fn check_url(name: &str, url: &str) -> Result<(), String> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if host.is_empty() {
        return Err(format!("`{name}` must begin with http:// or https:// and a host"));
    }
    if host.contains('@') || url.contains('?') {
        return Err(format!(
            "`{name}` must hold no password, key or other parameter; `api_key_env` names the key's variable"
        ));
    }
    check_words(name, url)
}

/// A person who typed the key itself must not see it printed. Names of variables are in capitals; keys rarely are.
fn check_variable(name: &str, variable: &str) -> Result<(), String> {
    let in_capitals = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name = variable.bytes().all(in_capitals)
        && variable.starts_with(|first: char| !first.is_ascii_digit())
        && !is_secret(variable);
    let message = || format!("`{name}` must be the name of an environment variable (A-Z, 0-9, _), not the key itself");
    if is_name { Ok(()) } else { Err(message()) }
}
