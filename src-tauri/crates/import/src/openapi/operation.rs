//! The operations of a document.

use super::document::{Document, Version, below};
use super::parameter::{Parameters, bytes, words};
use super::schema::Schemas;
use super::{Findings, Operations, first_sentence, guess, short};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_model::Operation;
use signalbox_model::connector::{Body, Parameter, Place, Response};
use std::collections::HashSet;

const METHODS: [&str; 7] = ["get", "head", "options", "post", "put", "patch", "delete"];
const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

pub(super) fn all(document: &Document<'_>, schemas: &mut Schemas<'_>, findings: &mut Findings) -> Operations {
    let mut made = Operations { known: IndexMap::new(), left_out: 0 };
    let mut taken = HashSet::new();
    for (path, item) in document.root["paths"].as_object().into_iter().flatten() {
        if path.starts_with("x-") {
            continue;
        }
        let at = below("/paths", path);
        let item = match document.resolved(item, &at) {
            Ok((item, _)) => item,
            Err(why) => {
                made.left_out += 1;
                findings.add(at, format!("The path is left out: {}", why.0));
                continue;
            }
        };
        for method in METHODS {
            let Some(operation) = item.get(method).filter(|operation| operation.is_object()) else { continue };
            let at = below(&at, method);
            match one(path, method, item, operation, &at, schemas, findings) {
                Ok(compiled) => {
                    let name = distinct(name(operation, method, path), &mut taken);
                    made.known.insert(name, compiled);
                }
                Err(why) => {
                    made.left_out += 1;
                    findings.add(at, format!("The operation is left out: {why}"));
                }
            }
        }
    }
    made
}

fn name(operation: &Value, method: &str, path: &str) -> String {
    let given = operation["operationId"].as_str().unwrap_or_default();
    let text =
        if given.trim().is_empty() { format!("{method}{}", path.replace(['{', '}'], "")) } else { given.to_owned() };
    let mut name = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/') { c } else { '_' };
        if given.is_empty() && c == '/' {
            name.push('_');
        } else {
            name.push(c);
        }
    }
    name.chars().take(150).collect()
}

fn distinct(name: String, taken: &mut HashSet<String>) -> String {
    let name = if name.is_empty() { "operation".to_owned() } else { name };
    let mut unique = name.clone();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{name}_{number}");
        number += 1;
    }
    unique
}

fn title(operation: &Value, method: &str, path: &str) -> String {
    let summary = operation["summary"].as_str().map(|text| short(text, 100)).filter(|text| !text.is_empty());
    summary.unwrap_or_else(|| match operation["operationId"].as_str().filter(|id| !id.is_empty()) {
        Some(id) => in_words(id),
        None => format!("{} {path}", method.to_uppercase()),
    })
}

/// `listUserRepos` and `list_user_repos` as `List user repos`.
pub(crate) fn in_words(id: &str) -> String {
    let mut text = String::new();
    let mut before = ' ';
    for c in id.chars() {
        if matches!(c, '_' | '-' | '.' | '/' | ' ') {
            text.push(' ');
        } else if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            text.push(' ');
            text.extend(c.to_lowercase());
        } else {
            text.push(c);
        }
        before = c;
    }
    let mut letters = text.trim().chars();
    let text: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    short(&text, 100)
}

fn one(
    path: &str,
    method: &str,
    item: &Value,
    operation: &Value,
    at: &str,
    schemas: &mut Schemas<'_>,
    findings: &mut Findings,
) -> Result<Operation, String> {
    let elsewhere = [operation, item].iter().any(|of| of["servers"].as_array().is_some_and(|list| !list.is_empty()));
    if elsewhere {
        return Err("it has another server than the document".into());
    }
    if !path.starts_with('/') || path.contains(['?', '#', ' ', '\\']) {
        return Err(format!("'{}' is not a path", short(path, 100)));
    }
    let mut parameters = Parameters::default();
    let of_path = below(at.rsplit_once('/').map_or(at, |(path, _)| path), "parameters");
    for (list, place) in [(&item["parameters"], of_path), (&operation["parameters"], below(at, "parameters"))] {
        for (index, parameter) in list.as_array().into_iter().flatten().enumerate() {
            parameters.add(parameter, &below(&place, &index.to_string()), schemas, findings)?;
        }
    }
    path_parameters(path, at, &mut parameters, findings);
    let body = match schemas.document().version {
        Version::Swagger2 => swagger_body(operation, &mut parameters, schemas.document()),
        Version::Open30 | Version::Open31 => request_body(operation, at, schemas, findings)?,
    };
    parameters.distinct(body.as_ref().is_some_and(|body| !body.schema.is_null()));
    let mut compiled = Operation {
        title: title(operation, method, path),
        description: operation["description"].as_str().map(|text| first_sentence(text, 300)).unwrap_or_default(),
        group: operation["tags"][0].as_str().map(|tag| short(tag, 60)),
        method: method.to_uppercase(),
        path: path.to_owned(),
        deprecated: operation["deprecated"] == true,
        parameters: parameters.list,
        body,
        ..Operation::default()
    };
    if compiled.description == compiled.title {
        compiled.description.clear();
    }
    compiled.response = response(operation, at, schemas, findings);
    guess::pages(&mut compiled, operation, schemas);
    Ok(compiled)
}

/// Each variable of the path has a parameter, and each such parameter its variable.
fn path_parameters(path: &str, at: &str, parameters: &mut Parameters, findings: &mut Findings) {
    let names = guess::placeholders(path);
    parameters.list.retain(|parameter| {
        let used = parameter.place != Place::Path || names.contains(&parameter.wire_name());
        if !used {
            findings.add(at, format!("The path does not use the parameter '{}', which is left out", parameter.name));
        }
        used
    });
    for name in names {
        if !parameters.list.iter().any(|known| known.place == Place::Path && known.wire_name() == name) {
            findings.add(at, format!("The path's parameter '{name}' is not described; it is taken for a text"));
            parameters.list.push(Parameter {
                name: name.to_owned(),
                place: Place::Path,
                required: true,
                schema: json!({ "type": "string", "minLength": 1 }),
                ..Parameter::default()
            });
        }
    }
}

/// The content type that is sent, of those that the service takes.
fn preferred<'a>(medias: &[&'a str]) -> Option<&'a str> {
    let bare = |media: &str| media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let find = |wanted: &dyn Fn(&str) -> bool| medias.iter().find(|media| wanted(&bare(media))).copied();
    find(&|media| media == "application/json")
        .or_else(|| find(&|media| media.ends_with("+json")))
        .or_else(|| find(&|media| media == FORM))
        .or_else(|| find(&|media| media == MULTIPART))
        .or_else(|| medias.first().copied())
}

fn content_type(media: &str) -> Option<String> {
    let bare = media.split(';').next().unwrap_or_default().trim();
    (!bare.is_empty() && bare != "application/json" && !bare.contains('*')).then(|| bare.to_owned())
}

fn request_body(
    operation: &Value,
    at: &str,
    schemas: &mut Schemas<'_>,
    findings: &mut Findings,
) -> Result<Option<Body>, String> {
    let Some(given) = operation.get("requestBody") else { return Ok(None) };
    let (given, at) = schemas.document().resolved_owned(given, &below(at, "requestBody")).map_err(|why| why.0)?;
    let Some(content) = given["content"].as_object() else { return Ok(None) };
    let medias: Vec<&str> = content.keys().map(String::as_str).collect();
    let Some(media) = preferred(&medias) else { return Ok(None) };
    let at = below(&below(&at, "content"), media);
    let bare = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let raw = !bare.contains("json") && bare != FORM && bare != MULTIPART && !bare.contains('*');
    let schema = if raw && !bare.starts_with("text/") && !bare.ends_with("xml") {
        bytes()
    } else {
        let mut schema = schemas.convert(&content[media]["schema"], &below(&at, "schema"), findings);
        if bare == MULTIPART {
            schema = with_files(schemas, &content[media]["schema"], schema, &below(&at, "schema"), findings);
        }
        schema
    };
    Ok(Some(Body {
        required: given["required"] == true,
        content_type: content_type(media),
        description: words(&given),
        schema,
        ..Body::default()
    }))
}

/// The fields of a multipart body that are files take bytes of the item.
fn with_files(schemas: &mut Schemas<'_>, given: &Value, converted: Value, at: &str, findings: &mut Findings) -> Value {
    let (given, at) = match schemas.document().resolved_owned(given, at) {
        Ok(found) => found,
        Err(_) => return converted,
    };
    let is_file =
        |field: &Value| field["format"] == "binary" || field["contentMediaType"] == "application/octet-stream";
    let fields = given["properties"].as_object();
    let files: Vec<String> =
        fields.into_iter().flatten().filter(|(_, field)| is_file(field)).map(|(name, _)| name.clone()).collect();
    if files.is_empty() {
        return converted;
    }
    let mut schema = schemas.convert(&given, &at, findings);
    for name in files {
        schema["properties"][name] = bytes();
    }
    schema
}

fn swagger_body(operation: &Value, parameters: &mut Parameters, document: &Document<'_>) -> Option<Body> {
    let medias = |of: &Value| {
        of["consumes"]
            .as_array()
            .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
    };
    let medias = medias(operation).or_else(|| medias(document.root)).unwrap_or_default();
    let has_fields = parameters.list.iter().any(|parameter| parameter.place == Place::Body);
    if has_fields {
        let has_file = parameters.list.iter().any(|parameter| parameter.schema == bytes());
        let media = if has_file || (medias.iter().any(|m| m == MULTIPART) && !medias.iter().any(|m| m == FORM)) {
            MULTIPART
        } else {
            FORM
        };
        return Some(Body { content_type: Some(media.to_owned()), ..Body::default() });
    }
    let mut body = parameters.body.take()?;
    let refs: Vec<&str> = medias.iter().map(String::as_str).collect();
    body.content_type = preferred(&refs).and_then(content_type);
    Some(body)
}

fn response(operation: &Value, at: &str, schemas: &mut Schemas<'_>, findings: &mut Findings) -> Option<Response> {
    let responses = operation["responses"].as_object()?;
    let success = |status: &str| status.len() == 3 && status.starts_with('2');
    let mut wanted: Vec<(&String, &Value)> = responses.iter().filter(|(status, _)| success(status)).collect();
    wanted.sort_by_key(|(status, _)| (*status).clone());
    if wanted.is_empty() {
        wanted.extend(responses.get_key_value("default"));
    }
    for (status, given) in wanted {
        let path = below(&below(at, "responses"), status);
        let Ok((given, path)) = schemas.document().resolved_owned(given, &path) else {
            findings.add(path, "The response leads out of the document; what it returns is not known");
            continue;
        };
        let found = if schemas.document().version == Version::Swagger2 {
            given.get("schema").map(|schema| (schema.clone(), below(&path, "schema")))
        } else {
            given["content"].as_object().and_then(|content| {
                let (media, content) =
                    content.iter().find(|(media, _)| media.contains("json")).or_else(|| content.iter().next())?;
                if !media.contains("json") {
                    return None;
                }
                let at = below(&below(&below(&path, "content"), media), "schema");
                Some((content.get("schema")?.clone(), at))
            })
        };
        if let Some((schema, path)) = found {
            return Some(Response { schema: schemas.convert(&schema, &path, findings), ..Response::default() });
        }
    }
    None
}
