//! The text of the systemd unit.

use signalbox_app::{ApiError, ApiResult};
use std::ffi::OsString;
use std::path::Path;

/// The first line of a unit that this program wrote, and may therefore replace and remove.
pub(super) const MARK: &str =
    "# Written by `signalbox service install`, which replaces this file; `signalbox service uninstall` removes it.";

/// The unit that runs these words.
pub(super) fn unit(command: &[OsString]) -> ApiResult<String> {
    let (program, args) = command.split_first().ok_or_else(|| ApiError::bad_request("No program is named.", ""))?;
    let mut line = program_word(program)?;
    for arg in args {
        line.push(' ');
        line.push_str(&arg_word(arg)?);
    }
    // A server that cannot start, because its port is taken for example, is tried again until it can.
    Ok(format!(
        "{MARK}\n\
         [Unit]\n\
         Description=Signalbox server: runs active workflows\n\
         StartLimitIntervalSec=0\n\
         \n\
         [Service]\n\
         Type=exec\n\
         ExecStart={line}\n\
         Restart=on-failure\n\
         RestartSec=5\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

/// systemd replaces `%` but not `$` in the program, and takes no quotes and backslashes in its path.
fn program_word(program: &OsString) -> ApiResult<String> {
    let text = text(program)?;
    if !Path::new(text).is_absolute() || text.contains(['"', '\'', '\\']) {
        return Err(refused(text, "systemd does not start programs whose path has a quote or a backslash"));
    }
    Ok(format!("\"{}\"", text.replace('%', "%%")))
}

fn arg_word(arg: &OsString) -> ApiResult<String> {
    let escaped = text(arg)?.replace('\\', r"\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    Ok(format!("\"{escaped}\""))
}

fn text(word: &OsString) -> ApiResult<&str> {
    let Some(text) = word.to_str() else {
        return Err(refused(&word.to_string_lossy(), "a unit is UTF-8 text"));
    };
    if text.chars().any(char::is_control) {
        return Err(refused(text, "it has control characters, such as a line break"));
    }
    Ok(text)
}

fn refused(word: &str, why: &str) -> ApiError {
    let message = format!("{word:?} cannot be written into a systemd unit: {why}.");
    ApiError::bad_request(message, "Use a path without such characters.")
}
