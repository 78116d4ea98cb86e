use super::{Next, Progress, next_link};
use serde_json::{Map, Value, json};
use signalbox_model::connector::{PageSize, Pagination};
use signalbox_ports::HttpResponse;

const HERE: &str = "https://api.example.com/v1/things?page=1";

#[test]
fn a_link_header_names_the_next_page_among_others() {
    let header = "<https://a.example/?page=1>; rel=\"prev\", <https://a.example/?q=a,b&page=3>; rel=\"next\", <https://a.example/?page=9>; rel=\"last\"";
    assert_eq!(next_link(header), Some("https://a.example/?q=a,b&page=3"));
    assert_eq!(next_link("</things?page=2>;rel=next"), Some("/things?page=2"));
    assert_eq!(next_link("<https://a.example/>; rel=\"last\""), None);
    assert_eq!(next_link("nonsense <"), None);
}

fn step(pagination: &Pagination, params: &Map<String, Value>, body: &Value, count: usize) -> Result<String, String> {
    let elements = vec![json!({ "id": "x9" }); count];
    let next = Progress::default().next(pagination, params, &HttpResponse::default(), body, &elements, HERE);
    match next {
        Ok(None) => Ok(String::new()),
        Ok(Some(Next::Address(to))) => Ok(to),
        Ok(Some(Next::Parameter(name, value))) => Ok(format!("{name}={value}")),
        Err(failure) => Err(failure.code),
    }
}

#[test]
fn each_way_of_paging_finds_the_next_page_and_the_end() {
    let size = |value| Some(PageSize { parameter: "limit".into(), value });
    let url = Pagination::NextUrl { field: "/next".into(), size: None };
    let cursor = Pagination::Cursor {
        parameter: "after".into(),
        field: "/cursor".into(),
        last: false,
        more: Some("/more".into()),
        path: None,
        size: None,
    };
    let last = Pagination::Cursor {
        parameter: "after".into(),
        field: "/id".into(),
        last: true,
        more: None,
        path: None,
        size: None,
    };
    let page = Pagination::Page { parameter: "page".into(), first: 1, more: None, size: size(2) };
    let offset = Pagination::Offset { parameter: "skip".into(), total: Some("/total".into()), size: None };
    let none = Map::new();
    for (pagination, body, count, wanted) in [
        (&url, json!({ "next": "/v1/things?page=2" }), 1, "https://api.example.com/v1/things?page=2"),
        (&url, json!({ "next": null }), 1, ""),
        (&cursor, json!({ "cursor": "c2", "more": true }), 1, "after=\"c2\""),
        (&cursor, json!({ "cursor": "c2", "more": false }), 1, ""),
        (&cursor, json!({ "cursor": "", "more": true }), 1, ""),
        (&last, json!({}), 1, "after=\"x9\""),
        (&last, json!({}), 0, ""),
        (&page, json!({}), 2, "page=2"),
        (&page, json!({}), 1, ""),
        (&offset, json!({ "total": 5 }), 2, "skip=2"),
        (&offset, json!({ "total": 2 }), 2, ""),
    ] {
        assert_eq!(step(pagination, &none, &body, count), Ok(wanted.to_owned()), "{pagination:?} {body}");
    }
    let third = json!({ "page": 3 }).as_object().cloned().unwrap_or_default();
    assert_eq!(step(&page, &third, &json!({}), 2), Ok("page=4".to_owned()));
}

/// What a service answers must not send the next request, with its credential, elsewhere.
#[test]
fn the_next_page_never_leads_to_another_host() {
    let url = Pagination::NextUrl { field: "/next".into(), size: None };
    for to in
        ["https://evil.example/steal", "http://api.example.com/v1", "//evil.example/", "https://api.example.com:8443/"]
    {
        let got = step(&url, &Map::new(), &json!({ "next": to }), 1);
        assert_eq!(got.err().as_deref(), Some("NEXT_PAGE_REFUSED"), "{to}");
    }
}

#[test]
fn a_list_that_leads_back_to_itself_ends() {
    let url = Pagination::NextUrl { field: "/next".into(), size: None };
    let mut progress = Progress::default();
    let mut ask = || {
        let body = json!({ "next": "/v1/things?page=2" });
        progress.next(&url, &Map::new(), &HttpResponse::default(), &body, &[json!(1)], HERE).map(|next| next.is_some())
    };
    assert_eq!(ask().ok(), Some(true));
    assert_eq!(ask().expect_err("a loop").code, "PAGE_LOOP");
}
