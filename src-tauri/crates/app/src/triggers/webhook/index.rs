//! Which address leads to which webhook, and how many deliveries are under way at once.

use super::listen::Listener;
use crate::app::App;
use crate::error::{ApiError, ApiResult, Class};
use serde_json::json;
use signalbox_engine::BY_TRIGGER;
use signalbox_engine::validate::hook_path_taken;
use signalbox_engine::webhook::{KIND, Webhook};
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::run_origin::BY_REST;
use signalbox_model::{Diagnostic, Workflow};
use signalbox_ports::host::is_localhost;
use signalbox_runtime::triggers::webhook::{ActiveHook, DeliveryGuard, HookIndex, active_hooks};
use std::sync::{Arc, Mutex, OnceLock};

/// Where `serve` listens unless it is told otherwise.
const USUAL: &str = "http://127.0.0.1:9160";
/// The setting that says where it listened last.
const SETTING: &str = "serve.url";

/// Where a request leads.
#[derive(Clone)]
pub struct HookTarget(pub(super) Target);

#[derive(Clone)]
pub(super) enum Target {
    Active(Arc<ActiveHook>),
    Test(Arc<Listener>),
}

impl HookTarget {
    pub(super) fn hook(&self) -> &Webhook {
        match &self.0 {
            Target::Active(active) => &active.hook,
            Target::Test(listener) => &listener.hook,
        }
    }

    /// Largest body, in bytes.
    pub fn max_bytes(&self) -> usize {
        usize::try_from(self.hook().max_bytes).unwrap_or(usize::MAX)
    }

    /// What it can be asked with.
    pub fn methods(&self) -> &[String] {
        &self.hook().methods
    }

    /// It asks for a user name and a password.
    pub fn is_basic(&self) -> bool {
        matches!(self.hook().auth, signalbox_engine::webhook::Auth::Basic { .. })
    }
}

/// All webhooks of this process.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(super) index: Arc<HookIndex>,
    pub(super) listeners: Mutex<Vec<Arc<Listener>>>,
    /// Where this process serves.
    base: OnceLock<String>,
}

impl App {
    /// A place for one more delivery; none when too many are under way.
    pub fn hook_slot(self: &Arc<Self>) -> Option<DeliveryGuard> {
        self.hooks.index.slot()
    }

    /// The webhook of a path whose workflow is active; with `test` the one that somebody listens at in the editor.
    pub async fn hook_target(self: &Arc<Self>, path: &str, test: bool) -> ApiResult<HookTarget> {
        let found = if test {
            self.listener_at(path).map(Target::Test)
        } else {
            match self.hooks.index.known(path) {
                // A change since then is noticed when the run is to be created.
                Some(known) => Some(Target::Active(known)),
                None => self.fresh_hook(path).await?.map(Target::Active),
            }
        };
        found.map(HookTarget).ok_or_else(|| {
            let hint = "Check the address, and that the workflow is active.";
            ApiError::new(Class::NotFound, "NOT_FOUND", "There is no webhook at this address.", hint)
        })
    }

    /// The webhook of a path after a look into the store.
    pub(super) async fn fresh_hook(self: &Arc<Self>, path: &str) -> ApiResult<Option<Arc<ActiveHook>>> {
        // The semaphore is never closed.
        let _turn = self.hooks.index.starts.acquire().await;
        let path = path.to_owned();
        self.blocking(move |app| {
            app.hooks.index.refresh(&app.store)?;
            Ok(app.hooks.index.known(&path))
        })
        .await
    }

    /// Paths of webhooks that another active workflow has.
    pub(crate) fn hook_findings(&self, workflow: &Workflow) -> ApiResult<Vec<Diagnostic>> {
        let is_own = |kind: &str, disabled: Option<bool>| kind == KIND && disabled != Some(true);
        let mut own = workflow.nodes.iter().filter(|(_, node)| is_own(&node.kind, node.disabled)).peekable();
        if own.peek().is_none() {
            return Ok(Vec::new());
        }
        let active = active_hooks(&self.store)?;
        let found = own.filter_map(|(id, node)| {
            let path = node.config.as_ref()?.get("path")?.as_str()?;
            let other = &active.get(path)?.row;
            let at = format!("/nodes/{}/config/path", pointer_token(id));
            let by = format!("the active workflow '{}'", other.workflow_name);
            (other.workflow != workflow.id).then(|| hook_path_taken(&at, path, &by))
        });
        Ok(found.collect())
    }

    /// The address of the server in this process.
    pub(crate) fn served_at(&self) -> Option<&str> {
        self.hooks.base.get().map(String::as_str)
    }

    /// This process answers at an address; other programs on this data folder show it to people.
    pub fn serves_at(&self, url: &str) {
        drop(self.hooks.base.set(url.to_owned()));
        // For people only.
        drop(self.store.setting_set(SETTING, Some(json!(url))));
    }

    /// What a run says started it that a request of another program or a form started. When the server is in a network, such a
    /// run may not reach addresses of this machine.
    pub(crate) fn started_by_request(&self) -> &'static str {
        let is_local = self.hooks.base.get().is_none_or(|base| {
            let host = base.split_once("://").map_or(base.as_str(), |(_, host)| host);
            // A name is one for others, unless it is that of this machine.
            let named = || is_localhost(host.rsplit_once(':').map_or(host, |(name, _)| name));
            host.parse::<std::net::SocketAddr>().map_or_else(|_| named(), |address| address.ip().is_loopback())
        });
        if is_local { BY_TRIGGER } else { BY_REST }
    }

    /// Whether this process answers webhooks.
    pub(super) fn answers_hooks(&self) -> bool {
        self.hooks.base.get().is_some()
    }

    /// The whole address of a webhook.
    pub(crate) fn hook_address(&self, place: &str, path: &str) -> String {
        let kept = || self.store.setting_get(SETTING).ok().flatten().and_then(|url| url.as_str().map(str::to_owned));
        let base = self.hooks.base.get().cloned().or_else(kept).unwrap_or_else(|| USUAL.to_owned());
        format!("{base}/{place}/{path}")
    }
}
