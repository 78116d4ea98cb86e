//! What leads a person into the window from outside: links `signalbox://task/<id>`, files, and messages of the system.

use crate::commands::meant_for;
use crate::outside::{Asked, asked, here};
use serde_json::Value;
use signalbox_app::{ApiError, App};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::{AppHandle, Emitter, Manager, State, WebviewWindow};

/// The beginning of a link to a task.
const LINK: &str = "signalbox://task/";
/// Letters of a message; more is cut by the system anyway.
const LETTERS: usize = 300;

/// What came before the window could listen.
#[derive(Default)]
pub(crate) struct Linked {
    task: Waiting<String>,
    file: Waiting<Asked>,
}

struct Waiting<T>(Mutex<Kept<T>>);

struct Kept<T> {
    value: Option<T>,
    /// The window listens; what comes now is told to it.
    listens: bool,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self(Mutex::new(Kept { value: None, listens: false }))
    }
}

impl<T> Waiting<T> {
    /// Keeps a value for a window that does not listen yet, and gives it back for one that does.
    fn keep(&self, value: T) -> Option<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.listens {
            return Some(value);
        }
        kept.value = Some(value);
        None
    }

    /// The window listens from now on; gives what came before.
    fn take(&self) -> Option<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.listens = true;
        kept.value.take()
    }
}

/// The task of a link. Anything else is nothing: a link comes from any page and any program of this machine, so all that
/// it can do is to show a task.
pub(crate) fn task_of(link: &str) -> Option<&str> {
    let id = link.strip_prefix(LINK)?.trim_end_matches('/');
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    (!id.is_empty() && id.len() <= 100 && id.bytes().all(plain)).then_some(id)
}

/// Shows the window.
pub(crate) fn raise(handle: &AppHandle) {
    if let Some(window) = handle.get_webview_window("main") {
        // It may be hidden since it was closed. A window that cannot be raised is still there.
        let _ = window.show();
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}

/// Shows the window, and what the arguments of a start in `folder` name.
pub(crate) fn follow(handle: &AppHandle, arguments: &[String], folder: &Path) {
    raise(handle);
    show(handle, asked(arguments, folder));
}

/// Remembers what this program was started with.
pub(crate) fn started_with(handle: &AppHandle) {
    let (arguments, folder) = here();
    show(handle, asked(arguments.get(1..).unwrap_or_default(), &folder));
}

fn show(handle: &AppHandle, asked: Option<Asked>) {
    let linked = handle.state::<Linked>();
    // A window that is closing needs it no more.
    match asked {
        None => {}
        Some(Asked::Task(task)) => {
            if let Some(task) = linked.task.keep(task) {
                let _ = handle.emit_to("main", "task", task);
            }
        }
        Some(file) => {
            if let Some(file) = linked.file.keep(file) {
                let _ = handle.emit_to("main", "file", file.told(&handle.state::<Arc<App>>()));
            }
        }
    }
}

/// The window listens from now on; gives the task of the link that came before.
#[tauri::command]
pub(crate) fn linked_task(window: WebviewWindow, linked: State<'_, Linked>) -> Result<Option<String>, ApiError> {
    meant_for(&window)?;
    Ok(linked.task.take())
}

/// The window listens from now on; gives the file that came before.
#[tauri::command]
pub(crate) fn linked_file(
    window: WebviewWindow,
    linked: State<'_, Linked>,
    app: State<'_, Arc<App>>,
) -> Result<Option<Value>, ApiError> {
    meant_for(&window)?;
    Ok(linked.file.take().map(|file| file.told(&app)))
}

/// Says something by the system's messages; a press on it opens the task.
#[tauri::command]
pub(crate) fn notify(
    window: WebviewWindow,
    handle: AppHandle,
    title: String,
    body: String,
    task_id: Option<String>,
) -> Result<(), ApiError> {
    meant_for(&window)?;
    let cut = |text: String| -> String { text.chars().filter(|c| !c.is_control()).take(LETTERS).collect() };
    let mut message = notify_rust::Notification::new();
    // The body may be read as markup: a task's title comes from outside.
    message.appname("Signalbox").summary(&cut(title)).body(&escaped(&cut(body)));
    // On a thread of its own: it waits until the message is closed.
    let told = std::thread::Builder::new().name("message".into()).spawn(move || wait(message, &handle, task_id));
    // A message that cannot be shown is still in the inbox.
    drop(told);
    Ok(())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(all(unix, not(target_os = "macos")))]
fn wait(mut message: notify_rust::Notification, handle: &AppHandle, task: Option<String>) {
    message.action("default", "Open");
    // Without a service for messages nothing is shown; the inbox has it.
    let Ok(shown) = message.show() else { return };
    shown.wait_for_action(|action| {
        if action == "default" {
            raise(handle);
            show(handle, task.clone().map(Asked::Task));
        }
    });
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn wait(message: notify_rust::Notification, _: &AppHandle, _: Option<String>) {
    // Without a service for messages nothing is shown; the inbox has it.
    drop(message.show());
}

/// `--register-links`: lets this account's desktop open `signalbox://` with this program. Gives what the person is told.
#[cfg(target_os = "linux")]
pub(crate) fn register_links() -> Result<String, String> {
    const FILE: &str = "app.signalbox.desktop.desktop";
    const SCHEME: &str = "x-scheme-handler/signalbox";
    // Ours stands beside what the desktop reads.
    let own =
        signalbox_app::default_data_dir().map_err(|_| "The folder for the data of programs is not known. Set HOME.")?;
    let folder = own.with_file_name("applications");
    let program =
        std::env::current_exe().map_err(|error| format!("This program does not know where it is: {error}."))?;
    let path = folder.join(FILE);
    let written =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, entry(&program.to_string_lossy())));
    written.map_err(|error| format!("{} cannot be written: {error}.", path.display()))?;
    // Desktops read the entry of an account only when it is also named as the default.
    let named = std::process::Command::new("xdg-mime").args(["default", FILE, SCHEME]).output();
    Ok(if named.is_ok_and(|done| done.status.success()) {
        format!("{} is written, and links open with it.", path.display())
    } else {
        format!(
            "{} is written. xdg-mime could not name it as the default: if links do not open, install xdg-utils and run \
             `xdg-mime default {FILE} {SCHEME}`.",
            path.display()
        )
    })
}

/// The desktop entry. The program's path is quoted as the standard for desktop entries says, and only when it must be:
/// `xdg-open` takes the quotes for a part of the path on desktops that it does not know.
#[cfg(target_os = "linux")]
fn entry(program: &str) -> String {
    let quoted: String = program
        .chars()
        .flat_map(|c| match c {
            '"' | '`' | '$' | '\\' => vec!['\\', '\\', c],
            '%' => vec!['%', '%'],
            other => vec![other],
        })
        .collect();
    let plain = program.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+@:,=%".contains(&b) || !b.is_ascii());
    let quoted = if plain { quoted } else { format!("\"{quoted}\"") };
    format!(
        "[Desktop Entry]\nType=Application\nName=Signalbox\nComment=Draw a workflow, run it, answer what it asks\n\
         Exec={quoted} %u\nTerminal=false\nCategories=Development;\nMimeType=x-scheme-handler/signalbox;application/vnd.signalbox.workflow+json;\n"
    )
}

/// Other platforms register links when the program is installed.
#[cfg(not(target_os = "linux"))]
pub(crate) fn register_links() -> Result<String, String> {
    Err("Links are registered when Signalbox is installed.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Waiting, escaped, task_of};

    #[test]
    fn what_came_before_the_window_listens_waits_for_it() {
        let waiting = Waiting::default();
        assert_eq!(waiting.keep("first"), None);
        assert_eq!(waiting.keep("second"), None);
        assert_eq!(waiting.take(), Some("second"));
        assert_eq!(waiting.take(), None);
        assert_eq!(waiting.keep("third"), Some("third"));
    }

    #[test]
    fn a_link_names_a_task_and_nothing_else() {
        assert_eq!(task_of("signalbox://task/tc2446a97ce6a3bd7"), Some("tc2446a97ce6a3bd7"));
        assert_eq!(task_of("signalbox://task/t-1_2/"), Some("t-1_2"));
        for other in [
            "signalbox://task/",
            "signalbox://task/a/b",
            "signalbox://task/a?b=c",
            "signalbox://task/..",
            "signalbox://task/a%2fb",
            "signalbox://run/r1",
            "SIGNALBOX://task/a",
            "--data",
            "javascript:alert(1)",
        ] {
            assert_eq!(task_of(other), None, "{other}");
        }
        assert_eq!(task_of(&format!("signalbox://task/{}", "a".repeat(101))), None);
    }

    #[test]
    fn a_message_holds_no_markup() {
        assert_eq!(escaped("<a href='x'>&"), "&lt;a href='x'&gt;&amp;");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_desktop_entry_quotes_the_program_when_it_must() {
        let entry = super::entry("/opt/a \"b\"/50%/signalbox-desktop");
        assert!(entry.contains("Exec=\"/opt/a \\\\\"b\\\\\"/50%%/signalbox-desktop\" %u\n"), "{entry}");
        let entry = super::entry("/opt/signalbox/50%/signalbox-desktop");
        assert!(entry.contains("Exec=/opt/signalbox/50%%/signalbox-desktop %u\n"), "{entry}");
        assert!(entry.contains("MimeType=x-scheme-handler/signalbox;application/vnd.signalbox.workflow+json;\n"));
    }
}
