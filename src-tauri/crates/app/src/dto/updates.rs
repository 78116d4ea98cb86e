//! Newer releases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How this program was installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Installation {
    /// A Debian package.
    Deb,
    /// An RPM package.
    Rpm,
    /// The portable folder.
    Tar,
    /// An AppImage.
    Appimage,
    /// The OCI image.
    Image,
    /// Built from source.
    Source,
    /// In another way.
    Other,
}

/// Whether and where newer releases are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdatesSet {
    /// Once a day.
    pub on: bool,
    /// Address of the signed list.
    #[serde(default)]
    #[schemars(length(max = 2048))]
    pub address: Option<String>,
    /// Public key of who signs it: PEM, or 64 hexadecimal digits.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub key: Option<String>,
    /// The address may be one of this machine.
    #[serde(default)]
    pub local: bool,
}

/// Whether there is a newer release, as far as the last check knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatesView {
    /// The list is asked for once a day.
    pub on: bool,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Public key of who signs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Short names of the keys.
    pub key_ids: Vec<String>,
    /// The address may be one of this machine.
    pub local: bool,
    /// The version of this program.
    pub version: String,
    /// How it was installed.
    pub installation: Installation,
    /// When a list was accepted last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked_at: Option<String>,
    /// When a list was asked for last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried_at: Option<String>,
    /// Why the last list was not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<UpdateTrouble>,
    /// The newest release, if it is newer than this program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update: Option<UpdateFound>,
}

/// Why a list of releases was not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdateTrouble {
    /// For programs.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// A newer release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateFound {
    /// Its version.
    pub version: String,
    /// Its date.
    pub date: String,
    /// It, or a release before it that this machine does not have, closes a security hole.
    pub security: bool,
    /// What is new: language → plain text.
    pub notes: BTreeMap<String, String>,
    /// Address of its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Commands that bring it, for how this program was installed; none: see the page.
    pub commands: Vec<String>,
}
