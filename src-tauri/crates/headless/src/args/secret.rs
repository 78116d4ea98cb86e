//! Arguments of `secret`.

use clap::{Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecretKind {
    /// Authorization: Bearer …
    Bearer,
    /// Authorization: Basic … of --field USER and the secret as the password
    Basic,
    /// A header, --field NAME
    Header,
    /// A query parameter, --field NAME
    Query,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SecretKey {
    /// In the system key store (Secret Service, Keychain, Credential Manager)
    System,
    /// In a file protected by a passphrase
    Passphrase,
    /// In a file that only its owner can read
    File,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Secret {
    /// Lists names, kinds and hosts, never values.
    #[command(after_help = "Example:\n  signalbox secret list --json")]
    List,
    /// Shows where the encryption key is kept and whether the secrets are usable.
    #[command(after_help = "Exit: 0 usable, 2 not.\n\nExample:\n  signalbox secret status")]
    Status,
    /// Stores or replaces a secret. The value is prompted for, or read from standard input.
    #[command(
        after_help = "Examples:\n  signalbox secret set erp --kind bearer --host api.example.com\n  signalbox secret set erp \
                      --kind header --field X-Api-Key --host '*.example.com' < erp.key"
    )]
    Set {
        /// The name in secret://NAME.
        name: String,
        /// How it is sent.
        #[arg(long, value_name = "KIND", default_value = "bearer")]
        kind: SecretKind,
        /// The user for basic, or the name of the header or parameter.
        #[arg(long, value_name = "NAME")]
        field: Option<String>,
        /// Allowed host: api.example.com, *.example.com, host:port, or http://host to allow plain http.
        #[arg(long = "host", value_name = "HOST", required = true)]
        hosts: Vec<String>,
    },
    /// Deletes a secret.
    #[command(after_help = "Example:\n  signalbox secret delete erp")]
    Delete {
        /// The name in secret://NAME.
        name: String,
    },
    /// Chooses where the encryption key is kept; existing secrets are re-encrypted.
    #[command(
        after_help = "Examples:\n  signalbox secret choose system\n  signalbox secret choose passphrase\n  signalbox secret choose \
                      file --identity /run/keys/signalbox.txt"
    )]
    Choose {
        /// The place.
        key: SecretKey,
        /// With file: the key file; created if missing.
        #[arg(long, value_name = "FILE")]
        identity: Option<PathBuf>,
        /// Discard secrets that cannot be opened. Their file is kept under another name.
        #[arg(long)]
        discard: bool,
    },
}
