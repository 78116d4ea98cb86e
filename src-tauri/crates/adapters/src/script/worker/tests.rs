use super::{Asked, LOOKS};

#[test]
fn a_process_ends_when_nobody_asks_and_never_in_mid_script() {
    let asked = Asked::default();
    let looks = |looks: u64| (0..looks).filter(|_| asked.is_over()).count();
    assert_eq!(looks(LOOKS), 0);
    assert!(asked.is_over(), "nobody asked for so many looks");
    asked.begin();
    assert_eq!(looks(LOOKS * 3), 0, "a script runs");
    asked.end();
    assert_eq!(looks(LOOKS), 0, "it is counted anew");
    assert!(asked.is_over());
}
