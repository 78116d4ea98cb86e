//! The settings of a mail server.

use crate::credential;
use crate::support::{setting, text, text_or, whole, wrong_choice};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::World;
use signalbox_ports::mail::{MailSecurity, MailServer};
use std::time::Duration;

const DEFAULT_TIMEOUT_MS: u64 = 60_000;
const LONGEST_TIMEOUT_MS: u64 = 3_600_000;
/// Longest certificate authorities, bytes.
const LONGEST_CA: usize = 256 * 1024;

/// Usual ports with TLS, with STARTTLS, and without encryption.
pub(crate) struct Ports {
    pub(crate) tls: u16,
    pub(crate) start_tls: u16,
    pub(crate) plain: u16,
}

/// The usual ports for sending.
pub(crate) const SMTP: Ports = Ports { tls: 465, start_tls: 587, plain: 25 };
/// The usual ports of mailboxes.
pub(crate) const IMAP: Ports = Ports { tls: 993, start_tls: 143, plain: 143 };

/// The server that a step names, and its time limit in milliseconds.
pub(crate) async fn server(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    ports: &Ports,
) -> Result<(MailServer, u64), NodeFailure> {
    let (security, usual) = match text_or(slot, "security", "tls")? {
        "tls" => (MailSecurity::Tls, ports.tls),
        "starttls" => (MailSecurity::StartTls, ports.start_tls),
        "none" => (MailSecurity::None, ports.plain),
        _ => return Err(wrong_choice("security", "tls, starttls or none", &slot.config["security"])),
    };
    let port = whole(slot, "port", 1, u64::from(u16::MAX))?.and_then(|port| u16::try_from(port).ok());
    let timeout_ms = whole(slot, "timeoutMs", 1, LONGEST_TIMEOUT_MS)?.unwrap_or(DEFAULT_TIMEOUT_MS);
    let optional = |field: &str| setting(slot, field).map(|_| text(slot, field).map(str::to_owned)).transpose();
    let ca = optional("ca")?.filter(|pem| !pem.trim().is_empty());
    if ca.as_ref().is_some_and(|pem| pem.len() > LONGEST_CA) {
        let words = "The certificate authority is longer than 256 KiB";
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "ca"));
    }
    let server = MailServer {
        host: text(slot, "host")?.trim().to_owned(),
        port: port.unwrap_or(usual),
        security,
        user: optional("user")?.filter(|user| !user.is_empty()),
        // After the commit of the step's start, and never part of the config: no event and no expression has the value.
        credential: credential::of_setting(slot, world).await?,
        ca,
        timeout: Duration::from_millis(timeout_ms),
        loopback_allowed: call.loopback_allowed,
    };
    Ok((server, timeout_ms))
}
