//! Gives back the pages of code that a start needed and that nothing uses afterwards (ADR 242).
//!
//! The system maps the pages of a program's file in groups of 16 when one of them is needed, and keeps all of them mapped until memory
//! is scarce. Two thirds of the memory of a server that waits are such pages. What is used again is mapped again from the cache of the
//! file, which takes the next run a few milliseconds. Only Linux has this; elsewhere nothing happens.

use std::time::Duration;

/// When a process looks first: its start is over by then.
pub const FIRST_LOOK: Duration = Duration::from_secs(15);
/// How often it looks afterwards.
pub const NEXT_LOOK: Duration = Duration::from_mins(1);
/// How much more than after the last time must be mapped before it is done again: 4 MiB.
const GROWN: u64 = 4 << 20;
/// What a start leaves to be done later (threads that end, a first look at this and that) uses code once more.
const OF_START: u32 = 2;

/// Decides when pages of code are given back. Made once for a process, asked again and again while nothing runs in it.
#[derive(Debug, Default)]
pub struct CodePages {
    /// Bytes mapped when they were looked at after pages had been given back and what waits had mapped its own again.
    settled: Option<u64>,
    given_back: u32,
}

impl CodePages {
    /// Gives back the pages of code at the first two looks, and later if many have been mapped since. Says how many bytes of mapped files
    /// became fewer; nothing when nothing was done.
    pub fn look(&mut self) -> Option<u64> {
        let now = system::mapped_file_bytes()?;
        if !self.is_due(now) {
            return None;
        }
        system::give_back();
        Some(now.saturating_sub(system::mapped_file_bytes()?))
    }

    fn is_due(&mut self, now: u64) -> bool {
        if self.given_back >= OF_START {
            let settled = *self.settled.get_or_insert(now);
            if now < settled.saturating_add(GROWN) {
                return false;
            }
        }
        (self.settled, self.given_back) = (None, self.given_back.saturating_add(1));
        true
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn mapped_file_bytes() -> Option<u64> {
        None
    }

    pub(super) fn give_back() {}
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::mm::{Advice, madvise};
    use std::fs;

    /// Bytes of mapped files and of shared memory that are in memory.
    pub(super) fn mapped_file_bytes() -> Option<u64> {
        let pages = fs::read_to_string("/proc/self/statm").ok()?;
        let shared: u64 = pages.split(' ').nth(2)?.parse().ok()?;
        Some(shared.saturating_mul(u64::try_from(rustix::param::page_size()).ok()?))
    }

    /// Takes the pages of code and constants out of this process.
    pub(super) fn give_back() {
        let (Ok(program), Ok(maps)) = (fs::read_link("/proc/self/exe"), fs::read_to_string("/proc/self/smaps")) else {
            return;
        };
        for (start, end) in unchanged_code(&maps, &program.to_string_lossy()) {
            // SAFETY: The range is a private mapping of a file without write permission of which this process has no page of its own
            // ("Anonymous" and "Swap" are 0): each page is the file's, and an access maps it again with the same content. The file is
            // the program or a library that it is linked with, which stays mapped until the process ends, so that nothing else can
            // have come to this place.
            #[expect(unsafe_code, reason = "the only way to say this to the system; see above")]
            // A refusal leaves the pages where they are.
            let _ =
                unsafe { madvise(std::ptr::with_exposed_provenance_mut(start), end - start, Advice::LinuxDontNeed) };
        }
    }

    /// Ranges of code and constants of the program that are as they are in the file, from the text of `/proc/self/smaps`.
    pub(super) fn unchanged_code(maps: &str, program: &str) -> Vec<(usize, usize)> {
        let (mut ranges, mut last) = (Vec::new(), None);
        for line in maps.lines() {
            let mut words = line.split_ascii_whitespace();
            match (words.next(), words.next(), words.next()) {
                (Some(range), Some(rights), Some(offset)) if range.contains('-') => {
                    last = code(range, rights, offset).filter(|_| stays(line, program));
                }
                (Some("Anonymous:" | "Swap:"), Some(kilobytes), _) if kilobytes != "0" => last = None,
                // The last line of each mapping.
                (Some("VmFlags:"), ..) => ranges.extend(last.take()),
                _ => {}
            }
        }
        ranges
    }

    /// Whether a mapping is of the program or of the C library. Other libraries may be closed by another thread at any time.
    fn stays(line: &str, program: &str) -> bool {
        // The file is the last of six columns and may have spaces.
        let Some((_, file)) = line.split_once(" /") else { return false };
        let name = file.rsplit('/').next();
        program.strip_prefix('/') == Some(file) || matches!(name, Some("libc.so.6" | "libm.so.6"))
    }

    /// Constants are at the beginning of a file. Those further behind were changed when the program was loaded.
    fn code(range: &str, rights: &str, offset: &str) -> Option<(usize, usize)> {
        let is_start = offset.bytes().all(|digit| digit == b'0');
        if rights != "r-xp" && !(rights == "r--p" && is_start) {
            return None;
        }
        let (start, end) = range.split_once('-')?;
        let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
        (start < end).then_some((start, end))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
