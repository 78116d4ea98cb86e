//! Documents, each in a separate process: this program again, started with [`ARGUMENT`]. It has an empty environment and nothing
//! but its standard input and output, and on Unix a limit of memory and of processor time. The libraries that read workbooks and PDF
//! panic on some files, run for ever on others and use much memory for a few; here that ends one process and is one error. A PDF
//! is made there too: fonts and pictures come from others, and cancelling ends it at once.

mod machine_fonts;

#[cfg(feature = "columnar")]
mod tables;

use crate::worker_process;
use async_trait::async_trait;
use machine_fonts::MachineFonts;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use signalbox_documents::pdf_write::{self, FontSource, NoFonts};
use signalbox_documents::sheet::Filled;
use signalbox_documents::{Document, Error};
use signalbox_ports::{DocumentCall, DocumentFailure, DocumentKind, Documents, FillCall, FilledDocument, MadeDocument};
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
/// Instead of the name of a document: a template that is filled.
const FILL: &str = "fill";
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
    /// Bytes of the data for a template, which follow it.
    #[serde(default)]
    data_size: u64,
    memory_mb: u32,
    seconds: u64,
}

/// What comes before the text or the file, in one line. Without an error that follows until the end.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    error: Option<Refusal>,
    /// Bytes that follow: without all of them the process ended too early.
    size: u64,
    /// Of a filled template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    filled: Option<FilledAnswer>,
    /// What a file that was made has.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    about: Map<String, Value>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FilledAnswer {
    has_macros: bool,
    about: Value,
}

#[derive(Debug, Serialize, Deserialize)]
struct Refusal {
    code: String,
    message: String,
    details: Map<String, Value>,
}

/// What the process says, and the bytes that follow.
type Answered = (Answer, Vec<u8>);

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

    async fn answer(&self, call: DocumentCall) -> Result<Answered, DocumentFailure> {
        let timeout = call.timeout;
        // Dropped when the time is over, and the process with it.
        tokio::time::timeout(timeout, ask_document(self.start()?, call)).await.unwrap_or(Err(DocumentFailure::Timeout))
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
        let (_, bytes) = self.answer(call).await?;
        String::from_utf8(bytes).map_err(|_| ended())
    }

    async fn make(&self, call: DocumentCall) -> Result<MadeDocument, DocumentFailure> {
        let (Answer { about, .. }, bytes) = self.answer(call).await?;
        Ok(MadeDocument { bytes, about })
    }

    async fn fill(&self, call: FillCall) -> Result<FilledDocument, DocumentFailure> {
        let timeout = call.timeout;
        tokio::time::timeout(timeout, ask_file(self.start()?, call)).await.unwrap_or(Err(DocumentFailure::Timeout))
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

async fn ask_document(child: Child, call: DocumentCall) -> Result<Answered, DocumentFailure> {
    let request = Request {
        document: call.kind.name().to_owned(),
        options: call.options,
        size: call.bytes.len() as u64,
        data_size: 0,
        memory_mb: call.memory_mb,
        seconds: call.timeout.as_secs().saturating_add(1),
    };
    opened(ask(child, request, call.bytes, String::new()).await?)
}

async fn ask_file(child: Child, call: FillCall) -> Result<FilledDocument, DocumentFailure> {
    let request = Request {
        document: FILL.to_owned(),
        options: call.options,
        size: call.template.len() as u64,
        data_size: call.data.len() as u64,
        memory_mb: call.memory_mb,
        seconds: call.timeout.as_secs().saturating_add(1),
    };
    let (answer, bytes) = opened(ask(child, request, call.template, call.data).await?)?;
    let FilledAnswer { has_macros, about } = answer.filled.ok_or_else(ended)?;
    Ok(FilledDocument { bytes, has_macros, about })
}

async fn ask(mut child: Child, request: Request, bytes: Vec<u8>, data: String) -> Result<Vec<u8>, DocumentFailure> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(crashed("The process that reads documents has no pipes".into()));
    };
    // All of it is read before anything is written back, so neither side waits for the other.
    stdin.write_all(&line(&request)).await.map_err(|_| ended())?;
    stdin.write_all(&bytes).await.map_err(|_| ended())?;
    stdin.write_all(data.as_bytes()).await.map_err(|_| ended())?;
    stdin.flush().await.map_err(|_| ended())?;
    drop((stdin, bytes, data));
    let mut answer = Vec::new();
    stdout.take(LARGEST).read_to_end(&mut answer).await.map_err(|_| ended())?;
    Ok(answer)
}

/// What the process said, and what followed.
fn opened(mut bytes: Vec<u8>) -> Result<Answered, DocumentFailure> {
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(ended)?;
    let answer: Answer = serde_json::from_slice(bytes.get(..end).unwrap_or_default()).map_err(|_| ended())?;
    if let Answer { error: Some(Refusal { code, message, details }), .. } = answer {
        return Err(DocumentFailure::Refused { code, message, details });
    }
    bytes.drain(..=end);
    if bytes.len() as u64 != answer.size {
        return Err(ended());
    }
    Ok((answer, bytes))
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
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut bytes = Vec::new();
    input.by_ref().take(request.size).read_to_end(&mut bytes)?;
    let done = match request.document.as_str() {
        FILL => {
            let mut data = Vec::new();
            input.take(request.data_size).read_to_end(&mut data)?;
            filled(&request, bytes, &data)
        }
        kind if kind == DocumentKind::NewPdf.name() => new_pdf(&request, &bytes),
        kind => {
            let document = Document::of_name(kind).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
            let text = signalbox_documents::read(document, bytes, &request.options);
            text.map(|text| (Answer::default(), text.into_bytes()))
        }
    };
    match done {
        Ok((answer, bytes)) => {
            output.write_all(&line(&Answer { size: bytes.len() as u64, ..answer }))?;
            output.write_all(&bytes)?;
        }
        Err(Error { code, message, details }) => {
            let error = Some(Refusal { code, message, details });
            output.write_all(&line(&Answer { error, ..Answer::default() }))?;
        }
    }
    output.flush()
}

fn filled(request: &Request, template: Vec<u8>, data: &[u8]) -> Result<Answered, Error> {
    let Filled { bytes, has_macros, about } = signalbox_documents::fill(template, data, &request.options)?;
    Ok((Answer { filled: Some(FilledAnswer { has_macros, about }), ..Answer::default() }, bytes))
}

fn new_pdf(request: &Request, bytes: &[u8]) -> Result<Answered, Error> {
    let (mut machine, mut none) = (MachineFonts, NoFonts);
    let others: &mut dyn FontSource = if request.options["machineFonts"] == false { &mut none } else { &mut machine };
    let made = pdf_write::make(bytes, &request.options, others)?;
    let mut about = Map::new();
    about.insert("pages".into(), made.pages.into());
    if let Some(title) = made.title {
        about.insert("title".into(), title.into());
    }
    about.insert("fonts".into(), made.fonts.into());
    Ok((Answer { about, ..Answer::default() }, made.bytes))
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
