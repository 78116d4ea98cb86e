//! What is measured: how the rows come in, what looks at them, and what is asked for afterwards.

use serde_json::{Value, json};
use std::path::Path;

/// What is asked for when the run has ended.
pub(super) enum After {
    /// A route of the run.
    Get(&'static str),
    /// Data of a step.
    StepData(&'static str),
    /// An expression on the data of a step.
    Preview(&'static str, &'static str),
}

/// One way of rows through a run.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// The file that is read.
    pub(super) input: &'static str,
    /// How it comes in.
    source: Source,
    /// What follows, each step after the one before.
    chain: Vec<(&'static str, Value)>,
    pub(super) after: Option<After>,
}

#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// One item for each row.
    Rows,
    /// One item with all of it.
    Whole,
    /// Over HTTP, one item for each element.
    HttpItems,
    /// Over HTTP, one item with all of it.
    HttpWhole,
    /// Two files row by row; both are connected to the first step of the chain.
    Two,
}

impl Case {
    /// Names of the files that are read.
    pub(super) fn inputs(&self) -> Vec<&'static str> {
        if self.source == Source::Two { vec![self.input, "other.csv"] } else { vec![self.input] }
    }

    fn read(&self, name: &str, folder: &Path, base: &str) -> Value {
        let path = folder.join(name).display().to_string();
        let kind = match name.rsplit('.').next() {
            Some("csv") => "csv",
            Some("ndjson") => "jsonLines",
            _ => "json",
        };
        let mut http = json!({ "method": "GET", "url": format!("{base}/{name}") });
        match self.source {
            Source::Rows | Source::Two if kind == "csv" => {
                json!({ "type": "file.read", "config": { "path": path, "as": kind, "rows": true } })
            }
            Source::Rows | Source::Two | Source::Whole => {
                json!({ "type": "file.read", "config": { "path": path, "as": kind } })
            }
            Source::HttpItems => {
                http["items"] = "$".into();
                http["limit"] = 10_000_000.into();
                if kind == "jsonLines" {
                    http["responseType"] = "lines".into();
                }
                json!({ "type": "http.request", "config": http })
            }
            Source::HttpWhole => json!({ "type": "http.request", "config": http }),
        }
    }

    /// The workflow.
    pub(super) fn document(&self, folder: &Path, base: &str) -> String {
        let mut nodes = json!({ "read": self.read(self.input, folder, base) });
        let (mut edges, mut from) = (Vec::new(), "read");
        for (name, node) in &self.chain {
            let mut node = node.clone();
            if let Some(url) = node.pointer_mut("/config/url") {
                *url = format!("{base}/").into();
            }
            if let Some(path) = node.pointer_mut("/config/path") {
                *path = folder.join("written").display().to_string().into();
            }
            let inside = node.get("parent").is_some();
            nodes[*name] = node;
            if !inside {
                let port = if from == "compare" { "changed" } else { "success" };
                edges.push(json!({ "from": format!("{from}.{port}"), "to": name }));
                from = name;
            }
        }
        if self.source == Source::Two {
            nodes["other"] = self.read("other.csv", folder, base);
            edges.push(json!({ "from": "other.success", "to": self.chain[0].0 }));
        }
        json!({ "signalbox": 1, "id": "bench", "name": "Bench", "settings": { "errorPolicy": "fail" },
            "nodes": nodes, "edges": edges })
        .to_string()
    }
}

fn case(name: &'static str, input: &'static str, source: Source, chain: Vec<(&'static str, Value)>) -> Case {
    Case { name, input, source, chain, after: None }
}

fn step(name: &'static str, kind: &str, config: Value) -> (&'static str, Value) {
    (name, json!({ "type": kind, "config": config }))
}

fn expression(text: &str) -> (&'static str, Value) {
    step("look", "data.transform", json!({ "expression": text }))
}

/// Few items are put out.
fn one() -> (&'static str, Value) {
    step("one", "data.limit", json!({ "count": 1 }))
}

fn counted() -> (&'static str, Value) {
    expression("{'rows': item.content.size()}")
}

fn all_items(kind: &str, config: Value) -> Value {
    json!({ "type": kind, "mode": "all", "config": config })
}

fn items_as_rows() -> Vec<Case> {
    let rows = |name, chain| case(name, "rows.csv", Source::Rows, chain);
    let keys = json!({ "keys": [{ "field": "id" }] });
    let two = |name, kind| case(name, "rows.csv", Source::Two, vec![step(name, kind, keys.clone()), one()]);
    let body = ("body", json!({ "type": "data.pick", "parent": "loop", "config": { "fields": ["id"] } }));
    let returned = "return { n: items.length }";
    vec![
        rows("read", vec![one()]),
        rows("filter", vec![step("few", "data.filter", json!({ "when": "item.amount < '02'" })), one()]),
        rows("set", vec![step("set", "data.set", json!({ "assign": { "sum": "=double(item.amount) * 2.0" } })), one()]),
        rows("combine", vec![step("all", "data.aggregate", json!({ "into": "content" })), counted()]),
        rows("group", vec![step("group", "data.group", json!({ "by": ["city"] })), one()]),
        rows("group of one", vec![step("group", "data.group", json!({ "by": ["id"] })), one()]),
        rows(
            "summarise",
            vec![
                step(
                    "sums",
                    "data.summarise",
                    json!({ "by": ["city"], "statistics": [{ "what": "sum", "field": "amount" }] }),
                ),
                one(),
            ],
        ),
        rows("dedupe", vec![step("dedupe", "data.dedupe", json!({ "by": ["id"] })), one()]),
        rows("sort", vec![step("sort", "data.sort", json!({ "by": "item.amount" })), one()]),
        two("merge", "data.merge"),
        two("compare", "data.compare"),
        rows("loop", vec![step("loop", "flow.loop", json!({})), body.clone(), one()]),
        rows(
            "script",
            vec![(
                "script",
                all_items("code.javascript", json!({ "source": returned, "memoryMb": 512, "timeoutMs": 60000 })),
            )],
        ),
        rows("write rows", vec![("write", all_items("file.write", json!({ "path": "", "as": "csv", "rows": true })))]),
        rows("spreadsheet", vec![("write", all_items("sheet.write", json!({ "path": "" })))]),
        rows("put out", Vec::new()),
        case("wide rows", "wide.csv", Source::Rows, vec![one()]),
        case(
            "wide rows: filter",
            "wide.csv",
            Source::Rows,
            vec![step("few", "data.filter", json!({ "when": "item.column001 < '00010'" })), one()],
        ),
        case(
            "wide rows: set",
            "wide.csv",
            Source::Rows,
            vec![step("set", "data.set", json!({ "assign": { "sum": "=item.column001 + '!'" } })), one()],
        ),
        case("lines", "rows.ndjson", Source::Rows, vec![one()]),
        case("http items", "rows.json", Source::HttpItems, vec![one()]),
        case("http lines", "rows.ndjson", Source::HttpItems, vec![one()]),
        Case { after: Some(After::Get("status")), ..rows("status of put out", Vec::new()) },
        Case { after: Some(After::Get("events")), ..rows("events of put out", Vec::new()) },
        Case { after: Some(After::Get("checkpoint")), ..rows("checkpoint of put out", Vec::new()) },
        Case { after: Some(After::StepData("read")), ..rows("step data of put out", Vec::new()) },
    ]
}

fn one_table() -> Vec<Case> {
    let table = |name, chain| case(name, "rows.csv", Source::Whole, chain);
    let format = |format: &str| step("format", "data.format", json!({ "format": format, "from": "item.content" }));
    let length = || expression("{'bytes': size(item.text)}");
    let text = |name, kind| table(name, vec![format(kind), length()]);
    let looped = step("loop", "flow.loop", json!({ "source": "=item.content" }));
    let body = (
        "body",
        json!({ "type": "data.set", "parent": "loop", "config": { "assign": { "id": "=_item.id" }, "keep": false } }),
    );
    let returned = "return { n: item.content.length }";
    let script = json!({ "source": returned, "memoryMb": 512, "timeoutMs": 60000 });
    let mapped = json!({ "type": "data.transform", "in": { "rows": "=item.content" }, "config": { "expression": "{'rows': item.rows.size()}" } });
    let kept =
        json!({ "type": "data.transform", "config": { "expression": "item.content" }, "out": { "$rows": "=_result" } });
    let sent = json!({ "method": "POST", "url": "", "body": "=item.content" });
    let wide = "return item.content.slice(0, 3)";
    vec![
        table("table", vec![counted()]),
        table(
            "table: items",
            vec![step("split", "data.transform", json!({ "expression": "item.content", "split": true })), one()],
        ),
        table(
            "table: changed items",
            vec![
                step(
                    "split",
                    "data.transform",
                    json!({ "expression": "item.content.map(row, {'id': row.id})", "split": true }),
                ),
                one(),
            ],
        ),
        table(
            "table: filtered",
            vec![
                step(
                    "some",
                    "data.transform",
                    json!({ "expression": "{'rows': item.content.filter(row, row.amount < '50')}" }),
                ),
                expression("{'rows': item.rows.size()}"),
            ],
        ),
        table("table: split", vec![step("split", "data.split", json!({ "field": "content" })), one()]),
        table(
            "table: json written",
            vec![format("json"), step("write", "file.write", json!({ "path": "", "field": "text" }))],
        ),
        table(
            "table: sent in a text",
            vec![
                (
                    "send",
                    json!({ "type": "http.request", "config": { "method": "POST", "url": "", "body": "Rows: {{ item.content }}" } }),
                ),
                expression("{'status': item.status}"),
            ],
        ),
        table(
            "table: in a text as a field",
            vec![
                step("set", "data.set", json!({ "assign": { "again": "Rows: {{ item.content }}" } })),
                expression("{'letters': item.again.size()}"),
            ],
        ),
        table(
            "table: in a text for a script",
            vec![(
                "script",
                json!({ "type": "code.javascript", "in": { "text": "{{ item.content }}" }, "config": { "source": "return { n: item.text.length }", "memoryMb": 512, "timeoutMs": 60000 } }),
            )],
        ),
        text("table: as csv", "csv"),
        text("table: as json", "json"),
        text("table: as yaml", "yaml"),
        text("table: as html", "html"),
        text("table: as markdown", "markdown"),
        table(
            "table: written from its field",
            vec![step("write", "file.write", json!({ "path": "", "field": "content", "as": "csv" }))],
        ),
        table(
            "table: written from an expression",
            vec![step("write", "file.write", json!({ "path": "", "content": "=item.content", "as": "csv" }))],
        ),
        table(
            "table: written from a template",
            vec![step("write", "file.write", json!({ "path": "", "content": "{{ item.content }}" }))],
        ),
        table(
            "table: sent",
            vec![("send", json!({ "type": "http.request", "config": sent })), expression("{'status': item.status}")],
        ),
        table("table: loop", vec![looped, body, one()]),
        table("table: script", vec![("script", json!({ "type": "code.javascript", "config": script }))]),
        table(
            "table: script for some",
            vec![(
                "script",
                json!({ "type": "code.javascript", "config": { "source": wide, "memoryMb": 512, "timeoutMs": 60000 } }),
            )],
        ),
        table("table: in", vec![("look", mapped)]),
        table("table: in a variable", vec![("keep", kept), expression("{'rows': context.rows.size()}")]),
        table(
            "table: set as a field",
            vec![
                step("set", "data.set", json!({ "assign": { "again": "=item.content" } })),
                expression("{'rows': item.again.size()}"),
            ],
        ),
        case("json: as json", "rows.json", Source::Whole, vec![format("json"), length()]),
        case("json: as yaml", "rows.json", Source::Whole, vec![format("yaml"), length()]),
        case("json", "rows.json", Source::Whole, vec![counted()]),
        case("http json", "rows.json", Source::HttpWhole, vec![expression("{'rows': item.response.size()}")]),
        Case { after: Some(After::Preview("look", "item.content")), ..table("preview of a table", vec![counted()]) },
        Case {
            after: Some(After::Preview("look", "item.content.map(row, row.id)")),
            ..table("preview of a changed table", vec![counted()])
        },
        Case {
            after: Some(After::Preview("look", "item.content[3].id")),
            ..table("preview of a cell", vec![counted()])
        },
        Case { after: Some(After::StepData("look")), ..table("step data of a table", vec![counted()]) },
    ]
}

/// All of them.
pub(super) fn all() -> Vec<Case> {
    items_as_rows().into_iter().chain(one_table()).collect()
}
