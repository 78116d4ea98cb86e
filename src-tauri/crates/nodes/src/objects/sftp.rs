//! Files of an SFTP server as objects: its address, and what its refusals mean.

use super::listing::{Entry, Listing, Wanted};
use super::patience::{leave, unless_cancelled};
use super::requests::{About, Condition};
use super::settings::{invalid, timeout};
use super::upload::FileWrite;
use crate::credential;
use crate::formats;
use crate::saved_pieces::write_pieces;
use crate::support::text_or;
use async_trait::async_trait;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction, media, time};
use signalbox_ports::remote_files::{
    FileServer, RemoteBody, RemoteEntry, RemoteError, RemoteFault, RemoteList, RemoteTransfer, RemoteWrite,
};
use signalbox_ports::{CallLog, PieceStream, World};
use url::Url;

const PORT: u16 = 22;

/// A folder of a server.
pub(crate) struct FilePlace<'a> {
    server: FileServer,
    /// Keys are counted from here: empty, or with a slash at its end.
    base: String,
    call: &'a Call,
    world: &'a World,
}

fn address(slot: &CallSlot) -> Result<Url, NodeFailure> {
    let given = text_or(slot, "address", "")?.trim();
    let wrong = || invalid("address", "The address of the server is not one like sftp://files.example.com/inbox");
    let url = Url::parse(given).ok().filter(|url| url.scheme() == "sftp").ok_or_else(wrong)?;
    if url.host_str().is_none_or(str::is_empty) || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("address", "The address has a user in it; user and password belong to the credential"));
    }
    Ok(url)
}

/// The folder of an address: of the whole server, or behind `/~/`, and without one, the folder in which the server starts.
fn base(url: &Url) -> Result<String, NodeFailure> {
    let form = format!("p={}", url.path().replace('+', "%2B"));
    let path = url::form_urlencoded::parse(form.as_bytes()).next().map(|(_, path)| path.into_owned());
    let path = path.unwrap_or_default();
    if path.contains('\u{fffd}') || path.chars().any(char::is_control) {
        return Err(invalid("address", "The folder of the address is not UTF-8, or has a control character"));
    }
    let path = path.trim_end_matches('/');
    let path = path
        .strip_prefix("/~")
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .map_or(path, |rest| rest.trim_start_matches('/'));
    Ok(if path.is_empty() { String::new() } else { format!("{path}/") })
}

impl<'a> FilePlace<'a> {
    pub(crate) async fn of(call: &'a Call, slot: &CallSlot, world: &'a World) -> Result<Self, NodeFailure> {
        let url = address(slot)?;
        let server = FileServer {
            host: url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned(),
            port: url.port().unwrap_or(PORT),
            timeout: timeout(slot)?,
            loopback_allowed: call.loopback_allowed,
            // After the commit of the step's start, and never part of the config: no event and no expression has the value.
            credential: credential::of_setting(slot, world).await?,
        };
        Ok(Self { server, base: base(&url)?, call, world })
    }

    fn path(&self, key: &str) -> Result<String, NodeFailure> {
        if key.starts_with('/') || key.contains("//") {
            return Err(invalid(
                "key",
                "A key of SFTP has no '/' at its beginning, and none twice; the folder is in 'address'",
            ));
        }
        Ok(format!("{}{key}", self.base))
    }

    fn failed(&self, error: RemoteError) -> NodeFailure {
        let clean = self.world.secrets.scrubber().text(&error.message).into_owned();
        failure(RemoteError { message: clean, ..error })
    }

    /// Signs in, and opens the folder.
    pub(crate) async fn check(&self) -> Result<(), NodeFailure> {
        let checked = self.world.remote_files.check(self.server.clone(), self.base.trim_end_matches('/')).await;
        checked.map_err(|error| self.failed(error))
    }

    pub(crate) async fn list(&self, wanted: &Wanted<'_>) -> Result<Listing, NodeFailure> {
        self.path(wanted.prefix).map_err(|failure| failure.detail("field", "prefix"))?;
        let wanted = RemoteList {
            base: self.base.clone(),
            prefix: wanted.prefix.to_owned(),
            recursive: wanted.recursive,
            limit: usize::try_from(wanted.limit).unwrap_or(usize::MAX),
        };
        let found = self.world.remote_files.list(self.server.clone(), wanted).await;
        let found = found.map_err(|error| self.failed(error))?;
        let entries = found.entries.into_iter().map(|one| {
            let is_folder = one.key.ends_with('/');
            let about = if is_folder { About::default() } else { about(&one) };
            Entry { key: one.key, is_folder, about }
        });
        Ok(Listing { entries: entries.collect(), more: found.more })
    }

    pub(crate) async fn get(&self, key: &str) -> Result<(About, Vec<u8>), NodeFailure> {
        let path = self.path(key)?;
        let read = self.world.remote_files.read(self.server.clone(), &path, formats::MAX_BYTES).await;
        let (found, bytes) = read.map_err(|error| self.failed(error))?;
        Ok((about(&RemoteEntry { key: key.to_owned(), ..found }), bytes))
    }

    pub(crate) async fn put(&self, key: &str, bytes: Vec<u8>, condition: &Condition) -> Result<(), NodeFailure> {
        let file = self.file(key, bytes, condition)?;
        let written = self.world.remote_files.write(self.server.clone(), file).await;
        written.map(|_| ()).map_err(|error| self.failed(error))
    }

    fn file(&self, key: &str, bytes: Vec<u8>, condition: &Condition) -> Result<RemoteWrite, NodeFailure> {
        let is_new = match condition {
            Condition::Always => false,
            Condition::IfNew => true,
            Condition::IfVersion(_) => {
                let words = "Files of an SFTP server have no versions. Choose 'If it is new' or 'Always'";
                return Err(invalid("when", words));
            }
        };
        let key_of_call = self.call.idempotency_key.clone();
        Ok(RemoteWrite { path: self.path(key)?, base: self.base.clone(), bytes, is_new, key: key_of_call })
    }

    /// Writes a file that is read while it is sent. A dropped call removes what it has written.
    pub(crate) async fn put_file(&self, file: &FileWrite<'_>) -> Result<(), NodeFailure> {
        let remote = self.file(file.key, Vec::new(), file.condition)?;
        let (pieces, failed) = file.source.pieces();
        let work = self.world.remote_files.write_stream(self.server.clone(), remote, pieces);
        let Some(written) = unless_cancelled(file.log, work).await else {
            return leave(file.log, self.world, async {}).await;
        };
        if let Some(failure) = failed.take() {
            return Err(failure);
        }
        written.map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Saves a file as one of this machine, while it arrives.
    pub(crate) async fn save(&self, key: &str, path: &str, log: &dyn CallLog) -> Result<(About, u64), NodeFailure> {
        let remote = self.path(key)?;
        let work = async {
            let opened = self.world.remote_files.open_read(self.server.clone(), &remote).await;
            let (found, body) = opened.map_err(|error| self.failed(error))?;
            let mut pieces = RemotePieces { body, failed: None };
            let written = write_pieces(self.call, self.world, log, path, &mut pieces).await;
            match pieces.failed {
                Some(error) => Err(self.failed(error).detail("path", path)),
                None => written.map(|size| (about(&RemoteEntry { key: key.to_owned(), ..found }), size)),
            }
        };
        match unless_cancelled(log, work).await {
            Some(done) => done,
            None => leave(log, self.world, async {}).await,
        }
    }

    pub(crate) async fn transfer(&self, from: &str, to: &str, keep: bool, is_new: bool) -> Result<(), NodeFailure> {
        let transfer = RemoteTransfer {
            from: self.path(from)?,
            to: self.path(to)?,
            base: self.base.clone(),
            keep,
            is_new,
            key: self.call.idempotency_key.clone(),
            most: formats::MAX_BYTES,
        };
        let done = self.world.remote_files.transfer(self.server.clone(), transfer).await;
        done.map_err(|error| self.failed(error))
    }

    pub(crate) async fn delete(&self, key: &str) -> Result<bool, NodeFailure> {
        let path = self.path(key)?;
        self.world.remote_files.remove(self.server.clone(), &path).await.map_err(|error| self.failed(error))
    }
}

/// The bytes of a file while they come.
struct RemotePieces {
    body: Box<dyn RemoteBody>,
    failed: Option<RemoteError>,
}

#[async_trait]
impl PieceStream for RemotePieces {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        match self.body.next().await? {
            Ok(piece) => Some(Ok(piece)),
            Err(error) => {
                let message = error.message.clone();
                self.failed = Some(error);
                Some(Err(message))
            }
        }
    }
}

fn about(found: &RemoteEntry) -> About {
    About {
        size: found.size,
        media: Some(media::of_path(&found.key).to_owned()),
        modified: found.modified.map(|seconds| time::format(seconds.saturating_mul(1_000))),
        version: None,
    }
}

/// What a refusal means for the step.
fn failure(error: RemoteError) -> NodeFailure {
    let RemoteError { fault, message, maybe_done } = error;
    let person = SuggestedAction::HumanReview;
    let failure = match fault {
        RemoteFault::AddressRefused => NodeFailure::tool("ADDRESS_REFUSED", message),
        RemoteFault::CredentialRefused => NodeFailure::tool("CREDENTIAL_REFUSED", message).suggest(person),
        RemoteFault::HostKeyUnknown(key) => {
            NodeFailure::tool("HOST_KEY_UNKNOWN", message).detail("hostKey", key).suggest(person)
        }
        RemoteFault::HostKeyChanged(key) => {
            NodeFailure::tool("HOST_KEY_CHANGED", message).detail("hostKey", key).suggest(person)
        }
        RemoteFault::Invalid(field) => invalid(field, message),
        RemoteFault::Connection => NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message).retryable(),
        RemoteFault::Timeout => NodeFailure::new(ErrorType::Timeout, "TIMEOUT", message).retryable(),
        RemoteFault::Protocol => NodeFailure::validation("BAD_ANSWER", message),
        RemoteFault::Auth => NodeFailure::tool("AUTH", message).suggest(person),
        RemoteFault::Forbidden => NodeFailure::tool("FORBIDDEN", message).suggest(person),
        RemoteFault::NotFound => NodeFailure::tool("NOT_FOUND", message),
        RemoteFault::Exists => NodeFailure::tool("PRECONDITION_FAILED", message),
        RemoteFault::TooLarge => NodeFailure::validation("TOO_LARGE", message),
        RemoteFault::Refused => NodeFailure::tool("REFUSED", message).suggest(person),
    };
    if maybe_done { failure.maybe_happened() } else { failure }
}

#[cfg(test)]
mod tests;
