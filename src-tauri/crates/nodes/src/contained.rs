//! Steps that read nothing but their items and settings, and change nothing: what they give can be computed anywhere, also in a test.

use crate::{EffectFn, Kind, kind};
use serde_json::Value;

/// The code of a step with these settings, when it needs no more than its items: a script, and files that are read from or written
/// to bytes.
pub fn contained(name: &str, config: &Value) -> Option<EffectFn> {
    let given = |field: &str| config.get(field).is_some_and(|value| !value.is_null() && value.as_str() != Some(""));
    let is_contained = match name {
        "code.javascript" | "html.select" => true,
        "archive.unpack" | "pdf.read" | "sheet.read" | "table.read" => given("binary") && !given("path"),
        "sheet.fill" => {
            given("binary") && !given("template") && config.get("to").and_then(Value::as_str) == Some("bytes")
        }
        "archive.pack" | "sheet.write" => config.get("to").and_then(Value::as_str) == Some("bytes"),
        // Pictures may be files.
        "pdf.write" => {
            let has_pictures = config.get("content").and_then(Value::as_str).is_some_and(|text| text.contains("!["));
            let has_fonts = config.get("fonts").and_then(Value::as_array).is_some_and(|fonts| !fonts.is_empty());
            config.get("to").and_then(Value::as_str) == Some("bytes") && !has_pictures && !has_fonts
        }
        _ => false,
    };
    match kind(name).filter(|_| is_contained)? {
        Kind::Effect(code) => Some(code),
        Kind::Pure(_) => None,
    }
}

/// Whether a contained step reads the bytes of its items.
pub fn reads_bytes(name: &str) -> bool {
    matches!(name, "archive.pack" | "archive.unpack" | "pdf.read" | "sheet.fill" | "sheet.read" | "table.read")
}

#[cfg(test)]
mod tests {
    use super::contained;
    use serde_json::json;

    #[test]
    fn a_step_that_reads_a_file_or_writes_one_is_not_contained() {
        let is = |name: &str, config| contained(name, &config).is_some();
        assert!(is("code.javascript", json!({ "source": "return 1" })));
        assert!(is("sheet.read", json!({ "binary": "response" })));
        assert!(is("archive.pack", json!({ "to": "bytes" })));
        assert!(!is("sheet.read", json!({ "path": "in/a.xlsx" })));
        assert!(!is("pdf.read", json!({ "path": "a.pdf", "binary": "response" })));
        assert!(!is("sheet.write", json!({ "path": "a.xlsx" })));
        assert!(is("sheet.fill", json!({ "binary": "content", "to": "bytes" })));
        assert!(!is("sheet.fill", json!({ "template": "a.xlsx", "to": "bytes" })));
        assert!(!is("sheet.fill", json!({ "binary": "content", "path": "b.xlsx" })));
        assert!(is("pdf.write", json!({ "to": "bytes", "content": "# Report" })));
        assert!(!is("pdf.write", json!({ "to": "bytes", "content": "![Logo](logo.png)" })));
        assert!(!is("pdf.write", json!({ "to": "bytes", "content": "# Report", "fonts": ["a.ttf"] })));
        assert!(!is("data.set", json!({})) && !is("http.request", json!({})) && !is("none", json!({})));
    }
}
