//! Forms of active workflows: what the server shows at `/forms/{path}`, and what it does with a submission (ADR 98). Whoever
//! reaches the address may submit, so nothing here tells more than the page needs: no ids, no reasons from inside.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::CallerRole;
use crate::error::ApiResult;
use serde_json::{Value, json};
use signalbox_engine::form::KIND;
use signalbox_engine::validate::form_path_taken;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Diagnostic, Workflow};
use signalbox_runtime::triggers::{ActiveForm, FormIndex, RESULT_WAIT, active_forms};
use std::sync::Arc;

/// The forms of active workflows by their paths.
#[derive(Debug, Default)]
pub struct Forms(FormIndex);

impl Forms {
    /// The form of a path, if its workflow is active.
    pub async fn find(self: &Arc<Self>, app: &Arc<App>, path: String) -> ApiResult<Option<Arc<ActiveForm>>> {
        let forms = Arc::clone(self);
        app.blocking(move |app| Ok(forms.0.find(&app.store, &path)?)).await
    }
}

impl App {
    /// Paths of forms that another active workflow has.
    pub(super) fn form_findings(&self, workflow: &Workflow) -> ApiResult<Vec<Diagnostic>> {
        let own: Vec<_> =
            workflow.nodes.iter().filter(|(_, node)| node.kind == KIND && node.disabled != Some(true)).collect();
        if own.is_empty() {
            return Ok(Vec::new());
        }
        let active = active_forms(&self.store)?;
        let found = own.into_iter().filter_map(|(id, node)| {
            let path = node.config.as_ref()?.get("path")?.as_str()?;
            let other = &active.get(path)?.row;
            let at = format!("/nodes/{}/config/path", pointer_token(id));
            (other.workflow != workflow.id)
                .then(|| form_path_taken(&at, path, &format!("the active workflow '{}'", other.workflow_name)))
        });
        Ok(found.collect())
    }

    /// Takes a submission: `{status: accepted | completed | waiting | running | failed, thanks?, output?}`.
    pub async fn submit_form(self: &Arc<Self>, form: Arc<ActiveForm>, body: Vec<u8>) -> ApiResult<Value> {
        let thanks = form.thanks();
        let run = self.blocking(move |app| Ok(app.trigger_host().start_submitted(&form, &body)?)).await?;
        if let Some(thanks) = thanks {
            return Ok(thanks);
        }
        let Some(run) = run else { return Ok(json!({ "status": "running" })) };
        if tokio::time::timeout(RESULT_WAIT, self.wait(run.clone())).await.is_err() {
            return Ok(json!({ "status": "running" }));
        }
        // As somebody sees it who may see least.
        let summary = self.summary_as(&Caller::http(CallerRole::Viewer, false, "form"), run).await?;
        Ok(ActiveForm::told(&summary))
    }
}
