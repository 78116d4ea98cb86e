//! The parts around the worksheets: the workbook, tables, drawings, charts, comments and pivot tables.

use super::anchor;
use super::cell_xml::several_sheets;
use super::data::{Source, Spot};
use super::outside::page_or_shape;
use super::package::Package;
use super::plan::{TableArea, area};
use super::refs::{Book, Place, moved_cell, moved_range};
use super::rows::RowMap;
use super::strings::CellText;
use super::xml::{Edits, Kind, Tag, Tokens, escaped, text_of};
use crate::Error;

/// What the parts need to know.
pub(super) struct Context<'a> {
    pub(super) book: &'a Book,
    pub(super) source: &'a Source<'a>,
}

/// The tables of a worksheet.
pub(super) fn tables(package: &mut Package, sheet_part: &str) -> Result<Vec<TableArea>, Error> {
    let mut found = Vec::new();
    for related in package.related(sheet_part)? {
        if related.kind != "table" || !package.has(&related.target) {
            continue;
        }
        let text = package.text(&related.target)?;
        let mut tokens = Tokens::new(&text, &related.target);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            if tag.local_name() != "table" {
                break;
            }
            let Some(area) = tag.raw("ref").and_then(area) else { break };
            let name = tag.attribute("displayName").or_else(|| tag.attribute("name")).unwrap_or_default();
            let (has_header, has_totals) =
                (tag.raw("headerRowCount") != Some("0"), tag.raw("totalsRowCount").is_some_and(|count| count != "0"));
            found.push(TableArea { name, area, has_header, has_totals });
            break;
        }
    }
    Ok(found)
}

impl Context<'_> {
    /// Changes the parts that belong to one worksheet. Gives how many texts were filled.
    pub(super) fn of_sheet(&self, package: &mut Package, index: usize, sheet_part: &str) -> Result<u64, Error> {
        let mut filled = 0;
        for related in package.related(sheet_part)? {
            let part = related.target.as_str();
            if !package.has(part) {
                continue;
            }
            match related.kind.as_str() {
                "drawing" => package.edit(part, |text, edits| {
                    self.drawing(text, part, index, edits)?;
                    filled += self.shape_texts(text, part, index, edits)?;
                    Ok(())
                })?,
                "table" => package.edit(part, |text, edits| self.table(text, part, index, edits))?,
                "comments" | "threadedComment" | "namedSheetView" => {
                    package.edit(part, |text, edits| self.placed(text, part, index, edits))?;
                }
                "vmlDrawing" => package.edit(part, |text, edits| self.vml(text, part, index, edits))?,
                "pivotTable" => package.edit(part, |text, edits| self.pivot_table(text, part, index, edits))?,
                "ctrlProp" => package.edit(part, |text, edits| self.control(text, part, index, edits))?,
                _ => {}
            }
        }
        Ok(filled)
    }

    fn spot(&self, index: usize) -> Spot<'_> {
        Spot { sheet: self.book.sheets.get(index).map_or("", |(name, _)| name.as_str()), cell: None }
    }

    fn rewritten(&self, formula: &str, place: Place<'_>) -> Result<Option<String>, Error> {
        let spot = self.spot(place.sheet.unwrap_or(usize::MAX));
        let moved = self.book.rewrite(formula, place).map_err(|several| several_sheets(spot, &several.0))?;
        Ok((moved != formula).then(|| moved.into_owned()))
    }

    fn drawing(&self, text: &str, part: &str, index: usize, edits: &mut Edits) -> Result<(), Error> {
        let Some((_, map)) = self.book.sheets.get(index) else { return Ok(()) };
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, is_empty) = token.kind else { continue };
            match tag.local_name() {
                "twoCellAnchor" | "oneCellAnchor" if !is_empty => {
                    let mut rest = Tokens::new(text.get(token.at.start..).unwrap_or_default(), part);
                    rest.next()?;
                    let inner = rest.inner()?;
                    let offset = token.at.start + inner.start;
                    anchor::edit(map, tag, rest.source(inner), offset, edits)?;
                }
                _ => {
                    for (name, value) in tag.attributes() {
                        if matches!(name, "textlink" | "cellRange")
                            && !value.is_empty()
                            && let Some(moved) = self.rewritten(&text_of(value), Place::of(index))?
                        {
                            edits.replace_slice(text, value, &moved);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Placeholders in the paragraphs of a drawing or a chart.
    pub(super) fn shape_texts(&self, text: &str, part: &str, index: usize, edits: &mut Edits) -> Result<u64, Error> {
        let mut filled = 0;
        if !text.contains('{') {
            return Ok(0);
        }
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, false) = token.kind else { continue };
            if tag.local_name() != "p" {
                continue;
            }
            let paragraph = tokens.inner()?;
            let source = tokens.source(paragraph.clone());
            // The texts of its runs, as those of a cell.
            let mut runs = String::new();
            let mut places = Vec::new();
            let mut inner = Tokens::new(source, part);
            while let Some(token) = inner.next()? {
                if let Kind::Open(tag, false) = token.kind
                    && tag.local_name() == "t"
                {
                    let at = inner.inner()?;
                    runs.push_str(&format!("<t>{}</t>", inner.source(at.clone())));
                    places.push(paragraph.start + at.start..paragraph.start + at.end);
                }
            }
            let Some(template) = CellText::parse(&runs, part)? else { continue };
            let texts = page_or_shape(&template, self.source, self.spot(index))?;
            for (run, place) in places.into_iter().enumerate() {
                let made: String = texts.iter().filter(|(of, _)| *of == run).map(|(_, text)| text.as_str()).collect();
                let plain: String = made.chars().filter(|sign| !sign.is_control() || *sign == '\t').collect();
                edits.replace(place, escaped(&plain));
            }
            filled += 1;
        }
        Ok(filled)
    }

    fn table(&self, text: &str, part: &str, index: usize, edits: &mut Edits) -> Result<(), Error> {
        let Some((_, map)) = self.book.sheets.get(index) else { return Ok(()) };
        let mut first_row = None;
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, is_empty) = token.kind else { continue };
            match tag.local_name() {
                "table" => {
                    let titles = u32::from(tag.raw("headerRowCount") != Some("0"));
                    first_row = tag.raw("ref").and_then(area).map(|((first, _), _)| first + titles);
                }
                "calculatedColumnFormula" | "totalsRowFormula" if !is_empty => {
                    let inner = tokens.inner()?;
                    let place = Place::of(index);
                    let block = first_row.and_then(|row| map.block_of(row));
                    let place = match block.filter(|_| tag.local_name() == "calculatedColumnFormula") {
                        Some(block) => place.copy(&block.list, 0),
                        None => place,
                    };
                    if let Some(moved) = self.rewritten(&text_of(tokens.source(inner.clone())), place)? {
                        edits.replace(inner, escaped(&moved));
                    }
                    continue;
                }
                _ => {}
            }
            if let Some(slice) = tag.raw("ref")
                && let Some(moved) = moved_range(map, slice)
            {
                edits.replace_slice(text, slice, &moved);
            }
        }
        Ok(())
    }

    /// Comments and views: elements with a `ref`. A comment stays one comment.
    fn placed(&self, text: &str, part: &str, index: usize, edits: &mut Edits) -> Result<(), Error> {
        let Some((_, map)) = self.book.sheets.get(index) else { return Ok(()) };
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            let Some(slice) = tag.raw("ref") else { continue };
            let moved = if tag.local_name() == "nsvFilter" { moved_range(map, slice) } else { moved_cell(map, slice) };
            if let Some(moved) = moved {
                edits.replace_slice(text, slice, &moved);
            }
        }
        Ok(())
    }

    /// The boxes of comments and controls, in the old language for drawings.
    fn vml(&self, text: &str, part: &str, index: usize, edits: &mut Edits) -> Result<(), Error> {
        let Some((_, map)) = self.book.sheets.get(index) else { return Ok(()) };
        if map.is_plain() && self.book.is_plain() {
            return Ok(());
        }
        let mut tokens = Tokens::lenient(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, false) = token.kind else { continue };
            let kind = tag.local_name();
            if !matches!(kind, "Row" | "Anchor" | "FmlaLink" | "FmlaRange") {
                continue;
            }
            let inner = tokens.inner()?;
            let source = text_of(tokens.source(inner.clone()));
            let moved = match kind {
                "Row" => source.trim().parse::<u32>().ok().map(|row| moved_from_zero(map, row).to_string()),
                "Anchor" => moved_box(&source, |row| moved_from_zero(map, row)),
                _ => self.rewritten(&source, Place::of(index))?,
            };
            if let Some(moved) = moved.filter(|moved| *moved != source) {
                edits.replace(inner, escaped(&moved));
            }
        }
        Ok(())
    }

    fn control(&self, text: &str, part: &str, index: usize, edits: &mut Edits) -> Result<(), Error> {
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            for (name, value) in tag.attributes() {
                if matches!(name, "fmlaLink" | "fmlaRange" | "fmlaGroup" | "fmlaTxbx")
                    && let Some(moved) = self.rewritten(&text_of(value), Place::of(index))?
                {
                    edits.replace_slice(text, value, &moved);
                }
            }
        }
        Ok(())
    }

    fn pivot_table(&self, text: &str, part: &str, index: usize, edits: &mut Edits) -> Result<(), Error> {
        let Some((_, map)) = self.book.sheets.get(index) else { return Ok(()) };
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            let Some(slice) = tag.raw("ref").filter(|_| tag.local_name() == "location") else { continue };
            let Some(((first, last), _)) = area(slice) else { continue };
            if map.blocks().iter().any(|block| block.copies > 1 && first <= block.last && last >= block.first) {
                let words = format!(
                    "the pivot table at {slice} is in rows that are repeated. Move it to other rows or another sheet"
                );
                return Err(self.spot(index).refuse("BAD_TEMPLATE", &words));
            }
            if let Some(moved) = moved_range(map, slice) {
                edits.replace_slice(text, slice, &moved);
            }
        }
        Ok(())
    }

    /// The data of pivot tables follow, and are read again when the file is opened.
    pub(super) fn pivot_cache(&self, text: &str, part: &str, edits: &mut Edits) -> Result<(), Error> {
        let mut root: Option<(Tag<'_>, usize)> = None;
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            match tag.local_name() {
                "pivotCacheDefinition" => root = Some((tag, token.at.start + 1 + tag.name().len())),
                "worksheetSource" => {
                    if tag.raw_local("id").is_some() {
                        return Ok(());
                    }
                    let sheet = tag.attribute("sheet").unwrap_or_default().to_lowercase();
                    let map = self.book.sheets.iter().find(|(name, _)| name.to_lowercase() == sheet);
                    if let (Some((_, map)), Some(slice)) = (map, tag.raw("ref"))
                        && let Some(moved) = moved_range(map, slice)
                    {
                        edits.replace_slice(text, slice, &moved);
                    }
                    match root.take() {
                        Some((root, _)) if root.raw("refreshOnLoad").is_some() => {
                            edits.replace_slice(text, root.raw("refreshOnLoad").unwrap_or_default(), "1");
                        }
                        Some((_, at)) => edits.insert(at, " refreshOnLoad=\"1\""),
                        None => {}
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The data of a chart follow. What was stored of them is left out, so that nobody sees old numbers.
    pub(super) fn chart(&self, text: &str, part: &str, edits: &mut Edits) -> Result<(), Error> {
        let mut tokens = Tokens::new(text, part);
        let mut is_outside = false;
        let mut in_name = 0_u32;
        while let Some(token) = tokens.next()? {
            match token.kind {
                Kind::Open(tag, is_empty) => match tag.local_name() {
                    "tx" if !is_empty => in_name += 1,
                    "f" if !is_empty => {
                        let inner = tokens.inner()?;
                        let formula = text_of(tokens.source(inner.clone()));
                        is_outside = formula.contains('[');
                        let place = Place { cells_grow: in_name == 0, ..Place::default() };
                        if let Some(moved) = self.rewritten(&formula, place)? {
                            edits.replace(inner, escaped(&moved));
                        }
                    }
                    "numCache" | "strCache" | "multiLvlStrCache" | "dlblRangeCache" | "lvl" => {
                        let end = if is_empty { token.at.end } else { tokens.inner().map(|_| tokens.at())? };
                        if !is_outside {
                            edits.replace(token.at.start..end, "");
                        }
                    }
                    _ => {}
                },
                Kind::Close("tx") => in_name = in_name.saturating_sub(1),
                _ => {}
            }
        }
        Ok(())
    }

    /// Names follow, and the whole file is calculated when it is opened.
    pub(super) fn workbook(&self, text: &str, part: &str, edits: &mut Edits) -> Result<(), Error> {
        let mut tokens = Tokens::new(text, part);
        let (mut end, mut prefix, mut has_calculation) = (0, "", false);
        while let Some(token) = tokens.next()? {
            match token.kind {
                Kind::Open(tag, is_empty) => match tag.local_name() {
                    "workbook" => prefix = tag.prefix(),
                    "definedName" if !is_empty => {
                        let inner = tokens.inner()?;
                        let formula = text_of(tokens.source(inner.clone()));
                        let place = Place { only_fixed: true, ..Place::default() };
                        if let Some(moved) = self.rewritten(&formula, place)? {
                            edits.replace(inner, escaped(&moved));
                        }
                    }
                    "calcPr" => {
                        has_calculation = true;
                        match tag.raw("fullCalcOnLoad") {
                            Some(slice) => edits.replace_slice(text, slice, "1"),
                            None => edits.insert(token.at.start + 1 + tag.name().len(), " fullCalcOnLoad=\"1\""),
                        }
                    }
                    _ if is_empty => {}
                    _ => {}
                },
                Kind::Close("sheets" | "functionGroups" | "externalReferences" | "definedNames") => end = token.at.end,
                _ => {}
            }
        }
        if !has_calculation && end > 0 {
            edits.insert(end, format!("<{prefix}calcPr fullCalcOnLoad=\"1\"/>"));
        }
        Ok(())
    }
}

/// A row that is counted from 0.
fn moved_from_zero(map: &RowMap, row: u32) -> u32 {
    map.first(row.saturating_add(1)).saturating_sub(1)
}

/// `left, dx, top, dy, right, dx, bottom, dy`: the box keeps its height.
fn moved_box(text: &str, first: impl Fn(u32) -> u32) -> Option<String> {
    let mut numbers: Vec<i64> = text.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    let top = u32::try_from(*numbers.get(2)?).ok()?;
    let by = i64::from(first(top)) - i64::from(top);
    for index in [2, 6] {
        let row = numbers.get_mut(index)?;
        *row = row.saturating_add(by);
    }
    let moved: Vec<String> = numbers.iter().map(i64::to_string).collect();
    (by != 0).then(|| moved.join(", "))
}
