//! Arguments of `plan`.

use super::ModelKind;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `KIND=URL`.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    pub(crate) kind: ModelKind,
    pub(crate) url: String,
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    /// What the workflow should do, in your words.
    #[arg(value_name = "TEXT")]
    pub(crate) text: String,
    /// File for the workflow; an existing file is not replaced.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Try the draft: steps that read are run for real, steps that write get a sample instead.
    #[arg(long = "try")]
    pub(crate) tries: bool,
    /// Also run a step that writes for real when trying; once per step.
    #[arg(long, value_name = "STEP", requires = "tries")]
    pub(crate) allow_write: Vec<String>,
    /// A model provider that is not registered; its address is on this machine. Default: the default model.
    #[arg(long, value_name = "KIND=URL", value_parser = provider, requires = "model")]
    pub(crate) provider: Option<Provider>,
    /// The model, by the name used by the provider.
    #[arg(long, value_name = "NAME", requires = "provider")]
    pub(crate) model: Option<String>,
    /// Save the draft although a correction dropped, added or replaced steps.
    #[arg(long)]
    pub(crate) accept_changes: bool,
}

fn provider(text: &str) -> Result<Provider, String> {
    let wrong =
        || "write KIND=URL, for example ollama=http://127.0.0.1:11434; KIND is anthropic, openai or ollama".to_owned();
    let (kind, url) = text.split_once('=').ok_or_else(wrong)?;
    let kind = ModelKind::from_str(kind, true).map_err(|_| wrong())?;
    if url.is_empty() { Err(wrong()) } else { Ok(Provider { kind, url: url.to_owned() }) }
}
