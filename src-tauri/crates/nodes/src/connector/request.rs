//! What parameters become: address, headers, cookies and body of a request.

use super::styles;
use super::{address, styles::Pair};
use crate::support::{setting, text, wrong_setting};
use crate::{binary, formats, http_body};
use serde_json::{Map, Value, json};
use signalbox_engine::catalog::nearest;
use signalbox_engine::connector::graphql::{self, FIELDS_SETTING};
use signalbox_engine::connector::params_schema;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_engine::request_body::is_json;
use signalbox_engine::schema::Schema;
use signalbox_model::connector::{BODY, Parameter, Place};
use signalbox_model::{Connector, Effects, Node, NodeFailure, Operation};
use signalbox_ports::{Cookie, HttpRequest, Redirects, World};
use std::time::Duration;

/// Where a call goes and what it is made of.
pub(crate) struct Plan<'a> {
    pub(crate) connector: &'a Connector,
    pub(crate) operation: &'a Operation,
    /// Address of the server.
    pub(crate) server: String,
    pub(crate) timeout_ms: u64,
}

fn invalid(field: String, message: impl Into<String>) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", message).detail("field", field)
}

/// The parameters of a step. Those that came from expressions are looked at here; the others were when the file was checked.
pub(crate) fn params(
    slot: &CallSlot,
    connector: &Connector,
    operation: &Operation,
) -> Result<Map<String, Value>, NodeFailure> {
    let given = match setting(slot, "params") {
        None => Map::new(),
        Some(Value::Object(given)) => given.clone(),
        Some(other) => return Err(wrong_setting("params", "an object of name and value", other)),
    };
    let known: Map<String, Value> = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let schema = params_schema(connector, operation);
    let names: Vec<&str> = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
    if let Some(unknown) = known.keys().find(|name| !names.contains(&name.as_str())) {
        let near = nearest(unknown, names.iter().copied()).map(|near| format!("; did you mean '{near}'?"));
        let message = format!("“{}” has no parameter '{unknown}'{}", operation.title, near.unwrap_or_default());
        return Err(invalid(format!("params.{unknown}"), message));
    }
    let known = Value::Object(known);
    if let Ok(compiled) = Schema::compile(&schema)
        && let Err(violations) = compiled.validate(&known)
        && let Some(first) = violations.first()
    {
        let place = first.place();
        let message =
            format!("The parameters do not fit “{}” of {}: {}", operation.title, connector.title, first.told());
        return Err(invalid(format!("params{}", place.replace('/', ".")), message));
    }
    match known {
        Value::Object(known) => Ok(known),
        _ => Ok(Map::new()),
    }
}

/// The request of one page.
pub(crate) async fn request(
    plan: &Plan<'_>,
    params: &Map<String, Value>,
    extra: &[Pair],
    call: &Call,
    slot: &CallSlot,
    world: &World,
) -> Result<HttpRequest, NodeFailure> {
    let Plan { connector, operation, server, timeout_ms } = plan;
    let mut query = Vec::new();
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, value) in connector.headers.iter().chain(&operation.headers) {
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut cookies: Vec<Pair> = Vec::new();
    for parameter in &operation.parameters {
        let Some(value) = params.get(&parameter.name) else { continue };
        match parameter.place {
            Place::Query => {
                let pairs = styles::in_query(parameter, value)?;
                query.extend(pairs.iter().map(|(name, text)| address::pair(name, text, parameter.allow_reserved)));
            }
            Place::Header => {
                let Some(text) = styles::in_header(parameter, value)? else { continue };
                if http::HeaderValue::from_str(&text).is_err() {
                    let message = format!(
                        "The parameter '{}' has a line break or another character that headers may not have",
                        parameter.name
                    );
                    return Err(invalid(format!("params.{}", parameter.name), message));
                }
                headers.push((parameter.wire_name().to_owned(), text));
            }
            Place::Cookie => cookies.extend(styles::in_query(parameter, value)?),
            Place::Path | Place::Body => {}
        }
    }
    query.extend(extra.iter().map(|(name, text)| address::pair(name, text, false)));
    let url = address::whole(server, &address::path(operation, params)?, &query)?;
    let body = body(operation, params, call, slot, world, &mut headers).await?;
    let own_key = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("idempotency-key"));
    if own_key && call.workflow.nodes.get(&*call.node_id).is_some_and(Node::sends_key) {
        let message = "The step's idempotency key is sent as the header 'Idempotency-Key', which a parameter sets, too";
        return Err(invalid("params".into(), format!("{message}; remove one")));
    }
    if call.effects == Effects::Write && !call.idempotency_key.is_empty() && !own_key {
        headers.push(("Idempotency-Key".into(), call.idempotency_key.clone()));
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")) {
        headers.push(("Accept".into(), "application/json, */*;q=0.5".into()));
    }
    let domain = url.host_str().unwrap_or_default().to_owned();
    let cookie = |(name, value): Pair| Cookie {
        name,
        value: styles::encoded(&value),
        domain: domain.clone(),
        host_only: true,
        path: "/".into(),
        secure: false,
        http_only: false,
        expires_ms: None,
    };
    Ok(HttpRequest {
        method: operation.method.clone(),
        url: url.into(),
        headers,
        body,
        timeout: Duration::from_millis(*timeout_ms),
        loopback_allowed: call.loopback_allowed,
        redirects: if call.effects == Effects::Write { Redirects::SameHost } else { Redirects::Follow },
        trust_redirects: false,
        cookies: cookies.into_iter().map(cookie).collect(),
        max_body: formats::MAX_BYTES,
        credential: None,
    })
}

async fn body(
    operation: &Operation,
    params: &Map<String, Value>,
    call: &Call,
    slot: &CallSlot,
    world: &World,
    headers: &mut Vec<(String, String)>,
) -> Result<Option<Vec<u8>>, NodeFailure> {
    let media = operation.body.as_ref().and_then(|body| body.content_type.clone());
    let media = media.unwrap_or_else(|| "application/json".to_owned());
    let plain = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let form = plain == "application/x-www-form-urlencoded";
    let whole = operation.body.as_ref().filter(|body| !body.schema.is_null());
    let content = if whole.is_some() {
        let Some(given) = params.get(BODY) else { return Ok(None) };
        if form { Value::Object(flat(operation, given)?) } else { given.clone() }
    } else {
        let fields = || operation.parameters.iter().filter(|parameter| parameter.place == Place::Body);
        let fixed = operation.body.iter().flat_map(|body| &body.fields);
        let mut made = json!({});
        fixed.for_each(|(name, value)| put(&mut made, name, value.clone()));
        if let Some(graphql) = &operation.graphql {
            let own = setting(slot, FIELDS_SETTING).map(|_| text(slot, FIELDS_SETTING)).transpose()?;
            let own = own.filter(|own| !own.trim().is_empty());
            // The file was checked, and the run may be one of another file.
            if let Some(Err(why)) = own.map(graphql::read) {
                return Err(invalid(FIELDS_SETTING.into(), why));
            }
            made["query"] = graphql.with_fields(own).into();
        }
        for parameter in fields() {
            let Some(value) = params.get(&parameter.name) else { continue };
            if form {
                for (name, text) in form_pairs(parameter, value)? {
                    add(&mut made, name, text);
                }
            } else {
                put(&mut made, parameter.wire_name(), value.clone());
            }
        }
        let described = fields().next().is_some() || operation.body.is_some();
        if !described || (made == json!({}) && matches!(operation.method.as_str(), "GET" | "HEAD" | "DELETE")) {
            return Ok(None);
        }
        made
    };
    // Bytes of the item, where the service takes a file as the whole body.
    let named = content.as_object().filter(|map| map.len() == 1).and_then(|map| map.get("binary")?.as_str());
    if let Some(name) = named.filter(|_| !form && !is_json(&plain) && !plain.starts_with("multipart/")) {
        let (reference, bytes) = binary::read_named(call, slot, world, name, "params.body.binary").await?;
        let media = if plain == "*/*" || plain.is_empty() { reference.mime } else { media };
        headers.push(("Content-Type".into(), media));
        return Ok(Some(bytes));
    }
    if is_json(&plain) {
        let text = content.to_string();
        if text.len() > formats::MAX_BYTES {
            return Err(formats::too_large("The body", text.len() as u64));
        }
        headers.push(("Content-Type".into(), media));
        return Ok(Some(text.into_bytes()));
    }
    headers.push(("Content-Type".into(), media));
    http_body::encode(call, slot, world, &content, headers).await.map(Some)
}

/// Sets a field; a name that begins with `/` is a JSON Pointer to a field further in.
fn put(object: &mut Value, name: &str, value: Value) {
    let Some(pointer) = name.strip_prefix('/') else {
        object[name] = value;
        return;
    };
    let mut here = object;
    for part in pointer.split('/') {
        if !here.is_object() {
            *here = json!({});
        }
        here = &mut here[part.replace("~1", "/").replace("~0", "~")];
    }
    *here = value;
}

/// Adds a field of a form; a second one of the same name makes a list.
fn add(object: &mut Value, name: String, text: String) {
    let field = &mut object[name];
    match field {
        Value::Null => *field = text.into(),
        Value::Array(list) => list.push(text.into()),
        one => *one = json!([one.take(), text]),
    }
}

/// A parameter of a form: nested values are written as `name[field]`.
fn form_pairs(parameter: &Parameter, value: &Value) -> Result<Vec<Pair>, NodeFailure> {
    let nested = match value {
        Value::Object(_) => true,
        Value::Array(list) => list.iter().any(|one| one.is_object() || one.is_array()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    if nested && parameter.style.is_none() {
        return styles::deep(parameter, parameter.wire_name().to_owned(), value, 0);
    }
    styles::in_query(parameter, value)
}

/// A whole body as the fields of a form.
fn flat(operation: &Operation, body: &Value) -> Result<Map<String, Value>, NodeFailure> {
    let Some(fields) = body.as_object() else {
        let message = format!("The body of “{}” is a form, so it must be an object", operation.title);
        return Err(invalid("params.body".into(), message));
    };
    let mut made = json!({});
    for (name, value) in fields {
        let parameter = Parameter { name: name.clone(), ..Parameter::default() };
        for (name, text) in form_pairs(&parameter, value)? {
            add(&mut made, name, text);
        }
    }
    Ok(made.as_object().cloned().unwrap_or_default())
}
