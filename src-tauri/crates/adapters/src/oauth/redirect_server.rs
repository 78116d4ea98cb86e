//! Where a person's browser is sent back to: one page on a free port of 127.0.0.1, open only while somebody signs in. It
//! answers its own Host alone, takes the one request that has the state of this sign-in, and says how it went; anything else
//! gets a refusal and changes nothing. The page is plain text and leads nowhere.

use super::CallbackParams;
use signalbox_ports::Secret;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use url::Url;

/// The usual path, and the only one. A client that was registered by hand, or by a document, names it; ports of this machine are free (RFC 8252).
const PATH: &str = "/callback";
/// Longest head of a request.
const LONGEST: usize = 32 * 1024;
/// For one request to be whole, and for its answer to leave.
const WAIT: Duration = Duration::from_secs(5);

/// Where a browser is sent back to on this machine, as it was registered with a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectPlace {
    /// `127.0.0.1` or `localhost`.
    host: &'static str,
    /// A free port when it is absent.
    port: Option<u16>,
    path: String,
}

impl Default for RedirectPlace {
    fn default() -> Self {
        Self { host: "127.0.0.1", port: None, path: PATH.to_owned() }
    }
}

impl RedirectPlace {
    /// Reads an address; the error says what is wrong, without a full stop.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            let shown: String = text.chars().take(200).collect();
            format!(
                "The redirect address '{shown}' is none of this machine; write one like http://localhost:8400/callback"
            )
        };
        let url =
            Url::parse(text).ok().filter(|url| url.scheme() == "http" && url.query().is_none()).ok_or_else(wrong)?;
        let host = match url.host_str() {
            Some("localhost") => "localhost",
            Some("127.0.0.1") => "127.0.0.1",
            _ => return Err(wrong()),
        };
        if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err(wrong());
        }
        // Services compare the address by its letters: a slash that was not registered is not added.
        let bare = url.path() == "/" && !text.trim_end().ends_with('/');
        Ok(Self { host, port: url.port(), path: if bare { String::new() } else { url.path().to_owned() } })
    }
}

/// A page that waits.
pub struct RedirectServer {
    listener: TcpListener,
    host: String,
    path: String,
}

/// A browser that has arrived; it is told how it went.
pub struct RedirectVisit {
    stream: TcpStream,
    /// What the browser sent.
    pub params: CallbackParams,
}

impl RedirectServer {
    /// At a place of this machine.
    pub async fn open(place: &RedirectPlace) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, place.port.unwrap_or(0)))).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, host: format!("{}:{port}", place.host), path: place.path.clone() })
    }

    /// The address that the browser is sent back to.
    pub fn address(&self) -> String {
        format!("http://{}{}", self.host, self.path)
    }

    /// Waits for the browser of the sign-in with this state. Dropping the future closes the page.
    pub async fn arrival(&self, state: &Secret) -> RedirectVisit {
        let mut open = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept() => {
                    // More at once are no browser.
                    match accepted {
                        Ok((stream, _)) if open.len() < 32 => {
                            open.spawn(read(stream, self.host.clone(), self.path.clone()));
                        }
                        Ok(_) => {}
                        // No handle is free, perhaps: not asked for in a tight loop.
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    }
                }
                Some(done) = open.join_next() => {
                    let Ok(Some((stream, asked))) = done else { continue };
                    match asked {
                        Asked::Back(params) if params.is_for(state) => return RedirectVisit { stream, params },
                        Asked::Back(_) => drop(answer(stream, 400, "This belongs to no sign-in that waits here.").await),
                        Asked::Otherwise(status) => drop(answer(stream, status, "There is nothing here.").await),
                    }
                }
            }
        }
    }
}

impl RedirectVisit {
    /// Takes what the browser sent.
    pub fn take(&mut self) -> CallbackParams {
        std::mem::take(&mut self.params)
    }

    /// Tells the person.
    pub async fn tell(self, good: bool) {
        let words = if good {
            "You are signed in. You can close this page and go back to Signalbox."
        } else {
            "The sign-in failed. Signalbox shows why; you can close this page."
        };
        drop(answer(self.stream, 200, words).await);
    }
}

enum Asked {
    Back(CallbackParams),
    Otherwise(u16),
}

async fn read(mut stream: TcpStream, host: String, path: String) -> Option<(TcpStream, Asked)> {
    let head = timeout(WAIT, head(&mut stream)).await.ok()??;
    let asked = asked(&head, &host, &path);
    Some((stream, asked))
}

/// The head of a request, up to its empty line.
async fn head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = zeroize::Zeroizing::new(Vec::new());
    let mut part = [0; 4096];
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        let read = stream.read(&mut part).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&part[..read]);
        if bytes.len() > LONGEST {
            return None;
        }
    }
    String::from_utf8(bytes.to_vec()).ok()
}

fn asked(head: &str, own: &str, path: &str) -> Asked {
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut hosts = lines.filter_map(|line| line.split_once(':')).filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = hosts.next().map(|(_, value)| value.trim());
    // A name that leads here by another's DNS is not ours.
    if host != Some(own) || hosts.next().is_some() {
        return Asked::Otherwise(403);
    }
    if method != "GET" {
        return Asked::Otherwise(405);
    }
    match target.split_once('?') {
        Some((asked, query)) if asked == path || (path.is_empty() && asked == "/") => {
            Asked::Back(CallbackParams::of_query(query))
        }
        _ => Asked::Otherwise(404),
    }
}

async fn answer(mut stream: TcpStream, status: u16, words: &str) -> std::io::Result<()> {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        405 => "Method Not Allowed",
        _ => "Not Found",
    };
    let text = format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         referrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\ncontent-security-policy: default-src 'none'\r\n\
         connection: close\r\n\r\n{words}",
        words.len()
    );
    let sent = async {
        stream.write_all(text.as_bytes()).await?;
        stream.shutdown().await
    };
    timeout(WAIT, sent).await.unwrap_or(Ok(()))
}
