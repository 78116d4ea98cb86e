//! `http.request`: one HTTP exchange. What its answers mean is in `http_answer`, its body in `http_body`, `extract` in
//! `extract`.

use crate::cancellation::unless_left;
use crate::connector::{pace, pages::Progress};
use crate::credential::{newer, renews};
use crate::http_answer::{self as answers, Body, ResponseType};
use crate::http_credential::credential;
use crate::http_items::{self, ListForm, Wanted};
use crate::http_lines::LineItems;
use crate::http_save::SaveTo;
use crate::listing::Listing;
use crate::support::{flag, made_text, setting, text, text_or, wrong_choice, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary, extract, formats, http_body, http_cookies, time_limit};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::connector::RateLimit;
use signalbox_model::{BinaryRef, Effects, Node, NodeFailure};
use signalbox_ports::{
    CallLog, HttpError, HttpRequest, HttpResponse, Redirects, StreamedAnswer, World, is_of_connection,
};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

pub(crate) const KIND: Kind = Kind::Effect(start);

const METHODS: [&str; 7] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const LONGEST_TIMEOUT_MS: u64 = 3_600_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(unless_left(log, world, run(call, slot, world, log)))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let (mut request, timeout_ms) = request(call, slot, world).await?;
    // After the commit of the step's start, and never part of the config: no event and no expression has the value.
    let credential = credential(slot, world, &request).await?;
    request.credential = credential;
    let head = request.method == "HEAD";
    let wanted = wanted_form(slot)?;
    let paths = extract::paths(slot)?;
    let exchange = Exchange {
        slot,
        world,
        timeout_ms,
        fail_on_status: flag(slot, "failOnStatus", true)?,
        rate_limit: http_items::rate_limit(slot)?,
    };
    if let Some(save) = SaveTo::of(slot, &request.method)? {
        return exchange.saved(call, request, &save, log).await;
    }
    if let Some(items) = Wanted::of(slot)? {
        if paths.is_some() {
            let words = "'extract' reads one answer, and 'items' makes items of it; remove one of them";
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "extract"));
        }
        return exchange.items(request, wanted, &items).await;
    }
    let mut answer = exchange.send(request, None).await?;
    let Form::Body(wanted) = wanted else {
        let response = wanted.list(&answer)?;
        return exchange.told(&answer, response, None, None);
    };
    if !head
        && paths.is_none()
        && let Some(output) = exchange.told_long(&answer, wanted)?
    {
        return Ok(output);
    }
    let body = if head && paths.is_none() {
        Body::Data(Value::Null)
    } else {
        answers::body(&answer, wanted, paths.is_some())?
    };
    let (response, bytes) = match body {
        Body::Data(value) => (value, None),
        Body::Bytes => {
            let media = answers::media_type(&answer);
            let kept = binary::keep(call, world, std::mem::take(&mut answer.body), &media, "The answer").await;
            // What it answered to has happened, and must not be sent again automatically.
            let kept = kept.map_err(NodeFailure::maybe_happened)?;
            (kept.description(), Some(kept))
        }
    };
    let extracted = paths.map(|paths| extract::extract(&response, paths)).transpose()?;
    exchange.told(&answer, response, bytes, extracted)
}

/// How the answers of a step are read.
#[derive(Clone, Copy)]
enum Form {
    Body(ResponseType),
    List(ListForm),
}

impl Form {
    /// The answer as data.
    fn list(self, answer: &HttpResponse) -> Result<Value, NodeFailure> {
        match self {
            Self::List(form) => http_items::read(answer, form),
            Self::Body(wanted) => match answers::body(answer, wanted, false)? {
                Body::Data(value) => Ok(value),
                Body::Bytes => {
                    let words = "The answer is bytes, and 'items' needs a list. Look at its header Content-Type";
                    Err(NodeFailure::validation("NON_JSON", words).detail("status", answer.status))
                }
            },
        }
    }
}

/// The sending of a step's requests.
struct Exchange<'a> {
    slot: &'a CallSlot,
    world: &'a World,
    timeout_ms: u64,
    fail_on_status: bool,
    rate_limit: Option<RateLimit>,
}

impl Exchange<'_> {
    /// Waits for the rate limit of the host.
    async fn pace(&self, request: &HttpRequest) {
        if let Some(limit) = self.rate_limit {
            let host = Url::parse(&request.url).ok().and_then(|url| url.host_str().map(str::to_owned));
            // Not that of a connector with the same host: its limit is its own.
            pace::wait(&format!("host {}", host.unwrap_or_default()), limit, self.world).await;
        }
    }

    /// The answer as a file; one without a success status is read as usual.
    async fn saved(&self, call: &Call, mut request: HttpRequest, save: &SaveTo<'_>, log: &dyn CallLog) -> Outcome {
        self.pace(&request).await;
        request.max_body = save.most;
        let credential = request.credential.clone();
        let again = renews(credential.as_ref()).then(|| request.clone());
        let mut opened = self.world.http.open_body(request).await;
        let status = opened.as_ref().ok().map(|opened| opened.answer.status);
        if let (Some(again), Some(newer)) = (again, newer(credential.as_ref(), status, self.world).await?) {
            opened = self.world.http.open_body(HttpRequest { credential: Some(newer), ..again }).await;
        }
        let scrubber = self.world.secrets.scrubber();
        let StreamedAnswer { answer, body } =
            opened.map_err(|error| answers::exchange_failure(error, self.timeout_ms, &scrubber))?;
        let answer = self.checked(answer)?;
        let response = match body {
            Some(body) => save.write(call, self.world, log, (&answer, body), self.timeout_ms).await?,
            None => match answers::body(&answer, ResponseType::Auto, false)? {
                Body::Data(value) => value,
                Body::Bytes => Value::Null,
            },
        };
        self.told(&answer, response, None, None)
    }

    /// Sends a request with its credential, and with a newer one when that is refused.
    /// A body that `sink` wants goes there.
    async fn send(
        &self,
        request: HttpRequest,
        mut sink: Option<&mut LineItems<'_>>,
    ) -> Result<HttpResponse, NodeFailure> {
        self.pace(&request).await;
        let credential = request.credential.clone();
        let again = renews(credential.as_ref()).then(|| request.clone());
        let scrubber = self.world.secrets.scrubber();
        let mut answer = self.exchange(request, sink.as_deref_mut()).await;
        let status = answer.as_ref().ok().map(|answer| answer.status);
        if let (Some(again), Some(newer)) = (again, newer(credential.as_ref(), status, self.world).await?) {
            answer = self.exchange(HttpRequest { credential: Some(newer), ..again }, sink).await;
        }
        let answer = answer.map_err(|error| answers::exchange_failure(error, self.timeout_ms, &scrubber))?;
        self.checked(answer)
    }

    fn checked(&self, answer: HttpResponse) -> Result<HttpResponse, NodeFailure> {
        // Before anything is cut to a length: half a secret would not be found any more.
        let answer = answers::without_secrets(answer, &self.world.secrets.scrubber());
        if self.fail_on_status && answer.status >= 400 {
            return Err(answers::status_failure(&answer, self.world.clock.now_ms()));
        }
        match answers::undecoded(&answer) {
            Some(failure) => Err(failure),
            None => Ok(answer),
        }
    }

    async fn exchange(
        &self,
        request: HttpRequest,
        sink: Option<&mut LineItems<'_>>,
    ) -> Result<HttpResponse, HttpError> {
        match sink {
            Some(sink) => self.world.http.send_streaming(request, sink).await,
            None => self.world.http.send(request).await,
        }
    }

    /// The elements of a list as items, page by page.
    async fn items(&self, mut request: HttpRequest, form: Form, wanted: &Wanted) -> Outcome {
        let (mut list, mut progress) = (Listing::of(self.slot), Progress::default());
        let scrubber = self.world.secrets.scrubber();
        let more = loop {
            let template = request.clone();
            let (answer, body, elements, cut) = match form {
                Form::List(ListForm::Lines) if wanted.is_as_it_comes() => {
                    let mut lines = LineItems::new(&mut list, wanted.limit, &scrubber);
                    let answer = self.send(request, Some(&mut lines)).await?;
                    if lines.taken {
                        (answer, Value::Null, Vec::new(), lines.end()?)
                    } else {
                        let body = form.list(&answer)?;
                        let elements = wanted.elements(&body)?;
                        (answer, body, elements, false)
                    }
                }
                Form::List(_) | Form::Body(_) => {
                    let answer = self.send(request, None).await?;
                    if let Form::Body(kind) = form
                        && wanted.is_one_page()
                        && let Some(text) = answers::long_json(&answer, kind, "")?
                        && let Some(more) = wanted.push_elements(text, &mut list)?
                    {
                        break more;
                    }
                    let body = form.list(&answer)?;
                    let elements = wanted.elements(&body)?;
                    (answer, body, elements, false)
                }
            };
            let next = wanted.next(&mut progress, &template.url, &answer, &body, &elements)?;
            drop(body);
            let cut = list.push_page(elements, answer.body.len(), wanted.limit)? || cut;
            if list.len() >= wanted.limit {
                break cut || next.is_some();
            }
            request = match next {
                Some(url) => HttpRequest { url, cookies: answer.cookies, ..template },
                None => break false,
            };
        };
        let mut output = list.done();
        output.meta = Some(Arc::new(json!({ "pages": progress.pages.max(1), "more": more })));
        Ok(output)
    }

    /// A long answer that is JSON, as one item that is text; nothing for others.
    fn told_long(&self, answer: &HttpResponse, wanted: ResponseType) -> Result<Option<CallOutput>, NodeFailure> {
        let mut before = Value::Object(Self::head(answer)).to_string();
        before.pop();
        before.push_str(",\"response\":");
        Ok(answers::long_json(answer, wanted, &before)?.map(|mut text| {
            text.push('}');
            made_text(self.slot, text)
        }))
    }

    /// What is known of an answer in addition to its body.
    fn head(answer: &HttpResponse) -> Map<String, Value> {
        let mut data = Map::new();
        data.insert("status".into(), answer.status.into());
        let headers = answer.headers.iter().map(|(name, value)| (name.clone(), Value::String(value.clone())));
        data.insert("headers".into(), Value::Object(headers.collect()));
        if !answer.set_cookies.is_empty() {
            data.insert("setCookie".into(), answer.set_cookies.clone().into());
        }
        if !answer.cookies.is_empty() {
            data.insert("cookies".into(), answer.cookies.iter().map(http_cookies::to_json).collect());
        }
        data
    }

    /// An answer as one item.
    fn told(
        &self,
        answer: &HttpResponse,
        response: Value,
        bytes: Option<BinaryRef>,
        extracted: Option<Map<String, Value>>,
    ) -> Outcome {
        let mut data = Self::head(answer);
        data.insert("response".into(), response);
        if let Some(extracted) = extracted {
            data.insert("extracted".into(), Value::Object(extracted));
        }
        Ok(binary::made_with(self.slot, Value::Object(data), "response", bytes))
    }
}

fn wanted_form(slot: &CallSlot) -> Result<Form, NodeFailure> {
    match text_or(slot, "responseType", "auto")? {
        "csv" => Ok(Form::List(ListForm::Csv)),
        "lines" => Ok(Form::List(ListForm::Lines)),
        "events" => Ok(Form::List(ListForm::Events)),
        _ => response_type(slot).map(Form::Body),
    }
}

fn response_type(slot: &CallSlot) -> Result<ResponseType, NodeFailure> {
    match text_or(slot, "responseType", "auto")? {
        "auto" => Ok(ResponseType::Auto),
        "json" => Ok(ResponseType::Json),
        "text" => Ok(ResponseType::Text),
        "binary" => Ok(ResponseType::Binary),
        _ => Err(wrong_choice(
            "responseType",
            "auto, json, text, binary, csv, lines or events",
            &slot.config["responseType"],
        )),
    }
}

fn redirects(slot: &CallSlot) -> Result<Redirects, NodeFailure> {
    match text_or(slot, "redirects", "follow")? {
        "follow" => Ok(Redirects::Follow),
        "same-host" => Ok(Redirects::SameHost),
        "no" => Ok(Redirects::No),
        _ => Err(wrong_choice("redirects", "follow, same-host or no", &slot.config["redirects"])),
    }
}

/// The request and its time limit.
async fn request(call: &Call, slot: &CallSlot, world: &World) -> Result<(HttpRequest, u64), NodeFailure> {
    let method = text_or(slot, "method", "GET")?;
    if !METHODS.contains(&method) {
        let words = format!("'{method}' is not a method; use one of {}", METHODS.join(", "));
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "method"));
    }
    let timeout_ms = match setting(slot, "timeoutMs") {
        None => time_limit::of_saved(slot),
        Some(value) => value
            .as_u64()
            .filter(|ms| (1..=LONGEST_TIMEOUT_MS).contains(ms))
            .ok_or_else(|| wrong_setting("timeoutMs", "a whole number of milliseconds from 1 to 3600000", value))?,
    };
    let mut headers = headers(slot)?;
    let body = http_body::body(call, slot, world, method, &mut headers).await?;
    let has = |wanted: &str, headers: &[(String, String)]| headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(wanted));
    let own_key = has("idempotency-key", &headers);
    // By the step's own key the engine sends a call again without asking, so it must be the one that the service gets.
    if own_key && call.workflow.nodes.get(&*call.node_id).is_some_and(Node::sends_key) {
        let words =
            "The step's idempotency key is sent as the header 'Idempotency-Key', which 'headers' sets, too; remove one";
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "headers.Idempotency-Key"));
    }
    // A file that is written by what only reads is no effect at the service.
    let changes = !["GET", "HEAD", "OPTIONS"].contains(&method);
    if changes && call.effects == Effects::Write && !call.idempotency_key.is_empty() && !own_key {
        headers.push(("Idempotency-Key".into(), call.idempotency_key.clone()));
    }
    let request = HttpRequest {
        method: method.to_owned(),
        url: url(slot)?,
        headers,
        body,
        timeout: Duration::from_millis(timeout_ms),
        loopback_allowed: call.loopback_allowed,
        redirects: redirects(slot)?,
        trust_redirects: flag(slot, "trustRedirects", false)?,
        cookies: http_cookies::from_setting(slot)?,
        max_body: formats::MAX_BYTES,
        credential: None,
    };
    Ok((request, timeout_ms))
}

fn url(slot: &CallSlot) -> Result<String, NodeFailure> {
    let given = text(slot, "url")?;
    let mut url = Url::parse(given.trim()).map_err(|error| {
        let words = match error {
            url::ParseError::RelativeUrlWithoutBase => {
                format!("'{}' is not an address; it begins with https:// or http://", short(given))
            }
            other => format!("'{}' is not an address: {other}", short(given)),
        };
        NodeFailure::validation("INPUT_INVALID", words).detail("field", "url")
    })?;
    let Some(query) = setting(slot, "query") else { return Ok(url.into()) };
    let query = query.as_object().ok_or_else(|| wrong_setting("query", "an object of name and value", query))?;
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for (name, value) in query {
        match value {
            Value::Array(list) => {
                for element in list {
                    pairs.extend(scalar(&format!("query.{name}"), element)?.map(|text| (name.as_str(), text)));
                }
            }
            other => pairs.extend(scalar(&format!("query.{name}"), other)?.map(|text| (name.as_str(), text))),
        }
    }
    if !pairs.is_empty() {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    Ok(url.into())
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Text of a simple value; `None` for null, which leaves the name out.
fn scalar(field: &str, value: &Value) -> Result<Option<String>, NodeFailure> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Bool(_) | Value::Number(_) => Ok(Some(value.to_string())),
        Value::Array(_) | Value::Object(_) => Err(wrong_setting(field, "text, a number or true/false", value)),
    }
}

fn headers(slot: &CallSlot) -> Result<Vec<(String, String)>, NodeFailure> {
    let Some(given) = setting(slot, "headers") else { return Ok(Vec::new()) };
    let given = given.as_object().ok_or_else(|| wrong_setting("headers", "an object of name and value", given))?;
    let mut headers = Vec::with_capacity(given.len());
    for (name, value) in given {
        let field = format!("headers.{name}");
        let invalid = |why: &str| {
            NodeFailure::validation("INPUT_INVALID", format!("The header '{}' {why}", short(name)))
                .detail("field", field.clone())
        };
        if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
            return Err(invalid("has a character that header names may not have"));
        }
        if is_of_connection(name) {
            return Err(invalid("is made by the program and cannot be set"));
        }
        let Some(value) = scalar(&field, value)? else { continue };
        if http::HeaderValue::from_str(&value).is_err() {
            return Err(invalid("has a line break or another character that header values may not have"));
        }
        headers.push((name.clone(), value));
    }
    Ok(headers)
}
