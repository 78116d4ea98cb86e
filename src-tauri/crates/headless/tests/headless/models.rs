//! Providers of language models, with the real program and a real peer that wants a key.

use crate::model_peer;
use crate::support;

use model_peer::Peer;
use serde_json::{Value, json};
use support::TestHome;

const KEY: &str = "sk-canary-0123456789";

fn told(done: &support::Done) -> Value {
    serde_json::from_str(done.out.trim()).unwrap_or_else(|_| panic!("{} {}", done.out, done.err))
}

#[test]
fn a_provider_is_kept_tested_chosen_and_forgotten() {
    let (place, peer) = (TestHome::new(), Peer::start(Some(KEY)));
    let models = |args: &[&str]| place.run(&[&["models"], args, &["--json"]].concat());
    assert_eq!(told(&models(&["list"])), json!({ "providers": [] }));
    assert_eq!(place.run(&["secret", "choose", "file"]).code, 0);
    let keep = |host: &str| place.run_with(&["secret", "set", "house", "--host", host], KEY).code;
    assert_eq!(keep("api.example.com"), 0);

    // The secret must be for the host.
    let set = ["set", "house", "--kind", "openai", "--url", &peer.base];
    let with_key = [&set[..], &["--credential", "secret://house", "--model", "small=0.5/2", "--model", "big"]].concat();
    let refused = models(&with_key);
    assert_eq!((refused.code, told(&refused)["error"]["code"].as_str()), (2, Some("BAD_REQUEST")));
    assert!(told(&refused)["error"]["message"].as_str().expect("words").contains("may not go to this address"));
    for (wrong, words) in [
        (["set", "a b", "--kind", "openai", "--url", &peer.base], "letters, digits"),
        (["set", "x", "--kind", "openai", "--url", "ftp://x.example"], "no http or https address"),
        (["set", "x", "--kind", "openai", "--url", "https://x.example?api_key=s3cr3t"], "holds a credential"),
    ] {
        let done = models(&wrong);
        assert_eq!(done.code, 2);
        assert!(done.out.contains(words), "{}", done.out);
    }
    assert!(peer.seen.lock().expect("no panic").is_empty());

    // Without its key it says what is wrong and what next; the key that comes back is not shown.
    assert_eq!(models(&set).code, 0);
    let tested = models(&["test", "house"]);
    assert_eq!((tested.code, &told(&tested)["ok"]), (1, &json!(false)));
    assert!(told(&tested)["message"].as_str().expect("words").contains("was asked without a key"), "{}", tested.out);
    assert_eq!(told(&tested)["hint"], "It wants a key. Edit the provider and add one.");

    assert_eq!(keep(&peer.base["http://".len()..]), 0);
    let kept = told(&models(&with_key));
    let one = &kept["providers"][0];
    assert_eq!(one["credential"], "secret://house");
    assert_eq!(one["models"], json!([{ "name": "small", "inputPrice": 0.5, "outputPrice": 2.0 }, { "name": "big" }]));
    assert_eq!(one["here"], true);
    // A model that is known here is asked for a word: a list says nothing about answers.
    let tested = models(&["test", "house"]);
    assert_eq!((tested.code, &told(&tested)["models"]), (0, &json!(["big", "small"])));
    assert_eq!(told(&tested)["message"], "The model 'small' answers; it has 2 models.");
    let tested = models(&["test", "house", "--model", "small"]);
    assert_eq!((tested.code, &told(&tested)["message"]), (0, &json!("The model 'small' answers; it has 2 models.")));
    let paths = peer.seen.lock().expect("no panic").clone();
    let asked_for_a_word = ["/v1/models", "/v1/chat/completions"];
    assert_eq!(paths, [&["/v1/models"][..], &asked_for_a_word, &asked_for_a_word].concat());
    // A name that the server does not list may be one that it ignores.
    let tested = models(&["test", "house", "--model", "huge"]);
    let words = told(&tested)["message"].as_str().expect("words").to_owned();
    assert!(words.contains("'huge' is not in the server's list of models."), "{words}");

    // The default is of a provider that is there, and goes with it.
    assert_eq!(models(&["default", "other", "small"]).code, 2);
    assert_eq!(told(&models(&["default", "house", "small"])), json!({ "provider": "house", "model": "small" }));
    assert!(place.run(&["models", "default"]).out.contains("small by house"));
    let gone = told(&models(&["delete", "house"]));
    assert_eq!(gone, json!({ "providers": [] }));
    assert_eq!(models(&["delete", "house"]).code, 2);
    assert_eq!(models(&["test", "house"]).code, 2);

    // Each change is in the audit chain, without a secret.
    let entries = place.run(&["audit", "list", "--json"]).out;
    for (event, count) in [("MODEL_PROVIDER_CHANGED", 3), ("MODEL_DEFAULT_CHANGED", 1)] {
        assert_eq!(entries.matches(&format!("\"event\":\"{event}\"")).count(), count, "{event} in {entries}");
    }
    assert!(!entries.contains(KEY));
    let database = std::fs::read(place.data().join("signalbox.db")).expect("the store");
    assert!(!database.windows(KEY.len()).any(|part| part == KEY.as_bytes()));
}
