//! Against the signatures that AWS publishes: its test suite for version 4, and the examples of the S3 documentation.

use super::{Key, sign};
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use signalbox_ports::Secret;
use url::Url;

/// 2015-08-30T12:36:00Z and 2013-05-24T00:00:00Z.
const SUITE: i64 = 1_440_938_160_000;
const S3: i64 = 1_369_353_600_000;

struct Request<'a> {
    method: Method,
    url: &'a str,
    headers: &'a [(&'static str, &'static str)],
    body: &'a str,
}

fn signed(service: &str, secret: &str, id: &str, now_ms: i64, request: &Request<'_>) -> String {
    let secret = Secret::new(secret);
    let key = Key { id, secret: &secret, region: "us-east-1", service };
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers {
        headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let url = Url::parse(request.url).expect("an address");
    sign(&key, &request.method, &url, &mut headers, request.body.as_bytes(), now_ms).expect("signs");
    headers[AUTHORIZATION].to_str().expect("text").to_owned()
}

fn suite(method: Method, url: &str, headers: &[(&'static str, &'static str)], body: &str) -> String {
    let request = Request { method, url, headers, body };
    signed("service", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "AKIDEXAMPLE", SUITE, &request)
}

#[test]
fn requests_are_signed_as_the_published_test_suite_wants() {
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let twice = [("my-header1", "value2"), ("my-header1", "value2"), ("my-header1", "value1")];
    for (got, names, signature) in [
        (
            suite(Method::GET, "https://example.amazonaws.com/", &[], ""),
            "host;x-amz-date",
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        ),
        (
            suite(Method::GET, "https://example.amazonaws.com/?Param2=value2&Param1=value1", &[], ""),
            "host;x-amz-date",
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        (
            suite(Method::GET, "https://example.amazonaws.com/", &twice, ""),
            "host;my-header1;x-amz-date",
            "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
        ),
        (
            suite(Method::POST, "https://example.amazonaws.com/", &[], ""),
            "host;x-amz-date",
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        ),
        (
            suite(Method::POST, "https://example.amazonaws.com/", &form, "Param1=value1"),
            "content-type;host;x-amz-date",
            "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
        ),
    ] {
        let want = format!(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders={names}, \
             Signature={signature}"
        );
        assert_eq!(got, want);
    }
}

#[test]
fn requests_to_s3_are_signed_with_the_hash_of_their_body() {
    let s3 = |url: &str, headers: &[(&'static str, &'static str)]| {
        let request = Request { method: Method::GET, url, headers, body: "" };
        signed("s3", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AKIAIOSFODNN7EXAMPLE", S3, &request)
    };
    let object = s3("https://examplebucket.s3.amazonaws.com/test.txt", &[("range", "bytes=0-9")]);
    assert!(object.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"), "{object}");
    assert!(object.ends_with("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"), "{object}");
    let lifecycle = s3("https://examplebucket.s3.amazonaws.com/?lifecycle", &[]);
    assert!(lifecycle.ends_with("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"), "{lifecycle}");
    let list = s3("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J", &[]);
    assert!(list.ends_with("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"), "{list}");
}
