//! Names of columns: each once, and which of them are read.

use crate::ReadOptions;
use signalbox_documents::Error;
use signalbox_model::value_text::text;
use std::collections::HashSet;

/// `{"name":` and `,"name":`.
pub(crate) fn heads(names: &[String]) -> Vec<Vec<u8>> {
    let head = |(at, name): (usize, &String)| {
        let mut head = vec![if at == 0 { b'{' } else { b',' }];
        text(&mut head, name);
        head.push(b':');
        head
    };
    names.iter().enumerate().map(head).collect()
}

/// Names that are each there once: a second `Name` is `Name_2`, as in spreadsheets.
pub(crate) fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known = HashSet::new();
    names
        .map(|base| {
            let mut name = base.to_owned();
            let mut number = 2;
            while !known.insert(name.clone()) {
                name = format!("{base}_{number}");
                number += 1;
            }
            name
        })
        .collect()
}

/// Which columns are read, as their places in the file, in the order of the setting.
pub(crate) fn chosen(names: &[String], options: &ReadOptions) -> Result<Vec<usize>, Error> {
    if options.columns.is_empty() {
        return Ok((0..names.len()).collect());
    }
    let mut places = Vec::new();
    for wanted in &options.columns {
        let Some(place) = names.iter().position(|name| name == wanted) else {
            let listed: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
            let shown: String = wanted.chars().take(60).collect();
            let words = format!("The file has no column '{shown}'. It has: {}", listed.join(", "));
            return Err(Error::new("UNKNOWN_COLUMN", words)
                .detail("column", wanted.as_str())
                .detail("columns", listed));
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}
