use super::card;
use super::conversation::{Conversation, TaskState};
use super::event_stream::{EventStream, Excess};
use super::signature;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use proptest::prelude::*;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use url::Url;

fn url(text: &str) -> Url {
    Url::parse(text).expect("an address")
}

fn a_card(endpoint: &str) -> Value {
    json!({
        "name": "Greeter", "description": "", "capabilities": { "streaming": true },
        "supportedInterfaces": [
            { "url": "https://agent.example.org/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0" },
            { "url": endpoint, "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "one" },
        ],
    })
}

#[test]
fn an_address_is_of_a_host_or_of_a_card() {
    let of = |text: &str| card::address(text).expect("an address").to_string();
    assert_eq!(of("https://agent.example.org"), "https://agent.example.org/.well-known/agent-card.json");
    assert_eq!(of("https://agent.example.org/team/"), "https://agent.example.org/team/.well-known/agent-card.json");
    assert_eq!(of("https://agent.example.org/cards/a.json?v=1"), "https://agent.example.org/cards/a.json?v=1");
    for bad in ["agent.example.org", "ftp://agent.example.org", ""] {
        assert_eq!(card::address(bad).expect_err(bad).code, "INPUT_INVALID");
    }
}

#[test]
fn a_card_leads_to_its_own_host_only() {
    let from = url("https://agent.example.org/.well-known/agent-card.json");
    let read = |card: &Value, endpoint: Option<&str>| card::read(card, &from, endpoint);
    let good = read(&a_card("https://agent.example.org/rpc"), None).expect("a card");
    assert_eq!(
        (good.endpoint.as_str(), good.tenant.as_deref(), good.streams),
        ("https://agent.example.org/rpc", Some("one"), true)
    );
    for inside in
        ["http://127.0.0.1:9160/workflow", "https://169.254.169.254/", "http://agent.example.org/rpc", "nothing"]
    {
        assert_eq!(read(&a_card(inside), None).expect_err(inside).code, "AGENT_CARD");
    }
    let named = read(&a_card("https://other.example.org/rpc"), Some("https://other.example.org/rpc")).expect("named");
    assert_eq!(named.endpoint.as_str(), "https://other.example.org/rpc");
}

#[test]
fn a_hostile_card_is_refused_in_words() {
    let from = url("https://agent.example.org/.well-known/agent-card.json");
    let many: Vec<Value> = (0..100_000).map(|_| json!({ "protocolBinding": "GRPC" })).collect();
    let cards = [
        json!(null),
        json!([]),
        json!({}),
        json!({ "name": 7 }),
        json!({ "name": "a" }),
        json!({ "name": "a", "supportedInterfaces": {} }),
        json!({ "name": "a", "supportedInterfaces": many }),
        json!({ "name": "old", "url": "https://agent.example.org", "protocolVersion": "0.3.0" }),
    ];
    for hostile in cards {
        let failure = card::read(&hostile, &from, None).expect_err("refused");
        assert_eq!(failure.code, "AGENT_CARD");
        assert!(failure.message.len() < 300, "{}", failure.message);
    }
}

fn pushed(stream: &mut EventStream, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Excess> {
    let mut found = Vec::new();
    stream.push(bytes, &mut found).map(|()| found)
}

/// A card signed as the SDKs do it: canonical JSON without signatures and empty values.
fn signed(card: &Value, header: &Value) -> (Value, Value) {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key");
    let protected = BASE64.encode(header.to_string());
    let mut plain = card.clone();
    plain.as_object_mut().expect("an object").shift_remove("description");
    let canonical = serde_json_canonicalizer::to_string(&plain).expect("canonical");
    let made = pair.sign(format!("{protected}.{}", BASE64.encode(canonical)).as_bytes());
    let mut card = card.clone();
    card["signatures"] = json!([{ "protected": protected, "signature": BASE64.encode(made.as_ref()) }]);
    let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": BASE64.encode(pair.public_key().as_ref()) });
    (card, key)
}

#[test]
fn a_signature_holds_for_the_card_as_it_was_signed() {
    let (card, key) = signed(&a_card("https://agent.example.org/rpc"), &json!({ "alg": "EdDSA", "kid": "k1" }));
    let set = json!({ "keys": [{ "kty": "RSA", "kid": "k1" }, key] });
    let verifies =
        |card: &Value, keys: &Value| signature::of(card).iter().any(|one| signature::verifies(card, one, keys));
    assert!(verifies(&card, &set) && verifies(&card, &key));
    let mut changed = card.clone();
    changed["supportedInterfaces"][1]["url"] = "https://evil.example.org".into();
    assert!(!verifies(&changed, &set), "the address was changed");
    let mut other = key.clone();
    other["kid"] = "k2".into();
    assert!(!verifies(&card, &other), "another key's name");
    for header in
        [json!({ "alg": "none" }), json!({ "alg": "HS256", "kid": "k1" }), json!({ "alg": "EdDSA", "crit": ["b64"] })]
    {
        let (card, key) = signed(&a_card("https://agent.example.org/rpc"), &header);
        assert!(!verifies(&card, &key), "{header}");
    }
}

#[test]
fn a_stream_is_put_together_and_bounded() {
    let mut stream = EventStream::default();
    assert_eq!(pushed(&mut stream, b": hello\r\ndata: {\"a\":").expect("in bounds"), Vec::<Vec<u8>>::new());
    assert_eq!(
        pushed(&mut stream, b"1}\r\n\r\ndata: x\ndata: y\n\n\n").expect("in bounds"),
        [b"{\"a\":1}".to_vec(), b"x\ny".to_vec()]
    );
    let mut endless = EventStream::default();
    assert_eq!(pushed(&mut endless, &vec![b'a'; 3 << 20]), Err(Excess::Event));
    let mut many = EventStream::default();
    assert_eq!(pushed(&mut many, &b"data:\n\n".repeat(10_001)), Err(Excess::Events));
    let mut long = EventStream::default();
    let comment = [&vec![b':'; 1 << 20][..], b"\n"].concat();
    let found = (0..17).map(|_| pushed(&mut long, &comment)).find_map(Result::err);
    assert_eq!(found, Some(Excess::Bytes));
}

#[test]
fn artifacts_grow_by_pieces_and_a_task_replaces_them() {
    let mut known = Conversation::default();
    let task = |state: &str| json!({ "task": { "id": "t", "contextId": "c", "status": { "state": state } } });
    assert_eq!(known.take(&task("TASK_STATE_WORKING")).expect("taken").as_deref(), Some("working"));
    let piece = |text: &str, append: bool| json!({ "artifactUpdate": { "taskId": "t", "append": append, "artifact": { "artifactId": "a", "parts": [{ "text": text }] } } });
    known.take(&piece("one ", false)).expect("taken");
    known.take(&piece("two", true)).expect("taken");
    let done = json!({ "statusUpdate": { "taskId": "t", "status": { "state": "TASK_STATE_COMPLETED" } } });
    known.take(&done).expect("taken");
    assert!(known.is_settled());
    assert_eq!(known.result("Greeter")["text"], "one two");
    let other = json!({ "statusUpdate": { "taskId": "u", "status": { "state": "TASK_STATE_COMPLETED" } } });
    assert!(known.take(&other).expect_err("another task").contains("another task"));
    let unknown = json!({ "statusUpdate": { "taskId": "t", "status": { "state": "DONE" } } });
    assert!(known.take(&unknown).expect_err("a state").contains("unknown state 'DONE'"));
    assert_eq!(known.state, Some(TaskState::Completed));
}

#[test]
fn a_task_that_is_told_as_it_stood_before_the_answer_asks_nothing() {
    let status = |state: &str, id: &str| {
        let message = json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": "Which colour?" }] });
        json!({ "task": { "id": "t", "status": { "state": state, "message": message } } })
    };
    let mut known = Conversation::about("t", None, Some("q1"));
    known.take(&status("TASK_STATE_INPUT_REQUIRED", "q1")).expect("taken");
    assert!(!known.is_settled(), "that one is answered");
    known.take(&status("TASK_STATE_INPUT_REQUIRED", "q2")).expect("taken");
    assert!(known.is_settled(), "this one is new");
}

proptest! {
    #[test]
    fn pieces_of_a_stream_say_the_same_wherever_it_is_cut(texts in prop::collection::vec("[a-z ]{0,20}", 0..8), cuts in prop::collection::vec(1_usize..9, 1..40)) {
        let whole: String = texts.iter().map(|text| format!("event: x\ndata: {text}\n\n")).collect();
        let at_once = pushed(&mut EventStream::default(), whole.as_bytes()).expect("in bounds");
        let (mut stream, mut found, mut rest) = (EventStream::default(), Vec::new(), whole.as_bytes());
        for cut in cuts.iter().cycle() {
            if rest.is_empty() { break; }
            let (head, tail) = rest.split_at((*cut).min(rest.len()));
            found.extend(pushed(&mut stream, head).expect("in bounds"));
            rest = tail;
        }
        prop_assert_eq!(found, at_once);
    }
}
