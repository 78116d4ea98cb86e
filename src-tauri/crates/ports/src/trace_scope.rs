//! The place in a trace that goes out with what a call sends to other programs. It belongs to the future that carries the call
//! out, and is made only when something is sent.

use signalbox_model::trace_context::TraceContext;
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Makes the context when something is sent; nothing while no spans are sent.
pub type TraceSource = Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>;

thread_local! {
    static CURRENT: RefCell<Option<TraceSource>> = const { RefCell::new(None) };
}

/// A future whose requests to other programs belong to a trace. What it spawns does not.
pub struct Traced<T> {
    source: TraceSource,
    inner: Pin<Box<dyn Future<Output = T> + Send>>,
}

/// [`Traced`].
pub fn traced<T>(source: TraceSource, inner: Pin<Box<dyn Future<Output = T> + Send>>) -> Traced<T> {
    Traced { source, inner }
}

/// Puts back what was there before, also when the future panics.
struct Restore(Option<TraceSource>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl<T> Future for Traced<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let _restore = Restore(CURRENT.replace(Some(Arc::clone(&self.source))));
        self.inner.as_mut().poll(cx)
    }
}

/// What goes along with a request that the present future sends.
pub fn outgoing() -> Option<TraceContext> {
    let source = CURRENT.with_borrow(Clone::clone)?;
    source()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    #[test]
    fn a_context_is_there_while_its_future_runs_and_no_longer() {
        let made = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", None);
        let (inner, given) = (made.clone(), made.clone());
        let mut future = traced(Arc::new(move || given.clone()), Box::pin(async move { outgoing() == inner }));
        assert_eq!(outgoing(), None);
        let ended = Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!((ended, outgoing()), (Poll::Ready(true), None));
    }
}
