//! Arguments of `serve`, and of what people who sign in to it are called.

use crate::server::address::PublicUrl;
use crate::server::people::RoleRule;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use url::Url;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Address and port; port 0 chooses a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9160")]
    pub(crate) addr: std::net::SocketAddr,
    /// Also serve the web UI.
    #[arg(long)]
    pub(crate) ui: bool,
    /// A folder whose subfolders a builder may grant in the browser; may be given several times. Default: the home folder, for
    /// browsers on this machine only.
    #[arg(long = "grant-root", value_name = "DIR")]
    pub(crate) grant_root: Vec<PathBuf>,
    /// Token file; default: `serve.token` in the data folder.
    #[arg(long = "token-file", value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Also write each new audit entry to standard output, one line each.
    #[arg(long = "audit-stdout")]
    pub(crate) audit_stdout: bool,
    /// Certificate of the server, in PEM, with those of its authorities behind it: the server speaks HTTPS. Read again when it
    /// changes.
    #[arg(long = "tls-cert", env = "SIGNALBOX_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in PEM, without a passphrase.
    #[arg(long = "tls-key", env = "SIGNALBOX_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Address under which people reach the server, when it is not the one that it listens on: by a name, or through a proxy.
    #[arg(long = "public-url", env = "SIGNALBOX_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<PublicUrl>,
    #[command(flatten)]
    pub(crate) sign_in: ServeSignIn,
    #[cfg(feature = "restate")]
    #[command(flatten)]
    pub(crate) hand_over: super::HandOver,
}

/// How people sign in.
#[derive(Debug, Args)]
pub(crate) struct ServeSignIn {
    /// Identity provider (OpenID Connect) by which people sign in on the page.
    #[arg(long = "oidc-issuer", env = "SIGNALBOX_OIDC_ISSUER", value_name = "URL", requires_all = ["oidc_client_id", "oidc_roles"])]
    pub(crate) oidc_issuer: Option<Url>,
    /// Id of this server at the provider. Its redirect address there is URL/sign-in/callback.
    #[arg(long = "oidc-client-id", env = "SIGNALBOX_OIDC_CLIENT_ID", value_name = "ID", requires = "oidc_issuer")]
    pub(crate) oidc_client_id: Option<String>,
    /// File with the secret of the client; a public client has none.
    #[arg(
        long = "oidc-client-secret-file",
        env = "SIGNALBOX_OIDC_CLIENT_SECRET_FILE",
        value_name = "FILE",
        requires = "oidc_issuer"
    )]
    pub(crate) oidc_client_secret_file: Option<PathBuf>,
    /// Which value of the role claim gives which role; `*` is everybody. ROLE@WORKSPACE gives it in a workspace only. May be given
    /// several times; the largest role counts.
    #[arg(
        long = "oidc-role",
        env = "SIGNALBOX_OIDC_ROLES",
        value_name = "ROLE=VALUE",
        value_delimiter = ',',
        requires = "oidc_issuer"
    )]
    pub(crate) oidc_roles: Vec<RoleRule>,
    /// Claim with the values that give roles; `realm_access.roles` is one inside another.
    #[arg(long = "oidc-role-claim", env = "SIGNALBOX_OIDC_ROLE_CLAIM", value_name = "CLAIM", default_value = "groups")]
    pub(crate) oidc_role_claim: String,
    /// Claim that names people; default: the verified e-mail address, else preferred_username, else sub.
    #[arg(long = "oidc-name-claim", env = "SIGNALBOX_OIDC_NAME_CLAIM", value_name = "CLAIM")]
    pub(crate) oidc_name_claim: Option<String>,
    /// A further scope that is asked for: `groups`, or `offline_access` so that sessions are renewed. May be given several times.
    #[arg(long = "oidc-scope", env = "SIGNALBOX_OIDC_SCOPES", value_name = "SCOPE", value_delimiter = ',')]
    pub(crate) oidc_scopes: Vec<String>,
    /// Name of the provider on the page; default: its host.
    #[arg(long = "oidc-name", env = "SIGNALBOX_OIDC_NAME", value_name = "NAME")]
    pub(crate) oidc_name: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum People {
    /// Lists the names of people who have signed in, and whose they are.
    #[command(after_help = "Example:\n  signalbox people list --json")]
    List,
    /// Lists who is signed in, the newest first.
    #[command(after_help = "Example:\n  signalbox people sessions")]
    Sessions,
    /// Ends all sessions of a person. A running server refuses them within 5 seconds and breaks off what it still answers.
    #[command(
        after_help = "The person can sign in again unless the identity provider refuses it.\n\nExit: 0, 2 the person is not signed \
                      in.\n\nExample:\n  signalbox people sign-out anna@example.com"
    )]
    SignOut {
        /// Name, with or without `user:`.
        #[arg(value_name = "NAME")]
        name: String,
        /// Person; the system account is recorded as well.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
    /// Frees the name of a person: the next one who signs in with it gets it.
    #[command(after_help = "Exit: 0, 2 nobody has that name.\n\nExample:\n  signalbox people forget anna@example.com")]
    Forget {
        /// Name, with or without `user:`.
        #[arg(value_name = "NAME")]
        name: String,
        /// Person; the system account is recorded as well.
        #[arg(long = "as", value_name = "user:NAME")]
        person: Option<String>,
    },
}
