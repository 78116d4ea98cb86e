use super::{AnchorKind, MINUTE, Standing, add_to_file, read_file, shown};
use signalbox_store::audit::{Frontier, Head, SignedCheckpoint};

#[test]
fn attempts_come_sooner_after_a_failure_and_ever_more_seldom() {
    let due = |failures, every| Standing { failures, ..Standing::default() }.due_ms(every) / MINUTE;
    assert_eq!([0, 1, 2, 3, 7, 30].map(|failures| due(failures, 60)), [60, 1, 2, 4, 60, 60]);
    assert_eq!(due(5, 10), 10);
}

#[test]
fn an_address_is_shown_without_what_may_be_secret() {
    let shown = |place: &str| shown(AnchorKind::Webhook, place);
    assert_eq!(shown("https://anna:pw@log.example:8443/a/b?token=x#y"), "https://log.example:8443/a/b");
    assert_eq!(shown("http://log.example"), "http://log.example");
}

#[test]
fn a_file_holds_each_checkpoint_once_also_after_a_cut_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("anchors.jsonl");
    let at = |time: &str| {
        SignedCheckpoint::seal("log", Head::EMPTY, &Frontier::new(), None, time, None).expect("seals").to_line()
    };
    let (first, second) = (at("2026-11-22T10:00:00Z"), at("2026-11-22T11:00:00Z"));
    for line in [&first, &first, &second, &second] {
        add_to_file(&path, line).expect("writes");
    }
    assert_eq!(read_file(&path).expect("reads").len(), 2);
    let cut = std::fs::read_to_string(&path).expect("text");
    std::fs::write(&path, &cut[..cut.len() - 20]).expect("cut");
    add_to_file(&path, &second).expect("writes");
    assert!(std::fs::read_to_string(&path).expect("text").ends_with(&second));
    assert_eq!(read_file(&path).expect_err("a cut line").code, "NOT_AN_ANCHOR");
    assert!(add_to_file(&dir.path().join("no/such"), &first).is_err());
}
