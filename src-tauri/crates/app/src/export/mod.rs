//! A workflow as a standalone program (ADR 133): what it needs, what keeps it from leaving, and the file that carries it. The
//! file is the runner with the workflow behind its bytes; nothing is compiled here.

mod compressed;
mod container;
mod needs;
mod source;
mod start;
mod write;

use crate::dto::{ExportCheckList, ExportReason, ExportedPart};
use crate::error::{ApiError, ApiResult, Class, first_of};
use crate::host::files::io_error;
use crate::host::outgoing;
use crate::tool_servers::Approvals;
use crate::workflows::check;
use crate::workflows::library::load;
use crate::workflows::subworkflows::{find, in_folder};
use needs::{Looked, needs_full, needs_large};
use serde_json::{Value, json};
use signalbox_model::Workflow;
pub use signalbox_model::bundle::{AuditKeeping, Bundle, HumanReview};
use signalbox_model::bundle::{BundledFile, FOOTER, FORMAT, Footer, Module, NeededToolServer};
use signalbox_model::text::without_bom;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use write::changed_runner;
pub use write::{Download, Exported};

/// File name of a runner, beside the program that exports: the smallest that has the modules.
fn runner_name(modules: &[Module], human: HumanReview) -> String {
    let names = || modules.iter().map(|module| module.name.as_str());
    let has_triggers = modules.iter().any(|module| module.name == "triggers");
    let which = match human {
        _ if needs_full(names()) => "-full",
        HumanReview::Ui => "-ui",
        HumanReview::Callback => "-serve",
        HumanReview::None | HumanReview::Terminal if has_triggers => "-serve",
        HumanReview::None | HumanReview::Terminal if needs_large(names()) => "",
        HumanReview::None | HumanReview::Terminal => "-min",
    };
    format!("signalbox-runner{which}{}", std::env::consts::EXE_SUFFIX)
}

/// What a person chooses.
#[derive(Debug, Clone)]
pub struct Choices {
    /// Where the audit chain is written.
    pub audit: AuditKeeping,
    /// How steps ask people.
    pub human: HumanReview,
    /// Where tasks are sent to, with [`HumanReview::Callback`].
    pub callback: Option<String>,
}

/// What an export will be.
#[derive(Debug, Clone)]
pub struct Export {
    /// What the program will carry.
    pub bundle: Bundle,
    /// What it is made of.
    pub runner: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    section: Vec<u8>,
}

/// A file that exports need: next to the program, or where the Debian and RPM packages install it, `../lib/signalbox`.
fn installed_with(program: &Path, name: &str) -> Option<PathBuf> {
    let packaged = program.parent().and_then(Path::parent).map(|folder| folder.join("lib/signalbox").join(name));
    [Some(program.with_file_name(name)), packaged].into_iter().flatten().find(|file| file.is_file())
}

/// The runner for exports of this program; the error says how to get one.
fn runner_for(program: &Path, name: &str) -> ApiResult<PathBuf> {
    if let Some(runner) = installed_with(program, name) {
        return Ok(runner);
    }
    let missing = program.with_file_name(name).display().to_string();
    let message = format!("The runner of exported programs is missing: {missing} does not exist.");
    let hint = "Install the package signalbox-runners. Without packages: build it with `cargo xtask package` (or `cargo \
                build -p signalbox-standalone`) and put it into the folder of this program.";
    Err(ApiError::new(Class::NotFound, "RUNNER_MISSING", message, hint)
        .with(json!({ "reason": ExportReason::Runner, "name": missing })))
}

/// A workflow file and everything that it calls, looked at.
#[derive(Debug, Clone)]
pub struct Checked {
    bundle: Bundle,
    problems: Vec<Value>,
}

impl Checked {
    /// What keeps it from leaving, as diagnostics with the workflow and the place.
    pub fn problems(&self) -> &[Value] {
        &self.problems
    }

    /// What the program is made of and what it will need.
    pub fn check_list(&self) -> ExportCheckList {
        check_list(&self.bundle, None)
    }

    /// With the runner beside `program`, as it will be written.
    ///
    /// # Errors
    /// All problems at once, or why the runner cannot be used.
    pub fn ready(self, program: &Path) -> ApiResult<Export> {
        self.with_runner(|name| runner_for(program, name))
    }

    /// With the compressed runner beside `program` (ADR 233).
    ///
    /// # Errors
    /// As of [`Self::ready`], and this system executes no program from memory.
    pub fn ready_compressed(self, program: &Path) -> ApiResult<Export> {
        compressed::check_system()?;
        self.with_runner(|name| compressed::runner_for(program, name))
    }

    fn with_runner(self, find: impl FnOnce(&str) -> ApiResult<PathBuf>) -> ApiResult<Export> {
        if !self.problems.is_empty() {
            return Err(refused(&self.problems));
        }
        let bundle = self.bundle;
        let runner = find(&runner_name(&bundle.modules, bundle.human))?;
        let section = bundle.to_bytes().map_err(|error| {
            let message = format!("The workflow cannot be written: {error}.");
            ApiError::new(Class::Invalid, "CANNOT_EXPORT", message, "Report this fault.")
        })?;
        let size = bare_runner(&runner)? + section.len() as u64;
        Ok(Export { bundle, runner, size, section })
    }
}

fn check_list(bundle: &Bundle, size_bytes: Option<u64>) -> ExportCheckList {
    let hashes = |files: &[BundledFile]| {
        files.iter().map(|file| ExportedPart { id: file.id.clone(), sha256: file.sha256.clone() }).collect()
    };
    ExportCheckList {
        name: bundle.name.clone(),
        title: bundle.title.clone(),
        platform: bundle.platform.clone(),
        audit: bundle.audit,
        human: bundle.human,
        callback: bundle.callback.clone(),
        modules: bundle.modules.clone(),
        needs: bundle.needs.clone(),
        workflows: hashes(&bundle.files),
        connectors: hashes(&bundle.connectors),
        size_bytes,
    }
}

/// This program, by which runners and sources are found.
pub fn own_program() -> ApiResult<PathBuf> {
    std::env::current_exe().map_err(|error| {
        let message = format!("The place of this program is not known: {error}.");
        ApiError::new(Class::Unavailable, "NO_PROGRAM", message, "Start it by its full path.")
    })
}

/// The sources of Signalbox, when nobody names others.
pub fn sources_beside(program: &Path) -> PathBuf {
    installed_with(program, "source.tar.gz").unwrap_or_else(|| program.with_file_name("source"))
}

/// [`check`], then [`Checked::ready`].
pub fn look(file: &Path, data: Option<&Path>, choices: &Choices, program: &Path) -> ApiResult<Export> {
    check(file, data, choices)?.ready(program)
}

/// Looks at a workflow file and everything that it calls: what it needs, and all places that keep it from leaving. Sub-workflows are
/// looked for beside the file, then in the library of the data folder.
///
/// # Errors
/// The file cannot be read or has errors, or the address of the callback is none.
pub fn check(file: &Path, data: Option<&Path>, choices: &Choices) -> ApiResult<Checked> {
    let Choices { audit, human, ref callback } = *choices;
    let callback = callback.as_deref().filter(|_| human == HumanReview::Callback);
    if let Some(url) = callback {
        outgoing::address(url)?;
    }
    let loaded = load(file)?;
    let (document, _) = check::readable(&loaded.bytes)?;
    check::runnable(&check::file(file, data))?;
    let workflow = check::workflow(document)?;
    let library = data.map(|data| data.join("workflows"));
    let folders: Vec<&Path> = file.parent().into_iter().chain(library.as_deref()).collect();
    let lookup = |id: &str| folders.iter().find_map(|folder| in_folder(folder, id));
    let called = find(&workflow, data, &lookup);

    let mut files = vec![BundledFile::new(&workflow.id, text_of(&loaded.bytes, file)?)];
    for id in called.files.keys() {
        let path = lookup(id).ok_or_else(|| changed(id))?;
        files.push(BundledFile::new(id, text_of(&load(&path)?.bytes, &path)?));
    }
    let all = || std::iter::once(&workflow).chain(called.files.values().map(AsRef::as_ref));
    let mut looked = Looked::new(human);
    all().for_each(|file| looked.take(file, &called.connectors));
    let tool_servers = approvals(data, all(), &mut looked)?;
    // A program that never asks has nothing to ask with.
    let human = if looked.needs_people() { human } else { HumanReview::None };
    let callback = callback.filter(|_| human == HumanReview::Callback).map(str::to_owned);
    if let Some(url) = &callback {
        looked.signs_messages(url);
    }
    let (modules, mut needs, problems) = looked.into_parts();
    needs.params = needs::params(&workflow);
    needs.tool_servers = tool_servers;
    let connectors = called.connectors.pinned(all());
    let connectors = connectors.iter().map(|(name, one)| BundledFile::new(name, json!(one).to_string())).collect();

    let bundle = Bundle {
        format: FORMAT,
        name: workflow.id.clone(),
        title: workflow.name.clone(),
        made_by: env!("CARGO_PKG_VERSION").to_owned(),
        platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        audit,
        human,
        callback,
        modules,
        needs,
        files,
        connectors,
    };
    Ok(Checked { bundle, problems })
}

/// The approvals that go with a program. A server that nobody approved here, and tools that would be refused in a run, are problems.
fn approvals<'a>(
    data: Option<&Path>,
    workflows: impl Iterator<Item = &'a Workflow>,
    looked: &mut Looked,
) -> ApiResult<Vec<NeededToolServer>> {
    if looked.tool_servers().is_empty() {
        return Ok(Vec::new());
    }
    let approvals = Approvals::of(data)?;
    let mut carried = Vec::new();
    for (name, steps) in looked.tool_servers().clone() {
        let used = steps.join(", ");
        match approvals.server(&name, steps)? {
            Some(server) => carried.push(server),
            None => {
                let message = format!("The tool server '{name}' is not approved on this machine ({used} calls it).");
                let hint = "Approve it first, with `signalbox tools connect` and `signalbox tools approve`, or in Settings, Tools.";
                looked.problem("", "TOOLS_NOT_APPROVED", String::new(), message, hint);
                looked.because(ExportReason::ToolServer, Some(&name));
            }
        }
    }
    for workflow in workflows {
        for found in approvals.findings(workflow)? {
            let hint = found.hint.clone();
            looked.problem(&workflow.id, &found.code.as_str(), found.path, found.message, &hint);
        }
    }
    Ok(carried)
}

fn text_of(bytes: &[u8], path: &Path) -> ApiResult<String> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        let message = format!("{} is no UTF-8 text.", path.display());
        ApiError::new(Class::Invalid, "BAD_JSON", message, "Save it as UTF-8.")
    })?;
    Ok(without_bom(text).to_owned())
}

fn changed(id: &str) -> ApiError {
    let message = format!("The sub-workflow '{id}' is not there any more.");
    ApiError::new(Class::Conflict, "CHANGED", message, "Export again.")
}

fn refused(problems: &[Value]) -> ApiError {
    let first = problems.first().and_then(|problem| problem["message"].as_str()).unwrap_or_default();
    let message = format!("The workflow cannot be exported: {}.", first_of(first, problems.len()));
    ApiError::new(Class::Invalid, "CANNOT_EXPORT", message, "Change what is listed, then export again.")
        .with(json!({ "diagnostics": problems }))
}

/// Bytes of a runner that carries no workflow yet.
fn bare_runner(runner: &Path) -> ApiResult<u64> {
    let read = || -> io::Result<(u64, Vec<u8>)> {
        let mut file = File::open(runner)?;
        let size = file.metadata()?.len();
        let mut last = Vec::new();
        file.seek(SeekFrom::Start(size.saturating_sub(FOOTER as u64)))?;
        file.read_to_end(&mut last)?;
        Ok((size, last))
    };
    let (size, last) = read().map_err(|error| io_error(&error, runner, "read"))?;
    match Footer::read(&last, size) {
        Ok(None) => Ok(size),
        Ok(Some(_)) | Err(_) => {
            let message = format!("{} carries a workflow already: it is an exported program.", runner.display());
            Err(ApiError::new(Class::Conflict, "RUNNER_TAKEN", message, "Put the runner itself beside signalbox."))
        }
    }
}

impl Export {
    /// What the program is made of and what it will need.
    pub fn check_list(&self) -> ExportCheckList {
        check_list(&self.bundle, Some(self.size))
    }
}

#[cfg(test)]
mod tests;
