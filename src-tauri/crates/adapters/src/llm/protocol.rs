//! What is different from one kind of model provider to the next. A further kind is one more implementation, and one more
//! line in `providers.rs`.

use super::abilities::Abilities;
use super::response_stream::{Reader, Written};
use serde_json::{Value, json};
use signalbox_ports::llm::{LlmAnswer, LlmRequest, ProviderKind};
use url::Url;

/// A request that asks a server what a model can do.
pub(super) struct AbilitiesRequest {
    pub(super) method: &'static str,
    pub(super) url: Url,
    pub(super) body: Option<Value>,
}

/// How one kind of provider is asked, and how its answers are written.
pub(super) trait Protocol: Send + Sync {
    fn kind(&self) -> ProviderKind;

    /// Its name in messages.
    fn name(&self) -> &'static str;

    /// Whether a piece of a stream, or a whole answer, is written in this protocol.
    fn recognizes(&self, event: &Value) -> bool;

    /// Headers of every request.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Where questions go.
    fn url(&self, base: &Url) -> Url;

    /// Where vectors of texts are asked for; `None` where there are none.
    fn embeddings_url(&self, _base: &Url) -> Option<Url> {
        None
    }

    /// Where the list of models is.
    fn models_url(&self, base: &Url) -> Url;

    /// The models of that list; `None` where it is no such list.
    fn model_names(&self, body: &Value) -> Option<Vec<String>>;

    /// The question.
    fn body(&self, request: &LlmRequest, base: &Url) -> Value;

    /// Changes a question that was refused with `said` (in small letters) to what the endpoint asks for; false when there is no
    /// other way.
    fn relax(&self, body: &mut Value, request: &LlmRequest, said: &str) -> bool;

    /// Asks for the answer in one piece.
    fn without_stream(&self, body: &mut Value) {
        body["stream"] = json!(false);
    }

    /// Asks for no form of the answer; the question says it in words anyway.
    fn without_form(&self, _body: &mut Value) {}

    /// Whether an answer shows that its endpoint does not support the form that was asked for: `body` is the question as it
    /// was answered.
    fn lacks_form(&self, _request: &LlmRequest, _body: &Value, _answer: &LlmAnswer) -> bool {
        false
    }

    /// How a stream is written that does not say what it is.
    fn stream_format(&self) -> Written {
        Written::Events
    }

    /// Reads the answer to a question.
    fn reader(&self, request: &LlmRequest, body: &Value) -> Box<dyn Reader>;

    /// How a server is asked what a model can do; `None` where no server of this kind says it.
    fn abilities_request(&self, _base: &Url, _model: &str) -> Option<AbilitiesRequest> {
        None
    }

    /// What the answer to that says.
    fn abilities(&self, _answer: &Value) -> Abilities {
        Abilities::default()
    }
}

/// The text of `field` of each object in the list `list`, sorted.
pub(super) fn names(body: &Value, list: &str, field: &str) -> Option<Vec<String>> {
    let mut names: Vec<String> =
        body[list].as_array()?.iter().filter_map(|one| one[field].as_str()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Some(names)
}

/// `path` below an address, which may have a path of its own and end with a part of it.
pub(super) fn below(base: &Url, version: &str, path: &str) -> Url {
    let own = base.path().trim_end_matches('/');
    let own = own.strip_suffix(version).unwrap_or(own);
    let mut url = base.clone();
    url.set_path(&format!("{own}{version}{path}"));
    url.set_query(None);
    url.set_fragment(None);
    url
}
