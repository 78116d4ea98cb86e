//! Number formats of cell styles: which cells show dates, which numbers.

use super::xml::{Kind, Tokens};
use crate::Error;
use std::collections::HashMap;

/// What the number format of a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Shows {
    /// Whatever there is (`General`), or text.
    #[default]
    Anything,
    Number,
    Date,
}

/// The cell formats of a workbook, by their number.
#[derive(Debug, Default)]
pub(super) struct Styles {
    formats: Vec<Shows>,
}

impl Styles {
    pub(super) fn parse(text: &str, part: &str) -> Result<Self, Error> {
        let mut codes: HashMap<u32, Shows> = HashMap::new();
        let mut formats = Vec::new();
        let mut in_cells = false;
        let mut tokens = Tokens::new(text, part);
        while let Some(token) = tokens.next()? {
            match token.kind {
                Kind::Open(tag, is_empty) => match tag.local_name() {
                    "numFmt" => {
                        let id = tag.raw("numFmtId").and_then(|id| id.parse().ok());
                        if let (Some(id), Some(code)) = (id, tag.attribute("formatCode")) {
                            codes.insert(id, shows(&code));
                        }
                    }
                    "cellXfs" => in_cells = !is_empty,
                    "xf" if in_cells => {
                        let id = tag.raw("numFmtId").and_then(|id| id.parse().ok()).unwrap_or(0);
                        formats.push(codes.get(&id).copied().unwrap_or_else(|| built_in(id)));
                    }
                    _ => {}
                },
                Kind::Close("cellXfs") => in_cells = false,
                _ => {}
            }
        }
        Ok(Self { formats })
    }

    /// Of the attribute `s` of a cell.
    pub(super) fn of(&self, style: Option<&str>) -> Shows {
        let index = style.and_then(|style| style.parse::<usize>().ok()).unwrap_or(0);
        self.formats.get(index).copied().unwrap_or_default()
    }
}

/// Formats that have a number instead of a text. Those from 27 on are dates of East Asian versions.
fn built_in(id: u32) -> Shows {
    match id {
        14..=22 | 27..=36 | 45..=47 | 50..=58 => Shows::Date,
        0 | 49 => Shows::Anything,
        _ => Shows::Number,
    }
}

/// What a format shows: without texts in quotes, escaped signs and conditions, a date has one of the letters y m d h s.
fn shows(code: &str) -> Shows {
    let mut signs = code.chars().peekable();
    let mut is_number = false;
    while let Some(sign) = signs.next() {
        match sign {
            '"' => while signs.next().is_some_and(|sign| sign != '"') {},
            '\\' | '_' | '*' => drop(signs.next()),
            '[' => {
                let inner: String = signs.by_ref().take_while(|sign| *sign != ']').collect();
                let is_span =
                    !inner.is_empty() && inner.chars().all(|c| matches!(c.to_ascii_lowercase(), 'h' | 'm' | 's'));
                if is_span {
                    return Shows::Date;
                }
            }
            '0' | '#' | '?' => is_number = true,
            // `General` and the exponent E+ have none of these before a digit was seen.
            'y' | 'Y' | 'm' | 'M' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' => return Shows::Date,
            'G' | 'g' if code.to_ascii_lowercase().starts_with("general") => return Shows::Anything,
            _ => {}
        }
    }
    if is_number { Shows::Number } else { Shows::Anything }
}

#[cfg(test)]
mod tests {
    use super::{Shows, shows};

    #[test]
    fn a_format_says_what_it_shows() {
        for (code, wanted) in [
            ("General", Shows::Anything),
            ("@", Shows::Anything),
            ("0.00", Shows::Number),
            ("#,##0.00\\ \"days\"", Shows::Number),
            ("[$-409]#,##0.00;[Red]-#,##0.00", Shows::Number),
            ("0.00E+00", Shows::Number),
            ("yyyy\\-mm\\-dd", Shows::Date),
            ("[h]:mm:ss", Shows::Date),
            ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", Shows::Date),
            ("\"due: \"d.m.yy", Shows::Date),
            ("_-* #,##0.00\\ \"EUR\"_-;-* #,##0.00", Shows::Number),
        ] {
            assert_eq!(shows(code), wanted, "{code}");
        }
    }
}
