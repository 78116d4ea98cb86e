//! `cargo xtask releases LIST.json --key KEY.pem`: signs a list of releases (docs/updates.md) with an Ed25519 key, by `openssl`.

use crate::{Failure, shell};
use signalbox_oci::json;
use std::fs;
use std::path::{Path, PathBuf};

/// What is signed is the SHA-256 of this and the list; `signalbox` reads it in `host/updates/list.rs`.
const PREFIX: &str = "signalbox-releases-v1\n";
/// Bytes of an Ed25519 public key, at the end of its DER.
const KEY: usize = 32;

/// Writes `target/package/releases.json`.
pub(crate) fn releases(root: &Path, args: &[String]) -> Result<(), Failure> {
    const USE: &str = "Give the list and the key: cargo xtask releases LIST.json --key KEY.pem";
    let (list, keys) = match args {
        [list, rest @ ..] if !rest.is_empty() && rest.len().is_multiple_of(2) => (list, rest),
        _ => return Err(USE.to_owned()),
    };
    if shell::which("openssl").is_none() {
        return Err("openssl is missing. On Debian: apt-get install openssl".to_owned());
    }
    let text = fs::read_to_string(list).map_err(|error| format!("{list} cannot be read: {error}"))?;
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("package");
    fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let mut signatures = Vec::new();
    for pair in keys.chunks(2) {
        let [option, key] = pair else { return Err(USE.to_owned()) };
        if option != "--key" {
            return Err(USE.to_owned());
        }
        signatures.push(sign(&folder, key, &text)?);
    }
    let out = folder.join("releases.json");
    fs::write(&out, envelope(&text, &signatures))
        .map_err(|error| format!("{} cannot be written: {error}", out.display()))?;
    println!("{} is signed. Try it: signalbox version --check", out.display());
    Ok(())
}

fn envelope(list: &str, signatures: &[String]) -> String {
    let signatures: Vec<String> = signatures.iter().map(|signature| json::text(signature)).collect();
    format!("{{\"format\":1,\"list\":{},\"signatures\":[{}]}}\n", json::text(list), signatures.join(","))
}

/// `ed25519:KEYID:SIGNATURE`.
fn sign(folder: &Path, key: &str, list: &str) -> Result<String, Failure> {
    let public = openssl(&["pkey", "-in", key, "-pubout", "-outform", "DER"], key)?;
    let raw = public.len().checked_sub(KEY).and_then(|from| public.get(from..)).unwrap_or_default().to_vec();
    let file = folder.join("releases.tmp");
    let path = file.to_string_lossy().into_owned();
    let put = |bytes: &[u8]| fs::write(&file, bytes).map_err(|error| format!("{path} cannot be written: {error}"));
    let digest = |bytes: &[u8]| -> Result<Vec<u8>, Failure> {
        put(bytes)?;
        openssl(&["dgst", "-sha256", "-binary", &path], key)
    };
    let id = hex(digest(&raw)?.get(..8).unwrap_or_default());
    let hash = digest(format!("{PREFIX}{list}").as_bytes())?;
    put(&hash)?;
    let signature = openssl(&["pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", &path], key);
    fs::remove_file(&file).map_err(|error| format!("{path} cannot be removed: {error}"))?;
    let signature = signature?;
    if signature.len() != 64 || raw.len() != KEY {
        return Err(format!("{key} is no Ed25519 key. Make one: openssl genpkey -algorithm ed25519 -out KEY.pem"));
    }
    Ok(format!("ed25519:{id}:{}", hex(&signature)))
}

fn openssl(args: &[&str], key: &str) -> Result<Vec<u8>, Failure> {
    let done =
        shell::command("openssl").args(args).output().map_err(|error| format!("openssl did not start: {error}"))?;
    if done.status.success() {
        return Ok(done.stdout);
    }
    Err(format!("openssl cannot use {key}: {}", String::from_utf8_lossy(&done.stderr).trim()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::envelope;

    #[test]
    fn the_list_is_kept_as_it_is() {
        let made = envelope("{\n \"a\": \"é\\n\" }", &["ed25519:a:b".to_owned()]);
        assert_eq!(
            made,
            "{\"format\":1,\"list\":\"{\\u000a \\\"a\\\": \\\"é\\\\n\\\" }\",\"signatures\":[\"ed25519:a:b\"]}\n"
        );
    }
}
