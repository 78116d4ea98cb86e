//! JSON pointers (RFC 6901).

use signalbox_model::diagnostic::pointer_token;

/// `pointer` with one more member name or index.
#[must_use]
pub fn push(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", pointer_token(token))
}

/// The member names and indexes of a pointer; `None` when it is no pointer (it begins with `/` or is empty, and `~` is
/// followed by 0 or 1).
#[must_use]
pub fn split(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(plain).collect()
}

fn plain(token: &str) -> Option<String> {
    let mut out = String::with_capacity(token.len());
    let mut chars = token.chars();
    while let Some(c) = chars.next() {
        if c == '~' {
            match chars.next() {
                Some('0') => out.push('~'),
                Some('1') => out.push('/'),
                _ => return None,
            }
        } else {
            out.push(c);
        }
    }
    Some(out)
}

/// An index of a list: digits without a leading zero.
#[must_use]
pub fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || (!token.starts_with('0') && !token.is_empty());
    if plain && token.bytes().all(|byte| byte.is_ascii_digit()) { token.parse().ok() } else { None }
}
