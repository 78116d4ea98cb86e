//! Every built-in descriptor is good, and every example of every descriptor does what it says.

use crate::common;

use common::{FakeHttp, answer, call, slot, world};
use futures_util::FutureExt as _;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::descriptor::Example;
use signalbox_model::{Mode, NodeDescriptor, NodeFailure, Role};
use signalbox_nodes::{Kind, catalog, check_descriptor, kind, registry, run_call};
use signalbox_ports::{HttpRequest, HttpResponse};

fn http() -> std::sync::Arc<FakeHttp> {
    let json = [("content-type", "application/json")];
    FakeHttp::new(move |request| {
        Ok(match request.url.as_str() {
            "https://api.example.org/repos/ada/engine/issues?per_page=2" => answer(
                200,
                &[
                    json[0],
                    ("link", "<https://api.example.org/repos/ada/engine/issues?per_page=2&page=2>; rel=\"next\""),
                ],
                r#"[{"number":1,"title":"The mill jams"},{"number":2,"title":"The store leaks"}]"#,
            ),
            "https://api.example.org/users/1" | "https://api.example.org/users/ada" => {
                answer(200, &json, r#"{"login":"ada","id":1,"bio":"First programmer","name":"Ada"}"#)
            }
            "https://api.example.org/feed.xml" => answer(
                200,
                &[("content-type", "application/rss+xml")],
                "<rss><channel><title>News</title><link>/</link><item><title>One</title><link>/one</link><guid>n1</guid>\
                 <pubDate>Mon, 30 Nov 2026 07:00:00 GMT</pubDate><description>Hi</description></item></channel></rss>",
            ),
            "https://api.example.org/logo.png" => answer(200, &[("content-type", "image/png")], "PNGBYTES"),
            "https://api.example.org/token"
                if request.body.as_deref() == Some(b"grant_type=client_credentials&scope=read+%26+write") =>
            {
                answer(200, &json, r#"{"token":"t"}"#)
            }
            "https://agent.example.org/.well-known/agent-card.json" => answer(
                200,
                &json,
                r#"{"name":"Greeter","supportedInterfaces":[{"url":"https://agent.example.org/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}"#,
            ),
            "https://agent.example.org/a2a" => {
                let fails = request.body.as_deref().is_some_and(|body| String::from_utf8_lossy(body).contains("Fail"));
                let task = if fails {
                    r#"{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED"}}"#
                } else {
                    r#"{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a1","parts":[{"text":"Hello"}]}]}"#
                };
                answer(200, &json, &format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"task":{task}}}}}"#))
            }
            url if url.starts_with("https://s3.example.com/invoices") => bucket(request),
            "https://api.example.org/fail" => answer(503, &[], ""),
            _ => answer(404, &json, "{}"),
        })
    })
}

/// A bucket with one object, as S3 answers.
fn bucket(request: &HttpRequest) -> HttpResponse {
    let has = |name: &str| request.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let about =
        [("content-type", "text/plain"), ("etag", "\"e1\""), ("last-modified", "Mon, 30 Nov 2026 07:00:00 GMT")];
    match (
        request.method.as_str(),
        request.url.as_str().strip_prefix("https://s3.example.com/invoices").unwrap_or_default(),
    ) {
        ("GET", list) if list.starts_with("?list-type=2") => answer(
            200,
            &[("content-type", "application/xml")],
            "<ListBucketResult><Contents><Key>2026/11/a.pdf</Key><Size>3</Size><ETag>\"e1\"</ETag>\
             <LastModified>2026-11-30T07:00:00.000Z</LastModified></Contents></ListBucketResult>",
        ),
        ("GET", "/2026/11/a.txt") | ("HEAD", "/a.txt") => answer(200, &about, "Hi"),
        ("PUT", _) if has("if-none-match") => answer(412, &[], ""),
        ("PUT", "/done/a.txt") if has("x-amz-copy-source") => answer(200, &[], "<CopyObjectResult/>"),
        ("PUT", "/2026/11/a.txt") => answer(200, &[("etag", "\"e2\"")], ""),
        ("DELETE", "/a.txt") => answer(204, &[], ""),
        _ => answer(404, &[], "<Error><Code>NoSuchKey</Code><Message>No such key</Message></Error>"),
    }
}

type Ports = IndexMap<String, Vec<Value>>;

pub(crate) fn run(descriptor: &NodeDescriptor, code: Kind, example: &Example) -> Result<Ports, NodeFailure> {
    let world = world(http());
    let slots = match descriptor.default_mode(&example.config) {
        Mode::All => vec![slot(example.config.clone(), &example.input)],
        Mode::Each => {
            example.input.iter().map(|data| slot(example.config.clone(), std::slice::from_ref(data))).collect()
        }
    };
    let mut ports = Ports::new();
    for slot in slots {
        let call = call(&descriptor.kind, descriptor.effects.of(&example.config), slot);
        // Nothing in the world of these tests waits, so one poll is enough.
        let results = run_call(code, &call, &world, &signalbox_ports::Unheard).now_or_never().expect("nothing waits");
        for (_, result) in results {
            for (port, items) in result?.ports {
                ports.entry(port).or_default().extend(items.iter().map(|item| (*item.data).clone()));
            }
        }
    }
    Ok(ports)
}

#[test]
fn every_example_does_what_it_says() {
    // All of them are told at once: who writes a descriptor writes several examples.
    let mut wrong = Vec::new();
    for (descriptor, code) in registry() {
        for example in &descriptor.examples {
            let name = format!("{}: {}", descriptor.kind, example.title);
            match (run(descriptor, *code, example), &example.output, &example.error) {
                (Ok(ports), Some(wanted), None) => {
                    let sorted = |ports: &Ports| {
                        let mut list: Vec<_> =
                            ports.iter().filter(|(_, v)| !v.is_empty()).map(|(k, v)| (k.clone(), v.clone())).collect();
                        list.sort_by(|a, b| a.0.cmp(&b.0));
                        list
                    };
                    if sorted(&ports) != sorted(wanted) {
                        wrong.push(format!("{name}: {:?}, not {:?}", sorted(&ports), sorted(wanted)));
                    }
                }
                (Err(failure), None, Some(code)) if failure.code == *code => {}
                (result, ..) => wrong.push(format!("{name}: {result:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_built_in_descriptor_is_good() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../node-catalog");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the catalog folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "yaml") {
            let text = std::fs::read_to_string(&path).expect("readable");
            assert_eq!(check_descriptor(&text), [], "{}", path.display());
            let descriptor: NodeDescriptor = serde_saphyr::from_str(&text).expect("parses");
            assert_eq!(path.file_stem().and_then(|s| s.to_str()), Some(descriptor.kind.as_str()));
            let embedded = catalog().into_iter().find(|embedded| embedded.kind == descriptor.kind);
            assert_eq!(embedded.as_ref(), Some(&descriptor), "the program has another descriptor than the file");
            // What asks people, works on failed calls or holds other steps is the engine's; scenarios show it.
            let engine = matches!(descriptor.role, Role::Recovery | Role::Approval | Role::Form | Role::Pause)
                || descriptor.role.is_container();
            assert!(engine || !descriptor.examples.is_empty(), "{} has no example", descriptor.kind);
            files += 1;
        }
    }
    assert_eq!(catalog().len(), files);
    assert!(catalog().iter().all(|descriptor| kind(&descriptor.kind).is_some()));
}

/// A text anywhere in it may be an expression or have holes.
fn is_evaluated(schema: &Value) -> bool {
    let flag = |name: &str| schema.get(name).and_then(Value::as_bool) == Some(true);
    if flag("x-raw") || flag("x-later") {
        return false;
    }
    let fields = schema.get("properties").and_then(Value::as_object);
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            fields.is_some_and(|fields| fields.values().any(is_evaluated))
                || schema
                    .get("additionalProperties")
                    .is_some_and(|more| *more != Value::Bool(false) && is_evaluated(more))
        }
        Some("array") => schema.get("items").is_none_or(is_evaluated),
        _ => true,
    }
}

/// Settings are evaluated before a step begins, so that every kind with settings fails as expressions fail.
#[test]
fn kinds_with_expressions_list_the_codes_of_expressions() {
    // A condition of its rules that cannot be evaluated does not fit; the handler itself does not fail.
    let never_fails = ["builtin.error_handler"];
    let mut evaluated = 0;
    for (descriptor, _) in
        registry().iter().filter(|(kind, _)| kind.config.get("properties").is_some() && is_evaluated(&kind.config))
    {
        evaluated += 1;
        for code in ["CEL_LIMIT", "EVAL", "MISSING_FIELD", "PAIRED_AMBIGUOUS", "PAIRED_MISSING"] {
            let listed = descriptor.errors.iter().any(|error| error.code == code);
            let expected = !never_fails.contains(&descriptor.kind.as_str());
            assert_eq!(listed, expected, "{code} under `errors` of {}", descriptor.kind);
        }
    }
    assert!(evaluated > 25, "{evaluated} kinds with settings that may be expressions");
}

/// A form shows the default as if it were chosen: to ask for it then would contradict that.
#[test]
fn a_required_setting_has_no_default() {
    for kind in catalog().iter() {
        let required = kind.config.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for name in required.iter().filter_map(Value::as_str) {
            assert!(kind.config["properties"][name].get("default").is_none(), "{} {name}", kind.kind);
        }
    }
}

#[test]
fn effects_decide_whether_code_may_be_pure() {
    for (descriptor, code) in registry() {
        let pure = descriptor.effects == signalbox_model::descriptor::ByConfig::Same(signalbox_model::Effects::None);
        assert_eq!(pure, matches!(code, Kind::Pure(_)), "{}", descriptor.kind);
    }
}

#[test]
fn a_mistyped_keyword_is_an_error_with_the_nearest_name() {
    let good = include_str!("../../../../../node-catalog/data.sort.yaml");
    for (from, to, path, words) in [
        ("minLength: 1", "minLenght: 1", "/config/properties/by/minLenght", "Did you mean 'minLength'?"),
        ("widget: cel", "widget: cell", "/config/properties/by/x-ui/widget", "Did you mean 'cel'?"),
        ("category: data", "category: dat", "/category", "Did you mean 'data'?"),
        ("summary: \"{by}", "summary: \"{bye}", "/summary", "Did you mean 'by'?"),
        ("required: [by]", "required: [bye]", "/config/required", "Add the property or remove the name"),
        ("default: asc", "default: up", "/config/properties/order/default", "Choose one of them"),
        ("additionalProperties: false", "additionalProperties: true", "/config", "Add additionalProperties: false"),
        ("type: data.sort", "type: Sort", "/type", "Write group and name in small letters"),
        ("minLength: 1", "minLength: one", "/config/properties/by/minLength", "Correct the value"),
    ] {
        assert!(good.contains(from), "{from}");
        let found = check_descriptor(&good.replacen(from, to, 1));
        assert!(found.iter().any(|d| d.path == path && d.hint.contains(words)), "{to}: {found:#?}");
    }
    let found = check_descriptor(&good.replacen("aliases:", "alias:", 1));
    assert!(found.len() == 1 && found[0].message.contains("alias"), "{found:#?}");
    assert_eq!(check_descriptor("just text").len(), 1);
}

#[test]
fn a_09_the_audit_step_says_what_it_is() {
    let all = catalog();
    let audit = all.iter().find(|known| known.kind == "builtin.audit").expect("it is there");
    let capabilities = ["sink", "compliance", "tamper_proof"].map(str::to_owned);
    assert_eq!((audit.category.as_str(), audit.capabilities.as_deref()), ("system", Some(&capabilities[..])));
}
