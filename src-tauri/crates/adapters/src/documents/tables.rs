//! Files of tables (Parquet, Arrow) in a separate process, which asks for pieces of the file and gives rows while it reads: neither
//! side has the whole file, and a file of any size takes the memory of a part of it.

use super::{Refusal, Request, TABLE, crashed, ended, line};
use signalbox_columnar::{FileRanges, ReadOptions};
use signalbox_ports::{DocumentFailure, FilePieces, TableCall, TableRows};
use std::io::{self, Read, Write};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

/// The process wants bytes of the file: their place, and how many.
const ASK: u8 = 1;
/// Rows follow: how many bytes, and how many rows.
const ROWS: u8 = 2;
/// The last message: what the file says about itself follows, so many bytes.
const DONE: u8 = 3;
/// The last message: an error follows, so many bytes.
const FAILED: u8 = 4;
/// A kind and two numbers.
const HEAD: usize = 17;
/// Bytes of the file that are asked for at once.
const LARGEST_PIECE: u64 = 8 * 1024 * 1024;
/// Bytes of one message of rows: the largest row and what came before it.
const LARGEST_ROWS: u64 = 80 * 1024 * 1024;
/// Bytes of the last message: a file of ten thousand columns has a long description.
const LARGEST_END: u64 = 256 * 1024 * 1024;

fn head(kind: u8, first: u64, second: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[0] = kind;
    head[1..9].copy_from_slice(&first.to_le_bytes());
    head[9..].copy_from_slice(&second.to_le_bytes());
    head
}

fn numbers(head: &[u8; HEAD]) -> (u64, u64) {
    let number = |at: usize| head[at..at + 8].try_into().map_or(0, u64::from_le_bytes);
    (number(1), number(9))
}

/// Reads a file with a process. Dropping the future ends it.
pub(super) async fn ask(
    mut child: Child,
    call: TableCall,
    file: &mut dyn FilePieces,
    rows: &mut dyn TableRows,
) -> Result<String, DocumentFailure> {
    let (Some(mut stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(crashed("The process that reads documents has no pipes".into()));
    };
    let size = file.size();
    let request = Request {
        document: TABLE.to_owned(),
        options: call.options,
        size,
        data_size: 0,
        memory_mb: call.memory_mb,
        seconds: call.timeout.as_secs().saturating_add(1),
    };
    stdin.write_all(&line(&request)).await.map_err(|_| ended())?;
    stdin.flush().await.map_err(|_| ended())?;
    loop {
        let mut head = [0; HEAD];
        stdout.read_exact(&mut head).await.map_err(|_| ended())?;
        let (first, second) = numbers(&head);
        match head[0] {
            ASK => {
                let is_inside = first.checked_add(second).is_some_and(|end| end <= size);
                let length = usize::try_from(second).ok().filter(|_| is_inside && second <= LARGEST_PIECE);
                let length = length.ok_or_else(ended)?;
                let bytes = file.piece(first, length).await.map_err(|_| DocumentFailure::Stopped)?;
                if bytes.len() != length {
                    return Err(DocumentFailure::Stopped);
                }
                stdin.write_all(&bytes).await.map_err(|_| ended())?;
                stdin.flush().await.map_err(|_| ended())?;
            }
            ROWS => {
                let text = text(&mut stdout, first, LARGEST_ROWS).await?;
                rows.rows(&text).map_err(|_| DocumentFailure::Stopped)?;
            }
            DONE => return text(&mut stdout, first, LARGEST_END).await,
            FAILED => {
                let text = text(&mut stdout, first, LARGEST_END).await?;
                let Refusal { code, message, details } = serde_json::from_str(&text).map_err(|_| ended())?;
                return Err(DocumentFailure::Refused { code, message, details });
            }
            _ => return Err(ended()),
        }
    }
}

async fn text(from: &mut (impl AsyncReadExt + Unpin), length: u64, most: u64) -> Result<String, DocumentFailure> {
    let length = usize::try_from(length).ok().filter(|_| length <= most).ok_or_else(ended)?;
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await.map_err(|_| ended())?;
    String::from_utf8(bytes).map_err(|_| ended())
}

/// The file at the other end of the pipes.
struct Piped {
    size: u64,
}

impl FileRanges for Piped {
    fn size(&self) -> u64 {
        self.size
    }

    fn read(&mut self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut output = io::stdout().lock();
        output.write_all(&head(ASK, at, length as u64))?;
        output.flush()?;
        drop(output);
        let mut bytes = vec![0; length];
        io::stdin().lock().read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// Answers a request for a file of a table.
pub(super) fn answer(request: &Request) -> io::Result<()> {
    let send = |kind: u8, text: &str, count: u64| {
        let mut output = io::stdout().lock();
        output.write_all(&head(kind, text.len() as u64, count))?;
        output.write_all(text.as_bytes())?;
        output.flush()
    };
    let mut rows = |lines: &str, count: u64| {
        // Nobody takes them any more: the process ends when its next message has nowhere to go.
        send(ROWS, lines, count).map_err(|error| signalbox_documents::Error::new("IO", error.to_string()))
    };
    let file = Box::new(Piped { size: request.size });
    match signalbox_columnar::read(file, &ReadOptions::of(&request.options), &mut rows) {
        Ok(about) => send(DONE, &about, 0),
        Err(signalbox_documents::Error { code, message, details }) => {
            let refusal = serde_json::to_string(&Refusal { code, message, details }).unwrap_or_default();
            send(FAILED, &refusal, 0)
        }
    }
}

#[cfg(test)]
mod tests;
