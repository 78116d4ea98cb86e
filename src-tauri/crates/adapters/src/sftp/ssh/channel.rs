//! The channel to the part of the server that knows files: bytes in both directions, each as many as the other side has room for.

use super::broken;
use super::packet::{In, Out, Transport, lost};
use signalbox_ports::remote_files::{RemoteError, RemoteFault};
use std::io;

const OPEN: u8 = 90;
const OPENED: u8 = 91;
const OPEN_FAILURE: u8 = 92;
const WINDOW_ADJUST: u8 = 93;
const DATA: u8 = 94;
const EXTENDED_DATA: u8 = 95;
const EOF: u8 = 96;
const CLOSE: u8 = 97;
const REQUEST: u8 = 98;
const SUCCESS: u8 = 99;
const FAILURE: u8 = 100;

/// Room for what the server sends, bytes.
const ROOM: u32 = 2 << 20;
/// Largest part of it.
const PART: u32 = 32 * 1024;

pub(in super::super) struct Channel {
    transport: Transport,
    /// Its number at the server.
    number: u32,
    /// How much the server takes now, and at once.
    room: u64,
    part: usize,
    /// What came and was not read, from `at` on.
    came: Vec<u8>,
    at: usize,
    /// Read, and not yet told as room again.
    untold: u32,
    ended: bool,
}

fn refused() -> RemoteError {
    RemoteError::new(RemoteFault::Forbidden, "The server offers no SFTP to this user. Ask its administrator")
}

impl Channel {
    pub(in super::super) async fn open(mut transport: Transport) -> Result<Self, RemoteError> {
        transport.send(Out::message(OPEN).string("session").number(0).number(ROOM).number(PART)).await?;
        let answer = transport.next().await?;
        let mut rest = In(answer.get(1..).unwrap_or_default());
        let (number, room, part) = match answer.first().copied().unwrap_or_default() {
            OPENED => {
                rest.number()?;
                (rest.number()?, rest.number()?, rest.number()?)
            }
            OPEN_FAILURE => return Err(refused()),
            _ => return Err(broken("it opens no channel")),
        };
        // Our own packets have a limit, too.
        let part = part.clamp(1, PART) as usize;
        let room = u64::from(room);
        let mut channel = Self { transport, number, room, part, came: Vec::new(), at: 0, untold: 0, ended: false };
        let ask = Out::message(REQUEST).number(number).string("subsystem").byte(1).string("sftp");
        channel.transport.send(ask).await?;
        loop {
            match channel.step().await? {
                Some(true) => return Ok(channel),
                Some(false) => return Err(refused()),
                None if channel.ended => return Err(refused()),
                None => {}
            }
        }
    }

    /// Takes one message; says whether it grants or refuses a request.
    async fn step(&mut self) -> Result<Option<bool>, RemoteError> {
        let message = self.transport.next().await?;
        let mut rest = In(message.get(1..).unwrap_or_default());
        let kind = message.first().copied().unwrap_or_default();
        if !(OPENED..=FAILURE).contains(&kind) {
            return Err(broken("a message belongs to nothing"));
        }
        if rest.number()? != 0 {
            return Err(broken("a message belongs to another channel"));
        }
        match kind {
            WINDOW_ADJUST => self.room = (self.room + u64::from(rest.number()?)).min(u64::from(u32::MAX)),
            DATA => {
                let bytes = rest.string()?;
                if self.came.len() - self.at + bytes.len() > ROOM as usize {
                    return Err(broken("it sends more than there is room for"));
                }
                self.came.extend_from_slice(bytes);
            }
            // What programs of the server complain about.
            EXTENDED_DATA => {
                rest.number()?;
                self.untold += u32::try_from(rest.string()?.len()).unwrap_or_default();
            }
            EOF | CLOSE => self.ended = true,
            SUCCESS => return Ok(Some(true)),
            FAILURE => return Ok(Some(false)),
            // How a program of the server ended.
            REQUEST => {}
            _ => return Err(broken("a message comes at the wrong time")),
        }
        Ok(None)
    }

    pub(in super::super) async fn write(&mut self, mut bytes: &[u8]) -> Result<(), RemoteError> {
        while !bytes.is_empty() {
            if self.ended {
                return Err(lost(&io::ErrorKind::UnexpectedEof.into()));
            }
            let fits = usize::try_from(self.room).unwrap_or(usize::MAX).min(self.part).min(bytes.len());
            if fits == 0 {
                self.step().await?;
                continue;
            }
            let (now, later) = bytes.split_at(fits);
            self.transport.send(Out::message(DATA).number(self.number).string(now)).await?;
            self.room -= fits as u64;
            bytes = later;
        }
        Ok(())
    }

    /// The next bytes, exactly so many.
    pub(in super::super) async fn read(&mut self, length: usize) -> Result<Vec<u8>, RemoteError> {
        while self.came.len() - self.at < length {
            if self.ended {
                return Err(lost(&io::ErrorKind::UnexpectedEof.into()));
            }
            self.step().await?;
        }
        let end = self.at + length;
        let bytes = self.came[self.at..end].to_vec();
        self.at = end;
        if self.at == self.came.len() || self.at > ROOM as usize / 2 {
            self.came.drain(..self.at);
            self.at = 0;
        }
        self.untold += u32::try_from(length).unwrap_or_default();
        if self.untold >= ROOM / 2 && !self.ended {
            self.transport.send(Out::message(WINDOW_ADJUST).number(self.number).number(self.untold)).await?;
            self.untold = 0;
        }
        Ok(bytes)
    }
}
