//! Parameters of an operation.

use super::document::{Version, below};
use super::schema::Schemas;
use super::{Findings, short};
use serde_json::{Value, json};
use signalbox_model::connector::{Body, Parameter, Place, Style};

/// Headers that the program or the credential makes; OpenAPI says that such parameters are not used.
const OWN: [&str; 9] = [
    "accept",
    "content-type",
    "authorization",
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "cookie",
];
const DESCRIPTION: usize = 300;

/// Parameters, and the body where parameters describe it (Swagger 2).
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) list: Vec<Parameter>,
    pub(super) body: Option<Body>,
}

impl Parameters {
    /// Adds a parameter; one of the operation replaces that of its path.
    pub(super) fn add(
        &mut self,
        parameter: &Value,
        path: &str,
        schemas: &mut Schemas<'_>,
        findings: &mut Findings,
    ) -> Result<(), String> {
        let (parameter, path) = schemas.document().resolved_owned(parameter, path).map_err(|why| why.0)?;
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        if name.is_empty() {
            return Err("a parameter has no name".into());
        }
        let place = match parameter["in"].as_str() {
            Some("path") => Place::Path,
            Some("query") => Place::Query,
            Some("header") => Place::Header,
            Some("cookie") => Place::Cookie,
            Some("formData") => Place::Body,
            Some("body") => {
                let schema = schemas.convert(&parameter["schema"], &below(&path, "schema"), findings);
                self.body = Some(Body {
                    required: parameter["required"] == true,
                    description: words(&parameter),
                    schema,
                    ..Body::default()
                });
                return Ok(());
            }
            other => {
                return Err(format!(
                    "the parameter '{}' is in '{}', which is not a place",
                    short(&name, 60),
                    other.unwrap_or("")
                ));
            }
        };
        if place == Place::Header && OWN.contains(&name.to_ascii_lowercase().as_str()) {
            return Ok(());
        }
        let made = self.read(&parameter, &name, place, &path, schemas, findings);
        self.list.retain(|known| !(known.place == place && known.wire_name() == name));
        self.list.push(made);
        Ok(())
    }

    fn read(
        &self,
        parameter: &Value,
        name: &str,
        place: Place,
        path: &str,
        schemas: &mut Schemas<'_>,
        findings: &mut Findings,
    ) -> Parameter {
        let mut made = Parameter {
            name: name.to_owned(),
            place,
            required: place == Place::Path || parameter["required"] == true,
            description: words(parameter),
            ..Parameter::default()
        };
        if schemas.document().version == Version::Swagger2 {
            // The schema stands in the parameter itself.
            made.schema = schemas.convert(parameter, path, findings);
            if let Value::Object(schema) = &mut made.schema {
                schema.shift_remove("description");
                schema.shift_remove("required");
            }
            if parameter["type"] == "file" {
                made.schema = bytes();
            }
            if place != Place::Body || parameter["type"] == "array" {
                match parameter["collectionFormat"].as_str() {
                    Some("multi") => made.explode = Some(true),
                    Some("ssv") => made.style = Some(Style::SpaceDelimited),
                    Some("pipes") => made.style = Some(Style::PipeDelimited),
                    Some("tsv") => findings.add(path, "Lists separated by tabs are sent separated by commas"),
                    _ => {}
                }
                let is_list = parameter["type"] == "array";
                if is_list && made.style.is_none() && made.explode.is_none() && place == Place::Query {
                    made.explode = Some(false);
                }
            }
            if place != Place::Query {
                made.style = None;
            }
            return made;
        }
        let json_content = parameter["content"].as_object().and_then(|content| content.iter().next());
        if let Some((media, content)) = json_content {
            made.json = media.contains("json");
            let at = below(&below(&below(path, "content"), media), "schema");
            made.schema = schemas.convert(&content["schema"], &at, findings);
            return made;
        }
        made.schema = schemas.convert(&parameter["schema"], &below(path, "schema"), findings);
        made.style = match (parameter["style"].as_str(), place) {
            (Some("label"), Place::Path) => Some(Style::Label),
            (Some("matrix"), Place::Path) => Some(Style::Matrix),
            (Some("spaceDelimited"), Place::Query) => Some(Style::SpaceDelimited),
            (Some("pipeDelimited"), Place::Query) => Some(Style::PipeDelimited),
            (Some("deepObject"), Place::Query) => Some(Style::DeepObject),
            // The usual ones need not be said.
            _ => None,
        };
        let usual =
            matches!(place, Place::Query | Place::Cookie) && made.style.is_none_or(|style| style == Style::DeepObject);
        made.explode = parameter["explode"].as_bool().filter(|explode| *explode != usual);
        made.allow_reserved = parameter["allowReserved"] == true && place == Place::Query;
        // Many services write lists as `name[]`, and say so by the name alone.
        if place == Place::Query && name.ends_with("[]") {
            made.sent_as = Some(name.to_owned());
            name.trim_end_matches("[]").clone_into(&mut made.name);
        }
        made
    }

    /// Gives each parameter a name of its own.
    pub(super) fn distinct(&mut self, has_body: bool) {
        for index in 0..self.list.len() {
            let name = self.list[index].name.clone();
            let taken = self.list[..index].iter().any(|earlier| earlier.name == name)
                || (has_body && name == signalbox_model::connector::BODY);
            if taken {
                let place = match self.list[index].place {
                    Place::Path => "path",
                    Place::Query => "query",
                    Place::Header => "header",
                    Place::Cookie => "cookie",
                    Place::Body => "field",
                };
                let wire = self.list[index].wire_name().to_owned();
                let mut other = format!("{name}_{place}");
                while self.list.iter().any(|known| known.name == other) {
                    other.push('_');
                }
                self.list[index].name = other;
                self.list[index].sent_as = Some(wire);
            }
        }
    }
}

/// What stands for a file: bytes of the item.
pub(super) fn bytes() -> Value {
    json!({ "description": "A file: {\"binary\": \"content\"} sends the item's bytes of that name." })
}

pub(super) fn words(value: &Value) -> String {
    value["description"].as_str().map(|words| short(words, DESCRIPTION)).unwrap_or_default()
}
