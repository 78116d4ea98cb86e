//! Steps that call an operation of a connector: connector, operation, parameters and variables of the address.

use super::words;
use crate::catalog::{Catalog, nearest};
use crate::config;
use crate::connector::{KnownConnectors, called, graphql, params_schema, placeholders};
use crate::schema::Schema;
use serde_json::{Map, Value};
use signalbox_model::connector::KIND;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Connector, Diagnostic, Node, Operation, Workflow};

/// Every diagnostic of the steps of a workflow that call connectors.
pub(super) fn check(workflow: &Workflow, catalog: &Catalog, known: &KnownConnectors, found: &mut Vec<Diagnostic>) {
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == KIND) {
        let at = format!("/nodes/{}/config", pointer_token(id));
        let step = words::step(node, catalog.get(KIND).map(AsRef::as_ref));
        one(&at, &step, node, known, found);
    }
}

fn did_you_mean<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    nearest(wanted, names).map_or_else(|| otherwise.to_owned(), |near| format!("Did you mean '{near}'?"))
}

fn one(at: &str, step: &str, node: &Node, known: &KnownConnectors, found: &mut Vec<Diagnostic>) {
    // What is not filled in is told about like any other setting.
    let Some((name, operation)) = called(node) else { return };
    let Some(connector) = known.used.get(name) else {
        let diagnostic = match known.problems.get(name) {
            Some(why) => Diagnostic::error(
                Code::UnknownConnector,
                format!("{at}/connector"),
                format!("{step} uses the connector '{name}', whose file cannot be used: {why}"),
                "Correct the file; `signalbox connectors check FILE` lists everything that is wrong with it",
            ),
            None => Diagnostic::error(
                Code::UnknownConnector,
                format!("{at}/connector"),
                format!("{step} uses the connector '{name}', which this machine does not have"),
                did_you_mean(
                    name,
                    known.names.iter().map(String::as_str),
                    "Add it with `signalbox connectors add FILE`; `signalbox connectors list` shows those that there are",
                ),
            ),
        };
        found.push(diagnostic);
        return;
    };
    if operation.is_empty() {
        return;
    }
    let Some(known) = connector.operations.get(operation) else {
        found.push(Diagnostic::error(
            Code::UnknownOperation,
            format!("{at}/operation"),
            format!("{} has no operation '{operation}'", connector.title),
            did_you_mean(
                operation,
                connector.operations.keys().map(String::as_str),
                &format!("`signalbox connectors show {name}` lists its operations"),
            ),
        ));
        return;
    };
    let config = node.config.as_ref().and_then(Value::as_object);
    let setting = |field: &str| config.and_then(|config| config.get(field)).filter(|value| !value.is_null());
    parameters(at, step, setting("params"), connector, known, found);
    selection(at, step, node, connector, known, found);
    if setting("server").is_none() {
        variables(at, step, setting("variables"), connector, found);
    }
    if !connector.auth.is_empty() && !connector.anonymous && setting("credential").is_none() {
        found.push(Diagnostic::warning(
            Code::MissingConfig,
            format!("{at}/credential"),
            format!("{step} has no credential, and {} answers no request without one", connector.title),
            connector.auth.first().and_then(|scheme| scheme.description.clone()).map_or_else(
                || "Choose a credential".to_owned(),
                |what| format!("Store it with `signalbox secret set`, then choose it here: {what}"),
            ),
        ));
    }
}

fn parameters(
    at: &str,
    step: &str,
    params: Option<&Value>,
    connector: &Connector,
    operation: &Operation,
    found: &mut Vec<Diagnostic>,
) {
    let at = format!("{at}/params");
    let empty = Value::Object(Map::new());
    let params = params.unwrap_or(&empty);
    // Not an object: an expression, or an error that is told about elsewhere.
    let Some(given) = params.as_object() else { return };
    let schema = params_schema(connector, operation);
    let names: Vec<&str> = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
    for name in given.keys().filter(|name| !names.contains(&name.as_str())) {
        let otherwise = if names.is_empty() {
            "The operation has no parameters".to_owned()
        } else {
            format!("Its parameters: {}", listed(&names))
        };
        found.push(Diagnostic::error(
            Code::UnknownConfig,
            format!("{at}/{}", pointer_token(name)),
            format!("{step}: “{}” has no parameter '{name}'", operation.title),
            did_you_mean(name, names.iter().copied(), &otherwise),
        ));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if given.get(name).is_none_or(Value::is_null) {
            found.push(Diagnostic::error(
                Code::MissingConfig,
                format!("{at}/{}", pointer_token(name)),
                format!("{step}: “{}” needs the parameter '{name}'", operation.title),
                schema["properties"][name]["description"]
                    .as_str()
                    .map_or_else(|| format!("Fill in '{name}'"), |what| format!("Fill it in: {what}")),
            ));
        }
    }
    let Ok(compiled) = Schema::compile(&schema) else { return };
    let Err(violations) = compiled.validate(params) else { return };
    for violation in violations {
        let told =
            violation.path.is_empty() && matches!(violation.keyword.as_str(), "required" | "additionalProperties");
        // Null stands for a parameter that is not sent.
        let value = params.pointer(&violation.path);
        if told || value.is_some_and(|value| value.is_null() || !config::is_static(value, &Value::Null)) {
            continue;
        }
        let field = words::setting(&schema, &violation.path);
        let message = match words::expected(&schema, &violation.path, &violation.keyword) {
            Some(expected) => format!("{step}: {field} needs {expected}"),
            None => format!("{step}: {field}: {}", violation.message),
        };
        let hint = words::description(&schema, &violation.path).map(str::to_owned);
        let hint = hint.unwrap_or_else(|| format!("Compare it with the documentation of {}", connector.title));
        found.push(Diagnostic::error(Code::BadConfig, format!("{at}{}", violation.path), message, hint));
    }
}

/// The fields that a step selects of a GraphQL service.
fn selection(
    at: &str,
    step: &str,
    node: &Node,
    connector: &Connector,
    operation: &Operation,
    found: &mut Vec<Diagnostic>,
) {
    let Some(fields) = graphql::own_fields(node) else { return };
    let problem = match &operation.graphql {
        Some(of) => graphql::check(fields, of, connector).err(),
        None => Some((
            format!("“{}” is no GraphQL operation, whose fields could be selected", operation.title),
            "Remove the fields".to_owned(),
        )),
    };
    if let Some((message, hint)) = problem {
        let path = format!("{at}/{}", graphql::FIELDS_SETTING);
        found.push(Diagnostic::error(Code::BadConfig, path, format!("{step}: {message}"), hint));
    }
}

/// The first names of a list.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown}, …") } else { shown }
}

fn variables(at: &str, step: &str, given: Option<&Value>, connector: &Connector, found: &mut Vec<Diagnostic>) {
    let Some(server) = connector.servers.first() else {
        found.push(Diagnostic::error(
            Code::MissingConfig,
            format!("{at}/server"),
            format!("{step} needs the address of {}", connector.title),
            "The connector file names no server; write the address here",
        ));
        return;
    };
    let at = format!("{at}/variables");
    let names = placeholders(&server.url);
    let given = given.and_then(Value::as_object);
    for (name, value) in given.into_iter().flatten() {
        let Some(variable) = server.variables.get(name) else {
            let otherwise = if names.is_empty() {
                format!("The address of {} has no variables; remove it", connector.title)
            } else {
                format!("Its variables: {}", names.join(", "))
            };
            found.push(Diagnostic::error(
                Code::UnknownConfig,
                format!("{at}/{}", pointer_token(name)),
                format!("{step}: the address of {} has no variable '{name}'", connector.title),
                did_you_mean(name, names.iter().copied(), &otherwise),
            ));
            continue;
        };
        let text = value.as_str().filter(|text| !text.starts_with('=') && !text.contains("{{"));
        if let Some(text) =
            text.filter(|text| !variable.values.is_empty() && !variable.values.iter().any(|v| v == text))
        {
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("{at}/{}", pointer_token(name)),
                format!("{step}: '{text}' is not a value of the variable '{name}'"),
                format!("Use one of: {}", variable.values.join(", ")),
            ));
        }
    }
    for (name, variable) in &server.variables {
        if variable.default.is_none() && given.is_none_or(|given| given.get(name).is_none_or(Value::is_null)) {
            found.push(Diagnostic::error(
                Code::MissingConfig,
                format!("{at}/{}", pointer_token(name)),
                format!("{step} needs the variable '{name}' of the address of {}", connector.title),
                variable.description.clone().unwrap_or_else(|| format!("Fill in '{name}'")),
            ));
        }
    }
}
