//! Rows and cells of a worksheet as they lie in the file.

use super::strings::{CellText, Strings};
use super::xml::{Kind, Tag, Tokens, bad};
use crate::Error;
use crate::sheet::{MAX_COLUMNS, MAX_ROWS};
use std::ops::Range;

/// A cell.
#[derive(Debug, Clone)]
pub(super) struct RawCell<'a> {
    pub(super) tag: Tag<'a>,
    /// From 1.
    pub(super) column: u32,
    /// What is in the element.
    pub(super) inner: &'a str,
    pub(super) formula: Option<RawFormula<'a>>,
    value: Option<&'a str>,
    inline: Option<&'a str>,
}

/// A formula.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawFormula<'a> {
    pub(super) tag: Tag<'a>,
    /// Its text as it is written.
    pub(super) raw: &'a str,
    /// The whole element.
    pub(super) source: &'a str,
}

impl RawCell<'_> {
    /// Its text when that has placeholders.
    pub(super) fn text(&self, strings: &Strings, part: &str) -> Result<Option<CellText>, Error> {
        match (self.tag.raw("t"), self.value, self.inline) {
            _ if self.formula.is_some() => Ok(None),
            (Some("s"), Some(index), _) => strings.text(index),
            (Some("inlineStr"), _, Some(raw)) => CellText::parse(raw, part),
            // Some programs write texts as results of formulas.
            (Some("str"), Some(raw), _) => CellText::parse(&format!("<t>{raw}</t>"), part),
            _ => Ok(None),
        }
    }
}

/// A row.
#[derive(Debug, Clone)]
pub(super) struct RawRow<'a> {
    pub(super) tag: Tag<'a>,
    /// From 1.
    pub(super) number: u32,
    pub(super) cells: Vec<RawCell<'a>>,
    /// What follows the cells, such as extensions.
    pub(super) rest: &'a str,
    /// The whole element.
    pub(super) source: &'a str,
}

/// Reads the rows of `<sheetData>`, whose start tag was just read, one after the other.
pub(super) fn each_row<'a>(
    tokens: &mut Tokens<'a>,
    part: &str,
    take: &mut dyn FnMut(RawRow<'a>) -> Result<(), Error>,
) -> Result<Range<usize>, Error> {
    let start = tokens.at();
    let mut number = 0;
    while let Some(token) = tokens.next()? {
        match token.kind {
            Kind::Close("sheetData") => return Ok(start..token.at.start),
            Kind::Open(tag, is_empty) if tag.local_name() == "row" => {
                let said = tag.raw("r").map(|said| said.trim().parse().ok());
                let next = said.unwrap_or(Some(number + 1)).filter(|next| (number + 1..=MAX_ROWS).contains(next));
                number = next.ok_or_else(|| bad(part, "its rows are not in order"))?;
                let (cells, rest) = if is_empty { (Vec::new(), "") } else { cells(tokens, number, part)? };
                let source = tokens.source(token.at.start..tokens.at());
                take(RawRow { tag, number, cells, rest, source })?;
            }
            _ => {}
        }
    }
    Err(bad(part, "an element has no end"))
}

fn cells<'a>(tokens: &mut Tokens<'a>, row: u32, part: &str) -> Result<(Vec<RawCell<'a>>, &'a str), Error> {
    let mut rest = tokens.at();
    let mut cells: Vec<RawCell<'a>> = Vec::new();
    while let Some(token) = tokens.next()? {
        match token.kind {
            Kind::Close("row") => return Ok((cells, tokens.source(rest..token.at.start))),
            Kind::Open(tag, is_empty) if tag.local_name() == "c" => {
                let before = cells.last().map_or(0, |cell| cell.column);
                let said = tag.raw("r").map(|said| {
                    let corner = super::formula::corner(said.trim())?;
                    (corner.row?.at == row).then_some(corner.column?.at)
                });
                let next = said.unwrap_or(Some(before + 1)).filter(|next| (before + 1..=MAX_COLUMNS).contains(next));
                let column = next.ok_or_else(|| bad(part, &format!("the cells of row {row} are not in order")))?;
                let mut cell = RawCell { tag, column, inner: "", formula: None, value: None, inline: None };
                if !is_empty {
                    inside(tokens, &mut cell)?;
                }
                cells.push(cell);
                rest = tokens.at();
            }
            Kind::Open(_, false) => {
                tokens.inner()?;
            }
            _ => {}
        }
    }
    Err(bad(part, "an element has no end"))
}

fn inside<'a>(tokens: &mut Tokens<'a>, cell: &mut RawCell<'a>) -> Result<(), Error> {
    let start = tokens.at();
    loop {
        let Some(token) = tokens.next()? else { return Ok(()) };
        match token.kind {
            Kind::Close(_) => {
                cell.inner = tokens.source(start..token.at.start);
                return Ok(());
            }
            Kind::Open(tag, is_empty) => {
                let inner = if is_empty { token.at.end..token.at.end } else { tokens.inner()? };
                let raw = tokens.source(inner);
                match tag.local_name() {
                    "f" => {
                        cell.formula = Some(RawFormula { tag, raw, source: tokens.source(token.at.start..tokens.at()) })
                    }
                    "v" => cell.value = Some(raw),
                    "is" => cell.inline = Some(raw),
                    _ => {}
                }
            }
            Kind::Other => {}
        }
    }
}
