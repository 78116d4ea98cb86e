use super::Configuration;

fn why(text: &str) -> String {
    Configuration::read(Some(text)).expect_err("it is refused").message
}

#[test]
fn what_cannot_work_or_would_keep_a_secret_readable_is_refused_with_its_place() {
    for (text, words) in [
        (r#"{"model": {}}"#, "unknown field `model`"),
        (r#"{"models": {"providers": {"a": {"kind": "openai", "baseUrl": "ftp://x"}}}}"#, "'a' is not http or https"),
        (r#"{"models": {"providers": {"a": {"kind": "openai", "baseUrl": "https://u:p@x"}}}}"#, "more than a place"),
        (
            r#"{"models": {"providers": {"a": {"kind": "openai", "baseUrl": "https://x", "credential": "sk-1"}}}}"#,
            "secret://NAME",
        ),
        (r#"{"models": {"default": {"provider": "b", "model": "m"}}}"#, "'b', which is no provider"),
        (
            r#"{"models": {"providers": {"a": {"kind": "ollama", "baseUrl": "http://x", "prices": {"m": {"input": -1}}}}}}"#,
            "a price",
        ),
        (r#"{"tools": {"t": {"transport": "http", "url": "https://x", "signIn": {}}}}"#, "signIn"),
    ] {
        let message = why(text);
        assert!(message.contains(words), "{message}");
        assert!(!message.contains("sk-1"), "{message}");
    }
}

#[test]
fn its_secrets_go_to_their_own_hosts_or_to_a_process() {
    let read = Configuration::read(Some(
        r#"{"models": {"providers": {"house": {"kind": "openai", "baseUrl": "http://10.0.0.5:8080/v1", "credential": "secret://house"}}},
            "tools": {"files": {"transport": "stdio", "command": "node", "env": {"TOKEN": "secret://files", "LEVEL": "debug"}}}}"#,
    ));
    let secrets = read.expect("a configuration").secrets();
    let told: Vec<_> = secrets.iter().map(|one| (one.name.as_str(), one.host.as_deref(), one.by.as_str())).collect();
    assert_eq!(
        told,
        [("house", Some("http://10.0.0.5:8080"), "model provider house"), ("files", None, "tool server files")]
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_others_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("config.json");
    std::fs::write(&path, "{}").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).expect("set");
    assert!(why(&path.display().to_string()).contains("others may write"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("set");
    assert!(Configuration::read(Some(&path.display().to_string())).is_ok());
}
