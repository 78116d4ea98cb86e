//! Documents of others: spreadsheets, PDF and web pages, read apart from this program, and PDF that is made there.

use async_trait::async_trait;
use serde_json::{Map, Value};
use std::time::Duration;

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// A workbook.
    Sheet,
    /// A PDF.
    Pdf,
    /// An HTML page.
    Html,
    /// A PDF that is made, with [`Documents::make`].
    NewPdf,
}

impl DocumentKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sheet => "sheet",
            Self::Pdf => "pdf",
            Self::Html => "html",
            Self::NewPdf => "newPdf",
        }
    }
}

/// A document and how it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentCall {
    /// What it is.
    pub kind: DocumentKind,
    /// The file.
    pub bytes: Vec<u8>,
    /// What of it, as the crate `documents` says for its kind.
    pub options: Value,
    /// Time limit.
    pub timeout: Duration,
    /// Memory that reading it may use, MiB.
    pub memory_mb: u32,
}

/// Why a document was not read.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentFailure {
    /// It is not what it should be, or too large.
    Refused {
        /// `BAD_PDF`, `ENCRYPTED` and so on.
        code: String,
        /// What is wrong, where, and what helps.
        message: String,
        /// The same for programs.
        details: Map<String, Value>,
    },
    /// It was not done in time.
    Timeout,
    /// The process that read it ended, or could not be started.
    Crashed {
        /// Plain words.
        message: String,
    },
}

/// A document that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct MadeDocument {
    /// The file.
    pub bytes: Vec<u8>,
    /// What it has, as the step's result says it.
    pub about: Map<String, Value>,
}

/// Reads and makes documents where they can do no harm.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Reads one, as compact JSON. Dropping the future ends it.
    async fn read(&self, call: DocumentCall) -> Result<String, DocumentFailure>;

    /// Makes one; the call has a description and files. Dropping the future ends it.
    async fn make(&self, call: DocumentCall) -> Result<MadeDocument, DocumentFailure>;
}

/// Where no documents are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDocuments;

#[async_trait]
impl Documents for NoDocuments {
    async fn read(&self, _call: DocumentCall) -> Result<String, DocumentFailure> {
        Err(DocumentFailure::Crashed { message: "Documents cannot be read here".into() })
    }

    async fn make(&self, _call: DocumentCall) -> Result<MadeDocument, DocumentFailure> {
        Err(DocumentFailure::Crashed { message: "Documents cannot be made here".into() })
    }
}
