//! Providers of language models: what a person registered on this machine, what steps get that name no model, and what
//! is wrong with a workflow that asks for one.

mod findings;
mod probe;

pub(crate) use findings::with_called;

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{ModelChoice, ModelEntry, ModelKind, ModelProvider, ModelSet, Models};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::outgoing;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_adapters::{KnownProvider, Price, Providers, Reserved};
use signalbox_model::budget::{Budget, UsedUp};
use signalbox_model::secret_ref::SCHEME;
use signalbox_model::{AuditEvent, money, time};
use signalbox_ports::Clock;
use signalbox_ports::llm::ProviderKind;
use signalbox_ports::secret::allows;
use signalbox_runtime::Spending;
use signalbox_store::Store;
use signalbox_store::audit::Level;
use std::sync::Arc;
use url::Url;

/// The setting that holds them.
const SETTING: &str = "models";
/// Providers of one machine.
const MOST: usize = 32;
/// What is kept as a price and is less counts as nothing, units.
const SMALLEST_PRICE: f64 = 0.000_001;
/// Models that a person chose of one provider.
const MOST_MODELS: usize = 200;
const LONGEST_NAME: usize = 64;
const LONGEST_MODEL: usize = 200;

/// A provider as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptProvider {
    name: String,
    kind: ModelKind,
    base_url: String,
    /// The name of the secret.
    credential: Option<String>,
    models: Vec<ModelEntry>,
    here: bool,
    changed_by: String,
    changed_at: String,
}

/// The setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Kept {
    providers: Vec<KeptProvider>,
    default: Option<ModelChoice>,
    /// What models may cost on a day, in millionths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    day_budget: Option<u64>,
}

fn unreadable(why: &str) -> ApiError {
    let message = format!("What is kept of model providers cannot be read: {why}.");
    ApiError::unavailable("MODELS_UNREADABLE", message, "A newer release may have written it. Start that one.")
}

fn unknown(name: &str) -> ApiError {
    ApiError::not_found(format!("There is no model provider '{name}'. `signalbox models list` shows all."))
}

impl Kept {
    fn read(store: &Store) -> ApiResult<Self> {
        let Some(value) = store.setting_get(SETTING)? else { return Ok(Self::default()) };
        serde_json::from_value(value).map_err(|error| unreadable(&error.to_string()))
    }

    fn find(&self, name: &str) -> Option<&KeptProvider> {
        self.providers.iter().find(|one| one.name == name)
    }
}

impl KeptProvider {
    /// What a model costs; where a person gave one price, the other is none.
    fn price(&self, model: &str) -> Option<Price> {
        let entry = self.models.iter().find(|entry| entry.name == model)?;
        if entry.input_price.is_none() && entry.output_price.is_none() {
            return None;
        }
        // One that is kept from before may be less than the smallest amount.
        let price = |price: Option<f64>| price.filter(|price| *price >= SMALLEST_PRICE).unwrap_or_default();
        let micros = |given: Option<f64>| money::micros(price(given)).unwrap_or(u64::MAX);
        Some(Price { input_micros: micros(entry.input_price), output_micros: micros(entry.output_price) })
    }

    fn known(&self) -> KnownProvider {
        KnownProvider {
            name: self.name.clone(),
            kind: match self.kind {
                ModelKind::Anthropic => ProviderKind::Anthropic,
                ModelKind::Openai => ProviderKind::Openai,
                ModelKind::Ollama => ProviderKind::Ollama,
            },
            base_url: self.base_url.clone(),
            credential: self.credential.clone(),
            here: self.here,
        }
    }
}

/// The providers as steps find them, and what may be spent.
pub(crate) struct KeptProviders {
    store: Store,
    spending: Spending,
}

impl KeptProviders {
    pub(crate) fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { spending: Spending::new(store.clone(), clock), store }
    }
}

#[async_trait]
impl Providers for KeptProviders {
    fn provider(&self, name: &str) -> Result<Option<KnownProvider>, String> {
        let kept = Kept::read(&self.store).map_err(|error| error.message)?;
        Ok(kept.find(name).map(KeptProvider::known))
    }

    fn default_model(&self) -> Result<Option<(String, String)>, String> {
        let kept = Kept::read(&self.store).map_err(|error| error.message)?;
        Ok(kept.default.map(|choice| (choice.provider, choice.model)))
    }

    fn price(&self, provider: &str, model: &str) -> Option<Price> {
        Kept::read(&self.store).ok()?.find(provider)?.price(model)
    }

    async fn reserve(&self, budget: &Budget, most: u64) -> Result<Reserved, UsedUp> {
        // Providers that cannot be read are told with the question itself.
        let machine = || Kept::read(&self.store).ok().and_then(|kept| kept.day_budget);
        self.spending.reserve(budget, most, machine).await
    }

    fn spent(&self, budget: &Budget, cost: u64) {
        self.spending.spent(budget, cost);
    }
}

fn bad(message: String) -> ApiError {
    ApiError::bad_request(message, "Nothing was kept. Correct it and send it again.")
}

fn named(name: &str) -> ApiResult<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        return Err(bad(format!(
            "A provider has a name of letters, digits, '.', '_' and '-', at most {LONGEST_NAME} of them."
        )));
    }
    Ok(())
}

fn model_named(name: &str) -> ApiResult<String> {
    let name = name.trim();
    if name.is_empty() || name.len() > LONGEST_MODEL || name.chars().any(char::is_control) {
        return Err(bad(format!("A model has a name of at most {LONGEST_MODEL} characters.")));
    }
    Ok(name.to_owned())
}

fn entries(given: Vec<ModelEntry>) -> ApiResult<Vec<ModelEntry>> {
    if given.len() > MOST_MODELS {
        return Err(bad(format!("There are more than {MOST_MODELS} models.")));
    }
    let mut entries: Vec<ModelEntry> = Vec::new();
    for mut entry in given {
        entry.name = model_named(&entry.name)?;
        let prices = [entry.input_price, entry.output_price];
        if prices.into_iter().flatten().any(|price| money::micros(price).is_none()) {
            return Err(bad(format!(
                "The price of '{}' is no number from 0 on, too large, or less than a millionth.",
                entry.name
            )));
        }
        if entries.iter().any(|known| known.name == entry.name) {
            return Err(bad(format!("The model '{}' is listed twice.", entry.name)));
        }
        entries.push(entry);
    }
    Ok(entries)
}

impl App {
    /// The providers, and what steps get that name no model.
    pub(crate) fn models_now(&self) -> ApiResult<Models> {
        let kept = Kept::read(&self.store)?;
        let secrets = self.secrets.vault.list();
        let trouble = |one: &KeptProvider| {
            let name = one.credential.as_ref()?;
            let entries = match &secrets {
                Ok(entries) => entries,
                Err(error) => return Some(error.message.clone()),
            };
            let Some(entry) = entries.iter().find(|entry| entry.name == *name) else {
                return Some(format!("There is no secret '{name}' on this machine."));
            };
            let why = allows(&entry.hosts, &Url::parse(&one.base_url).ok()?).err()?;
            Some(format!("The secret '{name}' is not sent: {why}."))
        };
        let told = |one: &KeptProvider| ModelProvider {
            trouble: trouble(one),
            name: one.name.clone(),
            kind: one.kind,
            base_url: one.base_url.clone(),
            credential: one.credential.as_ref().map(|name| format!("{SCHEME}{name}")),
            models: one.models.clone(),
            here: one.here,
            changed_by: one.changed_by.clone(),
            changed_at: one.changed_at.clone(),
        };
        Ok(Models {
            providers: kept.providers.iter().map(told).collect(),
            default: kept.default,
            day_budget_micros: kept.day_budget,
        })
    }

    /// Keeps a provider, or replaces it whole.
    pub(crate) fn model_set(&self, caller: &Caller, request: ModelSet) -> ApiResult<Models> {
        named(&request.name)?;
        let url = request.base_url.trim().trim_end_matches('/').to_owned();
        outgoing::address(&url)?;
        let credential = match request.credential.as_deref().map(str::trim).filter(|given| !given.is_empty()) {
            None => None,
            Some(given) => Some(self.model_key(given, &url)?),
        };
        let before = Kept::read(&self.store)?.find(&request.name).cloned();
        // Somebody far away changes a price; the address stays one that a person here named.
        let same = before.as_ref().is_some_and(|old| old.here && old.base_url == url);
        let one = KeptProvider {
            kind: request.kind,
            base_url: url,
            credential,
            models: entries(request.models)?,
            here: caller.here || same,
            changed_by: caller.principal.clone(),
            changed_at: time::format(self.now_ms()),
            name: request.name,
        };
        let facts = json!({
            "change": if before.is_some() { "changed" } else { "added" }, "provider": one.name, "kind": one.kind,
            "url": outgoing::shown(&one.base_url), "name": one.credential,
        });
        self.models_change(caller, AuditEvent::ModelProviderChanged, facts, move |kept| {
            kept.providers.retain(|old| old.name != one.name);
            if kept.providers.len() >= MOST {
                let message = format!("There are {MOST} model providers already.");
                return Err(ApiError::new(Class::Conflict, "TOO_MANY_PROVIDERS", message, "Remove one first."));
            }
            kept.providers.push(one);
            kept.providers.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })
    }

    /// The name of a secret that goes to a provider: its hosts are the ones that may see it (TRUST).
    fn model_key(&self, given: &str, url: &str) -> ApiResult<String> {
        let (name, entry) = self.known_secret(given)?;
        if let (Some(entry), Ok(url)) = (entry, Url::parse(url))
            && let Err(why) = allows(&entry.hosts, &url)
        {
            let message = format!("The secret '{name}' may not go to this address: {why}.");
            let hint = format!(
                "Type the key again in the provider's dialog (Settings, Models); it is kept for the new address then. Or name \
                 another secret, or set this one with the host (`signalbox secret set {name}`)."
            );
            return Err(ApiError::bad_request(message, hint));
        }
        Ok(name)
    }

    /// Forgets a provider. Its secret stays; a default of it goes.
    pub(crate) fn model_delete(&self, caller: &Caller, name: &str) -> ApiResult<Models> {
        let before = Kept::read(&self.store)?;
        let one = before.find(name).ok_or_else(|| unknown(name))?;
        let facts = json!({ "change": "removed", "provider": name, "url": outgoing::shown(&one.base_url) });
        let name = name.to_owned();
        self.models_change(caller, AuditEvent::ModelProviderChanged, facts, move |kept| {
            if kept.find(&name).is_none() {
                return Err(unknown(&name));
            }
            kept.providers.retain(|one| one.name != name);
            kept.default = kept.default.take().filter(|choice| choice.provider != name);
            Ok(())
        })
    }

    /// Chooses what steps get that name no model (K-41).
    pub(crate) fn model_default_set(&self, caller: &Caller, choice: Option<ModelChoice>) -> ApiResult<Models> {
        let choice = match choice {
            None => None,
            Some(choice) => Some(ModelChoice { model: model_named(&choice.model)?, provider: choice.provider }),
        };
        let facts = match &choice {
            Some(choice) => json!({ "provider": choice.provider, "model": choice.model }),
            None => json!({}),
        };
        self.models_change(caller, AuditEvent::ModelDefaultChanged, facts, move |kept| {
            if let Some(choice) = &choice
                && kept.find(&choice.provider).is_none()
            {
                return Err(unknown(&choice.provider));
            }
            kept.default = choice;
            Ok(())
        })
    }

    /// Sets what models may cost on a day on this machine.
    pub(crate) fn model_budget_set(&self, caller: &Caller, per_day: Option<f64>) -> ApiResult<Models> {
        let per_day = match per_day {
            None => None,
            Some(amount) => {
                let micros = money::micros(amount);
                Some(micros.ok_or_else(|| {
                    bad(format!("{amount} is no amount from 0 on, too large, or less than a millionth."))
                })?)
            }
        };
        let facts = json!({ "perDayMicros": per_day });
        self.models_change(caller, AuditEvent::ModelBudgetChanged, facts, move |kept| {
            kept.day_budget = per_day;
            Ok(())
        })
    }

    fn models_change(
        &self,
        caller: &Caller,
        event: AuditEvent,
        facts: serde_json::Value,
        change: impl FnOnce(&mut Kept) -> ApiResult<()> + Send + 'static,
    ) -> ApiResult<Models> {
        let record = self.fact(event, Level::Warn, caller.actor(), caller.signed(facts));
        self.store.setting_change_recorded(SETTING, record, move |value| {
            let mut kept = match value {
                None => Kept::default(),
                Some(value) => serde_json::from_value(value).map_err(|error| unreadable(&error.to_string()))?,
            };
            change(&mut kept)?;
            serde_json::to_value(kept).map(Some).map_err(|error| unreadable(&error.to_string()))
        })??;
        self.models_now()
    }
}

#[cfg(test)]
mod tests;
