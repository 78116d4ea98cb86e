//! Servers at an address, under the rules of requests (TRUST, SSRF): the address is one that a person registered, so this
//! machine and the own network may be meant; link-local addresses never are. No redirect is followed, so a credential stays
//! where it was sent.

use super::access::{Access, Admitted};
use super::fault::failure;
use crate::http::client_for;
use crate::request_credentials;
use reqwest::header::HeaderMap;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use signalbox_model::secret_ref;
use signalbox_ports::tools::{ToolFailure, ToolFault};
use signalbox_ports::{HttpError, Secrets};
use std::sync::Arc;
use url::Url;

pub(super) async fn transport(
    given: &str,
    credential: Option<&str>,
    secrets: &Arc<dyn Secrets>,
    access: Option<Arc<Access>>,
    limit: usize,
) -> Result<StreamableHttpClientTransport<Admitted>, ToolFailure> {
    let mut url = Url::parse(given)
        .map_err(|_| failure(ToolFault::Connect, "Its address is not valid; correct it in Settings, Tool servers"))?;
    let client = client_for(&url).map_err(|error| refused(&error))?;
    let mut headers = HeaderMap::new();
    if let Some(name) = credential.and_then(secret_ref::reference) {
        let found = secrets.credential(name).await.map_err(|error| failure(ToolFault::Secret, error.into_message()))?;
        request_credentials::attach(&found, &mut url, &mut headers).map_err(|error| refused(&error))?;
    }
    let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let config = StreamableHttpClientTransportConfig::with_uri(String::from(url))
        .custom_headers(headers)
        .max_sse_event_size(limit)
        // A new session may be another server: its tools are looked at first.
        .reinit_on_expired_session(false);
    Ok(StreamableHttpClientTransport::with_client(Admitted { inner: client, access, limit }, config))
}

fn refused(error: &HttpError) -> ToolFailure {
    match error {
        HttpError::CredentialRefused { message } => failure(ToolFault::Secret, message.clone()),
        HttpError::Refused { message } | HttpError::BadUrl { message } | HttpError::Connect { message } => {
            failure(ToolFault::Connect, message.clone())
        }
        _ => failure(ToolFault::Connect, "The server cannot be reached; look at its address in Settings, Tool servers"),
    }
}
