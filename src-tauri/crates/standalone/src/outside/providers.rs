//! Providers of language models, as the configuration has them.

use crate::configuration::Configuration;
use async_trait::async_trait;
use signalbox_adapters::{KnownProvider, Price, Providers, Reserved};
use signalbox_model::budget::{Budget, UsedUp};
use signalbox_model::{money, secret_ref};
use signalbox_ports::Clock;
use signalbox_runtime::Spending;
use signalbox_store::Store;
use std::sync::Arc;

pub(super) struct ConfiguredProviders {
    configuration: Arc<Configuration>,
    spending: Spending,
}

impl ConfiguredProviders {
    pub(super) fn new(configuration: Arc<Configuration>, store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { configuration, spending: Spending::new(store, clock) }
    }
}

#[async_trait]
impl Providers for ConfiguredProviders {
    fn provider(&self, name: &str) -> Result<Option<KnownProvider>, String> {
        let found = self.configuration.models.providers.get(name);
        Ok(found.map(|provider| KnownProvider {
            name: name.to_owned(),
            kind: provider.kind.of_provider(),
            base_url: provider.base_url.trim_end_matches('/').to_owned(),
            credential: provider.credential.as_deref().and_then(secret_ref::reference).map(str::to_owned),
            // Who wrote the configuration answers for the address.
            here: true,
        }))
    }

    fn default_model(&self) -> Result<Option<(String, String)>, String> {
        let default = self.configuration.models.default.as_ref();
        Ok(default.map(|choice| (choice.provider.clone(), choice.model.clone())))
    }

    fn price(&self, provider: &str, model: &str) -> Option<Price> {
        let price = self.configuration.models.providers.get(provider)?.prices.get(model)?;
        let micros = |given: f64| money::micros(given).unwrap_or(u64::MAX);
        Some(Price { input_micros: micros(price.input), output_micros: micros(price.output) })
    }

    async fn reserve(&self, budget: &Budget, most: u64) -> Result<Reserved, UsedUp> {
        let machine = || self.configuration.models.day_budget.and_then(money::micros);
        self.spending.reserve(budget, most, machine).await
    }

    fn spent(&self, budget: &Budget, cost: u64) {
        self.spending.spent(budget, cost);
    }
}
