//! A bucket of S3: each batch is an object of its own, named by the number of its first entry and never written over.

use super::connect::{Waiter, Web, other};
use super::remote::Place;
use base64::Engine;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use rusty_s3::actions::ListObjectsV2;
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use signalbox_ports::{AuditLine, AuditSink, CredentialKind, NotTaken};
use std::io;
use std::time::Duration;
use tokio::runtime::Handle;

/// How long a signature holds.
const VALID: Duration = Duration::from_secs(300);
/// Largest list and largest segment that is read, bytes.
const MOST: usize = 64 << 20;
/// Where nobody says otherwise.
const REGION: &str = "us-east-1";

pub(super) struct S3 {
    web: Web,
    waiter: Waiter,
    bucket: Bucket,
    credentials: Option<Credentials>,
    /// Before the numbers of the segments.
    prefix: String,
}

impl S3 {
    pub(super) fn open(place: Place, threads: Handle) -> io::Result<Self> {
        let mut path = place.path().into_iter();
        let name = path.next().unwrap_or_default();
        let prefix = path.map(|part| part + "/").collect::<String>() + &place.log_id + "/";
        let region = place.option("region").unwrap_or_else(|| REGION.to_owned());
        let bucket = Bucket::new(place.web()?, UrlStyle::Path, name, region);
        let bucket = bucket.map_err(|why| other(format!("the bucket cannot be used: {why}")))?;
        let credentials = match place.allowed_credential()? {
            None => None,
            Some(credential) => match &credential.kind {
                CredentialKind::Basic { user } => Some(Credentials::new(user.clone(), credential.value.expose())),
                _ => {
                    let what = "its credential needs the access key as the user and the secret key as the password";
                    return Err(other(what));
                }
            },
        };
        Ok(Self { web: Web::open(&place)?, waiter: Waiter::new(&place, threads), bucket, credentials, prefix })
    }

    fn key(&self, first: u64) -> String {
        format!("{}{first:020}.jsonl", self.prefix)
    }

    /// The last segment that begins with entry `from` or a later one.
    async fn newest(&self, from: u64) -> io::Result<Option<String>> {
        let (mut newest, mut next): (Option<String>, Option<String>) = (None, None);
        loop {
            let mut list = self.bucket.list_objects_v2(self.credentials.as_ref());
            list.with_prefix(self.prefix.clone());
            if let Some(before) = from.checked_sub(1) {
                list.with_start_after(self.key(before));
            }
            if let Some(token) = next {
                list.with_continuation_token(token);
            }
            let answer = self.web.send(Method::GET, list.sign(VALID), HeaderMap::new(), None, MOST).await?;
            if answer.status != 200 {
                return Err(answer.refusal());
            }
            let text = String::from_utf8_lossy(&answer.body);
            let listed = ListObjectsV2::parse_response(&text)
                .map_err(|why| other(format!("its list of objects cannot be read: {why}")))?;
            newest = listed.contents.into_iter().map(|object| object.key).max().max(newest);
            next = listed.next_continuation_token;
            if next.is_none() {
                return Ok(newest);
            }
        }
    }

    async fn last_line(&self, from: u64) -> io::Result<Option<String>> {
        let Some(key) = self.newest(from).await? else { return Ok(None) };
        let get = self.bucket.get_object(self.credentials.as_ref(), &key).sign(VALID);
        let answer = self.web.send(Method::GET, get, HeaderMap::new(), None, MOST).await?;
        if answer.status != 200 {
            return Err(answer.refusal());
        }
        let text = String::from_utf8_lossy(&answer.body);
        let last = text.lines().next_back().unwrap_or_default();
        if last.is_empty() { Err(other(format!("the segment {key} is empty"))) } else { Ok(Some(last.to_owned())) }
    }

    async fn add(&self, lines: &[AuditLine]) -> io::Result<()> {
        let Some(first) = lines.first() else { return Ok(()) };
        let key = self.key(first.seq);
        let body: Vec<u8> = lines.iter().flat_map(|line| line.line.bytes()).collect();
        let digest = ring::digest::digest(&ring::digest::SHA256, &body);
        let sum = base64::engine::general_purpose::STANDARD.encode(digest);
        let mut put = self.bucket.put_object(self.credentials.as_ref(), &key);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
        // Create only; and the store compares what arrived with the sum, which buckets with a lock ask for.
        for (name, value) in [("if-none-match", "*"), ("x-amz-checksum-sha256", sum.as_str())] {
            put.headers_mut().insert(name, value.to_owned());
            headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).map_err(io::Error::other)?);
        }
        let answer = self.web.send(Method::PUT, put.sign(VALID), headers, Some(body), MOST).await?;
        match answer.status {
            200 | 201 | 204 => Ok(()),
            409 | 412 => Err(other(format!("the segment {key} is there already; copying continues behind it"))),
            _ => Err(answer.refusal()),
        }
    }
}

impl AuditSink for S3 {
    fn last(&mut self, upto: u64) -> io::Result<Option<String>> {
        self.waiter.wait(self.last_line(upto))
    }

    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        Ok(self.waiter.wait(self.add(lines))?)
    }
}
