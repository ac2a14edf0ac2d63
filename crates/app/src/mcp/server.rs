//! Implements the protocol's requests.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::call::ToolRunner;
use super::schema::ToolSpec;
use super::tools::{Effect, instructions};
use super::{folder, malformed, pool, prompts, resources};
use crate::config::settings::McpSettings;
use crate::error::AppError;
use crate::terminal;

/// One for all clients; only the folder differs between clients.
#[derive(Clone)]
pub struct Server {
    runner: Arc<ToolRunner>,
    listed: Arc<Vec<Tool>>,
    folder: Arc<RwLock<PathBuf>>,
}

impl Server {
    pub fn new(folder: PathBuf, settings: McpSettings, mistakes: &[String]) -> Self {
        let runner = ToolRunner::new(settings, mistakes);
        let listed = runner.tools.iter().map(listed).collect();
        Server { runner: Arc::new(runner), listed: Arc::new(listed), folder: Arc::new(RwLock::new(folder)) }
    }

    /// Waits until shown cards are recorded.
    pub async fn settle(&self, timeout: Duration) {
        self.runner.pool.settle(timeout).await;
    }

    /// For another client, with its own folder.
    pub fn for_client(&self) -> Self {
        let folder = Arc::new(RwLock::new(self.folder()));
        Server { folder, ..self.clone() }
    }

    fn folder(&self) -> PathBuf {
        self.folder.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The folder of a client that works in only one. Clients with the newest protocol cannot be asked.
    #[expect(deprecated, reason = "clients of the older protocol have nothing else")]
    async fn ask_for_folder(&self, peer: &Peer<RoleServer>) {
        let asks = peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if !asks {
            return;
        }
        let Ok(listed) = peer.list_roots().await else { return };
        if let [root] = listed.roots.as_slice()
            && let Some(found) = folder::of_uri(&root.uri)
        {
            *self.folder.write().unwrap_or_else(PoisonError::into_inner) = found;
        }
    }

    /// For requests without parameters: read-only and short.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl Fn(&mut crate::ask_context::AskContext) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let call =
            pool::CallOptions { folder: self.folder(), watch: crate::ask_context::nobody_watches(), again: true };
        self.runner.pool.run(call, work).await
    }
}

fn listed(known: &ToolSpec) -> Tool {
    let tool = known.tool;
    let hints = ToolAnnotations::new();
    let hints = match tool.effect {
        Effect::Nothing => hints.read_only(true),
        effect => hints.read_only(false).destructive(effect == Effect::Destroys).open_world(false),
    };
    Tool::new(tool.name, tool.description, known.input()).annotate(hints)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offers = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        let mut named = Implementation::new("backstory", env!("CARGO_PKG_VERSION"));
        named.title = Some("Backstory".to_owned());
        named.description = Some("A causal memory of earlier sessions on this machine".to_owned());
        ServerConfig::new(offers)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(named)
            .with_instructions(instructions(&self.runner.settings))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(malformed::explain(&request))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_folder(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_for_folder(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.listed.to_vec()))
    }

    fn get_tool(&self, _: &str) -> Option<Tool> {
        // Calls are checked here, so that faults are part of the result.
        None
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.runner.clone().run(request, self.folder(), context).await.map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let page = self.ask(move |context| resources::list(context, cursor.as_deref())).await;
        page.map_err(|error| protocol_error(&error))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.ask(move |context| resources::read(context, &request.uri)).await;
        read.map(Into::into).map_err(|error| protocol_error(&error))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let made = self.ask(move |context| prompts::get(context, &request.name, &arguments)).await;
        made.map(Into::into).map_err(|error| protocol_error(&error))
    }
}

/// Resources and prompts have no result that could contain it.
fn protocol_error(error: &AppError) -> ErrorData {
    let hint = error.hint.as_deref().map(|hint| format!(". {hint}")).unwrap_or_default();
    let message = super::error::in_words_of_tools(&terminal::unstyled(&format!("{}{hint}", error.message)));
    match error.kind {
        crate::error::ErrorKind::NotFound | crate::error::ErrorKind::NoMemory => {
            ErrorData::resource_not_found(message, None)
        }
        crate::error::ErrorKind::Usage => ErrorData::invalid_params(message, None),
        _ => ErrorData::internal_error(message, None),
    }
}
