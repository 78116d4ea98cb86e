use super::*;
use proptest::prelude::*;

fn found(patterns: &[Pattern], text: &str) -> Vec<Vec<(usize, usize)>> {
    patterns.iter().map(|one| one.regex.find_iter(text).map(|found| (found.start(), found.end())).collect()).collect()
}

#[test]
fn each_pattern_can_be_made_for_ascii_and_for_all_scripts() {
    assert_eq!((made(false).len(), made(true).len()), (sources().len(), sources().len()));
}

#[test]
fn digits_and_letters_of_other_scripts_are_known() {
    let (card, phone) = ("٤١١١ ١١١١ ١١١١ ١١١١", "+٤٩ ٣٠ ١٢٣٤٥٦٧");
    for text in [card, phone] {
        assert!(patterns(text).iter().any(|one| one.regex.find(text).is_some_and(|found| found.as_str() == text)));
    }
    let word = "é123-45-6789";
    assert_eq!(patterns(word).iter().filter(|one| one.regex.is_match(word)).count(), 0, "not a word by itself");
}

thread_local! {
    static BOTH: (Vec<Pattern>, Vec<Pattern>) = (made(false), made(true));
}

proptest! {
    #[test]
    fn in_ascii_both_find_the_same(
        text in r"([ -~]{0,3}|[0-9]{1,5}|[A-Z]{2}[0-9]{2}|[ ().+-]|bearer |Basic |eyJ|sk_|ghp-|[a-z]{1,8}@[a-z]{1,4}\.[a-z]{2}|•••[0-9]•){0,24}",
    ) {
        let (plain, all) = BOTH.with(|(plain, all)| (found(plain, &text), found(all, &text)));
        prop_assert_eq!(plain, all);
    }
}
