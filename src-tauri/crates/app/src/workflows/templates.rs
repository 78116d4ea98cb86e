//! Ready workflows by job. Each file holds the workflow, the words it is found by, what it needs, and a sample: the answers of
//! its steps that reach out, wait or ask, so that it can be tried without anything outside.

use crate::dto::{Template, TemplateNeed};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// In the order of the list: those of a category stand together.
const FILES: &[&str] = &[
    include_str!("../../templates/report-from-an-api.json"),
    include_str!("../../templates/weekly-digest.json"),
    include_str!("../../templates/survey-summary.json"),
    include_str!("../../templates/lead-routing.json"),
    include_str!("../../templates/order-webhook-check.json"),
    include_str!("../../templates/orders-from-a-queue.json"),
    include_str!("../../templates/duplicate-customers.json"),
    include_str!("../../templates/invoice-intake.json"),
    include_str!("../../templates/expense-approval.json"),
    include_str!("../../templates/payments-to-review.json"),
    include_str!("../../templates/reminders-by-your-api.json"),
    include_str!("../../templates/contract-review.json"),
    include_str!("../../templates/form-to-ticket.json"),
    include_str!("../../templates/support-triage.json"),
    include_str!("../../templates/mail-acknowledgement.json"),
    include_str!("../../templates/wishes-by-graphql.json"),
    include_str!("../../templates/stock-alert.json"),
    include_str!("../../templates/incident-escalation.json"),
    include_str!("../../templates/sync-two-lists.json"),
    include_str!("../../templates/file-intake-error-box.json"),
    include_str!("../../templates/files-from-an-sftp-server.json"),
    include_str!("../../templates/jobs-of-a-stream.json"),
    include_str!("../../templates/onboarding-checklist.json"),
    include_str!("../../templates/folder-to-table.json"),
    include_str!("../../templates/csv-clean-up.json"),
    include_str!("../../templates/nightly-export.json"),
    include_str!("../../templates/data-quality-check.json"),
    include_str!("../../templates/batch-enrichment.json"),
    include_str!("../../templates/report-to-a-bucket.json"),
    include_str!("../../templates/readings-to-a-database.json"),
    include_str!("../../templates/text-of-pdf-files.json"),
    include_str!("../../templates/watch-a-page.json"),
    include_str!("../../templates/new-items-to-chat.json"),
    include_str!("../../templates/feed-digest.json"),
    include_str!("../../templates/sensor-alert.json"),
    include_str!("../../templates/price-comparison.json"),
];

#[derive(Deserialize)]
struct File {
    category: String,
    words: Vec<String>,
    needs: Vec<TemplateNeed>,
    sample: Sample,
    workflow: Value,
}

#[derive(Deserialize)]
struct Sample {
    answers: BTreeMap<String, Answer>,
    ends: Map<String, Value>,
}

/// What a step gives in the sample instead of being called.
#[derive(Deserialize)]
struct Answer {
    port: String,
    /// Without them, what came in goes on.
    items: Option<Vec<Value>>,
}

// A test opens every file, so none is left out.
static READ: LazyLock<Vec<File>> =
    LazyLock::new(|| FILES.iter().filter_map(|text| serde_json::from_str(text).ok()).collect());

/// All templates.
pub(crate) fn all() -> Vec<Template> {
    READ.iter().map(template).collect()
}

/// The workflow of one template.
pub(crate) fn find(id: &str) -> Option<Value> {
    READ.iter().map(|file| &file.workflow).find(|workflow| workflow["id"] == id).cloned()
}

/// How many files there are, and by template what its steps give in the sample: items by port.
pub fn expected() -> (usize, BTreeMap<String, Map<String, Value>>) {
    let ends = READ.iter().map(|file| (text(file, "id"), file.sample.ends.clone()));
    (FILES.len(), ends.collect())
}

fn text(file: &File, key: &str) -> String {
    file.workflow[key].as_str().unwrap_or_default().to_owned()
}

fn template(file: &File) -> Template {
    Template {
        id: text(file, "id"),
        title: text(file, "name"),
        description: text(file, "description"),
        category: file.category.clone(),
        words: file.words.clone(),
        needs: file.needs.clone(),
        steps: file.workflow["nodes"].as_object().map_or(0, Map::len),
        document: file.workflow.clone(),
        sample: sample_of(file),
    }
}

/// The workflow with the answers in place of the steps that reach out: it calls nothing and asks nobody.
fn sample_of(file: &File) -> Value {
    let mut document = file.workflow.clone();
    for (id, answer) in &file.sample.answers {
        let ports = wired_ports(&document["edges"], id);
        let Some(node) = document["nodes"].get_mut(id).and_then(Value::as_object_mut) else { continue };
        node.retain(|name, _| matches!(name.as_str(), "title" | "parent" | "typeVersion"));
        match &answer.items {
            // The ports that are not taken keep their wires: a step behind one of them that had none would start by itself.
            None if ports.len() > 1 => {
                let case = |port: &String| json!({ "when": (*port == answer.port).to_string(), "port": port });
                node.insert("type".into(), "flow.switch".into());
                node.insert("config".into(), json!({ "cases": ports.iter().map(case).collect::<Vec<_>>() }));
                continue;
            }
            None => {
                node.insert("type".into(), "flow.noop".into());
            }
            Some(items) => {
                node.insert("type".into(), "data.transform".into());
                // JSON is a literal of the expression language as well.
                node.insert("config".into(), json!({ "expression": json!(items).to_string(), "split": true }));
                node.insert("mode".into(), "all".into());
            }
        }
        let taken = format!("{id}.{}", answer.port);
        for edge in document["edges"].as_array_mut().into_iter().flatten().filter(|edge| edge["from"] == taken.as_str())
        {
            edge["from"] = format!("{id}.success").into();
        }
    }
    document
}

/// The ports of a step that have a wire, but for the one of errors.
fn wired_ports(edges: &Value, id: &str) -> BTreeSet<String> {
    let from = edges.as_array().into_iter().flatten().filter_map(|edge| edge["from"].as_str()?.rsplit_once('.'));
    from.filter(|(step, port)| *step == id && *port != "error").map(|(_, port)| port.to_owned()).collect()
}
