//! The token of a person who signed in, on its way to the one server that it is for: it goes along with each request, is
//! renewed in time without a word, and what a server says to the contrary is heard and told.
//!
//! A request that was answered 401 did nothing, so it is sent once more when a newer token is there.

use super::ServerBook;
use super::definition::ToolServerDefinition;
use super::depth;
use super::fault::failure;
use super::post::{Events, Headers, Post, Refusal};
use crate::clock::RealClock;
use crate::oauth::{self, Challenge, Fault, SignedIn, ToolSignIn, Trouble};
use futures_util::stream::StreamExt;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use signalbox_ports::tools::{ToolFailure, ToolFault};
use signalbox_ports::{Clock, Secrets};
use sse_stream::Sse;
use std::sync::{Arc, Mutex, PoisonError};

/// Who gets in at one server.
pub(super) struct Access {
    name: String,
    definition: ToolServerDefinition,
    settings: ToolSignIn,
    book: Arc<dyn ServerBook>,
    secrets: Arc<dyn Secrets>,
    /// As far as it was looked up.
    now: tokio::sync::Mutex<Option<Option<Arc<SignedIn>>>>,
    /// Why nobody gets in.
    failed: Mutex<Option<ToolFailure>>,
}

impl Access {
    /// Of a server at an address, unless a person chose a credential for it.
    pub(super) fn new(
        name: &str,
        definition: &ToolServerDefinition,
        book: &Arc<dyn ServerBook>,
        secrets: &Arc<dyn Secrets>,
    ) -> Option<Arc<Self>> {
        let ToolServerDefinition::Http { credential: None, sign_in, .. } = definition else { return None };
        Some(Arc::new(Self {
            name: name.to_owned(),
            definition: definition.clone(),
            settings: sign_in.clone().unwrap_or_default(),
            book: Arc::clone(book),
            secrets: Arc::clone(secrets),
            now: tokio::sync::Mutex::default(),
            failed: Mutex::default(),
        }))
    }

    /// A failure of the connection, in the words of what is known here.
    pub(super) fn explain(&self, failure: ToolFailure) -> ToolFailure {
        if failure.fault != ToolFault::Auth {
            return failure;
        }
        let told = self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        told.map_or(failure.clone(), |told| ToolFailure { sent: failure.sent, ..told })
    }

    /// Whether somebody is signed in, as far as that was looked up.
    pub(super) async fn is_signed_in(&self) -> bool {
        matches!(&*self.now.lock().await, Some(Some(_)))
    }

    /// Whether who was signed in when this was looked up still is. One who signed out did so for every connection, also in
    /// another process.
    pub(super) async fn stands(&self) -> bool {
        let before = self.now.lock().await.clone();
        match before {
            Some(before) => self.is_known(before.as_ref()).await.unwrap_or(false),
            None => true,
        }
    }

    /// Whether `before` is who is signed in by the book.
    async fn is_known(&self, before: Option<&Arc<SignedIn>>) -> Result<bool, ToolFailure> {
        let known = self.book.signed_in_as(&self.name, &self.definition).await?;
        Ok(known.as_deref() == before.map(|signed| signed.kept.id.as_str()))
    }

    fn fail(&self, fault: ToolFault, message: String) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure(fault, message));
    }

    fn again(&self) -> String {
        format!("Sign in again in Settings, Tool servers, or with `signalbox tools sign-in {}`", self.name)
    }

    /// The sign-in to go along; none when nobody signed in.
    async fn current(self: &Arc<Self>) -> Result<Option<Arc<SignedIn>>, Stopped> {
        let mut now = self.now.lock().await;
        if let Some(before) = now.as_ref() {
            if !self.is_known(before.as_ref()).await.map_err(|failure| self.stop(failure))? {
                // What was begun for one person does not go on as another.
                let words = "Somebody signed in or out of the server in this moment, so it was not asked; try again";
                return Err(self.stop(failure(ToolFault::Auth, words)));
            }
        } else {
            let found = self.book.signed_in(&self.name, &self.definition).await;
            *now = Some(found.map_err(|failure| self.stop(failure))?);
        }
        let Some(Some(signed)) = now.as_ref() else { return Ok(None) };
        if !signed.is_over(RealClock.now_ms()) {
            return Ok(Some(Arc::clone(signed)));
        }
        let new = self.newer(Arc::clone(signed)).await?;
        *now = Some(Some(Arc::clone(&new)));
        Ok(Some(new))
    }

    /// The sign-in that was looked up and still holds; nobody waits for one that is being renewed.
    async fn at_hand(&self) -> Option<Arc<SignedIn>> {
        let now = self.now.try_lock().ok()?.clone();
        let signed = now.flatten().filter(|signed| !signed.is_over(RealClock.now_ms()))?;
        self.is_known(Some(&signed)).await.unwrap_or(false).then_some(signed)
    }

    fn stop(&self, failure: ToolFailure) -> Stopped {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        Stopped
    }

    /// A newer sign-in than one that holds no more. Once begun it is seen through: the old token may be of no use afterwards.
    async fn newer(self: &Arc<Self>, old: Arc<SignedIn>) -> Result<Arc<SignedIn>, Stopped> {
        let access = Arc::clone(self);
        let renewal = tokio::spawn(async move { access.renewed(&old).await });
        renewal.await.map_err(|_| Stopped)?.map_err(|failure| self.stop(failure))
    }

    async fn renewed(&self, old: &Arc<SignedIn>) -> Result<Arc<SignedIn>, ToolFailure> {
        // Of several programs and connections one renews; the others find what it kept.
        let _alone = self.book.renewing(&self.name).await?;
        let kept = self.book.signed_in(&self.name, &self.definition).await?;
        let Some(kept) = kept else { return Err(failure(ToolFault::Auth, self.unsigned())) };
        if !kept.is(old) && !kept.is_over(RealClock.now_ms()) {
            return Ok(kept);
        }
        match oauth::renew(&kept, &self.settings, &self.secrets).await {
            Ok(new) => self.book.renewed(&self.name, new).await,
            Err(Fault { trouble: Trouble::Ended, message }) => {
                self.book.sign_in_ended(&self.name, &kept, &message).await;
                Err(failure(ToolFault::Auth, format!("{message}. {}", self.again())))
            }
            Err(Fault { trouble: Trouble::Secret, message }) => Err(failure(ToolFault::Secret, message)),
            Err(Fault { trouble: Trouble::Unreachable, message }) => {
                Err(failure(ToolFault::Connect, format!("The sign-in could not be renewed: {message}")))
            }
            Err(Fault { trouble: Trouble::Refused, message }) => {
                Err(failure(ToolFault::Auth, format!("The sign-in could not be renewed: {message}. {}", self.again())))
            }
        }
    }

    fn unsigned(&self) -> String {
        format!(
            "The tool server '{0}' wants somebody to sign in. Do it in Settings, Tool servers, or with `signalbox tools sign-in {0}`",
            self.name
        )
    }

    /// What to try once more with, after a 401.
    async fn after_refusal(
        self: &Arc<Self>,
        used: Option<Arc<SignedIn>>,
        header: Option<&str>,
    ) -> Option<Arc<SignedIn>> {
        let challenge = header.map_or_else(|| Some(Challenge::default()), Challenge::parse);
        if let Some(challenge) = challenge.clone().filter(|_| used.is_none() || header.is_some()) {
            // Whoever signs in next does it as the server says now.
            self.book.wants(&self.name, &self.definition, challenge).await;
        }
        let Some(used) = used else {
            if challenge.is_some() {
                self.fail(ToolFault::Auth, self.unsigned());
            }
            return None;
        };
        if !used.renews() && !self.settings.unattended {
            // Another program may have signed in anew.
            match self.book.signed_in(&self.name, &self.definition).await {
                Ok(Some(kept)) if !kept.is(&used) => {
                    *self.now.lock().await = Some(Some(Arc::clone(&kept)));
                    return Some(kept);
                }
                _ => {}
            }
            let words = "The server takes the sign-in no more";
            self.book.sign_in_ended(&self.name, &used, words).await;
            self.fail(ToolFault::Auth, format!("{words}. {}", self.again()));
            return None;
        }
        let mut now = self.now.lock().await;
        // Another request may have renewed it meanwhile.
        if let Some(Some(current)) = now.as_ref()
            && !current.is(&used)
        {
            return Some(Arc::clone(current));
        }
        let new = self.newer(used).await.ok()?;
        *now = Some(Some(Arc::clone(&new)));
        Some(new)
    }

    /// Hears that the sign-in has too few rights.
    async fn after_too_few(&self, header: &str) {
        let Some(challenge) = Challenge::parse(header).filter(|challenge| challenge.more) else { return };
        let rights = challenge.scopes.join(" ");
        let named = if rights.is_empty() { String::new() } else { format!(" ({rights})") };
        self.book.wants(&self.name, &self.definition, challenge).await;
        self.fail(ToolFault::Auth, format!("The server wants further rights for this{named}. {}", self.again()));
    }

    /// Hears a refusal that came twice.
    async fn after_second(&self, used: &SignedIn) {
        let words = "The server does not take the sign-in";
        self.book.sign_in_ended(&self.name, used, words).await;
        self.fail(ToolFault::Auth, format!("{words}. {}", self.again()));
    }
}

/// Nothing is sent; why stands in [`Access`].
struct Stopped;

/// Sends requests with the token of whoever signed in.
#[derive(Clone)]
pub(super) struct Admitted {
    pub(super) inner: reqwest::Client,
    /// `None`: a credential goes along, or nobody signs in there.
    pub(super) access: Option<Arc<Access>>,
    /// Bytes of one event.
    pub(super) limit: usize,
}

/// The challenge of a 401; `Some(None)`: it had none.
fn unauthorized(error: &Refusal) -> Option<Option<&str>> {
    match error {
        StreamableHttpError::AuthRequired(told) => Some(Some(&told.www_authenticate_header)),
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 401") => Some(None),
        StreamableHttpError::Client(error) if error.status().is_some_and(|status| status.as_u16() == 401) => Some(None),
        _ => None,
    }
}

impl Admitted {
    /// Sends with a token, once more with a newer one.
    async fn with_token<T, F>(&self, mut send: impl FnMut(Option<String>) -> F) -> Result<T, Refusal>
    where
        F: Future<Output = Result<T, Refusal>> + Send,
    {
        let Some(access) = &self.access else { return send(None).await };
        let stopped = || StreamableHttpError::AuthRequired(AuthRequiredError::new(String::new()));
        let text = |signed: &Option<Arc<SignedIn>>| signed.as_ref().map(|signed| signed.access().expose().to_owned());
        let used = access.current().await.map_err(|Stopped| stopped())?;
        let first = send(text(&used)).await;
        let Err(error) = first else { return first };
        if let StreamableHttpError::InsufficientScope(told) = &error {
            access.after_too_few(&told.www_authenticate_header).await;
            return Err(error);
        }
        let Some(header) = unauthorized(&error) else { return Err(error) };
        let Some(newer) = access.after_refusal(used, header).await else { return Err(error) };
        let second = send(Some(newer.access().expose().to_owned())).await;
        match &second {
            Err(StreamableHttpError::InsufficientScope(told)) => {
                access.after_too_few(&told.www_authenticate_header).await;
            }
            Err(error) if unauthorized(error).is_some() => access.after_second(&newer).await,
            _ => {}
        }
        second
    }
}

/// Answers that the library would pass over come as errors.
fn readable(events: Events) -> Events {
    let one = |event: Result<Sse, SseError>| {
        event.map(|mut event| {
            if let Some(error) = event.data.as_deref().and_then(depth::instead) {
                event.data = Some(error);
            }
            event
        })
    };
    events.map(one).boxed()
}

impl StreamableHttpClient for Admitted {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Refusal> {
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, self.limit).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _token: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<StreamableHttpPostResponse, Refusal> {
        self.with_token(|token| {
            let (uri, session) = (Arc::clone(&uri), session.as_deref().map(str::to_owned));
            let post = Post { message: message.clone(), session, token, headers: headers.clone(), limit };
            async move { post.send(&self.inner, &uri).await }
        })
        .await
        .map(|response| match response {
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(readable(events), session)
            }
            other => other,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _token: Option<String>,
        headers: Headers,
    ) -> Result<(), Refusal> {
        // A goodbye: nothing is renewed for it, and what it comes to matters to nobody.
        let token = match &self.access {
            Some(access) => access.at_hand().await.map(|signed| signed.access().expose().to_owned()),
            None => None,
        };
        self.inner.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Refusal> {
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, self.limit).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _token: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<Events, Refusal> {
        self.with_token(|token| {
            let (uri, session, last, headers) = (Arc::clone(&uri), session.clone(), last.clone(), headers.clone());
            self.inner.get_stream_with_max_sse_event_size(uri, session, last, token, headers, limit)
        })
        .await
        .map(readable)
    }
}
