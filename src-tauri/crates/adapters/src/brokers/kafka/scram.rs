//! Signing in without sending the password (SCRAM, RFC 5802): both sides prove that they know it.

use super::super::connect::bad_answer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::{digest, hmac, pbkdf2};
use signalbox_ports::brokers::{BrokerError, BrokerFault};
use std::num::NonZeroU32;
use zeroize::Zeroizing;

/// Rounds that a server may ask for: more would keep this machine busy for seconds.
const MOST_ROUNDS: u32 = 1_000_000;

/// A variant of it.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    hmac: hmac::Algorithm,
    digest: &'static digest::Algorithm,
    pbkdf2: pbkdf2::Algorithm,
}

pub(super) const SHA_256: Variant =
    Variant { hmac: hmac::HMAC_SHA256, digest: &digest::SHA256, pbkdf2: pbkdf2::PBKDF2_HMAC_SHA256 };
pub(super) const SHA_512: Variant =
    Variant { hmac: hmac::HMAC_SHA512, digest: &digest::SHA512, pbkdf2: pbkdf2::PBKDF2_HMAC_SHA512 };

/// What the client says first.
pub(super) struct First {
    bare: String,
    nonce: String,
}

impl First {
    pub(super) fn new(user: &str, nonce: &str) -> Self {
        let user = user.replace('=', "=3D").replace(',', "=2C");
        Self { bare: format!("n={user},r={nonce}"), nonce: nonce.to_owned() }
    }

    pub(super) fn message(&self) -> String {
        format!("n,,{}", self.bare)
    }

    /// What the client says last, and what the server has to answer to it.
    pub(super) fn last(&self, variant: Variant, password: &str, answer: &str) -> Result<(String, String), BrokerError> {
        let part = |name: &str| answer.split(',').find_map(|part| part.strip_prefix(name));
        let wrong = || bad_answer("it does not sign in as SCRAM says");
        if refuses(answer) {
            return Err(unaccepted());
        }
        let (nonce, salt, rounds) = match (part("r="), part("s="), part("i=")) {
            (Some(nonce), Some(salt), Some(rounds)) => (nonce, salt, rounds),
            _ => return Err(wrong()),
        };
        // A nonce that does not begin with ours was made for somebody else.
        if !nonce.starts_with(&self.nonce) || nonce.len() <= self.nonce.len() {
            return Err(wrong());
        }
        let salt = STANDARD.decode(salt).map_err(|_| wrong())?;
        let rounds = rounds.parse().ok().filter(|rounds| *rounds <= MOST_ROUNDS);
        let rounds = rounds.and_then(NonZeroU32::new).ok_or_else(wrong)?;
        let mut salted = Zeroizing::new(vec![0; variant.digest.output_len()]);
        pbkdf2::derive(variant.pbkdf2, rounds, &salt, password.as_bytes(), &mut salted);
        let key = hmac::Key::new(variant.hmac, &salted);
        let client = hmac::sign(&key, b"Client Key");
        let stored = digest::digest(variant.digest, client.as_ref());
        let unproven = format!("c=biws,r={nonce}");
        let said = format!("{},{answer},{unproven}", self.bare);
        let signature = hmac::sign(&hmac::Key::new(variant.hmac, stored.as_ref()), said.as_bytes());
        let proof: Vec<u8> = client.as_ref().iter().zip(signature.as_ref()).map(|(one, other)| one ^ other).collect();
        let server =
            hmac::sign(&hmac::Key::new(variant.hmac, hmac::sign(&key, b"Server Key").as_ref()), said.as_bytes());
        Ok((format!("{unproven},p={}", STANDARD.encode(proof)), format!("v={}", STANDARD.encode(server.as_ref()))))
    }
}

/// What a server says instead of its part (`server-error` of RFC 5802). Kafka has a code for it; other brokers have none.
fn refuses(answer: &str) -> bool {
    answer.split(',').any(|part| part.starts_with("e="))
}

/// A server that does not accept user and password.
pub(super) fn unaccepted() -> BrokerError {
    BrokerError::new(BrokerFault::Auth, "The broker does not accept the user and the password")
}

/// Whether the server has proved that it knows the password.
pub(super) fn proved(answer: &str, wanted: &str) -> Result<(), BrokerError> {
    if answer.split(',').any(|part| part == wanted) {
        return Ok(());
    }
    Err(if refuses(answer) { unaccepted() } else { impostor() })
}

/// A server that does not know the password.
fn impostor() -> BrokerError {
    let words = "The broker does not prove that it knows the password. Somebody else may answer in its place";
    BrokerError::new(BrokerFault::Auth, words)
}

#[cfg(test)]
mod tests;
