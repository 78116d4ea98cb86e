//! Arguments of `models`.

use clap::{Subcommand, ValueEnum};

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelKind {
    /// Anthropic Messages
    Anthropic,
    /// Chat completions, as OpenAI and many servers speak them
    Openai,
    /// Ollama's own interface
    Ollama,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Lists the providers, and the model of steps that name none.
    #[command(after_help = "Example:\n  signalbox models list --json")]
    List,
    /// Keeps a provider, or replaces it whole.
    #[command(
        after_help = "The host of the address must be one that the secret is for. Anthropic takes its key in a header: \
                      `signalbox secret set anthropic --kind header --field x-api-key --host api.anthropic.com`.\n\nExamples:\n  \
                      signalbox models set local --kind ollama --url http://127.0.0.1:11434\n  signalbox models set \
                      work --kind openai --url https://api.openai.com/v1 --credential secret://openai --model gpt-x=1.25/10"
    )]
    Set {
        /// Its name: letters, digits, '.', '_' and '-'.
        name: String,
        /// How it is spoken to.
        #[arg(long, value_name = "KIND")]
        kind: ModelKind,
        /// Its address.
        #[arg(long, value_name = "URL")]
        url: String,
        /// The secret that goes along.
        #[arg(long, value_name = "secret://NAME")]
        credential: Option<String>,
        /// A model of it, with its prices of a million tokens in and out where you want costs shown.
        #[arg(long = "model", value_name = "NAME[=IN/OUT]")]
        models: Vec<String>,
    },
    /// Forgets a provider; its secret stays.
    #[command(after_help = "Example:\n  signalbox models delete local")]
    Delete {
        /// Its name.
        name: String,
    },
    /// Asks a provider for its models, or a model for a word.
    #[command(
        after_help = "Exit: 0 it answers, 1 it does not.\n\nExample:\n  signalbox models test local --model llama3.2"
    )]
    Test {
        /// The provider.
        name: String,
        /// The model that answers a word.
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// Shows or chooses the model of steps that name none.
    #[command(
        after_help = "Examples:\n  signalbox models default\n  signalbox models default local llama3.2\n  signalbox \
                      models default --none"
    )]
    Default {
        /// The provider.
        #[arg(requires = "model")]
        provider: Option<String>,
        /// The model, as the provider names it.
        model: Option<String>,
        /// Such steps do not run any more.
        #[arg(long, conflicts_with = "provider")]
        none: bool,
    },
    /// Looks for servers of language models on this machine.
    #[command(after_help = "Example:\n  signalbox models discover")]
    Discover,
    /// Shows or sets what models may cost on a day on this machine.
    #[command(
        after_help = "Examples:\n  signalbox models budget\n  signalbox models budget 10\n  signalbox models budget --none"
    )]
    Budget {
        /// From midnight to midnight UTC, in the unit of the prices.
        #[arg(value_name = "AMOUNT")]
        amount: Option<f64>,
        /// No limit any more.
        #[arg(long, conflicts_with = "amount")]
        none: bool,
    },
    /// Shows what models cost, by day, workflow and model.
    #[command(after_help = "Example:\n  signalbox models usage --days 7")]
    Usage {
        /// Days, today included; a day begins at midnight UTC.
        #[arg(long, value_name = "N", default_value_t = 30)]
        days: u32,
    },
}
