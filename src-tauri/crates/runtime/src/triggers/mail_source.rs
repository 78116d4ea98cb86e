//! The mailbox of a `trigger.mail`: its settings, and a look at it with the code of `mail.read`, so that secrets, hosts and
//! limits hold as they do there.

use super::source_call::source_call;
use serde_json::{Value, json};
use signalbox_engine::catalog::Catalog;
use signalbox_engine::config::{self, TRUSTED};
use signalbox_engine::effect::Call;
use signalbox_engine::params;
use signalbox_engine::scope::Scope;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Map, Node, NodeFailure, Workflow};
use signalbox_nodes::{MailLook, Mails, mail_sample, watch_mailbox};
use signalbox_ports::World;
use std::sync::Arc;

/// The kind of step that watches a mailbox.
pub(crate) const KIND: &str = "trigger.mail";
/// The kind of step whose code reads it.
const READ: &str = "mail.read";
/// Settings that are not those of the mailbox.
const OWN_FIELDS: [&str; 2] = ["every", "existing"];
/// How often a mailbox is looked at whose server tells of no messages, when the settings do not say, milliseconds.
const EVERY_MS: i64 = 60_000;

/// The settings of a trigger that watches a mailbox.
#[derive(Debug, Clone, PartialEq)]
pub struct MailSource {
    config: Value,
    pub(super) every_ms: i64,
    pub(super) takes_existing: bool,
}

impl MailSource {
    pub(crate) fn read(config: Value) -> Self {
        let every_ms = config.get("every").and_then(Value::as_i64).unwrap_or(EVERY_MS);
        let takes_existing = config.get("existing").and_then(Value::as_str) == Some("process");
        Self { config, every_ms, takes_existing }
    }

    /// Numbers of messages belong to one mailbox of one user at one server.
    pub(super) fn namespace(&self) -> String {
        let field = |name: &str| self.config.get(name).cloned().unwrap_or_default();
        let named = json!([field("host"), field("port"), field("user"), field("credential"), field("mailbox")]);
        sha256_hex(named.to_string().as_bytes())
    }

    /// Messages are marked or moved once their runs have started.
    pub(super) fn changes_mails(&self) -> bool {
        self.config.get("after").and_then(Value::as_str).is_some_and(|after| after != "none")
    }

    /// The event of a firing by hand.
    pub(super) fn sample(&self, trigger: &str, at: &str) -> Map {
        let mailbox = self.config.get("mailbox").and_then(Value::as_str).unwrap_or("INBOX");
        event(trigger, mail_sample(mailbox, &json!(at)), true)
    }

    /// The look as a call of a step. `here`: a person on this machine answers for it.
    fn call(&self, catalog: &Catalog, workflow: &Arc<Workflow>, here: bool) -> Result<Call, NodeFailure> {
        let no_code = || NodeFailure::tool("INTERNAL", "The mailbox cannot be read by this program");
        let descriptor = catalog.get(KIND).ok_or_else(no_code)?;
        let mut scope = Scope::empty();
        scope.params = Arc::new(params::complete(workflow, &json!({})));
        scope.workflow = Arc::new(json!({ "id": workflow.id }));
        let mut fields = self.config.as_object().cloned().unwrap_or_default();
        fields.retain(|name, _| !OWN_FIELDS.contains(&name.as_str()));
        // The fields of the trigger are left to this place; those of a read are the same and are evaluated.
        let form = catalog.get(READ).ok_or_else(no_code)?;
        let settings = config::evaluate(&Value::Object(fields), Some(&form.config), &scope)
            .map_err(|error| error.failure("host"))?;
        let node = Node { kind: KIND.to_owned(), config: Some(self.config.clone()), ..Node::default() };
        let loopback_allowed = here && !config::host_from_data(&node, descriptor, TRUSTED);
        Ok(source_call(KIND, settings, scope, workflow, loopback_allowed))
    }

    /// Looks at the mailbox, and waits there for a message.
    pub(super) async fn look(
        &self,
        world: &World,
        catalog: &Catalog,
        workflow: &Arc<Workflow>,
        look: MailLook,
        here: bool,
    ) -> Result<Mails, NodeFailure> {
        watch_mailbox(&self.call(catalog, workflow, here)?, world, look).await
    }
}

/// What the trigger hands on.
pub(crate) fn event(trigger: &str, mut mail: Map, manual: bool) -> Map {
    mail.insert("triggerId".to_owned(), json!(trigger));
    mail.insert("manual".to_owned(), json!(manual));
    mail
}

/// Why the mailbox could not be looked at, for a person.
pub(super) fn told(failure: &NodeFailure) -> String {
    let message = failure.message.trim_end_matches('.');
    format!("The mailbox cannot be read: {message} ({}).", failure.code)
}
