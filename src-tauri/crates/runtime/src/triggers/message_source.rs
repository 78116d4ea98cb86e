//! The broker of a `trigger.message`: its settings, and a look for messages.

use super::source_call::source_call;
use serde_json::{Value, json};
use signalbox_engine::catalog::Catalog;
use signalbox_engine::config::{self, TRUSTED};
use signalbox_engine::effect::Call;
use signalbox_engine::params;
use signalbox_engine::scope::Scope;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Map, Node, NodeFailure, Workflow};
use signalbox_nodes::message_sample;
use std::sync::Arc;

/// The kind of step that waits for messages.
pub(crate) const KIND: &str = "trigger.message";
/// How often a broker is looked at that does not tell of messages, milliseconds.
pub(super) const EVERY_MS: i64 = 1_000;

/// The settings of a trigger that waits for messages.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageSource {
    config: Value,
}

impl MessageSource {
    pub(crate) fn read(config: Value) -> Self {
        Self { config }
    }

    /// Ids of messages belong to one group of one topic at one broker.
    pub(super) fn namespace(&self) -> String {
        let field = |name: &str| self.config.get(name).cloned().unwrap_or_default();
        let named = json!([field("system"), field("host"), field("port"), field("topic"), field("group")]);
        sha256_hex(named.to_string().as_bytes())
    }

    /// The event of a firing by hand.
    pub(super) fn sample(&self, trigger: &str) -> Map {
        let topic = self.config.get("topic").and_then(Value::as_str).unwrap_or_default();
        event(trigger, message_sample(topic), true)
    }

    /// The look as a call of a step. `here`: a person on this machine answers for it.
    pub(super) fn call(&self, catalog: &Catalog, workflow: &Arc<Workflow>, here: bool) -> Result<Call, NodeFailure> {
        let no_code = || NodeFailure::tool("INTERNAL", "The broker cannot be asked by this program");
        let descriptor = catalog.get(KIND).ok_or_else(no_code)?;
        let mut scope = Scope::empty();
        scope.params = Arc::new(params::complete(workflow, &json!({})));
        scope.workflow = Arc::new(json!({ "id": workflow.id }));
        // What the trigger leaves to this place is evaluated by the form of the step that publishes.
        let form = catalog.get("message.publish").ok_or_else(no_code)?;
        let settings =
            config::evaluate(&self.config, Some(&form.config), &scope).map_err(|error| error.failure("host"))?;
        let node = Node { kind: KIND.to_owned(), config: Some(self.config.clone()), ..Node::default() };
        let loopback_allowed = here && !config::host_from_data(&node, descriptor, TRUSTED);
        Ok(source_call(KIND, settings, scope, workflow, loopback_allowed))
    }
}

/// What the trigger hands on.
pub(super) fn event(trigger: &str, mut message: Map, manual: bool) -> Map {
    message.insert("triggerId".to_owned(), json!(trigger));
    message.insert("manual".to_owned(), json!(manual));
    message
}
