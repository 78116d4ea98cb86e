//! What of a definition looks like a credential: it would stand readable in the data folder, and an argument also in lists of
//! processes. Made for variables and arguments of programs, where a long text is mostly a path or a name of a package.

use crate::host::outgoing;

/// A name with such a word in it holds a credential.
const WORDS: &[&str] = &[
    "apikey",
    "auth",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "key",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "pat",
    "pwd",
    "secret",
    "signature",
    "token",
];
/// Of these no number is harmless.
const PASSWORDS: &[&str] = &["pass", "passphrase", "passwd", "password", "pwd"];
/// A name with such a last word says where a credential is, or something about it.
const ABOUT: &[&str] = &[
    "count", "dir", "env", "expiry", "file", "id", "length", "limit", "method", "mode", "name", "path", "prompt",
    "size", "timeout", "ttl", "type", "uri", "url",
];
/// How credentials of well-known services begin.
const BEGINNINGS: &[&str] = &[
    "AIza",
    "AKIA",
    "Basic ",
    "Bearer ",
    "eyJ",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "sk-",
    "xapp-",
    "xox",
    "-----BEGIN ",
];
/// So many letters and digits in a row were made by a machine.
const RANDOM: usize = 20;
/// A key of a well-known service has at least so many letters behind its beginning.
const WELL_KNOWN: usize = 16;
/// A number of so few digits is a setting.
const SETTING: usize = 6;

/// Words of `GITHUB_TOKEN`, `api-key`, `accessToken`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn named(name: &str, value: &str) -> bool {
    let words = words(name);
    if words.last().is_some_and(|last| ABOUT.contains(&last.as_str())) {
        return false;
    }
    let is = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let switch = ["", "0", "1", "true", "false", "yes", "no", "on", "off", "none"];
    let setting = value.len() <= SETTING && value.chars().all(|c| c.is_ascii_digit());
    let path = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start)) || value.contains(":\\");
    // `${NAME}`: the program puts a variable there by itself.
    let elsewhere = value.trim_start_matches("Bearer ").starts_with("${");
    is(WORDS) && !switch.contains(&value) && !path && !elsewhere && (!setting || is(PASSWORDS))
}

/// A text that is a credential whatever its name is.
fn by_itself(value: &str) -> bool {
    if BEGINNINGS.iter().any(|start| value.starts_with(start) && !value[start.len()..].starts_with("${")) {
        return value.len() > SETTING;
    }
    let machine = |part: &str| {
        part.len() >= RANDOM
            && part.chars().any(|c| c.is_ascii_digit())
            && part.chars().any(|c| c.is_ascii_alphabetic())
    };
    let random = !value.contains(['/', '\\', ':', '.', ',', ' '])
        && value.split(|c: char| !c.is_ascii_alphanumeric()).any(machine);
    random || outgoing::is_telling(value)
}

/// Whether a variable with this text holds a credential.
pub(crate) fn variable(name: &str, value: &str) -> bool {
    named(name, value) || by_itself(value)
}

/// Whether a text begins as the keys of well-known services do and goes on without a space: no prose does.
pub(crate) fn is_well_known(value: &str) -> bool {
    let begins = |start: &&&str| !start.ends_with(' ') && value.starts_with(**start);
    let rest = BEGINNINGS.iter().find(begins).map(|start| &value[start.len()..]);
    rest.is_some_and(|rest| rest.len() >= WELL_KNOWN && !rest.starts_with("${") && !rest.trim_end().contains(' '))
}

/// The first argument that holds a credential: its name, or its number.
pub(crate) fn argument(args: &[String]) -> Option<String> {
    let mut option = None;
    for (index, arg) in args.iter().enumerate() {
        let dashed = arg.starts_with('-');
        let plain = arg.trim_start_matches('-');
        // `--name=value`, `NAME=value`, `Name: value`.
        let pair = plain.split_once(['=', ':']).map(|(name, value)| (name, value.trim()));
        let tells = |name: &str, value: &str| variable(name, value).then(|| name.to_owned());
        let found = pair.and_then(|(name, value)| tells(name, value));
        let found = found.or_else(|| option.filter(|_| !dashed).and_then(|name| tells(name, arg)));
        if found.is_some() {
            return found.filter(|name| name.len() <= 64).or_else(|| Some((index + 1).to_string()));
        }
        if by_itself(arg) {
            return Some((index + 1).to_string());
        }
        option = (dashed && pair.is_none()).then_some(plain);
    }
    None
}

#[cfg(test)]
mod tests;
