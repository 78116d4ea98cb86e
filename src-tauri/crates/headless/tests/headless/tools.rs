//! Servers of tools with the real program: registered, looked at, approved, blocked when one character changes (TRUST, "MCP
//! client side").

use crate::support;

use serde_json::{Value, json};
use std::path::Path;
use support::{BUILDER, Done, OPERATOR, Serving, TestHome, VIEWER, with_roles};

fn server() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/mcp/server.mjs");
    path.canonicalize().expect("the test server").display().to_string()
}

fn tools(place: &TestHome, args: &[&str]) -> Done {
    let mut all = vec!["tools", "--json"];
    all.extend(args);
    place.run(&all)
}

/// A folder with the test server, whose description of `echo` stands in a file.
fn with_server() -> TestHome {
    let place = TestHome::new();
    let text = place.file("text", "Says what it is told.").display().to_string();
    let set = tools(&place, &["set", "one", "--env", "LEVEL=debug", "--", "node", &server(), "--text", &text]);
    assert_eq!(set.code, 0, "{}{}", set.out, set.err);
    assert_eq!((&set.json()["state"], &set.json()["tools"]), (&json!("new"), &json!([])));
    place
}

fn connect(place: &TestHome) -> Value {
    tools(place, &["connect", "one"]).json()
}

fn approve(place: &TestHome) {
    let hash = connect(place)["hash"].as_str().expect("a hash").to_owned();
    let done = tools(place, &["approve", "one", "--hash", &hash]);
    assert_eq!((done.code, done.json()["state"].as_str()), (0, Some("approved")), "{}", done.out);
}

fn events(place: &TestHome) -> Vec<String> {
    let all = place.run(&["audit", "list", "--json"]).json();
    let named = all.as_array().expect("entries").iter().filter_map(|entry| entry["event"].as_str());
    named.filter(|event| event.starts_with("TOOL_")).map(str::to_owned).collect()
}

#[test]
fn a_server_is_looked_at_and_approved_and_one_character_blocks_it() {
    let place = with_server();
    assert_eq!(tools(&place, &["available"]).json(), json!([]), "nothing before an approval");
    let seen = connect(&place);
    assert_eq!((&seen["state"], &seen["server"]), (&json!("new"), &json!("signalbox-test 1.0.0")));
    let stale = tools(&place, &["approve", "one", "--hash", &"0".repeat(64)]);
    assert_eq!((stale.code, &stale.json()["error"]["code"]), (2, &json!("CONFLICT")));
    approve(&place);
    let available = tools(&place, &["available"]).json();
    let echo = available.as_array().expect("tools").iter().find(|tool| tool["name"] == "echo").expect("echo").clone();
    assert_eq!((&echo["server"], &echo["readOnly"]), (&json!("one"), &json!(true)));

    place.file("text", "Says what it is told!");
    let changed = connect(&place);
    assert_eq!(changed["state"], "changed");
    let change = json!([{ "tool": "echo", "field": "description", "before": "Says what it is told.", "after": "Says what it is told!" }]);
    assert_eq!(changed["changes"], change);
    assert_eq!(tools(&place, &["available"]).json(), json!([]));
    // It stays blocked when the words come back, until a person says so.
    place.file("text", "Says what it is told.");
    assert_eq!(connect(&place)["state"], "changed");
    approve(&place);

    let text = place.dir.path().join("text").display().to_string();
    let other = tools(&place, &["set", "one", "--", "node", &server(), "--text", &text, "--more"]);
    assert_eq!(other.json()["state"], "changed");
    let fields: Vec<Value> =
        connect(&place)["changes"].as_array().expect("changes").iter().map(|c| c["field"].clone()).collect();
    assert_eq!(fields, ["args", "env"]);
    assert_eq!(tools(&place, &["delete", "one"]).code, 0);
    assert_eq!(tools(&place, &["list"]).json(), json!([]));
    assert_eq!(tools(&place, &["delete", "one"]).code, 2);
    assert_eq!(
        events(&place),
        [
            "TOOL_SERVER_SET",
            // How it is started, then its tools.
            "TOOL_SERVER_APPROVED",
            "TOOL_SERVER_APPROVED",
            "TOOL_SERVER_BLOCKED",
            "TOOL_SERVER_APPROVED",
            "TOOL_SERVER_SET",
            "TOOL_SERVER_APPROVED",
            "TOOL_SERVER_BLOCKED",
            "TOOL_SERVER_DELETED"
        ]
    );
    assert_eq!(place.run(&["audit", "verify"]).code, 0);
}

/// Words that steer a model hide in descriptions of parameters, too: what is approved is shown.
#[test]
fn all_that_an_approval_holds_is_shown_and_one_line_of_json_asks_nobody() {
    let place = with_server();
    let shown = place.run(&["tools", "connect", "one"]).out;
    for part in ["timed: Says how long it may take.", "Milliseconds.", "takes:", "answers:", "declared: readOnly"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let unasked = tools(&place, &["approve", "one"]);
    assert_eq!((unasked.code, unasked.out.lines().count()), (2, 1), "{}", unasked.out);
    assert_eq!(unasked.json()["error"]["message"], "There is no terminal to ask for confirmation.");
    let long = place.file("long.json", "[".repeat(1024 * 1024 + 1));
    let refused = tools(&place, &["import", &long.display().to_string()]).json();
    let message = refused["error"]["message"].as_str().expect("words");
    assert!(message.ends_with("is longer than 1024 KiB."), "{message}");
}

#[test]
fn what_is_wrong_with_a_server_is_told_and_kept() {
    let place = TestHome::new();
    let set = tools(&place, &["set", "broken", "--", "node", "-e", "console.error('no licence'); process.exit(1)"]);
    assert_eq!(set.code, 0);
    let asked = tools(&place, &["connect", "broken"]);
    assert_eq!(asked.code, 1);
    assert_eq!(asked.json()["trouble"]["stderr"], "no licence");
    assert_eq!(tools(&place, &["list"]).json()[0]["trouble"]["stderr"], "no licence");
    let told = place.run(&["tools", "list"]);
    assert!(told.out.contains("no licence") && told.out.contains("broken"), "{}", told.out);
}

#[test]
fn credentials_do_not_stand_in_the_data_folder() {
    let place = TestHome::new();
    let set = tools(&place, &["set", "x", "--env", "API_TOKEN=canary-5d1e", "--", "node"]);
    assert_eq!((set.code, &set.json()["error"]["code"]), (2, &json!("PLAIN_CREDENTIAL")));
    for args in [&["--api-key", "canary-5d1e"][..], &["--header", "Authorization: Bearer canary-5d1e"]] {
        let mut all = vec!["set", "x", "--", "npx", "mcp-remote", "https://a.example/mcp"];
        all.extend(args);
        let set = tools(&place, &all);
        assert_eq!((set.code, &set.json()["error"]["code"]), (2, &json!("PLAIN_CREDENTIAL")), "{args:?}");
        assert!(!set.out.contains("canary-5d1e"), "{}", set.out);
    }
    let url = tools(&place, &["set", "x", "--url", "https://a.example/mcp?api_key=canary-5d1e"]);
    assert_eq!((url.code, &url.json()["error"]["code"]), (2, &json!("PLAIN_CREDENTIAL")));
    let file = place.file("mcp.json", json!({ "mcpServers": { "git hub": { "command": "gh-mcp", "env": { "GH_TOKEN": "canary-5d1e", "LEVEL": "1" } } } }).to_string());
    let imported = tools(&place, &["import", &file.display().to_string()]).json();
    assert_eq!(imported["added"], json!(["git-hub"]));
    assert!(imported["notes"][0].as_str().expect("a note").contains("GH_TOKEN"));
    let kept = tools(&place, &["list"]).json();
    assert_eq!(kept[0]["definition"]["env"], json!({ "LEVEL": "1" }));
    let again = tools(&place, &["import", &file.display().to_string()]).json();
    assert_eq!(again["added"], json!([]));
    let remote = json!({ "command": "npx", "args": ["mcp-remote", "https://x.example/mcp", "--header", "Authorization: Bearer canary-5d1e"] });
    let file = place.file("remote.json", json!({ "mcpServers": { "remote": remote } }).to_string());
    let remote = tools(&place, &["import", &file.display().to_string()]).json();
    assert_eq!(remote["added"], json!([]), "it would not start without its credential");
    assert!(remote["notes"][0].as_str().expect("a note").contains("'Authorization' holds a credential"), "{remote}");
    for file in ["signalbox.db", "signalbox.db-wal"] {
        let bytes = std::fs::read(place.data().join(file)).unwrap_or_default();
        assert!(!bytes.windows(11).any(|part| part == b"canary-5d1e"), "{file}");
    }
}

#[test]
fn roles_decide_who_may_register_look_and_approve() {
    let place = with_server();
    let serving = with_roles(&place);
    let ask =
        |token: &str, command: &str, body: Value| serving.ask_as(token, "POST", &format!("/rpc/{command}"), &body, &[]);
    assert_eq!(ask(VIEWER, "tool_list", json!({})).status, 200);
    assert_eq!(ask(VIEWER, "tool_server_list", json!({})).status, 403);
    assert_eq!(ask(OPERATOR, "tool_server_list", json!({})).status, 200);
    assert_eq!(ask(OPERATOR, "tool_server_connect", json!({ "name": "one" })).status, 403);
    // Nothing starts that nobody has approved: to ask for a connection approves nothing, nor does another definition.
    let log = place.dir.path().join("log");
    let refused = ask(BUILDER, "tool_server_connect", json!({ "name": "one" }));
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (403, &json!("START_NOT_APPROVED")));
    let other = json!({ "transport": "stdio", "command": "node", "args": ["elsewhere.mjs"] });
    let refused = ask(BUILDER, "tool_server_connect", json!({ "name": "one", "start": other }));
    assert_eq!(refused.status, 409, "{}", refused.body);
    let mine = |text: &str| json!({ "name": "mine", "definition": { "transport": "stdio", "command": "node", "args": [server(), "--log", log, "--text", text] } });
    let text = place.dir.path().join("text").display().to_string();
    assert_eq!(ask(BUILDER, "tool_server_set", mine(&text)).status, 200);
    assert_eq!(ask(BUILDER, "tool_server_connect", json!({ "name": "mine" })).status, 403);
    assert!(!log.exists(), "no program ran");
    // A person at the terminal approves how it is started; then a token may have it asked, until that changes.
    assert_eq!(tools(&place, &["connect", "mine"]).code, 0);
    assert_eq!(ask(BUILDER, "tool_server_connect", json!({ "name": "mine" })).status, 200);
    assert_eq!(ask(BUILDER, "tool_server_set", mine("/else")).status, 200);
    assert_eq!(ask(BUILDER, "tool_server_connect", json!({ "name": "mine" })).status, 403);
    assert_eq!(ask(BUILDER, "tool_server_delete", json!({ "name": "mine" })).status, 200);
    assert_eq!(ask(BUILDER, "tool_server_set", mine(&text)).status, 200);
    assert_eq!(ask(BUILDER, "tool_server_connect", json!({ "name": "mine" })).status, 403, "it is another one");
    // An address is reached from this machine, so it is the same with one.
    let inside = json!({ "name": "inside", "definition": { "transport": "http", "url": "http://127.0.0.1:9/mcp" } });
    assert_eq!(ask(BUILDER, "tool_server_set", inside).status, 200);
    let refused = ask(BUILDER, "tool_server_connect", json!({ "name": "inside" })).json();
    assert_eq!(refused["error"]["code"], "START_NOT_APPROVED");

    connect(&place);
    let seen = ask(BUILDER, "tool_server_connect", json!({ "name": "one" })).json();
    assert_eq!(ask(OPERATOR, "tool_server_approve", json!({ "name": "one", "hash": seen["hash"] })).status, 403);
    assert_eq!(
        ask(BUILDER, "tool_server_approve", json!({ "name": "one", "hash": seen["hash"] })).json()["state"],
        "approved"
    );
    assert_eq!(ask(BUILDER, "tool_server_connect", json!({ "name": "two" })).status, 404);
}

/// G-19: what a folder of skills holds is known before a run, to builders, and in granted folders only.
#[test]
fn g_19_the_skills_of_a_granted_folder_are_listed() {
    let place = TestHome::new();
    let folder = place.dir.path().join("skills");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("refunds.md"), "# Refunds\n\nWhen money goes back.").expect("a skill");
    std::fs::write(folder.join("notes.txt"), "no skill").expect("a file");
    let allowed = folder.display().to_string();
    std::fs::write(folder.join("torn.md"), [0xff, 0xfe, b'x']).expect("no text");
    let file = place.file("tokens", format!("builder-token-0123456789\nviewer {VIEWER}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
    }
    let tokens = file.display().to_string();
    let serving = Serving::start(&place, &["--token-file", &tokens, "--allow-dir", &allowed]);
    let ask = |token: &str, folder: &str| {
        let body = json!({ "workflowId": "w", "folder": folder });
        serving.ask_as(token, "POST", "/rpc/skill_list", &body, &[])
    };
    let listed = ask(BUILDER, &allowed).json();
    assert_eq!(listed[0], json!({ "name": "learn_refunds", "about": "Refunds. When money goes back." }));
    // One that cannot be read is there, and says why.
    assert_eq!((&listed[1]["name"], &listed[2]), (&json!("learn_torn"), &json!(null)));
    assert!(listed[1]["unusable"].as_str().expect("why").ends_with("torn.md' is no text"), "{listed}");
    assert_eq!(ask(BUILDER, &place.dir.path().display().to_string()).json(), json!([]), "not granted");
    assert_eq!(ask(BUILDER, "").json(), json!([]));
    assert_eq!(ask(VIEWER, &allowed).status, 403);

    // Before a run: what was chosen and cannot be learned, and a folder that cannot be looked into.
    let findings_as = |token: &str, folder: &str, tools: Value| {
        let file = json!({ "document": {
            "signalbox": 1, "id": "w", "name": "W", "settings": { "skills": folder }, "edges": [],
            "nodes": { "a": { "type": "llm.chat", "config": { "messages": [{ "role": "user", "content": "Hi" }], "tools": tools } } }
        }});
        let told = serving.ask_as(token, "POST", "/rpc/workflow_validate", &file, &[]).json();
        let list = told.as_array().unwrap_or_else(|| panic!("{told}")).clone();
        list.into_iter().filter(|one| one["code"] != "MISSING_MODEL").collect::<Vec<_>>()
    };
    let findings = |folder: &str, tools: Value| findings_as(BUILDER, folder, tools);
    assert_eq!(findings(&allowed, json!(["learn_refunds"])), Vec::<Value>::new());
    let told = findings(&allowed, json!(["learn_refunds", "learn_torn", "learn_gone"]));
    let places: Vec<&Value> = told.iter().map(|one| &one["path"]).collect();
    assert_eq!(places, ["/nodes/a/config/tools/1", "/nodes/a/config/tools/2"]);
    assert!(told[0]["message"].as_str().expect("words").ends_with("torn.md' is no text"), "{told:?}");
    assert!(told[1]["message"].as_str().expect("words").contains("no Markdown file of this name"), "{told:?}");
    let closed = place.dir.path().display().to_string();
    let told = findings(&closed, json!(["learn_refunds"]));
    assert_eq!(
        (told.len(), &told[0]["path"], &told[0]["severity"]),
        (1, &json!("/settings/skills"), &json!("warning"))
    );
    let words = told[0]["message"].as_str().expect("words");
    assert!(words.ends_with(&format!("--allow-dir {closed}")), "the folder itself, not the one around it: {words}");
    let gone = findings(&format!("{allowed}/gone"), json!(["learn_refunds"]));
    assert!(gone[0]["message"].as_str().expect("words").contains("does not exist"), "{gone:?}");
    assert_eq!(findings("", json!(["learn_refunds"]))[0]["path"], "/nodes/a/config/tools/0");
    assert_eq!(findings(&closed, json!([])), Vec::<Value>::new(), "nobody looks into it");
    // A row that somebody has just added is to be filled in, once.
    let row = findings(&allowed, json!(["learn_refunds", ""]));
    assert_eq!(
        (row.len(), &row[0]["code"], &row[0]["path"]),
        (1, &json!("MISSING_CONFIG"), &json!("/nodes/a/config/tools/1"))
    );
    assert_eq!(
        findings_as(VIEWER, &allowed, json!(["learn_gone"])),
        Vec::<Value>::new(),
        "what files there are is not theirs"
    );
}
