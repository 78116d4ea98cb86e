//! Documents of others: spreadsheets, PDF, web pages and files of tables, read apart from this program; PDF that is made and templates
//! of spreadsheets that are filled there.

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

/// A template and what it is filled with.
#[derive(Debug, Clone, PartialEq)]
pub struct FillCall {
    /// The file.
    pub template: Vec<u8>,
    /// `{"data": …, "cells": {…}}` as JSON text.
    pub data: String,
    /// How, as the crate `documents` says.
    pub options: Value,
    /// Time limit.
    pub timeout: Duration,
    /// Memory that filling it may use, MiB.
    pub memory_mb: u32,
}

/// A filled template.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledDocument {
    /// The file.
    pub bytes: Vec<u8>,
    /// It has macros.
    pub has_macros: bool,
    /// What was filled.
    pub about: Value,
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
    /// What gives the file, or what takes the rows, ended it and knows why.
    Stopped,
    /// The process that read it ended, or could not be started.
    Crashed {
        /// Plain words.
        message: String,
    },
}

/// A file of a table and how it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct TableCall {
    /// What of it, as the crate `columnar` says.
    pub options: Value,
    /// Time limit.
    pub timeout: Duration,
    /// Memory that reading it may use, MiB.
    pub memory_mb: u32,
}

/// The end of a reading, by one who knows why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// A file of any size, of which pieces are asked for.
#[async_trait]
pub trait FilePieces: Send {
    /// Its bytes.
    fn size(&self) -> u64;
    /// Exactly so many bytes from a place on, which are inside the file.
    async fn piece(&mut self, at: u64, length: usize) -> Result<Vec<u8>, Stopped>;
}

/// Takes the rows of a table while they are read.
pub trait TableRows: Send {
    /// Compact JSON objects, each with a line feed behind it.
    fn rows(&mut self, lines: &str) -> Result<(), Stopped>;
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

    /// Fills a template. Dropping the future ends it.
    async fn fill(&self, call: FillCall) -> Result<FilledDocument, DocumentFailure>;

    /// Reads a Parquet or Arrow file: its rows while they come, then what it says about itself, as compact JSON. Dropping the future
    /// ends it.
    async fn read_table(
        &self,
        _call: TableCall,
        _file: &mut dyn FilePieces,
        _rows: &mut dyn TableRows,
    ) -> Result<String, DocumentFailure> {
        Err(DocumentFailure::Crashed { message: "Parquet and Arrow files cannot be read here".into() })
    }
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

    async fn fill(&self, _call: FillCall) -> Result<FilledDocument, DocumentFailure> {
        Err(DocumentFailure::Crashed { message: "Templates cannot be filled here".into() })
    }
}
