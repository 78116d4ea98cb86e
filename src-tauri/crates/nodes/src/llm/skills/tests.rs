use super::about;

#[test]
fn a_skill_says_what_it_is_about() {
    assert_eq!(about("# Refunds\n\nWhen money goes back.\nMore."), "Refunds. When money goes back.");
    assert_eq!(about("---\nname: x\ndescription: \"Money back\"\n---\n# Refunds\n"), "Money back");
    assert_eq!(about(""), "");
    assert_eq!(about(&"x".repeat(1_000)).len(), 300);
}
