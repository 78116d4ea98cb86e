//! Files made here by the writers of the library, and by others (`tests/files`, written by `tests/peers/columnar.py`).

mod damaged;
mod foreign;
mod values;

use crate::{FileRanges, ReadOptions, read};
use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use signalbox_documents::Error;
use std::io;
use std::sync::{Arc, Mutex};

/// A file in memory that counts what is read of it.
struct Bytes {
    bytes: Vec<u8>,
    read: Arc<Mutex<u64>>,
}

impl FileRanges for Bytes {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&mut self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        *self.read.lock().expect("free") += length as u64;
        let at = usize::try_from(at).expect("small");
        Ok(self.bytes[at..at + length].to_vec())
    }
}

/// What is read of a file, with how many bytes of it were asked for.
fn counted(bytes: &[u8], options: &Value) -> (Result<(Vec<Value>, Value), Error>, u64) {
    let read_bytes = Arc::new(Mutex::new(0));
    let file = Box::new(Bytes { bytes: bytes.to_vec(), read: Arc::clone(&read_bytes) });
    let mut rows = Vec::new();
    let mut take = |lines: &str, count: u64| {
        let before = rows.len();
        rows.extend(lines.lines().map(|line| serde_json::from_str(line).expect("JSON")));
        assert_eq!(count, (rows.len() - before) as u64, "each row is a line");
        Ok(())
    };
    let about = read(file, &ReadOptions::of(options), &mut take);
    let about = about.map(|about| serde_json::from_str(&about).expect("JSON"));
    (about.map(|about| (rows, about)), *read_bytes.lock().expect("free"))
}

fn read_with(bytes: &[u8], options: &Value) -> Result<(Vec<Value>, Value), Error> {
    counted(bytes, options).0
}

fn rows(bytes: &[u8]) -> Result<Vec<Value>, Error> {
    read_with(bytes, &json!({})).map(|(rows, _)| rows)
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

fn parquet_with(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a writer");
    writer.write(batch).expect("written");
    writer.into_inner().expect("a file")
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    parquet_with(batch, WriterProperties::builder().build())
}

fn arrow_file(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batches[0].schema()).expect("a writer");
    for batch in batches {
        writer.write(batch).expect("written");
    }
    writer.finish().expect("ended");
    writer.into_inner().expect("a file")
}

fn arrow_stream(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batches[0].schema()).expect("a writer");
    for batch in batches {
        writer.write(batch).expect("written");
    }
    writer.finish().expect("ended");
    writer.into_inner().expect("a stream")
}
