//! Arguments of `index`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Index {
    /// Lists the indexes with their documents, passages and vectors.
    #[command(after_help = "Example:\n  signalbox index list --json")]
    List,
    /// Shows an index and its documents.
    #[command(after_help = "Example:\n  signalbox index show manuals --limit 20")]
    Show {
        /// Name of the index.
        name: String,
        /// Documents behind this id.
        #[arg(long, value_name = "ID")]
        after: Option<String>,
        /// Maximum number of documents.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = super::limit)]
        limit: u32,
    },
    /// Finds passages, as the step "Find passages" does.
    #[command(
        after_help = "Exit: 0 found, 1 no passage fits.\n\nExamples:\n  signalbox index search manuals 'how long do refunds \
                      take'\n  signalbox index search manuals refunds --model all-minilm --provider local"
    )]
    Search {
        /// Name of the index.
        name: String,
        /// The question.
        query: String,
        /// Maximum number of passages.
        #[arg(long, value_name = "N", default_value_t = 5)]
        top: u32,
        /// The embedding model of the index; the question is sent to its provider.
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
        /// Provider of the model; default: the only one.
        #[arg(long, value_name = "NAME", requires = "model")]
        provider: Option<String>,
    },
    /// Deletes an index; documents and runs are kept.
    #[command(after_help = "Example:\n  signalbox index delete manuals")]
    Delete {
        /// Name of the index.
        name: String,
    },
}
