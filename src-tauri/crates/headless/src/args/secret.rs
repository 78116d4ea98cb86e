//! Arguments of `secret`.

use clap::{Args, Subcommand, ValueEnum};
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
    /// OAuth 2: access tokens of a service; the value is the secret of the client, or empty
    Oauth2,
    /// AWS signature version 4, --field ACCESS_KEY_ID --region REGION --service SERVICE
    Aws,
    /// TLS client certificate: certificate and private key as PEM
    Certificate,
    /// SSH for SFTP, --field USER --host-key FINGERPRINT; the value is a private key or a password
    Ssh,
    /// Azure Storage account key, --field ACCOUNT
    Azure,
    /// Azure shared access signature (SAS token)
    Sas,
    /// Google service account, --field SCOPES; the value is the key file (JSON)
    Google,
}

/// How access tokens are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Grant {
    /// A person signs in with a browser (authorization code and PKCE)
    AuthorizationCode,
    /// A person enters a code on any device
    DeviceCode,
    /// The program signs in as itself
    ClientCredentials,
}

/// How the client proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientAuth {
    /// Authorization: Basic …
    Basic,
    /// Fields of the request body
    Body,
}

/// The OAuth client of a secret.
#[derive(Debug, Args)]
pub(crate) struct OAuth {
    /// oauth2: take addresses, scopes and hosts from this connector.
    #[arg(long, value_name = "NAME")]
    pub(crate) connector: Option<String>,
    /// oauth2: the client id that the service gave you.
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// oauth2: how tokens are obtained.
    #[arg(long, value_name = "GRANT", default_value = "authorization-code")]
    pub(crate) grant: Grant,
    /// oauth2: where a person signs in.
    #[arg(long, value_name = "URL")]
    pub(crate) authorization_url: Option<String>,
    /// oauth2: where tokens are given.
    #[arg(long, value_name = "URL")]
    pub(crate) token_url: Option<String>,
    /// oauth2: where device codes are requested.
    #[arg(long, value_name = "URL")]
    pub(crate) device_url: Option<String>,
    /// oauth2: where tokens are revoked.
    #[arg(long, value_name = "URL")]
    pub(crate) revocation_url: Option<String>,
    /// oauth2: a right to ask for; can be repeated. Replaces those of the connector.
    #[arg(long = "scope", value_name = "SCOPE")]
    pub(crate) scopes: Vec<String>,
    /// oauth2: a further parameter, NAME=VALUE; can be repeated.
    #[arg(long = "parameter", value_name = "NAME=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// oauth2: how the client proves who it is.
    #[arg(long, value_name = "HOW")]
    pub(crate) client_auth: Option<ClientAuth>,
    /// oauth2: the redirect address that you registered, for example http://localhost:8400/callback.
    #[arg(long, value_name = "URL")]
    pub(crate) redirect: Option<String>,
    /// oauth2: the user of a mailbox (XOAUTH2).
    #[arg(long, value_name = "USER")]
    pub(crate) user: Option<String>,
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
                      --kind header --field X-Api-Key --host '*.example.com' < erp.key\n  signalbox secret set gmail --kind \
                      oauth2 --connector gmail --client-id 123.apps.googleusercontent.com"
    )]
    Set {
        /// The name in secret://NAME.
        name: String,
        /// How it is sent.
        #[arg(long, value_name = "KIND", default_value = "bearer")]
        kind: SecretKind,
        /// The user for basic and ssh, the name of the header or parameter, the access key id of AWS, the account of Azure, or the scopes of Google.
        #[arg(long, value_name = "NAME")]
        field: Option<String>,
        /// The region of AWS.
        #[arg(long, value_name = "REGION")]
        region: Option<String>,
        /// The service of AWS as in signatures, for example s3.
        #[arg(long, value_name = "SERVICE")]
        service: Option<String>,
        /// ssh: fingerprint of the server key, SHA256:…; can be repeated. Without it, `secret test` shows it.
        #[arg(long = "host-key", value_name = "FINGERPRINT")]
        host_keys: Vec<String>,
        #[command(flatten)]
        oauth: Box<OAuth>,
        /// Allowed host: api.example.com, *.example.com, host:port, or http://host to allow plain http.
        #[arg(long = "host", value_name = "HOST")]
        hosts: Vec<String>,
    },
    /// Signs in to the service of an oauth2 secret, with a browser or a code.
    #[command(after_help = "Exit: 0 signed in, 2 not.\n\nExample:\n  signalbox secret sign-in gmail")]
    SignIn {
        /// The name in secret://NAME.
        name: String,
    },
    /// Signs out of the service of an oauth2 secret and revokes the tokens.
    #[command(after_help = "Example:\n  signalbox secret sign-out gmail")]
    SignOut {
        /// The name in secret://NAME.
        name: String,
    },
    /// Tests a secret: obtains its token, and sends it to an address or signs in to a server if one is given.
    #[command(
        after_help = "Servers: postgres://HOST/DATABASE, mysql://HOST/DATABASE, mqtts://HOST, rediss://HOST, nats+tls://HOST,\n\
                      amqps://HOST/VHOST, kafka+tls://HOST, smtps://HOST, imaps://HOST, sftp://HOST, s3+https://HOST/BUCKET,\n\
                      gcs+https://HOST/BUCKET, azure+https://HOST/CONTAINER, webdav+https://HOST/FOLDER\n\n\
                      Exit: 0 usable, 2 not.\n\nExamples:\n  signalbox secret test gmail --url \
                      https://gmail.googleapis.com/gmail/v1/users/me/profile\n  signalbox secret test shop-db --url \
                      postgres://db.example.com/shop"
    )]
    Test {
        /// The name in secret://NAME.
        name: String,
        /// Send it to this address with a GET, or sign in to this server.
        #[arg(long, value_name = "URL")]
        url: Option<String>,
        /// Databases, message brokers, mail: the authority that signed the certificate of the server (PEM).
        #[arg(long, value_name = "FILE", requires = "url")]
        root_certificate: Option<PathBuf>,
    },
    /// Trusts the key of an SSH server, after you compared it with what the administrator of the server says.
    #[command(
        after_help = "Example:\n  signalbox secret trust files SHA256:uNiVztksCsDhcc0u9e8BrGqXuzfjy1aEV1Dv0pSzwyQ"
    )]
    Trust {
        /// The name in secret://NAME.
        name: String,
        /// The fingerprint that `secret test` shows.
        host_key: String,
    },
    /// Lists the workflows that use a secret.
    #[command(after_help = "Example:\n  signalbox secret uses gmail")]
    Uses {
        /// The name in secret://NAME.
        name: String,
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
