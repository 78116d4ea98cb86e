//! TLS of what is no HTTP: the authorities that the system and the settings trust, or one that belongs to a connection.

use crate::network;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use std::sync::Arc;

/// Certificates of a PEM text.
pub(crate) fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let mut found = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        found.push(certificate.map_err(|_| "its certificate authority is no PEM file")?);
    }
    if found.is_empty() { Err("its certificate authority has no certificate in it".into()) } else { Ok(found) }
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

/// Why the certificate of a server is not accepted, with what to do; `None` for another error. `setting` is the one of a step for
/// an authority.
pub(crate) fn certificate_refusal(server: &str, error: &rustls::Error, setting: Option<&str>) -> Option<String> {
    let rustls::Error::InvalidCertificate(why) = error else { return None };
    Some(match why {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("The certificate of {server} belongs to another host. Use the name that the certificate has")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("The certificate of {server} has expired. Ask who runs it for a new one")
        }
        CertificateError::UnknownIssuer => {
            let place = setting.map(|setting| format!("'{setting}', or into ")).unwrap_or_default();
            format!(
                "The certificate of {server} is signed by an authority that this machine does not trust. If it is your own, put \
                 its certificate into {place}Settings, Network"
            )
        }
        other => format!("The certificate of {server} is not accepted: {other}"),
    })
}
