//! The arguments of `connectors`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Connectors {
    /// Lists the connectors: those that come with the program, and your own.
    #[command(after_help = "Example:\n  signalbox connectors list")]
    List,
    /// Shows a connector with its operations, or one operation with its parameters.
    #[command(
        after_help = "Examples:\n  signalbox connectors show slack\n  signalbox connectors show slack post_message\n  signalbox connectors show slack \
                      --file > my-slack.yaml"
    )]
    Show {
        /// Name of the connector.
        name: String,
        /// Name of an operation.
        operation: Option<String>,
        /// Print the file of the connector.
        #[arg(long, conflicts_with = "operation")]
        file: bool,
    },
    /// Adds a connector: a connector file, an OpenAPI 3 or Swagger 2 document, or a GraphQL service, which is imported.
    #[command(
        after_help = "What a document has and a connector does not is listed. Nothing is fetched but what a GraphQL endpoint says about \
                      itself: references to other files are left out. The connector is a file in the folder 'connectors' of the data folder and can be edited there.\n\nExit: 0 added, 2 \
                      refused.\n\nExamples:\n  signalbox connectors add openapi.json --name shop\n  signalbox connectors add my-service.yaml\n  signalbox \
                      connectors add --graphql https://api.example.com/graphql --credential secret://shop"
    )]
    Add {
        /// An OpenAPI document or a connector file, as JSON or YAML.
        #[arg(value_name = "FILE", required_unless_present = "graphql", conflicts_with = "graphql")]
        file: Option<PathBuf>,
        /// A GraphQL endpoint, which is asked about itself, or a file with its answer (introspection, JSON).
        #[arg(long, value_name = "URL|FILE")]
        graphql: Option<String>,
        /// Address of the endpoint, where --graphql names a file; without it, steps say it.
        #[arg(long, value_name = "URL", requires = "graphql")]
        address: Option<String>,
        /// The secret that new steps begin with; a GraphQL endpoint is asked with it.
        #[arg(long, value_name = "secret://NAME")]
        credential: Option<String>,
        /// Name of the connector in steps; default: the name in the file, or the title of the document.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Replace your own connector of this name.
        #[arg(long)]
        replace: bool,
    },
    /// Checks connector files and OpenAPI documents; nothing is added.
    #[command(after_help = "Exit: 0 all valid, 2 errors.\n\nExample:\n  signalbox connectors check my-service.yaml")]
    Check {
        /// Files to check.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Removes a connector of your own. Runs that have begun keep what they use of it.
    #[command(after_help = "Exit: 0 removed, 2 there is none.\n\nExample:\n  signalbox connectors remove shop")]
    Remove {
        /// Name of the connector.
        name: String,
    },
}
