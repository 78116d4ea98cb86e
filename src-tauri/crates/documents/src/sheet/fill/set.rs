//! Single cells by their address or name.

use super::placeholder::short;
use super::plan::{CellArea, SheetPlan, area};
use super::workbook::Workbook;
use crate::Error;
use crate::sheet::column_name;
use serde_json::{Map, Value};

/// Puts the values into the plans of their sheets.
pub(super) fn assign(plans: &mut [SheetPlan], book: &Workbook, cells: &Map<String, Value>) -> Result<(), Error> {
    for (key, value) in cells {
        let (sheet, (row, column)) = find(plans, book, key.trim())?;
        let Some(plan) = plans.get_mut(sheet) else { continue };
        plan.set.entry(row).or_default().insert(column, value.clone());
    }
    Ok(())
}

fn find(plans: &[SheetPlan], book: &Workbook, key: &str) -> Result<(usize, (u32, u32)), Error> {
    if let Some((sheet, cell)) = key.rsplit_once('!') {
        let sheet = sheet_of(plans, sheet, key)?;
        return one_cell(plans, sheet, cell, key);
    }
    if let Some((_, of, text)) = book.names.iter().find(|(name, ..)| name.to_lowercase() == key.to_lowercase()) {
        let Some((sheet, cell)) = text.rsplit_once('!') else { return Err(no_cell(key, text)) };
        let sheet = match sheet_of(plans, sheet, key) {
            Ok(sheet) => sheet,
            Err(_) => of.ok_or_else(|| no_cell(key, text))?,
        };
        return one_cell(plans, sheet, cell, key);
    }
    if area(key).is_some() {
        return one_cell(plans, book.first, key, key);
    }
    let known: Vec<&str> =
        book.names.iter().map(|(name, ..)| name.as_str()).filter(|name| !name.starts_with("_xlnm.")).take(20).collect();
    let there = if known.is_empty() {
        "The template has no names".to_owned()
    } else {
        format!("Its names are: {}", known.join(", "))
    };
    let words = format!("'{}' is no cell like B3 or Sheet1!B3, and no name of the template. {there}", short(key));
    Err(Error::new("CELL_MISSING", words).detail("cell", short(key)).detail("available", known))
}

fn sheet_of(plans: &[SheetPlan], written: &str, key: &str) -> Result<usize, Error> {
    let plain = match written.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(quoted) => quoted.replace("''", "'"),
        None => written.to_owned(),
    };
    let found = plans.iter().position(|plan| plan.name == plain);
    let found = found.or_else(|| plans.iter().position(|plan| plan.name.to_lowercase() == plain.to_lowercase()));
    found.filter(|index| plans.get(*index).is_some_and(|plan| !plan.part.is_empty())).ok_or_else(|| {
        let names: Vec<&str> =
            plans.iter().filter(|plan| !plan.part.is_empty()).take(20).map(|plan| plan.name.as_str()).collect();
        let words =
            format!("There is no sheet '{}' for '{}'. There are: {}", short(&plain), short(key), names.join(", "));
        Error::new("SHEET_MISSING", words).detail("sheets", names)
    })
}

fn one_cell(plans: &[SheetPlan], sheet: usize, text: &str, key: &str) -> Result<(usize, (u32, u32)), Error> {
    let Some(plan) = plans.get(sheet) else { return Err(no_cell(key, text)) };
    let found = area(text).ok_or_else(|| no_cell(key, text))?;
    let ((first, last), (left, right)) = found;
    if (first != last || left != right) && !plan.merged.contains(&found) {
        return Err(no_cell(key, text));
    }
    let cell = (first, left);
    let covers = |((top, bottom), (left, right)): &&CellArea| {
        (*top..=*bottom).contains(&cell.0) && (*left..=*right).contains(&cell.1) && (*top, *left) != cell
    };
    if let Some(((top, _), (left, _))) = plan.merged.iter().find(covers) {
        let words = format!(
            "the cell is merged with others and shows the value of {}{top}. Set that cell",
            column_name(left - 1)
        );
        return Err(plan.spot(cell).refuse("INPUT_INVALID", &words).detail("field", "cells"));
    }
    if plan
        .results
        .iter()
        .any(|((top, bottom), (left, right))| (*top..=*bottom).contains(&cell.0) && (*left..=*right).contains(&cell.1))
    {
        let words = "the cell is part of an array formula, which is changed as a whole only. Set another cell";
        return Err(plan.spot(cell).refuse("INPUT_INVALID", words).detail("field", "cells"));
    }
    Ok((sheet, cell))
}

fn no_cell(key: &str, text: &str) -> Error {
    let words = format!("'{}' is not one cell of the template but '{}'. Name one cell", short(key), short(text));
    Error::new("CELL_MISSING", words).detail("cell", short(key))
}
