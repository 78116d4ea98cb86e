//! `settings.concurrency` and `settings.rateLimit`.

use super::expressions;
use crate::expr::Expr;
use crate::run_limits::{BadLimit, NAMES, RunLimits};
use signalbox_model::diagnostic::Code;
use signalbox_model::{Diagnostic, Workflow};

const KEY: &str = "/settings/concurrency/key";

pub(super) fn check(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let Some(settings) = &workflow.settings else { return };
    let limits = match RunLimits::read(settings.concurrency.as_ref(), settings.rate_limit.as_ref()) {
        Ok(limits) => limits,
        Err(BadLimit { path, what }) => {
            let hint = if path.starts_with("/rateLimit") {
                "Write { \"count\": 10, \"perMs\": 60000 }"
            } else {
                "Write { \"max\": 1, \"key\": \"params.customer\", \"onLimit\": \"queue\" }; key and onLimit may be absent"
            };
            found.push(Diagnostic::error(Code::BadConfig, format!("/settings{path}"), what, hint));
            return;
        }
    };
    let Some(key) = limits.and_then(|limits| limits.key) else { return };
    match Expr::compile(&key) {
        Err(error) => found.push(expressions::broken(KEY, &key, &error)),
        Ok(expression) => {
            for root in expression.references().roots.iter().filter(|root| !NAMES.contains(&root.as_str())) {
                found.push(Diagnostic::error(
                    Code::UnknownName,
                    KEY,
                    format!("The key of the concurrency limit uses '{root}', which is not available"),
                    format!("Use one of: {}", NAMES.join(", ")),
                ));
            }
        }
    }
}
