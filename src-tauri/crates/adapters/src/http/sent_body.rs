//! A request whose body is read while it is sent, so that it is never held as a whole. It goes over a separate connection and is
//! sent once: nobody could give its body a second time, so no redirect is followed and nothing is repeated.

use super::{Hop, WebHttp, add_trace, check, headers, read};
use crate::address::Reach;
use crate::request_credentials;
use bytes::Bytes;
use futures_util::future::{Either, select};
use reqwest::Method;
use signalbox_ports::{CredentialKind, HttpError, HttpRequest, HttpResponse, StreamedBody};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio::sync::mpsc::{Receiver, channel};
use url::Url;

/// Pieces that wait for the network.
const AHEAD: usize = 2;

/// The body as the library takes it.
struct Outgoing {
    pieces: Receiver<io::Result<Bytes>>,
    left: u64,
    started: Arc<AtomicBool>,
}

impl http_body::Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, io::Error>>> {
        self.started.store(true, Ordering::Relaxed);
        self.pieces.poll_recv(context).map(|piece| {
            let Some(piece) = piece else {
                // A body that ends early must not look complete.
                return (self.left > 0).then(|| Err(io::Error::other("the body ended early")));
            };
            Some(piece.map(|bytes| {
                self.left = self.left.saturating_sub(bytes.len() as u64);
                http_body::Frame::data(bytes)
            }))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> http_body::SizeHint {
        http_body::SizeHint::with_exact(self.left)
    }
}

/// Sends it. The time limit holds for each silence of the other side.
pub(super) async fn send(http: &WebHttp, request: HttpRequest, body: StreamedBody) -> Result<HttpResponse, HttpError> {
    let url = Url::parse(&request.url)
        .map_err(|error| HttpError::BadUrl { message: format!("The address is not one: {error}") })?;
    let method = Method::from_bytes(request.method.as_bytes())
        .map_err(|_| HttpError::BadUrl { message: format!("'{}' is not a method", request.method) })?;
    let mut given = headers(&request.headers)?;
    add_trace(&mut given);
    let reach = if request.loopback_allowed { Reach::Loopback } else { Reach::Granted };
    check(&url, reach, &http.grants)?;
    let way = http.way(&url, reach).await?;
    let mut target = url.clone();
    if let Some(credential) = &request.credential {
        if matches!(credential.kind, CredentialKind::Aws { .. } | CredentialKind::ClientCertificate) {
            let message = format!("The credential '{}' cannot sign a body that is sent in pieces", credential.name);
            return Err(HttpError::CredentialRefused { message });
        }
        request_credentials::authenticate(credential, &method, &mut target, &mut given, &[])?;
    }
    let sent = Arc::new(AtomicBool::new(false));
    let (give, pieces) = channel(AHEAD);
    let outgoing = Outgoing { pieces, left: body.size, started: Arc::clone(&sent) };
    let hop = Hop { method: &method, url: target, shown: &url, headers: given, body: None, sent: &sent };
    let request_builder = hop.bare(&http.client(&way, true)?).body(reqwest::Body::wrap(outgoing));
    let limit = request.timeout;
    let late = || HttpError::Timeout { sent: sent.load(Ordering::Relaxed) };
    let mut source = body.pieces;
    let feed = async move {
        while let Some(piece) = source.next().await {
            let failed = piece.as_ref().err().cloned();
            let piece = piece.map(Bytes::from).map_err(io::Error::other);
            match tokio::time::timeout(limit, give.send(piece)).await {
                Err(_) => return Err(None),
                // The request has ended and says why.
                Ok(Err(_)) => return Ok(()),
                Ok(Ok(())) => {}
            }
            if let Some(why) = failed {
                return Err(Some(why));
            }
        }
        Ok(())
    };
    let (sending, feed) = (pin!(request_builder.send()), pin!(feed));
    let answered = match select(sending, feed).await {
        Either::Left((answered, _)) => answered,
        Either::Right((Ok(()), sending)) => tokio::time::timeout(limit, sending).await.map_err(|_| late())?,
        Either::Right((Err(None), _)) => return Err(late()),
        Either::Right((Err(Some(message)), _)) => return Err(HttpError::Cut { message }),
    };
    let response = answered.map_err(|error| way.failure(&error, &url))?;
    way.accepts(&response, &url)?;
    let opened = super::Opened { response, url, jar: super::Jar::new(request.cookies) };
    tokio::time::timeout(limit, read(opened, request.max_body)).await.map_err(|_| late())?
}
