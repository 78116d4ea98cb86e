use super::{Authorities, Proxy};
use std::collections::HashMap;
use url::Url;

fn by(variables: &[(&str, &str)]) -> Result<Option<Proxy>, String> {
    let variables: HashMap<_, _> = variables.iter().copied().collect();
    Proxy::from_variables(&|name| variables.get(name).map(|value| (*value).to_owned()))
}

fn goes(proxy: &Proxy, url: &str) -> bool {
    proxy.is_for(&Url::parse(url).expect("an address"))
}

#[test]
fn variables_name_a_proxy_for_each_scheme() {
    assert!(by(&[("NO_PROXY", "*")]).expect("fine").is_none());
    let one = by(&[("https_proxy", "http://a:1"), ("HTTPS_PROXY", "http://b:2")]).expect("fine").expect("a proxy");
    assert_eq!(
        (one.shown().as_str(), goes(&one, "http://x.test/"), goes(&one, "https://x.test/")),
        ("a:1", false, true)
    );
    let all = by(&[("ALL_PROXY", "a:1"), ("HTTP_PROXY", "http://b")]).expect("fine").expect("a proxy");
    assert_eq!(all.shown(), "b:80, a:1");
    // In a CGI program the large name is a header of whoever asks.
    assert!(by(&[("HTTP_PROXY", "http://b:2"), ("REQUEST_METHOD", "GET")]).expect("fine").is_none());
    let wrong = by(&[("ALL_PROXY", "socks5://u:pw@a:1")]).expect_err("unknown");
    assert!(wrong.contains("ALL_PROXY") && wrong.contains("socks5") && !wrong.contains("pw"), "{wrong}");
}

#[test]
fn exceptions_and_this_machine_are_asked_directly() {
    let texts = [
        "inside.example.org",
        ".corp.test",
        "*.lan.test",
        "10.0.0.0/8",
        "192.168.1.5",
        "fd00::/8",
        "api.test:8443",
        "[::2]:80",
    ];
    let proxy = Proxy::new("http://p:3128", &texts.map(str::to_owned), None).expect("fine");
    for direct in [
        "https://inside.example.org/",
        "https://a.inside.example.org/",
        "http://x.corp.test/",
        "http://corp.test/",
        "http://nas.lan.test/",
        "http://10.9.8.7/",
        "http://192.168.1.5:99/",
        "http://[fd00::1]/",
        "https://api.test:8443/",
        "http://[::2]/",
        "http://localhost:1/",
        "http://a.localhost/",
        "http://127.0.0.9/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
    ] {
        assert!(!goes(&proxy, direct), "{direct}");
    }
    for through in [
        "https://notinside.example.org/",
        "https://inside.example.org.test/",
        "http://11.0.0.1/",
        "https://api.test/",
        "http://[::3]/",
        "http://10.example.org/",
    ] {
        assert!(goes(&proxy, through), "{through}");
    }
    assert!(!goes(&Proxy::new("p", &["*".to_owned()], None).expect("fine"), "https://any.test/"));
    for wrong in ["10.0.0.0/33", "a b", "host:99999", "http://x"] {
        assert!(Proxy::new("http://p", &[wrong.to_owned()], None).is_err(), "{wrong}");
    }
}

#[test]
fn authorities_are_read_whole_or_not_at_all() {
    assert_eq!(Authorities::from_pem(" \n").expect("nothing").fingerprints().len(), 0);
    assert!(Authorities::from_pem("no certificate").is_err());
    assert!(Authorities::from_pem("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").is_err());
}
