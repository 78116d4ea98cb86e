//! XML to values and back: `<a id="1">x<b/></a>` is `{"a": {"@id": "1", "#text": "x", "b": ""}}`.

use crate::Error;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Elements inside each other.
const MAX_DEPTH: usize = 120;
/// Text of an element that has attributes or elements too.
const TEXT: &str = "#text";

/// How XML is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Prefixes and declarations of namespaces are left out.
    pub strip_namespaces: bool,
    /// Elements that are lists also when there is one of them.
    pub lists: Vec<String>,
}

struct Open {
    name: String,
    map: Map<String, Value>,
    text: String,
    /// Values that are lists because the element came several times, or is named as a list.
    lists: HashSet<String>,
    has_elements: bool,
}

/// Reads an XML document. Every value is text; a document type is refused, and with it every entity of the document's own.
pub fn parse(text: &str, options: &ReadOptions) -> Result<Value, Error> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<(String, Value)> = None;
    loop {
        let at = reader.buffer_position();
        let line = || text.get(..usize::try_from(at).unwrap_or_default()).unwrap_or(text).matches('\n').count() + 1;
        let bad = |why: &str| {
            let line = line();
            Error::new("BAD_XML", format!("The text is not XML that is read here: {why} (line {line})"))
                .detail("line", line)
        };
        let event = reader.read_event().map_err(|error| bad(&error.to_string()))?;
        match event {
            Event::Start(start) | Event::Empty(start) if open.is_empty() && root.is_some() => {
                return Err(bad(&format!("'{}' is a second root element", start.name().as_ref())));
            }
            Event::Start(start) => {
                if open.len() >= MAX_DEPTH {
                    return Err(bad(&format!("it is nested deeper than {MAX_DEPTH} elements")));
                }
                open.push(begin(&start, options).map_err(|why| bad(&why))?);
            }
            Event::Empty(start) => {
                let element = begin(&start, options).map_err(|why| bad(&why))?;
                end(element, &mut open, &mut root, options);
            }
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    end(element, &mut open, &mut root, options);
                }
            }
            Event::Text(part) => match open.last_mut() {
                Some(element) => element.text.push_str(&part.xml10_content()),
                None if part.xml10_content().trim().trim_start_matches('\u{feff}').is_empty() => {}
                None => return Err(bad("there is text outside of the root element")),
            },
            Event::CData(part) => match open.last_mut() {
                Some(element) => element.text.push_str(&part.xml10_content()),
                None => return Err(bad("there is text outside of the root element")),
            },
            Event::GeneralRef(reference) => {
                let resolved = match reference.resolve_char_ref().map_err(|error| bad(&error.to_string()))? {
                    Some(sign) => sign,
                    None => match reference.xml10_content().as_ref() {
                        "lt" => '<',
                        "gt" => '>',
                        "amp" => '&',
                        "apos" => '\'',
                        "quot" => '"',
                        other => return Err(bad(&format!("the entity '&{other};' is not one of XML's own"))),
                    },
                };
                match open.last_mut() {
                    Some(element) => element.text.push(resolved),
                    None => return Err(bad("there is text outside of the root element")),
                }
            }
            Event::DocType(_) => {
                return Err(bad("a document type (<!DOCTYPE …>) and its entities are refused. Remove it"));
            }
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => break,
        }
    }
    if let Some(element) = open.last() {
        return Err(Error::new(
            "BAD_XML",
            format!("The text is not XML: the element '{}' is never closed", element.name),
        ));
    }
    let (name, value) = root.ok_or_else(|| Error::new("BAD_XML", "The text is not XML: it has no element"))?;
    Ok(Value::Object(Map::from_iter([(name, value)])))
}

fn begin(start: &BytesStart<'_>, options: &ReadOptions) -> Result<Open, String> {
    let strip = options.strip_namespaces;
    let name = if strip { start.local_name().as_ref().to_owned() } else { start.name().as_ref().to_owned() };
    let mut map = Map::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let key = attribute.key.as_ref();
        if strip && (key == "xmlns" || key.starts_with("xmlns:")) {
            continue;
        }
        let key = if strip { attribute.key.local_name().as_ref().to_owned() } else { key.to_owned() };
        let value = attribute.normalized_value(XmlVersion::default()).map_err(|error| error.to_string())?;
        map.insert(format!("@{key}"), Value::String(value.into_owned()));
    }
    Ok(Open { name, map, text: String::new(), lists: HashSet::new(), has_elements: false })
}

fn end(element: Open, open: &mut [Open], root: &mut Option<(String, Value)>, options: &ReadOptions) {
    let Open { name, mut map, text, has_elements, .. } = element;
    let value = if map.is_empty() && !has_elements {
        Value::String(text)
    } else {
        // Between elements, blanks are how the file is laid out.
        let kept = if has_elements { text.trim() } else { text.as_str() };
        if !kept.is_empty() {
            map.insert(TEXT.to_owned(), Value::String(kept.to_owned()));
        }
        Value::Object(map)
    };
    let Some(parent) = open.last_mut() else {
        *root = Some((name, value));
        return;
    };
    parent.has_elements = true;
    let is_list = parent.lists.contains(&name);
    match parent.map.get_mut(&name) {
        Some(Value::Array(list)) if is_list => list.push(value),
        Some(first) => {
            *first = Value::Array(vec![first.take(), value]);
            parent.lists.insert(name);
        }
        None if options.lists.contains(&name) => {
            parent.lists.insert(name.clone());
            parent.map.insert(name, Value::Array(vec![value]));
        }
        None => {
            parent.map.insert(name, value);
        }
    }
}

/// Writes an object with one field, the root element, as XML: fields that begin with `@` are attributes, `#text` is text, a list is
/// the element several times, null is an empty element.
pub fn format(value: &Value) -> Result<String, Error> {
    let root = value.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next());
    let Some((name, root)) = root.filter(|(_, root)| !root.is_array()) else {
        let words = "XML needs an object with one field that is no list: its name is the root element. For example {\"orders\": …}";
        return Err(Error::new("SCHEMA_MISMATCH", words));
    };
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    element(name, root, 0, &mut out)?;
    Ok(out)
}

fn element(name: &str, value: &Value, depth: usize, out: &mut String) -> Result<(), Error> {
    if let Value::Array(list) = value {
        for one in list {
            if one.is_array() {
                let words = format!("'{name}' cannot become XML: a list inside a list has no name");
                return Err(Error::new("SCHEMA_MISMATCH", words).detail("field", name));
            }
            element(name, one, depth, out)?;
        }
        return Ok(());
    }
    check_name(name)?;
    indent(depth, out);
    out.push('<');
    out.push_str(name);
    let Value::Object(map) = value else {
        match scalar(name, value)? {
            text if text.is_empty() => out.push_str("/>\n"),
            text => {
                out.push('>');
                escape(&text, false, out);
                close(name, out);
            }
        }
        return Ok(());
    };
    for (key, one) in map {
        let Some(attribute) = key.strip_prefix('@') else { continue };
        check_name(attribute)?;
        out.push(' ');
        out.push_str(attribute);
        out.push_str("=\"");
        escape(&scalar(key, one)?, true, out);
        out.push('"');
    }
    let text = map.get(TEXT).map(|text| scalar(TEXT, text)).transpose()?.unwrap_or_default();
    let elements = || map.iter().filter(|(key, _)| !key.starts_with('@') && *key != TEXT);
    if elements().next().is_none() {
        if text.is_empty() {
            out.push_str("/>\n");
        } else {
            out.push('>');
            escape(&text, false, out);
            close(name, out);
        }
        return Ok(());
    }
    out.push('>');
    escape(&text, false, out);
    out.push('\n');
    for (key, one) in elements() {
        element(key, one, depth + 1, out)?;
    }
    indent(depth, out);
    close(name, out);
    Ok(())
}

fn close(name: &str, out: &mut String) {
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn scalar(name: &str, value: &Value) -> Result<String, Error> {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => {
            let words =
                format!("'{name}' cannot become XML: an attribute and a text are one value, not a list or an object");
            return Err(Error::new("SCHEMA_MISMATCH", words).detail("field", name));
        }
    };
    if let Some(sign) = text.chars().find(|sign| !is_xml(*sign)) {
        let words = format!("'{name}' cannot become XML: it has the character {:?}, which no XML may hold", sign);
        return Err(Error::new("SCHEMA_MISMATCH", words).detail("field", name));
    }
    Ok(text)
}

fn is_xml(sign: char) -> bool {
    matches!(sign, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

fn check_name(name: &str) -> Result<(), Error> {
    let begins = |sign: char| sign.is_alphabetic() || sign == '_';
    let goes_on = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.' | ':');
    let mut signs = name.chars();
    let fits = signs.next().is_some_and(begins)
        && signs.all(goes_on)
        && name.matches(':').count() <= 1
        && !name.ends_with(':');
    if fits {
        return Ok(());
    }
    let shown: String = name.chars().take(60).collect();
    let words = format!(
        "'{shown}' cannot be the name of an element or an attribute. Rename the field to letters, digits, - and _"
    );
    Err(Error::new("SCHEMA_MISMATCH", words).detail("field", shown))
}

/// Line ends inside attributes, and carriage returns everywhere, would come back as other characters.
fn escape(text: &str, is_attribute: bool, out: &mut String) {
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if is_attribute => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\n' if is_attribute => out.push_str("&#10;"),
            '\t' if is_attribute => out.push_str("&#9;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests;
