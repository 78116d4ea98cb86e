use serde_json::{Value, json};
use signalbox_engine::connector::file::problems;
use signalbox_engine::connector::{output_schema, params_schema};
use signalbox_engine::schema::Schema;
use signalbox_import::openapi::{Options, compile, is_document};
use signalbox_model::Connector;
use signalbox_model::connector::{AuthPlace, Pagination, Place, Style};

fn compiled(document: &Value) -> (Connector, Vec<String>) {
    let made = compile(document, &Options::default()).expect("it compiles");
    let found = problems(&made.connector);
    assert!(found.is_empty(), "{found:#?}");
    (made.connector, made.findings.into_iter().map(|one| format!("{} {}", one.path, one.message)).collect())
}

fn shop() -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Pet Shop!", "description": "Pets and orders.\n\nMore." },
        "servers": [{ "url": "https://{region}.shop.example/v1", "variables": { "region": { "default": "eu", "enum": ["eu", "us"] } } }],
        "security": [{ "key": [] }],
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "key": { "type": "apiKey", "in": "header", "name": "X-Key" },
                "app": { "type": "oauth2", "flows": { "clientCredentials": { "tokenUrl": "https://shop.example/token", "scopes": { "pets": "" } } } },
                "old": { "type": "apiKey", "in": "cookie", "name": "session" },
            },
            "parameters": { "limit": { "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 50 } } },
            "schemas": {
                "Pet": {
                    "type": "object", "required": ["id", "name"],
                    "properties": {
                        "id": { "type": "integer", "readOnly": true },
                        "name": { "type": "string", "nullable": true, "example": "Rex", "x-internal": 1 },
                        "age": { "type": "number", "minimum": 0, "exclusiveMinimum": true },
                        "parent": { "$ref": "#/components/schemas/Pet" },
                        "kind": { "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }],
                                  "discriminator": { "propertyName": "type", "mapping": { "meow": "#/components/schemas/Cat" } } },
                    },
                },
                "Cat": { "type": "object", "properties": { "type": { "type": "string" } } },
                "Dog": { "allOf": [{ "$ref": "#/components/schemas/Cat" }, { "type": "object", "properties": { "barks": { "type": "boolean" } } }] },
            },
        },
        "paths": {
            "/pets": {
                "get": {
                    "operationId": "listPets", "summary": "List the pets", "tags": ["pets"],
                    "parameters": [
                        { "$ref": "#/components/parameters/limit" },
                        { "name": "page_token", "in": "query", "schema": { "type": "string" } },
                        { "name": "filter", "in": "query", "style": "deepObject", "explode": true, "schema": { "type": "object" } },
                        { "name": "tags", "in": "query", "explode": false, "schema": { "type": "array", "items": { "type": "string" } } },
                    ],
                    "responses": { "200": { "description": "", "content": { "application/json": { "schema": {
                        "type": "object", "properties": {
                            "pets": { "type": "array", "items": { "$ref": "#/components/schemas/Pet" } },
                            "next_page_token": { "type": "string" },
                        } } } } } },
                },
                "post": {
                    "operationId": "createPet",
                    "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } } },
                    "responses": { "201": { "description": "", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } } } },
                },
            },
            "/pets/{id}": {
                "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }],
                "get": { "responses": { "204": { "description": "" } },
                         "parameters": [{ "name": "id", "in": "query", "schema": { "type": "string" } },
                                        { "name": "Authorization", "in": "header", "schema": { "type": "string" } }] },
                "delete": { "operationId": "createPet", "responses": {} },
            },
            "/photos": { "post": { "operationId": "upload", "responses": {},
                "requestBody": { "content": { "multipart/form-data": { "schema": { "type": "object", "properties": {
                    "photo": { "type": "string", "format": "binary" }, "title": { "type": "string" } } } } } } } },
        },
    })
}

#[test]
fn an_open_api_3_0_document_becomes_a_connector() {
    let (shop, findings) = compiled(&shop());
    assert_eq!(
        (shop.name.as_str(), shop.title.as_str(), shop.description.as_str()),
        ("pet-shop", "Pet Shop!", "Pets and orders.")
    );
    assert_eq!(shop.servers[0].variables["region"].values, ["eu", "us"]);
    let auth: Vec<AuthPlace> = shop.auth.iter().map(|one| one.place).collect();
    assert_eq!(auth[0], AuthPlace::Header, "what the document asks for comes first: {auth:?}");
    assert!(auth.contains(&AuthPlace::ClientCredentials) && auth.contains(&AuthPlace::Bearer), "{auth:?}");
    assert!(!shop.anonymous);
    let names: Vec<&str> = shop.operations.keys().map(String::as_str).collect();
    assert_eq!(names, ["listPets", "createPet", "get_pets_id", "createPet_2", "upload"]);

    let list = &shop.operations["listPets"];
    assert_eq!((list.title.as_str(), list.group.as_deref()), ("List the pets", Some("pets")));
    assert_eq!(list.parameter("filter").and_then(|one| one.style), Some(Style::DeepObject));
    assert_eq!(list.parameter("tags").and_then(|one| one.explode), Some(false));
    let response = list.response.as_ref().expect("a response");
    assert_eq!(response.items.as_deref(), Some("/pets"));
    assert_eq!(response.schema, json!({ "$ref": "#/$defs/Pet" }));
    let Some(Pagination::Cursor { parameter, field, size, .. }) = &list.pagination else {
        panic!("{:?}", list.pagination)
    };
    assert_eq!((parameter.as_str(), field.as_str()), ("page_token", "/next_page_token"));
    assert_eq!(size.as_ref().map(|size| size.value), Some(50));

    // The same name twice: the second one gets another, and is sent as its own.
    let get = &shop.operations["get_pets_id"];
    let sent: Vec<(&str, &str, Place)> =
        get.parameters.iter().map(|one| (one.name.as_str(), one.wire_name(), one.place)).collect();
    assert_eq!(sent, [("id", "id", Place::Path), ("id_query", "id", Place::Query)]);
    let photo = params_schema(&shop, &shop.operations["upload"]);
    assert_eq!(photo["properties"]["body"]["properties"]["photo"].get("type"), None, "{photo}");
    assert!(findings.iter().any(|one| one.contains("cookie")), "{findings:?}");
}

#[test]
fn schemas_lose_their_dialect_and_keep_their_meaning() {
    let (shop, _) = compiled(&shop());
    let pet = &shop.defs["Pet"];
    assert_eq!(pet["required"], json!(["name"]), "what only the service sets is not asked for");
    assert_eq!(pet["properties"]["name"], json!({ "type": ["string", "null"] }));
    assert_eq!(pet["properties"]["age"], json!({ "type": "number", "exclusiveMinimum": 0 }));
    // Schemas that lead to themselves stay references, and can be checked.
    assert_eq!(pet["properties"]["parent"], json!({ "$ref": "#/$defs/Pet" }));
    let schema = params_schema(&shop, &shop.operations["createPet"]);
    let schema = Schema::compile(&schema).expect("can be used");
    let fits = |body: Value| schema.validate(&json!({ "body": body })).is_ok();
    assert!(fits(json!({ "name": null, "parent": { "name": "Rex" } })));
    assert!(!fits(json!({ "name": "a", "parent": { "name": 5 } })));
    assert!(fits(json!({ "name": "a", "kind": { "type": "meow" } })));
    assert!(fits(json!({ "name": "a", "kind": { "type": "Dog", "barks": true } })));
    assert!(!fits(json!({ "name": "a", "kind": { "type": "fish" } })));
    assert!(!output_schema(&shop, &shop.operations["listPets"]).is_null());
}

#[test]
fn a_swagger_2_document_becomes_a_connector() {
    let (api, _) = compiled(&json!({
        "swagger": 2.0, "info": { "title": "Old" }, "host": "old.example", "basePath": "/api/", "schemes": ["http", "https"],
        "securityDefinitions": { "user": { "type": "basic" } },
        "definitions": { "Thing": { "type": "object", "properties": { "a": { "type": "string", "x-nullable": true } } } },
        "paths": { "/things": {
            "get": { "parameters": [
                { "name": "ids", "in": "query", "type": "array", "items": { "type": "integer" }, "collectionFormat": "pipes" },
                { "name": "names", "in": "query", "type": "array", "items": { "type": "string" } },
                { "name": "offset", "in": "query", "type": "integer" }, { "name": "limit", "in": "query", "type": "integer" } ],
                "responses": { "200": { "schema": { "type": "array", "items": { "$ref": "#/definitions/Thing" } } } } },
            "post": { "parameters": [{ "name": "thing", "in": "body", "required": true, "schema": { "$ref": "#/definitions/Thing" } }], "responses": {} },
            "put": { "consumes": ["multipart/form-data"], "responses": {},
                     "parameters": [{ "name": "file", "in": "formData", "type": "file" }, { "name": "note", "in": "formData", "type": "string" }] },
        } },
    }));
    assert_eq!(api.servers[0].url, "https://old.example/api");
    assert_eq!(api.auth[0].place, AuthPlace::Basic);
    assert!(api.anonymous, "nothing says that every request needs it");
    let get = &api.operations["get_things"];
    assert_eq!(get.parameter("ids").and_then(|one| one.style), Some(Style::PipeDelimited));
    assert_eq!(get.parameter("names").and_then(|one| one.explode), Some(false));
    assert!(matches!(&get.pagination, Some(Pagination::Offset { parameter, .. }) if parameter == "offset"));
    let post = &api.operations["post_things"];
    assert_eq!(post.body.as_ref().map(|body| &body.schema), Some(&json!({ "$ref": "#/$defs/Thing" })));
    let put = &api.operations["put_things"];
    assert_eq!(put.body.as_ref().and_then(|body| body.content_type.as_deref()), Some("multipart/form-data"));
    assert!(put.parameters.iter().all(|one| one.place == Place::Body));
    assert_eq!(api.defs["Thing"]["properties"]["a"]["type"], json!(["string", "null"]));
}

#[test]
fn what_leads_out_of_the_document_is_left_out_with_a_reason() {
    let document = json!({
        "openapi": "3.1.0", "info": { "title": "T" }, "servers": [{ "url": "/v2" }],
        "paths": {
            "/a": { "get": { "parameters": [{ "$ref": "https://evil.example/p.json" }], "responses": {} } },
            "/b": { "get": { "responses": { "200": { "description": "", "content": { "application/json": { "schema": { "$ref": "other.yaml#/X" } } } } } } },
            "/c": { "$ref": "paths/c.yaml" },
            "/d": { "post": { "requestBody": { "$ref": "#/components/requestBodies/Loop" }, "responses": {} } },
            "/e/{id}": { "get": { "responses": {}, "servers": [{ "url": "https://other.example" }] } },
        },
        "components": { "requestBodies": { "Loop": { "$ref": "#/components/requestBodies/Loop" } } },
    });
    let made = compile(&document, &Options { name: Some("t".into()) }).expect("one is left");
    assert_eq!(made.connector.operations.keys().collect::<Vec<_>>(), ["get_b"]);
    assert_eq!(made.left_out, 4);
    let told: Vec<&str> = made.findings.iter().map(|one| one.message.as_str()).collect();
    for wanted in ["https://evil.example/p.json", "other.yaml#/X", "paths/c.yaml", "circle", "another server", "host"] {
        assert!(told.iter().any(|one| one.contains(wanted)), "{wanted}: {told:#?}");
    }
    // Nothing is said about signing in: a step may bring a credential, and needs none.
    assert!(told.iter().any(|one| one.contains("does not say how requests are authenticated")), "{told:#?}");
    assert!(made.connector.anonymous);
    let ways: Vec<AuthPlace> = made.connector.auth.iter().map(|one| one.place).collect();
    assert_eq!(ways, [AuthPlace::Bearer, AuthPlace::Basic, AuthPlace::Header]);
    // The host is the person's to give.
    assert_eq!(made.connector.servers[0].url, "{address}/v2");
    assert!(problems(&made.connector).is_empty());
}

#[test]
fn documents_that_cannot_be_used_say_why() {
    for (document, wanted) in [
        (json!({ "hello": 1 }), "neither 'openapi' nor 'swagger'"),
        (json!({ "openapi": "4.0" }), "version '4.0'"),
        (json!({ "openapi": "3.0.0" }), "no 'paths'"),
        (json!({ "openapi": "3.0.0", "paths": {} }), "no paths with operations"),
        (
            json!({ "openapi": "3.0.0", "paths": { "/a": { "get": { "parameters": [{ "in": "query" }] } } } }),
            "has no name",
        ),
    ] {
        let refused = compile(&document, &Options::default()).expect_err("refused");
        assert!(refused.message.contains(wanted), "{}", refused.message);
    }
    assert!(!is_document(&json!({ "connector": 1 })));
}

/// A schema that is nested as deep as a file may be, and one that leads to itself by every way.
#[test]
fn hostile_schemas_end() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..60 {
        deep = json!({ "type": "object", "properties": { "a": deep } });
    }
    let document = json!({
        "openapi": "3.0.0", "info": { "title": "T" }, "servers": [{ "url": "https://a.example" }],
        "components": { "schemas": {
            "A": { "allOf": [{ "$ref": "#/components/schemas/B" }, { "$ref": "#/components/schemas/A" }] },
            "B": { "oneOf": [{ "$ref": "#/components/schemas/A" }, { "$ref": "#/components/schemas/B" }], "nullable": true },
        } },
        "paths": {
            "/deep": { "post": { "requestBody": { "content": { "application/json": { "schema": deep } } }, "responses": {} } },
            "/loop": { "get": { "responses": { "200": { "description": "", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/A" } } } } } } },
        },
    });
    let made = compile(&document, &Options::default()).expect("it ends");
    assert_eq!(made.connector.operations.len(), 2);
    assert!(made.findings.iter().any(|one| one.message.contains("48 levels")), "{:?}", made.findings);
}

/// Found by fuzzing: the connector that was made could not be read again.
#[test]
fn what_is_nested_too_deep_for_a_connector_file_is_left_out_and_told() {
    let nested = |levels: usize| {
        (0..levels).fold(json!({ "type": "string" }), |inner, _| json!({ "type": "array", "items": inner }))
    };
    for levels in (50..120).step_by(3) {
        let schema = |levels: usize| json!({ "application/json": { "schema": nested(levels) } });
        let document = json!({ "openapi": "3.0.0", "info": { "title": "Deep", "version": "1" }, "servers": [{ "url": "https://a.example" }],
            "paths": {
                "/deep": { "get": { "operationId": "deep", "responses": { "200": { "description": "", "content": schema(levels) } } } },
                "/flat": { "get": { "operationId": "flat", "responses": { "200": { "description": "", "content": schema(1) } } } },
            } });
        let compiled = compile(&document, &Options::default()).expect("an operation can be used");
        let written = signalbox_nodes::connector::file::write(&compiled.connector).expect("written");
        let (again, found) = signalbox_nodes::connector::file::read(&written);
        assert!(again.is_some(), "{levels} levels: {found:?}");
        let kept = compiled.connector.operations.contains_key("deep");
        assert!(compiled.connector.operations.contains_key("flat"));
        assert_eq!(kept, compiled.left_out == 0, "{levels} levels");
        assert!(
            kept || compiled.findings.iter().any(|one| one.message.contains("'deep' is left out")),
            "{levels} levels"
        );
    }
}
