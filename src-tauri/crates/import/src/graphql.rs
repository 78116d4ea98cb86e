//! GraphQL services as connectors, from what they say about themselves (introspection). Queries and mutations become operations
//! with variables; a document never contains a value. What is left out is a finding.

mod arguments;
mod operation;
mod selection;
mod types;

use crate::openapi::{Compiled, Findings, MESSAGES, Refused, short, slug};
use crate::usual_auth;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::Connector;
use signalbox_model::connector::{FORMAT, Server, Variable};
use types::Types;

/// How a service is compiled.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the connector; from the host of the address when it is absent.
    pub name: Option<String>,
    /// Address of the endpoint; without it, each step says it.
    pub address: Option<String>,
}

/// What a service is asked for. `specifiedByURL` and `isOneOf` are asked for only where the service knows them.
pub fn query(knows_one_of: bool) -> String {
    let one_of = if knows_one_of { "isOneOf" } else { "" };
    format!(
        "query IntrospectionQuery {{ __schema {{ queryType {{ name }} mutationType {{ name }} subscriptionType {{ name }} types {{ \
         kind name description {one_of} fields(includeDeprecated: true) {{ name description isDeprecated args {{ ...Input }} \
         type {{ ...Type }} }} inputFields {{ ...Input }} enumValues(includeDeprecated: true) {{ name isDeprecated }} \
         possibleTypes {{ name }} }} }} }} \
         fragment Input on __InputValue {{ name description defaultValue type {{ ...Type }} }} \
         fragment Type on __Type {{ kind name ofType {{ kind name ofType {{ kind name ofType {{ kind name ofType {{ kind name \
         ofType {{ kind name ofType {{ kind name ofType {{ kind name }} }} }} }} }} }} }} }}"
    )
}

/// Asks whether the service knows `isOneOf`.
pub const CAPABILITIES: &str = "query IntrospectionQuery { __type(name: \"__Type\") { fields { name } } }";

/// Whether the answer to [`CAPABILITIES`] names `isOneOf`.
pub fn knows_one_of(answer: &Value) -> bool {
    let fields = answer.pointer("/data/__type/fields").and_then(Value::as_array);
    fields.into_iter().flatten().any(|field| field["name"] == "isOneOf")
}

/// Whether a value is what a service says about itself.
pub fn is_introspection(value: &Value) -> bool {
    schema_of(value).is_some()
}

fn schema_of(value: &Value) -> Option<&Value> {
    let schema = value.get("__schema").or_else(|| value.get("data")?.get("__schema"))?;
    schema.get("types").is_some().then_some(schema)
}

/// Compiles what a service says about itself.
///
/// # Errors
/// It is no introspection result, or has no operation that can be used.
pub fn compile(value: &Value, options: &Options) -> Result<Compiled, Refused> {
    let Some(schema) = schema_of(value) else {
        let message = "The file is not the result of a GraphQL introspection: it has no '__schema' with 'types'";
        let hint = "Save the whole answer to an introspection query, as JSON";
        return Err(Refused::new(message, hint));
    };
    let mut findings = Findings::default();
    let types = Types::new(schema, &mut findings);
    let title = title(options.address.as_deref());
    let (server, path) = server(options.address.as_deref());
    let made = operation::all(schema, &types, &path, &mut findings);
    if made.operations.known.is_empty() {
        let message = "The service has neither queries nor mutations that can be used";
        return Err(Refused::new(message, "Ask the service for a complete introspection result"));
    }
    let connector = Connector {
        connector: FORMAT,
        name: options.name.clone().unwrap_or_else(|| slug(&title)),
        description: "Queries and mutations of a GraphQL service.".to_owned(),
        keywords: vec!["graphql".into()],
        // Many services are found at one host, and a person knows them by the name that they gave.
        title: options.name.clone().unwrap_or(title),
        servers: vec![server],
        auth: usual_auth::all(),
        anonymous: true,
        error_message: std::iter::once("/errors/0/message").chain(MESSAGES).map(str::to_owned).collect(),
        operations: made.operations.known,
        graphql_types: made.types,
        defs: made.defs,
        ..Connector::default()
    };
    crate::openapi::finished(connector, findings, made.operations.left_out)
}

fn title(address: Option<&str>) -> String {
    let host = address.and_then(|address| address.split("://").nth(1)).and_then(|rest| rest.split(['/', ':']).next());
    let host = host.map(|host| host.trim_start_matches("www.")).filter(|host| !host.is_empty());
    host.map_or_else(|| "GraphQL API".to_owned(), |host| short(host, 90))
}

/// The server is the whole endpoint; the path only says whether it ends with a slash, which some services insist on.
fn server(address: Option<&str>) -> (Server, String) {
    let Some(address) = address else {
        let description = "Address of the GraphQL endpoint, for example https://api.example.com/graphql.";
        let variable = Variable { description: Some(description.to_owned()), ..Variable::default() };
        let variables = IndexMap::from([("address".to_owned(), variable)]);
        return (Server { url: "{address}".into(), title: None, variables }, String::new());
    };
    let url = address.trim_end_matches('/');
    let path = if url.len() == address.len() { "" } else { "/" };
    (Server { url: url.to_owned(), ..Server::default() }, path.to_owned())
}
