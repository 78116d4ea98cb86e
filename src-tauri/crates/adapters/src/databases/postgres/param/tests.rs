use super::{List, Param, listed};
use serde_json::{Value, json};
use signalbox_ports::databases::SqlValue;
use tokio_postgres::types::Type;

fn text(value: Value, data_type: &Type) -> Option<String> {
    Param::of(&SqlValue::Json(value), data_type).expect("a value").0
}

#[test]
fn values_are_written_as_their_type_reads_them() {
    assert_eq!(text(json!(null), &Type::TEXT), None);
    assert_eq!(text(json!(3.0), &Type::INT4).as_deref(), Some("3"));
    assert_eq!(text(json!(1.25), &Type::NUMERIC).as_deref(), Some("1.25"));
    assert_eq!(text(json!("a\"b"), &Type::TEXT).as_deref(), Some("a\"b"));
    assert_eq!(text(json!("a"), &Type::JSONB).as_deref(), Some("\"a\""));
    assert_eq!(text(json!({ "a": 1 }), &Type::TEXT).as_deref(), Some("{\"a\":1}"));
    assert_eq!(text(json!("AQI="), &Type::BYTEA).as_deref(), Some("\\x0102"));
    assert_eq!(text(json!([[1, null], [2, 3]]), &Type::INT4_ARRAY).as_deref(), Some("{{\"1\",NULL},{\"2\",\"3\"}}"));
    assert_eq!(text(json!(["a\"\\b"]), &Type::TEXT_ARRAY).as_deref(), Some("{\"a\\\"\\\\b\"}"));
    assert_eq!(text(json!([[1]]), &Type::JSONB_ARRAY).as_deref(), Some("{\"[1]\"}"));
    assert!(Param::of(&SqlValue::Json(json!("%%")), &Type::BYTEA).is_err());
    assert!(Param::of(&SqlValue::Bytes(vec![1]), &Type::TEXT).is_err());
}

#[test]
fn values_of_a_column_are_a_list() {
    let mut list = List::new(&Type::TEXT);
    for value in [json!("a\"\\b,}"), json!(null), json!(""), json!("NULL"), json!(7), json!({ "a": [1] })] {
        list.push(&SqlValue::Json(value)).expect("a value");
    }
    let wanted = r#"{"a\"\\b,}",NULL,"","NULL",7,"{\"a\":[1]}"}"#;
    assert_eq!(list.end().0.as_deref(), Some(wanted));
    let mut bytes = List::new(&Type::BYTEA);
    bytes.push(&SqlValue::Bytes(vec![1, 255])).expect("bytes");
    assert_eq!(bytes.end().0.as_deref(), Some(r#"{"\\x01ff"}"#));
    assert!(List::new(&Type::BYTEA).push(&SqlValue::Json(json!("%%"))).is_err());
    assert_eq!((listed(&Type::INT8), listed(&Type::INT8_ARRAY), listed(&Type::POINT)), (Some("int8"), None, None));
}
