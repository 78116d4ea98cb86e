//! What the description of REST says is what the server answers.

use crate::support;

use serde_json::{Value, json};
use support::{Answer, Serving, TestHome, VIEWER, eventually, with_roles, workflow};

/// The document of a server.
struct Document(Value);

impl Document {
    /// An answer has a status that its operation says, and the shape that it says for it. Gives the answer.
    fn holds(&self, method: &str, path: &str, answer: &Answer) -> Value {
        let operation = &self.0["paths"][path][method];
        let mut said = &operation["responses"][answer.status.to_string()];
        assert!(said.is_object(), "{method} {path} does not say {}: {}", answer.status, answer.body);
        if let Some(target) = said["$ref"].as_str() {
            said = self.0.pointer(target.trim_start_matches('#')).expect("it resolves");
        }
        let value = answer.json();
        self.fits(&said["content"]["application/json"]["schema"], &value, &format!("{method} {path}"));
        value
    }

    fn fits(&self, schema: &Value, value: &Value, what: &str) {
        let schema = self.schema(schema);
        let wrong: Vec<String> = schema.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{what}: {wrong:?}\n{value}");
    }

    fn schema(&self, schema: &Value) -> jsonschema::Validator {
        let mut root = schema.clone();
        root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        root["components"] = self.0["components"].clone();
        jsonschema::validator_for(&root).expect("a schema")
    }
}

#[test]
fn the_document_needs_a_token_as_every_route_does() {
    let place = TestHome::new();
    let serving = with_roles(&place);
    let host = serving.host().to_owned();
    assert_eq!(serving.raw("GET", "/openapi.json", &[("host", &host)], "").status, 401);
    let answer = serving.ask_as(VIEWER, "GET", "/openapi.json", &Value::Null, &[]);
    assert_eq!((answer.status, answer.json()["openapi"].as_str()), (200, Some("3.1.0")));
    assert!(answer.head.to_lowercase().contains("content-type: application/json"), "{}", answer.head);
}

#[test]
fn answers_are_what_the_document_says() {
    let place = TestHome::new();
    let serving = Serving::start(&place, &[]);
    let document = Document(serving.ask("GET", "/openapi.json", &Value::Null).json());
    let ask = |method: &str, path: &str, said: &str, body: Value| {
        let answer = serving.ask(method, path, &body);
        let value = document.holds(&method.to_lowercase(), said, &answer);
        (answer.status, value)
    };
    let get = |path: &str, said: &str| ask("GET", path, said, Value::Null);
    assert_eq!(get("/healthz", "/healthz").0, 200);
    assert_eq!(get("/catalog", "/catalog").0, 200);

    // A run that ends, one that waits for a person, and what was written to have them.
    let mut noop = workflow(
        json!({ "a": { "type": "data.set", "config": { "assign": { "n": 1 } },
            // As people write it: a file leaves out what stands at its default.
            "errorHandling": { "retryPolicy": { "maxAttempts": 2 } } }, "b": { "type": "flow.fail",
            "config": { "error": { "type": "ToolError", "message": "no" } } } }),
        json!([{ "from": "a.success", "to": "b" }]),
    );
    noop["id"] = json!("ends");
    let mut asks =
        workflow(json!({ "q": { "type": "builtin.human_approval", "config": { "title": "Shall we?" } } }), json!([]));
    asks["id"] = json!("asks");
    for (id, file) in [("ends", &noop), ("asks", &asks)] {
        assert_eq!(ask("PUT", &format!("/workflows/{id}"), "/workflows/{id}", file.clone()).0, 200);
        assert_eq!(get(&format!("/workflows/{id}"), "/workflows/{id}").0, 200);
    }
    assert_eq!(get("/workflows", "/workflows").1.as_array().map(Vec::len), Some(2));
    let start = |id: &str| {
        let (status, value) = ask("POST", "/workflow/run", "/workflow/run", json!({ "workflow": id }));
        assert_eq!(status, 200);
        value["runId"].as_str().expect("an id").to_owned()
    };
    let (ended, waits) = (start("ends"), start("asks"));
    let status = |run: &str| get(&format!("/workflow/{run}/status"), "/workflow/{id}/status").1["status"].clone();
    eventually("the end", || status(&ended) == "failed");
    eventually("the question", || status(&waits) == "paused");
    for run in [&ended, &waits] {
        for part in ["checkpoint", "variables", "artifacts"] {
            assert_eq!(get(&format!("/workflow/{run}/{part}"), &format!("/workflow/{{id}}/{part}")).0, 200);
        }
        let debug = get(&format!("/workflow/{run}/debug"), "/workflow/{id}/debug").0;
        assert_eq!(debug, if run == &ended { 409 } else { 200 });
    }
    let (_, list) = ask("POST", "/rpc/run_list", "/rpc/run_list", json!({}));
    assert_eq!(list["runs"].as_array().map(Vec::len), Some(2));
    let details = ask("POST", "/rpc/run_get", "/rpc/run_get", json!({ "runId": ended }));
    assert_eq!(details.1["status"], "failed");
    // What the stream says of its data, of stored events.
    let events = support::follow(&serving, &serving.token, &ended, 0, None, usize::MAX);
    let data = &document.0["paths"]["/workflow/{id}/events"]["get"]["responses"]["200"]["content"]["text/event-stream"];
    assert!(events.len() > 4);
    for event in &events {
        document.fits(&data["x-data"], event, "an event");
    }

    let (_, tasks) = get("/human-tasks?state=open&limit=5", "/human-tasks");
    let task = tasks["tasks"][0]["id"].as_str().expect("a task").to_owned();
    assert_eq!(get("/human-tasks/stats", "/human-tasks/stats").0, 200);
    let act = |act: &str, body: Value| {
        ask("POST", &format!("/human-tasks/{task}/{act}"), &format!("/human-tasks/{{id}}/{act}"), body)
    };
    assert_eq!(act("claim", Value::Null).0, 200);
    assert_eq!(act("release", Value::Null).0, 200);
    assert_eq!(act("comment", json!({ "text": "soon" })).0, 200);
    let (_, open) = get(&format!("/human-tasks/{task}"), "/human-tasks/{id}");
    // An answer by the one-time secret, and every error that has a place here.
    let resume = |token: &Value, run: &str| {
        let body = json!({ "token": token, "requestId": "r1" });
        ask("POST", &format!("/workflow/{run}/resume"), "/workflow/{id}/resume", body)
    };
    assert_eq!(resume(&open["secret"], &waits).0, 200);
    assert_eq!(act("complete", json!({ "action": "approve" })).0, 409);
    eventually("its end", || status(&waits) == "completed");
    let rerun = json!({ "runId": ended, "stepId": "a" });
    assert_eq!(ask("POST", "/workflow/rerun", "/workflow/rerun", rerun).0, 200);
    assert_eq!(get("/workflow/nope/status", "/workflow/{id}/status").0, 404);
    assert_eq!(ask("POST", &format!("/workflow/{ended}/abort"), "/workflow/{id}/abort", Value::Null).0, 409);
    assert_eq!(ask("POST", "/workflow/run", "/workflow/run", json!({ "workflow": "ends", "typo": 1 })).0, 400);
    assert_eq!(ask("PUT", "/workflows/other", "/workflows/{id}", noop.clone()).0, 422);
    assert_eq!(get("/human-tasks?nope=1", "/human-tasks").0, 400);
    let record = json!({
        "timestamp": "2020-01-01T00:00:00.000Z", "runId": "r-1", "nodeId": "n-1", "event": "SHIPPED", "level": "INFO",
        "actor": { "type": "human", "id": "user:ceo", "role": "operator" },
    });
    assert_eq!(ask("POST", "/audit/record", "/audit/record", record).0, 200);
    assert!(get("/audit?limit=3", "/audit").1["entries"].as_array().is_some_and(|entries| entries.len() == 3));
    assert_eq!(get("/audit/verify", "/audit/verify").1["state"], "intact");
    let (_, of_run) = get(&format!("/audit/verify?run={ended}&full=true"), "/audit/verify");
    assert_eq!((&of_run["state"], &of_run["run"]["complete"]), (&json!("intact"), &json!(true)));
    assert_eq!(of_run["run"]["runId"], json!(ended));
    // What was asked about a run after its end has entries, too.
    let of_its_own = of_run["run"]["entryCount"].as_u64().filter(|count| *count > 0);
    assert!(of_its_own.is_some() && of_run["run"]["entries"].as_u64() >= of_its_own, "{of_run}");
    for (query, wanted) in [("run=nope", 404), ("full=maybe", 400), ("dry=1", 400)] {
        assert_eq!(get(&format!("/audit/verify?{query}"), "/audit/verify").0, wanted, "{query}");
    }
    assert_eq!(ask("DELETE", "/workflows/asks", "/workflows/{id}", Value::Null).0, 200);

    // What the document lets through in a request, the server reads; what it does not, the server refuses.
    let taken = &document.0["paths"]["/workflow/run"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    let taken = document.schema(taken);
    assert!(taken.is_valid(&json!({ "workflow": "ends" })));
    assert!(!taken.is_valid(&json!({ "workflow": "ends", "typo": 1 })) && !taken.is_valid(&json!({})));
    // Previews and checks take a workflow as far as it is made.
    for path in ["/rpc/workflow_validate", "/rpc/error_coverage", "/rpc/expression_preview", "/rpc/draft_put"] {
        let body = &document.0["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let name = body["$ref"].as_str().expect("a schema of its own").rsplit('/').next().expect("a name").to_owned();
        let of = &document.0["components"]["schemas"][name]["properties"]["document"];
        assert!(document.schema(of).is_valid(&json!({ "edges": [{ "from": "", "to": "" }] })), "{path}: {of}");
    }
    // What is said of bodies holds: where one is required, its absence is refused.
    let operations = document.0["paths"].as_object().expect("paths").iter();
    let commands: Vec<_> = operations.filter(|(path, _)| path.starts_with("/rpc/")).collect();
    assert!(commands.len() > 100);
    for (path, operation) in commands {
        if operation["post"]["requestBody"]["required"] == true {
            let (status, told) = ask("POST", path, path, Value::Null);
            assert_eq!(status, 400, "{path}: {told}");
        }
    }
}
