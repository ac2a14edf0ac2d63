//! The official client with the real binary.

use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ServiceError, ServiceExt};
use serde_json::{Value, json};

use crate::env::{TestEnv, TestResult};

pub struct Client {
    runtime: tokio::runtime::Runtime,
    service: RunningService<RoleClient, ()>,
}

impl Client {
    pub fn of(env: &TestEnv) -> TestResult<Self> {
        Self::with(env, &[])
    }

    /// With additional environment variables.
    pub fn with(env: &TestEnv, variables: &[(&str, &str)]) -> TestResult<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut command = env.command(&["mcp"]);
        command.envs(variables.iter().copied());
        let service = runtime.block_on(async move {
            let process = TokioChildProcess::new(tokio::process::Command::from(command))?;
            Ok::<_, Box<dyn std::error::Error>>(().serve(process).await?)
        })?;
        Ok(Client { runtime, service })
    }

    pub fn tools(&self) -> TestResult<Vec<Value>> {
        let tools = self.runtime.block_on(self.service.list_all_tools())?;
        tools.iter().map(|tool| Ok(serde_json::to_value(tool)?)).collect()
    }

    pub fn call(&self, name: &str, arguments: Value) -> TestResult<Value> {
        self.answer(request(name, arguments))
    }

    /// The text and the JSON, as requested by a program.
    pub fn call_for_json(&self, name: &str, arguments: Value) -> TestResult<Value> {
        let mut request = request(name, arguments);
        request.meta = Some(serde_json::from_value(json!({"backstory/json": true}))?);
        self.answer(request)
    }

    fn answer(&self, request: CallToolRequestParams) -> TestResult<Value> {
        let called = self.runtime.block_on(self.service.call_tool(request))?;
        Ok(serde_json::to_value(called)?)
    }

    /// All at once.
    pub fn call_many(&self, calls: Vec<(&str, Value)>) -> TestResult<Vec<Value>> {
        let peer = self.service.peer().clone();
        self.runtime.block_on(async move {
            let mut running = Vec::new();
            for (name, arguments) in calls {
                let (peer, request) = (peer.clone(), request(name, arguments));
                running.push(tokio::spawn(async move { peer.call_tool(request).await }));
            }
            let mut answers = Vec::new();
            for one in running {
                answers.push(serde_json::to_value(one.await??)?);
            }
            Ok(answers)
        })
    }

    /// The error of the call.
    pub fn refused(&self, name: &str, arguments: Value) -> TestResult<String> {
        let answer = self.call(name, arguments)?;
        if answer["isError"] != true {
            return Err(format!("no error: {answer}").into());
        }
        Ok(text(&answer))
    }

    pub fn resources(&self) -> TestResult<Vec<Value>> {
        let listed = self.runtime.block_on(self.service.list_all_resources())?;
        listed.iter().map(|one| Ok(serde_json::to_value(one)?)).collect()
    }

    pub fn templates(&self) -> TestResult<Vec<Value>> {
        let listed = self.runtime.block_on(self.service.list_all_resource_templates())?;
        listed.iter().map(|one| Ok(serde_json::to_value(one)?)).collect()
    }

    pub fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let read = self.runtime.block_on(self.service.read_resource(ReadResourceRequestParams::new(uri)))?;
        Ok(serde_json::to_value(read).unwrap_or_default())
    }

    pub fn prompts(&self) -> TestResult<Vec<Value>> {
        let listed = self.runtime.block_on(self.service.list_all_prompts())?;
        listed.iter().map(|one| Ok(serde_json::to_value(one)?)).collect()
    }

    pub fn prompt(&self, name: &str, arguments: Value) -> Result<Value, ServiceError> {
        let mut asked = GetPromptRequestParams::new(name);
        asked.arguments = arguments.as_object().cloned();
        let made = self.runtime.block_on(self.service.get_prompt(asked))?;
        Ok(serde_json::to_value(made).unwrap_or_default())
    }

    pub fn about(&self) -> Value {
        let info = self.service.peer_info();
        info.map(|info| serde_json::to_value(&*info).unwrap_or_default()).unwrap_or_default()
    }
}

fn request(name: &str, arguments: Value) -> CallToolRequestParams {
    let request = CallToolRequestParams::new(name.to_owned());
    match arguments.as_object() {
        Some(arguments) => request.with_arguments(arguments.clone()),
        None => request,
    }
}

/// The readable part of an answer.
pub fn text(answer: &Value) -> String {
    let blocks = answer["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str()).collect()
}
