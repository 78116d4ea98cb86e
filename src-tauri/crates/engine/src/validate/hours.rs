//! `settings.businessHours`, and the steps that count by it.

use crate::calendar::Calendar;
use serde_json::Value;
use signalbox_model::{
    Diagnostic, Workflow,
    diagnostic::{Code, pointer_token},
};

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let hours = workflow.settings.as_ref().and_then(|settings| settings.business_hours.as_ref());
    if let Some(Err((at, what))) = hours.map(Calendar::parse) {
        let at = format!("/settings/businessHours{at}");
        let hint = "Write { \"timezone\": \"Europe/Berlin\", \"hours\": { \"mon\": [\"09:00-17:00\"] } }";
        found.push(Diagnostic::error(Code::BadConfig, at, what, hint));
    }
    let counts = |config: &Option<Value>| {
        config.as_ref().and_then(|config| config.get("businessHours")?.as_bool()).unwrap_or(false)
    };
    for (id, _) in workflow.nodes.iter().filter(|(_, node)| hours.is_none() && counts(&node.config)) {
        found.push(Diagnostic::error(
            Code::MissingConfig,
            format!("/nodes/{}/config/businessHours", pointer_token(id)),
            format!("'{id}' uses business hours, but the workflow has none"),
            "Set them in the workflow settings, or turn this off",
        ));
    }
}
