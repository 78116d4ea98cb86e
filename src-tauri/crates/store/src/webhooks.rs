//! Addresses that hear of tasks, and what each is told. Each change of the addresses is one transaction with its audit entry.

use crate::chain;
use crate::error::Result;
use crate::instance::Instance;
use crate::store::Store;
use crate::table::webhook::{self, Webhook, WebhookDelivery, WebhookState, WebhookTried};
use signalbox_audit::Record;
use std::sync::Arc;

/// What came of an address that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookAdded {
    /// It is kept.
    Added,
    /// It was there: told twice, a receiver could not tell one message from the other.
    Known,
    /// There are as many as there may be.
    TooMany,
}

/// Webhooks.
impl Store {
    /// All addresses, the oldest first.
    pub fn webhooks(&self) -> Result<Vec<WebhookState>> {
        self.view(|connection| {
            let state = |webhook: Webhook| {
                let (waiting, failed) = webhook::counts(connection, &webhook.id)?;
                Ok(WebhookState { webhook, waiting, failed })
            };
            webhook::all(connection)?.into_iter().map(state).collect()
        })
    }

    /// One address.
    pub fn webhook(&self, id: &str) -> Result<Option<Webhook>> {
        self.view(|connection| webhook::get(connection, id))
    }

    /// Keeps an address, unless it is known or there are `most` already.
    pub fn webhook_add(&self, one: Webhook, most: usize, record: Record) -> Result<WebhookAdded> {
        self.write(true, move |work| {
            let all = webhook::all(work.connection)?;
            if all.iter().any(|known| known.url == one.url) {
                return Ok(WebhookAdded::Known);
            }
            if all.len() >= most {
                return Ok(WebhookAdded::TooMany);
            }
            webhook::insert(work.connection, &one)?;
            chain::append(work, vec![record])?;
            Ok(WebhookAdded::Added)
        })
    }

    /// Forgets an address and what it was to be told. False, and nothing is written, when there is none.
    pub fn webhook_remove(&self, id: &str, record: Record) -> Result<bool> {
        let id = id.to_owned();
        self.write(true, move |work| {
            let removed = webhook::remove(work.connection, &id)?;
            if removed {
                chain::append(work, vec![record])?;
            }
            Ok(removed)
        })
    }

    /// What was told, to one address or to all; the newest first.
    pub fn webhook_log(&self, id: Option<&str>, limit: usize) -> Result<Vec<WebhookDelivery>> {
        self.view(|connection| webhook::log(connection, id, limit))
    }

    /// One message.
    pub fn webhook_delivery(&self, id: &str) -> Result<Option<WebhookDelivery>> {
        self.view(|connection| webhook::delivery(connection, id))
    }

    /// Ids of the addresses that something is to be sent to now, and that nobody sends to.
    pub fn webhooks_due(&self, now_ms: i64) -> Result<Vec<String>> {
        self.view(|connection| {
            let mut free = Vec::new();
            for webhook in webhook::due(connection, now_ms)? {
                let busy = webhook::busy(connection, &webhook.id)?;
                if !rests(&webhook, now_ms) && !busy.is_some_and(|busy| is_sending(&self.inner.instance, &busy, now_ms))
                {
                    free.push(webhook.id);
                }
            }
            Ok(free)
        })
    }

    /// The next message to an address that is due (or the one of this id, also while the address is left alone), for this
    /// process to send before `until_ms`; nobody else sends to the address meanwhile, unless this process dies.
    pub fn webhook_take(
        &self,
        id: &str,
        only: Option<&str>,
        now_ms: i64,
        until_ms: i64,
    ) -> Result<Option<(Webhook, WebhookDelivery)>> {
        let (id, only) = (id.to_owned(), only.map(str::to_owned));
        let instance = Arc::clone(&self.inner.instance);
        self.write(false, move |work| {
            let connection = work.connection;
            let Some(webhook) = webhook::get(connection, &id)? else { return Ok(None) };
            let busy = webhook::busy(connection, &id)?;
            if (only.is_none() && rests(&webhook, now_ms))
                || busy.is_some_and(|busy| is_sending(&instance, &busy, now_ms))
            {
                return Ok(None);
            }
            let Some(next) = webhook::next(connection, &id, only.as_deref(), now_ms)? else { return Ok(None) };
            webhook::occupy(connection, &id, &instance.id, until_ms)?;
            Ok(Some((webhook, next)))
        })
    }

    /// What came of an attempt. `record` is written when messages were given up.
    pub fn webhook_tried(&self, one: WebhookDelivery, tried: WebhookTried, record: Record) -> Result<()> {
        self.write(true, move |work| {
            if webhook::tried(work.connection, &one, &tried)? > 0 {
                chain::append(work, vec![record])?;
            }
            Ok(())
        })
    }

    /// Has a message sent again now. False, and nothing is written, when there is none.
    pub fn webhook_again(&self, id: &str, now_ms: i64, record: Record) -> Result<bool> {
        let id = id.to_owned();
        self.write(true, move |work| {
            let found = webhook::again(work.connection, &id, now_ms)?;
            if found {
                chain::append(work, vec![record])?;
            }
            Ok(found)
        })
    }
}

/// Longest time that an address is left alone, milliseconds. What is further away was written before the clock was put back.
pub const WEBHOOK_REST_MS: i64 = 5 * 60_000;

pub(crate) fn holds(until_ms: i64, now_ms: i64) -> bool {
    until_ms > now_ms && until_ms - now_ms <= WEBHOOK_REST_MS
}

/// An address that did not take a message is left alone for a while.
fn rests(webhook: &Webhook, now_ms: i64) -> bool {
    webhook.next_ms.is_some_and(|next| holds(next, now_ms))
}

pub(crate) fn is_sending(instance: &Instance, (by, until_ms): &(String, i64), now_ms: i64) -> bool {
    holds(*until_ms, now_ms) && instance.is_alive(by)
}
