//! Files of any size, read and written while their bytes come and go: at most one window of pieces is held. After so many bytes a new
//! connection goes on, because a server asks for new keys then, which are not exchanged in the middle of one (ADR 190).

use super::connect::open;
use super::files::{named, read_about, rename_written, start_write, unfinished};
use super::session::{PIECE, Session, UNDER_WAY};
use super::wire::{Answer, END, OK, TO_READ, TO_WRITE, WRITE, bad, refusal};
use async_trait::async_trait;
use signalbox_ports::PieceStream;
use signalbox_ports::remote_files::{FileServer, RemoteBody, RemoteEntry, RemoteError, RemoteFault, RemoteWrite};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Pieces that wait for the disk.
const AHEAD: usize = 4;
/// Bytes of one connection: less than the limits that people set (`RekeyLimit`), of which 512 MiB is a usual one.
const SEGMENT: u64 = 256 * 1024 * 1024;
/// How often a read that was cut goes on without having got anything.
const MOST_CUTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

async fn within<T>(limit: Duration, work: impl Future<Output = Result<T, RemoteError>>) -> Result<T, RemoteError> {
    let late = |_| {
        let words = format!("The server did not answer within {} ms", limit.as_millis());
        Err(RemoteError::new(RemoteFault::Timeout, words))
    };
    tokio::time::timeout(limit, Box::pin(work)).await.unwrap_or_else(late)
}

/// What a task reads.
struct Pieces(Receiver<Result<Vec<u8>, RemoteError>>);

#[async_trait]
impl RemoteBody for Pieces {
    async fn next(&mut self) -> Option<Result<Vec<u8>, RemoteError>> {
        self.0.recv().await
    }
}

/// An open file on an open connection.
struct OpenFile {
    session: Session,
    about: RemoteEntry,
    handle: Vec<u8>,
}

async fn open_file(server: &FileServer, path: &str) -> Result<OpenFile, RemoteError> {
    within(server.timeout, async {
        let mut session = open(server).await?;
        let about = read_about(&mut session, path).await?;
        let handle = session.open(path, TO_READ, &named(path)).await?;
        Ok(OpenFile { session, about, handle })
    })
    .await
}

/// Opens a file and begins to read it, until it ends or nobody takes its pieces any more.
pub(super) async fn open_read(
    server: FileServer,
    path: String,
) -> Result<(RemoteEntry, Box<dyn RemoteBody>), RemoteError> {
    let file = open_file(&server, &path).await?;
    let about = file.about.clone();
    let (give, pieces) = channel(AHEAD);
    tokio::spawn(async move {
        if let Err(error) = read_on(&server, &path, file, &give).await {
            let _gone = give.send(Err(error)).await;
        }
    });
    Ok((about, Box::new(Pieces(pieces))))
}

/// Reads to the end, over as many connections as it takes. It goes on only with the file that it was.
async fn read_on(
    server: &FileServer,
    path: &str,
    mut file: OpenFile,
    give: &Sender<Result<Vec<u8>, RemoteError>>,
) -> Result<(), RemoteError> {
    let (what, about) = (named(path), file.about.clone());
    let (mut given, mut cuts) = (0, 0);
    loop {
        let before = given;
        let until = given + SEGMENT;
        let done = give_all(&mut file, &mut given, until, &what, server.timeout, give).await;
        if given > before {
            cuts = 0;
        }
        match done {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) if is_cut(&error) && about.size.is_some() && cuts < MOST_CUTS => {
                cuts += 1;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
        if give.is_closed() {
            return Ok(());
        }
        file = match open_file(server, path).await {
            Ok(next) if next.about == about => next,
            Ok(_) => return Err(changed(&what)),
            Err(error) if is_cut(&error) && cuts < MOST_CUTS => continue,
            Err(error) => return Err(error),
        };
    }
}

fn is_cut(error: &RemoteError) -> bool {
    matches!(error.fault, RemoteFault::Connection | RemoteFault::Timeout)
}

fn changed(what: &str) -> RemoteError {
    RemoteError::new(RemoteFault::Refused, format!("{what} was changed while it was read. Read it again"))
}

/// Gives the pieces of an open file in their order, up to a place; several requests are under way at once. True at the end of the file.
async fn give_all(
    file: &mut OpenFile,
    given: &mut u64,
    until: u64,
    what: &str,
    limit: Duration,
    give: &Sender<Result<Vec<u8>, RemoteError>>,
) -> Result<bool, RemoteError> {
    let OpenFile { session, about, handle } = file;
    let (handle, size) = (handle.as_slice(), about.size);
    let mut asked: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
    let mut come: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let (mut next, mut end) = (*given, None::<u64>);
    loop {
        // Nothing is asked for that would have to wait here: what has come out of order counts, too.
        while end.is_none()
            && next < until
            && asked.len() + come.len() < UNDER_WAY
            && (asked.is_empty() || size.is_some_and(|size| next < size))
        {
            let id = within(limit, session.ask_piece(handle, next, PIECE)).await?;
            asked.insert(id, (next, PIECE));
            next += PIECE as u64;
        }
        if asked.is_empty() {
            break;
        }
        let (id, answer) = within(limit, session.receive()).await?;
        let (at, length) = asked.remove(&id).ok_or_else(|| bad("an answer belongs to no request"))?;
        match answer {
            Answer::Data(piece) if piece.is_empty() || piece.len() > length => {
                return Err(bad("a piece is not as long as it was asked for"));
            }
            Answer::Data(piece) => {
                if piece.len() < length {
                    // What is missing may be there all the same.
                    let (from, left) = (at + piece.len() as u64, length - piece.len());
                    let id = within(limit, session.ask_piece(handle, from, left)).await?;
                    asked.insert(id, (from, left));
                }
                come.insert(at, piece);
            }
            Answer::Status { code: END, .. } => end = Some(end.map_or(at, |before| before.min(at))),
            Answer::Status { code, text } => return Err(refusal(code, &text, what)),
            _ => return Err(bad("no data follow a question for them")),
        }
        while let Some(piece) = come.remove(given) {
            *given += piece.len() as u64;
            if give.send(Ok(piece)).await.is_err() {
                // Nobody reads any more.
                return Ok(true);
            }
        }
    }
    if !come.is_empty() || (end.is_some() && size.is_some_and(|size| *given < size)) {
        return Err(changed(what));
    }
    within(limit, session.close(handle, what)).await?;
    Ok(end.is_some())
}

/// Writes a file as its pieces come, under another name that is changed at the end.
pub(super) async fn write(
    session: &mut Session,
    server: &FileServer,
    file: &RemoteWrite,
    pieces: &mut dyn PieceStream,
) -> Result<RemoteEntry, RemoteError> {
    let (what, limit) = (named(&file.path), server.timeout);
    let unfinished = unfinished(&file.path, &file.key);
    let mut handle = within(limit, async {
        start_write(session, file).await?;
        session.create(&unfinished, &what).await
    })
    .await?;
    let mut source = Source { pieces, waiting: Vec::new(), from: 0, ended: false, at: 0 };
    loop {
        let until = source.at + SEGMENT;
        fill(session, &handle, &mut source, until, &what, limit).await?;
        if source.is_over() {
            return within(limit, rename_written(session, file, &handle)).await;
        }
        handle = within(limit, async {
            session.close(&handle, &what).await?;
            *session = open(server).await?;
            session.open(&unfinished, TO_WRITE, &what).await
        })
        .await?;
    }
}

/// What is still to be written.
struct Source<'a> {
    pieces: &'a mut dyn PieceStream,
    waiting: Vec<u8>,
    /// So much of it is written.
    from: usize,
    ended: bool,
    at: u64,
}

impl Source<'_> {
    fn is_over(&self) -> bool {
        self.ended && self.from == self.waiting.len()
    }
}

/// Writes an open file up to a place.
async fn fill(
    session: &mut Session,
    handle: &[u8],
    source: &mut Source<'_>,
    until: u64,
    what: &str,
    limit: Duration,
) -> Result<(), RemoteError> {
    let mut sent = BTreeSet::new();
    loop {
        while sent.len() < UNDER_WAY && source.at < until && !source.is_over() {
            if source.from == source.waiting.len() {
                match source.pieces.next().await {
                    Some(Ok(piece)) => (source.waiting, source.from) = (piece, 0),
                    Some(Err(why)) => return Err(RemoteError::new(RemoteFault::Refused, why)),
                    None => source.ended = true,
                }
                continue;
            }
            let (at, rest) = (source.at, &source.waiting[source.from..]);
            let piece = &rest[..rest.len().min(PIECE)];
            let request = session.send(WRITE, |request| request.bytes(handle).long(at).bytes(piece));
            sent.insert(within(limit, request).await?);
            let length = piece.len();
            (source.at, source.from) = (at + length as u64, source.from + length);
        }
        if sent.is_empty() {
            return Ok(());
        }
        let (id, answer) = within(limit, session.receive()).await?;
        if !sent.remove(&id) {
            return Err(bad("an answer belongs to no request"));
        }
        match answer {
            Answer::Status { code: OK, .. } => {}
            Answer::Status { code, text } => return Err(refusal(code, &text, what)),
            _ => return Err(bad("no status follows a write")),
        }
    }
}
