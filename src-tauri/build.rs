//! Checks the shell's configuration and embeds the UI, which must have been built.

fn main() {
    let dist = std::path::Path::new("../ui/dist/index.html");
    println!("cargo::rerun-if-changed=../ui/dist");
    assert!(
        dist.exists(),
        "The UI is not built: ui/dist/index.html is missing. Run `cargo xtask run`, or `npm ci && npm run build` in ui/."
    );
    tauri_build::build();
}
