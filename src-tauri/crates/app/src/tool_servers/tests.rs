use super::approval::{Approved, changes, hash, named, words_kept};
use super::signed::Standing;
use super::{name_of, pasted};
use serde_json::{Value, json};
use signalbox_adapters::mcp::{ToolServerDefinition, ToolWord, ToolWords};
use signalbox_adapters::oauth::Challenge;

fn approved(definition: &Value, tools: &[Value]) -> Approved {
    Approved {
        hash: hash(definition, tools),
        definition: definition.clone(),
        tools: tools.to_vec(),
        by: "user:ada".into(),
        at_ms: 0,
        words: ToolWords::new(),
    }
}

#[test]
fn what_a_person_says_of_a_tool_holds_while_it_is_as_it_was_and_only_what_is_strict_outlives_a_change() {
    let definition = json!({ "command": "node" });
    let tools =
        [json!({ "name": "read", "description": "Reads." }), json!({ "name": "send", "description": "Sends." })];
    let word = ToolWord { bears_secrets: Some(true), is_egress: Some(false), is_untrusted: None };
    let loose = ToolWord { is_egress: Some(false), ..ToolWord::default() };
    let mut before = approved(&definition, &tools);
    before.words = ToolWords::from([("read".into(), word), ("send".into(), loose), ("gone".into(), word)]);
    assert_eq!(
        words_kept(&before, &definition, &tools),
        ToolWords::from([("read".into(), word), ("send".into(), loose)])
    );
    let strict = ToolWords::from([("read".into(), word.strict())]);
    let changed =
        [json!({ "name": "read", "description": "Reads!" }), json!({ "name": "send", "description": "Sends!" })];
    assert_eq!(words_kept(&before, &definition, &changed), strict);
    // Another program under the same words is another server.
    assert_eq!(words_kept(&before, &json!({ "command": "nod" }), &tools), strict);
}

#[test]
fn the_hash_holds_every_character_and_no_order_of_names() {
    let definition = json!({ "transport": "stdio", "command": "node", "args": ["a", "b"], "env": { "A": "1" } });
    let tools =
        [json!({ "name": "t", "description": "Reads.", "inputSchema": { "type": "object", "properties": {} } })];
    let before = hash(&definition, &tools);
    let turned =
        [json!({ "inputSchema": { "properties": {}, "type": "object" }, "description": "Reads.", "name": "t" })];
    assert_eq!(hash(&definition, &turned), before);
    for (pointer, value) in [("/command", json!("nod")), ("/args/1", json!("b ")), ("/env/A", json!("2"))] {
        let mut other = definition.clone();
        *other.pointer_mut(pointer).expect("there") = value;
        assert_ne!(hash(&other, &tools), before, "{pointer}");
    }
    for (pointer, value) in [("/description", json!("Reads!")), ("/inputSchema/type", json!("objects"))] {
        let mut other = tools.clone();
        *other[0].pointer_mut(pointer).expect("there") = value;
        assert_ne!(hash(&definition, &other), before, "{pointer}");
    }
    let split = json!({ "transport": "stdio", "command": "node", "args": ["ab"], "env": { "A": "1" } });
    assert_ne!(hash(&split, &tools), before);
}

#[test]
fn what_differs_is_told_field_by_field() {
    let definition = json!({ "transport": "stdio", "command": "node", "args": [] });
    let tool = |name: &str, words: &str| json!({ "name": name, "description": words });
    let before = approved(&definition, &[tool("gone", "g"), tool("same", "s"), tool("t", "Reads.")]);
    assert_eq!(changes(&before, &definition, &before.tools), []);
    let after = [tool("new", "n"), tool("same", "s"), tool("t", "Reads and sends.")];
    let found = changes(&before, &json!({ "transport": "stdio", "command": "deno", "args": [] }), &after);
    assert_eq!(named(&found), ["command", "gone.tool", "new.tool", "t.description"]);
    assert_eq!((found[0].before.as_deref(), found[0].after.as_deref()), (Some("node"), Some("deno")));
    assert_eq!(found[1].after, None);
    assert_eq!(found[3].after.as_deref(), Some("Reads and sends."));
}

#[test]
fn a_pasted_file_gives_servers_without_their_credentials() {
    let text = json!({ "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "pkg", "/tmp"], "env": { "LEVEL": "debug", "GITHUB_TOKEN": "ghp_x" } },
        "my web": { "type": "http", "url": "https://a.example/mcp", "headers": { "Authorization": "Bearer x" } },
        "old": { "type": "sse", "url": "https://a.example/sse" },
        "empty": {},
    }});
    let found = pasted::servers(&text.to_string()).expect("a list");
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["files", "my-web", "old", "empty"]);
    let Ok(ToolServerDefinition::Stdio { command, args, env, .. }) = &found[0].definition else { panic!("a process") };
    assert_eq!((command.as_str(), args.len()), ("npx", 3));
    assert_eq!(env.keys().collect::<Vec<_>>(), ["LEVEL"]);
    assert!(found[0].notes[0].contains("GITHUB_TOKEN") && !found[0].notes[0].contains("ghp_x"));
    assert!(found[1].definition.is_ok() && found[1].notes.len() == 1);
    assert!(found[2].definition.is_err() && found[3].definition.is_err());
    assert_eq!(pasted::servers(&format!("\u{feff}{text}")).expect("a list").len(), found.len());
    for wrong in ["", "[]", "{}", "{\"mcpServers\": {}}"] {
        assert!(pasted::servers(wrong).is_err(), "{wrong}");
    }
    // In words, with the place; a parser's own are for nobody.
    for (broken, words) in [
        ("{\"mcpServers\": ", "in line 1, column 15, it ends where a value should stand"),
        ("{\"mcpServers\": {\n  \"a\": {},\n}}", "in line 3, column 1, there is a comma after the last entry"),
        (&"[".repeat(200), "it is nested more than 128 levels deep"),
    ] {
        let Err(error) = pasted::servers(broken) else { panic!("{broken}") };
        assert!(error.message.contains(words), "{}", error.message);
    }
}

#[test]
fn what_is_switched_off_in_a_pasted_file_is_left_out_and_said() {
    let text = json!({ "mcpServers": {
        "off": { "command": "npx", "disabled": true },
        "far": { "url": "https://a.example/mcp", "enabled": false },
        "on": { "command": "npx", "disabled": false, "enabled": true },
    }});
    let found = pasted::servers(&text.to_string()).expect("a list");
    let why = |name: &str| found.iter().find(|one| one.name == name).expect("there").definition.as_ref().err().cloned();
    assert!(why("off").is_some_and(|why| why.starts_with("it is switched off there (\"disabled\": true)")));
    assert!(why("far").is_some_and(|why| why.starts_with("it is switched off there (\"enabled\": false)")));
    assert_eq!(why("on"), None);
}

#[test]
fn an_ordinary_refusal_says_where_to_go_and_forgets_no_wish_for_further_rights() {
    let signed =
        json!({ "id": "1", "by": "user:ada", "atMs": 0, "issuer": "https://a.example", "scopes": [], "asked": [] });
    let wish = json!({ "resourceMetadata": "https://a.example/old", "scopes": ["change"], "more": true });
    let mut standing: Standing = serde_json::from_value(json!({ "signed": signed, "challenge": wish })).expect("reads");
    let heard =
        || Challenge::parse("Bearer resource_metadata=\"https://a.example/new\", scope=\"tools\"").expect("one");
    standing.hear(heard());
    let now = standing.challenge.clone().expect("one");
    assert_eq!((now.resource_metadata.as_deref(), now.more), (Some("https://a.example/new"), true));
    assert_eq!(now.scopes, ["change"]);
    // Where nobody is signed in any more, it is the server's last word alone.
    standing.signed = None;
    standing.hear(heard());
    assert_eq!(standing.challenge, Some(heard()));
}

#[test]
fn names_are_words() {
    for good in ["files", "a.b-c_1", "9x"] {
        assert!(name_of(good).is_ok(), "{good}");
    }
    for bad in ["", "-a", "a b", "a/b", "ä", &"a".repeat(65)] {
        assert!(name_of(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_examples_of_the_page_are_definitions() {
    let page = include_str!("../../../../../docs/formats.md");
    let examples: Vec<&str> =
        page.split("```json tools\n").skip(1).filter_map(|rest| rest.split_once("\n```")).map(|(one, _)| one).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let read: ToolServerDefinition = serde_json::from_str(example).expect(example);
        assert_eq!(serde_json::to_string(&read).expect("writes"), example);
    }
}
