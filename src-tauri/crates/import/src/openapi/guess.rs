//! What documents do not say and services mean: which part of a response is the list, and how its next page is found. What is
//! guessed stands in the file, where it can be changed.

use super::schema::Schemas;
use serde_json::{Map, Value};
use signalbox_model::Operation;
use signalbox_model::connector::{PageSize, Pagination, Place};

const SIZES: [&str; 16] = [
    "per_page",
    "perPage",
    "page_size",
    "pageSize",
    "limit",
    "size",
    "count",
    "max_results",
    "maxResults",
    "maxResultsPerPage",
    "$top",
    "top",
    "page[size]",
    "page[limit]",
    "pagelen",
    "first",
];
/// Parameters of a cursor, and the fields that hold the next one.
const CURSORS: [(&str, &[&str]); 12] = [
    (
        "cursor",
        &[
            "/next_cursor",
            "/nextCursor",
            "/response_metadata/next_cursor",
            "/meta/next_cursor",
            "/cursor",
            "/pagination/next_cursor",
        ],
    ),
    ("page_token", &["/next_page_token", "/nextPageToken"]),
    ("pageToken", &["/nextPageToken", "/next_page_token"]),
    ("page_cursor", &["/next_page_cursor", "/next_cursor"]),
    ("start_cursor", &["/next_cursor"]),
    ("after", &["/paging/next/after", "/paging/cursors/after", "/meta/next", "/next", "/after"]),
    ("next_token", &["/next_token", "/nextToken", "/meta/next_token"]),
    ("nextToken", &["/nextToken"]),
    ("pagination_token", &["/meta/next_token"]),
    ("continuation", &["/continuation"]),
    ("continuationToken", &["/continuationToken", "/nextContinuationToken"]),
    ("offset", &["/offset", "/next_offset"]),
];
const NEXT_URLS: [&str; 12] = [
    "/next",
    "/nextLink",
    "/@odata.nextLink",
    "/next_page_url",
    "/nextPageUrl",
    "/next_page",
    "/next_url",
    "/links/next",
    "/_links/next/href",
    "/paging/next",
    "/pagination/next",
    "/meta/next",
];
const PAGES: [&str; 6] = ["page", "page_number", "pageNumber", "page[number]", "p", "pageIndex"];
const OFFSETS: [&str; 6] = ["offset", "skip", "start", "startAt", "$skip", "page[offset]"];
const TOTALS: [&str; 7] =
    ["/total", "/total_count", "/totalCount", "/count", "/totalResults", "/meta/total", "/pagination/total"];
const MORE: [&str; 6] =
    ["/has_more", "/hasMore", "/has_next", "/hasNextPage", "/meta/has_more", "/pagination/has_more"];

/// Names between `{` and `}`.
pub(super) fn placeholders(text: &str) -> Vec<&str> {
    signalbox_engine::connector::placeholders(text)
}

/// Finds the list of a response and its pages.
pub(super) fn pages(operation: &mut Operation, given: &Value, schemas: &Schemas<'_>) {
    if operation.method != "GET" || operation.response.is_none() {
        return;
    }
    let Some(schema) = response_schema(given, schemas) else { return };
    let whole = properties(&schema, schemas, 0);
    let is_list = is_array(&schema);
    let list = if is_list { Some(String::new()) } else { list_field(&whole) };
    let Some(list) = list else { return };
    let found = found(operation, given, &whole, is_list, schemas);
    // A list inside an object is taken out only where it has pages: the rest of the object would be lost.
    if found.is_none() && !is_list {
        return;
    }
    let inner = element(operation, &list);
    let Some(response) = &mut operation.response else { return };
    response.items = Some(list);
    response.schema = inner;
    operation.pagination = found;
}

/// The schema of elements, as far as it stands in the response itself.
fn element(operation: &Operation, list: &str) -> Value {
    let Some(response) = &operation.response else { return Value::Null };
    let array =
        if list.is_empty() { Some(&response.schema) } else { response.schema.pointer(&format!("/properties{list}")) };
    array.and_then(|array| array.get("items")).cloned().unwrap_or(Value::Null)
}

fn response_schema(given: &Value, schemas: &Schemas<'_>) -> Option<Value> {
    let responses = given["responses"].as_object()?;
    let (_, response) = responses.iter().find(|(status, _)| status.starts_with('2'))?;
    let (response, _) = schemas.document().resolved_owned(response, "").ok()?;
    let schema = response.get("schema").cloned().or_else(|| {
        let content = response["content"].as_object()?;
        content.iter().find(|(media, _)| media.contains("json")).and_then(|(_, one)| one.get("schema").cloned())
    })?;
    schemas.document().resolved_owned(&schema, "").ok().map(|(schema, _)| schema)
}

fn is_array(schema: &Value) -> bool {
    schema["type"] == "array" || schema["type"].as_array().is_some_and(|list| list.iter().any(|one| one == "array"))
}

/// Fields of an object, also those of `allOf`, two levels deep by pointer.
fn properties(schema: &Value, schemas: &Schemas<'_>, depth: usize) -> Map<String, Value> {
    let mut all = Map::new();
    if depth > 3 {
        return all;
    }
    let Ok((schema, _)) = schemas.document().resolved_owned(schema, "") else { return all };
    for part in schema["allOf"].as_array().into_iter().flatten() {
        all.extend(properties(part, schemas, depth + 1));
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let field = schemas.document().resolved_owned(field, "").map_or(Value::Null, |(field, _)| field);
        let below = if field["properties"].is_object() || field["allOf"].is_array() {
            properties(&field, schemas, depth + 1)
        } else {
            Map::new()
        };
        let token = signalbox_model::diagnostic::pointer_token(name);
        all.extend(below.into_iter().map(|(inner, field)| (format!("/{token}{inner}"), field)));
        all.insert(format!("/{token}"), field);
    }
    all
}

/// The only list of an object.
fn list_field(whole: &Map<String, Value>) -> Option<String> {
    let top = |name: &str| name.matches('/').count() == 1;
    let mut lists = whole.iter().filter(|(name, field)| top(name) && is_array(field));
    let first = lists.next()?;
    let usual = ["/data", "/items", "/results", "/value", "/values", "/records", "/entries"];
    match lists.next() {
        None => Some(first.0.clone()),
        Some(_) => usual.iter().find(|name| whole.get(**name).is_some_and(is_array)).map(|name| (*name).to_owned()),
    }
}

fn found(
    operation: &Operation,
    given: &Value,
    whole: &Map<String, Value>,
    is_list: bool,
    schemas: &Schemas<'_>,
) -> Option<Pagination> {
    let parameter =
        |name: &str| operation.parameters.iter().find(|one| one.place == Place::Query && one.wire_name() == name);
    let size = SIZES.iter().find_map(|name| {
        let found = parameter(name)?;
        let most = found.schema["maximum"].as_u64().unwrap_or(100).clamp(1, 1_000);
        Some(PageSize { parameter: found.name.clone(), value: most })
    });
    let first_of =
        |pointers: &[&str]| pointers.iter().find(|pointer| whole.contains_key(**pointer)).map(|p| (*p).to_owned());
    let is_text = |pointer: &String| {
        let kind = &whole[pointer.as_str()]["type"];
        kind.is_null() || kind == "string" || kind.as_array().is_some_and(|list| list.iter().any(|one| one == "string"))
    };
    if has_link(given, schemas) {
        return Some(Pagination::Link { size });
    }
    for (name, fields) in CURSORS {
        let Some(found) = parameter(name) else { continue };
        if let Some(field) = first_of(fields) {
            let (parameter, more) = (found.name.clone(), first_of(&MORE));
            return Some(Pagination::Cursor { parameter, field, last: false, more, path: None, size });
        }
    }
    // The id of the last element leads on.
    if let Some(after) = parameter("starting_after") {
        let (parameter, more) = (after.name.clone(), first_of(&MORE));
        return more.is_some().then(|| Pagination::Cursor {
            parameter,
            field: "/id".into(),
            last: true,
            more,
            path: None,
            size,
        });
    }
    if let Some(field) = first_of(&NEXT_URLS).filter(is_text) {
        return Some(Pagination::NextUrl { field, size });
    }
    if let Some(page) = PAGES.iter().find_map(|name| parameter(name)) {
        let zero = page.schema["default"] == 0 || page.schema["minimum"] == 0;
        let first = u64::from(!zero);
        return Some(Pagination::Page { parameter: page.name.clone(), first, more: first_of(&MORE), size });
    }
    let offset = OFFSETS.iter().find_map(|name| parameter(name))?;
    if !is_list && size.is_none() {
        return None;
    }
    Some(Pagination::Offset { parameter: offset.name.clone(), total: first_of(&TOTALS), size })
}

fn has_link(given: &Value, schemas: &Schemas<'_>) -> bool {
    given["responses"].as_object().into_iter().flatten().filter(|(status, _)| status.starts_with('2')).any(
        |(_, one)| {
            let Ok((one, _)) = schemas.document().resolved_owned(one, "") else { return false };
            one["headers"]
                .as_object()
                .is_some_and(|headers| headers.keys().any(|name| name.eq_ignore_ascii_case("link")))
        },
    )
}
