//! Which file it is, and what is wrong with it.

use crate::source::Source;
use signalbox_documents::Error;

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Parquet,
    ArrowFile,
    ArrowStream,
}

/// How a file of Arrow begins and ends.
pub(crate) const ARROW_MAGIC: &[u8; 6] = b"ARROW1";
/// What is before the length of each message.
pub(crate) const CONTINUATION: [u8; 4] = [0xff; 4];
/// The longest message of a library that is shown.
const SHOWN: usize = 200;

impl Format {
    /// By the first bytes.
    pub(crate) fn of(source: &Source) -> Result<Self, Error> {
        let head = source.bytes(0, usize::try_from(source.size().min(8)).unwrap_or(0));
        let head = head.map_err(|error| source.take_failure().unwrap_or_else(|| unknown(&error.to_string())))?;
        if head.starts_with(b"PAR1") {
            Ok(Self::Parquet)
        } else if head.starts_with(b"PARE") {
            Err(encrypted())
        } else if head.starts_with(ARROW_MAGIC) {
            Ok(Self::ArrowFile)
        } else if head.starts_with(&CONTINUATION) {
            Ok(Self::ArrowStream)
        } else if head.starts_with(b"FEA1") {
            Err(Error::new(
                "UNKNOWN_FORMAT",
                "This is a Feather file of version 1, which nobody writes any more. Write it again as version 2, which is a file of Arrow",
            ))
        } else if head.is_empty() {
            Err(unknown("The file is empty"))
        } else {
            Err(unknown("This is no Parquet and no Arrow file. Is it another file with such a name?"))
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Parquet => "BAD_PARQUET",
            Self::ArrowFile | Self::ArrowStream => "BAD_ARROW",
        }
    }

    /// The file cannot be read.
    pub(crate) fn damaged(self, why: &str) -> Error {
        let name = if self == Self::Parquet { "Parquet" } else { "Arrow" };
        let mut short: String = why.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if short.len() < why.len() {
            short.push('…');
        }
        Error::new(self.code(), format!("The {name} file cannot be read: {short}"))
    }
}

fn unknown(words: &str) -> Error {
    Error::new("UNKNOWN_FORMAT", words)
}

/// It has a password, or columns that have one.
pub(crate) fn encrypted() -> Error {
    Error::new("ENCRYPTED", "The Parquet file is encrypted, and is not read. Write it without encryption")
}

/// Above a limit.
pub(crate) fn too_large(words: String, limit: u64) -> Error {
    Error::new("TOO_LARGE", words).detail("limit", limit)
}

/// A value, or all values of a column, that have no form here.
pub(crate) struct Trouble {
    pub(crate) code: &'static str,
    /// Goes on after the name of the column: `has …`.
    pub(crate) words: String,
}

impl Trouble {
    pub(crate) fn new(code: &'static str, words: impl Into<String>) -> Self {
        Self { code, words: words.into() }
    }

    /// With the column, and the row where there is one.
    pub(crate) fn of_column(self, column: &str, row: Option<u64>) -> Error {
        let shown: String = column.chars().take(100).collect();
        let at = row.map(|row| format!(" in row {row}")).unwrap_or_default();
        let error = Error::new(self.code, format!("The column '{shown}'{at} {}", self.words)).detail("column", column);
        match row {
            Some(row) => error.detail("row", row),
            None => error,
        }
    }
}
