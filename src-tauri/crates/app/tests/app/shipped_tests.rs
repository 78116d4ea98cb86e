//! Samples and templates: each has a test beside it that passes, and a proof without lost items, repeated writes and endless runs.

use crate::common::place;
use crate::templates::import_apis;
use serde_json::Value;
use signalbox_app::saved_tests::{self, PAIRS};
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files
}

/// Runs the tests of a folder and proves each workflow.
fn hold(folder: &Path, data: Option<&Path>, wanted: usize) {
    let workflows = files(folder, ".signalbox.json");
    assert_eq!(workflows.len(), wanted);
    let tests = saved_tests::files_at(&[folder.to_owned()]).expect("tests");
    let ran = saved_tests::run(&tests, data);
    for test in &ran {
        let result = test.result.as_ref().unwrap_or_else(|error| panic!("{}: {error:?}", test.file.display()));
        let told: Vec<&str> = result.differences.iter().map(|one| one.message.as_str()).collect();
        assert!(result.passed, "{}: {told:#?}", test.file.display());
        assert_eq!(result.notes, Vec::<String>::new(), "{}", test.file.display());
    }
    for path in &workflows {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        assert!(ran.iter().any(|test| test.workflow.as_ref() == Some(path)), "{name} has a test");
        let report = saved_tests::prove(path, data, PAIRS).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        for base in &report.base {
            assert_eq!((base.status.as_str(), &base.problem), ("completed", &None), "{name}: {}", base.name);
        }
        let bad: Vec<String> = report
            .results
            .iter()
            .chain(&report.pairs.results)
            .filter(|result| !result.outcome.is_good())
            .map(|result| format!("{} {:?} {}", result.step, result.faults, result.message))
            .collect();
        assert_eq!(bad, Vec::<String>::new(), "{name}");
        assert!(report.tried > 0, "{name}: some faults are tried");
    }
}

#[test]
fn every_sample_has_a_test_that_passes_and_a_proof() {
    hold(&folder("samples"), None, signalbox_app::samples::documents().count());
}

#[test]
fn every_template_has_a_test_that_passes_and_a_proof() {
    // The file of a template holds more than the workflow.
    let folder_of_files = tempfile::tempdir().expect("a folder");
    for path in files(&folder("templates"), ".json") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file: Value = serde_json::from_slice(&fs::read(&path).expect("a template")).expect("JSON");
        fs::write(folder_of_files.path().join(format!("{name}.signalbox.json")), file["workflow"].to_string())
            .expect("written");
        let test = format!("{name}.signalbox-test.yaml");
        fs::copy(path.with_file_name(&test), folder_of_files.path().join(&test)).expect("the test of the template");
    }
    let home = place();
    import_apis(&home);
    hold(folder_of_files.path(), Some(home.app.data_dir()), signalbox_app::templates::expected().0);
}
