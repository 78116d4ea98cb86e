//! Test vectors: RFC 8785, TS-046 (K-23), TS-049 (K-20), RFC 6962, RFC 8032.

use crate::common;

use common::{log, record, signer, two_records};
use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_audit::canonical::{canonicalize, carry_as_text, to_canonical};
use signalbox_audit::line::{from_line, of_row};
use signalbox_audit::verify::Row;
use signalbox_audit::{
    Actor, ActorType, Chain, Digest, Entry, Frontier, Head, Level, PublicKey, Record, SealError, Signer, Tree,
};

const FIRST: &str = r#"{"actor":{"type":"system"},"event":"NODE_ERROR","level":"ERROR","logId":"log-1","metadata":{"attempt":0,"errorType":"ValidationError"},"nodeId":"n-1","prevHash":"0000000000000000000000000000000000000000000000000000000000000000","runId":"r-1","seq":0,"timestamp":"2025-11-28T10:00:00.000Z","v":1}"#;
const SECOND: &str = r#"{"actor":{"id":"user:123","role":"operator","type":"human"},"event":"HITL_COMPLETED","level":"INFO","logId":"log-1","metadata":{"action":"correct","notes":"Value format fixed."},"nodeId":"n-1","prevHash":"fc40ef073de630c645446f1c4072da272873998f958b10d28cf0aa39c792c4bd","runId":"r-1","seq":1,"timestamp":"2025-11-28T10:00:05.000Z","v":1}"#;

fn object(value: Value) -> serde_json::Map<String, Value> {
    value.as_object().cloned().unwrap()
}

#[test]
fn ts_046_the_two_entries_have_the_two_digests() {
    let mut chain = Chain::new("log-1");
    let [error, answer] = two_records();
    let first = chain.seal(error).unwrap();
    let second = chain.seal(answer).unwrap();
    assert_eq!(first.text, FIRST);
    assert_eq!(first.hash.to_string(), "fc40ef073de630c645446f1c4072da272873998f958b10d28cf0aa39c792c4bd");
    assert_eq!(second.text, SECOND);
    assert_eq!(second.hash.to_string(), "961e9c7106ac2d9f33bc86ba087a4d4af5dcf14ea93e6d785ad4af3581ade0eb");
    assert_eq!(chain.head(), Head { size: 2, head_hash: second.hash });
    assert_eq!(Entry::from_canonical(SECOND).unwrap(), second.entry);
    assert_eq!(second.entry.hash().unwrap(), second.hash);
}

/// An export tells what is stored: damage is neither left out nor able to forge a line.
#[test]
fn a_damaged_row_stays_one_line_that_no_reader_takes() {
    let damaged = |hash: &str, signature: Option<&str>| {
        of_row(&Row { seq: 0, text: FIRST.into(), hash: hash.into(), signature: signature.map(str::to_owned) })
    };
    let good = damaged("fc40ef073de630c645446f1c4072da272873998f958b10d28cf0aa39c792c4bd", None);
    assert!(from_line(&good).is_ok());
    for line in [damaged("\"}\n{\u{202e}", None), damaged("00", Some("x\"\n"))] {
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1 && !line.contains('\u{202e}'), "{line:?}");
        assert!(serde_json::from_str::<Value>(&line).is_ok() && from_line(&line).is_err(), "{line:?}");
    }
}

#[test]
fn a_head_put_back_gives_the_same_entry_again() {
    let mut chain = Chain::new("log-1");
    chain.seal(record(0)).unwrap();
    let before = chain.head();
    let lost = chain.seal(record(1)).unwrap();
    chain.rewind(before);
    assert_eq!(chain.seal(record(1)).unwrap(), lost);
}

#[test]
fn k_23_only_the_canonical_spelling_is_an_entry() {
    assert!(Entry::from_canonical(FIRST).is_ok());
    for (from, to) in [
        ("{\"actor\"", "{ \"actor\""),
        ("\"v\":1", "\"v\":1.0"),
        ("\"v\":1", "\"v\":2"),
        ("\"v\":1", "\"tags\":null,\"v\":1"),
        ("\"v\":1", "\"extra\":0,\"v\":1"),
        ("\"attempt\":0", "\"attempt\":1,\"attempt\":0"),
        ("\"attempt\":0", "\"attempt\":-0"),
        ("\"attempt\":0", "\"attempt\":0e0"),
        ("\"level\":\"ERROR\"", "\"level\":\"INFO\",\"level\":\"ERROR\""),
        ("NODE_ERROR", "NODE\\u005fERROR"),
        ("\"type\":\"system\"", "\"type\":\"root\""),
        ("fc40", "FC40"),
    ] {
        let changed = if FIRST.contains(from) { FIRST } else { SECOND }.replacen(from, to, 1);
        assert!(Entry::from_canonical(&changed).is_err(), "{changed}");
    }
}

#[test]
fn rfc_8785_the_six_vectors() {
    let cases = [
        ("[ 56, { \"d\": true, \"10\": null, \"1\": [ ] } ]", "[56,{\"1\":[],\"10\":null,\"d\":true}]"),
        (
            "{ \"peach\": \"This sorting order\", \"p\u{e9}ch\u{e9}\": \"is wrong according to French\", \"p\u{ea}che\": \"but canonicalization MUST\", \"sin\": \"ignore locale\" }",
            "{\"peach\":\"This sorting order\",\"p\u{e9}ch\u{e9}\":\"is wrong according to French\",\"p\u{ea}che\":\"but canonicalization MUST\",\"sin\":\"ignore locale\"}",
        ),
        (
            "{ \"1\": {\"f\": {\"f\": \"hi\",\"F\": 5} ,\"\\n\": 56.0}, \"10\": { }, \"\": \"empty\", \"a\": { }, \"111\": [ {\"e\": \"yes\",\"E\": \"no\" } ], \"A\": { } }",
            "{\"\":\"empty\",\"1\":{\"\\n\":56,\"f\":{\"F\":5,\"f\":\"hi\"}},\"10\":{},\"111\":[{\"E\":\"no\",\"e\":\"yes\"}],\"A\":{},\"a\":{}}",
        ),
        ("{ \"Unnormalized Unicode\":\"A\\u030a\" }", "{\"Unnormalized Unicode\":\"A\u{30a}\"}"),
        (
            "{ \"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\", \"literals\": [null, true, false] }",
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
        ),
        (
            "{ \"\\u20ac\": \"Euro Sign\", \"\\r\": \"Carriage Return\", \"\\u000a\": \"Newline\", \"1\": \"One\", \"\\u0080\": \"Control\\u007f\", \"\\ud83d\\ude02\": \"Smiley\", \"\\u00f6\": \"Latin Small Letter O With Diaeresis\", \"\\ufb33\": \"Hebrew Letter Dalet With Dagesh\", \"</script>\": \"Browser Challenge\" }",
            "{\"\\n\":\"Newline\",\"\\r\":\"Carriage Return\",\"1\":\"One\",\"</script>\":\"Browser Challenge\",\"\u{80}\":\"Control\u{7f}\",\"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\"\u{1f602}\":\"Smiley\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
        ),
    ];
    for (input, canonical) in cases {
        assert_eq!(canonicalize(input).unwrap(), canonical);
        assert_eq!(canonicalize(canonical).unwrap(), canonical);
    }
}

#[test]
fn what_others_would_round_or_read_twice_is_refused_with_its_place() {
    let error = to_canonical(&json!({"a": [{"b/c": 9_007_199_254_740_993_u64}]})).unwrap_err().to_string();
    assert!(error.starts_with("/a/0/b~1c: the integer 9007199254740993 is beyond 2^53 - 1"), "{error}");
    for bad in ["-9007199254740992", "18446744073709551615", "1e17", "100000000000000000000", "1e400"] {
        assert!(canonicalize(bad).is_err(), "{bad}");
    }
    assert_eq!(
        canonicalize("[9007199254740991,-9007199254740991,1e21,-0.0]").unwrap(),
        "[9007199254740991,-9007199254740991,1e+21,0]"
    );
    for surrogate in [r#""\ud800""#, r#""\udc00\ud800""#, r#"{"\ud800":1}"#] {
        let error = canonicalize(surrogate).unwrap_err().to_string();
        assert!(error.contains("surrogate") || error.contains("hex escape"), "{error}");
    }
    assert!(canonicalize(r#"{"a":1,"a":2}"#).unwrap_err().to_string().contains("\"a\" stands twice"));
    let deep = |n: usize| "[".repeat(n) + &"]".repeat(n);
    assert!(canonicalize(&deep(120)).is_ok());
    assert!(canonicalize(&deep(121)).unwrap_err().to_string().contains("deeper than 120"));
    assert!(canonicalize(&deep(100_000)).is_err());

    let mut chain = Chain::new("log-1");
    let huge = record(0).with_metadata(object(json!({"n": u64::MAX, "list": [1e18]})));
    assert!(matches!(chain.seal(huge.clone()), Err(SealError::Canonical(_))));
    assert_eq!(chain.head(), Head::EMPTY);
    let sealed = chain.seal(huge.with_large_integers_as_text()).unwrap();
    assert!(sealed.text.contains(r#""metadata":{"list":["1000000000000000000"],"n":"18446744073709551615"}"#));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn the_canonical_text_is_that_of_another_implementation(mut value in any_json()) {
        carry_as_text(&mut value);
        let ours = to_canonical(&value).unwrap();
        prop_assert_eq!(&ours, &serde_json_canonicalizer::to_string(&value).unwrap());
        prop_assert_eq!(&canonicalize(&ours).unwrap(), &ours);
    }

    #[test]
    fn a_double_survives_reading_to_the_last_bit(numbers in prop::collection::vec(any::<f64>(), 500)) {
        let mut value = Value::from(numbers);
        carry_as_text(&mut value);
        let text = to_canonical(&value).unwrap();
        prop_assert_eq!(&canonicalize(&text).unwrap(), &text);
    }

    #[test]
    fn an_entry_is_written_like_its_generic_tree(n in 0_u64..40, id in any::<String>(), note in any_json()) {
        let mut note = note;
        carry_as_text(&mut note);
        let mut record = record(n).with_metadata(object(json!({"note": note})));
        record.actor = Actor { kind: ActorType::Human, id: Some(id.clone()), role: Some(id) };
        let sealed = Chain::new("log").seal(record).unwrap();
        let tree = serde_json::to_value(&sealed.entry).unwrap();
        prop_assert_eq!(&sealed.text, &to_canonical(&tree).unwrap());
        prop_assert_eq!(Entry::from_canonical(&sealed.text).unwrap().canonical().unwrap(), sealed.text);
    }
}

#[test]
fn ts_049_every_wrong_field_is_named() {
    let good = json!({"timestamp": "2025-11-28T10:00:00Z", "runId": "r-1", "nodeId": "$run", "event": "PAYMENT_SENT",
        "level": "INFO", "actor": {"type": "agent", "id": "bot", "role": "tool"}, "tags": ["x"], "metadata": {"a": 1},
        "contextSnapshot": {"b": 2, "a": 1}});
    let submitted = Record::from_json(&good).unwrap();
    assert_eq!(submitted.context_snapshot.as_deref(), Some(r#"{"a":1,"b":2}"#));
    assert_eq!(submitted.record.context_snapshot_hash, Some(Digest::of(&[br#"{"a":1,"b":2}"#])));

    let mut no_level = good.clone();
    no_level.as_object_mut().unwrap().remove("level");
    assert_eq!(Record::from_json(&no_level).unwrap_err().to_string(), "not recorded: /level: missing; it is required");

    for (field, value, message) in [
        ("level", json!("info"), "/level: \"info\" is none of INFO, WARN, ERROR, CRITICAL"),
        ("level", json!(3), "/level: text is wanted"),
        ("actor", json!({"type": "root"}), "/actor/type: \"root\" is none of system, human, agent"),
        ("actor", json!({"id": "x"}), "/actor/type: missing"),
        ("actor", json!({"type": "human", "name": "x"}), "/actor/name: unknown field"),
        ("actor", json!("system"), "/actor: an object"),
        ("event", json!("payment"), "/event: \"payment\" is not written like NODE_ERROR"),
        ("event", json!("human.task.completed"), "now it is HITL_COMPLETED"),
        ("timestamp", json!("2025-02-29T10:00:00Z"), "/timestamp: \"2025-02-29T10:00:00Z\" is no RFC 3339 time"),
        ("timestamp", json!("2025-11-28 10:00:00Z"), "/timestamp"),
        ("timestamp", json!("2025-11-28T10:00:00"), "/timestamp"),
        ("timestamp", json!("\u{661}025-11-28T10:00:00Z"), "/timestamp"),
        ("nodeId", json!(""), "/nodeId: empty; use \"$run\""),
        ("runId", json!(null), "/runId: text is wanted"),
        ("tags", json!(["a", 1]), "/tags/1: a text"),
        ("metadata", json!([]), "/metadata: an object"),
        ("metadata", json!({"n": 9_007_199_254_740_993_u64}), "/metadata: /n: the integer"),
        ("metadata", json!({"n": "x".repeat(70_000)}), "/metadata: 70008 bytes are more than 65536"),
        ("contextSnapshotHash", json!("00"), "/contextSnapshotHash: a SHA-256"),
        ("contextSnapshotHash", json!(Digest::ZERO), "/contextSnapshotHash: the snapshot given with it hashes to"),
        ("hash", json!("x"), "/hash: is set by the recorder"),
        ("sevrity", json!("x"), "/sevrity: unknown field; known are timestamp"),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let error = Record::from_json(&body).unwrap_err().to_string();
        assert!(error.contains(message), "{error}\nshould contain {message}");
    }
    assert!(Record::from_json(&json!([])).is_err());
    let all = Record::from_json(&json!({})).unwrap_err();
    assert_eq!(all.0.len(), 6, "all at once: {all}");
}

#[test]
fn k_21_actors_of_older_files() {
    assert_eq!(Actor::from_text("operator:user:321"), Some(Actor::operator("user:321")));
    assert_eq!(Actor::from_text("tool:search"), Some(Actor::tool("search")));
    assert_eq!(Actor::from_text("system"), Some(Actor::system()));
    assert_eq!(Actor::from_text("root"), None);
    assert!(Level::Info < Level::Warn && Level::Error < Level::Critical);
}

#[test]
fn k_24_signatures_and_key_texts() {
    // RFC 8032, 7.1, test 1.
    let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&secret[at * 2..at * 2 + 2], 16).unwrap();
    }
    let signer = Signer::from_secret(bytes);
    let key = signer.public_key();
    let hex = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    assert_eq!(hex.parse::<PublicKey>().unwrap(), key);
    assert_eq!(key.to_pem().parse::<PublicKey>().unwrap(), key);
    assert!(key.to_pem().contains("\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"));
    assert_eq!(key.key_id().to_string(), key.fingerprint().to_string()[..16]);
    assert!(!format!("{signer:?}").contains("9d61"));

    let hash = Digest::of(&[b"entry"]);
    let signature = signer.sign_hash(&hash);
    assert_eq!(signature.to_string().parse(), Ok(signature));
    assert!(key.verify_hash(&hash, &signature));
    assert!(!key.verify_hash(&Digest::ZERO, &signature));
    assert!(!common::signer().public_key().verify_hash(&hash, &signature));
    for bad in ["", "ed25519::", &signature.to_string().to_uppercase(), &hex.to_uppercase()] {
        assert!(bad.parse::<signalbox_audit::Signature>().is_err());
        assert!(bad.parse::<PublicKey>().is_err());
    }
    // The identity: under it one signature fits every message.
    let weak = "0100000000000000000000000000000000000000000000000000000000000000";
    assert!(weak.parse::<PublicKey>().unwrap_err().to_string().contains("small order"));
}

#[test]
fn rfc_6962_roots_and_proofs_at_every_size() {
    let hashes: Vec<Digest> = (0..70_u8).map(|n| Digest::of(&[&[n]])).collect();
    let tree: Tree = hashes.iter().copied().collect();
    let mut frontier = Frontier::new();
    assert_eq!(frontier.root().to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    for size in 1..=70_u64 {
        frontier.push(&hashes[usize::try_from(size).unwrap() - 1]);
        let root = frontier.root();
        assert_eq!(tree.root(size).unwrap(), root);
        assert_eq!(naive(&hashes[..usize::try_from(size).unwrap()]), root);
        let stored: Frontier = serde_json::from_str(&serde_json::to_string(&frontier).unwrap()).unwrap();
        assert_eq!((stored.root(), stored.is_well_formed()), (root, true));
        for seq in 0..size {
            let proof = tree.inclusion(seq, size).unwrap();
            let hash = &hashes[usize::try_from(seq).unwrap()];
            assert!(proof.proves(hash, &root));
            for other in 0..size {
                let moved = signalbox_audit::Inclusion { seq: other, ..proof.clone() };
                assert_eq!(moved.proves(hash, &root), other == seq, "{seq} as {other} of {size}");
            }
            let mut longer = proof.clone();
            longer.path.push(Digest::ZERO);
            assert!(!longer.proves(hash, &root));
            if let Some(shorter) = proof.path.split_last().map(|(_, rest)| rest.to_vec()) {
                assert!(!signalbox_audit::Inclusion { path: shorter, ..proof }.proves(hash, &root));
            }
        }
        for old in 0..=size {
            let proof = tree.consistency(old, size).unwrap();
            assert!(proof.proves(&tree.root(old).unwrap(), &root), "{old} of {size}");
            if old > 0 {
                assert!(!proof.proves(&tree.root(old - 1).unwrap(), &root));
                assert!(!proof.proves(&tree.root(old).unwrap(), &Digest::ZERO));
            }
        }
    }
    assert!(tree.inclusion(70, 70).is_err() && tree.inclusion(0, 71).is_err() && tree.consistency(5, 4).is_err());
}

/// RFC 6962, 2.1, word for word.
fn naive(entries: &[Digest]) -> Digest {
    if let [one] = entries {
        return Digest::of(&[&[0], &one.0]);
    }
    let mut k = 1;
    while k * 2 < entries.len() {
        k *= 2;
    }
    Digest::of(&[&[1], &naive(&entries[..k]).0, &naive(&entries[k..]).0])
}

#[test]
fn a_checkpoint_has_one_line_and_seals_what_fits() {
    let signer = signer();
    let log = log("log \u{2028}\u{202e}", 5, &[2, 5], Some(&signer));
    for sealed in &log.checkpoints {
        let line = sealed.to_line();
        assert!(line.is_ascii() && line.lines().count() == 1, "{line}");
        assert_eq!(signalbox_audit::SignedCheckpoint::from_line(&line).as_ref(), Ok(sealed));
        assert!(signalbox_audit::SignedCheckpoint::from_line(&line.replacen(':', ": ", 1)).is_err());
        assert!(sealed.is_signed_by(&signer.public_key()));
        let tree = serde_json::to_value(&sealed.checkpoint).unwrap();
        assert_eq!(sealed.checkpoint.canonical(), to_canonical(&tree).unwrap());
    }
    let wrong =
        signalbox_audit::SignedCheckpoint::seal("l", Head::EMPTY, &log.frontier, None, "2026-01-01T00:00:00Z", None);
    assert!(wrong.unwrap_err().to_string().contains("rebuild the frontier"));
}
