use super::{sign, to_sign};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use signalbox_ports::Secret;
use url::Url;

fn headers(given: &[(&'static str, &'static str)]) -> HeaderMap {
    given.iter().map(|(name, value)| (name.parse().expect("a name"), HeaderValue::from_static(value))).collect()
}

/// The examples of the documentation of Azure ("Authorize with Shared Key").
#[test]
fn the_text_that_is_signed_is_that_of_the_documentation() {
    let url =
        Url::parse("https://myaccount.blob.core.windows.net/mycontainer?restype=container&comp=metadata&timeout=20");
    let given = headers(&[("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"), ("x-ms-version", "2015-02-21")]);
    assert_eq!(
        to_sign("myaccount", &Method::GET, &url.expect("an address"), &given, 0),
        "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n\
         /myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20"
    );
    let url = Url::parse("https://ada.blob.core.windows.net/c/a%20b%2Bc.txt?comp=block&blockid=QQ%3D%3D");
    let given = headers(&[("if-match", "\"1\""), ("content-type", "text/plain"), ("range", "bytes=4-")]);
    assert_eq!(
        to_sign("ada", &Method::PUT, &url.expect("an address"), &given, 11),
        "PUT\n\n\n11\n\ntext/plain\n\n\n\"1\"\n\n\nbytes=4-\n/ada/c/a%20b%2Bc.txt\nblockid:QQ==\ncomp:block"
    );
}

#[test]
fn a_key_that_is_no_base64_is_refused_and_no_signature_is_printed() {
    let url = Url::parse("https://ada.blob.core.windows.net/c/k").expect("an address");
    let mut given = HeaderMap::new();
    assert!(sign("ada", &Secret::new("not base64!"), &Method::GET, &url, &mut given, 0, 0).is_err());
    sign("ada", &Secret::new("a2V5LW9mLXRoZS1hY2NvdW50"), &Method::GET, &url, &mut given, 0, 0).expect("signed");
    assert!(given[AUTHORIZATION].is_sensitive());
    assert_eq!(given["x-ms-date"], "Thu, 01 Jan 1970 00:00:00 GMT");
}
