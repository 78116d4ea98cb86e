//! Closing the window. While workflows are active the program can stay in the background, because nothing starts them
//! when it has ended. The page asks once; the answer is kept in the person's settings.

use crate::commands::meant_for;
use crate::tray::Tray;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use signalbox_app::dto::{AppSettings, Closing};
use signalbox_app::{ApiError, App, Caller};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tauri::{AppHandle, CloseRequestApi, Emitter, Manager, State, WebviewWindow, Window};

/// Where the question to the person stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The page is not there yet: nobody can be asked.
    #[default]
    NoPage,
    /// Nothing is asked.
    Idle,
    /// The page was told to ask, and has not said that it does.
    Sent,
    /// The person sees the question.
    Shown,
}

/// The question of this process.
#[derive(Default)]
pub(crate) struct Question(Mutex<Stage>);

impl Question {
    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the page says about the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PageReply {
    /// It can ask from now on.
    Ready,
    /// The person sees the question.
    Shown,
    /// The window stays open.
    Stay,
    /// The window is hidden and the program goes on.
    Background,
    /// The program ends.
    Quit,
}

/// What the page has to know for its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Asked {
    /// How many workflows are active.
    active: usize,
    /// The window can be opened from the tray.
    tray: bool,
}

/// What a press on the cross leads to.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Quit,
    Hide,
    Ask(usize),
}

fn next(active: usize, chosen: Option<Closing>) -> Next {
    match chosen {
        _ if active == 0 => Next::Quit,
        Some(Closing::Quit) => Next::Quit,
        Some(Closing::Background) => Next::Hide,
        None => Next::Ask(active),
    }
}

/// The window is to be closed. It never stays open because something failed: then it is closed as it always was.
pub(crate) fn requested(window: &Window, api: &CloseRequestApi) {
    let handle = window.app_handle().clone();
    // Without an open data folder the window shows why, and nothing can run.
    let Some(app) = handle.try_state::<Arc<App>>().map(|app| Arc::clone(&app)) else { return };
    match *handle.state::<Question>().stage() {
        // Nobody can be asked; or the page was told and does not answer, and a second press ends the program.
        Stage::NoPage | Stage::Sent => return,
        // The question is in front of the person.
        Stage::Shown => return api.prevent_close(),
        Stage::Idle => api.prevent_close(),
    }
    tauri::async_runtime::spawn(async move {
        match decide(&app).await {
            Next::Quit => handle.exit(0),
            Next::Hide => hide(&handle),
            Next::Ask(active) => ask(&handle, active),
        }
    });
}

async fn decide(app: &Arc<App>) -> Next {
    let active = read(app, "activation_list")
        .await
        .and_then(|list| Some(list.as_array()?.iter().filter(|one| one["active"] == true).count()));
    let settings = read(app, "settings_get").await.and_then(|value| serde_json::from_value::<AppSettings>(value).ok());
    next(active.unwrap_or(0), settings.and_then(|settings| settings.closing))
}

async fn read(app: &Arc<App>, command: &str) -> Option<Value> {
    let text = app.dispatch_text(&Caller::here(), command, json!({})).await.ok()?;
    serde_json::from_str(&text).ok()
}

fn ask(handle: &AppHandle, active: usize) {
    *handle.state::<Question>().stage() = Stage::Sent;
    let asked = Asked { active, tray: handle.state::<Tray>().is_shown() };
    // The question is asked in the window, which may be minimized.
    crate::attention::raise(handle);
    if handle.emit_to("main", "closing", asked).is_err() {
        handle.exit(0);
    }
}

fn hide(handle: &AppHandle) {
    let hidden = handle.get_webview_window("main").map(|window| window.hide());
    if !matches!(hidden, Some(Ok(()))) {
        handle.exit(0);
    }
}

/// The page says where its question stands, or what the person answered.
#[tauri::command]
pub(crate) fn closing(
    window: WebviewWindow,
    handle: AppHandle,
    question: State<'_, Question>,
    said: PageReply,
) -> Result<(), ApiError> {
    meant_for(&window)?;
    *question.stage() = if said == PageReply::Shown { Stage::Shown } else { Stage::Idle };
    match said {
        PageReply::Ready | PageReply::Shown | PageReply::Stay => {}
        PageReply::Background => hide(&handle),
        PageReply::Quit => handle.exit(0),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
