//! The workflow behind the program's own bytes. It is read, checked and used in memory; nothing is unpacked.

use crate::failure::Failure;
use signalbox_engine::catalog::Catalog;
use signalbox_engine::validate::{Called, check_bytes, check_called};
use signalbox_model::bundle::{Bundle, BundleError, FOOTER, Footer};
use signalbox_model::hash::{hex, sha256_hex};
use signalbox_model::{Connector, Severity, Workflow};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What this program carries.
pub(crate) struct Carried {
    pub(crate) bundle: Bundle,
    /// SHA-256 of the section, lowercase hex.
    pub(crate) sha256: String,
}

/// What a program carries in its own code: the manifest, without its workflows.
pub(crate) fn from_manifest(manifest: &str) -> Result<Carried, Failure> {
    let bundle = serde_json::from_str(manifest).map_err(|error| {
        let message = format!("The manifest of this program cannot be read: {error}.");
        Failure::invalid("BUNDLE_DAMAGED", message, "Export the workflow as source again.")
    })?;
    Ok(Carried { bundle, sha256: sha256_hex(manifest.as_bytes()) })
}

/// Reads the section of this program.
pub(crate) fn read() -> Result<Carried, Failure> {
    let program = own_program().map_err(|error| unreadable(Path::new("This program"), &error))?;
    let carried = read_from(&program)?;
    if carried.bundle.made_by != env!("CARGO_PKG_VERSION") {
        return Err(Failure::invalid(
            "OTHER_VERSION",
            format!(
                "The workflow was exported by version {}, and this runner is version {}.",
                carried.bundle.made_by,
                env!("CARGO_PKG_VERSION")
            ),
            "Export it again with a runner of the same version beside signalbox.",
        ));
    }
    Ok(carried)
}

/// On Linux, the bytes of the program that asks.
const OWN_BYTES: &str = "/proc/self/exe";

/// The file of this program, by which it reads its workflow and starts itself for scripts and documents.
pub(crate) fn own_program() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    // A compressed program runs from memory, and one that was removed has no file: only the system knows where their bytes are.
    let has_no_file = cfg!(target_os = "linux") && !program.is_file();
    Ok(if has_no_file { PathBuf::from(OWN_BYTES) } else { program })
}

/// Gives a program that runs from memory the name that it was started with: the system names it after a number of a file.
pub(crate) fn name_process() {
    let runs_from_memory = own_program().is_ok_and(|program| program == Path::new(OWN_BYTES));
    let started_as = std::env::args_os().next().map(PathBuf::from);
    if let Some(name) = started_as.as_deref().and_then(Path::file_name).filter(|_| runs_from_memory) {
        // Lists of processes show it; nothing else depends on it.
        drop(std::fs::write("/proc/self/comm", name.as_encoded_bytes()));
    }
}

fn unreadable(program: &Path, error: &io::Error) -> Failure {
    let message = format!("{} cannot be read: {error}.", program.display());
    Failure::invalid("PROGRAM_UNREADABLE", message, "Give this account the right to read the program's file.")
}

fn read_from(program: &PathBuf) -> Result<Carried, Failure> {
    let io = |error: io::Error| unreadable(program, &error);
    let mut file = File::open(program).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(FOOTER as u64))).map_err(io)?;
    let mut last = Vec::new();
    file.by_ref().take(FOOTER as u64).read_to_end(&mut last).map_err(io)?;
    let footer = Footer::read(&last, size).map_err(|why| refused(program, &why))?.ok_or_else(|| {
        let message =
            format!("{} carries no workflow: it is the bare runner, or its end was cut off.", program.display());
        Failure::invalid(
            "NO_WORKFLOW",
            message,
            "`signalbox export FILE --out DIR` makes a program of a workflow; copy an exported program again.",
        )
    })?;
    let mut section = vec![0; usize::try_from(footer.length).unwrap_or_default()];
    file.seek(SeekFrom::Start(size - FOOTER as u64 - footer.length)).map_err(io)?;
    file.read_exact(&mut section).map_err(io)?;
    let bundle = Bundle::read(&section, &footer).map_err(|why| refused(program, &why))?;
    Ok(Carried { bundle, sha256: hex(&footer.sha256) })
}

fn refused(program: &Path, why: &BundleError) -> Failure {
    let message = format!("The workflow in {} is not used: {why}.", program.display());
    Failure::invalid(
        "BUNDLE_DAMAGED",
        message,
        "Copy the program again from where it came, or export the workflow again.",
    )
}

/// The workflow and those that it calls, as runs start with them.
pub(crate) fn workflows(bundle: &Bundle, catalog: &Catalog) -> Result<(Workflow, Called), Failure> {
    let mut files = bundle.files.iter().map(|file| {
        let checked = check_bytes(file.text.as_bytes(), catalog);
        let broken = checked.diagnostics.iter().find(|found| found.severity == Severity::Error);
        match (checked.workflow, broken) {
            (Some(workflow), None) => Ok(workflow),
            (_, broken) => {
                let why = broken.map_or("it is no workflow".to_owned(), |one| format!("{}: {}", one.path, one.message));
                Err(unusable(&file.id, &why))
            }
        }
    });
    let first = files.next().unwrap_or_else(|| Err(unusable(&bundle.name, "it is missing")))?;
    let mut called = Called::default();
    for workflow in files {
        let workflow = workflow?;
        called.files.insert(workflow.id.clone(), Arc::new(workflow));
    }
    for file in &bundle.connectors {
        let connector: Connector = serde_json::from_str(&file.text)
            .map_err(|error| unusable(&first.id, &format!("the connector '{}': {error}", file.id)))?;
        called.connectors.used.insert(file.id.clone(), Arc::new(connector));
    }
    let found = check_called(&first, catalog, &called);
    match found.iter().find(|found| found.severity == Severity::Error) {
        Some(broken) => Err(unusable(&first.id, &format!("{}: {}", broken.path, broken.message))),
        None => Ok((first, called)),
    }
}

fn unusable(id: &str, why: &str) -> Failure {
    let message = format!("The workflow '{id}' cannot run in this program ({why}).");
    Failure::invalid("INVALID_WORKFLOW", message, "Correct the workflow, then export it again.")
}
