//! An index of Elasticsearch or OpenSearch: `_bulk` with `create`, so that a document is never written over, and an answer
//! for each of them.

use super::connect::{Answer, Waiter, Web, other};
use super::remote::Place;
use crate::request_credentials;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Value, json};
use signalbox_ports::{AuditLine, AuditSink, HttpError, NotTaken};
use std::io;
use tokio::runtime::Handle;
use url::Url;

/// Largest answer, bytes.
const MOST: usize = 16 << 20;

pub(super) struct Elastic {
    web: Web,
    waiter: Waiter,
    place: Place,
}

fn id(line: &AuditLine) -> String {
    format!("{}-{}", line.log_id, line.seq)
}

fn document(line: &AuditLine) -> Value {
    json!({
        "@timestamp": line.timestamp, "logId": *line.log_id, "seq": line.seq, "runId": line.run_id, "nodeId": line.node_id,
        "event": line.event, "level": line.level, "hash": line.hash, "entry": line.line.trim_end_matches('\n'),
    })
}

impl Elastic {
    pub(super) fn open(place: Place, threads: Handle) -> io::Result<Self> {
        let web = Web::open(&place)?;
        let sink = Self { web, waiter: Waiter::new(&place, threads), place };
        let answer = sink.waiter.wait(sink.ask(Method::HEAD, "", None))?;
        // An index is made by its first document.
        if !matches!(answer.status, 200 | 404) {
            return Err(answer.refusal());
        }
        Ok(sink)
    }

    async fn ask(&self, method: Method, path: &str, body: Option<String>) -> io::Result<Answer> {
        let address = format!("{}{path}", self.place.url.as_str().trim_end_matches('/'));
        let mut url = Url::parse(&address).map_err(io::Error::other)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
        if path == "/_mget" {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(credential) = self.place.allowed_credential()? {
            request_credentials::attach(credential, &mut url, &mut headers).map_err(|error| match error {
                HttpError::CredentialRefused { message } => other(message),
                _ => other("its credential cannot be sent"),
            })?;
        }
        self.web.send(method, url, headers, body.map(String::into_bytes), MOST).await
    }

    async fn add(&self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        let mut body = String::new();
        for line in lines {
            body.push_str(&json!({ "create": { "_id": id(line) } }).to_string());
            body.push('\n');
            body.push_str(&document(line).to_string());
            body.push('\n');
        }
        let answer = self.ask(Method::POST, "/_bulk", Some(body)).await?;
        if answer.status != 200 {
            return Err(answer.refusal().into());
        }
        let told: Value = serde_json::from_slice(&answer.body).map_err(io::Error::other)?;
        let items = told["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        if items.len() != lines.len() {
            return Err(other("its answer does not tell about each entry").into());
        }
        let mut there = Vec::new();
        for (taken, (line, item)) in lines.iter().zip(items).enumerate() {
            let result = &item["create"];
            match result["status"].as_u64() {
                Some(200 | 201) => {}
                Some(409) => there.push(line),
                status => {
                    let why = result["error"]["reason"].as_str().unwrap_or("it gives no reason");
                    let why: String = why.chars().take(200).collect();
                    let status = status.unwrap_or_default();
                    self.same(&there).await?;
                    return Err(NotTaken { taken, why: other(format!("entry {}: {why} ({status})", line.seq)) });
                }
            }
        }
        Ok(self.same(&there).await?)
    }

    /// What was there already must be the same entry.
    async fn same(&self, lines: &[&AuditLine]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let ids: Vec<String> = lines.iter().map(|line| id(line)).collect();
        let answer = self.ask(Method::POST, "/_mget", Some(json!({ "ids": ids }).to_string())).await?;
        if answer.status != 200 {
            return Err(answer.refusal());
        }
        let told: Value = serde_json::from_slice(&answer.body).map_err(io::Error::other)?;
        let documents = told["docs"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (at, line) in lines.iter().enumerate() {
            let hash = documents.get(at).map(|document| &document["_source"]["hash"]);
            if hash.and_then(Value::as_str) != Some(line.hash.as_str()) {
                return Err(other(format!("the index has another entry with the number {}", line.seq)));
            }
        }
        Ok(())
    }
}

impl AuditSink for Elastic {
    fn last(&mut self, _upto: u64) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        let mut stopped = None;
        let done = self.waiter.wait(async {
            self.add(lines).await.map_err(|not| {
                stopped = Some(not.taken);
                not.why
            })
        });
        done.map_err(|why| NotTaken { taken: stopped.unwrap_or(0), why })
    }
}
