//! How requests are authenticated.

use super::document::{Document, Version, below};
use super::{Findings, short};
use serde_json::Value;
use signalbox_model::connector::{AuthPlace, AuthScheme};

/// The ways, those that the whole document asks for first, and whether requests without one are answered.
pub(super) fn of(document: &Document<'_>, findings: &mut Findings) -> (Vec<AuthScheme>, bool) {
    let (at, all) = if document.version == Version::Swagger2 {
        ("/securityDefinitions", &document.root["securityDefinitions"])
    } else {
        ("/components/securitySchemes", &document.root["components"]["securitySchemes"])
    };
    let asked: Vec<&str> = document.root["security"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .flat_map(|one| one.keys().map(String::as_str))
        .collect();
    let mut schemes: Vec<(usize, AuthScheme)> = Vec::new();
    for (name, scheme) in all.as_object().into_iter().flatten() {
        let path = below(at, name);
        let Ok((scheme, _)) = document.resolved(scheme, &path) else {
            findings.add(path, "The security scheme leads out of the document and is left out");
            continue;
        };
        let rank = asked.iter().position(|wanted| wanted == name).unwrap_or(usize::MAX);
        match read(scheme) {
            Ok(found) => found.into_iter().for_each(|found| schemes.push((rank, found))),
            Err(why) => findings.add(path, format!("The security scheme '{name}' is left out: {why}")),
        }
    }
    schemes.sort_by_key(|(rank, _)| *rank);
    let mut found: Vec<AuthScheme> = Vec::new();
    for (_, scheme) in schemes {
        if !found.iter().any(|known| known.place == scheme.place && known.name == scheme.name) {
            found.push(scheme);
        }
    }
    if all.as_object().is_none_or(serde_json::Map::is_empty) {
        findings.add(at.to_owned(), "The document does not say how requests are authenticated; a step can name a credential, and it is sent in the usual way");
        return (crate::usual_auth::all(), true);
    }
    let open = |list: &Value| list.as_array().is_some_and(|list| list.iter().any(|one| one == &serde_json::json!({})));
    let security = &document.root["security"];
    let anonymous = !found.is_empty() && (security.is_null() || open(security));
    (found, anonymous)
}

fn read(scheme: &Value) -> Result<Vec<AuthScheme>, String> {
    let description = scheme["description"].as_str().map(|words| short(words, 200));
    let plain = |place: AuthPlace| AuthScheme {
        place,
        name: None,
        prefix: None,
        description: description.clone(),
        token_url: None,
        scopes: Vec::new(),
    };
    let kind = scheme["type"].as_str().unwrap_or_default();
    match kind {
        "basic" => Ok(vec![plain(AuthPlace::Basic)]),
        "http" => match scheme["scheme"].as_str().unwrap_or_default().to_ascii_lowercase().as_str() {
            "bearer" => Ok(vec![plain(AuthPlace::Bearer)]),
            "basic" => Ok(vec![plain(AuthPlace::Basic)]),
            other => Err(format!("the scheme '{}' is not supported", short(other, 40))),
        },
        "apiKey" => {
            let name = scheme["name"].as_str().map(str::to_owned);
            match scheme["in"].as_str() {
                Some("header") => Ok(vec![AuthScheme { name, ..plain(AuthPlace::Header) }]),
                Some("query") => Ok(vec![AuthScheme { name, ..plain(AuthPlace::Query) }]),
                _ => Err("a key in a cookie is not supported".into()),
            }
        }
        "oauth2" => {
            let flows = &scheme["flows"];
            // The same grant under the names of 3 and of Swagger 2.
            let client = flows.get("clientCredentials").or_else(|| flows.get("application"));
            let client = client.or_else(|| (scheme["flow"] == "application").then_some(scheme));
            let mut found = Vec::new();
            if let Some(url) = client.and_then(|flow| flow["tokenUrl"].as_str()).filter(|url| url.starts_with("http")) {
                let scopes = client.and_then(|flow| flow["scopes"].as_object());
                found.push(AuthScheme {
                    token_url: Some(url.to_owned()),
                    scopes: scopes.into_iter().flatten().map(|(name, _)| name.clone()).collect(),
                    ..plain(AuthPlace::ClientCredentials)
                });
            }
            found.push(plain(AuthPlace::Bearer));
            Ok(found)
        }
        "openIdConnect" => Ok(vec![plain(AuthPlace::Bearer)]),
        other => Err(format!("the type '{}' is not supported", short(other, 40))),
    }
}
