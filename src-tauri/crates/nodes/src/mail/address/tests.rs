use super::{read, split};
use signalbox_ports::mail::MailAddress;

#[test]
fn addresses_are_read_from_text_with_names_and_quotes() {
    let text = r#"ada@example.org, "Byron, Ada \"the countess\"" <ada@b.example>; Bob <bob@c.example> ,"#;
    let found: Vec<MailAddress> = split(text).map(read).collect();
    let address =
        |name: Option<&str>, address: &str| MailAddress { name: name.map(str::to_owned), address: address.to_owned() };
    assert_eq!(
        found,
        [
            address(None, "ada@example.org"),
            address(Some("Byron, Ada \"the countess\""), "ada@b.example"),
            address(Some("Bob"), "bob@c.example"),
        ]
    );
}
