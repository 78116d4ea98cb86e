use super::props_url;
use url::Url;

#[test]
fn only_servers_of_the_own_network_are_asked_for_their_properties() {
    let props = |base: &str| props_url(&Url::parse(base).expect("a url")).map(|url| url.to_string());
    assert_eq!(props("http://127.0.0.1:8080/v1"), Some("http://127.0.0.1:8080/props".into()));
    assert_eq!(props("http://127.0.0.1:8080"), Some("http://127.0.0.1:8080/props".into()));
    assert_eq!(props("https://api.example.com/v1"), None);
}
