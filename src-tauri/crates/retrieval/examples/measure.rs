//! Figures that need a model or much time, outside of the tests:
//!
//! - `measure quality HOST:PORT MODEL`: the questions of `tests/retrieval/passages.txt` by words, and by words and the vectors of
//!   an embedding endpoint on this machine (`tests/peers/embeddings.py`).
//! - `measure size CHUNKS`: what an index of so many passages with vectors takes.

use serde_json::{Map, Value, json};
use signalbox_ports::RetrievalError;
use signalbox_ports::retrieval::{ChunkSize, Document, DocumentFormat, Passage, QueryVector, Retrieval, Search};
use signalbox_retrieval::{IndexFolder, index_facts};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const PASSAGES: &str = include_str!("../../../../tests/retrieval/passages.txt");
/// Texts of one request.
const BATCH: usize = 64;
/// Numbers of a vector of the size measurement, as of all-MiniLM-L6-v2.
const DIMENSIONS: usize = 384;
/// Questions of the size measurement.
const QUESTIONS: usize = 20;

fn failed(error: RetrievalError) -> Box<dyn Error> {
    format!("{error:?}").into()
}

fn document(id: &str, title: Option<&str>, text: &str) -> Document {
    Document {
        id: id.into(),
        title: title.map(str::to_owned),
        text: text.into(),
        format: DocumentFormat::Text,
        metadata: Map::new(),
        size: ChunkSize { max_chars: 400, overlap_chars: 60 },
    }
}

/// Vectors of texts, from an OpenAI-compatible endpoint.
fn embed(host: &str, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>> {
    let mut vectors = Vec::new();
    for part in texts.chunks(BATCH) {
        let body = json!({ "model": model, "input": part }).to_string();
        let mut stream = TcpStream::connect(host)?;
        let head = format!("POST /v1/embeddings HTTP/1.0\r\nhost: {host}\r\ncontent-type: application/json");
        write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
        let answer: Value = serde_json::from_str(body)?;
        for one in answer["data"].as_array().ok_or("no vectors")? {
            let numbers = one["embedding"].as_array().ok_or("no vector")?;
            #[allow(clippy::cast_possible_truncation, reason = "vectors are kept as f32")]
            vectors.push(numbers.iter().filter_map(Value::as_f64).map(|x| x as f32).collect());
        }
    }
    Ok(vectors)
}

async fn find(
    indexes: &IndexFolder,
    index: &str,
    query: &str,
    top: usize,
    vector: Option<QueryVector>,
) -> Result<Vec<Passage>> {
    indexes.search(index, Search { query: query.into(), top, filter: Map::new(), vector }).await.map_err(failed)
}

async fn quality(host: &str, model: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let indexes = IndexFolder::new(folder.path().join("indexes"));
    let (mut documents, mut questions): (Vec<Document>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    for line in PASSAGES.lines().filter(|line| !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix("@ ") {
            let (id, title) = head.split_once(" | ").ok_or("id | title")?;
            documents.push(document(id, Some(title), ""));
        } else if let Some(question) = line.strip_prefix("? ") {
            questions.push((question.into(), documents.last().ok_or("a document")?.id.clone()));
        } else {
            documents.last_mut().ok_or("a document")?.text.push_str(line);
        }
    }
    let mut change = indexes.change("measured", true).await.map_err(failed)?;
    for document in documents {
        change.put(document).await.map_err(failed)?;
    }
    change.commit(false).await.map_err(failed)?;
    let missing = indexes.without_vector("measured", model, usize::MAX).await.map_err(failed)?;
    let texts: Vec<String> = missing.iter().map(|(_, text)| text.clone()).collect();
    let vectors = missing.iter().map(|(chunk, _)| *chunk).zip(embed(host, model, &texts)?).collect();
    indexes.put_vectors("measured", model, vectors).await.map_err(failed)?;
    let asked: Vec<String> = questions.iter().map(|(question, _)| question.clone()).collect();
    let vectors = embed(host, model, &asked)?;
    for (name, hybrid) in [("words", false), ("hybrid", true)] {
        let mut figures: BTreeMap<&str, (f64, f64, f64)> = BTreeMap::new();
        for ((question, id), vector) in questions.iter().zip(&vectors) {
            let vector = hybrid.then(|| QueryVector { model: model.into(), vector: vector.clone() });
            let mut order: Vec<String> = Vec::new();
            for passage in find(&indexes, "measured", question, 10, vector).await? {
                if !order.contains(&passage.document) {
                    order.push(passage.document);
                }
            }
            let place = order.iter().position(|document| document == id);
            // A model of English knows letters with accents and other scripts less well.
            for group in ["all", if question.is_ascii() { "plain letters" } else { "other letters" }] {
                let sums = figures.entry(group).or_default();
                sums.0 += 1.0;
                sums.1 += f64::from(u8::from(place.is_some_and(|place| place < 5)));
                sums.2 += place.map_or(0.0, |place| 1.0 / (place as f64 + 2.0).log2());
            }
        }
        for (group, (count, recalled, gained)) in figures {
            println!(
                "{name:<7} {group:<14} {count:>4}  recall@5 {:.3}  nDCG@10 {:.3}",
                recalled / count,
                gained / count
            );
        }
    }
    Ok(())
}

/// Numbers that look random, the same each time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Words are used as those of a language: few of them often.
    fn word(&mut self) -> String {
        let part = (self.next() % 1_000_000) as f64 / 1_000_000.0;
        format!("w{:.0}", part.powi(3) * 30_000.0)
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| f32::from(u16::try_from(self.next() % 2_001).unwrap_or(0)) / 1_000.0 - 1.0).collect()
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Processor seconds of this process, and its largest memory in MiB.
fn spent() -> (f64, u64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| after.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
    ((ticks(11) + ticks(12)) / 100.0, most.unwrap_or(0_u64) / 1024)
}

async fn size(chunks: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("indexes");
    let indexes = IndexFolder::new(path.clone());
    let mut noise = Noise(0x5eed);
    let mut last = (Instant::now(), spent().0);
    let mut step = |what: &str, count: usize| {
        let (cpu, memory) = spent();
        let (wall, used) = (last.0.elapsed().as_secs_f64(), cpu - last.1);
        println!(
            "{what:<24} {wall:>7.2} s, cpu {used:>7.2} s, {:>8.3} ms each, most memory {memory} MiB",
            used * 1e3 / count as f64
        );
        last = (Instant::now(), cpu);
    };
    let mut change = indexes.change("large", true).await.map_err(failed)?;
    for number in 0..chunks {
        change.put(document(&format!("d{number}"), None, &noise.words(60))).await.map_err(failed)?;
    }
    let totals = change.commit(false).await.map_err(failed)?;
    step("index", chunks);
    loop {
        let missing = indexes.without_vector("large", "noise", 10_000).await.map_err(failed)?;
        if missing.is_empty() {
            break;
        }
        let of = missing.iter().map(|(chunk, _)| (*chunk, noise.vector())).collect();
        indexes.put_vectors("large", "noise", of).await.map_err(failed)?;
    }
    step("vectors", chunks);
    for (name, hybrid) in [("questions by words", false), ("questions, hybrid", true)] {
        for _ in 0..QUESTIONS {
            let vector = hybrid.then(|| QueryVector { model: "noise".into(), vector: noise.vector() });
            find(&indexes, "large", &noise.words(6), 5, vector).await?;
        }
        step(name, QUESTIONS);
    }
    let facts = index_facts(&path, "large").map_err(failed)?;
    println!("{} passages, {} vectors, {} MiB on disk", totals.chunks, facts.vectors, facts.bytes >> 20);
    Ok(())
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    match args.as_slice() {
        ["quality", host, model] => runtime.block_on(quality(host, model)),
        ["size", chunks] => runtime.block_on(size(chunks.parse()?)),
        _ => Err("measure quality HOST:PORT MODEL | measure size CHUNKS".into()),
    }
}
