use super::{authority_from_data, host_from_data};
use crate::config::{TRUSTED, TRUSTED_INSIDE};

#[test]
fn only_the_authority_counts() {
    for (url, tainted) in [
        ("https://a.example/{{item.id}}", false),
        ("{{params.base}}/users/{{item.id}}", false),
        ("https://{{item.host}}/x", true),
        ("https://a.example{{item.rest}}", true),
        ("{{context.base}}/x", true),
        ("=item.url", true),
        ("=params.base + '/x'", false),
        ("https://a.example/x", false),
        ("{{params.base}}?id={{item.id}}", false),
        ("{{params.host}}:8080/{{item.id}}", false),
        ("https://{{params.host}}/{{item.id}}", false),
        ("{{params.scheme}}://a.example/{{item.id}}", false),
        ("{{params.scheme}}//{{item.host}}", true),
        ("{{params.scheme}}://{{item.host}}/x", true),
        ("{{params.scheme}}s://{{item.host}}", true),
        ("{{params.scheme}}:/{{item.host}}", true),
        ("{{params.scheme}}:{{item.rest}}", true),
        ("{{params.base}}/\\{{item.host}}", true),
        ("https:///{{item.host}}/x", true),
        ("https:/\t/{{item.host}}/x", true),
        ("https:\\\\{{item.host}}/x", true),
        ("//{{item.host}}/x", true),
    ] {
        assert_eq!(authority_from_data(url, TRUSTED), tainted, "{url}");
    }
    assert!(authority_from_data("{{params.base}}/x", TRUSTED_INSIDE), "params of a sub-workflow are data");
}

#[test]
fn a_host_of_its_own_counts_as_a_whole() {
    for (host, tainted) in [
        ("mail.example.org", false),
        ("mail.{{params.domain}}", false),
        ("=params.port", false),
        ("{{item.host}}", true),
        ("mail.example.org/{{item.host}}", true),
        ("{{params.host}}{{context.rest}}", true),
        ("=item.port", true),
        ("{{", true),
    ] {
        assert_eq!(host_from_data(host, TRUSTED), tainted, "{host}");
    }
}
