//! What the server grants to those who connect: time, and places. Nobody can keep it from answering others (ADR 86).

use std::time::Duration;

/// Files that this process asks the system for, when it may.
#[cfg(unix)]
const FILES: u64 = 8_192;
/// Connections at most, however many files the process may open.
const CONNECTIONS: u64 = 2_048;

/// Limits of the server.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// From the first byte of a request, or the opening of its connection, to the end of its headers.
    pub(crate) headers: Duration,
    /// How long a connection may lie idle between two requests.
    pub(crate) idle: Duration,
    /// In this time a body has to bring [`Limits::BODY_LEAST`] bytes, or its end.
    pub(crate) body: Duration,
    /// How long somebody may take no byte of an answer that waits for them.
    pub(crate) unread: Duration,
    /// Connections at once.
    pub(crate) connections: usize,
    /// Requests that one holder of tokens may have under way, streams of events among them; the rest is for others.
    pub(crate) requests_of_one: usize,
}

impl Limits {
    /// See [`Limits::body`].
    pub(crate) const BODY_LEAST: usize = 4 * 1024;

    /// The limits of a process that may open so many files: a quarter stays for the store, for runs and their connections.
    fn of(files: u64) -> Self {
        let connections = usize::try_from((files / 4 * 3).clamp(8, CONNECTIONS)).unwrap_or(8);
        Self {
            headers: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            body: Duration::from_secs(30),
            unread: Duration::from_secs(60),
            connections,
            requests_of_one: connections / 4 * 3,
        }
    }

    /// The limits of this process. Raises what it may open as far as the system lets it, and as it needs.
    pub(crate) fn of_this_process() -> Self {
        Self::of(open_files())
    }
}

#[cfg(unix)]
fn open_files() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Without a number there is no limit.
    let Some(now) = current else { return u64::MAX };
    let wanted = maximum.unwrap_or(FILES).min(FILES);
    let raised = Rlimit { current: Some(wanted), maximum };
    if now < wanted && setrlimit(Resource::Nofile, raised).is_ok() { wanted } else { now }
}

#[cfg(not(unix))]
fn open_files() -> u64 {
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::{Limits, open_files};

    #[test]
    fn connections_leave_files_for_everything_else() {
        for (files, connections, of_one) in
            [(256, 192, 144), (1_024, 768, 576), (8_192, 2_048, 1_536), (u64::MAX, 2_048, 1_536), (4, 8, 6)]
        {
            let limits = Limits::of(files);
            assert_eq!((limits.connections, limits.requests_of_one), (connections, of_one), "{files}");
        }
        assert_eq!(open_files(), open_files(), "it is raised once");
    }
}
