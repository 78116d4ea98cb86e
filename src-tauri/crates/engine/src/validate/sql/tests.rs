use super::hole;

#[test]
fn expressions_are_found_and_arrays_are_not() {
    assert_eq!(hole("SELECT * FROM t WHERE id = '{{ item.id }}'"), Some("item.id"));
    assert_eq!(hole("SELECT '{{1,2},{3,4}}'::int[], {{params.a}}"), Some("params.a"));
    assert_eq!(hole("SELECT '{{a,b},{c,d}}'::text[]"), None);
    assert_eq!(hole("SELECT 1"), None);
}
