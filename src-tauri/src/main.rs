//! The desktop shell: one window, the native menu, one `rpc` command, the event pump. No logic: what a command does is
//! in `signalbox-app`.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

mod attention;
mod browser;
mod closing;
mod commands;
mod menu;
mod outside;
mod place;
mod second_start;
mod tray;

use signalbox_app::{ApiError, App, Options, dto::Host, script};
use std::sync::Arc;
use tauri::{Manager, RunEvent, Url, WebviewUrl, WebviewWindowBuilder, WindowEvent};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};
use tauri_plugin_window_state::StateFlags;

fn main() {
    if script::is_worker() {
        return script::serve_all();
    }
    if std::env::args_os().any(|argument| argument == "--register-links") {
        let (told, code) = match attention::register_links() {
            Ok(told) => (told, 0),
            Err(why) => (why, 1),
        };
        eprintln!("{told}");
        std::process::exit(code);
    }
    let context = tauri::generate_context!();
    match second_start::hand_over(&context.config().identifier) {
        Ok(second_start::Start::First) => {}
        Ok(second_start::Start::HandedOver) => return,
        Err(why) => {
            eprintln!("{why}");
            std::process::exit(1);
        }
    }
    place::software_painting();
    let built = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, arguments, folder| {
            attention::follow(app, arguments.get(1..).unwrap_or_default(), std::path::Path::new(&folder));
        }))
        .plugin(tauri_plugin_dialog::init())
        // A window that was hidden when the program ended is shown at the next start.
        .plugin(
            tauri_plugin_window_state::Builder::default()
                .with_state_flags(StateFlags::all() & !StateFlags::VISIBLE)
                .build(),
        )
        .manage(commands::Subscriptions::default())
        .manage(attention::Linked::default())
        .manage(tray::Tray::default())
        .manage(closing::Question::default())
        .append_invoke_initialization_script(include_str!("prototype.js"))
        .invoke_handler(tauri::generate_handler![
            commands::rpc,
            commands::rpc_subscribe,
            commands::rpc_task_changes,
            commands::rpc_unsubscribe,
            commands::pick_file,
            commands::pick_folder,
            commands::save_file,
            commands::save_run_file,
            attention::linked_task,
            attention::linked_file,
            attention::notify,
            tray::waiting,
            closing::closing
        ])
        .menu(menu::build)
        .on_menu_event(menu::chosen)
        .on_window_event(|window, event| {
            if let WindowEvent::CloseRequested { api, .. } = event {
                closing::requested(window, api);
            }
        })
        .setup(|handle| {
            attention::started_with(handle.handle());
            match open() {
                Ok(app) => {
                    handle.manage(app);
                    window(handle.handle())?;
                    handle.state::<tray::Tray>().start(handle.handle());
                }
                Err(error) => {
                    eprintln!("{}\n{}", error.message, error.hint);
                    handle
                        .dialog()
                        .message(format!("{}\n\n{}", error.message, error.hint))
                        .title("Signalbox cannot start")
                        .kind(MessageDialogKind::Error)
                        .show(|_| std::process::exit(1));
                }
            }
            Ok(())
        })
        .build(context);
    let shell = match built {
        Ok(shell) => shell,
        Err(error) => {
            eprintln!(
                "Signalbox cannot open a window: {error}. Without a display, `signalbox serve --ui` shows the same in a browser."
            );
            std::process::exit(1);
        }
    };
    shell.run(|handle, event| match event {
        RunEvent::Exit => {
            if let Some(app) = handle.try_state::<Arc<App>>() {
                // Runs are given back, so that the next start or another process goes on with them at once.
                tauri::async_runtime::block_on(app.shut_down());
            }
        }
        // macOS starts no second process for a program that runs.
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => attention::raise(handle),
        // macOS names files and links by this event, not by arguments.
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => {
            let addresses: Vec<String> = urls.into_iter().map(Into::into).collect();
            attention::follow(handle, &addresses, std::path::Path::new(""));
        }
        _ => {}
    });
}

fn open() -> Result<Arc<App>, ApiError> {
    let data = place::data_folder()?;
    let app = App::open(&data, Options { host: Host::Desktop, allow: Vec::new(), stays: true, reads: false })?;
    app.set_browser(browser::open);
    app.trace_runs(|why| eprintln!("{why}"))?;
    Ok(app)
}

fn window(handle: &tauri::AppHandle) -> tauri::Result<()> {
    WebviewWindowBuilder::new(handle, "main", WebviewUrl::App("index.html".into()))
        .title("Signalbox")
        .inner_size(1440.0, 900.0)
        .min_inner_size(880.0, 560.0)
        // The page counts the tasks that wait in its title: the window's title is what the task bar shows.
        .on_document_title_changed(|window, title| {
            // A title is no reason to fail.
            let _ = window.set_title(&title);
        })
        .on_navigation(is_own)
        .on_new_window(|_, _| tauri::webview::NewWindowResponse::Deny)
        .disable_drag_drop_handler()
        .build()?;
    Ok(())
}

/// The window never leaves the app's own pages.
fn is_own(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // Windows and Android serve the app from this address.
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
