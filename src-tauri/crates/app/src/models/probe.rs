//! Asking a provider whether it answers, and looking for servers of this machine.

use super::{Kept, unknown};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{ModelFound, ModelKind, ModelNames, ModelTested};
use crate::error::{ApiError, ApiResult, Class};
use signalbox_adapters::{Abilities, KnownProvider, Models};
use signalbox_ports::Llm as _;
use signalbox_ports::llm::{
    Delta, DeltaSink, LlmFailure, LlmFault, LlmRequest, Message, Part, ProviderChoice, ProviderKind, Role,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time that a provider has to tell its models.
const LISTING: Duration = Duration::from_secs(15);
/// Time that a model has for a word: one that must be loaded first takes a while.
const WORD: Duration = Duration::from_secs(60);
/// Time that a port of this machine has.
const LOOK: Duration = Duration::from_millis(800);
/// Some models refuse to be given less.
const FEW: u32 = 16;

/// A port where a server of models usually listens.
pub(super) struct Place {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) kind: ModelKind,
    pub(super) port: u16,
}

const PLACES: [Place; 4] = [
    Place { name: "ollama", title: "Ollama", kind: ModelKind::Ollama, port: 11434 },
    Place { name: "llamacpp", title: "llama.cpp", kind: ModelKind::Openai, port: 8080 },
    Place { name: "lmstudio", title: "LM Studio", kind: ModelKind::Openai, port: 1234 },
    Place { name: "vllm", title: "vLLM", kind: ModelKind::Openai, port: 8000 },
];

struct Nobody;

impl DeltaSink for Nobody {
    fn delta(&self, _delta: Delta<'_>) {}
}

fn word(name: &str, model: &str) -> LlmRequest {
    LlmRequest {
        provider: ProviderChoice::Named(name.to_owned()),
        model: model.to_owned(),
        system: None,
        messages: vec![Message { role: Role::User, parts: vec![Part::Text("Say OK.".into())] }],
        tools: Vec::new(),
        form: None,
        temperature: None,
        max_tokens: FEW,
        thinking_budget: None,
        stream: false,
        loopback_allowed: false,
        timeout: WORD,
        budget: None,
    }
}

/// What a person does about a failure.
fn hint(failure: &LlmFailure, one: &KnownProvider) -> String {
    let text = match failure.fault {
        LlmFault::Auth if one.credential.is_none() => "It wants a key. Edit the provider and add one.",
        LlmFault::Auth if one.kind == ProviderKind::Anthropic => {
            "Create a new key where you got this one, and set it. Anthropic takes it in the header x-api-key."
        }
        LlmFault::Auth => "Create a new key where you got this one, and set it.",
        LlmFault::Connection if one.here => {
            "Start the server, or correct the address: its port, and http where it has no certificate."
        }
        LlmFault::Connection => "Correct the address, or look at the network of this machine.",
        LlmFault::Timeout => "Try again; a model that is loaded first may take longer.",
        LlmFault::RateLimit => "Wait, or look at your account there: no credit left looks like this, too.",
        LlmFault::AddressRefused if !one.here => {
            "Addresses of this machine and of private networks are named by a person at this machine."
        }
        LlmFault::AddressRefused => "Write another address.",
        LlmFault::HttpStatus | LlmFault::BadAnswer => {
            "Choose the kind of the server, and its address without the path of a call."
        }
        LlmFault::NoTools | LlmFault::NoImages => "Choose another model.",
        LlmFault::SecretMissing | LlmFault::CredentialRefused => "Set the key again in this dialog.",
        LlmFault::SecretUnavailable => "Unlock the secrets, in Settings, Secrets.",
        _ => "Try again later.",
    };
    text.to_owned()
}

/// Servers of these places that answer with a list of models.
pub(super) async fn look(models: &Arc<Models>, places: &[Place]) -> Vec<ModelFound> {
    let mut asked = Vec::new();
    for place in places {
        let base_url = format!("http://127.0.0.1:{}", place.port);
        let one = KnownProvider {
            name: place.name.into(),
            kind: if place.kind == ModelKind::Ollama { ProviderKind::Ollama } else { ProviderKind::Openai },
            base_url: base_url.clone(),
            credential: None,
            here: true,
        };
        let models = Arc::clone(models);
        let listed = tokio::spawn(async move { models.models(&one, LOOK).await });
        asked.push((place, base_url, listed));
    }
    let mut found = Vec::new();
    for (place, base_url, listed) in asked {
        if let Ok(Ok(models)) = listed.await {
            let (name, title) = (place.name.to_owned(), place.title.to_owned());
            found.push(ModelFound { name, title, kind: place.kind, base_url, models });
        }
    }
    found
}

impl App {
    /// Asks a provider for its models, or a model for a word, and says in plain words what came of it.
    pub(crate) fn model_test(&self, name: &str, model: Option<&str>) -> ApiResult<ModelTested> {
        let kept = Kept::read(&self.store)?;
        let one = kept.find(name).ok_or_else(|| unknown(name))?;
        let known = one.known();
        let begun = Instant::now();
        let tested = |ok, message, hint, models| ModelTested {
            ok,
            message,
            hint,
            models,
            took_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let ask = |model: &str, listed: Vec<String>| -> ApiResult<ModelTested> {
            let answer = self.wait_for(Box::pin(self.models.ask(word(name, model), &Nobody)))?;
            Ok(match answer {
                Ok(answer) => {
                    let abilities = self.wait_for(Box::pin(self.models.abilities(&known, model)))?;
                    let (message, hint) = remarks(model, &answer.model, &listed, abilities);
                    tested(true, message, hint, listed)
                }
                Err(failure) => tested(false, sentence(&failure.message), Some(hint(&failure, &known)), listed),
            })
        };
        // A list says nothing about answers: who speaks otherwise than was said may have one that can be read.
        let first = one.models.first().map(|entry| entry.name.as_str());
        let own = kept.default.as_ref().filter(|choice| choice.provider == name).map(|choice| choice.model.as_str());
        let (asked_for, model) = (model.is_some(), model.or(own).or(first));
        let listed = self.wait_for(Box::pin(self.models.models(&known, LISTING)))?;
        match (listed, model) {
            (Ok(listed), Some(model)) if asked_for || !listed.is_empty() => ask(model, listed),
            (Ok(listed), _) if listed.is_empty() => {
                let hint = "Load or pull a model there first.".to_owned();
                Ok(tested(false, "It answers, but it has no models.".into(), Some(hint), listed))
            }
            (Ok(listed), _) => {
                let hint = "Its list was asked for only. With a default of this provider, the test asks that model for a word.".to_owned();
                Ok(tested(true, format!("It answers and has {}.", count(listed.len())), Some(hint), listed))
            }
            // Not every server tells its models; a model that a person named can still be asked.
            (Err(failure), named) => {
                let silent = matches!(failure.fault, LlmFault::HttpStatus | LlmFault::BadAnswer);
                match named.filter(|_| silent) {
                    Some(model) => ask(model, Vec::new()),
                    None => Ok(tested(false, sentence(&failure.message), Some(hint(&failure, &known)), Vec::new())),
                }
            }
        }
    }

    /// The models of a provider: what it tells, and what a person chose.
    pub(crate) fn model_names(&self, name: &str) -> ApiResult<ModelNames> {
        let kept = Kept::read(&self.store)?;
        let one = kept.find(name).ok_or_else(|| unknown(name))?;
        let chosen: Vec<String> = one.models.iter().map(|entry| entry.name.clone()).collect();
        let known = one.known();
        let mut models = match self.wait_for(Box::pin(self.models.models(&known, LISTING)))? {
            Ok(models) => models,
            // What a person chose is there in any case.
            Err(_) if !chosen.is_empty() => Vec::new(),
            Err(failure) => {
                let message = sentence(&failure.message);
                return Err(ApiError::new(Class::Unavailable, "NO_MODELS", message, hint(&failure, &known)));
            }
        };
        models.extend(chosen);
        models.sort();
        models.dedup();
        Ok(ModelNames { models })
    }

    /// Looks for servers of models on this machine.
    pub(crate) fn model_discover(&self, caller: &Caller) -> ApiResult<Vec<ModelFound>> {
        if !caller.here {
            return Err(ApiError::forbidden(
                "Only a person at this machine may look for servers on it.",
                "Name the address of the provider instead.",
            ));
        }
        let models = Arc::clone(&self.models);
        self.wait_for(async move { look(&models, &PLACES).await })
    }
}

fn count(models: usize) -> String {
    if models == 1 { "one model".into() } else { format!("{models} models") }
}

/// What the test of a model that answers says, and what to do about it.
fn remarks(model: &str, answered: &str, listed: &[String], abilities: Abilities) -> (String, Option<String>) {
    let (mut message, mut hints) = (answers(model, listed.len()), Vec::new());
    let is_listed = listed.is_empty() || listed.iter().any(|known| is_name_of(known, model));
    if !is_listed {
        message.push_str(&format!(" '{model}' is not in the server's list of models."));
    }
    let is_other = !is_name_of(answered, model) && !is_dated(answered, model);
    if is_other {
        message.push_str(&format!(" The answer names another model: '{answered}'."));
    }
    if !is_listed || is_other {
        hints.push("The server may ignore the name. Write the name that it lists.");
    }
    if abilities.tools == Some(false) {
        message.push_str(" The model does not see tools.");
        hints.push("Steps with tools need another model.");
    }
    if abilities.pictures == Some(false) {
        message.push_str(" The model does not see pictures.");
    }
    (message, (!hints.is_empty()).then(|| hints.join(" ")))
}

/// The last part of a name, as a file or a repository has it, without what servers put on.
fn core_of(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
    name.trim_end_matches(".gguf").trim_end_matches(":latest").to_owned()
}

/// Whether two names are of one model, written in two ways.
fn is_name_of(one: &str, other: &str) -> bool {
    core_of(one) == core_of(other)
}

/// Who answers names itself more exactly than it was asked for: with a date or a version.
fn is_dated(exact: &str, asked: &str) -> bool {
    let (exact, asked) = (core_of(exact), core_of(asked));
    let asked = asked.trim_end_matches("-latest");
    exact.strip_prefix(asked).is_some_and(|rest| {
        let mut rest = rest.chars();
        matches!(rest.next(), Some('-' | '@' | ':')) && rest.next().is_some_and(|first| first.is_ascii_digit())
    })
}

/// `listed`: how many models it told besides, if it told any.
fn answers(model: &str, listed: usize) -> String {
    match listed {
        0 => format!("The model '{model}' answers."),
        listed => format!("The model '{model}' answers; it has {}.", count(listed)),
    }
}

fn sentence(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::{Abilities, remarks};

    fn said(model: &str, answered: &str, listed: &[&str]) -> String {
        let listed: Vec<String> = listed.iter().map(|name| (*name).to_owned()).collect();
        remarks(model, answered, &listed, Abilities::default()).0
    }

    #[test]
    fn another_name_is_told_and_another_spelling_is_not() {
        for (model, answered, listed) in [
            ("small", "small", vec!["small", "big"]),
            ("small", "small:latest", vec!["small:latest"]),
            ("gpt-x", "gpt-x-2026-08-06", vec!["gpt-x"]),
            ("haiku-latest", "haiku-20261022", vec!["haiku-latest"]),
            ("gemini-x", "gemini-x", vec!["models/gemini-x"]),
            ("tiny", "/models/tiny.gguf", vec![]),
        ] {
            let words = said(model, answered, &listed);
            assert!(!words.contains("list of models") && !words.contains("names another"), "{words}");
        }
        let words = said("large", "small", &["small"]);
        assert!(words.contains("'large' is not in the server's list of models."), "{words}");
        assert!(words.contains("The answer names another model: 'small'."), "{words}");
        assert!(said("gpt-x", "gpt-x-mini", &["gpt-x"]).contains("names another"));
    }

    #[test]
    fn what_a_model_does_not_see_is_told() {
        let abilities = Abilities { tools: Some(false), pictures: Some(false) };
        let (words, hint) = remarks("small", "small", &["small".to_owned()], abilities);
        assert!(words.contains("does not see tools") && words.contains("does not see pictures"), "{words}");
        assert!(hint.is_some_and(|hint| hint.contains("another model")));
    }
}
