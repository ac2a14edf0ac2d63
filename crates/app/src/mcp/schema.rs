//! The parameters of a tool as JSON schema, from the arguments of its command.

use std::any::TypeId;

use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};

use crate::commands;
use crate::config::settings::McpSettings;

use super::tools::{Offer, Tool};

/// The kind of a parameter's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    Flag,
    Integer,
    Number,
    Text,
    /// One of these.
    Choice(Vec<String>),
    /// Several texts.
    List(Option<Vec<String>>),
}

/// One parameter, with the argument it stands for.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: &'static str,
    pub kind: ParameterKind,
    pub required: bool,
    /// None for a positional argument.
    pub flag: Option<String>,
    pub place: usize,
    /// The placeholder in the command line's errors, for an argument without a flag.
    pub placeholder: Option<String>,
    /// Only the tool has it; the command does not.
    pub is_ours: bool,
    help: &'static str,
    default: Option<Value>,
}

/// A tool with its full description.
pub struct ToolSpec {
    pub tool: &'static Tool,
    pub parameters: Vec<Parameter>,
}

impl ToolSpec {
    pub fn of(tool: &'static Tool, settings: &McpSettings) -> Self {
        let all = commands::command();
        let command = tool.command.iter().try_fold(&all, |command, name| command.find_subcommand(name));
        let parameters = tool.offers.iter().filter_map(|offer| parameter(command?, offer, settings));
        ToolSpec { tool, parameters: parameters.collect() }
    }

    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    pub fn input(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.parameters.iter().map(|parameter| (parameter.name.to_owned(), parameter.schema())).collect();
        let required: Vec<&str> =
            self.parameters.iter().filter(|parameter| parameter.required).map(|parameter| parameter.name).collect();
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema
    }
}

fn parameter(command: &Command, offer: &Offer, settings: &McpSettings) -> Option<Parameter> {
    if offer.argument.is_empty() {
        let (kind, default) = (ParameterKind::Integer, Some(json!(settings.budget)));
        let (name, help) = (offer.name, offer.help);
        let (flag, placeholder) = (None, None);
        return Some(Parameter {
            name,
            kind,
            required: false,
            flag,
            place: 0,
            placeholder,
            is_ours: true,
            help,
            default,
        });
    }
    let argument = command.get_arguments().find(|argument| argument.get_id() == offer.argument)?;
    let kind = kind(argument);
    let preset = argument.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
    let default = match preset {
        _ if offer.bounds => Some(json!(settings.budget)),
        Some(preset) => match kind {
            ParameterKind::Integer => preset.parse::<i64>().ok().map(Value::from),
            ParameterKind::Flag => None,
            _ => Some(json!(preset)),
        },
        None => None,
    };
    Some(Parameter {
        name: offer.name,
        kind,
        required: argument.is_required_set(),
        flag: argument.get_long().map(str::to_owned),
        place: argument.get_index().unwrap_or(command.get_positionals().position(|one| one == argument).unwrap_or(0)),
        placeholder: placeholder(argument),
        is_ours: false,
        help: offer.help,
        default,
    })
}

fn placeholder(argument: &Arg) -> Option<String> {
    argument.get_value_names().filter(|_| argument.is_positional())?.first().map(|name| format!("<{name}>"))
}

fn kind(argument: &Arg) -> ParameterKind {
    let named = argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set());
    let choices: Vec<String> = named.map(|value| value.get_name().to_owned()).collect();
    let choices = Some(choices).filter(|choices| !choices.is_empty());
    let is = |types: &[TypeId]| types.iter().any(|one| argument.get_value_parser().type_id() == *one);
    match argument.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => ParameterKind::Flag,
        // Words without a flag form one text.
        ArgAction::Append if argument.get_long().is_some() => ParameterKind::List(choices),
        _ if is(&[TypeId::of::<u64>(), TypeId::of::<u32>(), TypeId::of::<u16>(), TypeId::of::<usize>()]) => {
            ParameterKind::Integer
        }
        _ if is(&[TypeId::of::<f32>(), TypeId::of::<f64>()]) => ParameterKind::Number,
        _ => choices.map_or(ParameterKind::Text, ParameterKind::Choice),
    }
}

impl Parameter {
    /// The default, if it is not the command's own.
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    fn schema(&self) -> Value {
        let mut schema = match &self.kind {
            ParameterKind::Flag => json!({"type": "boolean"}),
            ParameterKind::Integer => json!({"type": "integer"}),
            ParameterKind::Number => json!({"type": "number"}),
            ParameterKind::Text => json!({"type": "string"}),
            ParameterKind::Choice(choices) => json!({"type": "string", "enum": choices}),
            ParameterKind::List(None) => json!({"type": "array", "items": {"type": "string"}}),
            ParameterKind::List(Some(choices)) => {
                json!({"type": "array", "items": {"type": "string", "enum": choices}})
            }
        };
        if !self.help.is_empty() {
            schema["description"] = json!(self.help);
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::super::tools::TOOLS;
    use super::*;

    /// A renamed flag must not silently remove a parameter.
    #[test]
    fn every_offer_is_an_argument_of_its_command() {
        for tool in &TOOLS {
            let known = ToolSpec::of(tool, &McpSettings::default());
            let offered: Vec<&str> = tool.offers.iter().map(|offer| offer.name).collect();
            let found: Vec<&str> = known.parameters.iter().map(|parameter| parameter.name).collect();
            assert_eq!(offered, found, "{}", tool.name);
        }
    }

    /// Both surfaces use the same words: a parameter has the name of its flag.
    #[test]
    fn parameters_are_named_like_flags() {
        for tool in &TOOLS {
            for parameter in ToolSpec::of(tool, &McpSettings::default()).parameters {
                if let Some(flag) = parameter.flag.as_deref() {
                    assert_eq!(parameter.name, flag.replace('-', "_"), "{}", tool.name);
                }
            }
        }
    }
}
