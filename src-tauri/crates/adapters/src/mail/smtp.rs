//! Sending: one message over one connection. Each command is given here, not by the library's `send`, so that a refused
//! recipient does not stop the others and the moment is known from which the server may have the message.

use super::MailServers;
use super::compose::{self, Composed};
use super::connect::invalid;
use super::stream::{Budget, is_endless};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;
use signalbox_ports::CredentialKind;
use signalbox_ports::mail::{MailError, MailProtocol, MailServer, OutgoingMail, RefusedRecipient, SentMail};
use std::error::Error as _;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long QUIT may take; the message is there by then.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);
/// Largest answer to one command. The library reads all lines of an answer anew with each further one.
const LARGEST_REPLY: u64 = 4 * 1024;
/// Longest excerpt of what a server says.
const LONGEST_REPLY: usize = 500;

pub(super) async fn send(
    servers: &MailServers,
    server: &MailServer,
    mail: &OutgoingMail,
    sent: &AtomicBool,
) -> Result<SentMail, MailError> {
    // Before anybody is asked: what is wrong with the message is the workflow's own affair.
    let message = compose::message(mail)?;
    let host = server.host.as_str();
    let (mut connection, budget, abilities) = begin(servers, server).await?;
    let refused = introduce(&mut connection, &budget, host, &message, &abilities).await?;
    budget.allow(LARGEST_REPLY);
    connection.command(Data).await.map_err(|error| failure(host, "does not take the message", &error))?;
    sent.store(true, Ordering::Relaxed);
    let reply = match connection.message(&message.bytes).await {
        Ok(reply) => reply,
        Err(error) if error.status().is_some() => {
            sent.store(false, Ordering::Relaxed);
            return Err(failure(host, "does not take the message", &error));
        }
        Err(_) => {
            let message = format!(
                "The connection to {host} ended after the message was sent, before the server had confirmed it. It may have \
                 been delivered: look for its Message-ID at the recipient or in the server's log"
            );
            return Err(MailError::OutcomeUnknown { message });
        }
    };
    let _gone = tokio::time::timeout(QUIT_TIMEOUT, connection.quit()).await;
    let is_refused = |address: &str| refused.iter().any(|one: &RefusedRecipient| one.address == address);
    let accepted = message.recipients.iter().map(ToString::to_string).filter(|address| !is_refused(address)).collect();
    Ok(SentMail { accepted, size: message.bytes.len() as u64, reply: reply_text(&reply), refused })
}

/// A connection on which somebody is signed in, what its answers may take, and what the server can do.
async fn begin(
    servers: &MailServers,
    server: &MailServer,
) -> Result<(AsyncSmtpConnection, Budget, Response), MailError> {
    let host = server.host.as_str();
    let opened = servers.open(server, MailProtocol::Smtp).await?;
    // The library expects a greeting, which a connection that was encrypted on demand had before.
    let stream = if opened.greeted { opened.stream.with_before(b"220 ready\r\n") } else { opened.stream };
    let hello = ClientId::default();
    let budget = stream.budget();
    let mut connection = AsyncSmtpConnection::connect_with_transport(Box::new(stream), &hello)
        .await
        .map_err(|error| failure(host, "greets with an error", &error))?;
    budget.allow(LARGEST_REPLY);
    // The library does not keep the size that the server announces.
    let abilities =
        connection.command(Ehlo::new(hello)).await.map_err(|error| failure(host, "does not answer EHLO", &error))?;
    budget.allow(LARGEST_REPLY);
    sign_in(&mut connection, server).await?;
    Ok((connection, budget, abilities))
}

/// Signs in, and leaves.
pub(super) async fn check(servers: &MailServers, server: &MailServer) -> Result<(), MailError> {
    let (mut connection, budget, _) = begin(servers, server).await?;
    budget.allow(LARGEST_REPLY);
    let _gone = tokio::time::timeout(QUIT_TIMEOUT, connection.quit()).await;
    Ok(())
}

/// User and password, or an access token, when the server asks for them.
async fn sign_in(connection: &mut AsyncSmtpConnection, server: &MailServer) -> Result<(), MailError> {
    let host = server.host.as_str();
    let Some(credential) = &server.credential else { return Ok(()) };
    let user = user(server)?;
    let offers = |mechanism| connection.server_info().supports_auth_mechanism(mechanism);
    if is_token(server) {
        if !offers(Mechanism::Xoauth2) {
            let message =
                format!("{host} does not offer to sign in with an access token (XOAUTH2). Use another credential");
            return Err(MailError::Auth { message });
        }
        let pair = Credentials::new(user, credential.value.expose().to_owned());
        return match connection.auth(&[Mechanism::Xoauth2], &pair).await {
            Ok(_) => Ok(()),
            // A refusal that comes as a challenge (334) is an error of the library.
            Err(error) if error.is_permanent() || error.is_client() => {
                Err(MailError::Auth { message: format!("{host} does not accept the access token: {}", said(&error)) })
            }
            Err(error) => Err(failure(host, "cannot check the sign-in now", &error)),
        };
    }
    if !offers(Mechanism::Plain) && !offers(Mechanism::Login) {
        let message = format!(
            "{host} does not offer to sign in with user and password. Use another port, or leave the credential out"
        );
        return Err(MailError::Auth { message });
    }
    let pair = Credentials::new(user, credential.value.expose().to_owned());
    match connection.auth(&[Mechanism::Plain, Mechanism::Login], &pair).await {
        Ok(_) => Ok(()),
        // 454: the server cannot look it up now.
        Err(error) if error.is_permanent() => {
            Err(MailError::Auth { message: format!("{host} does not accept user and password: {}", said(&error)) })
        }
        Err(error) => Err(failure(host, "cannot check the sign-in now", &error)),
    }
}

/// Whether somebody signs in with an access token instead of a password.
pub(super) fn is_token(server: &MailServer) -> bool {
    let kind = server.credential.as_ref().map(|credential| &credential.kind);
    matches!(kind, Some(CredentialKind::AccessToken { .. }))
}

/// The user of a sign-in.
pub(super) fn user(server: &MailServer) -> Result<String, MailError> {
    let of_credential = server.credential.as_ref().and_then(|credential| match &credential.kind {
        CredentialKind::Basic { user } => Some(user.clone()),
        CredentialKind::AccessToken { user } => user.clone(),
        _ => None,
    });
    let user = server.user.clone().or(of_credential).filter(|user| !user.is_empty());
    let user = user.ok_or_else(|| {
        invalid("user", "The password needs a user: fill in 'user', or keep the secret with its user (type basic)")
    })?;
    if user.chars().any(char::is_control) { Err(invalid("user", "The user has a line break")) } else { Ok(user) }
}

/// Names sender and recipients; gives the recipients that are refused.
async fn introduce(
    connection: &mut AsyncSmtpConnection,
    budget: &Budget,
    host: &str,
    message: &Composed,
    abilities: &Response,
) -> Result<Vec<RefusedRecipient>, MailError> {
    let size = message.bytes.len() as u64;
    let announced = abilities.message().find_map(|line| {
        let rest = line.strip_prefix("SIZE")?;
        rest.trim().parse::<u64>().ok().or(Some(0))
    });
    if let Some(limit) = announced.filter(|limit| (1..size).contains(limit)) {
        return Err(MailError::TooLarge { size, limit: Some(limit) });
    }
    let mut options = Vec::new();
    if announced.is_some() {
        options.push(MailParameter::Size(message.bytes.len()));
    }
    if message.needs_utf8() {
        if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
            let words = format!("{host} takes only addresses with ASCII letters before the @");
            return Err(invalid("to", words));
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    if !message.bytes.is_ascii() && connection.server_info().supports_feature(Extension::EightBitMime) {
        options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    budget.allow(LARGEST_REPLY);
    connection.command(Mail::new(Some(message.from.clone()), options)).await.map_err(|error| {
        match error.status().map(u16::from) {
            Some(552 | 534 | 523) => MailError::TooLarge { size, limit: announced.filter(|limit| *limit > 0) },
            _ => failure(host, "does not take mail from this sender", &error),
        }
    })?;
    let mut refused = Vec::new();
    for recipient in &message.recipients {
        budget.allow(LARGEST_REPLY);
        let Err(error) = connection.command(Rcpt::new(recipient.clone(), Vec::new())).await else { continue };
        match error.status().map(u16::from) {
            // The whole connection ends.
            None | Some(421) => return Err(failure(host, "ends the connection", &error)),
            Some(code) => {
                refused.push(RefusedRecipient { address: recipient.to_string(), code, message: said(&error) });
            }
        }
    }
    if refused.len() < message.recipients.len() { Ok(refused) } else { Err(MailError::RecipientsRefused { refused }) }
}

/// What the server says, in one line and not too long.
fn said(error: &Error) -> String {
    one_line(&error.source().map_or_else(|| error.to_string(), ToString::to_string))
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_REPLY).collect()
}

fn reply_text(reply: &Response) -> String {
    let lines: Vec<&str> = reply.message().collect();
    one_line(&lines.join(" "))
}

/// What a failed command means; nothing was delivered by it.
fn failure(host: &str, what: &str, error: &Error) -> MailError {
    if let Some(code) = error.status().map(u16::from) {
        let message = format!("{host} {what}: {code} {}", said(error));
        return match code {
            552 => MailError::TooLarge { size: 0, limit: None },
            _ => MailError::Refused { code: Some(code), message, temporary: error.is_transient() },
        };
    }
    let io = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    if io.is_some_and(is_endless) {
        return MailError::BadAnswer { message: format!("{host} does not stop to answer") };
    }
    let ended = error.is_response() && error.source().is_some_and(|source| source.to_string() == "incomplete response");
    if io.is_some() || ended {
        return MailError::Connection { message: format!("{host} ended the connection before the message was sent") };
    }
    MailError::BadAnswer { message: format!("{host} does not answer as SMTP asks for: {}", said(error)) }
}
