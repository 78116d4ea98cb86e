//! The key that signs the audit chain: `audit.key` in the data folder, readable by its owner only (ADR 8). A key that
//! cannot be used is no reason not to work: entries are then unsigned, and that is said.

use signalbox_adapters::private;
use signalbox_store::audit::{Digest, Signer};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

const NAME: &str = "audit.key";

/// Reads the key, or makes one.
pub(crate) fn open(data: &Path) -> Result<Signer, String> {
    let path = data.join(NAME);
    let place = path.display();
    for _ in 0..3 {
        match fs::read_to_string(&path) {
            Ok(text) => {
                private::owner_only(&path)?;
                let secret = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
                let secret =
                    secret.and_then(|digits| digits.to_ascii_lowercase().parse::<Digest>().ok()).ok_or_else(|| {
                        format!("{place} holds no key: wanted are 64 hexadecimal digits. Restore it from a backup.")
                    })?;
                return Ok(Signer::from_secret(secret.0));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => make(&path)?,
            Err(error) => return Err(format!("{place} cannot be read: {error}.")),
        }
    }
    Err(format!("{place} cannot be made."))
}

/// Written beside and then linked, so that nobody reads half a key and two processes do not make two.
fn make(path: &Path) -> Result<(), String> {
    let mut secret = [0_u8; 32];
    getrandom::fill(&mut secret).map_err(|error| format!("No random numbers from the system: {error}."))?;
    let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let fresh = path.with_extension(format!("{}.new", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file = private::create(&fresh)?;
        writeln!(
            file,
            "# Signs the audit chain of this data folder (Ed25519). Keep it secret, and keep a backup.\n{digits}"
        )?;
        file.sync_all()?;
        match fs::hard_link(&fresh, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                // A file system without links: whoever comes first has made it.
                if path.exists() { Ok(()) } else { fs::rename(&fresh, path) }
            }
            _ => Ok(()),
        }
    };
    let done = write().map_err(|error| format!("{} cannot be written: {error}.", path.display()));
    // Gone already when it was renamed.
    let _ = fs::remove_file(&fresh);
    done
}

#[cfg(test)]
mod tests;
