//! The tools with which an agent of somebody else plans workflows. What it makes are proposals; a person accepts them.

use super::{answer, caller_of, exact_arguments};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use signalbox_app::{App, AuthorTool, Caller, author_tools, tool_refusal};
use std::borrow::Cow;
use std::sync::Arc;

/// The answers of the server to one agent.
#[derive(Clone)]
pub(crate) struct AuthorServer {
    app: Arc<App>,
    /// Who asks, where a request does not say it itself.
    caller: Option<Caller>,
}

impl AuthorServer {
    pub(crate) fn new(app: Arc<App>, caller: Option<Caller>) -> Self {
        Self { app, caller }
    }
}

fn as_tool(tool: AuthorTool) -> Tool {
    let mut told = Tool::new(tool.name, tool.description, Arc::new(tool.input_schema.into_iter().collect()));
    told.title = Some(tool.title.to_owned());
    told.annotations = Some(ToolAnnotations::new().read_only(tool.reads).destructive(false));
    told
}

impl ServerHandler for AuthorServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("signalbox-author", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "Plans workflows. Find step kinds with catalog_search and catalog_show, read a workflow with workflow_read, change \
                 it with workflow_patch, list and make the calls of a try with workflow_try. Changes are proposals: a person \
                 accepts them in the builder.",
            )
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        caller_of(self.caller.as_ref(), &context)?;
        Ok(ListToolsResult::with_all_items(author_tools().into_iter().map(as_tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = caller_of(self.caller.as_ref(), &context)?;
        if let Some(error) = exact_arguments::refusal(&context.meta) {
            return Ok(answer(tool_refusal(&error)));
        }
        let arguments = request.arguments.unwrap_or_default().into_iter().collect();
        match self.app.call_author_tool(&caller, &request.name, arguments).await {
            Some(result) => Ok(answer(result)),
            None => Err(ErrorData::invalid_params(format!("There is no tool '{}'.", request.name), None)),
        }
    }
}
