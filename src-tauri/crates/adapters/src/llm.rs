//! Language models over HTTP: Anthropic Messages, chat completions, Ollama. One client per reach, the address rules of
//! every request, no redirect: a key goes to the address that a person registered, or nowhere.
//!
//! Not here: what an answer is good for. Endpoints ignore the form that was asked for; whoever asks checks it.

mod abilities;
mod anthropic;
mod embeddings;
mod estimate;
mod fault;
mod images;
mod ollama;
mod openai;
mod parts;
mod protocol;
mod protocol_check;
mod providers;
mod response_stream;

use crate::WebHttp;
use crate::address::{self, Class};
use crate::http::Opened;
pub use abilities::Abilities;
use async_trait::async_trait;
use fault::Who;
use protocol::Protocol;
use serde_json::Value;
use signalbox_model::budget::{Budget, UsedUp};
use signalbox_ports::host::canonical;
use signalbox_ports::llm::{
    DeltaSink, EmbedRequest, LlmAnswer, LlmFailure, LlmFault, LlmRequest, ProviderChoice, ProviderKind, Usage,
};
use signalbox_ports::{Credential, HttpRequest, Llm, Redirects, SecretError, Secrets};
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use url::Url;

/// Clients of registered hosts that are kept; more are made again when they are needed.
const MOST_CLIENTS: usize = 32;
/// How often a question is put in other words that an endpoint asks for.
const REPAIRS: usize = 3;

/// A provider that a person registered on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownProvider {
    /// Its name.
    pub name: String,
    /// How it is spoken to.
    pub kind: ProviderKind,
    /// Its address without the path of a call.
    pub base_url: String,
    /// The name of the secret that goes along.
    pub credential: Option<String>,
    /// A person at this machine registered it: its host may be this machine or one of a private network.
    pub here: bool,
}

/// What a million tokens of a model cost, in millionths of the person's own money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Of questions.
    pub input_micros: u64,
    /// Of answers, thoughts included.
    pub output_micros: u64,
}

impl Price {
    /// What an exchange cost, rounded up: what is spent is never told too low.
    pub fn of(self, usage: Usage) -> u64 {
        let part = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        let sum = part(usage.input_tokens, self.input_micros) + part(usage.output_tokens, self.output_micros);
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// What the answer to a question may cost; given back when it is dropped.
pub type Reserved = Box<dyn Send>;

/// The providers of this machine.
#[async_trait]
pub trait Providers: Send + Sync {
    /// The provider of a name; the error is in plain words.
    fn provider(&self, name: &str) -> Result<Option<KnownProvider>, String>;
    /// Provider and model of a question that names none (K-41).
    fn default_model(&self) -> Result<Option<(String, String)>, String>;
    /// What a model costs, where a person told it.
    fn price(&self, _provider: &str, _model: &str) -> Option<Price> {
        None
    }
    /// Waits until a question may be put whose answer costs at most so much, in millionths, and puts that aside; told when nothing
    /// may be spent any more. Asked before each question.
    async fn reserve(&self, _budget: &Budget, _most: u64) -> Result<Reserved, UsedUp> {
        Ok(Box::new(()))
    }
    /// A question has cost so much, in millionths.
    fn spent(&self, _budget: &Budget, _cost: u64) {}
}

/// Language models of registered providers, and of the loopback where a workflow may name it.
pub struct Models {
    known: Arc<dyn Providers>,
    secrets: Arc<dyn Secrets>,
    plain: Arc<WebHttp>,
    granted: Mutex<HashMap<String, Arc<WebHttp>>>,
    /// Models, by address and name, that refuse or ignore the form of an answer: it is asked for in words only.
    without_forms: Mutex<HashSet<(String, String)>>,
    /// What models can do, by address and name.
    known_abilities: Mutex<HashMap<(String, String), Abilities>>,
}

/// Where a question goes.
struct Target {
    who: Who,
    protocol: &'static dyn Protocol,
    base: Url,
    http: Arc<WebHttp>,
    loopback: bool,
    credential: Option<Arc<Credential>>,
}

impl Models {
    /// With a client for addresses that nobody registered.
    pub fn new(plain: Arc<WebHttp>, known: Arc<dyn Providers>, secrets: Arc<dyn Secrets>) -> Self {
        Self {
            known,
            secrets,
            plain,
            granted: Mutex::default(),
            without_forms: Mutex::default(),
            known_abilities: Mutex::default(),
        }
    }

    /// The models that a provider says it has, by name.
    pub async fn models(&self, provider: &KnownProvider, limit: Duration) -> Result<Vec<String>, LlmFailure> {
        let who = Who::named(&provider.name, self.secrets.scrubber());
        let listed = async {
            let target = self.registered(provider).await?;
            let url = target.protocol.models_url(&target.base);
            let mut opened = self.open(&target, "GET", &url, None, limit).await?;
            refused(&target.who, &mut opened).await?;
            let body = response_stream::whole(&target.who, &mut opened).await?;
            Ok(target.protocol.model_names(&body))
        };
        let listed: Result<_, LlmFailure> = timed(&who, limit, Box::pin(listed)).await;
        listed.map_err(|failure| self.clean(failure))?.ok_or_else(|| {
            let message = format!("{who} answered, but not with a list of models. Check its kind and its address");
            LlmFailure { fault: LlmFault::BadAnswer, message, status: Some(200), retry_after_ms: None, used_up: None }
        })
    }

    async fn target(&self, provider: &ProviderChoice, loopback_allowed: bool) -> Result<Target, LlmFailure> {
        match provider {
            ProviderChoice::Named(name) => {
                let provider = self.known.provider(name).map_err(|why| {
                    fault::new(LlmFault::NotConfigured, format!("The model providers cannot be read: {why}"))
                })?;
                let provider = provider.ok_or_else(|| fault::unknown(name))?;
                self.registered(&provider).await
            }
            ProviderChoice::Inline { kind, base_url } => {
                let base = base(base_url)?;
                Ok(Target {
                    who: Who::inline(&base, self.secrets.scrubber()),
                    protocol: providers::of(*kind),
                    base,
                    http: Arc::clone(&self.plain),
                    loopback: loopback_allowed,
                    credential: None,
                })
            }
        }
    }

    async fn registered(&self, provider: &KnownProvider) -> Result<Target, LlmFailure> {
        let base = base(&provider.base_url)?;
        let credential = match &provider.credential {
            None => None,
            Some(name) => Some(self.secrets.credential(name).await.map_err(|error| match error {
                SecretError::Missing { message } => fault::new(LlmFault::SecretMissing, message),
                SecretError::Unavailable { message } => fault::new(LlmFault::SecretUnavailable, message),
                SecretError::Expired { message } => fault::new(LlmFault::Auth, message),
                SecretError::Unreachable { message } => fault::new(LlmFault::Connection, message),
            })?),
        };
        Ok(Target {
            who: Who::named(&provider.name, self.secrets.scrubber()).with_key(credential.is_some()),
            protocol: providers::of(provider.kind),
            http: if provider.here { self.granted(&base)? } else { Arc::clone(&self.plain) },
            base,
            loopback: provider.here,
            credential,
        })
    }

    /// A client that may reach the host of this address wherever it is.
    fn granted(&self, base: &Url) -> Result<Arc<WebHttp>, LlmFailure> {
        let host = canonical(base.host_str().unwrap_or_default());
        // Link-local and metadata addresses are nobody's model (TRUST, SSRF).
        if host.parse::<IpAddr>().is_ok_and(|ip| address::class(ip) == Class::LinkLocal) {
            return Ok(Arc::clone(&self.plain));
        }
        let mut kept = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(http) = kept.get(&host) {
            return Ok(Arc::clone(http));
        }
        let http = WebHttp::new(std::slice::from_ref(&host));
        let http = Arc::new(http.map_err(|why| fault::new(LlmFault::AddressRefused, why))?);
        if kept.len() >= MOST_CLIENTS {
            kept.clear();
        }
        kept.insert(host, Arc::clone(&http));
        Ok(http)
    }

    async fn open(
        &self,
        target: &Target,
        method: &str,
        url: &Url,
        body: Option<&Value>,
        limit: Duration,
    ) -> Result<Opened, LlmFailure> {
        let mut headers = vec![("accept".to_owned(), "application/json, text/event-stream".to_owned())];
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let own = target.protocol.headers().iter();
        headers.extend(own.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let request = HttpRequest {
            method: method.to_owned(),
            url: url.to_string(),
            headers,
            body: body.map(|body| body.to_string().into_bytes()),
            timeout: limit,
            loopback_allowed: target.loopback,
            redirects: Redirects::No,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body: response_stream::LARGEST,
            credential: target.credential.clone(),
        };
        let sent = Arc::new(AtomicBool::new(false));
        target.http.open(request, &sent).await.map_err(|error| fault::of_exchange(&target.who, error))
    }

    /// Puts the default of this machine where a question names no model, and no provider either or that of the default.
    fn complete(&self, mut request: LlmRequest) -> Result<LlmRequest, LlmFailure> {
        let ProviderChoice::Named(name) = &request.provider else { return Ok(request) };
        if !name.is_empty() && !request.model.is_empty() {
            return Ok(request);
        }
        let default = self
            .known
            .default_model()
            .map_err(|why| fault::new(LlmFault::NotConfigured, format!("The model providers cannot be read: {why}")))?;
        let fits = |(provider, _): &(String, String)| name.is_empty() || name == provider;
        let Some((provider, model)) = default.filter(fits) else { return Err(fault::no_model()) };
        if request.model.is_empty() {
            request.model = model;
        }
        request.provider = ProviderChoice::Named(provider);
        Ok(request)
    }

    async fn exchange(&self, request: &LlmRequest, hearer: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure> {
        let target = self.target(&request.provider, request.loopback_allowed).await?;
        let protocol = target.protocol;
        let (url, mut body) = (protocol.url(&target.base), protocol.body(request, &target.base));
        let endpoint = (target.base.to_string(), request.model.clone());
        if self.without_forms().contains(&endpoint) {
            protocol.without_form(&mut body);
        }
        let pictures = images::has(request);
        self.check_abilities(&target, request, pictures).await?;
        let answered = async {
            let mut opened = self.open_answer(&target, &url, &mut body, request).await?;
            let written = opened_as(&mut opened, protocol, request.stream);
            if let Some(answer) = read_answer(&target, &body, request, opened, written, hearer).await? {
                return Ok(answer);
            }
            // The stream ended in order and without an event. Asked without streaming, the server tells its real reason.
            protocol.without_stream(&mut body);
            let opened = self.open_answer(&target, &url, &mut body, request).await?;
            let answer = read_answer(&target, &body, request, opened, response_stream::Written::Whole, hearer).await;
            match answer {
                Err(failure) if failure.fault == LlmFault::Connection => Err(fault::no_event(&target.who)),
                answer => answer?.ok_or_else(|| fault::no_event(&target.who)),
            }
        };
        let answered: Result<LlmAnswer, LlmFailure> = Box::pin(answered).await;
        let mut answer =
            answered.map_err(|failure| if pictures { images::meant(&target.who, failure) } else { failure })?;
        if protocol.lacks_form(request, &body, &answer) {
            self.without_forms().insert(endpoint);
        }
        // Before tokens are estimated: an endpoint that counted some has at least answered.
        if answer.is_empty() {
            return Err(fault::empty(&target.who));
        }
        if answer.model.is_empty() {
            answer.model.clone_from(&request.model);
        }
        estimate::complete(request, &mut answer);
        self.price(request, &mut answer);
        Ok(answer)
    }

    fn without_forms(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.without_forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the question and gives the answer once its status is good. A field that the endpoint refuses is left out or
    /// spelled in another way: nothing was answered yet, and nothing is charged.
    async fn open_answer(
        &self,
        target: &Target,
        url: &Url,
        body: &mut Value,
        request: &LlmRequest,
    ) -> Result<Opened, LlmFailure> {
        let mut repairs = 0;
        loop {
            let mut opened = self.open(target, "POST", url, Some(body), request.timeout).await?;
            let Err((failure, said)) = refused_in_words(&target.who, &mut opened).await else { return Ok(opened) };
            // Some servers answer a field that they do not know with 500 and the text of their validator.
            let repairable = failure.fault == LlmFault::BadRequest || failure.status == Some(500);
            if !repairable || repairs >= REPAIRS {
                return Err(failure);
            }
            if !target.protocol.relax(body, request, &said) {
                return Err(failure);
            }
            repairs += 1;
        }
    }

    /// What the answer to a question costs at most, as far as its price is known; what is asked costs besides.
    fn most(&self, request: &LlmRequest) -> u64 {
        let ProviderChoice::Named(name) = &request.provider else { return 0 };
        let output = Usage { output_tokens: u64::from(request.max_tokens), ..Usage::default() };
        self.known.price(name, &request.model).map_or(0, |price| price.of(output))
    }

    /// A price is that of the model as it was asked for: who answers names itself more exactly, with a date.
    fn price(&self, request: &LlmRequest, answer: &mut LlmAnswer) {
        let ProviderChoice::Named(name) = &request.provider else { return };
        answer.provider = Some(name.clone());
        let price = self.known.price(name, &request.model).or_else(|| self.known.price(name, &answer.model));
        answer.usage.cost_micros = price.map(|price| price.of(answer.usage));
        if let (Some(budget), Some(cost)) = (&request.budget, answer.usage.cost_micros) {
            self.known.spent(budget, cost);
        }
    }

    /// Without the secrets of this machine, which an endpoint may send back.
    fn clean(&self, mut failure: LlmFailure) -> LlmFailure {
        failure.message = self.secrets.scrubber().text(&failure.message).into_owned();
        failure
    }
}

#[async_trait]
impl Llm for Models {
    async fn ask(&self, request: LlmRequest, hearer: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure> {
        let request = self.complete(request)?;
        let _reserved = match &request.budget {
            Some(budget) => Some(self.known.reserve(budget, self.most(&request)).await.map_err(fault::used_up)?),
            None => None,
        };
        let who = match &request.provider {
            ProviderChoice::Named(name) => Who::named(name, self.secrets.scrubber()),
            ProviderChoice::Inline { base_url, .. } => Who::inline(&base(base_url)?, self.secrets.scrubber()),
        };
        let answer = timed(&who, request.timeout, Box::pin(self.exchange(&request, hearer))).await;
        answer.map_err(|failure| self.clean(failure))
    }

    async fn embed(&self, mut request: EmbedRequest) -> Result<Vec<Vec<f32>>, LlmFailure> {
        if request.provider == ProviderChoice::Named(String::new()) {
            // The machine's default model is one of a chat; its provider often has both.
            let default = self.known.default_model().map_err(|why| {
                fault::new(LlmFault::NotConfigured, format!("The model providers cannot be read: {why}"))
            })?;
            let (provider, _) = default.ok_or_else(fault::no_model)?;
            request.provider = ProviderChoice::Named(provider);
        }
        let _reserved = match &request.budget {
            Some(budget) => Some(self.known.reserve(budget, 0).await.map_err(fault::used_up)?),
            None => None,
        };
        self.vectors(&request).await.map_err(|failure| self.clean(failure))
    }
}

async fn timed<T>(
    who: &Who,
    limit: Duration,
    exchange: impl Future<Output = Result<T, LlmFailure>>,
) -> Result<T, LlmFailure> {
    tokio::time::timeout(limit, exchange).await.unwrap_or_else(|_| Err(fault::timeout(who, limit)))
}

/// How the body of a good answer is written.
fn opened_as(opened: &mut Opened, protocol: &dyn Protocol, stream: bool) -> response_stream::Written {
    let media = opened.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if media.contains("event-stream") {
        return response_stream::Written::Events;
    }
    // Some servers take `stream` and answer at once all the same.
    match protocol.stream_format() {
        response_stream::Written::Lines if stream => response_stream::Written::Lines,
        response_stream::Written::Events if stream && !media.contains("json") && !media.contains("html") => {
            response_stream::Written::Events
        }
        _ => response_stream::Written::Whole,
    }
}

/// Reads an answer with a good status; `None` where a stream ended in order without an event.
async fn read_answer(
    target: &Target,
    body: &Value,
    request: &LlmRequest,
    opened: Opened,
    written: response_stream::Written,
    hearer: &dyn DeltaSink,
) -> Result<Option<LlmAnswer>, LlmFailure> {
    let reader = target.protocol.reader(request, body);
    let mut reader = protocol_check::CheckedReader::new(target.protocol, reader);
    let hearer: &dyn DeltaSink = if request.stream { hearer } else { &response_stream::Nobody };
    response_stream::read(&target.who, written, opened, &mut reader, hearer).await?;
    if written != response_stream::Written::Whole && reader.is_empty() {
        return Ok(None);
    }
    reader.end(&target.who, written).map(Some)
}

/// The failure of an answer with another status than success.
async fn refused(who: &Who, opened: &mut Opened) -> Result<(), LlmFailure> {
    refused_in_words(who, opened).await.map_err(|(failure, _)| failure)
}

/// The same, with all that the endpoint says about it in small letters: what a person reads is cut.
async fn refused_in_words(who: &Who, opened: &mut Opened) -> Result<(), (LlmFailure, String)> {
    // Nobody asked for a coding, and no event could be read of it as it comes.
    let coding =
        opened.header("content-encoding").filter(|coding| response_stream::is_compressed(coding)).map(str::to_owned);
    if (200..300).contains(&opened.status()) {
        return coding.map_or(Ok(()), |coding| Err((fault::compressed(who, &coding), String::new())));
    }
    let begin = if coding.is_some() { Vec::new() } else { response_stream::beginning(opened).await };
    Err((fault::of_status(who, opened, &begin), String::from_utf8_lossy(&begin).to_lowercase()))
}

/// An address as a person writes it.
fn base(text: &str) -> Result<Url, LlmFailure> {
    let url = Url::parse(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        let shown: String = text.split(['?', '#']).next().unwrap_or_default().chars().take(200).collect();
        fault::new(LlmFault::AddressRefused, format!("'{shown}' is no http or https address of a model provider"))
    })
}

#[cfg(test)]
mod tests;
