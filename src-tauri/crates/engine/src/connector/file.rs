//! What is wrong with a connector file.

use super::{params_schema, placeholders, valid_name};
use crate::catalog::nearest;
use crate::schema::Schema;
use serde_json::Value;
use signalbox_model::connector::{AuthPlace, ErrorRule, FORMAT, Pagination, Place, Style, references};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Connector, Diagnostic, Operation, secret_ref};

/// Most operations of a file.
pub const MAX_OPERATIONS: usize = 20_000;
/// Up to so many operations, the schemas of each are compiled.
const COMPILED: usize = 500;
/// So many findings are told.
const MOST: usize = 200;
const METHODS: [&str; 7] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
/// Headers that the program or the connection makes.
const OWN_HEADERS: [&str; 9] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "authorization",
    "cookie",
];

struct Found(Vec<Diagnostic>);

impl Found {
    fn add(&mut self, code: Code, path: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) {
        if self.0.len() < MOST {
            self.0.push(Diagnostic::error(code, path, message, hint));
        }
    }
}

/// Everything that is wrong with a connector; empty when it can be used.
pub fn problems(connector: &Connector) -> Vec<Diagnostic> {
    let mut found = Found(Vec::new());
    head(connector, &mut found);
    servers(connector, &mut found);
    auth(connector, &mut found);
    sign_in(connector, &mut found);
    headers(connector.headers.iter(), "/headers", &mut found);
    for (index, pointer) in connector.error_message.iter().enumerate() {
        json_pointer(pointer, &format!("/errorMessage/{index}"), &mut found);
    }
    rules(&connector.errors, "/errors", &mut found);
    let count = connector.operations.len();
    if count == 0 {
        found.add(Code::MissingConfig, "/operations", "The connector has no operations", "Describe at least one");
    }
    if count > MAX_OPERATIONS {
        let message = format!("The connector has {count} operations; {MAX_OPERATIONS} are the most");
        found.add(Code::TooLarge, "/operations", message, "Remove operations that are not needed");
    }
    for (name, operation) in &connector.operations {
        one(connector, name, operation, count <= COMPILED, &mut found);
    }
    for one in super::tasks::problems(connector) {
        found.add(one.code, one.path, one.message, one.hint);
    }
    for (name, schema) in &connector.defs {
        refs(connector, schema, &format!("/$defs/{}", pointer_token(name)), &mut found);
    }
    found.0
}

fn head(connector: &Connector, found: &mut Found) {
    if connector.connector != FORMAT {
        let message = format!("The file has format {}, and this program reads format {FORMAT}", connector.connector);
        found.add(Code::NewerVersion, "/connector", message, format!("Write connector: {FORMAT}"));
    }
    if !valid_name(&connector.name) {
        let message = format!("'{}' is not a name of a connector", connector.name);
        found.add(Code::BadId, "/name", message, "Use small letters, digits, - and _, for example my-shop");
    }
    if connector.title.trim().is_empty() {
        found.add(Code::MissingConfig, "/title", "The title is empty", "Write the name of the service");
    }
    if connector.rate_limit.is_some_and(|limit| limit.requests == 0 || limit.per_seconds == 0) {
        let hint = "Write for example { requests: 50, perSeconds: 60 }";
        found.add(Code::BadConfig, "/rateLimit", "The rate limit allows no request", hint);
    }
    if connector.credential.as_deref().is_some_and(|given| secret_ref::reference(given).is_none()) {
        let message = "The credential of new steps is no reference to a secret";
        found.add(Code::BadConfig, "/credential", message, "Write secret://NAME, the name of a secret of this machine");
    }
    let texts = serde_json::to_value(connector.head()).unwrap_or_default();
    if mentions_secret(&texts) {
        found.add(
            Code::SecretPlace,
            "",
            "The file names a secret",
            "Describe under 'auth' where the secret goes; the step names it as its credential",
        );
    }
}

fn mentions_secret(value: &Value) -> bool {
    match value {
        Value::String(text) => secret_ref::mentioned(text),
        Value::Array(list) => list.iter().any(mentions_secret),
        Value::Object(map) => map.values().any(mentions_secret),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn servers(connector: &Connector, found: &mut Found) {
    for (index, server) in connector.servers.iter().enumerate() {
        let at = format!("/servers/{index}");
        let names = placeholders(&server.url);
        for name in names.iter().filter(|name| !server.variables.contains_key(**name)) {
            let message = format!("The address uses the variable '{name}', which is not described");
            let near = nearest(name, server.variables.keys().map(String::as_str));
            let hint = near.map_or_else(|| "Add it under 'variables'".into(), |near| format!("Did you mean '{near}'?"));
            found.add(Code::UnknownName, format!("{at}/url"), message, hint);
        }
        for name in server.variables.keys().filter(|name| !names.contains(&name.as_str())) {
            let message = format!("The address does not use the variable '{name}'");
            let path = format!("{at}/variables/{}", pointer_token(name));
            found.add(Code::UnknownName, path, message, "Remove it, or put it into the address as {name}");
        }
        if let Some(why) = wrong_address(&server.url) {
            let message = format!("'{}' is not an address of a server: {why}", short(&server.url));
            found.add(Code::BadConfig, format!("{at}/url"), message, "Write for example https://api.example.com/v1");
        }
    }
}

/// Why an address cannot be that of a server.
pub fn wrong_address(url: &str) -> Option<&'static str> {
    let rest = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
        (Some(rest), _) | (_, Some(rest)) => rest,
        // The whole address is a variable, or its beginning.
        _ if url.starts_with('{') => return None,
        _ => return Some("it begins with https:// or http://"),
    };
    let host = rest.split('/').next().unwrap_or_default();
    if host.is_empty() {
        Some("it has no host")
    } else if host.contains('@') {
        Some("it has a user or a password")
    } else if rest.contains(['?', '#', ' ', '\\']) || rest.chars().any(char::is_control) {
        Some("it has a query, a fragment or a space")
    } else {
        None
    }
}

fn auth(connector: &Connector, found: &mut Found) {
    for (index, scheme) in connector.auth.iter().enumerate() {
        let at = format!("/auth/{index}");
        let named = scheme.name.as_deref().is_some_and(|name| !name.is_empty());
        match scheme.place {
            AuthPlace::Header | AuthPlace::Query if !named => found.add(
                Code::MissingConfig,
                format!("{at}/name"),
                "The name of the header or the query parameter is missing",
                "Write for example name: X-Api-Key",
            ),
            AuthPlace::ClientCredentials => {
                let token = scheme.token_url.as_deref().unwrap_or_default();
                if !token.starts_with("https://") && !token.starts_with("http://") {
                    let hint = "Write the address at which the service gives tokens";
                    found.add(Code::MissingConfig, format!("{at}/tokenUrl"), "The token address is missing", hint);
                }
            }
            AuthPlace::Header | AuthPlace::Query | AuthPlace::Bearer | AuthPlace::Basic | AuthPlace::Path => {}
        }
    }
}

/// Addresses of a sign-in are https, or of this machine.
fn sign_in(connector: &Connector, found: &mut Found) {
    let Some(sign_in) = &connector.sign_in else { return };
    let service = &sign_in.oauth;
    let addresses = [
        ("authorizationUrl", service.authorization_url.as_deref()),
        ("deviceUrl", service.device_url.as_deref()),
        ("tokenUrl", Some(service.token_url.as_str())),
        ("revocationUrl", service.revocation_url.as_deref()),
    ];
    for (name, address) in addresses {
        if let Some(address) = address
            && !["https://", "http://localhost", "http://127.0.0.1"].iter().any(|start| address.starts_with(start))
        {
            let message = format!("'{address}' is no https address");
            found.add(
                Code::BadConfig,
                format!("/signIn/oauth/{name}"),
                message,
                "Write the whole address, from https:// on",
            );
        }
    }
    if service.authorization_url.is_none() && service.device_url.is_none() {
        let hint = "Write authorizationUrl, or deviceUrl";
        found.add(
            Code::MissingConfig,
            "/signIn/oauth/authorizationUrl",
            "The address where people sign in is missing",
            hint,
        );
    }
    if sign_in.hosts.is_empty() {
        let hint = "Write the host of the service's address";
        found.add(Code::MissingConfig, "/signIn/hosts", "The hosts that tokens are sent to are missing", hint);
    }
}

fn headers<'a>(all: impl Iterator<Item = (&'a String, &'a String)>, at: &str, found: &mut Found) {
    for (name, value) in all {
        let path = format!("{at}/{}", pointer_token(name));
        let token =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
        if !token {
            let message = format!("'{}' is not a name of a header", short(name));
            found.add(Code::BadConfig, path, message, "Use letters, digits and -");
        } else if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            let message = format!("The header '{name}' is made by the program or by the credential");
            found.add(Code::BadConfig, path, message, "Remove it; describe credentials under 'auth'");
        } else if value.chars().any(char::is_control) {
            let message = format!("The header '{name}' has a line break or another control character");
            found.add(Code::BadConfig, path, message, "Write it in one line");
        }
    }
}

fn json_pointer(pointer: &str, at: &str, found: &mut Found) {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        let message = format!("'{}' is not a JSON Pointer", short(pointer));
        found.add(Code::BadConfig, at, message, format!("Write '/{}', or '' for the whole response", short(pointer)));
    }
}

fn rules(rules: &[ErrorRule], at: &str, found: &mut Found) {
    for (index, rule) in rules.iter().enumerate() {
        let at = format!("{at}/{index}");
        if rule.status.is_empty() && rule.field.is_none() && rule.header.is_none() {
            let hint = "Give 'status', 'field' or 'header'";
            found.add(
                Code::BadConfig,
                at.as_str(),
                "The rule has no condition, so that it matches every response",
                hint,
            );
        }
        for status in &rule.status {
            let is_range = matches!(status.as_bytes(), [b'1'..=b'5', b'x', b'x']);
            if !is_range && status.parse::<u16>().map_or(true, |number| !(100..=599).contains(&number)) {
                let message = format!("'{}' is not a status", short(status));
                found.add(Code::BadConfig, format!("{at}/status"), message, "Write for example '404' or '5xx'");
            }
        }
        if let Some(field) = &rule.field {
            json_pointer(field, &format!("{at}/field"), found);
        }
    }
}

fn one(connector: &Connector, name: &str, operation: &Operation, compiled: bool, found: &mut Found) {
    let at = format!("/operations/{}", pointer_token(name));
    let known = !name.is_empty()
        && name.len() <= 200
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    if !known {
        let message = format!("'{}' is not a name of an operation", short(name));
        found.add(Code::BadId, at.as_str(), message, "Use letters, digits, _ and -, for example send_message");
    }
    if operation.title.trim().is_empty() {
        found.add(Code::MissingConfig, format!("{at}/title"), "The title is empty", "Say in a few words what it does");
    }
    if !METHODS.contains(&operation.method.as_str()) {
        let message = format!("'{}' is not a method", short(&operation.method));
        found.add(Code::BadConfig, format!("{at}/method"), message, format!("Use one of {}", METHODS.join(", ")));
    }
    path(connector, operation, &at, found);
    parameters(connector, operation, &at, found);
    headers(operation.headers.iter(), &format!("{at}/headers"), found);
    rules(&operation.errors, &format!("{at}/errors"), found);
    if let Some(response) = &operation.response {
        let pointers = [("data", &response.data), ("items", &response.items), ("element", &response.element)];
        for (field, pointer) in pointers.into_iter().filter_map(|(field, pointer)| Some((field, pointer.as_ref()?))) {
            json_pointer(pointer, &format!("{at}/response/{field}"), found);
        }
        refs(connector, &response.schema, &format!("{at}/response/schema"), found);
    }
    pagination(operation, &at, found);
    graphql(connector, operation, &at, found);
    if compiled && let Some(why) = Schema::refusal(&params_schema(connector, operation)) {
        let hint = "Correct the schemas of its parameters";
        found.add(Code::BadConfig, format!("{at}/parameters"), format!("A schema cannot be used: {why}"), hint);
    }
}

fn path(connector: &Connector, operation: &Operation, at: &str, found: &mut Found) {
    let path = &operation.path;
    let place = format!("{at}/path");
    // The server of a GraphQL operation is the whole endpoint.
    let is_endpoint = path.is_empty() && operation.graphql.is_some();
    if !is_endpoint && (!path.starts_with('/') || path.starts_with("//")) {
        let message = format!("'{}' is not a path below the server's address", short(path));
        found.add(Code::BadConfig, place.as_str(), message, "Begin it with one /, without https:// and host");
    } else if path.contains(['?', '#', '\\', ' ']) || path.split('/').any(|part| part == "..") {
        let message = format!("The path '{}' has a query, a fragment, a space or '..'", short(path));
        found.add(Code::BadConfig, place.as_str(), message, "Make queries parameters with in: query");
    }
    let names = placeholders(path);
    let is_of_path = |name: &str| operation.parameters.iter().any(|p| p.place == Place::Path && p.wire_name() == name);
    let secret = connector.auth.iter().any(|scheme| scheme.place == AuthPlace::Path);
    for name in names.iter().filter(|name| !(is_of_path(name) || secret && **name == "credential")) {
        let message = format!("The path uses '{{{name}}}', and no parameter with in: path has this name");
        found.add(Code::UnknownName, place.as_str(), message, "Add the parameter, or remove it from the path");
    }
    for (index, parameter) in operation.parameters.iter().enumerate().filter(|(_, p)| p.place == Place::Path) {
        let place = format!("{at}/parameters/{index}");
        if !names.contains(&parameter.wire_name()) {
            let message = format!("The path does not use the parameter '{}'", parameter.wire_name());
            found.add(Code::UnknownName, place, message, "Put it into the path as {name}");
        } else if !parameter.required {
            let message = format!("The parameter '{}' is a part of the path and not required", parameter.name);
            found.add(Code::BadConfig, place, message, "Write required: true");
        }
    }
}

fn parameters(connector: &Connector, operation: &Operation, at: &str, found: &mut Found) {
    let has_body = operation.body.as_ref().is_some_and(|body| !body.schema.is_null());
    for (index, parameter) in operation.parameters.iter().enumerate() {
        let place = format!("{at}/parameters/{index}");
        let name = parameter.name.as_str();
        if name.is_empty() {
            found.add(Code::BadId, place.as_str(), "The parameter has no name", "Write its name");
        }
        if operation.parameters[..index].iter().any(|earlier| earlier.name == name) {
            let message = format!("Two parameters are called '{name}'");
            found.add(Code::BadId, place.as_str(), message, "Give one another name, and its own one as 'sentAs'");
        }
        if parameter.place == Place::Body && has_body {
            let message = format!("'{name}' is a field of the body, and 'body' describes the whole body");
            found.add(Code::BadConfig, place.as_str(), message, "Keep one of them");
        }
        if parameter.place == Place::Header {
            let one = (&parameter.wire_name().to_owned(), &String::new());
            headers(std::iter::once(one), &place, found);
        }
        let fits = match (parameter.style, parameter.place) {
            (None, _) => true,
            (Some(Style::Simple), place) => matches!(place, Place::Path | Place::Header),
            (Some(Style::Label | Style::Matrix), place) => place == Place::Path,
            (Some(Style::Form), place) => matches!(place, Place::Query | Place::Cookie),
            (Some(Style::SpaceDelimited | Style::PipeDelimited | Style::DeepObject | Style::Brackets), place) => {
                place == Place::Query
            }
        };
        if !fits {
            let message = format!("The parameter '{name}' has a style that its place does not have");
            found.add(Code::BadConfig, format!("{place}/style"), message, "Remove 'style'");
        }
        refs(connector, &parameter.schema, &format!("{place}/schema"), found);
    }
    if let Some(body) = &operation.body {
        refs(connector, &body.schema, &format!("{at}/body/schema"), found);
    }
}

/// A document is sent as it stands, with a selection of fields that is read here.
fn graphql(connector: &Connector, operation: &Operation, at: &str, found: &mut Found) {
    let Some(graphql) = &operation.graphql else { return };
    let at = format!("{at}/graphql");
    let document = graphql.document.trim_start();
    if operation.method != "POST" || !["query", "mutation", "{"].iter().any(|start| document.starts_with(start)) {
        let hint = "Write method: POST, and a document that begins with query or mutation";
        found.add(Code::BadConfig, format!("{at}/document"), "The document is neither a query nor a mutation", hint);
    } else if graphql.selects()
        && let Err((message, hint)) = super::graphql::check(&graphql.fields, graphql, connector)
    {
        found.add(Code::BadConfig, format!("{at}/fields"), message, hint);
    }
}

fn pagination(operation: &Operation, at: &str, found: &mut Found) {
    let Some(pagination) = &operation.pagination else { return };
    let at = format!("{at}/pagination");
    if operation.response.as_ref().is_none_or(|response| response.items.is_none()) {
        let hint = "Write under 'response' items: and the JSON Pointer of the list";
        found.add(Code::MissingConfig, at.as_str(), "Pages need to know where their elements are", hint);
    }
    let pointers: Vec<(&str, &String)> = match pagination {
        Pagination::Link { .. } => Vec::new(),
        Pagination::NextUrl { field, .. } => vec![("field", field)],
        Pagination::Cursor { field, more, .. } => {
            std::iter::once(("field", field)).chain(more.iter().map(|more| ("more", more))).collect()
        }
        Pagination::Page { more, .. } => more.iter().map(|more| ("more", more)).collect(),
        Pagination::Offset { total, .. } => total.iter().map(|total| ("total", total)).collect(),
    };
    for (field, pointer) in pointers {
        json_pointer(pointer, &format!("{at}/{field}"), found);
    }
    if let Pagination::Cursor { path: Some(path), .. } = pagination
        && (!path.starts_with('/') || path.contains(['{', '?', '#']))
    {
        let message = format!("'{}' is not a path of further pages", short(path));
        found.add(
            Code::BadConfig,
            format!("{at}/path"),
            message,
            "Write it from / on and without {parameters}, for example /search/continue",
        );
    }
}

/// Only references to schemas of the file: nothing is fetched.
fn refs(connector: &Connector, schema: &Value, at: &str, found: &mut Found) {
    if let Some(other) = foreign_ref(schema) {
        let message = format!("'{}' is not a reference to a schema of this file", short(other));
        found.add(Code::UnknownName, at, message, "Put the schema under $defs, and write #/$defs/NAME");
    }
    let mut names = Vec::new();
    references(schema, &mut names);
    for name in names.iter().filter(|name| !connector.defs.contains_key(*name)) {
        let near = nearest(name, connector.defs.keys().map(String::as_str));
        let hint = near.map_or_else(|| "Add it under $defs".into(), |near| format!("Did you mean '{near}'?"));
        found.add(Code::UnknownName, at, format!("There is no schema '{name}' under $defs"), hint);
    }
}

fn foreign_ref(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(map) => {
            let own = map
                .get("$ref")
                .and_then(Value::as_str)
                .filter(|to| to.strip_prefix("#/$defs/").is_none_or(|name| name.is_empty() || name.contains('/')));
            own.or_else(|| map.values().find_map(foreign_ref))
        }
        Value::Array(list) => list.iter().find_map(foreign_ref),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests;
