//! A workflow as a standalone program (ADR 133): what it needs, what keeps it from leaving, and the file that carries it. The
//! file is the runner with the workflow behind its bytes; nothing is compiled here.

mod container;
mod needs;
mod source;

use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use crate::host::outgoing;
use crate::tool_servers::Approvals;
use crate::workflows::check;
use crate::workflows::library::load;
use crate::workflows::subworkflows::{find, in_folder};
use needs::{Looked, needs_full};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use signalbox_adapters::durable;
use signalbox_model::Workflow;
pub use signalbox_model::bundle::{AuditKeeping, Bundle, HumanReview};
use signalbox_model::bundle::{BundledFile, FOOTER, FORMAT, Footer, Module, NeededToolServer};
use signalbox_model::hash::hex;
use signalbox_model::text::without_bom;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// File name of a runner, beside the program that exports: the smallest that has the modules.
fn runner_name(modules: &[Module], human: HumanReview) -> String {
    let has_triggers = modules.iter().any(|module| module.name == "triggers");
    let which = match human {
        _ if needs_full(modules.iter().map(|module| module.name.as_str())) => "-full",
        HumanReview::Ui => "-ui",
        HumanReview::Callback => "-serve",
        HumanReview::None | HumanReview::Terminal if has_triggers => "-serve",
        HumanReview::None | HumanReview::Terminal => "",
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

/// A program that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The program.
    pub file: PathBuf,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of the file, lowercase hex.
    pub sha256: String,
}

/// The runner beside the program that exports; the error says how to get one.
fn runner_beside(program: &Path, name: &str) -> ApiResult<PathBuf> {
    let runner = program.with_file_name(name);
    if runner.is_file() {
        return Ok(runner);
    }
    let message = format!("The runner of exported programs is missing: {} does not exist.", runner.display());
    let hint =
        "Build it with `cargo xtask package` (or `cargo build -p signalbox-standalone`) and put it beside signalbox.";
    Err(ApiError::new(Class::NotFound, "RUNNER_MISSING", message, hint))
}

/// Looks at a workflow file and everything that it calls. Refuses what cannot leave, with all places at once. Sub-workflows are
/// looked for beside the file, then in the library of the data folder, and the runner beside `program`.
pub fn look(file: &Path, data: Option<&Path>, choices: &Choices, program: &Path) -> ApiResult<Export> {
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
    if !problems.is_empty() {
        return Err(refused(&problems));
    }
    needs.params = needs::params(&workflow);
    needs.tool_servers = tool_servers;
    let connectors = called.connectors.pinned(all());
    let connectors = connectors.iter().map(|(name, one)| BundledFile::new(name, json!(one).to_string())).collect();
    let runner = runner_beside(program, &runner_name(&modules, human))?;

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
    let section = bundle.to_bytes().map_err(|error| {
        ApiError::new(
            Class::Invalid,
            "CANNOT_EXPORT",
            format!("The workflow cannot be written: {error}."),
            "Report this fault.",
        )
    })?;
    let size = bare_runner(&runner)? + section.len() as u64;
    Ok(Export { bundle, runner, size, section })
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
    let count = if problems.len() == 1 { "a reason".to_owned() } else { format!("{} reasons", problems.len()) };
    let message = format!("The workflow cannot be exported, for {count}.");
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
    /// What the program is made of and what it will need, for programs.
    pub fn check_list(&self) -> Value {
        let bundle = &self.bundle;
        let hashes = |files: &[BundledFile]| -> Value {
            files.iter().map(|file| json!({ "id": file.id, "sha256": file.sha256 })).collect()
        };
        let (files, connectors) = (hashes(&bundle.files), hashes(&bundle.connectors));
        json!({
            "name": bundle.name, "title": bundle.title, "platform": bundle.platform, "audit": bundle.audit, "human": bundle.human,
            "callback": bundle.callback,
            "modules": bundle.modules, "needs": bundle.needs, "workflows": files, "connectors": connectors, "sizeBytes": self.size,
        })
    }

    /// Refuses a folder that holds something.
    pub fn check_folder(out: &Path) -> ApiResult<()> {
        let hint = "Name a new or an empty folder with --out.";
        match fs::read_dir(out) {
            Ok(mut entries) => match entries.next() {
                None => Ok(()),
                Some(_) => {
                    let message = format!("The folder {} is not empty.", out.display());
                    Err(ApiError::new(Class::Conflict, "FOLDER_NOT_EMPTY", message, hint))
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(_) if out.exists() && !out.is_dir() => {
                Err(ApiError::bad_request(format!("{} is no folder.", out.display()), hint))
            }
            Err(error) => Err(io_error(&error, out, "read")),
        }
    }

    /// Writes the program into a folder that is new or empty: the whole file or none of it.
    pub fn write(&self, out: &Path) -> ApiResult<Exported> {
        Self::check_folder(out)?;
        fs::create_dir_all(out).map_err(|error| io_error(&error, out, "created"))?;
        let name = if cfg!(windows) { format!("{}.exe", self.bundle.name) } else { self.bundle.name.clone() };
        let (file, part) = (out.join(&name), out.join(format!("{name}.part")));
        let written = self.write_to(&part).and_then(|hash| {
            fs::rename(&part, &file)?;
            durable::sync_name(&file)?;
            Ok(hash)
        });
        let sha256 = written.map_err(|error| {
            // Half a program is of no use to anybody.
            let _ = fs::remove_file(&part);
            io_error(&error, &file, "written")
        })?;
        Ok(Exported { file, size: self.size, sha256 })
    }

    fn write_to(&self, part: &Path) -> io::Result<String> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o755);
        }
        let (mut from, mut to) = (File::open(&self.runner)?, options.open(part)?);
        let (mut hasher, mut buffer, mut copied) = (Sha256::new(), vec![0; 1 << 20], 0_u64);
        loop {
            let read = from.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            to.write_all(&buffer[..read])?;
            hasher.update(&buffer[..read]);
            copied += read as u64;
        }
        if copied + self.section.len() as u64 != self.size {
            return Err(io::Error::other("the runner was changed while it was copied"));
        }
        to.write_all(&self.section)?;
        hasher.update(&self.section);
        to.sync_all()?;
        Ok(hex(&hasher.finalize()))
    }
}
