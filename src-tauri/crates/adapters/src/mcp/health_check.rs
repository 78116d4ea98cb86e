//! Whether a server at an address is still there while a call waits for its answer. The library asks for a stream that broke
//! again and again, so without this the death of a server would be noticed by the time limit alone.

use super::fault::{self, Meaning};
use rmcp::model::{ClientRequest, PingRequest};
use rmcp::service::{Peer, RoleClient};
use signalbox_ports::Scrubber;
use signalbox_ports::tools::ToolFault;
use std::time::Duration;

/// Ends when the server cannot be reached any more. A server that is busy, answers with an error, or answers late is there;
/// one question at a time stands open.
pub(super) async fn gone(peer: &Peer<RoleClient>, every: Duration, scrubber: &Scrubber) {
    loop {
        tokio::time::sleep(every).await;
        let Err(error) = peer.send_request(ClientRequest::PingRequest(PingRequest::default())).await else { continue };
        match fault::of_request(&error, scrubber) {
            Meaning::Ended => return,
            Meaning::Failure(failure) if matches!(failure.fault, ToolFault::Connect | ToolFault::Cut) => return,
            // The call itself is told of a session that is gone.
            Meaning::Failure(_) | Meaning::SessionGone => {}
        }
    }
}
