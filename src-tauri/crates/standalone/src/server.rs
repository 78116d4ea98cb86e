//! The server of a program: what its parts have routes for, on one port. Names in `Host` other than those that it is told are refused, so
//! that no web page reaches it through a name of its own.

use crate::args::Serve;
use crate::failure::Failure;
use crate::task_api::refused;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;

/// A port that is held, and the names that it answers to.
pub(crate) struct Web {
    listener: TcpListener,
    /// Where it is reached from this machine.
    pub(crate) address: SocketAddr,
    names: Vec<String>,
}

impl Web {
    /// Takes the port.
    pub(crate) async fn bind(given: &Serve, port: u16) -> Result<Self, Failure> {
        let ip = given.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let no_port = |error: std::io::Error| {
            let message = format!("Port {port} of {ip} cannot be used: {error}.");
            Failure::invalid("PORT_IN_USE", message, "Name another with --port; 0 takes a free one.")
        };
        let listener = TcpListener::bind((ip, port)).await.map_err(no_port)?;
        let mut address = listener.local_addr().map_err(no_port)?;
        if ip.is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        let port = address.port();
        let mut names = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), address.to_string()];
        names.extend(
            given
                .host
                .iter()
                .flat_map(|name| [name.to_ascii_lowercase(), format!("{}:{port}", name.to_ascii_lowercase())]),
        );
        Ok(Self { listener, address, names })
    }

    /// Serves until it is dropped.
    pub(crate) async fn serve(self, parts: Vec<Router>) -> Result<u8, Failure> {
        let names: Arc<[String]> = self.names.into();
        let app = parts.into_iter().fold(Router::new(), Router::merge);
        let app = app.layer(middleware::from_fn_with_state(names, require_host));
        let ended = axum::serve(self.listener, app.into_make_service_with_connect_info::<SocketAddr>()).await;
        ended.map(|()| crate::output::OK).map_err(|error| {
            Failure::invalid("SERVER_ENDED", format!("The server ended: {error}."), "Start the program again.")
        })
    }
}

/// Another name in `Host`, or a page of another origin.
async fn require_host(State(names): State<Arc<[String]>>, request: Request, next: Next) -> Response {
    if !is_own(&names, &request) {
        let hint = "Use the address that was printed; --host names another one.";
        let failure = Failure::invalid("BAD_HOST", "This address is not served.", hint);
        return refused(StatusCode::FORBIDDEN, &failure);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(header::HeaderValue::from_static(value));
    }
    response
}

/// Whether a request has a name of this server, and comes from no page of another origin.
fn is_own(names: &[String], request: &Request) -> bool {
    let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_ascii_lowercase);
    let host = text(header::HOST).or_else(|| request.uri().authority().map(ToString::to_string)).unwrap_or_default();
    let origin = text(header::ORIGIN).filter(|origin| !origin.is_empty());
    let is_same = |origin: String| origin.split_once("://").is_some_and(|(_, from)| from == host);
    names.contains(&host) && origin.is_none_or(is_same)
}
