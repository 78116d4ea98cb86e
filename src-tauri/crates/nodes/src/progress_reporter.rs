//! What calls tell, on its way into the log: pieces of text are put together, so that a fast model costs few commits,
//! and secrets are taken out, also those that come in two pieces.

use futures_util::future::poll_fn;
use signalbox_model::CallProgress;
use signalbox_model::call_progress::LlmDelta;
use signalbox_ports::{CallLog, Clock, Scrubber};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

/// What comes sooner after something was told waits for the rest.
const EVERY_MS: i64 = 100;
/// So many bytes of text are told at once.
const BYTES: usize = 4_096;
/// So many notices of tools are kept of one call; a tool that tells more has told enough.
const NOTICES: usize = 1_000;

/// Takes what is to be told, in order.
type Tell = Box<dyn Fn(Vec<CallProgress>) + Send + Sync>;

#[derive(Default)]
struct Queue {
    said: VecDeque<CallProgress>,
    bytes: usize,
    told_ms: Option<i64>,
    notices: usize,
}

/// The log of one call.
pub struct ProgressReporter {
    queue: Mutex<Queue>,
    scrubber: Arc<Scrubber>,
    clock: Arc<dyn Clock>,
    tell: Tell,
    left: Option<Tell>,
    cancellation: Option<Cancellation>,
}

/// Is ready once something has happened.
pub type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How a call learns that its run is cancelled, and says that it waits for nothing any more.
pub struct Cancellation {
    /// Is ready once the run is cancelled.
    pub cancelled: Box<dyn Fn() -> Signal + Send + Sync>,
    /// Nothing comes of the call any more.
    pub give_up: Box<dyn Fn() + Send + Sync>,
}

impl Drop for ProgressReporter {
    fn drop(&mut self) {
        let Some(left) = &self.left else { return };
        let queue = self.queue.get_mut().unwrap_or_else(PoisonError::into_inner);
        let said: Vec<CallProgress> = queue.said.drain(..).map(|said| clean(&self.scrubber, said)).collect();
        if !said.is_empty() {
            left(said);
        }
    }
}

impl ProgressReporter {
    /// A log that gives what is said to `tell`.
    pub fn new(clock: Arc<dyn Clock>, scrubber: Arc<Scrubber>, tell: Tell) -> Self {
        Self { queue: Mutex::default(), scrubber, clock, tell, left: None, cancellation: None }
    }

    /// What a call that is given up has still said, for which the run has no ear any more, goes to `left`.
    #[must_use]
    pub fn leaving(mut self, left: Tell) -> Self {
        self.left = Some(left);
        self
    }

    /// A call that only waits for an answer gives up at once when its run is cancelled.
    #[must_use]
    pub fn cancelled_by(mut self, cancellation: Cancellation) -> Self {
        self.cancellation = Some(cancellation);
        self
    }

    /// Whether anything was told so far.
    pub fn has_told(&self) -> bool {
        self.queue().told_ms.is_some()
    }

    /// Carries work out and tells in time what it says. All of it is told before this is over. The work stays where it is: what
    /// is handed over by value lies in the caller's future twice.
    pub async fn over<T>(&self, mut work: Pin<&mut impl Future<Output = T>>) -> T {
        let mut timer: Option<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = None;
        poll_fn(|context| {
            if let Poll::Ready(output) = work.as_mut().poll(context) {
                self.tell(true);
                return Poll::Ready(output);
            }
            while let Some(due) = self.due() {
                if due <= self.clock.now_ms() {
                    self.tell(false);
                    timer = None;
                    continue;
                }
                let sleep = timer.get_or_insert_with(|| self.clock.sleep_until(due));
                if sleep.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
                timer = None;
                self.tell(false);
            }
            timer = None;
            Poll::Pending
        })
        .await
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When something must be told.
    fn due(&self) -> Option<i64> {
        let queue = self.queue();
        // A lone piece that may be the beginning of a secret waits for what comes after it.
        let waits = queue.said.len() == 1
            && queue.said.front().and_then(piece).is_some_and(|text| self.scrubber.open_end(text) == text.len());
        if queue.said.is_empty() || waits {
            return None;
        }
        Some(queue.told_ms.map_or(i64::MIN, |told| told.saturating_add(EVERY_MS)))
    }

    /// Tells what is there; before the end a piece that may be the beginning of a secret stays.
    fn tell(&self, all: bool) {
        let mut queue = self.queue();
        let mut told: Vec<CallProgress> = queue.said.drain(..).map(|said| clean(&self.scrubber, said)).collect();
        queue.bytes = 0;
        if !all && let Some(text) = told.last_mut().and_then(piece_mut) {
            let open = self.scrubber.open_end(text);
            if open > 0 {
                let delta = text.split_off(text.len() - open);
                queue.bytes = delta.len();
                // Nothing of it is told yet: it still begins an answer.
                let nothing_told = text.is_empty();
                let kept = match told.last() {
                    Some(CallProgress::LlmThinking(last)) => {
                        CallProgress::LlmThinking(LlmDelta { delta, anew: last.anew && nothing_told })
                    }
                    Some(CallProgress::LlmToken(last)) => {
                        CallProgress::LlmToken(LlmDelta { delta, anew: last.anew && nothing_told })
                    }
                    Some(_) | None => CallProgress::LlmToken(LlmDelta::new(delta)),
                };
                queue.said.push_back(kept);
            }
        }
        told.retain(|said| piece(said) != Some(""));
        if !told.is_empty() {
            queue.told_ms = Some(self.clock.now_ms());
            // Under the lock, so that what two threads say stays in order.
            (self.tell)(told);
        }
    }
}

impl CallLog for ProgressReporter {
    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        match &self.cancellation {
            Some(cancellation) => (cancellation.cancelled)(),
            None => Box::pin(std::future::pending()),
        }
    }

    fn give_up(&self) {
        self.tell(true);
        if let Some(cancellation) = &self.cancellation {
            (cancellation.give_up)();
        }
    }

    fn say(&self, said: CallProgress) {
        let mut queue = self.queue();
        if matches!(said, CallProgress::ToolMessage(_)) {
            queue.notices += 1;
            if queue.notices > NOTICES {
                return;
            }
        }
        queue.bytes += piece(&said).map_or(0, str::len);
        match (queue.said.back_mut(), said) {
            (Some(CallProgress::LlmToken(last)), CallProgress::LlmToken(next))
            | (Some(CallProgress::LlmThinking(last)), CallProgress::LlmThinking(next))
                if !next.anew =>
            {
                last.delta.push_str(&next.delta);
            }
            (_, said) => queue.said.push_back(said),
        }
        let full = queue.bytes >= BYTES;
        drop(queue);
        if full {
            self.tell(false);
        }
    }
}

fn piece(said: &CallProgress) -> Option<&str> {
    match said {
        CallProgress::LlmToken(piece) | CallProgress::LlmThinking(piece) => Some(&piece.delta),
        _ => None,
    }
}

fn piece_mut(said: &mut CallProgress) -> Option<&mut String> {
    match said {
        CallProgress::LlmToken(piece) | CallProgress::LlmThinking(piece) => Some(&mut piece.delta),
        _ => None,
    }
}

/// Without the secrets that this process knows: it is stored and shown.
pub fn clean(scrubber: &Scrubber, said: CallProgress) -> CallProgress {
    let text = |text: &mut String| *text = scrubber.text(text).into_owned();
    let value = |value: &mut Arc<serde_json::Value>| {
        if scrubber.finds_in(value) {
            scrubber.value(Arc::make_mut(value));
        }
    };
    let mut said = said;
    match &mut said {
        CallProgress::LlmToken(piece) | CallProgress::LlmThinking(piece) => text(&mut piece.delta),
        CallProgress::LlmToolUse(said) => {
            text(&mut said.tool_use_id);
            text(&mut said.name);
            value(&mut said.input);
        }
        CallProgress::LlmToolResult(said) => {
            text(&mut said.tool_use_id);
            text(&mut said.content);
        }
        CallProgress::LlmDone(said) => text(&mut said.model),
        CallProgress::LlmError(said) => {
            text(&mut said.error);
            said.model.iter_mut().for_each(text);
        }
        CallProgress::ToolStart(said) => {
            text(&mut said.name);
            text(&mut said.input_summary);
            value(&mut said.input);
        }
        CallProgress::ToolMessage(said) => {
            text(&mut said.name);
            text(&mut said.message);
            said.data.iter_mut().for_each(value);
        }
        CallProgress::ToolDone(said) => {
            text(&mut said.name);
            text(&mut said.output_summary);
            value(&mut said.output);
            value(&mut said.tool_result);
        }
        CallProgress::ToolError(said) => {
            text(&mut said.name);
            said.output.iter_mut().chain(said.tool_result.as_mut()).for_each(value);
            let error = Arc::make_mut(&mut said.error);
            text(&mut error.message);
            error.details.iter_mut().for_each(|details| scrubber.map(details));
        }
        CallProgress::File(left) => value(&mut left.content),
        CallProgress::Wrote(file) => text(&mut file.path),
    }
    said
}
