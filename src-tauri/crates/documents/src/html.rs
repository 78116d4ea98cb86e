//! Parts of HTML pages by CSS selectors.

use crate::Error;
use scraper::{ElementRef, Html, Selector};
use serde_json::{Map, Value};

/// Longest page, bytes.
pub const MAX_PAGE: usize = 16 * 1024 * 1024;

/// What is taken of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Take {
    /// Its text, with blanks and line ends as one blank.
    Text,
    /// Its HTML, without its own tag.
    Html,
    /// An attribute.
    Attribute(String),
}

/// A field of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it is; empty = the element itself.
    pub selector: String,
    /// What of it.
    pub take: Take,
    /// A list of all that fit, not the first one.
    pub all: bool,
}

/// Takes parts of a page by `{action: "fields" | "table", each, table, fields: [{name, selector, take, attribute, all}]}`: a list of objects
/// as compact JSON. Pages can be made so that reading them takes time and memory without end: this runs in a separate process.
pub(crate) fn read(page: Vec<u8>, options: &Value) -> Result<String, Error> {
    let page = String::from_utf8(page).map_err(|_| Error::new("NOT_TEXT", "The page is no text"))?;
    let text = |of: &Value, name: &str| of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let found = if text(options, "action") == "table" {
        table(&page, &text(options, "table"))?
    } else {
        let fields = options.get("fields").and_then(Value::as_array).into_iter().flatten().map(|field| Field {
            name: text(field, "name"),
            selector: text(field, "selector"),
            take: match text(field, "take").as_str() {
                "html" => Take::Html,
                "attribute" => Take::Attribute(text(field, "attribute")),
                _ => Take::Text,
            },
            all: field.get("all").and_then(Value::as_bool).unwrap_or(false),
        });
        select(&page, &text(options, "each"), &fields.collect::<Vec<_>>())?
    };
    Ok(Value::Array(found.into_iter().map(Value::Object).collect()).to_string())
}

/// The fields of every element that fits `each`, or of the page when `each` is empty. What is not there is null.
pub fn select(page: &str, each: &str, fields: &[Field]) -> Result<Vec<Map<String, Value>>, Error> {
    check_size(page)?;
    let selectors = fields
        .iter()
        .map(|field| Ok((field, if field.selector.is_empty() { None } else { Some(selector(&field.selector)?) })))
        .collect::<Result<Vec<_>, Error>>()?;
    let each = if each.is_empty() { None } else { Some(selector(each)?) };
    let page = Html::parse_document(page);
    let of = |element: ElementRef<'_>| {
        let one = |(field, selector): &(&Field, Option<Selector>)| {
            let mut found: Box<dyn Iterator<Item = ElementRef<'_>>> = match selector {
                None => Box::new(std::iter::once(element)),
                Some(selector) => Box::new(element.select(selector)),
            };
            let value = if field.all {
                Value::Array(found.map(|element| taken(element, &field.take)).collect())
            } else {
                found.next().map_or(Value::Null, |element| taken(element, &field.take))
            };
            (field.name.clone(), value)
        };
        selectors.iter().map(one).collect()
    };
    Ok(match each {
        None => vec![of(page.root_element())],
        Some(each) => page.select(&each).map(of).collect(),
    })
}

/// The rows of the first table that fits: its header cells, or those of its first row, name the columns.
pub fn table(page: &str, which: &str) -> Result<Vec<Map<String, Value>>, Error> {
    check_size(page)?;
    let which = selector(if which.is_empty() { "table" } else { which })?;
    let (row, cell) = (selector("tr")?, selector("td, th")?);
    let page = Html::parse_document(page);
    let Some(table) = page.select(&which).next() else {
        let words = "The page has no table that fits. Check the selector, or whether the page is made by scripts";
        return Err(Error::new("NOT_FOUND_IN_PAGE", words));
    };
    // Rows of tables inside of this one are not its rows.
    let is_own = |row: &ElementRef<'_>| {
        row.ancestors()
            .filter_map(ElementRef::wrap)
            .find(|one| one.value().name() == "table")
            .is_none_or(|one| one == table)
    };
    let rows = table.select(&row).filter(is_own).map(|row| {
        row.select(&cell)
            .filter(|cell| cell.parent().is_some_and(|parent| parent.id() == row.id()))
            .map(plain)
            .collect::<Vec<_>>()
    });
    let mut rows = rows.filter(|row| !row.is_empty());
    let mut names: Vec<String> = Vec::new();
    for (index, name) in rows.next().unwrap_or_default().into_iter().enumerate() {
        let base = if name.is_empty() { format!("column{}", index + 1) } else { name };
        let mut name = base.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        names.push(name);
    }
    let named = |(index, value)| {
        (names.get(index).cloned().unwrap_or_else(|| format!("column{}", index + 1)), Value::String(value))
    };
    Ok(rows.map(|row| row.into_iter().enumerate().map(named).collect()).collect())
}

fn check_size(page: &str) -> Result<(), Error> {
    if page.len() <= MAX_PAGE {
        return Ok(());
    }
    let words = format!("The page has {} bytes, more than the limit of {} MiB", page.len(), MAX_PAGE >> 20);
    Err(Error::too_large(words, MAX_PAGE as u64))
}

fn selector(text: &str) -> Result<Selector, Error> {
    Selector::parse(text).map_err(|_| {
        let shown: String = text.chars().take(100).collect();
        let words = format!("'{shown}' is no CSS selector. Write it like table.prices tr, #main > a, [data-id]");
        Error::new("BAD_SELECTOR", words).detail("selector", shown)
    })
}

fn taken(element: ElementRef<'_>, take: &Take) -> Value {
    match take {
        Take::Text => Value::String(plain(element)),
        Take::Html => Value::String(element.inner_html()),
        Take::Attribute(name) => element.attr(name).map_or(Value::Null, |value| Value::String(value.to_owned())),
    }
}

/// Elements that begin a line, or a cell: between their texts is a blank.
const BLOCKS: [&str; 34] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "th",
    "tr",
    "ul",
];
/// So far up it is looked for the block of a text: pages can be nested without end.
const LOOKED_UP: usize = 32;

/// The text of an element, without that of scripts and styles.
fn plain(element: ElementRef<'_>) -> String {
    let mut joined = String::new();
    let mut last = None;
    for node in element.descendants() {
        if node.value().as_element().is_some_and(|element| element.name() == "br") {
            joined.push(' ');
        }
        let Some(text) = node.value().as_text() else { continue };
        let mut above = node.ancestors().filter_map(ElementRef::wrap).take(LOOKED_UP);
        if node.parent().and_then(ElementRef::wrap).is_some_and(|one| matches!(one.value().name(), "script" | "style"))
        {
            continue;
        }
        let block = above.find(|one| BLOCKS.contains(&one.value().name())).map(|one| one.id());
        if block != last {
            joined.push(' ');
        }
        last = block;
        let raised = node.parent().and_then(ElementRef::wrap).is_some_and(|one| one.value().name() == "sup");
        match raised.then(|| superscript(text)).flatten() {
            Some(digits) => joined.push_str(&digits),
            None => joined.push_str(text),
        }
    }
    joined.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A raised number, as letters of Unicode: an exponent or the number of a note must not become the end of the number before it.
/// `None`: something else is raised.
fn superscript(text: &str) -> Option<String> {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    text.chars()
        .map(|letter| match letter {
            '+' => Some('⁺'),
            '-' | '\u{2212}' => Some('⁻'),
            digit => digit.to_digit(10).and_then(|digit| RAISED.get(digit as usize)).copied(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
