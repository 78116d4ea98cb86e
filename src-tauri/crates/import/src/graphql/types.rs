//! The types of a service: their names are checked once, because they become parts of documents.

use super::super::openapi::Findings;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::connector::graphql::GraphQlTypes;

/// What a name in a field's or an argument's type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar,
    Enum,
    Object,
    Interface,
    Union,
    Input,
}

/// A type with its list and non-null marks taken off one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypeRef<'a>(&'a Value);

impl<'a> TypeRef<'a> {
    pub(super) fn of(field: &'a Value) -> Self {
        Self(&field["type"])
    }

    fn inner(self) -> Self {
        Self(&self.0["ofType"])
    }

    pub(super) fn is_non_null(self) -> bool {
        self.0["kind"] == "NON_NULL"
    }

    /// The type without its mark that it is never null.
    pub(super) fn nullable(self) -> Self {
        if self.is_non_null() { self.inner() } else { self }
    }

    /// What a list has; nothing when it is none.
    pub(super) fn element(self) -> Option<Self> {
        let list = self.nullable();
        (list.0["kind"] == "LIST").then(|| list.inner())
    }

    /// The name inside.
    pub(super) fn name(self) -> &'a str {
        let mut here = self.0;
        while let Some(inner) = here.get("ofType").filter(|inner| inner.is_object()) {
            here = inner;
        }
        here["name"].as_str().unwrap_or_default()
    }

    /// As GraphQL writes it.
    pub(super) fn text(self) -> String {
        if self.is_non_null() {
            return format!("{}!", self.inner().text());
        }
        match self.element() {
            Some(element) => format!("[{}]", element.text()),
            None => self.name().to_owned(),
        }
    }
}

/// The types of a service by name.
pub(super) struct Types<'a> {
    all: IndexMap<&'a str, (Kind, &'a Value)>,
}

/// Whether a text is a name (GraphQL, 2.1.9).
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.len() <= 200
}

impl<'a> Types<'a> {
    pub(super) fn new(schema: &'a Value, findings: &mut Findings) -> Self {
        let mut all = IndexMap::new();
        for (index, one) in schema["types"].as_array().into_iter().flatten().enumerate() {
            let name = one["name"].as_str().unwrap_or_default();
            let kind = match one["kind"].as_str().unwrap_or_default() {
                "SCALAR" => Kind::Scalar,
                "ENUM" => Kind::Enum,
                "OBJECT" => Kind::Object,
                "INTERFACE" => Kind::Interface,
                "UNION" => Kind::Union,
                "INPUT_OBJECT" => Kind::Input,
                _ => continue,
            };
            if !is_name(name) {
                findings.add(format!("/types/{index}/name"), "A type is left out: its name is not one of GraphQL");
                continue;
            }
            if !name.starts_with("__") {
                all.insert(name, (kind, one));
            }
        }
        Self { all }
    }

    pub(super) fn kind(&self, name: &str) -> Option<Kind> {
        Some(self.all.get(name)?.0)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        Some(self.all.get(name)?.1)
    }

    /// Whether values of a type have fields.
    pub(super) fn is_composite(&self, name: &str) -> bool {
        matches!(self.kind(name), Some(Kind::Object | Kind::Interface | Kind::Union))
    }

    /// Fields of a type whose names and types can be written.
    pub(super) fn fields(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + '_ {
        self.named(name, "fields")
    }

    /// Fields of an input type.
    pub(super) fn inputs(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + '_ {
        self.named(name, "inputFields")
    }

    fn named(&self, name: &str, list: &str) -> impl Iterator<Item = (&'a str, &'a Value)> + '_ {
        let list = self.get(name).and_then(|one| one[list].as_array());
        list.into_iter().flatten().filter_map(|field| {
            let name = field["name"].as_str().filter(|name| is_name(name))?;
            self.kind(TypeRef::of(field).name()).map(|_| (name, field))
        })
    }

    pub(super) fn field(&self, of: &str, name: &str) -> Option<&'a Value> {
        self.fields(of).find(|(known, _)| *known == name).map(|(_, field)| field)
    }

    /// Names of the types that a value of an interface or a union may have.
    pub(super) fn possible(&self, name: &str) -> impl Iterator<Item = &'a str> + '_ {
        let list = self.get(name).and_then(|one| one["possibleTypes"].as_array());
        list.into_iter().flatten().filter_map(|one| one["name"].as_str()).filter(|name| self.get(name).is_some())
    }

    /// The types that selections are checked against.
    pub(super) fn selectable(&self) -> GraphQlTypes {
        let composite = self.all.keys().filter(|name| self.is_composite(name));
        let fields = |name: &&str| {
            let fields = self.fields(name).map(|(field, about)| (field.to_owned(), self.declared(TypeRef::of(about))));
            fields.collect::<IndexMap<_, _>>()
        };
        composite.map(|name| ((*name).to_owned(), fields(name))).collect()
    }

    /// A field's type; a list of values is a text.
    fn declared(&self, of: TypeRef<'_>) -> String {
        let text = of.text();
        if self.kind(of.name()) == Some(Kind::Enum) { text.replace(of.name(), "String") } else { text }
    }
}
