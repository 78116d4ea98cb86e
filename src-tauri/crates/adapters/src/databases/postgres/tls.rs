//! Encrypted connections whose rows go to the statement that takes them.

use super::row_blocks::{RowBlocks, RowFilter};
use crate::postgres_tls::{Encrypted, PostgresTls};
use std::future::Future;
use std::io;
use std::pin::Pin;
use tokio::net::TcpStream;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};

/// Encrypts a connection, and filters what comes out of it.
pub(super) struct FilteredTls {
    tls: PostgresTls,
    blocks: RowBlocks,
}

impl FilteredTls {
    pub(super) fn new(tls: PostgresTls, blocks: RowBlocks) -> Self {
        Self { tls, blocks }
    }
}

impl TlsConnect<TcpStream> for FilteredTls {
    type Stream = RowFilter<Encrypted>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<RowFilter<Encrypted>>> + Send>>;

    fn connect(self, stream: TcpStream) -> Self::Future {
        Box::pin(async move { self.tls.connect(stream).await.map(|stream| RowFilter::new(stream, self.blocks)) })
    }
}

impl TlsStream for RowFilter<Encrypted> {
    fn channel_binding(&self) -> ChannelBinding {
        self.get_ref().channel_binding()
    }
}
