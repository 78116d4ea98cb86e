//! Fills a template: an xlsx file with placeholders. What is not filled stays as it is, to the byte where nothing refers to rows that
//! move.

mod anchor;
mod cell_xml;
mod cells;
mod data;
mod formula;
mod outside;
mod package;
mod placeholder;
mod plan;
mod refs;
mod related;
mod rows;
mod set;
mod sheet;
mod strings;
mod styles;
mod value;
mod workbook;
mod xml;

pub use data::OnMissing;

use super::open::{COMPOUND_FILE, encrypted, is_encrypted};
use crate::Error;
use data::Source;
use outside::Outside;
use package::Package;
use plan::SheetPlan;
use refs::Book;
use related::Context;
use rows::RowMap;
use serde_json::{Map, Value, json};
use sheet::SheetWriter;
use std::collections::BTreeMap;
use strings::Strings;
use styles::Styles;
use workbook::Workbook;
use xml::bad;

const MAIN: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
const MAIN_WITH_MACROS: &str = "application/vnd.ms-excel.sheet.macroEnabled.main+xml";

/// How a template is filled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FillOptions {
    /// What a placeholder without a value becomes.
    pub on_missing: OnMissing,
}

impl FillOptions {
    /// From `{missing: "error" | "empty" | "keep"}`.
    pub fn of(options: &Value) -> Self {
        let on_missing = match options.get("missing").and_then(Value::as_str) {
            Some("empty") => OnMissing::Empty,
            Some("keep") => OnMissing::Keep,
            _ => OnMissing::Error,
        };
        Self { on_missing }
    }
}

/// A filled template.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The file.
    pub bytes: Vec<u8>,
    /// It has macros, so it is an xlsm file.
    pub has_macros: bool,
    /// `{cells, lists: [{sheet, list, rows, count}]}`.
    pub about: Value,
}

/// Fills a template with data, and single cells with values: `Sheet!B3` or a name of the workbook → value.
pub fn fill(bytes: Vec<u8>, data: &Value, cells: &Map<String, Value>, options: &FillOptions) -> Result<Filled, Error> {
    check_format(&bytes)?;
    let mut package = Package::open(bytes)?;
    let workbook = workbook_part(&mut package)?;
    let has_macros = check_kind(&mut package, &workbook)?;
    let parts = Workbook::read(&mut package, &workbook)?;
    let mut source = Source { data, on_missing: options.on_missing, styles: Styles::default(), is_1904: parts.is_1904 };
    let mut strings = Strings::default();
    for related in package.related(&workbook)? {
        match related.kind.as_str() {
            "sharedStrings" if package.has(&related.target) => {
                strings = Strings::parse(package.text(&related.target)?, &related.target)?;
            }
            "styles" if package.has(&related.target) => {
                source.styles = Styles::parse(&package.text(&related.target)?, &related.target)?;
            }
            _ => {}
        }
    }
    let mut plans = Vec::new();
    for (name, part) in &parts.sheets {
        plans.push(match part {
            Some(part) => SheetPlan::scan(name, part, &package.text(part)?, &strings)?,
            None => SheetPlan { name: name.clone(), ..SheetPlan::default() },
        });
    }
    set::assign(&mut plans, &parts, cells)?;
    let mut book = Book::default();
    for plan in &plans {
        let tables = if plan.part.is_empty() { Vec::new() } else { related::tables(&mut package, &plan.part)? };
        book.sheets.push((plan.name.clone(), plan.rows(&source, &tables)?));
    }
    let lists = lists(&book);
    let mut filled = 0;
    let context = Context { book: &book, source: &source };
    for (index, plan) in plans.iter().enumerate().filter(|(_, plan)| !plan.part.is_empty()) {
        filled += context.of_sheet(&mut package, index, &plan.part)?;
    }
    filled += other_parts(&mut package, &context, &workbook)?;
    let mut written = BTreeMap::new();
    for (index, plan) in plans.iter().enumerate() {
        let is_touched = !plan.texts.is_empty()
            || !plan.set.is_empty()
            || plan.has_formulas
            || plan.has_page_texts
            || !book.is_plain();
        if let Some(real) = package.real_name(&plan.part).filter(|_| is_touched) {
            written.insert(real.clone(), index);
            filled += u64::from(plan.has_page_texts);
        }
    }
    let mut count = filled;
    let plain = RowMap::default();
    let bytes = package.finish(&written, |package, index, out| {
        let Some(plan) = plans.get(index) else { return Ok(()) };
        let map = book.sheets.get(index).map_or(&plain, |(_, map)| map);
        let text = package.text(&plan.part)?;
        let outside = Outside { plan, index, book: &book, map, source: &source };
        let (edits, place) = outside.edits(&text)?;
        let writer = SheetWriter { plan, index, book: &book, map, source: &source };
        count += writer.write(&text, edits, place.as_ref(), out)?.cells;
        Ok(())
    })?;
    if count == 0 && lists.is_empty() {
        let words =
            "The template has no placeholder like {{customer.name}}, and no cells are set. Is it the right file?";
        return Err(Error::new("NO_PLACEHOLDERS", words));
    }
    Ok(Filled { bytes, has_macros, about: json!({ "cells": count, "lists": lists }) })
}

fn lists(book: &Book) -> Vec<Value> {
    let of_sheet = |(sheet, map): &(String, RowMap)| -> Vec<Value> {
        let one = |block: &rows::Block| {
            let rows = map.place(block);
            let count = if block.is_empty { 0 } else { block.copies };
            json!({ "sheet": sheet, "list": *block.list, "rows": format!("{}:{}", rows.start(), rows.end()), "count": count })
        };
        map.blocks().iter().map(one).collect()
    };
    book.sheets.iter().flat_map(of_sheet).collect()
}

/// Parts that belong to no sheet alone. Gives how many texts were filled.
fn other_parts(package: &mut Package, context: &Context<'_>, workbook: &str) -> Result<u64, Error> {
    let mut filled = 0;
    let charts = [package.of_type("drawingml.chart+xml"), package.of_type("ms-office.chartex+xml")].concat();
    for part in charts {
        package.edit(&part, |text, edits| {
            context.chart(text, &part, edits)?;
            filled += context.shape_texts(text, &part, usize::MAX, edits)?;
            Ok(())
        })?;
    }
    for part in package.of_type("pivotCacheDefinition+xml") {
        package.edit(&part, |text, edits| context.pivot_cache(text, &part, edits))?;
    }
    package.edit(workbook, |text, edits| context.workbook(text, workbook, edits))?;
    for related in package.related(workbook)? {
        if related.kind == "calcChain" {
            package.remove(&related.target, workbook)?;
        }
    }
    Ok(filled)
}

fn check_format(bytes: &[u8]) -> Result<(), Error> {
    if bytes.starts_with(b"PK") {
        return Ok(());
    }
    if bytes.starts_with(&COMPOUND_FILE) {
        if is_encrypted(bytes) {
            return Err(encrypted());
        }
        let words = "This is an xls file. Save it as xlsx, and fill that file";
        return Err(Error::new("UNKNOWN_FORMAT", words));
    }
    Err(Error::new("UNKNOWN_FORMAT", "This is no xlsx file. Is it another file with the name of a spreadsheet?"))
}

fn workbook_part(package: &mut Package) -> Result<String, Error> {
    let found = package.related("")?.into_iter().find(|related| related.kind == "officeDocument");
    found
        .map(|related| related.target)
        .filter(|part| package.has(part))
        .ok_or_else(|| bad("_rels/.rels", "there is no workbook"))
}

/// Whether it has macros. A template of Excel (xltx, xltm) becomes a workbook.
fn check_kind(package: &mut Package, workbook: &str) -> Result<bool, Error> {
    if !package.of_type("digital-signature-xmlsignature+xml").is_empty() {
        let words = "The template has a digital signature, which would no longer be valid. Save it without a signature";
        return Err(Error::new("BAD_TEMPLATE", words));
    }
    match package.content_type(workbook) {
        MAIN => Ok(false),
        MAIN_WITH_MACROS => Ok(true),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml" => {
            package.retype(workbook, MAIN).map(|()| false)
        }
        "application/vnd.ms-excel.template.macroEnabled.main+xml" => {
            package.retype(workbook, MAIN_WITH_MACROS).map(|()| true)
        }
        other => {
            let other: String = other.chars().take(100).collect();
            let words = format!("This is no xlsx workbook ('{other}'). Save it as xlsx, and fill that file");
            Err(Error::new("UNKNOWN_FORMAT", words))
        }
    }
}

#[cfg(test)]
mod tests;
