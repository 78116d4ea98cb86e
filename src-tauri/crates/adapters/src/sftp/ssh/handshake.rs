//! The handshake: algorithms are chosen, keys agreed, and the server proves which key it has.

use super::packet::{CHACHA, Cipher, GCM_128, GCM_256, In, Out, Transport, disconnected};
use super::verify::{ALGORITHMS, fingerprint, verify};
use super::{DISCONNECT, KEXINIT, broken, random};
use ring::agreement::{self, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::digest::{Context, SHA256, SHA384};
use ring::rand::SystemRandom;
use signalbox_ports::remote_files::{RemoteError, RemoteFault};
use tokio::net::TcpStream;
use zeroize::Zeroizing;

const GREETING: &str = "SSH-2.0-Signalbox";
const NEWKEYS: u8 = 21;
const ECDH_INIT: u8 = 30;
const ECDH_REPLY: u8 = 31;

const EXCHANGES: [&str; 4] =
    ["curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256", "ecdh-sha2-nistp384"];
/// With both marks nothing can be slipped in before the encryption begins, or be cut off its beginning.
const STRICT_CLIENT: &str = "kex-strict-c-v00@openssh.com";
const STRICT_SERVER: &str = "kex-strict-s-v00@openssh.com";

/// The key that the server has proved to have.
#[derive(Debug)]
pub(in super::super) struct ServerKey {
    pub(in super::super) fingerprint: String,
    pub(in super::super) algorithm: String,
}

/// A connection after its handshake.
pub(in super::super) struct Secured {
    pub(in super::super) transport: Transport,
    /// Names this connection; sign-ins are bound to it.
    pub(in super::super) session: Vec<u8>,
    pub(in super::super) key: ServerKey,
}

/// What one side offers.
struct Offer<'a> {
    exchanges: Vec<&'a str>,
    keys: Vec<&'a str>,
    ciphers: Vec<&'a str>,
    guessed: bool,
}

impl<'a> Offer<'a> {
    fn read(message: &'a [u8]) -> Result<Self, RemoteError> {
        let mut offer = In(message);
        if offer.byte()? != KEXINIT {
            return Err(broken("it does not say what it can do"));
        }
        offer.skip(16)?;
        let (exchanges, keys) = (offer.names()?, offer.names()?);
        let (ciphers, back) = (offer.names()?, offer.names()?);
        for _ in 0..6 {
            offer.names()?;
        }
        // Both directions get the same cipher.
        let ciphers = ciphers.into_iter().filter(|name| back.contains(name)).collect();
        Ok(Self { exchanges, keys, ciphers, guessed: offer.byte()? != 0 })
    }
}

fn choose<'a>(what: &str, ours: &[&'a str], theirs: &[&str]) -> Result<&'a str, RemoteError> {
    ours.iter().find(|name| theirs.contains(name)).copied().ok_or_else(|| {
        let offered: String = theirs.join(", ").chars().take(400).collect();
        let words = format!(
            "The server offers no {what} that is accepted here. It offers: {offered}. Accepted: {}. Its software is old, or \
             set up so",
            ours.join(", ")
        );
        RemoteError::new(RemoteFault::Protocol, words)
    })
}

fn own_offer() -> Result<Out, RemoteError> {
    let exchanges = [&EXCHANGES[..], &[STRICT_CLIENT]].concat().join(",");
    let ciphers = [CHACHA, GCM_256, GCM_128].join(",");
    let mut out = Out::message(KEXINIT);
    out.0.extend(random::<16>()?);
    // Ciphers that authenticate need no other code; the protocol wants one named all the same.
    let mac = "hmac-sha2-256";
    let lists = [exchanges.as_str(), &ALGORITHMS.join(","), &ciphers, &ciphers, mac, mac, "none", "none", "", ""];
    Ok(lists.into_iter().fold(out, |out, list| out.string(list)).byte(0).number(0))
}

/// The messages of the handshake come one by one, and nothing between them.
async fn expected(transport: &mut Transport, kind: u8) -> Result<Vec<u8>, RemoteError> {
    let message = transport.receive().await?;
    match message.first() {
        Some(first) if *first == kind => Ok(message),
        Some(first) if *first == DISCONNECT => Err(disconnected(&message)),
        _ => Err(broken("something comes in between its handshake")),
    }
}

pub(in super::super) async fn handshake(stream: TcpStream) -> Result<Secured, RemoteError> {
    let mut transport = Transport::new(stream);
    let greeting = transport.greet(GREETING).await?;
    let ours = own_offer()?;
    let offered = ours.0.clone();
    transport.send(ours).await?;
    let theirs = expected(&mut transport, KEXINIT).await?;
    let offer = Offer::read(&theirs)?;
    let strict = offer.exchanges.contains(&STRICT_SERVER);
    let exchange = choose("key exchange", &EXCHANGES, &offer.exchanges)?;
    let algorithm = choose("kind of server key", &ALGORITHMS, &offer.keys)?;
    // Without the marks the beginning of what this cipher protects could be cut off unseen.
    let ciphers: &[&str] = if strict { &[CHACHA, GCM_256, GCM_128] } else { &[GCM_256, GCM_128, CHACHA] };
    let cipher = choose("cipher", ciphers, &offer.ciphers)?;
    if offer.guessed && (offer.exchanges.first() != Some(&exchange) || offer.keys.first() != Some(&algorithm)) {
        // It guessed another one: what it sent after its guess is void.
        transport.receive().await?;
    }

    let (curve, hash) = match exchange {
        "ecdh-sha2-nistp256" => (&agreement::ECDH_P256, &SHA256),
        "ecdh-sha2-nistp384" => (&agreement::ECDH_P384, &SHA384),
        _ => (&agreement::X25519, &SHA256),
    };
    let failed = |_| broken("no keys can be agreed with it");
    let own = EphemeralPrivateKey::generate(curve, &SystemRandom::new()).map_err(failed)?;
    let public = own.compute_public_key().map_err(failed)?;
    transport.send(Out::message(ECDH_INIT).string(public.as_ref())).await?;
    let reply = expected(&mut transport, ECDH_REPLY).await?;
    let mut reply = In(&reply[1..]);
    let (key, point, signature) = (reply.string()?, reply.string()?, reply.string()?);
    let secret = agree_ephemeral(own, &UnparsedPublicKey::new(curve, point), |secret| {
        Zeroizing::new(Out::default().mpint(secret).0)
    })
    .map_err(failed)?;

    let said = Out::default().string(GREETING).string(&greeting).string(&offered).string(&theirs).string(key);
    let said = said.string(public.as_ref()).string(point);
    let digest = |parts: &[&[u8]]| {
        let mut context = Context::new(hash);
        parts.iter().for_each(|part| context.update(part));
        context.finish().as_ref().to_vec()
    };
    let session = digest(&[&said.0, &secret]);
    verify(algorithm, key, &session, signature)?;

    transport.send(Out::message(NEWKEYS)).await?;
    expected(&mut transport, NEWKEYS).await?;
    let derive = |letter: u8, length: usize| {
        let mut bytes = digest(&[&secret, &session, &[letter], &session]);
        while bytes.len() < length {
            let more = digest(&[&secret, &session, &bytes]);
            bytes.extend(more);
        }
        bytes.truncate(length);
        bytes
    };
    transport.encrypt(Cipher::new(cipher, derive)?, strict);
    let key = ServerKey { fingerprint: fingerprint(key), algorithm: algorithm.to_owned() };
    Ok(Secured { transport, session, key })
}

#[cfg(test)]
mod tests;
