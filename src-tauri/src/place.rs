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

/// What the web view is started with on a machine without a render node (docs/adr/0225). It paints 2.5 to 5 times faster when it
/// leaves DMA-BUF alone. The next two keep GTK and the web view from loading GL into this process only to ask what it can do:
/// without a GPU that is a compiler in software, 11 MB for nothing. The last one keeps threads from having a heap each, which are
/// empty for the most part: the process computes little at once, and the program for much work is `signalbox serve`.
#[cfg(target_os = "linux")]
pub(crate) const WITHOUT_GPU: [(&str, &str); 4] = [
    ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
    ("WEBKIT_WEB_RENDER_DEVICE_FILE", "/dev/null"),
    ("GDK_GL", "disable"),
    ("MALLOC_ARENA_MAX", "2"),
];

/// Those of them that nobody has set; none where there is a render node.
#[cfg(target_os = "linux")]
fn unset(has_render_node: bool, is_set: impl Fn(&str) -> bool) -> Vec<(&'static str, &'static str)> {
    if has_render_node { Vec::new() } else { WITHOUT_GPU.into_iter().filter(|(name, _)| !is_set(name)).collect() }
}

/// The variables must be set before the web view's processes start, so the program starts itself once more with them.
#[cfg(target_os = "linux")]
pub(crate) fn software_painting() {
    use std::os::unix::process::CommandExt;
    let has_render_node = std::fs::read_dir("/dev/dri")
        .is_ok_and(|entries| entries.flatten().any(|e| e.file_name().to_string_lossy().starts_with("renderD")));
    let variables = unset(has_render_node, |name| std::env::var_os(name).is_some());
    if variables.is_empty() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).envs(variables).exec();
    // Slower painting is better than no window.
    eprintln!("The web view may paint slowly: {error}");
}

/// Other platforms need nothing.
#[cfg(not(target_os = "linux"))]
pub(crate) fn software_painting() {}

#[cfg(test)]
mod tests {
    use super::named;

    #[cfg(target_os = "linux")]
    #[test]
    fn only_a_machine_without_a_gpu_does_without_gl() {
        use super::{WITHOUT_GPU, unset};
        assert_eq!(unset(false, |_| false), WITHOUT_GPU);
        assert!(unset(true, |_| false).is_empty());
        // What a person has set stays, and a program that was started again has nothing left to set.
        assert_eq!(unset(false, |name| name == "GDK_GL").len(), 3);
        assert!(unset(false, |_| true).is_empty());
    }

    #[test]
    fn the_data_folder_is_named_as_on_the_command_line() {
        let named = |args: &[&str]| named(args.iter().map(Into::into));
        assert_eq!(named(&["--data", "/a b"]), Some(Some("/a b".into())));
        assert_eq!(named(&["x", "--data=/a"]), Some(Some("/a".into())));
        assert_eq!((named(&["--data"]), named(&["--database=/a"])), (Some(None), None));
    }
}
