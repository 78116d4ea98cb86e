//! The one place through which every call of a tool passes that a model asks for, before it is made.

use super::toolset::Toolset;
use crate::{tool_answer, tool_call};
use serde_json::{Map, Value};
use signalbox_engine::effect::{Call, CallSlot, Granted};
use signalbox_engine::scope::Scope;
use signalbox_engine::taint;
use signalbox_engine::tool_rules::{self, Decided, Hints, Rules};
use signalbox_model::{NodeFailure, SuggestedAction, ToolVerdict};
use signalbox_ports::World;
use signalbox_ports::tools::{ToolFailure, ToolInfo};

/// Most that a model may hand to a tool, bytes.
const LARGEST: u64 = 256 * 1024;
/// Name of the rule that nobody writes and nobody takes away.
const EXFILTRATION: &str = "exfiltration";

/// What holds for the calls of one step.
pub(crate) struct Gate<'a> {
    rules: Vec<Rules>,
    scope: &'a Scope,
    granted: &'a [Granted],
    workflow: &'a str,
    /// Its tools, for the rule about untrusted data, secrets and ways out.
    kit: Vec<Held>,
    /// A step before it brings data from outside.
    fed: bool,
}

/// A tool of the step.
struct Held {
    server: String,
    tool: String,
    bears_secrets: bool,
    is_untrusted: bool,
}

/// What a model wants to do.
pub(super) struct Asked<'a> {
    /// The tool, as it was offered.
    pub(super) info: &'a ToolInfo,
    /// As the model wrote them; not yet checked.
    pub(super) arguments: &'a Map<String, Value>,
    /// A person said that this very call may be made.
    pub(super) allowed: bool,
}

/// Whether it may.
pub(super) enum Verdict {
    /// It is done; an answer longer than this, in bytes, is withheld from the model.
    Allow(Option<Limit>),
    /// It is not done, and the model is told why.
    Refuse(NodeFailure),
    /// It is not done before a person allowed it.
    Ask(Box<Decided>),
}

/// What a rule lets through of an answer.
pub(super) struct Limit {
    pub(super) bytes: u64,
    pub(super) rule: String,
}

impl<'a> Gate<'a> {
    /// Of a step with these settings and tools.
    pub(crate) fn of(call: &'a Call, slot: &'a CallSlot, kit: &Toolset) -> Self {
        let known = |info: &ToolInfo| Held {
            server: info.server.clone(),
            tool: info.name.clone(),
            bears_secrets: info.bears_secrets,
            is_untrusted: info.is_untrusted,
        };
        Self {
            kit: kit.tools().map(known).collect(),
            // In a container or a sub-workflow, what the one outside hands in is not seen from here.
            fed: taint::reaches(&call.workflow, &call.node_id) || !call.key.path.is_empty(),
            rules: Rules::of(&call.workflow, &call.node_id, Some(&slot.config)),
            scope: &slot.scope,
            granted: &call.permits.granted,
            workflow: &call.workflow_id,
        }
    }

    /// A tool may be called while its server is approved as it is, with arguments of a sensible size, and as the rules say.
    pub(super) async fn pass(&self, asked: &Asked<'_>, world: &World) -> Verdict {
        let size = bytes(&Value::Object(asked.arguments.clone()));
        if size > LARGEST {
            return refused(format!("The arguments have {size} bytes; a tool takes at most {LARGEST} of a model"));
        }
        let (server, tool) = (asked.info.server.as_str(), asked.info.name.as_str());
        let now = match world.tools.list(server).await {
            Ok(tools) => match tools.into_iter().find(|info| info.name == tool) {
                Some(now) if is_same(&now, asked.info) => now,
                // Approved anew in mid-work: what the model was offered would be checked by what is not approved any more.
                Some(_) => {
                    let words = format!("The tool '{tool}' of '{server}' was changed since it was offered");
                    return refused(format!("{words}. It can be used by the next start of this step"));
                }
                None => return refused(format!("The server '{server}' does not have '{tool}' any more")),
            },
            // Rules are about what is known of a tool: where nothing can be learned, nothing is called (ADR 11).
            Err(failure) => {
                let failure = ToolFailure { sent: false, ..failure };
                return Verdict::Refuse(tool_answer::failed(failure, Some(asked.info)));
            }
        };
        let asks = tool_rules::Asked { server, tool, arguments: asked.arguments, hints: hints(asked.info) };
        let granted = |decided: &Decided| self.is_granted(decided, server, tool);
        let mut decided = tool_rules::decide(&self.rules, &asks, self.scope, &granted);
        if decided.verdict == ToolVerdict::Allow && self.lets_out(&now) {
            let ask = let_out();
            let verdict = if granted(&ask) { ToolVerdict::Allow } else { ask.verdict };
            let (max_arguments, max_result) = (decided.max_arguments, decided.max_result);
            decided = Decided { verdict, max_arguments, max_result, ..ask };
        }
        if let Some(most) = decided.max_arguments.filter(|most| size > *most) {
            let words = format!("The arguments have {size} bytes; the rules let at most {most} through. Send less");
            return Verdict::Refuse(blocked(&decided, words));
        }
        let limit = decided.max_result.map(|bytes| Limit { bytes, rule: decided.rule.clone() });
        match decided.verdict {
            ToolVerdict::Allow => Verdict::Allow(limit),
            ToolVerdict::Deny => {
                let words = decided.why.clone();
                Verdict::Refuse(blocked(&decided, words))
            }
            ToolVerdict::Ask if asked.allowed => Verdict::Allow(limit),
            // The call itself tells what does not fit: nobody is asked about a call that cannot be made.
            ToolVerdict::Ask if tool_call::fits(asked.info, asked.arguments).is_err() => Verdict::Allow(limit),
            ToolVerdict::Ask => Verdict::Ask(Box::new(decided)),
        }
    }

    /// What a model reads is untrusted, and another of its tools bears secrets: it may have been told to let them out. The
    /// validator refuses such a step; this holds whatever became of the servers since (ADR 41). What a person says of the tool
    /// that is called counts as they say it now, of the others as it was when the step began (ADR 64).
    fn lets_out(&self, info: &ToolInfo) -> bool {
        let other = |held: &Held| (&*held.server, &*held.tool) != (&*info.server, &*info.name);
        let reads = self.fed || info.is_untrusted || self.kit.iter().any(|held| held.is_untrusted);
        info.is_egress && reads && self.kit.iter().any(|held| held.bears_secrets && other(held))
    }

    fn is_granted(&self, decided: &Decided, server: &str, tool: &str) -> bool {
        self.granted.iter().any(|granted| {
            granted.workflow == self.workflow
                && granted.rule == decided.place
                && granted.server == server
                && granted.tool == tool
        })
    }
}

/// Whether it is the tool that was offered, whatever a person says of it meanwhile.
fn is_same(now: &ToolInfo, offered: &ToolInfo) -> bool {
    let ToolInfo { bears_secrets, is_egress, is_untrusted, .. } = *now;
    *now == ToolInfo { bears_secrets, is_egress, is_untrusted, ..offered.clone() }
}

/// No rule asks, and a person has to be asked all the same.
fn let_out() -> Decided {
    Decided {
        verdict: ToolVerdict::Ask,
        rule: EXFILTRATION.into(),
        place: EXFILTRATION.into(),
        why:
            "The model reads data from outside, another of its tools can reach secrets, and this call can let them out"
                .into(),
        max_arguments: None,
        max_result: None,
    }
}

/// What its server says of a tool.
pub(super) fn hints(info: &ToolInfo) -> Hints {
    Hints {
        read_only: info.read_only,
        destructive: info.destructive,
        idempotent: info.idempotent,
        open_world: info.open_world,
    }
}

/// An answer that is longer than a rule lets through; `came` says what the tool did.
pub(super) fn withheld(limit: &Limit, size: u64, came: &str) -> Option<String> {
    (size > limit.bytes).then(|| {
        format!(
            "{came}, but its answer has {size} bytes, and the rule '{}' lets at most {} through. Ask for less",
            limit.rule, limit.bytes
        )
    })
}

fn bytes(value: &Value) -> u64 {
    value.to_string().len() as u64
}

fn refused(words: String) -> Verdict {
    Verdict::Refuse(NodeFailure::tool("TOOL_REFUSED", words))
}

/// K-14: what a rule refuses.
fn blocked(decided: &Decided, words: String) -> NodeFailure {
    NodeFailure::validation("GUARDRAIL_BLOCKED", words)
        .suggest(SuggestedAction::HumanReview)
        .detail("guard", decided.rule.as_str())
        .detail("place", "tool")
}
