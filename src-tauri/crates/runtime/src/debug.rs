//! What a person who looks into a run asks of it: kept before it is acted on, whoever drives the run (ADR 33).

use crate::error::Error;
use crate::runtime::Runtime;
use signalbox_model::{DurableInput, debug::DebugRequest};
use std::sync::Arc;

impl Runtime {
    /// Keeps a request as an input of the run; a run that nobody drives goes on here.
    pub async fn debug(&self, run_id: &str, request: &DebugRequest, operator_id: &str) -> Result<(), Error> {
        let (core, run_id) = (Arc::clone(self.core()), run_id.to_owned());
        let input = DurableInput::Debug { request: request.clone(), operator_id: Some(operator_id.to_owned()) };
        self.worker(move || {
            let row = core.store.run(&run_id)?;
            if row.ended_ms.is_some() {
                return Err(Error::Ended { run: run_id, status: row.status });
            }
            core.store.add_input(&run_id, &input)?;
            core.wake(&run_id)
        })
        .await?
    }
}
