//! TLS of what is no HTTP: the authorities that the system and the settings trust, or one that belongs to a connection.

use crate::network;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
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
