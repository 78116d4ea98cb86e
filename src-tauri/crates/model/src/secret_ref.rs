//! How a workflow file names a secret of the machine: `secret://name`, in the credential of a step and nowhere else.

/// Before the name.
pub const SCHEME: &str = "secret://";
/// The longest name.
pub const MAX_NAME: usize = 64;

/// Whether a text can name a secret.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    text.len() <= MAX_NAME
        && bytes.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The name in `secret://name`.
pub fn reference(text: &str) -> Option<&str> {
    text.strip_prefix(SCHEME).filter(|name| is_name(name))
}

/// Whether a reference stands somewhere in a text.
pub fn mentioned(text: &str) -> bool {
    text.match_indices(SCHEME)
        .any(|(at, _)| text[at + SCHEME.len()..].starts_with(|first: char| first.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::{mentioned, reference};

    #[test]
    fn references_have_plain_names() {
        assert_eq!(reference("secret://erp.read-only_2"), Some("erp.read-only_2"));
        for wrong in ["secret://", "secret://a/b", "secret://{{item.x}}", "Secret://a", "secret://-a", " secret://a"] {
            assert_eq!(reference(wrong), None, "{wrong}");
        }
        assert!(mentioned("Bearer secret://erp") && mentioned("secret:// secret://a"));
        assert!(!mentioned("a secret: //erp") && !mentioned("write secret://<name>"));
    }
}
