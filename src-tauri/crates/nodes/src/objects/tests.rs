//! Addresses of objects.

use super::settings::{Store, System};
use url::Url;

fn store(base: &str) -> Store {
    Store { system: System::S3, base: Url::parse(base).expect("an address"), timeout_ms: 1 }
}

#[test]
fn a_key_is_a_place_below_the_bucket_whatever_it_says() {
    let store = store("https://s3.example.com/bucket/");
    for (key, path) in [
        ("a/b.txt", "/bucket/a/b.txt"),
        ("a b+c&d?e#f%2e.txt", "/bucket/a%20b%2Bc%26d%3Fe%23f%252e.txt"),
        ("//a", "/bucket///a"),
        ("Größe/", "/bucket/Gr%C3%B6%C3%9Fe/"),
        ("https://other.example/x", "/bucket/https%3A//other.example/x"),
    ] {
        let url = store.object(key);
        assert_eq!((url.path(), url.host_str(), url.query()), (path, Some("s3.example.com"), None), "{key}");
    }
}
