//! What the arguments of a start ask the window for: a task by its link, or a workflow file by its path or address.

use crate::attention::task_of;
use crate::commands::handle_of;
use serde_json::{Value, json};
use signalbox_app::App;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tauri::Url;

/// What a start asks for. Nothing of it runs anything: a task is shown, and a file is opened in the builder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Task(String),
    File(PathBuf),
    /// A file at an address that is no path of this machine.
    Elsewhere(String),
}

impl Asked {
    /// A file as the window gets it: a handle as of a file that the person chose in a dialog, and what to show of it.
    pub(crate) fn told(self, app: &Arc<App>) -> Value {
        match self {
            Self::File(path) => handle_of(app, path),
            Self::Elsewhere(shown) | Self::Task(shown) => json!({ "shown": shown }),
        }
    }
}

/// The first of the arguments, without the program's name, that names a task or a file; relative paths start at `folder`.
pub(crate) fn asked(arguments: &[String], folder: &Path) -> Option<Asked> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--data" {
            rest.next();
        } else if let Some(found) = one(argument, folder) {
            return Some(found);
        }
    }
    None
}

fn one(argument: &str, folder: &Path) -> Option<Asked> {
    if argument.is_empty() || argument.starts_with('-') {
        return None;
    }
    let scheme = argument.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    if scheme.as_deref() == Some("file") {
        let path = Url::parse(argument).ok().and_then(|url| url.to_file_path().ok());
        return Some(path.map_or_else(|| Asked::Elsewhere(argument.to_owned()), Asked::File));
    }
    if let Some(task) = task_of(argument) {
        return Some(Asked::Task(task.to_owned()));
    }
    if argument.contains("://") {
        // A file manager gives such an address for a file of another machine. Any other link is nothing.
        return argument.ends_with(".json").then(|| Asked::Elsewhere(argument.to_owned()));
    }
    Some(Asked::File(folder.join(argument)))
}

/// The arguments of this process with the program's name, and the folder it was started in. A path that is no text becomes an
/// address: on the way to the first start arguments are text.
pub(crate) fn here() -> (Vec<String>, PathBuf) {
    (std::env::args_os().map(as_text).collect(), std::env::current_dir().unwrap_or_default())
}

fn as_text(argument: OsString) -> String {
    argument.into_string().unwrap_or_else(|raw| {
        let address = std::path::absolute(&raw).ok().and_then(|path| Url::from_file_path(path).ok());
        address.map_or_else(|| raw.to_string_lossy().into_owned(), Into::into)
    })
}

#[cfg(test)]
mod tests {
    use super::{Asked, as_text, asked};
    use std::path::Path;

    #[cfg(unix)]
    fn of(arguments: &[&str]) -> Option<Asked> {
        let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
        asked(&arguments, Path::new("/home/vera/flows"))
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_named_by_path_or_address() {
        let file = |path: &str| Some(Asked::File(path.into()));
        for (argument, path) in [
            ("/tmp/a.signalbox.json", "/tmp/a.signalbox.json"),
            ("a b.signalbox.json", "/home/vera/flows/a b.signalbox.json"),
            ("../Prüfung.signalbox.json", "/home/vera/flows/../Prüfung.signalbox.json"),
            ("12:30.signalbox.json", "/home/vera/flows/12:30.signalbox.json"),
            ("100%25.json", "/home/vera/flows/100%25.json"),
            ("file:///tmp/a%20b/Pr%C3%BCfung.signalbox.json", "/tmp/a b/Prüfung.signalbox.json"),
            ("file://localhost/tmp/a.signalbox.json", "/tmp/a.signalbox.json"),
            ("FILE:///tmp/Prüfung 2.signalbox.json", "/tmp/Prüfung 2.signalbox.json"),
        ] {
            assert_eq!(of(&[argument]), file(path), "{argument}");
        }
        assert_eq!(of(&["--data", "/data", "--verbose", "x.json", "y.json"]), file("/home/vera/flows/x.json"));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_files_of_other_machines_are_told_apart() {
        assert_eq!(of(&["signalbox://task/t1"]), Some(Asked::Task("t1".into())));
        for elsewhere in ["sftp://host/a.signalbox.json", "file://server/share/a.signalbox.json", "file://[/a"] {
            assert_eq!(of(&[elsewhere]), Some(Asked::Elsewhere(elsewhere.into())));
        }
        for nothing in
            ["", "-x", "--data=/data", "signalbox://run/r1", "signalbox://task/../a", "https://example.org/", "a://b"]
        {
            assert_eq!(of(&[nothing]), None, "{nothing}");
        }
        assert_eq!(of(&["--data", "/data"]), None);
        assert_eq!(of(&["--data"]), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_path_that_is_no_text_travels_as_an_address() {
        use std::os::unix::ffi::OsStringExt;
        let raw = std::ffi::OsString::from_vec(b"/tmp/Pr\xfcfung.signalbox.json".to_vec());
        let text = as_text(raw.clone());
        assert_eq!(text, "file:///tmp/Pr%FCfung.signalbox.json");
        assert_eq!(of(&[&text]), Some(Asked::File(raw.into())));
        assert_eq!(as_text("a b".into()), "a b");
    }
}
