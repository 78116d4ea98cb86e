//! An OpenAPI 3.1 document made from the routes and the command list: the same types that read requests and write answers.

mod shapes;
mod types;

use super::routes::{Access, Action, ROUTES, Route};
use super::types::Failure;
use axum::http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use shapes::{Answer, Shape};
use signalbox_app::command_list::{COMMANDS, Command, Kind};
use signalbox_app::dto::Host;
use types::Types;

pub(crate) fn document() -> Value {
    let mut types = Types::new();
    let mut paths = Map::new();
    for route in ROUTES {
        if route.action != Action::Rpc {
            let shape = shapes::of(route, &mut types);
            put(&mut paths, &route.named("{id}"), route, route.about, route.access, shape);
            continue;
        }
        for command in COMMANDS.iter().filter(|command| command.hosts.contains(&Host::Http)) {
            let path = route.path.replace("{}", command.name);
            let shape = Shape {
                body: Some((command.request)(&mut types.taken).to_value()),
                may_be_empty: may_be_empty(command),
                answer: Answer::Json((command.response)(&mut types.given).to_value()),
                ..Shape::default()
            };
            put(&mut paths, &path, route, command.about, Access::Role(command.role), shape);
        }
    }
    paths.insert("/hooks/{path}".to_owned(), super::hooks::openapi());
    for (path, item) in super::task_hooks::openapi() {
        paths.insert(path.to_owned(), item);
    }
    let failure = types.given.subschema_for::<Failure>();
    // Before the paths are copied below: requests are renamed in them.
    let schemas = types.merge(&mut paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Signalbox",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Workflow runs, tasks for people, the audit chain, and all commands of the desktop window. \
                `x-role` is the minimum role of a token: viewer, operator, builder.",
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": {
                "type": "http", "scheme": "bearer", "description": "A token of the token file, with its role.",
            } },
            "responses": { "Error": {
                "description": "What happened and what to do.",
                "content": { "application/json": { "schema": failure } },
            } },
            "schemas": Value::Object(schemas),
        },
    })
}

/// Whether a command can be asked without a body. One that looks needs none when it needs no field; one that changes
/// something needs one as soon as it has fields: a body that was lost on its way must not mean "without any of them".
pub(crate) fn may_be_empty(command: &Command) -> bool {
    let mut types = Types::new();
    let request = (command.request)(&mut types.taken).to_value();
    let fields = shapes::resolved(&types, &request);
    let none = |key: &str| match &fields[key] {
        Value::Array(names) => names.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    };
    none("required") && (command.kind == Kind::Query || none("properties"))
}

fn put(paths: &mut Map<String, Value>, path: &str, route: &Route, about: &str, access: Access, shape: Shape) {
    let method = route.method.as_str().to_ascii_lowercase();
    let words: Vec<&str> = path.split(['/', '.', '{', '}']).filter(|word| !word.is_empty()).collect();
    let mut operation = json!({
        "operationId": format!("{method}_{}", words.join("_")),
        "tags": [words.first().unwrap_or(&"")],
        "summary": about,
    });
    match access {
        Access::Open => operation["security"] = json!([]),
        Access::Role(least) => operation["x-role"] = json!(least.as_str()),
        Access::Command => {}
    }
    let mut parameters = shape.parameters;
    if path.contains("{id}") {
        parameters
            .insert(0, parameter("path", "id", true, &json!({ "type": "string", "pattern": "^[A-Za-z0-9._-]+$" })));
    }
    if path.contains("{sha256}") {
        let hash = json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" });
        parameters.insert(1, parameter("path", "sha256", true, &hash));
    }
    if path.contains("{seq}") {
        parameters.insert(1, parameter("path", "seq", true, &json!({ "type": "integer", "minimum": 1 })));
    }
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if let Some(schema) = shape.body {
        operation["requestBody"] =
            json!({ "required": !shape.may_be_empty, "content": { "application/json": { "schema": schema } } });
    }
    let (media, schema) = match shape.answer {
        Answer::Json(schema) => ("application/json", json!({ "schema": schema })),
        Answer::Text(media) => (media, json!({ "schema": { "type": "string" } })),
        // Raw bytes have no type in 3.1.
        Answer::Bytes => {
            let media = "application/octet-stream";
            (media, json!({ "schema": { "contentMediaType": media } }))
        }
        // 3.1 has no word for what a stream consists of.
        Answer::Stream(data) => ("text/event-stream", json!({ "schema": { "type": "string" }, "x-data": data })),
    };
    let mut responses = Map::new();
    let mut done = json!({ "description": "Done.", "content": { media: schema } });
    if !shape.headers.is_empty() {
        done["headers"] = Value::Object(shape.headers);
    }
    if route.in_part() {
        let mut part = done.clone();
        part["description"] = json!("The bytes requested by Range.");
        part["headers"]["Content-Range"] = json!({ "schema": { "type": "string" } });
        responses.insert(StatusCode::PARTIAL_CONTENT.as_str().to_owned(), part);
    }
    responses.insert(StatusCode::OK.as_str().to_owned(), done);
    for status in route.errors() {
        responses.insert(status.as_str().to_owned(), json!({ "$ref": "#/components/responses/Error" }));
    }
    operation["responses"] = Value::Object(responses);
    let entry = paths.entry(path).or_insert_with(|| json!({}));
    entry[method] = operation;
}

fn parameter(place: &str, name: &str, required: bool, schema: &Value) -> Value {
    json!({ "name": name, "in": place, "required": required, "schema": schema })
}

/// Whether a route has a body at all.
fn takes_body(route: &Route) -> bool {
    route.method == Method::POST || route.method == Method::PUT
}

#[cfg(test)]
mod tests;
