//! Nothing outside a granted folder is read, written or listed, whatever the path says.

use signalbox_adapters::{FolderFiles, Grant};
use signalbox_ports::{FileError, Files as _, WriteMode};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const LIMIT: u64 = 1024 * 1024;

struct Place {
    _root: tempfile::TempDir,
    dir: PathBuf,
    files: FolderFiles,
}

fn grant(folder: &Path, write: bool) -> Grant {
    Grant { folder: folder.to_path_buf(), workflow: None, write }
}

/// `allowed/` is granted; `secret.txt` and `allowed-evil/` stand beside it.
fn place(write: bool) -> Place {
    let root = tempfile::tempdir().expect("a folder");
    let dir = root.path().join("allowed");
    std::fs::create_dir_all(dir.join("sub")).expect("made");
    std::fs::create_dir_all(root.path().join("allowed-evil")).expect("made");
    std::fs::write(root.path().join("secret.txt"), "secret").expect("written");
    std::fs::write(root.path().join("allowed-evil/x.txt"), "secret").expect("written");
    std::fs::write(dir.join("a.txt"), "inside").expect("written");
    std::fs::write(dir.join("sub/b.csv"), "id\n1\n").expect("written");
    symlink(root.path().join("secret.txt"), dir.join("link.txt")).expect("linked");
    symlink("../secret.txt", dir.join("relative.txt")).expect("linked");
    symlink(root.path(), dir.join("up")).expect("linked");
    symlink("sub", dir.join("within")).expect("linked");
    let files = FolderFiles::new(vec![grant(&dir, write)]);
    Place { _root: root, dir, files }
}

fn corpus(dir: &Path) -> Vec<String> {
    let d = dir.display();
    vec![
        "../secret.txt".into(),
        "sub/../../secret.txt".into(),
        format!("{d}/../secret.txt"),
        format!("{d}-evil/x.txt"),
        "/etc/passwd".into(),
        "link.txt".into(),
        "relative.txt".into(),
        "up/secret.txt".into(),
        "within/../../secret.txt".into(),
        format!("{d}/link.txt"),
        "a.txt\0.csv".into(),
        "..\\secret.txt".into(),
        "C:\\secret.txt".into(),
        "C:secret.txt".into(),
        "a\nb".into(),
        format!("/proc/self/root{d}/../secret.txt"),
        "a/".repeat(3_000),
    ]
}

#[tokio::test]
async fn nothing_leads_out_of_the_folder() {
    let place = place(true);
    for path in corpus(&place.dir) {
        let read = place.files.read("w", &path, LIMIT).await;
        assert!(matches!(read, Err(FileError::Refused { .. })), "read {path}: {read:?}");
        let list = place.files.list("w", &path, "*").await;
        assert!(list.is_err(), "list {path}: {list:?}");
        for mode in [WriteMode::Overwrite, WriteMode::FailIfExists, WriteMode::Append] {
            let write = place.files.write("w", &path, b"owned", mode).await;
            assert!(write.is_err(), "write {path} {mode:?}: {write:?}");
        }
    }
    assert!(place.files.list("w", "up", "*").await.is_err());
    let beside = place.dir.parent().expect("a parent");
    assert_eq!(std::fs::read_to_string(beside.join("secret.txt")).expect("there"), "secret");
    assert_eq!(std::fs::read_dir(beside).expect("there").count(), 3);
}

#[tokio::test]
async fn a_link_that_is_made_later_leads_nowhere_either() {
    let place = place(true);
    assert!(place.files.read("w", "sub/b.csv", LIMIT).await.is_ok());
    std::fs::rename(place.dir.join("sub"), place.dir.join("old")).expect("moved");
    symlink("..", place.dir.join("sub")).expect("linked");
    assert!(matches!(place.files.read("w", "sub/secret.txt", LIMIT).await, Err(FileError::Refused { .. })));
}

#[tokio::test]
async fn reading_writing_and_listing_inside() {
    let place = place(true);
    let d = place.dir.display().to_string();
    for path in ["a.txt".into(), "./a.txt".into(), format!("{d}/a.txt")] {
        assert_eq!(place.files.read("w", &path, LIMIT).await, Ok(b"inside".to_vec()), "{path}");
    }
    assert_eq!(place.files.read("w", "within/b.csv", LIMIT).await, Ok(b"id\n1\n".to_vec()));
    assert_eq!(
        place.files.write("w", "new/deep/c.txt", b"one", WriteMode::FailIfExists).await.map(|file| file.size),
        Ok(3)
    );
    let again = place.files.write("w", "new/deep/c.txt", b"two", WriteMode::FailIfExists).await;
    assert_eq!(again, Err(FileError::Exists { path: "new/deep/c.txt".into() }));
    assert_eq!(place.files.write("w", "new/deep/c.txt", b"more", WriteMode::Append).await.map(|file| file.size), Ok(7));
    assert_eq!(place.files.write("w", "new/deep/c.txt", b"x", WriteMode::Overwrite).await.map(|file| file.size), Ok(1));
    assert_eq!(std::fs::read_dir(place.dir.join("new/deep")).expect("there").count(), 1, "no temporary file is left");
    let names = |list: Vec<signalbox_ports::FileEntry>| list.into_iter().map(|f| f.path).collect::<Vec<_>>();
    let found = place.files.list("w", &d, "*.txt").await.expect("listed");
    assert_eq!(names(found), [format!("{d}/a.txt")], "links that lead out are left out");
    assert_eq!(names(place.files.list("w", "sub", "?.csv").await.expect("listed")), ["sub/b.csv"]);
    assert_eq!(names(place.files.list("w", ".", "*").await.expect("listed")), ["a.txt"]);
    assert_eq!(place.files.read("w", "none.txt", LIMIT).await, Err(FileError::NotFound { path: "none.txt".into() }));
    assert!(matches!(place.files.read("w", "sub", LIMIT).await, Err(FileError::Io { .. })));
    let large = place.files.read("w", "a.txt", 3).await;
    assert_eq!(large, Err(FileError::TooLarge { size: 6, limit: 3 }));
}

#[tokio::test]
async fn a_pipe_does_not_hold_the_run() {
    let place = place(true);
    let made = std::process::Command::new("mkfifo").arg(place.dir.join("pipe")).status().expect("mkfifo");
    assert!(made.success());
    assert!(matches!(place.files.read("w", "pipe", LIMIT).await, Err(FileError::Io { .. })));
    assert!(matches!(place.files.write("w", "pipe", b"x", WriteMode::Append).await, Err(FileError::Io { .. })));
}

#[tokio::test]
async fn a_grant_is_for_its_workflow_and_its_access() {
    let root = tempfile::tempdir().expect("a folder");
    let (a, b) = (root.path().join("a"), root.path().join("b"));
    for dir in [&a, &b] {
        std::fs::create_dir(dir).expect("made");
        std::fs::write(dir.join("same.txt"), "x").expect("written");
    }
    std::fs::write(b.join("only.txt"), "x").expect("written");
    let files = FolderFiles::default();
    let message = |result: Result<Vec<u8>, FileError>| match result {
        Err(FileError::Refused { message }) => message,
        other => panic!("{other:?}"),
    };
    let path = a.join("same.txt").display().to_string();
    let words = message(files.read("w", &path, LIMIT).await);
    assert!(words.contains(&a.display().to_string()) && words.contains("--allow-dir"), "{words}");
    // Whoever looks into a folder is told to open that one, not the one around it.
    let folder = a.display().to_string();
    match files.list("w", &folder, "*").await {
        Err(FileError::Refused { message }) => {
            assert!(message.starts_with(&format!("The folder '{folder}' is not open")), "{message}");
            assert!(message.ends_with(&format!("--allow-dir {folder}")), "{message}");
        }
        other => panic!("{other:?}"),
    }

    files.set_grants(vec![Grant { folder: a.clone(), workflow: Some("w".into()), write: false }, grant(&b, true)]);
    assert_eq!(files.grants().len(), 2);
    assert!(files.read("w", &path, LIMIT).await.is_ok());
    message(files.read("other", &path, LIMIT).await);
    let write = files.write("w", &path, b"y", WriteMode::Overwrite).await;
    assert!(matches!(write, Err(FileError::Refused { ref message }) if message.contains(":rw")), "{write:?}");
    assert!(files.read("w", "only.txt", LIMIT).await.is_ok(), "one folder has it");
    assert!(message(files.read("w", "same.txt", LIMIT).await).contains("several"));
    assert!(files.write("w", "new.txt", b"y", WriteMode::Overwrite).await.is_ok(), "one folder may be written");
    assert!(b.join("new.txt").exists());
}

#[tokio::test]
async fn sample_files_are_there_and_read_only() {
    let files = FolderFiles::default();
    let listed = files.list("w", "sample:", "*").await.expect("listed");
    assert_eq!(
        listed.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
        [
            "sample:customers.csv",
            "sample:invoice-template.xlsx",
            "sample:invoices.xlsx",
            "sample:orders.json",
            "sample:orders.parquet"
        ]
    );
    for file in listed {
        assert_eq!(files.read("w", &file.path, LIMIT).await.map(|bytes| bytes.len() as u64), Ok(file.size));
    }
    for path in ["sample:../Cargo.toml", "sample:/etc/passwd", "sample:", "sample:customers.csv/x"] {
        assert!(matches!(files.read("w", path, LIMIT).await, Err(FileError::NotFound { .. })), "{path}");
    }
    let write = files.write("w", "sample:customers.csv", b"x", WriteMode::Append).await;
    assert!(matches!(write, Err(FileError::Refused { .. })));
}

/// A home folder that is granted, with the data folder of the program in it.
struct Home {
    _root: tempfile::TempDir,
    home: PathBuf,
    data: PathBuf,
    files: FolderFiles,
}

fn home() -> Home {
    let root = tempfile::tempdir().expect("a folder");
    let home = root.path().join("home");
    let data = home.join(".local/share/signalbox");
    std::fs::create_dir_all(data.join("artifacts/run-1")).expect("made");
    std::fs::create_dir_all(home.join("work")).expect("made");
    for file in ["secrets.age", "audit.key", "signalbox.db", "artifacts/run-1/report.txt"] {
        std::fs::write(data.join(file), "private").expect("written");
    }
    std::fs::write(home.join("work/table.csv"), "id\n1\n").expect("written");
    let files = FolderFiles::with_data_folder(&data);
    files.set_grants(vec![grant(&home, true)]);
    Home { _root: root, home, data, files }
}

fn is_closed<T: std::fmt::Debug>(result: Result<T, FileError>, path: &str) {
    match result {
        Err(FileError::Refused { message }) => {
            assert!(message.contains("data folder of Signalbox, which is closed to steps"), "{path}: {message}");
        }
        other => panic!("{path}: {other:?}"),
    }
}

async fn is_closed_in_every_way(files: &FolderFiles, folder: &str, data: &Path) {
    for name in ["secrets.age", "audit.key", "signalbox.db", "artifacts/run-1/report.txt"] {
        let path = format!("{folder}/{name}");
        is_closed(files.read("w", &path, LIMIT).await, &path);
        for mode in [WriteMode::Overwrite, WriteMode::FailIfExists, WriteMode::Append] {
            is_closed(files.write("w", &path, b"owned", mode).await, &path);
        }
    }
    for name in ["new.txt", "new/deep/file.txt", "artifacts/new.txt", "workflows/w.json"] {
        let path = format!("{folder}/{name}");
        is_closed(files.write("w", &path, b"owned", WriteMode::FailIfExists).await, &path);
    }
    for below in ["", "/artifacts", "/artifacts/run-1"] {
        let path = format!("{folder}{below}");
        is_closed(files.list("w", &path, "*").await, &path);
    }
    assert!(!data.join("new").exists() && !data.join("workflows").exists(), "no folder was made");
    assert_eq!(std::fs::read_to_string(data.join("secrets.age")).expect("there"), "private");
}

#[tokio::test]
async fn the_data_folder_is_closed_whatever_folder_is_granted() {
    let home = home();
    let data = home.data.display().to_string();
    is_closed_in_every_way(&home.files, &data, &home.data).await;
    is_closed_in_every_way(&home.files, ".local/share/signalbox", &home.data).await;
    // The folder itself is granted, or one inside it.
    home.files.set_grants(vec![grant(&home.data, true)]);
    is_closed_in_every_way(&home.files, &data, &home.data).await;
    is_closed(home.files.read("w", "audit.key", LIMIT).await, "audit.key");
    is_closed(home.files.list("w", ".", "*").await, ".");
    home.files.set_grants(vec![grant(&home.data.join("artifacts"), true)]);
    is_closed(home.files.read("w", "run-1/report.txt", LIMIT).await, "run-1/report.txt");
    // What lies beside it stays open.
    home.files.set_grants(vec![grant(&home.home, true)]);
    assert!(home.files.read("w", "work/table.csv", LIMIT).await.is_ok());
    assert!(home.files.write("w", ".local/share/other.txt", b"x", WriteMode::Overwrite).await.is_ok());
    let listed = home.files.list("w", ".local/share", ".*").await.expect("listed");
    assert_eq!(listed, [], "a folder that holds it is listed without it");
}

#[tokio::test]
async fn neither_a_link_nor_another_name_leads_into_the_data_folder() {
    let home = home();
    symlink(&home.data, home.home.join("alias")).expect("linked");
    symlink(".local/share/signalbox", home.home.join("relative")).expect("linked");
    is_closed_in_every_way(&home.files, "relative", &home.data).await;
    // Leads out of the grant by its spelling, so it is refused before it is looked at.
    assert!(home.files.read("w", "alias/audit.key", LIMIT).await.is_err());
    for (name, target) in [("key.txt", "audit.key"), ("report.txt", "artifacts/run-1/report.txt")] {
        std::fs::hard_link(home.data.join(target), home.home.join("work").join(name)).expect("linked");
        symlink(format!("../.local/share/signalbox/{target}"), home.home.join("work").join(format!("soft-{name}")))
            .expect("linked");
        for path in [format!("work/{name}"), format!("work/soft-{name}")] {
            is_closed(home.files.read("w", &path, LIMIT).await, &path);
            is_closed(home.files.write("w", &path, b"owned", WriteMode::Append).await, &path);
        }
        assert_eq!(std::fs::read_to_string(home.data.join(target)).expect("there"), "private");
    }
    let listed = home.files.list("w", "work", "*").await.expect("listed");
    assert_eq!(listed.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["table.csv"]);
    // Overwriting replaces the name; what had it stays as it was.
    assert_eq!(home.files.write("w", "work/key.txt", b"mine", WriteMode::Overwrite).await.map(|file| file.size), Ok(4));
    assert_eq!(std::fs::read_to_string(home.data.join("audit.key")).expect("there"), "private");
}

#[tokio::test]
async fn the_data_folder_stays_closed_when_it_is_moved_or_found_by_another_path() {
    let home = home();
    let moved = home.home.join("work/moved");
    std::fs::rename(&home.data, &moved).expect("moved");
    is_closed(home.files.read("w", "work/moved/audit.key", LIMIT).await, "moved");
    is_closed(home.files.list("w", "work/moved/artifacts", "*").await, "moved");
    std::fs::rename(&moved, &home.data).expect("moved");
    // The whole path of the grant is another one than the real one.
    let other = home.home.parent().expect("a parent").join("other");
    symlink(&home.home, &other).expect("linked");
    home.files.set_grants(vec![grant(&other, true)]);
    let path = other.join(".local/share/signalbox/audit.key").display().to_string();
    is_closed(home.files.read("w", &path, LIMIT).await, &path);
    assert!(home.files.is_closed(&other.join(".local/share/signalbox/not/there/yet")));
    assert!(!home.files.is_closed(&other.join("work")));
}

/// The environment of this program holds what unlocks the secrets.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_shows_running_programs_is_closed_whatever_folder_is_granted() {
    let home = home();
    let own = format!("/proc/{}", std::process::id());
    for folder in ["/", "/proc", own.as_str()] {
        home.files.set_grants(vec![grant(Path::new(folder), true)]);
        for file in ["environ", "cmdline", "task/../environ", "mem"] {
            let path = format!("{own}/{file}");
            assert!(
                matches!(home.files.read("w", &path, LIMIT).await, Err(FileError::Refused { .. })),
                "{folder} {path}"
            );
        }
        let told = home.files.list("w", &own, "*").await;
        let Err(FileError::Refused { message }) = told else { panic!("{folder}: {told:?}") };
        assert!(message.contains("shows a running program"), "{message}");
    }
    // By a link in another folder, too; and what is of the system stays open.
    symlink(format!("{own}/environ"), home.home.join("work/env")).expect("linked");
    home.files.set_grants(vec![grant(Path::new("/"), false)]);
    let path = home.home.join("work/env").display().to_string();
    assert!(matches!(home.files.read("w", &path, LIMIT).await, Err(FileError::Refused { .. })));
    assert!(home.files.read("w", "/proc/loadavg", LIMIT).await.is_ok());
}

#[tokio::test]
async fn a_file_exists_only_where_it_must_not() {
    let place = place(true);
    for mode in [WriteMode::Overwrite, WriteMode::FailIfExists, WriteMode::Append] {
        let write = place.files.write("w", "a.txt/b/c.txt", b"x", mode).await;
        let words = match &write {
            Err(FileError::Io { message, .. }) => message.as_str(),
            other => panic!("{mode:?}: {other:?}"),
        };
        assert_eq!(words, "'a.txt/b/c.txt' cannot be used: a part of the path is a file, not a folder");
    }
    symlink("nowhere", place.dir.join("dangling")).expect("linked");
    let append = place.files.write("w", "dangling", b"x", WriteMode::Append).await;
    assert!(matches!(append, Err(FileError::NotFound { .. })), "{append:?}");
}

#[tokio::test]
async fn what_a_killed_process_left_is_removed_at_the_next_start() {
    let home = home();
    let notes = home.data.join("pending-writes");
    std::fs::create_dir_all(&notes).expect("made");
    let work = home.home.join("work");
    let left = work.join(".signalbox-write-0123456789abcdef");
    let unknown = work.join(".signalbox-write-fedcba9876543210");
    let linked = work.join(".signalbox-write-00000000000000aa");
    for file in [&left, &unknown] {
        std::fs::write(file, "half").expect("written");
    }
    symlink("table.csv", &linked).expect("linked");
    for (note, path) in [
        ("1", left.clone()),
        ("2", work.join("table.csv")),
        ("3", linked.clone()),
        ("4", work.join(".signalbox-write-gone000000000000")),
        ("5", PathBuf::from(".signalbox-write-0123456789abcdef")),
        ("6", PathBuf::new()),
    ] {
        std::fs::write(notes.join(note), path.to_str().expect("text")).expect("written");
    }
    // Another process writes at this moment.
    let busy = work.join(".signalbox-write-00000000000000bb");
    std::fs::write(&busy, "half").expect("written");
    std::fs::write(notes.join("7"), busy.to_str().expect("text")).expect("written");
    let lock = std::fs::File::open(notes.join("7")).expect("there");
    lock.lock().expect("locked");

    home.files.remove_leftovers();
    assert!(!left.exists(), "what was noted is gone");
    assert!(unknown.exists() && linked.is_symlink() && work.join("table.csv").exists(), "nothing else is touched");
    assert!(busy.exists());
    let names: Vec<_> = std::fs::read_dir(&notes).expect("there").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["7"]);
    drop(lock);
    home.files.remove_leftovers();
    assert!(!busy.exists());

    // A write that ends leaves neither a temporary file nor a note.
    assert!(home.files.write("w", "work/table.csv", b"id\n2\n", WriteMode::Overwrite).await.is_ok());
    assert_eq!(std::fs::read_dir(&notes).expect("there").count(), 0);
}
