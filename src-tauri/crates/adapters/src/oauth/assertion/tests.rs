use super::{URL_SAFE_NO_PAD, made};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use serde_json::Value;
use signalbox_ports::Secret;

fn part(text: &str) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).expect("base64")).expect("JSON")
}

#[test]
fn a_client_signs_its_word_for_itself() {
    let random = SystemRandom::new();
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
    let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).expect("a key");
    let body = STANDARD.encode(pkcs8.as_ref());
    let (half, rest) = body.split_at(40);
    for key in [
        body.clone(),
        format!("-----BEGIN PRIVATE KEY----- {half} {rest} -----END PRIVATE KEY-----"),
        format!("-----BEGIN PRIVATE KEY-----\\n{half}\\n{rest}\\n-----END PRIVATE KEY-----\\n"),
    ] {
        let word = made(&Secret::new(key), "me", "https://as.example", "one").expect("a word");
        let parts: Vec<&str> = word.split('.').collect();
        assert_eq!(part(parts[0])["alg"], "ES256");
        let claims = part(parts[1]);
        assert_eq!(
            (&claims["iss"], &claims["sub"], &claims["aud"]),
            (&"me".into(), &"me".into(), &"https://as.example".into())
        );
        assert_eq!(claims["exp"].as_i64().expect("a time") - claims["iat"].as_i64().expect("a time"), super::HOLDS);
        let signature = URL_SAFE_NO_PAD.decode(parts[2]).expect("base64");
        let text = format!("{}.{}", parts[0], parts[1]);
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref());
        public.verify(text.as_bytes(), &signature).expect("signed by the key");
    }
}

#[test]
fn what_is_no_key_is_said_without_showing_it() {
    let Err(fault) = made(&Secret::new("canary-no-key"), "me", "x", "one") else { panic!("that is no key") };
    assert!(!fault.message.contains("canary"), "{}", fault.message);
}
