use super::{Kept, Progress, pictures, read, result, written, written_part};
use serde_json::{Value, json};
use signalbox_ports::llm::{ImageSource, Message, Part, Role, ToolResult, ToolUse};
use std::collections::HashMap;

fn picture(from: &ImageSource) -> Part {
    Part::Image { mime: "image/png".into(), base64: "aGVsbG8=".into(), from: from.clone() }
}

fn sources() -> [ImageSource; 2] {
    [ImageSource::File("a.png".into()), ImageSource::Run("5e".into())]
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
                picture(&sources()[0]),
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
    let shown = vec![Part::Text("A picture".into()), picture(&sources()[1])];
    let progress = Progress { turns: 3, reasked: 1, acted: true, forms: true, done, shown, blind: true };
    let kept = json!({
        "server": "mail", "tool": "send", "system": null, "turns": 3, "reasked": 1, "acted": true, "forms": true,
        "messages": hostile().iter().map(written).collect::<Vec<_>>(), "blind": true,
        "shown": progress.shown.iter().map(written_part).collect::<Vec<_>>(),
        "done": progress.done.iter().map(result).collect::<Vec<_>>(),
    });
    let through: Value = serde_json::from_str(&kept.to_string()).expect("JSON");
    let about = ("mail".into(), "send".into());
    let wanted = Kept { system: None, messages: hostile(), progress, about, asked: None };
    // The bytes of a picture are in its file, and nowhere else.
    assert!(!through.to_string().contains("aGVsbG8"), "{through}");
    assert_eq!(pictures(&through), sources());
    let known = sources().map(|source| (source.clone(), picture(&source)));
    let known = HashMap::from(known);
    assert_eq!(read(&through, &known).expect("it is read"), wanted);
}

#[test]
fn what_is_no_conversation_is_told() {
    for broken in [json!(null), json!({}), json!({ "messages": [{ "model": true, "parts": [{ "else": 1 }] }] })] {
        assert_eq!(read(&broken, &HashMap::new()).expect_err("it is none").code, "INPUT_INVALID");
    }
}
