//! A sink as it is kept in the store, and whose turn it is to copy to it.

use crate::audit::destinations::{Kind, MINUTE, Place};
use crate::dto::SinkKind;
use crate::error::{ApiError, ApiResult, Class};
use serde::{Deserialize, Serialize};
use signalbox_adapters::sinks;
use signalbox_model::AuditEvent;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How long entries are gathered for a server, and for a store where each batch is an object.
const GATHERED: i64 = 2_000;
const SEGMENT: i64 = MINUTE;

/// One copy at a time to each place: a slow one delays no other, and nobody delivers twice at once.
#[derive(Default)]
pub(crate) struct SinkTurns(Mutex<HashMap<String, Arc<Mutex<()>>>>);

impl SinkTurns {
    pub(super) fn of(&self, id: &str) -> Arc<Mutex<()>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(turns.entry(id.to_owned()).or_default())
    }
}

/// A sink, as it is kept. Those of before are files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Target {
    pub(super) id: String,
    /// How steps name it; those of before have their id.
    #[serde(default)]
    pub(super) name: Option<String>,
    pub(super) place: String,
    #[serde(default)]
    pub(super) kind: SinkKind,
    /// A person on this machine named an address of it or of a private network.
    #[serde(default)]
    pub(super) here: bool,
    /// Name of the secret.
    #[serde(default)]
    pub(super) credential: Option<String>,
    /// PEM.
    #[serde(default)]
    pub(super) ca: Option<String>,
    #[serde(default)]
    pub(super) paused: bool,
}

impl Target {
    pub(super) fn file(place: String, name: Option<String>) -> Self {
        let id = uuid::Uuid::now_v7().to_string();
        Self { id, name, place, kind: SinkKind::File, here: false, credential: None, ca: None, paused: false }
    }

    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.id)
    }

    /// How long entries wait for more.
    pub(super) fn gathers(&self) -> i64 {
        match self.kind {
            SinkKind::File => 0,
            SinkKind::S3 => SEGMENT,
            SinkKind::Postgres | SinkKind::Elasticsearch | SinkKind::Syslog | SinkKind::Kafka => GATHERED,
        }
    }
}

/// A name for a new sink: the one that a person wants, else that of its kind, with a number when it is taken.
pub(super) fn new_name(known: &[Target], wanted: Option<&str>, kind: SinkKind) -> ApiResult<String> {
    let is_taken = |name: &str| known.iter().any(|target| target.name() == name);
    let Some(wanted) = wanted.map(str::trim).filter(|name| !name.is_empty()) else {
        let kind = serde_json::to_value(kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        let kind = kind.unwrap_or_default();
        let numbered = (2..).map(|number| format!("{kind}-{number}"));
        let free = std::iter::once(kind.clone()).chain(numbered).find(|name| !is_taken(name));
        return Ok(free.unwrap_or(kind));
    };
    let fits = wanted.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c));
    if !fits || wanted.len() > 40 {
        let message = format!("'{wanted}' cannot be the name of a sink.");
        return Err(ApiError::bad_request(message, "Use at most 40 small letters, digits, '-' and '_'."));
    }
    if is_taken(wanted) {
        let message = format!("There is a sink with the name '{wanted}' already.");
        return Err(ApiError::new(Class::Conflict, "SINK_EXISTS", message, "Choose another name."));
    }
    Ok(wanted.to_owned())
}

pub(super) fn kind(kind: SinkKind) -> Option<sinks::Kind> {
    Some(match kind {
        SinkKind::File => return None,
        SinkKind::Postgres => sinks::Kind::Postgres,
        SinkKind::S3 => sinks::Kind::S3,
        SinkKind::Elasticsearch => sinks::Kind::Elasticsearch,
        SinkKind::Syslog => sinks::Kind::Syslog,
        SinkKind::Kafka => sinks::Kind::Kafka,
    })
}

impl Place for Target {
    const KIND: Kind = Kind {
        list: "sinks",
        standing: "sink",
        changed: AuditEvent::AuditSinkChanged,
        failed: AuditEvent::AuditSinkFailed,
        goes_to: "Entries are copied to",
        exists: "SINK_EXISTS",
        too_many: "TOO_MANY_SINKS",
        command: "signalbox audit sink list",
    };

    fn id(&self) -> &str {
        &self.id
    }

    fn shown(&self) -> String {
        self.place.clone()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.place == other.place
    }
}
