//! CSV tables: how they are written down ([`Layout`]), read and written (ADR 85).
//!
//! Reading is strict. A table that is malformed is an error with the line and the cause, because a lenient reader moves values into
//! other columns or hides whole rows inside one value. Every value is the text of the file, unchanged: `1,5` and `007` stay what
//! they are.

mod read;
mod records;
mod row_text;
mod separator;
mod stream;
mod write;

pub(crate) use read::{found, read};
pub(crate) use stream::RowReader;
pub(crate) use write::{TableText, format, format_text, write_rows, write_text};

use crate::support::{flag, text_or, wrong_choice, wrong_setting};
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;

/// The separators that are known, in the order in which they are told.
const SEPARATORS: [(&str, u8); 4] = [("comma", b','), ("semicolon", b';'), ("tab", b'\t'), ("pipe", b'|')];

/// How a table is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// `None` = found out when reading, a comma when writing.
    pub(crate) separator: Option<u8>,
    /// The first line names the columns.
    pub(crate) header: bool,
    /// What may stand around a value; `None` = found out when reading, else double quotes.
    pub(crate) quote: Option<u8>,
}

impl Default for Layout {
    fn default() -> Self {
        Self { separator: None, header: true, quote: Some(b'"') }
    }
}

impl Layout {
    /// The settings `separator` and `header` of a step.
    pub(crate) fn of(slot: &CallSlot) -> Result<Self, NodeFailure> {
        let name = text_or(slot, "separator", "auto")?;
        let separator = match SEPARATORS.iter().find(|(known, _)| *known == name) {
            Some((_, byte)) => Some(*byte),
            None if name == "auto" => None,
            None => {
                let wanted = "auto, comma, semicolon, tab or pipe";
                return Err(wrong_setting("separator", wanted, &slot.config["separator"]));
            }
        };
        let quote = match text_or(slot, "quote", "double")? {
            "auto" => None,
            "double" => Some(b'"'),
            "single" => Some(b'\''),
            _ => return Err(wrong_choice("quote", "auto, double or single", &slot.config["quote"])),
        };
        Ok(Self { separator, header: flag(slot, "header", true)?, quote })
    }
}

/// A separator as it is shown in a message.
fn shown(separator: u8) -> &'static str {
    match separator {
        b'\t' => "tab",
        b';' => "';'",
        b'|' => "'|'",
        _ => "','",
    }
}

fn is_separator(byte: u8) -> bool {
    SEPARATORS.iter().any(|(_, known)| *known == byte)
}

#[cfg(test)]
mod tests;
