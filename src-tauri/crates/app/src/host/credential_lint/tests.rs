use super::{argument, is_well_known, variable, words};

#[test]
fn names_have_words() {
    assert_eq!(words("GITHUB_TOKEN"), ["github", "token"]);
    assert_eq!(words("x-apiKey"), ["x", "api", "key"]);
    assert_eq!(words("__"), Vec::<String>::new());
}

#[test]
fn ordinary_variables_are_none_and_credentials_are() {
    for (name, value) in [
        ("TOKENIZERS_PARALLELISM", "false"),
        ("MAX_TOKENS", "4096"),
        ("BASE_URL", "http://127.0.0.1:3000/api"),
        ("DATA_DIR", "/srv/data2026/projects"),
        ("USER", "anna"),
        ("TOKEN_FILE", "/run/token"),
        ("USE_AUTH", "true"),
        ("MAX_TOKEN", "4096"),
        ("PACKAGE", "mcp-server-filesystem-2025-edition"),
        ("LEVEL", "1"),
        ("SSL_KEY", "./key.pem"),
    ] {
        assert!(!variable(name, value), "{name}={value}");
    }
    for (name, value) in [
        ("API_TOKEN", "canary-5d1e"),
        ("apiKey", "abc"),
        ("DB_PASSWORD", "123456"),
        ("X", "ghp_abcdef"),
        ("X", "a1b2c3d4e5f6a7b8c9d0e1"),
        ("DATABASE_URL", "postgres://anna:pw@db.example/x"),
        ("X", "eyJhbGciOi.J9.x"),
    ] {
        assert!(variable(name, value), "{name}={value}");
    }
}

#[test]
fn credentials_in_arguments_are_found() {
    let found = |args: &[&str]| argument(&args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>());
    for (args, name) in [
        (&["mcp-remote", "https://x/mcp", "--header", "Authorization: Bearer eyJx"][..], "Authorization"),
        (&["--header", "X-Api-Key:abc"], "X-Api-Key"),
        (&["--api-key", "sk-1"], "api-key"),
        (&["--token=canary"], "token"),
        (&["run", "-e", "GITHUB_TOKEN=abc", "image"], "GITHUB_TOKEN"),
        (&["postgres://anna:pw@db.example/x"], "1"),
        (&["--db", "postgres://anna:pw@db.example/x"], "db"),
        (&["https://x.example/mcp?api_key=abc"], "1"),
        (&["serve", "ghp_abcdef"], "2"),
    ] {
        assert_eq!(found(args).as_deref(), Some(name), "{args:?}");
    }
    for args in [
        &["-y", "@modelcontextprotocol/server-filesystem", "/srv/data2026/projects/of-anna"][..],
        &["mcp-remote", "https://x.example/mcp", "--header", "Authorization:${AUTH_HEADER}"],
        &["mcp-remote", "https://x.example/mcp", "--header", "Authorization: Bearer ${AUTH_HEADER}"],
        &["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"],
        &["--max-tokens", "4096", "--port=8080", "--log", "C:\\logs\\key.txt"],
        &["--token-file", "/run/token", "--verbose"],
        &["-e", "setInterval(() => {}, 1000); console.log('key: value')"],
    ] {
        assert_eq!(found(args), None, "{args:?}");
    }
}

#[test]
fn keys_of_well_known_services_are_no_prose() {
    for text in ["ghp_abcdefghijklmnop1234", "sk-proj-0123456789abcdef"] {
        assert!(is_well_known(text), "{text}");
    }
    for text in [
        "Basic plan for everybody in the office",
        "sk-short",
        "sk-prefix of a key, and more words",
        "ghp_${GITHUB_TOKEN_OF_MINE}",
    ] {
        assert!(!is_well_known(text), "{text}");
    }
}
