//! Runs the command that a tool call stands for.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorData, JsonObject};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::commands::{self, Parsed};
use crate::config::settings::McpSettings;
use crate::error::{AppError, ErrorKind};

use super::answer::{self, Form, JSON_ASKED, Shape};
use super::arguments::{nearest, words};
use super::error::of_parser;
use super::pool::{CallOptions, Pool};
use super::progress;
use super::schema::{ParameterKind, ToolSpec};
use super::tools::{Effect, TOOLS};

/// Runs the calls of all clients.
pub struct ToolRunner {
    pub pool: Pool,
    pub tools: Vec<ToolSpec>,
    pub settings: McpSettings,
    /// Ignored parts of the configuration, reported in every answer.
    mistakes: Vec<String>,
}

impl ToolRunner {
    pub fn new(settings: McpSettings, mistakes: &[String]) -> Self {
        let tools = TOOLS.iter().map(|tool| ToolSpec::of(tool, &settings)).collect();
        let mistakes = mistakes.iter().map(|mistake| format!("left out of the configuration: {mistake}")).collect();
        ToolRunner { pool: Pool::default(), tools, settings, mistakes }
    }

    /// A failure is part of the result: an agent never sees a protocol error.
    pub async fn run(
        self: Arc<Self>,
        request: CallToolRequestParams,
        folder: PathBuf,
        client: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let name = request.name;
        let call = match ToolCall::parse(&self.tools, &name, request.arguments.as_ref(), &self.settings) {
            Ok(call) => call,
            Err(error) => return Ok(answer::failed(&name, &error)),
        };
        let (watch, telling) = progress::watch(client.peer.clone(), client.meta.get_progress_token());
        let asks_for_json = client.meta.get(JSON_ASKED).and_then(Value::as_bool).unwrap_or(false);
        let form = if asks_for_json { Form::TextAndJson } else { Form::Text };
        let shape = Shape { budget: call.budget, form };
        let options = CallOptions { folder, watch, again: call.may_repeat };
        let runner = self.clone();
        let work =
            self.pool.run(options, move |context| answer::answer(call.take()?, shape, &runner.mistakes, context));
        let answered = tokio::select! {
            answered = work => answered,
            () = client.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
        };
        if let Some(telling) = telling {
            let _ = telling.await;
        }
        Ok(answered.unwrap_or_else(|error| answer::failed(&name, &error)))
    }
}

/// A call with valid arguments.
struct ToolCall {
    words: Vec<String>,
    /// Taken by the first run; a retry parses the words again.
    parsed: Mutex<Option<Parsed>>,
    /// In tokens.
    budget: u64,
    may_repeat: bool,
}

impl ToolCall {
    /// Faults are found before the memory is opened.
    fn parse(
        tools: &[ToolSpec],
        name: &str,
        arguments: Option<&JsonObject>,
        settings: &McpSettings,
    ) -> Result<Self, AppError> {
        let spec = tools.iter().find(|spec| spec.tool.name == name).ok_or_else(|| no_tool(name))?;
        let none = JsonObject::new();
        let arguments = arguments.unwrap_or(&none);
        let words = words(spec, arguments)?;
        let parsed = commands::parse(&words).map_err(|error| of_call(spec, of_parser(&error)))?;
        let asked = arguments.get("budget").and_then(Value::as_u64);
        let is_bounded = spec.parameters.iter().any(|one| one.name == "budget" && one.kind == ParameterKind::Integer);
        let budget = asked.filter(|_| is_bounded).unwrap_or(settings.budget);
        let may_repeat = spec.tool.effect == Effect::Nothing;
        Ok(ToolCall { words, parsed: Mutex::new(Some(parsed)), budget, may_repeat })
    }

    fn take(&self) -> Result<Parsed, AppError> {
        let kept = self.parsed.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept {
            Some(parsed) => Ok(parsed),
            None => commands::parse(&self.words).map_err(|error| of_parser(&error)),
        }
    }
}

/// The parser names positional arguments by their placeholder; an agent knows the parameter.
fn of_call(tool: &ToolSpec, mut error: AppError) -> AppError {
    for parameter in &tool.parameters {
        if let Some(placeholder) = &parameter.placeholder {
            let several = format!("{placeholder}...");
            error.message = error.message.replace(&several, parameter.name).replace(placeholder, parameter.name);
        }
    }
    error
}

fn no_tool(name: &str) -> AppError {
    let hint = match nearest(name, TOOLS.iter().map(|tool| tool.name)) {
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None => format!("There is {}.", TOOLS.each_ref().map(|tool| tool.name).join(", ")),
    };
    AppError::new(ErrorKind::Usage, format!("there is no tool `{}`", crate::terminal::clip(name, 60))).hint(hint)
}
