//! Indexes of documents: one SQLite file per index below the data folder. Documents are divided into passages, which are
//! found again by the words of a question (FTS5, BM25).
//!
//! Not here: where documents come from. Steps hand their texts over; nothing here reads a file by its path.
#![deny(missing_docs)]

mod chunk;
mod copy;
mod csv;
mod filter;
mod folder;
mod html;
mod index;
mod manage;
mod search;
mod terms;
mod unit;
mod vectors;

pub use chunk::{Chunk, chunks};
pub use copy::{check_index, copy_index, index_files, is_index_file};
pub use folder::IndexFolder;
pub use manage::{IndexFacts, IndexedDocument, delete_index, index_documents, index_facts, index_names};
