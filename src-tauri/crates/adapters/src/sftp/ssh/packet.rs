//! Packets of SSH: plain until the keys are agreed, then encrypted and authenticated in one.

use super::{DEBUG, DISCONNECT, EXT_INFO, GLOBAL_REQUEST, IGNORE, KEXINIT, REQUEST_FAILURE, UNIMPLEMENTED, broken};
use ring::aead::chacha20_poly1305_openssh::{OpeningKey, SealingKey, TAG_LEN};
use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use signalbox_ports::remote_files::{RemoteError, RemoteFault};
use std::io;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// Largest packet that is taken; 35,000 bytes is what everybody has to take.
const LARGEST: usize = 256 * 1024;

pub(in super::super) fn lost(error: &io::Error) -> RemoteError {
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => "it closed the connection".to_owned(),
        _ => error.to_string(),
    };
    RemoteError::new(RemoteFault::Connection, format!("The connection to the server ended: {why}"))
}

/// Parts of a message that is written.
#[derive(Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    pub(super) fn message(kind: u8) -> Self {
        Self(vec![kind])
    }
    pub(super) fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }
    pub(super) fn number(mut self, number: u32) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }
    pub(super) fn string(self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let mut longer = self.number(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        longer.0.extend_from_slice(bytes);
        longer
    }
    /// A positive number of any length, from its bytes.
    pub(super) fn mpint(self, bytes: &[u8]) -> Self {
        let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
        let bytes = &bytes[start..];
        if bytes.first().is_some_and(|byte| byte & 0x80 != 0) {
            return self.string([&[0], bytes].concat());
        }
        self.string(bytes)
    }
}

/// A message that came.
pub(super) struct In<'a>(pub(super) &'a [u8]);

impl<'a> In<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], RemoteError> {
        let (part, rest) = self.0.split_at_checked(length).ok_or_else(|| broken("a message ends too early"))?;
        self.0 = rest;
        Ok(part)
    }
    pub(super) fn skip(&mut self, length: usize) -> Result<(), RemoteError> {
        self.take(length).map(|_| ())
    }
    pub(super) fn byte(&mut self) -> Result<u8, RemoteError> {
        Ok(self.take(1)?[0])
    }
    pub(super) fn number(&mut self) -> Result<u32, RemoteError> {
        let mut all = [0; 4];
        all.copy_from_slice(self.take(4)?);
        Ok(u32::from_be_bytes(all))
    }
    pub(super) fn string(&mut self) -> Result<&'a [u8], RemoteError> {
        let length = self.number()?;
        self.take(length as usize)
    }
    pub(super) fn text(&mut self) -> Result<&'a str, RemoteError> {
        std::str::from_utf8(self.string()?).map_err(|_| broken("a name is no text"))
    }
    /// The bytes of a positive number, without zeros in front.
    pub(super) fn mpint(&mut self) -> Result<&'a [u8], RemoteError> {
        let bytes = self.string()?;
        if bytes.first().is_some_and(|byte| byte & 0x80 != 0) {
            return Err(broken("a number is negative"));
        }
        let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
        Ok(&bytes[start..])
    }
    pub(super) fn names(&mut self) -> Result<Vec<&'a str>, RemoteError> {
        Ok(self.text()?.split(',').filter(|name| !name.is_empty()).collect())
    }
}

/// The keys of both directions.
pub(super) enum Cipher {
    ChaCha { seal: Box<SealingKey>, open: Box<OpeningKey> },
    Gcm { seal: Box<LessSafeKey>, seal_iv: [u8; 12], open: Box<LessSafeKey>, open_iv: [u8; 12] },
}

/// The names of the ciphers, the best first.
pub(super) const CHACHA: &str = "chacha20-poly1305@openssh.com";
pub(super) const GCM_256: &str = "aes256-gcm@openssh.com";
pub(super) const GCM_128: &str = "aes128-gcm@openssh.com";

impl Cipher {
    /// `derive` gives the bytes of a letter of RFC 4253, 7.2.
    pub(super) fn new(name: &str, derive: impl Fn(u8, usize) -> Vec<u8>) -> Result<Self, RemoteError> {
        let wrong = || broken("its keys have a wrong length");
        if name == CHACHA {
            let key = |letter| <[u8; 64]>::try_from(derive(letter, 64)).map_err(|_| wrong());
            let (seal, open) = (SealingKey::new(&key(b'C')?), OpeningKey::new(&key(b'D')?));
            return Ok(Self::ChaCha { seal: Box::new(seal), open: Box::new(open) });
        }
        let (algorithm, length) = if name == GCM_256 { (&AES_256_GCM, 32) } else { (&AES_128_GCM, 16) };
        let key = |letter| UnboundKey::new(algorithm, &derive(letter, length)).map_err(|_| wrong());
        let iv = |letter| <[u8; 12]>::try_from(derive(letter, 12)).map_err(|_| wrong());
        Ok(Self::Gcm {
            seal: Box::new(LessSafeKey::new(key(b'C')?)),
            seal_iv: iv(b'A')?,
            open: Box::new(LessSafeKey::new(key(b'D')?)),
            open_iv: iv(b'B')?,
        })
    }
}

/// The counter in the last eight bytes is one more for each packet.
fn next_nonce(iv: &mut [u8; 12]) -> Nonce {
    let nonce = Nonce::assume_unique_for_key(*iv);
    for byte in iv[4..].iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
    nonce
}

/// A connection that carries packets.
pub(in super::super) struct Transport {
    stream: BufReader<TcpStream>,
    cipher: Option<Cipher>,
    sent: u32,
    received: u32,
}

impl Transport {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream: BufReader::new(stream), cipher: None, sent: 0, received: 0 }
    }

    /// The line by which both begin; servers may say more before it.
    pub(super) async fn greet(&mut self, own: &str) -> Result<String, RemoteError> {
        let greeting = format!("{own}\r\n");
        self.stream.get_mut().write_all(greeting.as_bytes()).await.map_err(|error| lost(&error))?;
        for _ in 0..64 {
            let mut line = Vec::new();
            loop {
                match self.stream.read_u8().await.map_err(|error| lost(&error))? {
                    b'\n' => break,
                    _ if line.len() > 1024 => return Err(broken("its first line does not end")),
                    byte => line.push(byte),
                }
            }
            let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
            if line.starts_with("SSH-2.0-") || line.starts_with("SSH-1.99-") {
                return Ok(line);
            }
            if line.starts_with("SSH-") {
                return Err(broken("it speaks an old version of it only"));
            }
        }
        Err(broken("it does not greet"))
    }

    /// From here on both directions are encrypted. `anew`: packets are counted from the beginning again.
    pub(super) fn encrypt(&mut self, cipher: Cipher, anew: bool) {
        self.cipher = Some(cipher);
        if anew {
            (self.sent, self.received) = (0, 0);
        }
    }

    pub(super) async fn send(&mut self, message: Out) -> Result<(), RemoteError> {
        let message = message.0;
        let (block, head) = match &self.cipher {
            None => (8, 5),
            Some(Cipher::ChaCha { .. }) => (8, 1),
            Some(Cipher::Gcm { .. }) => (16, 1),
        };
        let short = block - (message.len() + head) % block;
        let padding = if short < 4 { short + block } else { short };
        let length = u32::try_from(1 + message.len() + padding).unwrap_or(u32::MAX);
        let mut packet = Vec::with_capacity(4 + length as usize + TAG_LEN);
        packet.extend(length.to_be_bytes());
        packet.extend(u8::try_from(padding).unwrap_or_default().to_be_bytes());
        packet.extend(message);
        packet.extend(&super::random::<32>()?[..padding]);
        let failed = |_| broken("a packet cannot be encrypted");
        match &mut self.cipher {
            None => {}
            Some(Cipher::ChaCha { seal, .. }) => {
                let mut tag = [0; TAG_LEN];
                seal.seal_in_place(self.sent, &mut packet, &mut tag);
                packet.extend(tag);
            }
            Some(Cipher::Gcm { seal, seal_iv, .. }) => {
                let (head, rest) = packet.split_at_mut(4);
                let tag =
                    seal.seal_in_place_separate_tag(next_nonce(seal_iv), Aad::from(head), rest).map_err(failed)?;
                packet.extend(tag.as_ref());
            }
        }
        self.sent = self.sent.wrapping_add(1);
        self.stream.get_mut().write_all(&packet).await.map_err(|error| lost(&error))
    }

    /// The next message, whatever it is.
    pub(super) async fn receive(&mut self) -> Result<Vec<u8>, RemoteError> {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head).await.map_err(|error| lost(&error))?;
        let plain = match &self.cipher {
            Some(Cipher::ChaCha { open, .. }) => open.decrypt_packet_length(self.received, head),
            Some(Cipher::Gcm { .. }) | None => head,
        };
        let length = u32::from_be_bytes(plain) as usize;
        if !(5..=LARGEST).contains(&length) {
            return Err(broken("a packet has an impossible length"));
        }
        let tag = if self.cipher.is_some() { TAG_LEN } else { 0 };
        let mut packet = head.to_vec();
        packet.resize(4 + length + tag, 0);
        self.stream.read_exact(&mut packet[4..]).await.map_err(|error| lost(&error))?;
        let forged = |_| broken("a packet was changed on the way");
        match &mut self.cipher {
            None => {}
            Some(Cipher::ChaCha { open, .. }) => {
                let tag =
                    <[u8; TAG_LEN]>::try_from(&packet[4 + length..]).map_err(|_| broken("a packet has no end"))?;
                open.open_in_place(self.received, &mut packet[..4 + length], &tag).map_err(forged)?;
            }
            Some(Cipher::Gcm { open, open_iv, .. }) => {
                open.open_in_place(next_nonce(open_iv), Aad::from(head), &mut packet[4..]).map_err(forged)?;
            }
        }
        self.received = self.received.wrapping_add(1);
        let padding = usize::from(packet[4]);
        let end = (4 + length)
            .checked_sub(padding)
            .filter(|end| *end > 5)
            .ok_or_else(|| broken("a packet is all padding"))?;
        Ok(packet[5..end].to_vec())
    }

    /// The next message that is about something: what is only about the connection is answered here.
    pub(super) async fn next(&mut self) -> Result<Vec<u8>, RemoteError> {
        loop {
            let message = self.receive().await?;
            match message.first().copied().unwrap_or_default() {
                IGNORE | UNIMPLEMENTED | DEBUG | EXT_INFO => {}
                DISCONNECT => return Err(disconnected(&message)),
                KEXINIT => {
                    let words = "The server wants new keys in the middle of the connection, which is not supported";
                    return Err(RemoteError::new(RemoteFault::Connection, words));
                }
                GLOBAL_REQUEST => {
                    let mut request = In(&message[1..]);
                    request.string()?;
                    if request.byte()? != 0 {
                        self.send(Out::message(REQUEST_FAILURE)).await?;
                    }
                }
                _ => return Ok(message),
            }
        }
    }
}

/// The server says good-bye, and why.
pub(super) fn disconnected(message: &[u8]) -> RemoteError {
    let mut said = In(message.get(1..).unwrap_or_default());
    let why = said.number().and_then(|_| said.text()).unwrap_or_default();
    let why: String = why.chars().filter(|c| !c.is_control()).take(300).collect();
    RemoteError::new(RemoteFault::Connection, format!("The server ended the connection: {why}"))
}

#[cfg(test)]
mod tests;
