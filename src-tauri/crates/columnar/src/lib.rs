//! Parquet and Arrow files: rows as JSON, with bounded memory and without loss. No files, no network, no clock: the bytes are asked for
//! in pieces.
//!
//! What comes in is hostile until it is read. Sizes are checked before anything is unpacked, and [`read`] is made to run in a separate
//! process, because a library that reads such files can panic, or be made to use much time and memory.
#![deny(missing_docs)]

mod arrow_file;
mod arrow_message;
mod arrow_stream;
mod cells;
mod codec;
mod failure;
mod footer;
mod form;
mod names;
mod pages;
mod parquet_file;
mod rows;
mod schema;
mod source;

pub use source::FileRanges;

use crate::failure::Format;
use crate::source::Source;
use serde_json::Value;
use signalbox_documents::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most columns that are read, with those inside of others.
pub const MAX_COLUMNS: usize = 16_384;
/// Most bytes of a footer or of the description of a message.
pub const MAX_FOOTER: u64 = 128 * 1024 * 1024;
/// Most bytes of a page of Parquet, unpacked.
pub const MAX_PAGE: u64 = 512 * 1024 * 1024;
/// Most bytes of a record batch of Arrow, unpacked.
pub const MAX_BATCH: u64 = 512 * 1024 * 1024;
/// Most bytes of a row as JSON.
pub const MAX_ROW: usize = 64 * 1024 * 1024;

/// What is wanted of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Its rows.
    Rows,
    /// What it says about itself, without rows.
    Description,
    /// Both.
    Both,
}

/// How a file is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// What of it.
    pub wanted: Wanted,
    /// Names of columns, in the order of their values; all of the file when there is none.
    pub columns: Vec<String>,
    /// So many rows are passed over.
    pub offset: u64,
    /// So many rows are read at most.
    pub limit: Option<u64>,
}

impl ReadOptions {
    /// From `{wanted, columns, offset, limit}`; `wanted` is `rows`, `description` or `both`.
    pub fn of(options: &Value) -> Self {
        let number = |name: &str| options.get(name).and_then(Value::as_u64);
        let names = options.get("columns").and_then(Value::as_array).into_iter().flatten();
        Self {
            wanted: match options.get("wanted").and_then(Value::as_str) {
                Some("description") => Wanted::Description,
                Some("both") => Wanted::Both,
                _ => Wanted::Rows,
            },
            columns: names.filter_map(Value::as_str).map(str::to_owned).collect(),
            offset: number("offset").unwrap_or(0),
            limit: number("limit"),
        }
    }

    fn wants_rows(&self) -> bool {
        self.wanted != Wanted::Description && self.limit != Some(0)
    }

    fn wants_description(&self) -> bool {
        self.wanted != Wanted::Rows
    }
}

/// Takes rows: compact JSON objects, each with a line feed behind it, and how many they are.
pub type RowSink<'a> = dyn FnMut(&str, u64) -> Result<(), Error> + 'a;

/// Reads a file: its rows go to the sink, and what it says about itself is returned as compact JSON (`null` when that is not wanted). A
/// panic of a library is an error.
pub fn read(file: Box<dyn FileRanges>, options: &ReadOptions, rows: &mut RowSink<'_>) -> Result<String, Error> {
    let source = Source::new(file);
    let format = Format::of(&source)?;
    let done = catch_unwind(AssertUnwindSafe(|| match format {
        Format::Parquet => parquet_file::read(&source, options, rows),
        Format::ArrowFile => arrow_file::read(&source, options, rows),
        Format::ArrowStream => arrow_stream::read(&source, options, rows),
    }));
    let done = done.unwrap_or_else(|_| Err(format.damaged("it is damaged in a way that cannot be read")));
    // What stopped the bytes is the reason of all that comes after it.
    done.map_err(|error| source.take_failure().unwrap_or(error))
}

#[cfg(test)]
mod tests;
