use super::{
    BodyFormat, PartContent, form_fields, format_of, media_type, needs_boundary, parameter, parts, text_misfit,
};
use serde_json::json;

#[test]
fn parameters_are_found_whatever_they_look_like() {
    for (given, wanted, found) in [
        ("text/plain; charset=utf-8", "charset", Some("utf-8")),
        ("text/plain;CHARSET = \"iso-8859-1\" ", "charset", Some("iso-8859-1")),
        ("multipart/form-data; a=\"x;charset=no\"; boundary=b1", "boundary", Some("b1")),
        ("multipart/form-data; a=\"x;charset=no\"; boundary=b1", "charset", None),
        ("multipart/form-data; boundary=\"a\\\"b\"", "boundary", Some("a\"b")),
        ("text/plain", "charset", None),
        ("text/plain; charset", "charset", None),
        ("text/plain; charset=\"open", "charset", Some("open")),
        ("text/plain; a=b;; charset=x", "charset", Some("x")),
    ] {
        assert_eq!(parameter(given, wanted).as_deref(), found, "{given}");
    }
    assert_eq!(media_type(" Application/JSON ; charset=x"), "application/json");
}

#[test]
fn a_body_is_written_as_its_header_says_or_refused() {
    let object = json!({"a": 1});
    for (header, format) in [
        ("", BodyFormat::Json),
        ("application/json", BodyFormat::Json),
        ("application/vnd.api+json", BodyFormat::Json),
        ("application/x-amz-json-1.1", BodyFormat::Json),
        ("text/plain", BodyFormat::Json),
        ("application/x-www-form-urlencoded; charset=utf-8", BodyFormat::Form),
        ("Multipart/Form-Data", BodyFormat::Multipart),
    ] {
        assert_eq!(format_of(header, &object), Ok(format), "{header}");
    }
    for header in ["text/csv", "application/xml", "image/png", "application/soap+xml", "multipart/mixed"] {
        assert!(format_of(header, &object).is_err(), "{header}");
    }
    for body in [json!([1]), json!(1), json!(true)] {
        assert!(format_of("application/x-www-form-urlencoded", &body).is_err(), "{body}");
        assert!(format_of("multipart/form-data", &body).is_err(), "{body}");
        assert_eq!(format_of("application/json", &body), Ok(BodyFormat::Json), "{body}");
    }
}

#[test]
fn fields_of_a_form_are_flat() {
    let body = json!({"b": "x", "a": [1, null, true], "gone": null, "empty": []});
    let fields = form_fields(&body).expect("flat");
    assert_eq!(fields, [("b", &json!("x")), ("a", &json!(1)), ("a", &json!(true))]);
    assert_eq!(form_fields(&json!({"a/b": {"c": 1}})).expect_err("nested").pointer, "/a~1b");
    assert_eq!(form_fields(&json!({"a": [1, [2]]})).expect_err("nested").pointer, "/a/1");
}

#[test]
fn parts_hold_values_and_bytes() {
    let body = json!({
        "title": "A photo",
        "file": {"binary": "photo", "filename": "me.jpg"},
        "meta": {"value": {"tags": [1]}, "type": "application/json"},
        "many": ["a", {"binary": "b"}],
    });
    let found = parts(&body).expect("parts");
    assert_eq!(found.iter().map(|part| part.name).collect::<Vec<_>>(), ["title", "file", "meta", "many", "many"]);
    assert_eq!((&found[1].content, found[1].filename), (&PartContent::Bytes("photo"), Some("me.jpg")));
    assert_eq!(found[2].media, Some("application/json"));
    assert_eq!(found[4].pointer, "/many/1");
    for (wrong, pointer) in [
        (json!({"a": {"name": "x"}}), "/a"),
        (json!({"a": {"binary": "x", "value": 1}}), "/a"),
        (json!({"a": {"filename": "x"}}), "/a"),
        (json!({"a": {"binary": 1}}), "/a/binary"),
        (json!({"a": [["x"]]}), "/a/0"),
    ] {
        assert_eq!(parts(&wrong).expect_err("no part").pointer, pointer, "{wrong}");
    }
    assert!(parts(&json!({})).expect("none").is_empty());
}

#[test]
fn texts_that_are_not_what_the_header_says() {
    for (header, text, fits) in [
        ("application/json", "{\"a\": 1}", true),
        ("application/json", "\u{feff}[1]", true),
        ("application/json", "a=1", false),
        ("application/problem+json", "{", false),
        ("application/x-www-form-urlencoded", "user=ada&pin=1%20a+b", true),
        ("application/x-www-form-urlencoded", "user=ada&pin=1\n", true),
        ("application/x-www-form-urlencoded", "scope=read write", false),
        ("application/x-www-form-urlencoded", "{\"user\":\"ada\"}", false),
        ("application/x-www-form-urlencoded", "name=Jürgen", false),
        ("multipart/form-data", "--b\r\n", false),
        ("multipart/form-data; boundary=b", "--b\r\n", true),
        ("text/plain", "anything", true),
        ("", "anything", true),
    ] {
        assert_eq!(text_misfit(header, text).is_none(), fits, "{header} {text}");
    }
    assert!(needs_boundary("multipart/mixed; boundary=\"\""));
}
