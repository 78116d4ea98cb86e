use super::{UPDATE, compared, other_compiler, page, total};

#[test]
fn a_count_may_differ_by_the_margin_and_no_more() {
    let found = |count: u64| vec![("chain".to_owned(), count)];
    let text = page("rustc 1", &found(1_000_000));
    for (count, words) in [
        (1_000_000, None),
        (1_029_999, None),
        (970_001, None),
        (1_031_000, Some("chain takes 3.1 % more")),
        (960_000, Some("chain takes 4.0 % fewer")),
    ] {
        let wrong = compared(&found(count), &text);
        assert_eq!(
            wrong.first().map(|line| line.starts_with(words.unwrap_or_default())),
            words.map(|_| true),
            "{count}"
        );
    }
}

#[test]
fn work_without_a_count_and_a_count_without_work_are_told() {
    let text = page("rustc 1", &[("gone".to_owned(), 5)]);
    let wrong = compared(&[("new".to_owned(), 5)], &text);
    assert!(wrong[0].contains("nothing is expected") && wrong[1].contains("no such work"), "{wrong:?}");
}

#[test]
fn counts_of_another_compiler_are_told_with_what_to_do() {
    let text = page("rustc 1.95.0 (59807616e 2026-04-14)", &[("chain".to_owned(), 5)]);
    assert_eq!(other_compiler(&text, "rustc 1.95.0 (59807616e 2026-04-14)"), None);
    let told = other_compiler(&text, "rustc 1.96.0 (0a1b2c3d4 2026-05-28)").expect("another compiler");
    for part in ["rustc 1.95.0 (59807616e 2026-04-14)", "rustc 1.96.0 (0a1b2c3d4 2026-05-28)", UPDATE] {
        assert!(told.contains(part), "{told}");
    }
    assert!(other_compiler("chain 5\n", "rustc 1.96.0").is_some_and(|told| told.contains("unknown")));
}

#[test]
fn the_sum_is_read_from_the_file_of_cachegrind() {
    assert_eq!(total("desc: Trace\nevents: Ir\nfn=a\n1 20\nsummary: 12345\n"), Some(12345));
    assert_eq!(total("desc: Trace\n"), None);
}
