//! A person's sign-in as it may lie on a disk: sealed with a key that is made of the token of the session. Only the page of the
//! person holds this token, so whoever reads the disk cannot renew the sign-in at the provider (ADR 211).

use super::super::id_token::Claims;
use super::Person;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use signalbox_ports::Secret;

/// So that the key has nothing to do with the hash by which the session is found.
const PURPOSE: &str = "signalbox.session.v1\n";

/// The key of a session.
pub struct SessionKey(LessSafeKey);

#[derive(Serialize, Deserialize)]
struct Plain {
    subject: String,
    claims: Claims,
    token: Claims,
    refresh: Option<String>,
}

impl SessionKey {
    /// Of the token of the session, which is random.
    #[must_use]
    pub fn of(token: &str) -> Option<Self> {
        let bytes = digest(&SHA256, format!("{PURPOSE}{token}").as_bytes());
        let key = UnboundKey::new(&AES_256_GCM, bytes.as_ref()).ok()?;
        Some(Self(LessSafeKey::new(key)))
    }

    /// Seals a person; `None`: the system gives no random numbers.
    #[must_use]
    pub fn seal(&self, person: &Person) -> Option<String> {
        let plain = Plain {
            subject: person.subject.clone(),
            claims: person.claims.clone(),
            token: person.token.clone(),
            refresh: person.refresh.as_ref().map(|refresh| refresh.expose().to_owned()),
        };
        let mut bytes = serde_json::to_vec(&plain).ok()?;
        let mut nonce = [0_u8; NONCE_LEN];
        getrandom::fill(&mut nonce).ok()?;
        self.0.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut bytes).ok()?;
        let mut sealed = nonce.to_vec();
        sealed.append(&mut bytes);
        Some(STANDARD_NO_PAD.encode(sealed))
    }

    /// The person again; `None`: it was sealed with another key, or changed.
    #[must_use]
    pub fn open(&self, sealed: &str) -> Option<Person> {
        let mut sealed = STANDARD_NO_PAD.decode(sealed).ok()?;
        let (nonce, bytes) = sealed.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let plain = self.0.open_in_place(nonce, Aad::empty(), bytes).ok()?;
        let Plain { subject, claims, token, refresh } = serde_json::from_slice(plain).ok()?;
        Some(Person { subject, claims, token, refresh: refresh.map(Secret::new) })
    }
}

#[cfg(test)]
mod tests;
