//! Releases side by side. Restate keeps with each run the deployment that began it, and gives new runs to the deployment that was
//! registered last. So the workers of each release are a deployment at an address of their own.

/// Workers of one release, as the Restate server knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deployment {
    /// Its id there.
    pub id: String,
    /// Where its workers are called.
    pub url: String,
    /// Their release; none when they were registered by something else.
    pub release: Option<String>,
    /// When it was registered, as the server writes it.
    pub created_at: String,
    /// New runs go to it.
    pub takes_new_runs: bool,
    /// Runs that it began and that have not ended.
    pub runs: Runs,
}

/// Runs of a deployment that have not ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runs {
    /// Carried out now.
    pub running: u64,
    /// They wait for a person or a time, and need no worker until then.
    pub waiting: u64,
    /// They stand still: Restate tries again and again to go on with them.
    pub standing: u64,
    /// Why one of them stands still.
    pub reason: Option<String>,
}

impl Runs {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.running + self.waiting + self.standing
    }
}

/// All deployments, and the runs that none of them has begun.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deployments {
    /// The newest first.
    pub all: Vec<Deployment>,
    /// Runs that were handed over and that no worker has begun.
    pub queued: u64,
}

/// Why the workers of a deployment are still needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// New runs go to it.
    TakesNewRuns,
    /// So many runs of it have not ended.
    Runs(u64),
}

impl Deployment {
    /// Why its workers cannot be stopped for ever; `None` when they can.
    pub fn needed(&self) -> Option<Needed> {
        match self.runs.all() {
            _ if self.takes_new_runs => Some(Needed::TakesNewRuns),
            0 => None,
            runs => Some(Needed::Runs(runs)),
        }
    }

    /// Its release in a sentence.
    pub fn release_words(&self) -> String {
        self.release.as_ref().map_or_else(|| "an unknown release".to_owned(), |release| format!("release {release}"))
    }
}

/// What is to be done so that workers of a release are called at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registration {
    /// Nothing: others of the same release have registered it. It is the one with this place in the list.
    Known(usize),
    /// A deployment is to be added.
    New,
    /// A deployment that nothing needs any more is at this address and is replaced.
    Replaces,
    /// Another release has runs under way at this address: they would be carried out by the wrong workers.
    Taken(usize),
}

impl Registration {
    /// What `known` means for workers of `release` at `url`.
    pub fn of(known: &[Deployment], url: &str, release: &str) -> Self {
        let same = |one: &Deployment| one.url.trim_end_matches('/') == url.trim_end_matches('/');
        let Some(place) = known.iter().position(same) else { return Self::New };
        match &known[place] {
            // To register it again would give new runs to it, also when a newer release is there.
            one if one.release.as_deref() == Some(release) => Self::Known(place),
            one if one.runs.all() > 0 => Self::Taken(place),
            _ => Self::Replaces,
        }
    }
}

#[cfg(test)]
mod tests;
