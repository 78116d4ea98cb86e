//! The generated project: what it holds, how it is formatted, and that Cargo reads it.

use super::super::{AuditKeeping, Choices, HumanReview, look};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

fn checkout() -> std::path::PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")).expect("the checkout")
}

fn project(nodes: Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("orders.signalbox.json");
    let workflow = json!({ "signalbox": 1, "id": "orders", "name": "Orders", "nodes": nodes, "edges": [] });
    fs::write(&file, workflow.to_string()).expect("written");
    for runner in ["signalbox-runner-min", "signalbox-runner", "signalbox-runner-serve", "signalbox-runner-full"] {
        fs::write(folder.path().join(format!("{runner}{}", std::env::consts::EXE_SUFFIX)), "a runner")
            .expect("written");
    }
    let choices = Choices { audit: AuditKeeping::Sqlite, human: HumanReview::None, callback: None };
    let looked = look(&file, None, &choices, &folder.path().join("signalbox")).expect("can leave");
    looked.write_source(&folder.path().join("out"), &checkout()).expect("written");
    folder
}

fn read(folder: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join("out").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// S-05, S-06: only what the steps need is named.
#[test]
fn s_05_a_project_has_the_parts_that_its_steps_need() {
    let small = project(json!({ "a": { "type": "flow.noop" } }));
    assert!(read(&small, "Cargo.toml").contains("features = [] }"), "{}", read(&small, "Cargo.toml"));
    assert!(!small.path().join("out/signalbox/src-tauri/crates/retrieval").exists());
    for name in ["app", "headless", "testkit"] {
        assert!(!small.path().join("out/signalbox/src-tauri/crates").join(name).exists(), "{name}");
    }
    assert!(read(&small, "src/main.rs").contains("with_abilities(Abilities::core())"));
    let profile = read(&small, "Cargo.toml");
    assert!(
        profile.contains("opt-level = \"s\"\nlto = \"fat\"") && profile.contains("\nsignalbox-engine.opt-level = "),
        "{profile}"
    );
    assert!(!profile.contains("scrypt") && !profile.contains("counts"), "{profile}");
    let config = json!({ "from": "'<p></p>'", "fields": [{ "name": "text", "selector": "p" }] });
    let pages = project(json!({ "a": { "type": "html.select", "config": config } }));
    assert!(read(&pages, "src/main.rs").contains("with_abilities(Abilities::core().with_documents())"));
    let large = project(json!({
        "t": { "type": "trigger.schedule", "config": { "every": 60000 } },
        "q": { "type": "db.tables", "config": { "system": "sqlite", "file": "/data/x.db" } },
    }));
    assert!(
        read(&large, "Cargo.toml").contains(r#"features = ["databases", "server"] }"#),
        "{}",
        read(&large, "Cargo.toml")
    );
    let main = read(&large, "src/main.rs");
    assert!(main.contains("Abilities::core().with_triggers().with_outside()"), "{main}");
    // S-13: configuration, workflow, kinds, error handler, start.
    let places: Vec<usize> = ["with_manifest", "with_workflow", "with_abilities(", "on_error(step", ".start()"]
        .map(|part| main.find(part).unwrap_or_else(|| panic!("{part} in {main}")))
        .to_vec();
    assert!(places.is_sorted(), "{main}");
    let formatted = Command::new("rustfmt")
        .args(["--edition", "2024", "--check", "--config-path"])
        .arg(large.path().join("out"))
        .arg(large.path().join("out/src/main.rs"))
        .output();
    let formatted = formatted.expect("rustfmt starts");
    assert!(formatted.status.success(), "{}", String::from_utf8_lossy(&formatted.stdout));
    let read = Command::new("cargo")
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(large.path().join("out"))
        .output();
    let read = read.expect("cargo starts");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
}

/// What packages carry gives the same project as the checkout.
#[test]
fn packed_sources_give_the_same_project() {
    let folder = project(json!({ "a": { "type": "flow.noop" } }));
    let mut tree = signalbox_oci::tar::Tree::default();
    let open = super::Checkout::open(&checkout()).expect("the checkout");
    let crates = super::CRATES.map(|name| format!("{}/{name}", super::PLACE));
    let folders = crates.iter().map(String::as_str).chain(super::FOLDERS);
    let files = ["Cargo.toml", "Cargo.lock", "LICENSE"].map(str::to_owned);
    for place in folders.flat_map(|folder| open.below(folder)).chain(files) {
        tree.file(place.clone(), open.read(&place).expect("read"));
    }
    let packed = folder.path().join("source.tar.gz");
    let mut packer =
        flate2::write::GzEncoder::new(fs::File::create(&packed).expect("made"), flate2::Compression::fast());
    std::io::Write::write_all(&mut packer, &tree.archive("", 0).expect("a tar")).expect("written");
    packer.finish().expect("written");
    let choices = Choices { audit: AuditKeeping::Sqlite, human: HumanReview::None, callback: None };
    let program = folder.path().join("signalbox");
    assert_eq!(crate::export::sources_beside(&program), packed);
    let looked = look(&folder.path().join("orders.signalbox.json"), None, &choices, &program).expect("can leave");
    let of = |sources: &Path, out: &str| looked.write_source(&folder.path().join(out), sources).expect("written");
    assert_eq!(of(&packed, "packed").sha256, of(&checkout(), "plain").sha256);
}

#[test]
fn another_folder_than_a_checkout_is_refused() {
    let folder = project(json!({ "a": { "type": "flow.noop" } }));
    let choices = Choices { audit: AuditKeeping::Sqlite, human: HumanReview::None, callback: None };
    let looked = look(&folder.path().join("orders.signalbox.json"), None, &choices, &folder.path().join("signalbox"));
    let refused = looked.expect("can leave").write_source(&folder.path().join("other"), folder.path());
    assert_eq!(refused.expect_err("no sources").code, "SOURCES_MISSING");
}
