//! Who may call: bearer tokens with a role, in a file that only its owner can read. Compared by hash, so that neither
//! the time nor the memory of the server tells anything about them.

use signalbox_app::dto::CallerRole;
use signalbox_model::hash::sha256_hex;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// Whose a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    /// What it may do.
    pub(crate) role: CallerRole,
    /// In whose name: the principal is `user:` and this.
    pub(crate) name: String,
}

/// Token hash → holder.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Vec<(String, Holder)>);

impl Tokens {
    /// Whose token it is.
    pub(crate) fn holder(&self, token: &str) -> Option<&Holder> {
        let hash = sha256_hex(token.as_bytes());
        self.0.iter().filter(|(known, _)| *known == hash).map(|(_, holder)| holder).next()
    }

    /// Reads the file, or writes a new one with a random builder token. Gives the first builder token besides, for the
    /// address that `--ui` prints.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<String>), String> {
        match fs::read_to_string(path) {
            Ok(text) => {
                owner_only(path)?;
                let rows = parse(&text).map_err(|why| format!("{}: {why}", path.display()))?;
                let first = rows.iter().find(|(_, holder)| holder.role == CallerRole::Builder);
                let first = first.map(|(token, _)| token.clone());
                let hashed = rows.into_iter().map(|(token, holder)| (sha256_hex(token.as_bytes()), holder)).collect();
                Ok((Self(hashed), first))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let token = random_token()?;
                create(path, &token).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
                let holder = Holder { role: CallerRole::Builder, name: own_name() };
                Ok((Self(vec![(sha256_hex(token.as_bytes()), holder)]), Some(token)))
            }
            Err(error) => Err(format!("{} cannot be read: {error}", path.display())),
        }
    }
}

/// A token without a name is that of the account which runs the server.
fn own_name() -> String {
    signalbox_app::os_user().trim_start_matches("user:").to_owned()
}

fn parse(text: &str) -> Result<Vec<(String, Holder)>, String> {
    let mut rows: Vec<(String, Holder)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number + 1;
        let words: Vec<&str> = line.split_whitespace().collect();
        let (role, token, name) = match words.as_slice() {
            [] => continue,
            [token] => ("builder", *token, None),
            [role, token] => (*role, *token, None),
            [role, token, name] => (*role, *token, Some(*name)),
            _ => return Err(format!("line {number} is neither TOKEN nor ROLE TOKEN nor ROLE TOKEN NAME")),
        };
        let role = match role {
            "builder" => CallerRole::Builder,
            "operator" => CallerRole::Operator,
            "viewer" => CallerRole::Viewer,
            other => return Err(format!("line {number}: '{other}' is no role (builder, operator, viewer)")),
        };
        if token.len() < 16 {
            return Err(format!("the token in line {number} is shorter than 16 characters"));
        }
        if rows.iter().any(|(known, _)| known == token) {
            return Err(format!("the token in line {number} stands there twice"));
        }
        let name = name.map_or_else(own_name, |name| name.trim_start_matches("user:").to_owned());
        rows.push((token.to_owned(), Holder { role, name }));
    }
    if rows.is_empty() { Err("it holds no token; delete it to get a new one".into()) } else { Ok(rows) }
}

fn random_token() -> Result<String, String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("no random numbers from the system: {error}"))?;
    Ok(sha256_hex(&bytes))
}

#[cfg(unix)]
fn create(path: &Path, token: &str) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(format!("{token}\n").as_bytes())?;
    file.sync_all()
}

#[cfg(not(unix))]
fn create(path: &Path, token: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(format!("{token}\n").as_bytes())?;
    file.sync_all()
}

#[cfg(unix)]
fn owner_only(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).map_err(|error| error.to_string())?.permissions().mode();
    if mode & 0o077 != 0 {
        let place = path.display();
        return Err(format!("{place} can be read by others (mode {:o}). Run: chmod 600 {place}", mode & 0o777));
    }
    Ok(())
}

#[cfg(not(unix))]
fn owner_only(_path: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Tokens, parse};
    use signalbox_app::dto::CallerRole;

    #[test]
    fn a_new_file_is_for_its_owner_only_and_is_read_again() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("serve.token");
        let (_, token) = Tokens::open(&path).expect("made");
        let token = token.expect("a builder");
        let (again, _) = Tokens::open(&path).expect("read");
        assert_eq!(again.holder(&token).map(|holder| holder.role), Some(CallerRole::Builder));
        for wrong in ["", "null", "0", &token[1..], &format!("{token} "), &token.to_uppercase()] {
            assert_eq!(again.holder(wrong), None, "{wrong}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).expect("meta").permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("chmod");
            assert!(Tokens::open(&path).expect_err("open to others").contains("chmod 600"));
        }
    }

    #[test]
    fn a_line_names_a_role_or_is_a_builder() {
        let rows = parse("0123456789abcdef\nviewer fedcba9876543210 user:bob\n").expect("two");
        assert_eq!(rows[0].1, super::Holder { role: CallerRole::Builder, name: super::own_name() });
        let bob = super::Holder { role: CallerRole::Viewer, name: "bob".into() };
        assert_eq!(rows[1], ("fedcba9876543210".to_owned(), bob));
        let twice = "operator 0123456789abcdef anna\noperator 0123456789abcdef bob";
        for bad in ["", "short", "king 0123456789abcdef", "a b c", "operator 0123456789abcdef a b", twice] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
