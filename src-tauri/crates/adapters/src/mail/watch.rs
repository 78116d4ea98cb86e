//! Watching: messages that are newer than a place in the mailbox, oldest first, and a wait for the next one where the server
//! tells of new messages (IDLE). What a connection has seen is never trusted for longer than the connection: every look
//! begins at the place that its caller has kept.

use super::MailServers;
use super::imap::{
    BATCH, Open, SLACK, WINDOW, apply, can, command, failure, fetch, goodbye, metas, refused, select, set, sign_in,
};
use super::parse::{self, Meta};
use super::search::{Texts, criteria};
use async_imap::error::Error;
use async_imap::imap_proto::{AttributeValue, MailboxDatum, Response, Status};
use signalbox_ports::mail::{MailError, MailServer, MailSink};
use signalbox_ports::{MailPlace, MailWatch, MailWatched, Renumbered};
use std::time::{Duration, Instant};

/// How long a server may take to end an IDLE.
const END_OF_IDLE: Duration = Duration::from_secs(10);

/// Looks, and waits for a message when there is none. Each exchange has the time limit of the server; the wait has its own.
pub(super) async fn watch(
    servers: &MailServers,
    server: &MailServer,
    watch: &MailWatch,
    sink: &mut dyn MailSink,
) -> Result<MailWatched, MailError> {
    let until = Instant::now() + watch.patience;
    let (mut look, first) = limited(server, async {
        let mut look = Look::open(servers, server, watch).await?;
        let first = look.look(watch.place, sink).await?;
        Ok((look, first))
    })
    .await?;
    let mut watched = first;
    // The place alone is worth being kept: nothing was known of the mailbox before.
    let mut is_new = watch.place != Some(watched.to) || !watch.dealt_with.is_empty();
    while !is_new && look.idles {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !look.idle(left).await? {
            break;
        }
        watched = limited(server, look.look(Some(watched.to), sink)).await?;
        is_new = watch.place != Some(watched.to);
    }
    goodbye(&mut look.session).await;
    Ok(watched)
}

async fn limited<T>(server: &MailServer, work: impl Future<Output = Result<T, MailError>>) -> Result<T, MailError> {
    match tokio::time::timeout(server.timeout, Box::pin(work)).await {
        Ok(result) => result,
        Err(_) => Err(MailError::Timeout { effect: false }),
    }
}

struct Look<'a> {
    session: Open,
    host: &'a str,
    watch: &'a MailWatch,
    texts: Texts,
    idles: bool,
    /// Messages in the mailbox, as far as the server has told.
    exists: u32,
    /// The messages that were dealt with are still to be changed.
    to_change: bool,
}

impl<'a> Look<'a> {
    async fn open(servers: &MailServers, server: &'a MailServer, watch: &'a MailWatch) -> Result<Self, MailError> {
        let host = server.host.as_str();
        let mut session = sign_in(servers, server).await?;
        // Before the mailbox is opened: nothing comes between its opening and the wait.
        let [plus, minus, idles] = can(&mut session, host, ["LITERAL+", "LITERAL-", "IDLE"]).await?;
        let texts = if plus || minus { Texts::Literal } else { Texts::Quoted };
        Ok(Self { session, host, watch, texts, idles, exists: 0, to_change: !watch.dealt_with.is_empty() })
    }

    async fn look(&mut self, place: Option<MailPlace>, sink: &mut dyn MailSink) -> Result<MailWatched, MailError> {
        let opened = select(&mut self.session, self.host, &self.watch.query).await?;
        let uid_validity = opened.uid_validity;
        self.exists = opened.exists;
        let top = match opened.uid_next {
            Some(next) => next.saturating_sub(1),
            None if opened.exists == 0 => 0,
            None => self.uid_at("*").await?.unwrap_or(0),
        };
        let told = |from, to, changed, tells| Ok(MailWatched { from, to, changed, tells });
        let from = match place {
            Some(place) if place.uid_validity == uid_validity => place,
            Some(before) => {
                let renumbered = Some(Renumbered { until: top, since_ms: before.received_ms });
                MailPlace { uid: 0, uid_validity, renumbered: renumbered.filter(|_| top > 0), ..before }
            }
            None => {
                let place = MailPlace { uid_validity, uid: 0, received_ms: 0, renumbered: None };
                if !self.watch.existing {
                    let newest = self.newest(opened.exists).await?;
                    // Messages of the same second as the newest one are old, too.
                    let received_ms = newest.map_or(0, |at| at.saturating_add(1_000));
                    let begun = MailPlace { uid: top, received_ms, ..place };
                    return told(begun, begun, false, self.idles);
                }
                place
            }
        };
        let mut changed = false;
        if std::mem::take(&mut self.to_change) && self.watch.place.is_some_and(|one| one.uid_validity == uid_validity) {
            if let Some(change) = &self.watch.query.change {
                // Asked for again after a crash it changes nothing: the messages are marked, or gone.
                for uids in self.watch.dealt_with.chunks(BATCH) {
                    apply(&mut self.session, self.host, change, &set(uids)).await?;
                }
            }
            changed = true;
        }
        let to = self.hand_on(from, opened.exists, top, sink).await?;
        told(from, to, changed, self.idles)
    }

    /// Hands on the wanted messages behind a place, and says how far it came.
    async fn hand_on(
        &mut self,
        from: MailPlace,
        exists: u32,
        top: u32,
        sink: &mut dyn MailSink,
    ) -> Result<MailPlace, MailError> {
        let (mut place, mut count) = (from, 0);
        while place.uid < top {
            let low = place.uid + 1;
            let high = self.window_end(low, top, exists).await?;
            for batch in self.search(low, high).await?.chunks(BATCH) {
                let mut found = metas(&mut self.session, self.host, batch).await?;
                found.reverse();
                for meta in found {
                    if !self.is_wanted(&meta, place) {
                        continue;
                    }
                    let (uid, received_ms) = (meta.uid, meta.received_ms);
                    // Deleted meanwhile: as if it had not been found.
                    let raw = fetch(&mut self.session, self.host, &self.watch.query, &meta).await?;
                    let Some(raw) = raw else { continue };
                    let mail = parse::message(raw, meta, from.uid_validity, &self.watch.query).await;
                    let goes_on = sink.take(mail).await;
                    place = place.after(uid, received_ms);
                    count += 1;
                    if !goes_on || count >= self.watch.query.limit {
                        return Ok(place);
                    }
                }
            }
            place = place.passed(high);
        }
        Ok(place)
    }

    fn is_wanted(&self, meta: &Meta, place: MailPlace) -> bool {
        let since = self.watch.query.search.since_ms;
        let again = place.renumbered.filter(|one| meta.uid <= one.until).map(|one| one.since_ms);
        since.into_iter().chain(again).all(|since| meta.received_ms.is_none_or(|at| at >= since))
    }

    /// Numbers of wanted messages in a range, rising.
    async fn search(&mut self, low: u32, high: u32) -> Result<Vec<u32>, MailError> {
        self.session.get_mut().allow(SLACK);
        let mut uids: Vec<u32> = Vec::new();
        let conditions = criteria(&self.watch.query.search, &format!("UID {low}:{high}"), self.texts);
        let searched = command(&mut self.session, format!("UID SEARCH {conditions}"), |answer| {
            if let Response::MailboxData(MailboxDatum::Search(found)) = answer {
                uids.extend(found.iter().filter(|uid| (low..=high).contains(*uid)));
            }
        });
        searched.await.map_err(|error| match error {
            Error::No(why) => refused(self.host, "does not search", &why),
            other => failure(self.host, other),
        })?;
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    /// The end of a range of numbers that has not many more messages than [`WINDOW`]: numbers have gaps of any size.
    async fn window_end(&mut self, low: u32, top: u32, exists: u32) -> Result<u32, MailError> {
        if exists <= WINDOW || top - low < WINDOW {
            return Ok(top);
        }
        // The first message in the mailbox whose number is in the range.
        let (mut first, mut behind) = (1, exists + 1);
        while first < behind {
            let middle = first + (behind - first) / 2;
            match self.uid_at(&middle.to_string()).await? {
                Some(uid) if uid < low => first = middle + 1,
                Some(_) => behind = middle,
                // The mailbox has fewer messages by now.
                None => return Ok(top.min(low.saturating_add(WINDOW))),
            }
        }
        let last = first.saturating_add(WINDOW - 1);
        if last >= exists {
            return Ok(top);
        }
        Ok(self.uid_at(&last.to_string()).await?.map_or(top, |uid| uid.clamp(low, top)))
    }

    async fn uid_at(&mut self, place: &str) -> Result<Option<u32>, MailError> {
        self.session.get_mut().allow(SLACK);
        let mut uid = None;
        let asked = command(&mut self.session, format!("FETCH {place} (UID)"), |answer| {
            let Response::Fetch(_, attributes) = answer else { return };
            let found = attributes.iter().find_map(|one| match one {
                AttributeValue::Uid(uid) => Some(*uid),
                _ => None,
            });
            uid = uid.or(found);
        });
        match asked.await {
            // A place that is not there any more.
            Ok(()) | Err(Error::No(_) | Error::Bad(_)) => Ok(uid),
            Err(error) => Err(failure(self.host, error)),
        }
    }

    /// When the server received the newest of the last messages.
    async fn newest(&mut self, exists: u32) -> Result<Option<i64>, MailError> {
        if exists == 0 {
            return Ok(None);
        }
        let low = exists.saturating_sub(u32::try_from(BATCH).unwrap_or(u32::MAX)).max(1);
        let mut uids = Vec::new();
        self.session.get_mut().allow(SLACK);
        let asked = command(&mut self.session, format!("FETCH {low}:* (UID)"), |answer| {
            let Response::Fetch(_, attributes) = answer else { return };
            uids.extend(attributes.iter().filter_map(|one| match one {
                AttributeValue::Uid(uid) => Some(*uid),
                _ => None,
            }));
        });
        asked.await.map_err(|error| failure(self.host, error))?;
        let found = metas(&mut self.session, self.host, &uids).await?;
        Ok(found.iter().filter_map(|meta| meta.received_ms).max())
    }

    /// Waits until the server tells of a message. False: the time is over.
    async fn idle(&mut self, patience: Duration) -> Result<bool, MailError> {
        let (host, until) = (self.host, Instant::now() + patience);
        self.session.get_mut().allow(SLACK);
        let id = self.session.run_command("IDLE").await.map_err(|error| failure(host, error))?;
        let mut has_new = false;
        while !has_new {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(answer) = tokio::time::timeout(left, self.session.read_response()).await else { break };
            let answer = answer.map_err(|error| failure(host, Error::Io(error)))?;
            match answer.as_ref().map(|answer| answer.parsed()) {
                Some(Response::MailboxData(MailboxDatum::Exists(count))) => {
                    has_new = *count > self.exists;
                    self.exists = *count;
                }
                Some(Response::Expunge(_)) => self.exists = self.exists.saturating_sub(1),
                Some(Response::Data { status: Status::Bye, .. }) | None => {
                    return Err(failure(host, Error::ConnectionLost));
                }
                // It does not wait after all.
                Some(Response::Done { .. }) => {
                    self.idles = false;
                    return Ok(false);
                }
                Some(_) => self.session.get_mut().allow(SLACK),
            }
        }
        let ended = async {
            self.session.run_command_untagged("DONE").await?;
            loop {
                let answer = self.session.read_response().await?.ok_or(Error::ConnectionLost)?;
                match answer.parsed() {
                    Response::Done { tag, .. } if *tag == id => return Ok(()),
                    // What arrives now is found by the next look.
                    _ => {}
                }
            }
        };
        match tokio::time::timeout(END_OF_IDLE, ended).await {
            Ok(done) => done.map_err(|error| failure(host, error))?,
            Err(_) => return Err(MailError::Timeout { effect: false }),
        }
        Ok(has_new)
    }
}
