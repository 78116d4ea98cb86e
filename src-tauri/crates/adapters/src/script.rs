//! Scripts of steps, each in a process of its own kind: this program again, started with [`ARGUMENT`]. It has an empty
//! environment and nothing but its standard input and output; inside it QuickJS knows no host. A process that is over its
//! time is killed, so that no loop of any kind outlives its limit (PLATFORM, code node).

mod evaluate;
mod exact;
mod remembered;
mod wire;
mod worker;

use crate::{documents, worker_process};
use async_trait::async_trait;
use remembered::Remembered;
use serde_json::Value;
use signalbox_model::Data;
use signalbox_model::data::{TEXT_FROM, compact};
use signalbox_ports::scripts::{ScriptAnswer, ScriptCall, ScriptFailure, ScriptFault, Scripts};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use wire::{Answer, LARGEST, Request};

pub use worker::serve;
#[cfg(feature = "columnar")]
pub use worker::serve_all;

/// The first argument of a process that runs scripts.
pub const ARGUMENT: &str = "--script-worker";
/// Processes that wait for the next script.
const IDLE: usize = 2;
/// Beyond its limit a script has so long to end by itself: its process is then still good.
const GRACE: Duration = Duration::from_millis(500);

/// Whether this process was started to run scripts, or to read a document; then [`serve`] is all that it does.
pub fn is_worker() -> bool {
    documents::is_worker() || std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT)
}

/// Processes that run scripts.
pub struct ScriptWorkers {
    program: PathBuf,
    /// Variables of the processes.
    variables: &'static [(&'static str, &'static str)],
    idle: Mutex<Vec<Worker>>,
    /// For calls whose answers do not depend on the machine.
    remembered: Option<Remembered>,
}

/// A process, killed when this is dropped.
struct Worker {
    _child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl ScriptWorkers {
    /// With a program that calls [`serve`] when [`is_worker`].
    pub fn new(program: PathBuf) -> Self {
        Self { program, variables: &[], idle: Mutex::default(), remembered: None }
    }

    /// For tests of workflows: local time is UTC on every machine, and a call with a fixed clock that came before gives the same
    /// answer without being made again.
    #[must_use]
    pub fn for_tests(self) -> Self {
        Self { variables: &[("TZ", "UTC")], remembered: Some(Remembered::default()), ..self }
    }

    /// With this program.
    pub fn of_this_program() -> Self {
        // Without a name of its own it cannot be started, and says so then.
        Self::new(std::env::current_exe().unwrap_or_default())
    }

    fn idle(&self) -> Option<Worker> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn start(&self) -> Result<Worker, ScriptFailure> {
        let mut child = worker_process::start(&self.program, ARGUMENT, self.variables).map_err(|error| {
            crashed(format!("The process that runs scripts cannot be started ({}): {error}", self.program.display()))
        })?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Worker { _child: child, stdin, stdout: BufReader::new(stdout) }),
            _ => Err(crashed("The process that runs scripts has no pipes".into())),
        }
    }

    fn give_back(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(worker);
        }
    }
}

fn crashed(message: String) -> ScriptFailure {
    ScriptFailure { fault: ScriptFault::Crashed, message, line: None, printed: Vec::new() }
}

/// Why a process did not answer.
enum Unanswered {
    /// It ended, or says something else.
    Ended,
    /// The data alone is more than the script may use.
    TooMuch,
}

impl From<io::Error> for Unanswered {
    fn from(_: io::Error) -> Self {
        Self::Ended
    }
}

impl Worker {
    async fn ask(&mut self, call: &ScriptCall) -> Result<Answer, Unanswered> {
        self.stdin.write_all(&Request::of(call).line()).await?;
        let (most, mut sent) = (most(call), 0);
        for piece in wire::values(&call.bound) {
            sent += piece.len();
            if sent > most {
                return Err(Unanswered::TooMuch);
            }
            self.stdin.write_all(piece.as_bytes()).await?;
        }
        self.stdin.flush().await?;
        let mut line = Vec::new();
        let limit = u64::try_from(LARGEST).unwrap_or(u64::MAX);
        (&mut self.stdout).take(limit).read_until(b'\n', &mut line).await?;
        let (mut answer, length) = Answer::read(&line).ok_or(Unanswered::Ended)?;
        let mut text = vec![0; length];
        self.stdout.read_exact(&mut text).await?;
        answer.text = String::from_utf8(text).map_err(|_| Unanswered::Ended)?;
        Ok(answer)
    }
}

#[async_trait]
impl Scripts for ScriptWorkers {
    async fn run(&self, call: ScriptCall) -> Result<ScriptAnswer, ScriptFailure> {
        let Some((remembered, key)) = self.remembered.as_ref().zip(remembered::key(&call)) else {
            return self.made(call).await;
        };
        if let Some(given) = remembered.answer(&key) {
            return given;
        }
        let given = self.made(call).await;
        remembered.keep(key, &given);
        given
    }
}

impl ScriptWorkers {
    async fn made(&self, call: ScriptCall) -> Result<ScriptAnswer, ScriptFailure> {
        let known: usize = call.bound.iter().map(|(_, bound)| bound.length()).sum();
        if known > most(&call) {
            return Err(too_much());
        }
        let limit = call.timeout.saturating_add(GRACE);
        let used = self.idle();
        let was_used = used.is_some();
        let mut worker = used.map_or_else(|| self.start(), Ok)?;
        let mut answer = tokio::time::timeout(limit, worker.ask(&call)).await;
        if was_used && matches!(answer, Ok(Err(Unanswered::Ended))) {
            // One that had waited long has ended by itself: nothing of the script has run twice that anybody could see.
            worker = self.start()?;
            answer = tokio::time::timeout(limit, worker.ask(&call)).await;
        }
        match answer {
            Ok(Ok(answer)) => {
                if answer.fault != Some(ScriptFault::Memory) {
                    self.give_back(worker);
                }
                told(answer)
            }
            Ok(Err(Unanswered::Ended)) => {
                Err(crashed("The process that ran the script ended before it answered".into()))
            }
            Ok(Err(Unanswered::TooMuch)) => Err(too_much()),
            Err(_) => Err(out_of_time(Vec::new())),
        }
    }
}

/// Bytes of data that a script has room for.
fn most(call: &ScriptCall) -> usize {
    usize::try_from(call.memory_mb).unwrap_or(usize::MAX).saturating_mul(1 << 20).min(LARGEST - 1)
}

fn too_much() -> ScriptFailure {
    ScriptFailure { fault: ScriptFault::Memory, message: "out of memory".into(), line: None, printed: Vec::new() }
}

fn out_of_time(printed: Vec<String>) -> ScriptFailure {
    let message = "The script was not done in time".into();
    ScriptFailure { fault: ScriptFault::Timeout, message, line: None, printed }
}

fn told(answer: Answer) -> Result<ScriptAnswer, ScriptFailure> {
    let Answer { fault, text, line, printed } = answer;
    match fault {
        None => match result(text) {
            Ok(value) => Ok(ScriptAnswer { value, printed }),
            Err(error) => {
                let message = format!("The result is no JSON that other programs read: {error}");
                Err(ScriptFailure { fault: ScriptFault::NotJson, message, line: None, printed })
            }
        },
        Some(ScriptFault::Timeout) => Err(out_of_time(printed)),
        Some(fault) => Err(ScriptFailure { fault, message: text, line, printed }),
    }
}

/// A large result stays text.
fn result(text: String) -> serde_json::Result<Data> {
    let mut written = String::new();
    if text.len() >= TEXT_FROM && compact(&text, &mut written) {
        return Ok(Data::written(written));
    }
    serde_json::from_str::<Value>(&text).map(Data::from)
}

#[cfg(test)]
mod tests;
