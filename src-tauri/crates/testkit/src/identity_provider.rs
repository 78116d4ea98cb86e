//! An identity provider (OpenID Connect) on loopback that says what a test has it say: its keys are made in the test, and it checks
//! PKCE as a real one does.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The client that it knows.
pub const CLIENT: &str = "signalbox";

/// What it says, and what it was asked.
pub struct Script {
    key: EcdsaKeyPair,
    key_id: usize,
    codes: BTreeMap<String, (String, String)>,
    /// Claims of the person, in the ID token.
    pub claims: Value,
    /// What the userinfo endpoint adds; the subject comes along unless it is here.
    pub userinfo: Value,
    /// Claims of the ID token that are otherwise than they have to be; `null` leaves one out.
    pub flaw: Value,
    /// The algorithm that the ID token says.
    pub algorithm: &'static str,
    /// Whether it gives a refresh token.
    pub renews: bool,
    /// An error of the token endpoint, with its status.
    pub refuses: Option<(u16, &'static str)>,
    /// Paths that were asked for, in order.
    pub asked: Vec<String>,
}

/// The provider; it listens until the test ends.
pub struct IdentityProvider {
    /// As it calls itself.
    pub issuer: String,
    script: Arc<Mutex<Script>>,
}

fn key() -> EcdsaKeyPair {
    let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
    EcdsaKeyPair::from_pkcs8(algorithm, pkcs8.as_ref(), &random).expect("a key")
}

fn fields(text: &str) -> BTreeMap<String, String> {
    let plain = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((first, more)) = rest.split_first() {
            let code = more.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
            match (first, code) {
                (b'%', Some(byte)) => {
                    bytes.push(byte);
                    rest = more.get(2..).unwrap_or_default();
                    continue;
                }
                (b'+', _) => bytes.push(b' '),
                (byte, _) => bytes.push(*byte),
            }
            rest = more;
        }
        String::from_utf8(bytes).expect("text")
    };
    text.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (plain(name), plain(value))).collect()
}

impl Script {
    fn token(&self, nonce: Option<&str>, issuer: &str) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
        let mut claims = json!({ "iss": issuer, "aud": CLIENT, "iat": now, "exp": now + 300 });
        let claims = claims.as_object_mut().expect("fields");
        claims.extend(nonce.map(|nonce| ("nonce".to_owned(), nonce.into())));
        for part in [&self.claims, &self.flaw] {
            claims.extend(part.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
        }
        claims.retain(|_, value| !value.is_null());
        let part = |value: &str| URL_SAFE_NO_PAD.encode(value);
        let header = json!({ "alg": self.algorithm, "kid": format!("k{}", self.key_id) }).to_string();
        let text = format!("{}.{}", part(&header), part(&Value::Object(std::mem::take(claims)).to_string()));
        let signature = self.key.sign(&SystemRandom::new(), text.as_bytes()).expect("signed");
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn keys(&self) -> Value {
        let point = self.key.public_key().as_ref();
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let (x, y) = (text(&point[1..33]), text(&point[33..]));
        json!({ "keys": [{ "kty": "EC", "crv": "P-256", "kid": format!("k{}", self.key_id), "use": "sig", "x": x, "y": y }] })
    }

    fn tokens(&mut self, form: &BTreeMap<String, String>, issuer: &str) -> (u16, Value) {
        let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        if let Some((status, error)) = self.refuses {
            return (status, json!({ "error": error }));
        }
        let nonce = match field("grant_type") {
            "refresh_token" if field("refresh_token") == "refresh-1" => None,
            "authorization_code" => {
                let Some((challenge, nonce)) = self.codes.remove(field("code")) else {
                    return (400, json!({ "error": "invalid_grant" }));
                };
                if URL_SAFE_NO_PAD.encode(digest(&SHA256, field("code_verifier").as_bytes())) != challenge {
                    return (400, json!({ "error": "invalid_grant" }));
                }
                Some(nonce)
            }
            _ => return (400, json!({ "error": "invalid_grant" })),
        };
        let token = self.token(nonce.as_deref(), issuer);
        let mut given =
            json!({ "access_token": "access-1", "token_type": "Bearer", "expires_in": 300, "id_token": token });
        if self.renews {
            given["refresh_token"] = "refresh-1".into();
        }
        (200, given)
    }

    fn answer(&mut self, path: &str, body: &str, issuer: &str) -> (u16, Value) {
        self.asked.push(path.to_owned());
        let at = |path: &str| format!("{issuer}{path}");
        match path {
            "/.well-known/openid-configuration" => (
                200,
                json!({
                    "issuer": issuer, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
                    "jwks_uri": at("/keys"), "userinfo_endpoint": at("/userinfo"), "end_session_endpoint": at("/end"),
                    "revocation_endpoint": at("/revoke"), "id_token_signing_alg_values_supported": ["ES256"],
                    "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": true,
                }),
            ),
            "/keys" => (200, self.keys()),
            "/token" => self.tokens(&fields(body), issuer),
            "/userinfo" => {
                let mut all = Map::new();
                all.extend(self.claims.get("sub").map(|subject| ("sub".to_owned(), subject.clone())));
                all.extend(self.userinfo.as_object().cloned().unwrap_or_default());
                (200, all.into())
            }
            "/revoke" => (200, json!({})),
            _ => (404, json!({})),
        }
    }
}

impl IdentityProvider {
    /// Listens on a free port, for a person of these claims.
    pub fn start(claims: Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let script = Script {
            key: key(),
            key_id: 1,
            codes: BTreeMap::new(),
            claims,
            userinfo: json!({}),
            flaw: json!({}),
            algorithm: "ES256",
            renews: true,
            refuses: None,
            asked: Vec::new(),
        };
        let script = Arc::new(Mutex::new(script));
        let (own, base) = (Arc::clone(&script), issuer.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Each request is a connection: the answers say so.
                drop(exchange(stream, &own, &base));
            }
        });
        Self { issuer, script }
    }

    /// What it says from here on.
    pub fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It signs with another key.
    pub fn rotate(&self) {
        let mut script = self.script();
        script.key = key();
        script.key_id += 1;
    }

    /// What a person's browser does there; the address to which it comes back.
    pub fn browse(&self, address: &str) -> String {
        let (place, query) = address.split_once('?').expect("a query");
        assert_eq!(place, format!("{}/authorize", self.issuer));
        let asked = fields(query);
        assert_eq!((asked["response_type"].as_str(), asked["client_id"].as_str()), ("code", CLIENT));
        assert_eq!(asked["code_challenge_method"], "S256");
        let mut script = self.script();
        let code = format!("code-{}", script.asked.len() + script.codes.len());
        script.codes.insert(code.clone(), (asked["code_challenge"].clone(), asked["nonce"].clone()));
        let issuer: String = self.issuer.replace(':', "%3A").replace('/', "%2F");
        format!("{}?code={code}&state={}&iss={issuer}", asked["redirect_uri"], asked["state"])
    }
}

fn exchange(mut stream: TcpStream, script: &Mutex<Script>, issuer: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let path = first.split_whitespace().nth(1).unwrap_or_default();
    let (status, answer) = {
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        script.answer(path, &String::from_utf8_lossy(&body), issuer)
    };
    let text = answer.to_string();
    write!(
        stream,
        "HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{text}",
        text.len()
    )
}
