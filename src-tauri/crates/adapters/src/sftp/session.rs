//! Requests of SFTP over a channel, answered one by one or several at a time.

use super::ssh::Channel;
use super::wire::{
    self, Answer, Attributes, CREATE, END, EXTENDED, FSTAT, INIT, LARGEST, OK, READ, Received, Request, TO_WRITE,
    TRUNCATE, VERSION, WRITE, bad, refusal,
};
use signalbox_ports::remote_files::{RemoteError, RemoteFault};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of one request to read or write; every server takes so many.
pub(super) const PIECE: usize = 32 * 1024;
/// Requests that are under way at once: a server that is far away is then as fast as its line.
pub(super) const UNDER_WAY: usize = 32;

/// An open conversation.
pub(super) struct Session {
    channel: Channel,
    next: u32,
    extensions: BTreeSet<String>,
}

impl Session {
    pub(super) async fn start(channel: Channel) -> Result<Self, RemoteError> {
        let mut session = Self { channel, next: 0, extensions: BTreeSet::new() };
        session.write(Request::new(INIT).number(3)).await?;
        let packet = session.packet().await?;
        let mut received = Received::new(packet.get(1..).unwrap_or_default());
        if packet.first() != Some(&VERSION) || received.number()? < 3 {
            return Err(bad("it speaks no version 3"));
        }
        while !received.is_empty() {
            let (name, _) = (received.bytes()?, received.bytes()?);
            session.extensions.insert(String::from_utf8_lossy(name).into_owned());
        }
        Ok(session)
    }

    pub(super) fn has(&self, extension: &str) -> bool {
        self.extensions.contains(extension)
    }

    async fn write(&mut self, request: Request) -> Result<(), RemoteError> {
        self.channel.write(&request.done()).await
    }

    async fn packet(&mut self) -> Result<Vec<u8>, RemoteError> {
        let mut head = [0; 4];
        head.copy_from_slice(&self.channel.read(4).await?);
        let length = u32::from_be_bytes(head) as usize;
        if length > LARGEST {
            return Err(bad("a packet is larger than 1 MiB"));
        }
        self.channel.read(length).await
    }

    /// Sends a request; gives its id.
    pub(super) async fn send(&mut self, kind: u8, fill: impl FnOnce(Request) -> Request) -> Result<u32, RemoteError> {
        let id = self.next;
        self.next = self.next.wrapping_add(1);
        self.write(fill(Request::new(kind).number(id))).await?;
        Ok(id)
    }

    pub(super) async fn receive(&mut self) -> Result<(u32, Answer), RemoteError> {
        let packet = self.packet().await?;
        let kind = packet.first().copied().ok_or_else(|| bad("a packet is empty"))?;
        let mut received = Received::new(packet.get(1..).unwrap_or_default());
        let id = received.number()?;
        Ok((id, received.answer(kind)?))
    }

    /// Asks, and waits for the answer.
    pub(super) async fn ask(&mut self, kind: u8, fill: impl FnOnce(Request) -> Request) -> Result<Answer, RemoteError> {
        let id = self.send(kind, fill).await?;
        let (answered, answer) = self.receive().await?;
        if answered == id { Ok(answer) } else { Err(bad("an answer belongs to no request")) }
    }

    /// Asks for something that is done or not.
    pub(super) async fn tell(
        &mut self,
        kind: u8,
        what: &str,
        fill: impl FnOnce(Request) -> Request,
    ) -> Result<(), RemoteError> {
        match self.ask(kind, fill).await? {
            Answer::Status { code: OK, .. } => Ok(()),
            Answer::Status { code, text } => Err(refusal(code, &text, what)),
            _ => Err(bad("no status follows a request")),
        }
    }

    /// Something that only some servers can do.
    pub(super) async fn tell_extended(
        &mut self,
        name: &str,
        what: &str,
        fill: impl FnOnce(Request) -> Request,
    ) -> Result<(), RemoteError> {
        self.tell(EXTENDED, what, |request| fill(request.bytes(name.as_bytes()))).await
    }

    pub(super) async fn open(&mut self, path: &str, flags: u32, what: &str) -> Result<Vec<u8>, RemoteError> {
        match self.ask(wire::OPEN, |request| request.bytes(path.as_bytes()).number(flags).number(0)).await? {
            Answer::Handle(handle) => Ok(handle),
            Answer::Status { code, text } => Err(refusal(code, &text, what)),
            _ => Err(bad("no handle follows an opening")),
        }
    }

    /// Opens a file that is written from its beginning.
    pub(super) async fn create(&mut self, path: &str, what: &str) -> Result<Vec<u8>, RemoteError> {
        self.open(path, TO_WRITE | CREATE | TRUNCATE, what).await
    }

    pub(super) async fn close(&mut self, handle: &[u8], what: &str) -> Result<(), RemoteError> {
        self.tell(wire::CLOSE, what, |request| request.bytes(handle)).await
    }

    /// What is known of a path, or of an open file; nothing when it is not there.
    pub(super) async fn attributes(
        &mut self,
        kind: u8,
        name: &[u8],
        what: &str,
    ) -> Result<Option<Attributes>, RemoteError> {
        match self.ask(kind, |request| request.bytes(name)).await? {
            Answer::Attributes(found) => Ok(Some(found)),
            Answer::Status { code, text } => {
                let error = refusal(code, &text, what);
                if error.fault == RemoteFault::NotFound { Ok(None) } else { Err(error) }
            }
            _ => Err(bad("no attributes follow a question for them")),
        }
    }

    /// All of an open file, of at most `most` bytes.
    pub(super) async fn read(&mut self, handle: &[u8], most: usize, what: &str) -> Result<Vec<u8>, RemoteError> {
        let too_large = || {
            let words = format!("{what} is larger than {most} bytes");
            Err(RemoteError::new(RemoteFault::TooLarge, words))
        };
        let told = self.attributes(FSTAT, handle, what).await?.unwrap_or_default();
        if told.size.is_some_and(|size| size > most as u64) {
            return too_large();
        }
        // Requests under way: id → where its piece belongs, and how long it may be.
        let mut asked: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        let mut pieces: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        let (mut next, mut end, mut total) = (0, None::<usize>, 0);
        // A file of no known length is read piece by piece; one that is known, as a whole and then once more for its end.
        let known = told.size.and_then(|size| usize::try_from(size).ok());
        loop {
            while end.is_none()
                && asked.len() < UNDER_WAY
                && (asked.is_empty() || known.is_some_and(|size| next < size))
            {
                let id = self.ask_piece(handle, next as u64, PIECE).await?;
                asked.insert(id, (next, PIECE));
                next += PIECE;
            }
            if asked.is_empty() {
                break;
            }
            let (id, answer) = self.receive().await?;
            let (at, length) = asked.remove(&id).ok_or_else(|| bad("an answer belongs to no request"))?;
            match answer {
                Answer::Data(piece) if piece.is_empty() || piece.len() > length => {
                    return Err(bad("a piece is not as long as it was asked for"));
                }
                Answer::Data(piece) => {
                    total += piece.len();
                    if total > most {
                        return too_large();
                    }
                    if piece.len() < length {
                        // What is missing may be there all the same.
                        let (from, left) = (at + piece.len(), length - piece.len());
                        let id = self.ask_piece(handle, from as u64, left).await?;
                        asked.insert(id, (from, left));
                    }
                    pieces.insert(at, piece);
                }
                Answer::Status { code: END, .. } => end = Some(end.map_or(at, |before| before.min(at))),
                Answer::Status { code, text } => return Err(refusal(code, &text, what)),
                _ => return Err(bad("no data follow a question for them")),
            }
        }
        let mut all = Vec::with_capacity(total);
        for (at, piece) in pieces {
            if at != all.len() {
                let words = format!("{what} was changed while it was read. Read it again");
                return Err(RemoteError::new(RemoteFault::Connection, words));
            }
            all.extend(piece);
        }
        Ok(all)
    }

    pub(super) async fn ask_piece(&mut self, handle: &[u8], at: u64, length: usize) -> Result<u32, RemoteError> {
        let length = u32::try_from(length).unwrap_or_default();
        self.send(READ, |request| request.bytes(handle).long(at).number(length)).await
    }

    /// Writes an open file from its beginning.
    pub(super) async fn fill(&mut self, handle: &[u8], bytes: &[u8], what: &str) -> Result<(), RemoteError> {
        let mut pieces = bytes.chunks(PIECE).enumerate();
        let mut sent = BTreeSet::new();
        loop {
            while sent.len() < UNDER_WAY
                && let Some((at, piece)) = pieces.next()
            {
                let at = (at * PIECE) as u64;
                sent.insert(self.send(WRITE, |request| request.bytes(handle).long(at).bytes(piece)).await?);
            }
            if sent.is_empty() {
                return Ok(());
            }
            let (id, answer) = self.receive().await?;
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
}
