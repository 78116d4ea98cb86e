//! Files on servers that speak SFTP. SSH is spoken here, over sockets that are opened here, so that addresses are
//! checked as for HTTP steps (ADR 190).

mod connect;
mod files;
mod session;
mod ssh;
mod stream;
mod wire;

pub(crate) use connect::{check_key, fingerprints, is_key};

use async_trait::async_trait;
use connect::open;
use session::Session;
use signalbox_ports::remote_files::{
    FileServer, RemoteBody, RemoteEntry, RemoteError, RemoteFault, RemoteList, RemoteListing, RemoteTransfer,
    RemoteWrite,
};
use signalbox_ports::{PieceStream, RemoteFiles};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long the removal of an unfinished file may take.
const CLEANING: Duration = Duration::from_secs(2);

/// The SFTP servers of the world.
#[derive(Debug, Clone, Copy, Default)]
pub struct SftpServers;

async fn within<T>(server: &FileServer, work: impl Future<Output = Result<T, RemoteError>>) -> Result<T, RemoteError> {
    let late = |_| {
        let words = format!("{}:{} did not finish within {} ms", server.host, server.port, server.timeout.as_millis());
        Err(RemoteError::new(RemoteFault::Timeout, words))
    };
    tokio::time::timeout(server.timeout, Box::pin(work)).await.unwrap_or_else(late)
}

/// What is written, so that it can be put away.
enum Writing {
    File(RemoteWrite),
    Stream(RemoteWrite, Box<dyn PieceStream>),
    Transfer(RemoteTransfer),
}

impl Writing {
    fn unfinished(&self) -> Option<String> {
        match self {
            Self::File(file) | Self::Stream(file, _) => Some(files::unfinished(&file.path, &file.key)),
            Self::Transfer(transfer) if transfer.keep => Some(files::unfinished(&transfer.to, &transfer.key)),
            Self::Transfer(_) => None,
        }
    }

    async fn carry_out(&mut self, session: &mut Session, server: &FileServer) -> Result<RemoteEntry, RemoteError> {
        match self {
            Self::File(file) => files::write(session, file).await,
            Self::Stream(file, pieces) => stream::write(session, server, file, pieces.as_mut()).await,
            Self::Transfer(transfer) => files::transfer(session, transfer).await.map(|()| RemoteEntry::default()),
        }
    }
}

/// Carries out what leaves an unfinished file when it ends early. It goes on for a moment when its call is dropped, or takes too
/// long, and removes the file.
async fn written(server: FileServer, mut writing: Writing) -> Result<RemoteEntry, RemoteError> {
    let (_call, dropped) = oneshot::channel::<()>();
    let asked = server.clone();
    // A stream has a limit for each of its requests.
    let is_stream = matches!(writing, Writing::Stream(..));
    let work = tokio::spawn(async move {
        let stop = || RemoteError::new(RemoteFault::Timeout, "The call was given up");
        tokio::pin!(dropped);
        let opened = tokio::select! {
            opened = within(&server, open(&server)) => opened?,
            _ = &mut dropped => return Err(stop()),
        };
        let mut session = opened;
        let done = tokio::select! {
            done = writing.carry_out(&mut session, &server) => done,
            _ = &mut dropped => Err(stop()),
        };
        if let (Err(_), Some(unfinished)) = (&done, writing.unfinished()) {
            // A request may have been cut in the middle: another connection.
            drop(session);
            let cleaning = async {
                if let Ok(mut session) = open(&server).await {
                    let _gone = files::remove(&mut session, &unfinished).await;
                }
            };
            let _late = tokio::time::timeout(CLEANING, Box::pin(cleaning)).await;
        }
        done
    });
    let ended = |_| RemoteError::new(RemoteFault::Connection, "The call ended without a result");
    let work = async { work.await.map_err(ended)? };
    if is_stream { work.await } else { within(&asked, work).await }
}

#[async_trait]
impl RemoteFiles for SftpServers {
    async fn check(&self, server: FileServer, folder: &str) -> Result<(), RemoteError> {
        within(&server, async { files::check(&mut open(&server).await?, folder).await }).await
    }

    async fn list(&self, server: FileServer, wanted: RemoteList) -> Result<RemoteListing, RemoteError> {
        within(&server, async {
            let mut session = open(&server).await?;
            files::list(&mut session, &wanted).await
        })
        .await
    }

    async fn read(&self, server: FileServer, path: &str, most: usize) -> Result<(RemoteEntry, Vec<u8>), RemoteError> {
        within(&server, async {
            let mut session = open(&server).await?;
            files::read(&mut session, path, most).await
        })
        .await
    }

    async fn write(&self, server: FileServer, file: RemoteWrite) -> Result<RemoteEntry, RemoteError> {
        written(server, Writing::File(file)).await
    }

    async fn open_read(
        &self,
        server: FileServer,
        path: &str,
    ) -> Result<(RemoteEntry, Box<dyn RemoteBody>), RemoteError> {
        stream::open_read(server, path.to_owned()).await
    }

    async fn write_stream(
        &self,
        server: FileServer,
        file: RemoteWrite,
        pieces: Box<dyn PieceStream>,
    ) -> Result<RemoteEntry, RemoteError> {
        written(server, Writing::Stream(file, pieces)).await
    }

    async fn transfer(&self, server: FileServer, transfer: RemoteTransfer) -> Result<(), RemoteError> {
        written(server, Writing::Transfer(transfer)).await.map(|_| ())
    }

    async fn remove(&self, server: FileServer, path: &str) -> Result<bool, RemoteError> {
        within(&server, async {
            let mut session = open(&server).await?;
            files::remove(&mut session, path).await
        })
        .await
    }
}
