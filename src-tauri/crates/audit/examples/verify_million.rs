//! Measures sealing and verifying: `cargo run --release -p signalbox-audit --example verify_million [entries]`.

use signalbox_audit::verify::{Expect, Row, verify};
use signalbox_audit::{Actor, Chain, Frontier, Level, Record, SignedCheckpoint, Signer};
use std::time::Instant;

fn record(n: u64) -> Result<Record, serde_json::Error> {
    let time = format!("2026-01-01T00:{:02}:{:02}.000Z", n / 60 % 60, n % 60);
    let mut record = Record::new(
        time,
        format!("0198c0de-0000-7000-8000-{:012}", n / 20),
        "fetch_orders",
        "NODE_SUCCESS",
        Level::Info,
        Actor::system(),
    );
    record.metadata = serde_json::from_str(&format!(
        r#"{{"visit":1,"attempt":{},"durationMs":12.5,"ports":{{"success":3}},"path":"loop1[{}]"}}"#,
        n % 3,
        n % 100
    ))?;
    Ok(record)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let signer = Signer::from_secret([7; 32]);
    let records = (0..count).map(record).collect::<Result<Vec<_>, _>>()?;
    let (mut chain, mut frontier) = (Chain::new("log"), Frontier::new());
    let mut rows = Vec::with_capacity(records.len());
    let mut bytes = 0;
    let start = Instant::now();
    for record in records {
        let sealed = chain.seal(record)?;
        frontier.push(&sealed.hash);
        bytes += sealed.text.len();
        rows.push(Row { seq: sealed.entry.seq, text: sealed.text, hash: sealed.hash.to_hex(), signature: None });
    }
    let sealing = start.elapsed();
    let time = "2026-01-01T01:00:00Z";
    let checkpoint = SignedCheckpoint::seal("log", chain.head(), &frontier, None, time, Some(&signer))?;
    let expect = Expect { checkpoints: vec![checkpoint], keys: vec![signer.public_key()], ..Expect::default() };
    let start = Instant::now();
    let verdict = verify(rows, &expect);
    let verifying = start.elapsed();
    println!("{verdict}");
    println!("{count} entries, {bytes} bytes");
    println!("seal and frontier: {:.2} us per entry", sealing.as_secs_f64() * 1e6 / count as f64);
    println!(
        "verify: {:.2} s in all, {:.2} us per entry",
        verifying.as_secs_f64(),
        verifying.as_secs_f64() * 1e6 / count as f64
    );
    Ok(())
}
