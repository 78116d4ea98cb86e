//! The filter with servers whose bytes come in pieces of any length.

use super::{AHEAD, BLOCK, BlockReader, RowBlocks, RowFilter};
use futures_util::FutureExt as _;
use futures_util::stream::{self, Stream};
use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, ReadBuf};

/// Gives one piece for each read; `None` means that nothing has come yet. It is asked once more when there were rows to hand over.
struct Pieces(VecDeque<Option<Vec<u8>>>);

impl AsyncRead for Pieces {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.0.pop_front() {
            None => Poll::Ready(Ok(())),
            Some(None) => Poll::Pending,
            Some(Some(mut piece)) => {
                let rest = piece.split_off(piece.len().min(buf.remaining()));
                buf.put_slice(&piece);
                if !rest.is_empty() {
                    self.0.push_front(Some(rest));
                }
                Poll::Ready(Ok(()))
            }
        }
    }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).expect("short").to_be_bytes();
    [&[tag], length.as_slice(), body].concat()
}

fn filter(pieces: impl IntoIterator<Item = Option<Vec<u8>>>) -> (RowFilter<Pieces>, RowBlocks) {
    let blocks = RowBlocks::default();
    (RowFilter::new(Pieces(pieces.into_iter().collect()), blocks.clone()), blocks)
}

/// What the driver reads next with room for so many bytes; nothing when it waits.
fn read(filter: &mut RowFilter<Pieces>, room: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; room];
    let mut buf = ReadBuf::new(&mut bytes);
    match Pin::new(filter).poll_read(&mut Context::from_waker(Waker::noop()), &mut buf) {
        Poll::Ready(done) => {
            done.expect("read");
            Some(buf.filled().to_vec())
        }
        Poll::Pending => None,
    }
}

/// The next block; nothing when the statement waits for one.
fn block<S: Stream<Item = Result<(), &'static str>>>(reader: &mut BlockReader, rest: S) -> Option<Vec<u8>> {
    let mut rest = std::pin::pin!(rest);
    let found = reader.next(rest.as_mut()).now_or_never()?;
    Some(found.map_or_else(Vec::new, |block| block.expect("no failure").to_vec()))
}

#[test]
fn rows_go_to_the_statement_and_the_rest_to_the_driver_however_the_bytes_are_cut() {
    let rows = [message(b'D', b"one"), message(b'D', b""), message(b'D', &[b'x'; 300])].concat();
    let (before, after) = (message(b'2', b""), [message(b'C', b"SELECT 3\0"), message(b'Z', b"T")].concat());
    let notice = message(b'N', b"SWARNING\0\0");
    let all = [before.clone(), rows.clone(), notice.clone(), rows.clone(), after.clone()].concat();
    for length in [1, 2, 3, 4, 5, 6, 7, 100, 1_000, 100_000] {
        for room in [1, 5, 8_192] {
            let (mut filter, blocks) = filter(all.chunks(length).map(|piece| Some(piece.to_vec())));
            let mut reader = blocks.open();
            let (mut driver, mut statement) = (Vec::new(), Vec::new());
            loop {
                let mut came = false;
                match read(&mut filter, room) {
                    Some(bytes) if bytes.is_empty() => break,
                    Some(bytes) => driver.extend(bytes),
                    None => came = true,
                }
                while let Some(bytes) = block(&mut reader, stream::pending()) {
                    assert!(bytes.starts_with(b"D"), "whole rows");
                    statement.extend(bytes);
                    came = false;
                }
                assert!(!came, "nobody waits for the other");
            }
            assert_eq!(driver, [before.clone(), notice.clone(), after.clone()].concat(), "{length} {room}");
            assert_eq!(statement, [rows.clone(), rows.clone()].concat(), "{length} {room}");
        }
    }
}

#[test]
fn rows_that_came_are_handed_over_before_more_is_waited_for_and_before_the_end() {
    let row = message(b'D', b"one");
    let (mut filter, blocks) =
        filter([Some(row.clone()), None, None, Some([row.clone(), message(b'C', b"")].concat()), None]);
    let mut reader = blocks.open();
    assert_eq!(read(&mut filter, 100), None);
    assert_eq!(block(&mut reader, stream::pending()), Some(row.clone()));
    assert_eq!(block(&mut reader, stream::pending()), None);
    assert_eq!(read(&mut filter, 100), Some(message(b'C', b"")));
    // The driver says that the statement has ended: what came before is not lost.
    assert_eq!(block(&mut reader, stream::empty()), Some(row));
    assert_eq!(block(&mut reader, stream::empty()), Some(Vec::new()));
}

#[test]
fn a_statement_that_takes_no_rows_stops_the_reading_until_it_does() {
    let row = message(b'D', &b"x".repeat(BLOCK / 4));
    let count = 4 * (AHEAD + 8);
    let (mut filter, blocks) = filter([Some(row.repeat(count)), Some(message(b'C', b""))]);
    let mut reader = blocks.open();
    assert_eq!(read(&mut filter, 100), None);
    let unread: usize = filter.stream.0.iter().flatten().map(Vec::len).sum();
    assert!(unread > row.len() * 4 * 4, "{unread} bytes are left at the server");
    let mut length = 0;
    loop {
        while let Some(bytes) = block(&mut reader, stream::pending()) {
            assert!(bytes.len() < 2 * BLOCK);
            length += bytes.len();
        }
        if read(&mut filter, 100).is_some() {
            break;
        }
    }
    while let Some(bytes) = block(&mut reader, stream::pending()) {
        length += bytes.len();
    }
    assert_eq!(length, row.len() * count);
}

#[test]
fn without_a_statement_rows_are_the_drivers_and_a_dropped_one_blocks_nobody() {
    let (row, end) = (message(b'D', &[b'x'; 50]), message(b'C', b""));
    let all = [row.clone(), end.clone()].concat();
    let (mut plain, _blocks) = filter([Some(all.clone())]);
    assert_eq!(read(&mut plain, 1_000), Some(all));
    // Dropped in the middle of a row: it is gone, and the driver gets what comes behind it.
    let rows = row.repeat(2 * BLOCK / row.len());
    let (first, second) = row.split_at(20);
    let behind = [second, rows.as_slice(), end.as_slice()].concat();
    let (mut filter, blocks) = filter([Some(first.to_vec()), None, Some(behind)]);
    let reader = blocks.open();
    assert_eq!(read(&mut filter, 1_000), None);
    drop(reader);
    let mut driver = Vec::new();
    while let Some(bytes) = read(&mut filter, 8_192).filter(|bytes| !bytes.is_empty()) {
        driver.extend(bytes);
    }
    assert_eq!(driver, [rows, end].concat());
    assert!(blocks.queue().blocks.is_empty());
}

#[test]
fn a_failure_of_the_driver_comes_after_the_rows() {
    let row = message(b'D', b"one");
    let (mut filter, blocks) = filter([Some(row.clone()), None, None]);
    let mut reader = blocks.open();
    assert_eq!(read(&mut filter, 100), None);
    let mut rest = std::pin::pin!(stream::iter([Err::<(), _>("division by zero")]));
    let first = reader.next(rest.as_mut()).now_or_never().expect("a block").map(|block| block.map(<[u8]>::to_vec));
    assert_eq!(first, Some(Ok(row)));
    let second = reader.next(rest.as_mut()).now_or_never().expect("an end").map(|block| block.map(<[u8]>::to_vec));
    assert_eq!(second, Some(Err("division by zero")));
}
