use super::{Answer, NO_SUCH_FILE, Received, refusal};
use signalbox_ports::remote_files::RemoteFault;

#[test]
fn packets_that_lie_about_their_length_are_refused() {
    // A status without its text, as old servers send it.
    let status = Received::new(&[0, 0, 0, 2]).answer(101).expect("read");
    assert_eq!(status, Answer::Status { code: NO_SUCH_FILE, text: String::new() });
    for (kind, bytes) in [
        (101, &[0, 0][..]),
        (102, &[0, 0, 0, 9, 1]),
        (103, &[0xff, 0xff, 0xff, 0xff]),
        (104, &[0xff, 0xff, 0xff, 0xff]),
        (105, &[0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
    ] {
        let error = Received::new(bytes).answer(kind).expect_err("refused");
        assert_eq!(error.fault, RemoteFault::Protocol, "{kind}");
    }
    assert_eq!(Received::new(&[]).answer(7).expect("read"), Answer::Other);
}

#[test]
fn attributes_are_read_with_and_without_their_parts() {
    let all =
        [0x80, 0, 0, 0x0f, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0x41, 0xed, 0, 0, 0, 3, 0, 0, 0, 4];
    let more = [0, 0, 0, 1, 0, 0, 0, 1, b'a', 0, 0, 0, 0];
    let Answer::Attributes(found) = Received::new(&[&all[..], &more].concat()).answer(105).expect("read") else {
        panic!("attributes");
    };
    assert_eq!((found.size, found.modified, found.is_folder()), (Some(7), Some(4), true));
    let Answer::Attributes(none) = Received::new(&[0; 4]).answer(105).expect("read") else { panic!("attributes") };
    assert!(none.is_file() && !none.is_folder() && none.size.is_none());
}

#[test]
fn a_refusal_has_the_words_of_the_server() {
    assert_eq!(refusal(3, "Permission denied.", "The object 'a'").fault, RemoteFault::Forbidden);
    let full = refusal(4, "Failure", "The object 'a'");
    assert_eq!(full.fault, RemoteFault::Refused);
    assert!(full.message.contains("Failure") && full.message.contains("free space"), "{full:?}");
}
