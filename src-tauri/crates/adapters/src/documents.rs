//! Documents, each in a separate process: this program again, started with [`ARGUMENT`]. It has an empty environment and nothing
//! but its standard input and output, and on Unix a limit of memory and of processor time. The libraries that read workbooks and PDF
//! panic on some files, run for ever on others and use much memory for a few; here that ends one process and is one error.

#[cfg(feature = "columnar")]
mod tables;

use crate::worker_process;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_documents::Document;
use signalbox_ports::{DocumentCall, DocumentFailure, Documents};
#[cfg(feature = "columnar")]
use signalbox_ports::{FilePieces, TableCall, TableRows};
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::thread;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

/// The first argument of a process that reads a document.
pub const ARGUMENT: &str = "--document-worker";
/// The longest answer, bytes.
const LARGEST: u64 = 1024 * 1024 * 1024;
/// The stack of the thread that reads: a PDF may be nested deeply.
const STACK: usize = 64 << 20;

/// The name of files of tables between processes. Their bytes are asked for in pieces.
const TABLE: &str = "table";

/// What comes before the bytes of the document, in one line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request {
    document: String,
    options: Value,
    size: u64,
    memory_mb: u32,
    seconds: u64,
}

/// What comes before the text, in one line. Without an error the text follows until the end.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    error: Option<Refusal>,
    /// Bytes of the text: without all of them the process ended too early.
    size: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    code: String,
    message: String,
    details: Map<String, Value>,
}

/// Processes that read documents.
pub struct DocumentWorkers {
    program: PathBuf,
}

impl DocumentWorkers {
    /// With a program that calls `script::serve` when `script::is_worker`.
    pub fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// With this program.
    pub fn of_this_program() -> Self {
        // Without a name it cannot be started, and says so then.
        Self::new(std::env::current_exe().unwrap_or_default())
    }

    fn start(&self) -> Result<Child, DocumentFailure> {
        worker_process::start(&self.program, ARGUMENT, &[]).map_err(|error| {
            let program = self.program.display();
            crashed(format!("The process that reads documents cannot be started ({program}): {error}"))
        })
    }
}

fn crashed(message: String) -> DocumentFailure {
    DocumentFailure::Crashed { message }
}

fn ended() -> DocumentFailure {
    crashed("The document could not be read: it needs more memory than it may use, or it is damaged".into())
}

#[async_trait]
impl Documents for DocumentWorkers {
    async fn read(&self, call: DocumentCall) -> Result<String, DocumentFailure> {
        let timeout = call.timeout;
        // Dropped when the time is over, and the process with it.
        tokio::time::timeout(timeout, ask(self.start()?, call)).await.unwrap_or(Err(DocumentFailure::Timeout))
    }

    #[cfg(feature = "columnar")]
    async fn read_table(
        &self,
        call: TableCall,
        file: &mut dyn FilePieces,
        rows: &mut dyn TableRows,
    ) -> Result<String, DocumentFailure> {
        let timeout = call.timeout;
        let work = tables::ask(self.start()?, call, file, rows);
        tokio::time::timeout(timeout, work).await.unwrap_or(Err(DocumentFailure::Timeout))
    }
}

async fn ask(mut child: Child, call: DocumentCall) -> Result<String, DocumentFailure> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(crashed("The process that reads documents has no pipes".into()));
    };
    let request = Request {
        document: call.kind.name().to_owned(),
        options: call.options,
        size: call.bytes.len() as u64,
        memory_mb: call.memory_mb,
        seconds: call.timeout.as_secs().saturating_add(1),
    };
    // All of it is read before anything is written back, so neither side waits for the other.
    stdin.write_all(&line(&request)).await.map_err(|_| ended())?;
    stdin.write_all(&call.bytes).await.map_err(|_| ended())?;
    stdin.flush().await.map_err(|_| ended())?;
    drop((stdin, call.bytes));
    let mut answer = Vec::new();
    stdout.take(LARGEST).read_to_end(&mut answer).await.map_err(|_| ended())?;
    told(answer)
}

/// What the process said.
fn told(mut bytes: Vec<u8>) -> Result<String, DocumentFailure> {
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(ended)?;
    let answer: Answer = serde_json::from_slice(bytes.get(..end).unwrap_or_default()).map_err(|_| ended())?;
    if let Some(Refusal { code, message, details }) = answer.error {
        return Err(DocumentFailure::Refused { code, message, details });
    }
    bytes.drain(..=end);
    if bytes.len() as u64 != answer.size {
        return Err(ended());
    }
    String::from_utf8(bytes).map_err(|_| ended())
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Whether this process was started to read a document.
pub(crate) fn is_worker() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == ARGUMENT)
}

/// What reads files of tables, in programs that do.
pub(crate) type Tables = fn(&Request) -> io::Result<()>;

/// [`serve`] reads files of tables, too.
#[cfg(feature = "columnar")]
pub(crate) const TABLES: Tables = tables::answer;

/// Reads the document on standard input and ends.
pub(crate) fn serve(tables: Option<Tables>) {
    // Without a thread the process ends, and the one that waits for it reports that.
    if let Ok(work) = thread::Builder::new().stack_size(STACK).spawn(move || answer_one(tables)) {
        drop(work.join());
    }
}

fn answer_one(tables: Option<Tables>) -> io::Result<()> {
    let mut head = Vec::new();
    io::stdin().lock().take(1024 * 1024).read_until(b'\n', &mut head)?;
    let request: Request = serde_json::from_slice(&head)?;
    limit(&request);
    if let Some(answer) = tables.filter(|_| request.document == TABLE) {
        return answer(&request);
    }
    let (input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut bytes = Vec::new();
    input.take(request.size).read_to_end(&mut bytes)?;
    let document = Document::of_name(&request.document).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    match signalbox_documents::read(document, bytes, &request.options) {
        Ok(text) => {
            output.write_all(&line(&Answer { error: None, size: text.len() as u64 }))?;
            output.write_all(text.as_bytes())?;
        }
        Err(signalbox_documents::Error { code, message, details }) => {
            let error = Some(Refusal { code, message, details });
            output.write_all(&line(&Answer { error, size: 0 }))?;
        }
    }
    output.flush()
}

/// What is above ends the process. Whoever started it may be gone, so the time is limited here as well.
#[cfg(unix)]
fn limit(request: &Request) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let set = |resource, most| {
        // A system that sets no limit still has the time limit of whoever waits.
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    };
    set(Resource::As, u64::from(request.memory_mb) << 20);
    set(Resource::Cpu, request.seconds);
    // Nothing of the document is left on the disk when the process dies.
    set(Resource::Core, 0);
}

#[cfg(not(unix))]
fn limit(_request: &Request) {}

#[cfg(test)]
mod tests;
