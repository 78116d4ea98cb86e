//! How long 100,000 rows of eight columns take to read, beside the library alone: `cargo run --release --example sheet_speed`.

use calamine::{Reader, Xlsx};
use serde_json::{Value, json};
use signalbox_documents::sheet::{ReadOptions, SheetRows, WriteOptions, read, write};
use std::io::{Cursor, Write as _};
use std::time::{Duration, Instant};

const ROWS: u32 = 100_000;
const TURNS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows: Vec<Value> = (0..ROWS)
        .map(|n| {
            json!({
                "id": n, "name": format!("Customer {n}"), "city": "Zürich", "amount": f64::from(n) * 1.25, "day": "2026-11-28",
                "paid": n % 3 == 0, "note": "A text of some words", "code": format!("{n:06}"),
            })
        })
        .collect();
    let sheet = SheetRows { name: "Data".into(), rows: rows.iter().collect() };
    let began = Instant::now();
    let book = write(&[sheet], &WriteOptions::default())?;
    let written = began.elapsed();
    let options = ReadOptions::of(&json!({}))?;
    let (mut ours, mut bare) = (Duration::MAX, Duration::MAX);
    let mut length = 0;
    // Turn about, and the best of each: other work of the machine slows both.
    for _ in 0..TURNS {
        let began = Instant::now();
        length = read(book.clone(), &options)?.len();
        ours = ours.min(began.elapsed());
        let began = Instant::now();
        let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(book.clone()))?;
        let range = workbook.worksheet_range("Data")?;
        bare = bare.min(began.elapsed());
        assert_eq!(range.height(), ROWS as usize + 1);
    }
    let ratio = ours.as_secs_f64() / bare.as_secs_f64();
    writeln!(
        std::io::stdout(),
        "{ROWS} rows: written {written:?}, {} bytes; read as JSON {ours:?} ({length} bytes); library alone {bare:?}; {ratio:.2} times",
        book.len()
    )?;
    Ok(())
}
