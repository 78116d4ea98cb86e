//! Indexes of documents: passages that are found again by the words, and the meaning, of a question.

use async_trait::async_trait;
use serde_json::{Map, Value};

/// How the text of a document is written, which decides where it is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// Paragraphs and sentences.
    Text,
    /// Headings besides.
    Markdown,
    /// Tags are left out; its headings count.
    Html,
    /// A table: the first line names the columns, rows stay whole.
    Csv,
    /// The text of pages, with a form feed between them: no passage goes over two pages.
    Pdf,
}

impl DocumentFormat {
    /// As a setting says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Csv => "csv",
            Self::Pdf => "pdf",
        }
    }
}

/// How long passages are, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkSize {
    /// Most characters of a passage.
    pub max_chars: usize,
    /// At most so many characters at the end of a passage begin the next one too.
    pub overlap_chars: usize,
}

/// A document to be indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Names it in its index.
    pub id: String,
    /// Shown with its passages, and searched.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// How that is written.
    pub format: DocumentFormat,
    /// Fields that a filter can ask for.
    pub metadata: Map<String, Value>,
    /// How it is divided.
    pub size: ChunkSize,
}

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indexed {
    /// It was not there.
    Added,
    /// It was there with another text.
    Changed,
    /// It was there as it is.
    Unchanged,
}

/// An index after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexTotals {
    /// Documents that are no longer there.
    pub removed: u64,
    /// Documents that are there.
    pub documents: u64,
    /// Their passages.
    pub chunks: u64,
}

/// A question as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryVector {
    /// The model that made them.
    pub model: String,
    /// Its answer.
    pub vector: Vec<f32>,
}

/// What passages of an index are sought.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// The question, in words.
    pub query: String,
    /// Most passages.
    pub top: usize,
    /// Fields of the metadata with the value, or one of the values, that they must have.
    pub filter: Map<String, Value>,
    /// Passages that are near to it are found besides.
    pub vector: Option<QueryVector>,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its words.
    pub text: String,
    /// How well it fits, from 0 to 1: the share of the words of the question that it has, rare ones counting more; with a
    /// vector, the cosine where that is larger.
    pub score: f64,
    /// The document.
    pub document: String,
    /// Its title.
    pub title: Option<String>,
    /// The page, from 1, of a document with pages.
    pub page: Option<u64>,
    /// The first character of the passage in the text of the document, or of its page.
    pub start: u64,
    /// The character after its last one.
    pub end: u64,
    /// The headings above it, or the names of columns.
    pub heading: Option<String>,
    /// Of the document.
    pub metadata: Map<String, Value>,
}

/// Why an index cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetrievalError {
    /// No index has this name.
    Missing,
    /// Its file is no index, or is damaged.
    Damaged {
        /// Plain words.
        message: String,
    },
    /// Another program, or another run, holds it for too long.
    Busy,
    /// The disk is full.
    DiskFull,
    /// Too many passages.
    Full {
        /// Most of an index.
        limit: u64,
    },
    /// The index has no vectors, or those of another model.
    Embedding {
        /// Plain words.
        message: String,
    },
    /// What is asked for is not valid.
    Invalid {
        /// The field.
        field: &'static str,
        /// Plain words.
        message: String,
    },
    /// Any other failure.
    Io {
        /// Plain words.
        message: String,
    },
}

/// A change of one index. Nothing of it holds before [`IndexWriter::commit`]; dropped, it never was.
#[async_trait]
pub trait IndexWriter: Send {
    /// Adds a document, or replaces the one of the same id when its text is another.
    async fn put(&mut self, document: Document) -> Result<Indexed, RetrievalError>;
    /// Removes a document; whether it was there.
    async fn remove(&mut self, id: String) -> Result<bool, RetrievalError>;
    /// Makes the change durable. `replace` also removes all documents that were not put.
    async fn commit(self: Box<Self>, replace: bool) -> Result<IndexTotals, RetrievalError>;
}

/// Indexes of this machine, by name.
#[async_trait]
pub trait Retrieval: Send + Sync {
    /// Begins a change of an index; `create` makes it where it is missing. Changes of one index come one after the other.
    async fn change(&self, index: &str, create: bool) -> Result<Box<dyn IndexWriter>, RetrievalError>;
    /// Passages that fit, the best first; empty where none has a word of the question.
    async fn search(&self, index: &str, search: Search) -> Result<Vec<Passage>, RetrievalError>;
    /// Passages that have no vector of a model yet, by their number in the index: at most `limit`.
    async fn without_vector(
        &self,
        index: &str,
        model: &str,
        limit: usize,
    ) -> Result<Vec<(i64, String)>, RetrievalError>;
    /// Keeps vectors of passages; an index has those of one model, others go.
    async fn put_vectors(&self, index: &str, model: &str, vectors: Vec<(i64, Vec<f32>)>) -> Result<(), RetrievalError>;
}

/// Where no indexes are.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRetrieval;

#[async_trait]
impl Retrieval for NoRetrieval {
    async fn change(&self, _index: &str, _create: bool) -> Result<Box<dyn IndexWriter>, RetrievalError> {
        Err(RetrievalError::Io { message: "Indexes cannot be kept here".into() })
    }
    async fn search(&self, _index: &str, _search: Search) -> Result<Vec<Passage>, RetrievalError> {
        Err(RetrievalError::Missing)
    }
    async fn without_vector(&self, _: &str, _: &str, _: usize) -> Result<Vec<(i64, String)>, RetrievalError> {
        Err(RetrievalError::Missing)
    }
    async fn put_vectors(&self, _: &str, _: &str, _: Vec<(i64, Vec<f32>)>) -> Result<(), RetrievalError> {
        Err(RetrievalError::Missing)
    }
}
