use serde_json::{Value, json};
use signalbox_engine::connector::file::problems;
use signalbox_engine::connector::{output_schema, params_schema};
use signalbox_engine::schema::Schema;
use signalbox_import::graphql::{CAPABILITIES, Options, compile, is_introspection, knows_one_of, query};
use signalbox_model::connector::Pagination;
use signalbox_model::{Connector, Effects, Replay};

/// `[User!]!` as an introspection has it; the kind of the name inside is looked up.
fn of(text: &str) -> Value {
    if let Some(inner) = text.strip_suffix('!') {
        return json!({ "kind": "NON_NULL", "name": null, "ofType": of(inner) });
    }
    match text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        Some(inner) => json!({ "kind": "LIST", "name": null, "ofType": of(inner) }),
        None => json!({ "kind": "OBJECT", "name": text, "ofType": null }),
    }
}

fn input(name: &str, text: &str) -> Value {
    json!({ "name": name, "description": null, "defaultValue": null, "type": of(text) })
}

fn field(name: &str, text: &str, args: &[(&str, &str)]) -> Value {
    let args: Vec<Value> = args.iter().map(|(name, text)| input(name, text)).collect();
    json!({ "name": name, "description": null, "isDeprecated": false, "args": args, "type": of(text) })
}

fn object(name: &str, fields: &[Value]) -> Value {
    json!({ "kind": "OBJECT", "name": name, "fields": fields, "inputFields": null, "enumValues": null, "possibleTypes": null })
}

const PAGED: [(&str, &str); 4] = [("first", "Int"), ("after", "String"), ("last", "Int"), ("before", "String")];

fn service() -> Value {
    let scalar = |name: &str| json!({ "kind": "SCALAR", "name": name });
    let connection = |name: &str, list: &str, of: &str| {
        object(name, &[field(list, &format!("[{of}]"), &[]), field("pageInfo", "PageInfo!", &[])])
    };
    let mut old = field("old", "String", &[]);
    old["isDeprecated"] = true.into();
    let mut state = input("state", "State!");
    state["defaultValue"] = "OPEN".into();
    let types = json!([
        scalar("String"), scalar("Int"), scalar("ID"), scalar("Boolean"), scalar("DateTime"), scalar("JSON"),
        { "kind": "ENUM", "name": "State", "enumValues": [{ "name": "OPEN" }, { "name": "CLOSED" }] },
        object("Query", &[
            field("hello", "String!", &[]),
            field("issue", "Issue", &[("id", "ID!")]),
            field("users", "[User!]!", &[("limit", "Int"), ("offset", "Int")]),
            field("search", "Hits!", &[("text", "String!"), ("first", "Int"), ("after", "String")]),
            field("repository", "Repository", &[("name", "String!")]),
            field("any", "Any", &[]),
            field("bad name }", "String", &[]),
        ]),
        object("Mutation", &[field("createIssue", "CreateIssue", &[("input", "NewIssue!")]), field("hello", "String", &[])]),
        object("Subscription", &[field("issues", "Issue", &[])]),
        object("Issue", &[
            field("id", "ID!", &[]), field("title", "String", &[]), field("state", "State!", &[]), old,
            field("createdAt", "DateTime!", &[]), field("author", "User", &[]), field("body", "String", &[("as", "String!")]),
        ]),
        object("User", &[field("login", "String!", &[]), field("id", "ID", &[])]),
        object("Repository", &[field("issues", "Issues!", &[&PAGED[..], &[("name", "String")]].concat())]),
        connection("Issues", "nodes", "Issue"), connection("Hits", "edges", "Hit"),
        object("Hit", &[field("node", "Any", &[]), field("cursor", "String!", &[])]),
        object("PageInfo", &[field("hasNextPage", "Boolean!", &[]), field("endCursor", "String", &[])]),
        { "kind": "UNION", "name": "Any", "possibleTypes": [{ "name": "Issue" }, { "name": "User" }] },
        object("CreateIssue", &[field("clientMutationId", "String", &[]), field("issue", "Issue", &[])]),
        { "kind": "INPUT_OBJECT", "name": "NewIssue", "inputFields": [
            input("title", "String!"), state, input("labels", "[String!]"), input("parent", "NewIssue"),
            input("due", "DateTime"), input("extra", "JSON"), input("by", "Who"),
        ] },
        { "kind": "INPUT_OBJECT", "name": "Who", "isOneOf": true, "inputFields": [input("id", "ID"), input("login", "String")] },
    ]);
    json!({ "data": { "__schema": {
        "queryType": { "name": "Query" }, "mutationType": { "name": "Mutation" }, "subscriptionType": { "name": "Subscription" },
        "types": types,
    } } })
}

fn compiled(address: Option<&str>) -> (Connector, Vec<String>, usize) {
    let options = Options { name: None, address: address.map(str::to_owned) };
    let made = compile(&service(), &options).expect("it compiles");
    let found = problems(&made.connector);
    assert!(found.is_empty(), "{found:#?}");
    (made.connector, made.findings.into_iter().map(|one| one.message).collect(), made.left_out)
}

fn document(connector: &Connector, operation: &str) -> String {
    let graphql = connector.operations[operation].graphql.as_ref().expect("GraphQL");
    graphql.with_fields(None).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn queries_and_mutations_become_operations_with_variables() {
    let (connector, findings, left_out) = compiled(Some("https://api.shop.example/graphql"));
    assert_eq!((connector.name.as_str(), connector.title.as_str()), ("api-shop-example", "api.shop.example"));
    let named = Options { name: Some("tickets".into()), address: Some("https://api.shop.example/graphql".into()) };
    let named = compile(&service(), &named).expect("it compiles").connector;
    assert_eq!((named.name.as_str(), named.title.as_str()), ("tickets", "tickets"), "as a person calls it");
    assert_eq!(connector.servers[0].url, "https://api.shop.example/graphql");
    let names: Vec<&str> = connector.operations.keys().map(String::as_str).collect();
    let wanted = [
        "hello",
        "issue",
        "users",
        "search",
        "repository",
        "any",
        "createIssue",
        "hello_mutation",
        "repository.issues",
    ];
    assert_eq!(names, wanted);
    assert_eq!(document(&connector, "hello"), "query hello { hello }");
    assert_eq!(document(&connector, "issue"), "query issue($id: ID!) { issue(id: $id) { id title state createdAt } }");
    // Nothing plain in the answer: the plain fields of its objects.
    let created =
        "mutation createIssue($input: NewIssue!) { createIssue(input: $input) { issue { id title state createdAt } } }";
    assert_eq!(document(&connector, "createIssue"), created);
    assert_eq!(
        document(&connector, "any"),
        "query any { any { __typename ... on Issue { id title state createdAt } ... on User { login } } }",
        "a name that two types have differently is selected once"
    );
    let (read, write) = (&connector.operations["issue"], &connector.operations["createIssue"]);
    assert_eq!((read.effect(), read.replay()), (Effects::Read, Replay::Safe));
    assert_eq!((write.effect(), write.replay()), (Effects::Write, Replay::Ask));
    assert_eq!(read.parameters[0].wire_name(), "/variables/id");
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert_eq!(left_out, 2, "a name that is none, and a subscription");
    assert_eq!(
        output_schema(&connector, read)["properties"],
        json!({ "id": { "type": "string" }, "title": { "type": ["string", "null"] }, "state": { "type": "string" }, "createdAt": {} })
    );
}

#[test]
fn lists_are_items_with_their_pages() {
    let (connector, ..) = compiled(None);
    let issues = &connector.operations["repository.issues"];
    assert_eq!(
        document(&connector, "repository.issues"),
        "query repository_issues($name: String!, $first: Int, $after: String, $issues_name: String) \
         { repository(name: $name) { issues(first: $first, after: $after, name: $issues_name) \
         { nodes { id title state createdAt } pageInfo { hasNextPage endCursor } } } }"
    );
    let response = issues.response.as_ref().expect("a response");
    assert_eq!((response.items.as_deref(), response.element.as_deref()), (Some("/data/repository/issues/nodes"), None));
    let Some(Pagination::Cursor { parameter, field, more, size, .. }) = &issues.pagination else { panic!("a cursor") };
    assert_eq!((parameter.as_str(), field.as_str()), ("after", "/data/repository/issues/pageInfo/endCursor"));
    assert_eq!(more.as_deref(), Some("/data/repository/issues/pageInfo/hasNextPage"));
    assert_eq!(size.as_ref().map(|size| size.parameter.as_str()), Some("first"));
    let search = &connector.operations["search"];
    let response = search.response.as_ref().expect("a response");
    assert_eq!((response.items.as_deref(), response.element.as_deref()), (Some("/data/search/edges"), Some("/node")));
    let users = &connector.operations["users"];
    assert!(matches!(&users.pagination, Some(Pagination::Offset { parameter, .. }) if parameter == "offset"));
    assert_eq!(users.response.as_ref().and_then(|response| response.items.as_deref()), Some("/data/users"));
    // Without an address, each step says it.
    assert_eq!(connector.servers[0].url, "{address}");
    assert_eq!(compiled(Some("https://a.example/graphql/")).0.operations["hello"].path, "/");
}

#[test]
fn arguments_become_schemas_that_fit_what_the_service_takes() {
    let (connector, ..) = compiled(None);
    let schema = params_schema(&connector, &connector.operations["createIssue"]);
    let compiled = Schema::compile(&schema).expect("a schema");
    for fits in [
        json!({ "input": { "title": "a" } }),
        json!({ "input": { "title": "a", "state": "CLOSED", "labels": null, "parent": { "title": "b" }, "extra": [1], "due": "2026-01-01" } }),
        json!({ "input": { "title": "a", "by": { "login": "ada" } } }),
    ] {
        assert!(compiled.validate(&fits).is_ok(), "{fits}");
    }
    for misfit in [
        json!({}),
        json!({ "input": {} }),
        json!({ "input": { "title": null } }),
        json!({ "input": { "title": "a", "state": "LOST" } }),
        json!({ "input": { "title": "a", "labels": [null] } }),
        json!({ "input": { "title": "a", "parent": {} } }),
        json!({ "input": { "title": "a", "by": { "id": "1", "login": "ada" } } }),
        json!({ "input": { "title": "a", "other": 1 } }),
    ] {
        assert!(compiled.validate(&misfit).is_err(), "{misfit}");
    }
    let paging = params_schema(&connector, &connector.operations["repository.issues"]);
    assert_eq!(paging["required"], json!(["name"]));
    assert_eq!(paging["properties"].get("last"), None, "pages are read forwards");
}

#[test]
fn what_is_no_introspection_is_refused_and_what_is_asked_for_is_known() {
    for other in [json!({}), json!({ "data": null }), json!({ "__schema": {} }), json!([1])] {
        assert!(!is_introspection(&other));
        assert!(compile(&other, &Options::default()).is_err());
    }
    let empty = json!({ "__schema": { "types": [], "queryType": { "name": "Query" } } });
    assert!(
        compile(&empty, &Options::default()).expect_err("nothing").message.contains("neither queries nor mutations")
    );
    let answer = json!({ "data": { "__type": { "fields": [{ "name": "kind" }, { "name": "isOneOf" }] } } });
    assert!(knows_one_of(&answer) && !knows_one_of(&json!({ "errors": [] })));
    assert!(query(true).contains("isOneOf") && !query(false).contains("isOneOf") && CAPABILITIES.contains("__Type"));
}
