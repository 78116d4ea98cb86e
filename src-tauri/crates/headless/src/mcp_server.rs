//! Active workflows as tools of an MCP server, over standard input and output or over HTTP. What is offered and what a call
//! gives is said by the app; here it is put into the protocol.

mod author;
mod exact_arguments;
mod http;

pub(crate) use author::AuthorServer;
pub(crate) use exact_arguments::lines;
pub(crate) use http::{HttpTools, known};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use signalbox_app::{ApiError, App, Caller, Offer, OfferedTool, Told, ToolResult, tool_refusal, tool_result};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How often it looks whether other workflows are offered than before.
const LOOK: Duration = Duration::from_secs(2);

/// The answers of the server to one client.
#[derive(Clone)]
pub(crate) struct McpServer {
    app: Arc<App>,
    /// Who asks, where a request does not say it itself.
    caller: Option<Caller>,
}

impl McpServer {
    pub(crate) fn new(app: Arc<App>, caller: Option<Caller>) -> Self {
        Self { app, caller }
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
        caller_of(self.caller.as_ref(), context)
    }

    /// Waits for the run and tells how it comes on. A cancelled call cancels its run.
    async fn follow(
        &self,
        caller: &Caller,
        tool: &OfferedTool,
        run_id: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<ToolResult, ApiError> {
        let progress = Progress::new(context);
        let mut events = self.app.subscribe(caller, run_id.to_owned(), 0).await?;
        let mut ended = std::pin::pin!(self.app.wait_told(run_id.to_owned()));
        let (mut done, mut steps, mut log_ended, mut answer) = (0, BTreeMap::new(), false, None);
        loop {
            if let Some(told) = &answer
                && (log_ended || goes_on(told))
            {
                return Ok(tool_result(tool, run_id, told));
            }
            tokio::select! {
                biased;
                () = context.ct.cancelled() => {
                    self.app.dispatch(caller, "run_cancel", json!({ "runId": run_id })).await?;
                    return Ok(ToolResult { content: json!({ "runId": run_id, "status": "cancelled" }), is_error: true });
                }
                batch = events.next(), if !log_ended => {
                    let Some(batch) = batch else { log_ended = true; continue };
                    for event in batch.iter().filter(|event| matches!(event.kind.as_str(), "step_done" | "step_error")) {
                        done += 1;
                        *steps.entry(event.step_id.clone().unwrap_or_default()).or_insert(0_u64) += 1;
                        progress.tell(done, event.step_id.as_deref().unwrap_or_default()).await;
                    }
                }
                // A short run has ended before its log was read: its progress is told all the same.
                told = &mut ended, if answer.is_none() => answer = Some(told?),
            }
        }
    }
}

/// Whether the log of a run goes on after an answer about it.
fn goes_on(told: &Told) -> bool {
    !matches!(told.summary["status"].as_str(), Some("completed" | "failed" | "cancelled"))
}

/// Who asks: over HTTP each request has a token of its own.
fn caller_of(fixed: Option<&Caller>, context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
    let parts = context.extensions.get::<axum::http::request::Parts>();
    let of_request = parts.and_then(|parts| parts.extensions.get::<Caller>());
    of_request.or(fixed).cloned().ok_or_else(|| ErrorData::internal_error("Nobody asks.", None))
}

/// Tells a client that asked for it which steps have ended.
struct Progress<'a> {
    token: Option<ProgressToken>,
    peer: &'a Peer<RoleServer>,
}

impl<'a> Progress<'a> {
    fn new(context: &'a RequestContext<RoleServer>) -> Self {
        Self { token: context.meta.get_progress_token(), peer: &context.peer }
    }

    async fn tell(&self, done: u32, step: &str) {
        let Some(token) = self.token.clone() else { return };
        let told = ProgressNotificationParam::new(token, f64::from(done)).with_message(step);
        // Who does not listen any more still gets the answer, or nothing.
        drop(self.peer.notify_progress(told).await);
    }
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(fields) = value { fields } else { Map::new() }
}

/// The answer of a run that waits for a person fits no schema of an output, and is an answer, too.
fn with_waiting(output: &Value) -> Value {
    json!({
        "type": "object",
        "anyOf": [
            output,
            {
                "type": "object",
                "description": "The run waits for a person.",
                "required": ["status", "runId"],
                "properties": { "status": { "const": "waiting" }, "runId": { "type": "string" } },
            },
        ],
    })
}

fn as_tool(tool: OfferedTool) -> Tool {
    let input = object(json!(tool.input_schema));
    let mut told = Tool::new(Cow::Owned(tool.name), Cow::Owned(tool.description), Arc::new(input));
    told.title = Some(tool.title);
    told.output_schema = tool.output_schema.map(|schema| Arc::new(object(with_waiting(&json!(schema)))));
    told
}

fn answer(result: ToolResult) -> CallToolResponse {
    let mut told = CallToolResult::structured(result.content);
    told.is_error = Some(result.is_error);
    told.into()
}

fn broken(error: &ApiError) -> ErrorData {
    ErrorData::internal_error(error.message.clone(), Some(json!(error)))
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("signalbox", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "Each tool is an active workflow. A call starts a run and answers with its output. When the run waits for a \
                 person, the call answers at once with {\"status\": \"waiting\", \"runId\"}.",
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
        self.caller(&context)?;
        let tools = self.app.offered_tools(Offer::Tool).await.map_err(|error| broken(&error))?;
        Ok(ListToolsResult::with_all_items(tools.into_iter().map(as_tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = self.caller(&context)?;
        if let Some(error) = exact_arguments::refusal(&context.meta) {
            return Ok(answer(tool_refusal(&error)));
        }
        let arguments = request.arguments.unwrap_or_default().into_iter().collect();
        let started = self.app.start_offered(&caller, Offer::Tool, &request.name, arguments).await;
        let (tool, run_id) = match started {
            Ok(Some(started)) => started,
            Ok(None) => {
                let message = format!("No active workflow is offered as the tool '{}'.", request.name);
                return Err(ErrorData::invalid_params(message, None));
            }
            Err(error) => return Ok(answer(tool_refusal(&error))),
        };
        let result = self.follow(&caller, &tool, &run_id, &context).await;
        Ok(answer(result.unwrap_or_else(|error| tool_refusal(&error))))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (app, peer) = (Arc::clone(&self.app), context.peer);
        tokio::spawn(async move {
            let mut seen = app.offered_change().await.ok();
            while !peer.is_transport_closed() {
                tokio::time::sleep(LOOK).await;
                let now = app.offered_change().await.ok();
                if now.is_some() && now != seen {
                    seen = now;
                    if peer.notify_tool_list_changed().await.is_err() {
                        return;
                    }
                }
            }
        });
    }
}
