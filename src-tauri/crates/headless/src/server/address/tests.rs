use super::PublicUrl;

fn of(text: &str) -> Result<PublicUrl, String> {
    text.parse()
}

#[test]
fn an_address_for_people_has_a_host_and_nothing_behind_it() {
    let url = of("https://SIGNALBOX.example.com:443/").expect("an address");
    assert_eq!(url.base(), "https://signalbox.example.com");
    assert_eq!(url.names(), ["signalbox.example.com:443", "signalbox.example.com"]);
    assert!(!url.is_here() && of("http://[::1]:9160").expect("an address").is_here());
    assert!(of("https://localhost").expect("an address").is_here());
    assert_eq!(of("http://10.0.0.5:80").expect("an address").names(), ["10.0.0.5:80", "10.0.0.5"]);
    assert_eq!(of("https://10.0.0.5:9160").expect("an address").names(), ["10.0.0.5:9160"]);
    for wrong in ["signalbox.example.com", "ftp://a", "https://a/b", "https://a/?x", "https://a/#x", "https://u@a"] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}
