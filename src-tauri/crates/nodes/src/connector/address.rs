//! The address of a call: the server's with its variables, the path with its parameters.

use super::styles::{self, encoded};
use crate::support::{setting, wrong_setting};
use serde_json::{Map, Value};
use signalbox_engine::connector::file::wrong_address;
use signalbox_engine::connector::placeholders;
use signalbox_engine::effect::CallSlot;
use signalbox_model::connector::{Place, Server};
use signalbox_model::{Connector, NodeFailure, Operation};
use url::Url;

fn invalid(field: &str, message: impl Into<String>) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", message).detail("field", field)
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

/// The server's address, without a slash at its end.
pub(crate) fn server(slot: &CallSlot, connector: &Connector) -> Result<String, NodeFailure> {
    if let Some(own) = setting(slot, "server") {
        let own = own.as_str().ok_or_else(|| wrong_setting("server", "text", own))?.trim();
        if own.starts_with('{') {
            return Err(invalid("server", "The address of the server begins with https:// or http://"));
        }
        return match wrong_address(own) {
            Some(why) => Err(invalid("server", format!("'{}' is not an address of a server: {why}", short(own)))),
            None => Ok(own.trim_end_matches('/').to_owned()),
        };
    }
    let Some(server) = connector.servers.first() else {
        let message = format!("The connector of {} names no server; write its address in the step", connector.title);
        return Err(invalid("server", message));
    };
    let empty = Map::new();
    let given = match setting(slot, "variables") {
        None => &empty,
        Some(Value::Object(given)) => given,
        Some(other) => return Err(wrong_setting("variables", "an object of name and value", other)),
    };
    let written = with_variables(server, given)?;
    match wrong_address(&written) {
        Some(why) => {
            let message = format!("The address of {} cannot be used with these variables: {why}", connector.title);
            Err(invalid("variables", message))
        }
        None => Ok(written.trim_end_matches('/').to_owned()),
    }
}

fn with_variables(server: &Server, given: &Map<String, Value>) -> Result<String, NodeFailure> {
    let mut url = server.url.clone();
    let host_ends = {
        let from = url.find("://").map_or(0, |at| at + 3);
        url[from..].find('/').map_or(url.len(), |at| from + at)
    };
    for name in placeholders(&server.url) {
        let field = format!("variables.{name}");
        let described = server.variables.get(name);
        let value = match given.get(name).filter(|value| !value.is_null()) {
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(number @ Value::Number(_)) => number.to_string(),
            Some(other) => return Err(wrong_setting(&field, "text", other)),
            None => described
                .and_then(|variable| variable.default.clone())
                .ok_or_else(|| invalid(&field, format!("The variable '{name}' of the address is missing")))?,
        };
        if let Some(values) = described.map(|variable| &variable.values).filter(|values| !values.is_empty())
            && !values.contains(&value)
        {
            let message =
                format!("'{}' is not a value of the variable '{name}'; use {}", short(&value), values.join(", "));
            return Err(invalid(&field, message));
        }
        let place = server.url.find(&format!("{{{name}}}")).unwrap_or_default();
        // A value must not lead to another host: it is a part of a name, or of a path.
        let fits = if server.url.starts_with('{') && place == 0 {
            wrong_address(&value).is_none() && !value.starts_with('{')
        } else if place < host_ends {
            !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':'))
        } else {
            !value.split('/').any(|part| part == "." || part == "..")
                && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '~' | '/'))
        };
        if !fits {
            let message = format!("'{}' cannot be a part of the address, as the variable '{name}'", short(&value));
            return Err(invalid(&field, message));
        }
        url = url.replace(&format!("{{{name}}}"), &value);
    }
    Ok(url)
}

/// The path of an operation with its parameters.
pub(crate) fn path(operation: &Operation, params: &Map<String, Value>) -> Result<String, NodeFailure> {
    let mut path = operation.path.clone();
    for parameter in operation.parameters.iter().filter(|parameter| parameter.place == Place::Path) {
        let field = format!("params.{}", parameter.name);
        let value = params.get(&parameter.name).filter(|value| !value.is_null());
        let value = value.ok_or_else(|| invalid(&field, format!("The parameter '{}' is missing", parameter.name)))?;
        let written = styles::in_path(parameter, value)?;
        // Those would be another path.
        if written.is_empty() || written == "." || written == ".." {
            let message = format!("The parameter '{}' is empty or leads to another path", parameter.name);
            return Err(invalid(&field, message));
        }
        path = path.replace(&format!("{{{}}}", parameter.wire_name()), &written);
    }
    Ok(path)
}

/// Server, path and query as one address.
pub(crate) fn whole(server: &str, path: &str, query: &[String]) -> Result<Url, NodeFailure> {
    let mut text = format!("{server}{path}");
    if !query.is_empty() {
        text.push('?');
        text.push_str(&query.join("&"));
    }
    Url::parse(&text).map_err(|error| invalid("server", format!("'{}' is not an address: {error}", short(&text))))
}

/// A pair of a query, encoded.
pub(crate) fn pair(name: &str, value: &str, reserved: bool) -> String {
    // Brackets stay readable; every server reads them so.
    let name = encoded(name).replace("%5B", "[").replace("%5D", "]");
    let value = if reserved { styles::encoded_reserved(value) } else { encoded(value).replace("%2C", ",") };
    format!("{name}={value}")
}
