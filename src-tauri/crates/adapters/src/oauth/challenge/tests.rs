use super::Challenge;

fn challenge(resource_metadata: Option<&str>, scopes: &[&str], more: bool) -> Option<Challenge> {
    let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    Some(Challenge { resource_metadata: resource_metadata.map(str::to_owned), scopes, more })
}

#[test]
fn a_header_says_what_is_wanted() {
    let cases = [
        ("Bearer", challenge(None, &[], false)),
        ("bearer realm=x", challenge(None, &[], false)),
        (
            r#"Bearer scope="a b  a", resource_metadata="https://s.example/.well-known/x""#,
            challenge(Some("https://s.example/.well-known/x"), &["a", "b"], false),
        ),
        (r#"Bearer error="insufficient_scope", scope="a:w""#, challenge(None, &["a:w"], true)),
        (r#"Bearer error = insufficient_scope , scope=one"#, challenge(None, &["one"], true)),
        (r#"Basic realm="a, Bearer scope=x", Bearer scope="y""#, challenge(None, &["y"], false)),
        (r#"Bearer scope="y", Basic scope="z""#, challenge(None, &["y"], false)),
        (r#"Negotiate abc==, Bearer scope=y"#, challenge(None, &["y"], false)),
        (r#"Bearer realm="a \"quoted\" one", scope=y"#, challenge(None, &["y"], false)),
        (r#"Bearer scope="not ended"#, challenge(None, &[], false)),
        (r#"Basic realm="x""#, None),
        ("", None),
        ("=,=\"", None),
    ];
    for (header, want) in cases {
        assert_eq!(Challenge::parse(header), want, "{header}");
    }
}

#[test]
fn scopes_that_cannot_be_sent_are_left_out() {
    let long = "x".repeat(201);
    let header = format!("Bearer scope=\"ok \\\\ {long} é last\"");
    assert_eq!(Challenge::parse(&header), challenge(None, &["ok", "last"], false));
}
