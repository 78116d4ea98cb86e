//! `trigger.message`: a message of a broker starts a run, and is acknowledged once the run is durable (ADR 170). What is still
//! to be acknowledged is written in the transaction that creates the run: a message that the broker gives again is acknowledged,
//! and starts nothing.

use super::error::{Class, TriggerError, TriggerResult};
use super::fire::Occurrence;
use super::host::TriggerHost;
use super::message_source::{EVERY_MS, MessageSource, event};
use super::scheduler::Scheduler;
use super::watch::{Dealt, Look, LookStart, Source, Watching};
use serde_json::json;
use signalbox_engine::BY_TRIGGER;
use signalbox_model::NodeFailure;
use signalbox_model::hash::sha256_parts;
use signalbox_nodes::{MessageLook, NewMessage, watch_messages};
use signalbox_store::Taken;
use std::collections::BTreeSet;

/// The entry of `trigger_seen` with the messages that are still to be acknowledged.
const SETTLED: &str = "settled";
/// Letters of the name of this trigger in a group.
const NAME: usize = 12;

/// A broker that is watched.
pub(crate) type WatchedBroker = Watching<MessageSource>;
type Found = (Vec<NewMessage>, Vec<String>);

impl WatchedBroker {
    fn settled(&self) -> Vec<String> {
        let kept = self.seen.get(SETTLED).and_then(|text| serde_json::from_str::<(String, Vec<String>)>(text).ok());
        // Those of other settings are nobody's any more.
        kept.filter(|(of, _)| *of == self.source.namespace()).map(|(_, ids)| ids).unwrap_or_default()
    }

    fn settled_mark(&self, ids: &[String]) -> Taken {
        let value = json!((self.source.namespace(), ids)).to_string();
        Taken { key: SETTLED.to_owned(), value, once: false }
    }
}

impl Source for MessageSource {
    type Found = Found;

    fn every_ms(&self) -> i64 {
        EVERY_MS
    }

    fn look(watched: &WatchedBroker, host: &dyn TriggerHost, start: LookStart) -> TriggerResult<Look<Found>> {
        let log = host.store().audit_state()?.log_id;
        // The same after a restart. Other settings, another trigger and another machine have another one, so that nobody takes
        // over their session and what it is subscribed to.
        let named = [log.as_str(), &watched.row.id, &watched.source.namespace()];
        let name: String = sha256_parts(&named.map(str::as_bytes)).chars().take(NAME).collect();
        let (source, settled) = (watched.source.clone(), watched.settled());
        Ok(Box::pin(async move {
            let call = source.call(&start.catalog, &start.workflow, start.here)?;
            let look = MessageLook { consumer: name, settled, patience: start.patience };
            watch_messages(&call, &start.world, look).await
        }))
    }

    fn deal(
        scheduler: &mut Scheduler,
        host: &dyn TriggerHost,
        watched: &mut WatchedBroker,
        (messages, acknowledged): Found,
        now: i64,
    ) -> TriggerResult<Dealt> {
        let acknowledged: BTreeSet<String> = acknowledged.into_iter().collect();
        let mut settled = watched.settled();
        let before = settled.len();
        settled.retain(|id| !acknowledged.contains(id));
        if settled.len() != before {
            let mark = watched.settled_mark(&settled);
            watched.takes(host, vec![mark], now)?;
        }
        for message in messages {
            if let Some(held) = scheduler.start_for_message(host, watched, message, &mut settled, now)? {
                return Ok(Dealt { held: Some(held), again: false });
            }
        }
        if watched.forgetting.is_due(now) {
            let marks = BTreeSet::from([SETTLED.to_owned()]);
            watched.forgetting.forget(host, &watched.row.id, marks, &mut watched.seen, now)?;
        }
        // Brokers tell of messages: the next look waits there.
        Ok(Dealt { held: None, again: true })
    }

    fn told(failure: &NodeFailure) -> String {
        let message = failure.message.trim_end_matches('.');
        format!("The broker cannot be asked: {message} ({}).", failure.code)
    }
}

impl Scheduler {
    /// Says why no run can start now: the message stays where it is, and so does all behind it.
    fn start_for_message(
        &mut self,
        host: &dyn TriggerHost,
        watched: &mut WatchedBroker,
        message: NewMessage,
        settled: &mut Vec<String>,
        now: i64,
    ) -> TriggerResult<Option<String>> {
        let NewMessage { id, key, data } = message;
        let mut with_this = settled.clone();
        with_this.push(id.clone());
        let taken = vec![watched.settled_mark(&with_this)];
        // An id that the broker gives again names the message only until it is acknowledged.
        let key = key.unwrap_or_else(|| format!("{id} {now}"));
        let occurrence = Occurrence {
            key: format!("{} {key}", watched.source.namespace()),
            at_ms: now,
            is_tick: false,
            event: event(&watched.row.id, data, false),
            started_by: BY_TRIGGER,
            trace: None,
        };
        let started = self
            .version(host, &watched.row.version)
            .and_then(|version| host.fire_taking(&watched.row, version, occurrence, taken.clone(), now));
        match started {
            Ok(_) => watched.knows(taken),
            // Its run has started before, and the acknowledgement did not arrive.
            Err(error) if error.code == "FIRED_BEFORE" => watched.takes(host, taken, now)?,
            Err(error) if error.code == "TRIGGER_CHANGED" || error.class == Class::Unavailable => return Err(error),
            Err(TriggerError { message, .. }) => return Ok(Some(message)),
        }
        *settled = with_this;
        Ok(None)
    }
}
