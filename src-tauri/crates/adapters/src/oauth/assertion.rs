//! A client's signed word for itself at the token endpoint (RFC 7523, `private_key_jwt`): ES256 for keys on P-256, RS256 for
//! RSA keys. The key is one of the secrets, which stand on one line: PKCS #8, with or without the lines around it in a PEM.

use super::{Fault, Trouble};
use crate::clock::RealClock;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::json;
use signalbox_ports::{Clock, Secret};
use zeroize::Zeroizing;

/// Seconds that it holds.
const HOLDS: i64 = 120;

fn unusable() -> Fault {
    let words = "The private key of the client cannot be used: it must be PKCS #8 on one line, for P-256 or RSA";
    Fault::new(Trouble::Secret, words)
}

fn body(key: &Secret) -> Zeroizing<String> {
    let text = key.expose();
    let body = match text.split_once("-----BEGIN PRIVATE KEY-----") {
        Some((_, rest)) => rest.split("-----END").next().unwrap_or_default(),
        None => text,
    };
    // Whoever takes the line breaks out writes them as `\n`, too.
    let body = Zeroizing::new(body.replace("\\n", ""));
    Zeroizing::new(body.chars().filter(|c| !c.is_whitespace()).collect())
}

fn der(key: &Secret) -> Result<Zeroizing<Vec<u8>>, Fault> {
    STANDARD.decode(body(key).as_bytes()).map(Zeroizing::new).map_err(|_| unusable())
}

enum Key {
    P256(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

/// A private key without the lines around it and the breaks in it, as secrets are kept.
pub(super) fn on_one_line(key: &Secret) -> Secret {
    Secret::new(body(key).as_str())
}

/// Whether assertions of a service account can be signed with the key: RSA.
pub(super) fn usable(key: &Secret) -> Result<(), Fault> {
    RsaKeyPair::from_pkcs8(&der(key)?).map(|_| ()).map_err(|_| unusable())
}

/// The signed word of a client, for one authorization server; `unique` says that it is no copy.
pub(super) fn made(key: &Secret, client: &str, issuer: &str, unique: &str) -> Result<Zeroizing<String>, Fault> {
    let now = RealClock.now_ms() / 1000;
    signed(
        key,
        &json!({
            "iss": client, "sub": client, "aud": issuer, "jti": unique, "iat": now, "exp": now + HOLDS,
        }),
    )
}

/// The signed word of a service account of Google, in exchange for which its token endpoint gives a token.
pub(super) fn of_service_account(
    key: &Secret,
    account: &str,
    token_url: &str,
    scope: &str,
) -> Result<Zeroizing<String>, Fault> {
    let now = RealClock.now_ms() / 1000;
    signed(key, &json!({ "iss": account, "scope": scope, "aud": token_url, "iat": now, "exp": now + HOLDS }))
}

fn signed(key: &Secret, claims: &serde_json::Value) -> Result<Zeroizing<String>, Fault> {
    let (der, random) = (der(key)?, SystemRandom::new());
    let key = match EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &random) {
        Ok(key) => Key::P256(key),
        Err(_) => Key::Rsa(RsaKeyPair::from_pkcs8(&der).map_err(|_| unusable())?),
    };
    let algorithm = match &key {
        Key::P256(_) => "ES256",
        Key::Rsa(_) => "RS256",
    };
    let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&json!({ "alg": algorithm, "typ": "JWT" })), part(claims));
    let signature = match key {
        Key::P256(key) => key.sign(&random, text.as_bytes()).map_err(|_| unusable())?.as_ref().to_vec(),
        Key::Rsa(key) => {
            let mut signature = vec![0; key.public().modulus_len()];
            key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature).map_err(|_| unusable())?;
            signature
        }
    };
    Ok(Zeroizing::new(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))))
}

#[cfg(test)]
mod tests;
