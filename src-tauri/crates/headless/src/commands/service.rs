//! `service install | status | uninstall`: a systemd user unit that runs `serve`.

mod unit;

use super::Done;
use crate::args::{Global, Service, ServiceInstall};
use crate::output::{FAILED, OK, Output};
use crate::server::address::PublicUrl;
use serde_json::{Value, json};
use signalbox_app::dto::Access;
use signalbox_app::{ApiError, ApiResult, Class};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAME: &str = "signalbox.service";

pub(crate) fn service(output: &Output, command: &Service, global: &Global, data: &Path) -> Done {
    if let Service::Install(args) = command
        && args.print
    {
        let text = unit::unit(&words(args, global, data)?)?;
        if output.json {
            output.value(&json!({ "unit": unit_path().ok(), "text": text }));
        } else {
            output.line(text.trim_end());
        }
        return Ok(OK);
    }
    if !cfg!(target_os = "linux") {
        return Err(ApiError::bad_request(
            "Services are systemd user units, which only Linux has.",
            "Start `signalbox serve` with what starts programs at sign-in on this machine.",
        ));
    }
    let path = unit_path()?;
    match command {
        Service::Install(args) => install(output, &path, &unit::unit(&words(args, global, data)?)?),
        Service::Status => status(output, &path),
        Service::Uninstall => uninstall(output, &path),
    }
}

fn install(output: &Output, path: &Path, text: &str) -> Done {
    if let Owner::Other = owner(path)? {
        return Err(foreign(path, "Move it away, or print the unit with `signalbox service install --print`."));
    }
    write(path, text).map_err(|error| unwritable(path, "written", &error))?;
    let failed = first_failure(&[&["daemon-reload"], &["enable", NAME], &["restart", NAME]]);
    let mut next = Vec::new();
    if failed.is_some() {
        next.push(format!(
            "In a session of this user that has systemd: systemctl --user daemon-reload && systemctl --user enable --now {NAME}"
        ));
    }
    next.extend(linger_advice());
    let done = match &failed {
        None => format!("{} is written; the service is enabled and started.", path.display()),
        Some(why) => format!("{} is written, but systemd did not start it: {why}.", path.display()),
    };
    let started = failed.is_none();
    tell(output, &done, &next, json!({ "unit": path, "started": started, "problem": failed, "next": next }));
    Ok(if started { OK } else { FAILED })
}

fn status(output: &Output, path: &Path) -> Done {
    let owner = owner(path)?;
    let (enabled, active) = (state("is-enabled"), state("is-active"));
    let runs = owner == Owner::Us && active.as_deref() == Some("active");
    let lingers = lingers();
    let installed = match owner {
        Owner::Us => "is installed",
        Owner::Nobody => "is not installed; `signalbox service install` writes it",
        Owner::Other => "exists, but was not written by `signalbox service install`",
    };
    let word = |state: &Option<String>| state.clone().unwrap_or_else(|| "unknown: systemctl did not answer".to_owned());
    let text = format!(
        "{} {installed}.\nEnabled: {}\nState: {}\nStarts before sign-in (lingering): {}",
        path.display(),
        word(&enabled),
        word(&active),
        if lingers { "yes" } else { "no" },
    );
    let facts = json!({
        "unit": path, "installed": owner == Owner::Us, "foreign": owner == Owner::Other, "enabled": enabled, "state": active,
        "lingering": lingers,
    });
    tell(output, &text, &[], facts);
    Ok(if runs { OK } else { FAILED })
}

fn uninstall(output: &Output, path: &Path) -> Done {
    match owner(path)? {
        Owner::Nobody => {
            let text = format!("There is no {}; nothing was removed.", path.display());
            tell(output, &text, &[], json!({ "unit": path, "removed": false, "problem": null, "next": [] }));
            return Ok(OK);
        }
        Owner::Other => return Err(foreign(path, "Remove it with what wrote it.")),
        Owner::Us => {}
    }
    // While the unit is still there: systemd finds what to disable in it.
    let stopped = first_failure(&[&["disable", "--now", NAME]]);
    fs::remove_file(path).map_err(|error| unwritable(path, "removed", &error))?;
    let failed = stopped.or_else(|| first_failure(&[&["daemon-reload"]]));
    let mut next = Vec::new();
    if failed.is_some() {
        next.push(format!(
            "In a session of this user that has systemd: systemctl --user stop {NAME}; systemctl --user disable {NAME}; systemctl --user \
             daemon-reload"
        ));
    }
    let text = match &failed {
        None => format!("The service is stopped and {} is removed. Data and tokens stay.", path.display()),
        Some(why) => format!("{} is removed, but the service may still run: {why}.", path.display()),
    };
    let clean = failed.is_none();
    tell(output, &text, &next, json!({ "unit": path, "removed": true, "problem": failed, "next": next }));
    Ok(if clean { OK } else { FAILED })
}

fn tell(output: &Output, text: &str, next: &[String], facts: Value) {
    if output.json {
        output.value(&facts);
        return;
    }
    output.line(text);
    next.iter().for_each(|step| output.line(step));
}

/// The command line of the service. Paths are absolute: a unit has another working folder.
fn words(args: &ServiceInstall, global: &Global, data: &Path) -> ApiResult<Vec<OsString>> {
    let serve = &*args.serve;
    if serve.addr.port() == 0 {
        return Err(ApiError::bad_request("A service needs a fixed port.", "Name one: --addr 127.0.0.1:9160."));
    }
    may_open(serve.addr.port())?;
    super::serve::check(serve)?;
    let program = std::env::current_exe().map_err(|error| {
        ApiError::new(
            Class::Unavailable,
            "NO_PROGRAM_PATH",
            format!("Where this program is is not known: {error}."),
            "",
        )
    })?;
    // With --json the address that holds the token is not printed: what a service prints goes into the journal.
    let mut words = vec![program.into_os_string(), "--json".into(), "--data".into(), data.into()];
    for text in &global.allow_dir {
        let granted = signalbox_app::parse_allow_dir(text)?;
        let rights = if granted.access == Access::Rw { "rw" } else { "ro" };
        words.extend(["--allow-dir".into(), format!("{}:{rights}", granted.folder).into()]);
    }
    words.extend(["serve".into(), "--addr".into(), serve.addr.to_string().into()]);
    if serve.ui {
        words.push("--ui".into());
    }
    if serve.audit_stdout {
        words.push("--audit-stdout".into());
    }
    for root in &serve.grant_root {
        words.extend(["--grant-root".into(), absolute(root).into()]);
    }
    let sign_in = &serve.sign_in;
    let files = [
        ("--token-file", &serve.token_file),
        ("--tls-cert", &serve.tls_cert),
        ("--tls-key", &serve.tls_key),
        ("--oidc-client-secret-file", &sign_in.oidc_client_secret_file),
    ];
    for (name, file) in files {
        words.extend(file.iter().flat_map(|file| [name.into(), absolute(file).into()]));
    }
    let texts = [
        ("--public-url", serve.public_url.as_ref().map(PublicUrl::base)),
        ("--oidc-issuer", sign_in.oidc_issuer.as_ref().map(ToString::to_string)),
        ("--oidc-client-id", sign_in.oidc_client_id.clone()),
        ("--oidc-name-claim", sign_in.oidc_name_claim.clone()),
        ("--oidc-name", sign_in.oidc_name.clone()),
        ("--oidc-role-claim", sign_in.oidc_issuer.as_ref().map(|_| sign_in.oidc_role_claim.clone())),
    ];
    for (name, text) in texts {
        words.extend(text.into_iter().flat_map(|text| [name.into(), text.into()]));
    }
    for rule in &sign_in.oidc_roles {
        words.extend(["--oidc-role".into(), format!("{}={}", rule.role.as_str(), rule.value).into()]);
    }
    for scope in &sign_in.oidc_scopes {
        words.extend(["--oidc-scope".into(), scope.into()]);
    }
    Ok(words)
}

/// A service of a user has no right to open the ports that the system keeps for itself.
fn may_open(port: u16) -> ApiResult<()> {
    let first = fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    let first: u16 = first.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(1_024);
    if port >= first {
        return Ok(());
    }
    let message = format!("A service of a user cannot open port {port}: ports below {first} belong to the system.");
    let hint = "Use a higher port, for example 8443, with a proxy or a redirect in front of it; or the package signalbox-server.";
    Err(ApiError::bad_request(message, hint))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn unit_path() -> ApiResult<PathBuf> {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = var("XDG_CONFIG_HOME").or_else(|| var("HOME").map(|home| home.join(".config")));
    config.map(|config| config.join("systemd/user").join(NAME)).ok_or_else(|| {
        ApiError::bad_request("The folder for systemd user units is not known.", "Set HOME or XDG_CONFIG_HOME.")
    })
}

/// Who wrote the unit.
#[derive(Debug, PartialEq, Eq)]
enum Owner {
    Nobody,
    Us,
    Other,
}

fn owner(path: &Path) -> ApiResult<Owner> {
    let unreadable = |error: io::Error| unwritable(path, "read", &error);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Owner::Nobody),
        Err(error) => return Err(unreadable(error)),
        // A link is how a unit is masked, or how another program brings its own.
        Ok(meta) if !meta.is_file() => return Ok(Owner::Other),
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    let ours = bytes.split(|byte| *byte == b'\n').next() == Some(unit::MARK.as_bytes());
    Ok(if ours { Owner::Us } else { Owner::Other })
}

/// Whole or not at all.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let fresh = folder.join(format!(".{NAME}.{}", std::process::id()));
    let written = fs::File::create_new(&fresh).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let written = written.and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        fs::remove_file(&fresh).ok();
    }
    written
}

fn foreign(path: &Path, hint: &str) -> ApiError {
    let message = format!("{} was not written by `signalbox service install`.", path.display());
    ApiError::new(Class::Conflict, "FOREIGN_UNIT", message, hint)
}

fn unwritable(path: &Path, what: &str, error: &io::Error) -> ApiError {
    let message = format!("{} could not be {what}: {error}.", path.display());
    ApiError::new(Class::Unavailable, "UNIT_FILE", message, "Check the folder and its permissions.")
}

/// Calls systemctl, up to the first call that fails; why it did.
fn first_failure(calls: &[&[&str]]) -> Option<String> {
    calls.iter().find_map(|call| {
        let command = format!("systemctl --user {}", call.join(" "));
        match Command::new("systemctl").arg("--user").args(*call).stdin(Stdio::null()).output() {
            Ok(done) if done.status.success() => None,
            Ok(done) => {
                let said = String::from_utf8_lossy(&done.stderr);
                let said = said.trim().trim_end_matches('.');
                Some(if said.is_empty() { format!("`{command}` failed") } else { format!("`{command}`: {said}") })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Some("systemctl is not on this machine".to_owned())
            }
            Err(error) => Some(format!("`{command}`: {error}")),
        }
    })
}

/// What systemctl says about the unit; none when it cannot say anything.
fn state(question: &str) -> Option<String> {
    let done = Command::new("systemctl").args(["--user", question, NAME]).stdin(Stdio::null()).output().ok()?;
    // Its exit code is part of the answer.
    let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    (!said.is_empty()).then_some(said)
}

/// Whether the services of this user run without a session.
fn lingers() -> bool {
    let user = std::env::var_os("USER").filter(|user| !user.is_empty());
    user.is_some_and(|user| Path::new("/var/lib/systemd/linger").join(user).exists())
}

fn linger_advice() -> Option<String> {
    let advice = "It runs while you are signed in. To start it with the machine and keep it after you sign out: loginctl enable-linger";
    (!lingers()).then(|| advice.to_owned())
}
