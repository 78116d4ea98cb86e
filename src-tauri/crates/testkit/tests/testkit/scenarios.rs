//! Runs `tests/scenarios/*.yaml`.

use signalbox_testkit::scenario;
use std::path::Path;

#[test]
fn every_scenario_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/scenarios");
    let all = scenario::load(&folder);
    assert!(!all.is_empty(), "there are no scenarios in {}", folder.display());
    let mut failed = Vec::new();
    for (file, one) in &all {
        let wrong = scenario::run(one);
        if !wrong.is_empty() {
            let file = file.file_name().unwrap_or_default().to_string_lossy();
            failed.push(format!("{file}: {}\n  {}", one.name, wrong.join("\n  ")));
        }
    }
    assert!(failed.is_empty(), "{} of {} scenarios failed\n\n{}", failed.len(), all.len(), failed.join("\n\n"));
}
