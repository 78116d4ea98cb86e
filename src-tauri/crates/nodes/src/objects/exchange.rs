//! One request to a store, and what a refusal of it means.

use super::settings::{Store, System};
use crate::credential::{newer, renews};
use crate::formats;
use crate::http_answer as answers;
use crate::http_credential::credential;
use crate::http_header::header;
use serde_json::Value;
use signalbox_documents::xml;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::{HttpError, HttpRequest, HttpResponse, Redirects, StreamedAnswer, StreamedBody, World};
use std::time::Duration;
use url::Url;

/// The version of Azure's protocol that is spoken.
const AZURE_VERSION: &str = "2021-12-02";

/// What a list of objects is called in the words of a failure.
pub(super) const LIST: &str = "The list";

/// Who asks which store.
pub(crate) struct Exchange<'a> {
    pub(crate) store: Store,
    pub(crate) call: &'a Call,
    pub(crate) slot: &'a CallSlot,
    pub(crate) world: &'a World,
}

/// What is sent.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Vec<u8>>,
}

impl Request {
    pub(crate) fn new(method: &'static str, url: Url) -> Self {
        Self { method, url, headers: Vec::new(), body: None }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}

impl Exchange<'_> {
    /// A request as it is sent, with its credential.
    async fn ready(&self, request: Request, max_body: usize) -> Result<HttpRequest, NodeFailure> {
        let Request { method, url, mut headers, body } = request;
        if self.store.system == System::Azure {
            headers.push(("x-ms-version".to_owned(), AZURE_VERSION.to_owned()));
        }
        let mut request = HttpRequest {
            method: method.to_owned(),
            url: url.into(),
            headers,
            body,
            timeout: Duration::from_millis(self.store.timeout_ms),
            loopback_allowed: self.call.loopback_allowed,
            redirects: Redirects::No,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body,
            credential: None,
        };
        request.credential = credential(self.slot, self.world, &request).await?;
        Ok(request)
    }

    fn failed(&self, error: HttpError) -> NodeFailure {
        answers::exchange_failure(error, self.store.timeout_ms, &self.world.secrets.scrubber())
    }

    /// Sends a request; the answer has any status.
    pub(crate) async fn send(&self, request: Request) -> Result<HttpResponse, NodeFailure> {
        let request = self.ready(request, formats::MAX_BYTES).await?;
        let found = request.credential.clone();
        let again = renews(found.as_ref()).then(|| request.clone());
        let mut answer = self.world.http.send(request).await;
        let status = answer.as_ref().ok().map(|answer| answer.status);
        if let (Some(again), Some(newer)) = (again, newer(found.as_ref(), status, self.world).await?) {
            answer = self.world.http.send(HttpRequest { credential: Some(newer), ..again }).await;
        }
        answer.map_err(|error| self.failed(error))
    }

    /// Sends a request; the body of a success is read while it comes, whatever its size.
    pub(crate) async fn open_body(&self, request: Request) -> Result<StreamedAnswer, NodeFailure> {
        let request = self.ready(request, usize::MAX).await?;
        let found = request.credential.clone();
        let again = renews(found.as_ref()).then(|| request.clone());
        let mut opened = self.world.http.open_body(request).await;
        let status = opened.as_ref().ok().map(|opened| opened.answer.status);
        if let (Some(again), Some(newer)) = (again, newer(found.as_ref(), status, self.world).await?) {
            opened = self.world.http.open_body(HttpRequest { credential: Some(newer), ..again }).await;
        }
        opened.map_err(|error| self.failed(error))
    }

    /// Sends a request whose body is read while it is sent.
    pub(crate) async fn send_body(&self, request: Request, body: StreamedBody) -> Result<HttpResponse, NodeFailure> {
        let request = self.ready(request, formats::MAX_BYTES).await?;
        self.world.http.send_body(request, body).await.map_err(|error| self.failed(error))
    }

    /// Sends a request that has to succeed; `what` names the object or the list.
    pub(crate) async fn send_checked(&self, request: Request, what: &str) -> Result<HttpResponse, NodeFailure> {
        let answer = self.send(request).await?;
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(self.refusal(answer, what)) }
    }

    /// What an answer that is no success means.
    pub(crate) fn refusal(&self, answer: HttpResponse, what: &str) -> NodeFailure {
        let answer = answers::without_secrets(answer, &self.world.secrets.scrubber());
        let status = answer.status;
        let (code, said) = said(&answer);
        let told = said.map(|said| format!(": {said}")).unwrap_or_default();
        // The same in the middle of a sentence.
        let inside = what.strip_prefix("The ").map_or_else(|| what.to_owned(), |rest| format!("the {rest}"));
        let failure = match (status, code.as_deref()) {
            (300..=399, _) => {
                let region = header(&answer, "x-amz-bucket-region");
                let where_to = region.map(|region| format!(" (its region is {region})")).unwrap_or_default();
                let words = format!("The store answers {inside} at another address{where_to}. Use that in 'address'");
                NodeFailure::tool("REDIRECT_REFUSED", words).detail("status", status)
            }
            (404 | 410, found) if what == LIST || matches!(found, Some("NoSuchBucket" | "ContainerNotFound")) => {
                NodeFailure::tool("NOT_FOUND", self.store.missing(&told)).detail("status", status)
            }
            (404 | 410, _) => {
                NodeFailure::tool("NOT_FOUND", format!("{what} is not there{told}")).detail("status", status)
            }
            (409, Some("ConditionalRequestConflict" | "OperationAborted")) => {
                let words = format!("Somebody else writes {inside} at the same time{told}");
                NodeFailure::tool("CONFLICT", words).retryable().detail("status", status)
            }
            (409 | 412, _) => {
                let words = format!("{what} is not as the condition wants it: it exists, or has changed{told}");
                NodeFailure::tool("PRECONDITION_FAILED", words).detail("status", status)
            }
            // The line was too slow for the store.
            (400, Some("RequestTimeout")) => {
                let words = format!("The store did not get {inside} in time{told}");
                NodeFailure::new(ErrorType::Timeout, "TIMEOUT", words).retryable().detail("status", status)
            }
            (507, _) => NodeFailure::tool("STORE_FULL", format!("The store has no room for {inside}{told}"))
                .detail("status", status)
                .suggest(SuggestedAction::HumanReview),
            _ => {
                let failure = answers::status_failure(&answer, self.world.clock.now_ms());
                let message = format!("{} for {inside}{told}", failure.message);
                NodeFailure { message, ..failure }
            }
        };
        match code {
            Some(code) => failure.detail("serviceCode", code),
            None => failure,
        }
    }

    /// The JSON of an answer.
    pub(super) fn json(&self, answer: HttpResponse) -> Result<Value, NodeFailure> {
        let answer = answers::without_secrets(answer, &self.world.secrets.scrubber());
        as_json(&answer).ok_or_else(|| Self::bad_answer(&answer))
    }

    fn bad_answer(answer: &HttpResponse) -> NodeFailure {
        let words = "The store does not answer as its kind does. Look at 'system' and 'address'";
        NodeFailure::validation("BAD_ANSWER", words).detail("status", answer.status)
    }

    /// The XML of an answer; elements of these names are lists.
    pub(crate) fn xml(&self, answer: HttpResponse, lists: &[&str]) -> Result<Value, NodeFailure> {
        let answer = answers::without_secrets(answer, &self.world.secrets.scrubber());
        parse(&answer.body, lists).ok_or_else(|| Self::bad_answer(&answer))
    }
}

fn as_json(answer: &HttpResponse) -> Option<Value> {
    serde_json::from_slice(&answer.body).ok().filter(Value::is_object)
}

fn parse(body: &[u8], lists: &[&str]) -> Option<Value> {
    let text = std::str::from_utf8(body).ok()?;
    let lists = lists.iter().map(|name| (*name).to_owned()).collect();
    xml::parse(formats::without_bom(text), &xml::ReadOptions { strip_namespaces: true, lists }).ok()
}

/// Code and words of a refusal, as stores say them in XML, and Google in JSON.
fn said(answer: &HttpResponse) -> (Option<String>, Option<String>) {
    let parsed = as_json(answer).or_else(|| parse(&answer.body, &[])).unwrap_or_default();
    let error = ["Error", "error"].into_iter().find_map(|name| parsed.get(name)).unwrap_or(&Value::Null);
    let part = |names: [&str; 2]| {
        let found = names.into_iter().find_map(|name| error.get(name)?.as_str());
        found.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect::<String>())
    };
    let reason = error.pointer("/errors/0/reason").and_then(Value::as_str).map(str::to_owned);
    let code = part(["Code", "exception"]).or(reason).or_else(|| header(answer, "x-ms-error-code").map(str::to_owned));
    (code, part(["Message", "message"]))
}

/// What an error in the body of a success is: some stores begin to answer before they know.
pub(crate) fn error_in_success(answer: &HttpResponse) -> Option<String> {
    let parsed = parse(&answer.body, &[])?;
    let error = parsed.get("Error")?;
    let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(format!("{} {}", part("Code"), part("Message")))
}
