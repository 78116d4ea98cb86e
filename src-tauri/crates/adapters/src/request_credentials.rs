//! How a credential goes into a request.

use crate::aws_signature;
use crate::azure_signature;
use crate::clock::RealClock;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use signalbox_ports::secret::allows;
use signalbox_ports::{Clock, Credential, CredentialKind, HttpError};
use url::Url;
use zeroize::Zeroizing;

const COPY_SOURCE: HeaderName = HeaderName::from_static("x-ms-copy-source");

fn refused(credential: &Credential, why: &str) -> HttpError {
    HttpError::CredentialRefused { message: format!("The credential '{}' was not sent: {why}", credential.name) }
}

/// Puts a credential into a whole request, when it may go there. A client certificate is checked here, and shown by the
/// connection.
pub(crate) fn authenticate(
    credential: &Credential,
    method: &Method,
    url: &mut Url,
    headers: &mut HeaderMap,
    body: &[u8],
) -> Result<(), HttpError> {
    match &credential.kind {
        CredentialKind::Aws { access_key, region, service } => {
            allows(&credential.hosts, url).map_err(|why| refused(credential, &why))?;
            let key = aws_signature::Key { id: access_key, secret: &credential.value, region, service };
            aws_signature::sign(&key, method, url, headers, body, RealClock.now_ms())
                .map_err(|why| refused(credential, &why))
        }
        CredentialKind::AzureKey { account } => {
            allows(&credential.hosts, url).map_err(|why| refused(credential, &why))?;
            azure_signature::sign(account, &credential.value, method, url, headers, body.len(), RealClock.now_ms())
                .map_err(|why| refused(credential, &why))
        }
        CredentialKind::Sas => {
            allows(&credential.hosts, url).map_err(|why| refused(credential, &why))?;
            add_signature(credential, url, headers)
        }
        CredentialKind::ClientCertificate => {
            allows(&credential.hosts, url).map_err(|why| refused(credential, &why))?;
            if url.scheme() == "https" {
                return Ok(());
            }
            Err(refused(credential, "a client certificate is shown over https only"))
        }
        _ => attach(credential, url, headers),
    }
}

/// Puts a shared access signature of Azure into the address, and into that of an object of the same account which is copied.
fn add_signature(credential: &Credential, url: &mut Url, headers: &mut HeaderMap) -> Result<(), HttpError> {
    let text = credential.value.expose().trim().trim_start_matches('?');
    let with_signature = |url: &mut Url| {
        url.query_pairs_mut().extend_pairs(url::form_urlencoded::parse(text.replace('+', "%2B").as_bytes()));
    };
    let source = headers.get(COPY_SOURCE).and_then(|source| Url::parse(source.to_str().ok()?).ok());
    if let Some(mut source) = source.filter(|source| source.origin() == url.origin()) {
        with_signature(&mut source);
        let source = HeaderValue::from_str(source.as_str());
        let mut source = source.map_err(|_| refused(credential, "it has a character that headers may not have"))?;
        source.set_sensitive(true);
        headers.insert(COPY_SOURCE, source);
    }
    with_signature(url);
    Ok(())
}

/// Puts a credential into the address and the headers of a request, when it may go there.
pub(crate) fn attach(credential: &Credential, url: &mut Url, headers: &mut HeaderMap) -> Result<(), HttpError> {
    allows(&credential.hosts, url).map_err(|why| refused(credential, &why))?;
    let value = credential.value.expose();
    let (name, text) = match &credential.kind {
        CredentialKind::Query { name } => {
            url.query_pairs_mut().append_pair(name, value);
            return Ok(());
        }
        CredentialKind::Path => {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | ':');
            if value.is_empty() || !value.chars().all(plain) || value.chars().all(|c| c == '.') {
                return Err(refused(credential, "it has a character that paths may not have"));
            }
            // The library writes braces in paths as `%7B` and `%7D`.
            let path = Zeroizing::new(url.path().replace("%7Bcredential%7D", value));
            url.set_path(&path);
            return Ok(());
        }
        CredentialKind::Ssh { .. } => return Err(refused(credential, "credentials of its type are for SFTP")),
        CredentialKind::Aws { .. }
        | CredentialKind::ClientCertificate
        | CredentialKind::AzureKey { .. }
        | CredentialKind::Sas => {
            return Err(refused(credential, "credentials of its type are for HTTP requests and connectors"));
        }
        CredentialKind::Bearer | CredentialKind::AccessToken { .. } => {
            (AUTHORIZATION, Zeroizing::new(format!("Bearer {value}")))
        }
        CredentialKind::Basic { user } => (AUTHORIZATION, basic(user, value)),
        CredentialKind::Header { name } => {
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| refused(credential, "its header has a name that headers may not have"))?;
            (name, Zeroizing::new(value.to_owned()))
        }
    };
    let mut text = HeaderValue::from_str(&text)
        .map_err(|_| refused(credential, "it has a character that headers may not have"))?;
    // The client does not print it, and HTTP/2 does not keep it in its table.
    text.set_sensitive(true);
    headers.insert(name, text);
    Ok(())
}

fn basic(user: &str, password: &str) -> Zeroizing<String> {
    use base64::Engine;
    let pair = Zeroizing::new(format!("{user}:{password}"));
    Zeroizing::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair.as_bytes())))
}

/// Whoever was given the credential must not pass it on in the address of a redirect.
pub(crate) fn stays_home(credential: &Credential, next: &Url) -> Result<(), HttpError> {
    if !credential.scrubber.finds(next.as_str().as_bytes()) {
        return Ok(());
    }
    let host = next.host_str().unwrap_or_default();
    Err(refused(credential, &format!("the address redirects to {host} with the credential in the new address")))
}

#[cfg(test)]
mod tests;
