//! Sessions of people who signed in: in memory, short, and renewed at the identity provider while they last (ADR 204). A session
//! is named by a random token, which only the page that began the sign-in gets; its hash alone is kept here.

use super::people::PeopleRules;
use super::tokens::random_token;
use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use signalbox_adapters::oauth::{OpenIdProvider, Person, Trouble};
use signalbox_app::{AccessEnd, App, SignedInPerson};
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
/// How often ended sessions are looked for.
pub(crate) const LOOK: Duration = Duration::from_secs(5);
/// Sessions of one person, and of all: the oldest makes room.
const MOST_OF_ONE: usize = 20;
const MOST: usize = 10_000;

struct State {
    person: SignedInPerson,
    used: Instant,
    /// When the provider is asked next.
    renew_at: Option<Instant>,
    /// Since when the provider has not answered.
    silent_since: Option<Instant>,
}

/// A person's session.
pub(crate) struct Session {
    since: Instant,
    state: Mutex<State>,
    /// Taken while the provider is asked.
    vouched: tokio::sync::Mutex<Person>,
    renews: bool,
    ended: watch::Sender<bool>,
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
}

/// All of them, by the hash of their token.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<BTreeMap<String, Arc<Session>>>);

impl Sessions {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins one; its token, and sessions that make room for it.
    pub(crate) fn begin(&self, person: SignedInPerson, vouched: Person) -> Result<(String, Vec<Arc<Session>>), String> {
        let (token, now) = (random_token()?, Instant::now());
        let renews = vouched.refresh.is_some();
        let (issuer, subject) = (person.issuer.clone(), person.subject.clone());
        let state = State { person, used: now, renew_at: renews.then(|| now + RENEWED), silent_since: None };
        let session = Session {
            since: now,
            state: Mutex::new(state),
            vouched: tokio::sync::Mutex::new(vouched),
            renews,
            ended: watch::Sender::new(false),
        };
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
        all.insert(sha256_hex(token.as_bytes()), Arc::new(session));
        Ok((token, gone))
    }

    /// The session of a token.
    pub(crate) fn find(&self, token: &str) -> Option<Arc<Session>> {
        let session = Arc::clone(self.all().get(&sha256_hex(token.as_bytes()))?);
        let now = Instant::now();
        if session.is_over(now) {
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
        let is_due = |one: &&Arc<Session>| one.state().renew_at.is_some_and(|at| at <= now);
        (over, all.values().filter(is_due).cloned().collect())
    }

    /// Looks once: what is over ends, and the provider is asked about those whose turn it is.
    pub(crate) async fn look(&self, app: &Arc<App>, provider: &Arc<OpenIdProvider>, rules: &PeopleRules, now: Instant) {
        let (over, due) = self.due(now);
        for session in over {
            self.ended(app, provider, &session, AccessEnd::Expired).await;
        }
        for session in due {
            if let Some(why) = renew(app, provider, rules, &session, now).await
                && self.end(&session)
            {
                self.ended(app, provider, &session, AccessEnd::Refused(why)).await;
            }
        }
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
        drop(app.person_signed_out(&session.person(), why).await);
        let (provider, session) = (Arc::clone(provider), Arc::clone(session));
        tokio::spawn(async move { provider.revoke(&*session.vouched.lock().await).await });
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
    let renewed = match provider.renew(&vouched).await {
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
    *vouched = renewed;
    drop(vouched);
    let given = match known.map(|known| known.role) {
        Ok(Some(given)) => given,
        Ok(None) => return Some("The provider does not give the person a role any more".to_owned()),
        Err(why) => return Some(why),
    };
    let (changed, before) = {
        let mut state = session.state();
        state.silent_since = None;
        state.renew_at = Some(now + RENEWED);
        let before = state.person.role;
        (state.person.role, state.person.role_by.1) = (given.role, given.by);
        (state.person.clone(), before)
    };
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
pub(crate) fn until_end(response: Response, session: &Arc<Session>) -> Response {
    let mut ended = session.ended.subscribe();
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
