//! The encoded events of one run for one audience, as far as they are kept in memory.

use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, watch};

/// Bytes of one piece, unless one event alone is larger: what a connection holds of it is shared, and small.
const PIECE: usize = 64 * 1024;
/// Bytes that a feed may keep of the newest events, for those who are nearly up to date, and as many of what was read from the
/// store, for those who are behind.
const KEPT: usize = 1024 * 1024;
/// What all feeds share when there are many.
const KEPT_OF_ALL: usize = 16 * KEPT;

/// How many bytes each of so many feeds may keep: at least a piece.
pub(super) fn share(feeds: usize) -> usize {
    (KEPT_OF_ALL / feeds.max(1)).clamp(PIECE, KEPT)
}

/// Encoded events in order, or one event that is told and not stored.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The `seq` of each stored event, and where it begins.
    events: Vec<(u64, usize)>,
    bytes: Bytes,
}

impl Piece {
    fn last(&self) -> Option<u64> {
        self.events.last().map(|(seq, _)| *seq)
    }

    /// The part behind `after`, and the last `seq` in it.
    pub(super) fn behind(&self, after: u64) -> Option<(Bytes, u64)> {
        let at = self.events.partition_point(|(seq, _)| *seq <= after);
        let (_, start) = self.events.get(at)?;
        Some((self.bytes.slice(*start..), self.last()?))
    }
}

/// Puts encoded events together.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    done: Vec<Piece>,
    events: Vec<(u64, usize)>,
    text: String,
}

impl Pieces {
    /// Adds an event that `encode` writes.
    pub(super) fn add(&mut self, seq: Option<u64>, encode: impl FnOnce(&mut String)) {
        // One that is not stored stands alone: who reads the same events later from the store does not get it.
        if seq.is_none() || self.text.len() >= PIECE {
            self.cut();
        }
        self.events.extend(seq.map(|seq| (seq, self.text.len())));
        encode(&mut self.text);
        if seq.is_none() {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text).into_boxed_str();
            let bytes = Bytes::from(text.into_boxed_bytes());
            self.done.push(Piece { events: std::mem::take(&mut self.events), bytes });
        }
    }

    pub(super) fn done(mut self) -> Vec<Piece> {
        self.cut();
        self.done
    }
}

/// Where a follower stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The `seq` of the last event that it has.
    pub(super) after: u64,
    /// The number of the piece that it gets next; none before it was found.
    pub(super) next: Option<u64>,
}

/// What there is for a follower.
#[derive(Debug)]
pub(super) enum Taken {
    Bytes(Bytes),
    /// Nothing yet.
    Nothing,
    /// What it needs next is only in the store.
    Behind,
    /// There will be nothing more.
    Over,
}

/// How a feed ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With the run.
    Run,
    /// The store could not be read, or the program ends.
    Failed,
}

#[derive(Debug)]
struct State {
    pieces: VecDeque<Piece>,
    /// The number of the first piece.
    first: u64,
    bytes: usize,
    /// The first `seq` that is still here or has not come yet.
    from: u64,
    /// The last `seq` that came.
    last: u64,
    ended: Option<End>,
}

/// The newest events of a run, encoded.
#[derive(Debug)]
pub(super) struct Feed {
    state: Mutex<State>,
    changed: watch::Sender<()>,
    /// Followers that have everything and wait for more: without one, nothing is read ahead.
    waiting: AtomicUsize,
    wanted: Notify,
    /// Pieces that were read from the store for those who are behind; one reads at a time, the others find it here.
    pub(super) pages: tokio::sync::Mutex<VecDeque<Piece>>,
}

impl Feed {
    pub(super) fn new(after: u64) -> Self {
        let state = State { pieces: VecDeque::new(), first: 0, bytes: 0, from: after + 1, last: after, ended: None };
        Self {
            state: Mutex::new(state),
            changed: watch::Sender::new(()),
            waiting: AtomicUsize::new(0),
            wanted: Notify::new(),
            pages: tokio::sync::Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears when there is something new.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    pub(super) fn followers(&self) -> usize {
        self.changed.receiver_count()
    }

    /// Whether it is of use to somebody who has the events up to `after`: it has not failed, and they need not wait until it
    /// has caught up with them.
    pub(super) fn serves(&self, after: u64) -> bool {
        let state = self.state();
        state.ended != Some(End::Failed) && after <= state.last
    }

    /// The next bytes for somebody.
    pub(super) fn take(&self, place: &mut Place) -> Taken {
        let state = self.state();
        if place.after + 1 < state.from {
            place.next = None;
            return Taken::Behind;
        }
        let end = state.first + state.pieces.len() as u64;
        let found = || {
            let at = state.pieces.iter().position(|piece| piece.last().is_some_and(|last| last > place.after));
            at.map_or(end, |at| state.first + at as u64)
        };
        // What is only told and was dropped meanwhile is missed.
        let mut number = place.next.filter(|next| *next >= state.first).unwrap_or_else(found);
        while let Some(piece) = usize::try_from(number - state.first).ok().and_then(|at| state.pieces.get(at)) {
            number += 1;
            if piece.events.is_empty() {
                place.next = Some(number);
                return Taken::Bytes(piece.bytes.clone());
            }
            if let Some((bytes, last)) = piece.behind(place.after) {
                *place = Place { after: last, next: Some(number) };
                return Taken::Bytes(bytes);
            }
        }
        place.next = Some(number);
        if state.ended.is_some() { Taken::Over } else { Taken::Nothing }
    }

    /// New events, in order. The oldest are dropped when there are more than `most` bytes.
    pub(super) fn push(&self, pieces: Vec<Piece>, most: usize) {
        let mut state = self.state();
        for piece in pieces {
            state.bytes += piece.bytes.len();
            state.last = piece.last().unwrap_or(state.last);
            state.pieces.push_back(piece);
        }
        while state.bytes > most && state.pieces.len() > 1 {
            let Some(oldest) = state.pieces.pop_front() else { break };
            state.bytes -= oldest.bytes.len();
            state.first += 1;
            state.from = oldest.last().map_or(state.from, |last| last + 1);
        }
        drop(state);
        self.changed.send_replace(());
    }

    pub(super) fn end(&self, how: End) {
        self.state().ended = Some(how);
        self.changed.send_replace(());
    }

    /// Counts who waits, as long as the answer lives.
    pub(super) fn wait(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.wanted.notify_one();
        Waiting(self)
    }

    /// Comes back when somebody waits for more.
    pub(super) async fn wanted(&self) {
        while self.waiting.load(Ordering::SeqCst) == 0 {
            self.wanted.notified().await;
        }
    }
}

/// Keeps what was read from the store for others who need the same, `most` bytes of it.
pub(super) fn keep(pages: &mut VecDeque<Piece>, new: Vec<Piece>, most: usize) {
    pages.extend(new);
    let mut bytes: usize = pages.iter().map(|piece| piece.bytes.len()).sum();
    while bytes > most && pages.len() > 1 {
        bytes -= pages.pop_front().map_or(0, |oldest| oldest.bytes.len());
    }
}

/// The piece in which the event behind `after` is.
pub(super) fn page_behind(pages: &VecDeque<Piece>, after: u64) -> Option<(Bytes, u64)> {
    let holds = |piece: &&Piece| piece.events.iter().any(|(seq, _)| *seq == after + 1);
    pages.iter().find(holds).and_then(|piece| piece.behind(after))
}

pub(super) struct Waiting<'a>(&'a Feed);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests;
