//! Where the shell runs: the data folder and how the web view paints.

use signalbox_app::ApiError;
use std::ffi::OsString;
use std::path::PathBuf;

/// `--data DIR`, `SIGNALBOX_DATA`, else the platform's folder for app data; the same as the command line's.
pub(crate) fn data_folder() -> Result<PathBuf, ApiError> {
    let given = match named(std::env::args_os().skip(1)) {
        Some(folder) => {
            Some(folder.ok_or_else(|| ApiError::bad_request("--data names no folder.", "Write --data DIR."))?)
        }
        None => std::env::var_os("SIGNALBOX_DATA"),
    };
    match given.filter(|folder| !folder.is_empty()) {
        Some(folder) => Ok(std::path::absolute(&folder).unwrap_or_else(|_| folder.into())),
        None => signalbox_app::default_data_dir(),
    }
}

/// What `--data` names, when it is there.
fn named(mut args: impl Iterator<Item = OsString>) -> Option<Option<OsString>> {
    while let Some(arg) = args.next() {
        if arg == "--data" {
            return Some(args.next());
        }
        if let Some(folder) = arg.to_str().and_then(|arg| arg.strip_prefix("--data=")) {
            return Some(Some(folder.into()));
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn the_data_folder_is_named_as_on_the_command_line() {
        let named = |args: &[&str]| named(args.iter().map(Into::into));
        assert_eq!(named(&["--data", "/a b"]), Some(Some("/a b".into())));
        assert_eq!(named(&["x", "--data=/a"]), Some(Some("/a".into())));
        assert_eq!((named(&["--data"]), named(&["--database=/a"])), (Some(None), None));
    }
}
