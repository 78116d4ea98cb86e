use super::{initials, mask};
use serde_json::json;
use signalbox_engine::effect::CallOutput;
use std::collections::BTreeSet;

#[test]
fn names_are_replaced_in_all_that_a_call_made() {
    let mut output =
        CallOutput::success(json!({ "to": "Mara Lindt", "list": ["with Mara Lindt-Oe", 7], "Mara Lindt": 1 }));
    output.writes.insert("note".into(), json!("Mara Lindt called"));
    let names = BTreeSet::from(["Mara Lindt".to_owned(), "Mara Lindt-Oe".to_owned()]);
    mask(&mut output, &names);
    let told = format!("{output:?}");
    assert!(!told.contains("Mara") && told.contains("with [name]"), "{told}");
}

#[test]
fn a_sample_of_a_name_is_its_initials() {
    assert_eq!(initials("Mara van Lindt"), "M. v. L.");
}
