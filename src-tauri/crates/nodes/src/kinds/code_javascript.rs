//! `code.javascript`: what an author's script returns becomes the item's data. It runs in a process of its own.

use crate::support::{made_data, text, whole};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{ErrorType, Mode, NodeFailure, SuggestedAction};
use signalbox_ports::scripts::{Bound, ScriptCall, ScriptFailure, ScriptFault};
use signalbox_ports::{CallLog, World};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const KIND: Kind = Kind::Effect(start);

const TIMEOUT_MS: u64 = 5_000;
const LONGEST_MS: u64 = 60_000;
const MEMORY_MB: u64 = 64;
const MOST_MB: u64 = 512;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let source = text(slot, "source")?;
    let timeout_ms = whole(slot, "timeoutMs", 1, LONGEST_MS)?.unwrap_or(TIMEOUT_MS);
    let memory_mb = whole(slot, "memoryMb", 8, MOST_MB)?.unwrap_or(MEMORY_MB);
    let script = ScriptCall {
        source: source.to_owned(),
        bound: bound(call.mode, slot, source),
        timeout: Duration::from_millis(timeout_ms),
        memory_mb: u32::try_from(memory_mb).unwrap_or(u32::MAX),
        fixed: None,
    };
    let answer = world.scripts.run(script).await.map_err(|failure| told(failure, timeout_ms, memory_mb))?;
    let mut output = made_data(slot, answer.value);
    if !answer.printed.is_empty() {
        output.meta = Some(Arc::new(json!({ "console": answer.printed })));
    }
    Ok(output)
}

/// The names that the source mentions: what it cannot name is not sent, however large it is.
fn bound(mode: Mode, slot: &CallSlot, source: &str) -> Vec<(&'static str, Bound)> {
    let scope = &slot.scope;
    let variables = || {
        Arc::new(Value::Object(scope.context.iter().map(|(name, value)| (name.clone(), Value::clone(value))).collect()))
    };
    let names: [(&'static str, &dyn Fn() -> Bound); 7] = [
        ("item", &|| Bound::One(scope.item.clone())),
        ("items", &|| match mode {
            // What is long lies in files, and the scope does not have it.
            Mode::All => Bound::Items(Arc::clone(&slot.input)),
            Mode::Each => Bound::List(Arc::clone(&scope.items)),
        }),
        ("params", &|| Arc::clone(&scope.params).into()),
        ("context", &|| variables().into()),
        ("run", &|| Arc::clone(scope.run.whole()).into()),
        ("workflow", &|| Arc::clone(&scope.workflow).into()),
        ("error", &|| Arc::clone(&scope.error).into()),
    ];
    let mut bound: Vec<(&'static str, Bound)> =
        names.iter().filter(|(name, _)| source.contains(name)).map(|(name, value)| (*name, value())).collect();
    let locals = scope.locals.iter().filter(|(name, _)| source.contains(name));
    bound.extend(locals.map(|(name, value)| (*name, Bound::One(value.clone()))));
    bound
}

fn told(failure: ScriptFailure, timeout_ms: u64, memory_mb: u64) -> NodeFailure {
    let ScriptFailure { fault, message, line, printed } = failure;
    let at = line.map_or_else(String::new, |line| format!("Line {line}: "));
    let mut failed = match fault {
        ScriptFault::Syntax => NodeFailure::tool("SCRIPT_SYNTAX", format!("{at}{message}")),
        ScriptFault::Thrown | ScriptFault::Waits => NodeFailure::tool("SCRIPT_ERROR", format!("{at}{message}")),
        ScriptFault::Memory => {
            let words =
                format!("The script wanted more than {memory_mb} MB of memory; give it more, or let it keep less");
            NodeFailure::tool("MEMORY_LIMIT", words).detail("memoryMb", memory_mb)
        }
        ScriptFault::NotJson => NodeFailure::validation("BAD_RESULT", format!("{at}{message}")),
        ScriptFault::Timeout => {
            let words = format!("The script did not end within {}", crate::run::duration(timeout_ms));
            NodeFailure::new(ErrorType::Timeout, "TIMEOUT", words).retryable().detail("timeoutMs", timeout_ms)
        }
        ScriptFault::Crashed => NodeFailure::tool("CRASHED", message).retryable(),
    };
    if fault != ScriptFault::Timeout && fault != ScriptFault::Crashed {
        failed = failed.suggest(SuggestedAction::HumanReview);
    }
    if let Some(line) = line {
        failed = failed.detail("line", line);
    }
    if !printed.is_empty() {
        failed = failed.detail("console", printed);
    }
    failed
}
