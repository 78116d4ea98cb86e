use super::of;
use mysql_async::Value;
use serde_json::json;
use signalbox_ports::databases::SqlValue;

#[test]
fn values_follow_the_type_of_the_column() {
    let value = |value, data_type| of(&SqlValue::Json(value), data_type).expect("a value");
    let bytes = |text: &str| Value::Bytes(text.as_bytes().to_vec());
    assert_eq!(value(json!(true), "tinyint"), Value::Int(1));
    assert_eq!(value(json!(18_446_744_073_709_551_615_u64), "bigint"), Value::UInt(u64::MAX));
    assert_eq!(value(json!("2024-02-29T13:45:00.120+01:00"), "datetime"), bytes("2024-02-29 12:45:00.120000"));
    assert_eq!(value(json!("2024-02-29T13:45:00Z"), "varchar"), bytes("2024-02-29T13:45:00Z"));
    assert_eq!(value(json!("2024-02-29"), "datetime"), bytes("2024-02-29"));
    assert_eq!(value(json!("AQI="), "blob"), Value::Bytes(vec![1, 2]));
    assert_eq!(value(json!("a"), "json"), bytes("\"a\""));
    assert_eq!(value(json!({ "a": 1 }), ""), bytes("{\"a\":1}"));
    assert!(of(&SqlValue::Json(json!("%")), "blob").is_err());
}
