//! `export`: a workflow as one program. Nothing is run; a store is read only for the approvals of tools.

use super::Done;
use crate::args::{AuditFormat, Export, ExportFormat, Human};
use crate::output::{OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::ApiError;
use signalbox_app::dto::ExportTarget;
use signalbox_app::export::{self, AuditKeeping, Choices, HumanReview};
use std::path::Path;

pub(crate) fn export(output: &Output, args: &Export, data: Option<&Path>) -> Done {
    if args.compress && (args.format == ExportFormat::Asl || args.target != "bundle") {
        let message =
            "--compress goes with --target bundle: images are compressed where they are stored, and sources are text.";
        return Err(ApiError::bad_request(message, "Leave out --compress, or write --target bundle."));
    }
    if args.format == ExportFormat::Asl {
        return machine(output, args);
    }
    let target = match args.target.as_str() {
        "bundle" => ExportTarget::Bundle,
        "container" => ExportTarget::Container,
        "source" => ExportTarget::Source,
        other => {
            let message = format!("--target {}: there is no such target.", plain(other));
            return Err(ApiError::bad_request(message, "Write --target bundle, container or source."));
        }
    };
    let (human, callback) = match &args.human {
        Human::None => (HumanReview::None, None),
        Human::Terminal => (HumanReview::Terminal, None),
        Human::Ui => (HumanReview::Ui, None),
        Human::Callback(url) => (HumanReview::Callback, Some(url.clone())),
    };
    let audit = match args.audit {
        AuditFormat::Sqlite => AuditKeeping::Sqlite,
        AuditFormat::Jsonl => AuditKeeping::Jsonl,
        AuditFormat::Ring => AuditKeeping::Ring,
    };
    // Before anything is read: a mistake in the arguments is told first.
    export::Export::check_folder(&args.out)?;
    let program = export::own_program()?;
    let checked = export::check(&args.file, data, &Choices { audit, human, callback })?;
    let looked = if args.compress { checked.ready_compressed(&program)? } else { checked.ready(&program)? };
    let list = json!(looked.check_list());
    if !output.json {
        print_list(output, &list);
    }
    let sources = args.source_of_signalbox.clone().unwrap_or_else(|| export::sources_beside(&program));
    let written = looked.write_as(target, &args.out, &sources)?;
    if output.json {
        output.value(&json!({
            "file": written.file, "sizeBytes": written.size, "sha256": written.sha256, "checkList": list,
        }));
        return Ok(OK);
    }
    let file = written.file.display().to_string();
    output.line(&format!("{}: {}", output.paint("Written", Tone::Good), plain(&file)));
    output.line(&format!("  Size:    {}", size(written.size)));
    output.line(&format!("  SHA-256: {}", written.sha256));
    let what = match target {
        ExportTarget::Bundle => "Start: ",
        ExportTarget::Container => "Load:  ",
        ExportTarget::Source => "Build: ",
    };
    output.line(&format!("  {what}  {}", plain(&looked.start(target, &file))));
    Ok(OK)
}

/// A workflow as a state machine, and what was lost.
fn machine(output: &Output, args: &Export) -> Done {
    let exported = signalbox_app::import::export_machine(&args.file, &args.out, args.force)?;
    if output.json {
        output.value(&json!({ "file": args.out, "states": exported.states, "lost": exported.lost }));
        return Ok(OK);
    }
    for lost in &exported.lost {
        let step = lost.step.as_ref().map_or_else(String::new, |step| format!("{}: ", plain(step)));
        output.line(&format!("  {step}{}", plain(&lost.message)));
    }
    let file = plain(&args.out.display().to_string());
    output.line(&format!("{}: {file}, {} states", output.paint("Written", Tone::Good), exported.states));
    Ok(OK)
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect()
}

fn print_list(output: &Output, list: &Value) {
    let word = |value: &Value| plain(value.as_str().unwrap_or_default());
    let each = |value: &Value| value.as_array().cloned().unwrap_or_default();
    output.line(&format!("{} ({})", word(&list["title"]), word(&list["platform"])));
    output.line("Modules:");
    for module in each(&list["modules"]) {
        let kinds = texts(&module["kinds"]);
        let why = if kinds.is_empty() { "every program".to_owned() } else { kinds.join(", ") };
        output.line(&format!("  {:<10} {why}", word(&module["name"])));
    }
    output.line("Workflows:");
    for file in each(&list["workflows"]) {
        output.line(&format!("  {} {}", word(&file["sha256"]), word(&file["id"])));
    }
    let connectors = each(&list["connectors"]);
    if !connectors.is_empty() {
        output.line("Connectors:");
    }
    for file in connectors {
        output.line(&format!("  {} {}", word(&file["sha256"]), word(&file["id"])));
    }
    let needs = &list["needs"];
    let mut lines = Vec::new();
    let params = texts(&needs["params"]);
    if !params.is_empty() {
        lines.push(format!("  Params:  {}", params.join(", ")));
    }
    for secret in each(&needs["secrets"]) {
        let hosts = texts(&secret["hosts"]);
        let to = if secret["stays"] == true {
            "compared with what comes in".to_owned()
        } else if hosts.is_empty() {
            "its hosts are named with it".to_owned()
        } else {
            format!("sent to {}", hosts.join(", "))
        };
        lines.push(format!("  Secret:  {}, {to} ({})", word(&secret["name"]), texts(&secret["steps"]).join(", ")));
    }
    for folder in each(&needs["folders"]) {
        let access = if folder["write"] == true { "writes" } else { "reads" };
        lines.push(format!("  Path:    {}, {} {access} it", word(&folder["path"]), word(&folder["step"])));
    }
    for address in each(&needs["addresses"]) {
        let origin = address["origin"].as_str().map_or("known in the run only".to_owned(), plain);
        lines.push(format!("  Address: {origin} ({})", texts(&address["steps"]).join(", ")));
    }
    for model in each(&needs["models"]) {
        let name = model["model"].as_str().map_or("the default model".to_owned(), plain);
        let by = model["provider"].as_str().map_or(String::new(), |provider| format!(" by {}", plain(provider)));
        lines.push(format!("  Model:   {name}{by} ({})", texts(&model["steps"]).join(", ")));
    }
    for server in each(&needs["toolServers"]) {
        let tools = server["tools"].as_object().map_or(0, serde_json::Map::len);
        lines.push(format!(
            "  Tools:   {}, with the {tools} tools that are approved here ({})",
            word(&server["name"]),
            texts(&server["steps"]).join(", ")
        ));
    }
    for index in each(&needs["indexes"]) {
        lines.push(format!("  Index:   {} ({})", word(&index["name"]), texts(&index["steps"]).join(", ")));
    }
    for trigger in each(&needs["triggers"]) {
        lines.push(format!(
            "  Trigger: {} {} ({})",
            word(&trigger["kind"]),
            word(&trigger["by"]),
            word(&trigger["step"])
        ));
    }
    if each(&needs["triggers"]).iter().any(|trigger| trigger["listens"] == true) || list["callback"].is_string() {
        lines.push("  Port:    of `serve`, named with --port".to_owned());
    }
    if let Some(url) = list["callback"].as_str() {
        lines.push(format!("  Tasks:   sent to {}", plain(url)));
    }
    output.line(if lines.is_empty() { "Needs nothing of the machine." } else { "Needs:" });
    lines.iter().for_each(|line| output.line(line));
    output.line(&format!("Expected size: {}", size(list["sizeBytes"].as_u64().unwrap_or_default())));
}

/// `21.4 MB`.
fn size(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000)
}
