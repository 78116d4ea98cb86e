//! `mcp`: active workflows as tools, or the tools with which an agent plans, over standard input and output. Nothing but the protocol goes to standard output.

use super::{Done, told_to_stop};
use crate::mcp_server::{AuthorServer, McpServer, lines};
use crate::output::OK;
use rmcp::{ServerHandler, ServiceExt};
use signalbox_app::{ApiError, App, Caller};
use std::sync::Arc;

pub(crate) async fn mcp(app: &Arc<App>, author: bool) -> Done {
    let caller = Some(Caller::terminal(None)?);
    if author {
        return serve(AuthorServer::new(Arc::clone(app), caller)).await;
    }
    serve(McpServer::new(Arc::clone(app), caller)).await
}

async fn serve(server: impl ServerHandler) -> Done {
    let failed = |why: String| {
        let message = format!("The client did not connect: {why}.");
        ApiError::bad_request(message, "A program that speaks MCP starts this command; see `signalbox mcp --help`.")
    };
    let running = tokio::select! {
        running = server.serve((lines(tokio::io::stdin()), tokio::io::stdout())) => running.map_err(|error| failed(error.to_string()))?,
        () = told_to_stop() => return Ok(OK),
    };
    tokio::select! {
        ended = running.waiting() => ended.map(drop).map_err(|error| failed(error.to_string()))?,
        () = told_to_stop() => {}
    }
    Ok(OK)
}
