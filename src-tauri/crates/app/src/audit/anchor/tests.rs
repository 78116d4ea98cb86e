use super::file::{add, read, read_named};
use super::url::movable;
use super::{AnchorKind, Target};
use signalbox_ports::CredentialKind;
use signalbox_store::audit::{Frontier, Head, SignedCheckpoint};

#[test]
fn a_credential_in_an_address_can_become_a_secret() {
    let target = |place: &str| Target {
        id: "1".into(),
        kind: AnchorKind::Webhook,
        place: place.into(),
        every_minutes: 60,
        here: true,
        credential: None,
    };
    let basic = movable(&target("https://anna:p%40ss+w&o=rd@log.example:8443/a?tenant=5")).expect("movable");
    assert_eq!(basic.kind, CredentialKind::Basic { user: "anna".into() });
    assert_eq!((basic.value.expose(), basic.place.as_str()), ("p@ss+w&o=rd", "https://log.example:8443/a?tenant=5"));
    assert_eq!(basic.host.to_string(), "log.example:8443");
    let query = movable(&target("http://127.0.0.1:9/a?token=t-1&tenant=5")).expect("movable");
    assert_eq!(query.kind, CredentialKind::Query { name: "token".into() });
    assert_eq!((query.value.expose(), query.place.as_str()), ("t-1", "http://127.0.0.1:9/a?tenant=5"));
    for more in ["https://a:b@log.example/?token=1", "https://log.example/?token=1&sig=2", "https://log.example/"] {
        assert!(movable(&target(more)).is_none(), "{more}: no one secret can stand for it");
    }
}

fn line(time: &str) -> String {
    SignedCheckpoint::seal("log", Head::EMPTY, &Frontier::new(), None, time, None).expect("seals").to_line()
}

#[test]
fn a_file_holds_each_checkpoint_once_also_after_a_cut_line() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("anchors.jsonl");
    let (first, second) = (line("2026-11-22T10:00:00Z"), line("2026-11-22T11:00:00Z"));
    for line in [&first, &first, &second, &second] {
        add(&path, line).expect("writes");
    }
    let whole = format!("{first}{second}");
    assert_eq!(read(&path).expect("reads").anchors.len(), 2);
    // Wherever a crash cuts the last line off: it is told and does not count, the others do, and the next one replaces it.
    for left in 1..second.len() - 1 {
        std::fs::write(&path, &whole[..first.len() + left]).expect("cut");
        let kept = read_named(&path).expect("the others count");
        assert_eq!(kept.anchors.len(), 1);
        let told = kept.passed_over(&path);
        assert_eq!((told.len(), told[0].line, told[0].why.contains("cut off")), (1, 2, true), "{left}");
        if left % 50 == 1 {
            add(&path, &second).expect("writes");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), whole, "{left}");
        }
    }
    // Only the end of its line is missing.
    std::fs::write(&path, first.trim_end()).expect("cut");
    assert!(read_named(&path).expect("reads").passed_over(&path).is_empty());
    add(&path, &second).expect("writes");
    assert_eq!(std::fs::read_to_string(&path).expect("text"), whole);
    assert!(add(&dir.path().join("no/such"), &second).is_err());
}

#[test]
fn a_line_that_did_not_reach_the_disk_is_told_and_the_others_count() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("anchors.jsonl");
    let (first, second, third) =
        (line("2026-11-22T10:00:00Z"), line("2026-11-22T11:00:00Z"), line("2026-11-22T12:00:00Z"));
    // The file had grown, and of its last line nothing was there yet: it is replaced.
    std::fs::write(&path, format!("{first}{}", "\0".repeat(second.len()))).expect("written");
    assert_eq!(read_named(&path).expect("the first counts").passed_over(&path).len(), 1);
    add(&path, &second).expect("writes");
    assert_eq!(std::fs::read_to_string(&path).expect("text"), format!("{first}{second}"));
    // Zeros behind something else are not of ours.
    let others = format!("notes\n{}", "\0".repeat(100_000));
    std::fs::write(&path, &others).expect("written");
    add(&path, &second).expect("writes");
    assert_eq!(std::fs::read_to_string(&path).expect("text"), format!("{others}\n{second}"));
    // Only its end was there: nobody can say any more what it was.
    let end = format!("{}{}", "\0".repeat(second.len() - 9), &second[second.len() - 9..]);
    std::fs::write(&path, format!("{first}{end}")).expect("written");
    add(&path, &third).expect("writes");
    assert_eq!(std::fs::read_to_string(&path).expect("text"), format!("{first}{end}{third}"));
    let kept = read_named(&path).expect("the others count");
    let told = kept.passed_over(&path);
    assert_eq!((kept.anchors.len(), told.len(), told[0].line, told[0].why.contains("cut off")), (2, 1, 2, true));
}

#[test]
fn a_damaged_line_that_no_crash_made_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("anchors.jsonl");
    let good = line("2026-11-22T10:00:00Z");
    let mut bytes = format!("{good}{{\"checkpoint\":{{\n{good}").into_bytes();
    bytes.extend(b"\xff\xfe\n");
    std::fs::write(&path, bytes).expect("written");
    let error = read_named(&path).err().expect("is told");
    assert_eq!(error.code, "NOT_AN_ANCHOR");
    assert!(error.message.contains("line 2") && error.message.contains("Lines 4 neither"), "{}", error.message);
    let kept = read(&path).expect("reads");
    assert_eq!((kept.anchors.len(), kept.passed_over(&path).len()), (2, 2), "a verification uses the others");
    std::fs::write(&path, format!("{good}{}", "x\n".repeat(1_000))).expect("written");
    let error = read_named(&path).err().expect("is told");
    assert!(error.message.contains("line 2") && error.message.ends_with("and 995 more neither."), "{}", error.message);
    assert_eq!(read(&path).expect("reads").passed_over(&path).len(), 100, "a file of something else is not all listed");
    for nothing in ["", "\n", "no anchors"] {
        std::fs::write(&path, nothing).expect("written");
        assert_eq!(
            read_named(&path).err().expect("is told").code,
            "NOT_AN_ANCHOR",
            "{nothing:?} compares with nothing"
        );
    }
    // What is not ours is not cut.
    std::fs::write(&path, "somebody's notes").expect("written");
    add(&path, &good).expect("writes");
    assert_eq!(std::fs::read_to_string(&path).expect("text"), format!("somebody's notes\n{good}"));
}
