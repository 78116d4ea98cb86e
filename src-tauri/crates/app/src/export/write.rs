//! What is written or sent away: the runner with the workflow behind its bytes.

use super::Export;
use crate::dto::ExportTarget;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::files::io_error;
use sha2::{Digest, Sha256};
use signalbox_adapters::durable;
use signalbox_model::hash::hex;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// A program that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The program.
    pub file: PathBuf,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of the file, lowercase hex.
    pub sha256: String,
}

/// An export that is sent away instead of written.
pub struct Download {
    /// Bytes.
    pub size: u64,
    /// SHA-256 of all of it, lowercase hex.
    pub sha256: String,
    /// The bytes.
    pub content: Box<dyn Read + Send>,
}

impl Download {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        let sha256 = hex(&Sha256::digest(&bytes));
        Self { size: bytes.len() as u64, sha256, content: Box::new(io::Cursor::new(bytes)) }
    }
}

impl Export {
    /// Name of the file that is written.
    pub(super) fn program_name(&self) -> String {
        format!("{}{}", self.bundle.name, std::env::consts::EXE_SUFFIX)
    }

    /// Refuses a folder that holds something.
    pub fn check_folder(out: &Path) -> ApiResult<()> {
        let hint = "Name a new or an empty folder with --out.";
        match fs::read_dir(out) {
            Ok(mut entries) => match entries.next() {
                None => Ok(()),
                Some(_) => {
                    let message = format!("The folder {} is not empty.", out.display());
                    Err(ApiError::new(Class::Conflict, "FOLDER_NOT_EMPTY", message, hint))
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(_) if out.exists() && !out.is_dir() => {
                Err(ApiError::bad_request(format!("{} is no folder.", out.display()), hint))
            }
            Err(error) => Err(io_error(&error, out, "read")),
        }
    }

    /// Writes it in one of its forms; a project is made of `sources`.
    ///
    /// # Errors
    /// What keeps this form from being made or written.
    pub fn write_as(&self, target: ExportTarget, out: &Path, sources: &Path) -> ApiResult<Exported> {
        match target {
            ExportTarget::Bundle => self.write(out),
            ExportTarget::Container => self.write_image(out),
            ExportTarget::Source => self.write_source(out, sources),
        }
    }

    /// The same, to be sent away.
    ///
    /// # Errors
    /// What keeps this form from being made.
    pub fn download_as(&self, target: ExportTarget, sources: &Path) -> ApiResult<Download> {
        match target {
            ExportTarget::Bundle => self.download(),
            ExportTarget::Container => self.download_image(),
            ExportTarget::Source => self.download_source(sources),
        }
    }

    /// Writes the program into a folder that is new or empty: the whole file or none of it.
    pub fn write(&self, out: &Path) -> ApiResult<Exported> {
        Self::check_folder(out)?;
        fs::create_dir_all(out).map_err(|error| io_error(&error, out, "created"))?;
        let name = self.program_name();
        let (file, part) = (out.join(&name), out.join(format!("{name}.part")));
        let written = self.write_to(&part).and_then(|hash| {
            fs::rename(&part, &file)?;
            durable::sync_name(&file)?;
            Ok(hash)
        });
        let sha256 = written.map_err(|error| {
            // Half a program is of no use to anybody.
            let _ = fs::remove_file(&part);
            io_error(&error, &file, "written")
        })?;
        Ok(Exported { file, size: self.size, sha256 })
    }

    /// What [`Self::write`] writes, with its hash, to be sent away.
    ///
    /// # Errors
    /// The runner cannot be read.
    fn download(&self) -> ApiResult<Download> {
        let unread = |error: &io::Error| io_error(error, &self.runner, "read");
        let open = || File::open(&self.runner).map_err(|error| unread(&error));
        let mut hasher = Sha256::new();
        let copied = copy(&mut open()?, &mut hasher).map_err(|error| unread(&error))?;
        if copied + self.section.len() as u64 != self.size {
            return Err(changed_runner());
        }
        hasher.update(&self.section);
        let content = open()?.take(copied).chain(io::Cursor::new(self.section.clone()));
        Ok(Download { size: self.size, sha256: hex(&hasher.finalize()), content: Box::new(content) })
    }

    fn write_to(&self, part: &Path) -> io::Result<String> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o755);
        }
        let mut to = Hashed { to: options.open(part)?, hasher: Sha256::new() };
        let copied = copy(&mut File::open(&self.runner)?, &mut to)?;
        if copied + self.section.len() as u64 != self.size {
            return Err(io::Error::other("the runner was changed while it was copied"));
        }
        to.write_all(&self.section)?;
        to.to.sync_all()?;
        Ok(hex(&to.hasher.finalize()))
    }
}

/// Bytes at once: in a debug build each call costs.
const PART: usize = 1 << 20;

fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<u64> {
    let (mut buffer, mut copied) = (vec![0; PART], 0_u64);
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok(copied);
        }
        to.write_all(&buffer[..read])?;
        copied += read as u64;
    }
}

/// A file, and the hash of what was written to it.
struct Hashed {
    to: File,
    hasher: Sha256,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

pub(super) fn changed_runner() -> ApiError {
    let message = "The runner was changed while it was copied.";
    ApiError::new(Class::Conflict, "CHANGED", message, "Export again.")
}
