use super::{Kept, Progress, all_written, pictures, read, result};
use serde_json::{Value, json};
use signalbox_ports::llm::{Message, Part, Role, ToolResult, ToolUse};
use std::collections::HashMap;

fn picture() -> Part {
    Part::Image { mime: "image/png".into(), base64: "aGVsbG8=".into() }
}

fn hostile() -> Vec<Message> {
    // Names of our own inside what others said are data.
    let input = json!({ "text": "a", "result": { "id": "x" }, "_truncated": true, "$ref": "x" });
    vec![
        Message { role: Role::User, parts: vec![Part::Text("Go {{secrets.x}}".into())] },
        Message {
            role: Role::Assistant,
            parts: vec![
                Part::Thinking { text: String::new(), signature: Some("proof".into()) },
                Part::Thinking { text: "so".into(), signature: None },
                picture(),
                Part::ToolUse(ToolUse { id: "t1".into(), name: "send".into(), input }),
                Part::ToolUse(ToolUse { id: "t2".into(), name: "send".into(), input: Value::String("{broken".into()) }),
            ],
        },
        Message {
            role: Role::User,
            parts: vec![Part::ToolResult(ToolResult {
                tool_use_id: "t0".into(),
                content: "{}".into(),
                is_error: true,
            })],
        },
    ]
}

#[test]
fn a_conversation_comes_back_as_it_was() {
    let done = vec![ToolResult { tool_use_id: "t1".into(), content: "ok".into(), is_error: false }];
    let progress = Progress { turns: 3, reasked: 1, acted: true, forms: true, done };
    let kept = json!({
        "server": "mail", "tool": "send", "system": null, "turns": 3, "reasked": 1, "acted": true, "forms": true,
        "messages": all_written(&hostile(), &["a.png".into()]),
        "done": progress.done.iter().map(result).collect::<Vec<_>>(),
    });
    let through: Value = serde_json::from_str(&kept.to_string()).expect("JSON");
    let wanted = Kept { system: None, messages: hostile(), progress, about: ("mail".into(), "send".into()) };
    // The bytes of a picture are in its file, and nowhere else.
    assert!(!through.to_string().contains("aGVsbG8"), "{through}");
    assert_eq!(pictures(&through), ["a.png"]);
    let known = HashMap::from([("a.png".to_owned(), picture())]);
    assert_eq!(read(&through, &known).expect("it is read"), wanted);
}

#[test]
fn what_is_no_conversation_is_told() {
    for broken in [json!(null), json!({}), json!({ "messages": [{ "model": true, "parts": [{ "else": 1 }] }] })] {
        assert_eq!(read(&broken, &HashMap::new()).expect_err("it is none").code, "INPUT_INVALID");
    }
}
