//! Queries and mutations as operations, lists that other objects hold among them, and how their pages are found.

use super::super::openapi::{Findings, Operations, first_sentence, in_words};
use super::arguments::{Inputs, is_required, words};
use super::selection::usual;
use super::types::{TypeRef, Types, is_name};
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_engine::connector::graphql::schema;
use signalbox_model::Operation;
use signalbox_model::connector::graphql::{FIELDS, GraphQl, GraphQlTypes};
use signalbox_model::connector::{Body, OperationEffects, PageSize, Pagination, Parameter, Place, Response};

/// Most operations with which lists inside objects are still added.
const MOST: usize = 5_000;
/// Elements that a page is asked for.
const PAGE: u64 = 100;
/// Arguments that count elements, with what says how many there are on a page.
const OFFSETS: [&str; 2] = ["offset", "skip"];
const SIZES: [&str; 4] = ["limit", "first", "take", "pageSize"];

pub(super) struct Made {
    pub(super) operations: Operations,
    pub(super) types: GraphQlTypes,
    pub(super) defs: IndexMap<String, Value>,
}

/// A field with those that lead to it.
type Way<'a> = Vec<(&'a str, &'a Value)>;

pub(super) fn all<'a>(schema: &'a Value, types: &'a Types<'a>, path: &str, findings: &mut Findings) -> Made {
    let mut maker = Maker { types, inputs: Inputs::new(types), selectable: types.selectable(), path };
    let mut made = Operations { known: IndexMap::new(), left_out: 0 };
    let root = |name: &str| schema[name]["name"].as_str().filter(|name| types.get(name).is_some());
    let (queries, mutations) = (root("queryType"), root("mutationType"));
    for (root, writes) in [(queries, false), (mutations, true)] {
        let Some(root) = root else { continue };
        let declared = types.get(root).and_then(|one| one["fields"].as_array()).map_or(0, Vec::len);
        let mut usable = 0;
        for (name, field) in types.fields(root) {
            usable += 1;
            let unique = if made.known.contains_key(name) { format!("{name}_mutation") } else { name.to_owned() };
            made.known.insert(unique, maker.one(&[(name, field)], writes));
        }
        if declared > usable {
            made.left_out += declared - usable;
            findings.add(format!("/types/{root}"), "Fields are left out whose names or types are not known");
        }
    }
    // Lists of an object, such as the issues of a repository: with pages of their own they are operations.
    let roots: Vec<(&str, &Value)> = queries.into_iter().flat_map(|root| types.fields(root)).collect();
    for (name, field) in roots {
        let of = TypeRef::of(field);
        if of.element().is_some() || connection(types, of.name()).is_some() {
            continue;
        }
        for (inner, about) in types.fields(of.name()) {
            if !has_argument(about, "after") || connection(types, TypeRef::of(about).name()).is_none() {
                continue;
            }
            if made.known.len() >= MOST {
                findings.add(
                    format!("/types/{}", of.name()),
                    format!("Lists inside objects are left out beyond {MOST} operations"),
                );
                break;
            }
            made.known.insert(format!("{name}.{inner}"), maker.one(&[(name, field), (inner, about)], false));
        }
    }
    if let Some(subscriptions) = schema["subscriptionType"]["name"].as_str() {
        let count = types.fields(subscriptions).count();
        made.left_out += count;
        if count > 0 {
            findings.add(format!("/types/{subscriptions}"), "Subscriptions are left out: a step has one answer");
        }
    }
    Made { operations: made, types: maker.selectable, defs: maker.inputs.finish() }
}

/// A list by the convention of Relay.
struct Connection<'a> {
    /// The type of the elements.
    of: TypeRef<'a>,
    /// They are in `edges`, each as `node`.
    in_edges: bool,
}

fn connection<'a>(types: &Types<'a>, name: &str) -> Option<Connection<'a>> {
    let info = TypeRef::of(types.field(name, "pageInfo")?).name();
    types.field(info, "hasNextPage")?;
    types.field(info, "endCursor")?;
    if let Some(nodes) = types.field(name, "nodes").and_then(|field| TypeRef::of(field).element()) {
        return Some(Connection { of: nodes, in_edges: false });
    }
    let edges = TypeRef::of(types.field(name, "edges")?).element()?;
    Some(Connection { of: TypeRef::of(types.field(edges.name(), "node")?), in_edges: true })
}

fn arguments(field: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let all = field["args"].as_array().into_iter().flatten();
    all.filter_map(|argument| Some((argument["name"].as_str().filter(|name| is_name(name))?, argument)))
}

fn has_argument(field: &Value, name: &str) -> bool {
    arguments(field).any(|(known, _)| known == name)
}

struct Maker<'a> {
    types: &'a Types<'a>,
    inputs: Inputs<'a>,
    selectable: GraphQlTypes,
    path: &'a str,
}

impl<'a> Maker<'a> {
    fn one(&mut self, way: &[(&'a str, &'a Value)], writes: bool) -> Operation {
        let way: Way<'a> = way.to_vec();
        let Some((_, last)) = way.last().copied() else { return Operation::default() };
        let of = TypeRef::of(last);
        let connection = connection(self.types, of.name()).filter(|_| of.element().is_none());
        let (parameters, declared, called) = self.parameters(&way, connection.is_some());
        let element = connection.as_ref().map_or(of, |connection| connection.of);
        let (of_name, composite) = (element.name(), self.types.is_composite(element.name()));
        let fields = if composite { usual(self.types, of_name, writes) } else { String::new() };
        let pointer: String =
            std::iter::once("data").chain(way.iter().map(|(name, _)| *name)).flat_map(|part| ["/", part]).collect();
        let inside = match (&connection, composite) {
            (Some(Connection { in_edges: true, .. }), true) => {
                format!(" {{ edges {{ node {FIELDS} }} pageInfo {{ hasNextPage endCursor }} }}")
            }
            (Some(Connection { in_edges: true, .. }), false) => {
                " { edges { node } pageInfo { hasNextPage endCursor } }".to_owned()
            }
            (Some(_), true) => format!(" {{ nodes {FIELDS} pageInfo {{ hasNextPage endCursor }} }}"),
            (Some(_), false) => " { nodes pageInfo { hasNextPage endCursor } }".to_owned(),
            (None, true) => format!(" {FIELDS}"),
            (None, false) => String::new(),
        };
        let name: Vec<&str> = way.iter().map(|(name, _)| *name).collect();
        let kind = if writes { "mutation" } else { "query" };
        let opened: Vec<String> = way.iter().zip(&called).map(|((name, _), given)| format!("{name}{given}")).collect();
        let document = format!(
            "{kind} {}{declared} {{ {}{inside} {}}}",
            name.join("_"),
            opened.join(" { "),
            "} ".repeat(way.len() - 1),
        );
        let described = if composite { schema(&fields, of_name, &self.selectable) } else { Value::Null };
        // The name of a variable has the field before it where another argument had its name first.
        let variable = |argument: &&str| {
            let long = format!("{}_{argument}", way.last().map_or("", |(name, _)| *name));
            let of_last = parameters.iter().rev().find(|one| one.name == **argument || one.name == long);
            of_last.map(|one| one.name.clone())
        };
        let page_size = |names: &[&str]| Some(PageSize { parameter: names.iter().find_map(&variable)?, value: PAGE });
        let (response, pagination) = match &connection {
            Some(list) => {
                let items = if list.in_edges { "edges" } else { "nodes" };
                let pages = variable(&"after").map(|parameter| Pagination::Cursor {
                    parameter,
                    field: format!("{pointer}/pageInfo/endCursor"),
                    last: false,
                    more: Some(format!("{pointer}/pageInfo/hasNextPage")),
                    path: None,
                    size: page_size(&["first"]),
                });
                let element = list.in_edges.then(|| "/node".to_owned());
                (
                    Response {
                        items: Some(format!("{pointer}/{items}")),
                        element,
                        schema: described,
                        ..Response::default()
                    },
                    pages,
                )
            }
            None if of.element().is_some() && of.element().is_some_and(|inner| inner.element().is_none()) => {
                let offset = OFFSETS.iter().find_map(variable);
                let size = page_size(&SIZES);
                let pages = offset.filter(|_| size.is_some());
                let pages = pages.map(|parameter| Pagination::Offset { parameter, total: None, size });
                (Response { items: Some(pointer), schema: described, ..Response::default() }, pages)
            }
            None => (Response { data: Some(pointer), schema: described, ..Response::default() }, None),
        };
        let is_list = response.items.is_some();
        Operation {
            title: way.iter().map(|(name, _)| in_words(name)).collect::<Vec<_>>().join(": "),
            description: last["description"].as_str().map(|text| first_sentence(text, 300)).unwrap_or_default(),
            group: Some(
                if writes {
                    "Mutations"
                } else if is_list {
                    "Lists"
                } else {
                    "Queries"
                }
                .to_owned(),
            ),
            method: "POST".into(),
            path: self.path.to_owned(),
            effects: Some(if writes { OperationEffects::Write } else { OperationEffects::Read }),
            deprecated: way.iter().any(|(_, field)| field["isDeprecated"] == true),
            parameters,
            body: Some(Body::default()),
            graphql: Some(GraphQl { document, fields, of: if composite { of_name.to_owned() } else { String::new() } }),
            response: Some(response),
            pagination,
            ..Operation::default()
        }
    }

    /// Parameters, the declaration of their variables, and what each field of the way is called with.
    fn parameters(&mut self, way: &Way<'a>, is_connection: bool) -> (Vec<Parameter>, String, Vec<String>) {
        let (mut list, mut declared, mut called) = (Vec::<Parameter>::new(), Vec::new(), Vec::new());
        for (index, (field, about)) in way.iter().enumerate() {
            let paged = is_connection && index + 1 == way.len();
            let mut given = Vec::new();
            for (name, argument) in arguments(about) {
                let of = TypeRef::of(argument);
                // Pages are read forwards; a request with both directions is refused.
                let backwards = paged && matches!(name, "before" | "last");
                if self.types.kind(of.name()).is_none() || (backwards && !is_required(argument)) {
                    continue;
                }
                let taken = list.iter().any(|one| one.name == name);
                let variable = if taken { format!("{field}_{name}") } else { name.to_owned() };
                declared.push(format!("${variable}: {}", of.text()));
                given.push(format!("{name}: ${variable}"));
                list.push(Parameter {
                    sent_as: Some(format!("/variables/{variable}")),
                    name: variable,
                    place: Place::Body,
                    required: is_required(argument),
                    description: words(argument),
                    schema: self.inputs.schema(of),
                    ..Parameter::default()
                });
            }
            called.push(if given.is_empty() { String::new() } else { format!("({})", given.join(", ")) });
        }
        let declared = if declared.is_empty() { String::new() } else { format!("({})", declared.join(", ")) };
        (list, declared, called)
    }
}
