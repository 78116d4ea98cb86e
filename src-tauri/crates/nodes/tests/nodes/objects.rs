//! Object steps against peers with the recorded shapes of the stores: what is sent, and what becomes of the answers.

use crate::common::{FakeHttp, answer, call, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_model::{Effects, NodeFailure};
use signalbox_nodes::{kind, run_call};
use signalbox_ports::{HttpRequest, HttpResponse};
use std::sync::Arc;

/// Runs a step; gives the items, and the requests as `METHOD address header=value …`.
pub(crate) fn run(
    name: &str,
    config: Value,
    answers: impl Fn(&HttpRequest) -> HttpResponse + Send + Sync + 'static,
) -> (Result<Vec<Value>, NodeFailure>, Vec<String>) {
    let http = FakeHttp::new(move |request| Ok(answers(request)));
    let world = world(Arc::clone(&http));
    let call = call(name, Effects::Write, slot(config, &[json!({})]));
    let code = kind(name).expect("is there");
    let mut results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
    let (_, outcome) = results.pop().expect("one slot");
    let items = outcome.map(|output| {
        let items = output.ports.get("success").map(|items| items.iter().map(|one| (*one.data).clone()).collect());
        items.unwrap_or_default()
    });
    let asked = http.asked.lock().expect("not poisoned").iter().map(line).collect();
    (items, asked)
}

fn line(request: &HttpRequest) -> String {
    let own = ["content-type", "idempotency-key", "x-ms-version"];
    let headers = request.headers.iter().filter(|(name, _)| !own.contains(&name.to_ascii_lowercase().as_str()));
    let headers: String = headers.map(|(name, value)| format!(" {}={value}", name.to_ascii_lowercase())).collect();
    format!("{} {}{headers}", request.method, request.url)
}

fn xml(text: &str) -> HttpResponse {
    answer(200, &[("content-type", "application/xml")], text)
}

#[test]
fn lists_of_s3_are_followed_page_by_page_to_the_limit() {
    let pages = |request: &HttpRequest| {
        if request.url.contains("continuation-token=t%2F1") {
            xml("<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>\
                 <Contents><Key>b%2Bc</Key><Size>2</Size><ETag>&quot;2&quot;</ETag></Contents>\
                 <Contents><Key>d</Key><Size>3</Size></Contents></ListBucketResult>")
        } else {
            xml("<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><EncodingType>url</EncodingType>\
                 <IsTruncated>true</IsTruncated><NextContinuationToken>t/1</NextContinuationToken>\
                 <Contents><Key>a+b</Key><Size>1</Size></Contents><CommonPrefixes><Prefix>x/</Prefix></CommonPrefixes></ListBucketResult>")
        }
    };
    let config = json!({ "address": "https://s3.example.com", "bucket": "b", "recursive": false, "limit": 3 });
    let (items, asked) = run("object.list", config, pages);
    let keys: Vec<Value> = items.expect("lists").iter().map(|item| json!([item["key"], item["folder"]])).collect();
    assert_eq!(keys, [json!(["x/", true]), json!(["a b", false]), json!(["b+c", false])]);
    assert_eq!(
        asked,
        [
            "GET https://s3.example.com/b?list-type=2&encoding-type=url&max-keys=3&delimiter=%2F",
            "GET https://s3.example.com/b?list-type=2&encoding-type=url&max-keys=1&delimiter=%2F&continuation-token=t%2F1",
        ]
    );
    // A store that names the same page again.
    let (items, _) = run("object.list", json!({ "address": "https://s3.example.com", "bucket": "b" }), |_| {
        xml(
            "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>",
        )
    });
    assert_eq!(items.expect_err("no end").code, "PAGE_LOOP");
    let (items, _) =
        run("object.list", json!({ "address": "https://s3.example.com", "bucket": "b" }), |_| xml("<html/>"));
    assert_eq!(items.expect_err("no list").code, "BAD_ANSWER");
}

#[test]
fn azure_is_asked_in_its_own_words() {
    let config =
        json!({ "system": "azure", "address": "https://ada.blob.example.com", "bucket": "c", "prefix": "in/" });
    let (items, asked) = run("object.list", config.clone(), |_| {
        xml("<EnumerationResults><Blobs><Blob><Name>in/a.csv</Name><Properties><Content-Length>7</Content-Length>\
             <Content-Type>text/csv</Content-Type><Etag>0x8D</Etag><Last-Modified>Mon, 30 Nov 2026 07:00:00 GMT</Last-Modified>\
             </Properties></Blob></Blobs><NextMarker/></EnumerationResults>")
    });
    let items = items.expect("lists");
    assert_eq!(
        items,
        [json!({
            "key": "in/a.csv", "name": "a.csv", "folder": false, "size": 7, "type": "text/csv", "version": "0x8D",
            "modified": "2026-11-30T07:00:00.000Z",
        })]
    );
    assert_eq!(asked, ["GET https://ada.blob.example.com/c?restype=container&comp=list&maxresults=1000&prefix=in%2F"]);
    let mut write = config.clone();
    for (name, value) in [("key", json!("in/b")), ("content", json!("x")), ("when", json!("new"))] {
        write[name] = value;
    }
    let (items, asked) = run("object.write", write, |_| answer(201, &[("etag", "0x9")], ""));
    assert_eq!(items.expect("writes")[0]["version"], "0x9");
    assert_eq!(asked, ["PUT https://ada.blob.example.com/c/in/b x-ms-blob-type=BlockBlob if-none-match=*"]);
}

#[test]
fn an_object_is_moved_only_as_it_was_copied() {
    let config = json!({ "address": "https://b.s3.example.com/", "key": "a b", "to": "c/d", "when": "new" });
    let store = |request: &HttpRequest| match request.method.as_str() {
        "HEAD" if request.url.ends_with("/a%20b") => answer(200, &[("etag", "\"1\"")], ""),
        "PUT" => xml("<CopyObjectResult/>"),
        "DELETE" => answer(204, &[], ""),
        _ => answer(404, &[], ""),
    };
    let (items, asked) = run("object.move", config.clone(), store);
    assert_eq!(items.expect("moves"), [json!({ "key": "c/d", "from": "a b", "kept": false })]);
    assert_eq!(
        asked,
        [
            "HEAD https://b.s3.example.com/a%20b",
            "HEAD https://b.s3.example.com/c/d",
            "PUT https://b.s3.example.com/c/d x-amz-copy-source=/b/a%20b x-amz-copy-source-if-match=\"1\" if-none-match=*",
            "DELETE https://b.s3.example.com/a%20b if-match=\"1\"",
        ]
    );
    // S3 says 200 before it knows that it fails: nothing is removed.
    let (items, asked) = run("object.move", config.clone(), move |request| match request.method.as_str() {
        "PUT" => xml("<Error><Code>InternalError</Code><Message>We encountered an error</Message></Error>"),
        _ => store(request),
    });
    let failure = items.expect_err("fails");
    assert_eq!((failure.code.as_str(), failure.retryable), ("COPY_FAILED", true));
    assert!(!asked.iter().any(|line| line.starts_with("DELETE")), "{asked:?}");
    // A store that knows no conditions here is asked without them.
    let (items, asked) = run("object.move", config.clone(), move |request| {
        let conditional = request.headers.iter().any(|(name, _)| name.starts_with("If-"));
        if conditional { answer(501, &[], "<Error><Code>NotImplemented</Code></Error>") } else { store(request) }
    });
    items.expect("moves");
    assert_eq!(asked.len(), 6, "{asked:?}");
    // Somebody wrote it after it was copied: it stays.
    let (items, _) = run("object.move", config, move |request| match request.method.as_str() {
        "DELETE" => answer(412, &[], "<Error><Code>PreconditionFailed</Code><Message>changed</Message></Error>"),
        _ => store(request),
    });
    let failure = items.expect_err("fails");
    assert_eq!((failure.code.as_str(), &failure.details["copied"]), ("PRECONDITION_FAILED", &json!(true)));
}

#[test]
fn folders_of_webdav_are_walked_and_made() {
    let config = json!({ "system": "webdav", "address": "https://cloud.example.com/dav/ada", "prefix": "in/" });
    let (items, asked) = run("object.list", config, |request| {
        let folder = |href: &str| {
            format!(
                "<d:response><d:href>{href}</d:href><d:propstat><d:prop><d:resourcetype><d:collection/></d:resourcetype>\
                     </d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
            )
        };
        let file = |href: &str| {
            format!(
                "<d:response><d:href>{href}</d:href><d:propstat><d:prop><d:resourcetype/><d:getcontentlength>3</d:getcontentlength>\
                     <d:getetag>\"e\"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
            )
        };
        let inside = if request.url.ends_with("/in/") {
            folder("/dav/ada/in/") + &folder("/dav/ada/in/2026%20a/") + &file("https://cloud.example.com/dav/ada/in/a+b.txt")
                // A server that names what is elsewhere is not believed.
                + &file("/dav/eve/x.txt") + &file("/dav/ada/in/../secret")
        } else {
            folder("/dav/ada/in/2026%20a/") + &file("/dav/ada/in/2026%20a/c.txt")
        };
        answer(
            207,
            &[("content-type", "application/xml")],
            &format!("<d:multistatus xmlns:d=\"DAV:\">{inside}</d:multistatus>"),
        )
    });
    let keys: Vec<String> =
        items.expect("lists").iter().map(|item| item["key"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!(keys, ["in/a+b.txt", "in/2026 a/c.txt"]);
    assert_eq!(
        asked,
        [
            "PROPFIND https://cloud.example.com/dav/ada/in/ depth=1",
            "PROPFIND https://cloud.example.com/dav/ada/in/2026%20a/ depth=1",
        ]
    );
    let write =
        json!({ "system": "webdav", "address": "https://cloud.example.com/dav", "key": "a/b/c.txt", "content": "x" });
    let (items, asked) = run("object.write", write, |request| match request.method.as_str() {
        "HEAD" => answer(404, &[], ""),
        "MKCOL" if request.url.ends_with("/a/") => answer(405, &[], ""),
        _ => answer(201, &[], ""),
    });
    items.expect("writes");
    assert_eq!(
        asked,
        [
            "HEAD https://cloud.example.com/dav/a/b/",
            "MKCOL https://cloud.example.com/dav/a/",
            "MKCOL https://cloud.example.com/dav/a/b/",
            "PUT https://cloud.example.com/dav/a/b/c.txt",
        ]
    );
    let moved =
        json!({ "system": "webdav", "address": "https://cloud.example.com/dav", "key": "c", "to": "d", "when": "new" });
    let (items, asked) = run("object.move", moved, |_| answer(412, &[], ""));
    assert_eq!(items.expect_err("is there").code, "PRECONDITION_FAILED");
    assert_eq!(asked, ["MOVE https://cloud.example.com/dav/c destination=https://cloud.example.com/dav/d overwrite=F"]);
}

#[test]
fn refusals_say_what_to_do() {
    let config = || json!({ "address": "https://s3.example.com", "bucket": "b", "key": "k" });
    for (status, headers, body, code, retryable) in [
        (403, &[][..], "<Error><Code>AccessDenied</Code><Message>no</Message></Error>", "AUTH", false),
        (503, &[], "<Error><Code>SlowDown</Code><Message>slower</Message></Error>", "SERVICE_UNAVAILABLE", true),
        (301, &[("x-amz-bucket-region", "eu-west-1")], "", "REDIRECT_REFUSED", false),
        (404, &[], "<Error><Code>NoSuchBucket</Code><Message>no bucket</Message></Error>", "NOT_FOUND", false),
        (
            404,
            &[],
            "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><Error><Code>&b;</Code></Error>",
            "NOT_FOUND",
            false,
        ),
    ] {
        let (items, _) = run("object.read", config(), move |_| answer(status, headers, body));
        let failure = items.expect_err("fails");
        assert_eq!((failure.code.as_str(), failure.retryable), (code, retryable), "{failure:?}");
        assert!(status != 301 || failure.message.contains("eu-west-1"), "{failure:?}");
    }
    // Which bucket, where, and what to do; a store that is asked with the bucket in its host has no name in its path.
    let missing = "<Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist.</Message></Error>";
    let words = |kind: &str, config: Value, body: &'static str| {
        let (items, _) = run(kind, config, move |_| answer(404, &[], body));
        items.expect_err("fails").message
    };
    let store = |address: &str, bucket: &str| json!({ "address": address, "bucket": bucket });
    assert_eq!(
        words("object.list", store("http://127.0.0.1:5000", "lost"), missing),
        "127.0.0.1:5000 has no bucket 'lost': The specified bucket does not exist. Correct 'bucket' or 'address', or create the bucket"
    );
    assert_eq!(
        words("object.list", store("https://lost.s3.example.com", ""), ""),
        "lost.s3.example.com has no bucket. Correct 'bucket' or 'address', or create the bucket"
    );
    let found = words("object.read", config(), missing);
    assert!(found.starts_with("s3.example.com has no bucket 'b': "), "{found}");
    let azure = json!({ "system": "azure", "address": "https://me.blob.example.com", "bucket": "lost" });
    assert!(words("object.list", azure, "").contains("has no container 'lost'. Correct"));
    for (field, value) in [
        ("key", "a/../b"),
        ("key", "a\nb"),
        ("address", "file:///etc"),
        ("bucket", "a/b"),
        ("address", "https://x/?a=b"),
    ] {
        let mut config = config();
        config[field] = json!(value);
        let (items, asked) = run("object.read", config, |_| answer(200, &[], ""));
        assert_eq!(items.expect_err("fails").details["field"], field);
        assert!(asked.is_empty());
    }
}
