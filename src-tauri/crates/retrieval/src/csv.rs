//! Rows of a table, as far as passages need them: a line break between quotes does not end a row.

use crate::unit::{Section, Unit, cut};

/// One section: the first row names the columns, each other row is a unit.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let (mut rows, mut from, mut quoted) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                rows.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    rows.push(from..text.len());
    let mut rows = rows.into_iter().filter_map(|row| {
        let start = row.start + (text[row.clone()].len() - text[row.clone()].trim_start().len());
        let end = start + text[row].trim().len();
        (start < end).then_some(start..end)
    });
    let Some(header) = rows.next() else { return Vec::new() };
    let mut units: Vec<Unit> = rows.map(|at| Unit { at, opens: true }).collect();
    if units.is_empty() {
        units.push(Unit { at: header.clone(), opens: true });
    }
    vec![Section { heading: Some(cut(text[header].trim_start_matches('\u{feff}'))), units }]
}
