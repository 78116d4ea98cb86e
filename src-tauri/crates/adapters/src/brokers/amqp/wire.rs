//! Frames of AMQP 0-9-1 and what is in them.

use super::super::connect::{Connection, bad_answer, lost};
use signalbox_ports::brokers::{BrokerError, BrokerFault};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// What a client sends first.
pub(super) const HELLO: &[u8] = b"AMQP\0\0\x09\x01";
/// Largest frame that is asked for.
pub(super) const FRAME: u32 = 128 * 1024;
/// Largest message that is read.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
const END: u8 = 0xCE;
const METHOD: u8 = 1;
const HEADER: u8 = 2;
const BODY: u8 = 3;
const HEARTBEAT: u8 = 8;

/// Class and number of a method.
pub(super) type Name = (u16, u16);

/// Arguments while they are written.
#[derive(Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    pub(super) fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }
    pub(super) fn two(mut self, value: u16) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }
    pub(super) fn four(mut self, value: u32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }
    pub(super) fn eight(mut self, value: u64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }
    /// Up to 255 bytes; what is longer was refused before.
    pub(super) fn short(mut self, text: &str) -> Self {
        let length = u8::try_from(text.len()).unwrap_or(u8::MAX);
        self.0.push(length);
        self.0.extend(&text.as_bytes()[..usize::from(length)]);
        self
    }
    pub(super) fn long(mut self, bytes: &[u8]) -> Self {
        self.0.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
        self.0.extend_from_slice(bytes);
        self
    }
    /// A table of texts.
    pub(super) fn table(self, fields: &[(String, String)]) -> Self {
        let inner =
            fields.iter().fold(Self::default(), |out, (name, value)| out.short(name).byte(b'S').long(value.as_bytes()));
        self.long(&inner.0)
    }
}

/// Arguments while they are read.
pub(super) struct In<'a>(pub(super) &'a [u8]);

impl<'a> In<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], BrokerError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| bad_answer("a frame is too short"))?;
        self.0 = rest;
        Ok(taken)
    }
    pub(super) fn byte(&mut self) -> Result<u8, BrokerError> {
        Ok(self.take(1)?[0])
    }
    pub(super) fn two(&mut self) -> Result<u16, BrokerError> {
        Ok(u16::from_be_bytes(self.take(2)?.try_into().unwrap_or_default()))
    }
    pub(super) fn four(&mut self) -> Result<u32, BrokerError> {
        Ok(u32::from_be_bytes(self.take(4)?.try_into().unwrap_or_default()))
    }
    pub(super) fn eight(&mut self) -> Result<u64, BrokerError> {
        Ok(u64::from_be_bytes(self.take(8)?.try_into().unwrap_or_default()))
    }
    pub(super) fn short(&mut self) -> Result<String, BrokerError> {
        let length = self.byte()?;
        Ok(String::from_utf8_lossy(self.take(usize::from(length))?).into_owned())
    }
    pub(super) fn long(&mut self) -> Result<&'a [u8], BrokerError> {
        let length = self.four()?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// A table as texts: lists and tables in it are left out.
    pub(super) fn table(&mut self) -> Result<Vec<(String, Vec<u8>)>, BrokerError> {
        let mut all = In(self.long()?);
        let mut found = Vec::new();
        while !all.0.is_empty() {
            let name = all.short()?;
            if let Some(value) = all.value()? {
                found.push((name, value));
            }
        }
        Ok(found)
    }

    fn value(&mut self) -> Result<Option<Vec<u8>>, BrokerError> {
        let text = |text: String| Some(text.into_bytes());
        Ok(match self.byte()? {
            b't' => text((self.byte()? != 0).to_string()),
            b'b' => text(i8::from_be_bytes([self.byte()?]).to_string()),
            b'B' => text(self.byte()?.to_string()),
            b's' | b'U' => text(i16::from_be_bytes(self.take(2)?.try_into().unwrap_or_default()).to_string()),
            b'u' => text(self.two()?.to_string()),
            b'I' => text(i32::from_be_bytes(self.take(4)?.try_into().unwrap_or_default()).to_string()),
            b'i' => text(self.four()?.to_string()),
            b'l' | b'L' | b'T' => text(i64::from_be_bytes(self.take(8)?.try_into().unwrap_or_default()).to_string()),
            b'f' => text(f32::from_be_bytes(self.take(4)?.try_into().unwrap_or_default()).to_string()),
            b'd' => text(f64::from_be_bytes(self.take(8)?.try_into().unwrap_or_default()).to_string()),
            b'S' | b'x' => Some(self.long()?.to_vec()),
            b'D' => {
                self.take(5)?;
                None
            }
            b'A' | b'F' => {
                self.long()?;
                None
            }
            b'V' => None,
            _ => return Err(bad_answer("a table has a value of an unknown kind")),
        })
    }
}

/// Content of a message with what describes it.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) media: Option<String>,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) id: Option<String>,
    pub(super) body: Vec<u8>,
}

impl Content {
    /// What stands before the bytes: `delivery-mode` 2 keeps a message over a restart of the broker.
    pub(super) fn head(media: Option<&str>, headers: &[(String, String)], id: Option<&str>, size: usize) -> Vec<u8> {
        let flag = |is: bool, bit: u16| if is { 1_u16 << bit } else { 0 };
        let flags = flag(media.is_some(), 15) | flag(!headers.is_empty(), 13) | flag(true, 12) | flag(id.is_some(), 7);
        let mut out = Out::default().two(60).two(0).eight(size as u64).two(flags);
        if let Some(media) = media {
            out = out.short(media);
        }
        if !headers.is_empty() {
            out = out.table(headers);
        }
        out = out.byte(2);
        match id {
            Some(id) => out.short(id).0,
            None => out.0,
        }
    }

    /// Reads it; gives the size of the bytes, too.
    fn read(bytes: &[u8]) -> Result<(Self, u64), BrokerError> {
        let mut all = In(bytes);
        all.take(4)?;
        let size = all.eight()?;
        let flags = all.two()?;
        let has = |bit: u16| flags & (1 << bit) != 0;
        let mut content = Self::default();
        if has(15) {
            content.media = Some(all.short()?);
        }
        if has(14) {
            all.short()?;
        }
        if has(13) {
            content.headers = all.table()?;
        }
        for bit in [12, 11] {
            if has(bit) {
                all.byte()?;
            }
        }
        for bit in [10, 9, 8] {
            if has(bit) {
                all.short()?;
            }
        }
        if has(7) {
            content.id = Some(all.short()?);
        }
        Ok((content, size))
    }
}

/// Something that the broker says.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) name: Name,
    pub(super) arguments: Vec<u8>,
    /// With a message that is delivered or given back.
    pub(super) content: Option<Content>,
}

/// A connection that can be read in pieces: a wait that is given up loses nothing.
pub(super) struct Wire {
    stream: Connection,
    buffer: Vec<u8>,
    /// A message whose content is still coming, and how much.
    partial: Option<(Event, Option<u64>)>,
    pub(super) frame: usize,
}

impl Wire {
    pub(super) fn new(stream: Connection) -> Self {
        Self { stream, buffer: Vec::new(), partial: None, frame: usize::try_from(FRAME).unwrap_or_default() }
    }

    pub(super) async fn raw(&mut self, bytes: &[u8]) -> Result<(), BrokerError> {
        self.stream.write_all(bytes).await.map_err(|error| lost(&error))?;
        self.stream.flush().await.map_err(|error| lost(&error))
    }

    pub(super) async fn method(&mut self, channel: u16, name: Name, arguments: Out) -> Result<(), BrokerError> {
        let payload = [&name.0.to_be_bytes()[..], &name.1.to_be_bytes(), &arguments.0].concat();
        self.raw(&framed(METHOD, channel, &payload)).await
    }

    pub(super) async fn content(&mut self, head: &[u8], body: &[u8]) -> Result<(), BrokerError> {
        let mut bytes = framed(HEADER, 1, head);
        // A frame has eight bytes around its content.
        for part in body.chunks(self.frame.saturating_sub(8).max(1)) {
            bytes.extend(framed(BODY, 1, part));
        }
        self.raw(&bytes).await
    }

    /// What the broker says next.
    pub(super) async fn event(&mut self) -> Result<Event, BrokerError> {
        loop {
            while let Some((kind, payload)) = self.frame()? {
                if let Some(event) = self.taken(kind, payload)? {
                    return Ok(event);
                }
            }
            // A read that is given up has taken nothing.
            self.buffer.reserve(16 * 1024);
            if self.stream.read_buf(&mut self.buffer).await.map_err(|error| lost(&error))? == 0 {
                return Err(lost(&std::io::ErrorKind::UnexpectedEof.into()));
            }
        }
    }

    /// A whole frame, when there is one.
    fn frame(&mut self) -> Result<Option<(u8, Vec<u8>)>, BrokerError> {
        let other = || bad_answer("it speaks no AMQP 0-9-1; check host and port");
        let Some(kind) = self.buffer.first().copied() else { return Ok(None) };
        if ![METHOD, HEADER, BODY, HEARTBEAT].contains(&kind) {
            return Err(other());
        }
        let Some(size) = self.buffer.get(3..7) else { return Ok(None) };
        let size = usize::try_from(u32::from_be_bytes(size.try_into().unwrap_or_default())).unwrap_or(usize::MAX);
        if size > self.frame {
            return Err(other());
        }
        if self.buffer.len() < size + 8 {
            return Ok(None);
        }
        if self.buffer[7 + size] != END {
            return Err(other());
        }
        let payload = self.buffer[7..7 + size].to_vec();
        self.buffer.drain(..size + 8);
        Ok(Some((kind, payload)))
    }

    fn taken(&mut self, kind: u8, payload: Vec<u8>) -> Result<Option<Event>, BrokerError> {
        let out_of_order = || bad_answer("frames come in another order");
        match (kind, self.partial.take()) {
            (HEARTBEAT, partial) => {
                self.partial = partial;
                return Ok(None);
            }
            (METHOD, None) => {
                let mut all = In(&payload);
                let name = (all.two()?, all.two()?);
                let event = Event { name, arguments: all.0.to_vec(), content: None };
                // Delivered, given back, and got.
                if !matches!(name, (60, 50 | 60 | 71)) {
                    return Ok(Some(event));
                }
                self.partial = Some((event, None));
            }
            (HEADER, Some((mut event, None))) => {
                let (content, size) = Content::read(&payload)?;
                if size > MOST_BYTES {
                    return Err(BrokerError::new(BrokerFault::TooLarge, "A message is larger than 64 MiB"));
                }
                event.content = Some(content);
                if size == 0 {
                    return Ok(Some(event));
                }
                self.partial = Some((event, Some(size)));
            }
            (BODY, Some((mut event, Some(left)))) => {
                let left = left.checked_sub(payload.len() as u64).ok_or_else(out_of_order)?;
                if let Some(content) = &mut event.content {
                    content.body.extend_from_slice(&payload);
                }
                if left == 0 {
                    return Ok(Some(event));
                }
                self.partial = Some((event, Some(left)));
            }
            _ => return Err(out_of_order()),
        }
        Ok(None)
    }
}

fn framed(kind: u8, channel: u16, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(channel.to_be_bytes());
    bytes.extend(u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes.push(END);
    bytes
}
