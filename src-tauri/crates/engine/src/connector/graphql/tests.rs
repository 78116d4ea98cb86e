use super::{check, keep_types, read, schema};
use serde_json::json;
use signalbox_model::Connector;
use signalbox_model::connector::graphql::{GraphQl, GraphQlTypes};

fn types() -> GraphQlTypes {
    serde_json::from_value(json!({
        "Issue": { "id": "ID!", "title": "String", "votes": "Int!", "author": "Actor", "labels": "[Label!]", "size": "Bytes" },
        "Actor": { "login": "String!", "issues": "[Issue]" },
        "Label": { "name": "String!" },
    }))
    .expect("types")
}

fn checked(text: &str) -> Result<(), (String, String)> {
    let connector = Connector { graphql_types: types(), ..Connector::default() };
    let operation =
        GraphQl { document: "query issues { issues {fields} }".into(), fields: "id".into(), of: "Issue".into() };
    check(text, &operation, &connector)
}

#[test]
fn selections_are_read_as_graphql_reads_them() {
    for text in [
        "id",
        "id, title # the end\n votes",
        "id: title author { login ... on Actor @include(if: true) { login } ... { __typename } }",
        r#"labels(first: 3, where: {name: {eq: "a } \" ("}, in: ["x", 1]}) { name }"#,
        "labels(text: \"\"\"a \\\"\"\" b { \"\"\") { name }",
    ] {
        assert_eq!(checked(text), Ok(()), "{text}");
    }
}

#[test]
fn what_could_change_the_document_is_refused() {
    for (text, why) in [
        ("", "names no field"),
        ("id } other { id", "There should be a field at '} other"),
        ("author {", "ends where a field should be"),
        ("author { login", "ends where } should be"),
        ("author { }", "There should be a field at '}'"),
        ("labels(first: $n) { name }", "write a value instead of $n"),
        ("labels(first: 1 { name }", "ends where"),
        ("labels(a: [1}) { name }", "There should be ] at '}"),
        ("labels(a: \"x) { name }", "no closing quote"),
        ("...Parts", "The fragment 'Parts' is not known"),
        ("id é", "There should be a field at 'é'"),
    ] {
        let found = checked(text).expect_err(text).0;
        assert!(found.contains(why), "{text}: {found}");
    }
    let deep = format!("{}login{}", "author { issues { ".repeat(40), " } }".repeat(40));
    assert!(read(&deep).expect_err("too deep").contains("nested more than 32"));
    assert!(read(&"id ".repeat(40_000)).expect_err("too long").contains("are the most"));
}

#[test]
fn fields_are_checked_by_their_types() {
    for (text, why, hint) in [
        ("titel", "Issue has no field 'titel'", "Did you mean 'title'?"),
        ("author", "'author' of Issue is an object", "author { login }"),
        ("id { a }", "'id' of Issue has no fields", "Remove the braces"),
        ("author { issues { author { name } } }", "Actor has no field 'name'", "Its fields: login, issues"),
        ("... on Lable { name }", "There is no type 'Lable'", "Did you mean 'Label'?"),
    ] {
        let found = checked(text).expect_err(text);
        assert!(found.0.contains(why) && found.1.contains(hint), "{text}: {found:?}");
    }
}

#[test]
fn a_selection_says_what_it_gives_and_which_types_it_needs() {
    let text = "id size name: title author { login } labels { name }";
    assert_eq!(
        schema(text, "Issue", &types()),
        json!({ "type": "object", "properties": {
            "id": { "type": "string" }, "size": {}, "name": { "type": ["string", "null"] },
            "author": { "type": ["object", "null"], "properties": { "login": { "type": "string" } } },
            "labels": { "type": ["array", "null"], "items": { "type": "object", "properties": { "name": { "type": "string" } } } },
        } })
    );
    let mut used = GraphQlTypes::new();
    keep_types("id author { login }", "Issue", &types(), &mut used);
    assert_eq!(json!(used), json!({ "Issue": { "id": "ID!", "author": "Actor" }, "Actor": { "login": "String!" } }));
    keep_types("id votes", "Issue", &types(), &mut used);
    assert_eq!(json!(used["Issue"]), json!({ "id": "ID!", "author": "Actor", "votes": "Int!" }));
}
