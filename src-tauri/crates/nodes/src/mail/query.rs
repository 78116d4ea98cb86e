//! Which messages of a mailbox a step wants, and what is done with them afterwards.

use crate::formats;
use crate::support::{flag, setting, text, text_or, whole, whole_of, wrong_setting};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;
use signalbox_model::{NodeFailure, time};
use signalbox_ports::mail::{MailChange, MailQuery, MailSearch};

const DEFAULT_LIMIT: u64 = 50;
const MOST: u64 = 500;
const DEFAULT_MAX_MESSAGE: u64 = 25 * 1024 * 1024;
const LEAST_MAX_MESSAGE: u64 = 64 * 1024;
/// Longest name or text of a search, characters.
const LONGEST: usize = 1_000;

fn invalid(field: &str, words: impl Into<String>) -> NodeFailure {
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}

/// The settings of a step as a query.
pub(crate) fn query(slot: &CallSlot) -> Result<MailQuery, NodeFailure> {
    let named = |field: &str| -> Result<Option<String>, NodeFailure> {
        if setting(slot, field).is_none() {
            return Ok(None);
        }
        let given = text(slot, field)?.trim();
        if given.chars().any(char::is_control) || given.chars().count() > LONGEST {
            return Err(invalid(field, format!("'{field}' has a line break, or more than {LONGEST} characters")));
        }
        Ok((!given.is_empty()).then(|| given.to_owned()))
    };
    // A form stores an empty field as an empty text.
    let is_empty = |field: &str| setting(slot, field).is_none_or(|value| value.as_str() == Some(""));
    let number = |field: &str| if is_empty(field) { Ok(None) } else { whole(slot, field, 1, u64::from(u32::MAX)) };
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let uids = match setting(slot, "uid") {
        None => Vec::new(),
        Some(Value::Array(list)) if list.len() <= usize::try_from(MOST).unwrap_or(usize::MAX) => list
            .iter()
            .enumerate()
            .map(|(at, one)| whole_of(&format!("uid.{at}"), one, 1, u64::from(u32::MAX)).map(small))
            .collect::<Result<_, _>>()?,
        Some(Value::Array(_)) => return Err(invalid("uid", format!("'uid' has more than {MOST} numbers"))),
        Some(_) => number("uid")?.into_iter().map(small).collect(),
    };
    let search = MailSearch {
        unseen: flag(slot, "unseen", false)?,
        from: named("from")?,
        to: named("to")?,
        subject: named("subject")?,
        text: named("text")?,
        since_ms: since(slot)?,
        uids,
        uid_validity: number("uidValidity")?.map(small),
    };
    if !search.uids.is_empty() && search.uid_validity.is_none() {
        let words = "A number names a message only together with the UIDVALIDITY of its mailbox; fill in 'uidValidity'";
        return Err(invalid("uidValidity", words));
    }
    let target = named("moveTo")?;
    let moved = |seen: bool| match &target {
        Some(mailbox) => Ok(Some(MailChange::Move { mailbox: mailbox.clone(), seen })),
        None => Err(invalid("moveTo", "Messages are to be moved, and 'moveTo' names no mailbox")),
    };
    let change = match text_or(slot, "after", "none")? {
        "none" => None,
        "seen" => Some(MailChange::Seen),
        "flag" => Some(MailChange::Flag),
        "move" => moved(false)?,
        "seen_move" => moved(true)?,
        _ => return Err(wrong_setting("after", "none, seen, flag, move or seen_move", &slot.config["after"])),
    };
    let limit = whole(slot, "limit", 1, MOST)?.unwrap_or(DEFAULT_LIMIT);
    let max_message = whole(slot, "maxMessageBytes", LEAST_MAX_MESSAGE, formats::MAX_BYTES as u64)?;
    Ok(MailQuery {
        mailbox: named("mailbox")?.unwrap_or_else(|| "INBOX".to_owned()),
        search,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        attachments: flag(slot, "attachments", false)?,
        max_message: small(max_message.unwrap_or(DEFAULT_MAX_MESSAGE)),
        change,
    })
}

/// A day or a time.
fn since(slot: &CallSlot) -> Result<Option<i64>, NodeFailure> {
    if setting(slot, "since").is_none() {
        return Ok(None);
    }
    let given = text(slot, "since")?.trim();
    if given.is_empty() {
        return Ok(None);
    }
    let ms = time::parse(given).or_else(|| time::parse(&format!("{given}T00:00:00Z")));
    let wrong = || invalid("since", "'since' is no time; write 2026-11-30 or 2026-11-30T08:00:00Z");
    ms.map(Some).ok_or_else(wrong)
}
