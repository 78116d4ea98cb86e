use super::of;
use crate::server::routes::Action;
use axum::http::Request;

fn asked(uri: &str, accept: &str) -> Result<bool, String> {
    let request = Request::builder().uri(uri).header("accept", accept).body(()).expect("a request");
    of(Action::RunStatus).expect("it has two").is_asked(&request.into_parts().0)
}

#[test]
fn r_46_a_snapshot_is_asked_for_by_query_or_by_profile() {
    let plain = "application/json";
    let profile = "text/html, application/json; q=0.9; profile=\"urn:other urn:signalbox:shape:snapshot\"";
    assert_eq!(asked("/workflow/r/status", plain), Ok(false));
    assert_eq!(asked("/workflow/r/status?shape=snapshot", plain), Ok(true));
    assert_eq!(asked("/workflow/r/status", profile), Ok(true));
    assert_eq!(asked("/workflow/r/status?shape=summary", profile), Ok(false), "the query is about this one request");
    assert_eq!(asked("/workflow/r/status", "application/json;profile=urn:signalbox:shape:vl"), Ok(false));
    assert_eq!(asked("/workflow/r/status?shape=other", plain), Err("shape=other".into()));
    assert_eq!(asked("/workflow/r/status?shape=snapshot&x=1", plain), Err("shape=snapshot&x=1".into()));
    assert!(of(Action::RunVariables).is_none());
}
