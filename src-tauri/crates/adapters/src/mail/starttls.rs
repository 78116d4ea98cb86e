//! The few lines before a connection is encrypted on demand. Nothing the server says before TLS is used after it.

use super::stream::{Endless, MailStream, is_endless};
use signalbox_ports::mail::{MailError, MailProtocol};
use std::io;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Lines of an answer that are read.
const MOST_LINES: usize = 200;

/// Reads the greeting and asks for TLS; afterwards the next byte is the handshake's.
pub(super) async fn ask(stream: &mut MailStream, protocol: MailProtocol, host: &str) -> Result<(), MailError> {
    let failed = |error: io::Error| match is_endless(&error) {
        true => MailError::BadAnswer { message: format!("{host} does not stop to answer") },
        false => MailError::Connection { message: format!("The connection to {host} ended before it was secure") },
    };
    match protocol {
        MailProtocol::Smtp => {
            let greeting = smtp_answer(stream).await.map_err(failed)?;
            refuse_unless(&greeting, "220", host)?;
            stream.write_all(b"EHLO [127.0.0.1]\r\n").await.map_err(failed)?;
            let abilities = smtp_answer(stream).await.map_err(failed)?;
            let offered =
                |line: &String| line.get(4..).is_some_and(|rest| rest.trim().eq_ignore_ascii_case("STARTTLS"));
            if !abilities.iter().any(offered) {
                return Err(not_offered(host));
            }
            stream.write_all(b"STARTTLS\r\n").await.map_err(failed)?;
            let answer = smtp_answer(stream).await.map_err(failed)?;
            refuse_unless(&answer, "220", host)
        }
        MailProtocol::Imap => {
            let greeting = line(stream).await.map_err(failed)?;
            if !greeting.to_ascii_uppercase().starts_with("* OK") {
                return Err(unavailable(host, &greeting));
            }
            stream.write_all(b"s1 STARTTLS\r\n").await.map_err(failed)?;
            for _ in 0..MOST_LINES {
                let answer = line(stream).await.map_err(failed)?;
                let Some(result) = answer.strip_prefix("s1 ") else { continue };
                let agreed = result.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("OK"));
                return if agreed { Ok(()) } else { Err(not_offered(host)) };
            }
            Err(MailError::BadAnswer { message: format!("{host} does not answer STARTTLS") })
        }
    }
}

fn not_offered(host: &str) -> MailError {
    MailError::Tls {
        message: format!(
            "{host} does not offer STARTTLS at this port, so the connection would not be encrypted. Use tls"
        ),
    }
}

fn unavailable(host: &str, said: &str) -> MailError {
    let said: String = said.chars().take(300).collect();
    MailError::Refused { code: None, message: format!("{host} takes no connections now: {said}"), temporary: true }
}

fn refuse_unless(answer: &[String], code: &str, host: &str) -> Result<(), MailError> {
    match answer.last() {
        Some(last) if last.starts_with(code) => Ok(()),
        Some(last) if last.starts_with('4') || last.starts_with('5') => Err(unavailable(host, last)),
        _ => Err(MailError::BadAnswer { message: format!("{host} does not speak SMTP at this port") }),
    }
}

/// One line. Byte by byte, so that nothing behind it is taken from what comes next.
async fn line(stream: &mut MailStream) -> io::Result<String> {
    let mut line = Vec::new();
    loop {
        match stream.read_u8().await? {
            b'\n' => break,
            byte => line.push(byte),
        }
    }
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}

/// All lines of an answer; `250-` goes on, `250 ` is the last.
async fn smtp_answer(stream: &mut MailStream) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    while lines.len() < MOST_LINES {
        let next = line(stream).await?;
        let goes_on = next.as_bytes().get(3) == Some(&b'-');
        lines.push(next);
        if !goes_on {
            return Ok(lines);
        }
    }
    Err(io::Error::other(Endless))
}
