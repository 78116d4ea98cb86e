//! `mcp`: active workflows as tools, over standard input and output. Nothing but the protocol goes to standard output.

use super::{Done, told_to_stop};
use crate::mcp_server::McpServer;
use crate::output::OK;
use rmcp::ServiceExt;
use signalbox_app::{ApiError, App, Caller};
use std::sync::Arc;

pub(crate) async fn mcp(app: &Arc<App>) -> Done {
    let server = McpServer::new(Arc::clone(app), Some(Caller::terminal(None)?));
    let failed = |why: String| {
        let message = format!("The client did not connect: {why}.");
        ApiError::bad_request(message, "A program that speaks MCP starts this command; see `signalbox mcp --help`.")
    };
    let running = tokio::select! {
        running = server.serve(rmcp::transport::stdio()) => running.map_err(|error| failed(error.to_string()))?,
        () = told_to_stop() => return Ok(OK),
    };
    tokio::select! {
        ended = running.waiting() => ended.map(drop).map_err(|error| failed(error.to_string()))?,
        () = told_to_stop() => {}
    }
    Ok(OK)
}
