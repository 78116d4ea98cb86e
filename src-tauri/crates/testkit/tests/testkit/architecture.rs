//! The architecture rules that no compiler keeps: ranks, purity of the engine, sizes, forgotten files, forbidden words.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Package → rank. A crate may depend on lower ranks only. `None` = a dev crate.
const RANKS: &[(&str, Option<u32>)] = &[
    ("signalbox-model", Some(0)),
    ("signalbox-guardrails", Some(0)),
    ("signalbox-documents", Some(0)),
    ("signalbox-oci", Some(0)),
    ("signalbox-columnar", Some(1)),
    ("signalbox-engine", Some(1)),
    ("signalbox-ports", Some(1)),
    ("signalbox-audit", Some(1)),
    ("signalbox-store", Some(2)),
    ("signalbox-nodes", Some(2)),
    ("signalbox-adapters", Some(2)),
    ("signalbox-import", Some(2)),
    ("signalbox-planner", Some(2)),
    ("signalbox-retrieval", Some(2)),
    ("signalbox-runtime", Some(3)),
    ("signalbox-simulate", Some(3)),
    ("signalbox-app", Some(4)),
    ("signalbox-restate", Some(4)),
    ("signalbox-headless", Some(5)),
    ("signalbox-standalone", Some(5)),
    ("signalbox-desktop", Some(5)),
    ("signalbox-testkit", None),
    ("xtask", None),
];

/// Edges between crates of rank 2 and the engine that the table of ARCHITECTURE.md forbids although the ranks allow them.
const FORBIDDEN_EDGES: &[(&str, &str)] =
    &[("signalbox-store", "signalbox-engine"), ("signalbox-adapters", "signalbox-store")];

/// Outside crates a crate must not have as a normal dependency.
const FORBIDDEN_CRATES: &[(&str, &[&str])] = &[
    ("signalbox-model", &["tokio", "reqwest", "rusqlite", "rand", "uuid", "chrono", "jiff", "time"]),
    ("signalbox-guardrails", &["tokio", "reqwest", "rusqlite", "rand", "uuid", "chrono", "jiff", "time"]),
    ("signalbox-documents", &["tokio", "reqwest", "rusqlite", "rand", "uuid", "signalbox-model"]),
    ("signalbox-columnar", &["tokio", "reqwest", "rusqlite", "rand", "uuid"]),
    (
        "signalbox-engine",
        &["tokio", "reqwest", "rusqlite", "rand", "getrandom", "fastrand", "uuid", "chrono", "time", "async-trait"],
    ),
    (
        "signalbox-audit",
        &["tokio", "reqwest", "rusqlite", "rand", "getrandom", "uuid", "chrono", "jiff", "time", "async-trait"],
    ),
    ("signalbox-nodes", &["reqwest", "rusqlite"]),
    ("signalbox-retrieval", &["reqwest", "tauri", "axum", "uuid"]),
    ("signalbox-planner", &["tokio", "reqwest", "rusqlite", "getrandom", "uuid", "async-trait"]),
    ("signalbox-runtime", &["tauri", "axum"]),
    // Nothing by which a test or a proof could reach outside.
    (
        "signalbox-simulate",
        &["tokio", "reqwest", "rusqlite", "getrandom", "uuid", "signalbox-adapters", "signalbox-store"],
    ),
    ("signalbox-app", &["tauri", "axum"]),
    ("signalbox-restate", &["tauri", "axum", "signalbox-store"]),
    ("signalbox-headless", &["tauri"]),
    // What an exported program never holds (S-04): the window, the command list.
    ("signalbox-standalone", &["tauri", "signalbox-app"]),
];

/// What the engine's source must not name. `engine/clippy.toml` bans the calls; this also finds imports.
const IMPURE: &[&str] = &[
    "std::time::",
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant::now",
    "tokio::",
    "thread_rng",
    "static mut",
    "Timestamp::now",
    "Zoned::now",
    "TimeZone::system",
    "TimeZone::get",
    "TimeZoneDatabase::from_",
];

/// The one test that asks a shell: what bash completes is not known from the script.
const ASKS_BASH: &str = "headless/tests/headless/manual.rs";

/// Words that stand nowhere in our sources, with the reason.
const FORBIDDEN_TEXT: &[(&str, &str, &str)] = &[
    ("tsx", "dangerouslySetInnerHTML", "texts of the outside are shown as text"),
    ("ts", "dangerouslySetInnerHTML", "texts of the outside are shown as text"),
    ("tsx", "eval(", "nothing a file says runs as code"),
    ("ts", "eval(", "nothing a file says runs as code"),
    ("ts", "new Function(", "nothing a file says runs as code"),
    ("tsx", "new Function(", "nothing a file says runs as code"),
    ("rs", "Command::new(\"sh\")", "no shell"),
    ("rs", "Command::new(\"bash\")", "no shell"),
    ("rs", "todo!(", "no stubs"),
    ("rs", "unimplemented!(", "no stubs"),
];

/// Hosts that may stand in our files. Everything else would be a place the product talks to without being asked.
const KNOWN_HOSTS: &[&str] = &[
    "127.0.0.1",
    "localhost",
    "0.0.0.0",
    "[::1]",
    "ipc.localhost",
    "tauri.localhost",
    "json-schema.org",
    "www.w3.org",
    // The name of the XML of S3, in a stand-in.
    "s3.amazonaws.com",
    // Of the published test cases of its signatures.
    "example.amazonaws.com",
    "examplebucket.s3.amazonaws.com",
    // Addresses of object stores: what Google's is, and examples of the others; the scope of Azure's.
    "storage.googleapis.com",
    "s3.eu-central-1.amazonaws.com",
    "sts.eu-central-1.amazonaws.com",
    "NAME.blob.core.windows.net",
    "ada.blob.core.windows.net",
    "myaccount.blob.core.windows.net",
    "mystorageaccount.blob.core.windows.net",
    // The rights of Google are named by addresses.
    "www.googleapis.com",
    "storage.azure.com",
    // Names of the formats of feeds.
    "purl.org",
    "jsonfeed.org",
    // Of what a PDF says about itself.
    "ns.adobe.com",
    // Where people sign in to one of the services, in the help of the terminal and a test.
    "gmail.googleapis.com",
    "accounts.google.com",
    "oauth2.googleapis.com",
    // Names of the formats of a Debian copyright file and of a MIME type.
    "www.debian.org",
    "www.freedesktop.org",
    "www.apache.org",
    "schema.tauri.app",
    "rustup.rs",
    "registry.npmjs.org",
    "github.com",
    "opencollective.com",
    "biomejs.dev",
    "playwright.dev",
    "json.schemastore.org",
    "www.schemastore.org",
    "keepachangelog.com",
    "semver.org",
    // The addresses of model providers that Settings offers.
    "api.anthropic.com",
    "api.openai.com",
];

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).expect("the crate stands three levels below the root").to_path_buf()
}

pub(crate) fn metadata() -> Value {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("cargo metadata prints JSON")
}

/// (package, dependency, is a dev dependency)
fn edges() -> Vec<(String, String, bool)> {
    let meta = metadata();
    let mut edges = Vec::new();
    for package in meta["packages"].as_array().expect("packages") {
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            edges.push((
                package["name"].as_str().expect("name").to_owned(),
                dependency["name"].as_str().expect("name").to_owned(),
                dependency["kind"] == "dev",
            ));
        }
    }
    edges
}

/// Files of ours: what git knows or would add, with one of the endings.
pub(crate) fn files(endings: &[&str]) -> Vec<PathBuf> {
    let out = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout)
        .expect("names of files are UTF-8")
        .split('\0')
        .filter(|name| endings.iter().any(|end| name.ends_with(end)))
        .map(|name| root().join(name))
        .filter(|path| path.is_file())
        .collect()
}

pub(crate) fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

pub(crate) fn none(what: &str, found: Vec<String>) {
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

#[test]
fn a_crate_depends_on_lower_ranks_only() {
    let rank = |name: &str| RANKS.iter().find(|(known, _)| *known == name).map(|(_, rank)| *rank);
    let meta = metadata();
    let mut bad = Vec::new();
    for package in meta["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("name");
        if rank(name).is_none() {
            bad.push(format!("{name} has no rank: add it to the table here and in ARCHITECTURE.md"));
        }
    }
    for (from, to, dev) in edges() {
        let (Some(from_rank), Some(to_rank)) = (rank(&from), rank(&to)) else { continue };
        match (from_rank, to_rank) {
            (Some(a), Some(b)) if !dev && a <= b => bad.push(format!("{from} (rank {a}) -> {to} (rank {b})")),
            (Some(_), None) if !dev => bad.push(format!("{from} -> {to}: a dev crate is no normal dependency")),
            (Some(_) | None, Some(_) | None) => {}
        }
        if !dev && FORBIDDEN_EDGES.contains(&(from.as_str(), to.as_str())) {
            bad.push(format!("{from} -> {to} is forbidden"));
        }
    }
    none("forbidden edges", bad);
}

#[test]
fn crates_stay_out_of_what_is_not_theirs() {
    let bad = edges()
        .into_iter()
        .filter(|(from, to, dev)| {
            !dev && FORBIDDEN_CRATES.iter().any(|(owner, banned)| owner == from && banned.contains(&to.as_str()))
        })
        .map(|(from, to, _)| format!("{from} -> {to}"))
        .collect();
    none("forbidden outside crates", bad);
}

#[test]
fn the_engine_names_no_clock_no_random_no_io() {
    let mut bad = Vec::new();
    for path in files(&[".rs"]) {
        if !short(&path).starts_with("src-tauri/crates/engine/src/") {
            continue;
        }
        for (number, line) in product_lines(&text(&path)) {
            for word in IMPURE {
                if line.contains(word) && !line.trim_start().starts_with("//") {
                    bad.push(format!("{}:{number}: {word}", short(&path)));
                }
            }
        }
    }
    none("the engine is pure", bad);
}

/// A file of somebody else must not end the program: what can fail is an error, also what cannot fail as far as we know.
#[test]
fn nothing_that_ships_ends_the_program_by_unwrap_or_expect() {
    let mut bad = Vec::new();
    for path in files(&[".rs"]) {
        let name = short(&path);
        let ships = name.contains("/src/") && !name.contains("/testkit/") && !name.contains("test");
        for (number, line) in if ships { product_lines(&text(&path)) } else { Vec::new() } {
            let ends =
                [".unwrap()", ".expect(\"", ".unwrap_err()", ".expect_err(\""].iter().any(|word| line.contains(word));
            if ends && !line.trim_start().starts_with("//") {
                bad.push(format!("{name}:{number}: {}", line.trim()));
            }
        }
    }
    none("say what is wrong instead", bad);
}

/// Lines before the test module of a file.
fn product_lines(text: &str) -> Vec<(usize, String)> {
    text.lines()
        .enumerate()
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .map(|(index, line)| (index + 1, line.to_owned()))
        .collect()
}

#[test]
fn no_file_is_longer_than_800_lines() {
    let mut bad = Vec::new();
    for path in files(&[".rs", ".ts", ".tsx", ".css", ".mjs", ".yaml", ".py"]) {
        if path.to_string_lossy().contains(".gen.") {
            continue;
        }
        let lines = text(&path).lines().count();
        if lines > 800 {
            bad.push(format!("{}: {lines} lines", short(&path)));
        }
    }
    none("split these files", bad);
}

#[test]
fn no_rust_file_is_forgotten() {
    let mut bad = Vec::new();
    for path in files(&[".rs"]) {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let dir = path.parent().expect("a file has a folder");
        let in_dir = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // Roots of a target: src/lib.rs, src/main.rs, build.rs, and whatever stands directly in tests, examples, bin.
        if matches!(stem.as_str(), "lib" | "main" | "build")
            || matches!(in_dir, "tests" | "examples" | "benches" | "bin")
        {
            continue;
        }
        let (stem, dir) = if stem == "mod" {
            (in_dir.to_owned(), dir.parent().expect("a module's folder has a parent"))
        } else {
            (stem, dir)
        };
        let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut parents = vec![dir.join("lib.rs"), dir.join("main.rs"), dir.join("mod.rs")];
        if let Some(above) = dir.parent() {
            parents.push(above.join(format!("{name}.rs")));
        }
        if name == "tests" {
            // Any test binary may declare a shared module.
            parents.extend(fs::read_dir(dir).expect("the folder is there").flatten().map(|entry| entry.path()));
        }
        let by_path = format!("{name}/{stem}.rs\"");
        let beside = dir.parent().and_then(|above| fs::read_dir(above).ok());
        let declared = parents.iter().filter(|parent| parent.is_file()).any(|parent| {
            text(parent).lines().any(|line| {
                line.trim_end().strip_suffix(';').is_some_and(|head| head.ends_with(&format!("mod {stem}")))
            })
        }) || beside.into_iter().flatten().flatten().any(|entry| {
            // A generated table names its modules by path.
            entry.path().extension().is_some_and(|end| end == "rs") && text(&entry.path()).contains(&by_path)
        });
        if !declared {
            bad.push(short(&path));
        }
    }
    none("no `mod` names these files, so they are never compiled", bad);
}

#[test]
fn every_ui_test_is_found_by_a_runner() {
    let bad = files(&[".ts", ".tsx", ".mjs"])
        .iter()
        .map(|path| short(path))
        .filter(|name| name.contains(".test.") && !name.starts_with("ui/src/"))
        .collect();
    none("vitest looks in ui/src only, Playwright at *.spec.ts", bad);
}

#[test]
fn forbidden_words_stand_nowhere() {
    let mut bad = Vec::new();
    for path in files(&[".rs", ".ts", ".tsx"]) {
        if short(&path).ends_with("testkit/tests/testkit/architecture.rs") {
            continue;
        }
        let ending = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        for (number, line) in text(&path).lines().enumerate() {
            for (end, word, why) in FORBIDDEN_TEXT {
                let is_allowed = word.contains("bash") && short(&path).ends_with(ASKS_BASH);
                if *end == ending && line.contains(word) && !is_allowed {
                    bad.push(format!("{}:{}: {word} ({why})", short(&path), number + 1));
                }
            }
            if line.contains(concat!("TO", "DO")) || line.contains(concat!("FIX", "ME")) {
                bad.push(format!("{}:{}: unfinished", short(&path), number + 1));
            }
        }
    }
    none("forbidden words", bad);
}

#[test]
fn files_name_known_hosts_only() {
    let mut bad = Vec::new();
    let mut known: BTreeSet<&str> = KNOWN_HOSTS.iter().copied().collect();
    known.insert("");
    for path in
        files(&[".rs", ".toml", ".md", ".json", ".yaml", ".ts", ".tsx", ".html", ".css", ".mjs", ".lock", "/run"])
    {
        let name = short(&path);
        let ours = name.ends_with("testkit/tests/testkit/architecture.rs");
        // What connectors describe are services of others.
        let services = name.starts_with("connectors/") || name.contains("/nodes/tests/connectors/");
        let ours = ours || services;
        for (number, line) in text(&path).lines().enumerate() {
            for scheme in ["http://", "https://"] {
                for part in line.split(scheme).skip(1) {
                    let host = host(part);
                    if ours || reserved(host) || known.contains(host) {
                        continue;
                    }
                    // Lock files and what stands beside a package name its home page.
                    if name.ends_with("package-lock.json") && !line.contains("\"resolved\"") {
                        continue;
                    }
                    bad.push(format!("{name}:{}: {host}", number + 1));
                }
            }
        }
    }
    none("hosts that are not in the list of this test (reserved ones like example.org are always fine)", bad);
}

/// The host at the beginning of what follows `://`; empty when it is computed.
fn host(rest: &str) -> &str {
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '[' | ']' | ':')))
        .unwrap_or(rest.len());
    let authority = &rest[..end];
    if authority.starts_with('[') {
        return authority.find(']').map_or(authority, |at| &authority[..=at]);
    }
    authority.split(':').next().unwrap_or(authority).trim_end_matches('.')
}

/// Names that lead nowhere (RFC 2606), addresses, and words that are no host at all: tests need them.
fn reserved(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or(host);
    matches!(last, "example" | "test" | "invalid" | "localhost" | "local" | "internal")
        || ["example.org", "example.com", "example.net"]
            .iter()
            .any(|name| host == *name || host.ends_with(&format!(".{name}")))
        || !host.contains('.')
        || host.starts_with('[')
        || last == "lan"
        || last.bytes().all(|b| b.is_ascii_digit())
        || last.starts_with("0x")
        || matches!(host, "evil.com" | "nip.io" | "x.org")
}

#[test]
fn lock_files_name_public_sources_only() {
    let lock = text(&root().join("Cargo.lock"));
    let bad = lock
        .lines()
        .filter(|line| {
            line.starts_with("source = ") && !line.contains("\"registry+https://github.com/rust-lang/crates.io-index\"")
        })
        .map(str::to_owned)
        .collect();
    none("sources in Cargo.lock", bad);
}

#[test]
fn every_diagnostic_is_explained() {
    let schema =
        serde_json::to_value(schemars::schema_for!(signalbox_model::diagnostic::Code)).expect("a schema is JSON");
    let codes: BTreeSet<String> = schema["enum"]
        .as_array()
        .expect("the codes are a plain enum")
        .iter()
        .map(|code| code.as_str().expect("a code is text").to_owned())
        .collect();
    let page = text(&root().join("docs/diagnostics.md"));
    let mut explained = BTreeSet::new();
    for section in page.split("\n### ").skip(1) {
        let (code, body) = section.split_once('\n').unwrap_or((section, ""));
        assert!(body.contains("**Cause.**") && body.contains("**Do.**"), "{code} needs **Cause.** and **Do.**");
        assert!(explained.insert(code.trim().to_owned()), "{code} is explained twice");
    }
    assert_eq!(codes, explained, "left: codes of the model; right: docs/diagnostics.md");
}

/// docs/faults.md says what proves each row; what it names is there.
#[test]
fn every_test_that_the_page_about_faults_names_is_there() {
    let page = text(&root().join("docs/faults.md"));
    let sources: Vec<String> = files(&[".rs"]).iter().map(|path| text(path)).collect();
    let names: BTreeSet<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| {
            name.contains('_') && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        })
        .collect();
    assert!(names.len() > 50, "{names:?}");
    let known = |name: &&str| sources.iter().any(|source| source.contains(&format!("fn {name}(")));
    none(
        "tests that docs/faults.md names",
        names.iter().filter(|name| !known(name)).map(|name| (*name).to_owned()).collect(),
    );
    for row in 1..=27 {
        assert!(page.contains(&format!("\n| {row} | ")), "row {row} is missing");
    }
}
