//! The key that signs the audit chain: `audit.key` in the data folder, in the form that Signalbox reads, too (ADR 36).

use signalbox_adapters::private;
use signalbox_store::audit::{Digest, Signer};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use zeroize::Zeroizing;

const NAME: &str = "audit.key";

/// The signer of a data folder; a new folder gets a key. The error says why nothing is signed.
pub(crate) fn open(data: &Path) -> Result<Signer, String> {
    let path = data.join(NAME);
    let at = path.display();
    for _ in 0..2 {
        match fs::read_to_string(&path).map(Zeroizing::new) {
            Ok(text) => {
                private::owner_only(&path)?;
                let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
                let secret = first.and_then(|line| line.to_ascii_lowercase().parse::<Digest>().ok());
                return match secret {
                    Some(secret) => Ok(Signer::from_secret(secret.0)),
                    None => Err(format!(
                        "{at} holds no key that this program can use; Signalbox may have put it into the key store of the system"
                    )),
                };
            }
            Err(error) if error.kind() == ErrorKind::NotFound => make(&path)?,
            Err(error) => return Err(format!("{at} cannot be read: {error}")),
        }
    }
    Err(format!("{at} cannot be made"))
}

/// Two processes do not make two.
fn make(path: &Path) -> Result<(), String> {
    let mut secret = Zeroizing::new([0_u8; 32]);
    getrandom::fill(secret.as_mut()).map_err(|error| format!("no random numbers from the system: {error}"))?;
    let digits = Zeroizing::new(signalbox_model::hash::hex(secret.as_ref()));
    let text = Zeroizing::new(format!(
        "# Signs the audit chain of this data folder (Ed25519). Keep it secret, and keep a backup.\n{}\n",
        digits.as_str()
    ));
    private::make(path, text.as_bytes())
        .map(drop)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
