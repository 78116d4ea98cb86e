use super::Net;
use crate::oauth::Trouble;
use std::net::TcpListener;
use std::time::Duration;
use url::Url;

fn net(server: &str, issuer: Option<&str>) -> Net {
    let url = |text: &str| Url::parse(text).expect("an address");
    Net::new(&url(server), issuer.map(url).as_ref())
}

#[test]
fn where_a_server_may_send_whoever_signs_in() {
    let far = net("https://desk.example/mcp", None);
    let near = net("http://127.0.0.1:4000/mcp", None);
    let named = net("https://desk.example/mcp", Some("https://10.1.2.3"));
    let linked = net("https://desk.example/mcp", Some("https://169.254.169.254"));
    for (net, address, good) in [
        (&far, "https://login.example/token", true),
        (&far, "http://login.example/token", false),
        (&far, "https://127.0.0.1/token", false),
        (&far, "http://127.0.0.1/token", false),
        (&far, "https://[::ffff:127.0.0.1]/token", false),
        (&far, "https://2130706433/token", false),
        (&far, "https://10.1.2.3/token", false),
        (&far, "https://169.254.169.254/latest", false),
        (&far, "https://me:secret@login.example/token", false),
        (&far, "https://login.example/token#part", false),
        (&far, "file:///etc/passwd", false),
        (&far, "a:$(calc)", false),
        (&near, "http://127.0.0.1:5000/token", true),
        (&near, "http://localhost:5000/token", true),
        (&near, "http://10.1.2.3/token", false),
        (&near, "https://10.1.2.3/token", false),
        (&near, "https://169.254.169.254/latest", false),
        (&named, "https://10.1.2.3/token", true),
        (&named, "http://10.1.2.3/token", false),
        (&named, "https://10.1.2.4/token", false),
        (&linked, "https://169.254.169.254/latest", false),
    ] {
        let told = net.address("address", address);
        assert_eq!(told.is_ok(), good, "{address}: {:?}", told.err().map(|fault| fault.message));
    }
}

#[tokio::test]
async fn who_does_not_answer_is_not_waited_for() {
    // It takes the connection and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let base = format!("http://{}", silent.local_addr().expect("an address"));
    let net = net(&base, None).waiting(Duration::from_millis(50));
    let url = Url::parse(&format!("{base}/token")).expect("an address");
    let fault = net.form(&url, &[("code", "canary")], None).await.err().expect("no answer");
    assert_eq!(fault.trouble, Trouble::Unreachable);
    assert!(!fault.message.contains("canary"), "{}", fault.message);
}
