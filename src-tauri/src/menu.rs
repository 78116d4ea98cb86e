//! The native menu. An item tells the window the id of an action; the action itself, its keys and whether it can be done
//! now belong to the UI's one action list.

use tauri::{
    AppHandle, Emitter, Runtime,
    menu::{Menu, MenuBuilder, MenuEvent, SubmenuBuilder},
};

/// (menu, [(action id, text)]); `-` is a divider.
pub(crate) const MENUS: &[(&str, &[(&str, &str)])] = &[
    (
        "File",
        &[
            ("app.new", "New workflow"),
            ("app.open", "Open…"),
            ("workflow.save", "Save"),
            ("-", ""),
            ("app.quit", "Quit"),
        ],
    ),
    (
        "Edit",
        &[
            ("edit.undo", "Undo"),
            ("edit.redo", "Redo"),
            ("-", ""),
            ("canvas.duplicate", "Duplicate"),
            ("canvas.selectAll", "Select all steps"),
            ("canvas.find", "Find a step"),
        ],
    ),
    (
        "View",
        &[
            ("canvas.fit", "Fit the workflow"),
            ("canvas.tidy", "Tidy up"),
            ("view.log", "Detail log"),
            ("view.panel", "Step panel"),
            ("-", ""),
            ("app.palette", "Find anything"),
            ("app.shortcuts", "Keyboard shortcuts"),
        ],
    ),
    ("Run", &[("run.start", "Run"), ("run.cancel", "Cancel the run")]),
    (
        "Go",
        &[
            ("go.workflows", "Workflows"),
            ("go.runs", "Runs"),
            ("go.inbox", "Inbox"),
            ("go.audit", "Audit"),
            ("go.catalog", "Catalog"),
            ("go.settings", "Settings"),
        ],
    ),
];

/// Builds the menu.
pub(crate) fn build<R: Runtime>(handle: &AppHandle<R>) -> tauri::Result<Menu<R>> {
    let mut menu = MenuBuilder::new(handle);
    for (title, items) in MENUS {
        let mut submenu = SubmenuBuilder::new(handle, title);
        for (id, text) in *items {
            submenu = if *id == "-" { submenu.separator() } else { submenu.text(*id, *text) };
        }
        menu = menu.item(&submenu.build()?);
    }
    menu.build()
}

/// An item was chosen.
pub(crate) fn chosen<R: Runtime>(handle: &AppHandle<R>, event: MenuEvent) {
    if event.id().as_ref() == "app.quit" {
        handle.exit(0);
        return;
    }
    // Without a window there is nothing to act on.
    let _ = handle.emit("menu", event.id().as_ref());
}

#[cfg(test)]
mod tests;
