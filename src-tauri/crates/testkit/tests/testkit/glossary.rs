//! One word for one thing: names and phrases that docs/glossary.md retires do not come back.

use crate::architecture::{files, none, short, text};
use std::collections::BTreeMap;
use std::path::Path;

/// By retired identifier: the name that replaced it, and the crate where it is retired; none: everywhere.
type Retired = BTreeMap<String, (String, Option<String>)>;

/// The rows of the table below a heading of the glossary, without its head.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("the glossary has this section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
    section.lines().filter(|line| line.starts_with('|')).skip(2).map(cells).collect()
}

fn glossary() -> String {
    let page = files(&["docs/glossary.md"]);
    text(page.first().expect("there is a glossary"))
}

fn identifiers(language: &str) -> Retired {
    let table = rows(&glossary(), "Retired names");
    assert!(!table.is_empty(), "the glossary lists retired names");
    let row = |row: Vec<String>| {
        let [retired, instead, of] = row.as_slice() else { panic!("a row has three cells: {row:?}") };
        let (name, place) = of.split_once(" (").unwrap_or((of.as_str(), ""));
        assert!(["Rust", "TypeScript"].contains(&name), "unknown language '{of}'");
        let place = place.strip_suffix(')').map(|place| format!("/crates/{place}/"));
        (name == language).then(|| (retired.clone(), (instead.clone(), place)))
    };
    table.into_iter().filter_map(row).collect()
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// What a line of Rust declares: the word after `fn`, `struct` and so on.
fn declared_in_rust(line: &str) -> Option<&str> {
    let code = line.trim_start();
    if code.starts_with("//") {
        return None;
    }
    let mut words = code.split(|letter: char| !is_word(letter)).filter(|word| !word.is_empty());
    let kinds = ["fn", "struct", "enum", "trait", "type", "mod", "const", "static", "union"];
    let modifiers = ["pub", "crate", "super", "self", "in", "async", "unsafe", "extern", "C", "default"];
    loop {
        match words.next()? {
            // `const fn`, and `static mut`.
            kind if kinds.contains(&kind) => {
                return words.find(|word| !["fn", "unsafe", "async", "mut"].contains(word));
            }
            modifier if modifiers.contains(&modifier) => {}
            _ => return None,
        }
    }
}

/// What a line of TypeScript exports.
fn exported_in_typescript(line: &str) -> Option<&str> {
    let code = line.strip_prefix("export ")?;
    let mut words = code.split(|letter: char| !is_word(letter) && letter != '$').filter(|word| !word.is_empty());
    words.find(|word| {
        !["default", "declare", "abstract", "async", "function", "const", "let", "class", "interface", "type", "enum"]
            .contains(word)
    })
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Declarations and file names that use a retired name.
fn retired_in(path: &Path, retired: &Retired, declared: fn(&str) -> Option<&str>) -> Vec<String> {
    let mut bad = Vec::new();
    let name = short(path);
    let instead = |word: &str| {
        let (instead, place) = retired.get(word)?;
        place.as_ref().is_none_or(|place| name.contains(place.as_str())).then_some(instead)
    };
    if let Some(instead) = instead(&stem(path)) {
        bad.push(format!("{name}: the file name is retired; use {instead}"));
    }
    for (number, line) in text(path).lines().enumerate() {
        let Some(word) = declared(line) else { continue };
        if let Some(instead) = instead(word) {
            bad.push(format!("{name}:{}: '{word}' is retired; use {instead}", number + 1));
        }
    }
    bad
}

#[test]
fn rust_declares_no_retired_name() {
    let retired = identifiers("Rust");
    let found = files(&[".rs"]).iter().flat_map(|path| retired_in(path, &retired, declared_in_rust)).collect();
    none("names that docs/glossary.md retires", found);
}

#[test]
fn typescript_exports_no_retired_name() {
    let retired = identifiers("TypeScript");
    let sources = files(&[".ts", ".tsx"]);
    let found = sources.iter().flat_map(|path| retired_in(path, &retired, exported_in_typescript)).collect();
    none("names that docs/glossary.md retires", found);
}

#[test]
fn people_read_no_retired_phrase() {
    let phrases = rows(&glossary(), "Retired phrases");
    assert!(!phrases.is_empty(), "the glossary lists retired phrases");
    let is_read = |path: &Path| {
        let name = short(path);
        name.starts_with("ui/src/i18n/en") || name.starts_with("node-catalog/") || name.contains("/app/samples/")
    };
    let mut bad = Vec::new();
    for path in files(&[".ts", ".yaml", ".json"]).iter().filter(|path| is_read(path)) {
        for (number, line) in text(path).lines().enumerate() {
            let Some(said) = said_in(line) else { continue };
            for row in phrases.iter().filter(|row| row.first().is_some_and(|phrase| has_phrase(&said, phrase))) {
                bad.push(format!("{}:{}: '{}'; write {}", short(path), number + 1, row[0], row[1]));
            }
        }
    }
    none("phrases that docs/glossary.md retires", bad);
}

/// The text of a line of a table of strings, of a catalog entry or of a sample; `None`: a comment or a key alone.
fn said_in(line: &str) -> Option<String> {
    let code = line.trim_start();
    if ["//", "/*", "*", "#"].iter().any(|mark| code.starts_with(mark)) {
        return None;
    }
    code.split_once(": ").map(|(_, said)| said.to_lowercase())
}

/// Whether the phrase stands in the text as whole words.
fn has_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + phrase.len()..].chars().next().is_some_and(is_word);
        !before && !after
    })
}

#[test]
fn a_retired_name_is_found_where_it_is_declared() {
    assert_eq!(declared_in_rust("pub(crate) const fn unborn() {"), Some("unborn"));
    assert_eq!(declared_in_rust("    pub struct Ear<'a> {"), Some("Ear"));
    assert_eq!(declared_in_rust("static mut DESK: u8 = 0;"), Some("DESK"));
    assert_eq!(declared_in_rust("let ear = Ear::new();"), None);
    assert_eq!(declared_in_rust("// struct Ear"), None);
    assert_eq!(exported_in_typescript("export async function told() {"), Some("told"));
    assert_eq!(exported_in_typescript("export const told = 1;"), Some("told"));
    assert_eq!(exported_in_typescript("  export_told();"), None);
    assert!(has_phrase("it goes on", "goes on") && !has_phrase("it goes only", "goes on"));
    assert_eq!(said_in("  'run.resumed': 'The run goes on',").as_deref(), Some("'the run goes on',"));
    assert_eq!(said_in("  // what: it goes on"), None);
}
