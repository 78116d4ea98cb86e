use super::jump;

#[test]
fn a_clock_that_is_set_is_told_from_time_that_passes() {
    assert_eq!(jump(1_000_000, 1_010_000, 10_000), None);
    assert_eq!(jump(1_000_000, 1_014_000, 10_000), None, "what a time service does");
    assert_eq!(jump(1_000_000, 1_000_000 + 3_600_000, 10_000), Some(3_590_000));
    assert_eq!(jump(1_000_000, 1_000_000 - 3_600_000, 10_000), Some(-3_610_000));
}
