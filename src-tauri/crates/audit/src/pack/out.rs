//! Where a zip goes. The writer of zips tries to end what has failed, and says on the standard error of the program that it
//! could not; so it hears of no failure. What comes after the first one goes nowhere, and the failure is told in the end.

use std::cell::RefCell;
use std::io::{self, Seek, SeekFrom, Write};
use std::rc::Rc;

/// The first failure, for who waits for the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Failed(Rc<RefCell<Option<io::Error>>>);

impl Failed {
    pub(super) fn is_set(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// The failure, if there was one.
    pub(super) fn told(&self) -> io::Result<()> {
        self.0.borrow_mut().take().map_or(Ok(()), Err)
    }
}

#[derive(Debug)]
pub(super) struct Out<W> {
    to: W,
    /// Where the next byte would go, and the furthest that one went: they move on after a failure, too.
    at: u64,
    end: u64,
    failed: Failed,
}

impl<W: Write + Seek> Out<W> {
    pub(super) fn new(to: W) -> (Self, Failed) {
        let failed = Failed::default();
        (Self { to, at: 0, end: 0, failed: failed.clone() }, failed)
    }

    pub(super) fn into_inner(self) -> W {
        self.to
    }

    /// Does something unless something has failed; what stands for it then.
    fn unless_failed<T>(&mut self, work: impl FnOnce(&mut W) -> io::Result<T>, else_: T) -> T {
        if self.failed.is_set() {
            return else_;
        }
        match work(&mut self.to) {
            Ok(done) => done,
            Err(error) => {
                *self.failed.0.borrow_mut() = Some(error);
                else_
            }
        }
    }
}

impl<W: Write + Seek> Write for Out<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_failed(|to| to.write_all(bytes), ());
        self.at += bytes.len() as u64;
        self.end = self.end.max(self.at);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_failed(W::flush, ());
        Ok(())
    }
}

impl<W: Write + Seek> Seek for Out<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let wanted = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
        };
        let wanted = wanted.ok_or(io::ErrorKind::InvalidInput)?;
        self.at = self.unless_failed(|out| out.seek(SeekFrom::Start(wanted)), wanted);
        Ok(self.at)
    }
}
