//! Arguments of `models`.

use clap::{Subcommand, ValueEnum};

/// The API of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelKind {
    /// Anthropic Messages
    Anthropic,
    /// Chat completions of OpenAI and compatible servers
    Openai,
    /// The native API of Ollama
    Ollama,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Lists the providers and the default model.
    #[command(after_help = "Example:\n  signalbox models list --json")]
    List,
    /// Adds or replaces a provider.
    #[command(after_help = "The secret must allow the host of the address. Anthropic expects its key in a header: \
                      `signalbox secret set anthropic --kind header --field x-api-key --host api.anthropic.com`.\n\nExamples:\n  \
                      signalbox models set local --kind ollama --url http://127.0.0.1:11434\n  signalbox models set \
                      work --kind openai --url https://api.openai.com/v1 --credential secret://openai --model gpt-x=1.25/10")]
    Set {
        /// Name: letters, digits, '.', '_' and '-'.
        name: String,
        /// API of the provider.
        #[arg(long, value_name = "KIND")]
        kind: ModelKind,
        /// Base address.
        #[arg(long, value_name = "URL")]
        url: String,
        /// The secret to send as the credential.
        #[arg(long, value_name = "secret://NAME")]
        credential: Option<String>,
        /// A model; to show costs, with its prices per million input and output tokens.
        #[arg(long = "model", value_name = "NAME[=IN/OUT]")]
        models: Vec<String>,
    },
    /// Removes a provider; its secret is kept.
    #[command(after_help = "Example:\n  signalbox models delete local")]
    Delete {
        /// Name of the provider.
        name: String,
    },
    /// Tests a provider by listing its models, or a model by asking for one word.
    #[command(
        after_help = "Exit: 0 it responded, 1 it did not.\n\nExample:\n  signalbox models test local --model llama3.2"
    )]
    Test {
        /// The provider.
        name: String,
        /// The model to test.
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// Shows or sets the default model, for steps that name none.
    #[command(
        after_help = "Examples:\n  signalbox models default\n  signalbox models default local llama3.2\n  signalbox \
                      models default --none"
    )]
    Default {
        /// The provider.
        #[arg(requires = "model")]
        provider: Option<String>,
        /// The model, by the name used by the provider.
        model: Option<String>,
        /// No default: steps without a model do not run.
        #[arg(long, conflicts_with = "provider")]
        none: bool,
    },
    /// Finds model servers on this machine.
    #[command(after_help = "Example:\n  signalbox models discover")]
    Discover,
    /// Shows or sets the daily model budget of this machine.
    #[command(
        after_help = "Examples:\n  signalbox models budget\n  signalbox models budget 10\n  signalbox models budget --none"
    )]
    Budget {
        /// Amount from midnight to midnight UTC, in the currency of the prices.
        #[arg(value_name = "AMOUNT")]
        amount: Option<f64>,
        /// Remove the limit.
        #[arg(long, conflicts_with = "amount")]
        none: bool,
    },
    /// Shows model usage and costs by day, workflow and model.
    #[command(after_help = "Example:\n  signalbox models usage --days 7")]
    Usage {
        /// Number of days including today; a day starts at midnight UTC.
        #[arg(long, value_name = "N", default_value_t = 30)]
        days: u32,
    },
}
