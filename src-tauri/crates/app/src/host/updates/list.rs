//! A list of releases: one JSON file that holds the text of the list and signatures of it. Pure: it gets bytes, keys, what was
//! seen before and the time. Whoever serves the list may be somebody else than who signed it, so nothing of it is used before
//! the signature is checked, and an older list is refused as well as one that was changed.

use serde::{Deserialize, Serialize};
use signalbox_model::time;
use signalbox_store::audit::{Digest, PublicKey, Signature};
use std::collections::BTreeMap;
use url::Url;

/// Largest file.
pub(super) const LARGEST: usize = 256 * 1024;
/// What is signed is the SHA-256 of this and the text: the key signs nothing that means something elsewhere.
const PREFIX: &[u8] = b"signalbox-releases-v1\n";
/// What clocks differ by.
const CLOCK_MARGIN_MS: i64 = 24 * 3_600_000;
/// Longest notes of a release, in characters.
const LONGEST_NOTES: usize = 4_000;

#[derive(Debug, Deserialize)]
struct Envelope {
    format: u32,
    list: String,
    signatures: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct List {
    product: String,
    serial: u64,
    issued: String,
    expires: String,
    releases: Vec<Release>,
}

/// One release, as the list has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Release {
    pub(super) version: String,
    pub(super) date: String,
    #[serde(default)]
    pub(super) security: bool,
    /// Language → plain text.
    #[serde(default)]
    pub(super) notes: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) page: Option<String>,
    #[serde(default)]
    pub(super) packages: Vec<Package>,
}

/// One file of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Package {
    /// `deb`, `rpm`, `tar`, `appimage`, `image`.
    pub(super) kind: String,
    /// As `std::env::consts::ARCH` has it.
    pub(super) arch: String,
    /// The package: `signalbox`, `signalbox-cli`, `signalbox-runners`, `signalbox-server`.
    #[serde(default)]
    pub(super) name: String,
    pub(super) url: String,
    pub(super) sha256: String,
}

impl Package {
    /// The name of its file.
    pub(super) fn file(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }
}

/// The newest list that was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) serial: u64,
    pub(super) sha256: String,
}

/// A list that is signed, current and newer than what was seen.
#[derive(Debug)]
pub(super) struct Accepted {
    pub(super) seen: Seen,
    releases: Vec<Release>,
}

/// Why a list is not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refused {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

pub(super) fn refused(code: &str, message: impl Into<String>, hint: &str) -> Refused {
    Refused { code: code.to_owned(), message: message.into(), hint: hint.to_owned() }
}

fn unreadable(why: impl std::fmt::Display) -> Refused {
    let hint = "Check the address in Settings, About. Whoever publishes the list must correct it.";
    refused("UPDATE_LIST_UNREADABLE", format!("The list of releases cannot be read: {why}."), hint)
}

/// Reads and checks a list.
pub(super) fn read(bytes: &[u8], keys: &[PublicKey], seen: Option<&Seen>, now_ms: i64) -> Result<Accepted, Refused> {
    let envelope: Envelope = serde_json::from_slice(bytes).map_err(unreadable)?;
    if envelope.format != 1 {
        let message = format!("The list of releases has the format {}; this release reads 1.", envelope.format);
        return Err(refused("UPDATE_LIST_NEWER", message, "Get the newest release where you got this one."));
    }
    let text = envelope.list.as_bytes();
    let hash = Digest::of(&[PREFIX, text]);
    let signatures = envelope.signatures.iter().filter_map(|text| text.parse::<Signature>().ok());
    if !signatures.into_iter().any(|signature| keys.iter().any(|key| key.verify_hash(&hash, &signature))) {
        let message = "The list of releases is not signed by the key of the settings.";
        let hint = "Nothing of it was used. Do not install what that address offers until you know why: the key may have been \
                    replaced, or the list was changed on its way.";
        return Err(refused("UPDATE_LIST_UNSIGNED", message, hint));
    }
    let list: List = serde_json::from_str(&envelope.list).map_err(unreadable)?;
    if list.product != "signalbox" {
        return Err(unreadable(format!("it is one of '{}'", list.product)));
    }
    let moment = |name: &str, text: &str| {
        time::parse(text).ok_or_else(|| unreadable(format!("'{name}' is no time such as 2026-11-30T00:00:00Z")))
    };
    let (issued, expires) = (moment("issued", &list.issued)?, moment("expires", &list.expires)?);
    if now_ms >= expires {
        let message = format!("The list of releases was valid until {} only.", list.expires);
        let hint = "Somebody may be holding back newer lists, or nobody publishes them any more. Check also the clock of this machine.";
        return Err(refused("UPDATE_LIST_EXPIRED", message, hint));
    }
    if issued > now_ms.saturating_add(CLOCK_MARGIN_MS) {
        let message = format!("The list of releases was made in the future ({}).", list.issued);
        return Err(refused("UPDATE_LIST_TIME", message, "Check the clock of this machine."));
    }
    let now_seen = Seen { serial: list.serial, sha256: hash.to_hex() };
    if let Some(seen) = seen {
        let hint = "Nothing of it was used: somebody may be offering an old release with known faults. Ask whoever publishes the list.";
        if now_seen.serial < seen.serial {
            let message = format!(
                "The list of releases is older than one that this machine has seen (number {} after {}).",
                now_seen.serial, seen.serial
            );
            return Err(refused("UPDATE_LIST_OLDER", message, hint));
        }
        if now_seen.serial == seen.serial && now_seen.sha256 != seen.sha256 {
            let message = format!("There are two different lists of releases with the number {}.", seen.serial);
            return Err(refused("UPDATE_LIST_OLDER", message, hint));
        }
    }
    list.releases.iter().try_for_each(check)?;
    Ok(Accepted { seen: now_seen, releases: list.releases })
}

/// Addresses and names become parts of commands that people run: nothing in them may mean something to a shell.
fn check(release: &Release) -> Result<(), Refused> {
    let wrong = |what: &str| Err(unreadable(format!("the release '{}' {what}", shortened(&release.version))));
    if parts(&release.version).is_none() {
        return wrong("has no version such as 1.2.3");
    }
    if release.date.len() != 10 || !release.date.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return wrong("has no date such as 2026-11-30");
    }
    if release.notes.values().any(|text| text.chars().count() > LONGEST_NOTES) {
        return wrong("has notes that are too long");
    }
    if release.page.as_deref().is_some_and(|page| !is_address(page)) {
        return wrong("has a page without a usable address");
    }
    for package in &release.packages {
        let file = package.file();
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+~-".contains(&byte));
        if !is_address(&package.url) || file.is_empty() || file.starts_with(['.', '-']) || !is_name(file) {
            return wrong("has a package without a usable address");
        }
        let is_hash = package.sha256.len() == 64
            && package.sha256.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if !is_hash || !is_name(&package.name) {
            return wrong("has a package without its SHA-256 and name");
        }
    }
    Ok(())
}

fn is_address(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b":/._+~-%[]".contains(&byte);
    text.len() <= 2_000
        && text.bytes().all(is_plain)
        && Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "https" | "http") && url.has_host())
}

fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(40).collect()
}

/// `1.2.3` as numbers that can be compared.
pub(super) fn parts(version: &str) -> Option<[u32; 3]> {
    let mut numbers = version.split('.').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    });
    let found = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(found)
}

impl Accepted {
    /// The newest release after this version. It counts as one for security when any release in between is.
    pub(super) fn newest_after(self, version: &str) -> Option<Release> {
        let current = parts(version)?;
        let newer = |release: &Release| parts(&release.version).is_some_and(|found| found > current);
        let mut newer: Vec<Release> = self.releases.into_iter().filter(newer).collect();
        newer.sort_by_key(|release| parts(&release.version));
        let security = newer.iter().any(|release| release.security);
        newer.pop().map(|release| Release { security, ..release })
    }
}

/// The file of a list that is signed with these keys.
#[cfg(test)]
pub(super) fn sealed(list: &str, signers: &[&signalbox_store::audit::Signer]) -> Vec<u8> {
    let hash = Digest::of(&[PREFIX, list.as_bytes()]);
    let signatures: Vec<String> = signers.iter().map(|signer| signer.sign_hash(&hash).to_string()).collect();
    serde_json::json!({ "format": 1, "list": list, "signatures": signatures }).to_string().into_bytes()
}
