//! Whether a request went out on a connection that was open already. A server may close one that has been idle just as the
//! next request arrives; a request that may be repeated is then sent again (RFC 9110, 9.2.2), on a fresh connection.

use reqwest::Method;
use std::error::Error as StdError;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tower_layer::Layer;
use tower_service::Service;

tokio::task_local! {
    /// Set when the request of this task got a connection of its own.
    static CONNECTED: Arc<AtomicBool>;
}

/// Runs a request; says whether it used a connection that had been open before.
pub(crate) async fn observe<T>(request: impl Future<Output = T>) -> (T, bool) {
    let connected = Arc::new(AtomicBool::new(false));
    let result = CONNECTED.scope(Arc::clone(&connected), request).await;
    (result, !connected.load(Ordering::Relaxed))
}

/// Notes for the request that waits for it that a connection was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionObserver;

impl<S> Layer<S> for ConnectionObserver {
    type Service = Observed<S>;

    fn layer(&self, connector: S) -> Observed<S> {
        Observed(connector)
    }
}

/// A connector that is observed.
#[derive(Debug, Clone)]
pub(crate) struct Observed<S>(S);

impl<S, R> Service<R> for Observed<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Response: 'static,
    S::Error: 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, target: R) -> Self::Future {
        let connecting = self.0.call(target);
        Box::pin(async move {
            let made = connecting.await;
            if made.is_ok() {
                // A connection that another request did not wait for is finished in a task of its own.
                let _outside = CONNECTED.try_with(|connected| connected.store(true, Ordering::Relaxed));
            }
            made
        })
    }
}

/// Sending it twice does what sending it once does (RFC 9110, 9.2.2).
pub(crate) fn is_idempotent(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::OPTIONS, Method::TRACE, Method::PUT, Method::DELETE].contains(method)
}

/// The connection ended before there was an answer, rather than that the answer was wrong or late.
pub(crate) fn ended_before_answer(error: &reqwest::Error) -> bool {
    if !error.is_request() || error.is_connect() || error.is_timeout() {
        return false;
    }
    let mut source = error.source();
    while let Some(inner) = source {
        if inner.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
            return false;
        }
        source = inner.source();
    }
    true
}
