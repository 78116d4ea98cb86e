//! Access tokens of the store, as the server lets them in. The list is read again at once when this process changes it, every few
//! seconds because another one may, and when an unknown token comes, at most once a second. What is being answered to a token
//! breaks off when it is revoked or expires.

use super::tokens::Holder;
use signalbox_app::{ApiError, ApiResult, App, Class, TOKEN_PREFIX, WorkspaceRoles};
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often an unknown token has the list read.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How often the last use is written.
const USED_MS: i64 = 60_000;

/// A token that somebody may use.
pub(crate) struct LiveToken {
    hash: String,
    pub(crate) name: String,
    pub(crate) holder: Holder,
    expires_ms: Option<i64>,
    used_ms: AtomicI64,
    pub(crate) ended: watch::Sender<bool>,
}

#[derive(Default)]
struct Known {
    tokens: BTreeMap<String, Arc<LiveToken>>,
    read_at: Option<Instant>,
}

/// All of them, by their hash.
#[derive(Default)]
pub(crate) struct AccessTokens(Mutex<Known>);

impl AccessTokens {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the list, and ends what is not in it any more or has expired. Waits for the store.
    pub(crate) fn refresh(&self, app: &App, now_ms: i64) -> ApiResult<()> {
        // Under the lock: a list that was read before must not replace a newer one.
        let mut known = self.known();
        let mut before = std::mem::take(&mut known.tokens);
        known.read_at = Some(Instant::now());
        let kept = match app.kept_tokens() {
            Ok(kept) => kept,
            Err(error) => {
                known.tokens = before;
                return Err(error);
            }
        };
        for token in kept {
            let live = before.remove(&token.hash).unwrap_or_else(|| {
                Arc::new(LiveToken {
                    hash: token.hash.clone(),
                    holder: Holder {
                        workspaces: token.workspaces.map(|names| Arc::new(WorkspaceRoles::limited(&names, token.role))),
                        role: token.role,
                        name: token.person,
                    },
                    name: token.name,
                    expires_ms: token.expires_ms,
                    used_ms: AtomicI64::new(token.used_ms.unwrap_or(i64::MIN)),
                    ended: watch::Sender::new(false),
                })
            });
            if live.expires_ms.is_some_and(|at| at <= now_ms) {
                live.ended.send_replace(true);
            }
            known.tokens.insert(token.hash, live);
        }
        for gone in before.values() {
            gone.ended.send_replace(true);
        }
        Ok(())
    }

    /// The token of a request; `None`: it is none of these.
    pub(crate) async fn find(
        self: &Arc<Self>,
        app: &Arc<App>,
        token: &str,
        now_ms: i64,
    ) -> ApiResult<Option<Arc<LiveToken>>> {
        if !token.starts_with(TOKEN_PREFIX) {
            // That of a session, which nobody needs to look for here.
            return Ok(None);
        }
        let hash = sha256_hex(token.as_bytes());
        let look = |tokens: &Self| {
            let known = tokens.known();
            let is_old = known.read_at.is_none_or(|at| at.elapsed() >= LOOK_AGAIN);
            (known.tokens.get(&hash).cloned(), is_old)
        };
        let (mut found, is_old) = look(self);
        if found.is_none() && is_old {
            let tokens = Arc::clone(self);
            app.blocking(move |app| tokens.refresh(app, now_ms)).await?;
            found = look(self).0;
        }
        let Some(live) = found else { return Ok(None) };
        if live.expires_ms.is_some_and(|at| at <= now_ms) {
            let message = format!("The token '{}' has expired.", live.name);
            let hint = "Ask a builder for a new one: Settings, Access, or `signalbox token add NAME`.";
            return Err(ApiError::new(Class::Unauthorized, "UNAUTHORIZED", message, hint));
        }
        let before = live.used_ms.load(Ordering::Relaxed);
        if now_ms.saturating_sub(before) >= USED_MS
            && live.used_ms.compare_exchange(before, now_ms, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            let (app, hash) = (Arc::clone(app), live.hash.clone());
            // For people only: the request does not wait for it, and goes on without.
            tokio::spawn(async move { app.blocking(move |app| app.token_used(&hash, now_ms)).await.ok() });
        }
        Ok(Some(live))
    }
}

#[cfg(test)]
mod tests {
    use super::AccessTokens;
    use serde_json::{Value, json};
    use signalbox_adapters::RealClock;
    use signalbox_app::dto::{CallerRole, Host};
    use signalbox_app::{App, Caller, Options};
    use signalbox_ports::Clock;
    use std::sync::Arc;

    const DAY_MS: i64 = 24 * 3_600_000;

    async fn ask(app: &Arc<App>, command: &str, request: Value) -> Value {
        app.dispatch(&Caller::here(), command, request).await.unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_token_gets_in_until_it_is_revoked_or_expires() {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { host: Host::Desktop, allow: Vec::new(), stays: false, reads: false };
        let app = App::open(folder.path(), options).expect("opens");
        let tokens = Arc::new(AccessTokens::default());
        let now_ms = RealClock.now_ms();
        assert!(tokens.find(&app, "nobody", now_ms).await.expect("reads").is_none());
        let (heard, listening) = (Arc::clone(&tokens), Arc::downgrade(&app));
        app.on_access_change(move || {
            let app = listening.upgrade().expect("it is there");
            heard.refresh(&app, now_ms).expect("reads");
        });
        let made = ask(&app, "token_add", json!({ "name": "nightly", "role": "operator", "expiresDays": 2 })).await;
        let token = made["token"].as_str().expect("a token").to_owned();
        let live = tokens.find(&app, &token, now_ms).await.expect("reads").expect("it is known at once");
        assert_eq!((live.name.as_str(), live.holder.role), ("nightly", CallerRole::Operator));
        assert!(tokens.find(&app, &format!("{token}0"), now_ms).await.expect("reads").is_none());
        let late = tokens.find(&app, &token, now_ms + 3 * DAY_MS).await.map(drop).expect_err("too late");
        assert_eq!(late.message, "The token 'nightly' has expired.");
        assert!(!*live.ended.borrow());
        tokens.refresh(&app, now_ms + 3 * DAY_MS).expect("reads");
        assert!(*live.ended.borrow(), "what is open breaks off");

        let lasting = ask(&app, "token_add", json!({ "name": "lasting", "role": "viewer" })).await;
        let token = lasting["token"].as_str().expect("a token").to_owned();
        let live = tokens.find(&app, &token, now_ms).await.expect("reads").expect("it is known");
        ask(&app, "token_revoke", json!({ "name": "Lasting" })).await;
        assert!(*live.ended.borrow());
        assert!(tokens.find(&app, &token, now_ms).await.expect("reads").is_none());
    }
}
