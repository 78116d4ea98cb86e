use super::PendingUploads;
use signalbox_ports::uploads::Uploads;

#[test]
fn an_upload_whose_call_is_gone_is_found_by_the_next_one_and_by_nobody_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let uploads = PendingUploads::new(folder.path());
    let first = uploads.begun("https://s3.example.com/b/a", "1");
    let second = uploads.begun("https://s3.example.com/b/c", "2");
    drop(uploads.begun("https://s3.example.com/other/x", "3"));
    let ids = |below: &str| {
        let mut ids: Vec<String> = uploads.left(below, 9).iter().map(|one| one.id().to_owned()).collect();
        ids.sort();
        ids
    };
    assert!(ids("https://s3.example.com/b/").is_empty(), "their calls live");
    drop(first);
    second.ended();
    assert_eq!(ids("https://s3.example.com/b/"), ["1"]);
    assert_eq!(ids("https://s3.example.com/b/"), ["1"], "until somebody has ended it");
    uploads.left("https://s3.example.com/b/", 9).into_iter().for_each(|one| one.ended());
    assert_eq!((ids("https://s3.example.com/b/").len(), ids("https://s3.example.com/")), (0, vec!["3".to_owned()]));
}
