//! The text of a PDF, page by page.

use crate::Error;
use pdf_extract::{Document, OutputError, PlainTextOutput, output_doc_page};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Most pages that are read.
pub const MAX_PAGES: usize = 5_000;
/// Most bytes of text.
pub const MAX_TEXT: usize = 64 * 1024 * 1024;

/// How a PDF is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// First and last page, from 1.
    pub pages: (usize, usize),
}

impl ReadOptions {
    /// From `{firstPage, lastPage}`.
    pub fn of(options: &Value) -> Self {
        let page = |name: &str| options.get(name).and_then(Value::as_u64).and_then(|page| usize::try_from(page).ok());
        Self { pages: (page("firstPage").unwrap_or(1), page("lastPage").unwrap_or(usize::MAX)) }
    }
}

/// Reads a PDF: `{"pageCount", "pages": [{"page", "text", "error"?}]}` as compact JSON. A page that cannot be read has an `error`; when
/// none can be read, the PDF cannot.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<String, Error> {
    let head = bytes.get(..bytes.len().min(1024)).unwrap_or_default();
    if !head.windows(5).any(|window| window == b"%PDF-") {
        return Err(Error::new("UNKNOWN_FORMAT", "This is no PDF: it does not begin with %PDF-"));
    }
    let mut document = Document::load_mem(bytes).map_err(|error| damaged(&error.to_string()))?;
    // Many files that nobody has to open with a password are encrypted with an empty one.
    if document.is_encrypted() && document.decrypt("").is_err() {
        let words = "The PDF is protected by a password. Save it without a password, and read that file";
        return Err(Error::new("ENCRYPTED", words));
    }
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    if numbers.is_empty() {
        return Err(damaged("it has no pages"));
    }
    let (first, last) = options.pages;
    if first > numbers.len() || last < first {
        let words = format!("The PDF has {} pages, so there are none from page {first} on", numbers.len());
        return Err(Error::new("INPUT_INVALID", words).detail("pageCount", numbers.len()));
    }
    let wanted: Vec<u32> = numbers.iter().take(last).skip(first - 1.min(first)).copied().collect();
    if wanted.len() > MAX_PAGES {
        let words = format!(
            "The PDF has {} pages, and at most {MAX_PAGES} are read at once. Set the first and the last page",
            wanted.len()
        );
        return Err(Error::too_large(words, MAX_PAGES as u64));
    }
    let (mut pages, mut length, mut failed) = (Vec::with_capacity(wanted.len()), 0, None);
    for page in wanted {
        match page_text(&document, page) {
            Ok(text) => {
                length += text.len();
                pages.push(json!({ "page": page, "text": text }));
            }
            Err(why) => {
                pages.push(json!({ "page": page, "text": "", "error": why }));
                failed = Some(why);
            }
        }
        if length > MAX_TEXT {
            let words =
                format!("The PDF has more than {} MiB of text. Set the first and the last page", MAX_TEXT >> 20);
            return Err(Error::too_large(words, MAX_TEXT as u64));
        }
    }
    if let Some(why) = failed
        && pages.iter().all(|page| page.get("error").is_some())
    {
        return Err(damaged(&format!("no page can be read ({why})")));
    }
    Ok(json!({ "pageCount": numbers.len(), "pages": pages }).to_string())
}

/// The library panics on much that it does not know; then this page has no text.
fn page_text(document: &Document, page: u32) -> Result<String, String> {
    let mut text = String::new();
    let done = catch_unwind(AssertUnwindSafe(|| output_doc_page(document, &mut PlainTextOutput::new(&mut text), page)));
    match done {
        Ok(Ok(())) => Ok(tidy(&text)),
        Ok(Err(error)) => Err(words(&error)),
        Err(_) => Err("the page uses something that is not supported, or is damaged".into()),
    }
}

fn words(error: &OutputError) -> String {
    error.to_string().chars().take(200).collect()
}

/// Without blank lines at the ends, and never more than one in a row.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = 0;
    for line in text.trim_matches(['\n', '\r', ' ']).lines() {
        let line = line.trim_end();
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank <= 1 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    // A form feed divides pages where their text is joined.
    out.replace('\u{c}', " ")
}

fn damaged(why: &str) -> Error {
    let why: String = why.chars().take(200).collect();
    Error::new("BAD_PDF", format!("The PDF cannot be read: {why}"))
}

#[cfg(test)]
mod tests;
