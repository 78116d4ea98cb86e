//! A test of a secret: it is got as a step gets it, and sent to a service or used to sign in to a server.

use super::server_address::{ServerAddress, server_address};
use super::{StepSecrets, reachable};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{SecretTest, SecretTested};
use crate::error::{ApiError, ApiResult};
use crate::host::single_call::SingleCall;
use serde_json::Value;
use signalbox_adapters::vault::VaultError;
use signalbox_model::{Effects, NodeFailure};
use signalbox_nodes::{ServerFamily, check_sign_in};
use signalbox_ports::{Credential, CredentialKind, HttpError, HttpRequest, Redirects, Secrets as _};
use std::sync::Arc;
use std::time::Duration;

/// How long a test waits for its answer.
const WAITS: Duration = Duration::from_secs(20);
const MOST: usize = 64 * 1024;

impl SecretTested {
    fn good(message: impl Into<String>) -> Self {
        Self { good: true, message: message.into(), ..Self::default() }
    }

    fn bad(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

impl App {
    /// Gets a secret as a step does, and sends it to an address where one is given. What was answered is not repeated.
    pub(crate) fn secret_test(&self, caller: &Caller, request: &SecretTest) -> ApiResult<SecretTested> {
        let stored = self.secrets.vault.stored(&request.name, true)?;
        if let Some(client) = &stored.entry.oauth {
            reachable(caller, client)?;
        }
        let credential = match self.secrets.credential(&request.name) {
            Ok(credential) => credential,
            Err(VaultError { message, hint, .. }) => return Ok(SecretTested::bad(format!("{message} {hint}"))),
        };
        let is_ssh = matches!(credential.kind, CredentialKind::Ssh { .. });
        let Some(url) = request.url.as_deref().map(str::trim).filter(|url| !url.is_empty()) else {
            return Ok(SecretTested::good(if stored.entry.oauth.is_some() {
                "The service gave an access token."
            } else if is_ssh {
                "It can be read. Name a server to sign in to, such as sftp://files.example.com."
            } else {
                "It can be read. Name an address to send it to."
            }));
        };
        match server_address(url) {
            Some(Ok(address)) if is_ssh != address.is_sftp() => Err(ApiError::bad_request(
                "SFTP servers take a secret of the type 'SSH key or password' (ssh), and other servers take none of it.",
                "Write the address of an SFTP server like sftp://files.example.com/inbox, or choose another secret.",
            )),
            None if is_ssh => Err(ApiError::bad_request(
                format!("'{url}' is no address of an SFTP server."),
                "Write it like sftp://files.example.com or sftp://files.example.com:2222/inbox.",
            )),
            Some(Ok(address)) => self.test_server(caller, request, &credential, address),
            Some(Err(why)) => Err(ApiError::bad_request(format!("{why}."), "Correct the address and test again.")),
            None if url.contains("://") && !is_web(url) => Err(ApiError::bad_request(
                format!("'{url}' is no address that a secret can be tested at."),
                "Write one like https://api.example.com, postgres://db.example.com/shop, mqtts://, rediss://, nats+tls://, \
                 amqps://, kafka+tls://, smtps://, imaps://, sftp:// or s3+https://.",
            )),
            None if request.root_certificate.is_some() => Err(ApiError::bad_request(
                "A certificate authority can be given for databases, message brokers and mail servers only.",
                "Put it into Settings, Network, or leave it out.",
            )),
            None => self.test_web(caller, credential, url),
        }
    }

    /// Signs in to a server as a step would, with the same rules and errors.
    fn test_server(
        &self,
        caller: &Caller,
        request: &SecretTest,
        credential: &Credential,
        address: ServerAddress,
    ) -> ApiResult<SecretTested> {
        let ServerAddress { family, mut settings } = address;
        let sends = matches!(credential.kind, CredentialKind::Basic { .. } | CredentialKind::Bearer)
            || credential.kind.is_token()
            || family == ServerFamily::Objects;
        if !sends {
            let message = "A secret of this type is sent in HTTP requests. Databases, message brokers and mail servers take a user and a password.";
            return Err(ApiError::bad_request(message, "Store it as the type 'User and password' (basic)."));
        }
        if let Some(pem) = request.root_certificate.as_deref().filter(|pem| !pem.trim().is_empty()) {
            let field = match family {
                ServerFamily::Database => "rootCertificate",
                ServerFamily::Broker | ServerFamily::Smtp | ServerFamily::Imap => "ca",
                ServerFamily::Objects => {
                    let message = "Object stores take no certificate authority here.";
                    return Err(ApiError::bad_request(message, "Put it into Settings, Network, or leave it out."));
                }
            };
            settings.insert(field.to_owned(), pem.into());
        }
        settings.insert("credential".to_owned(), format!("secret://{}", request.name).into());
        settings.insert("timeoutMs".to_owned(), u64::try_from(WAITS.as_millis()).unwrap_or(u64::MAX).into());
        let call = SingleCall {
            kind: "",
            settings: settings.into(),
            effects: Effects::Read,
            key: String::new(),
            here: caller.here,
            connector: None,
            workflow: "",
        };
        let call = call.call();
        let world = Arc::clone(&self.world);
        let done = self.wait_for(async { check_sign_in(family, &call, &world).await })?;
        Ok(match done {
            Ok(()) => SecretTested::good("The server accepted it."),
            Err(failure) => self.refused(family, failure),
        })
    }

    fn refused(&self, family: ServerFamily, failure: NodeFailure) -> SecretTested {
        if let Some(key) =
            failure.details.get("hostKey").and_then(Value::as_str).filter(|_| failure.code == "HOST_KEY_UNKNOWN")
        {
            let message = format!(
                "The server shows the key {key}. Nothing was sent. Trust it only if the administrator of the server tells you the \
                 same."
            );
            return SecretTested { host_key: Some(key.to_owned()), ..SecretTested::bad(message) };
        }
        // Stores, like web services, take the authorities of this machine.
        let of_server = failure.code == "TLS" && family != ServerFamily::Objects;
        let told = self.told(&failure.code, &failure.message);
        if of_server { SecretTested { hint: Some(AUTHORITY.to_owned()), ..told } } else { told }
    }

    /// An error with its code, and what to do about it.
    fn told(&self, code: &str, message: &str) -> SecretTested {
        let message = format!("{}.", message.trim_end_matches('.'));
        let message = self.secrets.vault.scrubber().text(&message).into_owned();
        // Many words say what to check already.
        let hint = hint(code).filter(|hint| !(hint.starts_with("Check") && message.to_lowercase().contains("check ")));
        SecretTested { hint: hint.map(str::to_owned), code: Some(code.to_owned()), ..SecretTested::bad(message) }
    }

    /// Sends it to an address of the web.
    fn test_web(&self, caller: &Caller, credential: Arc<Credential>, url: &str) -> ApiResult<SecretTested> {
        let request = |credential| HttpRequest {
            method: "GET".into(),
            url: url.to_owned(),
            headers: vec![("Accept".into(), "*/*".into())],
            body: None,
            timeout: WAITS,
            loopback_allowed: caller.here,
            redirects: Redirects::SameHost,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body: MOST,
            credential: Some(credential),
        };
        let steps = StepSecrets(Arc::clone(&self.secrets));
        let answer = self.wait_for(async {
            let answer = self.http.send(request(Arc::clone(&credential))).await;
            if !matches!(&answer, Ok(answer) if answer.status == 401) {
                return answer;
            }
            match steps.renewed(&credential).await {
                Ok(Some(newer)) => self.http.send(request(newer)).await,
                Ok(None) | Err(_) => answer,
            }
        })?;
        let signs = matches!(credential.kind, CredentialKind::Aws { .. });
        let accepted = |status| SecretTested {
            status: Some(status),
            ..SecretTested::good(format!("The service accepted it (status {status})."))
        };
        Ok(match answer {
            Ok(answer) if answer.status < 400 => accepted(answer.status),
            Ok(answer) => {
                let said = if signs { aws_refusal(&answer.body) } else { None };
                let message = match answer.status {
                    status if said.is_some() => format!(
                        "The service refused the signature ({}, status {status}): the key is wrong or inactive, or region and service are not those of the address.",
                        said.unwrap_or_default()
                    ),
                    401 => "The service refused it (status 401): it is wrong, or has run out.".to_owned(),
                    403 => "The service knows it, and does not allow this (status 403): look at its rights.".to_owned(),
                    status => format!("The service answered {status}. Look at the address."),
                };
                let code = (said.is_some() || matches!(answer.status, 401 | 403)).then(|| "AUTH".to_owned());
                SecretTested { status: Some(answer.status), code, ..SecretTested::bad(message) }
            }
            // An answer that is longer than is wanted was accepted all the same.
            Err(HttpError::TooLarge { status, .. }) if status < 400 => accepted(status),
            Err(error) => self.told(code(&error), &words(error)),
        })
    }
}

/// What AWS calls a signature that it does not take; with the same status it refuses what a known user may not do.
fn aws_refusal(body: &[u8]) -> Option<&'static str> {
    const CODES: [&str; 7] = [
        "SignatureDoesNotMatch",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "UnrecognizedClientException",
        "InvalidSignatureException",
        "IncompleteSignature",
        "AuthorizationHeaderMalformed",
    ];
    let text = String::from_utf8_lossy(body);
    CODES.into_iter().find(|code| text.contains(code))
}

const AUTHORITY: &str = "Check host, port and encryption. If an authority of your own signed the certificate of the server, give it as the \
                         certificate authority.";

/// The code that a step would fail with.
fn code(error: &HttpError) -> &'static str {
    match error {
        HttpError::Timeout { .. } => "TIMEOUT",
        HttpError::TooLarge { .. } => "HTTP_STATUS",
        HttpError::Refused { .. } => "ADDRESS_REFUSED",
        HttpError::BadUrl { .. } => "INPUT_INVALID",
        HttpError::Connect { .. } | HttpError::Cut { .. } => "CONNECTION",
        HttpError::CredentialRefused { .. } => "CREDENTIAL_REFUSED",
        HttpError::RedirectRefused { .. } => "REDIRECT_REFUSED",
    }
}

fn is_web(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

/// What to do about an error of a server, where its words do not say so.
fn hint(code: &str) -> Option<&'static str> {
    Some(match code {
        "AUTH" => "Check the user and the password at the server. If they have changed, replace the secret.",
        "CREDENTIAL_REFUSED" => {
            "Replace the secret and name this host under its allowed hosts, or use the encrypted connection."
        }
        "ADDRESS_REFUSED" => "Replace the secret and name exactly this host under its allowed hosts, if you trust it.",
        "FORBIDDEN" | "PERMISSION" => "Give the user the right at the server.",
        "UNKNOWN_DATABASE" => "Check the name of the database.",
        "TIMEOUT" | "CONNECTION" => "Check host and port, that the server runs, and that no firewall is in between.",
        "TLS" => "Check host, port and encryption.",
        "BAD_ANSWER" => "Another program answers there. Check host, port and encryption.",
        "NOT_FOUND" => "Check the address, and the bucket or folder.",
        _ => return None,
    })
}

/// Why nothing was answered, without a full stop.
fn words(error: HttpError) -> String {
    match error {
        HttpError::Timeout { .. } => format!("The service did not answer within {} s", WAITS.as_secs()),
        HttpError::TooLarge { status, .. } => format!("The service answered {status}"),
        HttpError::Refused { message }
        | HttpError::BadUrl { message }
        | HttpError::Connect { message }
        | HttpError::Cut { message }
        | HttpError::CredentialRefused { message }
        | HttpError::RedirectRefused { message, .. } => message,
    }
}
