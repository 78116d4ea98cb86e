//! An OpenAPI 3.1 document made from the routes and the command list.

use super::routes::{Access, Action, ROUTES};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use signalbox_app::dto::Host;
use signalbox_app::table::COMMANDS;

pub(crate) fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in ROUTES.iter().filter(|route| route.action != Action::Rpc) {
        let path = route.path.replace("{}", "{id}");
        let mut operation = operation(route.about, route.access);
        if path.contains("{id}") {
            operation["parameters"] =
                json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
        }
        put(&mut paths, path, route.method.as_str(), operation);
    }
    for command in COMMANDS.iter().filter(|command| command.hosts.contains(&Host::Http)) {
        let mut operation = operation(command.about, Access::Role(command.role));
        operation["operationId"] = json!(command.name);
        operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": (command.request)(&mut generator) } } });
        operation["responses"]["200"] = json!({ "description": "Done.", "content": { "application/json": { "schema": (command.response)(&mut generator) } } });
        put(&mut paths, format!("/rpc/{}", command.name), "POST", operation);
    }
    let error = generator.subschema_for::<signalbox_app::ApiError>();
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Signalbox", "version": env!("CARGO_PKG_VERSION") },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "responses": { "Error": { "description": "What happened and what to do.", "content": { "application/json": {
                "schema": { "type": "object", "required": ["error"], "properties": { "error": error } } } } } },
            "schemas": generator.take_definitions(true),
        },
    })
}

fn operation(about: &str, access: Access) -> Value {
    let mut operation = json!({
        "summary": about,
        "responses": { "200": { "description": "Done." }, "default": { "$ref": "#/components/responses/Error" } },
    });
    match access {
        Access::Open => operation["security"] = json!([]),
        Access::Role(least) => operation["x-role"] = json!(least.as_str()),
        Access::Command => {}
    }
    operation
}

fn put(paths: &mut Map<String, Value>, path: String, method: &str, operation: Value) {
    let entry = paths.entry(path).or_insert_with(|| json!({}));
    entry[method.to_ascii_lowercase()] = operation;
}
