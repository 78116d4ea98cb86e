//! Providers of language models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions, as OpenAI and many servers speak them.
    Openai,
    /// Ollama's own interface.
    Ollama,
}

/// A model that a person chose of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelEntry {
    /// As the provider names it.
    pub name: String,
    /// Price of a million tokens of questions, in the person's own currency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_price: Option<f64>,
    /// Price of a million tokens of answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_price: Option<f64>,
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelChoice {
    /// The provider.
    pub provider: String,
    /// The model, as the provider names it.
    pub model: String,
}

/// Keeps a provider, or replaces it whole.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelSet {
    /// Letters, digits, `.`, `_` and `-`.
    pub name: String,
    /// How it is spoken to.
    pub kind: ModelKind,
    /// `https://…`; `http://` too, for this machine and the own network.
    pub base_url: String,
    /// The secret that goes along: `secret://name`. The host of the address is one that it is for.
    #[serde(default)]
    pub credential: Option<String>,
    /// Models that a person chose, with their prices.
    #[serde(default)]
    pub models: Vec<ModelEntry>,
}

/// Sets what models may cost on a day on this machine.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelBudgetSet {
    /// From midnight to midnight UTC, in the unit of the prices; no limit when absent.
    #[serde(default)]
    pub per_day: Option<f64>,
}

/// Names a provider.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelRef {
    /// The provider.
    pub name: String,
}

/// A provider.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelProvider {
    /// Its name.
    pub name: String,
    /// How it is spoken to.
    pub kind: ModelKind,
    /// Its address.
    pub base_url: String,
    /// The secret that goes along: `secret://name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// Models that a person chose.
    pub models: Vec<ModelEntry>,
    /// A person at this machine keeps it: its address may be this machine or one of a private network.
    pub here: bool,
    /// Who kept it last.
    pub changed_by: String,
    /// RFC 3339.
    pub changed_at: String,
    /// What keeps it from being asked, as far as that shows without asking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// The providers of this machine.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Models {
    /// By name.
    pub providers: Vec<ModelProvider>,
    /// What steps get that name no model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<ModelChoice>,
    /// What models may cost on a day (UTC) on this machine, in millionths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day_budget_micros: Option<u64>,
}

/// Chooses what steps get that name no model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelDefaultSet {
    /// Nothing when absent: such steps do not run then.
    #[serde(default)]
    pub default: Option<ModelChoice>,
}

/// Asks a provider something small.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelTest {
    /// The provider.
    pub name: String,
    /// The model that answers a word; when absent, the provider tells which models it has.
    #[serde(default)]
    pub model: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelTested {
    /// It can be used.
    pub ok: bool,
    /// In plain words.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The models that it says it has.
    pub models: Vec<String>,
    /// How long it took, milliseconds.
    pub took_ms: u64,
}

/// Models of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelNames {
    /// As the provider names them.
    pub models: Vec<String>,
}

/// A server on this machine that answers as a provider does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelFound {
    /// A name for it.
    pub name: String,
    /// What usually listens there.
    pub title: String,
    /// How it is spoken to.
    pub kind: ModelKind,
    /// Its address.
    pub base_url: String,
    /// The models that it says it has.
    pub models: Vec<String>,
}
