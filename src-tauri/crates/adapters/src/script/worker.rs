//! What a process that runs scripts does: a line in, a line out, until nobody asks any more.

use super::evaluate::evaluate;
use super::wire::{LARGEST, Request};
use std::io::{self, BufRead, Read, Write};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// How often a process looks whether somebody still wants it.
const LOOK: Duration = Duration::from_secs(10);
/// One that nobody asked for so many looks ends.
const LOOKS: u64 = 6;

/// Answers the scripts on standard input until it ends.
pub fn serve() {
    let unasked = Arc::new(AtomicU64::new(0));
    let watched = Arc::clone(&unasked);
    // Only a thread can end a process that waits for its input.
    let watch = thread::Builder::new().spawn(move || {
        while watched.fetch_add(1, Ordering::Relaxed) < LOOKS {
            thread::sleep(LOOK);
        }
        exit(0);
    });
    // Without it the process stays until its input ends.
    drop(watch);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = u64::try_from(LARGEST).unwrap_or(u64::MAX);
        match input.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        // While a script runs nobody has to ask.
        unasked.store(0, Ordering::Relaxed);
        let Ok(request) = serde_json::from_slice::<Request>(&line) else { return };
        let answer = evaluate(&request).line();
        unasked.store(0, Ordering::Relaxed);
        if output.write_all(&answer).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
