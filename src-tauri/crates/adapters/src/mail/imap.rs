//! Reading: the newest messages of a mailbox that fit a search, one after the other, and what is done with them afterwards.

use super::MailServers;
use super::connect::invalid;
use super::parse::{self, Meta};
use super::search::{Texts, criteria, quoted};
use super::smtp::{is_token, user};
use super::stream::{MailStream, is_endless};
use super::utf7;
use async_imap::error::Error;
use async_imap::imap_proto::{AttributeValue, Capability, MailboxDatum, Response, ResponseCode, Status};
use async_imap::{Authenticator, Client, Session};
use signalbox_ports::Credential;
use signalbox_ports::mail::{MailChange, MailError, MailProtocol, MailQuery, MailServer, MailSink};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Messages that are searched at once, so that an answer has a bounded length in a mailbox of any size.
pub(super) const WINDOW: u32 = 5_000;
/// Messages whose size and flags are asked for at once.
pub(super) const BATCH: usize = 200;
/// What an answer may have besides the bytes that it is about.
pub(super) const SLACK: u64 = 512 * 1024;
/// How long LOGOUT may take.
const LOGOUT_TIMEOUT: Duration = Duration::from_millis(500);

/// Longest name of a flag that is handed on, characters.
const LONGEST_FLAG: usize = 100;

pub(super) type Open = Session<MailStream>;

pub(super) async fn read(
    servers: &MailServers,
    server: &MailServer,
    query: &MailQuery,
    sink: &mut dyn MailSink,
    changing: &AtomicBool,
) -> Result<(), MailError> {
    let host = server.host.as_str();
    let mut session = sign_in(servers, server).await?;
    let Selected { exists, uid_validity, .. } = select(&mut session, host, query).await?;
    if let Some(wanted) = query.search.uid_validity.filter(|wanted| *wanted != uid_validity) {
        return Err(MailError::UidValidityChanged { wanted, found: uid_validity });
    }
    let found = find(&mut session, host, query, exists).await?;
    let mut taken = Vec::with_capacity(found.len());
    for meta in found {
        let uid = meta.uid;
        // Deleted meanwhile: as if it had not been found.
        let Some(raw) = fetch(&mut session, host, query, &meta).await? else { continue };
        let mail = parse::message(raw, meta, uid_validity, query).await;
        if !sink.take(mail).await {
            return Ok(());
        }
        taken.push(uid);
    }
    if let Some(change) = query.change.as_ref().filter(|_| !taken.is_empty()) {
        changing.store(true, Ordering::Relaxed);
        apply(&mut session, host, change, &set(&taken)).await?;
        changing.store(false, Ordering::Relaxed);
    }
    goodbye(&mut session).await;
    Ok(())
}

/// Nothing depends on the server's answer.
pub(super) async fn goodbye(session: &mut Open) {
    let _gone = tokio::time::timeout(LOGOUT_TIMEOUT, session.logout()).await;
}

/// Signs in, and leaves.
pub(super) async fn check(servers: &MailServers, server: &MailServer) -> Result<(), MailError> {
    goodbye(&mut sign_in(servers, server).await?).await;
    Ok(())
}

pub(super) async fn sign_in(servers: &MailServers, server: &MailServer) -> Result<Open, MailError> {
    let host = server.host.as_str();
    let Some(credential) = &server.credential else {
        return Err(invalid("credential", "A mailbox needs a password; choose the secret that holds it"));
    };
    let user = user(server)?;
    let opened = servers.open(server, MailProtocol::Imap).await?;
    let mut client = Client::new(opened.stream);
    if !opened.greeted {
        let greeting = client.read_response().await.map_err(|error| failure(host, Error::Io(error)))?;
        match greeting.as_ref().map(|greeting| greeting.parsed()) {
            Some(Response::Data { status: Status::Ok, .. }) => {}
            Some(Response::Data { status: Status::Bye, outcome }) => {
                let said = outcome.information.as_deref().unwrap_or_default();
                let message = format!("{host} takes no connections now: {}", one_line(said));
                return Err(MailError::Refused { code: None, message, temporary: true });
            }
            Some(_) => {
                return Err(MailError::BadAnswer { message: format!("{host} does not speak IMAP at this port") });
            }
            None => return Err(failure(host, Error::ConnectionLost)),
        }
    }
    let token = is_token(server);
    let opened = if token {
        let answer = AccessToken { user: &user, token: credential, sent: false };
        client.authenticate("XOAUTH2", answer).await
    } else {
        client.login(&user, credential.value.expose()).await
    };
    let what = if token { "the access token" } else { "user and password" };
    opened.map_err(|(error, _)| match error {
        Error::No(why) if is_temporary(&why) => refused(host, "cannot check the sign-in now", &why),
        Error::No(why) | Error::Bad(why) => {
            MailError::Auth { message: format!("{host} does not accept {what}: {}", said(&why)) }
        }
        other => failure(host, other),
    })
}

/// The one answer of XOAUTH2. A challenge after it is the reason of a refusal, which an empty answer ends.
struct AccessToken<'a> {
    user: &'a str,
    token: &'a Credential,
    sent: bool,
}

impl Authenticator for AccessToken<'_> {
    type Response = String;

    fn process(&mut self, _challenge: &[u8]) -> String {
        if std::mem::replace(&mut self.sent, true) {
            return String::new();
        }
        format!("user={}\x01auth=Bearer {}\x01\x01", self.user, self.token.value.expose())
    }
}

/// Sends a command and hands each answer on until the one that ends it. The library's own commands for lists take the end of a
/// connection, and a refusal, for the end of the list, so that messages would be missing without a word.
pub(super) async fn command(
    session: &mut Open,
    text: String,
    mut each: impl FnMut(&Response<'_>) + Send,
) -> Result<(), Error> {
    let id = session.run_command(text).await?;
    loop {
        let answer = session.read_response().await?.ok_or(Error::ConnectionLost)?;
        match answer.parsed() {
            Response::Done { tag, status, outcome } if *tag == id => {
                let said = outcome.information.as_deref().unwrap_or_default().to_owned();
                return match status {
                    Status::Ok => Ok(()),
                    Status::No => Err(Error::No(said)),
                    Status::Bad => Err(Error::Bad(said)),
                    Status::PreAuth | Status::Bye => Err(Error::ConnectionLost),
                };
            }
            other => each(other),
        }
    }
}

/// A mailbox that was opened.
pub(super) struct Selected {
    /// How many messages it has.
    pub(super) exists: u32,
    pub(super) uid_validity: u32,
    /// The number of the next message, where the server tells it.
    pub(super) uid_next: Option<u32>,
}

/// Opens the mailbox.
pub(super) async fn select(session: &mut Open, host: &str, query: &MailQuery) -> Result<Selected, MailError> {
    let verb = if query.change.is_some() { "SELECT" } else { "EXAMINE" };
    let (mut exists, mut validity, mut uid_next) = (0, None, None);
    session.get_mut().allow(SLACK);
    let opened = command(session, format!("{verb} {}", quoted(&utf7::encode(&query.mailbox))), |answer| match answer {
        Response::MailboxData(MailboxDatum::Exists(count)) => exists = *count,
        Response::Data { outcome, .. } => match &outcome.code {
            Some(ResponseCode::UidValidity(known)) => validity = Some(*known),
            Some(ResponseCode::UidNext(known)) => uid_next = Some(*known),
            _ => {}
        },
        _ => {}
    });
    opened.await.map_err(|error| match error {
        Error::No(why) => MailboxError { mailbox: &query.mailbox, host, why: &why }.into(),
        other => failure(host, other),
    })?;
    let uid_validity = validity.ok_or_else(|| MailError::BadAnswer {
        message: format!("{host} gives the messages of '{}' no lasting numbers (UIDVALIDITY)", query.mailbox),
    })?;
    Ok(Selected { exists, uid_validity, uid_next })
}

/// Whether the server can do each of these.
pub(super) async fn can<const N: usize>(
    session: &mut Open,
    host: &str,
    names: [&str; N],
) -> Result<[bool; N], MailError> {
    let mut found = [false; N];
    session.get_mut().allow(SLACK);
    let asked = command(session, "CAPABILITY".into(), |answer| {
        if let Response::Capabilities(all) = answer {
            for (at, name) in names.iter().enumerate() {
                found[at] |=
                    all.iter().any(|one| matches!(one, Capability::Atom(atom) if atom.eq_ignore_ascii_case(name)));
            }
        }
    });
    asked.await.map_err(|error| failure(host, error))?;
    Ok(found)
}

/// The messages that are wanted, newest first.
async fn find(session: &mut Open, host: &str, query: &MailQuery, exists: u32) -> Result<Vec<Meta>, MailError> {
    if !query.search.uids.is_empty() {
        let mut uids = query.search.uids.clone();
        uids.sort_unstable_by(|a, b| b.cmp(a));
        uids.dedup();
        uids.truncate(query.limit);
        let mut found = Vec::new();
        for batch in uids.chunks(BATCH) {
            found.extend(metas(session, host, batch).await?);
        }
        return Ok(found);
    }
    let [plus, minus] = can(session, host, ["LITERAL+", "LITERAL-"]).await?;
    let texts = if plus || minus { Texts::Literal } else { Texts::Quoted };
    let (mut found, mut high) = (Vec::new(), exists);
    while high > 0 && found.len() < query.limit {
        let low = high.saturating_sub(WINDOW - 1).max(1);
        session.get_mut().allow(SLACK);
        let mut uids: Vec<u32> = Vec::new();
        let search = format!("UID SEARCH {}", criteria(&query.search, &format!("{low}:{high}"), texts));
        let searched = command(session, search, |answer| {
            if let Response::MailboxData(MailboxDatum::Search(found)) = answer {
                uids.extend(found);
            }
        });
        searched.await.map_err(|error| match error {
            Error::No(why) => refused(host, "does not search", &why),
            other => failure(host, other),
        })?;
        uids.sort_unstable_by(|a, b| b.cmp(a));
        uids.dedup();
        for batch in uids.chunks(BATCH) {
            let since = query.search.since_ms;
            let late = |meta: &Meta| since.is_none_or(|since| meta.received_ms.is_none_or(|at| at >= since));
            found.extend(metas(session, host, batch).await?.into_iter().filter(late));
            if found.len() >= query.limit {
                break;
            }
        }
        high = low - 1;
    }
    found.truncate(query.limit);
    Ok(found)
}

/// Size, time and flags of messages, by falling number.
pub(super) async fn metas(session: &mut Open, host: &str, uids: &[u32]) -> Result<Vec<Meta>, MailError> {
    session.get_mut().allow(SLACK);
    let mut metas: Vec<Meta> = Vec::with_capacity(uids.len());
    let asked = command(session, format!("UID FETCH {} (UID FLAGS INTERNALDATE RFC822.SIZE)", set(uids)), |answer| {
        let Response::Fetch(_, attributes) = answer else { return };
        let (mut uid, mut size, mut received_ms, mut flags) = (None, None, None, Vec::new());
        for attribute in attributes {
            match attribute {
                AttributeValue::Uid(number) => uid = Some(*number),
                AttributeValue::Rfc822Size(bytes) => size = Some(*bytes),
                AttributeValue::InternalDate(date) => received_ms = internal_date(date),
                AttributeValue::Flags(names) => {
                    flags = names.iter().map(|name| name.chars().take(LONGEST_FLAG).collect()).collect();
                }
                _ => {}
            }
        }
        // Servers also tell about messages that nobody asked for.
        if let (Some(uid), Some(size)) = (uid.filter(|uid| uids.contains(uid)), size) {
            metas.push(Meta { uid, size, received_ms, flags });
        }
    });
    asked.await.map_err(|error| failure(host, error))?;
    metas.sort_unstable_by_key(|meta| Reverse(meta.uid));
    metas.dedup_by_key(|meta| meta.uid);
    Ok(metas)
}

/// ` 7-Nov-2026 08:00:00 +0100` in milliseconds since 1970.
fn internal_date(text: &str) -> Option<i64> {
    let parsed = jiff::fmt::strtime::parse("%d-%b-%Y %H:%M:%S %z", text.trim()).ok()?;
    Some(parsed.to_timestamp().ok()?.as_millisecond())
}

/// The bytes of a message, or of its headers when it is too large; nothing when it is gone.
pub(super) async fn fetch(
    session: &mut Open,
    host: &str,
    query: &MailQuery,
    meta: &Meta,
) -> Result<Option<Vec<u8>>, MailError> {
    let part = if meta.size > query.max_message { "BODY.PEEK[HEADER]" } else { "BODY.PEEK[]" };
    // Some servers tell another size than they send; twice as much is no accident.
    session.get_mut().allow(u64::from(meta.size.min(query.max_message)) * 2 + SLACK);
    let mut raw = None;
    let asked = command(session, format!("UID FETCH {} (UID {part})", meta.uid), |answer| {
        let Response::Fetch(_, attributes) = answer else { return };
        let is_asked = attributes.iter().any(|one| matches!(one, AttributeValue::Uid(uid) if *uid == meta.uid));
        let bytes = attributes.iter().find_map(|one| match one {
            AttributeValue::BodySection { data: Some(bytes), .. } => Some(bytes),
            _ => None,
        });
        if is_asked && raw.is_none() {
            raw = bytes.map(|bytes| bytes.to_vec());
        }
    });
    asked.await.map_err(|error| failure(host, error))?;
    Ok(raw)
}

/// Changes messages that were taken.
pub(super) async fn apply(session: &mut Open, host: &str, change: &MailChange, uids: &str) -> Result<(), MailError> {
    session.get_mut().allow(SLACK);
    match change {
        MailChange::Seen => run(session, host, format!("UID STORE {uids} +FLAGS.SILENT (\\Seen)")).await,
        MailChange::Flag => run(session, host, format!("UID STORE {uids} +FLAGS.SILENT (\\Flagged)")).await,
        MailChange::Move { mailbox, seen } => {
            let [moves, has_uids] = can(session, host, ["MOVE", "UIDPLUS"]).await?;
            if *seen {
                run(session, host, format!("UID STORE {uids} +FLAGS.SILENT (\\Seen)")).await?;
            }
            let target = quoted(&utf7::encode(mailbox));
            let verb = if moves { "MOVE" } else { "COPY" };
            match command(session, format!("UID {verb} {uids} {target}"), |_| {}).await {
                Ok(()) => {}
                Err(Error::No(why)) => return Err(MailboxError { mailbox, host, why: &why }.into()),
                Err(error) => return Err(unconfirmed(host, error)),
            }
            if moves {
                return Ok(());
            }
            run(session, host, format!("UID STORE {uids} +FLAGS.SILENT (\\Deleted)")).await?;
            // Without UIDPLUS an EXPUNGE would remove what others have marked.
            if has_uids {
                run(session, host, format!("UID EXPUNGE {uids}")).await?;
            }
            Ok(())
        }
    }
}

async fn run(session: &mut Open, host: &str, text: String) -> Result<(), MailError> {
    match command(session, text, |_| {}).await {
        Ok(()) => Ok(()),
        Err(Error::No(why)) => Err(refused(host, "does not change the messages", &why)),
        Err(error) => Err(unconfirmed(host, error)),
    }
}

/// A change was asked for and nobody said what became of it.
fn unconfirmed(host: &str, error: Error) -> MailError {
    match failure(host, error) {
        MailError::Connection { .. } | MailError::BadAnswer { .. } => MailError::OutcomeUnknown {
            message: format!(
                "The connection to {host} ended before the server had confirmed the change. Look at the messages in the mailbox"
            ),
        },
        other => other,
    }
}

pub(super) fn set(uids: &[u32]) -> String {
    let texts: Vec<String> = uids.iter().map(u32::to_string).collect();
    texts.join(",")
}

/// A mailbox that cannot be opened or moved to.
struct MailboxError<'a> {
    mailbox: &'a str,
    host: &'a str,
    why: &'a str,
}

impl From<MailboxError<'_>> for MailError {
    fn from(error: MailboxError<'_>) -> Self {
        if is_temporary(error.why) {
            return refused(error.host, "cannot open the mailbox now", error.why);
        }
        let message = format!(
            "{} cannot open the mailbox '{}': {}. Check its name, with the levels as the server divides them",
            error.host,
            error.mailbox,
            said(error.why)
        );
        Self::MailboxMissing { mailbox: error.mailbox.to_owned(), message }
    }
}

/// Response codes by which a server says that it may work later (RFC 5530).
fn is_temporary(why: &str) -> bool {
    ["[UNAVAILABLE]", "[INUSE]", "[SERVERBUG]", "[LIMIT]"].iter().any(|code| why.contains(code))
}

pub(super) fn refused(host: &str, what: &str, why: &str) -> MailError {
    let message = format!("{host} {what}: {}", said(why));
    MailError::Refused { code: None, message, temporary: is_temporary(why) }
}

/// The server's own words; in the library's text of a refused sign-in they are `code: …, info: Some("…")`.
fn said(why: &str) -> String {
    let words = why.split_once("info: Some(\"").and_then(|(_, rest)| rest.rsplit_once("\")")).map(|(words, _)| words);
    one_line(words.unwrap_or(why))
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(500).collect()
}

pub(super) fn failure(host: &str, error: Error) -> MailError {
    match error {
        Error::Io(error) if is_endless(&error) => {
            MailError::BadAnswer { message: format!("{host} sends more than is read at once") }
        }
        // What the parser does not understand comes as an error of this kind, with all that was read.
        Error::Io(error) if error.kind() == std::io::ErrorKind::Other => {
            MailError::BadAnswer { message: format!("{host} does not answer as IMAP asks for") }
        }
        Error::Io(_) | Error::ConnectionLost => {
            MailError::Connection { message: format!("{host} ended the connection") }
        }
        Error::No(why) => refused(host, "refuses a command", &why),
        Error::Bad(why) => {
            MailError::BadAnswer { message: format!("{host} does not understand a command: {}", said(&why)) }
        }
        Error::Validate(_) => invalid("mailbox", "A name has a line break or another control character"),
        _ => MailError::BadAnswer { message: format!("{host} does not answer as IMAP asks for") },
    }
}
