use super::{Expected, Keys, URL_SAFE_NO_PAD, Wrong, verified};
use base64::Engine;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

const NOW: i64 = 1_800_000_000;

enum Signer {
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Signer {
    fn p256() -> Self {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let key = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        Self::P256(EcdsaKeyPair::from_pkcs8(algorithm, key.as_ref(), &random).expect("a key"))
    }

    fn ed25519() -> Self {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Self::Ed25519(Ed25519KeyPair::from_pkcs8(key.as_ref()).expect("a key"))
    }

    fn algorithm(&self) -> &'static str {
        if matches!(self, Self::P256(_)) { "ES256" } else { "EdDSA" }
    }

    fn jwk(&self, id: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::P256(key) => {
                let point = key.public_key().as_ref();
                let (x, y) = (text(&point[1..33]), text(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "kid": id, "use": "sig", "alg": "ES256", "x": x, "y": y })
            }
            Self::Ed25519(key) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": text(key.public_key().as_ref()) })
            }
        }
    }

    fn token(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(header), part(claims));
        let signature = match self {
            Self::P256(key) => key.sign(&SystemRandom::new(), text.as_bytes()).expect("signed").as_ref().to_vec(),
            Self::Ed25519(key) => key.sign(text.as_bytes()).as_ref().to_vec(),
        };
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

fn claims(change: Value) -> Value {
    let mut claims = json!({
        "iss": "https://id.example", "aud": "signalbox", "sub": "248", "nonce": "n-1", "iat": NOW - 5, "exp": NOW + 300,
    });
    for (name, value) in change.as_object().expect("fields") {
        match value {
            Value::Null => drop(claims.as_object_mut().expect("fields").remove(name)),
            value => claims[name] = value.clone(),
        }
    }
    claims
}

fn expected() -> Expected<'static> {
    Expected { issuer: "https://id.example", client: "signalbox", nonce: Some("n-1"), now_s: NOW }
}

fn why(result: Result<super::Claims, Wrong>) -> String {
    match result {
        Err(Wrong::Because(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_token_counts_by_the_key_that_it_names() {
    let (signer, newer) = (Signer::p256(), Signer::ed25519());
    let old = Keys::of(&json!({ "keys": [signer.jwk("k1"), { "kty": "oct", "k": "AAAA", "kid": "k2" }] }));
    let token = signer.token(&json!({ "alg": "ES256", "kid": "k1" }), &claims(json!({})));
    assert_eq!(verified(&token, &old, &expected()).expect("it counts")["sub"], "248");
    let unnamed = signer.token(&json!({ "alg": "ES256" }), &claims(json!({})));
    assert!(verified(&unnamed, &old, &expected()).is_ok(), "a provider with one key may leave the id out");
    // After a rotation: the new key is not known, then it is, and the old one is not any more.
    let token = newer.token(&json!({ "alg": newer.algorithm(), "kid": "k9" }), &claims(json!({})));
    assert_eq!(verified(&token, &old, &expected()), Err(Wrong::UnknownKey));
    let rotated = Keys::of(&json!({ "keys": [newer.jwk("k9")] }));
    assert!(verified(&token, &rotated, &expected()).is_ok());
    assert_eq!(verified(&unnamed, &rotated, &expected()), Err(Wrong::UnknownKey));
    let altered = token.replacen('.', ".e30", 1);
    assert_eq!(verified(&altered, &rotated, &expected()), Err(Wrong::UnknownKey));
}

#[test]
fn only_public_key_signatures_count() {
    let signer = Signer::p256();
    let keys = Keys::of(&json!({ "keys": [signer.jwk("k1")] }));
    for algorithm in ["none", "None", "HS256", "RS384", "PS256", "ES512", "ES256K", ""] {
        let token = signer.token(&json!({ "alg": algorithm, "kid": "k1" }), &claims(json!({})));
        let why = why(verified(&token, &keys, &expected()));
        assert!(why.contains("only RS256, ES256 and EdDSA"), "{why}");
        let unsigned = format!("{}.", token.rsplit_once('.').expect("parts").0);
        assert!(verified(&unsigned, &keys, &expected()).is_err());
    }
    // A key of one kind signs for no other one.
    for header in [json!({ "alg": "EdDSA", "kid": "k1" }), json!({ "alg": "RS256", "kid": "k1" })] {
        let token = signer.token(&header, &claims(json!({})));
        assert_eq!(verified(&token, &keys, &expected()), Err(Wrong::UnknownKey));
    }
    let critical = signer.token(&json!({ "alg": "ES256", "kid": "k1", "crit": ["x"] }), &claims(json!({})));
    assert!(why(verified(&critical, &keys, &expected())).contains("extension"));
    let mut other = signer.jwk("k1");
    for (name, value) in [("use", "enc"), ("alg", "ECDH-ES"), ("crv", "P-521"), ("kty", "oct"), ("x", "AA")] {
        other[name] = value.into();
        assert!(Keys::of(&json!({ "keys": [other] })).is_empty(), "{name}");
        other = signer.jwk("k1");
    }
    for damaged in ["", "a.b", "a.b.c", "a.b.c.d.e", "e30.e30."] {
        assert!(verified(damaged, &keys, &expected()).is_err(), "{damaged}");
    }
}

#[test]
fn a_token_is_for_this_client_and_this_sign_in_and_has_not_ended() {
    let signer = Signer::p256();
    let keys = Keys::of(&json!({ "keys": [signer.jwk("k1")] }));
    let check =
        |change: Value| verified(&signer.token(&json!({ "alg": "ES256" }), &claims(change)), &keys, &expected());
    for good in [
        json!({ "aud": ["signalbox"] }),
        json!({ "aud": ["signalbox", "other"], "azp": "signalbox" }),
        json!({ "exp": NOW - 59 }),
        json!({ "iat": NOW + 59, "nbf": NOW + 59 }),
        json!({ "exp": NOW as f64 + 0.5 }),
    ] {
        assert!(check(good.clone()).is_ok(), "{good}");
    }
    for (bad, told) in [
        (json!({ "iss": "https://id.example/" }), "another issuer"),
        (json!({ "iss": null }), "another issuer"),
        (json!({ "aud": "other" }), "another client"),
        (json!({ "aud": null }), "another client"),
        (json!({ "aud": ["signalbox", "other"] }), "another client"),
        (json!({ "azp": "other" }), "another client"),
        (json!({ "exp": NOW - 60 }), "expired"),
        (json!({ "exp": null }), "when it ends"),
        (json!({ "exp": "never" }), "when it ends"),
        (json!({ "iat": NOW + 61 }), "the future"),
        (json!({ "iat": null }), "the future"),
        (json!({ "nbf": NOW + 61 }), "the future"),
        (json!({ "nonce": "n-2" }), "nonce"),
        (json!({ "nonce": null }), "nonce"),
        (json!({ "sub": "" }), "whose"),
        (json!({ "sub": 248 }), "whose"),
        (json!({ "sub": "x".repeat(256) }), "whose"),
    ] {
        let why = why(check(bad.clone()));
        assert!(why.contains(told), "{bad}: {why}");
    }
    // A renewed token has no nonce of this sign-in.
    let renewed = signer.token(&json!({ "alg": "ES256" }), &claims(json!({ "nonce": null })));
    assert!(verified(&renewed, &keys, &Expected { nonce: None, ..expected() }).is_ok());
}
