use super::Address;

#[test]
fn a_password_is_shown_nowhere() {
    let address = Address::parse("postgres://me:s3cret@db.example:5433/flows?sslmode=require", None).expect("is one");
    assert_eq!(address.shown(), "postgres://me@db.example:5433/flows");
    assert_eq!(format!("{address:?}"), "postgres://me@db.example:5433/flows");
    assert!(address.encrypted);
    for wrong in [
        "postgres://me:s3cret@db:port/x",
        "postgres:///?sslmode=odd",
        "mysql://me:s3cret@db/x",
        "postgres://h/x?s3cret=1",
    ] {
        let error = Address::parse(wrong, None).expect_err("is refused");
        assert!(!error.contains("s3cret") || wrong.ends_with("s3cret=1"), "{error}");
    }
}

#[test]
fn without_a_mode_only_this_machine_is_asked_in_plain() {
    let encrypted = |url: &str| Address::parse(url, Some("p")).expect("is one").encrypted;
    assert!(!encrypted("postgres://me@127.0.0.1/x") && !encrypted("postgres://me@localhost/x"));
    assert!(encrypted("postgres://me@db.example/x") && encrypted("postgres://me@localhost/x?sslmode=verify-full"));
    assert!(!encrypted("postgres://me@db.example/x?sslmode=disable"));
}
