use super::{DAY, EXPORT_DAYS};
use crate::app::{App, Options};
use crate::dto::Host;
use std::fs::{self, File};
use std::time::SystemTime;

#[test]
fn exports_go_after_their_days_and_files_of_others_stay() {
    let folder = tempfile::tempdir().expect("folder");
    let options = Options { host: Host::Http, allow: Vec::new(), stays: false, reads: false };
    let app = App::open(folder.path(), options).expect("opens");
    app.tidy().expect("there is no folder yet");
    let now = SystemTime::now();
    fs::create_dir(app.exports()).expect("a folder");
    for (name, age) in [
        ("signalbox-audit-old.zip", EXPORT_DAYS + 1),
        ("signalbox-audit-new.zip", EXPORT_DAYS - 1),
        ("01a203f2.part", 2),
        ("01a203f3.part", 0),
        ("letter.zip", EXPORT_DAYS + 1),
    ] {
        let file = File::create(app.exports().join(name)).expect("a file");
        file.set_modified(now - DAY * age).expect("an age");
    }
    app.tidy_exports(now).expect("tidies");
    let mut left: Vec<String> = fs::read_dir(app.exports())
        .expect("lists")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["01a203f3.part", "letter.zip", "signalbox-audit-new.zip"]);
}
