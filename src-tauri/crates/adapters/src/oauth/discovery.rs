//! Who signs people in to a server: protected resource metadata (RFC 9728), then the metadata of its authorization server
//! (RFC 8414, OpenID Connect discovery). A server of 2025-03-26 has no resource metadata and signs people in itself.

use super::net::{Answer, Net};
use super::{Fault, Wanted, challenge, url_of};
use serde_json::Value;
use url::Url;

/// What was found.
#[derive(Clone)]
pub(super) struct Found {
    /// The authorization server, as it calls itself.
    pub(super) issuer: String,
    /// What tokens are for.
    pub(super) resource: String,
    pub(super) authorization_endpoint: Option<Url>,
    pub(super) token_endpoint: Url,
    pub(super) registration_endpoint: Option<Url>,
    pub(super) revocation_endpoint: Option<Url>,
    /// Rights that the server has.
    pub(super) scopes: Vec<String>,
    /// It gives `offline_access`.
    pub(super) offline: bool,
    /// How clients say who they are at the token endpoint.
    pub(super) methods: Vec<String>,
    /// It reads client id metadata documents.
    pub(super) reads_documents: bool,
    /// It says who it is in what the browser brings back (RFC 9207).
    pub(super) says_issuer: bool,
    /// It takes PKCE with S256.
    proof: bool,
}

impl Found {
    /// Refuses a server that does not protect codes.
    pub(super) fn takes_proof(&self) -> Result<(), Fault> {
        if self.proof {
            return Ok(());
        }
        let words = format!(
            "{} does not offer PKCE with S256, without which a code can be stolen; signing in is not possible",
            self.issuer
        );
        Err(Fault::refused(words))
    }
}

/// Two issuers are the same when their texts are, but for a slash at the end.
pub(super) fn same(one: &str, other: &str) -> bool {
    one.strip_suffix('/').unwrap_or(one) == other.strip_suffix('/').unwrap_or(other)
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The address of the server without what is no part of it.
fn canonical(server: &str) -> Result<Url, Fault> {
    let mut url = url_of(server)?;
    url.set_fragment(None);
    Ok(url)
}

/// Whether what a document speaks for is this server: the same origin, and its path or one above it.
fn covers(resource: &Url, server: &Url) -> bool {
    let folder = |url: &Url| format!("{}/", url.path().trim_end_matches('/'));
    resource.origin() == server.origin()
        && folder(server).starts_with(&folder(resource))
        && (resource.query().is_none() || resource.query() == server.query())
}

fn well_known(base: &Url, name: &str, path: &str) -> Url {
    let mut url = base.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&format!("/.well-known/{name}{path}"));
    url
}

/// The path of an address as it stands behind a well-known one.
fn tail(url: &Url) -> String {
    url.path().trim_end_matches('/').to_owned()
}

/// The first of several addresses at which a document is.
async fn first(net: &Net, places: &[Url]) -> Result<Option<Value>, Fault> {
    for url in places {
        match net.get(url).await? {
            // A site that answers every path with its page has no such document.
            Answer { status: 200..=299, body } => {
                if let Some(body) = body {
                    return Ok(Some(body));
                }
            }
            Answer { status: 400..=499, .. } => {}
            Answer { status, .. } => {
                let words = format!(
                    "{} answered {status} when it was asked who signs people in",
                    url.host_str().unwrap_or_default()
                );
                return Err(Fault::unreachable(words));
            }
        }
    }
    Ok(None)
}

async fn resource_metadata(net: &Net, wanted: &Wanted, server: &Url) -> Result<Option<Value>, Fault> {
    const NAME: &str = "oauth-protected-resource";
    if let Some(named) = &wanted.challenge.resource_metadata {
        let url = net.address("address of the server's metadata", named)?;
        let found = first(net, std::slice::from_ref(&url)).await?;
        return found
            .map(Some)
            .ok_or_else(|| Fault::refused(format!("At {url}, which the server names, is no metadata of it")));
    }
    let root = well_known(server, NAME, "");
    let own = well_known(server, NAME, &tail(server));
    let places = if own == root { vec![root] } else { vec![own, root] };
    first(net, &places).await
}

/// Who signs people in to a server.
pub(super) async fn find(net: &Net, wanted: &Wanted) -> Result<Found, Fault> {
    let server = canonical(&wanted.server)?;
    net.address("address of the server", server.as_str())?;
    let named = wanted.settings.issuer.as_deref();
    let Some(metadata) = resource_metadata(net, wanted, &server).await? else {
        return of_the_old_kind(net, named, &server).await;
    };
    let resource = metadata["resource"].as_str().and_then(|text| Url::parse(text).ok());
    let resource = resource.filter(|resource| covers(resource, &server)).ok_or_else(|| {
        let said: String = metadata["resource"].as_str().unwrap_or("nothing").chars().take(200).collect();
        Fault::refused(format!("The server's metadata is for {said}, not for {server}; nothing was sent"))
    })?;
    // As it is written: some compare letter by letter.
    let resource = metadata["resource"].as_str().map_or_else(|| resource.to_string(), str::to_owned);
    let offered = texts(&metadata["authorization_servers"]);
    let issuer = match named {
        Some(named) => offered.iter().find(|one| same(one, named)).cloned().ok_or_else(|| not_named(named))?,
        None => match offered.into_iter().next() {
            Some(first) => first,
            None => return Err(Fault::refused("The server's metadata names no authorization server")),
        },
    };
    let base = net.address("authorization server", &issuer)?;
    let path = tail(&base);
    let mut places =
        vec![well_known(&base, "oauth-authorization-server", &path), well_known(&base, "openid-configuration", &path)];
    if !path.is_empty() {
        let mut below = base.clone();
        below.set_path(&format!("{path}/.well-known/openid-configuration"));
        below.set_query(None);
        places.push(below);
    }
    let said = first(net, &places).await?;
    let said = said.ok_or_else(|| Fault::refused(format!("{issuer} does not describe how to sign in")))?;
    // Whoever speaks for somebody else may not (RFC 8414, 3.3).
    if !said["issuer"].as_str().is_some_and(|told| same(told, &issuer)) {
        return Err(Fault::refused(format!("{issuer} calls itself otherwise in its metadata; nothing was sent to it")));
    }
    let scopes = challenge::scopes(&texts(&metadata["scopes_supported"]).join(" "));
    read(net, &said, resource, scopes)
}

fn not_named(named: &str) -> Fault {
    Fault::refused(format!("The server is not signed in to at {named}, which is the only one that was allowed for it"))
}

/// 2025-03-26: the server's own origin signs people in, with or without saying so.
async fn of_the_old_kind(net: &Net, named: Option<&str>, server: &Url) -> Result<Found, Fault> {
    let origin = server.origin().ascii_serialization();
    if let Some(named) = named.filter(|named| !same(named, &origin)) {
        return Err(not_named(named));
    }
    let resource = server.to_string();
    let place = well_known(server, "oauth-authorization-server", "");
    if let Some(said) = first(net, &[place]).await? {
        let told = said["issuer"].as_str().and_then(|text| Url::parse(text).ok());
        if told.is_none_or(|told| told.origin() != server.origin()) {
            return Err(Fault::refused(format!("{origin} describes another authorization server")));
        }
        return read(net, &said, resource, Vec::new());
    }
    let at = |path: &str| {
        let mut url = server.clone();
        url.set_path(path);
        url.set_query(None);
        url
    };
    Ok(Found {
        issuer: origin,
        resource,
        authorization_endpoint: Some(at("/authorize")),
        token_endpoint: at("/token"),
        registration_endpoint: Some(at("/register")),
        revocation_endpoint: None,
        scopes: Vec::new(),
        offline: false,
        methods: Vec::new(),
        reads_documents: false,
        says_issuer: false,
        // That version asks every server for it.
        proof: true,
    })
}

fn read(net: &Net, said: &Value, resource: String, scopes: Vec<String>) -> Result<Found, Fault> {
    let issuer = said["issuer"].as_str().unwrap_or_default().to_owned();
    let at = |key: &str| {
        let text = said[key].as_str();
        text.map(|text| net.address(&key.replace('_', " "), text)).transpose()
    };
    let token_endpoint =
        at("token_endpoint")?.ok_or_else(|| Fault::refused(format!("{issuer} does not say where tokens are given")))?;
    Ok(Found {
        resource,
        authorization_endpoint: at("authorization_endpoint")?,
        token_endpoint,
        registration_endpoint: at("registration_endpoint")?,
        revocation_endpoint: at("revocation_endpoint")?,
        scopes,
        offline: texts(&said["scopes_supported"]).iter().any(|scope| scope == "offline_access"),
        methods: texts(&said["token_endpoint_auth_methods_supported"]),
        reads_documents: said["client_id_metadata_document_supported"] == true,
        says_issuer: said["authorization_response_iss_parameter_supported"] == true,
        proof: texts(&said["code_challenge_methods_supported"]).iter().any(|method| method == "S256"),
        issuer,
    })
}
