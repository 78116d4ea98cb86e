//! One delivery: the run that it starts, and what its sender is told.

use super::index::{HookTarget, Target};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::CallerRole;
use crate::error::{ApiError, ApiResult, Class};
use signalbox_runtime::triggers::webhook::{HookReply, HookRequest, Started, unavailable};
use std::sync::Arc;

impl App {
    /// Takes a request. Its start is durable when this answers.
    pub async fn hook_deliver(self: &Arc<Self>, target: HookTarget, request: HookRequest) -> ApiResult<HookReply> {
        let request = Arc::new(request);
        let mut active = match target.0 {
            Target::Test(listener) => return self.hear(listener, request).await,
            Target::Active(active) => active,
        };
        // A workflow that was activated anew a moment ago has other settings, and maybe another path.
        for _ in 0..3 {
            let started = {
                // The semaphore is never closed.
                let _turn = self.hooks.index.starts.acquire().await;
                let (one, sent) = (Arc::clone(&active), Arc::clone(&request));
                self.blocking(move |app| Ok(app.trigger_host().start_delivery(&one, &sent)?)).await
            };
            match started {
                Ok(Started::Run(run)) => {
                    let reply = self.trigger_host().reply(&active.hook, &run).await;
                    return match reply {
                        Some(reply) => Ok(reply),
                        None => self.outcome(run).await,
                    };
                }
                Ok(Started::Told(reply)) => return Ok(reply),
                Err(error) if error.code == "TRIGGER_CHANGED" => {
                    let fresh = self.fresh_hook(&active.hook.path).await?;
                    active = fresh.filter(|fresh| fresh.hook.methods.contains(&request.method)).ok_or_else(|| {
                        let hint = "Check the address, and that the workflow is active.";
                        ApiError::new(Class::NotFound, "NOT_FOUND", "There is no webhook at this address.", hint)
                    })?;
                }
                Err(error) => return Err(error),
            }
        }
        Err(unavailable().into())
    }

    async fn outcome(self: &Arc<Self>, run: String) -> ApiResult<HookReply> {
        // As somebody sees it who may see least.
        let caller = Caller::http(CallerRole::Viewer, false, "webhook");
        let summary = self.summary_as(&caller, run.clone()).await.map_err(|_| unavailable())?;
        Ok(HookReply::of_outcome(&run, &summary))
    }
}
