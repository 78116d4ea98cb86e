use super::Param;
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
