//! Tests of workflows (docs/workflow-tests.md): `orders.signalbox-test.yaml` in the folder of `orders.signalbox.json`. They are
//! found, run and written here; what a test is stands in `signalbox-simulate`.

use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{io_error, write_atomic};
use crate::workflows::check::{self, catalog};
use crate::workflows::library::load;
use crate::workflows::step_sandbox::StepSandbox;
use crate::workflows::subworkflows::{find, in_folder};
use serde_json::json;
use signalbox_engine::Compiled;
use signalbox_engine::validate::{Called, check_bytes, check_called};
use signalbox_model::Workflow;
use signalbox_simulate::compatibility::definition_hash;
use signalbox_simulate::coverage::{Coverage, CoverageReport};
use signalbox_simulate::prove::{self, MOST_PAIRS, ProofReport};
use signalbox_simulate::test_file::{ENDING, FILE_LIMIT};
use signalbox_simulate::{Kinds, TestFile, TestResult, run_test};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub use signalbox_simulate::junit;
pub use signalbox_simulate::prove::{FaultResult, PAIRS};

/// Folders below a path that are searched.
const DEPTH: usize = 8;
/// Test files of one call.
const MOST_FILES: usize = 20_000;

/// A test that was run.
pub struct RanTest {
    /// Its file.
    pub file: PathBuf,
    /// The file of its workflow, when it is known.
    pub workflow: Option<PathBuf>,
    /// What it came to, or why it could not be run.
    pub result: ApiResult<TestResult>,
    /// How long it took, seconds.
    pub seconds: f64,
}

/// Coverage of one workflow by the tests that were run.
pub struct WorkflowCoverage {
    /// The file of the workflow.
    pub workflow: PathBuf,
    /// What is reached.
    pub report: CoverageReport,
}

/// Test files at paths: files themselves, and those in folders, sorted.
///
/// # Errors
/// A path that is not there, or is no test.
pub fn files_at(paths: &[PathBuf]) -> ApiResult<Vec<PathBuf>> {
    let mut found = BTreeSet::new();
    for path in paths {
        let meta = fs::metadata(path).map_err(|error| io_error(&error, path, "read"))?;
        if meta.is_dir() {
            search(path, DEPTH, &mut found)?;
        } else {
            found.insert(path.clone());
        }
    }
    Ok(found.into_iter().collect())
}

fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING))
}

/// A file, and no link to one elsewhere.
fn is_plain(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_file())
}

fn search(folder: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) -> ApiResult<()> {
    let entries = fs::read_dir(folder).map_err(|error| io_error(&error, folder, "read"))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 && !name.starts_with('.') && name != "node_modules" && name != "target" {
            search(&path, depth - 1, found)?;
        } else if kind.is_file() && is_test(&path) {
            if found.len() >= MOST_FILES {
                let message = format!("There are more than {MOST_FILES} tests in {}.", folder.display());
                return Err(ApiError::bad_request(message, "Name a smaller folder."));
            }
            found.insert(path);
        }
    }
    Ok(())
}

/// Reads a test.
///
/// # Errors
/// `BAD_TEST` with the place, or why the file cannot be read.
pub fn read(path: &Path) -> ApiResult<TestFile> {
    let file = fs::File::open(path).map_err(|error| io_error(&error, path, "read"))?;
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(|error| io_error(&error, path, "read"))?;
    let bad = |message: String, hint: &str| {
        ApiError::new(Class::Invalid, "BAD_TEST", format!("{}: {message}", path.display()), hint)
    };
    let text =
        String::from_utf8(bytes).map_err(|_| bad("The test is no UTF-8 text.".to_owned(), "Save it as UTF-8."))?;
    TestFile::read(text.strip_prefix('\u{feff}').unwrap_or(&text)).map_err(|error| bad(error.message, &error.hint))
}

/// SHA-256 of a test's file.
///
/// # Errors
/// Why the file cannot be read.
pub(crate) fn revision(path: &Path) -> ApiResult<String> {
    let file = fs::File::open(path).map_err(|error| io_error(&error, path, "read"))?;
    let mut bytes = Vec::new();
    file.take(FILE_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(|error| io_error(&error, path, "read"))?;
    Ok(signalbox_model::hash::sha256_hex(&bytes))
}

/// A workflow that tests run, compiled.
///
/// # Errors
/// `INVALID_WORKFLOW` with all diagnostics, or why a file cannot be read.
pub fn compile_file(path: &Path, data: Option<&Path>) -> ApiResult<Arc<Compiled>> {
    let loaded = load(path)?;
    let (_, diagnostics) = check::readable(&loaded.bytes)?;
    check::runnable(&diagnostics)?;
    let checked = check_bytes(&loaded.bytes, catalog());
    let Some(workflow) = checked.workflow else { return Err(check::refused(&checked.diagnostics)) };
    let library = data.map(|data| data.join("workflows"));
    let folders: Vec<&Path> = path.parent().into_iter().chain(library.as_deref()).collect();
    let called = find(&workflow, data, &|id| folders.iter().find_map(|folder| in_folder(folder, id)));
    check::runnable(&check_called(&workflow, catalog(), &called))?;
    compile(workflow, &called)
}

/// Compiles a workflow without its pinned outputs.
pub(crate) fn compile(mut workflow: Workflow, called: &Called) -> ApiResult<Arc<Compiled>> {
    crate::workflows::pins::take_from(&mut workflow);
    crate::workflows::faults::take_from(&mut workflow);
    let hash = definition_hash(&workflow);
    let compiled = Compiled::with_called(Arc::new(workflow), &hash, catalog(), called);
    compiled.map(Arc::new).map_err(|diagnostics| {
        let message = "The workflow has errors and cannot run.";
        let hint = "Fix what the diagnostics say.";
        ApiError::new(Class::Invalid, "INVALID_WORKFLOW", message, hint).with(json!({ "diagnostics": diagnostics }))
    })
}

/// Where the workflow of a test is.
fn workflow_of(test_path: &Path, test: &TestFile) -> ApiResult<PathBuf> {
    let name = Path::new(&test.workflow);
    let is_name = name.components().count() == 1 && name.file_name().is_some();
    if !is_name {
        let message = format!("{}: workflow: '{}' is no file name.", test_path.display(), test.workflow);
        return Err(ApiError::new(Class::Invalid, "BAD_TEST", message, "Name a workflow in the folder of the test."));
    }
    let path = test_path.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    let message = format!("{}: its workflow {} does not exist.", test_path.display(), path.display());
    Err(ApiError::new(
        Class::NotFound,
        "NOT_FOUND",
        message,
        "Move the test beside its workflow, or correct `workflow`.",
    ))
}

/// Runs tests; each workflow is compiled once. Nothing outside is called.
pub fn run(files: &[PathBuf], data: Option<&Path>) -> Vec<RanTest> {
    let mut compiled: BTreeMap<PathBuf, ApiResult<Arc<Compiled>>> = BTreeMap::new();
    let sandbox = StepSandbox::default();
    let kinds = Kinds::with_code(catalog(), &sandbox);
    let mut ran = Vec::with_capacity(files.len());
    for file in files {
        let began = Instant::now();
        let mut workflow = None;
        let result = read(file).and_then(|test| {
            let path = workflow_of(file, &test)?;
            workflow = Some(path.clone());
            let compiled = compiled.entry(path.clone()).or_insert_with(|| compile_file(&path, data)).clone()?;
            Ok(run_test(&test, &compiled, kinds))
        });
        ran.push(RanTest { file: file.clone(), workflow, result, seconds: began.elapsed().as_secs_f64() });
    }
    ran
}

/// What the tests reach together, by workflow.
pub fn coverage(ran: &[RanTest]) -> Vec<WorkflowCoverage> {
    let mut all: BTreeMap<&PathBuf, Coverage> = BTreeMap::new();
    for test in ran {
        if let (Some(workflow), Ok(result)) = (&test.workflow, &test.result) {
            all.entry(workflow).or_default().add(&result.coverage);
        }
    }
    let report = |(path, coverage): (&PathBuf, Coverage)| {
        let workflow = check_bytes(&load(path).ok()?.bytes, catalog()).workflow?;
        Some(WorkflowCoverage { workflow: path.clone(), report: coverage.report(&workflow) })
    };
    all.into_iter().filter_map(report).collect()
}

/// Tests of a workflow: in its folder, with its file name, sorted.
pub fn files_of(workflow: &Path) -> Vec<PathBuf> {
    let folder = workflow.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = workflow.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| is_plain(path) && is_test(path)).take(MOST_FILES).collect();
    files.retain(|path| match read(path) {
        Ok(test) => test.workflow == name,
        // One that cannot be read is shown with the workflow after which it is named.
        Err(_) => path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(&stem(&name))),
    });
    files.sort();
    files
}

/// The name of a workflow's file without its ending.
pub(crate) fn stem(name: &str) -> String {
    name.strip_suffix(".signalbox.json").or_else(|| name.strip_suffix(".json")).unwrap_or(name).to_owned()
}

/// Proves the error handling of a workflow file, on the runs that its tests recorded. Nothing outside is called.
///
/// # Errors
/// As [`compile_file`].
pub fn prove(path: &Path, data: Option<&Path>, most_pairs: usize) -> ApiResult<ProofReport> {
    if most_pairs > MOST_PAIRS {
        let message = format!("At most {MOST_PAIRS} pairs of faults are tried.");
        return Err(ApiError::bad_request(message, "Ask for fewer pairs."));
    }
    let compiled = compile_file(path, data)?;
    let sandbox = StepSandbox::default();
    let kinds = Kinds::with_code(catalog(), &sandbox);
    Ok(prove::prove_pairs(&compiled, kinds, &healthy_tests(path), most_pairs))
}

/// The tests of a workflow without a fault in their mocks.
pub(crate) fn healthy_tests(path: &Path) -> Vec<TestFile> {
    files_of(path).iter().filter_map(|file| read(file).ok()).filter(TestFile::is_healthy).collect()
}

/// Writes a test; an existing file is replaced only when that is asked for.
pub(crate) fn write(path: &Path, test: &TestFile, replace: bool) -> ApiResult<()> {
    if !is_test(path) {
        let message = format!("The name of {} does not end with {ENDING}.", path.display());
        return Err(ApiError::bad_request(message, "Only files with this ending are found as tests."));
    }
    if !replace && path.exists() {
        let message = format!("{} exists.", path.display());
        return Err(ApiError::new(Class::Conflict, "EXISTS", message, "Choose another name, or replace it."));
    }
    let text = test.write().map_err(|error| ApiError::bad_request(error.message, error.hint))?;
    write_atomic(path, text.as_bytes())
}
