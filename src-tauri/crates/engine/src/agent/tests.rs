use super::{Taken, result_schema, take, tools};
use serde_json::{Value, json};

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

fn context() -> Value {
    json!({ "type": "object", "properties": {
        "total_value": { "type": "number" }, "parties": { "type": "string" }, "classification": { "type": "string" }
    } })
}

#[test]
fn ts_110_the_schema_follows_from_the_writes() {
    let schema = result_schema(&names(&["parties", "total_value"]), &context(), &names(&["flag_clauses"]));
    let expected = json!({
        "type": "object",
        "properties": { "parties": { "type": "string" }, "total_value": { "type": "number" } },
        "required": ["parties", "total_value"],
        "additionalProperties": false
    });
    assert_eq!(schema.map(|schema| schema.to_string()), Ok(expected.to_string()), "also in this order");
}

/// A declaration that refers to one beside it, which refers to a third and to shared ones.
#[test]
fn ts_110_what_a_declaration_refers_to_comes_along() {
    let context = json!({
        "properties": {
            "invoice": { "type": "object", "properties": { "to": { "$ref": "#/properties/customer~1old" } } },
            "customer/old": { "type": "object", "properties": { "at": { "$ref": "#/properties/place/items" } }, "required": ["at"] },
            "place": { "type": "array", "items": { "$ref": "#/$defs/place" } },
            "unused": { "type": "null" }
        },
        "$defs": { "place": { "type": "string" } }
    });
    let schema = result_schema(&names(&["invoice"]), &context, &[]).expect("declared");
    assert_eq!(schema["properties"]["invoice"]["properties"]["to"]["$ref"], "#/$defs/customer~1old");
    assert_eq!(schema["$defs"]["customer/old"]["properties"]["at"]["$ref"], "#/$defs/place_/items");
    assert!(
        schema["$defs"].get("unused").is_none() && schema["$defs"]["place"] == json!({ "type": "string" }),
        "{schema}"
    );
    assert!(take(json!({ "invoice": { "to": { "at": "Ulm" } } }), &schema, &[]).is_ok());
    let wrong = take(json!({ "invoice": { "to": { "at": 5 } } }), &schema, &[]).expect_err("no place");
    assert_eq!(wrong.code, "SCHEMA_MISMATCH");
    // What is written itself stays where it is.
    let both = result_schema(&names(&["invoice", "customer/old"]), &context, &[]).expect("declared");
    assert_eq!(both["properties"]["invoice"]["properties"]["to"]["$ref"], "#/properties/customer~1old");
}

#[test]
fn ts_111_several_transitions_ask_for_one() {
    let schema = result_schema(&names(&["classification"]), &context(), &names(&["human_review", "auto_publish"]));
    let schema = schema.expect("declared");
    let expected = json!({ "type": "string", "enum": ["human_review", "auto_publish"] });
    assert_eq!(schema["properties"]["_next_node"], expected);
    assert_eq!(schema["required"], json!(["classification", "_next_node"]));
}

#[test]
fn ts_112_one_transition_is_not_asked_for() {
    let schema = result_schema(&names(&["classification"]), &context(), &names(&["only"])).expect("declared");
    assert!(schema["properties"].get("_next_node").is_none());
    assert_eq!(schema["required"], json!(["classification"]));
}

#[test]
fn ts_113_a_write_that_nobody_declared_is_named() {
    let refused = result_schema(&names(&["parties", "other", "_next_node"]), &context(), &[]);
    assert_eq!(refused, Err(names(&["other", "_next_node"])));
}

fn code(answer: Value, transitions: &[&str]) -> String {
    let transitions = names(transitions);
    let schema = result_schema(&names(&["classification"]), &context(), &transitions).expect("declared");
    take(answer, &schema, &transitions).err().map_or_else(|| "ok".to_owned(), |failure| failure.code)
}

#[test]
fn ts_115_a_declared_transition_is_taken() {
    let both = names(&["human_review", "auto_publish"]);
    let schema = result_schema(&names(&["classification"]), &context(), &both).expect("declared");
    let taken = take(json!({ "classification": "a", "_next_node": "auto_publish" }), &schema, &both).expect("fits");
    let writes = json!({ "classification": "a" }).as_object().cloned().expect("an object");
    assert_eq!(taken, Taken { next: Some("auto_publish".into()), writes });
}

#[test]
fn ts_116_other_transitions_are_refused() {
    let both = ["human_review", "auto_publish"];
    assert_eq!(code(json!({ "classification": "a", "_next_node": "elsewhere" }), &both), "BAD_NEXT_NODE");
    assert_eq!(code(json!({ "classification": "a", "_next_node": 7 }), &both), "BAD_NEXT_NODE");
    assert_eq!(code(json!({ "classification": "a" }), &both), "NO_TRANSITION");
    assert_eq!(code(json!({ "classification": "a", "_next_node": "only" }), &["only"]), "ok");
    assert_eq!(code(json!({ "classification": "a", "_next_node": "other" }), &["only"]), "BAD_NEXT_NODE");
    assert_eq!(code(json!({ "classification": "a", "_next_node": "any" }), &[]), "BAD_NEXT_NODE");
    assert_eq!(code(json!({ "classification": "a" }), &[]), "ok");
}

#[test]
fn ts_117_what_does_not_fit_is_refused_in_order() {
    assert_eq!(code(json!({ "classification": "a", "more": 1 }), &["only"]), "UNDECLARED_WRITE");
    assert_eq!(code(json!({ "classification": 7 }), &["only"]), "SCHEMA_MISMATCH");
    assert_eq!(code(json!({}), &["only"]), "SCHEMA_MISMATCH");
    assert_eq!(code(json!({ "more": 1 }), &["a", "b"]), "NO_TRANSITION", "the transition comes first");
    assert_eq!(code(json!({ "more": 1, "classification": 7 }), &["only"]), "UNDECLARED_WRITE", "then what is too much");
    assert_eq!(code(json!([1]), &["only"]), "NO_STRUCTURED_OUTPUT");
}

#[test]
fn ts_120_tools_follow_the_rule_of_prefixes() {
    let default = names(&["b", "learn_x"]);
    let of = |listed: &[&str]| tools(&default, &names(listed));
    assert_eq!(of(&["a"]), Ok(names(&["a"])));
    assert_eq!(of(&["+a"]), Ok(names(&["b", "learn_x", "a"])));
    assert_eq!(of(&["-b"]), Ok(names(&["learn_x"])));
    assert_eq!(of(&["a", "+c"]), Ok(names(&["a", "c"])));
    assert_eq!(of(&[]), Ok(default.clone()));
    assert_eq!(of(&["+a", "-a"]), Err("a".to_owned()));
}
