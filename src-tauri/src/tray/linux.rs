//! The tray of Linux desktops.

use crate::attention::raise;
use ksni::blocking::{Handle, TrayMethods};
use ksni::menu::{MenuItem, StandardItem};
use ksni::{Icon, OfflineReason, Status, ToolTip};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use tauri::{AppHandle, Emitter};

/// The tray of this process.
#[derive(Default)]
pub(crate) struct Tray(Arc<Shown>);

#[derive(Default)]
struct Shown {
    /// Once the session's bus has answered.
    item: OnceLock<Handle<Item>>,
    /// What the page told last, maybe before there was a tray.
    open: AtomicU32,
    /// No bar of the desktop shows the icon.
    missing: AtomicBool,
}

impl Tray {
    /// Shows the icon as soon as a desktop takes it. On a thread of its own: the session's bus may be slow, or missing.
    pub(crate) fn start(&self, handle: &AppHandle) {
        let (shown, handle) = (Arc::clone(&self.0), handle.clone());
        let started = std::thread::Builder::new().name("tray".into()).spawn(move || {
            let plain = handle.default_window_icon().map(|icon| pixmap(icon.rgba(), icon.width(), icon.height()));
            let item = Item { marked: plain.clone().map(marked), plain, handle, open: 0, shown: Arc::clone(&shown) };
            // Without a bus there is no tray. A bar that starts after this program still gets the icon.
            if let Ok(item) = item.assume_sni_available(true).spawn() {
                drop(shown.item.set(item));
                shown.tell();
            }
        });
        drop(started);
    }

    /// Whether a bar of the desktop shows the icon.
    pub(crate) fn is_shown(&self) -> bool {
        self.0.item.get().is_some() && !self.0.missing.load(Ordering::SeqCst)
    }

    pub(super) fn count(&self, open: u32) {
        self.0.open.store(open, Ordering::SeqCst);
        self.0.tell();
    }
}

impl Shown {
    fn tell(&self) {
        if let Some(item) = self.item.get() {
            // Read where it is shown: of two that tell at once the last has the newest count.
            item.update(|item| item.open = self.open.load(Ordering::SeqCst));
        }
    }
}

pub(crate) struct Item {
    open: u32,
    plain: Option<Icon>,
    marked: Option<Icon>,
    handle: AppHandle,
    shown: Arc<Shown>,
}

impl Item {
    fn go(&self, action: &str) {
        raise(&self.handle);
        // A window that is closing needs it no more.
        let _ = self.handle.emit("menu", action);
    }
}

/// What stands beside the icon and in its menu.
pub(super) fn words(open: u32) -> String {
    match open {
        0 => "No task waits".to_owned(),
        1 => "1 task waits for a person".to_owned(),
        open => format!("{open} tasks wait for a person"),
    }
}

impl ksni::Tray for Item {
    fn id(&self) -> String {
        "signalbox".into()
    }

    fn title(&self) -> String {
        "Signalbox".into()
    }

    fn status(&self) -> Status {
        if self.open > 0 { Status::NeedsAttention } else { Status::Active }
    }

    fn icon_pixmap(&self) -> Vec<Icon> {
        self.plain.clone().into_iter().collect()
    }

    fn attention_icon_pixmap(&self) -> Vec<Icon> {
        self.marked.clone().into_iter().collect()
    }

    fn tool_tip(&self) -> ToolTip {
        ToolTip { title: "Signalbox".into(), description: words(self.open), ..ToolTip::default() }
    }

    fn watcher_online(&self) {
        self.shown.missing.store(false, Ordering::SeqCst);
    }

    fn watcher_offline(&self, _: OfflineReason) -> bool {
        self.shown.missing.store(true, Ordering::SeqCst);
        // The bar may start later, or again.
        true
    }

    fn activate(&mut self, _: i32, _: i32) {
        if self.open > 0 {
            self.go("go.inbox");
        } else {
            raise(&self.handle);
        }
    }

    fn menu(&self) -> Vec<MenuItem<Self>> {
        let inbox =
            if self.open > 0 { format!("{}: open the inbox", words(self.open)) } else { "Open the inbox".into() };
        let entry = |label: String, act: fn(&mut Self)| -> MenuItem<Self> {
            StandardItem { label, activate: Box::new(act), ..StandardItem::default() }.into()
        };
        vec![
            entry(inbox, |item| item.go("go.inbox")),
            entry("Open Signalbox".into(), |item| raise(&item.handle)),
            // Asks in the window before anything is deactivated.
            entry("Deactivate all workflows…".into(), |item| item.go("automations.pauseAll")),
            MenuItem::Separator,
            entry("Quit".into(), |item| item.handle.exit(0)),
        ]
    }
}

/// Pixels as the desktop wants them: alpha first.
pub(super) fn pixmap(rgba: &[u8], width: u32, height: u32) -> Icon {
    let data = rgba.chunks_exact(4).flat_map(|pixel| [pixel[3], pixel[0], pixel[1], pixel[2]]).collect();
    Icon { width: width.cast_signed(), height: height.cast_signed(), data }
}

/// The same icon with a dot in the colour of people.
pub(super) fn marked(mut icon: Icon) -> Icon {
    const PEOPLE: [u8; 4] = [0xff, 0x63, 0x38, 0xc9];
    let (width, height) = (i64::from(icon.width), i64::from(icon.height));
    let radius = width.min(height) / 5;
    let (middle_x, middle_y) = (width - radius - 1, radius);
    for (at, pixel) in (0_i64..).zip(icon.data.chunks_exact_mut(4)) {
        let (x, y) = (at % width - middle_x, at / width - middle_y);
        if x * x + y * y <= radius * radius {
            pixel.copy_from_slice(&PEOPLE);
        }
    }
    icon
}

#[cfg(test)]
mod tests;
