//! The inbox and the audit chain as commands: several tasks at once, what is masked, what belongs together.

use serde_json::{Value, json};
use signalbox_app::dto::{CallerRole, Host};
use signalbox_app::{ApiError, App, Caller, Options};
use std::sync::Arc;

struct Place {
    _dir: tempfile::TempDir,
    app: Arc<App>,
}

fn place() -> Place {
    let dir = tempfile::tempdir().expect("a folder");
    let options = Options { host: Host::Desktop, allow: Vec::new(), stays: false, reads: false };
    let app = App::open(&dir.path().join("data"), options).expect("opens");
    Place { _dir: dir, app }
}

impl Place {
    fn ask(&self, caller: &Caller, command: &str, request: Value) -> Result<Value, ApiError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(self.app.dispatch(caller, command, request))
    }
    fn ok(&self, command: &str, request: Value) -> Value {
        self.ask(&Caller::here(), command, request)
            .unwrap_or_else(|error| panic!("{command}: {error} {:?}", error.details))
    }
    /// A run of a step that refuses its input; gives the task.
    fn asked(&self, age: &str) -> String {
        let schema = json!({ "type": "object", "properties": { "age": { "type": "integer" } } });
        let document = json!({
            "signalbox": 1, "id": "asks", "name": "Asks",
            "nodes": {
                "read": { "type": "data.set", "config": { "assign": { "age": "=params.age", "mail": "ada@example.org" } } },
                "check": { "type": "flow.fail", "title": "Check", "config": { "error": {
                    "type": "ValidationError", "message": "no age", "retryable": false,
                    "details": { "code": "INPUT_INVALID", "schema": schema } } } },
                "ask": { "type": "builtin.human_decision", "config": { "redact": ["/age"] } },
            },
            "edges": [{ "from": "read.success", "to": "check" }, { "from": "check.error", "to": "ask" }],
        });
        self.waits(&document, json!({ "age": age }))
    }
    /// A run that waits for a person; gives the task.
    fn waits(&self, document: &Value, params: Value) -> String {
        let run = self.ok("run_start", json!({ "document": document, "params": params }))["runId"].clone();
        let run = run.as_str().expect("an id").to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let summary = runtime.block_on(self.app.wait(run)).expect("pauses");
        assert_eq!(summary["status"], "paused");
        summary["openTasks"][0].as_str().expect("a task").to_owned()
    }
}

/// D2.7: one change for several tasks, each checked for itself; one entry per task and a batch id.
#[test]
fn several_tasks_are_answered_each_for_itself() {
    let place = place();
    let tasks: Vec<String> = ["36", "37", "x"].iter().map(|age| place.asked(age)).collect();
    let counts = place.ok("task_counts", json!({}));
    assert_eq!((counts["open"].as_u64(), counts["unassigned"].as_u64()), (Some(3), Some(3)));
    assert_eq!(counts["byFingerprint"][0]["count"], 3);
    let patch = json!([{ "op": "replace", "path": "/age", "value": 40 }]);
    let bad = json!([{ "op": "remove", "path": "/nothing" }]);
    let many = |ids: Value, patch: &Value| json!({ "taskIds": ids, "action": "correct", "patch": patch, "notes": "all forty" });
    let refused = place.ok("task_complete_many", many(json!([tasks[0]]), &bad));
    assert_eq!(refused["results"][0]["error"]["code"], "INPUT_INVALID");
    let done = place.ok("task_complete_many", many(json!([tasks[0], "nope", tasks[1]]), &patch));
    let ok: Vec<bool> = done["results"].as_array().expect("a list").iter().map(|one| one["ok"] == true).collect();
    assert_eq!(ok, [true, false, true]);
    assert_eq!(done["results"][1]["error"]["code"], "NOT_FOUND");
    let batch = done["batchId"].as_str().expect("an id");
    let entries = place.ok("audit_list", json!({ "query": format!("event:HITL_COMPLETED text:{batch}") }));
    assert_eq!(entries["total"], 2);
    let old = place.ask(&Caller::here(), "task_complete_many", json!({ "taskIds": [], "action": "retry" }));
    assert_eq!(old.expect_err("none").code, "BAD_REQUEST");

    // What was changed where something is hidden is proposed to nobody; the masks do not stand in the way of a change.
    let next = place.ok("task_get", json!({ "taskId": tasks[2] }));
    assert_eq!(
        (&next["input"], &next["redacted"]),
        (&json!({ "age": "•••1•", "mail": "•••2•" }), &json!(["/age", "/mail"]))
    );
    assert_eq!(next["suggestions"], json!([]));
    let own = json!({ "age": 40, "mail": "•••2•" });
    let checked = place.ok("task_check", json!({ "taskId": tasks[2], "correctedInput": own }));
    assert_eq!((checked["valid"].as_bool(), checked["patch"][0]["path"].as_str()), (Some(true), Some("/age")));
    let wrong = place.ok("task_check", json!({ "taskId": tasks[2], "correctedInput": { "age": "•••1•" } }));
    assert_eq!((wrong["valid"].as_bool(), wrong["violations"][0]["path"].as_str()), (Some(false), Some("/age")));
    let take = json!({ "taskId": tasks[2], "action": "correct", "correctedInput": own });
    place.ok("task_complete", take);
    let shown = place.ok("task_get", json!({ "taskId": tasks[2] }));
    assert_eq!(shown["decision"]["correctedInput"]["mail"], "•••2•");
    assert_eq!(shown["history"].as_array().and_then(|all| all.last()).expect("one")["what"], "decided");

    // E5, E6: from the decision to the error, and what is kept apart.
    let seq = place.ok("audit_list", json!({ "query": "event:HITL_COMPLETED" }))["entries"][0]["seq"].clone();
    let entry = place.ok("audit_get", json!({ "seq": seq }));
    assert_eq!((&entry["matches"], &entry["payload"]["patch"][0]["path"]), (&json!(true), &json!("/age")));
    assert!(!entry.to_string().contains("ada@example.org"));
    let kinds: Vec<&str> =
        entry["related"].as_array().expect("a list").iter().filter_map(|one| one["kind"].as_str()).collect();
    assert!(kinds.starts_with(&["error"]) && kinds.contains(&"human"), "{kinds:?}");
    // A run is found by the number that people are shown of it.
    let id = entry["row"]["runId"].as_str().expect("an id").replace('-', "");
    let number = id[id.len() - 6..].to_uppercase();
    let of_run =
        |run: &str| place.ok("audit_list", json!({ "query": format!("event:HITL_CREATED {run}") }))["total"].clone();
    assert_eq!(
        of_run(&format!("run:{number}")),
        of_run(&format!("run:{}", entry["row"]["runId"].as_str().expect("an id")))
    );
    assert_ne!(of_run(&format!("run:{number}")), 0);
    assert_eq!(of_run("run:fffffe"), 0);
    let facets = place.ok("audit_facets", json!({ "query": "level:ERROR" }));
    assert_eq!(facets["event"][0], json!({ "value": "NODE_ERROR", "count": 3 }));
    let status = place.ok("audit_status", json!({}));
    assert_eq!((status["state"].as_str(), status["key"]["where"].as_str()), (Some("unknown"), Some("file")));
    assert_eq!(place.ok("audit_verify", json!({}))["state"], "intact");
    let exported = place.ok("audit_export", json!({ "format": "csv", "query": "event:HITL_COMPLETED" }));
    assert_eq!((exported["entries"].as_u64(), exported["bytesBase64"].is_string()), (Some(3), true));
    // The export sealed what was there; that is said of the checkpoint, whatever was verified before.
    let status = place.ok("audit_status", json!({}));
    assert!(status["lastCheckpoint"].is_object() && status["signed"] == true, "{status}");
    let left = std::fs::read_dir(place.app.data_dir().join("exports")).expect("a folder").count();
    assert_eq!(left, 0, "what was read back is not kept");
}

/// D2.4: what was changed the last time is proposed for this task's own input, and nothing of the other task comes along.
#[test]
fn a_change_of_the_last_time_brings_nothing_of_the_other_task() {
    let place = place();
    let schema = json!({ "type": "object", "properties": {
        "name": { "type": "string" }, "count": { "type": "integer", "minimum": 1, "title": "How many" },
        "account": { "type": "string", "x-secret": true } } });
    let document = json!({
        "signalbox": 1, "id": "books", "name": "Books",
        "nodes": {
            "read": { "type": "data.set", "config": { "assign": {
                "name": "=params.name", "count": "=params.count", "account": "=params.account", "iban": "=params.account" } } },
            "book": { "type": "flow.fail", "config": { "error": {
                "type": "ValidationError", "message": "no count", "retryable": false,
                "details": { "code": "INPUT_INVALID", "schema": schema } } } },
            "ask": { "type": "builtin.human_decision" },
        },
        "edges": [{ "from": "read.success", "to": "book" }, { "from": "book.error", "to": "ask" }],
    });
    let asked = |name: &str, count: u32, account: &str| {
        place.waits(&document, json!({ "name": name, "count": count, "account": account }))
    };
    let correct = |task: &str, patch: Value| {
        place.ok("task_complete_many", json!({ "taskIds": [task], "action": "correct", "patch": patch }))
    };
    let offered = |task: &str| {
        let all = place.ok("task_get", json!({ "taskId": task }))["suggestions"].take();
        let all = all.as_array().expect("a list").clone();
        all.into_iter().filter(|one| one["source"] == "history").collect::<Vec<_>>()
    };
    let four = json!([{ "op": "replace", "path": "/count", "value": 4 }]);
    assert_eq!(correct(&asked("Ada", 0, "ADA-1815"), four)["results"][0]["ok"], true);

    let (bob, eve) = (asked("Bob", 0, "BOB-1816"), asked("Eve", 1, "EVE-1817"));
    let own = &offered(&bob)[0];
    assert_eq!((&own["valid"], &own["changes"]), (&json!(true), &json!(["How many: 0 → 4"])));
    assert_eq!((&own["correctedInput"]["name"], &own["correctedInput"]["count"]), (&json!("Bob"), &json!(4)));
    assert!(!own.to_string().contains("ADA") && !own.to_string().contains("Ada"), "{own}");
    assert_eq!(offered(&eve), Vec::<Value>::new(), "its count was another");
    place.ok("task_complete", json!({ "taskId": bob, "action": "correct", "correctedInput": own["correctedInput"] }));
    let record = place.ok("task_get", json!({ "taskId": bob }));
    let patch: Vec<&str> =
        record["decision"]["patch"].as_array().expect("a list").iter().filter_map(|one| one["path"].as_str()).collect();
    assert_eq!(patch, ["/count"], "its own account stays");

    // A change that was made together with one of a secret is not proposed, not even in part.
    let both = json!([
        { "op": "replace", "path": "/count", "value": 5 }, { "op": "replace", "path": "/account", "value": "NEW-1818" }
    ]);
    assert_eq!(correct(&eve, both)["results"][0]["ok"], true);
    assert_eq!(offered(&asked("Eve", 1, "EVE-1817")), Vec::<Value>::new());
}

/// E5: a repair that did not fit stands between the error and the person, also when it is looked at from the decision.
#[test]
fn a_decision_comes_from_the_repair_that_failed_before_it() {
    let place = place();
    let schema = json!({ "type": "object", "required": ["num"], "properties": { "num": { "type": "integer" } } });
    let document = json!({
        "signalbox": 1, "id": "heals", "name": "Heals",
        "nodes": {
            "other": { "type": "flow.fail", "config": { "error": { "type": "ToolError", "message": "no", "retryable": false } } },
            "twice": { "type": "data.transform", "title": "Twice", "config": { "expression": "{'twice': item.num * 2}" } },
            "sh": { "type": "builtin.self_healing", "config": { "validationSchema": schema } },
            "ask": { "type": "builtin.human_decision" },
            "note": { "type": "builtin.audit", "config": { "event": "OTHER_FAILED" } },
        },
        "edges": [
            { "from": "twice.error", "to": "sh" }, { "from": "sh.success", "to": "twice" },
            { "from": "sh.error", "to": "ask" }, { "from": "other.error", "to": "note" },
        ],
    });
    let task = place.waits(&document, json!({ "num": "forty two" }));
    place.ok("task_complete", json!({ "taskId": task, "action": "skip", "notes": "not needed" }));
    let seq_of =
        |event: &str| place.ok("audit_list", json!({ "query": format!("event:{event}") }))["entries"][0]["seq"].clone();
    let chain = |event: &str| -> Vec<(String, bool)> {
        let entry = place.ok("audit_get", json!({ "seq": seq_of(event) }));
        let all = entry["related"].as_array().expect("a list").iter();
        all.filter(|one| one["kind"] != "outcome")
            .map(|one| (one["event"].as_str().expect("a name").to_owned(), one["failed"] == true))
            .collect()
    };
    let whole: Vec<(String, bool)> = [
        ("NODE_ERROR", true),
        ("AUTO_FIX_ATTEMPT", true),
        ("NODE_ERROR", true),
        ("HITL_CREATED", false),
        ("HITL_COMPLETED", false),
    ]
    .map(|(event, failed)| (event.to_owned(), failed))
    .into();
    for event in ["HITL_COMPLETED", "HITL_CREATED", "AUTO_FIX_ATTEMPT"] {
        assert_eq!(chain(event), whole, "from {event}");
    }
}

/// TS-052: what the author hides in the input is hidden wherever the task shows it, whatever it is.
#[test]
fn what_is_hidden_in_the_input_is_hidden_around_it() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "pay", "name": "Pay",
        "nodes": {
            "read": {
                "type": "data.set", "config": { "assign": { "salary": 71093 } },
                "out": { "$person": "=_result", "$apiKey": "=\"plain words\"" },
            },
            "check": { "type": "flow.fail", "config": { "error": { "type": "ValidationError", "message": "too much", "retryable": false } } },
            "ask": { "type": "builtin.human_decision", "config": { "redact": ["/salary"] } },
        },
        "edges": [{ "from": "read.success", "to": "check" }, { "from": "check.error", "to": "ask" }],
    });
    let task = place.waits(&document, json!({}));
    let viewer = Caller::http(CallerRole::Viewer, true, "vera");
    let shown = place.ask(&viewer, "task_get", json!({ "taskId": task })).expect("shown");
    assert_eq!(shown["input"]["salary"], "•••1•");
    assert_eq!(
        (&shown["variables"]["person"]["salary"], &shown["error"]["type"]),
        (&json!("•••1•"), &json!("ValidationError"))
    );
    let text = shown.to_string();
    assert!(!text.contains("71093") && !text.contains("plain words"), "{text}");
    assert!(!shown["upstream"].as_array().expect("a list").is_empty());
}

/// ADR 57: every role keeps a look of its own; who has none sees the one that the machine had.
#[test]
fn each_person_has_a_look_of_their_own() {
    let place = place();
    let raw = rusqlite::Connection::open(place.app.data_dir().join("signalbox.db")).expect("opens");
    let old = json!({ "theme": "light", "layout": { "log": true }, "keymap": {} });
    raw.execute("INSERT INTO setting (name, value) VALUES ('app', ?)", [old.to_string()]).expect("as it was");
    let [vera, olga] = [(CallerRole::Viewer, "vera"), (CallerRole::Operator, "olga")]
        .map(|(role, name)| Caller::http(role, true, name));
    let look = |caller: &Caller| place.ask(caller, "settings_get", json!({})).expect("reads");
    let set = |caller: &Caller, look: &Value| place.ask(caller, "settings_set", json!({ "settings": look }));
    assert_eq!([look(&vera), look(&Caller::here())], [old.clone(), old.clone()]);
    let dark = json!({ "theme": "dark", "layout": {}, "keymap": {}, "queries": { "Mine": "actor:vera" } });
    set(&vera, &dark).expect("a viewer keeps it");
    let keys = json!({ "theme": "system", "layout": {}, "keymap": { "run.start": ["F6"] } });
    set(&olga, &keys).expect("an operator keeps it");
    assert_eq!([look(&vera), look(&olga), look(&Caller::here())], [dark.clone(), keys, old]);
    let huge = json!({ "theme": "dark", "layout": {}, "keymap": {}, "queries": { "Mine": "x".repeat(300_000) } });
    assert_eq!(set(&vera, &huge).expect_err("too much").code, "BAD_REQUEST");
    assert_eq!(look(&vera), dark);
}

/// An operator has a run happen once more: with its whole input, which their screen shows with masks and cuts.
#[test]
fn an_operator_runs_again_what_a_run_was() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "again", "name": "Again", "edges": [],
        "nodes": { "ask": { "type": "builtin.human_approval" } },
    });
    let params = json!({ "mail": "ada@example.org", "list": vec!["x".repeat(100); 200] });
    let task = place.waits(&document, params.clone());
    let run = place.ok("task_get", json!({ "taskId": task }))["runId"].clone();
    let (olga, vera) =
        (Caller::http(CallerRole::Operator, true, "olga"), Caller::http(CallerRole::Viewer, true, "vera"));
    let again = json!({ "runId": run });
    assert_eq!(place.ask(&vera, "run_again", again.clone()).expect_err("looks only").code, "FORBIDDEN");
    let sent = json!({ "document": document, "params": params });
    assert_eq!(place.ask(&olga, "run_start", sent).expect_err("not stored").code, "FORBIDDEN");
    let new = place.ask(&olga, "run_again", again).expect("starts")["runId"].clone();
    assert_ne!(new, run);
    let start = place.ok("run_value", json!({ "ref": format!("{}/1/payload/params", new.as_str().expect("an id")) }));
    assert_eq!(start, params);
    // TRUST: who sends it again from here has not typed what a program sent.
    let far = Caller::http(CallerRole::Operator, false, "rob");
    let second = place.ask(&far, "run_again", json!({ "runId": run })).expect("starts")["runId"].clone();
    let third = place.ok("run_again", json!({ "runId": second }))["runId"].clone();
    let by = |run: &Value| {
        let first = place.ok("run_events", json!({ "runId": run, "after": 0, "limit": 1 }))[0].clone();
        first["payload"]["startedBy"].clone()
    };
    assert_eq!([by(&new), by(&second), by(&third)], [Value::Null, json!("rest"), json!("rest")]);
    let [old, new] = [&run, &new].map(|run| place.ok("run_get", json!({ "runId": run }))["definition"].clone());
    assert_eq!(old, new);
    let gone = place.ask(&olga, "run_again", json!({ "runId": "nope" })).expect_err("unknown");
    assert_eq!(gone.code, "NOT_FOUND", "{gone}");
}

/// A task is exclusive while somebody works on it; giving it away and taking it over is recorded.
#[test]
fn claims_lease_and_take_over() {
    let place = place();
    let task = place.asked("x");
    let (anna, bob) =
        (Caller::http(CallerRole::Operator, true, "anna"), Caller::http(CallerRole::Operator, true, "bob"));
    let on = |caller: &Caller, command: &str, more: Value| {
        let mut request = json!({ "taskId": task });
        request.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        place.ask(caller, command, request)
    };
    let code = |done: Result<Value, ApiError>| done.expect_err("is refused").code;
    let row = on(&anna, "task_claim", json!({})).expect("claims");
    assert_eq!((row["claimedBy"].as_str(), row["revision"].as_i64()), (Some("user:anna"), Some(2)));
    assert_eq!(code(on(&bob, "task_claim", json!({}))), "CLAIMED");
    assert_eq!(code(on(&bob, "task_complete", json!({ "action": "abort" }))), "CLAIMED");
    assert_eq!(code(on(&bob, "task_release", json!({}))), "CLAIMED");
    assert_eq!(code(on(&bob, "task_reassign", json!({ "to": "bob" }))), "BAD_REQUEST");
    let row = on(&bob, "task_reassign", json!({ "to": "user:bob", "notes": "anna is away" })).expect("takes it over");
    assert_eq!((row["assignee"].as_str(), row.get("claimedBy")), (Some("user:bob"), None));
    on(&bob, "task_comment", json!({ "text": "I call them" })).expect("says it");
    let until = json!({ "until": "2199-01-01T00:00:00Z" });
    let passed = || json!({ "until": "2020-01-01T00:00:00Z" });
    assert_eq!(code(on(&bob, "task_snooze", passed())), "BAD_REQUEST", "there is nothing to show again");
    on(&bob, "task_snooze", until).expect("hides it");
    let view = |view: &str| place.ask(&bob, "task_list", json!({ "view": view })).expect("lists")["total"].clone();
    assert_eq!((view("mine"), view("snoozed"), view("all")), (json!(0), json!(1), json!(0)));
    on(&bob, "task_snooze", passed()).expect("shows it again");
    assert_eq!((view("mine"), view("snoozed")), (json!(1), json!(0)));
    let shown = place.ask(&bob, "task_get", json!({ "taskId": task })).expect("shows");
    let told: Vec<&str> =
        shown["history"].as_array().expect("a list").iter().filter_map(|one| one["what"].as_str()).collect();
    assert_eq!(told, ["created", "claimed", "reassigned", "commented", "snoozed", "snoozed"]);
    let chain = place.ok("audit_list", json!({ "query": "event:TASK_REASSIGNED" }));
    assert_eq!(chain["entries"][0]["summary"], "bob reassigned the task to bob");
    let said = place.ok("audit_list", json!({ "query": "text:\"I call them\"" }));
    assert_eq!(said["total"], 0, "the chain keeps that it was said, the task keeps what");
}

/// D2.1: a person's own views, counted; nobody else sees them.
#[test]
fn a_person_keeps_views_of_their_own() {
    let place = place();
    place.asked("x");
    let (anna, bob) = (Caller::http(CallerRole::Viewer, true, "anna"), Caller::http(CallerRole::Viewer, true, "bob"));
    let ask = |caller: &Caller, command: &str, request: Value| place.ask(caller, command, request);
    let save = |name: &str, filter: Value| ask(&anna, "task_view_save", json!({ "name": name, "filter": filter }));
    save("Asks", json!({ "workflow": "asks", "sort": "due" })).expect("keeps");
    save("  Other ", json!({ "workflow": "other" })).expect("keeps");
    save("Asks", json!({ "workflow": "asks", "view": "unassigned" })).expect("replaces");
    let views = |caller: &Caller| ask(caller, "task_counts", json!({})).expect("counts")["saved"].clone();
    let expected = json!([
        { "name": "Asks", "filter": { "view": "unassigned", "workflow": "asks" }, "count": 1 },
        { "name": "Other", "filter": { "workflow": "other" }, "count": 0 },
    ]);
    assert_eq!((views(&anna), views(&bob)), (expected, json!([])));
    for (name, filter) in
        [(" ", json!({ "workflow": "a" })), ("All", json!({})), (&*"x".repeat(61), json!({ "text": "a" }))]
    {
        assert_eq!(save(name, filter).expect_err("is refused").code, "BAD_REQUEST", "{name}");
    }
    ask(&anna, "task_view_forget", json!({ "name": "Asks" })).expect("forgets");
    let gone = ask(&anna, "task_view_forget", json!({ "name": "Asks" }));
    assert_eq!((gone.expect_err("is gone").code, views(&anna).as_array().map(Vec::len)), ("NOT_FOUND".into(), Some(1)));
}

/// D2.9: a delegation is recorded, holds for its time, and what is decided says in whose name.
#[test]
fn somebody_answers_in_the_name_of_another() {
    let place = place();
    let task = place.asked("x");
    let caller = |name: &str| Caller::http(CallerRole::Operator, true, name);
    let (anna, bob, cleo) = (caller("anna"), caller("bob"), caller("cleo"));
    place.ok("task_reassign", json!({ "taskId": task, "to": "user:anna" }));
    let until = "2199-01-01T00:00:00Z";
    let refused = [
        (&anna, json!({ "to": "bob", "endsAt": until }), "BAD_REQUEST"),
        (&anna, json!({ "to": "user:anna", "endsAt": until }), "BAD_REQUEST"),
        (&anna, json!({ "to": "user:bob", "endsAt": until }), "BAD_REQUEST"),
        (&anna, json!({ "to": "user:bob", "endsAt": "2001-01-01T00:00:00Z" }), "BAD_REQUEST"),
        (&anna, json!({ "to": "user:bob", "endsAt": "soon" }), "BAD_REQUEST"),
        (&bob, json!({ "to": "user:bob", "from": "user:anna", "endsAt": until }), "FORBIDDEN"),
    ];
    for (who, request, code) in refused {
        let error = place.ask(who, "delegation_create", request.clone()).expect_err("is refused");
        assert_eq!(error.code, code, "{request}");
    }
    let year = signalbox_model::time::format(now() + 300 * 24 * 60 * 60 * 1_000);
    let wanted = json!({ "to": "user:bob", "endsAt": year, "notes": "away" });
    let made = place.ask(&anna, "delegation_create", wanted).expect("makes it");
    assert_eq!((made["from"].as_str(), made["active"].as_bool()), (Some("user:anna"), Some(true)));
    let mine = |who: &Caller| place.ask(who, "task_counts", json!({})).expect("counts")["mine"].clone();
    assert_eq!((mine(&anna), mine(&bob), mine(&cleo)), (json!(1), json!(1), json!(0)));
    place.ask(&bob, "task_complete", json!({ "taskId": task, "action": "abort" })).expect("answers");
    let shown = place.ok("task_get", json!({ "taskId": task }));
    assert_eq!(shown["decision"]["onBehalfOf"], "user:anna");
    let id = &made["id"];
    let end = |who: &Caller| place.ask(who, "delegation_end", json!({ "id": id }));
    assert_eq!(end(&cleo).expect_err("is neither").code, "FORBIDDEN");
    end(&bob).expect("ends it");
    assert_eq!(end(&anna).expect_err("is over").code, "NOT_FOUND");
    for (event, said) in [("DELEGATION_CREATED", "bob answers for anna"), ("DELEGATION_ENDED", "bob no longer")] {
        let entries = place.ok("audit_list", json!({ "query": format!("event:{event}") }));
        let summary = entries["entries"][0]["summary"].as_str().unwrap_or_default();
        assert!(entries["total"] == 1 && summary.starts_with(said), "{entries}");
    }
    let decided = place.ok("audit_list", json!({ "query": "event:HITL_COMPLETED text:onBehalfOf" }));
    assert_eq!(decided["total"], 1);
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_millis()).expect("fits")
}

/// D2.7, K-19: the same request for several tasks again gives the first answers again.
#[test]
fn a_batch_that_comes_twice_has_one_effect() {
    let place = place();
    let tasks: Vec<String> = ["36", "37"].iter().map(|age| place.asked(age)).collect();
    let request = json!({ "taskIds": tasks, "action": "abort", "requestId": "b-1" });
    let first = place.ok("task_complete_many", request.clone());
    let again = place.ok("task_complete_many", request);
    assert_eq!(
        (&first, first["batchId"].as_str(), first["results"][1]["ok"].as_bool()),
        (&again, Some("b-1"), Some(true))
    );
    assert_eq!(place.ok("audit_list", json!({ "query": "event:HITL_COMPLETED" }))["total"], 2);
    let other = place.ok("task_complete_many", json!({ "taskIds": tasks, "action": "abort" }));
    assert_eq!(other["results"][0]["error"]["code"], "ALREADY_ANSWERED");
}

/// D2: what comes after an answer is told by the wires of the step that asks, in titles.
#[test]
fn a_task_tells_where_each_answer_leads() {
    let place = place();
    let set = json!({ "assign": { "n": 1 } });
    let fails = json!({ "type": "flow.fail", "config": { "error": { "type": "ToolError", "message": "no", "retryable": false } } });
    let document = json!({
        "signalbox": 1, "id": "leads", "name": "Leads",
        "nodes": {
            "book": fails, "ask": { "type": "builtin.human_decision" },
            "hand": { "type": "data.set", "title": "Book by hand", "config": set }, "look": { "type": "data.set", "config": set },
        },
        "edges": [
            { "from": "book.error", "to": "ask" }, { "from": "ask.retry", "to": "book" },
            { "from": "ask.corrected", "to": "hand" }, { "from": "ask.corrected", "to": "look" },
        ],
    });
    let task = place.waits(&document, json!({}));
    let ways = place.ok("task_get", json!({ "taskId": task }))["ways"].take();
    assert_eq!(
        ways,
        json!([
            { "action": "retry", "again": true, "steps": [] },
            { "action": "correct", "again": false, "steps": ["Book by hand", "Set fields"] },
        ])
    );

    // Two share the one that asks: what goes back to one of them is no way on for the other.
    let shared = json!({
        "signalbox": 1, "id": "shared", "name": "Shared",
        "nodes": { "one": { "type": "data.set", "config": set }, "book": fails, "ask": { "type": "builtin.human_decision" } },
        "edges": [
            { "from": "one.success", "to": "book" }, { "from": "one.error", "to": "ask" }, { "from": "book.error", "to": "ask" },
            { "from": "ask.retry", "to": "one" },
        ],
    });
    let task = place.waits(&shared, json!({}));
    assert_eq!(place.ok("task_get", json!({ "taskId": task }))["ways"], json!([]));

    let asks = json!({
        "signalbox": 1, "id": "pays", "name": "Pays",
        "nodes": { "ask": { "type": "builtin.human_approval", "config": { "title": "Pay?" } }, "pay": { "type": "data.set", "title": "Pay", "config": set } },
        "edges": [{ "from": "ask.approved", "to": "pay" }],
    });
    let task = place.waits(&asks, json!({}));
    assert_eq!(
        place.ok("task_get", json!({ "taskId": task }))["ways"],
        json!([{ "action": "approve", "again": false, "steps": ["Pay"] }])
    );
}

/// What led to a question is what came before it where it stands: not what happens in other iterations, nor what came later.
#[test]
fn what_led_to_a_task_is_told_without_what_happened_beside_it() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "rows", "name": "Rows",
        "nodes": {
            "before": { "type": "data.set", "title": "Before", "config": { "assign": { "list": "=params.list" } } },
            "each": { "type": "flow.loop", "title": "Each", "config": { "source": "=item.list", "mode": "parallel" } },
            "read": { "type": "data.set", "title": "Read", "parent": "each", "config": { "assign": { "n": "=_item" }, "keep": false } },
            "ok": { "type": "builtin.human_approval", "title": "Is it good", "parent": "each", "config": { "title": "=\"Good \" + string(_item)" } },
        },
        "edges": [{ "from": "before.success", "to": "each" }, { "from": "read.success", "to": "ok" }],
    });
    place.waits(&document, json!({ "list": [0, 1, 2] }));
    let tasks = place.ok("task_list", json!({}))["tasks"].clone();
    let of = |n: usize| {
        let is_it = |task: &&Value| task["path"] == json!(format!("each[{n}]"));
        let task = tasks.as_array().expect("a list").iter().find(is_it);
        task.unwrap_or_else(|| panic!("{tasks}"))["id"].clone()
    };
    let answer = json!({ "taskId": of(1), "action": "approve" });
    place.ok("task_complete", answer);
    for n in [0, 2] {
        let task = place.ok("task_get", json!({ "taskId": of(n) }));
        let told: Vec<String> = task["trace"]
            .as_array()
            .expect("a trace")
            .iter()
            .map(|one| {
                format!("{} {}", one["title"].as_str().unwrap_or_default(), one["event"].as_str().unwrap_or_default())
            })
            .collect();
        assert_eq!(told.iter().filter(|one| *one == "Read step_done").count(), 1, "{n}: {told:?}");
        assert!(told.contains(&"Before step_done".to_owned()), "{n}: {told:?}");
        assert_eq!(told.last().map(String::as_str), Some("Is it good human_task_created"), "{n}: {told:?}");
        assert!(!told.iter().any(|one| one.ends_with("human_task_completed")), "{n}: {told:?}");
    }
}

/// D2.9: two people approve; who started the run may only reject.
#[test]
fn two_people_approve() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "pays", "name": "Pays",
        "nodes": { "ask": { "type": "builtin.human_approval", "config": { "minApprovals": 2, "noSelfApproval": true } } },
        "edges": [],
    });
    let anna = Caller::http(CallerRole::Builder, true, "anna");
    let run =
        place.ask(&anna, "run_start", json!({ "document": document, "params": {} })).expect("starts")["runId"].clone();
    let run = run.as_str().expect("an id").to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let summary = runtime.block_on(place.app.wait(run.clone())).expect("pauses");
    let task = summary["openTasks"][0].as_str().expect("a task").to_owned();
    let approve = |who: &str| {
        let who = Caller::http(CallerRole::Operator, true, who);
        place.ask(&who, "task_complete", json!({ "taskId": task, "action": "approve", "notes": "fine" }))
    };
    assert_eq!(approve("anna").expect_err("started it").code, "SELF_APPROVAL");
    let first = approve("bob").expect("counts");
    assert_eq!((&first["state"], &first["approvals"], &first["minApprovals"]), (&json!("open"), &json!(1), &json!(2)));
    assert_eq!(approve("bob").expect_err("has approved").code, "ALREADY_VOTED");
    let shown = place.ok("task_get", json!({ "taskId": task }));
    assert_eq!(
        (&shown["votes"][0]["by"], &shown["votes"][0]["notes"], &shown["startedBy"], &shown["noSelfApproval"]),
        (&json!("user:bob"), &json!("fine"), &json!("user:anna"), &json!(true))
    );
    let row = place.ok("task_list", json!({}))["tasks"][0].clone();
    assert_eq!((&row["approvals"], &row["minApprovals"], row.get("claimedBy")), (&json!(1), &json!(2), None));
    let second = approve("cleo").expect("decides");
    assert_eq!((&second["state"], &second["approvals"]), (&json!("done"), &json!(2)));
    let voted = place.ok("audit_list", json!({ "query": "event:HITL_VOTED" }));
    assert_eq!(voted["entries"][0]["summary"], "bob approved (1 of 2)");
    let decided = place.ok("audit_list", json!({ "query": "event:HITL_COMPLETED text:approvedBy" }));
    assert_eq!(decided["total"], 1);
}

/// H-20: files of the input are listed, and handed out with an entry in the chain.
#[test]
fn files_of_a_task_are_handed_out_and_recorded() {
    let place = place();
    let document = json!({
        "signalbox": 1, "id": "files", "name": "Files",
        "nodes": { "ask": { "type": "builtin.human_approval", "config": { "title": "Look" } } },
        "edges": [],
    });
    let file = json!({ "path": "in/ada.pdf", "size": 4, "content": "JVBERg==" });
    let run = place.ok("run_start", json!({ "document": document, "params": { "invoice": file } }))["runId"].clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let summary = runtime.block_on(place.app.wait(run.as_str().expect("an id").to_owned())).expect("pauses");
    let task = summary["openTasks"][0].clone();
    let shown = place.ok("task_get", json!({ "taskId": task }));
    let listed = json!([{ "id": "/input/invoice", "name": "ada.pdf", "mime": "application/pdf", "size": 4 }]);
    assert_eq!(shown["attachments"], listed);
    let get = |caller: &Caller, id: &str| place.ask(caller, "task_attachment", json!({ "taskId": task, "id": id }));
    let viewer = Caller::http(CallerRole::Viewer, true, "eve");
    assert_eq!(get(&viewer, "/input/invoice").expect_err("may not").code, "FORBIDDEN");
    for id in ["/input", "/input/nothing", "in/ada.pdf", "/../etc/passwd"] {
        assert_eq!(get(&Caller::here(), id).expect_err("is none").code, "NOT_FOUND", "{id}");
    }
    let got = get(&Caller::here(), "/input/invoice").expect("hands it out");
    assert_eq!((&got["name"], &got["bytesBase64"]), (&json!("ada.pdf"), &json!("JVBERg==")));
    let entries = place.ok("audit_list", json!({ "query": "event:ATTACHMENT_OPENED" }));
    assert_eq!(entries["total"], 1);
    let told = place.ok("task_get", json!({ "taskId": task }))["history"].clone();
    assert_eq!(told.as_array().and_then(|all| all.last()).expect("one")["what"], "opened");
}
