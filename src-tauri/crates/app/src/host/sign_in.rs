//! Sign-ins that wait for a person: with a browser that comes back to a page of this machine or to the server, or with a code
//! that is entered on any device. Tool servers and secrets have them in common; where a sign-in is kept is theirs.

use crate::error::{ApiError, ApiResult};
use async_trait::async_trait;
use signalbox_adapters::oauth::{CallbackParams, Pending, RedirectServer};
use signalbox_ports::Secret;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;

/// How long a person may take in the browser.
pub(crate) const WAITS: Duration = Duration::from_secs(10 * 60);

/// Where a sign-in is kept.
#[async_trait]
pub(crate) trait Keeper: Send + Sync + 'static {
    /// Gets the tokens for what the browser brought, and keeps them; why not, without a full stop.
    async fn finish(&self, pending: Pending, params: CallbackParams) -> Result<(), String>;
    /// Hears why nothing came of it.
    async fn note(&self, why: String);
}

/// What a person enters on any device.
#[derive(Debug, Clone)]
pub(crate) struct ShownCode {
    pub(crate) code: String,
    pub(crate) page: String,
}

/// A sign-in that waits.
pub(crate) struct UnderWay {
    /// Taken by whoever brings what belongs to it.
    pending: Mutex<Option<Pending>>,
    pub(crate) until_ms: i64,
    pub(crate) code: Option<ShownCode>,
    /// `None`: it waits.
    done: watch::Sender<Option<Result<(), String>>>,
    keeper: Arc<dyn Keeper>,
    /// What waits for the browser or asks for the code; it ends with this.
    task: Mutex<Option<tokio::task::AbortHandle>>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.stop_waiting();
    }
}

impl UnderWay {
    pub(crate) fn new(
        pending: Option<Pending>,
        until_ms: i64,
        code: Option<ShownCode>,
        keeper: Arc<dyn Keeper>,
    ) -> Arc<Self> {
        let (pending, task) = (Mutex::new(pending), Mutex::default());
        Arc::new(Self { pending, until_ms, code, done: watch::Sender::new(None), keeper, task })
    }

    fn stop_waiting(&self) {
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }

    fn waits(&self) -> bool {
        self.done.borrow().is_none()
    }

    /// Why it came to nothing, without a full stop.
    pub(crate) fn failure(&self) -> Option<String> {
        self.done.borrow().as_ref().and_then(|done| done.as_ref().err().cloned())
    }

    fn take_pending(&self, params: &CallbackParams) -> Option<Pending> {
        let mut held = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        held.take_if(|pending| params.is_for(pending.state()))
    }

    /// It is over.
    fn end(&self, done: Result<(), String>) {
        self.done.send_replace(Some(done));
    }

    fn give_up(&self, why: &str) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.stop_waiting();
        self.done.send_if_modified(|done| {
            let waits = done.is_none();
            if waits {
                *done = Some(Err(why.to_owned()));
            }
            waits
        });
    }
}

/// The sign-ins that wait for a person, by name of what is signed in to.
#[derive(Default)]
pub(crate) struct SignIns(Mutex<BTreeMap<String, Arc<UnderWay>>>);

/// Whoever brought what belongs to no sign-in, or came too late.
pub(crate) enum Unfit {
    /// Nothing waits.
    NotWaiting,
    /// It belongs to another sign-in.
    NotOurs,
}

impl SignIns {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Arc<UnderWay>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The one that waits.
    pub(crate) fn waiting(&self, name: &str) -> Option<Arc<UnderWay>> {
        self.last(name).filter(|one| one.waits())
    }

    /// The last one, also when it is over.
    pub(crate) fn last(&self, name: &str) -> Option<Arc<UnderWay>> {
        self.all().get(name).cloned()
    }

    /// Ends the one that waits.
    pub(crate) fn remove(&self, name: &str, why: &str) {
        let removed = self.all().remove(name);
        if let Some(one) = removed {
            one.give_up(why);
        }
    }

    /// From here on this is the sign-in of a name; whoever began before waits no more.
    pub(crate) fn begin(&self, name: &str, one: Arc<UnderWay>) {
        let before = self.all().insert(name.to_owned(), one);
        if let Some(before) = before {
            before.give_up("Somebody began again");
        }
    }

    /// [`Self::begin`], with a page of this machine that waits for the browser.
    pub(crate) fn begin_with_page(&self, name: &str, one: Arc<UnderWay>, page: RedirectServer, threads: &Handle) {
        let Some(state) = one.state() else { return };
        let waits = Arc::downgrade(&one);
        one.runs(threads, async move {
            let arrived = tokio::time::timeout(WAITS, page.arrival(&state)).await;
            // Replaced by a later one, or signed out meanwhile.
            let Some(one) = waits.upgrade() else { return };
            let pending = one.pending.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(pending) = pending else { return };
            let done = match arrived {
                Ok(mut landed) => {
                    let done = one.keeper.finish(pending, landed.take()).await;
                    landed.tell(done.is_ok()).await;
                    done
                }
                Err(_) => one.timed_out().await,
            };
            one.end(done);
        });
        self.begin(name, one);
    }

    /// [`Self::begin`] where something else brings the browser's answer; it is waited for as long as for any other.
    pub(crate) fn begin_without_page(&self, name: &str, one: Arc<UnderWay>, threads: &Handle) {
        let waits = Arc::downgrade(&one);
        one.runs(threads, async move {
            tokio::time::sleep(WAITS).await;
            let Some(one) = waits.upgrade() else { return };
            if one.pending.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
                let done = one.timed_out().await;
                one.end(done);
            }
        });
        self.begin(name, one);
    }

    /// [`Self::begin`] where `work` finds out by itself that the person is done.
    pub(crate) fn begin_with_code(
        &self,
        name: &str,
        one: Arc<UnderWay>,
        threads: &Handle,
        work: impl Future<Output = Result<(), String>> + Send + 'static,
    ) {
        let waits = Arc::downgrade(&one);
        one.runs(threads, async move {
            let done = work.await;
            if let Some(one) = waits.upgrade() {
                if let Err(why) = &done {
                    one.keeper.note(why.clone()).await;
                }
                one.end(done);
            }
        });
        self.begin(name, one);
    }

    /// Takes what a person pasted for a name; why the sign-in failed, without a full stop.
    pub(crate) async fn pasted(&self, name: &str, params: CallbackParams) -> Result<Result<(), String>, Unfit> {
        let one = self.waiting(name).ok_or(Unfit::NotWaiting)?;
        let pending = one.take_pending(&params).ok_or(Unfit::NotOurs)?;
        Ok(one.finished(pending, params).await)
    }

    /// Takes what a browser brought to the server, for whichever name it is. `None`: it belongs to no sign-in that waits.
    pub(crate) async fn arrived(&self, params: CallbackParams) -> Option<Result<(), String>> {
        let found = self.all().values().find_map(|one| Some((Arc::clone(one), one.take_pending(&params)?)));
        let (one, pending) = found?;
        Some(one.finished(pending, params).await)
    }

    /// Waits until a sign-in that was begun here is done. `None`: nobody began one, or it was given up.
    pub(crate) async fn done(&self, name: &str) -> Option<Result<(), String>> {
        let one = self.last(name)?;
        let mut told = one.done.subscribe();
        told.wait_for(Option::is_some).await.ok().and_then(|done| done.clone())
    }
}

impl UnderWay {
    fn state(&self) -> Option<Secret> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.as_ref().map(|pending| Secret::new(pending.state().expose()))
    }

    fn runs(&self, threads: &Handle, work: impl Future<Output = ()> + Send + 'static) {
        let task = threads.spawn(work).abort_handle();
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    async fn timed_out(&self) -> Result<(), String> {
        let why = "The sign-in timed out".to_owned();
        self.keeper.note(why.clone()).await;
        Err(why)
    }

    async fn finished(&self, pending: Pending, params: CallbackParams) -> Result<(), String> {
        self.stop_waiting();
        let done = self.keeper.finish(pending, params).await;
        self.end(done.clone());
        done
    }
}

/// The address that a browser was sent back to, from whoever copied it.
pub(crate) fn pasted_address(address: &str) -> ApiResult<CallbackParams> {
    CallbackParams::of_address(address).ok_or_else(not_this_address)
}

/// What was pasted is another address.
pub(crate) fn not_this_address() -> ApiError {
    let hint = "Copy the whole address that the browser shows after you signed in; it begins with http://127.0.0.1.";
    ApiError::bad_request("This is not the address that the browser was sent to for this sign-in.", hint)
}
