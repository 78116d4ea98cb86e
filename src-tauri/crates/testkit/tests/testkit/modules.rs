//! How the modules of a crate use one another: no cycles among those of the first level, a short list at the top of `app`,
//! one test binary per crate.

use super::architecture::{files, metadata, none, root, short, text};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Module → the modules of the same crate that it uses, and where.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// Uses that close a cycle and stay: (crate, from, to, why). `*` stands for every module.
const ALLOWED: &[(&str, &str, &str, &str)] = &[
    ("app", "*", "app", "`App` holds the state of all domains, and each domain adds what it can do with `impl App`"),
    ("engine", "expr", "scope", "a scope says what the names of an expression mean, and bounds what it may cost"),
    ("engine", "expr", "template", "a template is text with expressions in it, and an expression may make one"),
    ("engine", "fold", "prepare", "the list of a loop may be an expression, over the names that `prepare` binds"),
    ("model", "base", "event", "the base of a re-run keeps events, and the first event of a re-run keeps its base"),
    ("model", "call_progress", "event", "what a call says while it runs is a part of an event and becomes one"),
    ("model", "descriptor", "workflow", "a kind gives the retry policy that a node of a workflow may replace"),
    ("nodes", "tool_call", "llm", "a tool's pictures are cut to what a model takes"),
    ("ports", "secret", "scrub", "a credential carries what hides it in texts"),
    ("runtime", "queue", "runtime", "runs that wait are started by `impl Runtime`, and the runtime takes them up"),
    ("runtime", "shared", "drive", "what all drivers share knows which of them there are"),
    (
        "store",
        "chain",
        "*",
        "`impl Store` stands with what it writes: here the audit chain, which every commit extends",
    ),
    ("store", "error", "sql", "who speaks with a server tells that it is away from its other errors"),
    ("store", "sql", "schema", "a server gets the tables and the migrations of a file"),
    ("store", "store", "open", "a store is opened by the function that also repairs it"),
    ("store", "tasks", "answer", "a task and its answer are one table's two halves"),
];

/// Entries at the top of `app/src`.
const MOST_AT_TOP: usize = 20;

/// First-level modules of every crate, and what they use.
fn crates() -> BTreeMap<String, Uses> {
    let mut found: BTreeMap<String, Vec<(Vec<String>, String, String)>> = BTreeMap::new();
    for path in files(&[".rs"]) {
        let name = short(&path);
        let Some((owner, inside)) = name.strip_prefix("src-tauri/crates/").and_then(|rest| rest.split_once("/src/"))
        else {
            continue;
        };
        let mut module: Vec<String> = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|last| last == "mod") {
            module.pop();
        }
        let is_test = module.iter().any(|part| part == "tests");
        let is_root = inside == "lib.rs" || inside == "main.rs";
        if !is_test && !is_root && module.first().is_some_and(|first| first != "bin") {
            found.entry(owner.to_owned()).or_default().push((module, name.clone(), text(&path)));
        }
    }
    let mut crates = BTreeMap::new();
    for (owner, sources) in found {
        let known: BTreeSet<String> = sources.iter().map(|(module, ..)| module[0].clone()).collect();
        let mut uses = Uses::new();
        for (module, name, source) in &sources {
            for (used, line) in used(source, module.len()) {
                if known.contains(&used) && used != module[0] {
                    let place = format!("{name}:{line}");
                    uses.entry(module[0].clone()).or_default().entry(used).or_insert(place);
                }
            }
        }
        crates.insert(owner, uses);
    }
    crates
}

/// The first names after `crate::`, or after as many `super::` as lead from a module of this depth to the root of its crate,
/// with their lines. Comments and the test module at the end of a file do not count.
fn used(source: &str, depth: usize) -> Vec<(String, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let is_test_module =
        |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].contains("mod ") && pair[1].ends_with('{');
    let end = lines.windows(2).position(is_test_module).unwrap_or(lines.len());
    let code: Vec<&str> =
        lines[..end].iter().map(|line| if line.trim_start().starts_with("//") { "" } else { *line }).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for start in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (at, _) in code.match_indices(&start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '$')) {
                continue;
            }
            let path = &code[at + start.len()..];
            // It leads further out than the root of the crate would be.
            if path.starts_with("super::") {
                continue;
            }
            let line = code[..at].matches('\n').count() + 1;
            found.extend(first_names(path).into_iter().map(|name| (name, line)));
        }
    }
    found
}

/// `a` of `a::b`; `a` and `c` of `{a::b, c::{d, e}}`.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let Some(group) = path.strip_prefix('{') else { return vec![name(path)] };
    let (mut depth, mut begin, mut names) = (0_usize, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(name(&group[begin..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(name(&group[begin..at]));
                begin = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Whether a use of `to` by `from` is in the list.
fn is_allowed(owner: &str, from: &str, to: &str) -> bool {
    ALLOWED.iter().any(|(crate_of, a, b, _)| *crate_of == owner && (*a == "*" || *a == from) && (*b == "*" || *b == to))
}

/// A way from `from` to `to` along uses that are not in the list.
fn way(owner: &str, uses: &Uses, from: &str, to: &str) -> Option<Vec<String>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut todo = vec![from];
    while let Some(module) = todo.pop() {
        for next in uses.get(module).into_iter().flatten().map(|(next, _)| next.as_str()) {
            if is_allowed(owner, module, next) || next == from || before.contains_key(next) {
                continue;
            }
            before.insert(next, module);
            if next == to {
                let back = std::iter::successors(Some(to), |at| before.get(at).copied());
                let mut way: Vec<String> = back.map(str::to_owned).collect();
                way.reverse();
                return Some(way);
            }
            todo.push(next);
        }
    }
    None
}

#[test]
fn modules_of_a_crate_use_one_another_in_one_direction() {
    let mut bad = Vec::new();
    for (owner, uses) in crates() {
        for (from, used) in &uses {
            for (to, place) in used.iter().filter(|(to, _)| !is_allowed(&owner, from, to)) {
                if let Some(back) = way(&owner, &uses, to, from) {
                    bad.push(format!("{owner}: {from} uses {to} ({place}), and {}", back.join(" uses ")));
                }
            }
        }
    }
    none("put what both use below them, or name the cycle and its reason in the list of this test", bad);
}

#[test]
fn every_allowed_cycle_is_there() {
    let crates = crates();
    let bad = ALLOWED
        .iter()
        .filter(|(owner, from, to, _)| {
            let Some(uses) = crates.get(*owner) else { return true };
            !uses.iter().any(|(a, used)| {
                (*from == "*" || *from == a.as_str())
                    && used.keys().any(|b| (*to == "*" || *to == b.as_str()) && way(owner, uses, b, a).is_some())
            })
        })
        .map(|(owner, from, to, _)| format!("{owner}: {from} -> {to}"))
        .collect();
    none("take these out of the list: they close no cycle any more", bad);
}

#[test]
fn the_top_of_app_is_a_short_list() {
    let top = root().join("src-tauri/crates/app/src");
    let mut entries: Vec<String> = fs::read_dir(&top)
        .expect("the folder is there")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    entries.sort();
    assert!(
        entries.len() <= MOST_AT_TOP,
        "{} entries stand at the top of app/src; put new modules into the folder of their domain: {entries:?}",
        entries.len()
    );
}

/// Each binary is linked with everything that the crate needs, which takes longer than most of its tests.
#[test]
fn a_crate_has_one_test_binary() {
    let mut bad = Vec::new();
    for package in metadata()["packages"].as_array().expect("packages") {
        let is_test =
            |target: &&serde_json::Value| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"test".into()));
        let names: Vec<&str> = package["targets"]
            .as_array()
            .expect("targets")
            .iter()
            .filter(is_test)
            .map(|target| target["name"].as_str().expect("a name"))
            .collect();
        if names.len() > 1 {
            bad.push(format!("{}: {}", package["name"].as_str().expect("a name"), names.join(", ")));
        }
    }
    none("make these modules of one binary, tests/<crate>/main.rs", bad);
}

#[test]
fn uses_of_modules_are_found_in_every_spelling() {
    let source = "use crate::a;\nuse crate::{b::{c, d}, e as f, self};\n// use crate::no;\nfn g() { super::h::i(); super::super::j::k(); \
                  $crate::l() }\nuse mycrate::m;\n#[cfg(test)]\nmod tests {\n use crate::n;\n}\n";
    let names = |depth: usize| -> Vec<String> { used(source, depth).into_iter().map(|(name, _)| name).collect() };
    assert_eq!(names(1), ["a", "b", "e", "self", "h"]);
    assert_eq!(names(2), ["a", "b", "e", "self", "j"]);
}
