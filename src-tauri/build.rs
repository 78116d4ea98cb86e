//! Checks the shell's configuration and embeds the UI, which must have been built.

fn main() {
    let dist = std::path::Path::new("../ui/dist/index.html");
    println!("cargo::rerun-if-changed=../ui/dist");
    assert!(
        dist.exists(),
        "The UI is not built: ui/dist/index.html is missing. Run `cargo xtask run`, or `npm ci && npm run build` in ui/."
    );
    // Naming the commands takes them away from every window that no capability gives them to.
    let commands = tauri_build::AppManifest::new().commands(&[
        "rpc",
        "rpc_subscribe",
        "rpc_task_changes",
        "rpc_unsubscribe",
        "pick_file",
        "pick_folder",
        "save_file",
        "save_run_file",
        "linked_task",
        "linked_file",
        "notify",
        "waiting",
        "closing",
    ]);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands)) {
        println!("cargo::error={error:#}");
    }
}
