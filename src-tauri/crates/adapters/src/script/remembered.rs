//! Answers of scripts that came before. With a fixed clock a script gives the same for the same data, and a proof calls it hundreds
//! of times with the same.

use super::wire::{self, Request};
use ring::digest::{Context, SHA256};
use signalbox_model::Data;
use signalbox_ports::scripts::{ScriptAnswer, ScriptCall, ScriptFailure, ScriptFault};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Answers that are kept; then the next ones are not.
const MOST: usize = 10_000;
/// Bytes of all of them together.
const MOST_BYTES: usize = 32 * 1024 * 1024;

type Given = Result<ScriptAnswer, ScriptFailure>;

/// Names a call with all that its answer depends on.
pub(super) type Key = [u8; 32];

#[derive(Default)]
pub(super) struct Remembered(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    answers: HashMap<Key, Given>,
    bytes: usize,
}

/// `None`: the script sees the time and the random numbers of the machine.
pub(super) fn key(call: &ScriptCall) -> Option<Key> {
    call.fixed?;
    let mut context = Context::new(&SHA256);
    context.update(&Request::of(call).line());
    wire::values(&call.bound).for_each(|piece| context.update(piece.as_bytes()));
    context.finish().as_ref().try_into().ok()
}

impl Remembered {
    pub(super) fn answer(&self, key: &Key) -> Option<Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).answers.get(key).cloned()
    }

    pub(super) fn keep(&self, key: Key, given: &Given) {
        let bytes = match given {
            Ok(answer) => length(&answer.value) + printed(&answer.printed),
            // These depend on the machine.
            Err(error) if matches!(error.fault, ScriptFault::Timeout | ScriptFault::Crashed | ScriptFault::Memory) => {
                return;
            }
            Err(error) => error.message.len() + printed(&error.printed),
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.answers.len() < MOST && kept.bytes + bytes <= MOST_BYTES {
            kept.bytes += bytes;
            kept.answers.insert(key, given.clone());
        }
    }
}

/// As text: values take more, some ten times as much.
fn length(data: &Data) -> usize {
    let mut text = String::new();
    data.append(&mut text);
    text.len()
}

fn printed(lines: &[String]) -> usize {
    lines.iter().map(String::len).sum()
}
