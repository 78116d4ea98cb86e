//! Packets of SFTP version 3, the one that servers speak (draft-ietf-secsh-filexfer-02).

use signalbox_ports::remote_files::{RemoteError, RemoteFault};

/// Largest packet that is taken; servers send at most 256 KiB and a little.
pub(super) const LARGEST: usize = 1 << 20;

pub(super) const INIT: u8 = 1;
pub(super) const VERSION: u8 = 2;
pub(super) const OPEN: u8 = 3;
pub(super) const CLOSE: u8 = 4;
pub(super) const READ: u8 = 5;
pub(super) const WRITE: u8 = 6;
pub(super) const FSTAT: u8 = 8;
pub(super) const OPENDIR: u8 = 11;
pub(super) const READDIR: u8 = 12;
pub(super) const REMOVE: u8 = 13;
pub(super) const MKDIR: u8 = 14;
pub(super) const STAT: u8 = 17;
pub(super) const RENAME: u8 = 18;
pub(super) const EXTENDED: u8 = 200;
const STATUS: u8 = 101;
const HANDLE: u8 = 102;
const DATA: u8 = 103;
const NAME: u8 = 104;
const ATTRS: u8 = 105;

pub(super) const TO_READ: u32 = 1;
pub(super) const TO_WRITE: u32 = 2;
pub(super) const CREATE: u32 = 8;
pub(super) const TRUNCATE: u32 = 16;

pub(super) const OK: u32 = 0;
pub(super) const END: u32 = 1;
const NO_SUCH_FILE: u32 = 2;
const PERMISSION_DENIED: u32 = 3;
const CONNECTION_LOST: u32 = 7;
const UNSUPPORTED: u32 = 8;

/// What is known of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) size: Option<u64>,
    mode: Option<u32>,
    pub(super) modified: Option<u32>,
}

impl Attributes {
    fn is(self, kind: u32) -> bool {
        self.mode.is_some_and(|mode| mode & 0o170_000 == kind)
    }
    pub(super) fn is_folder(self) -> bool {
        self.is(0o040_000)
    }
    pub(super) fn is_link(self) -> bool {
        self.is(0o120_000)
    }
    /// A file, as far as the server tells; not a device or a pipe, which would never end.
    pub(super) fn is_file(self) -> bool {
        self.mode.is_none() || self.is(0o100_000)
    }
}

/// What a server answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Status { code: u32, text: String },
    Handle(Vec<u8>),
    Data(Vec<u8>),
    Names(Vec<(Vec<u8>, Attributes)>),
    Attributes(Attributes),
    Other,
}

pub(super) fn bad(why: &str) -> RemoteError {
    RemoteError::new(RemoteFault::Protocol, format!("The server answers otherwise than SFTP says: {why}"))
}

/// What a status means that is no success; `what` names the file.
pub(super) fn refusal(code: u32, text: &str, what: &str) -> RemoteError {
    let said = text.trim().trim_end_matches('.');
    let told = if said.is_empty() { format!("status {code}") } else { said.chars().take(300).collect() };
    match code {
        NO_SUCH_FILE => RemoteError::new(RemoteFault::NotFound, format!("{what} is not there")),
        PERMISSION_DENIED => {
            let words = format!("The user may not do this with {what} ({told}). Look at the rights on the server");
            RemoteError::new(RemoteFault::Forbidden, words)
        }
        CONNECTION_LOST => RemoteError::new(RemoteFault::Connection, format!("The server lost its connection: {told}")),
        UNSUPPORTED => {
            RemoteError::new(RemoteFault::Refused, format!("The server cannot do this with {what} ({told})"))
        }
        _ => {
            let words = format!(
                "The server refuses {what} and says only: {told}. Look at its rights, its free space and its kind"
            );
            RemoteError::new(RemoteFault::Refused, words)
        }
    }
}

/// A packet that is sent.
pub(super) struct Request(Vec<u8>);

impl Request {
    /// With room for the length, which is known at the end.
    pub(super) fn new(kind: u8) -> Self {
        Self(vec![0, 0, 0, 0, kind])
    }
    pub(super) fn number(mut self, number: u32) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }
    pub(super) fn long(mut self, number: u64) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }
    pub(super) fn bytes(self, bytes: &[u8]) -> Self {
        let mut longer = self.number(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        longer.0.extend_from_slice(bytes);
        longer
    }
    pub(super) fn done(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len() - 4).unwrap_or(u32::MAX);
        self.0[..4].copy_from_slice(&length.to_be_bytes());
        self.0
    }
}

/// A packet that came.
pub(super) struct Received<'a>(&'a [u8]);

impl<'a> Received<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }
    fn take(&mut self, length: usize) -> Result<&'a [u8], RemoteError> {
        let (part, rest) = self.0.split_at_checked(length).ok_or_else(|| bad("a packet ends too early"))?;
        self.0 = rest;
        Ok(part)
    }
    pub(super) fn number(&mut self) -> Result<u32, RemoteError> {
        let mut all = [0; 4];
        all.copy_from_slice(self.take(4)?);
        Ok(u32::from_be_bytes(all))
    }
    fn long(&mut self) -> Result<u64, RemoteError> {
        let mut all = [0; 8];
        all.copy_from_slice(self.take(8)?);
        Ok(u64::from_be_bytes(all))
    }
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], RemoteError> {
        let length = self.number()?;
        self.take(length as usize)
    }
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn attributes(&mut self) -> Result<Attributes, RemoteError> {
        let flags = self.number()?;
        let mut found = Attributes::default();
        if flags & 1 != 0 {
            found.size = Some(self.long()?);
        }
        if flags & 2 != 0 {
            self.take(8)?;
        }
        if flags & 4 != 0 {
            found.mode = Some(self.number()?);
        }
        if flags & 8 != 0 {
            self.take(4)?;
            found.modified = Some(self.number()?);
        }
        if flags & 0x8000_0000 != 0 {
            for _ in 0..self.number()? {
                self.bytes()?;
                self.bytes()?;
            }
        }
        Ok(found)
    }

    /// The answer behind its kind and its id.
    pub(super) fn answer(mut self, kind: u8) -> Result<Answer, RemoteError> {
        Ok(match kind {
            STATUS => {
                let code = self.number()?;
                // Old servers send no text.
                let text = self.bytes().map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
                Answer::Status { code, text }
            }
            HANDLE => Answer::Handle(self.bytes()?.to_vec()),
            DATA => Answer::Data(self.bytes()?.to_vec()),
            NAME => {
                let mut names = Vec::new();
                for _ in 0..self.number()? {
                    let name = self.bytes()?.to_vec();
                    // A line for people.
                    self.bytes()?;
                    names.push((name, self.attributes()?));
                }
                Answer::Names(names)
            }
            ATTRS => Answer::Attributes(self.attributes()?),
            _ => Answer::Other,
        })
    }
}

#[cfg(test)]
mod tests;
