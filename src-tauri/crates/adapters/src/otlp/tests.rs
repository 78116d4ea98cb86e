use super::*;

/// Variables and their values.
type Set = &'static [(&'static str, &'static str)];

fn with(set: Set) -> impl Fn(&str) -> Option<String> {
    move |name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
}

#[test]
fn the_standard_variables_say_where_and_how() {
    const BASE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    const OWN: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    const HOW: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
    let cases: [(Set, &str, bool); 5] = [
        (&[], "http://localhost:4318/v1/traces", false),
        (&[(BASE, "http://collector:4318/")], "http://collector:4318/v1/traces", false),
        (&[(BASE, "http://a:1"), (OWN, "https://b:2/spans")], "https://b:2/spans", false),
        (&[(HOW, "grpc")], "http://localhost:4317/", true),
        (&[(HOW, "grpc"), (BASE, "http://a:1"), (OWN, "")], "http://a:1/", true),
    ];
    for (set, url, grpc) in cases {
        assert_eq!(target(&with(set)), Ok((Url::parse(url).unwrap(), grpc)), "{set:?}");
    }
}

#[test]
fn a_place_of_a_person_gets_the_path_of_traces() {
    let cases = [
        ("http://collector:4318", false, "http://collector:4318/v1/traces"),
        ("https://collector/otlp/v1/traces", false, "https://collector/otlp/v1/traces"),
        ("http://collector:4317", true, "http://collector:4317/"),
    ];
    for (text, grpc, url) in cases {
        assert_eq!(Place::address(text, grpc), Ok(Url::parse(url).unwrap()), "{text}");
    }
    assert!(Place::address("collector:4318", false).unwrap_err().contains("collector:4318"));
}

#[test]
fn what_is_no_address_protocol_or_time_is_named() {
    let wrong = target(&with(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318")])).unwrap_err();
    assert!(wrong.contains("collector:4318") && wrong.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{wrong}");
    let wrong = target(&with(&[("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")])).unwrap_err();
    assert!(wrong.contains("http/json") && wrong.contains("grpc"), "{wrong}");
    let wrong = limit(&with(&[("OTEL_EXPORTER_OTLP_TIMEOUT", "10s")])).unwrap_err();
    assert!(wrong.contains("10s") && wrong.contains("milliseconds"), "{wrong}");
}
