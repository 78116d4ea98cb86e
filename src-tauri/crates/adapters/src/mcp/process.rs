//! The process of a server: few variables, no shell, a process tree of its own that ends as a whole.

use super::definition::PASSED_ON;
use super::fault::failure;
use super::process_tree::{Tree, Trees};
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use signalbox_model::secret_ref;
use signalbox_ports::Secrets;
use signalbox_ports::tools::{ToolFailure, ToolFault};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

/// Bytes of the error output that are kept.
const TAIL: usize = 8 * 1024;
/// The error output of a process that ended comes a little later than its end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A running process. Dropped, its whole tree is killed.
pub(super) struct Process {
    _tree: Tree,
    child: Mutex<Option<Box<dyn ChildWrapper>>>,
    errors: Arc<Mutex<Vec<u8>>>,
    reading: tokio::sync::Mutex<Option<JoinHandle<()>>>,
}

/// What a process is started with.
pub(super) struct Start<'a> {
    pub(super) command: &'a str,
    pub(super) args: &'a [String],
    pub(super) env: &'a BTreeMap<String, String>,
    pub(super) cwd: Option<&'a str>,
}

fn not_started(message: String) -> ToolFailure {
    failure(ToolFault::Connect, message)
}

impl Process {
    pub(super) async fn start(
        start: Start<'_>,
        secrets: &Arc<dyn Secrets>,
        trees: &Trees,
    ) -> Result<(Self, ChildStdout, ChildStdin), ToolFailure> {
        let program = find(start.command)?;
        let folder = folder(start.cwd)?;
        let mut variables: Vec<(String, String)> = Vec::new();
        for name in PASSED_ON {
            if let Some(value) = std::env::var(name).ok().filter(|_| !start.env.contains_key(*name)) {
                variables.push(((*name).to_owned(), value));
            }
        }
        for (name, value) in start.env {
            let value = match secret_ref::reference(value) {
                None => value.clone(),
                Some(secret) => match secrets.credential(secret).await {
                    Ok(credential) => credential.value.expose().to_owned(),
                    Err(error) => return Err(failure(ToolFault::Secret, error.into_message())),
                },
            };
            variables.push((name.clone(), value));
        }
        let mut command = CommandWrap::with_new(&program, |command| {
            command.args(start.args).env_clear().envs(variables).current_dir(&folder);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        });
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject);
        let tree = trees.grow();
        let mut child = command
            .spawn()
            .map_err(|error| not_started(format!("The program '{}' cannot be started: {error}", start.command)))?;
        let (output, input) = (child.stdout().take(), child.stdin().take());
        let errors = Arc::default();
        let reading = child.stderr().take().map(|stderr| tokio::spawn(keep_tail(stderr, Arc::clone(&errors))));
        let process =
            Self { _tree: tree, child: Mutex::new(Some(child)), errors, reading: tokio::sync::Mutex::new(reading) };
        match (output, input) {
            (Some(output), Some(input)) => Ok((process, output, input)),
            _ => Err(not_started(format!("The program '{}' has no input or output", start.command))),
        }
    }

    /// Its last lines of error output.
    pub(super) async fn last_words(&self) -> Option<String> {
        let mut reading = self.reading.lock().await;
        if let Some(task) = reading.as_mut()
            && tokio::time::timeout(LAST_WORDS, task).await.is_ok()
        {
            reading.take();
        }
        let kept = self.errors.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8_lossy(&kept);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Waits for its end, at most so long, and then ends the whole tree. Its input is closed by then.
    pub(super) async fn end(&self, grace: Duration) {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(child) = child else { return };
        let mut child = Killed(child);
        // The leader alone: a grandchild that goes on is no reason to wait.
        drop(tokio::time::timeout(grace, child.0.inner_mut().wait()).await);
        child.kill();
        drop(tokio::time::timeout(grace, child.0.inner_mut().wait()).await);
    }

    /// Ends the whole tree now.
    pub(super) fn kill(&self) {
        drop(self.child.lock().unwrap_or_else(PoisonError::into_inner).take().map(Killed));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A tree that is killed when this goes.
struct Killed(Box<dyn ChildWrapper>);

impl Killed {
    fn kill(&mut self) {
        // Fails when nothing of it is left.
        drop(self.0.start_kill());
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn keep_tail(mut stderr: ChildStderr, kept: Arc<Mutex<Vec<u8>>>) {
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut part).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&part[..count]);
        if kept.len() > TAIL {
            // Whole lines only: half a secret would not be recognised as one.
            let cut = kept.len() - TAIL;
            let from = kept[cut..].iter().position(|byte| *byte == b'\n').map_or(kept.len(), |end| cut + end + 1);
            kept.drain(..from);
        }
    }
}

/// The file of a program. Looked for here, because the process gets its own `PATH` only.
fn find(command: &str) -> Result<PathBuf, ToolFailure> {
    let given = Path::new(command);
    if given.components().count() > 1 || given.is_absolute() {
        return Ok(given.to_owned());
    }
    let endings: &[&str] = if cfg!(windows) { &["", "exe", "cmd", "bat"] } else { &[""] };
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path).filter(|folder| folder.is_absolute()) {
        for ending in endings {
            let mut file = folder.join(command);
            if !ending.is_empty() {
                file.set_extension(ending);
            }
            if file.is_file() {
                return Ok(file);
            }
        }
    }
    Err(not_started(format!("There is no program '{command}' on this machine; install it, or write its absolute path")))
}

fn folder(given: Option<&str>) -> Result<PathBuf, ToolFailure> {
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    match given {
        Some(folder) if Path::new(folder).is_dir() => Ok(folder.into()),
        Some(folder) => Err(not_started(format!("The folder '{folder}' that the server works in is not there"))),
        None => {
            let home = std::env::var_os(home).map(PathBuf::from).filter(|home| home.is_dir());
            Ok(home.unwrap_or_else(std::env::temp_dir))
        }
    }
}
