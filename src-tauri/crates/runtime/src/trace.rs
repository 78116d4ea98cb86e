//! What calls send to other programs names the span of the call.

use crate::Runtime;
use signalbox_engine::effect::Call;
use signalbox_model::TraceContext;
use std::sync::Arc;

/// Says what goes along with the requests of a call.
pub(crate) type Tracer = Arc<dyn Fn(&str, &CallPlace) -> Option<TraceContext> + Send + Sync>;

/// A call within its run, as its events name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallPlace {
    /// Node id.
    pub step: String,
    /// Where in nested containers; `None` at the top.
    pub path: Option<String>,
    /// Item index; `None` when there is one item.
    pub item: Option<usize>,
    /// Round of the slot, from 1.
    pub visit: u32,
    /// Automatic re-executions before, from 0.
    pub attempt: u32,
    /// It works on the failure of another step: its events have other numbers.
    pub is_recovery: bool,
}

impl CallPlace {
    pub(crate) fn of(call: &Call) -> Self {
        let key = &call.key;
        Self {
            step: call.node_id.to_string(),
            path: (!key.path.is_empty()).then(|| key.path.to_string()),
            item: key.item,
            visit: key.visit,
            attempt: key.attempt,
            is_recovery: key.origin.is_some(),
        }
    }
}

impl Runtime {
    /// From now on `context` says what goes along with the requests of a call, given the run. It is asked when something is
    /// sent, on the thread that sends. Once for a runtime.
    pub fn trace_calls(&self, context: impl Fn(&str, &CallPlace) -> Option<TraceContext> + Send + Sync + 'static) {
        // The first one stays.
        let _ = self.core().tracer.set(Arc::new(context));
    }
}
