//! What the program and a process that runs scripts say to each other: a line of JSON about the script and one with its data, and a
//! line about the answer and its text.

use serde::{Deserialize, Serialize};
use signalbox_model::Data;
use signalbox_ports::scripts::{Bound, ScriptCall, ScriptFault};
use std::borrow::Cow;
use std::io::{self, Write};
use std::iter;

/// The longest line of either side, bytes.
pub(super) const LARGEST: usize = 256 * 1024 * 1024;
/// Entries of a list that are sent at once.
const ROWS: usize = 1_000;

/// What comes first. The values that the names are bound to follow in a separate line, a JSON array in the order of the names.
#[derive(Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) source: String,
    pub(super) names: Vec<String>,
    pub(super) timeout_ms: u64,
    pub(super) memory_mb: u32,
    /// Time, milliseconds since 1970, and seed of the random numbers, where they are not those of the machine.
    pub(super) fixed: Option<(i64, u64)>,
}

impl Request {
    pub(super) fn of(call: &ScriptCall) -> Self {
        Self {
            source: call.source.clone(),
            names: call.bound.iter().map(|(name, _)| (*name).to_owned()).collect(),
            timeout_ms: u64::try_from(call.timeout.as_millis()).unwrap_or(u64::MAX),
            memory_mb: call.memory_mb,
            fixed: call.fixed.map(|fixed| (fixed.now_ms, fixed.seed)),
        }
    }

    pub(super) fn line(&self) -> Vec<u8> {
        line(self)
    }
}

/// The line of the values, piece by piece: what is large is not in memory once more.
pub(super) fn values<'a>(bound: &'a [(&'static str, Bound)]) -> impl Iterator<Item = Cow<'a, str>> {
    let pieces = bound.iter().enumerate().flat_map(
        |(index, (_, bound))| -> Box<dyn Iterator<Item = Cow<'a, str>> + Send + 'a> {
            let begin = iter::once(Cow::Borrowed(if index == 0 { "" } else { "," }));
            match bound {
                Bound::One(Data::Text(text)) => Box::new(begin.chain(text.pieces().map(Cow::Borrowed))),
                Bound::One(Data::Value(value)) => Box::new(begin.chain(iter::once(Cow::Owned(value.to_string())))),
                Bound::List(list) => Box::new(begin.chain(rows(list.len(), |place| list.get(place).cloned()))),
                Bound::Items(items) => Box::new(begin.chain(rows(items.len(), |place| items.kept(place)))),
            }
        },
    );
    iter::once("[".into()).chain(pieces).chain(iter::once("]\n".into()))
}

/// A list, many entries at once.
fn rows<'a>(
    count: usize,
    row: impl Fn(usize) -> Option<Data> + Send + 'a,
) -> impl Iterator<Item = Cow<'a, str>> + Send {
    let chunks = (0..count).step_by(ROWS).map(move |first| {
        let mut text = String::new();
        for place in first..count.min(first + ROWS) {
            if place > 0 {
                text.push(',');
            }
            row(place).unwrap_or_default().append(&mut text);
        }
        text.into()
    });
    iter::once("[".into()).chain(chunks).chain(iter::once("]".into()))
}

/// Faults by name.
const FAULTS: [(&str, ScriptFault); 7] = [
    ("syntax", ScriptFault::Syntax),
    ("thrown", ScriptFault::Thrown),
    ("waits", ScriptFault::Waits),
    ("timeout", ScriptFault::Timeout),
    ("memory", ScriptFault::Memory),
    ("not_json", ScriptFault::NotJson),
    ("crashed", ScriptFault::Crashed),
];

/// What a process answers: a line about it, and a line with its text.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) fault: Option<ScriptFault>,
    /// The result as JSON, or what went wrong.
    pub(super) text: String,
    pub(super) line: Option<u32>,
    pub(super) printed: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct AnswerLine {
    fault: Option<String>,
    line: Option<u32>,
    printed: Vec<String>,
    /// Bytes of the text that follows.
    length: usize,
}

impl Answer {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let name = |fault| FAULTS.iter().find(|(_, one)| *one == fault).map(|(name, _)| (*name).to_owned());
        let (fault, printed) = (self.fault.and_then(name), self.printed.clone());
        to.write_all(&line(&AnswerLine { fault, line: self.line, printed, length: self.text.len() }))?;
        to.write_all(self.text.as_bytes())
    }

    /// Without its text, and how many bytes of text follow.
    pub(super) fn read(bytes: &[u8]) -> Option<(Self, usize)> {
        let AnswerLine { fault, line, printed, length } = serde_json::from_slice(bytes).ok()?;
        let fault = match fault {
            None => None,
            Some(name) => Some(FAULTS.iter().find(|(known, _)| *known == name)?.1),
        };
        (length <= LARGEST).then_some((Self { fault, text: String::new(), line, printed }, length))
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
