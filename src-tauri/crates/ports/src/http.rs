//! HTTP as steps ask for it.

use crate::PieceStream;
use crate::secret::Credential;
use async_trait::async_trait;
use std::{ops::ControlFlow, sync::Arc, time::Duration};

/// Which redirects are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Redirects {
    /// All of them, within the address rules.
    #[default]
    Follow,
    /// Only those that stay on the same host; another one is an error.
    SameHost,
    /// None: a redirect is an answer like any other.
    No,
}

/// A cookie, with what decides where it is sent (RFC 6265).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host that set it, or the domain that it named.
    pub domain: String,
    /// It is sent to exactly this host and not to the hosts below it.
    pub host_only: bool,
    /// Paths at or below this one get it.
    pub path: String,
    /// It is sent over https only.
    pub secure: bool,
    /// Scripts of a page may not read it.
    pub http_only: bool,
    /// When it ends, milliseconds since 1970; `None` when the session ends.
    pub expires_ms: Option<i64>,
}

/// An HTTP request as a node asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpRequest {
    /// Upper-case method.
    pub method: String,
    /// Absolute http or https address.
    pub url: String,
    /// Header name → value, in order.
    pub headers: Vec<(String, String)>,
    /// The bytes to send.
    pub body: Option<Vec<u8>>,
    /// Time limit of the whole exchange.
    pub timeout: Duration,
    /// Loopback addresses are allowed for this call (TRUST, SSRF).
    pub loopback_allowed: bool,
    /// Which redirects are followed; the others are answers.
    pub redirects: Redirects,
    /// A redirect to another origin takes the headers and the body along. Never the credential.
    pub trust_redirects: bool,
    /// Cookies to begin with; each is sent only where it belongs.
    pub cookies: Vec<Cookie>,
    /// Largest body accepted, bytes.
    pub max_body: usize,
    /// Sent with the request, to hosts that it allows only.
    pub credential: Option<Arc<Credential>>,
}

/// Headers of the connection: a workflow that set one could let one request hide another.
pub fn is_of_connection(header: &str) -> bool {
    ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"]
        .iter()
        .any(|own| own.eq_ignore_ascii_case(header))
}

/// An HTTP answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Lower-case name → value; repeated ones joined with `, `.
    pub headers: Vec<(String, String)>,
    /// Each `Set-Cookie` line: joined, their dates would look like further cookies.
    pub set_cookies: Vec<String>,
    /// The cookies after the exchange: those of the request, and what the answers on the way set or deleted.
    pub cookies: Vec<Cookie>,
    /// The bytes, with the content codings undone.
    pub body: Vec<u8>,
    /// Why the content codings could not be undone, in plain words; then there is no body.
    pub undecoded: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpError {
    /// The address is not allowed (nothing was sent).
    Refused {
        /// Plain words.
        message: String,
    },
    /// Not an http(s) address.
    BadUrl {
        /// Plain words.
        message: String,
    },
    /// Name not found, connection refused, TLS: nothing reached the other side.
    Connect {
        /// Plain words.
        message: String,
    },
    /// Cut off after the request may have reached the other side.
    Cut {
        /// Plain words.
        message: String,
    },
    /// No answer in time.
    Timeout {
        /// Whether a connection had been made.
        sent: bool,
    },
    /// The credential may not go there (nothing was sent there).
    CredentialRefused {
        /// Plain words.
        message: String,
    },
    /// The address redirects to a place that this request does not go to (nothing was sent there).
    RedirectRefused {
        /// Status of the redirect.
        status: u16,
        /// Where it leads.
        location: String,
        /// Plain words.
        message: String,
    },
    /// The body is larger than `max_body`.
    TooLarge {
        /// The limit, bytes.
        limit: usize,
        /// Status of the answer.
        status: u16,
    },
}

/// Why a body ended before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamError {
    /// The exchange failed.
    Exchange(HttpError),
    /// The content codings cannot be undone, in plain words.
    Undecoded(String),
}

/// A body, of which one piece is there at a time.
#[async_trait]
pub trait BodyStream: Send {
    /// The next bytes, with the content codings undone; `None` at the end of a body that came whole.
    async fn next(&mut self) -> Option<Result<Vec<u8>, StreamError>>;
}

/// An answer whose body is read while it arrives.
pub struct StreamedAnswer {
    /// Without its body where that is in `body`.
    pub answer: HttpResponse,
    /// The body of an answer that says success (2xx); any other answer is whole.
    pub body: Option<Box<dyn BodyStream>>,
}

/// A body that is there already.
struct Whole(Option<Vec<u8>>);

#[async_trait]
impl BodyStream for Whole {
    async fn next(&mut self) -> Option<Result<Vec<u8>, StreamError>> {
        self.0.take().map(Ok)
    }
}

/// Whether a status says that the body is what was asked for.
pub fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// A body that is read while it is sent.
pub struct StreamedBody {
    /// Gives it, in pieces. An error ends the request.
    pub pieces: Box<dyn PieceStream>,
    /// Bytes of all of it.
    pub size: u64,
}

/// Takes the body of an answer while it arrives.
pub trait BodySink: Send {
    /// Whether this answer goes here: an event stream does.
    fn wants(&mut self, status: u16, content_type: Option<&str>) -> bool {
        is_event_stream(status, content_type)
    }
    /// The next bytes; `Break` ends the exchange without an error.
    fn chunk(&mut self, bytes: &[u8]) -> ControlFlow<()>;
}

/// Media type of an event stream.
pub const EVENT_STREAM: &str = "text/event-stream";

/// Whether an answer is an event stream that `send_streaming` gives to its sink.
pub fn is_event_stream(status: u16, content_type: Option<&str>) -> bool {
    let media = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    status < 300 && media.eq_ignore_ascii_case(EVENT_STREAM)
}

/// HTTP with the address rules of TRUST.
#[async_trait]
pub trait Http: Send + Sync {
    /// Sends one request; redirects are followed within the rules.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError>;

    /// The same; a body that the sink wants goes to it while it arrives, and the answer has none then. The time limit
    /// holds until the head of the answer, and then for each silence. `max_body` holds for other answers only.
    async fn send_streaming(&self, request: HttpRequest, sink: &mut dyn BodySink) -> Result<HttpResponse, HttpError> {
        let mut answer = self.send(request).await?;
        let content_type = answer.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| &**value);
        if sink.wants(answer.status, content_type) {
            let _ended = sink.chunk(&std::mem::take(&mut answer.body));
        }
        Ok(answer)
    }

    /// The same; the body of an answer that says success is read while it arrives, so that it is never held as a whole. The
    /// time limit and `max_body` hold for all of it.
    async fn open_body(&self, request: HttpRequest) -> Result<StreamedAnswer, HttpError> {
        let mut answer = self.send(request).await?;
        if !is_success(answer.status) || answer.undecoded.is_some() {
            return Ok(StreamedAnswer { answer, body: None });
        }
        let body = std::mem::take(&mut answer.body);
        Ok(StreamedAnswer { answer, body: Some(Box::new(Whole(Some(body)))) })
    }

    /// Sends a request whose body is read while it is sent, once: no redirect is followed. The time limit holds for each silence.
    async fn send_body(&self, request: HttpRequest, mut body: StreamedBody) -> Result<HttpResponse, HttpError> {
        let mut bytes = Vec::new();
        while let Some(piece) = body.pieces.next().await {
            bytes.extend(piece.map_err(|message| HttpError::Cut { message })?);
        }
        self.send(HttpRequest { body: Some(bytes), ..request }).await
    }
}
