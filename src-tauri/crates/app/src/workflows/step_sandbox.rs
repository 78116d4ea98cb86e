//! What runs scripts and reads documents in tests and proofs: the processes of real runs, with local time in UTC.

use signalbox_adapters::DocumentWorkers;
use signalbox_adapters::script::ScriptWorkers;
use signalbox_model::{ErrorType, NodeFailure};
use signalbox_ports::{Documents, Scripts};
use signalbox_simulate::sandbox::{Sandbox, Work};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Processes for the time of some tests or of a proof. The first step that needs one starts it.
pub(crate) struct StepSandbox {
    scripts: Arc<ScriptWorkers>,
    documents: Arc<DocumentWorkers>,
    /// Tests run on threads that nothing waits on asynchronously.
    threads: std::io::Result<Runtime>,
}

impl Default for StepSandbox {
    fn default() -> Self {
        Self {
            scripts: Arc::new(ScriptWorkers::of_this_program().for_tests()),
            documents: Arc::new(DocumentWorkers::of_this_program()),
            threads: Builder::new_current_thread().enable_all().build(),
        }
    }
}

impl Sandbox for StepSandbox {
    fn scripts(&self) -> Arc<dyn Scripts> {
        Arc::<ScriptWorkers>::clone(&self.scripts)
    }

    fn documents(&self) -> Arc<dyn Documents> {
        Arc::<DocumentWorkers>::clone(&self.documents)
    }

    fn wait(&self, work: Work<'_>) -> Result<signalbox_engine::effect::CallOutput, NodeFailure> {
        match &self.threads {
            Ok(threads) => threads.block_on(work),
            Err(error) => {
                let words = format!("The code of the step cannot run in this test: {error}");
                Err(NodeFailure::new(ErrorType::ToolError, "CRASHED", words))
            }
        }
    }
}
