//! What the window may ask: one command for the whole command list, the event pump, and the system's dialogs.

use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller, list_text};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tauri::{AppHandle, State, Theme, WebviewWindow, ipc::Channel};
use tauri_plugin_dialog::{DialogExt, FilePath};
use tokio::sync::watch;

/// The one window that the command list is meant for.
const WINDOW: &str = "main";

/// Open event pumps by the id that the window gave.
#[derive(Default)]
pub(crate) struct Subscriptions(Mutex<HashMap<String, watch::Sender<bool>>>);

impl Subscriptions {
    fn all(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<bool>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A pump under way, known by its id as long as it is there.
    fn begin(&self, id: String) -> Pump<'_> {
        let (stop, stopped) = watch::channel(false);
        self.all().insert(id.clone(), stop);
        Pump { open: self, id, stopped }
    }
}

struct Pump<'a> {
    open: &'a Subscriptions,
    id: String,
    stopped: watch::Receiver<bool>,
}

impl Drop for Pump<'_> {
    fn drop(&mut self) {
        self.open.all().remove(&self.id);
    }
}

pub(crate) fn meant_for(window: &WebviewWindow) -> Result<(), ApiError> {
    if window.label() == WINDOW {
        return Ok(());
    }
    Err(ApiError::forbidden("This window may not call commands.", "Use the main window."))
}

/// Runs one command of the command list. Request and answer travel as JSON text: on the way through the page's own reader whole
/// numbers of 64 bits would become others.
#[tauri::command]
pub(crate) async fn rpc(
    window: WebviewWindow,
    app: State<'_, Arc<App>>,
    cmd: String,
    payload: String,
) -> Result<String, ApiError> {
    meant_for(&window)?;
    let payload: Value = serde_json::from_str(&payload)
        .map_err(|error| ApiError::bad_request(format!("The request cannot be read: {error}."), "Send JSON."))?;
    let asked = theme_of(&cmd, &payload);
    let answer = app.dispatch_text(&Caller::here(), &cmd, payload).await?;
    let told = || if cmd == "settings_get" { theme_of(&cmd, &serde_json::from_str(&answer).ok()?) } else { None };
    if let Some(theme) = asked.or_else(told) {
        frame_theme(&window, theme);
    }
    Ok(answer)
}

/// The theme that the settings name, when the command reads or keeps them.
fn theme_of(cmd: &str, value: &Value) -> Option<Option<Theme>> {
    let settings = match cmd {
        "settings_get" => value,
        "settings_set" => value.get("settings")?,
        _ => return None,
    };
    match settings.get("theme")?.as_str()? {
        "light" => Some(Some(Theme::Light)),
        "dark" => Some(Some(Theme::Dark)),
        _ => Some(None),
    }
}

/// Title bar and menu bar take the theme of the page. Without one they go back to what the system had at the start:
/// GTK keeps no second answer to "what does the system say" once it was told otherwise.
fn frame_theme(window: &WebviewWindow, theme: Option<Theme>) {
    static SYSTEM: OnceLock<Option<Theme>> = OnceLock::new();
    let system = *SYSTEM.get_or_init(|| window.theme().ok());
    let theme = if cfg!(target_os = "linux") { theme.or(system) } else { theme };
    // A frame in the other theme is no reason to fail.
    let _ = window.set_theme(theme);
}

/// Sends the events of a run after `after`, in batches, until the run has ended or the window unsubscribes. An empty
/// batch is the last one: a large batch travels slower than this command's answer, so the answer says nothing about
/// what has arrived.
#[tauri::command]
pub(crate) async fn rpc_subscribe(
    window: WebviewWindow,
    app: State<'_, Arc<App>>,
    open: State<'_, Subscriptions>,
    id: String,
    run_id: String,
    after: u64,
    channel: Channel<String>,
) -> Result<(), ApiError> {
    meant_for(&window)?;
    let mut pump = open.begin(id);
    let mut stream = app.subscribe(&Caller::here(), run_id, after).await?;
    loop {
        let batch = tokio::select! {
            batch = stream.next() => batch,
            _ = pump.stopped.changed() => break,
        };
        let last = batch.is_none();
        // A closed window no longer listens.
        if channel.send(list_text(&batch.unwrap_or_default())).is_err() || last {
            break;
        }
    }
    Ok(())
}

/// Says that tasks have changed, until the window unsubscribes.
#[tauri::command]
pub(crate) async fn rpc_task_changes(
    window: WebviewWindow,
    app: State<'_, Arc<App>>,
    open: State<'_, Subscriptions>,
    id: String,
    channel: Channel<i64>,
) -> Result<(), ApiError> {
    meant_for(&window)?;
    let mut pump = open.begin(id);
    let mut changes = app.task_changes();
    loop {
        let change = tokio::select! {
            change = changes.next() => change,
            _ = pump.stopped.changed() => break,
        };
        // The program ends, or a closed window no longer listens.
        let Some(change) = change else { break };
        if channel.send(change).is_err() {
            break;
        }
    }
    Ok(())
}

/// Ends an event pump.
#[tauri::command]
pub(crate) fn rpc_unsubscribe(
    window: WebviewWindow,
    open: State<'_, Subscriptions>,
    id: String,
) -> Result<(), ApiError> {
    meant_for(&window)?;
    if let Some(stop) = open.all().remove(&id) {
        // The pump may have ended by itself.
        let _ = stop.send(true);
    }
    Ok(())
}

/// What a person chose in a dialog; nothing when they closed it.
async fn chosen(show: impl FnOnce(Answer)) -> Option<PathBuf> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    show(Box::new(move |path| {
        // The command may have been given up.
        drop(sender.send(path));
    }));
    receiver.await.ok().flatten()?.into_path().ok()
}

/// Takes what a dialog of the system gives.
type Answer = Box<dyn FnOnce(Option<FilePath>) + Send>;

/// Asks the person for a workflow file; gives a handle, never a path that a later command would trust.
#[tauri::command]
pub(crate) async fn pick_file(
    window: WebviewWindow,
    handle: AppHandle,
    app: State<'_, Arc<App>>,
) -> Result<Option<Value>, ApiError> {
    meant_for(&window)?;
    let dialog = handle.dialog().file().set_parent(&window).add_filter("Signalbox workflow", &["json"]);
    Ok(chosen(|answer| dialog.pick_file(answer)).await.map(|path| handle_of(&app, path)))
}

/// Asks the person for a folder; gives a handle.
#[tauri::command]
pub(crate) async fn pick_folder(
    window: WebviewWindow,
    handle: AppHandle,
    app: State<'_, Arc<App>>,
) -> Result<Option<Value>, ApiError> {
    meant_for(&window)?;
    let dialog = handle.dialog().file().set_parent(&window);
    Ok(chosen(|answer| dialog.pick_folder(answer)).await.map(|path| handle_of(&app, path)))
}

/// Asks the person where a file of this name goes, and writes it there. Downloads of a page go nowhere in a window.
#[tauri::command]
pub(crate) async fn save_file(
    window: WebviewWindow,
    handle: AppHandle,
    name: String,
    base64: String,
) -> Result<Option<String>, ApiError> {
    meant_for(&window)?;
    let dialog = handle.dialog().file().set_parent(&window).set_file_name(&name);
    let Some(path) = chosen(|answer| dialog.save_file(answer)).await else { return Ok(None) };
    let shown = path.display().to_string();
    App::save_chosen(path, base64).await?;
    Ok(Some(shown))
}

/// Asks the person where a copy of a file that a run wrote goes, and copies it there; it never travels through the page.
#[tauri::command]
pub(crate) async fn save_run_file(
    window: WebviewWindow,
    handle: AppHandle,
    app: State<'_, Arc<App>>,
    run_id: String,
    seq: u64,
    name: String,
    accept_changed: bool,
) -> Result<Option<String>, ApiError> {
    meant_for(&window)?;
    // What cannot be read is told before the person chooses a place.
    app.run_file(&Caller::here(), run_id.clone(), seq, accept_changed).await?;
    let dialog = handle.dialog().file().set_parent(&window).set_file_name(&name);
    let Some(path) = chosen(|answer| dialog.save_file(answer)).await else { return Ok(None) };
    let shown = path.display().to_string();
    app.run_file_to(&Caller::here(), (run_id, seq), accept_changed, path, true).await?;
    Ok(Some(shown))
}

pub(crate) fn handle_of(app: &Arc<App>, path: PathBuf) -> Value {
    let shown = path.display().to_string();
    json!({ "handle": app.choose(path), "shown": shown })
}
