use super::{Jar, date_ms};
use signalbox_ports::Cookie;
use url::Url;

const NOW: i64 = 1_800_000_000_000;

fn url(text: &str) -> Url {
    Url::parse(text).expect("an address")
}

/// What goes to an address after answers have set cookies.
fn sent(answers: &[(&str, &str)], to: &str) -> Option<String> {
    let mut jar = Jar::default();
    for (from, line) in answers {
        jar.take(line, &url(from), NOW);
    }
    jar.header(&url(to), NOW, None)
}

#[test]
fn cookies_go_where_they_belong() {
    for (from, line, to, goes) in [
        ("http://a.example/login", "sid=1", "http://a.example/home", true),
        ("http://a.example/login", "sid=1", "http://a.example:8080/home", true),
        ("http://a.example/login", "sid=1", "http://b.example/", false),
        ("http://a.example/login", "sid=1", "http://x.a.example/", false),
        ("http://x.a.example/", "sid=1; Domain=a.example", "http://y.a.example/", true),
        ("http://x.a.example/", "sid=1; domain=.A.Example", "http://a.example/", true),
        ("http://x.a.example/", "sid=1; Domain=a.example", "http://aa.example/", false),
        // Another host, a whole top-level domain, and a domain for a literal address.
        ("http://x.a.example/", "sid=1; Domain=b.example", "http://x.a.example/", false),
        ("http://x.a.example/", "sid=1; Domain=y.a.example", "http://x.a.example/", false),
        ("http://a.example/", "sid=1; Domain=example", "http://a.example/", false),
        ("http://10.0.0.1/", "sid=1; Domain=0.0.1", "http://10.0.0.1/", false),
        ("http://10.0.0.1/", "sid=1; Domain=10.0.0.1", "http://10.0.0.1/", true),
        // Paths.
        ("http://a.example/shop/cart", "sid=1", "http://a.example/shop/pay", true),
        ("http://a.example/shop/cart", "sid=1", "http://a.example/", false),
        ("http://a.example/", "sid=1; Path=/shop", "http://a.example/shop", true),
        ("http://a.example/", "sid=1; Path=/shop", "http://a.example/shop/x", true),
        ("http://a.example/", "sid=1; Path=/shop", "http://a.example/shopping", false),
        ("http://a.example/", "sid=1; Path=shop", "http://a.example/x", true),
        // Encrypted connections.
        ("https://a.example/", "sid=1; Secure", "https://a.example/", true),
        ("https://a.example/", "sid=1; Secure", "http://a.example/", false),
        ("http://a.example/", "sid=1; Secure", "https://a.example/", false),
        ("http://localhost/", "sid=1; Secure", "http://localhost/", true),
        ("http://127.0.0.1/", "sid=1; Secure", "http://127.0.0.1/", true),
        ("http://[::1]/", "sid=1; Secure", "http://[::1]/", true),
        ("http://10.0.0.1/", "sid=1; Secure", "http://10.0.0.1/", false),
        ("https://a.example/", "__Secure-sid=1", "https://a.example/", false),
        ("https://a.example/", "__Host-sid=1; Secure; Path=/", "https://a.example/", true),
        ("https://a.example/", "__Host-sid=1; Secure; Path=/; Domain=a.example", "https://a.example/", false),
        // Time.
        ("http://a.example/", "sid=1; Max-Age=10", "http://a.example/", true),
        ("http://a.example/", "sid=1; Max-Age=0", "http://a.example/", false),
        ("http://a.example/", "sid=1; Max-Age=-5", "http://a.example/", false),
        ("http://a.example/", "sid=1; Max-Age=x", "http://a.example/", true),
        ("http://a.example/", "sid=1; Expires=Wed, 01 Dec 2027 10:00:00 GMT", "http://a.example/", true),
        ("http://a.example/", "sid=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT", "http://a.example/", false),
        ("http://a.example/", "sid=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT; Max-Age=5", "http://a.example/", true),
        ("http://a.example/", "sid=1; Expires=soon", "http://a.example/", true),
        ("http://a.example/", "", "http://a.example/", false),
        ("http://a.example/", "=", "http://a.example/", false),
    ] {
        assert_eq!(sent(&[(from, line)], to).is_some(), goes, "{from} {line} -> {to}");
    }
}

#[test]
fn a_later_cookie_replaces_or_deletes_the_earlier_one() {
    let home = "http://a.example/x";
    assert_eq!(sent(&[(home, "a=1"), (home, "b=2; Path=/"), (home, "a=3")], home).as_deref(), Some("b=2; a=3"));
    assert_eq!(sent(&[(home, "a=1"), (home, "a=; Max-Age=0")], home), None);
    // The more exact path goes first.
    let deep = "http://a.example/x/y";
    assert_eq!(sent(&[(deep, "a=1; Path=/"), (deep, "a=2; Path=/x")], deep).as_deref(), Some("a=2; a=1"));
    // Whoever is not encrypted does not replace what is for encrypted connections.
    let answers = [("https://a.example/", "a=1; Secure"), ("http://a.example/", "a=2")];
    assert_eq!(sent(&answers, "https://a.example/").as_deref(), Some("a=1"));
}

#[test]
fn values_go_back_as_they_came() {
    let home = "http://a.example/";
    for (line, pair) in [
        ("sid=a=b==; HttpOnly", "sid=a=b=="),
        ("sid=\"a b\"", "sid=\"a b\""),
        ("  sid =  x  ;", "sid=x"),
        ("alone", "alone"),
        ("sid=", "sid="),
    ] {
        assert_eq!(sent(&[(home, line)], home).as_deref(), Some(pair), "{line}");
    }
    assert_eq!(sent(&[(home, "sid=a\u{0}b")], home), None);
}

#[test]
fn cookies_of_the_step_stand_before_and_give_way_to_newer_ones() {
    let mut jar = Jar::new(vec![Cookie {
        name: "sid".into(),
        value: "new".into(),
        domain: "a.example".into(),
        host_only: true,
        path: "/".into(),
        secure: false,
        http_only: true,
        expires_ms: Some(NOW + 1),
    }]);
    let here = url("http://a.example/");
    assert_eq!(jar.header(&here, NOW, Some("lang=de; sid=old")).as_deref(), Some("lang=de; sid=new"));
    assert_eq!(jar.header(&here, NOW + 1, Some("lang=de; sid=old")).as_deref(), Some("lang=de; sid=old"));
    for at in 0..400 {
        jar.take(&format!("c{at}=1"), &here, NOW);
    }
    assert_eq!(jar.into_cookies().len(), 300);
}

#[test]
fn dates_are_read_in_every_usual_form() {
    for text in [
        "Wed, 01 Dec 2027 10:00:00 GMT",
        "Wednesday, 01-Dec-27 10:00:00 GMT",
        "Wed Dec  1 10:00:00 2027",
        "Wed, 1-Dec-2027 10:0:0 GMT",
        "10:00:00 1 december 2027",
    ] {
        assert_eq!(date_ms(text), Some(1_827_655_200_000), "{text}");
    }
    for text in
        ["", "Wed, 32 Dec 2027 10:00:00", "Wed, 29 Feb 2027 10:00:00", "01 Dec 2027", "1 Dec 2027 25:00:00", "never"]
    {
        assert_eq!(date_ms(text), None, "{text}");
    }
}

#[test]
fn a_server_of_this_machine_replaces_and_deletes_its_secure_cookies() {
    for host in ["http://localhost/", "http://127.0.0.1:8080/", "https://a.example/"] {
        let changed = [(host, "sid=1; Secure"), (host, "sid=2; Secure")];
        assert_eq!(sent(&changed, host).as_deref(), Some("sid=2"), "{host}");
        assert_eq!(sent(&[changed[0], (host, "sid=; Secure; Max-Age=0")], host), None, "{host}");
    }
    // Who could read along replaces none.
    let changed = [("https://a.example/", "sid=1; Secure"), ("http://a.example/", "sid=2")];
    assert_eq!(sent(&changed, "https://a.example/").as_deref(), Some("sid=1"));
}
