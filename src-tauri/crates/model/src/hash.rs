//! Content hashes: lowercase hex of SHA-256.

use sha2::{Digest, Sha256};

/// SHA-256 of bytes as lowercase hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// [`digest_of_parts`] as lowercase hex.
pub fn sha256_parts(parts: &[&[u8]]) -> String {
    hex(&digest_of_parts(parts))
}

/// SHA-256 over several parts, each preceded by its length, so that no two lists of parts collide.
pub fn digest_of_parts(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// HMAC with SHA-256 (RFC 2104).
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let hashed: [u8; 32];
    let key = if key.len() > BLOCK {
        hashed = Sha256::digest(key).into();
        &hashed
    } else {
        key
    };
    let mut block = [0; BLOCK];
    block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    let padded = |pad: u8| block.map(|byte| byte ^ pad);
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

/// Lowercase hex.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests;
