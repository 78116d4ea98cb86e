//! How a server is started or reached. A person on this machine says so; a workflow file never does.

use crate::oauth::ToolSignIn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signalbox_model::secret_ref;
use std::collections::BTreeMap;

/// Variables of this program that a server's process gets besides those that its definition names: what programs need to
/// run at all, and nothing secret.
#[cfg(not(windows))]
pub const PASSED_ON: &[&str] = &["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR"];
/// Variables of this program that a server's process gets besides those that its definition names: what programs need to
/// run at all, and nothing secret.
#[cfg(windows)]
pub const PASSED_ON: &[&str] = &[
    "PATH",
    "PATHEXT",
    "SystemRoot",
    "SystemDrive",
    "COMSPEC",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramFiles",
];

/// How a server is started or reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "transport", rename_all = "camelCase", deny_unknown_fields)]
pub enum ToolServerDefinition {
    /// A process that speaks over its standard input and output.
    #[serde(rename_all = "camelCase")]
    Stdio {
        /// A program, by its path or its name. No shell reads it.
        command: String,
        /// Its arguments, each as it is.
        #[serde(default)]
        args: Vec<String>,
        /// Variable → plain text, or `secret://name`.
        #[serde(default)]
        env: BTreeMap<String, String>,
        /// The folder that it works in; the person's own folder when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
    },
    /// A server at an address.
    #[serde(rename_all = "camelCase")]
    Http {
        /// `http://` or `https://`.
        url: String,
        /// The secret that goes along: `secret://name`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<String>,
        /// As whom this program signs in there, when the server wants more than its word for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sign_in: Option<ToolSignIn>,
    },
}

impl ToolServerDefinition {
    /// It was given a secret: what it answers may be private.
    pub fn has_credential(&self) -> bool {
        match self {
            Self::Stdio { env, .. } => env.values().any(|value| secret_ref::reference(value).is_some()),
            Self::Http { credential, sign_in, .. } => credential.is_some() || sign_in.is_some(),
        }
    }

    /// What it is given leaves this machine, whatever it says of its tools.
    pub fn is_far(&self) -> bool {
        let Self::Http { url, .. } = self else { return false };
        let host = url::Url::parse(url).ok();
        !host.as_ref().and_then(url::Url::host).is_some_and(|host| match host {
            url::Host::Domain(name) => name == "localhost",
            url::Host::Ipv4(address) => address.is_loopback(),
            url::Host::Ipv6(address) => address.is_loopback(),
        })
    }
}
