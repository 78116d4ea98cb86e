//! Opens a web page in the person's browser: an address that this program made, never one of a workflow. No shell reads it, and only
//! the schemes of web pages are opened (TRUST, "Open-URL").

use std::process::{Command, Stdio};

/// The program that opens addresses, and what stands before the address.
#[cfg(target_os = "linux")]
const OPENER: (&str, &[&str]) = ("xdg-open", &[]);
/// The program that opens addresses, and what stands before the address.
#[cfg(target_os = "macos")]
const OPENER: (&str, &[&str]) = ("open", &[]);
/// The program that opens addresses, and what stands before the address.
#[cfg(windows)]
const OPENER: (&str, &[&str]) = ("rundll32", &["url.dll,FileProtocolHandler"]);

/// Whether an address is a web page that may be opened.
fn is_web(address: &str) -> bool {
    let plain = address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\'' && byte != b'`');
    let here = ["http://127.0.0.1:", "http://localhost:", "http://[::1]:"];
    plain && (address.starts_with("https://") || here.iter().any(|start| address.starts_with(start)))
}

/// Opens it; false when that cannot be begun.
pub(crate) fn open(address: &str) -> bool {
    if !is_web(address) {
        return false;
    }
    let (program, before) = OPENER;
    let mut command = Command::new(program);
    // Meant for this window, not for the browser.
    #[cfg(target_os = "linux")]
    for (name, value) in crate::place::WITHOUT_GPU {
        if std::env::var(name).is_ok_and(|set| set == value) {
            command.env_remove(name);
        }
    }
    command.args(before).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // Some openers stay as long as the browser; nobody waits for them here.
    let waits = std::thread::Builder::new().name("browser".into()).spawn(move || child.wait());
    drop(waits);
    true
}

#[cfg(test)]
mod tests {
    use super::is_web;

    #[test]
    fn only_web_pages_are_opened() {
        assert!(is_web("https://login.example/authorize?state=x&scope=a%20b"));
        assert!(is_web("http://127.0.0.1:8080/authorize"));
        for other in [
            "file:///etc/passwd",
            "smb://x/y",
            "javascript:alert(1)",
            "vscode://x",
            "http://login.example/",
            "http://127.0.0.1.evil.example/",
            "a:$(calc)",
            "--help",
            "https://x.example/\"& calc",
            "https://x.example/\nfile:///x",
        ] {
            assert!(!is_web(other), "{other}");
        }
    }
}
