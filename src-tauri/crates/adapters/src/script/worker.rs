//! What a process that runs scripts does: a line in, a line out, until nobody asks any more.

use super::evaluate::evaluate;
use super::wire::{LARGEST, Request};
use crate::documents;
use std::io::{self, BufRead, Read, Write};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// How often a process looks whether somebody still wants it.
const LOOK: Duration = Duration::from_secs(10);
/// One that nobody asked for so many looks ends.
const LOOKS: u64 = 6;

/// The stack of the thread that runs scripts: what a main thread has is another on every system.
pub(super) const STACK: usize = 8 << 20;

/// What the watcher knows of the work.
#[derive(Default)]
struct Asked {
    /// Looks since the last script ended.
    unasked: AtomicU64,
    /// A script runs.
    busy: AtomicBool,
}

impl Asked {
    fn begin(&self) {
        self.busy.store(true, Ordering::SeqCst);
    }

    fn end(&self) {
        self.unasked.store(0, Ordering::SeqCst);
        self.busy.store(false, Ordering::SeqCst);
    }

    /// Whether nobody wants the process any more. While a script runs nobody has to ask.
    fn is_over(&self) -> bool {
        !self.busy.load(Ordering::SeqCst) && self.unasked.fetch_add(1, Ordering::SeqCst) >= LOOKS
    }
}

/// Answers the scripts on standard input until it ends, or reads a document.
pub fn serve() {
    serve_with(None);
}

/// The same with Parquet and Arrow files among the documents. Another function, so that programs without them do not carry their
/// library.
#[cfg(feature = "columnar")]
pub fn serve_all() {
    serve_with(Some(documents::TABLES));
}

fn serve_with(tables: Option<documents::Tables>) {
    if documents::is_worker() {
        return documents::serve(tables);
    }
    // Without a thread the process ends, and whoever waits for it says so.
    if let Ok(work) = thread::Builder::new().stack_size(STACK).spawn(answer_all) {
        drop(work.join());
    }
}

fn answer_all() {
    let asked = Arc::new(Asked::default());
    let watched = Arc::clone(&asked);
    // Only a thread can end a process that waits for its input.
    let watch = thread::Builder::new().spawn(move || {
        while !watched.is_over() {
            thread::sleep(LOOK);
        }
        exit(0);
    });
    // Without it the process stays until its input ends.
    drop(watch);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        if !read_line(&mut input, &mut line) {
            return;
        }
        asked.begin();
        let Ok(request) = serde_json::from_slice::<Request>(&line) else { return };
        if !read_line(&mut input, &mut line) {
            return;
        }
        let Ok(values) = String::from_utf8(std::mem::take(&mut line)) else { return };
        let answer = evaluate(&request, values);
        if answer.write(&mut output).and_then(|()| output.flush()).is_err() {
            return;
        }
        asked.end();
    }
}

/// False at the end of the input, and when it is too long.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> bool {
    line.clear();
    let limit = u64::try_from(LARGEST).unwrap_or(u64::MAX);
    input.take(limit).read_until(b'\n', line).is_ok() && line.ends_with(b"\n")
}

#[cfg(test)]
mod tests;
