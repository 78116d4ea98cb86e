//! Events of a stream (`text/event-stream`) as they arrive: their data, put together. Everything is bounded.

/// Largest event, bytes.
const LARGEST: usize = 2 * 1024 * 1024;
/// Bytes of one stream.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Events of one stream.
const MOST_EVENTS: usize = 10_000;

/// Why a stream is read no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    /// One event is too large.
    Event,
    /// All of it is too large.
    Bytes,
    /// Too many events.
    Events,
}

impl Excess {
    /// In words.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Event => format!("An event of the stream is larger than {} MiB", LARGEST >> 20),
            Self::Bytes => format!("The stream is larger than {} MiB", MOST_BYTES >> 20),
            Self::Events => format!("The stream has more than {MOST_EVENTS} events"),
        }
    }
}

/// Reads a stream piece by piece.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    bytes: usize,
    events: usize,
}

impl EventStream {
    /// Adds the data of the events that these bytes complete, also of those before it is too much.
    pub(crate) fn push(&mut self, bytes: &[u8], found: &mut Vec<Vec<u8>>) -> Result<(), Excess> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MOST_BYTES {
            return Err(Excess::Bytes);
        }
        for byte in bytes {
            if *byte != b'\n' {
                self.line.push(*byte);
                if self.line.len() + self.data.len() > LARGEST {
                    return Err(Excess::Event);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            if line.is_empty() {
                if std::mem::take(&mut self.has_data) {
                    self.events += 1;
                    if self.events > MOST_EVENTS {
                        return Err(Excess::Events);
                    }
                    found.push(std::mem::take(&mut self.data));
                }
            } else if let Some(data) = line.strip_prefix(b"data:") {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            }
        }
        Ok(())
    }
}
