use super::{BLIND, LINE, OLDER, bytes_of, in_words, make_room};
use crate::llm::completion::message;
use serde_json::json;
use signalbox_ports::llm::{ImageSource, Message, Part, Role};

fn picture(name: &str, mib: usize) -> Part {
    // Four letters are three bytes.
    let base64 = "A".repeat((mib << 20) / 3 * 4);
    let from = match name.strip_prefix("run:") {
        Some(hash) => ImageSource::Run(hash.into()),
        None => ImageSource::File(name.into()),
    };
    Part::Image { mime: "image/png".into(), base64, from }
}

fn named(part: &Part) -> Option<&str> {
    match part {
        Part::Image { from: ImageSource::File(name) | ImageSource::Run(name), .. } => Some(name),
        Part::Text(text) if text == OLDER => Some("older"),
        Part::Text(text) if text == BLIND => Some("blind"),
        _ => None,
    }
}

fn seen(messages: &[Message]) -> Vec<&str> {
    messages.iter().flat_map(|message| &message.parts).filter_map(named).collect()
}

#[test]
fn the_newest_pictures_stay_and_those_that_the_step_names() {
    let user = |parts| Message { role: Role::User, parts };
    let line = || Part::Text(format!("{LINE}shot' answered:"));
    let mut messages = vec![
        user(vec![picture("a.png", 4), Part::Text("Look".into())]),
        user(vec![line(), picture("run:1", 5), line(), picture("run:2", 1)]),
        message(Role::Assistant, "More"),
        user(vec![picture("run:3", 5)]),
    ];
    let mut shown = vec![line(), picture("run:4", 5)];
    make_room(&mut messages, &mut shown);
    assert_eq!(seen(&messages), ["a.png", "1", "2", "3"]);
    shown.push(picture("run:5", 5));
    make_room(&mut messages, &mut shown);
    assert_eq!(seen(&messages), ["a.png", "older", "2", "3"]);
    assert_eq!((messages[0].parts.len(), messages[1].parts.len(), shown.len()), (2, 3, 3), "its line went with it");
    let many = |from: usize| (from..from + 30).flat_map(|n| [line(), picture(&format!("run:{n}"), 0)]);
    let mut messages = vec![user(vec![picture("a.png", 1)]), user(many(0).collect())];
    make_room(&mut messages, &mut Vec::new());
    let left = seen(&messages);
    assert_eq!((left[0], left[1], left[2], left.len()), ("a.png", "older", "11", 21));
    assert_eq!(messages[1].parts.len(), 2 * 19 + 1, "no words are left of the others");
    // Newer ones drive out the rest, and it is told once.
    let mut shown = many(30).collect();
    make_room(&mut messages, &mut shown);
    assert_eq!(messages[1].parts, [Part::Text(OLDER.into())]);
    messages.push(user(shown));
    assert!(in_words(&mut messages));
    assert_eq!(seen(&messages).iter().filter(|name| **name == "blind").count(), 19);
    assert_eq!(seen(&messages)[..3], ["a.png", "older", "older"]);
    assert!(!in_words(&mut messages), "none is left");
}

#[test]
fn what_has_bytes_is_known() {
    let image = json!({ "type": "image", "data": "QUJD", "mimeType": "image/png" });
    assert_eq!(bytes_of(&image), Some(("picture", "image/png".into(), "QUJD")));
    let blob = json!({ "type": "resource", "resource": { "uri": "x:y", "blob": "QUJD", "mimeType": "a/b\nc" } });
    assert_eq!(bytes_of(&blob), Some(("file", signalbox_model::media::UNKNOWN.into(), "QUJD")));
    for text in [json!({ "type": "text", "text": "QUJD" }), json!({ "type": "resource", "resource": { "text": "x" } })]
    {
        assert_eq!(bytes_of(&text), None);
    }
}
