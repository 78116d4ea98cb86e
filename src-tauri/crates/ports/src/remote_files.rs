//! Files on servers that speak SFTP, as object steps use them. Paths are those of the server; a path without a leading slash
//! begins in the folder in which the server starts.

use crate::PieceStream;
use crate::secret::Credential;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// Where files are, and who asks.
#[derive(Clone)]
pub struct FileServer {
    /// Name or address, without a port.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// User, key or password, and the keys of the server that are trusted; for hosts that it allows only.
    pub credential: Option<Arc<Credential>>,
    /// Time limit of the call.
    pub timeout: Duration,
    /// Loopback addresses are allowed for this call (TRUST, SSRF).
    pub loopback_allowed: bool,
}

/// What is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteList {
    /// The folder that keys are counted from: empty, or with a slash at its end.
    pub base: String,
    /// Keys begin with this.
    pub prefix: String,
    /// What lies in folders below, too; otherwise the folders themselves.
    pub recursive: bool,
    /// At most so many.
    pub limit: usize,
}

/// A file or a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteEntry {
    /// Its path behind the folder that was listed; with a slash at its end when it is a folder.
    pub key: String,
    /// Bytes, where the server tells it.
    pub size: Option<u64>,
    /// When it was changed, seconds since 1970.
    pub modified: Option<i64>,
}

/// A list of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemoteListing {
    /// In the order of their names, folder by folder.
    pub entries: Vec<RemoteEntry>,
    /// There are more than the limit.
    pub more: bool,
}

/// A file that is written whole: under another name first, which is changed at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteWrite {
    /// Its path.
    pub path: String,
    /// So much of the path is there already and is not made: its folder.
    pub base: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Only where there is none.
    pub is_new: bool,
    /// The same for a repetition of the call: its unfinished file is then replaced.
    pub key: String,
}

/// A file that is moved or copied on its server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteTransfer {
    /// Where it is.
    pub from: String,
    /// Where it goes.
    pub to: String,
    /// So much of the new path is there already.
    pub base: String,
    /// It stays where it is, too.
    pub keep: bool,
    /// Only to a place where there is none.
    pub is_new: bool,
    /// The same for a repetition of the call.
    pub key: String,
    /// Largest file that is copied, bytes.
    pub most: usize,
}

/// Why a server did not do what was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoteFault {
    /// The address is not allowed (nothing was sent).
    AddressRefused,
    /// The credential may not go there, or is of another kind (it was not sent).
    CredentialRefused,
    /// No key of this server is known: the fingerprint of the one that it shows.
    HostKeyUnknown(String),
    /// It shows another key than the known ones: its fingerprint.
    HostKeyChanged(String),
    /// A setting cannot be used: its name.
    Invalid(&'static str),
    /// The server was not reached, or ended the connection.
    Connection,
    /// No common protocol or algorithm.
    Protocol,
    /// It does not accept the user with this key or password.
    Auth,
    /// The user may not do this.
    Forbidden,
    /// There is no such file.
    NotFound,
    /// There is one already.
    Exists,
    /// It is larger than is taken.
    TooLarge,
    /// No answer in time.
    Timeout,
    /// The server refuses it and says why, if it does.
    Refused,
}

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteError {
    /// What failed.
    pub fault: RemoteFault,
    /// Plain words without a full stop.
    pub message: String,
    /// It may have been done all the same.
    pub maybe_done: bool,
}

impl RemoteError {
    /// Before anything was done.
    pub fn new(fault: RemoteFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into(), maybe_done: false }
    }
}

/// The bytes of a file of a server while they come.
#[async_trait]
pub trait RemoteBody: Send {
    /// The next bytes; `None` at the end of a file that came whole.
    async fn next(&mut self) -> Option<Result<Vec<u8>, RemoteError>>;
}

/// Files on servers, with the address rules of TRUST.
#[async_trait]
pub trait RemoteFiles: Send + Sync {
    /// Signs in and opens the folder, to see whether the settings are right.
    async fn check(&self, server: FileServer, folder: &str) -> Result<(), RemoteError>;
    /// Lists files.
    async fn list(&self, server: FileServer, wanted: RemoteList) -> Result<RemoteListing, RemoteError>;
    /// Reads a file of at most `most` bytes.
    async fn read(&self, server: FileServer, path: &str, most: usize) -> Result<(RemoteEntry, Vec<u8>), RemoteError>;
    /// Writes a file; the server has it whole, or not at all.
    async fn write(&self, server: FileServer, file: RemoteWrite) -> Result<RemoteEntry, RemoteError>;
    /// Opens a file whose bytes are read while they come. The time limit holds for each silence of the server.
    async fn open_read(
        &self,
        server: FileServer,
        path: &str,
    ) -> Result<(RemoteEntry, Box<dyn RemoteBody>), RemoteError>;
    /// Writes a file as `pieces` give it, in place of its `bytes`. The time limit holds for each silence of the server.
    async fn write_stream(
        &self,
        server: FileServer,
        file: RemoteWrite,
        pieces: Box<dyn PieceStream>,
    ) -> Result<RemoteEntry, RemoteError>;
    /// Moves or copies a file.
    async fn transfer(&self, server: FileServer, transfer: RemoteTransfer) -> Result<(), RemoteError>;
    /// Removes a file; false when there was none.
    async fn remove(&self, server: FileServer, path: &str) -> Result<bool, RemoteError>;
}

/// Where there are no such servers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRemoteFiles;

fn none<T>() -> Result<T, RemoteError> {
    Err(RemoteError::new(RemoteFault::Connection, "SFTP servers cannot be reached here"))
}

#[async_trait]
impl RemoteFiles for NoRemoteFiles {
    async fn check(&self, _server: FileServer, _folder: &str) -> Result<(), RemoteError> {
        none()
    }
    async fn list(&self, _server: FileServer, _wanted: RemoteList) -> Result<RemoteListing, RemoteError> {
        none()
    }
    async fn read(
        &self,
        _server: FileServer,
        _path: &str,
        _most: usize,
    ) -> Result<(RemoteEntry, Vec<u8>), RemoteError> {
        none()
    }
    async fn write(&self, _server: FileServer, _file: RemoteWrite) -> Result<RemoteEntry, RemoteError> {
        none()
    }
    async fn open_read(
        &self,
        _server: FileServer,
        _path: &str,
    ) -> Result<(RemoteEntry, Box<dyn RemoteBody>), RemoteError> {
        none()
    }
    async fn write_stream(
        &self,
        _server: FileServer,
        _file: RemoteWrite,
        _pieces: Box<dyn PieceStream>,
    ) -> Result<RemoteEntry, RemoteError> {
        none()
    }
    async fn transfer(&self, _server: FileServer, _transfer: RemoteTransfer) -> Result<(), RemoteError> {
        none()
    }
    async fn remove(&self, _server: FileServer, _path: &str) -> Result<bool, RemoteError> {
        none()
    }
}
