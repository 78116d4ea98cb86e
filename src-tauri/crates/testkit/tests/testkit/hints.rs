//! What a hint names can be opened where the program is installed: pages of Help, not files of this repository.

use crate::architecture::{files, none, root, short, text};
use serde_json::Value;
use std::path::Path;

/// A source of the programs that people install; tests and the tools of this repository may name its files.
fn is_shipped(path: &Path) -> bool {
    let name = short(path);
    name.contains("/src/") && !["/tests", "/xtask/", "/testkit/"].iter().any(|part| name.contains(part))
}

/// Lines of code, with their numbers.
fn code(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = source.lines().enumerate().map(|(number, line)| (number + 1, line));
    lines.filter(|(_, line)| {
        let line = line.trim_start();
        !line.starts_with("//") && !["include_str!", "missing_docs", ".join("].iter().any(|part| line.contains(part))
    })
}

#[test]
fn no_text_of_the_programs_names_a_file_of_this_repository() {
    let mut bad = Vec::new();
    for path in files(&[".rs"]).iter().filter(|path| is_shipped(path)) {
        for (number, line) in code(&text(path)) {
            let names_file = line.match_indices("docs/").any(|(at, _)| {
                let rest = &line[at + 5..];
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_/".contains(c))).unwrap_or(rest.len());
                end > 0 && rest[end..].starts_with(".md")
            });
            if names_file {
                bad.push(format!("{}:{number}: name a page of Help (docs/manual/contents.json)", short(path)));
            }
        }
    }
    none("files that an installed program does not have", bad);
}

#[test]
fn every_page_of_help_that_a_hint_names_is_there() {
    let contents: Value = serde_json::from_str(&text(&root().join("docs/manual/contents.json"))).expect("JSON");
    let pages = contents.as_array().into_iter().flatten().flat_map(|chapter| chapter["pages"].as_array());
    let titles: Vec<&str> = pages.flatten().filter_map(|page| page["title"].as_str()).collect();
    assert!(titles.len() > 30, "{titles:?}");
    let (mut bad, mut named) = (Vec::new(), 0);
    for path in files(&[".rs"]).iter().filter(|path| is_shipped(path)) {
        for (number, line) in code(&text(path)) {
            for (at, _) in line.match_indices("Help, ") {
                named += 1;
                let rest = &line[at + 6..];
                if !titles.iter().any(|title| rest.starts_with(title)) {
                    bad.push(format!("{}:{number}: {rest}", short(path)));
                }
            }
        }
    }
    assert!(named > 5, "hints name pages");
    none("pages of Help", bad);
}
