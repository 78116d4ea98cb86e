use super::{in_header, in_path, in_query};
use serde_json::{Value, json};
use signalbox_model::connector::{Parameter, Style};

fn parameter(style: Option<Style>, explode: Option<bool>) -> Parameter {
    Parameter { name: "color".into(), style, explode, ..Parameter::default() }
}

fn query(style: Option<Style>, explode: Option<bool>, value: &Value) -> String {
    let pairs = in_query(&parameter(style, explode), value).expect("can be written");
    pairs.into_iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>().join("&")
}

/// The table of the OpenAPI specification (style values), and the forms that services use beside it.
#[test]
fn every_style_of_a_parameter_is_written_as_the_specification_says() {
    let (list, object) = (json!(["blue", "black"]), json!({ "R": 100, "G": 200 }));
    let path = |style, explode, value: &Value| in_path(&parameter(style, explode), value).expect("can be written");
    for (style, explode, on_list, on_object) in [
        (None, None, "blue,black", "R,100,G,200"),
        (Some(Style::Simple), Some(true), "blue,black", "R=100,G=200"),
        (Some(Style::Label), None, ".blue,black", ".R,100,G,200"),
        (Some(Style::Label), Some(true), ".blue.black", ".R=100.G=200"),
        (Some(Style::Matrix), None, ";color=blue,black", ";color=R,100,G,200"),
        (Some(Style::Matrix), Some(true), ";color=blue;color=black", ";R=100;G=200"),
    ] {
        assert_eq!(path(style, explode, &list), on_list, "{style:?} {explode:?}");
        assert_eq!(path(style, explode, &object), on_object, "{style:?} {explode:?}");
    }
    assert_eq!(path(None, None, &json!("a/b ?ü")), "a%2Fb%20%3F%C3%BC");
    for (style, explode, on_list, on_object) in [
        (None, None, "color=blue&color=black", "R=100&G=200"),
        (Some(Style::Form), Some(false), "color=blue,black", "color=R,100,G,200"),
        (Some(Style::SpaceDelimited), None, "color=blue black", "color=R 100 G 200"),
        (Some(Style::PipeDelimited), None, "color=blue|black", "color=R|100|G|200"),
        (Some(Style::DeepObject), None, "color[0]=blue&color[1]=black", "color[R]=100&color[G]=200"),
        (Some(Style::Brackets), None, "color[]=blue&color[]=black", "R=100&G=200"),
    ] {
        assert_eq!(query(style, explode, &list), on_list, "{style:?} {explode:?}");
        assert_eq!(query(style, explode, &object), on_object, "{style:?} {explode:?}");
    }
    let deep = json!({ "range": { "gte": 5 }, "tags": ["a", { "b": true }], "none": null });
    let written = query(Some(Style::DeepObject), None, &deep);
    assert_eq!(written, "color[range][gte]=5&color[tags][0]=a&color[tags][1][b]=true");
    assert_eq!(in_header(&parameter(None, None), &list).expect("text").as_deref(), Some("blue,black"));
}

#[test]
fn nothing_is_sent_for_null_and_an_empty_list() {
    assert_eq!(query(None, None, &Value::Null), "");
    assert_eq!(query(None, None, &json!([])), "");
    assert_eq!(query(None, None, &json!([null, 1])), "color=1");
}

#[test]
fn a_list_in_a_list_has_no_form() {
    let failure = in_query(&parameter(None, None), &json!([[1]])).expect_err("has no form");
    assert_eq!(failure.details["field"], "params.color");
}
