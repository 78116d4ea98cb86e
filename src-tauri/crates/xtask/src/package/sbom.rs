//! The list of what is in the packages (SBOM, CycloneDX 1.5 as JSON): crates by `cargo tree`, packages of the UI by its lock
//! file. Written by hand, because this program has no dependencies; sorted, and without a time unless one is given.

use signalbox_oci::json::text;
use std::collections::BTreeSet;

/// One component.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Component {
    /// `cargo` or `npm`.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) version: String,
    /// As SPDX says; empty = not stated.
    pub(crate) license: String,
}

/// Lines `name|version|license`; what names a version with a `v`, as cargo does, is read, too. Own crates, which have a path
/// behind their version, are no components.
pub(crate) fn components(kind: &'static str, lines: &str) -> BTreeSet<Component> {
    let mut all = BTreeSet::new();
    for line in lines.lines() {
        let mut parts = line.splitn(3, '|').map(str::trim);
        let (Some(name), Some(version), license) = (parts.next(), parts.next(), parts.next().unwrap_or_default())
        else {
            continue;
        };
        if name.is_empty() || name.starts_with("signalbox") || version.is_empty() {
            continue;
        }
        let version = version.trim_start_matches('v').split(' ').next().unwrap_or_default().to_owned();
        // What cargo adds to lines that it has printed before.
        let license = license.trim_end_matches("(*)").trim().replace('/', " OR ");
        all.insert(Component { kind, name: name.to_owned(), version, license });
    }
    all
}

/// The document.
pub(crate) fn document(version: &str, time: Option<&str>, components: &BTreeSet<Component>) -> String {
    let time = time.map(|time| format!("    \"timestamp\": {},\n", text(time))).unwrap_or_default();
    let list: Vec<String> = components.iter().map(one).collect();
    format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"metadata\": {{\n{time}    \"component\": \
         {{ \"type\": \"application\", \"bom-ref\": \"signalbox\", \"name\": \"signalbox\", \"version\": {}, \"licenses\": [{{ \"license\": {{ \"id\": \
         \"Apache-2.0\" }} }}] }}\n  }},\n  \"components\": [\n{}\n  ]\n}}\n",
        text(version),
        list.join(",\n")
    )
}

fn one(component: &Component) -> String {
    let Component { kind, name, version, license } = component;
    let address = format!("pkg:{kind}/{}@{version}", name.replace('@', "%40"));
    let licenses = if license.is_empty() {
        String::new()
    } else {
        format!(", \"licenses\": [{{ \"expression\": {} }}]", text(license))
    };
    format!(
        "    {{ \"type\": \"library\", \"bom-ref\": {0}, \"name\": {1}, \"version\": {2}, \"purl\": {0}{licenses} }}",
        text(&address),
        text(name),
        text(version)
    )
}

#[cfg(test)]
mod tests {
    use super::{Component, components, document, text};

    #[test]
    fn own_crates_and_repeated_lines_are_no_components() {
        let lines = "signalbox-app|v0.1.0 (/src/app)|Apache-2.0\nserde|v1.0.0|MIT OR Apache-2.0\nserde|v1.0.0|MIT OR Apache-2.0 \
                     (*)\nold|v0.1.0|MIT/Apache-2.0\nbare|v2.0.0\n";
        let all = components("cargo", lines);
        let of = |name: &str, version: &str, license: &str| Component {
            kind: "cargo",
            name: name.into(),
            version: version.into(),
            license: license.into(),
        };
        let wanted = [
            of("bare", "2.0.0", ""),
            of("old", "0.1.0", "MIT OR Apache-2.0"),
            of("serde", "1.0.0", "MIT OR Apache-2.0"),
        ];
        assert_eq!(all.into_iter().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn the_document_is_the_same_for_the_same_components() {
        let mut all = components("npm", "@xyflow/react|12.0.0|MIT\n");
        all.extend(components("cargo", "serde|v1.0.0|MIT\n"));
        let made = document("0.1.0", None, &all);
        assert_eq!(made, document("0.1.0", None, &all));
        assert!(
            made.contains("\"pkg:npm/%40xyflow/react@12.0.0\"") && made.contains("\"pkg:cargo/serde@1.0.0\""),
            "{made}"
        );
        assert!(!made.contains("timestamp"));
        assert!(
            document("0.1.0", Some("2026-11-29T00:00:00Z"), &all).contains("\"timestamp\": \"2026-11-29T00:00:00Z\"")
        );
        assert_eq!(text("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    }
}
