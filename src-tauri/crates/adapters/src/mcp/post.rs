//! One message to a server at an address, and what it answers. The library's own client reads an answer that comes as JSON at once into values,
//! after which nobody knows how its numbers were written (ADR 84) or that a member occurred twice (ADR 216); here the text is looked at first.

use super::depth;
use bytes::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;

pub(super) type Refusal = StreamableHttpError<reqwest::Error>;
pub(super) type Headers = HashMap<HeaderName, HeaderValue>;
pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Bytes that are read of the body of a refusal.
const REFUSAL: usize = 64 * 1024;

/// A message on its way.
pub(super) struct Post {
    pub(super) message: ClientJsonRpcMessage,
    pub(super) session: Option<String>,
    pub(super) token: Option<String>,
    pub(super) headers: Headers,
    /// Bytes of an answer, or of one event.
    pub(super) limit: usize,
}

impl Post {
    /// Sends it, and reads the answer as far as it is no stream of events.
    pub(super) async fn send(self, client: &reqwest::Client, uri: &str) -> Result<StreamableHttpPostResponse, Refusal> {
        let request = self.with_headers(client.post(uri))?;
        let body = serde_json::to_vec(&self.message)?;
        let response = request.header(CONTENT_TYPE, JSON_MIME_TYPE).body(body).send().await?;
        if let Some(refusal) = of_sign_in(&response) {
            return Err(refusal);
        }
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::NOT_FOUND if self.session.is_some() => Err(StreamableHttpError::SessionExpired),
            status if status.is_success() => self.answer(response).await,
            _ => self.refusal(response).await,
        }
    }

    fn with_headers(&self, request: RequestBuilder) -> Result<RequestBuilder, Refusal> {
        let mut request = request.header(ACCEPT, format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}"));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        let headers: HeaderMap = self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        if let Some(name) = headers.keys().find(|name| is_ours(name)) {
            return Err(StreamableHttpError::ReservedHeaderConflict(name.to_string()));
        }
        request = request.headers(headers);
        if let Some(session) = &self.session {
            request = request.header(HEADER_SESSION_ID, session);
        }
        Ok(request)
    }

    /// The request that an answer is for; the rest awaits none.
    fn asked(&self) -> Option<&RequestId> {
        match &self.message {
            ClientJsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        }
    }

    async fn answer(&self, response: Response) -> Result<StreamableHttpPostResponse, Refusal> {
        if self.asked().is_none() && response.content_length() == Some(0) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = text_of(response.headers(), HEADER_SESSION_ID);
        if is_of(&response, EVENT_STREAM_MIME_TYPE) {
            let events = events(response.bytes_stream(), self.limit, self.asked().cloned());
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        if !is_of(&response, JSON_MIME_TYPE) {
            return Err(StreamableHttpError::UnexpectedContentType(text_of(response.headers(), CONTENT_TYPE.as_str())));
        }
        let text = text_within(response, self.limit).await?;
        let read = depth::instead(&text).unwrap_or(text);
        match serde_json::from_str::<ServerJsonRpcMessage>(read.trim_start_matches('\u{feff}')) {
            Ok(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            Err(_) if self.asked().is_none() => Ok(StreamableHttpPostResponse::Accepted),
            Err(error) => Err(StreamableHttpError::Deserialize(error)),
        }
    }

    /// A status that is no success; its body may say why in the words of the protocol.
    async fn refusal(&self, response: Response) -> Result<StreamableHttpPostResponse, Refusal> {
        let status = response.status();
        let is_json = is_of(&response, JSON_MIME_TYPE);
        let session = text_of(response.headers(), HEADER_SESSION_ID);
        let busy = (status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error())
            .then(|| HttpStatusError::new(status.as_u16(), text_of(response.headers(), RETRY_AFTER.as_str())));
        let busy = match busy {
            Some(busy) if !is_json || status == StatusCode::TOO_MANY_REQUESTS => return Err(busy.into()),
            busy => busy,
        };
        let body = text_within(response, REFUSAL).await.unwrap_or_default();
        let told = match serde_json::from_str(&body) {
            Ok(ServerJsonRpcMessage::Error(told)) => Some(told),
            _ => None,
        };
        let is_sign_in = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        // A server that is older than this question refuses it in its own way, and is then asked as before.
        if let ClientJsonRpcMessage::Request(request) = &self.message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && self.session.is_none()
            && status.is_client_error()
            && !is_sign_in
        {
            let error =
                told.map_or_else(|| ErrorData::invalid_request(format!("HTTP {status}"), None), |told| told.error);
            let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        match (told.filter(|_| is_json && !is_sign_in), busy) {
            (Some(told), _) => Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(told), session)),
            (None, Some(busy)) => Err(busy.into()),
            (None, None) => Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status}: {body}").into())),
        }
    }
}

/// Headers that the protocol sets, and nobody else.
fn is_ours(name: &HeaderName) -> bool {
    let ours = [ACCEPT.as_str(), HEADER_SESSION_ID, HEADER_LAST_EVENT_ID];
    ours.iter().any(|own| name.as_str().eq_ignore_ascii_case(own))
}

/// A 401, or a 403, that says what sign-in it wants.
fn of_sign_in(response: &Response) -> Option<Refusal> {
    let wanted = response.headers().get(WWW_AUTHENTICATE)?;
    let wanted = || String::from_utf8_lossy(wanted.as_bytes()).into_owned();
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(wanted()))),
        StatusCode::FORBIDDEN => {
            Some(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(wanted(), None)))
        }
        _ => None,
    }
}

fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn is_of(response: &Response, kind: &str) -> bool {
    let given = response.headers().get(CONTENT_TYPE);
    given.is_some_and(|given| {
        given.as_bytes().get(..kind.len()).is_some_and(|head| head.eq_ignore_ascii_case(kind.as_bytes()))
    })
}

async fn text_within(response: Response, limit: usize) -> Result<String, Refusal> {
    let too_large = || StreamableHttpError::ResponseBodyTooLarge { max_size: limit };
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let (mut chunks, mut body) = (response.bytes_stream(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if chunk.len() > limit - body.len() {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    String::from_utf8(body).map_err(|_| StreamableHttpError::UnexpectedServerResponse("it is not UTF-8".into()))
}

/// The events of a response. An event larger than `limit` ends the stream with an error response to the request.
fn events(
    chunks: impl Stream<Item = Result<Bytes, reqwest::Error>> + Send + 'static,
    limit: usize,
    asked: Option<RequestId>,
) -> Events {
    let mut size = EventSize::default();
    let within = chunks.scan(false, move |ended, chunk| {
        let read = match chunk {
            _ if *ended => None,
            Ok(chunk) if size.take(&chunk) > limit => {
                *ended = true;
                // The rest of the large event is not read; a separate error event follows it.
                asked.as_ref().map(|asked| Ok(Bytes::from(depth::too_large_event(asked, limit))))
            }
            other => Some(other),
        };
        std::future::ready(read)
    });
    SseStream::from_bytes_stream(within).boxed()
}

/// How large the event is that comes byte by byte: an empty line ends it, and a line ends with LF, CR or both.
#[derive(Debug, Default)]
struct EventSize {
    bytes: usize,
    in_line: bool,
    after_cr: bool,
}

impl EventSize {
    /// The largest size that the event, or one that ends here, has with these bytes.
    fn take(&mut self, chunk: &[u8]) -> usize {
        let mut largest = self.bytes;
        for byte in chunk {
            let is_rest_of_end = *byte == b'\n' && std::mem::take(&mut self.after_cr);
            if is_rest_of_end {
                continue;
            }
            self.after_cr = *byte == b'\r';
            self.bytes += 1;
            if !matches!(byte, b'\r' | b'\n') {
                self.in_line = true;
            } else if !std::mem::take(&mut self.in_line) {
                self.bytes = 0;
            }
            largest = largest.max(self.bytes);
        }
        largest
    }
}

#[cfg(test)]
mod tests;
