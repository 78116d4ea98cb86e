//! `backup` and `restore`.

use super::Done;
use super::secret::unlock;
use crate::args::{Backup, Restore};
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::dto::BackupSchedule;
use signalbox_app::{ApiError, ApiResult, App, Caller};
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;

const PASSPHRASE: &str = "SIGNALBOX_BACKUP_PASSPHRASE";
const PASSPHRASE_FILE: &str = "SIGNALBOX_BACKUP_PASSPHRASE_FILE";
/// Longest passphrase, in bytes.
const LONGEST: u64 = 4_096;

pub(crate) async fn backup(app: &Arc<App>, output: &Output, args: &Backup) -> Done {
    let caller = Caller::terminal(None)?;
    let Some(out) = &args.out else {
        let schedule =
            if args.off { app.backup_schedule_set(&caller, None, None, None)? } else { app.backup_schedule()? };
        show_schedule(output, &schedule);
        return Ok(OK);
    };
    if args.every.is_some() {
        let folder = std::path::absolute(out)
            .map_err(|error| ApiError::bad_request(format!("{}: {error}.", text_of(out)), ""))?;
        let schedule = app.backup_schedule_set(&caller, args.every, Some(folder), args.keep)?;
        show_schedule(output, &schedule);
        return Ok(OK);
    }
    let passphrase = if args.with_secrets {
        unlock(app, &caller).await?;
        Some(passphrase("Passphrase of the backup: ", true)?)
    } else {
        None
    };
    let report = app.back_up(&caller, out.clone(), passphrase).await?;
    if output.json {
        output.value(&json!(report));
        return Ok(OK);
    }
    output.line(&format!("{}: {}", output.paint("Written and verified", Tone::Good), text_of(&report.file)));
    output.line(&format!("  {} bytes, {} files", report.size_bytes, report.files));
    output.line(&format!("  {} runs, {} audit entries", report.runs, report.audit_entries));
    if !report.secrets {
        output.line("  Without the secrets; --with-secrets includes them under a passphrase.");
    }
    for sentence in report.left_out.iter().chain(&report.not_recorded) {
        output.line(&format!("  Note: {}", plain(sentence)));
    }
    Ok(OK)
}

fn show_schedule(output: &Output, schedule: &BackupSchedule) {
    if output.json {
        output.value(&json!(schedule));
        return;
    }
    match (schedule.every_hours, &schedule.folder) {
        (Some(hours), Some(folder)) => {
            output.line(&format!("Every {hours} hours to {}, {} are kept", plain(folder), schedule.keep));
            output.line(&format!("  Next: {}", schedule.next_at.as_deref().unwrap_or("-")));
        }
        _ => output.line("No backups by schedule. Set one: signalbox backup --every 24 DIR"),
    }
    if let (Some(at), Some(file)) = (&schedule.last_at, &schedule.last_file) {
        output.line(&format!("  Last: {at}, {}", plain(file)));
    }
    if let Some(error) = &schedule.error {
        output.line(&format!("  {}: {}", output.paint("The newest attempt failed", Tone::Bad), plain(error)));
    }
}

pub(crate) async fn restore(output: &Output, args: &Restore, data: PathBuf) -> Done {
    let asked = signalbox_app::Restore {
        file: args.file.clone(),
        data,
        replace: args.replace,
        without_secrets: args.without_secrets,
    };
    let caller = Caller::terminal(None)?;
    let asks = || passphrase("Passphrase of the backup: ", false);
    let report = signalbox_app::restore(asked, &caller, asks).await?;
    let audit = json!(report.audit);
    let code = if audit["state"] == "broken" { FAILED } else { OK };
    if output.json {
        output.value(&json!(report));
        return Ok(code);
    }
    output.line(&format!("{}: {}", output.paint("Restored", Tone::Good), text_of(&report.data)));
    output.line(&format!("  Backup of {} by Signalbox {}", plain(&report.created_at), plain(&report.program)));
    output.line(&format!("  {} files, {} runs", report.files, report.runs));
    let chain = match &audit["broken"]["message"] {
        Value::String(why) => output.paint(&format!("broken: {}", plain(why)), Tone::Bad),
        _ => output.paint("intact", Tone::Good),
    };
    output.line(&format!("  Audit chain: {} entries, {chain}", report.audit_entries));
    if report.secrets {
        output.line("  The secrets are under the passphrase of the backup; `signalbox secret choose` moves their key.");
    }
    if report.unfinished_runs > 0 {
        output.line(&format!(
            "  {} runs had not ended; they continue when Signalbox starts, and may repeat calls made after the backup.",
            report.unfinished_runs
        ));
    }
    if let Some(aside) = &report.set_aside {
        output.line(&format!("  What was there before is in {}", text_of(aside)));
    }
    Ok(code)
}

fn text_of(path: &std::path::Path) -> String {
    plain(&path.display().to_string())
}

/// From the environment, from the terminal without showing it, or from standard input. `twice`: a new one, typed again.
fn passphrase(question: &str, twice: bool) -> ApiResult<String> {
    if let Some(text) = std::env::var_os(PASSPHRASE).filter(|text| !text.is_empty()) {
        return text.into_string().map_err(|_| ApiError::bad_request(format!("{PASSPHRASE} is not Unicode."), ""));
    }
    let unreadable = |error: std::io::Error| {
        let hint = format!("Type it in a terminal, pipe it to standard input, or name a file in {PASSPHRASE_FILE}.");
        ApiError::bad_request(format!("The passphrase cannot be read: {error}."), hint)
    };
    if let Some(path) = std::env::var_os(PASSPHRASE_FILE).filter(|path| !path.is_empty()) {
        let text = std::fs::read_to_string(&path).map_err(unreadable)?;
        return given(text);
    }
    if std::io::stdin().is_terminal() {
        let first = rpassword::prompt_password(question).map_err(unreadable)?;
        if twice && rpassword::prompt_password("Again: ").map_err(unreadable)? != first {
            return Err(ApiError::bad_request("The passphrases differ.", "Nothing was written. Try again."));
        }
        return given(first);
    }
    let mut text = String::new();
    std::io::stdin().take(LONGEST).read_to_string(&mut text).map_err(unreadable)?;
    given(text)
}

fn given(mut text: String) -> ApiResult<String> {
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    if text.is_empty() {
        let hint = format!("Type it in a terminal, pipe it to standard input, or set {PASSPHRASE_FILE}.");
        return Err(ApiError::bad_request("No passphrase was given.", hint));
    }
    Ok(text)
}
