//! TLS of what is no HTTP: the authorities that the system and the settings trust, or one that belongs to a connection.

use crate::network;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, ClientConfig, InconsistentKeys, RootCertStore};
use std::sync::Arc;

/// Certificates of a PEM text.
pub(crate) fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let mut found = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        found.push(certificate.map_err(|_| "its certificate authority is no PEM file")?);
    }
    if found.is_empty() { Err("its certificate authority has no certificate in it".into()) } else { Ok(found) }
}

/// Whether a PEM text has a certificate, and a private key that belongs to another one. A key of a type that cannot be judged is none.
pub(crate) fn is_of_another_key(pem: &str) -> bool {
    let Ok(chain) = certificates(pem) else { return false };
    let Ok(key) = PrivateKeyDer::from_pem_slice(pem.as_bytes()) else { return false };
    let provider = rustls::crypto::ring::default_provider();
    let fits = CertifiedKey::from_der(chain, key, &provider);
    matches!(fits, Err(rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch)))
}

/// A client that trusts `ca` (PEM) alone, or the authorities of the system and the settings where there is none.
pub(crate) fn client_config(ca: Option<&str>) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    match ca {
        Some(pem) => {
            for certificate in certificates(pem)? {
                roots.add(certificate).map_err(|why| format!("its certificate authority cannot be used: {why}"))?;
            }
        }
        None => {
            roots.add_parsable_certificates(network::current().trusted());
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|why| format!("TLS cannot be set up: {why}"))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Why there is no secure connection to a server, with what to do; `None` for an error that no words are known for. `setting` is the one of a step for
/// an authority.
pub(crate) fn certificate_refusal(server: &str, error: &rustls::Error, setting: Option<&str>) -> Option<String> {
    let why = match error {
        rustls::Error::InvalidCertificate(why) => why,
        // The first bytes of the answer belong to another protocol, such as HTTP without TLS.
        rustls::Error::InvalidMessage(rustls::InvalidMessage::InvalidContentType) => {
            return Some(format!("{server} answers without encryption at this port. Check port and encryption"));
        }
        _ => return None,
    };
    Some(match why {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("The certificate of {server} belongs to another host. Use the name that the certificate has")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("The certificate of {server} has expired. Ask who runs it for a new one")
        }
        CertificateError::UnknownIssuer => {
            let place = setting.map(|setting| format!("{setting}, or into ")).unwrap_or_default();
            format!(
                "The certificate of {server} is signed by an authority that this machine does not trust. If it is your own, put \
                 its certificate into {place}Settings, Network"
            )
        }
        other => format!("The certificate of {server} is not accepted: {other}"),
    })
}
