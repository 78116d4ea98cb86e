//! `src/kinds_table.rs` is written from the files of `node-catalog/`; this test rewrites it when it is stale and fails
//! once. A kind without its Rust file does not compile afterwards, which is the reminder.

use std::fmt::Write as _;
use std::path::Path;

/// Kinds whose libraries are large: documents and scripts.
const LARGE: [&str; 9] = [
    "archive.pack",
    "archive.unpack",
    "code.javascript",
    "html.select",
    "pdf.read",
    "pdf.write",
    "sheet.fill",
    "sheet.read",
    "sheet.write",
];
/// Kinds of models, tools, indexes, databases, mail, brokers and files of tables, by how they begin.
const CONNECTED: [&str; 8] = ["agent.", "db.", "llm.", "mail.", "mcp.", "message.", "rag.", "table."];

fn is_large(kind: &str) -> bool {
    LARGE.contains(&kind)
}

fn is_connected(kind: &str) -> bool {
    CONNECTED.iter().any(|start| kind.starts_with(start))
}

type Table = (&'static str, &'static str, fn(&str) -> bool);

/// One table for each size of program: what a program does not name is not in its file (ADR 193).
const TABLES: [Table; 3] = [
    ("SMALL", "/// In every program.", |kind| !is_large(kind) && !is_connected(kind)),
    ("LARGE", "/// Kinds whose libraries are large: documents and scripts.", is_large),
    (
        "CONNECTED",
        "/// Kinds that reach models, tools, indexes, databases, mail and brokers, or read files of tables.",
        is_connected,
    ),
];

#[test]
fn the_table_of_kinds_is_fresh() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let catalog = here.join("../../../node-catalog");
    let mut kinds: Vec<String> = std::fs::read_dir(&catalog)
        .expect("the catalog folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    kinds.sort();

    let mut text = String::from(
        "//! Written by tests/table.rs from the files of node-catalog/. Do not edit.\n\nuse crate::Entry;\n\n",
    );
    for kind in &kinds {
        let module = kind.replace('.', "_");
        writeln!(text, "#[path = \"kinds/{module}.rs\"]\nmod {module};").expect("a string");
    }
    for (table, says, holds) in TABLES {
        writeln!(text, "\n{says}\n#[rustfmt::skip]\npub(crate) const {table}: &[Entry] = &[").expect("a string");
        for kind in kinds.iter().filter(|kind| holds(kind)) {
            let module = kind.replace('.', "_");
            writeln!(text, "    Entry {{ kind: \"{kind}\", code: {module}::KIND }},").expect("a string");
        }
        text.push_str("];\n");
    }

    let file = here.join("src/kinds_table.rs");
    if std::fs::read_to_string(&file).unwrap_or_default() != text {
        std::fs::write(&file, text).expect("writable");
        panic!("src/kinds_table.rs was stale and has been rewritten; run the tests again");
    }
}
