//! About the program: settings, folders, samples.

use crate::dto::Host;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::{NodeDescriptor, Workflow};

/// About the program.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppInfo {
    /// Version of the program.
    pub version: String,
    /// Who serves.
    pub host: Host,
    /// The data folder.
    pub data_dir: String,
    /// `linux`, `macos`, `windows`.
    pub platform: String,
}

/// What a sample does not run without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SampleNeedKind {
    /// A default model.
    Model,
    /// A default model with a price above 0.
    PricedModel,
    /// An approved tool server.
    ToolServer,
}

/// Something that has to be set up before a sample runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SampleNeed {
    /// What it is.
    pub kind: SampleNeedKind,
    /// The name of the tool server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// It is set up.
    pub ready: bool,
}

/// One sample of the gallery.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Sample {
    /// For `workflow_create`.
    pub id: String,
    /// In plain words.
    pub title: String,
    /// One or two sentences.
    pub description: String,
    /// Number of nodes.
    pub steps: usize,
    /// What it shows, a few words each.
    pub traits: Vec<String>,
    /// What has to be set up on this machine before it runs; empty when nothing has.
    pub needs: Vec<SampleNeed>,
    /// The workflow.
    #[schemars(with = "Workflow")]
    pub document: Value,
}

/// Colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Size or state of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PaneState {
    /// Open or not.
    Open(bool),
    /// Pixels.
    Size(f64),
}

/// What closing the window does while workflows are active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Closing {
    /// Hides the window; workflows stay active.
    Background,
    /// Ends the program.
    Quit,
}

/// Language of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

/// What a person set for their own eyes and hands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppSettings {
    /// Colours.
    pub theme: Theme,
    /// Pane → size or state.
    pub layout: IndexMap<String, PaneState>,
    /// Action → keys.
    pub keymap: IndexMap<String, Vec<String>>,
    /// Saved queries of the audit viewer: name → text.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub queries: IndexMap<String, String>,
    /// What closing the window does while workflows are active; the person is asked when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
    /// Language of the window; that of the system when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
}

/// New settings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsSet {
    /// All of them.
    pub settings: AppSettings,
}

/// What a folder grant allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Read only.
    Ro,
    /// Read and write.
    Rw,
}

/// A granted folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Folder {
    /// Absolute path.
    pub folder: String,
    /// Only for this workflow; for all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<String>,
    /// What steps may do in it.
    pub access: Access,
    /// Its workflows are listed in the library.
    pub library: bool,
}

/// Grants a folder.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderGrant {
    /// What the dialog of the desktop shell handed out for the folder; in a browser, its path as `folder_browse` lists it.
    pub folder: String,
    /// Only for this workflow; for all when absent.
    #[serde(default)]
    pub workflow_id: Option<String>,
    /// What steps may do in it.
    pub access: Access,
    /// List its workflows in the library.
    pub library: bool,
}

/// Looks into a folder of the server that may be granted.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderBrowse {
    /// Absolute path as listed; the folders to begin with when absent.
    #[serde(default)]
    pub folder: Option<String>,
}

/// Folders of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderListing {
    /// The folder that was looked into; absent for the list of folders to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The folder above it, when that may be granted, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Absolute paths by name, without hidden folders and links.
    pub folders: Vec<String>,
    /// There are more than are listed.
    pub more: bool,
}

/// Takes a grant back.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FolderRevoke {
    /// Absolute path as listed.
    pub folder: String,
    /// The workflow it was granted for.
    #[serde(default)]
    pub workflow_id: Option<String>,
}

/// Node kinds.
pub type Kinds = Vec<NodeDescriptor>;
