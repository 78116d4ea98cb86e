//! ID tokens of OpenID Connect (Core 1.0, 3.1.3.7): whose signature they have, for whom they are, and until when. Only
//! signatures with a public key count; `none` and shared keys are no proof of who signed.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Map, Value};

/// Longest token: claims of large organisations name many groups.
const LONGEST: usize = 64 * 1024;
/// Keys of one provider that are looked at.
const MOST_KEYS: usize = 100;
/// How far two clocks may differ, seconds.
const LEEWAY_S: i64 = 60;
/// Longest subject (Core 1.0, 2).
const LONGEST_SUBJECT: usize = 255;

/// Claims of a token, or of the provider's answer about a person.
pub(super) type Claims = Map<String, Value>;

/// Why a token does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wrong {
    /// None of the known keys signed it: the provider may have newer ones.
    UnknownKey,
    /// Plain words without a full stop, to be put behind "its ID token".
    Because(String),
}

impl Wrong {
    fn because(why: impl Into<String>) -> Self {
        Self::Because(why.into())
    }
}

/// A public key of the provider (RFC 7517).
struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    material: Material,
}

enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    Bytes(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    fn of(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            "EdDSA" | "Ed25519" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

impl Key {
    /// `None`: it is for something else, or of a kind that is not used.
    fn of(jwk: &Value) -> Option<Self> {
        let text = |name: &str| jwk[name].as_str();
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        if text("use").is_some_and(|what| what != "sig") {
            return None;
        }
        let (algorithm, material) = match (text("kty")?, text("crv")) {
            ("RSA", _) => (Algorithm::Rs256, Material::Rsa { n: bytes("n")?, e: bytes("e")? }),
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                (Algorithm::Es256, Material::Bytes([&[4], x.as_slice(), &y].concat()))
            }
            ("OKP", Some("Ed25519")) => (Algorithm::EdDsa, Material::Bytes(bytes("x")?)),
            _ => return None,
        };
        if text("alg").is_some_and(|name| Algorithm::of(name) != Some(algorithm)) {
            return None;
        }
        Some(Self { id: text("kid").map(str::to_owned), algorithm, material })
    }

    fn has_signed(&self, text: &[u8], signature: &[u8]) -> bool {
        match (&self.material, self.algorithm) {
            (Material::Rsa { n, e }, Algorithm::Rs256) => {
                RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, text, signature).is_ok()
            }
            (Material::Bytes(key), Algorithm::Es256) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(text, signature).is_ok()
            }
            (Material::Bytes(key), Algorithm::EdDsa) => {
                UnparsedPublicKey::new(&ED25519, key).verify(text, signature).is_ok()
            }
            _ => false,
        }
    }
}

/// The public keys of a provider.
#[derive(Default)]
pub(super) struct Keys(Vec<Key>);

impl Keys {
    /// Of its document; keys that are not used here are passed over.
    pub(super) fn of(document: &Value) -> Self {
        let all = document["keys"].as_array().into_iter().flatten();
        Self(all.filter_map(Key::of).take(MOST_KEYS).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a token has to say.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client: &'a str,
    /// What this program sent along; none when a sign-in is renewed.
    pub(super) nonce: Option<&'a str>,
    pub(super) now_s: i64,
}

/// The claims of a token that counts.
pub(super) fn verified(token: &str, keys: &Keys, expected: &Expected<'_>) -> Result<Claims, Wrong> {
    if token.len() > LONGEST {
        return Err(Wrong::because(format!("has more than {} KiB", LONGEST / 1024)));
    }
    let parts: Vec<&str> = token.split('.').collect();
    let [header, claims, signature] = parts.as_slice() else {
        return Err(Wrong::because("is not a signed token (JWS)"));
    };
    let signed = token.get(..header.len() + 1 + claims.len()).unwrap_or_default();
    let damaged = || Wrong::because("is damaged");
    let header = object(header).ok_or_else(damaged)?;
    let name = header.get("alg").and_then(Value::as_str).unwrap_or("none");
    let algorithm = Algorithm::of(name).ok_or_else(|| {
        let shown: String = name.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
        Wrong::because(format!("is signed with {shown}; only RS256, ES256 and EdDSA are accepted"))
    })?;
    if header.contains_key("crit") {
        return Err(Wrong::because("requires an extension that is not supported"));
    }
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| damaged())?;
    let id = header.get("kid").and_then(Value::as_str);
    let fits = |key: &&Key| key.algorithm == algorithm && (id.is_none() || key.id.as_deref() == id);
    if !keys.0.iter().filter(fits).any(|key| key.has_signed(signed.as_bytes(), &signature)) {
        return Err(Wrong::UnknownKey);
    }
    let claims = object(claims).ok_or_else(damaged)?;
    check(&claims, expected)?;
    Ok(claims)
}

fn object(part: &str) -> Option<Claims> {
    let bytes = URL_SAFE_NO_PAD.decode(part).ok()?;
    match serde_json::from_slice(&bytes).ok()? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

fn check(claims: &Claims, expected: &Expected<'_>) -> Result<(), Wrong> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    if text("iss") != Some(expected.issuer) {
        return Err(Wrong::because("is from another issuer"));
    }
    let audience: Vec<&str> = match claims.get("aud") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !audience.contains(&expected.client) {
        return Err(Wrong::because("is for another client"));
    }
    let party = claims.get("azp");
    if party.is_some_and(|party| party.as_str() != Some(expected.client)) || (audience.len() > 1 && party.is_none()) {
        return Err(Wrong::because("was given to another client"));
    }
    let seconds = |name: &str| claims.get(name).and_then(Value::as_f64).map(|seconds| seconds as i64);
    match seconds("exp") {
        None => return Err(Wrong::because("does not say when it ends")),
        Some(ends) if ends.saturating_add(LEEWAY_S) <= expected.now_s => {
            return Err(Wrong::because("has expired; compare the clocks of both machines"));
        }
        Some(_) => {}
    }
    let latest = expected.now_s.saturating_add(LEEWAY_S);
    if seconds("nbf").is_some_and(|from| from > latest) || seconds("iat").is_none_or(|made| made > latest) {
        return Err(Wrong::because("is from the future; compare the clocks of both machines"));
    }
    if expected.nonce.is_some_and(|nonce| !text("nonce").is_some_and(|told| same(told, nonce))) {
        return Err(Wrong::because("belongs to another sign-in (nonce)"));
    }
    let subject = text("sub").unwrap_or_default();
    if subject.is_empty() || subject.len() > LONGEST_SUBJECT || subject.chars().any(char::is_control) {
        return Err(Wrong::because("does not say whose it is"));
    }
    Ok(())
}

/// How far two texts are alike is not told by time.
fn same(one: &str, other: &str) -> bool {
    let differs = one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests;
