//! A part of a list as text: in memory, or in a file of which it is read when somebody looks at it.

use super::pages::{self, Loaded, Page, Recent};
use super::{Kept, NONE, is_number};
use crate::blob::BLOB_LIMIT;
use crate::data::{Text, Written};
use serde_json::Value;
use std::fmt::Write;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Items that have data and lineage only, and whose ids are their places in the list, from 1.
pub(super) struct Packed {
    /// The texts of the data, one after the other; or the text that they stand in, which others share.
    text: Arc<Written>,
    places: Box<[Place]>,
    /// Bytes of text.
    weight: usize,
    /// Of one that lies in a file.
    _loaded: Option<Loaded>,
}

/// Where the data of a packed item stands, and the item that it came from; [`NONE`] for null.
#[derive(Clone, Copy)]
struct Place {
    start: u32,
    end: u32,
    paired: u32,
}

/// Bytes of a [`Place`] in a file.
const PLACE: usize = 12;

impl Packed {
    /// Nothing when one of the items has to stay as it is. `first` is the place of the first one in the list.
    pub(super) fn of(items: &[Kept], first: usize) -> Option<Self> {
        let mut places = Vec::with_capacity(items.len());
        for (index, Kept { item, text }) in items.iter().enumerate() {
            let stays = item.error.is_some() || item.binary.is_some();
            if stays || !is_number(&item.id, first + index + 1) {
                return None;
            }
            let paired = lineage(item.paired_item)?;
            let (start, end) = text.as_ref().map_or((0, 0), Text::span);
            if (end - start) as usize > BLOB_LIMIT {
                return None;
            }
            places.push(Place { start, end, paired });
        }
        if let Some(text) = shared(items) {
            return Some(Self::new(Arc::clone(text), places, None));
        }
        let mut all = Vec::new();
        for (Kept { item, text }, place) in items.iter().zip(&mut places) {
            let began = all.len();
            match text {
                Some(text) => all.extend_from_slice(text.text().as_bytes()),
                None => serde_json::to_writer(&mut all, &item.data).ok()?,
            }
            if all.len() - began > BLOB_LIMIT {
                return None;
            }
            (place.start, place.end) = (u32::try_from(began).ok()?, u32::try_from(all.len()).ok()?);
        }
        // What serde writes is text.
        Some(Self::new(Written::new(String::from_utf8(all).ok()?), places, None))
    }

    /// The parts of a text that end at these places; nothing when one of them has to stay as it is.
    pub(super) fn of_stretch(text: &Arc<Written>, ends: &[u32], paired: Option<usize>) -> Option<Self> {
        let paired = lineage(paired)?;
        let mut start = 0;
        let mut places = Vec::with_capacity(ends.len());
        for end in ends {
            if end.checked_sub(start)? as usize > BLOB_LIMIT {
                return None;
            }
            places.push(Place { start, end: *end, paired });
            start = *end;
        }
        Some(Self::new(Arc::clone(text), places, None))
    }

    fn new(text: Arc<Written>, places: Vec<Place>, loaded: Option<Loaded>) -> Self {
        let weight = places.iter().map(|place| (place.end - place.start) as usize).sum();
        Self { text, places: places.into(), weight, _loaded: loaded }
    }

    pub(super) fn text(&self, index: usize) -> Option<Text> {
        let place = self.places.get(index)?;
        Some(Text::part(&self.text, place.start, place.end))
    }

    pub(super) fn data(&self, index: usize) -> Arc<Value> {
        self.text(index).map(|text| text.value()).unwrap_or_default()
    }

    pub(super) fn paired(&self, index: usize) -> Option<usize> {
        self.places.get(index).map(|place| place.paired).filter(|paired| *paired != NONE).map(|paired| paired as usize)
    }

    /// Bytes of text.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.weight + size_of_val(&*self.places)
    }

    /// The text in which the data of all stands, and maybe more.
    pub(super) fn stretch(&self) -> &str {
        let start = self.places.iter().map(|place| place.start).min().unwrap_or_default();
        let end = self.places.iter().map(|place| place.end).max().unwrap_or_default();
        self.text.text().get(start as usize..end as usize).unwrap_or_default()
    }

    /// Appends some of them as a list writes them, with commas between them. `first` is the place of the part's first one in the list.
    pub(super) fn write(&self, range: Range<usize>, first: usize, out: &mut String) {
        for (index, place) in self.places.iter().enumerate().take(range.end).skip(range.start) {
            if !out.ends_with('[') {
                out.push(',');
            }
            let data = self.text.text().get(place.start as usize..place.end as usize).unwrap_or("null");
            // Nothing refuses to be written into a text.
            let _ = write!(out, "{{\"id\":\"{}\",\"data\":{data}", first + index + 1);
            if place.paired != NONE {
                let _ = write!(out, ",\"pairedItem\":{}", place.paired);
            }
            out.push('}');
        }
    }

    fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(4 + self.places.len() * PLACE + self.weight);
        bytes.extend_from_slice(&u32::try_from(self.places.len()).ok()?.to_le_bytes());
        let mut at = 0_u32;
        for Place { start, end, paired } in &self.places {
            let next = at.checked_add(end - start)?;
            for number in [at, next, *paired] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            at = next;
        }
        for Place { start, end, .. } in &self.places {
            bytes.extend_from_slice(self.text.text().as_bytes().get(*start as usize..*end as usize)?);
        }
        Some(bytes)
    }

    /// Nothing when these are not what [`Self::to_bytes`] gave.
    fn from_bytes(mut bytes: Vec<u8>) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let count = number(0)? as usize;
        let place = |index: usize| {
            let at = 4 + index * PLACE;
            Some(Place { start: number(at)?, end: number(at + 4)?, paired: number(at + 8)? })
        };
        let places = (0..count).map(place).collect::<Option<Vec<_>>>()?;
        bytes.drain(..4 + count * PLACE);
        Some(Self::new(Written::new(String::from_utf8(bytes).ok()?), places, Some(Loaded::new())))
    }
}

/// The item that one came from, as a [`Place`] has it; nothing when it is no number of 32 bits.
fn lineage(paired: Option<usize>) -> Option<u32> {
    match paired {
        Some(paired) => u32::try_from(paired).ok().filter(|paired| *paired != NONE),
        None => Some(NONE),
    }
}

/// The one text in which the data of all of these stands.
fn shared(items: &[Kept]) -> Option<&Arc<Written>> {
    let first = items.first()?.text.as_ref()?.of();
    let same = |kept: &Kept| kept.text.as_ref().is_some_and(|text| Arc::ptr_eq(text.of(), first));
    items.iter().all(same).then_some(first)
}

/// A part that lies in a file.
pub(super) struct Paged {
    page: Page,
    weight: usize,
    made: Mutex<Weak<Packed>>,
}

static RECENT: Recent<Packed> = Recent::new();

impl Paged {
    /// Nothing when it cannot be written: then it stays in memory.
    pub(super) fn of(packed: &Packed) -> Option<Self> {
        let page = Page::write(&packed.to_bytes()?)?;
        pages::count_written();
        Some(Self { page, weight: packed.weight, made: Mutex::new(Weak::new()) })
    }

    pub(super) fn weight(&self) -> usize {
        self.weight
    }

    /// The part, read when nobody holds it.
    ///
    /// # Panics
    /// The file cannot be read. That is as if memory could not be read: whoever drives the run begins again from the store.
    pub(super) fn load(&self) -> Arc<Packed> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(packed) = made.upgrade() {
            return packed;
        }
        let read = self.page.read().map_err(|error| error.to_string());
        let packed = read.and_then(|bytes| Packed::from_bytes(bytes).ok_or_else(|| "it was changed".to_owned()));
        let packed = match packed {
            Ok(packed) => Arc::new(packed),
            Err(error) => panic!("a part of a list that was put into a file cannot be read: {error}"),
        };
        *made = Arc::downgrade(&packed);
        drop(made);
        RECENT.keep(&packed, packed.weight);
        packed
    }
}

/// A part to look at.
pub(super) enum Look<'a> {
    Here(&'a Packed),
    Loaded(Arc<Packed>),
}

impl Deref for Look<'_> {
    type Target = Packed;
    fn deref(&self) -> &Packed {
        match self {
            Self::Here(packed) => packed,
            Self::Loaded(packed) => packed,
        }
    }
}
