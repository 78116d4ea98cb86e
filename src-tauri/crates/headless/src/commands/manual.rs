//! `completions` and `man`: made from the definitions of the arguments, so that they never differ from them.

use super::Done;
use crate::args::{Cli, Shell};
use crate::output::{OK, Output, plain};
use clap::CommandFactory;
use clap_complete::{generate, shells};
use serde_json::json;
use signalbox_app::{ApiError, Class};
use std::fs;
use std::path::Path;

const PROGRAM: &str = "signalbox";

pub(crate) fn completions(output: &Output, shell: Shell) -> Done {
    let (mut command, mut script) = (Cli::command(), Vec::new());
    match shell {
        Shell::Bash => generate(shells::Bash, &mut command, PROGRAM, &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut command, PROGRAM, &mut script),
        Shell::Fish => generate(shells::Fish, &mut command, PROGRAM, &mut script),
        Shell::Powershell => generate(shells::PowerShell, &mut command, PROGRAM, &mut script),
    }
    let script = String::from_utf8_lossy(&script);
    if output.json {
        output.value(&json!({ "script": script }));
    } else {
        output.line(script.trim_end());
    }
    Ok(OK)
}

pub(crate) fn man(output: &Output, out: &Path) -> Done {
    let unwritten = |error: std::io::Error| {
        let message = format!("The man pages cannot be written to {}: {error}.", out.display());
        ApiError::new(Class::Unavailable, "IO_ERROR", message, "Name a folder that this account may write to.")
    };
    fs::create_dir_all(out).map_err(unwritten)?;
    let mut pages = Vec::new();
    let mut command = Cli::command();
    command.build();
    write(&command, out, &mut pages).map_err(unwritten)?;
    if output.json {
        output.value(&json!({ "folder": out, "pages": pages }));
    } else {
        output.line(&format!("{} pages are in {}.", pages.len(), plain(&out.display().to_string())));
    }
    Ok(OK)
}

/// The page of a command and those of its subcommands: `signalbox-runs-list.1`.
fn write(command: &clap::Command, out: &Path, pages: &mut Vec<String>) -> std::io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write(subcommand, out, pages)?;
    }
    let man = clap_mangen::Man::new(command.clone())
        .manual("Signalbox")
        .source(format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render(&mut page)?;
    let name = man.get_filename();
    fs::write(out.join(&name), page)?;
    pages.push(name);
    Ok(())
}
