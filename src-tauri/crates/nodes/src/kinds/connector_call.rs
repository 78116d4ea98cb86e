//! `connector.call`: one operation of a connector, with all pages of a list up to a limit. The request is made as
//! `http.request` makes it: the same addresses, credentials and limits.

use crate::cancellation::unless_left;
use crate::connector::request::{self, Plan};
use crate::connector::{address, errors, pace, pages, token};
use crate::credential::{newer, renews};
use crate::http_answer::{self as answers, Body, ResponseType};
use crate::http_credential::credential;
use crate::listing::{Listing, MOST_ITEMS};
use crate::support::{setting, text, whole};
use crate::{EffectFuture, Kind, Outcome, binary};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_model::connector::Response;
use signalbox_ports::{CallLog, Credential, HttpRequest, HttpResponse, World};
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

const DEFAULT_TIMEOUT_MS: u64 = 30_000;
const LONGEST_TIMEOUT_MS: u64 = 3_600_000;
const DEFAULT_LIMIT: u64 = 1_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(unless_left(log, world, run(call, slot, world)))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let name = text(slot, "operation")?;
    let unknown =
        |field: &str, message: String| NodeFailure::validation("INPUT_INVALID", message).detail("field", field);
    let connector = call.connector.as_deref().ok_or_else(|| {
        let given = setting(slot, "connector").and_then(Value::as_str).unwrap_or_default();
        unknown("connector", format!("The connector '{given}' is not kept with the run"))
    })?;
    let operation = connector
        .operations
        .get(name)
        .ok_or_else(|| unknown("operation", format!("{} has no operation '{name}'", connector.title)))?;
    let timeout_ms = whole(slot, "timeoutMs", 1, LONGEST_TIMEOUT_MS)?.unwrap_or(DEFAULT_TIMEOUT_MS);
    let limit = whole(slot, "limit", 1, MOST_ITEMS)?.unwrap_or(DEFAULT_LIMIT);
    let server = address::server(slot, connector)?;
    let mut params = request::params(slot, connector, operation)?;
    let plan = Plan { connector, operation, server, timeout_ms };
    let mut extra = Vec::new();
    pages::begin(operation, &mut params, &mut extra, limit);
    let mut request = request::request(&plan, &params, &extra, call, slot, world).await?;
    let exchange = Exchange { plan: &plan, call, slot, world };
    let items = operation.response.as_ref().and_then(|response| response.items.as_deref());
    let Some(items) = items else {
        let (answer, body) = exchange.send(request).await?;
        return exchange.single(answer, body, operation.response.as_ref()).await;
    };
    let further = pages::further(operation);
    let further = further.as_ref().map(|operation| Plan { operation, server: plan.server.clone(), ..plan });
    let (mut list, mut progress) = (Listing::of(slot), pages::Progress::default());
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = loop {
        let from = request.url.clone();
        let headers = request.headers.clone();
        let (answer, body) = exchange.send(request).await?;
        let Body::Data(body) = body else { return Err(no_list(items, "bytes", &answer)) };
        let elements = elements(&body, items, &answer)?;
        let next = match &operation.pagination {
            Some(pagination) => {
                progress.next(pagination, &with_sent(&params, &extra), &answer, &body, &elements, &from)?
            }
            None => None,
        };
        let elements = parts(elements, operation.response.as_ref());
        let cut = list.push_page(elements, answer.body.len(), most)?;
        if list.len() >= most {
            break cut || next.is_some();
        }
        request = match (next, &further) {
            (None, _) => break false,
            (Some(pages::Next::Address(to)), _) => HttpRequest { url: to, ..exchange.blank(headers) },
            (Some(pages::Next::Parameter(name, value)), Some(further)) => {
                let only = Map::from_iter([(name, value)]);
                request::request(further, &only, &[], call, slot, world).await?
            }
            (Some(pages::Next::Parameter(name, value)), None) => {
                pages::set(operation, &mut params, &mut extra, &name, value);
                request::request(&plan, &params, &extra, call, slot, world).await?
            }
        };
    };
    let mut output = list.done();
    output.meta = Some(Arc::new(json!({ "pages": progress.pages.max(1), "more": more })));
    Ok(output)
}

/// Parameters with those that only paging sends.
fn with_sent(params: &Map<String, Value>, extra: &[(String, String)]) -> Map<String, Value> {
    let mut all = params.clone();
    for (name, text) in extra {
        all.insert(name.clone(), text.parse::<u64>().map_or_else(|_| text.clone().into(), Value::from));
    }
    all
}

fn elements(body: &Value, pointer: &str, answer: &HttpResponse) -> Result<Vec<Value>, NodeFailure> {
    match body.pointer(pointer) {
        Some(Value::Array(list)) => Ok(list.clone()),
        // Nothing was found: some services leave the list out.
        None | Some(Value::Null) if body.is_object() || body.is_null() => Ok(Vec::new()),
        other => Err(no_list(pointer, crate::support::kind_of(other.unwrap_or(&Value::Null)), answer)),
    }
}

/// What is passed on of the elements of a list.
fn parts(elements: Vec<Value>, response: Option<&Response>) -> Vec<Value> {
    let Some(pointer) = response.and_then(|response| response.element.as_deref()) else { return elements };
    let part = |element: Value| element.pointer(pointer).cloned().unwrap_or(Value::Null);
    elements.into_iter().map(part).collect()
}

fn no_list(pointer: &str, got: &str, answer: &HttpResponse) -> NodeFailure {
    let place = if pointer.is_empty() { "The response".to_owned() } else { format!("'{pointer}' of the response") };
    NodeFailure::validation(
        "NON_JSON",
        format!("{place} should be a list, and is {got}. Correct 'items' in the connector file"),
    )
    .detail("status", answer.status)
}

/// The sending of one request.
struct Exchange<'a> {
    plan: &'a Plan<'a>,
    call: &'a Call,
    slot: &'a CallSlot,
    world: &'a World,
}

impl Exchange<'_> {
    /// A request to an address that a service gave; it has its own query.
    fn blank(&self, headers: Vec<(String, String)>) -> HttpRequest {
        HttpRequest {
            method: self.plan.operation.method.clone(),
            url: String::new(),
            headers,
            body: None,
            timeout: std::time::Duration::from_millis(self.plan.timeout_ms),
            loopback_allowed: self.call.loopback_allowed,
            redirects: signalbox_ports::Redirects::Follow,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body: crate::formats::MAX_BYTES,
            credential: None,
        }
    }

    /// Sends a request; an error of the service is a failure.
    async fn send(&self, mut request: HttpRequest) -> Result<(HttpResponse, Body), NodeFailure> {
        let Plan { connector, operation, server, timeout_ms } = self.plan;
        if let Some(limit) = connector.rate_limit {
            pace::wait(server, limit, self.world).await;
        }
        let found = credential(self.slot, self.world, &request).await?;
        let again = renews(found.as_ref()).then(|| request.clone());
        let mut sent = self.placed(found.clone(), &request).await?;
        request.credential.clone_from(&sent);
        let scrubber = self.world.secrets.scrubber();
        let mut answer = self.world.http.send(request).await;
        let status = answer.as_ref().ok().map(|answer| answer.status);
        if let (Some(mut again), Some(newer)) = (again, newer(found.as_ref(), status, self.world).await?) {
            sent = self.placed(Some(newer), &again).await?;
            again.credential.clone_from(&sent);
            answer = self.world.http.send(again).await;
        }
        let answer = answer.map_err(|error| answers::exchange_failure(error, *timeout_ms, &scrubber))?;
        let answer = answers::without_secrets(answer, &scrubber);
        if answer.status == 401
            && let Some(credential) = &sent
        {
            token::forget(credential);
        }
        if let Some(failure) = answers::undecoded(&answer) {
            return Err(failure);
        }
        let body = answers::body(&answer, ResponseType::Auto, false);
        let data = match &body {
            Ok(Body::Data(value)) => value,
            Ok(Body::Bytes) | Err(_) => &Value::Null,
        };
        let now_ms = self.world.clock.now_ms();
        if let Some(failure) = errors::failure(connector, operation, (&answer, sent.is_some()), data, now_ms) {
            return Err(failure);
        }
        // The request was carried out, whatever came back.
        Ok((answer, body.map_err(NodeFailure::maybe_happened)?))
    }

    async fn placed(
        &self,
        found: Option<Arc<Credential>>,
        request: &HttpRequest,
    ) -> Result<Option<Arc<Credential>>, NodeFailure> {
        match found {
            None => Ok(None),
            Some(found) => token::placed(self.plan.connector, found, self.world, request).await.map(Some),
        }
    }

    /// What a response that is no list becomes.
    async fn single(&self, mut answer: HttpResponse, body: Body, response: Option<&Response>) -> Outcome {
        let status = answer.status;
        let (data, bytes) = match body {
            Body::Bytes => {
                let media = answers::media_type(&answer);
                let kept =
                    binary::keep(self.call, self.world, std::mem::take(&mut answer.body), &media, "The answer").await;
                let kept = kept.map_err(NodeFailure::maybe_happened)?;
                (json!({ "content": kept.description() }), Some(kept))
            }
            Body::Data(Value::Null) => (json!({ "status": status }), None),
            Body::Data(Value::String(text)) => (json!({ "text": text }), None),
            Body::Data(value) => match response.and_then(|response| response.data.as_deref()) {
                None => (value, None),
                Some(pointer) => (part(&value, pointer, &answer)?, None),
            },
        };
        let mut output = binary::made_with(self.slot, data, "content", bytes);
        output.meta = Some(Arc::new(json!({ "status": status })));
        Ok(output)
    }
}

fn part(body: &Value, pointer: &str, answer: &HttpResponse) -> Result<Value, NodeFailure> {
    body.pointer(pointer).cloned().ok_or_else(|| {
        let message = format!("The response has no '{pointer}'. Correct 'data' in the connector file");
        NodeFailure::validation("BAD_PATH", message).detail("status", answer.status).maybe_happened()
    })
}
