//! Addresses of the service.

use super::document::{Document, Version};
use super::{Findings, short};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::connector::{Server, Variable};

/// The variable of an address without a host.
const HOST: &str = "address";

pub(super) fn of(document: &Document<'_>, findings: &mut Findings) -> Vec<Server> {
    let servers = if document.version == Version::Swagger2 {
        swagger(document.root)
    } else {
        document.root["servers"].as_array().into_iter().flatten().filter_map(open).collect()
    };
    let mut servers: Vec<Server> = servers;
    if servers.is_empty() {
        servers.push(Server::default());
    }
    for server in &mut servers {
        if server.url.starts_with("http://") || server.url.starts_with("https://") || server.url.starts_with('{') {
            continue;
        }
        findings.add("/servers", "The document does not name the service's host; each step gives it as 'address'");
        let path = server.url.trim_matches('/');
        server.url = if path.is_empty() { format!("{{{HOST}}}") } else { format!("{{{HOST}}}/{path}") };
        let description = Some("The address of the service, for example https://api.example.com".to_owned());
        server.variables.insert(HOST.into(), Variable { description, ..Variable::default() });
    }
    servers
}

fn open(server: &Value) -> Option<Server> {
    let url = server["url"].as_str()?.trim();
    let url = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let mut variables: IndexMap<String, Variable> = IndexMap::new();
    for (name, variable) in server["variables"].as_object().into_iter().flatten() {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        variables.insert(
            name.clone(),
            Variable {
                description: variable["description"].as_str().map(|words| short(words, 200)),
                default: text(&variable["default"]),
                values: variable["enum"].as_array().into_iter().flatten().filter_map(text).collect(),
            },
        );
    }
    for name in super::guess::placeholders(url) {
        variables.entry(name.to_owned()).or_default();
    }
    variables.retain(|name, _| url.contains(&format!("{{{name}}}")));
    Some(Server {
        url: url.to_owned(),
        title: server["description"].as_str().map(|words| short(words, 100)),
        variables,
    })
}

fn swagger(root: &Value) -> Vec<Server> {
    let path = root["basePath"].as_str().unwrap_or_default().trim_end_matches('/');
    let Some(host) = root["host"].as_str().filter(|host| !host.is_empty()) else {
        return vec![Server { url: path.to_owned(), ..Server::default() }];
    };
    let schemes: Vec<&str> = root["schemes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let scheme = if schemes.contains(&"https") || schemes.is_empty() { "https" } else { "http" };
    vec![Server { url: format!("{scheme}://{host}{path}"), ..Server::default() }]
}
