//! Traits for the outside world. Node kinds are written against these; `adapters` implements them, `testkit` scripts
//! them.
#![deny(missing_docs)]

pub mod audit_sink;
pub mod binaries;
pub mod brokers;
pub mod call_log;
pub mod databases;
pub mod documents;
pub mod host;
mod http;
pub mod llm;
pub mod mail;
pub mod remembered;
pub mod remote_files;
pub mod retrieval;
pub mod scripts;
pub mod scrub;
pub mod secret;
pub mod telemetry;
pub mod tools;
pub mod trace_scope;
pub mod uploads;
mod wait;

pub use audit_sink::{AuditLine, AuditSink, NotTaken};
pub use binaries::{Binaries, BinaryError, NoBinaries};
pub use brokers::{Brokers, NoBrokers};
pub use call_log::{CallLog, Unheard};
pub use databases::{Databases, NoDatabases};
pub use documents::{
    DocumentCall, DocumentFailure, DocumentKind, Documents, FilePieces, FillCall, FilledDocument, MadeDocument,
    NoDocuments, Stopped, TableCall, TableRows,
};
pub use http::{
    BodySink, BodyStream, Cookie, EVENT_STREAM, Http, HttpError, HttpRequest, HttpResponse, Redirects, StreamError,
    StreamedAnswer, StreamedBody, is_event_stream, is_of_connection, is_success,
};
pub use llm::{Llm, NoLlm};
pub use mail::{Mail, MailPlace, MailWatch, MailWatched, NoMail, Renumbered};
pub use remembered::{NoRemembered, RememberError, Remembered};
pub use remote_files::{NoRemoteFiles, RemoteFiles};
pub use retrieval::{IndexWriter, NoRetrieval, Retrieval, RetrievalError};
pub use scripts::{NoScripts, Scripts};
pub use scrub::Scrubber;
pub use secret::{Credential, CredentialKind, NoSecrets, Secret, SecretError, Secrets};
pub use tools::{NoTools, Tools};
pub use uploads::{NoUploads, Uploads};
pub use wait::{in_words, retry_after};

use async_trait::async_trait;
use signalbox_model::{Level, Map};
use std::sync::Arc;

/// Why a file operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileError {
    /// No granted folder holds the path, or it leaves its folder.
    Refused {
        /// Plain words with the next step.
        message: String,
    },
    /// No such file or folder.
    NotFound {
        /// The path as given.
        path: String,
    },
    /// It exists and must not.
    Exists {
        /// The path as given.
        path: String,
    },
    /// Any other failure.
    Io {
        /// Plain words.
        message: String,
        /// The disk is full.
        disk_full: bool,
    },
    /// Larger than the limit.
    TooLarge {
        /// Bytes.
        size: u64,
        /// Bytes.
        limit: u64,
    },
}

/// One file of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Path as a later `read` takes it.
    pub path: String,
    /// File name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Milliseconds since 1970.
    pub modified_ms: i64,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Replace atomically.
    Overwrite,
    /// Refuse when it exists.
    FailIfExists,
    /// Add at the end.
    Append,
}

/// A file right after it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Bytes of the whole file.
    pub size: u64,
    /// The real path, without links.
    pub place: String,
    /// Time of its last change, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// A piece of a file, and what the file was like when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    /// The piece; shorter than asked for at the end.
    pub bytes: Vec<u8>,
    /// Bytes of the whole file.
    pub size: u64,
    /// Time of its last change, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// Gives what is written, piece by piece. An error stops the write, and nothing of it stays.
pub type PartSource = Box<dyn FnMut() -> Option<Result<Vec<u8>, String>> + Send>;

/// Gives what is written, piece by piece, while it arrives. An error stops the write, and nothing of it stays.
#[async_trait]
pub trait PieceStream: Send {
    /// The next piece; `None` at the end.
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>>;
}

/// Files inside granted folders of one workflow. Paths starting with `sample:` name the files shipped with the app
/// (read only).
#[async_trait]
pub trait Files: Send + Sync {
    /// Reads a whole file.
    async fn read(&self, workflow: &str, path: &str, limit: u64) -> Result<Vec<u8>, FileError>;
    /// Writes a whole file.
    async fn write(&self, workflow: &str, path: &str, bytes: &[u8], mode: WriteMode) -> Result<Written, FileError>;
    /// Reads a piece of a file: at most so many bytes from a place on.
    async fn read_part(&self, workflow: &str, path: &str, at: u64, most: usize) -> Result<FilePart, FileError> {
        let all = self.read(workflow, path, u64::MAX).await?;
        let start = usize::try_from(at).unwrap_or(usize::MAX).min(all.len());
        let end = start.saturating_add(most).min(all.len());
        Ok(FilePart { bytes: all[start..end].to_vec(), size: all.len() as u64, modified_ms: 0 })
    }
    /// Writes a whole file of which one piece is there at a time.
    async fn write_parts(
        &self,
        workflow: &str,
        path: &str,
        mut parts: PartSource,
        mode: WriteMode,
    ) -> Result<Written, FileError> {
        let mut all = Vec::new();
        while let Some(part) = parts() {
            all.extend(part.map_err(|message| FileError::Io { message, disk_full: false })?);
        }
        self.write(workflow, path, &all, mode).await
    }
    /// Writes a whole file while its pieces arrive. A call that is dropped leaves what was there before.
    async fn write_stream(
        &self,
        workflow: &str,
        path: &str,
        pieces: &mut dyn PieceStream,
        mode: WriteMode,
    ) -> Result<Written, FileError> {
        let mut all = Vec::new();
        while let Some(piece) = pieces.next().await {
            all.extend(piece.map_err(|message| FileError::Io { message, disk_full: false })?);
        }
        self.write(workflow, path, &all, mode).await
    }
    /// Lists files of a folder whose name matches a glob (`*` and `?`), sorted by path.
    async fn list(&self, workflow: &str, path: &str, glob: &str) -> Result<Vec<FileEntry>, FileError>;
}

/// Time.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;
    /// Returns when `now_ms() >= due_ms`.
    async fn sleep_until(&self, due_ms: i64);
}

/// Ids and seeds.
pub trait Ids: Send + Sync {
    /// UUID v7.
    fn run_id(&self) -> String;
    /// 64 random bits.
    fn seed(&self) -> u64;
}

/// An entry that the author of a workflow asks for (`builtin.audit`).
#[derive(Debug, Clone, PartialEq)]
pub struct AuditNote {
    /// The run.
    pub run_id: String,
    /// The node.
    pub node_id: String,
    /// Its name; not one of Signalbox's own.
    pub event: String,
    /// How grave.
    pub level: Level,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Kept under `metadata.user`.
    pub metadata: Map,
    /// The same for the same call, so that a repeated one leaves one entry.
    pub key: String,
    /// Milliseconds since 1970.
    pub now_ms: i64,
    /// The copy of the chain that must have the entry.
    pub sink: Option<String>,
}

/// Why an entry was not recorded as it was wanted; the reasons are plain words without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRecorded {
    /// It is not in the chain.
    Unwritten(String),
    /// No sink has the name; nothing was written.
    UnknownSink(String),
    /// It is in the chain, and not yet in the sink, which gets it later.
    NotCopied(String),
}

/// The audit chain, as a node sees it.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Writes an entry durably, and returns when the named sink has it, too.
    async fn record(&self, note: AuditNote) -> Result<(), NotRecorded>;
}

/// Where there is no chain: every entry is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoAudit;

#[async_trait]
impl AuditLog for NoAudit {
    async fn record(&self, _note: AuditNote) -> Result<(), NotRecorded> {
        Err(NotRecorded::Unwritten("there is no audit chain here".into()))
    }
}

/// What a node kind with effects may use.
pub struct World {
    /// HTTP.
    pub http: Arc<dyn Http>,
    /// Files.
    pub files: Arc<dyn Files>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// The audit chain.
    pub audit: Arc<dyn AuditLog>,
    /// Secrets of this machine.
    pub secrets: Arc<dyn Secrets>,
    /// Language models.
    pub llm: Arc<dyn Llm>,
    /// Tools of registered servers.
    pub tools: Arc<dyn Tools>,
    /// Scripts of authors.
    pub scripts: Arc<dyn Scripts>,
    /// Bytes of items.
    pub binaries: Arc<dyn Binaries>,
    /// Keys that steps have seen in earlier runs.
    pub remembered: Arc<dyn Remembered>,
    /// Indexes of documents.
    pub retrieval: Arc<dyn Retrieval>,
    /// Readers of documents.
    pub documents: Arc<dyn Documents>,
    /// Databases of people.
    pub databases: Arc<dyn Databases>,
    /// Mail servers.
    pub mail: Arc<dyn Mail>,
    /// Message brokers.
    pub brokers: Arc<dyn Brokers>,
    /// Files on servers that speak SFTP.
    pub remote_files: Arc<dyn RemoteFiles>,
    /// Uploads in parts that have begun.
    pub uploads: Arc<dyn Uploads>,
}
