use super::{archive, members, xz_args};

#[test]
fn an_archive_has_its_members_in_their_order() {
    let all = [("debian-binary", b"2.0\n".to_vec()), ("control.tar.xz", b"odd".to_vec()), ("data.tar.xz", vec![7; 6])]
        .map(|(name, bytes)| (name.to_owned(), bytes));
    let written = archive(&all, 1_700_000_000);
    let begin = "!<arch>\ndebian-binary   1700000000  0     0     100644  4         `\n2.0\n";
    assert_eq!(written.get(..begin.len()), Some(begin.as_bytes()));
    // A member of odd length is followed by one byte more.
    assert_eq!(written.len(), 8 + 3 * 60 + 4 + 4 + 6);
    let read = members(&written).expect("members");
    let read: Vec<(String, Vec<u8>)> = read.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    assert_eq!(read, all);
}

#[test]
fn what_is_no_archive_is_refused() {
    let whole = archive(&[("debian-binary".to_owned(), b"2.0\n".to_vec())], 0);
    for cut in [0, 7, 20, whole.len() - 1] {
        assert!(members(whole.get(..cut).unwrap_or_default()).is_err(), "{cut}");
    }
    assert!(members(b"!<arch>\n").expect("empty").is_empty());
}

#[test]
fn only_code_of_x86_is_filtered_as_such() {
    assert!(xz_args("amd64").contains(&"--x86"));
    assert!(!xz_args("arm64").contains(&"--x86"));
    // Several threads write other bytes on another machine.
    assert!(xz_args("amd64").contains(&"--threads=1"));
}
