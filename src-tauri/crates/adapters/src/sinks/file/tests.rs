use super::super::tests::entry;
use super::*;

fn line(n: usize) -> String {
    format!("{{\"entry\":{{\"seq\":{n}}},\"hash\":\"\"}}\n")
}

#[test]
fn what_a_crash_cut_off_goes_and_the_line_before_it_is_the_last() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("log.jsonl");
    let mut sink = JsonlSink::open(&path).expect("opened");
    assert_eq!(sink.last(0).expect("read"), None);
    sink.take(&[entry(line(0)), entry(line(1))]).expect("taken");
    drop(sink);
    for cut in 1..line(2).len() {
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .expect("file")
            .write_all(&line(2).as_bytes()[..cut])
            .expect("cut");
        let mut sink = JsonlSink::open(&path).expect("opened");
        assert_eq!(sink.last(0).expect("read").as_deref(), Some(line(1).trim_end()), "cut at {cut}");
        let before = line(0) + &line(1) + &line(2)[..cut];
        assert_eq!(std::fs::read_to_string(&path).expect("text"), before, "looking takes nothing away");
        sink.take(&[entry(line(2))]).expect("taken");
        assert_eq!(std::fs::read_to_string(&path).expect("text"), line(0) + &line(1) + &line(2), "cut at {cut}");
        drop(sink);
        std::fs::write(&path, line(0) + &line(1)).expect("as before");
    }
}

#[test]
fn what_did_not_reach_the_disk_goes_with_what_follows_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("log.jsonl");
    let (lines, none) = ([line(0), line(1), line(2)], |line: String| "\0".repeat(line.len()));
    for (left, last) in [
        (line(0) + &none(line(1)) + &line(2), Some(line(0))),
        (line(0) + &line(1) + &none(line(2)), Some(line(1))),
        (line(0) + &line(1)[..5] + "\0\0\0" + &line(1)[8..] + &line(2), Some(line(0))),
        (none(line(0)) + &line(1), None),
        (none(line(0)), None),
    ] {
        std::fs::write(&path, &left).expect("written");
        let mut sink = JsonlSink::open(&path).expect("opened");
        assert_eq!(sink.last(0).expect("read").as_deref(), last.as_deref().map(str::trim_end), "{left:?}");
        let from = last.and_then(|last| lines.iter().position(|line| *line == last)).map_or(0, |at| at + 1);
        sink.take(&lines[from..].iter().cloned().map(entry).collect::<Vec<_>>()).expect("taken");
        assert_eq!(std::fs::read_to_string(&path).expect("text"), lines.concat(), "{left:?}");
    }
}

#[test]
fn the_line_before_a_long_hole_is_found_further_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("log.jsonl");
    for torn in [&line(1)[..17], &line(1)[..3]] {
        for hole in [LONGEST - 10, LONGEST, 2 * LONGEST + 5] {
            let hole = "\0".repeat(usize::try_from(hole).expect("small"));
            std::fs::write(&path, line(0) + torn + &hole).expect("written");
            let mut sink = JsonlSink::open(&path).expect("opened");
            assert_eq!(sink.last(0).expect("ours").as_deref(), Some(line(0).trim_end()));
            sink.take(&[entry(line(1))]).expect("taken");
            assert_eq!(std::fs::read_to_string(&path).expect("text"), line(0) + &line(1));
            drop(sink);
            // Of something else nothing is taken away, however far back its beginning is.
            let other = "my notes\n".repeat(3) + torn.trim_start_matches('{') + &hole;
            std::fs::write(&path, &other).expect("written");
            let mut sink = JsonlSink::open(&path).expect("opened");
            sink.last(0).expect_err("it holds something else");
            assert!(std::fs::read_to_string(&path).expect("text") == other);
        }
    }
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("notes.txt");
    let of_others = [
        "my notes\n",
        "my notes",
        "\n",
        "{\"entry\":1}\n{\"checkpoint\":2}\n",
        "\0\0PNG\n",
        "SQLite format 3\0\u{10}\0",
        "n\0o\0t\0e\0s\0\n\0",
        "\u{7f}ELF\u{2}\0\0\0",
        "a\nb\0\0",
    ];
    for text in of_others {
        std::fs::write(&path, text).expect("written");
        let problem = JsonlSink::open(&path).expect("opened").last(0).expect_err("it holds something else");
        assert!(problem.to_string().contains("not an entry of an audit chain"), "{problem}");
        assert_eq!(std::fs::read_to_string(&path).expect("text"), text);
    }
}
