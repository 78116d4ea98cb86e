//! What is wrong with the `tasks` section of a connector file.

use super::params_schema;
use crate::catalog::nearest;
use crate::expr::{Expr, value_refs};
use crate::webhook::Webhook;
use serde_json::{Value, json};
use signalbox_model::connector::tasks::{TaskCall, TaskDecisions};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Code, Connector, Diagnostic, Effects, TaskAction};

/// Answers that a value may stand for: those that need nothing but themselves.
const ANSWERS: [TaskAction; 5] =
    [TaskAction::Approve, TaskAction::Reject, TaskAction::Retry, TaskAction::Skip, TaskAction::Abort];

/// The answer that a word in `values` stands for.
pub fn answer_of(word: &str) -> Option<TaskAction> {
    TaskAction::parse(word).filter(|action| ANSWERS.contains(action))
}

/// Names of the answers that a value may stand for.
pub fn answers() -> String {
    ANSWERS.map(TaskAction::as_str).join(", ")
}

fn expression(text: &str, at: String, found: &mut Vec<Diagnostic>) {
    if let Err(error) = Expr::compile(text) {
        let message = format!("The expression cannot be read: {error}");
        found.push(Diagnostic::error(Code::CelSyntax, at, message, "Correct it, for example item.answer.id"));
    }
}

fn templates(value: &Value, at: &str, found: &mut Vec<Diagnostic>) {
    for (pointer, compiled) in value_refs(value) {
        if let Err(error) = compiled {
            let message = format!("The expression cannot be read: {error}");
            let hint = "Correct it, for example {{item.task.title}}";
            found.push(Diagnostic::error(Code::CelSyntax, format!("{at}{pointer}"), message, hint));
        }
    }
}

/// Everything that is wrong with the section; empty without one.
pub(super) fn problems(connector: &Connector) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(mapping) = &connector.tasks else { return found };
    for (name, setting) in &mapping.settings {
        if setting.title.trim().is_empty() {
            let at = format!("/tasks/settings/{}/title", pointer_token(name));
            found.push(Diagnostic::error(Code::MissingConfig, at, "The title is empty", "Name the setting"));
        }
    }
    for (name, text) in &mapping.templates {
        templates(&Value::from(text.as_str()), &format!("/tasks/templates/{}", pointer_token(name)), &mut found);
    }
    for (list, calls) in mapping.lists() {
        for (index, call) in calls.iter().enumerate() {
            one(connector, call, &format!("/tasks/{list}/{index}"), matches!(list, "find" | "test"), &mut found);
        }
    }
    for (list, calls) in [("create", &mapping.create), ("close", &mapping.close)] {
        if calls.is_empty() {
            let message = format!("Nothing says how a task is {}", if list == "create" { "created" } else { "closed" });
            let hint = "Name at least one operation";
            found.push(Diagnostic::error(Code::MissingConfig, format!("/tasks/{list}"), message, hint));
        }
    }
    for (list, calls) in [("create", &mapping.create), ("find", &mapping.find)] {
        if !calls.is_empty() && !calls.iter().any(|call| call.keep.contains_key("id")) {
            let message = "No call keeps 'id', by which the entry is found again";
            let hint = "Write for example keep: { id: item.answer.id }";
            found.push(Diagnostic::error(Code::MissingConfig, format!("/tasks/{list}"), message, hint));
        }
    }
    if let Some(decisions) = &mapping.decisions {
        decided(decisions, &mut found);
    }
    found
}

fn one(connector: &Connector, call: &TaskCall, at: &str, only_reads: bool, found: &mut Vec<Diagnostic>) {
    let Some(operation) = connector.operations.get(&call.operation) else {
        let message = format!("There is no operation '{}'", call.operation);
        let near = nearest(&call.operation, connector.operations.keys().map(String::as_str));
        let hint =
            near.map_or_else(|| "Name an operation of this file".into(), |near| format!("Did you mean '{near}'?"));
        found.push(Diagnostic::error(Code::UnknownName, format!("{at}/operation"), message, hint));
        return;
    };
    if only_reads && operation.effect() != Effects::Read {
        let message = format!("'{}' changes something, and this call may only look", call.operation);
        found.push(Diagnostic::error(
            Code::BadConfig,
            format!("{at}/operation"),
            message,
            "Name an operation that reads",
        ));
    }
    let schema = params_schema(connector, operation);
    let names: Vec<&str> = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
    for name in call.params.keys().filter(|name| !names.contains(&name.as_str())) {
        let message = format!("'{}' has no parameter '{name}'", call.operation);
        let hint = nearest(name, names.iter().copied())
            .map_or_else(|| format!("Use {}", names.join(", ")), |near| format!("Did you mean '{near}'?"));
        found.push(Diagnostic::error(Code::UnknownName, format!("{at}/params/{}", pointer_token(name)), message, hint));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !call.params.contains_key(name) {
            let message = format!("The parameter '{name}' of '{}' is missing", call.operation);
            found.push(Diagnostic::error(Code::MissingConfig, format!("{at}/params"), message, "Give it a value"));
        }
    }
    templates(&Value::Object(call.params.clone()), &format!("{at}/params"), found);
    for (field, text) in [("when", &call.when), ("select", &call.select)] {
        if let Some(text) = text {
            expression(text, format!("{at}/{field}"), found);
        }
    }
    for (name, text) in &call.keep {
        expression(text, format!("{at}/keep/{}", pointer_token(name)), found);
    }
}

/// `auth` of a destination's webhook, with the secret that it names.
pub fn webhook_auth(decisions: &TaskDecisions, secret: &str) -> Result<Webhook, String> {
    let mut auth = Value::Object(decisions.auth.clone());
    auth["secret"] = format!("secret://{secret}").into();
    let read = Webhook::read(&json!({ "path": "tasks", "auth": auth }));
    read.map_err(|problems| problems.first().map_or_else(String::new, |one| format!("{} ({})", one.message, one.hint)))
}

fn decided(decisions: &TaskDecisions, found: &mut Vec<Diagnostic>) {
    let at = "/tasks/decisions";
    match decisions.auth.get("type").and_then(Value::as_str) {
        Some("secret" | "hmac" | "basic") => {
            if let Err(why) = webhook_auth(decisions, "name") {
                found.push(Diagnostic::error(Code::BadConfig, format!("{at}/auth"), why, "Correct it"));
            }
        }
        _ => {
            let message = "Nothing says how the service shows who it is: a decision is never taken from just anybody";
            let hint = "Write for example auth: { type: hmac, preset: github }";
            found.push(Diagnostic::error(Code::BadConfig, format!("{at}/auth/type"), message, hint));
        }
    }
    if decisions.auth.contains_key("secret") {
        let message = "The file names a secret; a destination names its own";
        found.push(Diagnostic::error(Code::SecretPlace, format!("{at}/auth/secret"), message, "Remove it"));
    }
    let when = decisions.when.iter().map(|text| ("when", text));
    let fields = [("id", &decisions.id), ("value", &decisions.value), ("person", &decisions.person)];
    for (field, text) in fields.into_iter().chain(when) {
        expression(text, format!("{at}/{field}"), found);
    }
    for (value, word) in decisions.values.iter().filter(|(_, word)| answer_of(word).is_none()) {
        let message = format!("'{word}' is not an answer that a value can stand for");
        let at = format!("{at}/values/{}", pointer_token(value));
        found.push(Diagnostic::error(Code::BadConfig, at, message, format!("Use one of {}", answers())));
    }
}

#[cfg(test)]
mod tests;
