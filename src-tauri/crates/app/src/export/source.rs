//! `--target source`: a Cargo project that builds the program (ADR 153). The crates of Signalbox that it needs are copied into it, so that it
//! builds wherever their outside crates can be had.

mod checkout;

use super::container::{made_at, refused};
use super::{Download, Export, Exported, HumanReview};
use crate::dto::ExportReason;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use checkout::Checkout;
use serde_json::json;
use sha2::{Digest, Sha256};
use signalbox_model::hash::hex;
use signalbox_oci::tar::Tree;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Crates of every program.
const CRATES: [&str; 11] = [
    "adapters",
    "audit",
    "documents",
    "engine",
    "guardrails",
    "model",
    "nodes",
    "ports",
    "runtime",
    "standalone",
    "store",
];
/// What they read when they are built.
const FOLDERS: [&str; 3] = ["connectors", "node-catalog", "schemas"];
/// Where the crates are in a checkout, and in the project below `signalbox`.
const PLACE: &str = "src-tauri/crates";
/// Crates of the release profile that no program has.
const NOT_IN_PROGRAMS: [&str; 2] = ["salsa20.", "scrypt."];
/// Sections of a manifest that only the checkout needs.
const LEFT_OUT: [&str; 5] = ["[dev-dependencies]", "[[test]]", "[[bench]]", "[[example]]", "[[bin]]"];

impl Export {
    /// Features of the runner by the modules of the workflow.
    fn features(&self) -> Vec<&'static str> {
        let has = |name: &str| self.bundle.modules.iter().any(|module| module.name == name);
        let own = ["columnar", "databases", "mail", "model", "retrieval", "tools"].into_iter().filter(|name| has(name));
        own.chain(self.bundle.serves().then_some("server")).collect()
    }

    /// Refuses a folder, or a packed file, that does not hold the sources of this version.
    pub fn check_sources(sources: &Path) -> ApiResult<()> {
        fitting(sources).map(drop)
    }

    /// Writes the project into a folder that is new or empty. `checkout` holds the sources of Signalbox.
    ///
    /// # Errors
    /// The sources are missing or of another version, or why a file cannot be written.
    pub fn write_source(&self, out: &Path, checkout: &Path) -> ApiResult<Exported> {
        Self::check_folder(out)?;
        let mut write = |place: &str, bytes: &[u8]| {
            let to = out.join(place);
            let folder = to.parent().unwrap_or(out);
            fs::create_dir_all(folder).map_err(|error| io_error(&error, folder, "created"))?;
            fs::write(&to, bytes).map_err(|error| io_error(&error, &to, "written"))
        };
        let mut files = Files::new(&mut write);
        self.project(&mut files, checkout)?;
        Ok(Exported { file: out.to_owned(), size: files.size, sha256: hex(&files.hash.finalize()) })
    }

    /// The project as a tar, in a folder with the name of the program.
    ///
    /// # Errors
    /// The sources are missing or of another version, or a file cannot be read.
    pub(super) fn download_source(&self, checkout: &Path) -> ApiResult<Download> {
        let mut tree = Tree::default();
        let mut pack = |place: &str, bytes: &[u8]| {
            tree.file(place, bytes);
            Ok(())
        };
        self.project(&mut Files::new(&mut pack), checkout)?;
        let unfit = |why| refused(format!("The project cannot be packed: {why}"), "Give the workflow a shorter id.");
        tree.archive(&self.bundle.name, made_at()).map(Download::of).map_err(unfit)
    }

    fn project(&self, files: &mut Files<'_>, sources: &Path) -> ApiResult<()> {
        let checkout = fitting(sources)?;
        let workspace = checkout.text("Cargo.toml")?;
        let features = self.features();
        let own = ["columnar", "retrieval"].into_iter().filter(|name| features.contains(name));
        let crates: Vec<&str> = CRATES.into_iter().chain(own).collect();
        for name in &crates {
            let from = format!("{PLACE}/{name}");
            let manifest = format!("{from}/Cargo.toml");
            files.write(&format!("signalbox/{manifest}"), only_what_is_built(&checkout.text(&manifest)?).as_bytes())?;
            let build = format!("{from}/build.rs");
            if checkout.has(&build) {
                files.copy(&checkout, &build)?;
            }
            for folder in ["src", "samples"] {
                files.copy_folder(&checkout, &format!("{from}/{folder}"))?;
            }
        }
        for folder in FOLDERS {
            files.copy_folder(&checkout, folder)?;
        }
        files.copy(&checkout, "LICENSE")?;
        files.write("Cargo.lock", &checkout.read("Cargo.lock")?)?;
        files.write("signalbox/Cargo.toml", with_members(&workspace, &crates).as_bytes())?;
        for file in &self.bundle.files {
            files.write(&format!("workflows/{}.signalbox.json", file.id), file.text.as_bytes())?;
        }
        let mut manifest = self.bundle.clone();
        manifest.files.clear();
        let manifest = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
        files.write("program.json", manifest.as_bytes())?;
        files.write("Cargo.toml", self.manifest(&release_profile(&workspace)).as_bytes())?;
        files.write("rustfmt.toml", b"max_width = 120\nuse_small_heuristics = \"Max\"\n")?;
        files.write("src/main.rs", self.main().as_bytes())
    }

    fn manifest(&self, profile: &str) -> String {
        let features: Vec<String> = self.features().iter().map(|name| format!("\"{name}\"")).collect();
        format!(
            "# {}: a program made of a workflow by Signalbox {}. Build it with `cargo build --release`.\n\
             [package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n\
             # The copy of Signalbox is a workspace of its own.\n[workspace]\nexclude = [\"signalbox\"]\n\n\
             # Only the parts that the steps of the workflow need.\n[dependencies]\n\
             signalbox-standalone = {{ path = \"signalbox/{PLACE}/standalone\", default-features = false, features = [{}] }}\n\
             serde_json = \"1\"\n\n{profile}",
            one_line(&self.bundle.title),
            self.bundle.made_by,
            self.bundle.name,
            features.join(", ")
        )
    }

    fn main(&self) -> String {
        let mut abilities = String::from("Abilities::core()");
        let features = self.features();
        let has = |name: &str| self.bundle.modules.iter().any(|module| module.name == name);
        for (name, is_there) in [
            (".with_documents()", has("documents") || has("script")),
            (".with_inbox()", self.bundle.human == HumanReview::Ui),
            (".with_triggers()", !self.bundle.needs.triggers.is_empty()),
            (".with_callback()", self.bundle.human == HumanReview::Callback),
            (".with_outside()", features.iter().any(|name| *name != "server")),
        ] {
            abilities.push_str(if is_there { name } else { "" });
        }
        let mut workflows = String::new();
        for file in &self.bundle.files {
            let id = &file.id;
            // Writing to a text does not fail.
            let _ = writeln!(
                workflows,
                "        .with_workflow(\"{id}\", include_str!(\"../workflows/{id}.signalbox.json\"))"
            );
        }
        let modules: Vec<String> = self
            .bundle
            .modules
            .iter()
            .map(|module| {
                let why = if module.kinds.is_empty() { "every program".to_owned() } else { module.kinds.join(", ") };
                format!("//! - `{}`: {why}", module.name)
            })
            .collect();
        format!(
            "//! {}, exported from Signalbox {}. Its modules, and the kinds of steps that need them:\n{}\n\n\
             use serde_json::Value;\nuse signalbox_standalone::{{Abilities, Program}};\nuse std::process::ExitCode;\n\n\
             fn main() -> ExitCode {{\n\
             \x20   // Configuration: what the program is called, what it needs, where its audit chain is kept. Arguments, environment and\n\
             \x20   // the files that they name are read by `start`, before anything is opened.\n\
             \x20   Program::with_manifest(include_str!(\"../program.json\"))\n\
             \x20       // The workflow, then those that its steps call.\n{workflows}\
             \x20       // The kinds of steps: what is not named here is not in the program.\n\
             \x20       .with_abilities({abilities})\n\
             \x20       // Hears of every step that fails. The handlers of the workflow act on their own.\n\
             \x20       .on_error(step_failed)\n\
             \x20       // `run`, `resume`, `serve`, `tasks`: what the arguments say.\n\
             \x20       .start()\n}}\n\n\
             /// A step failed: the event, as `run --events` prints it.\n\
             fn step_failed(event: &Value) {{\n\
             \x20   eprintln!(\"Step {{}} failed: {{}}\", event[\"stepId\"], event[\"payload\"][\"error\"][\"message\"]);\n}}\n",
            one_line(&self.bundle.title),
            self.bundle.made_by,
            modules.join("\n")
        )
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// The sources, when they are those of this version.
fn fitting(sources: &Path) -> ApiResult<Checkout> {
    let checkout = Checkout::open(sources)?;
    let workspace = checkout.text("Cargo.toml").map_err(|_| no_sources(sources))?;
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    if !workspace.contains(&version) || !checkout.has(&format!("{PLACE}/standalone/Cargo.toml")) {
        return Err(no_sources(sources));
    }
    Ok(checkout)
}

fn no_sources(checkout: &Path) -> ApiError {
    let message =
        format!("{} does not hold the sources of Signalbox {}.", checkout.display(), env!("CARGO_PKG_VERSION"));
    let hint = "Name a checkout of this version with --source-of-signalbox DIR, or put its sources into the folder `source` beside signalbox.";
    ApiError::new(Class::NotFound, "SOURCES_MISSING", message, hint)
        .with(json!({ "reason": ExportReason::Sources, "name": checkout.display().to_string() }))
}

/// A manifest without what only tests of the checkout need.
fn only_what_is_built(manifest: &str) -> String {
    let mut is_left_out = false;
    let kept = manifest.lines().filter(|line| {
        if line.starts_with('[') {
            is_left_out = LEFT_OUT.contains(&line.trim());
        }
        !is_left_out
    });
    kept.map(|line| format!("{line}\n")).collect()
}

/// How the checkout is built for release, for the crates that every program has: the same program from both (ADR 193).
fn release_profile(workspace: &str) -> String {
    let mut is_taken = false;
    let taken = workspace.lines().filter(|line| {
        if line.starts_with('[') {
            is_taken = line.starts_with("[profile.release");
        }
        is_taken && !line.starts_with('#') && !NOT_IN_PROGRAMS.iter().any(|name| line.starts_with(name))
    });
    let text: String = taken.map(|line| format!("{line}\n")).collect();
    format!("{}\n", text.trim_end())
}

/// The workspace of the checkout with these crates only.
fn with_members(workspace: &str, crates: &[&str]) -> String {
    let members: String = crates.iter().map(|name| format!("    \"{PLACE}/{name}\",\n")).collect();
    let mut made = String::new();
    let mut in_members = false;
    for line in workspace.lines() {
        if line.starts_with("members = [") {
            in_members = true;
            made.push_str("members = [\n");
            made.push_str(&members);
        }
        if !in_members && !line.starts_with("default-members") {
            made.push_str(line);
            made.push('\n');
        }
        if in_members && line == "]" {
            in_members = false;
            made.push_str("]\n");
        }
    }
    made
}

/// Takes a file by its place in the project.
type Sink<'a> = &'a mut dyn FnMut(&str, &[u8]) -> ApiResult<()>;

/// What is written, and the hash of all of it in order.
struct Files<'a> {
    write: Sink<'a>,
    size: u64,
    hash: Sha256,
}

impl<'a> Files<'a> {
    fn new(write: Sink<'a>) -> Self {
        Self { write, size: 0, hash: Sha256::new() }
    }

    fn write(&mut self, place: &str, bytes: &[u8]) -> ApiResult<()> {
        (self.write)(place, bytes)?;
        self.size += bytes.len() as u64;
        self.hash.update(place);
        self.hash.update(bytes);
        Ok(())
    }

    /// To the same place below `signalbox`.
    fn copy(&mut self, checkout: &Checkout, place: &str) -> ApiResult<()> {
        self.write(&format!("signalbox/{place}"), &checkout.read(place)?)
    }

    /// A folder with everything in it, in the order of the places; nothing when it is not there.
    fn copy_folder(&mut self, checkout: &Checkout, folder: &str) -> ApiResult<()> {
        checkout.below(folder).iter().try_for_each(|place| self.copy(checkout, place))
    }
}

#[cfg(test)]
mod tests;
