//! Files of sub-workflows: found by the id that a step names, beside the file that is asked about, then in the library. They
//! are read when somebody asks what is wrong with a workflow, and when a run starts, which then keeps them.

use crate::Caller;
use crate::app::App;
use crate::dto::CallerRole;
use crate::error::{ApiResult, Class};
use crate::workflows::check::catalog;
use crate::workflows::connectors;
use crate::workflows::library::{ENDING, holds, load};
use signalbox_engine::validate::{Called, called_by, check_called, read};
use signalbox_model::{Code, Diagnostic, Severity, Workflow};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of one run.
const MOST: usize = 200;

/// The files and connectors that a workflow's steps name, directly or further in; own connectors are in a data folder.
pub(crate) fn find(workflow: &Workflow, data: Option<&Path>, lookup: &dyn Fn(&str) -> Option<PathBuf>) -> Called {
    let mut called = Called::default();
    let ids = |workflow: &Workflow| called_by(workflow, catalog()).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let mut todo: VecDeque<String> = ids(workflow).into();
    while let Some(id) = todo.pop_front() {
        if id == workflow.id || called.files.contains_key(&id) || called.problems.contains_key(&id) {
            continue;
        }
        let Some(path) = lookup(&id) else { continue };
        let found = if called.files.len() < MOST { workflow_at(&path) } else { Err(too_many()) };
        match found {
            Ok(file) => {
                todo.extend(ids(&file));
                called.files.insert(id, Arc::new(file));
            }
            Err(problem) => {
                called.problems.insert(id, problem);
            }
        }
    }
    let all = std::iter::once(workflow).chain(called.files.values().map(AsRef::as_ref));
    called.connectors = connectors::known(all, data);
    called
}

fn too_many() -> Diagnostic {
    let message = format!("a run may have at most {MOST} workflows");
    Diagnostic::error(Code::TooLarge, "", message, "Put several of them into one")
}

fn workflow_at(path: &Path) -> Result<Workflow, Diagnostic> {
    let loaded = load(path).map_err(|error| {
        let code = if error.class == Class::TooLarge { Code::TooLarge } else { Code::BadFile };
        Diagnostic::error(code, "", error.message, error.hint)
    })?;
    let checked = read(&loaded.bytes);
    let broken = checked.diagnostics.iter().find(|d| d.severity == Severity::Error);
    match (checked.workflow, broken) {
        (Some(workflow), None) => Ok(workflow),
        (_, Some(broken)) => Err(broken.clone()),
        (None, None) => Err(Diagnostic::error(Code::BadFile, "", "it is no workflow", "Choose another file")),
    }
}

/// The file of a workflow in a folder: the one that is named by its id, else the first that holds it. Links are not
/// followed.
pub(crate) fn in_folder(folder: &Path, id: &str) -> Option<PathBuf> {
    // The folder of a bare file name.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let usual = folder.join(format!("{id}{ENDING}"));
    if holds(&usual, id) {
        return Some(usual);
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING)));
    files.sort();
    files.into_iter().find(|path| holds(path, id))
}

impl App {
    /// The files that a workflow's steps name; `file` is its own, when it is known.
    pub(crate) fn called(&self, workflow: &Workflow, file: Option<&Path>) -> ApiResult<Called> {
        let data = Some(self.store.folder());
        if called_by(workflow, catalog()).is_empty() {
            let connectors = connectors::known(std::iter::once(workflow), data);
            return Ok(Called { connectors, ..Called::default() });
        }
        let folders = self.library_folders()?;
        let beside = file.and_then(Path::parent);
        Ok(find(workflow, data, &|id| {
            beside.and_then(|folder| in_folder(folder, id)).or_else(|| self.library.by_id(id, &folders))
        }))
    }

    /// What is wrong with the files that a workflow's steps name, and which model steps here or there nobody would answer. What files
    /// a folder has is told to those only who may list its skills.
    pub(crate) fn called_findings(
        &self,
        caller: &Caller,
        workflow: &Workflow,
        file: Option<&Path>,
    ) -> ApiResult<Vec<Diagnostic>> {
        let called = self.called(workflow, file)?;
        let mut found = check_called(workflow, catalog(), &called);
        found.extend(self.all_model_findings(workflow, &called));
        if caller.role >= CallerRole::Builder {
            found.extend(self.all_skill_findings(workflow, &called));
        }
        Ok(found)
    }
}
