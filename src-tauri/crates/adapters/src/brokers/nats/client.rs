//! The protocol of NATS: lines with headers and content behind them, requests with answers, and what JetStream is asked.

use super::super::connect::{Connection, Opened, bad_answer, line, lost};
use serde_json::{Value, json};
use signalbox_ports::brokers::{BrokerError, BrokerFault};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Largest message that is read.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// What is answered to this program.
const INBOX: &str = "_INBOX.signalbox";

/// What the server says first: how much it takes.
pub(super) struct Greeting {
    pub(super) max_payload: usize,
    pub(super) has_headers: bool,
}

impl Greeting {
    fn read(line: &str) -> Result<(Self, Value), BrokerError> {
        let other = || bad_answer("it speaks no NATS; check host and port");
        let json = line.strip_prefix("INFO ").ok_or_else(other)?;
        let info: Value = serde_json::from_str(json.trim()).map_err(|_| other())?;
        let max_payload = info["max_payload"].as_u64().and_then(|most| usize::try_from(most).ok());
        let greeting = Self { max_payload: max_payload.unwrap_or(1024 * 1024), has_headers: info["headers"] == true };
        Ok((greeting, info))
    }
}

/// The greeting of a server that encrypts, or not, as it is wanted.
pub(in super::super) fn checked_greeting(line: String, tls: bool) -> Result<String, BrokerError> {
    let (_, info) = Greeting::read(&line)?;
    let offers = info["tls_required"] == true || info["tls_available"] == true;
    let fault = |words: &str| Err(BrokerError::new(BrokerFault::Tls, words));
    match tls {
        true if !offers => fault("The broker offers no encryption. Set it up there, or switch TLS off"),
        false if info["tls_required"] == true => fault("The broker takes encrypted connections only. Switch TLS on"),
        _ => Ok(line),
    }
}

/// A message of the server.
pub(super) struct Delivered {
    pub(super) subject: String,
    pub(super) reply: Option<String>,
    /// Status of an answer of the server itself, such as 404.
    pub(super) status: Option<(u16, String)>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

fn refusal(text: &str) -> BrokerError {
    let text = text.trim().trim_matches('\'');
    let shown: String = text.chars().take(300).collect();
    let lower = text.to_ascii_lowercase();
    let (fault, words) = if lower.contains("authorization violation") || lower.contains("authentication") {
        (BrokerFault::Auth, "The broker does not accept the user and the password".to_owned())
    } else if lower.contains("permissions violation") {
        (BrokerFault::Forbidden, format!("The user may not do this: {shown}"))
    } else if lower.contains("maximum payload") {
        (BrokerFault::TooLarge, "The message is larger than the broker takes".to_owned())
    } else if lower.contains("invalid") && lower.contains("subject") {
        (BrokerFault::Invalid("topic"), "The broker does not accept the subject".to_owned())
    } else if lower.contains("maximum connections") || lower.contains("stale connection") {
        (BrokerFault::Connection, format!("The broker cannot answer now: {shown}"))
    } else {
        (BrokerFault::Refused, format!("The broker refuses it: {shown}"))
    };
    BrokerError::new(fault, words)
}

pub(super) struct Client {
    stream: Connection,
    pub(super) greeting: Greeting,
    /// The last answer was an error: nothing was done.
    pub(super) refused: bool,
    next: u32,
}

pub(super) enum Line {
    Message(Delivered),
    Pong,
}

impl Client {
    pub(super) async fn begin(opened: Opened) -> Result<Self, BrokerError> {
        let Opened { stream, login, greeting } = opened;
        let (greeting, _) = Greeting::read(&greeting)?;
        let mut client = Self { stream, greeting, refused: false, next: 0 };
        let mut hello = json!({
            "verbose": false, "pedantic": false, "tls_required": false, "lang": "rust", "version": env!("CARGO_PKG_VERSION"),
            "name": "signalbox", "protocol": 1, "echo": true, "headers": client.greeting.has_headers,
            "no_responders": client.greeting.has_headers,
        });
        match (&login.user, &login.password) {
            (Some(user), Some(password)) => {
                hello["user"] = user.as_str().into();
                hello["pass"] = password.as_str().into();
            }
            (None, Some(token)) => hello["auth_token"] = token.as_str().into(),
            (Some(user), None) => hello["user"] = user.as_str().into(),
            (None, None) => {}
        }
        client.write(format!("CONNECT {hello}\r\n").as_bytes()).await?;
        client.flush().await?;
        Ok(client)
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), BrokerError> {
        self.stream.write_all(bytes).await.map_err(|error| lost(&error))
    }

    /// Waits until the server has seen everything that was sent.
    pub(super) async fn flush(&mut self) -> Result<(), BrokerError> {
        self.write(b"PING\r\n").await?;
        self.stream.flush().await.map_err(|error| lost(&error))?;
        while !matches!(self.next_line().await?, Line::Pong) {}
        Ok(())
    }

    pub(super) async fn publish(
        &mut self,
        subject: &str,
        reply: Option<&str>,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<(), BrokerError> {
        let reply = reply.map(|reply| format!(" {reply}")).unwrap_or_default();
        let mut block = String::new();
        if !headers.is_empty() {
            block.push_str("NATS/1.0\r\n");
            headers.iter().for_each(|(name, value)| block.push_str(&format!("{name}: {value}\r\n")));
            block.push_str("\r\n");
        }
        let line = if block.is_empty() {
            format!("PUB {subject}{reply} {}\r\n", body.len())
        } else {
            format!("HPUB {subject}{reply} {} {}\r\n", block.len(), block.len() + body.len())
        };
        let whole = [line.as_bytes(), block.as_bytes(), body, b"\r\n"].concat();
        self.write(&whole).await?;
        self.stream.flush().await.map_err(|error| lost(&error))
    }

    pub(super) async fn next_line(&mut self) -> Result<Line, BrokerError> {
        loop {
            let line = line(&mut self.stream).await?;
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "PONG" => return Ok(Line::Pong),
                "PING" => {
                    self.write(b"PONG\r\n").await?;
                    self.stream.flush().await.map_err(|error| lost(&error))?;
                }
                "INFO" | "+OK" => {}
                "-ERR" => {
                    self.refused = true;
                    return Err(refusal(rest));
                }
                "MSG" | "HMSG" => return self.delivered(rest, word == "HMSG").await.map(Line::Message),
                _ => return Err(bad_answer("it speaks no NATS; check host and port")),
            }
        }
    }

    async fn delivered(&mut self, line: &str, has_headers: bool) -> Result<Delivered, BrokerError> {
        let wrong = || bad_answer("a message has another form");
        let parts: Vec<&str> = line.split_ascii_whitespace().collect();
        let sizes = if has_headers { 2 } else { 1 };
        let named = parts.len().checked_sub(sizes).filter(|named| (2..=3).contains(named)).ok_or_else(wrong)?;
        let size = |index: usize| parts[index].parse::<usize>().map_err(|_| wrong());
        let (head, total) = if has_headers { (size(named)?, size(named + 1)?) } else { (0, size(named)?) };
        if total > MOST_BYTES || head > total {
            return Err(BrokerError::new(BrokerFault::TooLarge, "A message is larger than 64 MiB"));
        }
        let mut bytes = vec![0; total + 2];
        self.stream.read_exact(&mut bytes).await.map_err(|error| lost(&error))?;
        bytes.truncate(total);
        let body = bytes.split_off(head);
        let (status, headers) = headers(&bytes);
        let reply = (named == 3).then(|| parts[2].to_owned());
        Ok(Delivered { subject: parts[0].to_owned(), reply, status, headers, body })
    }

    /// Asks the server for something, and gives its answer.
    pub(super) async fn ask(
        &mut self,
        subject: &str,
        body: &[u8],
        headers: &[(String, String)],
    ) -> Result<Delivered, BrokerError> {
        let (inbox, number) = self.subscribe().await?;
        self.write(format!("UNSUB {number} 1\r\n").as_bytes()).await?;
        self.publish(subject, Some(&inbox), headers, body).await?;
        loop {
            match self.next_line().await? {
                Line::Message(message) if message.subject == inbox => return Ok(message),
                Line::Message(_) | Line::Pong => {}
            }
        }
    }

    /// Subscribes to answers that come as messages; gives the subject, and the number to end it with.
    pub(super) async fn subscribe(&mut self) -> Result<(String, u32), BrokerError> {
        self.next += 1;
        let inbox = format!("{INBOX}.{}.{}", self.next, random());
        self.write(format!("SUB {inbox} {}\r\n", self.next).as_bytes()).await?;
        Ok((inbox, self.next))
    }

    /// Asks JetStream; an error that it names is an error.
    pub(super) async fn stream_api(&mut self, subject: &str, body: &Value) -> Result<Value, BrokerError> {
        let answer = self.ask(&format!("$JS.API.{subject}"), body.to_string().as_bytes(), &[]).await?;
        if answer.status.as_ref().is_some_and(|(status, _)| *status == 503) {
            let words = "The server has no JetStream, or the user may not use it. Switch it on: triggers read streams";
            return Err(BrokerError::new(BrokerFault::Refused, words));
        }
        let value: Value = serde_json::from_slice(&answer.body).map_err(|_| bad_answer("JetStream gives no JSON"))?;
        match value.get("error") {
            Some(error) => Err(stream_error(error)),
            None => Ok(value),
        }
    }
}

pub(super) fn stream_error(error: &Value) -> BrokerError {
    let said: String = error["description"].as_str().unwrap_or("no reason is given").chars().take(300).collect();
    let fault = if error["code"] == 503 { BrokerFault::Connection } else { BrokerFault::Refused };
    BrokerError::new(fault, format!("The stream refuses it: {said}"))
}

/// A name that nobody else has.
fn random() -> String {
    let mut bytes = [0; 12];
    // Without randomness the name of the connection's own counter still tells answers apart.
    let _filled = getrandom::fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Status of an answer, and headers.
type Head = (Option<(u16, String)>, Vec<(String, String)>);

/// Status and headers of a block.
pub(super) fn headers(block: &[u8]) -> Head {
    let text = String::from_utf8_lossy(block);
    let mut lines = text.split("\r\n");
    let first = lines.next().and_then(|line| line.strip_prefix("NATS/1.0")).unwrap_or_default().trim();
    let (code, words) = first.split_once(' ').unwrap_or((first, ""));
    let status = code.parse().ok().map(|code| (code, words.to_owned()));
    let pairs = lines.filter_map(|line| line.split_once(':'));
    (status, pairs.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect())
}
