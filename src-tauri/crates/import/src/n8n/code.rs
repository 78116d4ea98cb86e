//! Scripts of n8n's code nodes: the names that they use are made from what a script gets here.

use super::maker::{Made, Maker};
use crate::report::Level;
use serde_json::{Value, json};
use signalbox_model::Map;

/// Longest script of a step.
const LONGEST: usize = 64 * 1024;

/// Names that reach for what scripts do not have here.
const HOST: [(&str, &str); 12] = [
    ("require(", "modules"),
    ("this.helpers", "requests and files"),
    ("$helpers", "requests and files"),
    ("fetch(", "requests"),
    ("process.", "the process"),
    ("import(", "modules"),
    ("setTimeout(", "timers"),
    ("$getWorkflowStaticData", "data kept between runs"),
    ("this.getWorkflowStaticData", "data kept between runs"),
    ("$env", "environment variables"),
    ("DateTime.", "luxon's times"),
    ("$now.to", "luxon's times"),
];

impl Maker<'_, '_> {
    pub(super) fn code(&mut self) -> Option<Made> {
        let kind = self.node().kind.as_str();
        if self.text("language").starts_with("python") {
            return None;
        }
        let each = kind == "functionItem" || self.text("mode") == "runOnceForEachItem";
        let setting = if kind == "code" { "jsCode" } else { "functionCode" };
        let source = self.text(setting);
        for (word, what) in HOST {
            if source.contains(word) {
                let message = format!(
                    "The script of \"{}\" asks for {what} ('{word}'), which scripts do not have here.",
                    self.node().name
                );
                let hint = "Use a step for it, such as HTTP request; the script stays inside its sandbox.";
                self.tell(Level::Problem, "SCRIPT_HOST", setting, message, hint);
            }
        }
        let steps = self.named_steps(source);
        let script = script(self, source, each, &steps);
        if script.len() > LONGEST {
            self.tell(
                Level::Problem,
                "SCRIPT_SIZE",
                setting,
                "The script is longer than 64 KiB.",
                "Split it over several steps.",
            );
            return None;
        }
        let mut input = Map::new();
        if each {
            input.insert("json".into(), json!("=item"));
            for (name, id) in &steps {
                input.insert(name.clone(), json!(format!("=paired({})", crate::text::quoted(id))));
            }
        } else {
            input.insert("all".into(), json!("=items"));
            for (name, id) in &steps {
                let member = crate::cel::Cel::new("nodes", crate::cel::Ty::Map).field(id).field("items");
                input.insert(name.clone(), json!(format!("=coalesce({}, [])", member.text)));
            }
        }
        let mut made =
            Made::default().then("_script", "code.javascript", Map::from_iter([("source".into(), json!(script))]));
        if let Some(step) = made.last() {
            step.input = Some(input);
        }
        let made = if each { made } else { made.all() };
        let name = self.node().name.clone();
        let made = made.titled(&name);
        // What the script gives is always a list of the data of items.
        Some(made.then("", "data.split", Map::new()).titled("Items of the script"))
    }

    /// Steps that a script names, with names of settings for them.
    fn named_steps(&self, source: &str) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for node in &self.file.nodes {
            let uses = ['"', '\'', '`'].iter().any(|quote| source.contains(&format!("{quote}{}{quote}", node.name)));
            if uses
                && node.name != self.node().name
                && let Some(id) = (self.place.node)(&node.name).filter(|id| id != super::expr::THIS_ROUND)
            {
                out.push((format!("step {}", node.name), id));
            }
        }
        out
    }
}

/// The script with the names of n8n around it.
fn script(maker: &Maker<'_, '_>, source: &str, each: bool, steps: &[(String, String)]) -> String {
    let text = |text: &str| Value::String(text.to_owned()).to_string();
    let known: Vec<String> = steps.iter().map(|(name, _)| text(&name["step ".len()..])).collect();
    let all = if each { "[item.json]" } else { "item.all" };
    let mut out = String::from("// Names of n8n, made from the input of this step. The script itself begins below.\n");
    out.push_str(&format!("const $wrap = list => list.map(json => ({{ json }}));\nconst $all = $wrap({all});\n"));
    out.push_str(
        "const $of = list => ({ all: () => list, first: () => list[0], last: () => list[list.length - 1], get item() { return list[0]; }, json: list[0] && list[0].json });\n",
    );
    out.push_str("const $input = $of($all);\n");
    if known.is_empty() {
        out.push_str("const $ = name => { throw new Error('There is no result of the step ' + name); };\n");
    } else {
        let list = if each { "[item['step ' + name]]" } else { "item['step ' + name]" };
        out.push_str(&format!(
            "const $ = name => {{ if (![{}].includes(name)) throw new Error('There is no result of the step ' + name); return $of($wrap({list})); }};\n",
            known.join(", ")
        ));
    }
    out.push_str("const $node = new Proxy({}, { get: (_, name) => $(name) });\nconst $items = name => name === undefined ? $all : $(name).all();\n");
    let workflow = text(maker.place.workflow);
    out.push_str(&format!("const $workflow = {{ id: workflow.id, name: {workflow} }};\nconst $execution = {{ id: run.id, mode: 'manual' }};\n"));
    out.push_str("const $now = new Date(run.startedAt), $today = new Date(run.startedAt.slice(0, 10));\n");
    let names =
        "items, item, $json, $input, $, $node, $items, $workflow, $execution, $now, $today, $itemIndex, $runIndex";
    out.push_str(&format!("const $script = async function ({names}) {{\n"));
    out.push_str(source);
    out.push_str("\n};\n");
    let data = "value => value && typeof value === 'object' && value.json && typeof value.json === 'object' ? value.json : value";
    let first = "$all[0] && $all[0].json";
    // functionItem gets its data as `item`; other scripts get items.
    let one = if maker.node().kind == "functionItem" { first } else { "$all[0]" };
    out.push_str(&format!(
        "const $made = await $script.call({{}}, $all, {one}, {first}, $input, $, $node, $items, $workflow, $execution, $now, $today, 0, 0);\n"
    ));
    out.push_str(&format!("const $data = {data};\n"));
    if each {
        out.push_str(
            "return $made === null || $made === undefined ? [] : [$data(Array.isArray($made) ? $made[0] : $made)];\n",
        );
    } else {
        out.push_str("return $made === null || $made === undefined ? [] : (Array.isArray($made) ? $made : [$made]).map($data);\n");
    }
    out
}
