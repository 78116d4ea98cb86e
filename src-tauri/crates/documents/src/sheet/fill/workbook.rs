//! Sheets, names and the date system, as the workbook says.

use super::package::Package;
use super::xml::{Kind, Tokens, bad, text_of};
use crate::Error;

/// What the workbook says.
pub(super) struct Workbook {
    pub(super) is_1904: bool,
    /// Names of the sheets in their order, with the parts of those that have cells.
    pub(super) sheets: Vec<(String, Option<String>)>,
    /// The first sheet that is visible.
    pub(super) first: usize,
    /// Names of cells: the name, the sheet where it holds, and what it stands for.
    pub(super) names: Vec<(String, Option<usize>, String)>,
}

impl Workbook {
    pub(super) fn read(package: &mut Package, part: &str) -> Result<Self, Error> {
        let related = package.related(part)?;
        let text = package.text(part)?;
        let mut found = Self { is_1904: false, sheets: Vec::new(), first: usize::MAX, names: Vec::new() };
        let mut tokens = Tokens::new(&text, part);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, is_empty) = token.kind else { continue };
            match tag.local_name() {
                "workbookPr" => found.is_1904 = matches!(tag.raw("date1904"), Some("1" | "true")),
                "sheet" => {
                    let id = tag.raw_local("id").unwrap_or_default();
                    let target = related.iter().find(|one| one.id == id);
                    let part = target.filter(|one| one.kind == "worksheet").map(|one| one.target.clone());
                    if let Some(missing) = part.as_ref().filter(|part| !package.has(part)) {
                        return Err(bad(missing, "it is missing"));
                    }
                    if part.is_some() && tag.raw("state").is_none_or(|state| state == "visible") {
                        found.first = found.first.min(found.sheets.len());
                    }
                    found.sheets.push((tag.attribute("name").unwrap_or_default(), part));
                }
                "definedName" if !is_empty => {
                    let inner = tokens.inner()?;
                    let sheet = tag.raw("localSheetId").and_then(|sheet| sheet.parse().ok());
                    let name = tag.attribute("name").unwrap_or_default();
                    found.names.push((name, sheet, text_of(tokens.source(inner))));
                }
                _ => {}
            }
        }
        Ok(found)
    }
}
