//! Streams of Redis and Valkey over RESP 2. A consumer group gives each entry to one consumer and keeps it until it is
//! acknowledged.

use super::connect::{Connection, Login, Opened, bad_answer, line, lost, within};
use signalbox_ports::brokers::{BrokerError, BrokerFault, MessageWatch, Messages, OutgoingMessage, ReceivedMessage};
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Bytes of one answer.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Elements of one list.
const MOST_ELEMENTS: usize = 1_000_000;
/// Lists in lists.
const DEEPEST: usize = 8;
/// The field that has the content of a message.
const BODY: &[u8] = b"body";

#[derive(Debug, PartialEq)]
enum Reply {
    Text(String),
    Number(i64),
    Bytes(Vec<u8>),
    Nil,
    List(Vec<Reply>),
}

fn refusal(text: &str) -> BrokerError {
    let code = text.split(' ').next().unwrap_or_default();
    let shown: String = text.chars().take(300).collect();
    let (fault, words) = match code {
        "NOAUTH" => (BrokerFault::Auth, "The broker asks for a password. Choose a credential".to_owned()),
        "WRONGPASS" => (BrokerFault::Auth, "The broker does not accept the user and the password".to_owned()),
        "NOPERM" => (BrokerFault::Forbidden, format!("The user may not do this: {shown}")),
        "WRONGTYPE" => {
            (BrokerFault::Invalid("topic"), "There is another kind of value under this name, no stream".into())
        }
        "LOADING" | "MASTERDOWN" | "CLUSTERDOWN" | "TRYAGAIN" | "BUSY" => {
            (BrokerFault::Connection, format!("The broker cannot answer now: {shown}"))
        }
        "MOVED" | "ASK" => {
            (BrokerFault::Refused, "The stream is on another node of the cluster. Name that node as the host".into())
        }
        _ => (BrokerFault::Refused, format!("The broker refuses it: {shown}")),
    };
    BrokerError::new(fault, words)
}

struct Client {
    stream: Connection,
    /// The last answer was an error: nothing was done.
    refused: bool,
}

impl Client {
    /// Sends one command; an error of the broker is an error.
    async fn ask(&mut self, arguments: &[&[u8]]) -> Result<Reply, BrokerError> {
        let mut command = format!("*{}\r\n", arguments.len()).into_bytes();
        for argument in arguments {
            command.extend(format!("${}\r\n", argument.len()).bytes());
            command.extend_from_slice(argument);
            command.extend(b"\r\n");
        }
        self.stream.write_all(&command).await.map_err(|error| lost(&error))?;
        self.stream.flush().await.map_err(|error| lost(&error))?;
        let mut left = MOST_BYTES;
        self.refused = false;
        self.reply(0, &mut left).await
    }

    fn reply<'a>(
        &'a mut self,
        depth: usize,
        left: &'a mut usize,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, BrokerError>> + Send + 'a>> {
        Box::pin(async move {
            let line = line(&mut self.stream).await?;
            let (kind, rest) = line.split_at_checked(1).ok_or_else(|| bad_answer("a line is empty"))?;
            let number = || rest.parse::<i64>().map_err(|_| bad_answer("a length is no number"));
            match kind {
                "+" => Ok(Reply::Text(rest.to_owned())),
                "-" => {
                    self.refused = true;
                    Err(refusal(rest))
                }
                ":" => number().map(Reply::Number),
                "$" | "*" if number()? < 0 => Ok(Reply::Nil),
                "$" => {
                    let length = usize::try_from(number()?).unwrap_or(usize::MAX);
                    *left = left.checked_sub(length.saturating_add(2)).ok_or_else(too_large)?;
                    let mut bytes = vec![0; length + 2];
                    self.stream.read_exact(&mut bytes).await.map_err(|error| lost(&error))?;
                    bytes.truncate(length);
                    Ok(Reply::Bytes(bytes))
                }
                "*" => {
                    let length = usize::try_from(number()?).unwrap_or(usize::MAX);
                    if length > MOST_ELEMENTS || depth >= DEEPEST {
                        return Err(bad_answer("a list is too long or too deep"));
                    }
                    let mut list = Vec::new();
                    for _ in 0..length {
                        list.push(self.reply(depth + 1, left).await?);
                    }
                    Ok(Reply::List(list))
                }
                _ => Err(bad_answer("it speaks no RESP; check host and port")),
            }
        })
    }

    async fn sign_in(&mut self, login: &Login) -> Result<(), BrokerError> {
        let Some(password) = &login.password else { return Ok(()) };
        let done = match &login.user {
            Some(user) => self.ask(&[b"AUTH", user.as_bytes(), password.as_bytes()]).await,
            None => self.ask(&[b"AUTH", password.as_bytes()]).await,
        };
        done.map(|_| ()).map_err(|error| {
            // It asks for none, or knows no users.
            let is_refused = error.fault == BrokerFault::Refused;
            BrokerError { fault: if is_refused { BrokerFault::Auth } else { error.fault }, ..error }
        })
    }
}

/// Signs in, and asks for an answer: who gives no password learns here that one is wanted.
pub(super) async fn check(opened: Opened) -> Result<(), BrokerError> {
    let mut client = Client { stream: opened.stream, refused: false };
    client.sign_in(&opened.login).await?;
    client.ask(&[b"PING"]).await.map(drop)
}

fn too_large() -> BrokerError {
    BrokerError::new(BrokerFault::TooLarge, "The messages are larger than 64 MiB")
}

/// Gives the id of the entry.
pub(super) async fn publish(opened: Opened, message: &OutgoingMessage, sent: &mut bool) -> Result<String, BrokerError> {
    let mut client = Client { stream: opened.stream, refused: false };
    client.sign_in(&opened.login).await?;
    let keep = message.keep.map(|keep| keep.to_string());
    let mut command: Vec<&[u8]> = vec![b"XADD", message.topic.as_bytes()];
    if let Some(keep) = &keep {
        command.extend([&b"MAXLEN"[..], b"~", keep.as_bytes()]);
    }
    command.extend([&b"*"[..], BODY, &message.body]);
    if let Some(media) = &message.media {
        command.extend([&b"contentType"[..], media.as_bytes()]);
    }
    for (name, value) in &message.headers {
        command.extend([name.as_bytes(), value.as_bytes()]);
    }
    *sent = true;
    let done = client.ask(&command).await;
    *sent = !client.refused;
    match done? {
        Reply::Bytes(id) => String::from_utf8(id).map_err(|_| bad_answer("an id is no text")),
        _ => Err(bad_answer("it gives no id")),
    }
}

pub(super) async fn watch(opened: Opened, watch: &MessageWatch, timeout: Duration) -> Result<Messages, BrokerError> {
    let mut client = Client { stream: opened.stream, refused: false };
    let (topic, group) = (watch.topic.as_bytes(), watch.group.as_bytes());
    let begin = async {
        client.sign_in(&opened.login).await?;
        let from: &[u8] = if watch.existing { b"0" } else { b"$" };
        match client.ask(&[b"XGROUP", b"CREATE", topic, group, from, b"MKSTREAM"]).await {
            Err(error) if !error.message.contains("BUSYGROUP") => return Err(error),
            _ => {}
        }
        acknowledge(&mut client, watch, &watch.settled).await?;
        let pending = client.ask(&read(watch, &[b"STREAMS", topic, b"0"], &watch.most.to_string())).await?;
        entries(pending, &watch.topic, true)
    };
    let (mut found, gone) = within(timeout, begin).await?;
    // Entries that the stream has dropped since: nobody can read them any more.
    within(timeout, acknowledge(&mut client, watch, &gone)).await?;
    if found.is_empty() {
        // Zero would mean for ever.
        let wait = watch.patience.as_millis().max(1).to_string();
        let most = watch.most.to_string();
        let command = read(watch, &[b"BLOCK", wait.as_bytes(), b"STREAMS", topic, b">"], &most);
        let reply = within(watch.patience.saturating_add(timeout), client.ask(&command)).await?;
        found = entries(reply, &watch.topic, false)?.0;
    }
    Ok(Messages { messages: found, acknowledged: watch.settled.clone() })
}

fn read<'a>(watch: &'a MessageWatch, rest: &[&'a [u8]], most: &'a str) -> Vec<&'a [u8]> {
    let mut command: Vec<&[u8]> = vec![b"XREADGROUP", b"GROUP", watch.group.as_bytes(), watch.consumer.as_bytes()];
    command.extend([&b"COUNT"[..], most.as_bytes()]);
    command.extend_from_slice(rest);
    command
}

async fn acknowledge(client: &mut Client, watch: &MessageWatch, ids: &[String]) -> Result<(), BrokerError> {
    for ids in ids.chunks(1_000) {
        let mut command: Vec<&[u8]> = vec![b"XACK", watch.topic.as_bytes(), watch.group.as_bytes()];
        command.extend(ids.iter().map(String::as_bytes));
        client.ask(&command).await?;
    }
    Ok(())
}

/// The entries of one stream, and the ids of those that are not there any more.
fn entries(reply: Reply, topic: &str, redelivered: bool) -> Result<(Vec<ReceivedMessage>, Vec<String>), BrokerError> {
    let wrong = || bad_answer("its entries look otherwise");
    let streams = match reply {
        Reply::Nil => return Ok((Vec::new(), Vec::new())),
        Reply::List(streams) => streams,
        _ => return Err(wrong()),
    };
    let (mut found, mut gone) = (Vec::new(), Vec::new());
    for stream in streams {
        let Reply::List(stream) = stream else { return Err(wrong()) };
        let Some(Reply::List(entries)) = stream.into_iter().nth(1) else { return Err(wrong()) };
        for entry in entries {
            let Reply::List(entry) = entry else { return Err(wrong()) };
            let mut entry = entry.into_iter();
            let Some(Reply::Bytes(id)) = entry.next() else { return Err(wrong()) };
            let id = String::from_utf8(id).map_err(|_| wrong())?;
            let fields = match entry.next() {
                Some(Reply::List(fields)) => fields,
                Some(Reply::Nil) => {
                    gone.push(id);
                    continue;
                }
                _ => return Err(wrong()),
            };
            let (mut body, mut headers, mut fields) = (None, Vec::new(), fields.into_iter());
            while let (Some(Reply::Bytes(name)), Some(Reply::Bytes(value))) = (fields.next(), fields.next()) {
                if name == BODY && body.is_none() {
                    body = Some(value);
                } else {
                    headers.push((String::from_utf8_lossy(&name).into_owned(), value));
                }
            }
            found.push(ReceivedMessage {
                key: Some(id.clone()),
                id,
                topic: topic.to_owned(),
                body,
                headers,
                redelivered,
            });
        }
    }
    Ok((found, gone))
}
