//! Connectors of this machine: those that come with the program, and files in `connectors/` of the data folder. A file is
//! named like its connector; one with the name of a shipped connector is used in its place.

use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::{ensure_folder, io_error, write_atomic};
use serde_json::json;
use signalbox_engine::connector::{self, KnownConnectors, valid_name};
pub use signalbox_engine::connector::{in_order, inlined, output_schema, params_schema};
use signalbox_import::graphql;
use signalbox_import::openapi::{self, Finding};
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Connector, Diagnostic, Workflow};
use signalbox_nodes::connector::file::{LARGEST, read, read_value, shipped, write};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

const ENDING: &str = ".yaml";
/// Files that are kept in memory.
const KEPT: usize = 64;
/// Most own connectors that are looked at.
const MOST: usize = 1_000;

/// A connector of this machine.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name in steps.
    pub name: String,
    /// The connector, or why its file cannot be used.
    pub connector: Result<Arc<Connector>, String>,
    /// Its file; none of a shipped one.
    pub file: Option<PathBuf>,
}

/// What a connector is made of.
#[derive(Debug, Clone)]
pub enum Source {
    /// The text of a connector file, an OpenAPI document or a GraphQL introspection.
    Text(String),
    /// A GraphQL introspection and the address of its endpoint.
    Introspection {
        /// What the service said.
        text: String,
        /// The endpoint.
        address: String,
    },
    /// A GraphQL endpoint, which is asked.
    Endpoint {
        /// The endpoint.
        address: String,
    },
}

/// How a connector is added.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Its name in steps; without it that of the file, or one from the title of the document.
    pub name: Option<&'a str>,
    /// The secret that new steps begin with, as `secret://name`; an endpoint is asked with it.
    pub credential: Option<&'a str>,
    /// An own connector of this name is replaced.
    pub replace: bool,
}

/// What a file became.
#[derive(Debug, Clone)]
pub struct Added {
    /// The connector.
    pub connector: Connector,
    /// Where it was written.
    pub file: PathBuf,
    /// SHA-256 of the file, lowercase hex.
    pub sha256: String,
    /// It took the place of another one.
    pub replaced: bool,
    /// What an imported document has and the connector does not.
    pub findings: Vec<Finding>,
    /// Findings that are not in the list.
    pub more: usize,
    /// Operations of the document that were left out.
    pub left_out: usize,
}

/// What is wrong with a file.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The connector, when the file has the shape of one.
    pub connector: Option<Connector>,
    /// Errors, with their places in the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Of a document that would be imported: what the connector would not have.
    pub findings: Vec<Finding>,
}

/// A file as it was read: its time and size tell whether it is still the same.
struct Kept {
    modified: Option<SystemTime>,
    size: u64,
    connector: Result<Arc<Connector>, String>,
}

static FILES: LazyLock<Mutex<HashMap<PathBuf, Kept>>> = LazyLock::new(Mutex::default);

/// The folder of own connectors.
fn folder(data: &Path) -> PathBuf {
    data.join("connectors")
}

fn path_of(data: &Path, name: &str) -> PathBuf {
    folder(data).join(format!("{name}{ENDING}"))
}

/// Names of own connectors, by their files.
fn own_names(data: Option<&Path>) -> BTreeSet<String> {
    let Some(entries) = data.and_then(|data| fs::read_dir(folder(data)).ok()) else { return BTreeSet::new() };
    let names =
        entries.flatten().filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(ENDING)?.to_owned()));
    names.filter(|name| valid_name(name)).take(MOST).collect()
}

fn load(path: &Path, name: &str) -> Result<Arc<Connector>, String> {
    let unread = |error: io::Error| format!("{} cannot be read: {error}", path.display());
    // Links are not followed: a connector is a file of the data folder.
    let about = fs::symlink_metadata(path).map_err(unread)?;
    if !about.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    let (modified, size) = (about.modified().ok(), about.len());
    let same = |kept: &Kept| kept.modified == modified && kept.size == size && modified.is_some();
    if let Some(kept) = FILES.lock().unwrap_or_else(PoisonError::into_inner).get(path).filter(|kept| same(kept)) {
        return kept.connector.clone();
    }
    let connector = parsed(path, name, size);
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if files.len() >= KEPT {
        files.clear();
    }
    files.insert(path.to_owned(), Kept { modified, size, connector: connector.clone() });
    connector
}

fn parsed(path: &Path, name: &str, size: u64) -> Result<Arc<Connector>, String> {
    if size > LARGEST as u64 {
        return Err(format!("it has {size} bytes, and {LARGEST} are the most"));
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let (connector, found) = read(&text);
    if let Some(first) = found.first() {
        let place = if first.path.is_empty() { String::new() } else { format!(" ({})", first.path) };
        return Err(format!("{}{place}", first.message));
    }
    let connector = connector.ok_or_else(|| "it is not a connector".to_owned())?;
    if connector.name != name {
        return Err(format!("it is called {name}{ENDING}, but names its connector '{}'", connector.name));
    }
    Ok(Arc::new(connector))
}

/// A connector by its name; nothing when there is none.
pub fn find(data: Option<&Path>, name: &str) -> Option<Entry> {
    let path = data.filter(|_| valid_name(name)).map(|data| path_of(data, name));
    if let Some(path) = path.filter(|path| path.symlink_metadata().is_ok()) {
        let connector = load(&path, name);
        return Some(Entry { name: name.to_owned(), connector, file: Some(path) });
    }
    let connector = shipped().get(name)?;
    Some(Entry { name: name.to_owned(), connector: Ok(Arc::clone(connector)), file: None })
}

/// Every connector of this machine, by name.
pub fn all(data: Option<&Path>) -> Vec<Entry> {
    let own = own_names(data);
    let names: BTreeSet<&str> = own.iter().map(String::as_str).chain(shipped().keys().map(String::as_str)).collect();
    names.into_iter().filter_map(|name| find(data, name)).collect()
}

/// The connectors that the steps of some workflows name.
pub(crate) fn known<'a>(workflows: impl Iterator<Item = &'a Workflow>, data: Option<&Path>) -> KnownConnectors {
    let mut known = KnownConnectors::default();
    for name in workflows.flat_map(connector::names) {
        if known.used.contains_key(name) || known.problems.contains_key(name) {
            continue;
        }
        match find(data, name).map(|entry| entry.connector) {
            Some(Ok(connector)) => {
                known.used.insert(name.to_owned(), connector);
            }
            Some(Err(why)) => {
                known.problems.insert(name.to_owned(), why);
            }
            // Only who misspells a name needs all of them.
            None if known.names.is_empty() => {
                let own = own_names(data);
                known.names = own.into_iter().chain(shipped().keys().cloned()).collect();
            }
            None => {}
        }
    }
    known
}

/// Text of a file that a person names.
///
/// # Errors
/// Too large, not UTF-8, or not readable.
pub fn text_of(file: &Path) -> ApiResult<String> {
    let about = fs::metadata(file).map_err(|error| io_error(&error, file, "read"))?;
    if about.len() > LARGEST as u64 {
        let message = format!("{} has {} bytes; {LARGEST} are the most.", file.display(), about.len());
        return Err(ApiError::new(Class::TooLarge, "TOO_LARGE", message, "Take out operations that are not needed."));
    }
    let bytes = fs::read(file).map_err(|error| io_error(&error, file, "read"))?;
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("{} is not UTF-8 text.", file.display());
        ApiError::bad_request(message, "Choose an OpenAPI document or a connector file, as JSON or YAML.")
    })
}

/// What a text would be as a connector: a connector file, or a document that is compiled.
fn connector_of(text: &str, name: Option<&str>, address: Option<&str>) -> ApiResult<Added> {
    let unreadable = |why: String| {
        let message = format!("The file cannot be read: {why}.");
        ApiError::new(
            Class::Invalid,
            "BAD_FILE",
            message,
            "Correct it, or choose an OpenAPI document or a connector file.",
        )
    };
    let value = read_value(text).map_err(unreadable)?;
    let made = if graphql::is_introspection(&value) || address.is_some() {
        let options = graphql::Options { name: name.map(str::to_owned), address: address.map(str::to_owned) };
        Some(graphql::compile(&value, &options).map_err(|refused| not_compiled("BAD_GRAPHQL", &refused))?)
    } else if openapi::is_document(&value) {
        let options = openapi::Options { name: name.map(str::to_owned) };
        Some(openapi::compile(&value, &options).map_err(|refused| not_compiled("BAD_OPENAPI", &refused))?)
    } else {
        None
    };
    let mut added = if let Some(made) = made {
        let openapi::Compiled { connector, findings, more, left_out } = made;
        Added { connector, file: PathBuf::new(), sha256: String::new(), replaced: false, findings, more, left_out }
    } else {
        let (connector, found) = read(text);
        let connector = connector.ok_or_else(|| refused(&found))?;
        if !found.is_empty() {
            return Err(refused(&found));
        }
        Added {
            connector,
            file: PathBuf::new(),
            sha256: String::new(),
            replaced: false,
            findings: Vec::new(),
            more: 0,
            left_out: 0,
        }
    };
    if let Some(name) = name {
        name.clone_into(&mut added.connector.name);
    }
    let found = connector::file::problems(&added.connector);
    if found.is_empty() { Ok(added) } else { Err(refused(&found)) }
}

fn not_compiled(code: &'static str, refused: &openapi::Refused) -> ApiError {
    ApiError::new(Class::Invalid, code, format!("{}.", refused.message), format!("{}.", refused.hint))
}

fn refused(found: &[Diagnostic]) -> ApiError {
    let first = found.first();
    let message = first.map_or_else(String::new, |one| match one.path.as_str() {
        "" => one.message.clone(),
        path => format!("{} ({path})", one.message),
    });
    let more = match found.len() {
        0 | 1 => String::new(),
        count => format!(" There are {} more errors.", count - 1),
    };
    let hint = first.map_or("Correct the file.", |one| &one.hint);
    ApiError::new(Class::Invalid, "BAD_CONNECTOR", format!("{message}.{more}"), hint.to_owned())
        .with(json!({ "diagnostics": found }))
}

/// Adds a connector from the text of a connector file, of an OpenAPI document or of a GraphQL introspection.
///
/// # Errors
/// What is wrong with the text or the name, or why the file cannot be written.
pub fn add_text(data: &Path, text: &str, name: Option<&str>, replace: bool) -> ApiResult<Added> {
    add(data, text, None, &Wanted { name, replace, ..Wanted::default() })
}

/// [`add_text`] with everything that can be wanted; `address` is the endpoint of a GraphQL service whose introspection the text is.
///
/// # Errors
/// As [`add_text`], and a credential for a service that takes none.
pub(crate) fn add(data: &Path, text: &str, address: Option<&str>, wanted: &Wanted<'_>) -> ApiResult<Added> {
    let Wanted { name, credential, replace } = *wanted;
    if let Some(name) = name.filter(|name| !valid_name(name)) {
        let message = format!("'{name}' is not a name of a connector.");
        return Err(ApiError::bad_request(message, "Use small letters, digits, - and _, for example my-shop."));
    }
    let mut added = connector_of(text, name, address)?;
    if let Some(credential) = credential {
        if added.connector.auth.is_empty() {
            let message = format!("The connector '{}' takes no credential.", added.connector.name);
            return Err(ApiError::bad_request(
                message,
                "Add it without a credential, or describe under 'auth' where the secret goes.",
            ));
        }
        added.connector.credential = Some(credential.to_owned());
    }
    let path = path_of(data, &added.connector.name);
    added.replaced = path.symlink_metadata().is_ok();
    if added.replaced && !replace {
        let message = format!("There is a connector '{}' already.", added.connector.name);
        return Err(ApiError::new(
            Class::Conflict,
            "CONNECTOR_EXISTS",
            message,
            "Give it another name, or replace it. Runs that have begun keep the operations they began with.",
        ));
    }
    let written = write(&added.connector).map_err(|why| {
        let message = format!("The connector cannot be written: {why}.");
        ApiError::new(Class::Invalid, "BAD_CONNECTOR", message, "Report this fault.")
    })?;
    ensure_folder(&folder(data))?;
    write_atomic(&path, written.as_bytes())?;
    added.file = path;
    added.sha256 = sha256_hex(written.as_bytes());
    Ok(added)
}

/// Everything that is wrong with a file, and what an import would leave out.
///
/// # Errors
/// The file cannot be read at all.
pub fn check(file: &Path) -> ApiResult<Checked> {
    let text = text_of(file)?;
    let made = match read_value(&text) {
        Ok(value) if openapi::is_document(&value) => openapi::compile(&value, &openapi::Options::default())
            .map_err(|refused| not_compiled("BAD_OPENAPI", &refused))?,
        Ok(value) if graphql::is_introspection(&value) => graphql::compile(&value, &graphql::Options::default())
            .map_err(|refused| not_compiled("BAD_GRAPHQL", &refused))?,
        Ok(_) | Err(_) => {
            let (connector, diagnostics) = read(&text);
            return Ok(Checked { connector, diagnostics, findings: Vec::new() });
        }
    };
    let diagnostics = connector::file::problems(&made.connector);
    Ok(Checked { connector: Some(made.connector), diagnostics, findings: made.findings })
}

/// Removes an own connector.
///
/// # Errors
/// There is none of this name.
pub fn remove(data: &Path, name: &str) -> ApiResult<PathBuf> {
    let path = path_of(data, name);
    if !valid_name(name) || path.symlink_metadata().is_err() {
        let hint = if shipped().contains_key(name) {
            format!("{name} comes with the program and cannot be removed.")
        } else {
            format!("There is no connector {name}; `signalbox connectors list` shows all.")
        };
        return Err(ApiError::not_found(hint));
    }
    fs::remove_file(&path).map_err(|error| io_error(&error, &path, "removed"))?;
    Ok(path)
}

/// The text of a connector's file.
///
/// # Errors
/// It cannot be read or written as text.
pub fn file_text(entry: &Entry) -> ApiResult<String> {
    if let Some(path) = &entry.file {
        return fs::read_to_string(path).map_err(|error| io_error(&error, path, "read"));
    }
    let connector = entry.connector.as_ref().map_err(|why| ApiError::bad_request(why.clone(), "Correct the file."))?;
    write(connector).map_err(|why| ApiError::bad_request(why, "Report this fault."))
}

/// Groups of a connector's operations, in the order of the file.
pub fn groups(connector: &Connector) -> Vec<(String, Vec<&str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, operation) in &connector.operations {
        let group = operation.group.as_deref().unwrap_or_default();
        let place = *places.entry(group).or_insert_with(|| {
            groups.push((group.to_owned(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(name);
    }
    groups
}
