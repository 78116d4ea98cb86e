//! A logger: messages of RFC 5424 over TLS with octet counting (RFC 5425). The protocol has no receipt; the end of the
//! connection is one, because a logger ends it when it has read everything. RFC 5425 asks it to send a
//! `close_notify`; one that does so after an empty connection must do so after a batch, otherwise it was cut off (ADR 188).

use super::connect::{Waiter, other, server_name, tcp, tls};
use super::remote::Place;
use signalbox_ports::{AuditLine, AuditSink, NotTaken};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio_rustls::TlsConnector;

/// "Log audit".
const FACILITY: u8 = 13;

pub(super) struct Syslog {
    place: Place,
    connector: TlsConnector,
    waiter: Waiter,
    sends_close_notify: bool,
}

/// How a logger ended a connection that was ended here.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// With `close_notify`, or without TLS.
    Closed,
    /// Without it, and without an error.
    Silent,
}

trait Pipe: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Pipe for T {}

/// A message with its length before it.
pub(super) fn frame(line: &AuditLine) -> String {
    let severity = match line.level.as_str() {
        "CRITICAL" => 2,
        "ERROR" => 3,
        "WARN" => 4,
        _ => 6,
    };
    // Names have at most 32 printable characters; the entry has the whole one.
    let event: String = line.event.chars().filter(char::is_ascii_graphic).take(32).collect();
    let event = if event.is_empty() { "-" } else { &event };
    let (priority, text) = (FACILITY * 8 + severity, line.line.trim_end_matches('\n'));
    let message = format!("<{priority}>1 {} - signalbox - {event} - {text}", line.timestamp);
    format!("{} {message}", message.len())
}

impl Syslog {
    pub(super) fn open(place: Place, threads: Handle) -> io::Result<Self> {
        let connector = TlsConnector::from(Arc::new(tls(&place)?));
        let mut sink = Self { waiter: Waiter::new(&place, threads), place, connector, sends_close_notify: false };
        // A logger that does not answer, or has a wrong certificate, is told before anything is read for it.
        let end = sink.waiter.wait(async { Ok(ended(sink.connect().await?).await.unwrap_or(End::Silent)) })?;
        sink.sends_close_notify = end == End::Closed;
        Ok(sink)
    }

    async fn connect(&self) -> io::Result<Box<dyn Pipe>> {
        let stream = tcp(&self.place).await?;
        if !self.place.encrypted() {
            return Ok(Box::new(stream));
        }
        Ok(Box::new(self.connector.connect(server_name(&self.place)?, stream).await?))
    }

    async fn add(&self, text: &str) -> io::Result<()> {
        let mut pipe = self.connect().await?;
        pipe.write_all(text.as_bytes()).await?;
        pipe.flush().await?;
        let end = ended(pipe)
            .await
            .map_err(|error| other(format!("it broke the connection off before it had read all: {error}")))?;
        if self.sends_close_notify && end == End::Silent {
            return Err(other("it ended the connection without close_notify, so it may not have read all"));
        }
        Ok(())
    }
}

/// Ends a connection and waits until the logger has ended it, too.
async fn ended(mut pipe: Box<dyn Pipe>) -> io::Result<End> {
    pipe.shutdown().await?;
    let mut rest = [0; 256];
    loop {
        match pipe.read(&mut rest).await {
            Ok(0) => return Ok(End::Closed),
            Ok(_) => {}
            // Not all loggers send it.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(End::Silent),
            Err(error) => return Err(error),
        }
    }
}

impl AuditSink for Syslog {
    fn last(&mut self, _upto: u64) -> io::Result<Option<String>> {
        Ok(None)
    }

    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        let text: String = lines.iter().map(frame).collect();
        Ok(self.waiter.wait(self.add(&text))?)
    }
}
