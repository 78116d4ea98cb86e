//! `--describe`: what this program carries and what it needs.

use crate::carried::Carried;
use crate::libraries;
use crate::output::Output;
use serde_json::json;
use signalbox_model::bundle::BundledFile;

pub(crate) fn describe(output: &Output, carried: &Carried) {
    let bundle = &carried.bundle;
    if output.json {
        let hashes =
            |files: &[BundledFile]| files.iter().map(|file| json!({ "id": file.id, "sha256": file.sha256 })).collect();
        let libraries: Vec<_> = libraries::all()
            .map(|one| json!({ "name": one.name, "version": one.version, "licence": one.licence }))
            .collect();
        let (files, connectors): (Vec<_>, Vec<_>) = (hashes(&bundle.files), hashes(&bundle.connectors));
        output.value(&json!({
            "name": bundle.name, "title": bundle.title, "version": bundle.made_by, "platform": bundle.platform,
            "sha256": carried.sha256, "audit": bundle.audit, "human": bundle.human, "callback": bundle.callback, "modules": bundle.modules, "workflows": files,
            "connectors": connectors,
            "needs": bundle.needs, "licence": env!("CARGO_PKG_LICENSE"), "libraries": libraries,
        }));
        return;
    }
    output.line(&format!("{} ({})", bundle.title, bundle.name));
    output.line(&format!("Signalbox {}, {}, {}", bundle.made_by, bundle.platform, env!("CARGO_PKG_LICENSE")));
    output.line(&format!("SHA-256 of what it carries: {}", carried.sha256));
    output.line(&format!("Audit chain: {}", bundle.audit.as_str()));
    output.line(&format!("People: {}", bundle.human.as_str()));
    output.line("Modules:");
    for module in &bundle.modules {
        let why = if module.kinds.is_empty() { "every program".to_owned() } else { module.kinds.join(", ") };
        output.line(&format!("  {:<10} {why}", module.name));
    }
    output.line("Workflows:");
    bundle.files.iter().for_each(|file| output.line(&format!("  {} {}", file.sha256, file.id)));
    if !bundle.connectors.is_empty() {
        output.line("Connectors:");
        bundle.connectors.iter().for_each(|file| output.line(&format!("  {} {}", file.sha256, file.id)));
    }
    let needs = &bundle.needs;
    let mut lines = Vec::new();
    if !needs.params.is_empty() {
        lines.push(format!("  Params:  {}", needs.params.join(", ")));
    }
    for secret in &needs.secrets {
        let to = match (secret.stays, secret.hosts.is_empty()) {
            (true, _) => "compared with what comes in".to_owned(),
            (false, true) => "sent to hosts named with it".to_owned(),
            (false, false) => format!("sent to {}", secret.hosts.join(", ")),
        };
        lines.push(format!("  Secret:  {}, {to} ({})", secret.name, secret.steps.join(", ")));
    }
    for folder in &needs.folders {
        let access = if folder.write { "writes" } else { "reads" };
        lines.push(format!("  Path:    {}, {} {access} it", folder.path, folder.step));
    }
    for address in &needs.addresses {
        let origin = address.origin.as_deref().unwrap_or("known in the run only");
        lines.push(format!("  Address: {origin} ({})", address.steps.join(", ")));
    }
    for model in &needs.models {
        let name = model.model.as_deref().unwrap_or("the default model");
        let by = model.provider.as_ref().map(|provider| format!(" by {provider}")).unwrap_or_default();
        lines.push(format!("  Model:   {name}{by} ({})", model.steps.join(", ")));
    }
    for server in &needs.tool_servers {
        let tools = server.tools.len();
        lines.push(format!("  Tools:   {}, with {tools} approved tools ({})", server.name, server.steps.join(", ")));
    }
    for index in &needs.indexes {
        lines.push(format!("  Index:   {} ({})", index.name, index.steps.join(", ")));
    }
    for trigger in &needs.triggers {
        lines.push(format!("  Trigger: {} {} ({})", trigger.kind, trigger.by, trigger.step));
    }
    if needs.triggers.iter().any(|trigger| trigger.listens) || bundle.callback.is_some() {
        lines.push("  Port:    of `serve`, named with --port or SIGNALBOX_PORT".to_owned());
    }
    if let Some(url) = &bundle.callback {
        lines.push(format!("  Tasks:   sent to {url}"));
    }
    output.line(if lines.is_empty() { "Needs nothing of the machine." } else { "Needs:" });
    lines.iter().for_each(|line| output.line(line));
    output.line(&format!(
        "Libraries: {} (each with its version and licence: --describe --json)",
        libraries::all().count()
    ));
    libraries::by_licence().iter().for_each(|(licence, count)| output.line(&format!("  {count:>4} {licence}")));
}
