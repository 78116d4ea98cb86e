//! Host names in the form in which they are compared.

/// A host name or literal address: small letters, without brackets and without the dot of the root.
pub fn canonical(host: &str) -> String {
    let host = host.trim().trim_start_matches('[').trim_end_matches(']');
    host.trim_end_matches('.').to_ascii_lowercase()
}

/// `localhost` and the names below it (of a [`canonical`] host): the only names that mean this machine by themselves, so
/// that a name whose owner points it to 127.0.0.1 does not.
pub fn is_localhost(host: &str) -> bool {
    host == "localhost" || host.ends_with(".localhost")
}
