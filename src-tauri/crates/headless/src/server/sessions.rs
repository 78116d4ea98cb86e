//! Sessions of people who signed in: short, and renewed at the identity provider while they last (ADR 204). A session is named by
//! a random token, which only the page that began the sign-in gets. They are kept in the store, by the hash of this token and with
//! what renews them sealed by it, so that they survive a restart (ADR 211).

use super::people::PeopleRules;
use super::tokens::random_token;
use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use signalbox_adapters::RealClock;
use signalbox_adapters::oauth::{OpenIdProvider, Person, SessionKey, Trouble};
use signalbox_app::{AccessEnd, ApiError, ApiResult, App, KeptSession, SignedInPerson};
use signalbox_model::hash::sha256_hex;
use signalbox_ports::Clock;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often the provider is asked whether it still vouches for a person.
const RENEWED: Duration = Duration::from_secs(5 * 60);
/// A provider that does not answer is asked again after this, and how long it may be silent.
const AGAIN: Duration = Duration::from_secs(60);
const SILENT: Duration = Duration::from_secs(15 * 60);
/// Longest session of a person whose provider renews it, and of one whose provider does not.
const LONGEST: Duration = Duration::from_secs(12 * 3_600);
const UNRENEWED: Duration = Duration::from_secs(3_600);
/// A session that nobody uses ends.
const IDLE: Duration = Duration::from_secs(3_600);
/// How often the last use is kept.
const USED: Duration = Duration::from_secs(60);
/// How often ended sessions are looked for.
pub(crate) const LOOK: Duration = Duration::from_secs(5);
/// Sessions of one person, and of all: the oldest makes room.
const MOST_OF_ONE: usize = 20;
const MOST: usize = 10_000;
/// Digits of the name of a session.
const ID_DIGITS: usize = 24;

struct State {
    person: SignedInPerson,
    used: Instant,
    /// The use that is kept in the store.
    used_kept: Instant,
    /// When the provider is asked next.
    renew_at: Option<Instant>,
    /// Since when the provider has not answered.
    silent_since: Option<Instant>,
    /// As it is kept in the store.
    sealed: Option<String>,
    /// It was due while the server was not running: nobody gets in with it before the provider was asked.
    is_overdue: bool,
}

/// A person's session.
pub(crate) struct Session {
    hash: String,
    /// By which others name it.
    pub(crate) id: String,
    since: Instant,
    state: Mutex<State>,
    /// Seals what renews it; absent until the page comes back after a restart.
    key: OnceLock<SessionKey>,
    /// What renews it; taken while the provider is asked. Absent until the page comes back after a restart.
    vouched: tokio::sync::Mutex<Option<Person>>,
    renews: bool,
    pub(crate) ended: watch::Sender<bool>,
}

impl Session {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who it is.
    pub(crate) fn person(&self) -> SignedInPerson {
        self.state().person.clone()
    }

    fn is_over(&self, now: Instant) -> bool {
        let longest = if self.renews { LONGEST } else { UNRENEWED };
        now >= self.since + longest || now >= self.state().used + IDLE
    }

    /// As it is kept.
    fn kept(&self) -> KeptSession {
        let (now, now_ms) = (Instant::now(), RealClock.now_ms());
        let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let ms = |at: Instant| match at.checked_duration_since(now) {
            Some(ahead) => now_ms.saturating_add(millis(ahead)),
            None => now_ms.saturating_sub(millis(now.duration_since(at))),
        };
        let state = self.state();
        KeptSession {
            hash: self.hash.clone(),
            id: self.id.clone(),
            person: state.person.clone(),
            since_ms: ms(self.since),
            used_ms: ms(state.used),
            renew_ms: state.renew_at.map(ms),
            sealed: state.sealed.clone(),
        }
    }

    /// One that was kept. `None`: it is not known when it was, because the clock was set.
    fn of(kept: KeptSession) -> Option<Self> {
        let (now, now_ms) = (Instant::now(), RealClock.now_ms());
        let at = |ms: i64| match u64::try_from(now_ms - ms) {
            Ok(ago) => now.checked_sub(Duration::from_millis(ago)),
            Err(_) => None,
        };
        let used = at(kept.used_ms)?;
        let state = State {
            person: kept.person,
            used,
            used_kept: used,
            renew_at: kept.renew_ms.map(|ms| now + Duration::from_millis(u64::try_from(ms - now_ms).unwrap_or(0))),
            silent_since: None,
            is_overdue: kept.renew_ms.is_some_and(|ms| ms <= now_ms),
            sealed: kept.sealed,
        };
        Some(Self {
            renews: state.renew_at.is_some(),
            hash: kept.hash,
            id: kept.id,
            since: at(kept.since_ms)?,
            state: Mutex::new(state),
            key: OnceLock::new(),
            vouched: tokio::sync::Mutex::default(),
            ended: watch::Sender::new(false),
        })
    }

    /// Opens what renews it with the token of the page. False: it was not sealed with it.
    async fn unlock(&self, token: &str) -> bool {
        if self.key.get().is_some() {
            return true;
        }
        let mut vouched = self.vouched.lock().await;
        if self.key.get().is_some() {
            return true;
        }
        let Some(key) = SessionKey::of(token) else { return false };
        let sealed = self.state().sealed.clone();
        if let Some(sealed) = sealed {
            let Some(person) = key.open(&sealed) else { return false };
            *vouched = Some(person);
        }
        // Under the lock of what it opened.
        self.key.set(key).is_ok()
    }
}

/// All of them, by the hash of their token.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<BTreeMap<String, Arc<Session>>>);

impl Sessions {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins one, which is on the disk before anybody gets in with it; its token, and sessions that make room for it.
    pub(crate) async fn begin(
        &self,
        app: &Arc<App>,
        person: SignedInPerson,
        vouched: Person,
    ) -> ApiResult<(String, Vec<Arc<Session>>)> {
        let failed =
            |why: String| ApiError::unavailable("NO_SESSION", format!("No session could begin: {why}."), "Try again.");
        let (token, id, now) = (random_token().map_err(failed)?, random_token().map_err(failed)?, Instant::now());
        let renews = vouched.refresh.is_some();
        let key = SessionKey::of(&token).ok_or_else(|| failed("no key can be made".into()))?;
        let sealed = if renews {
            Some(key.seal(&vouched).ok_or_else(|| failed("the system provides no random numbers".into()))?)
        } else {
            None
        };
        let (issuer, subject) = (person.issuer.clone(), person.subject.clone());
        let state = State {
            person,
            used: now,
            used_kept: now,
            renew_at: renews.then(|| now + RENEWED),
            silent_since: None,
            sealed,
            is_overdue: false,
        };
        let session = Arc::new(Session {
            hash: sha256_hex(token.as_bytes()),
            id: id.chars().take(ID_DIGITS).collect(),
            since: now,
            state: Mutex::new(state),
            key: OnceLock::from(key),
            vouched: tokio::sync::Mutex::new(Some(vouched)),
            renews,
            ended: watch::Sender::new(false),
        });
        app.session_began(&session.kept()).await?;
        let mut all = self.all();
        let mut own: Vec<(Instant, String)> = all
            .iter()
            .filter_map(|(key, one)| {
                let state = one.state();
                (state.person.issuer == issuer && state.person.subject == subject).then(|| (one.since, key.clone()))
            })
            .collect();
        own.sort();
        let mut gone: Vec<String> =
            own.iter().take((own.len() + 1).saturating_sub(MOST_OF_ONE)).map(|(_, key)| key.clone()).collect();
        if all.len() - gone.len() >= MOST
            && let Some((key, _)) = all.iter().min_by_key(|(_, one)| one.state().used)
        {
            gone.push(key.clone());
        }
        let gone = gone
            .iter()
            .filter_map(|key| all.remove(key))
            .inspect(|one| {
                one.ended.send_replace(true);
            })
            .collect();
        all.insert(session.hash.clone(), session);
        Ok((token, gone))
    }

    /// Takes up the sessions that were kept, after a restart. Those that cannot go on end, and that is recorded: `refuses`
    /// says why, without a full stop.
    pub(crate) async fn restore(
        &self,
        app: &Arc<App>,
        refuses: impl Fn(&SignedInPerson) -> Option<String>,
    ) -> ApiResult<usize> {
        let kept = app.blocking(|app| app.kept_sessions()).await?;
        let now = Instant::now();
        let mut count = 0;
        for one in kept {
            let (hash, person) = (one.hash.clone(), one.person.clone());
            let why = match (refuses(&person), Session::of(one)) {
                (None, Some(session)) if !session.is_over(now) => {
                    self.all().insert(hash, Arc::new(session));
                    count += 1;
                    continue;
                }
                (Some(why), _) => AccessEnd::Refused(why),
                _ => AccessEnd::Expired,
            };
            app.session_ended(&hash, &person, why).await?;
        }
        Ok(count)
    }

    /// The session of a token. One that was due while the server was not running is not let in before the provider was asked.
    pub(crate) async fn admit(
        &self,
        app: &Arc<App>,
        provider: &Arc<OpenIdProvider>,
        rules: &PeopleRules,
        token: &str,
    ) -> Option<Arc<Session>> {
        let session = Arc::clone(self.all().get(&sha256_hex(token.as_bytes()))?);
        let now = Instant::now();
        if session.is_over(now) || !session.unlock(token).await {
            return None;
        }
        if session.state().is_overdue {
            self.renew_or_end(app, provider, rules, &session, now).await;
        }
        if *session.ended.borrow() {
            return None;
        }
        session.state().used = now;
        Some(session)
    }

    /// Ends one; false when it had ended.
    pub(crate) fn end(&self, session: &Arc<Session>) -> bool {
        let mut all = self.all();
        let before = all.len();
        all.retain(|_, one| !Arc::ptr_eq(one, session));
        session.ended.send_replace(true);
        all.len() < before
    }

    /// Ends those that are over, and gives those that the provider is to be asked about.
    fn due(&self, now: Instant) -> (Vec<Arc<Session>>, Vec<Arc<Session>>) {
        let mut over = Vec::new();
        let mut all = self.all();
        all.retain(|_, one| {
            let ends = one.is_over(now);
            if ends {
                one.ended.send_replace(true);
                over.push(Arc::clone(one));
            }
            !ends
        });
        // Until the page comes back there is nothing to ask the provider with.
        let is_due = |one: &&Arc<Session>| one.key.get().is_some() && one.state().renew_at.is_some_and(|at| at <= now);
        (over, all.values().filter(is_due).cloned().collect())
    }

    /// Looks once: what is over ends, the provider is asked about those whose turn it is, and their last use is kept.
    pub(crate) async fn look(&self, app: &Arc<App>, provider: &Arc<OpenIdProvider>, rules: &PeopleRules, now: Instant) {
        let (over, due) = self.due(now);
        for session in over {
            self.ended(app, provider, &session, AccessEnd::Expired).await;
        }
        for session in due {
            self.renew_or_end(app, provider, rules, &session, now).await;
        }
        let all: Vec<_> = self.all().values().cloned().collect();
        for session in all {
            let is_newer = {
                let mut state = session.state();
                let is_newer = state.used >= state.used_kept + USED;
                if is_newer {
                    state.used_kept = state.used;
                }
                is_newer
            };
            if is_newer {
                // It is kept again in a minute.
                drop(app.session_changed(session.kept()).await);
            }
        }
    }

    async fn renew_or_end(
        &self,
        app: &Arc<App>,
        provider: &Arc<OpenIdProvider>,
        rules: &PeopleRules,
        session: &Arc<Session>,
        now: Instant,
    ) {
        if let Some(why) = renew(app, provider, rules, session, now).await
            && self.end(session)
        {
            self.ended(app, provider, session, AccessEnd::Refused(why)).await;
        }
    }

    /// Ends those that the store does not have any more: somebody ended them. Waits for the store.
    pub(crate) fn ended_elsewhere(&self, app: &App) -> ApiResult<Vec<Arc<Session>>> {
        // Before the store is asked: a session is there before it is here.
        let here: Vec<_> = self.all().values().cloned().collect();
        if here.is_empty() {
            return Ok(here);
        }
        let kept: BTreeSet<String> = app.kept_sessions()?.into_iter().map(|one| one.hash).collect();
        Ok(here.into_iter().filter(|one| !kept.contains(&one.hash) && self.end(one)).collect())
    }

    /// Records the end of a session, and takes back what would renew it.
    pub(crate) async fn ended(
        &self,
        app: &Arc<App>,
        provider: &Arc<OpenIdProvider>,
        session: &Arc<Session>,
        why: AccessEnd,
    ) {
        // It has ended, whether that is recorded or not; a store that takes nothing stops everything else.
        drop(app.session_ended(&session.hash, &session.person(), why).await);
        let (provider, session) = (Arc::clone(provider), Arc::clone(session));
        tokio::spawn(async move { revoke(&provider, &session).await });
    }
}

/// Takes back what would renew a session that has ended.
pub(crate) async fn revoke(provider: &OpenIdProvider, session: &Session) {
    if let Some(person) = &*session.vouched.lock().await {
        provider.revoke(person).await;
    }
}

/// Asks the provider about a person; why the session ends, without a full stop.
async fn renew(
    app: &Arc<App>,
    provider: &OpenIdProvider,
    rules: &PeopleRules,
    session: &Session,
    now: Instant,
) -> Option<String> {
    let mut vouched = session.vouched.lock().await;
    if session.state().renew_at.is_none_or(|at| at > now) {
        // Another request asked meanwhile.
        return None;
    }
    let renewed = match provider.renew(vouched.as_ref()?).await {
        Ok(renewed) => renewed,
        Err(fault) if fault.trouble == Trouble::Unreachable => {
            let mut state = session.state();
            let since = *state.silent_since.get_or_insert(now);
            state.renew_at = Some(now + AGAIN);
            return (now >= since + SILENT).then_some(fault.message);
        }
        Err(fault) => return Some(fault.message),
    };
    let known = rules.read(&renewed.subject, &renewed.claims);
    let sealed = session.key.get().and_then(|key| key.seal(&renewed));
    *vouched = Some(renewed);
    let given = match known.map(|known| known.role) {
        Ok(Some(given)) => given,
        Ok(None) => return Some("The provider does not give the person a role any more".to_owned()),
        Err(why) => return Some(why),
    };
    let (changed, before) = {
        let mut state = session.state();
        state.silent_since = None;
        state.is_overdue = false;
        state.renew_at = Some(now + RENEWED);
        state.sealed = sealed;
        let before = state.person.role;
        let keeps = |name: &str| !given.limited || given.workspaces.iter().any(|one| one.name == name);
        let was_everywhere = !state.person.limited && given.limited;
        if was_everywhere || (state.person.limited && !state.person.workspaces.iter().all(|one| keeps(&one.name))) {
            // What is open shows what the person may not see any more.
            return Some("The provider gives the person fewer workspaces now".to_owned());
        }
        (state.person.role, state.person.role_by.1) = (given.role, given.by);
        (state.person.workspaces, state.person.limited) = (given.workspaces, given.limited);
        (state.person.clone(), before)
    };
    // What was used to renew may be worthless now, so the next is kept at once. Without it a restart asks for a sign-in.
    drop(app.session_changed(session.kept()).await);
    drop(vouched);
    if changed.role != before {
        drop(app.person_role_changed(&changed, before).await);
    }
    None
}

/// An answer that breaks off when the session ends: streams last for hours.
struct SessionBody {
    body: Body,
    ended: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// See [`SessionBody`].
pub(crate) fn until_end(response: Response, mut ended: watch::Receiver<bool>) -> Response {
    let ended = Box::pin(async move { drop(ended.wait_for(|ended| *ended).await) });
    response.map(|body| Body::new(SessionBody { body, ended }))
}

impl HttpBody for SessionBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended.as_mut().poll(context).is_ready() {
            return Poll::Ready(Some(Err(axum::Error::new("The session has ended."))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests;
