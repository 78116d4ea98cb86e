//! The little JSON that images and lists of components need, without a library.

/// A text in JSON.
#[must_use]
pub fn text(plain: &str) -> String {
    let mut out = String::from("\"");
    for c in plain.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list of texts in JSON.
pub(crate) fn texts<'a>(list: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<String> = list.into_iter().map(text).collect();
    format!("[{}]", all.join(","))
}
