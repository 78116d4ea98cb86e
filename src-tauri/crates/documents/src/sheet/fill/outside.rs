//! What of a worksheet lies outside of its rows and refers to cells: merged cells, formats with conditions, checks of input,
//! links, page breaks, headers and footers.

use super::anchor;
use super::cell_xml::{fill, several_sheets};
use super::data::{Source, Spot};
use super::plan::SheetPlan;
use super::refs::{Book, CellRange, Place, moved_cell, moved_range, moved_ranges};
use super::rows::RowMap;
use super::strings::CellText;
use super::xml::{Edits, Kind, Tag, Token, Tokens, escaped, text_of};
use crate::Error;
use std::ops::Range;

/// Most characters of a header or a footer.
const MAX_PAGE_TEXT: usize = 255;

pub(super) struct Outside<'a> {
    pub(super) plan: &'a SheetPlan,
    pub(super) index: usize,
    pub(super) book: &'a Book,
    pub(super) map: &'a RowMap,
    pub(super) source: &'a Source<'a>,
}

impl Outside<'_> {
    /// The changes, and where `<sheetData>` lies.
    pub(super) fn edits(&self, text: &str) -> Result<(Edits, Option<Range<usize>>), Error> {
        let mut edits = Edits::default();
        let mut data = None;
        let part = self.plan.part.as_str();
        let mut tokens = Tokens::new(text, part);
        // The first row of what the formulas here are relative to.
        let mut anchor_row = None;
        while let Some(token) = tokens.next()? {
            match token.kind {
                Kind::Open(tag, true) if tag.local_name() == "sheetData" => data = Some(token.at),
                Kind::Open(tag, false) if tag.local_name() == "sheetData" => {
                    tokens.inner()?;
                    data = Some(token.at.start..tokens.at());
                }
                Kind::Open(tag, is_empty) => {
                    self.element(text, &mut tokens, &token, tag, is_empty, &mut anchor_row, &mut edits)?;
                }
                Kind::Close("conditionalFormatting" | "dataValidation") => anchor_row = None,
                _ => {}
            }
        }
        Ok((edits, data))
    }

    fn element(
        &self,
        text: &str,
        tokens: &mut Tokens<'_>,
        token: &Token<'_>,
        tag: Tag<'_>,
        is_empty: bool,
        anchor_row: &mut Option<u32>,
        edits: &mut Edits,
    ) -> Result<(), Error> {
        let spot = Spot { sheet: &self.plan.name, cell: None };
        let name = tag.local_name();
        match name {
            "oddHeader" | "oddFooter" | "evenHeader" | "evenFooter" | "firstHeader" | "firstFooter" if !is_empty => {
                let inner = tokens.inner()?;
                return self.page_text(tokens.source(inner.clone()), inner, spot, edits);
            }
            "dimension" if !self.plan.set.is_empty() => {
                // Cells are added, and nobody needs this.
                edits.replace(token.at.clone(), "");
                return Ok(());
            }
            _ if self.map.is_plain() && self.book.is_plain() => return Ok(()),
            "mergeCells" if !is_empty => {
                let inner = tokens.inner()?;
                let (cells, count) = self.merged(tokens.source(inner.clone()))?;
                if let Some(slice) = tag.raw("count") {
                    edits.replace_slice(text, slice, &count.to_string());
                }
                edits.replace(inner, cells);
                return Ok(());
            }
            "sparkline" if !is_empty => {
                let inner = tokens.inner()?;
                return self.sparkline(token.at.start..tokens.at(), tag, tokens.source(inner), spot, edits);
            }
            "hyperlink" => {
                if let Some(location) = tag.raw("location") {
                    self.formula_attribute(text, location, None, spot, edits)?;
                }
            }
            "colBreaks" if !is_empty => {
                tokens.inner()?;
                return Ok(());
            }
            "brk" => {
                if let Some((slice, row)) = tag.raw("id").and_then(|id| Some((id, id.parse::<u32>().ok()?)))
                    && row > 0
                {
                    edits.replace_slice(text, slice, &self.map.last(row).to_string());
                }
            }
            "conditionalFormatting" | "dataValidation" => {
                let ranges = match tag.raw("sqref") {
                    Some(ranges) => Some(ranges.to_owned()),
                    None => later(text, token.at.end, "sqref", name),
                };
                let first = ranges.as_deref().and_then(|ranges| ranges.split_ascii_whitespace().next());
                *anchor_row = first.and_then(CellRange::parse).and_then(|range| range.rows()).map(|(row, _)| row);
            }
            "cfvo" => {
                if let Some(value) = tag.raw("val") {
                    self.formula_attribute(text, value, *anchor_row, spot, edits)?;
                }
            }
            "formula" | "formula1" | "formula2" | "f" if !is_empty => {
                let inner = tokens.inner()?;
                return self.formula_element(tokens.source(inner.clone()), inner.start, *anchor_row, spot, edits);
            }
            "sqref" if !is_empty => {
                let inner = tokens.inner()?;
                if let Some(moved) = moved_ranges(self.map, &text_of(tokens.source(inner.clone()))) {
                    edits.replace(inner, moved);
                }
                return Ok(());
            }
            "anchor" if !is_empty => {
                let inner = tokens.inner()?;
                return anchor::edit(self.map, tag, tokens.source(inner.clone()), inner.start, edits);
            }
            _ => {}
        }
        for (attribute, value) in tag.attributes() {
            match (name, attribute) {
                (_, "sqref") => {
                    if let Some(moved) = moved_ranges(self.map, value) {
                        edits.replace_slice(text, value, &moved);
                    }
                }
                ("autoFilter" | "sortState" | "sortCondition" | "dimension" | "hyperlink", "ref") => {
                    if let Some(moved) = moved_range(self.map, value) {
                        edits.replace_slice(text, value, &moved);
                    }
                }
                ("selection", "activeCell") | ("inputCells" | "cellWatch" | "cellSmartTags", "r") => {
                    if let Some(moved) = moved_cell(self.map, value) {
                        edits.replace_slice(text, value, &moved);
                    }
                }
                ("controlPr", "linkedCell" | "listFillRange") => {
                    self.formula_attribute(text, value, None, spot, edits)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A formula, or an element with one as newer checks of input have it.
    fn formula_element(
        &self,
        raw: &str,
        offset: usize,
        anchor_row: Option<u32>,
        spot: Spot<'_>,
        edits: &mut Edits,
    ) -> Result<(), Error> {
        let mut tokens = Tokens::new(raw, &self.plan.part);
        let mut has_elements = false;
        while let Some(token) = tokens.next()? {
            let Kind::Open(_, is_empty) = token.kind else { continue };
            has_elements = true;
            if !is_empty {
                let inner = tokens.inner()?;
                let at = offset + inner.start;
                self.formula_element(tokens.source(inner), at, anchor_row, spot, edits)?;
            }
        }
        if !has_elements && let Some(moved) = self.rewritten(&text_of(raw), anchor_row, spot)? {
            edits.replace(offset..offset + raw.len(), escaped(&moved));
        }
        Ok(())
    }

    fn rewritten(&self, formula: &str, anchor_row: Option<u32>, spot: Spot<'_>) -> Result<Option<String>, Error> {
        let block = anchor_row.and_then(|row| self.map.block_of(row));
        let place = Place::of(self.index);
        let place = block.map_or(place, |block| place.copy(&block.list, 0));
        let moved = self.book.rewrite(formula, place).map_err(|several| several_sheets(spot, &several.0))?;
        Ok((moved != formula).then(|| moved.into_owned()))
    }

    fn formula_attribute(
        &self,
        text: &str,
        slice: &str,
        anchor_row: Option<u32>,
        spot: Spot<'_>,
        edits: &mut Edits,
    ) -> Result<(), Error> {
        if let Some(moved) = self.rewritten(&text_of(slice), anchor_row, spot)? {
            edits.replace_slice(text, slice, &moved);
        }
        Ok(())
    }

    /// Merged cells in repeated rows are merged in each copy.
    fn merged(&self, inner: &str) -> Result<(String, usize), Error> {
        let mut out = String::new();
        let mut count = 0;
        let mut tokens = Tokens::new(inner, &self.plan.part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            let Some(range) = tag.raw("ref").and_then(CellRange::parse) else { continue };
            let Some((first, last)) = range.rows() else { continue };
            let block = self.map.block_of(first).filter(|block| block.contains(last));
            let mut put = |first, last| {
                out.push_str(&format!("<{} ref=\"{}\"/>", tag.name(), range.write(first, last)));
                count += 1;
            };
            match block {
                Some(block) => {
                    (0..block.copies).for_each(|copy| put(self.map.copy(first, copy), self.map.copy(last, copy)))
                }
                None => {
                    let (first, last) = self.map.grown(first, last);
                    put(first, last);
                }
            }
        }
        Ok((out, count))
    }

    /// A small chart in a cell of a repeated row is in each copy.
    fn sparkline(
        &self,
        at: Range<usize>,
        tag: Tag<'_>,
        inner: &str,
        spot: Spot<'_>,
        edits: &mut Edits,
    ) -> Result<(), Error> {
        let part = self.plan.part.as_str();
        let Some(cell) = later(inner, 0, "sqref", "") else { return Ok(()) };
        let row = CellRange::parse(&cell).and_then(|range| range.rows()).map(|(row, _)| row);
        let block = row.and_then(|row| self.map.block_of(row));
        let mut made = String::new();
        for copy in 0..block.map_or(1, |block| block.copies) {
            let place = Place::of(self.index);
            let place = block.map_or(place, |block| place.copy(&block.list, copy));
            let mut own = Edits::default();
            let mut tokens = Tokens::new(inner, part);
            while let Some(token) = tokens.next()? {
                let Kind::Open(tag, false) = token.kind else { continue };
                let inner = tokens.inner()?;
                let text = text_of(tokens.source(inner.clone()));
                match tag.local_name() {
                    "f" => {
                        let moved =
                            self.book.rewrite(&text, place).map_err(|several| several_sheets(spot, &several.0))?;
                        own.replace(inner, escaped(&moved));
                    }
                    "sqref" => {
                        if let (Some(range), Some(row)) = (CellRange::parse(&text), row) {
                            let row = self.map.copy(row, copy);
                            own.replace(inner, range.write(row, row));
                        }
                    }
                    _ => {}
                }
            }
            made.push_str(&format!("<{}{}>{}</{}>", tag.name(), tag.after_name(), own.apply(inner), tag.name()));
        }
        edits.replace(at, made);
        Ok(())
    }

    fn page_text(&self, raw: &str, at: Range<usize>, spot: Spot<'_>, edits: &mut Edits) -> Result<(), Error> {
        let Some(text) = CellText::parse(&format!("<t>{raw}</t>"), &self.plan.part)? else { return Ok(()) };
        let texts = page_or_shape(&text, self.source, spot)?;
        // An & begins a code of a header, such as a page number; two are one sign.
        let is_filled = |index: usize| !matches!(text.pieces.get(index), Some((_, super::placeholder::Piece::Text(_))));
        let made: String = texts
            .iter()
            .enumerate()
            .map(|(index, (_, text))| if is_filled(index) { text.replace('&', "&&") } else { text.clone() })
            .collect();
        if made.encode_utf16().count() > MAX_PAGE_TEXT {
            let words =
                format!("a header or footer would have more than {MAX_PAGE_TEXT} characters, which is the limit");
            return Err(spot.refuse("TOO_LARGE", &words).detail("limit", MAX_PAGE_TEXT));
        }
        let plain: String = made.chars().filter(|sign| !sign.is_control() || matches!(sign, '\n' | '\t')).collect();
        edits.replace(at, escaped(&plain));
        Ok(())
    }
}

/// Texts outside of cells, in which nothing can be repeated.
pub(super) fn page_or_shape(
    text: &CellText,
    source: &Source<'_>,
    spot: Spot<'_>,
) -> Result<Vec<(usize, String)>, Error> {
    for path in super::plan::paths(text) {
        let path = path.map_err(|why| spot.refuse("BAD_TEMPLATE", why))?;
        if let Some((list, _)) = source.list(path) {
            let words = format!(
                "'{{{{{path}}}}}' is in a header, a footer or a text outside of the cells and goes into the list '{list}'. Only rows are repeated"
            );
            return Err(spot.refuse("BAD_TEMPLATE", &words).detail("field", path.to_string()));
        }
    }
    fill(text, source, 0, spot)
}

/// The text of the next element of this name, before another one ends.
fn later(text: &str, from: usize, name: &str, until: &str) -> Option<String> {
    let rest = text.get(from..)?;
    let mut tokens = Tokens::lenient(rest, "");
    while let Ok(Some(token)) = tokens.next() {
        match token.kind {
            Kind::Open(tag, false) if tag.local_name() == name => {
                let inner = tokens.inner().ok()?;
                return Some(text_of(tokens.source(inner)));
            }
            Kind::Close(closed) if closed == until => return None,
            _ => {}
        }
    }
    None
}
