//! Tests of workflows: a run becomes one, and they are run in memory.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{
    ByRef, CallerRole, ProofReport, RunSaveTest, SavedTest, TestGet, TestOpened, TestOutcome, TestReport, TestRun,
    TestSave, TestSaved,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::workflows::check::catalog;
use crate::workflows::library::slug;
use crate::workflows::step_sandbox::StepSandbox;
use crate::workflows::subworkflows::in_folder;
use crate::workflows::{pins, saved_tests};
use signalbox_model::{RunEvent, Workflow};
use signalbox_runtime::pinned_files;
use signalbox_simulate::Kinds;
use signalbox_simulate::check::propose;
use signalbox_simulate::prove::PAIRS;
use signalbox_simulate::record::record;
use signalbox_simulate::test_file::ENDING;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Events of a run that can become a test.
const MOST_EVENTS: u64 = 50_000;
/// Events of one read.
const PAGE: usize = 1_000;
/// Bytes of one file that a test holds.
const LARGEST: usize = 256 * 1024;
/// Bytes of all files that a test holds.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Longest name.
const NAME: usize = 200;

pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(crate) fn test_list(app: &App, _: &Caller, request: ByRef) -> ApiResult<Vec<SavedTest>> {
    let path = app.path_of(&request.reference)?;
    let tests = saved_tests::files_of(&path).into_iter().map(|file| match saved_tests::read(&file) {
        Ok(test) => SavedTest { file: name_of(&file), name: test.name, problem: None },
        Err(error) => SavedTest { file: name_of(&file), name: name_of(&file), problem: Some(error.message) },
    });
    Ok(tests.collect())
}

/// A test of a workflow by its file name.
fn file_of(workflow: &Path, name: &str) -> ApiResult<PathBuf> {
    let found = saved_tests::files_of(workflow).into_iter().find(|file| name_of(file) == name);
    found.ok_or_else(|| ApiError::not_found(format!("The workflow has no test '{name}'.")))
}

pub(crate) fn test_get(app: &App, _: &Caller, request: TestGet) -> ApiResult<TestOpened> {
    let path = file_of(&app.path_of(&request.reference)?, &request.file)?;
    let revision = saved_tests::revision(&path)?;
    Ok(TestOpened { file: request.file, test: saved_tests::read(&path)?, revision })
}

pub(crate) fn test_save(app: &App, _: &Caller, request: TestSave) -> ApiResult<TestSaved> {
    let workflow = app.path_of(&request.reference)?;
    let path = file_of(&workflow, &request.file)?;
    if saved_tests::revision(&path)? != request.base_revision {
        let message = format!("The test '{}' was changed elsewhere since it was opened.", request.file);
        return Err(ApiError::new(Class::Conflict, "CONFLICT", message, "Open it again, then change it."));
    }
    let mut test = request.test;
    test.name = checked_name(&test.name)?;
    if test.workflow != name_of(&workflow) {
        let message = format!("The test is of '{}', not of '{}'.", test.workflow, name_of(&workflow));
        return Err(ApiError::bad_request(message, "Leave `workflow` as it was."));
    }
    test.check().map_err(|error| ApiError::new(Class::Invalid, "BAD_TEST", error.message, error.hint))?;
    saved_tests::write(&path, &test, true)?;
    // What does not fit is saved all the same; running the test says so, too.
    let notes = match saved_tests::compile_file(&workflow, Some(app.data_dir())) {
        Ok(compiled) => {
            let (found, _) = signalbox_simulate::compatibility::check(&test, &compiled, catalog());
            found.into_iter().map(|one| one.message).collect()
        }
        Err(error) => vec![format!("{} {}", error.message, error.hint)],
    };
    Ok(TestSaved { file: request.file, notes })
}

pub(crate) fn test_run(app: &App, _: &Caller, request: TestRun) -> ApiResult<TestReport> {
    let path = app.path_of(&request.reference)?;
    let mut files = saved_tests::files_of(&path);
    if let Some(wanted) = &request.files {
        if let Some(gone) = wanted.iter().find(|name| !files.iter().any(|file| name_of(file) == **name)) {
            let message = format!("The workflow has no test '{gone}'.");
            return Err(ApiError::not_found(message));
        }
        files.retain(|file| wanted.contains(&name_of(file)));
    }
    let ran = saved_tests::run(&files, Some(app.data_dir()));
    let coverage = saved_tests::coverage(&ran).into_iter().next().map(|coverage| coverage.report);
    let tests = ran.into_iter().map(|test| {
        let (result, problem) = match test.result {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(format!("{} {}", error.message, error.hint))),
        };
        TestOutcome { file: name_of(&test.file), result, problem }
    });
    Ok(TestReport { tests: tests.collect(), coverage })
}

pub(crate) fn workflow_prove(app: &App, _: &Caller, request: ByRef) -> ApiResult<ProofReport> {
    saved_tests::prove(&app.path_of(&request.reference)?, Some(app.data_dir()), PAIRS)
}

pub(crate) fn run_save_test(app: &App, caller: &Caller, request: RunSaveTest) -> ApiResult<TestSaved> {
    let row = app.store.run(&request.run_id)?;
    let workflow = app.by_id(&row.workflow_id)?;
    let name = checked_name(&request.name)?;
    let out = free_file(&workflow, &name)?;
    let wanted = Wanted {
        run_id: request.run_id,
        name,
        out,
        workflow: name_of(&workflow),
        replace: false,
        unmasked: request.unmasked,
        files: request.files,
    };
    save(app, caller, &wanted)
}

/// A file for a new test of a workflow.
pub(super) fn free_file(workflow: &Path, name: &str) -> ApiResult<PathBuf> {
    let base = format!("{}.{}", saved_tests::stem(&name_of(workflow)), slug(name));
    let free = (1_u32..).map(|n| if n == 1 { base.clone() } else { format!("{base}-{n}") });
    let mut free = free.map(|name| workflow.with_file_name(format!("{name}{ENDING}")));
    free.find(|path| !path.exists()).ok_or_else(|| ApiError::not_found("There is no free name."))
}

pub(super) fn checked_name(name: &str) -> ApiResult<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME {
        let message = format!("The name of a test has 1 to {NAME} characters.");
        return Err(ApiError::bad_request(message, "Write what the test shows."));
    }
    Ok(name.to_owned())
}

/// How a run is saved as a test.
#[derive(Debug, Clone, Copy, Default)]
pub struct SaveTest {
    /// A file that is there is replaced.
    pub replace: bool,
    /// Hidden values stay as they are.
    pub unmasked: bool,
    /// The test holds the small files of the run.
    pub files: bool,
}

struct Wanted {
    run_id: String,
    name: String,
    out: PathBuf,
    /// File name of the workflow.
    workflow: String,
    replace: bool,
    unmasked: bool,
    files: bool,
}

fn save(app: &App, caller: &Caller, wanted: &Wanted) -> ApiResult<TestSaved> {
    if wanted.unmasked {
        caller.require(CallerRole::Builder)?;
    }
    let row = app.store.run(&wanted.run_id)?;
    if row.last_seq > MOST_EVENTS {
        let message = format!("The run has {} events; a test is made of at most {MOST_EVENTS}.", row.last_seq);
        return Err(ApiError::new(Class::TooLarge, "TOO_LARGE", message, "Save a run with fewer items."));
    }
    let mut events: Vec<RunEvent> = Vec::new();
    loop {
        let after = events.last().and_then(|event| event.seq).unwrap_or_default();
        let page = app.store.events(&wanted.run_id, after, PAGE)?;
        if page.is_empty() {
            break;
        }
        events.extend(page);
    }
    let unreadable = |why: String| {
        let message = format!("The run cannot be saved as a test: {why}");
        ApiError::new(Class::Conflict, "NOT_REPEATABLE", message, "Choose another run.")
    };
    if !wanted.unmasked {
        let masked = app.masked_whole(&wanted.run_id, &events)?;
        events = masked
            .into_iter()
            .map(serde_json::from_value)
            .collect::<Result<_, _>>()
            .map_err(|error| unreadable(format!("its values cannot be masked ({error}).")))?;
    }
    let (mut own, called) = pinned_files(&app.store, &row).map_err(|error| unreadable(format!("{error}.")))?;
    pins::take_from(&mut own);
    let workflows: Vec<&Workflow> = std::iter::once(&own).chain(called.files.values().map(Arc::as_ref)).collect();
    // Nothing can be masked in bytes: who sees the run with masks does not put them into a file.
    let may = !app.masks(caller, &wanted.run_id);
    let files =
        Files { app, run_id: &wanted.run_id, left: Cell::new(if wanted.files && may { MOST_BYTES } else { 0 }) };
    let bytes_of = |sha256: &str| files.take(sha256);
    let recorded =
        record(&wanted.name, &wanted.workflow, &events, &workflows, catalog(), &bytes_of).map_err(|error| {
            let message = format!("The run cannot be saved as a test. {}", error.message);
            ApiError::new(Class::Conflict, "NOT_REPEATABLE", message, error.hint)
        })?;
    let (mut test, mut notes) = (recorded.test, recorded.notes);
    let compiled = saved_tests::compile(own, &called)?;
    if wanted.files && !may {
        notes.push("You see this run with masks, and nothing can be masked in files: none was saved.".to_owned());
    }
    let sandbox = StepSandbox::default();
    notes.extend(propose(&mut test, &events, &compiled, Kinds::with_code(catalog(), &sandbox)));
    saved_tests::write(&wanted.out, &test, wanted.replace)?;
    Ok(TestSaved { file: name_of(&wanted.out), notes })
}

/// The bytes of a run that a test is to hold.
struct Files<'a> {
    app: &'a App,
    run_id: &'a str,
    /// Bytes that it may still hold.
    left: Cell<usize>,
}

impl Files<'_> {
    fn take(&self, sha256: &str) -> Option<Vec<u8>> {
        if self.left.get() == 0 {
            return None;
        }
        // What is gone or damaged is counted among those that the test does not hold.
        let bytes = self.app.store.binary(self.run_id, sha256).ok().flatten()?;
        let left = self.left.get().checked_sub(bytes.len()).filter(|_| bytes.len() <= LARGEST)?;
        self.left.set(left);
        Some(bytes)
    }
}

impl App {
    /// Saves a run as a test in a file of a person's choice, with what they should know about it.
    ///
    /// # Errors
    /// `NOT_REPEATABLE` when the run did something that a test cannot repeat, `EXISTS`.
    pub async fn save_test_to(
        self: &Arc<Self>,
        caller: &Caller,
        run_id: String,
        name: Option<String>,
        out: PathBuf,
        SaveTest { replace, unmasked, files }: SaveTest,
    ) -> ApiResult<TestSaved> {
        let caller = caller.clone();
        self.blocking(move |app| {
            let row = app.store.run(&run_id)?;
            let folder = out.parent().unwrap_or(Path::new(""));
            let beside = in_folder(folder, &row.workflow_id);
            let workflow = beside.as_deref().map_or_else(|| format!("{}.signalbox.json", row.workflow_id), name_of);
            let name = checked_name(name.as_deref().unwrap_or(&row.workflow_name))?;
            let mut saved = save(
                app,
                &caller,
                &Wanted { run_id, name, out, workflow: workflow.clone(), replace, unmasked, files },
            )?;
            if beside.is_none() {
                let message = format!("The workflow is not in the folder of the test: copy it there as {workflow}.");
                saved.notes.push(message);
            }
            Ok(saved)
        })
        .await
    }
}
