//! Markdown with values becomes a PDF.
//!
//! Values never become markup: the author's text is parsed with marks in their places, and what they stand for is put in afterwards
//! (`markdown`). Layout and shaping are here; fonts, pictures and the file's text come as bytes. Not here: hyphenation, justified
//! lines, scripts that are written from top to bottom, forms, signatures.

mod blocks;
mod content;
mod fonts;
mod image;
mod layout;
mod markdown;
mod objects;
mod options;
mod page;
mod request;
mod shape;
mod structure;
mod table;
mod write;

pub use content::{Content, Piece};
pub use fonts::{FontFile, FontSource, NoFonts, covered};
pub use options::{Align, Options};
pub use request::{Request, make};
pub use write::{Written, write};

use crate::Error;

/// Most pages.
pub const MAX_PAGES: usize = 5_000;
/// Most bytes of the text and of the values.
pub const MAX_CONTENT: usize = 64 * 1024 * 1024;
/// Most pictures, different ones.
pub const MAX_IMAGES: usize = 500;
/// Most dots of one picture.
pub const MAX_PIXELS: u64 = 50_000_000;
/// Most bytes of a font file.
pub const MAX_FONT: usize = 64 * 1024 * 1024;
/// How deep lists and quotes may be in each other.
pub const MAX_DEPTH: usize = 20;

/// The pictures that a text names, each once, in order.
pub fn image_names(content: &Content) -> Result<Vec<String>, Error> {
    Ok(markdown::read(content)?.images)
}

#[cfg(test)]
mod tests;
