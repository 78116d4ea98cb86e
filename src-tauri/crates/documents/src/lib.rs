//! Spreadsheets, pages, PDF and archives: bytes to values and back. Pure: no files, no network, no clock.
//!
//! What comes in is hostile until it is read. Sizes are checked before anything is unpacked, and [`read`] is made to run in a separate
//! process, because the libraries for workbooks, PDF and HTML can panic, or be made to use much time and memory.
#![deny(missing_docs)]

pub mod archive;
pub mod encoding;
mod error;
pub mod html;
pub mod markup;
pub mod pdf;
pub mod pdf_write;
pub mod sheet;
pub mod toml_text;
pub mod xml;

pub use error::Error;

use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What [`read`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// A workbook: xlsx, xls or ods.
    Sheet,
    /// A PDF.
    Pdf,
    /// An HTML page.
    Html,
}

impl Document {
    /// Its name between processes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sheet => "sheet",
            Self::Pdf => "pdf",
            Self::Html => "html",
        }
    }

    /// The document of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Sheet, Self::Pdf, Self::Html].into_iter().find(|document| document.name() == name)
    }
}

/// Fills an xlsx template. `data` is `{"data": …, "cells": {address: value}}` as JSON text. A panic of a library is an error.
pub fn fill(template: Vec<u8>, data: &[u8], options: &Value) -> Result<sheet::Filled, Error> {
    let given: Value = serde_json::from_slice(data)
        .map_err(|error| Error::new("SCHEMA_MISMATCH", format!("The data for the template are no JSON: {error}")))?;
    let (none, no_cells) = (Value::Null, Map::new());
    let values = given.get("data").unwrap_or(&none);
    let cells = given.get("cells").and_then(Value::as_object).unwrap_or(&no_cells);
    let options = sheet::FillOptions::of(options);
    let done = catch_unwind(AssertUnwindSafe(|| sheet::fill(template, values, cells, &options)));
    done.unwrap_or_else(|_| Err(Error::new("BAD_SPREADSHEET", "The template is damaged in a way that cannot be read")))
}

/// Reads a document as compact JSON. A panic of a library is an error.
pub fn read(document: Document, bytes: Vec<u8>, options: &Value) -> Result<String, Error> {
    let (code, what) = match document {
        Document::Sheet => ("BAD_SPREADSHEET", "spreadsheet"),
        Document::Pdf => ("BAD_PDF", "PDF"),
        Document::Html => ("BAD_HTML", "page"),
    };
    let done = catch_unwind(AssertUnwindSafe(|| match document {
        Document::Sheet => sheet::read(bytes, &sheet::ReadOptions::of(options)?),
        Document::Html => html::read(bytes, options),
        Document::Pdf => pdf::read(&bytes, &pdf::ReadOptions::of(options)),
    }));
    done.unwrap_or_else(|_| Err(Error::new(code, format!("The {what} is damaged in a way that cannot be read"))))
}
