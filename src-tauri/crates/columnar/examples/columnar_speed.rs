//! How long 1,000,000 rows of six columns take to read as JSON, beside the library that only makes its arrays:
//! `cargo run --release -p signalbox-columnar --example columnar_speed [FILE]`. A file is read as well.

use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use signalbox_columnar::{FileRanges, ReadOptions, read};
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROWS: i64 = 1_000_000;
const TURNS: usize = 5;

struct InMemory(bytes::Bytes);

impl FileRanges for InMemory {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }
    fn read(&mut self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let at = usize::try_from(at).map_err(io::Error::other)?;
        Ok(self.0.slice(at..at + length).to_vec())
    }
}

fn ours(bytes: &bytes::Bytes) -> Result<(Duration, u64, usize), Box<dyn std::error::Error>> {
    let began = Instant::now();
    let (mut rows, mut text) = (0, 0);
    let mut take = |lines: &str, count: u64| {
        rows += count;
        text += lines.len();
        Ok(())
    };
    read(Box::new(InMemory(bytes.clone())), &ReadOptions::of(&serde_json::Value::Null), &mut take)?;
    Ok((began.elapsed(), rows, text))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout();
    if let Some(path) = std::env::args_os().nth(1) {
        let (time, rows, text) = ours(&std::fs::read(path)?.into())?;
        writeln!(out, "{rows} rows of the file as JSON in {time:?} ({text} bytes)")?;
        return Ok(());
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int64Array::from_iter_values(0..ROWS))),
        ("name", Arc::new(StringArray::from_iter_values((0..ROWS).map(|n| format!("Customer {n}"))))),
        ("city", Arc::new(StringArray::from_iter_values((0..ROWS).map(|n| format!("City {}", n % 100))))),
        ("amount", Arc::new(Float64Array::from_iter_values((0_u32..1_000_000).map(|n| f64::from(n) * 1.25)))),
        ("day", Arc::new(Date32Array::from_iter_values((0_i32..1_000_000).map(|n| 20_000 + n % 1_000)))),
        ("paid", Arc::new(BooleanArray::from_iter((0..ROWS).map(|n| Some(n % 3 == 0))))),
    ];
    let batch = RecordBatch::try_from_iter(columns)?;
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
    writer.write(&batch)?;
    let bytes = bytes::Bytes::from(writer.into_inner()?);
    let (mut best, mut bare) = (Duration::MAX, Duration::MAX);
    let mut length = 0;
    // Turn about, and the best of each: other work of the machine slows both.
    for _ in 0..TURNS {
        let (time, rows, text) = ours(&bytes)?;
        assert_eq!(rows, ROWS.unsigned_abs());
        (best, length) = (best.min(time), text);
        let began = Instant::now();
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes.clone())?.with_batch_size(8_192).build()?;
        let rows = reader.map(|batch| batch.map_or(0, |batch| batch.num_rows())).sum::<usize>();
        bare = bare.min(began.elapsed());
        assert_eq!(rows as u64, ROWS.unsigned_abs());
    }
    writeln!(
        out,
        "{ROWS} rows, {} bytes; as JSON {best:?} ({length} bytes); arrays alone {bare:?}; {:.1} times",
        bytes.len(),
        best.as_secs_f64() / bare.as_secs_f64()
    )?;
    Ok(())
}
