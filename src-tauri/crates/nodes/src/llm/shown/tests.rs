use super::{BLIND, OLDER, bytes_of, in_words, make_room};
use crate::llm::talk::message;
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
    let mut messages = vec![
        user(vec![picture("a.png", 4), Part::Text("Look".into())]),
        user(vec![picture("run:1", 5), picture("run:2", 1)]),
        message(Role::Assistant, "More"),
        user(vec![picture("run:3", 5), picture("run:4", 5)]),
    ];
    make_room(&mut messages);
    assert_eq!(seen(&messages), ["a.png", "1", "2", "3", "4"]);
    messages.push(user(vec![picture("run:5", 5)]));
    make_room(&mut messages);
    assert_eq!(seen(&messages), ["a.png", "older", "2", "3", "4", "5"]);
    let many = (0..30).map(|n| picture(&format!("run:{n}"), 0)).collect();
    let mut messages = vec![user(vec![picture("a.png", 1)]), user(many)];
    make_room(&mut messages);
    let left = seen(&messages);
    assert_eq!((left[0], left[11], left[12], left.len()), ("a.png", "older", "11", 31));
    assert!(in_words(&mut messages));
    assert_eq!(seen(&messages).iter().filter(|name| **name == "blind").count(), 19);
    assert_eq!(seen(&messages)[0], "a.png");
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
