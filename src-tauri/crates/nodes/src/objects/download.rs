//! An object as a file of a granted folder, of any size (ADR 198). A read that is cut goes on where it stopped, as long as the object
//! is the same; the file is there when it is whole.

use super::exchange::{Exchange, Request};
use super::patience::{Retries, leave, unless_cancelled};
use super::requests::{About, Condition, named};
use crate::http_answer as answers;
use crate::http_header::header;
use crate::saved_pieces::write_pieces;
use async_trait::async_trait;
use signalbox_model::{ErrorType, NodeFailure};
use signalbox_ports::{BodyStream, CallLog, HttpResponse, PieceStream, StreamError, StreamedAnswer};

/// Bytes after which a connection counts as one that works.
const PROGRESS: u64 = 256 * 1024;
const CHANGED: &str = "CONFLICT";

impl Exchange<'_> {
    /// Saves an object; says what it is, and the size of the file.
    pub(crate) async fn save(&self, key: &str, path: &str, log: &dyn CallLog) -> Result<(About, u64), NodeFailure> {
        let work = async {
            let mut pieces = ObjectPieces::open(self, key).await?;
            let written = write_pieces(self.call, self.world, log, path, &mut pieces).await;
            match pieces.failed {
                Some(failure) => Err(failure.detail("path", path)),
                None => written.map(|size| (pieces.about, size)),
            }
        };
        match unless_cancelled(log, work).await {
            Some(done) => done,
            None => leave(log, self.world, async {}).await,
        }
    }
}

/// The bytes of an object while they come.
struct ObjectPieces<'a> {
    exchange: &'a Exchange<'a>,
    key: &'a str,
    about: About,
    /// The store has packed it: what is read is not what it counts.
    is_coded: bool,
    body: Option<Box<dyn BodyStream>>,
    /// Bytes that were given on.
    at: u64,
    /// Where the present answer began.
    began: u64,
    /// Bytes that come a second time, from a store that does not begin in the middle.
    skip: u64,
    retries: Retries,
    failed: Option<NodeFailure>,
}

impl<'a> ObjectPieces<'a> {
    async fn open(exchange: &'a Exchange<'a>, key: &'a str) -> Result<Self, NodeFailure> {
        let answer = exchange.open_body(Request::new("GET", exchange.store.object(key))).await?;
        let StreamedAnswer { answer, body } = answer;
        if let Some(failure) = answers::undecoded(&answer) {
            return Err(failure);
        }
        let Some(body) = body else { return Err(exchange.refusal(answer, &named(key))) };
        let is_coded =
            header(&answer, "content-encoding").is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"));
        let mut about = About::of(exchange.store.system, &answer);
        if is_coded {
            about.size = None;
        }
        let (at, began, skip) = (0, 0, 0);
        let (retries, failed) = (Retries::default(), None);
        Ok(Self { exchange, key, about, is_coded, body: Some(body), at, began, skip, retries, failed })
    }

    /// The next bytes of the present answer.
    async fn piece(&mut self) -> Result<Option<Vec<u8>>, NodeFailure> {
        loop {
            let cut = || {
                let words = format!("{} did not arrive as a whole", named(self.key));
                NodeFailure::new(ErrorType::NetworkError, "CONNECTION", words).retryable()
            };
            let Some(body) = &mut self.body else { return Err(cut()) };
            let mut piece = match body.next().await {
                Some(Ok(piece)) => piece,
                None if self.about.size.is_some_and(|size| self.at < size) => return Err(cut()),
                None => return Ok(None),
                Some(Err(StreamError::Exchange(error))) => {
                    let scrubber = self.exchange.world.secrets.scrubber();
                    let failure = answers::exchange_failure(error, self.exchange.store.timeout_ms, &scrubber);
                    return Err(NodeFailure { may_have_happened: false, ..failure });
                }
                Some(Err(StreamError::Undecoded(why))) => {
                    let why = self.exchange.world.secrets.scrubber().text(&why).into_owned();
                    return Err(NodeFailure::validation("CONTENT_ENCODING", why));
                }
            };
            let again = usize::try_from(self.skip).unwrap_or(usize::MAX).min(piece.len());
            piece.drain(..again);
            self.skip -= again as u64;
            if piece.is_empty() {
                continue;
            }
            self.at += piece.len() as u64;
            if self.at - self.began >= PROGRESS {
                self.retries.begin_again();
            }
            return Ok(Some(piece));
        }
    }

    /// Goes on behind what has come, after a failure that may pass.
    async fn resume(&mut self, mut failure: NodeFailure) -> Result<(), NodeFailure> {
        // An entity tag that begins so promises no equal bytes.
        let version = self.about.version.clone().filter(|version| !version.starts_with("W/") && !self.is_coded);
        loop {
            let Some(version) = version.clone().filter(|_| failure.code != CHANGED) else { return Err(failure) };
            self.retries.pause(failure, self.exchange.world).await?;
            match self.open_again(version).await {
                Ok(()) => return Ok(()),
                Err(next) => failure = next,
            }
        }
    }

    async fn open_again(&mut self, version: String) -> Result<(), NodeFailure> {
        let request =
            Request::new("GET", self.exchange.store.object(self.key)).header("Range", format!("bytes={}-", self.at));
        let request = self.exchange.conditional(request, &Condition::IfVersion(version));
        let StreamedAnswer { answer, body } = self.exchange.open_body(request).await?;
        let is_same = About::of(self.exchange.store.system, &answer).version == self.about.version;
        let changed = || {
            let words = format!("{} was written by somebody else while it was read", named(self.key));
            Err(NodeFailure::tool(CHANGED, words).retryable())
        };
        self.skip = match (answer.status, &body) {
            (206, Some(_)) if is_same && begin(&answer) == Some(self.at) => 0,
            (200, Some(_)) if is_same => self.at,
            (200..=299 | 412 | 416, _) => return changed(),
            _ => return Err(self.exchange.refusal(answer, &named(self.key))),
        };
        (self.body, self.began) = (body, self.at);
        Ok(())
    }
}

/// Where a part of an object begins.
fn begin(answer: &HttpResponse) -> Option<u64> {
    let range = header(answer, "content-range")?.strip_prefix("bytes ")?;
    range.split('-').next()?.trim().parse().ok()
}

#[async_trait]
impl PieceStream for ObjectPieces<'_> {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        loop {
            let failure = match self.piece().await {
                Ok(piece) => return piece.map(Ok),
                Err(failure) => failure,
            };
            self.body = None;
            if let Err(failure) = self.resume(failure).await {
                let message = failure.message.clone();
                self.failed = Some(failure);
                return Some(Err(message));
            }
        }
    }
}
