//! Signatures of agent cards: JWS (RFC 7515) with detached content over the canonical JSON (RFC 8785) of the card without its
//! signatures. One signature that a known key made is enough.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512,
    RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Map, Value};

/// Signatures of a card that are looked at.
const MOST: usize = 10;
/// Keys of a set that are tried.
const MOST_KEYS: usize = 50;

/// One signature of a card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signature {
    protected: String,
    signature: Vec<u8>,
    algorithm: String,
    key_id: Option<String>,
    /// Where its keys are, as the signer says.
    pub(crate) keys_at: Option<String>,
}

/// The signatures of a card that can be read.
pub(crate) fn of(card: &Value) -> Vec<Signature> {
    let list = card.get("signatures").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().take(MOST).filter_map(read).collect()
}

/// Whether a card says that it is signed.
pub(crate) fn is_signed(card: &Value) -> bool {
    card.get("signatures").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

fn read(signature: &Value) -> Option<Signature> {
    let text = |field: &str| signature.get(field)?.as_str();
    let protected = text("protected")?;
    let header: Value = serde_json::from_slice(&BASE64.decode(protected).ok()?).ok()?;
    // What a signer marks as critical must be understood, and nothing is here (RFC 7515, 4.1.11).
    if header.get("crit").is_some() {
        return None;
    }
    let word = |field: &str| header.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(Signature {
        protected: protected.to_owned(),
        signature: BASE64.decode(text("signature")?).ok()?,
        algorithm: word("alg")?,
        key_id: word("kid"),
        keys_at: word("jku"),
    })
}

/// The card without its signatures and without empty values, which signers leave out.
fn signed_part(card: &Value) -> Value {
    let mut card = card.clone();
    if let Some(fields) = card.as_object_mut() {
        fields.shift_remove("signatures");
    }
    without_empty(card).unwrap_or_else(|| Value::Object(Map::new()))
}

fn without_empty(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) => (!text.is_empty()).then_some(Value::String(text)),
        Value::Array(list) => {
            let list: Vec<Value> = list.into_iter().filter_map(without_empty).collect();
            (!list.is_empty()).then_some(Value::Array(list))
        }
        Value::Object(fields) => {
            let fields: Map<String, Value> =
                fields.into_iter().filter_map(|(name, value)| Some((name, without_empty(value)?))).collect();
            (!fields.is_empty()).then_some(Value::Object(fields))
        }
        other => Some(other),
    }
}

/// Whether one of the keys (a JWK, or a set of them) made this signature of the card.
pub(crate) fn verifies(card: &Value, signature: &Signature, keys: &Value) -> bool {
    let Ok(canonical) = serde_json_canonicalizer::to_string(&signed_part(card)) else { return false };
    let signed = format!("{}.{}", signature.protected, BASE64.encode(canonical));
    let one = std::slice::from_ref(keys);
    let keys = keys.get("keys").and_then(Value::as_array).map_or(one, Vec::as_slice);
    let fits = |key: &&Value| match (&signature.key_id, key.get("kid").and_then(Value::as_str)) {
        (Some(wanted), Some(id)) => wanted == id,
        _ => true,
    };
    let mut tried = keys.iter().take(MOST_KEYS).filter(fits);
    tried.any(|key| made_by(key, &signature.algorithm, signed.as_bytes(), &signature.signature).unwrap_or(false))
}

/// `None` where the key is not for this algorithm. Symmetric algorithms and `none` are for no key.
fn made_by(key: &Value, algorithm: &str, signed: &[u8], signature: &[u8]) -> Option<bool> {
    let text = |field: &str| key.get(field).and_then(Value::as_str);
    let bytes = |field: &str| BASE64.decode(text(field)?).ok();
    if text("alg").is_some_and(|own| own != algorithm) || text("use").is_some_and(|own| own != "sig") {
        return None;
    }
    let by = |kind: &'static dyn VerificationAlgorithm, key: Vec<u8>| {
        UnparsedPublicKey::new(kind, key).verify(signed, signature).is_ok()
    };
    match (text("kty")?, text("crv"), algorithm) {
        ("EC", Some("P-256"), "ES256") => Some(by(&ECDSA_P256_SHA256_FIXED, point(&bytes("x")?, &bytes("y")?))),
        ("EC", Some("P-384"), "ES384") => Some(by(&ECDSA_P384_SHA384_FIXED, point(&bytes("x")?, &bytes("y")?))),
        ("OKP", Some("Ed25519"), "EdDSA" | "Ed25519") => Some(by(&ED25519, bytes("x")?)),
        ("RSA", _, _) => {
            let parameters = rsa(algorithm)?;
            let key = RsaPublicKeyComponents { n: bytes("n")?, e: bytes("e")? };
            Some(key.verify(parameters, signed, signature).is_ok())
        }
        _ => None,
    }
}

fn rsa(algorithm: &str) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        "RS256" => &RSA_PKCS1_2048_8192_SHA256,
        "RS384" => &RSA_PKCS1_2048_8192_SHA384,
        "RS512" => &RSA_PKCS1_2048_8192_SHA512,
        "PS256" => &RSA_PSS_2048_8192_SHA256,
        "PS384" => &RSA_PSS_2048_8192_SHA384,
        "PS512" => &RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}

/// An uncompressed point of a curve.
fn point(x: &[u8], y: &[u8]) -> Vec<u8> {
    [&[4][..], x, y].concat()
}
