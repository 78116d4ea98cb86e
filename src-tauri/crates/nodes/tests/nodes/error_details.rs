//! T-04: fields of `details` are documented by code and kind. docs/errors.md is made from the catalog and
//! `error-details.yaml`; this test rewrites it when it is stale and `SIGNALBOX_GEN` is set.

use serde::Deserialize;
use signalbox_model::NodeDescriptor;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Name → type and meaning.
    fields: BTreeMap<String, (String, String)>,
    errors: Vec<Rule>,
    engine: Vec<OfEngine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    codes: Vec<String>,
    #[serde(default)]
    kinds: Vec<String>,
    fields: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfEngine {
    code: String,
    #[serde(rename = "type")]
    error_type: String,
    when: String,
    fields: Vec<String>,
}

impl Rule {
    fn is_about(&self, kind: &str, code: &str) -> bool {
        let of = |wanted: &String| wanted == kind || (wanted.ends_with('.') && kind.starts_with(wanted.as_str()));
        self.codes.iter().any(|one| one == code) && (self.kinds.is_empty() || self.kinds.iter().any(of))
    }
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn file() -> File {
    serde_saphyr::from_str(include_str!("../../error-details.yaml")).expect("error-details.yaml is valid")
}

fn fields_of(file: &File, kind: &str, code: &str) -> Vec<String> {
    let rules = file.errors.iter().filter(|rule| rule.is_about(kind, code));
    let all: BTreeSet<&String> = rules.flat_map(|rule| &rule.fields).collect();
    all.into_iter().cloned().collect()
}

fn page(file: &File, kinds: &[NodeDescriptor]) -> String {
    let mut out = String::from(
        "# Errors by step kind\n\n<!-- Made from node-catalog/ and src-tauri/crates/nodes/error-details.yaml by \
         tests/nodes/error_details.rs. Do not edit. -->\n\n\
         Every error is an ErrorPayload ([Events](formats.md#events)). Its `details` always have `code`, and `input`: the \
         data that failed. Which other fields an error may have is listed here; a field is absent when it is not known.\n\n\
         ## Any kind\n\n| code | type | when | `details` |\n|---|---|---|---|\n",
    );
    let list = |fields: &[String]| fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
    for one in &file.engine {
        writeln!(out, "| `{}` | {} | {} | {} |", one.code, one.error_type, one.when, list(&one.fields))
            .expect("a string");
    }
    for kind in kinds.iter().filter(|kind| !kind.errors.is_empty()) {
        write!(out, "\n## {} (`{}`)\n\n| code | type | when | `details` |\n|---|---|---|---|\n", kind.title, kind.kind)
            .expect("a string");
        for error in &kind.errors {
            let again = if error.retryable { ", can be retried" } else { "" };
            let fields = list(&fields_of(file, &kind.kind, &error.code));
            let when = error.when.replace('|', "\\|");
            writeln!(out, "| `{}` | {:?}{again} | {when} | {fields} |", error.code, error.error_type)
                .expect("a string");
        }
    }
    out.push_str("\n## Fields\n\n| field | type | meaning |\n|---|---|---|\n");
    for (name, (kind, about)) in &file.fields {
        writeln!(out, "| `{name}` | {kind} | {about} |").expect("a string");
    }
    out
}

fn catalog() -> Vec<NodeDescriptor> {
    let mut kinds = signalbox_nodes::catalog();
    kinds.sort_by(|a, b| a.kind.cmp(&b.kind));
    kinds
}

#[test]
fn t_04_the_page_of_errors_is_fresh() {
    let text = page(&file(), &catalog());
    let path = crates().join("../../docs/errors.md");
    if std::fs::read_to_string(&path).unwrap_or_default() != text {
        assert!(
            std::env::var_os("SIGNALBOX_GEN").is_some(),
            "docs/errors.md is stale: run the tests of this crate with SIGNALBOX_GEN=1"
        );
        std::fs::write(&path, text).expect("writable");
    }
}

#[test]
fn t_04_every_rule_is_about_something_and_every_field_has_a_meaning() {
    let (file, kinds) = (file(), catalog());
    let mut used: BTreeSet<&String> = file.engine.iter().flat_map(|one| &one.fields).collect();
    for rule in &file.errors {
        used.extend(&rule.fields);
        for code in &rule.codes {
            let declared = |kind: &&NodeDescriptor| {
                kind.errors.iter().any(|error| error.code == *code) && rule.is_about(&kind.kind, code)
            };
            assert!(kinds.iter().any(|kind| declared(&kind)), "{code} of {:?} is declared by no kind", rule.kinds);
        }
    }
    let named: BTreeSet<&String> = file.fields.keys().collect();
    let missing: Vec<_> = used.difference(&named).collect();
    assert!(missing.is_empty(), "no meaning is given for {missing:?}");
    let unused: Vec<_> = named.difference(&used).collect();
    assert!(unused.is_empty(), "no error has {unused:?}");
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

#[test]
fn t_04_a_field_that_code_adds_to_details_is_documented() {
    let known = file().fields;
    let mut files = Vec::new();
    for name in ["nodes", "engine", "adapters", "documents"] {
        sources(&crates().join(name).join("src"), &mut files);
    }
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source");
        for rest in text.split(".detail(").skip(1) {
            let Some(name) = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) else {
                continue;
            };
            let common = name == "input";
            assert!(
                common || known.contains_key(name),
                "{}: '{name}' is missing in error-details.yaml",
                path.display()
            );
        }
    }
}
