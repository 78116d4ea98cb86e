//! `table.read`: the rows of a Parquet or Arrow file. They are items while the file is read, so neither the file nor its rows have to
//! be in memory.

use crate::cancellation::until_cancelled;
use crate::document::{self, Named};
use crate::fields::choice;
use crate::file_error::file_failure;
use crate::listing::{Listing, MOST_ITEMS};
use crate::support::{made_text, setting, whole, wrong_setting};
use crate::{EffectFuture, Kind, Outcome, binary, memory};
use async_trait::async_trait;
use serde_json::json;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::{CallLog, FilePieces, Stopped, TableCall, TableRows, World};
use std::time::Duration;

pub(crate) const KIND: Kind = Kind::Effect(start);

/// Time for one file when the step has no limit.
const TIMEOUT: Duration = Duration::from_secs(600);
/// Text of rows in one item.
const MOST_TEXT: usize = 512 * 1024 * 1024;
/// The highest row that can be set.
const LAST_ROW: u64 = 1_000_000_000_000;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world, log))
}

async fn run(call: &Call, slot: &CallSlot, world: &World, log: &dyn CallLog) -> Outcome {
    let output = choice(slot, "output", &["rows", "table", "description"])?;
    let options = json!({
        "wanted": match output { "rows" => "rows", "table" => "both", _ => "description" },
        "columns": columns(slot)?,
        "offset": whole(slot, "offset", 0, LAST_ROW)?,
        "limit": whole(slot, "limit", 1, MOST_ITEMS)?,
    });
    let timeout = call.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
    let asked = TableCall { options, timeout, memory_mb: document::MEMORY_MB };
    let (mut file, what) = Pieces::of(call, slot, world).await?;
    let mut rows = match output {
        "rows" => Rows::Items(Listing::of(slot)),
        _ => Rows::Text(String::new()),
    };
    let mut taken = Taken { rows: &mut rows, what: &what, refused: None };
    let done = until_cancelled(log, world.documents.read_table(asked, &mut file, &mut taken)).await;
    let refused = taken.refused.take();
    let about = match (done, file.refused.or(refused)) {
        (Ok(about), None) => about,
        (_, Some(refused)) => return Err(refused),
        (Err(error), None) => return Err(document::refused(error, &what, timeout, "read")),
    };
    match rows {
        Rows::Items(list) => Ok(list.done()),
        Rows::Text(lines) => {
            let text = if output == "table" { with_rows(about, &lines) } else { about };
            memory::fits(memory::of_json(&text), text.len(), &what)?;
            Ok(made_text(slot, text))
        }
    }
}

/// The setting `columns`: names, or nothing.
fn columns(slot: &CallSlot) -> Result<Vec<&str>, NodeFailure> {
    let Some(value) = setting(slot, "columns") else { return Ok(Vec::new()) };
    let names = value.as_array().and_then(|all| all.iter().map(|name| name.as_str()).collect::<Option<Vec<_>>>());
    names.ok_or_else(|| wrong_setting("columns", "a list of names", value))
}

/// What a file says about itself, with its rows as the last member.
fn with_rows(mut about: String, lines: &str) -> String {
    about.pop();
    about.push_str(",\"rows\":[");
    for (at, line) in lines.lines().enumerate() {
        if at > 0 {
            about.push(',');
        }
        about.push_str(line);
    }
    about.push_str("]}");
    about
}

/// Where rows go.
enum Rows {
    Items(Listing),
    /// Lines of one item.
    Text(String),
}

struct Taken<'a> {
    rows: &'a mut Rows,
    what: &'a str,
    /// Why no more is taken.
    refused: Option<NodeFailure>,
}

impl Taken<'_> {
    fn take(&mut self, lines: &str) -> Result<(), NodeFailure> {
        match self.rows {
            Rows::Items(list) => {
                lines.lines().try_for_each(|line| list.push_row(line))?;
                if list.len() as u64 > MOST_ITEMS {
                    let words = format!("{} has more than {MOST_ITEMS} rows. Set 'limit', or split it", self.what);
                    return Err(NodeFailure::validation("TOO_LARGE", words).detail("limit", MOST_ITEMS));
                }
            }
            Rows::Text(text) => {
                text.push_str(lines);
                if text.len() > MOST_TEXT {
                    let words = format!(
                        "{} has more than {} MiB of text. Let it give one item for each row, or choose fewer columns",
                        self.what,
                        MOST_TEXT >> 20
                    );
                    return Err(NodeFailure::validation("TOO_LARGE", words).detail("limit", MOST_TEXT));
                }
            }
        }
        Ok(())
    }
}

impl TableRows for Taken<'_> {
    fn rows(&mut self, lines: &str) -> Result<(), Stopped> {
        self.take(lines).map_err(|failure| {
            self.refused = Some(failure);
            Stopped
        })
    }
}

/// The file, of which pieces are read.
struct Pieces<'a> {
    from: From<'a>,
    size: u64,
    refused: Option<NodeFailure>,
}

enum From<'a> {
    /// A file that stays the same while it is read.
    Path {
        call: &'a Call,
        world: &'a World,
        path: &'a str,
        modified_ms: i64,
    },
    Bytes(Vec<u8>),
}

impl<'a> Pieces<'a> {
    async fn of(call: &'a Call, slot: &'a CallSlot, world: &'a World) -> Result<(Self, String), NodeFailure> {
        match Named::of(slot)? {
            Named::Path(path) => {
                let head = world.files.read_part(&call.workflow_id, path, 0, 1).await;
                let head = head.map_err(|error| file_failure(error, path))?;
                let from = From::Path { call, world, path, modified_ms: head.modified_ms };
                Ok((Self { from, size: head.size, refused: None }, format!("The file '{path}'")))
            }
            Named::Bytes(what) => {
                let (_, bytes) = binary::read(call, slot, world, "binary").await?;
                let size = bytes.len() as u64;
                Ok((Self { from: From::Bytes(bytes), size, refused: None }, what))
            }
        }
    }

    async fn read(&self, at: u64, length: usize) -> Result<Vec<u8>, NodeFailure> {
        let (call, world, path, known) = match &self.from {
            From::Bytes(bytes) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX);
                let part = start.checked_add(length).and_then(|end| bytes.get(start..end));
                return part.map(<[u8]>::to_vec).ok_or_else(|| NodeFailure::tool("IO", "The bytes end too early"));
            }
            From::Path { call, world, path, modified_ms } => (call, world, path, *modified_ms),
        };
        let mut all = Vec::new();
        while all.len() < length {
            let part = world.files.read_part(&call.workflow_id, path, at + all.len() as u64, length - all.len()).await;
            let part = part.map_err(|error| file_failure(error, path))?;
            if part.bytes.is_empty() || (part.size, part.modified_ms) != (self.size, known) {
                let words =
                    format!("The file '{path}' was changed while it was read. Read it again when it is complete");
                return Err(NodeFailure::tool("IO", words).detail("path", *path));
            }
            // Of a small file, the bytes are not copied.
            if all.is_empty() {
                all = part.bytes;
            } else {
                all.extend(part.bytes);
            }
        }
        Ok(all)
    }
}

#[async_trait]
impl FilePieces for Pieces<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    async fn piece(&mut self, at: u64, length: usize) -> Result<Vec<u8>, Stopped> {
        self.read(at, length).await.map_err(|failure| {
            self.refused = Some(failure);
            Stopped
        })
    }
}
