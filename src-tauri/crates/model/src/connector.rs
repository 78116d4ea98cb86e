//! A connector: what a service offers, as data. A file describes one service (docs/connectors.md); no part of it is code.

pub mod graphql;
pub mod tasks;

use crate::descriptor::{Effects, Replay};
use crate::oauth::ConnectorSignIn;
use graphql::{GraphQl, GraphQlTypes};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the file format that this program writes and reads.
pub const FORMAT: u32 = 1;
/// The kind of step that calls an operation.
pub const KIND: &str = "connector.call";
/// The setting that holds the whole body of an operation.
pub const BODY: &str = "body";

/// A connector file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Connector {
    /// [`FORMAT`].
    pub connector: u32,
    /// Its name in steps: small letters, digits, `-` and `_`.
    pub name: String,
    /// The name of the service.
    pub title: String,
    /// What the service is, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Where its API is documented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
    /// Other words people search for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Addresses of the service; the first is the default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<Server>,
    /// How requests are authenticated, the preferred way first; empty when nothing is sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub auth: Vec<AuthScheme>,
    /// How a person signs in to the service (OAuth 2), so that only a client id has to be entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<ConnectorSignIn>,
    /// The secret of this machine that new steps begin with, as `secret://name`. An import writes it; no call reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Requests without a credential are answered as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anonymous: bool,
    /// Headers of every request.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// JSON Pointers into an error response where its message may be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub error_message: Vec<String>,
    /// What responses mean that are errors; the first match counts. Without a match, the status decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorRule>,
    /// How many requests the service accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// What tasks of the inbox become in the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<tasks::TaskMapping>,
    /// Operations by name.
    pub operations: IndexMap<String, Operation>,
    /// Types of a GraphQL service whose fields can be selected.
    #[serde(default, rename = "graphqlTypes", skip_serializing_if = "IndexMap::is_empty")]
    pub graphql_types: GraphQlTypes,
    /// Schemas that operations share, named by `#/$defs/NAME`.
    #[serde(default, rename = "$defs", skip_serializing_if = "IndexMap::is_empty")]
    pub defs: IndexMap<String, Value>,
}

/// An address of the service.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Server {
    /// The address that paths are added to; `{name}` is a variable.
    pub url: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Variables of the address.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub variables: IndexMap<String, Variable>,
}

/// A variable of a server's address.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Variable {
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its value when a step gives none; without it, a step must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The values that it may have; empty for any.
    #[serde(default, rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// How a request is authenticated. The secret comes from the step's credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthScheme {
    /// Where the secret goes.
    #[serde(rename = "type")]
    pub place: AuthPlace,
    /// Name of the header or of the query parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What precedes the secret in a header, for example `Token `.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// What kind of secret it is, and where a person gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where a token is requested (`clientCredentials`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_url: Option<String>,
    /// Scopes of the token (`clientCredentials`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// Where a secret goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AuthPlace {
    /// `Authorization: Bearer SECRET`.
    Bearer,
    /// `Authorization: Basic`, user and password.
    Basic,
    /// A header.
    Header,
    /// A query parameter.
    Query,
    /// A part of the path: `{credential}` in the path of an operation.
    Path,
    /// OAuth 2: the client id and its secret are exchanged for a bearer token.
    ClientCredentials,
}

/// Requests in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RateLimit {
    /// Number of requests.
    pub requests: u32,
    /// In so many seconds.
    pub per_seconds: u32,
}

/// One thing that the service does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Operation {
    /// Shown to people, sentence case.
    pub title: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Group within the service, for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Other words people search for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// The method, in capital letters.
    pub method: String,
    /// The path below the server's address; `{name}` is a parameter.
    pub path: String,
    /// What it does outside; by the method when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<OperationEffects>,
    /// The service itself recognises a request that is sent twice, or a repetition does no harm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeatable: Option<bool>,
    /// Still offered, but to be avoided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Its parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// Its body, when that is one value and no parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Body>,
    /// Headers of its requests, besides those of the connector.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub headers: IndexMap<String, String>,
    /// The GraphQL document that it sends; its parameters are variables then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphql: Option<GraphQl>,
    /// Its response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// How further pages are found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pagination: Option<Pagination>,
    /// Error rules that come before those of the connector.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorRule>,
}

/// What an operation does outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OperationEffects {
    /// It only looks.
    Read,
    /// It changes something.
    Write,
}

/// A parameter of an operation, as a step sets it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parameter {
    /// Its name in steps.
    pub name: String,
    /// Where it goes.
    #[serde(rename = "in")]
    pub place: Place,
    /// Its name in the request, when that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_as: Option<String>,
    /// A step must give it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// What it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its JSON Schema.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    /// How lists and objects are written; the usual way of the place when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// Each value of a list or an object gets its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
    /// Characters such as `/` are not encoded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_reserved: bool,
    /// The value is sent as JSON text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub json: bool,
}

impl Parameter {
    /// Its name in the request.
    pub fn wire_name(&self) -> &str {
        self.sent_as.as_deref().unwrap_or(&self.name)
    }
}

/// Where a parameter goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// A part of the path.
    Path,
    /// Added to the address.
    #[default]
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
    /// A field of the body.
    Body,
}

/// How a list or an object is written (OpenAPI; RFC 6570 has the same forms).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Style {
    /// `a,b` (path, header).
    Simple,
    /// `.a.b` (path).
    Label,
    /// `;name=a;name=b` (path).
    Matrix,
    /// `name=a&name=b`, or `name=a,b` (query, cookie).
    Form,
    /// `name=a%20b` (query).
    SpaceDelimited,
    /// `name=a|b` (query).
    PipeDelimited,
    /// `name[field]=a` (query).
    DeepObject,
    /// `name[]=a&name[]=b` (query).
    Brackets,
}

/// A body that is one value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Body {
    /// A step must give it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Content type; JSON when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its JSON Schema; null when the body is made of parameters only.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    /// Fields that every request has.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub fields: IndexMap<String, Value>,
}

/// A successful response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Response {
    /// Statuses that mean success; every 2xx when it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<u16>,
    /// JSON Pointer of the part that the step passes on; the whole response when it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// JSON Pointer of a list whose elements become items; then `data` is not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// JSON Pointer into each element of `items` to the part that is passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// JSON Schema of what the step passes on: of one element where `items` is set.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
}

/// How further pages are found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Pagination {
    /// The header `Link` with `rel="next"` (RFC 8288).
    Link {
        /// Parameter with the number of elements of a page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<PageSize>,
    },
    /// The response has the address of the next page.
    NextUrl {
        /// JSON Pointer of it.
        field: String,
        /// Parameter with the number of elements of a page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<PageSize>,
    },
    /// The response has a value that the next request sends.
    Cursor {
        /// The parameter that it is sent as.
        parameter: String,
        /// JSON Pointer of the value; of the last element when `last` is set.
        field: String,
        /// The value is a field of the last element.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        last: bool,
        /// JSON Pointer of a true or false that says whether there is more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more: Option<String>,
        /// The path of further pages, where it is another one; only the value is sent there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// Parameter with the number of elements of a page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<PageSize>,
    },
    /// Pages have numbers.
    Page {
        /// The parameter with the number.
        parameter: String,
        /// Number of the first page.
        #[serde(default = "one")]
        first: u64,
        /// JSON Pointer of a true or false that says whether there is more; else an empty or short page is the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        more: Option<String>,
        /// Parameter with the number of elements of a page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<PageSize>,
    },
    /// Elements are counted.
    Offset {
        /// The parameter with the number of elements before the page.
        parameter: String,
        /// JSON Pointer of the number of all elements; else an empty or short page is the last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        total: Option<String>,
        /// Parameter with the number of elements of a page.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        size: Option<PageSize>,
    },
}

fn one() -> u64 {
    1
}

impl Pagination {
    /// The parameter with the size of a page.
    pub fn size(&self) -> Option<&PageSize> {
        match self {
            Self::Link { size }
            | Self::NextUrl { size, .. }
            | Self::Cursor { size, .. }
            | Self::Page { size, .. }
            | Self::Offset { size, .. } => size.as_ref(),
        }
    }

    /// The parameter that leads to the next page.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::Link { .. } | Self::NextUrl { .. } => None,
            Self::Cursor { parameter, .. } | Self::Page { parameter, .. } | Self::Offset { parameter, .. } => {
                Some(parameter)
            }
        }
    }
}

/// The parameter with the number of elements of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageSize {
    /// The parameter.
    pub parameter: String,
    /// What is sent when the step does not set it: the most that the service gives.
    pub value: u64,
}

/// What a response means that is an error. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorRule {
    /// Statuses: `404` or `5xx`; any when it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<String>,
    /// JSON Pointer into the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What `field` is one of; without it, the field is there and not null.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equals: Vec<Value>,
    /// A header that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// What that header is; without it, any value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_equals: Option<String>,
    /// What it means.
    pub is: ErrorClass,
    /// A sentence for people, instead of the message of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What an error means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ErrorClass {
    /// The service has a problem; the same request may succeed later.
    Retryable,
    /// Too many requests; a later one succeeds.
    RateLimit,
    /// The credential is missing, wrong, or may not do this.
    Authentication,
    /// The request is wrong.
    Validation,
    /// What the request names does not exist.
    NotFound,
    /// The service refuses for another reason.
    Failed,
    /// It is no error.
    Success,
}

impl Operation {
    /// What it does outside.
    pub fn effect(&self) -> Effects {
        match self.effects {
            Some(OperationEffects::Read) => Effects::Read,
            Some(OperationEffects::Write) => Effects::Write,
            None if matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS") => Effects::Read,
            None => Effects::Write,
        }
    }

    /// What happens to a call that a crash interrupted.
    pub fn replay(&self) -> Replay {
        let safe = self.effect() == Effects::Read || matches!(self.method.as_str(), "PUT" | "DELETE");
        if self.repeatable.unwrap_or(safe) { Replay::Safe } else { Replay::Ask }
    }

    /// A parameter by its name in steps.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The schemas that it holds.
    pub fn schemas(&self) -> impl Iterator<Item = &Value> {
        let parameters = self.parameters.iter().map(|parameter| &parameter.schema);
        let body = self.body.iter().map(|body| &body.schema);
        parameters.chain(body).chain(self.response.iter().map(|response| &response.schema))
    }
}

/// Names of shared schemas that a schema refers to.
pub fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/")) {
                let name = name.replace("~1", "/").replace("~0", "~");
                if !found.contains(&name) {
                    found.push(name);
                }
            }
            map.values().for_each(|inner| references(inner, found));
        }
        Value::Array(list) => list.iter().for_each(|inner| references(inner, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl Connector {
    /// The shared schemas that some schemas refer to, directly or further in, in the order of the file.
    pub fn shared<'a>(&self, schemas: impl Iterator<Item = &'a Value>) -> IndexMap<String, Value> {
        let mut names = Vec::new();
        schemas.for_each(|schema| references(schema, &mut names));
        let mut next = 0;
        while let Some(name) = names.get(next) {
            if let Some(schema) = self.defs.get(name) {
                references(schema, &mut names);
            }
            next += 1;
        }
        let used = self.defs.iter().filter(|(name, _)| names.contains(name));
        used.map(|(name, schema)| (name.clone(), schema.clone())).collect()
    }

    /// The connector with some of its operations and what these need.
    pub fn only(&self, operations: &[&str]) -> Self {
        let kept = self.operations.iter().filter(|(name, _)| operations.contains(&name.as_str()));
        let kept: IndexMap<String, Operation> = kept.map(|(name, one)| (name.clone(), one.clone())).collect();
        let defs = self.shared(kept.values().flat_map(Operation::schemas));
        Self { operations: kept, defs, ..self.head() }
    }

    /// Everything that calls need but operations and schemas.
    pub fn head(&self) -> Self {
        Self {
            connector: self.connector,
            name: self.name.clone(),
            title: self.title.clone(),
            description: self.description.clone(),
            docs: self.docs.clone(),
            keywords: self.keywords.clone(),
            servers: self.servers.clone(),
            auth: self.auth.clone(),
            // For whoever makes a credential; no call needs it.
            sign_in: None,
            // Each step names its own.
            credential: None,
            anonymous: self.anonymous,
            headers: self.headers.clone(),
            error_message: self.error_message.clone(),
            errors: self.errors.clone(),
            rate_limit: self.rate_limit,
            tasks: None,
            operations: IndexMap::new(),
            graphql_types: GraphQlTypes::new(),
            defs: IndexMap::new(),
        }
    }
}
