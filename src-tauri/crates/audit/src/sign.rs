//! Ed25519 signatures (K-24): who sealed, checkable without any secret.

use crate::digest::{Digest, hex, push_hex, unhex};
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use zeroize::Zeroize;

/// DER of an Ed25519 `SubjectPublicKeyInfo` (RFC 8410) up to the 32 bytes of the key.
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

const PEM_BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const PEM_END: &str = "-----END PUBLIC KEY-----";

/// Short name of a key: the first 16 hexadecimal digits of its fingerprint. It only says which key to try.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId([u8; 8]);

/// A public key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey {
    bytes: [u8; 32],
    key: VerifyingKey,
}

/// A signature with the short name of its key. Text: `ed25519:<keyId>:<128 hexadecimal digits>`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    key_id: KeyId,
    bytes: [u8; 64],
}

/// A key text or a signature text that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// Not a public key.
    #[error("no Ed25519 public key: {0}")]
    Public(&'static str),
    /// Not a signature.
    #[error("no signature: wanted is ed25519:<16 hexadecimal digits>:<128 hexadecimal digits>, in lower case")]
    Signature,
    /// Not a key id.
    #[error("no key id: wanted are 16 hexadecimal digits in lower case")]
    Id,
}

/// Signs. The secret is wiped from memory when this is dropped, and never shown.
pub struct Signer {
    key: SigningKey,
    public: PublicKey,
}

impl Signer {
    /// From the 32 secret bytes of RFC 8032. The given bytes are wiped.
    #[must_use]
    pub fn from_secret(mut secret: [u8; 32]) -> Self {
        let key = SigningKey::from_bytes(&secret);
        secret.zeroize();
        let verifying = key.verifying_key();
        Self { key, public: PublicKey { bytes: verifying.to_bytes(), key: verifying } }
    }

    /// The public key.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.public
    }

    /// Signs the hash of an entry: the message is its 32 bytes.
    #[must_use]
    pub fn sign_hash(&self, hash: &Digest) -> Signature {
        self.sign(&hash.0)
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Signature {
        Signature { key_id: self.public.key_id(), bytes: self.key.sign(message).to_bytes() }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.public.key_id())
    }
}

impl PublicKey {
    /// From the 32 bytes of RFC 8032.
    ///
    /// # Errors
    /// [`BadKey`] when the bytes are no point of the curve or a weak one.
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, BadKey> {
        let key =
            VerifyingKey::from_bytes(&bytes).map_err(|_| BadKey::Public("the bytes are no point of the curve"))?;
        if key.is_weak() {
            return Err(BadKey::Public("a key of small order, under which anything can be signed"));
        }
        Ok(Self { bytes, key })
    }

    /// The 32 bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        self.bytes
    }

    /// SHA-256 of the 32 bytes: compare this one with what the other side reads out.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Digest::of(&[&self.bytes])
    }

    /// The short name.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        let mut id = [0; 8];
        id.copy_from_slice(&self.fingerprint().0[..8]);
        KeyId(id)
    }

    /// PEM as OpenSSL reads it.
    #[must_use]
    pub fn to_pem(&self) -> String {
        let der: Vec<u8> = SPKI.iter().chain(&self.bytes).copied().collect();
        format!("{PEM_BEGIN}\n{}\n{PEM_END}\n", base64(&der))
    }

    /// All keys of a text: PEM blocks, or lines of 64 hexadecimal digits. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// [`BadKey`] for the first thing that is neither.
    pub fn all_from_text(text: &str) -> Result<Vec<Self>, BadKey> {
        let mut keys = Vec::new();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        while let Some(line) = lines.next() {
            let bytes = if line == PEM_BEGIN {
                let body = lines.next().ok_or(BadKey::Public("the PEM block ends early"))?;
                if lines.next() != Some(PEM_END) {
                    return Err(BadKey::Public("the PEM block has not the one line of an Ed25519 key"));
                }
                from_der(body)?
            } else {
                unhex(line).ok_or(BadKey::Public("wanted is PEM (BEGIN PUBLIC KEY) or 64 hexadecimal digits"))?
            };
            keys.push(Self::from_bytes(bytes)?);
        }
        Ok(keys)
    }

    pub(crate) fn verify(&self, message: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.bytes);
        self.key.verify_strict(message, &signature).is_ok()
    }

    /// Whether this key signed the hash of an entry.
    #[must_use]
    pub fn verify_hash(&self, hash: &Digest, signature: &Signature) -> bool {
        self.verify(&hash.0, signature)
    }
}

impl FromStr for PublicKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        match Self::all_from_text(text)?.as_slice() {
            [key] => Ok(*key),
            [] => Err(BadKey::Public("the text holds none")),
            _ => Err(BadKey::Public("the text holds several")),
        }
    }
}

impl Signature {
    /// Which key to try.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }
}

impl FromStr for Signature {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let (id, bytes) =
            text.strip_prefix("ed25519:").and_then(|rest| rest.split_once(':')).ok_or(BadKey::Signature)?;
        Ok(Self { key_id: KeyId(unhex(id).ok_or(BadKey::Signature)?), bytes: unhex(bytes).ok_or(BadKey::Signature)? })
    }
}

impl FromStr for KeyId {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        unhex(text).map(Self).ok_or(BadKey::Id)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.fingerprint())
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(153);
        text.push_str("ed25519:");
        push_hex(&mut text, &self.key_id.0);
        text.push(':');
        push_hex(&mut text, &self.bytes);
        f.write_str(&text)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! as_text {
    ($($kind:ty),*) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

as_text!(KeyId, Signature);

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 of the 44 bytes of a key; no general encoder is needed here.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |n, byte| n << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            text.push(if at > chunk.len() { '=' } else { char::from(BASE64[(group >> (18 - 6 * at)) as usize & 63]) });
        }
    }
    text
}

/// The key of a PEM body. 44 bytes are 59 digits and one `=`; encoding again refuses every other spelling.
fn from_der(body: &str) -> Result<[u8; 32], BadKey> {
    const WRONG: BadKey = BadKey::Public("the PEM block holds another kind of key");
    let mut bits = 0_u32;
    let mut count = 0;
    let mut der = Vec::with_capacity(44);
    for digit in body.trim_end_matches('=').bytes() {
        let value = BASE64.iter().position(|known| *known == digit).ok_or(WRONG)?;
        bits = bits << 6 | u32::try_from(value).map_err(|_| WRONG)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            der.push(u8::try_from(bits >> count & 255).map_err(|_| WRONG)?);
        }
    }
    let key = der.strip_prefix(&SPKI).and_then(|key| <[u8; 32]>::try_from(key).ok()).ok_or(WRONG)?;
    if base64(&der) == body { Ok(key) } else { Err(WRONG) }
}
