//! The example of docs/audit-chain.md is what the program writes.

use crate::common;

use common::two_records;
use signalbox_audit::verify::{Expect, verify};
use signalbox_audit::{Chain, Digest, Frontier, SignedCheckpoint, Signer, is_signed, line::from_line, line::to_line};
use std::path::Path;

const SECRET: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

#[test]
fn the_example_of_the_page_is_what_the_program_writes() {
    let mut secret = [0; 32];
    for (at, byte) in secret.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&SECRET[at * 2..at * 2 + 2], 16).unwrap();
    }
    let signer = Signer::from_secret(secret);
    let (mut chain, mut frontier) = (Chain::new("log-1"), Frontier::new());
    let mut lines = String::new();
    for record in two_records() {
        let sealed = chain.seal(record).unwrap();
        frontier.push(&sealed.hash);
        let signature = is_signed(&sealed.entry.event).then(|| signer.sign_hash(&sealed.hash));
        lines.push_str(&to_line(&sealed.text, &sealed.hash, signature.as_ref()));
    }
    let time = "2025-11-28T10:00:06.000Z";
    let sealed = SignedCheckpoint::seal("log-1", chain.head(), &frontier, None, time, Some(&signer)).unwrap();
    lines.push_str(&sealed.to_line());

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/audit-chain.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = page.split("```jsonl\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(example, lines);
    let key: Digest = signer.public_key().fingerprint();
    assert!(page.contains(&format!("Root over both: `{}`. Fingerprint: `{key}`.", frontier.root())));

    let rows = lines.lines().take(2).map(|line| from_line(line).unwrap());
    let expect = Expect { checkpoints: vec![sealed], keys: vec![signer.public_key()], ..Expect::default() };
    assert!(verify(rows, &expect).is_intact());
}
