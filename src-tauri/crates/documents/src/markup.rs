//! Tables for people: Markdown and HTML.

use crate::Error;
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Deref;

/// The rows of a value.
fn rows(value: &Value) -> &[Value] {
    match value {
        Value::Array(list) => list.as_slice(),
        other => std::slice::from_ref(other),
    }
}

/// The names of the columns, in order of first appearance.
fn columns<R: Deref<Target = Value>>(rows: impl Iterator<Item = R>) -> Result<Vec<String>, Error> {
    let (mut columns, mut seen) = (Vec::new(), HashSet::new());
    for row in rows {
        let Value::Object(row) = &*row else {
            return Err(Error::new("SCHEMA_MISMATCH", "A table needs a list of objects"));
        };
        for name in row.keys().filter(|name| !seen.contains(*name)).collect::<Vec<_>>() {
            seen.insert(name.clone());
            columns.push(name.clone());
        }
    }
    Ok(columns)
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// A Markdown table. Signs that mean something there are escaped, and a cell stays on one line.
pub fn markdown_table(value: &Value) -> Result<String, Error> {
    let mut all = String::new();
    markdown_rows(|| rows(value).iter(), &mut |piece| all.push_str(piece))?;
    Ok(all)
}

/// The same of rows, which are gone through twice; the text is given to `sink` row by row.
pub fn markdown_rows<R, I>(rows: impl Fn() -> I, sink: &mut dyn FnMut(&str)) -> Result<(), Error>
where
    R: Deref<Target = Value>,
    I: Iterator<Item = R>,
{
    let columns = columns(rows())?;
    if columns.is_empty() {
        return Ok(());
    }
    let mut line = |cells: Vec<String>| sink(&format!("| {} |\n", cells.join(" | ")));
    line(columns.iter().map(|name| escape_markdown(name)).collect());
    line(columns.iter().map(|_| "---".to_owned()).collect());
    for row in rows() {
        line(columns.iter().map(|name| escape_markdown(&shown(row.get(name)))).collect());
    }
    Ok(())
}

fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.replace("\r\n", "\n").chars() {
        match sign {
            '\n' | '\r' => out.push_str("<br>"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => {
                out.push('\\');
                out.push(sign);
            }
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            other => out.push(other),
        }
    }
    out
}

/// An HTML table; every value is escaped.
pub fn html_table(value: &Value) -> Result<String, Error> {
    let mut all = String::new();
    html_rows(|| rows(value).iter(), &mut |piece| all.push_str(piece))?;
    Ok(all)
}

/// The same of rows, which are gone through twice; the text is given to `sink` row by row.
pub fn html_rows<R, I>(rows: impl Fn() -> I, sink: &mut dyn FnMut(&str)) -> Result<(), Error>
where
    R: Deref<Target = Value>,
    I: Iterator<Item = R>,
{
    let columns = columns(rows())?;
    let mut out = String::from("<table>\n<thead>\n<tr>");
    for name in &columns {
        out.push_str("<th>");
        escape_html(name, &mut out);
        out.push_str("</th>");
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    for row in rows() {
        out.push_str("<tr>");
        for name in &columns {
            out.push_str("<td>");
            escape_html(&shown(row.get(name)), &mut out);
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
        sink(&out);
        out.clear();
    }
    out.push_str("</tbody>\n</table>\n");
    sink(&out);
    Ok(())
}

fn escape_html(text: &str, out: &mut String) {
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests;
