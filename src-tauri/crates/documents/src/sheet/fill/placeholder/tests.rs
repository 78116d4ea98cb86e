use super::{Missing, Path, Piece, Target, has_any, pieces};
use serde_json::{Value, json};

fn path(text: &str) -> Path {
    Path::parse(text).expect("a path")
}

#[test]
fn a_text_has_placeholders_or_not() {
    let parts = |text: &str| -> Vec<String> {
        let piece = |(piece, length): (Piece, usize)| match piece {
            Piece::Text(text) => format!("{text}/{length}"),
            Piece::Path(Ok(path)) => format!("<{path}>/{length}"),
            Piece::Path(Err(_)) => format!("wrong/{length}"),
        };
        pieces(text).into_iter().map(piece).collect()
    };
    assert_eq!(parts("No {{ id }}: {{a.b}}!"), ["No /3", "<id>/8", ": /2", "<a.b>/7", "!/1"]);
    assert_eq!(parts("plain"), ["plain/5"]);
    assert_eq!(parts("a {{b"), ["a {{b/5"]);
    assert_eq!(parts("{{}}"), ["wrong/4"]);
    assert_eq!((has_any("{{a}}"), has_any("}} {{"), has_any("{a}")), (true, false, false));
}

#[test]
fn paths_are_names_numbers_and_quotes() {
    let data =
        json!({ "a": { "b": 1, "c d": { "e.f": 2 } }, "list": [{ "x": 3 }, { "x": 4 }], "empty": [], "n": null });
    let value = |text: &str| match path(text).follow(&data) {
        Target::Value(value) => value.clone(),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(
        (value("a.b"), value("a.c d[\"e.f\"]"), value("list[1].x"), value("['n']")),
        (json!(1), json!(2), json!(4), Value::Null)
    );
    let list = |text: &str| match path(text).follow(&data) {
        Target::List(list, elements, from) => (list, elements.len(), from),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(
        (list("list.x"), list("[\"list\"].y"), list("empty.x"), list("list")),
        (("list".into(), 2, 1), ("list".into(), 2, 1), ("empty".into(), 0, 1), ("list".into(), 2, 1))
    );
    assert_eq!(path("list.#").in_element(1, &json!({})), None);
    let missing = |text: &str| match path(text).follow(&data) {
        Target::Nothing(Missing { found, available }) => (found, available),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(missing("a.x"), ("there is no 'x'".into(), vec!["b".into(), "c d".into()]));
    assert_eq!(
        (missing("a.b.c").0, missing("list[7]").0, missing("n.x").0),
        (
            "there is no 'c' in a number".into(),
            "there is no element 7 in a list of 2".into(),
            "there is no 'x' in null".into()
        )
    );
    for bad in ["", " ", ".", "a.", "a..b", "a[", "a[x]", "a['b", "a['b'", "a[1]b", "a{b", &"x".repeat(2_000)] {
        assert!(Path::parse(bad).is_err(), "{bad}");
    }
}
