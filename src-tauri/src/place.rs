//! Where the shell runs: the data folder and how the web view paints.

use signalbox_app::ApiError;
use std::path::PathBuf;

/// `--data DIR`, `SIGNALBOX_DATA`, else the platform's folder for app data; the same as the command line's.
pub(crate) fn data_folder() -> Result<PathBuf, ApiError> {
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--data" {
            return args
                .next()
                .map(PathBuf::from)
                .ok_or_else(|| ApiError::bad_request("--data names no folder.", "Write --data DIR."));
        }
    }
    match std::env::var_os("SIGNALBOX_DATA").filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(folder.into()),
        None => signalbox_app::default_data_dir(),
    }
}

/// Without a render node WebKitGTK paints 2.5 to 5 times faster when it leaves DMA-BUF alone. The variable must be set
/// before the web view's processes start, so the program starts itself once more with it.
#[cfg(target_os = "linux")]
pub(crate) fn software_painting() {
    use std::os::unix::process::CommandExt;
    const NAME: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    let has_render_node = std::fs::read_dir("/dev/dri")
        .is_ok_and(|entries| entries.flatten().any(|e| e.file_name().to_string_lossy().starts_with("renderD")));
    if has_render_node || std::env::var_os(NAME).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(NAME, "1").exec();
    // Slower painting is better than no window.
    eprintln!("The web view may paint slowly: {error}");
}

/// Other platforms need nothing.
#[cfg(not(target_os = "linux"))]
pub(crate) fn software_painting() {}
