//! What a table takes when steps look at its rows (ADR 95): bytes of memory for each byte of the file, of a process of its own for each
//! size. Compared, not timed.

use crate::memory::peak;
use crate::support::{Die, runtime_with_lists, start};
use serde_json::{Value, json};
use signalbox_model::items::pages;
use signalbox_testkit::MemoryFiles;
use std::fmt::Write;
use std::process::Command;

/// A table of eight columns, about 80 bytes a row, without its last row cut.
fn table(rows: usize) -> String {
    let mut text = "id,name,city,amount,date,status,email,note\n".to_owned();
    for row in 0..rows {
        let amount = row * 7919 % 10_000;
        let (name, city) = (["Anna", "Boris", "Carla"][row % 3], ["Berlin", "Oslo", "Lisbon"][row / 3 % 3]);
        let _ = writeln!(
            text,
            "{row},{name} {},{city},{}.{:02},2026-0{}-17,open,{name}{row}@example.com,note {row}",
            row % 997,
            amount / 100,
            amount % 100,
            row % 9 + 1
        );
    }
    text
}

/// What is read: the table, or one of 400 columns that is as long.
fn source(name: &str, rows: usize) -> String {
    if name != "wide" {
        return table(rows);
    }
    let line = |cell: &dyn Fn(usize) -> String| (0..400).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(&|column| format!("column{column}"));
    (0..rows / 40).for_each(|row| text.push_str(&line(&|column| format!("{row}.{column:03}"))));
    text
}

fn split() -> (&'static str, Value) {
    ("split", json!({ "type": "data.transform", "config": { "expression": "item.content", "split": true } }))
}

fn few() -> (&'static str, Value) {
    ("few", json!({ "type": "data.filter", "config": { "when": "double(item.amount) < 0.02" } }))
}

fn count() -> (&'static str, Value) {
    let expression = "{'rows': item.content.size(), 'last': item.content[item.content.size() - 1].id}";
    ("count", json!({ "type": "data.transform", "config": { "expression": expression } }))
}

/// What looks at the rows, and how often the table may be in memory besides what is there without it.
fn chain(name: &str) -> Vec<(&'static str, Value)> {
    match name {
        "size" => vec![count()],
        "filter" => {
            vec![("has", json!({ "type": "data.filter", "config": { "when": "item.content.size() > 3" } })), count()]
        }
        "set" => vec![
            ("set", json!({ "type": "data.set", "config": { "assign": { "first": "=item.content[0].name" } } })),
            count(),
        ],
        "split" => vec![split(), few()],
        "list" => {
            vec![("split", json!({ "type": "data.split", "config": { "field": "content" } })), few()]
        }
        "write" => {
            let config = json!({ "path": "out.csv", "field": "content", "as": "csv" });
            vec![("write", json!({ "type": "file.write", "config": config }))]
        }
        "expression" => {
            let config = json!({ "path": "out.csv", "content": "=item.content", "as": "csv" });
            vec![("write", json!({ "type": "file.write", "config": config }))]
        }
        "template" => {
            let config = json!({ "path": "out.json", "content": "{{ item.content }}" });
            vec![("write", json!({ "type": "file.write", "config": config }))]
        }
        "again" => {
            let told = "{'rows': item.again.size(), 'last': item.again[item.again.size() - 1].id}";
            vec![
                ("again", json!({ "type": "data.set", "config": { "assign": { "again": "=item.content" } } })),
                ("told", json!({ "type": "data.transform", "config": { "expression": told } })),
            ]
        }
        "json" => {
            let config = json!({ "format": "json", "from": "item.content" });
            let write = json!({ "path": "out.json", "field": "text" });
            vec![
                ("format", json!({ "type": "data.format", "config": config })),
                ("write", json!({ "type": "file.write", "config": write })),
            ]
        }
        "wide" => {
            let last = json!({ "type": "data.transform", "config": { "expression": "{'at': item.column7}" } });
            vec![
                ("few", json!({ "type": "data.filter", "config": { "when": "double(item.column7) >= 98.0" } })),
                ("last", last),
                ("one", json!({ "type": "data.limit", "config": { "count": 1 } })),
            ]
        }
        "yaml" => {
            let config = json!({ "format": "yaml", "from": "item.content" });
            let told = "{'bytes': size(item.text) > size(item.content) * 80}";
            vec![
                ("format", json!({ "type": "data.format", "config": config })),
                ("told", json!({ "type": "data.transform", "config": { "expression": told } })),
            ]
        }
        "groups" => {
            let all = json!({ "type": "data.group", "config": { "by": ["id"] } });
            vec![split(), ("groups", all), ("one", json!({ "type": "data.limit", "config": { "count": 1 } }))]
        }
        "error" => {
            let told = "{'input': item.details.input, 'bytes': item.details.inputBytes > 1048576}";
            vec![
                ("fails", json!({ "type": "data.transform", "config": { "expression": "item.content[0].missing" } })),
                ("told", json!({ "type": "data.transform", "config": { "expression": told } })),
            ]
        }
        "sort" => {
            vec![split(), ("sort", json!({ "type": "data.sort", "config": { "by": "double(item.amount)" } })), few()]
        }
        "merge" => {
            let config = json!({ "keys": [{ "field": "id" }], "list": [{ "id": "3", "found": true }] });
            vec![split(), ("merge", json!({ "type": "data.merge", "config": config }))]
        }
        "format" => {
            let config = json!({ "format": "csv", "from": "item.content" });
            vec![
                ("format", json!({ "type": "data.format", "config": config })),
                ("told", json!({ "type": "data.transform", "config": { "expression": "{'bytes': size(item.text)}" } })),
            ]
        }
        "aggregate" => {
            vec![split(), ("all", json!({ "type": "data.aggregate", "config": { "into": "content" } })), count()]
        }
        other => panic!("{other} is no chain of this test"),
    }
}

fn flow(chain: Vec<(&'static str, Value)>) -> Value {
    let mut nodes = json!({ "read": { "type": "file.read", "config": { "path": "t.csv", "as": "csv" } } });
    let (mut edges, mut from) = (Vec::new(), "read");
    for (name, node) in chain {
        nodes[name] = node;
        let port = if from == "fails" { "error" } else { "success" };
        edges.push(json!({ "from": format!("{from}.{port}"), "to": name }));
        from = name;
    }
    json!({ "nodes": nodes, "edges": edges })
}

/// Runs in the child only.
#[test]
fn a_process_that_measures_rows_and_no_test_of_its_own() {
    let Ok(asked) = std::env::var("SIGNALBOX_TEST_ROWS") else { return };
    let (name, rows) = asked.split_once(' ').expect("a chain and a number");
    let folder = tempfile::tempdir().expect("a folder");
    let files = MemoryFiles::default();
    files.put("t.csv", source(name, rows.parse().expect("a number")));
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    let told = waiting.block_on(async {
        let runtime = runtime_with_lists(folder.path(), files, Die::Never, pages::IN_MEMORY);
        let mut flow = flow(chain(name));
        flow["nodes"]["read"]["config"]["rows"] = json!(name == "wide");
        let run = start(&runtime, flow).await;
        let _ = runtime.wait(&run).await;
        runtime.store().summary::<Value>(&run).expect("readable").expect("it has ended")
    });
    println!("\nfound {} {}", peak().unwrap_or_default(), told["output"]);
}

/// Most memory of a process, and what its run put out.
fn measured(name: &str, rows: usize) -> Option<(usize, Value)> {
    let out = Command::new(std::env::current_exe().expect("the test binary has a path"))
        .args(["--exact", "rows::a_process_that_measures_rows_and_no_test_of_its_own", "--nocapture"])
        .env("SIGNALBOX_TEST_ROWS", format!("{name} {rows}"))
        .output()
        .expect("the child starts");
    let text = String::from_utf8_lossy(&out.stdout);
    let found = text.lines().find_map(|line| line.strip_prefix("found ")).expect("an answer");
    let (peak, output) = found.split_once(' ').expect("two parts");
    let peak = peak.parse().expect("a number");
    (peak > 0).then(|| (peak, serde_json::from_str(output).expect("JSON")))
}

/// As values the rows of this table take 18 bytes for each byte of the file, and copies of them twice that. What a step must hold is its
/// text, so the least of a few measurements counts: on a busy machine more is still to be written.
fn takes_at_most(name: &str, most: usize, output: &dyn Fn(usize) -> Value) {
    let (few, many) = (4_000, 20_000);
    let bytes = source(name, many).len() - source(name, few).len();
    let mut found = Vec::new();
    while found.len() < 4 && found.iter().all(|times| *times > most * 10) {
        let (Some((at_few, _)), Some((at_many, told))) = (measured(name, few), measured(name, many)) else { return };
        assert_eq!(told, output(many), "{name} does what it says");
        found.push(at_many.saturating_sub(at_few) * 10 / bytes);
    }
    println!("{name}: {found:?} tenths of the file");
    assert!(found.iter().any(|times| *times <= most * 10), "{name} takes {found:?} tenths of the file");
}

fn counted(rows: usize) -> Value {
    json!([{ "rows": rows, "last": (rows - 1).to_string() }])
}

/// The bounds are a quarter above what was measured with docs/adr/0173: on a busy machine more waits to be written. The pages that the
/// database keeps, 8 MB and no more, count six times these small files, where a step makes a list of its own.
#[test]
fn a_table_whose_rows_are_counted_stays_text() {
    takes_at_most("size", 6, &counted);
}

#[test]
fn a_table_that_is_filtered_as_a_whole_stays_text() {
    takes_at_most("filter", 6, &counted);
}

#[test]
fn a_table_with_a_member_set_stays_text() {
    takes_at_most("set", 9, &counted);
}

/// Rows whose amount is 0.00 or 0.01.
fn cheap(rows: usize) -> Vec<Value> {
    let text = table(rows);
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("a header");
    let row = |line: Vec<&str>| names.iter().zip(line).map(|(name, value)| (*name, value)).collect::<Value>();
    lines.map(row).filter(|row| ["0.00", "0.01"].contains(&row["amount"].as_str().expect("a text"))).collect()
}

#[test]
fn items_made_of_a_table_share_its_text() {
    takes_at_most("split", 14, &|rows| Value::Array(cheap(rows)));
}

#[test]
fn rows_are_sorted_as_text() {
    takes_at_most("sort", 18, &|rows| {
        let mut all = cheap(rows);
        all.sort_by_key(|row| row["amount"].as_str().map(str::to_owned));
        Value::Array(all)
    });
}

#[test]
fn rows_are_looked_up_as_text() {
    takes_at_most("merge", 11, &|_| {
        json!([{ "id": "3", "name": "Anna 3", "city": "Oslo", "amount": "37.57",
        "date": "2026-04-17", "status": "open", "email": "Anna3@example.com", "note": "note 3", "found": true }])
    });
}

#[test]
fn a_table_is_formatted_from_its_text() {
    takes_at_most("format", 10, &|rows| json!([{ "bytes": table(rows).len() }]));
}

#[test]
fn rows_are_put_together_as_text() {
    takes_at_most("aggregate", 12, &counted);
}

#[test]
fn a_list_is_split_without_values_of_it() {
    takes_at_most("list", 14, &|rows| Value::Array(cheap(rows)));
}

#[test]
fn a_table_is_written_row_by_row() {
    takes_at_most("write", 8, &|rows| json!([{ "path": "out.csv", "size": table(rows).len() }]));
}

/// A setting that is an expression over a table stays one: as values in the event of the call this took 75 times the file.
#[test]
fn a_setting_over_a_table_is_written_from_its_text() {
    takes_at_most("expression", 10, &|rows| json!([{ "path": "out.csv", "size": table(rows).len() }]));
}

/// The table as JSON.
fn as_json(rows: usize) -> String {
    let text = table(rows);
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("a header");
    let row = |line: Vec<&str>| names.iter().zip(line).map(|(name, value)| (*name, value)).collect::<Value>();
    lines.map(row).collect::<Value>().to_string()
}

#[test]
fn a_table_in_a_text_is_written_from_its_text() {
    takes_at_most("template", 12, &|rows| json!([{ "path": "out.json", "size": as_json(rows).len() }]));
}

/// The files are in memory here, what is written among them.
#[test]
fn a_table_is_written_as_json_from_its_text() {
    takes_at_most("json", 19, &|rows| json!([{ "path": "out.json", "size": as_json(rows).len() }]));
}

/// What is long stays as it is written, and the step writes it where it stands.
#[test]
fn a_setting_with_a_table_in_a_text_stays_a_text_with_holes() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = std::sync::Arc::new(MemoryFiles::default());
    files.put("t.csv", table(4_000));
    let content = "Rows: {{ item.content }} {{ item.note }}{{ size(item.content) }}";
    let set = json!({ "assign": { "again": "=item.content", "note": "{{ item.path }} \"é\" ", "size": 1 } });
    let told = "{'same': item.again == item.content, 'letters': item.text.size()}";
    let flow = flow(vec![
        ("set", json!({ "type": "data.set", "config": set })),
        ("text", json!({ "type": "data.set", "config": { "assign": { "text": content } } })),
        ("write", json!({ "type": "file.write", "config": { "path": "out.txt", "content": content } })),
        ("told", json!({ "type": "data.transform", "config": { "expression": told } })),
    ]);
    let mut flow = flow;
    flow["edges"][3] = json!({ "from": "text.success", "to": "told" });
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    let (told, events) = waiting.block_on(async {
        let runtime = runtime_with_lists(folder.path(), std::sync::Arc::clone(&files), Die::Never, pages::IN_MEMORY);
        let run = start(&runtime, flow).await;
        let _ = runtime.wait(&run).await;
        let told = runtime.store().summary::<Value>(&run).expect("readable").expect("it has ended");
        (told, runtime.store().events(&run, 0, 30).expect("events"))
    });
    let wanted = format!("Rows: {} t.csv \"é\" 4000", as_json(4_000));
    assert!(files.get("out.txt").is_some_and(|bytes| bytes == wanted.as_bytes()), "{told}");
    let output = told["output"].as_array().expect("items");
    assert!(output.contains(&json!({ "same": true, "letters": wanted.chars().count() })), "{told}");
    let events: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).expect("JSON")).collect();
    let config = |step: &str| {
        let begun = events.iter().find(|event| event["type"] == "step_start" && event["stepId"] == step);
        begun.expect("the step begins")["payload"]["config"].clone()
    };
    assert_eq!(config("write"), json!({ "path": "out.txt", "content": content, "$late": ["/content"] }));
    assert_eq!(config("set")["$late"], json!(["/assign/again"]));
    assert_eq!(config("set")["assign"]["note"], "t.csv \"é\" ");
}

#[test]
fn a_table_becomes_a_field_as_text() {
    takes_at_most("again", 8, &counted);
}

/// As values such rows take twenty times the file, and all of them were there at once.
#[test]
fn wide_rows_stay_text_in_steps_for_each_item() {
    takes_at_most("wide", 12, &|_| json!([{ "at": "98.007" }]));
}

#[test]
fn yaml_is_written_row_by_row() {
    takes_at_most("yaml", 12, &|_| json!([{ "bytes": true }]));
}

/// As many groups as rows.
#[test]
fn groups_are_made_one_after_the_other() {
    takes_at_most("groups", 16, &|_| {
        json!([{ "id": "0", "count": 1, "items": [{ "id": "0", "name": "Anna 0", "city": "Berlin", "amount": "0.00",
            "date": "2026-01-17", "status": "open", "email": "Anna0@example.com", "note": "note 0" }] }])
    });
}

/// The list of a loop, however its settings name it, is a table that stays text: each iteration takes its row of it.
#[test]
fn a_loop_goes_through_a_table_that_stays_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = MemoryFiles::default();
    files.put("t.csv", table(2_400));
    let config = json!({ "source": "=item.content", "collect": "[_item.id, _result.next]" });
    let mut flow = flow(vec![
        ("loop", json!({ "type": "flow.loop", "config": config })),
        ("last", json!({ "type": "data.limit", "config": { "count": 1, "from": "last" } })),
    ]);
    let next = json!({ "assign": { "next": "=int(_item.id) + 1" }, "keep": false });
    flow["nodes"]["body"] = json!({ "type": "data.set", "parent": "loop", "config": next });
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread");
    let (told, events) = waiting.block_on(async {
        let runtime = runtime_with_lists(folder.path(), files, Die::Never, pages::IN_MEMORY);
        let run = start(&runtime, flow).await;
        let _ = runtime.wait(&run).await;
        let told = runtime.store().summary::<Value>(&run).expect("readable").expect("it has ended");
        (told, runtime.store().events(&run, 0, 10).expect("events"))
    });
    assert_eq!((&told["status"], &told["output"]), (&json!("completed"), &json!([["2399", 2400]])));
    let events: Vec<Value> = events.iter().map(|event| serde_json::to_value(event).expect("JSON")).collect();
    let begun = events.iter().find(|event| event["type"] == "step_start" && event["stepId"] == "loop");
    assert_eq!(begun.expect("the loop begins")["payload"]["config"]["source"], "=item.content");
}

/// With the values of the table in the error, and in each copy of it, this took 150 times the file.
#[test]
fn an_error_does_not_carry_a_large_table() {
    takes_at_most("error", 3, &|_| json!([{ "input": null, "bytes": true }]));
}
