//! A world with real mail for the servers of Debian.

use crate::common::world;
use signalbox_adapters::{FolderFiles, MailServers};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{Credential, CredentialKind, Scrubber, Secret, SecretError, Secrets, World};
pub(crate) use signalbox_testkit::mail_host::{LARGEST, MailHost, PASSWORD, USER};
use std::sync::Arc;

/// Knows the password of the test.
struct OneSecret(String);

#[async_trait::async_trait]
impl Secrets for OneSecret {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        let value = if name == "wrong" { "k-canary-wrong".to_owned() } else { self.0.clone() };
        let host = if name == "elsewhere" { "mail.example.org" } else { "localhost" };
        Ok(Arc::new(Credential {
            name: name.to_owned(),
            kind: CredentialKind::Basic { user: USER.into() },
            hosts: vec![AllowedHost::parse(host).expect("a host"), AllowedHost::parse("127.0.0.1").expect("a host")],
            value: Secret::new(value),
            scrubber: Arc::default(),
        }))
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::default()
    }
}

/// A world with the secrets of the test and real mail.
pub(crate) fn mail_world() -> World {
    World {
        secrets: Arc::new(OneSecret(PASSWORD.to_owned())),
        mail: Arc::new(MailServers::new(&[])),
        ..world(FolderFiles::default())
    }
}
