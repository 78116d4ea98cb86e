//! What is started or reached before the tools are known (ADR 87): a program of this machine, or an address that may be inside
//! the own network. A person on this machine approves how: in the window, at the terminal, or in a browser that names what it
//! showed. It holds for exactly that. Asking to connect approves nothing.

use super::approval::{self, Approved};
use super::meanwhile;
use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult, Class};
use serde_json::{Value, json};
use signalbox_adapters::mcp::ToolServerDefinition;
use signalbox_model::AuditEvent;
use signalbox_store::ToolServerRow;
use signalbox_store::audit::Level;

fn note(name: &str) -> String {
    format!("toolServerStart.{name}")
}

fn hash(definition: &Value) -> String {
    approval::hash(definition, &[])
}

impl App {
    fn start_is_approved(&self, row: &ToolServerRow) -> ApiResult<bool> {
        // Who approved its tools saw how it is started.
        if Approved::of(row).is_some_and(|approved| approved.definition == row.definition) {
            return Ok(true);
        }
        let kept = self.store.audit_note(&note(&row.name))?;
        Ok(kept.as_ref().and_then(Value::as_str) == Some(hash(&row.definition).as_str()))
    }

    /// Refuses to start or reach a server as nobody approved it. `start`: what the person who asks was shown.
    pub(super) fn start_approved(
        &self,
        caller: &Caller,
        row: &ToolServerRow,
        definition: &ToolServerDefinition,
        start: Option<&ToolServerDefinition>,
    ) -> ApiResult<()> {
        if self.start_is_approved(row)? {
            return Ok(());
        }
        let name = &row.name;
        match start {
            Some(shown) if caller.here && shown == definition => {}
            Some(_) if caller.here => return Err(meanwhile(name)),
            Some(_) | None => {
                let message = match definition {
                    ToolServerDefinition::Stdio { .. } => {
                        format!("No person has approved the program that the tool server '{name}' starts.")
                    }
                    ToolServerDefinition::Http { .. } => {
                        format!("No person has approved the address of the tool server '{name}'.")
                    }
                };
                let hint = format!(
                    "Look at how it is started or reached, then connect to it in Settings, Tool servers, or with `signalbox tools connect \
                     {name}` on this machine."
                );
                return Err(ApiError::new(Class::Forbidden, "START_NOT_APPROVED", message, hint));
            }
        }
        let hash = hash(&row.definition);
        let facts = caller.signed(json!({ "name": name, "of": "start", "hash": hash }));
        let record = self.fact(AuditEvent::ToolServerApproved, Level::Info, caller.actor(), facts);
        self.store.change_audit_note(&note(name), record, move |_| Ok::<_, ApiError>(hash.into()))?
    }

    /// A server that is deleted and registered again is looked at again.
    pub(super) fn start_forgotten(&self, name: &str) -> ApiResult<()> {
        Ok(self.store.set_audit_note(&note(name), &Value::Null)?)
    }
}
