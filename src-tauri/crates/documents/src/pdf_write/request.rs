//! A PDF that is made in another process: what that process is sent.

use super::content::Content;
use super::fonts::{FontFile, FontSource};
use super::options::Options;
use super::write::{Written, write};
use crate::Error;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What is sent: a description as JSON, then the files one after the other.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The pieces of the text, as [`Content::of`] reads them, in JSON.
    pub content: String,
    /// Texts of values are read as Markdown.
    pub is_markdown: bool,
    /// The same for what is above each page.
    pub header: Option<String>,
    /// And below.
    pub footer: Option<String>,
    /// Pictures by name.
    pub images: Vec<(String, Vec<u8>)>,
    /// Font files by name.
    pub fonts: Vec<(String, Vec<u8>)>,
}

impl Request {
    /// The bytes, and where the description ends, to be given to [`make`] with the options as `head`.
    pub fn bytes(self) -> (Vec<u8>, usize) {
        let sizes = |files: &[(String, Vec<u8>)]| -> Value {
            files.iter().map(|(name, bytes)| json!([name, bytes.len()])).collect()
        };
        let mut bytes = format!(
            r#"{{"markdown":{},"images":{},"fonts":{},"header":{},"footer":{},"content":{}}}"#,
            self.is_markdown,
            sizes(&self.images),
            sizes(&self.fonts),
            self.header.as_deref().unwrap_or("null"),
            self.footer.as_deref().unwrap_or("null"),
            self.content
        )
        .into_bytes();
        drop(self.content);
        let head = bytes.len();
        for (_, file) in self.images.into_iter().chain(self.fonts) {
            bytes.extend_from_slice(&file);
        }
        (bytes, head)
    }
}

/// Makes a PDF of what [`Request::bytes`] gave, with options as [`Options::of`] reads them. A panic of a library is an error.
pub fn make(bytes: &[u8], options: &Value, others: &mut dyn FontSource) -> Result<Written, Error> {
    let done = catch_unwind(AssertUnwindSafe(|| made(bytes, options, others)));
    done.unwrap_or_else(|_| {
        let words = "The PDF could not be made: a font or a picture is damaged in a way that cannot be read";
        Err(Error::new("BAD_FONT", words))
    })
}

fn made(bytes: &[u8], options: &Value, others: &mut dyn FontSource) -> Result<Written, Error> {
    let bad = || Error::new("INPUT_INVALID", "What was sent to be made into a PDF is not complete");
    let head = options["head"].as_u64().and_then(|head| usize::try_from(head).ok()).ok_or_else(bad)?;
    let mut about: Value = serde_json::from_slice(bytes.get(..head).ok_or_else(bad)?).map_err(|_| bad())?;
    let mut at = head;
    let mut files = |list: Value| -> Result<Vec<(String, Vec<u8>)>, Error> {
        let one = |entry: &Value| {
            let (name, size) = (entry[0].as_str()?, usize::try_from(entry[1].as_u64()?).ok()?);
            let file = bytes.get(at..at.checked_add(size)?)?.to_vec();
            at += size;
            Some((name.to_owned(), file))
        };
        list.as_array().into_iter().flatten().map(one).collect::<Option<_>>().ok_or_else(bad)
    };
    let images: HashMap<String, Vec<u8>> = files(about["images"].take())?.into_iter().collect();
    let fonts = files(about["fonts"].take())?
        .into_iter()
        .map(|(name, bytes)| FontFile { name, bytes: Arc::new(bytes) })
        .collect();
    let mut options = Options::of(options)?;
    let band = |value: Value| if value.is_null() { Ok(None) } else { Content::of(value, false).map(Some) };
    options.header = band(about["header"].take())?;
    options.footer = band(about["footer"].take())?;
    let content = Content::of(about["content"].take(), about["markdown"] == true)?;
    drop(about);
    write(&content, &options, &images, fonts, others)
}
