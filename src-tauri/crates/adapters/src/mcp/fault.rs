//! What the library's errors mean for a step (PLATFORM, error mapping). The words are ours: the library's may hold an address
//! with what is secret in it.

use super::depth::{self, DEEPEST};
use super::notifications::TooBig;
use crate::clock::RealClock;
use rmcp::model::ErrorData;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use signalbox_ports::tools::{ToolFailure, ToolFault};
use signalbox_ports::{Clock, Scrubber, retry_after};
use std::error::Error as StdError;

/// Longest words of a server in a message.
const WORDS: usize = 1_000;

/// A failure without more than words.
pub(super) fn failure(fault: ToolFault, message: impl Into<String>) -> ToolFailure {
    ToolFailure::new(fault, message)
}

pub(super) fn cancelled() -> ToolFailure {
    failure(ToolFault::Cut, "The call was cancelled")
}

/// Cut to a length after it was cleaned: half a secret would not be found any more.
fn short(text: &str, scrubber: &Scrubber) -> String {
    scrubber.text(text).chars().take(WORDS).collect()
}

/// What an attempt came to.
pub(super) enum Meaning {
    Failure(ToolFailure),
    /// The connection ended.
    Ended,
    /// The server does not know the session.
    SessionGone,
}

fn of_server(error: &ErrorData, scrubber: &Scrubber) -> ToolFailure {
    if depth::is_told(error.code.0, &error.message) {
        return too_deep();
    }
    if let Some(words) = depth::too_large_told(error.code.0, &error.message) {
        return failure(ToolFault::TooLarge, format!("The server sent {words}"));
    }
    if let Some(words) = depth::change_told(error.code.0, &error.message) {
        return failure(
            if words.starts_with(depth::MEMBER) { ToolFault::DuplicateMember } else { ToolFault::Digits },
            format!("The answer of the server cannot be read without a change: {}", scrubber.text(words)),
        );
    }
    let (code, said) = (error.code.0, short(&error.message, scrubber));
    let fault = match code {
        -32602 => ToolFault::BadArguments,
        -32601 => ToolFault::NotFound,
        -32600 => ToolFault::Unsupported,
        -32700 => ToolFault::BadAnswer,
        _ => ToolFault::Internal,
    };
    let words = match fault {
        ToolFault::BadArguments => format!("The server refuses the arguments: {said}"),
        ToolFault::NotFound => format!("The server does not know this: {said}"),
        ToolFault::Unsupported => format!("The server does not do this: {said}"),
        ToolFault::BadAnswer => format!("The server could not read the request: {said}"),
        _ => format!("The server failed ({code}): {said}"),
    };
    failure(fault, words)
}

/// The meaning of an error of a request.
pub(super) fn of_request(error: &ServiceError, scrubber: &Scrubber) -> Meaning {
    match error {
        ServiceError::McpError(error) => Meaning::Failure(of_server(error, scrubber)),
        ServiceError::TransportSend(error) => of_transport(error.error.as_ref()),
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Meaning::Ended,
        ServiceError::UnexpectedResponse => {
            Meaning::Failure(failure(ToolFault::BadAnswer, "What the server sent is no answer to this request"))
        }
        _ => Meaning::Failure(failure(ToolFault::BadAnswer, "The server did not answer as the protocol asks for")),
    }
}

/// The meaning of an error before the server was ready.
pub(super) fn of_start(error: &ClientInitializeError, scrubber: &Scrubber) -> Meaning {
    match error {
        ClientInitializeError::TransportError { error, .. } => of_transport(error.error.as_ref()),
        ClientInitializeError::JsonRpcError(error) => Meaning::Failure(of_server(error, scrubber)),
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled => Meaning::Ended,
        _ => Meaning::Failure(failure(
            ToolFault::BadAnswer,
            "What answers there is no MCP server that this program knows",
        )),
    }
}

fn of_transport(error: &(dyn StdError + Send + Sync + 'static)) -> Meaning {
    let mut here: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(current) = here {
        if let Some(error) = current.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return of_http(error);
        }
        if let Some(error) = current.downcast_ref::<reqwest::Error>() {
            return Meaning::Failure(of_exchange(error));
        }
        here = current.source();
    }
    Meaning::Ended
}

fn of_exchange(error: &reqwest::Error) -> ToolFailure {
    let mut root: &dyn StdError = error;
    while let Some(next) = root.source() {
        root = next;
    }
    if error.is_timeout() && !error.is_connect() {
        return failure(ToolFault::Timeout, "The server did not answer in time");
    }
    if error.is_connect() || error.is_builder() {
        return failure(ToolFault::Connect, format!("The server cannot be reached: {root}"));
    }
    failure(ToolFault::Cut, "The connection was cut off before the answer was complete")
}

fn of_http(error: &StreamableHttpError<reqwest::Error>) -> Meaning {
    use StreamableHttpError as E;
    Meaning::Failure(match error {
        E::Client(error) => of_exchange(error),
        E::SessionExpired => return Meaning::SessionGone,
        E::AuthRequired(_) | E::InsufficientScope(_) => auth(),
        E::HttpStatus(told) => {
            let wait = told.retry_after.as_deref().and_then(|text| retry_after(text, RealClock.now_ms()));
            ToolFailure { retry_after_ms: wait, ..of_status(told.status) }
        }
        E::ResponseBodyTooLarge { max_size } => too_large(*max_size),
        E::UnexpectedServerResponse(text) => match text.strip_prefix("HTTP ").and_then(|rest| rest.get(..3)) {
            Some(status) if status.chars().all(|c| c.is_ascii_digit()) => of_status(status.parse().unwrap_or(400)),
            _ => failure(ToolFault::BadAnswer, "What the server sent is no answer of an MCP server"),
        },
        E::UnexpectedContentType(_) | E::Deserialize(_) => {
            failure(ToolFault::BadAnswer, "What the server sent is no answer of an MCP server")
        }
        E::Sse(_) | E::Io(_) | E::UnexpectedEndOfStream | E::SessionRecoveryTimeout => {
            failure(ToolFault::Cut, "The connection was cut off before the answer was complete")
        }
        _ => return Meaning::Ended,
    })
}

fn auth() -> ToolFailure {
    failure(ToolFault::Auth, "The server wants a credential, or another one than it was given (Settings, Tool servers)")
}

fn of_status(status: u16) -> ToolFailure {
    match status {
        401 | 403 => auth(),
        408 | 504 => failure(ToolFault::Timeout, format!("The server answered {status}: it took too long")),
        429 | 529 => failure(ToolFault::RateLimit, format!("The server answered {status}: too many requests")),
        400 | 422 => failure(ToolFault::BadArguments, format!("The server answered {status}: it refuses the request")),
        503 => failure(ToolFault::Unavailable, "The server answered 503: it takes no calls now"),
        500.. => failure(ToolFault::Broken, format!("The server answered {status}")),
        _ => failure(ToolFault::HttpStatus, format!("The server answered {status}")),
    }
}

/// What came was not read to its end.
pub(super) fn beyond(what: Option<&TooBig>, limit: usize) -> Option<ToolFailure> {
    what.map(|what| match what {
        TooBig::Large => too_large(limit),
        TooBig::Deep => too_deep(),
    })
}

fn too_deep() -> ToolFailure {
    let words = format!("The server sent an answer that is nested deeper than {DEEPEST} levels");
    failure(ToolFault::TooLarge, words)
}

fn too_large(limit: usize) -> ToolFailure {
    failure(ToolFault::TooLarge, format!("The server sent more than {} MiB in one message", limit / (1024 * 1024)))
}

#[cfg(test)]
mod tests;
