//! The first words of a connection. Servers are greeted; one that refuses every greeting may speak the protocol of
//! 2026-07-28, which has none, and is asked once more what it is.

use super::access::Access;
use super::definition::ToolServerDefinition;
use super::elicitation::Client;
use super::fault::{self, Meaning, failure};
use super::notifications::NotificationRouter;
use super::process::{Process, Start};
use super::process_tree::Trees;
use super::wire::{Bounded, Wire};
use super::{Limits, web};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitationCapability, ErrorCode, FormElicitationCapability, Implementation,
    ProtocolVersion,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RoleClient, RunningService, serve_client_with_lifecycle,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use signalbox_ports::Secrets;
use signalbox_ports::tools::{ToolFailure, ToolFault};
use std::sync::Arc;
use tokio::time::Instant;

/// A server that is started or reached, and what with.
#[derive(Clone, Copy)]
pub(super) struct Door<'a> {
    pub(super) name: &'a str,
    pub(super) definition: &'a ToolServerDefinition,
    pub(super) access: Option<&'a Arc<Access>>,
    pub(super) secrets: &'a Arc<dyn Secrets>,
    pub(super) limits: Limits,
    pub(super) trees: &'a Trees,
}

/// A server that has said what it is.
pub(super) struct Greeted {
    pub(super) process: Option<Process>,
    pub(super) service: RunningService<RoleClient, Client>,
    pub(super) board: Arc<NotificationRouter>,
}

/// Why it has not.
enum Refused {
    /// It knows no greeting, or none of this protocol.
    Greeting(ToolFailure),
    Otherwise(ToolFailure),
}

impl From<ToolFailure> for Refused {
    fn from(failure: ToolFailure) -> Self {
        Self::Otherwise(failure)
    }
}

fn us() -> ClientConfig {
    let named = Implementation::new("signalbox", env!("CARGO_PKG_VERSION"));
    // The library's default is a version that knows no such greeting, and strict servers refuse it.
    let form = FormElicitationCapability::new().with_schema_validation(true);
    let mut can = ClientCapabilities::default();
    can.elicitation = Some(ElicitationCapability::new().with_form(form));
    ClientConfig::new(can, named).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
}

/// Starts or reaches a server and hears what it is, by `due`.
pub(super) async fn greeted(door: Door<'_>, due: Instant) -> Result<Greeted, ToolFailure> {
    let told = attempts(door, due).await;
    told.map_err(|failure| door.access.map_or(failure.clone(), |access| access.explain(failure)))
}

async fn attempts(door: Door<'_>, due: Instant) -> Result<Greeted, ToolFailure> {
    match begin(door, due, ClientLifecycleMode::Initialize).await {
        Ok(greeted) => Ok(greeted),
        Err(Refused::Otherwise(failure)) => Err(failure),
        Err(Refused::Greeting(first)) => {
            let newest = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
            // What the second attempt is refused for says less: whoever knows no greeting at all is no such server.
            begin(door, due, newest).await.map_err(|_| first)
        }
    }
}

async fn begin(door: Door<'_>, due: Instant, how: ClientLifecycleMode) -> Result<Greeted, Refused> {
    let Door { definition, access, secrets, limits, trees, .. } = door;
    let board = Arc::new(NotificationRouter::new(secrets));
    match definition {
        ToolServerDefinition::Stdio { command, args, env, cwd } => {
            let start = Start { command, args, env, cwd: cwd.as_deref() };
            let (process, output, input) = Process::start(start, secrets, trees).await?;
            let lines = Bounded::new(output, limits.message, Arc::clone(&board));
            // The stream before it has the limit, and ends the connection there; this one would stay silent.
            let inner = AsyncRwTransport::new(lines, input).with_max_line_length(usize::MAX);
            let wire = Wire { inner, board: Arc::clone(&board) };
            let service = first_words(wire, how, (door, due), &board, Some(&process)).await?;
            Ok(Greeted { process: Some(process), service, board })
        }
        ToolServerDefinition::Http { url, credential, .. } => {
            let inner = web::transport(url, credential.as_deref(), secrets, access.cloned(), limits.message).await?;
            let wire = Wire { inner, board: Arc::clone(&board) };
            let service = first_words(wire, how, (door, due), &board, None).await?;
            Ok(Greeted { process: None, service, board })
        }
    }
}

/// Within a time: a program that is no server would be waited for for ever.
async fn first_words<T: Transport<RoleClient> + 'static>(
    wire: Wire<T>,
    how: ClientLifecycleMode,
    (door, due): (Door<'_>, Instant),
    board: &Arc<NotificationRouter>,
    process: Option<&Process>,
) -> Result<RunningService<RoleClient, Client>, Refused> {
    let mut knows_none = false;
    let client = Client { config: us(), board: Arc::clone(board) };
    let told = match tokio::time::timeout_at(due, serve_client_with_lifecycle(client, wire, how)).await {
        Ok(Ok(service)) => return Ok(service),
        Ok(Err(error)) => {
            knows_none = greets_not(&error);
            let meaning = fault::beyond(board.beyond.get(), door.limits.message);
            let of_start = || fault::of_start(&error, &door.secrets.scrubber());
            match meaning.map_or_else(of_start, Meaning::Failure) {
                Meaning::Failure(failure) => failure,
                Meaning::Ended | Meaning::SessionGone => {
                    let words = format!("The tool server '{}' ended before it answered", door.name);
                    failure(ToolFault::Connect, words)
                }
            }
        }
        Err(_) => slow_start(door.name, door.limits),
    };
    let stderr = match process {
        Some(process) => {
            process.kill();
            process.last_words().await
        }
        None => None,
    };
    let told = ToolFailure { stderr, ..told };
    Err(if knows_none { Refused::Greeting(told) } else { Refused::Otherwise(told) })
}

/// The words of a server that has no greeting, or asks for what only the newest protocol has.
fn greets_not(error: &ClientInitializeError) -> bool {
    let ClientInitializeError::JsonRpcError(error) = error else { return false };
    [ErrorCode::METHOD_NOT_FOUND, ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, ErrorCode::HEADER_MISMATCH]
        .contains(&error.code)
}

pub(super) fn slow_start(name: &str, limits: Limits) -> ToolFailure {
    let words = format!(
        "The tool server '{name}' did not say what it is within {} s; is it an MCP server, and does it need longer at its first start?",
        limits.start.as_secs()
    );
    failure(ToolFault::Connect, words)
}
