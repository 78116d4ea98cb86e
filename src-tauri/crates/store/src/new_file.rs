//! The file of a new store, as the build script has made it. Written at once it takes two syncs; made by SQLite it takes ten, and a third of
//! the instructions of a short run.

use crate::instance::private;
use crate::schema::{APPLICATION_ID, known};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/new_store.rs"));
static STRETCHES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/new_store.pages"));

/// Length of the name of an audit chain: 16 bytes in hexadecimal.
const LOG_ID: usize = 32;

// Places in the header of a database file (SQLite: Database File Format, 1.3).
const WRITE_AND_READ_VERSION: std::ops::Range<usize> = 18..20;
const USER_VERSION: std::ops::Range<usize> = 60..64;
const APPLICATION: std::ops::Range<usize> = 68..72;
/// Write and read version of a file with a log of writes (WAL).
const WITH_LOG: [u8; 2] = [2, 2];

/// The bytes of a new store. `None` when `log_id` has not the length of one.
fn bytes(log_id: &str) -> Option<Vec<u8>> {
    let mut file = vec![0; LENGTH];
    let mut put = |place: std::ops::Range<usize>, bytes: &[u8]| -> Option<()> {
        let place = file.get_mut(place)?;
        (place.len() == bytes.len()).then(|| place.copy_from_slice(bytes))
    };
    let mut rest = STRETCHES;
    while let Some((start, more)) = rest.split_first_chunk() {
        let (length, more) = more.split_first_chunk()?;
        let (start, length) = (u32::from_le_bytes(*start) as usize, u32::from_le_bytes(*length) as usize);
        let (stretch, more) = more.split_at_checked(length)?;
        put(start..start.checked_add(length)?, stretch)?;
        rest = more;
    }
    put(WRITE_AND_READ_VERSION, &WITH_LOG)?;
    put(USER_VERSION, &u32::try_from(known()).ok()?.to_be_bytes())?;
    put(APPLICATION, &u32::try_from(APPLICATION_ID).ok()?.to_be_bytes())?;
    put(LOG_ID_AT..LOG_ID_AT + LOG_ID, log_id.as_bytes())?;
    Some(file)
}

/// Makes the file of a new store at `path`, where there is none, whole or not at all. The caller holds the setup lock. An error says that it was
/// not made: SQLite can try, and says what is in the way.
pub(crate) fn make(path: &Path, log_id: &str) -> io::Result<()> {
    let bytes = bytes(log_id).ok_or(io::ErrorKind::InvalidInput)?;
    let part = path.with_extension("db.new");
    // Half of one, from a process that died.
    fs::remove_file(&part).ok();
    let made = write(&part, &bytes).and_then(|()| {
        // Unlike a new name, a second one never takes the place of a file that somebody else has made meanwhile.
        fs::hard_link(&part, path)
    });
    fs::remove_file(&part).ok();
    made?;
    #[cfg(unix)]
    path.parent().map_or(Ok(()), |folder| fs::File::open(folder)?.sync_all())?;
    Ok(())
}

fn write(part: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    let mut file = options.open(part)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
