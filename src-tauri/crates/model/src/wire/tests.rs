use super::{WIRE_LIMIT, WireEvent, list_text, truncate, truncate_event};
use crate::data::{Detached, detached};
use crate::{Data, EventBody, Item, RunEvent};
use serde_json::{Value, json};

#[test]
fn ts_069_a_value_is_whole_at_the_limit_and_cut_one_above() {
    let whole = Value::String("x".repeat(WIRE_LIMIT - 2));
    assert_eq!(truncate(&whole, "r"), None);
    let cut = truncate(&Value::String("x".repeat(WIRE_LIMIT - 1)), "r").expect("above the limit");
    assert_eq!(cut["length"], json!(10_241));
    assert_eq!(cut["preview"].as_str().map(|p| p.chars().count()), Some(203));
    assert_eq!(cut["type"], "string");
}

#[test]
fn ts_069_what_is_known_as_short_without_writing_it_is_short() {
    let longest =
        [json!(-2.2250738585072014e-308), json!(u64::MAX), json!("\u{1}\"\n"), json!({ "\u{1}": [null, true] })];
    for one in longest {
        for many in 1..WIRE_LIMIT / 3 {
            let list = Value::Array(vec![one.clone(); many]);
            let length = list.to_string().encode_utf16().count();
            assert_eq!(truncate(&list, "r").is_some(), length > WIRE_LIMIT, "{many} x {one}");
            if length > WIRE_LIMIT + 100 {
                break;
            }
        }
    }
}

#[test]
fn ts_070_the_preview_never_splits_a_character() {
    let text = format!("{}😀{}", "a".repeat(199), "b".repeat(10_099));
    let cut = truncate(&Value::String(text), "r").expect("above the limit");
    assert_eq!(cut["preview"], json!(format!("{}...", "a".repeat(199))));
}

fn event(data: Value) -> Value {
    let items = json!({ "success": [{ "id": "1", "data": data }, { "id": "2", "data": 1 }] });
    json!({ "runId": "r", "seq": 3, "payload": { "items": items } })
}

#[test]
fn k_28_one_large_part_of_a_value_is_cut_alone() {
    let mut cut = event(json!({ "small": 1, "large": "x".repeat(WIRE_LIMIT) }));
    truncate_event(&mut cut);
    let data = &cut["payload"]["items"]["success"][0]["data"];
    assert_eq!(data["small"], 1);
    assert_eq!(data["large"]["ref"], "r/3/payload/items/success/0/data/large");
}

#[test]
fn k_28_a_value_of_many_small_parts_is_cut_whole() {
    let many: serde_json::Map<String, Value> = (0..3_000).map(|n| (format!("field{n}"), json!(n))).collect();
    let length = Value::Object(many.clone()).to_string().len();
    let mut cut = event(Value::Object(many));
    truncate_event(&mut cut);
    let list = cut["payload"]["items"]["success"].as_array().expect("the list of items stays");
    assert_eq!((list.len(), &list[0]["id"], &list[1]["data"]), (2, &json!("1"), &json!(1)));
    let data = &list[0]["data"];
    assert_eq!((&data["type"], &data["length"]), (&json!("object"), &json!(length)));
    assert_eq!(data["ref"], "r/3/payload/items/success/0/data");
}

/// A text of `length` letters that a step printed.
fn printed(length: usize) -> RunEvent {
    let event = json!({ "runId": "r", "seq": 7, "ts": "2026-11-24T00:00:00.000Z", "type": "step_print", "stepId": "s",
        "payload": { "value": "é".repeat(length) } });
    serde_json::from_value(event).expect("an event")
}

#[test]
fn ts_069_an_event_is_the_same_as_text_and_as_a_tree_below_at_and_above_the_limit() {
    for length in [0, 1, 4_000, 5_200, WIRE_LIMIT - 3, WIRE_LIMIT - 2, WIRE_LIMIT - 1, 40_000] {
        let event = printed(length);
        let mut tree = serde_json::to_value(&event).expect("a tree");
        truncate_event(&mut tree);
        let wire = WireEvent::of(&event).expect("a text");
        assert_eq!(wire.text, tree.to_string(), "{length}");
        assert_eq!((wire.seq, wire.kind.as_str()), (Some(7), "step_print"));
        assert_eq!(wire, WireEvent::of_value(tree), "what is cut is not cut again");
    }
}

#[test]
fn events_as_a_list_are_a_list() {
    assert_eq!(list_text(&[]), "[]");
    let two = [1, 2].map(|length| WireEvent::of(&printed(length)).expect("a text"));
    let list: Vec<Value> = serde_json::from_str(&list_text(&two)).expect("a list");
    assert_eq!(list.len(), 2);
    assert_eq!(list[1]["payload"]["value"], "éé");
}

/// An event that is cut as text is the one that is cut as values.
#[test]
fn k_28_text_is_cut_as_values_are() {
    let long = "\u{1}é😀\"\\/~".repeat(WIRE_LIMIT / 8);
    let many: Vec<Value> = (0..3_000).map(|n| json!({ "n": n, "who": "x" })).collect();
    let named: serde_json::Map<String, Value> =
        (0..2_000).map(|n| (format!("a/~{n}\""), json!([n, 0.5, null, true]))).collect();
    let values = [
        json!(long),
        json!("x".repeat(WIRE_LIMIT - 2)),
        json!("é".repeat(WIRE_LIMIT - 2)),
        json!("é".repeat(WIRE_LIMIT - 1)),
        json!({ "small": 1, "la/r~ge\"": long, "empty": {} }),
        json!({ "one": long, "two": many }),
        json!(many),
        json!(named),
        json!([[[many.clone()], long.clone()], 1]),
        json!({ "rows": { "deep": [{ "list": named }] } }),
    ];
    for value in values {
        let bodies = [
            json!({ "type": "step_print", "payload": { "value": value } }),
            json!({ "type": "step_done", "payload": {
                "ports": { "success": 2 },
                "items": { "success": [{ "id": "1", "data": value }, { "id": "2", "data": 1, "pairedItem": 0 }] },
                "outputs": { "a/b": value, "c": 1 } } }),
        ];
        for body in bodies {
            let mut event = json!({ "runId": "r", "seq": 3, "ts": "2026-01-01T00:00:00.000Z", "stepId": "a" });
            event.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
            let event: RunEvent = serde_json::from_value(event).expect("an event");
            let by_value = WireEvent::of_value(serde_json::to_value(&event).expect("a value"));
            assert_eq!(WireEvent::of(&event).expect("text"), by_value);
        }
    }
}

/// So is one whose data is text, or composed of texts.
#[test]
fn k_28_texts_of_data_are_cut_where_they_lie() {
    let long = "\u{1}é😀\"\\/~".repeat(60_000);
    let many: Vec<Value> = (0..30_000).map(|n| json!({ "n": n, "who": "é" })).collect();
    let some = json!("é".repeat(WIRE_LIMIT - 400));
    let fields = |names: &[(&str, &Value)]| {
        let members =
            names.iter().map(|(name, value)| (Value::from(*name).to_string(), Data::written(value.to_string())));
        Data::object(members.collect())
    };
    let (long, many) = (json!(long), json!(many));
    let all = [
        Data::written(long.to_string()),
        Data::written(many.to_string()),
        Data::written(some.to_string()),
        fields(&[("size", &json!(3)), ("rows", &many)]),
        fields(&[("a/b", &many), ("text", &long), ("some", &some)]),
        fields(&[("some", &some), ("again", &some), ("rows", &many)]),
    ];
    for data in all {
        let body = json!({ "type": "step_done", "payload": { "outputs": null, "ports": { "success": 1 }, "items": { "success": [] } } });
        let mut event = json!({ "runId": "r", "seq": 3, "ts": "2026-01-01T00:00:00.000Z", "stepId": "a" });
        event.as_object_mut().expect("an object").extend(body.as_object().expect("an object").clone());
        let mut event: RunEvent = serde_json::from_value(event).expect("an event");
        let EventBody::StepDone(done) = &mut event.body else { panic!("a step ends") };
        done.items["success"].push_data(Item { id: "1".into(), ..Item::default() }, data);
        let by_value = WireEvent::of_value(serde_json::to_value(&event).expect("a value"));
        assert_eq!(WireEvent::of(&event).expect("text"), by_value);
        // So is one that was masked.
        let Detached { written, texts } = detached(|| serde_json::to_value(&event).expect("a value"));
        assert_eq!(WireEvent::of_detached(Detached { written, texts }), by_value);
    }
}
