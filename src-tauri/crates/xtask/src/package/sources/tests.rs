use super::{crates, needed};

#[test]
fn the_runner_comes_with_every_crate_below_it_and_no_other() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let found = crates(&root).expect("manifests");
    for name in
        ["adapters", "audit", "documents", "engine", "guardrails", "model", "nodes", "ports", "retrieval", "runtime"]
    {
        assert!(found.contains(name), "{name} in {found:?}");
    }
    for name in ["app", "headless", "testkit", "simulate"] {
        assert!(!found.contains(name), "{name} in {found:?}");
    }
    let manifest = "[dependencies]\nsignalbox-a.workspace = true\nsignalbox-b = { workspace = true }\n[dev-dependencies]\nsignalbox-c.workspace = true\n";
    assert_eq!(needed(manifest), ["a", "b"]);
}
