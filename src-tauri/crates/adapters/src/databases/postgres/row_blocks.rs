//! Rows of a statement, taken out of the connection before the driver sees them (ADR 218). The driver makes several allocations for
//! each row, and hands over what one read of 8 KiB gave. Here the statement gets blocks of many rows, as the bytes that came, and
//! every other message goes to the driver.

use futures_util::Stream;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that are read at once, and about as many as a block has.
const BLOCK: usize = 64 * 1024;
/// Blocks that wait for the statement; then no more is read, and the server waits.
const AHEAD: usize = 4;
/// The letter of a message with a row.
const DATA_ROW: u8 = b'D';
/// A message begins with a letter and the length of what comes after the letter.
const HEADER: usize = 5;

#[derive(Default)]
struct Queue {
    blocks: VecDeque<Vec<u8>>,
    /// Blocks that were read, to be filled again.
    spare: Vec<Vec<u8>>,
    /// A statement takes the rows. Otherwise the driver gets them.
    is_open: bool,
    statement: Option<Waker>,
    connection: Option<Waker>,
}

/// What a connection and its statement share.
#[derive(Clone, Default)]
pub(super) struct RowBlocks(Arc<Mutex<Queue>>);

impl RowBlocks {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the rows of the statement that is executed next, until the reader is dropped.
    pub(super) fn open(&self) -> BlockReader {
        let mut queue = self.queue();
        queue.blocks.clear();
        queue.is_open = true;
        drop(queue);
        BlockReader { blocks: self.clone(), read: Vec::new() }
    }
}

/// Reads the blocks of one statement.
pub(super) struct BlockReader {
    blocks: RowBlocks,
    read: Vec<u8>,
}

impl BlockReader {
    /// The next block of whole rows; `None` when the statement has ended. `rest` is the stream of the driver, which has all but the rows.
    pub(super) async fn next<T, E>(
        &mut self,
        mut rest: Pin<&mut impl Stream<Item = Result<T, E>>>,
    ) -> Option<Result<&[u8], E>> {
        let mut ended = None;
        let found = poll_fn(|context| {
            loop {
                {
                    let mut queue = self.blocks.queue();
                    if let Some(block) = queue.blocks.pop_front() {
                        queue.spare.push(std::mem::replace(&mut self.read, block));
                        if let Some(connection) = queue.connection.take() {
                            connection.wake();
                        }
                        return Poll::Ready(Some(Ok(())));
                    }
                    if let Some(ended) = ended.take() {
                        return Poll::Ready(ended);
                    }
                    queue.statement = Some(context.waker().clone());
                }
                // The end comes after the rows, which may have come since.
                match ready!(rest.as_mut().poll_next(context)) {
                    Some(Ok(_)) => {}
                    Some(Err(why)) => ended = Some(Some(Err(why))),
                    None => ended = Some(None),
                }
            }
        })
        .await;
        found.map(|block| block.map(|()| self.read.as_slice()))
    }
}

impl Drop for BlockReader {
    fn drop(&mut self) {
        let mut queue = self.blocks.queue();
        queue.is_open = false;
        queue.blocks.clear();
        queue.statement = None;
        if let Some(connection) = queue.connection.take() {
            connection.wake();
        }
    }
}

/// A connection whose rows go to the statement that takes them.
pub(super) struct RowFilter<S> {
    stream: S,
    blocks: RowBlocks,
    /// Room for what is read; what was not passed on yet is between `at` and `end`.
    input: Vec<u8>,
    at: usize,
    end: usize,
    /// Bytes of the present message that are still to come, and whether it is a row for the statement.
    left: usize,
    is_row: bool,
    /// Rows, the last one perhaps in part, and the length of those that are whole.
    block: Vec<u8>,
    whole: usize,
}

impl<S> RowFilter<S> {
    pub(super) fn new(stream: S, blocks: RowBlocks) -> Self {
        Self { stream, blocks, input: Vec::new(), at: 0, end: 0, left: 0, is_row: false, block: Vec::new(), whole: 0 }
    }

    pub(super) fn get_ref(&self) -> &S {
        &self.stream
    }

    /// Passes on what was read: rows into the block, the rest to the driver. Whether it takes more from the server to go on.
    fn pass_on(&mut self, buf: &mut ReadBuf<'_>, is_open: bool) -> bool {
        loop {
            let input = &self.input[self.at..self.end];
            if self.left == 0 {
                let Some((&[tag, a, b, c, d], _)) = input.split_first_chunk::<HEADER>() else { return true };
                // Without the letter. The driver says what is wrong with a length that is none.
                let length = usize::try_from(i32::from_be_bytes([a, b, c, d])).unwrap_or(0);
                self.left = 1 + length.max(HEADER - 1);
                self.is_row = tag == DATA_ROW && is_open;
            }
            let length = self.left.min(input.len());
            if length == 0 {
                return true;
            }
            if self.is_row {
                self.block.extend_from_slice(&input[..length]);
                self.at += length;
                self.left -= length;
                if self.left == 0 {
                    self.whole = self.block.len();
                    if self.whole >= BLOCK {
                        return false;
                    }
                }
            } else {
                // The rows before it come first.
                let length = length.min(buf.remaining());
                if self.whole > 0 || length == 0 {
                    return false;
                }
                buf.put_slice(&input[..length]);
                self.at += length;
                self.left -= length;
            }
        }
    }

    /// Gives the whole rows to the statement.
    fn hand_over(&mut self, queue: &mut Queue) {
        let mut next = queue.spare.pop().unwrap_or_default();
        next.clear();
        next.extend_from_slice(&self.block[self.whole..]);
        self.block.truncate(self.whole);
        self.whole = 0;
        let block = std::mem::replace(&mut self.block, next);
        if queue.is_open {
            queue.blocks.push_back(block);
            if let Some(statement) = queue.statement.take() {
                statement.wake();
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for RowFilter<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        loop {
            let is_open = {
                let blocks = this.blocks.clone();
                let mut queue = blocks.queue();
                if this.whole > 0 {
                    if queue.blocks.len() >= AHEAD {
                        queue.connection = Some(context.waker().clone());
                        return Poll::Pending;
                    }
                    this.hand_over(&mut queue);
                }
                queue.is_open
            };
            let wants_more = this.pass_on(buf, is_open);
            if buf.filled().len() > before || buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            if !wants_more {
                continue;
            }
            // Less than a header is left.
            this.input.copy_within(this.at..this.end, 0);
            (this.at, this.end) = (0, this.end - this.at);
            this.input.resize(HEADER + BLOCK, 0);
            let mut room = ReadBuf::new(&mut this.input[this.end..]);
            let polled = Pin::new(&mut this.stream).poll_read(context, &mut room);
            let come = room.filled().len();
            this.end += come;
            match polled {
                Poll::Ready(Ok(())) if come > 0 => {}
                // The end of the connection; the driver says what was missing.
                Poll::Ready(done) => return Poll::Ready(done),
                Poll::Pending if this.whole == 0 => return Poll::Pending,
                // What is there is handed over rather than kept until more comes, for which is asked again.
                Poll::Pending => {}
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RowFilter<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests;
