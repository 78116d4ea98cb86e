//! A call into which a person put a fault (ADR 144).

use crate::run::{run_call, timed_out};
use crate::{Kind, Outcome};
use signalbox_engine::effect::{Call, CallOutput, OutItem};
use signalbox_model::StepFault;
use signalbox_ports::{CallLog, World};
use std::sync::Arc;

/// Carries out a call with its fault: it waits, then it fails, has the chosen result, or does what it always does.
pub async fn run_faulted(
    fault: &StepFault,
    code: Kind,
    call: &Call,
    world: &World,
    log: &dyn CallLog,
) -> Vec<(usize, Outcome)> {
    let own = call.slots.first().and_then(|slot| slot.config.get("timeoutMs")?.as_u64());
    let limit = [call.timeout_ms, own].into_iter().flatten().min().filter(|limit| *limit < fault.delay_ms);
    let wait = i64::try_from(limit.unwrap_or(fault.delay_ms)).unwrap_or(i64::MAX);
    if wait > 0 {
        world.clock.sleep_until(world.clock.now_ms().saturating_add(wait)).await;
    }
    if let Some(limit) = limit {
        return all(call, || Err(timed_out(limit)));
    }
    if let Some(error) = &fault.error {
        return all(call, || Err(error.failure()));
    }
    match &fault.output {
        Some(output) => {
            let mut made = CallOutput::default();
            for (port, list) in output {
                let items = list.iter().map(|data| OutItem::new(Arc::new(data.clone()), Some(0)));
                made.ports.extend(CallOutput::items(port, items).ports);
            }
            let mut rest = Some(made);
            // Of a batch the first item has it all, as with a pinned output.
            all(call, || Ok(rest.take().unwrap_or_default()))
        }
        None => run_call(code, call, world, log).await,
    }
}

fn all(call: &Call, mut outcome: impl FnMut() -> Outcome) -> Vec<(usize, Outcome)> {
    call.slots.iter().map(|slot| (slot.item, outcome())).collect()
}
