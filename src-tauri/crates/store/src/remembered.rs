//! Keys that steps have seen in the runs of a workflow.

use crate::error::Result;
use crate::store::Store;
use crate::table::remembered_key;
use signalbox_model::KeyClaim;

/// Keys of steps.
impl Store {
    /// Takes the keys of a call of a step; whether each is new. Not lost later than the commit of the step's end, which is
    /// behind it in the same log.
    pub fn remember(&self, claim: &KeyClaim) -> Result<Vec<bool>> {
        let claim = claim.clone();
        self.write(false, move |work| remembered_key::claim(work.connection, &claim))
    }
}
