//! The tray: how many tasks wait for a person, where the desktop has one. On Linux it is spoken over D-Bus
//! (StatusNotifierItem): no library is looked for at run time, and a desktop without a tray lacks nothing but the tray.

use crate::commands::meant_for;
use signalbox_app::ApiError;
use tauri::{State, WebviewWindow};

/// The page tells how many tasks wait: it is the one that counts, with the rights of its person.
#[tauri::command]
pub(crate) async fn waiting(window: WebviewWindow, tray: State<'_, Tray>, open: u32) -> Result<(), ApiError> {
    meant_for(&window)?;
    tray.count(open);
    Ok(())
}

#[cfg(target_os = "linux")]
pub(crate) use linux::Tray;

/// Other systems have the count in the title of the window.
#[cfg(not(target_os = "linux"))]
#[derive(Default)]
pub(crate) struct Tray;

#[cfg(not(target_os = "linux"))]
impl Tray {
    pub(crate) fn start(&self, _: &tauri::AppHandle) {}
    fn count(&self, _: u32) {}
    pub(crate) fn is_shown(&self) -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
mod linux;
