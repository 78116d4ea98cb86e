//! The bodies of the routes: thin, everything real is a command.

use super::command_route::{self, CommandRoute, Takes};
use super::routes::Action;
use super::scope::{self, RouteScope};
use super::types::{ActivationRequest, Health, Recorded, RunRequest};
use super::{Server, answer, openapi, shapes, sse};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use signalbox_app::dto::{CallerRole, Empty, Host, RunAnswer, RunId, RunStarted};
use signalbox_app::{ApiError, ApiResult, App, Asked, Caller, NewRun, StartKey, command_list, fitting, metrics};
use signalbox_model::{Map, RunOrigin, TraceContext, lossless, text::bytes_without_bom};
use std::sync::Arc;

pub(crate) fn health() -> Response {
    let health = Health { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    answer::json(StatusCode::OK, &value(&health))
}

/// The trace that a request belongs to. Headers that are no text are none of it.
fn trace(parts: &Parts) -> Option<TraceContext> {
    let headers = parts.headers.iter();
    TraceContext::of_headers(headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))))
}

pub(crate) async fn run(
    server: &Arc<Server>,
    (action, least): (Action, CallerRole),
    caller: &Caller,
    id: String,
    parts: &Parts,
    body: &[u8],
) -> ApiResult<Response> {
    let app = &server.app;
    let scope = scope::of(action, &id);
    let inside = match &scope {
        RouteScope::Path(asked) => Some(app.admitted(caller, least, asked.clone()).await?),
        RouteScope::Command | RouteScope::Body => None,
    };
    let caller = inside.as_ref().unwrap_or(caller);
    match shapes::of(action) {
        Some(shape) => {
            if shape.is_asked(parts).map_err(|query| wrong_shape(shape, &query))? {
                let text = app.dispatch_text(caller, shape.command, json!({ "runId": id })).await?;
                return Ok(answer::profiled(text, shape.profile));
            }
        }
        None if takes_query(action) => {}
        None => no_query(parts)?,
    }
    if parts.method == Method::POST && !matches!(action, Action::RunStart | Action::Rpc) {
        no_key(parts)?;
    }
    let last = parts.uri.path().rsplit('/').next().unwrap_or_default();
    if let Some(route) = command_route::of(action, last) {
        return dispatched(app, caller, route, &id, parts, body).await;
    }
    let ok = |value: Value| answer::json(StatusCode::OK, &value);
    match action {
        Action::Health => Ok(health()),
        Action::OpenApi => Ok(ok(openapi::document())),
        Action::RunStart => {
            let request: RunRequest = parse(body)?;
            let caller = &app.admitted(caller, least, Asked::Workflow(request.workflow.clone())).await?;
            let key = idempotency_key(parts)?.map(|key| StartKey::new(caller, &key)).transpose()?;
            let new = NewRun {
                params: request.params,
                origin: RunOrigin { trace: trace(parts), ..caller.origin(request.client_run_token) },
                breakpoints: request.breakpoints,
                paused: request.paused,
                until: request.until,
                checkpoint: request.checkpoint,
                overrides: request.overrides,
                key,
                ..NewRun::default()
            };
            if new.is_for_builders() {
                caller.require(CallerRole::Builder)?;
            }
            let started = app.start_stored(request.workflow, new).await?;
            Ok(ok(value(&RunStarted::from(started))))
        }
        Action::RunStatus => Ok(answer::text(app.summary_text_as(caller, id).await?, "application/json")),
        Action::RunEvents => sse::stream(&server.followers, caller, id, parts).await,
        Action::TaskChanges => sse::task_changes(app, parts),
        Action::RunBinary => {
            let sha256 = last.to_owned();
            let range = parts.headers.get(header::RANGE).and_then(|range| range.to_str().ok());
            Ok(answer::ranged(app.binary(caller, id, sha256).await?, range))
        }
        Action::RunFile => {
            let accept_changed = match query(parts, &[])?.as_object() {
                Some(asked) if asked.is_empty() => false,
                Some(asked) if asked.len() == 1 && asked.get("changed").is_some_and(|how| how == "accept") => true,
                _ => return Err(wrong_query(parts.uri.query().unwrap_or_default(), "it takes only changed=accept")),
            };
            let seq = last.parse().map_err(|_| {
                ApiError::bad_request(
                    format!("'{last}' is not the number of an event."),
                    "Send the seq of a file that GET /workflow/{id}/files lists.",
                )
            })?;
            Ok(answer::file(app.run_file(caller, id, seq, accept_changed).await?))
        }
        Action::RunAbort => {
            let _: Empty = parse_or_empty(body)?;
            app.dispatch(caller, "run_cancel", json!({ "runId": id })).await?;
            Ok(ok(value(&RunId { run_id: id })))
        }
        Action::WorkflowGet => {
            let open = app.stored(caller, id).await?;
            Ok(with_etag(ok(value(&open)), &open.revision))
        }
        Action::WorkflowProgram => {
            let choices =
                fitting(&query(parts, &[])?).map_err(|why| wrong_query(parts.uri.query().unwrap_or_default(), &why))?;
            Ok(answer::file(app.program(caller, id, choices).await?))
        }
        Action::WorkflowPut => {
            let stored = app.store_workflow(caller, id, parse(body)?, revision_of(parts)).await?;
            Ok(with_etag(ok(value(&stored)), &stored.revision))
        }
        Action::WorkflowDelete => Ok(ok(value(&app.delete_stored(caller, id, revision_of(parts)).await?))),
        Action::WorkflowActivate => {
            let ActivationRequest { version } = parse_or_empty(body)?;
            let request = json!({ "workflowId": id, "version": version });
            Ok(ok(app.dispatch(caller, "workflow_activate", request).await?))
        }
        Action::RunResume => {
            let mut request: Value = parse_or_empty(body)?;
            with_id(&mut request, "runId", &id)?;
            let request: RunAnswer = fitting(&request).map_err(|why| unfit(&why))?;
            let done = app.resume_with(caller, request).await?;
            Ok(ok(value(&done)))
        }
        Action::TaskGet => {
            let secret = caller.role >= CallerRole::Operator;
            Ok(ok(app.dispatch(caller, "task_get", json!({ "taskId": id, "secret": secret })).await?))
        }
        Action::AuditVerify => {
            let mut request = query(parts, &[])?;
            if let Some(full) = request.get_mut("full") {
                *full = match full.as_str() {
                    Some("true") => true.into(),
                    Some("false") => false.into(),
                    _ => {
                        return Err(wrong_query(
                            &format!("full={}", full.as_str().unwrap_or_default()),
                            "full must be true or false",
                        ));
                    }
                };
            }
            Ok(ok(app.dispatch(caller, "audit_verify", request).await?))
        }
        Action::AuditRecord => {
            let request: Value = parse(body)?;
            let done = app.dispatch(caller, "audit_record", request).await?;
            Ok(ok(value(&Recorded { status: done["status"].as_str().unwrap_or_default().to_owned() })))
        }
        Action::Metrics => Ok(answer::text(app.metrics().await?, metrics::MEDIA)),
        Action::Rpc => {
            let mut request: Value = if body.is_empty() { no_body(caller, &id)? } else { parse(body)? };
            if let Some(key) = idempotency_key(parts)? {
                with_key(&id, &mut request, &key)?;
            }
            Ok(answer::text(app.dispatch_text(caller, &id, request).await?, "application/json"))
        }
        // They are commands, and were dispatched above.
        Action::RunCheckpoint
        | Action::RunVariables
        | Action::RunFiles
        | Action::RunArtifacts
        | Action::RunDiff
        | Action::RunRerun
        | Action::RunSend
        | Action::FailureList
        | Action::FailureGet
        | Action::FailureMembers
        | Action::FailurePreview
        | Action::ReplayStart
        | Action::ReplayList
        | Action::ReplayGet
        | Action::ReplayAct
        | Action::RunDebug
        | Action::RunDebugAct
        | Action::WorkflowList
        | Action::WorkflowDeactivate
        | Action::TriggerList
        | Action::TriggerFire
        | Action::TaskList
        | Action::TaskStats
        | Action::TaskAct
        | Action::AuditList
        | Action::Catalog => Err(ApiError::not_found("There is no such route.")),
    }
}

/// A request as that of its command.
async fn dispatched(
    app: &Arc<App>,
    caller: &Caller,
    route: CommandRoute,
    id: &str,
    parts: &Parts,
    body: &[u8],
) -> ApiResult<Response> {
    let mut request: Value = match route.takes {
        Takes::Nothing => json!({}),
        Takes::Query(numbers) => query(parts, numbers)?,
        Takes::Body => parse(body)?,
        Takes::BodyOrNothing => parse_or_empty(body)?,
    };
    if let Some(name) = route.id {
        with_id(&mut request, name, id)?;
    }
    match route.part {
        None => Ok(answer::text(app.dispatch_text(caller, route.command, request).await?, "application/json")),
        Some(part) => {
            let mut whole = app.dispatch(caller, route.command, request).await?;
            Ok(answer::json(StatusCode::OK, &whole[part].take()))
        }
    }
}

/// Plain data is always JSON.
fn value(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).unwrap_or_default()
}

fn unfit(why: &str) -> ApiError {
    ApiError::bad_request(format!("The body is not valid: {why}."), "Send the JSON object described in /openapi.json.")
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    let body = bytes_without_bom(body);
    let request: Value = serde_json::from_slice(body).map_err(|error| unfit(&error.to_string()))?;
    if let Some(lost) = std::str::from_utf8(body).ok().and_then(lossless::loss) {
        return Err(unfit(&lost.told()));
    }
    fitting(&request).map_err(|why| unfit(&why))
}

/// What a command without a body is asked.
fn no_body(caller: &Caller, command: &str) -> ApiResult<Value> {
    if let Some(command) = command_list::find(command).filter(|command| command.hosts.contains(&Host::Http)) {
        caller.require_somewhere(command.role)?;
        if !openapi::may_be_empty(command) {
            let message = format!("{} requires fields, and the request has no body.", command.name);
            return Err(ApiError::bad_request(message, "Send a JSON object; {} if no field is needed."));
        }
    }
    Ok(json!({}))
}

/// The routes that read what stands behind `?`; all others would pass over it, and seem to have answered it.
fn takes_query(action: Action) -> bool {
    use Action::{
        AuditList, AuditVerify, RunDiff, RunEvents, RunFile, TaskList, TaskStats, TriggerList, WorkflowProgram,
    };
    matches!(
        action,
        RunEvents | RunDiff | RunFile | TaskList | TaskStats | TriggerList | AuditList | AuditVerify | WorkflowProgram
    )
}

fn no_query(parts: &Parts) -> ApiResult<()> {
    match parts.uri.query().filter(|query| !query.is_empty()) {
        None => Ok(()),
        Some(query) => {
            let first = query.split('&').next().unwrap_or(query);
            let hint = format!("Remove it: {} takes no query parameters.", parts.uri.path());
            Err(ApiError::bad_request(format!("The query parameter '{first}' is unknown."), hint))
        }
    }
}

/// Names a start, so that it can be sent again without a second run.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The key that the request names its start by, with or without the quotes of a structured header.
fn idempotency_key(parts: &Parts) -> ApiResult<Option<String>> {
    let mut values = parts.headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let wrong = |why: &str| {
        let hint = "Send one Idempotency-Key of 1 to 255 visible ASCII characters, for example a UUID.";
        Err(ApiError::bad_request(format!("Idempotency-Key {why}."), hint))
    };
    if values.next().is_some() {
        return wrong("appears twice");
    }
    let Ok(text) = value.to_str() else { return wrong("contains non-ASCII characters") };
    let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if quoted.is_some_and(|inner| inner.contains(['"', '\\'])) {
        return wrong("contains an escape");
    }
    Ok(Some(quoted.unwrap_or(text).to_owned()))
}

/// A command that starts a run has a field for the key; any other would pass over it, and do twice what was sent twice.
fn with_key(command: &str, request: &mut Value, key: &str) -> ApiResult<()> {
    if command != "run_start" {
        return Err(key_not_taken(&format!("The command {command}")));
    }
    let Some(fields) = request.as_object_mut() else { return Ok(()) };
    match fields.insert("idempotencyKey".to_owned(), key.into()) {
        Some(other) if other != key => Err(ApiError::bad_request(
            format!("The header has the key {key}, the body {other}."),
            "Send one of them, or the same in both.",
        )),
        _ => Ok(()),
    }
}

fn no_key(parts: &Parts) -> ApiResult<()> {
    let taken = parts.headers.contains_key(IDEMPOTENCY_KEY);
    if taken { Err(key_not_taken(parts.uri.path())) } else { Ok(()) }
}

fn key_not_taken(what: &str) -> ApiError {
    ApiError::bad_request(
        format!("{what} does not support Idempotency-Key: a repeated request would run twice."),
        "Remove the header. POST /workflow/run supports it; an answer to a task counts once by its requestId.",
    )
}

/// The address names the thing: the body need not, and must not name another one.
fn with_id(request: &mut Value, name: &str, id: &str) -> ApiResult<()> {
    let wrong =
        |message: String| ApiError::bad_request(message, "Send a JSON object whose id, if given, matches the address.");
    let Some(fields) = request.as_object_mut() else { return Err(wrong("The body is not a JSON object.".into())) };
    match fields.insert(name.to_owned(), id.into()) {
        Some(other) if other != id => Err(wrong(format!("The address has the id {id}, the body {other}."))),
        _ => Ok(()),
    }
}

fn wrong_shape(shape: shapes::Shaped, query: &str) -> ApiError {
    let known = format!("{} must be {} or {}", shape.parameter, shape.usual, shape.other);
    let is_named = |pair: &&str| pair.split_once('=').is_some_and(|(name, _)| name == shape.parameter);
    match query.split('&').find(|pair| !is_named(pair)) {
        None => wrong_query(query, &known),
        Some(other) => {
            let hint = format!("Remove it. {}={} and {} are known.", shape.parameter, shape.usual, shape.other);
            ApiError::bad_request(format!("The query parameter '{other}' is unknown."), hint)
        }
    }
}

fn wrong_query(what: &str, why: &str) -> ApiError {
    let hint = "Send ?name=value with the field names of the command.";
    ApiError::bad_request(format!("'{what}' is not valid: {why}."), hint)
}

/// The fields of `?a=b&c=d`; those of `numbers` are numbers.
fn query(parts: &Parts, numbers: &[&str]) -> ApiResult<Value> {
    let text =
        |text: &str, pair: &str| decoded(text).ok_or_else(|| wrong_query(pair, "it is not percent-encoded UTF-8"));
    let mut fields = Map::new();
    for pair in parts.uri.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| wrong_query(pair, "it has no value"))?;
        let (name, value) = (text(name, pair)?, text(value, pair)?);
        let value = if numbers.contains(&name.as_str()) {
            let number = value.parse::<u64>().map(Value::from);
            number.map_err(|_| wrong_query(pair, &format!("{name} must be a whole number of at least 0")))?
        } else {
            value.into()
        };
        if fields.insert(name, value).is_some() {
            return Err(wrong_query(pair, "its name appears twice"));
        }
    }
    Ok(Value::Object(fields))
}

/// Percent-encoding, with `+` for a space; `None` when it is none.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
                rest = after;
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok()
}

fn parse_or_empty<T: DeserializeOwned>(body: &[u8]) -> ApiResult<T> {
    if body.is_empty() { parse(b"{}") } else { parse(body) }
}

/// `If-Match`, with or without quotes; `*` means whatever is there.
fn revision_of(parts: &Parts) -> Option<String> {
    let value = parts.headers.get(header::IF_MATCH)?.to_str().ok()?.trim();
    Some(value.trim_start_matches("W/").trim_matches('"').to_owned())
}

fn with_etag(mut response: Response, revision: &str) -> Response {
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{revision}\"")) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}
