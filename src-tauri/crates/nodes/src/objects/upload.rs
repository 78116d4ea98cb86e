//! A file into a store, of any size: in parts where the store takes parts, as a stream otherwise (ADR 198). Nobody sees the object
//! before it is complete.

use super::exchange::{Exchange, Request};
use super::file_source::FileSource;
use super::patience::Retries;
use super::requests::{Condition, named};
use super::settings::System;
use super::{azure_blocks, google_upload, s3_upload, webdav_upload};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, HttpResponse};

const MIB: u64 = 1024 * 1024;
/// Bytes of one part. Files up to this size are sent at once.
const PART: u64 = 8 * MIB;
/// Parts that are under way at once, and bytes that they may hold together where parts are larger.
const AT_ONCE: usize = 4;
const HELD: u64 = AT_ONCE as u64 * PART;

/// An object that is written from a file.
pub(crate) struct FileWrite<'a> {
    pub(crate) key: &'a str,
    pub(crate) source: &'a FileSource,
    pub(crate) media: &'a str,
    pub(crate) condition: &'a Condition,
    pub(crate) log: &'a dyn CallLog,
}

/// Where one part is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Counted from one.
    pub(super) number: u64,
    pub(super) at: u64,
    pub(super) length: usize,
}

/// The parts of a file for a store that takes at most so many.
pub(super) fn spans(size: u64, most: u64) -> impl Iterator<Item = Span> {
    let part = PART.max(size.div_ceil(most).div_ceil(MIB) * MIB);
    (0..size.div_ceil(part)).map(move |n| {
        let at = n * part;
        Span { number: n + 1, at, length: usize::try_from((size - at).min(part)).unwrap_or(usize::MAX) }
    })
}

/// Sends the parts of a file, a few at once, in any order; gives what came of each in the order of the parts. The first failure ends
/// the others.
pub(super) async fn side_by_side<T: Send, F: Future<Output = Result<T, NodeFailure>> + Send>(
    spans: impl Iterator<Item = Span>,
    send: impl Fn(Span) -> F,
) -> Result<Vec<T>, NodeFailure> {
    let (mut under_way, mut done) = (FuturesUnordered::new(), Vec::new());
    for span in spans {
        let fit = usize::try_from(HELD / span.length.max(1) as u64).unwrap_or(1).clamp(1, AT_ONCE);
        while under_way.len() >= fit {
            done.extend(under_way.next().await.transpose()?);
        }
        let sent = send(span);
        under_way.push(async move { sent.await.map(|found| (span.number, found)) });
    }
    while let Some(sent) = under_way.next().await {
        done.push(sent?);
    }
    done.sort_unstable_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, found)| found).collect())
}

impl Exchange<'_> {
    /// Writes a file; says the version of the object.
    pub(crate) async fn put_file(&self, file: &FileWrite<'_>) -> Result<Option<String>, NodeFailure> {
        let size = file.source.size;
        if size <= PART {
            let bytes = file.source.part(0, usize::try_from(size).unwrap_or_default()).await?;
            return self.put(file.key, bytes, file.media, file.condition).await;
        }
        self.refuse_early(file.key, file.condition).await?;
        match self.store.system {
            System::S3 => s3_upload::upload(self, file).await,
            System::Azure => azure_blocks::upload(self, file).await,
            System::Gcs => google_upload::upload(self, file).await,
            System::WebDav => webdav_upload::upload(self, file).await,
        }
    }

    /// What the store would refuse at the end is refused before anything large is sent. It is the store that decides.
    pub(super) async fn refuse_early(&self, key: &str, condition: &Condition) -> Result<(), NodeFailure> {
        let wanted = match condition {
            Condition::Always => return Ok(()),
            Condition::IfNew => None,
            Condition::IfVersion(version) => Some(version),
        };
        let found = self.head(key).await?;
        match (wanted, found) {
            (None, None) => Ok(()),
            (Some(wanted), Some(found)) if found.version.as_ref() == Some(wanted) => Ok(()),
            (Some(_), None) => Err(NodeFailure::tool("NOT_FOUND", format!("{} is not there", named(key)))),
            (None | Some(_), Some(_)) => {
                let words = format!("{} is not as the condition wants it: it exists, or has changed", named(key));
                Err(NodeFailure::tool("PRECONDITION_FAILED", words))
            }
        }
    }

    /// Sends one part, again as long as that may help.
    pub(super) async fn send_part(
        &self,
        source: &FileSource,
        span: Span,
        request: &Request,
        key: &str,
    ) -> Result<HttpResponse, NodeFailure> {
        let mut retries = Retries::default();
        let what = format!("Part {} of {}", span.number, named(key).replacen("The", "the", 1));
        loop {
            let mut request = request.clone();
            request.body = Some(source.part(span.at, span.length).await?);
            match self.send_checked(request, &what).await {
                Ok(answer) => return Ok(answer),
                // A part that did not arrive is not seen by anybody.
                Err(failure) => {
                    let failure = NodeFailure { may_have_happened: false, ..failure };
                    retries.pause(failure, self.world).await?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MIB, Span, side_by_side, spans};
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn what_came_of_the_parts_is_in_their_order_whichever_ends_first() {
        let send = |span: Span| async move {
            let mut polls = 5 - span.number;
            let late = poll_fn(|context| {
                if polls == 0 {
                    return Poll::Ready(());
                }
                polls -= 1;
                context.waker().wake_by_ref();
                Poll::Pending
            });
            late.await;
            Ok(span.number)
        };
        let mut sent = pin!(side_by_side(spans(40 * MIB, 10_000), send));
        let mut context = Context::from_waker(Waker::noop());
        let done = loop {
            if let Poll::Ready(done) = sent.as_mut().poll(&mut context) {
                break done;
            }
        };
        assert_eq!(done, Ok(vec![1, 2, 3, 4, 5]));
    }

    #[test]
    fn a_file_is_cut_into_as_many_parts_as_the_store_takes() {
        let all: Vec<Span> = spans(17 * MIB, 10_000).collect();
        let part = |number, at: u64, length: u64| Span { number, at: at * MIB, length: (length * MIB) as usize };
        assert_eq!(all, [part(1, 0, 8), part(2, 8, 8), part(3, 16, 1)]);
        for size in [1, 8 * MIB, 8 * MIB + 1, 80_000 * MIB, 80_000 * MIB + 1, 5_000_000 * MIB] {
            let (mut count, mut next) = (0, 0);
            for span in spans(size, 10_000) {
                assert_eq!(span.at, next);
                (count, next) = (count + 1, span.at + span.length as u64);
            }
            assert!(next == size && count <= 10_000, "{size}: {count}");
        }
    }
}
