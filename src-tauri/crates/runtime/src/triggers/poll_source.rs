//! The source of a `trigger.poll`: what is sent, with the code of `http.request`, so that secrets, hosts and limits hold as they
//! do there; and what its answer lists.

use super::error::{Class, TriggerError};
use super::source_call::source_call;
use serde_json::{Value, json};
use signalbox_engine::catalog::Catalog;
use signalbox_engine::config::{self, TRUSTED};
use signalbox_engine::effect::Call;
use signalbox_engine::expr::Expr;
use signalbox_engine::params;
use signalbox_engine::schedule::Schedule;
use signalbox_engine::scope::Scope;
use signalbox_engine::validate::poll_source_workflow;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Map, Node, NodeFailure, Workflow, time};
use signalbox_nodes::{Kind, run_effect};
use signalbox_ports::{Unheard, World};
use std::sync::Arc;

/// The kind of step that asks a source.
pub const KIND: &str = "trigger.poll";
/// The kind of step whose code sends the request.
const REQUEST: &str = "http.request";
/// Settings that are those of a request.
const REQUEST_FIELDS: [&str; 7] = ["method", "url", "query", "headers", "credential", "body", "timeoutMs"];
/// Items that a source may list at once.
const MAX_ITEMS: usize = 10_000;
/// When the settings do not say how often, milliseconds.
const EVERY_MS: i64 = 300_000;

/// The settings of a trigger that asks a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Poll {
    /// As the step has them.
    pub config: Value,
    pub(crate) every_ms: i64,
    pub(crate) takes_existing: bool,
}

/// What a source lists.
#[derive(Debug, Default)]
pub struct Listed {
    /// Key and item, in the order of the source; of items with the same key the first.
    pub items: Vec<(String, Value)>,
    /// The largest cursor.
    pub cursor: Option<Value>,
}

impl Poll {
    /// From the settings of the step.
    pub fn read(config: Value) -> Self {
        let every_ms = config.get("every").and_then(Value::as_i64).unwrap_or(EVERY_MS);
        let takes_existing = config.get("existing").and_then(Value::as_str) == Some("process");
        Self { config, every_ms, takes_existing }
    }

    /// When it asks.
    pub fn schedule(&self) -> Schedule {
        Schedule::every(self.every_ms)
    }

    /// Keys are compared among those of the same source (address or workflow) and key expression only.
    pub(crate) fn namespace(&self) -> String {
        let named = match self.source_workflow() {
            Some(id) => json!(["workflow", id, self.config["key"]]),
            None => json!([self.config["url"], self.config["key"]]),
        };
        sha256_hex(named.to_string().as_bytes())
    }

    /// The id of the workflow that is the source; none when it is an address.
    pub fn source_workflow(&self) -> Option<&str> {
        poll_source_workflow(&self.config)
    }

    /// What the expressions of the settings see.
    pub(crate) fn scope(workflow: &Workflow, cursor: Value) -> Scope {
        let mut scope = Scope::empty();
        scope.params = Arc::new(params::complete(workflow, &json!({})));
        scope.workflow = Arc::new(json!({ "id": workflow.id }));
        scope.item = json!({ "cursor": cursor }).into();
        scope
    }

    fn expression(&self, field: &str) -> Result<Option<Expr>, NodeFailure> {
        let text = self.config.get(field).and_then(Value::as_str);
        text.map(Expr::compile).transpose().map_err(|error| error.failure(field))
    }

    /// The request of the source as a call of a step. `here`: a person on this machine answers for it.
    fn call(
        &self,
        catalog: &Catalog,
        workflow: &Arc<Workflow>,
        cursor: Value,
        here: bool,
    ) -> Result<Call, NodeFailure> {
        let descriptor = catalog.get(KIND).ok_or_else(no_code)?;
        let scope = Self::scope(workflow, cursor);
        let mut fields = self.config.as_object().cloned().unwrap_or_default();
        fields.retain(|name, _| REQUEST_FIELDS.contains(&name.as_str()));
        // The fields of the trigger are left to this place; those of a request are the same and are evaluated.
        let form = catalog.get(REQUEST).ok_or_else(no_code)?;
        let mut request = config::evaluate(&Value::Object(fields), Some(&form.config), &scope)
            .map_err(|error| error.failure("url"))?;
        request["responseType"] = json!("json");
        let node = Node { kind: KIND.to_owned(), config: Some(self.config.clone()), ..Node::default() };
        let loopback_allowed = here && !config::host_from_data(&node, descriptor, TRUSTED);
        Ok(source_call(REQUEST, request, scope, workflow, loopback_allowed))
    }

    /// Asks the source; gives `{status, headers, response}`.
    pub async fn ask(
        &self,
        world: &World,
        catalog: &Catalog,
        workflow: &Arc<Workflow>,
        cursor: Value,
        here: bool,
    ) -> Result<Value, NodeFailure> {
        let call = self.call(catalog, workflow, cursor, here)?;
        let (Some(Kind::Effect(code)), Some(slot)) = (signalbox_nodes::small_kind(REQUEST), call.slots.first()) else {
            return Err(no_code());
        };
        let output = run_effect(code, &call, slot, world, &Unheard).await?;
        let answer = output.ports.get("success").and_then(|items| items.data(0));
        answer.map(|answer| Value::clone(&answer)).ok_or_else(no_code)
    }

    /// What an answer lists.
    pub fn listed(&self, answer: Value) -> Result<Listed, NodeFailure> {
        let list = match self.expression("items")? {
            Some(items) => {
                let mut scope = Scope::empty();
                scope.item = answer.into();
                items.eval(&scope).map_err(|error| error.failure("items"))?
            }
            None => answer.get("response").cloned().unwrap_or_default(),
        };
        let list = match list {
            Value::Array(list) => list,
            Value::Null => Vec::new(),
            _ => {
                let words = "The source answers with something that is no list. Say in Items where the list is, for example item.response.orders";
                return Err(NodeFailure::validation("NO_LIST", words).detail("field", "items"));
            }
        };
        if list.len() > MAX_ITEMS {
            let words = format!("The source lists {} items, more than {MAX_ITEMS}. Ask for fewer", list.len());
            return Err(NodeFailure::validation("TOO_LARGE", words).detail("field", "items"));
        }
        let key = self.expression("key")?.ok_or_else(|| {
            NodeFailure::validation("INPUT_INVALID", "No key says which items are the same").detail("field", "key")
        })?;
        let cursor = self.expression("cursor")?;
        let (namespace, mut known) = (self.namespace(), std::collections::HashSet::new());
        let (mut listed, mut scope) = (Listed::default(), Scope::empty());
        for (index, item) in list.into_iter().enumerate() {
            let item = Arc::new(item);
            scope.item = Arc::clone(&item).into();
            let of_item = |failure: NodeFailure| {
                let message = format!("Item {index} of the source: {}", failure.message);
                NodeFailure { message, ..failure }.detail("index", index)
            };
            let value = key.eval(&scope).map_err(|error| of_item(error.failure("key")))?;
            if matches!(value, Value::Null | Value::Object(_)) {
                let words = "its key is no text, number or list of these";
                return Err(of_item(NodeFailure::validation("BAD_KEY", words).detail("field", "key")));
            }
            if let Some(cursor) = &cursor {
                let value = cursor.eval(&scope).map_err(|error| of_item(error.failure("cursor")))?;
                listed.cursor = Some(match listed.cursor.take() {
                    Some(largest) => larger(largest, value),
                    None => value,
                });
            }
            let key = sha256_hex(format!("{namespace} {value}").as_bytes());
            if known.insert(key.clone()) {
                scope.item = Value::Null.into();
                listed.items.push((key, Arc::unwrap_or_clone(item)));
            }
        }
        listed.cursor = listed.cursor.filter(|cursor| !cursor.is_null());
        Ok(listed)
    }
}

/// Numbers by size, texts as they are sorted; of values that have no order the later one.
pub(crate) fn larger(one: Value, other: Value) -> Value {
    let keeps = match (&one, &other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() >= other.as_f64(),
        (Value::String(one), Value::String(other)) => one >= other,
        (_, Value::Null) => true,
        _ => false,
    };
    if keeps { one } else { other }
}

fn no_code() -> NodeFailure {
    NodeFailure::tool("INTERNAL", "The request cannot be sent by this program")
}

/// What the trigger hands on.
pub(super) fn event(trigger: &str, items: Vec<Value>, now_ms: i64, manual: bool) -> Map {
    let event = json!({ "items": items, "polledAt": time::format(now_ms), "triggerId": trigger, "manual": manual });
    event.as_object().cloned().unwrap_or_default()
}

/// Why the source could not be asked, for a person.
pub(crate) fn told(failure: &NodeFailure) -> String {
    let message = failure.message.trim_end_matches('.');
    format!("The source cannot be read: {message} ({}).", failure.code)
}

/// The same as the answer of a command.
pub fn refused(failure: &NodeFailure) -> TriggerError {
    let hint = "Correct the settings of the step, then test it again.";
    TriggerError::new(Class::Invalid, "SOURCE_FAILED", told(failure), hint)
        .with(json!({ "code": failure.code, "field": failure.details.get("field") }))
}
