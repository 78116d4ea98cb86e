use super::{GROUP, GROUPS_HERE, Job, Task, Work, WriteQueue, Writer};
use crate::chain::Newest;
use crate::connection::{DataFile, Database};
use crate::error::{Error, Result};
use crate::sql::Connection;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{ThreadId, current};
use std::time::Duration;

fn database(folder: &tempfile::TempDir) -> DataFile {
    DataFile { path: folder.path().join("signalbox.db"), busy: Duration::from_secs(5), alone: false }
}

/// A desk at which no thread waits.
fn desk(folder: &tempfile::TempDir) -> WriteQueue {
    let database = database(folder);
    let connection = database.writer().expect("opens");
    connection.execute_batch("CREATE TABLE done (n INTEGER)").expect("a table");
    WriteQueue::new(Writer {
        database: Database::File(database),
        connection: Some(Connection::File(connection)),
        marks: None,
        read_only: false,
        max_pages: Arc::default(),
        signer: Arc::new(Mutex::new(None)),
        full_sync: true,
        lost: 0,
        log_id: None,
        newest: Newest::default(),
        sealed: 0,
    })
}

type Told = (usize, ThreadId, bool);

fn job(n: usize, rows: usize, told: &Sender<Told>) -> Box<dyn Job> {
    let told = told.clone();
    Box::new(Task {
        rows,
        durable: false,
        sure: false,
        work: Some(move |work: &mut Work<'_>| Ok(work.connection.execute("INSERT INTO done VALUES (?)", [n])?)),
        value: None,
        answer: move |outcome: Result<usize>| told.send((n, current().id(), outcome.is_ok())).expect("is heard"),
    })
}

fn told(receiver: &Receiver<Told>) -> Vec<usize> {
    receiver.try_iter().map(|(n, thread, done)| if done && thread == current().id() { n } else { usize::MAX }).collect()
}

#[test]
fn a_job_is_done_here_with_what_stands_before_it() {
    let folder = tempfile::tempdir().expect("folder");
    let (desk, (sender, receiver)) = (desk(&folder), channel());
    desk.push(job(1, 1, &sender));
    desk.push(job(2, 1, &sender));
    assert_eq!(told(&receiver), [0; 0], "nobody is there");
    desk.push_here(job(3, 1, &sender));
    assert_eq!(told(&receiver), [1, 2, 3]);
    assert!(!desk.is_at_work_here());
}

#[test]
fn while_another_writes_a_job_is_left_to_the_thread() {
    let folder = tempfile::tempdir().expect("folder");
    let (desk, (sender, receiver)) = (desk(&folder), channel());
    let writer = desk.writer.lock().expect("is free");
    desk.push_here(job(1, 1, &sender));
    assert_eq!(told(&receiver), [0; 0]);
    drop(writer);
    desk.close();
    desk.serve();
    assert_eq!(told(&receiver), [1], "what is queued is written, also when the store is closed");
}

#[test]
fn who_writes_its_own_job_does_not_write_for_all() {
    let folder = tempfile::tempdir().expect("folder");
    let (desk, (sender, receiver)) = (desk(&folder), channel());
    for n in 0..4 {
        desk.push(job(n, GROUP, &sender));
    }
    desk.push_here(job(4, GROUP, &sender));
    assert_eq!(told(&receiver), (0..GROUPS_HERE).collect::<Vec<_>>());
    desk.close();
    desk.serve();
    assert_eq!(told(&receiver), (GROUPS_HERE..5).collect::<Vec<_>>());
}

/// Who comes second in a group is refused for what the first one wrote: it hears so when that can be read by everybody.
#[test]
fn a_refusal_is_told_when_what_it_is_about_is_there() {
    let folder = tempfile::tempdir().expect("folder");
    let (desk, (sender, receiver)) = (desk(&folder), channel());
    let reader = database(&folder).writer().expect("opens");
    let once =
        |work: &mut Work<'_>| match work.connection.query_row("SELECT count(*) FROM done", [], |row| row.get(0))? {
            0 => Ok(work.connection.execute("INSERT INTO done VALUES (1)", [])?),
            there => Err(Error::Invalid { reason: format!("{there} is there") }),
        };
    let refused: Box<dyn Job> = Box::new(Task {
        rows: 1,
        durable: false,
        sure: false,
        work: Some(once),
        value: None,
        answer: move |outcome: Result<usize>| {
            let seen: i64 = reader.query_row("SELECT count(*) FROM done", [], |row| row.get(0)).expect("is read");
            sender.send((outcome.expect_err("is refused").to_string(), seen)).expect("is heard");
        },
    });
    let (first, _heard) = channel();
    desk.push(job(1, 1, &first));
    desk.push_here(refused);
    let (why, seen) = receiver.try_recv().expect("is told");
    assert!(why.contains("1 is there") && seen == 1, "{why}, {seen}");
}

/// A job without a savepoint that fails when it has written takes the others' writes along, and they hear so; one that is
/// refused before that takes nobody along.
#[test]
fn what_a_sure_job_wrote_before_it_failed_is_not_there() {
    let folder = tempfile::tempdir().expect("folder");
    let (desk, (sender, receiver)) = (desk(&folder), channel());
    let (refused, heard) = channel();
    let fails = |writes: bool| -> Box<dyn Job> {
        let refused = refused.clone();
        Box::new(Task {
            rows: 1,
            durable: false,
            sure: true,
            work: Some(move |work: &mut Work<'_>| -> Result<()> {
                if writes {
                    work.connection.execute("INSERT INTO done VALUES (9)", [])?;
                }
                Err(Error::ReadOnly)
            }),
            value: None,
            answer: move |outcome: Result<()>| refused.send(outcome.map_err(|error| error.code())).expect("is heard"),
        })
    };
    desk.push(job(1, 1, &sender));
    desk.push(fails(false));
    desk.push_here(job(2, 1, &sender));
    assert_eq!(told(&receiver), [1, 2]);
    desk.push(job(3, 1, &sender));
    desk.push(fails(true));
    desk.push_here(job(4, 1, &sender));
    assert_eq!(told(&receiver), [usize::MAX, 4], "the third is told that it is not there");
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), [Err(Error::ReadOnly.code()); 2]);
    let reader = database(&folder).writer().expect("opens");
    let mut there = reader.prepare("SELECT n FROM done ORDER BY n").expect("a table");
    let there = there.query_map([], |row| row.get(0)).expect("is read").collect::<Result<Vec<i64>, _>>();
    assert_eq!(there.expect("numbers"), [1, 2, 4]);
}
