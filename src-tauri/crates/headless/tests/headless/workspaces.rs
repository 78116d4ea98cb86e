//! Workspaces with the real program: access that is limited to one sees nothing of the others, on any route and by any command;
//! quotas; roles of people by workspace.

use crate::serve::ROUTES;
use crate::support;

use serde_json::{Map, Value, json};
use signalbox_app::command_list::COMMANDS;
use signalbox_app::dto::Host;
use support::{Answer, BUILDER, Serving, TestHome, eventually, follow, with_roles, workflow};

/// In the name, the input and the questions of everything that limited access must not see.
const MARK: &str = "Zanzibar-4711";

/// A workflow that asks a person, with the mark in everything that people see of it.
fn asks(id: &str, mark: &str) -> Value {
    let mut document = workflow(
        json!({
            "read": { "type": "data.set", "config": { "assign": { "text": format!("={mark:?}"), "sent": "=params.sent" } } },
            "check": { "type": "flow.fail", "title": format!("Check {mark}"), "config": { "error": {
                "type": "ValidationError", "message": format!("{mark} is refused"), "retryable": false,
                "details": { "code": "INPUT_INVALID" } } } },
            "ask": { "type": "builtin.human_decision", "title": format!("Ask {mark}"), "config": { "title": format!("Look at {mark}") } },
            "end": { "type": "flow.noop" },
        }),
        json!([
            { "from": "read.success", "to": "check" }, { "from": "check.error", "to": "ask" },
            { "from": "ask.skip", "to": "end" },
        ]),
    );
    document["id"] = json!(id);
    document["name"] = json!(format!("{id} {mark}"));
    document["description"] = json!(mark);
    document
}

/// What stands in a workspace, or in none.
struct Thing {
    workflow: String,
    reference: String,
    run: String,
    task: String,
    trigger: String,
    entry: u64,
}

struct Story {
    serving: Serving,
    /// Limited to sales, as an operator.
    sales: String,
    own: Thing,
    others: Vec<Thing>,
    place: TestHome,
}

fn rpc(serving: &Serving, token: &str, command: &str, body: &Value) -> Answer {
    serving.ask_as(token, "POST", &format!("/rpc/{command}"), body, &[])
}

fn done(serving: &Serving, command: &str, body: &Value) -> Value {
    let answer = rpc(serving, BUILDER, command, body);
    assert_eq!(answer.status, 200, "{command}: {}", answer.body);
    answer.json()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is a text")).to_owned()
}

fn thing(serving: &Serving, id: &str, workspace: Option<&str>, mark: &str) -> Thing {
    let mut document = asks(id, mark);
    document["nodes"]["begin"] =
        json!({ "type": "trigger.manual", "title": format!("Begin {mark}"), "config": { "offerAsTool": true } });
    document["edges"].as_array_mut().expect("a list").push(json!({ "from": "begin.success", "to": "read" }));
    let put = serving.ask_as(BUILDER, "PUT", &format!("/workflows/{id}"), &document, &[]);
    assert_eq!(put.status, 200, "{}", put.body);
    if let Some(name) = workspace {
        done(serving, "workspace_put", &json!({ "name": name }));
        done(serving, "workspace_assign", &json!({ "workflowId": id, "workspace": name }));
    }
    done(serving, "workflow_activate", &json!({ "workflowId": id }));
    let started =
        serving.ask_as(BUILDER, "POST", "/workflow/run", &json!({ "workflow": id, "params": { "sent": mark } }), &[]);
    let run = text(&started.json()["runId"]);
    let mut task = String::new();
    eventually("a person is asked", || {
        let listed = done(serving, "task_list", &json!({ "runId": run }));
        task = listed["tasks"][0]["id"].as_str().unwrap_or_default().to_owned();
        !task.is_empty()
    });
    let listed = done(serving, "workflow_list", &json!({}));
    let entry = listed.as_array().into_iter().flatten().find(|one| one["id"] == id).expect("it is listed");
    let triggers = done(serving, "trigger_list", &json!({ "workflowId": id }));
    let audit = done(serving, "audit_list", &json!({ "query": format!("run:{run}") }));
    Thing {
        reference: text(&entry["ref"]),
        workflow: id.to_owned(),
        run,
        task,
        trigger: text(&triggers[0]["triggerId"]),
        entry: audit["entries"][0]["seq"].as_u64().expect("a number"),
    }
}

impl Story {
    fn begin() -> Self {
        let place = TestHome::new();
        let serving = with_roles(&place);
        let own = thing(&serving, "quotes", Some("sales"), "Quote");
        let others = vec![thing(&serving, "payroll", Some("hr"), MARK), thing(&serving, "free", None, MARK)];
        let made =
            done(&serving, "token_add", &json!({ "name": "portal", "role": "operator", "workspaces": ["sales"] }));
        // A view that its owner keeps is not for a token that is limited.
        let view = json!({ "name": MARK, "filter": { "text": MARK } });
        done(&serving, "task_view_save", &view);
        Self { sales: text(&made["token"]), serving, own, others, place }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.serving.ask_as(&self.sales, method, path, body, &[])
    }
}

/// Requests that name what stands elsewhere, of the fields that a command has.
fn requests(schema: &Value, thing: &Thing) -> Vec<Value> {
    let known = [
        ("runId", json!(thing.run)),
        ("with", json!(thing.run)),
        ("taskId", json!(thing.task)),
        ("taskIds", json!([thing.task])),
        ("workflowId", json!(thing.workflow)),
        ("workflow", json!(thing.workflow)),
        ("triggerId", json!(thing.trigger)),
        ("seq", json!(thing.entry)),
        ("after", json!(0)),
        ("stepId", json!("read")),
        ("nodeId", json!("read")),
        ("reason", json!("I look")),
        ("action", json!("skip")),
        ("sha256", json!("0".repeat(64))),
        ("query", json!(MARK)),
        ("text", json!(MARK)),
        ("parent", json!(thing.run)),
        ("correctedInput", json!({})),
        ("to", json!("user:eve")),
        ("until", json!("2036-11-30T10:00:00Z")),
        ("held", json!(true)),
        ("id", json!("x")),
        ("name", json!("x")),
    ];
    let fields = schema["properties"].as_object().cloned().unwrap_or_default();
    let body: Map<String, Value> = known
        .into_iter()
        .filter(|(name, _)| fields.contains_key(*name))
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let references =
        [thing.reference.clone(), format!("{}/1/payload/params", thing.run), format!("{}/definition/nodes", thing.run)];
    let mut all = vec![Value::Object(body.clone())];
    if fields.contains_key("ref") {
        all.extend(references.map(|reference| {
            let mut body = body.clone();
            body.insert("ref".into(), reference.into());
            Value::Object(body)
        }));
    }
    all
}

/// Every command of the list, also one that is added later: what it answers holds nothing of another workspace.
#[test]
fn no_command_answers_with_what_is_in_another_workspace() {
    let story = Story::begin();
    let open = [
        "app_info",
        "catalog_list",
        "who",
        "retry_timeline",
        "rules_check",
        "schedule_preview",
        "expression_try",
        "workflow_list",
        "run_list",
        "task_list",
        "task_counts",
        "audit_list",
        "audit_facets",
    ];
    let mut generator = schemars::SchemaGenerator::default();
    for command in COMMANDS.iter().filter(|command| command.hosts.contains(&Host::Http)) {
        let named = (command.request)(&mut generator);
        let schema = json!(named);
        let schema = match schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            Some(name) => json!(generator.definitions()[name]),
            None => schema,
        };
        for thing in &story.others {
            for body in requests(&schema, thing) {
                let answer = rpc(&story.serving, &story.sales, command.name, &body);
                assert!(!answer.body.contains(MARK), "{} {body}: {}", command.name, answer.body);
                if open.contains(&command.name) {
                    continue;
                }
                assert!(
                    matches!(answer.status, 400 | 403 | 404),
                    "{} {body}: {} {}",
                    command.name,
                    answer.status,
                    answer.body
                );
            }
        }
    }
    // The lists have what is inside, and nothing else.
    let listed = |command: &str, body: Value| rpc(&story.serving, &story.sales, command, &body).json();
    let workflows = listed("workflow_list", json!({}));
    assert_eq!((workflows.as_array().map(Vec::len), &workflows[0]["id"]), (Some(1), &json!("quotes")));
    assert_eq!(workflows[0]["lastRun"]["runId"], json!(story.own.run));
    let runs = listed("run_list", json!({}));
    assert_eq!((runs["runs"].as_array().map(Vec::len), &runs["runs"][0]["runId"]), (Some(1), &json!(story.own.run)));
    let tasks = listed("task_list", json!({ "state": "all" }));
    assert_eq!((&tasks["total"], &tasks["tasks"][0]["id"]), (&json!(1), &json!(story.own.task)));
    let counts = listed("task_counts", json!({}));
    assert_eq!(
        (&counts["open"], &counts["byWorkflow"][0]["id"], &counts["saved"]),
        (&json!(1), &json!("quotes"), &json!([]))
    );
    let audit = listed("audit_list", json!({}));
    let of: Vec<&Value> = audit["entries"].as_array().into_iter().flatten().map(|entry| &entry["runId"]).collect();
    assert!(!of.is_empty() && of.iter().all(|run| **run == json!(story.own.run)), "{audit}");
    assert_eq!(audit["head"]["size"], 0, "how much the others do is not told");
    // Whoever may see everything sees the mark: it is there to be found.
    for (command, body) in [("run_get", json!({ "runId": story.others[0].run })), ("workflow_list", json!({}))] {
        assert!(rpc(&story.serving, BUILDER, command, &body).body.contains(MARK), "{command}");
    }
    // Nothing of what was asked changed anything.
    for thing in &story.others {
        let task = done(&story.serving, "task_get", &json!({ "taskId": thing.task }));
        assert_eq!((&task["state"], &task["claimedBy"]), (&json!("open"), &Value::Null), "{task}");
    }
    let facts = done(&story.serving, "run_list", &json!({}));
    assert_eq!(facts["runs"].as_array().map(Vec::len), Some(3), "no run was started");
}

/// Every route: what stands elsewhere answers like what does not exist, word for word but for the id.
#[test]
fn no_route_answers_with_what_is_in_another_workspace() {
    let story = Story::begin();
    for (method, path, _) in ROUTES {
        for thing in &story.others {
            let mut whole = (*path).to_owned();
            let id = match path.split('/').nth(1).unwrap_or_default() {
                "workflow" => &thing.run,
                "human-tasks" => &thing.task,
                "workflows" => &thing.workflow,
                "triggers" => &thing.trigger,
                _ => "x",
            };
            whole = whole.replacen("/x", &format!("/{id}"), 1);
            if whole.ends_with("/diff") {
                whole.push_str(&format!("?with={}", story.own.run));
            }
            if whole == "/triggers" {
                whole.push_str(&format!("?workflowId={}", thing.workflow));
            }
            let body = match (*method, *path) {
                ("GET" | "DELETE", _) => Value::Null,
                (_, "/workflow/run") => json!({ "workflow": thing.workflow }),
                (_, "/workflow/rerun") => json!({ "runId": thing.run, "stepId": "read" }),
                (_, "/workflow/x/resume") => json!({ "token": "x" }),
                (_, "/audit/record") => json!({ "runId": thing.run, "nodeId": "read", "event": "NOTE", "level": "INFO",
                    "timestamp": "2026-11-30T10:00:00Z", "actor": { "type": "human" } }),
                _ => json!({}),
            };
            let answer = story.ask(method, &whole, &body);
            assert!(!answer.body.contains(MARK), "{method} {whole}: {}", answer.body);
            let is_list = ["/openapi.json", "/catalog", "/workflows", "/human-tasks", "/audit"].contains(path)
                && *method == "GET";
            if is_list {
                assert_eq!(answer.status, 200, "{method} {whole}: {}", answer.body);
            } else {
                assert!(matches!(answer.status, 403 | 404), "{method} {whole}: {} {}", answer.status, answer.body);
            }
        }
    }
    // As if it did not exist.
    let unknown = "01999999-9999-7999-8999-999999999999";
    for (path, id) in [
        ("/workflow/ID/status", &story.others[0].run),
        ("/workflow/ID/events", &story.others[0].run),
        ("/workflow/ID/binary/x", &story.others[1].run),
        ("/human-tasks/ID", &story.others[0].task),
        ("/workflows/ID", &story.others[0].workflow),
        ("/triggers?workflowId=ID", &story.others[0].workflow),
    ] {
        let there = story.ask("GET", &path.replace("ID", id), &Value::Null);
        let nowhere = story.ask("GET", &path.replace("ID", unknown), &Value::Null);
        assert_eq!(there.body.replace(id, "ID"), nowhere.body.replace(unknown, "ID"), "{path}");
        assert_eq!((there.status, nowhere.status), (404, 404), "{path}");
    }
    // The doors beside the routes.
    for (path, body) in [
        ("/mcp", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })),
        ("/mcp/author", json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })),
        ("/a2a", json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage" })),
    ] {
        let answer = story.ask("POST", path, &body);
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
    }
    let metrics = story.ask("GET", "/metrics", &Value::Null);
    assert_eq!((metrics.status, metrics.code().as_str()), (403, "WORKSPACE_ONLY"), "{}", metrics.body);
    assert!(metrics.body.contains("limited to: sales"), "{}", metrics.body);
}

/// Inside, everything of the role works, and the record says where.
#[test]
fn limited_access_starts_follows_and_answers_inside() {
    let story = Story::begin();
    let who = rpc(&story.serving, &story.sales, "who", &json!({})).json();
    assert_eq!(
        who["workspaces"],
        json!({ "limited": true, "roles": [{ "name": "sales", "role": "operator" }] }),
        "{who}"
    );
    let started = story.ask("POST", "/workflow/run", &json!({ "workflow": "quotes", "params": { "sent": "x" } }));
    assert_eq!(started.status, 200, "{}", started.body);
    let run = text(&started.json()["runId"]);
    assert!(!follow(&story.serving, &story.sales, &run, 0, None, 3).is_empty());
    let mut task = String::new();
    eventually("a person is asked", || {
        let listed = rpc(&story.serving, &story.sales, "task_list", &json!({ "runId": run })).json();
        task = listed["tasks"][0]["id"].as_str().unwrap_or_default().to_owned();
        !task.is_empty()
    });
    let answered = story.ask("POST", &format!("/human-tasks/{task}/complete"), &json!({ "action": "skip" }));
    assert_eq!(answered.status, 200, "{}", answered.body);
    eventually("the run ends", || {
        story.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).json()["status"] == "completed"
    });
    // An entry that names a task of somebody else shows nothing of it.
    let note = json!({
        "timestamp": "2026-11-30T10:00:00.000Z", "runId": run, "nodeId": "read", "event": "NOTE", "level": "INFO",
        "actor": { "type": "human" }, "metadata": { "taskId": story.others[0].task },
    });
    let noted = rpc(&story.serving, &story.sales, "audit_record", &note);
    assert_eq!(noted.status, 200, "{}", noted.body);
    let read = rpc(&story.serving, &story.sales, "audit_get", &json!({ "seq": noted.json()["seq"] }));
    assert!(read.status == 200 && !read.body.contains(MARK), "{}", read.body);
    // Not what builders do, not what was never stored.
    let document = asks("quotes", "x");
    assert_eq!(story.ask("PUT", "/workflows/quotes", &document).status, 403);
    assert_eq!(rpc(&story.serving, &story.sales, "run_start", &json!({ "document": document })).status, 400);
    // The run and its entries name the workspace, and the chain finds them by it.
    let query = json!({ "query": format!("run:{run} workspace:sales event:WORKFLOW_STARTED") });
    let entries = done(&story.serving, "audit_list", &query)["entries"].clone();
    let entry = done(&story.serving, "audit_get", &json!({ "seq": entries[0]["seq"] }))["entry"]["metadata"].clone();
    assert_eq!((&entry["tenantId"], &entry["tokenName"]), (&json!("sales"), &json!("portal")), "{entry}");
    let elsewhere = done(&story.serving, "audit_list", &json!({ "query": format!("run:{run} workspace:hr") }));
    assert_eq!(elsewhere["total"], 0);
    // A workflow that moves away takes its next runs along; those of before stay.
    done(&story.serving, "workspace_assign", &json!({ "workflowId": "quotes", "workspace": "hr" }));
    assert_eq!(story.ask("GET", "/workflows/quotes", &Value::Null).status, 404);
    assert_eq!(story.ask("POST", "/workflow/run", &json!({ "workflow": "quotes" })).status, 404);
    assert_eq!(story.ask("GET", &format!("/workflow/{run}/status"), &Value::Null).status, 200);
    assert_eq!(rpc(&story.serving, &story.sales, "run_again", &json!({ "runId": run })).status, 404);
    assert_eq!(story.place.run(&["audit", "verify"]).code, 0);
}

/// What people who give access may get wrong is refused, and nothing is given.
#[test]
fn access_to_nowhere_and_builders_inside_are_refused() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    done(&serving, "workspace_put", &json!({ "name": "sales" }));
    for (body, told) in [
        (json!({ "name": "a", "role": "builder", "workspaces": ["sales"] }), "A builder cannot be limited"),
        (json!({ "name": "a", "role": "viewer", "workspaces": [] }), "can do nothing"),
        (json!({ "name": "a", "role": "viewer", "workspaces": ["nowhere"] }), "There is no workspace nowhere."),
        (json!({ "name": "a", "role": "viewer", "quota": { "perDay": 0 } }), "A quota of 0"),
        (json!({ "name": "a", "role": "viewer", "quota": { "atOnce": 1 } }), "at the same time"),
    ] {
        let answer = rpc(&serving, BUILDER, "token_add", &body);
        assert!(answer.status == 400 && answer.body.contains(told), "{body}: {}", answer.body);
    }
    for name in ["", "Sales", "a b", "-x", "a/b", "ä"] {
        assert_eq!(rpc(&serving, BUILDER, "workspace_put", &json!({ "name": name })).status, 400, "{name}");
    }
    assert_eq!(
        rpc(&serving, BUILDER, "workspace_assign", &json!({ "workflowId": "x", "workspace": "hr" })).status,
        404
    );
    // A workflow must not reach into another workspace, whoever starts it.
    let inner = asks("inner", "x");
    let mut outer =
        workflow(json!({ "call": { "type": "flow.subworkflow", "config": { "workflow": "inner" } } }), json!([]));
    outer["id"] = json!("outer");
    for document in [&inner, &outer] {
        let path = format!("/workflows/{}", text(&document["id"]));
        assert_eq!(serving.ask_as(BUILDER, "PUT", &path, document, &[]).status, 200);
    }
    done(&serving, "workspace_put", &json!({ "name": "hr" }));
    done(&serving, "workspace_assign", &json!({ "workflowId": "inner", "workspace": "hr" }));
    let start = json!({ "workflow": "outer" });
    assert_eq!(serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]).status, 200, "no workspace, no border");
    done(&serving, "workspace_assign", &json!({ "workflowId": "outer", "workspace": "sales" }));
    assert_eq!(serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]).code(), "OTHER_WORKSPACE");
    let in_use = rpc(&serving, BUILDER, "workspace_remove", &json!({ "name": "hr" }));
    assert_eq!((in_use.status, in_use.code().as_str()), (409, "WORKSPACE_IN_USE"));
}

/// Beyond the quota the answer is 429 and says when to come again; the terminal shows what was counted.
#[test]
fn starts_beyond_a_quota_are_told_when_to_come_again() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let mut document = workflow(json!({ "a": { "type": "flow.noop" } }), json!([]));
    document["id"] = json!("quick");
    assert_eq!(serving.ask_as(BUILDER, "PUT", "/workflows/quick", &document, &[]).status, 200);
    let set = ["workspace", "set", "sales", "--per-day", "2", "--json"];
    assert_eq!(place.run(&set).json()[0]["quota"], json!({ "perDay": 2 }));
    assert_eq!(place.run(&["workspace", "assign", "quick", "sales"]).code, 0);
    assert_eq!(place.run(&["workspace", "assign", "quick", "nowhere"]).code, 2);
    let start = json!({ "workflow": "quick" });
    let key = [("idempotency-key", "one")];
    let first = serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &key);
    assert_eq!(first.status, 200, "{}", first.body);
    assert_eq!(serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]).status, 200);
    let over = serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]);
    assert_eq!((over.status, over.code().as_str()), (429, "QUOTA_REACHED"), "{}", over.body);
    assert!(over.body.contains("The quota of the workspace sales is reached: 2 in a day."), "{}", over.body);
    let after = over.head.lines().find_map(|line| line.strip_prefix("retry-after: ")).expect("says when");
    assert!(after.parse::<u64>().is_ok_and(|seconds| (1..=86_400).contains(&seconds)), "{after}");
    // The same start sent again is no other start.
    let again = serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &key);
    assert_eq!((again.status, &again.json()["runId"]), (200, &first.json()["runId"]));
    let listed = place.run(&["workspace", "list"]).out;
    assert!(listed.contains("2 of 2 today") && listed.contains("quick"), "{listed}");

    assert_eq!(place.run(&["workspace", "assign", "quick"]).code, 0);
    let add = ["token", "add", "ci", "--role", "operator", "--per-day", "1", "--json"];
    let token = text(&place.run(&add).json()["token"]);
    let by = || serving.ask_as(&token, "POST", "/workflow/run", &start, &[]);
    eventually("the token works", || by().status != 401);
    let over = by();
    assert!(over.status == 429 && over.body.contains("the token ci"), "{}", over.body);
    assert_eq!(done(&serving, "token_list", &json!({}))[0]["started"]["day"], 1);

    assert_eq!(place.run(&["workspace", "assign", "quick", "sales"]).code, 0);
    let set = ["workspace", "set", "sales", "--person-per-day", "1", "--json"];
    assert_eq!(place.run(&set).json()[0]["quota"], json!({ "personPerDay": 1 }));
    assert_eq!(serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]).status, 200);
    let over = serving.ask_as(BUILDER, "POST", "/workflow/run", &start, &[]);
    assert_eq!((over.status, over.code().as_str()), (429, "QUOTA_REACHED"), "{}", over.body);
    assert!(over.body.contains("in the workspace sales is reached: 1 in a day."), "{}", over.body);
    let listed = place.run(&["workspace", "list"]).out;
    assert!(listed.contains("1 a day by one person"), "{listed}");
    let of_token = json!({ "name": "no", "role": "operator", "quota": { "personPerDay": 1 } });
    assert_eq!(rpc(&serving, BUILDER, "token_add", &of_token).status, 400);
}
