//! Converts the arguments of a call to the words of the command.

use serde_json::{Map, Value};

use crate::commands::query::MOST_TOKENS;
use crate::error::{AppError, ErrorKind};

use super::schema::{Parameter, ParameterKind, ToolSpec};

/// A longer value is not a question. Whole logs belong in files.
const LARGEST_CALL: usize = 256 * 1024;

/// The words of the command line. Faults are reported with a correction.
pub fn words(known: &ToolSpec, arguments: &Map<String, Value>) -> Result<Vec<String>, AppError> {
    refuse_too_large(arguments)?;
    let arguments = &by_present_names(known, arguments);
    if let Some(name) = arguments.keys().find(|name| known.parameter(name).is_none()) {
        return Err(unknown(known, name));
    }
    let mut flags = Vec::new();
    let mut placed: Vec<(usize, String)> = Vec::new();
    for parameter in &known.parameters {
        // Clients send missing values as null.
        let given = arguments.get(parameter.name).filter(|value| !value.is_null());
        let Some(value) = given.or(parameter.default()) else {
            if parameter.required {
                return Err(missing(known, parameter));
            }
            continue;
        };
        let texts = texts(parameter, value)?;
        if parameter.is_ours {
            continue;
        }
        for text in texts {
            let text = if parameter.name == "budget" { of_recalled(&text) } else { text };
            match (&parameter.flag, &parameter.kind) {
                (Some(flag), ParameterKind::Flag) => flags.push(format!("--{flag}")),
                (Some(flag), _) => flags.push(format!("--{flag}={text}")),
                (None, _) => placed.push((parameter.place, text)),
            }
        }
    }
    placed.sort_by_key(|(place, _)| *place);
    let command = known.tool.command.iter().map(|word| (*word).to_owned());
    let placed = placed.into_iter().map(|(_, text)| text);
    Ok(command.chain(flags).chain(std::iter::once("--".to_owned())).chain(placed).collect())
}

/// Former names of parameters, for old clients.
const FORMER_NAMES: [(&str, &str); 2] = [("session", "asking_session"), ("max", "limit")];

fn by_present_names(known: &ToolSpec, arguments: &Map<String, Value>) -> Map<String, Value> {
    let present = |name: &String| {
        let renamed = FORMER_NAMES.into_iter().find(|(former, _)| name == former).map(|(_, present)| present);
        match renamed.filter(|present| known.parameter(name).is_none() && known.parameter(present).is_some()) {
            Some(present) if !arguments.contains_key(present) => present.to_owned(),
            _ => name.clone(),
        }
    };
    arguments.iter().map(|(name, value)| (present(name), value.clone())).collect()
}

/// Recalled text gets three quarters of a budget: names, dates and ids take the rest. Any budget
/// is accepted, because an error would name a number that the caller did not write.
fn of_recalled(budget: &str) -> String {
    budget.parse::<u64>().map_or(budget.to_owned(), |tokens| (tokens - tokens / 4).clamp(1, MOST_TOKENS).to_string())
}

/// The value as it would be typed, if it has the right kind.
fn texts(parameter: &Parameter, value: &Value) -> Result<Vec<String>, AppError> {
    let wrong = |wanted: &str| {
        let message = format!("`{}` must be {wanted}, not {}", parameter.name, kind_of(value));
        Err(AppError::new(ErrorKind::Usage, message))
    };
    match (&parameter.kind, value) {
        (ParameterKind::Flag, Value::Bool(true)) => Ok(vec![String::new()]),
        (ParameterKind::Flag, Value::Bool(false)) => Ok(Vec::new()),
        (ParameterKind::Flag, _) => wrong("true or false"),
        (ParameterKind::Integer, Value::Number(number)) if number.is_u64() => Ok(vec![number.to_string()]),
        (ParameterKind::Integer, _) => wrong("a whole number"),
        (ParameterKind::Number, Value::Number(number)) => Ok(vec![number.to_string()]),
        (ParameterKind::Number, _) => wrong("a number"),
        (ParameterKind::Text, Value::String(text)) => Ok(vec![text.clone()]),
        (ParameterKind::Text, _) => wrong("a string"),
        (ParameterKind::Choice(choices), Value::String(text)) => {
            chosen(parameter, choices, text).map(|text| vec![text])
        }
        (ParameterKind::Choice(_), _) => wrong("a string"),
        (ParameterKind::List(choices), Value::Array(items)) => items
            .iter()
            .map(|item| match (item, choices) {
                (Value::String(text), None) => Ok(text.clone()),
                (Value::String(text), Some(choices)) => chosen(parameter, choices, text),
                _ => wrong("an array of strings").map(|_| String::new()),
            })
            .collect(),
        (ParameterKind::List(_), _) => wrong("an array of strings"),
    }
}

fn chosen(parameter: &Parameter, choices: &[String], text: &str) -> Result<String, AppError> {
    if choices.iter().any(|choice| choice == text) {
        return Ok(text.to_owned());
    }
    let message = format!("`{}` cannot be '{}'", parameter.name, crate::terminal::clip(text, 40));
    Err(AppError::new(ErrorKind::Usage, message).hint(format!("There is {}.", choices.join(", "))))
}

fn kind_of(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn unknown(known: &ToolSpec, name: &str) -> AppError {
    let names = known.parameters.iter().map(|parameter| parameter.name);
    let hint = match nearest(name, names.clone()) {
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None => format!("There is {}.", names.collect::<Vec<_>>().join(", ")),
    };
    let name = crate::terminal::clip(name, 60);
    AppError::new(ErrorKind::Usage, format!("`{}` has no parameter `{name}`", known.tool.name)).hint(hint)
}

fn missing(known: &ToolSpec, parameter: &Parameter) -> AppError {
    let message = format!("`{}` needs `{}`", known.tool.name, parameter.name);
    AppError::new(ErrorKind::Usage, message).hint(format!("Call it again with `{}`.", parameter.name))
}

/// The most similar of these names.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const ALIKE: f64 = 0.75;
    let name: String = name.to_lowercase().replace(['-', ' '], "_").chars().take(60).collect();
    let scored = names.map(|known| (strsim::jaro_winkler(&name, known), known));
    scored.filter(|(alike, _)| *alike >= ALIKE).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

fn refuse_too_large(arguments: &Map<String, Value>) -> Result<(), AppError> {
    let bytes: usize = arguments.iter().map(|(name, value)| name.len() + size(value)).sum();
    if bytes <= LARGEST_CALL {
        return Ok(());
    }
    let message = format!("the call is too large: {} of at most {} bytes", bytes, LARGEST_CALL);
    Err(AppError::new(ErrorKind::Usage, message).hint("Send the part that matters: the question, the first error."))
}

fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + size(value)).sum(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tools::find;
    use super::*;
    use crate::config::settings::McpSettings;

    fn typed(tool: &str, arguments: Value) -> Result<Vec<String>, String> {
        let known = ToolSpec::of(find(tool).expect("a tool"), &McpSettings::default());
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        words(&known, &arguments).map_err(|error| format!("{} {}", error.message, error.hint.unwrap_or_default()))
    }

    #[test]
    fn a_call_becomes_the_words_of_its_command() {
        let call = json!({"query": "--why it fails", "all_projects": true, "kind": ["user", "call"], "limit": 3});
        let words = typed("search", call).expect("a good call");
        assert_eq!(
            words,
            [
                "search", "--all-projects", "--kind=user", "--kind=call", "--limit=3", "--budget=1500", "--",
                "--why it fails"
            ]
        );
        assert!(crate::commands::parse(&words).is_ok());
        let outcome = typed("outcome", json!({"note": "it held", "outcome": "helpful", "session": "s"}));
        assert_eq!(outcome.expect("a good call"), ["outcome", "--session=s", "--", "helpful", "it held"]);
    }

    #[test]
    fn mistakes_say_what_was_meant() {
        let wrong = |tool: &str, call: Value| typed(tool, call).expect_err("a bad call");
        assert_eq!(wrong("search", json!({"querry": "x"})), "`search` has no parameter `querry` Did you mean `query`?");
        assert!(wrong("search", json!({})).starts_with("`search` needs `query`"));
        assert!(wrong("search", json!({"query": 3})).starts_with("`query` must be a string, not 3"));
        assert!(wrong("search", json!({"query": "x", "limit": "3"})).starts_with("`limit` must be a whole number"));
        assert!(wrong("list", json!({"what": "games"})).contains("There is projects, sessions, agents."));
        assert!(wrong("search", json!({"query": "x".repeat(3 << 20)})).starts_with("the call is too large"));
    }
}
