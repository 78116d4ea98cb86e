//! Mail: SMTP with lettre, IMAP with async-imap, both over sockets that are opened here, so that addresses are checked as for
//! HTTP steps, certificates are ours to check, and a server that does not stop to answer is bounded.

mod compose;
mod connect;
mod imap;
mod parse;
mod search;
mod smtp;
mod starttls;
mod stream;
mod utf7;
mod watch;

use crate::http::{Lookup, System};
use crate::network::PerNetwork;
use async_trait::async_trait;
use rustls::ClientConfig;
use signalbox_ports::host::canonical;
use signalbox_ports::mail::{MailError, MailProtocol, MailQuery, MailServer, MailSink, OutgoingMail, SentMail};
use signalbox_ports::{Mail, MailWatch, MailWatched};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The mail servers of the world.
pub struct MailServers {
    grants: Arc<[String]>,
    lookup: Arc<dyn Lookup>,
    /// TLS that trusts what the system and the settings trust; reading the certificates takes a while.
    tls: PerNetwork<Arc<ClientConfig>>,
}

impl MailServers {
    /// With the hosts (names or literal addresses, no port) that a person of this machine has granted.
    pub fn new(granted_hosts: &[String]) -> Self {
        Self::with_lookup(granted_hosts, Arc::new(System))
    }

    /// With another resolver.
    pub fn with_lookup(granted_hosts: &[String], lookup: Arc<dyn Lookup>) -> Self {
        Self { grants: granted_hosts.iter().map(|host| canonical(host)).collect(), lookup, tls: PerNetwork::default() }
    }
}

#[async_trait]
impl Mail for MailServers {
    async fn send(&self, server: MailServer, mail: OutgoingMail) -> Result<SentMail, MailError> {
        // From here on the other side may have taken the message.
        let sent = AtomicBool::new(false);
        let work = Box::pin(smtp::send(self, &server, &mail, &sent));
        match tokio::time::timeout(server.timeout, work).await {
            Ok(result) => result,
            Err(_) => Err(MailError::Timeout { effect: sent.load(Ordering::Relaxed) }),
        }
    }

    async fn read(&self, server: MailServer, query: MailQuery, sink: &mut dyn MailSink) -> Result<(), MailError> {
        // From here on the other side may have changed messages.
        let changing = AtomicBool::new(false);
        let work = Box::pin(imap::read(self, &server, &query, sink, &changing));
        match tokio::time::timeout(server.timeout, work).await {
            Ok(result) => result,
            Err(_) => Err(MailError::Timeout { effect: changing.load(Ordering::Relaxed) }),
        }
    }

    async fn watch(
        &self,
        server: MailServer,
        watch: MailWatch,
        sink: &mut dyn MailSink,
    ) -> Result<MailWatched, MailError> {
        Box::pin(watch::watch(self, &server, &watch, sink)).await
    }

    async fn check(&self, server: MailServer, protocol: MailProtocol) -> Result<(), MailError> {
        let work = async {
            match protocol {
                MailProtocol::Smtp => smtp::check(self, &server).await,
                MailProtocol::Imap => imap::check(self, &server).await,
            }
        };
        let done = tokio::time::timeout(server.timeout, Box::pin(work)).await;
        done.unwrap_or(Err(MailError::Timeout { effect: false }))
    }
}

#[cfg(test)]
mod tests;
