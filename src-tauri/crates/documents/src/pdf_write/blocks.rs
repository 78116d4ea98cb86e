//! A document as blocks: what Markdown says, with the values in it.

use super::content::shown;
use serde_json::Value;

/// How letters look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) code: bool,
    pub(super) strike: bool,
    /// Index of the address in [`Document::links`].
    pub(super) link: Option<u32>,
}

/// A part of a paragraph.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Inline {
    Text(String, Style),
    Break,
    Image(Picture),
}

/// A picture in a paragraph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picture {
    /// Name of bytes, or a path.
    pub(super) name: String,
    /// What it shows, in words.
    pub(super) alt: String,
    pub(super) width: Option<Width>,
}

/// How wide a picture is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Width {
    Points(f32),
    /// Of the room that there is.
    Part(f32),
}

/// A part of the document.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Heading(u8, Vec<Inline>),
    Paragraph(Vec<Inline>),
    Code(String),
    Quote(Vec<Block>),
    List(List),
    Table(Table),
    Rule,
    PageBreak,
}

/// A list with numbers or without.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct List {
    pub(super) first: Option<u64>,
    pub(super) items: Vec<Entry>,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Entry {
    /// A box that is ticked or not.
    pub(super) ticked: Option<bool>,
    pub(super) blocks: Vec<Block>,
}

/// Where the texts of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Side {
    #[default]
    Start,
    Middle,
    End,
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) sides: Vec<Side>,
    pub(super) header: Vec<Vec<Inline>>,
    pub(super) rows: Rows,
}

/// Rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rows {
    /// Written in Markdown.
    Cells(Vec<Vec<Vec<Inline>>>),
    /// A list of objects; the names of its columns.
    Data(Vec<String>, Vec<Value>),
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Cells(rows) => rows.len(),
            Self::Data(_, rows) => rows.len(),
        }
    }

    /// The cells of one row. Those of data are made when they are needed.
    pub(super) fn cells(&self, at: usize) -> Vec<Vec<Inline>> {
        match self {
            Self::Cells(rows) => rows.get(at).cloned().unwrap_or_default(),
            Self::Data(columns, rows) => {
                let cell = |column: &String| {
                    let text = rows.get(at).and_then(|row| row.get(column)).map(shown).unwrap_or_default();
                    lines(&text, Style::default())
                };
                columns.iter().map(cell).collect()
            }
        }
    }
}

/// A text of several lines.
pub(super) fn lines(text: &str, style: Style) -> Vec<Inline> {
    let mut all = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            all.push(Inline::Break);
        }
        let line = line.trim_end_matches('\r');
        if !line.is_empty() {
            all.push(Inline::Text(line.to_owned(), style));
        }
    }
    all
}

/// A number, also as a person writes an amount: `1,234.50`, `12.5 %`, `-3 €`. Digits alone in a text may be an article or a house.
fn is_amount(value: &Value) -> bool {
    let Value::String(text) = value else { return value.is_number() || value.is_null() };
    let text = text.trim_start_matches(['-', '+', '−']);
    let is_sign = |sign: char| matches!(sign, '.' | ',' | '%' | '€' | '$' | '£' | '¥');
    text.contains(|sign: char| sign.is_ascii_digit())
        && text.contains(is_sign)
        && text
            .chars()
            .all(|sign| sign.is_ascii_digit() || is_sign(sign) || matches!(sign, ' ' | '\u{a0}' | '\u{202f}'))
}

/// A table of a list of objects: its columns in order of first appearance; columns of numbers stand on the right.
pub(super) fn table_of(rows: Vec<Value>) -> Table {
    let mut columns: indexmap::IndexMap<String, bool> = indexmap::IndexMap::new();
    for row in &rows {
        for (name, value) in row.as_object().into_iter().flatten() {
            let is_number = is_amount(value);
            match columns.get_mut(name) {
                Some(all) => *all &= is_number,
                None => {
                    columns.insert(name.clone(), is_number);
                }
            }
        }
    }
    let side = |all: &bool| if *all { Side::End } else { Side::Start };
    let sides = columns.values().map(side).collect();
    let names: Vec<String> = columns.into_keys().collect();
    let bold = Style { bold: true, ..Style::default() };
    let header = names.iter().map(|name| vec![Inline::Text(name.clone(), bold)]).collect();
    Table { sides, header, rows: Rows::Data(names, rows) }
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Document {
    pub(super) blocks: Vec<Block>,
    pub(super) links: Vec<String>,
    pub(super) images: Vec<String>,
}

/// The plain text of inlines.
pub(super) fn plain(inlines: &[Inline]) -> String {
    let mut out = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(text, _) => out.push_str(text),
            Inline::Break => out.push(' '),
            Inline::Image(picture) => out.push_str(&picture.alt),
        }
    }
    out
}
