//! A command line of cURL as a workflow of one HTTP request.

mod words;

use crate::report::{Findings, Level, Report, Translated};
use crate::secrets::{self, TakenSecret};
use crate::text::Text;
use crate::{Imported, Options, Refused};
use serde_json::{Value, json};
use signalbox_model::{Edge, Map, Node, PortRef, Workflow, lossless};
use std::collections::BTreeSet;

/// Whether a text is such a command line.
pub(crate) fn is_one(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches(['$', '#', '>']).trim_start();
    let first = text.split([' ', '\t', '\n', '\r']).next().unwrap_or_default();
    matches!(first, "curl" | "curl.exe") && text.len() > first.len()
}

/// Options with a value that change nothing here.
const WITH_VALUE: [&str; 28] = [
    "-o",
    "--output",
    "--cacert",
    "--capath",
    "-E",
    "--cert",
    "--key",
    "--retry",
    "--retry-delay",
    "--retry-max-time",
    "--connect-timeout",
    "-w",
    "--write-out",
    "-c",
    "--cookie-jar",
    "--limit-rate",
    "--resolve",
    "--interface",
    "-D",
    "--dump-header",
    "--max-redirs",
    "--ciphers",
    "--tls-max",
    "-r",
    "--range",
    "-K",
    "--config",
    "--trace",
];

#[derive(Default)]
struct Command {
    method: Option<String>,
    urls: Vec<String>,
    headers: Vec<(String, String)>,
    /// Data as it is sent.
    data: Vec<String>,
    json: bool,
    /// Fields of a form, as the step takes them.
    parts: Vec<(String, Value)>,
    get: bool,
    head: bool,
    upload: bool,
    user: Option<String>,
    cookie: Option<String>,
    follow: bool,
    timeout_ms: Option<u64>,
}

/// Translates a command line. The secret that its step needs comes with it.
pub(crate) fn import(text: &str, options: &Options) -> Result<(Imported, Option<TakenSecret>), Refused> {
    let mut found = Findings::default();
    let words =
        words::split(text, &mut found).map_err(|why| refused(format!("The command line could not be read: {why}.")))?;
    let command = read(words, &mut found)?;
    let Some(url) = command.urls.first().cloned() else {
        return Err(refused("The command line has no address.".into()));
    };
    if command.urls.len() > 1 {
        let message = format!("The command line has {} addresses; the first one is imported.", command.urls.len());
        found.add(Level::Warning, "SEVERAL", Some(STEP), "", message, "Import the others one by one.");
    }
    let mut asked = BTreeSet::new();
    let mut taken = None;
    let config = config(&command, &url, options, &mut asked, &mut taken, &mut found);
    let host = url.split("://").last().unwrap_or(&url).split(['/', '?', ':']).next().unwrap_or_default();
    let host: String =
        host.chars().filter(|c| !c.is_control() && !matches!(c, '\u{e000}' | '\u{e001}')).take(80).collect();
    let title = format!("{} {host}", config.get("method").and_then(Value::as_str).unwrap_or("GET"));
    let name = options.name.clone().unwrap_or_else(|| title.clone());
    let mut workflow = Workflow::empty(&crate::slug(&name), &name);
    workflow.nodes.insert("start".into(), Node { kind: "trigger.manual".into(), ..Node::default() });
    let request = Node {
        kind: "http.request".into(),
        title: Some(title),
        config: Some(Value::Object(config)),
        ..Node::default()
    };
    workflow.nodes.insert(STEP.into(), request);
    workflow.edges.push(Edge { from: PortRef::new("start", "success"), to: STEP.into(), extra: Map::new() });
    if !asked.is_empty() {
        let properties: Map = asked.iter().map(|name| (name.clone(), json!({ "type": "string" }))).collect();
        workflow.params = Some(json!({ "type": "object", "properties": properties, "required": asked }));
        let names: Vec<&str> = asked.iter().map(String::as_str).collect();
        let message = format!("Variables of the shell are params of the workflow: {}.", names.join(", "));
        found.add(
            Level::Missing,
            "VARIABLES",
            Some(STEP),
            "",
            message,
            "Give them when a run starts; make a secret of what is secret.",
        );
    }
    workflow.layout = None;
    let (findings, more) = found.sorted();
    let report = Report {
        format: "curl".into(),
        version: None,
        steps: 1,
        nodes: workflow.nodes.len(),
        translated: vec![Translated::new(STEP, vec![STEP.into()], Some("http.request".into()))],
        findings,
        more,
        notes: Vec::new(),
        groups: None,
    };
    Ok((Imported { workflow, report, pins: Map::new() }, taken))
}

const STEP: &str = "request";

fn refused(message: String) -> Refused {
    let hint = "Paste one command line that begins with curl, as the tools of a browser copy it.";
    Refused { code: "CANNOT_IMPORT", path: String::new(), message, hint: hint.into() }
}

/// Options and their values; short options may stand together.
fn read(words: Vec<String>, found: &mut Findings) -> Result<Command, Refused> {
    let mut command = Command::default();
    let mut words = words.into_iter().skip(1);
    while let Some(word) = words.next() {
        let (option, mut glued) = match word.strip_prefix("--") {
            Some(_) => match word.split_once('=') {
                Some((option, value)) => (option.to_owned(), Some(value.to_owned())),
                None => (word.clone(), None),
            },
            None if word.starts_with('-') && word.len() > 1 => {
                // `-sSL`, `-XPOST`
                let mut letters = word[1..].chars();
                let mut last = None;
                let mut value = None;
                while let Some(letter) = letters.next() {
                    if "XHdFubAembwoxcDTErKQ".contains(letter) {
                        last = Some(letter);
                        value = Some(letters.as_str().to_owned()).filter(|rest| !rest.is_empty());
                        break;
                    }
                    flag(&format!("-{letter}"), &mut command, found);
                }
                match last {
                    Some(letter) => (format!("-{letter}"), value),
                    None => continue,
                }
            }
            None => {
                command.urls.push(word);
                continue;
            }
        };
        let mut value = || {
            glued.take().or_else(|| words.next()).ok_or_else(|| refused(format!("The option {option} has no value.")))
        };
        match option.as_str() {
            "-X" | "--request" => command.method = Some(value()?.to_ascii_uppercase()),
            "--url" => command.urls.push(value()?),
            "-H" | "--header" => {
                let header = value()?;
                match header.split_once(':') {
                    Some((name, text)) if !text.trim().is_empty() => {
                        command.headers.push((name.trim().to_owned(), text.trim().to_owned()));
                    }
                    _ => {
                        let message = format!("The header '{}' has no value; it is left out.", header.trim());
                        found.add(Level::Warning, "HEADER", Some(STEP), "", message, "Nothing.");
                    }
                }
            }
            "-d" | "--data" | "--data-ascii" | "--data-binary" | "--data-raw" | "--json" => {
                let text = value()?;
                command.json |= option == "--json";
                if option != "--data-raw" && text.starts_with('@') {
                    file(&text[1..], found);
                }
                // Only of a file cURL leaves out the ends of lines.
                command.data.push(text);
            }
            "--data-urlencode" => {
                let text = value()?;
                command.data.push(match text.split_once('=') {
                    Some((name, text)) if !name.is_empty() => format!("{name}={}", percent(text)),
                    Some((_, text)) => percent(text),
                    None if text.contains('@') => {
                        file(text.split('@').nth(1).unwrap_or_default(), found);
                        text
                    }
                    None => percent(&text),
                });
            }
            "-F" | "--form" | "--form-string" => {
                let text = value()?;
                let (name, text) = text.split_once('=').unwrap_or((&text, ""));
                if option == "--form-string" {
                    command.parts.push((name.to_owned(), json!(text)));
                    continue;
                }
                if text.starts_with(['@', '<']) {
                    file(text[1..].split(';').next().unwrap_or_default(), found);
                }
                command.parts.push((name.to_owned(), part(text)));
            }
            "-u" | "--user" => command.user = Some(value()?),
            "-b" | "--cookie" => command.cookie = Some(value()?),
            "-A" | "--user-agent" => command.headers.push(("user-agent".into(), value()?)),
            "-e" | "--referer" => command.headers.push(("referer".into(), value()?)),
            "--oauth2-bearer" => command.headers.push(("Authorization".into(), format!("Bearer {}", value()?))),
            "-m" | "--max-time" => {
                let seconds = value()?.parse::<f64>().unwrap_or(30.0).clamp(0.001, 300.0);
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let ms = (seconds * 1000.0) as u64;
                command.timeout_ms = Some(ms);
            }
            "-x" | "--proxy" | "--socks5" | "--proxy-user" | "-U" => {
                let _ = value()?;
                let message = format!("{option}: a proxy is not a setting of a step; it is left out.");
                found.add(Level::Warning, "PROXY", Some(STEP), "", message, "Proxies are a setting of this machine.");
            }
            "-T" | "--upload-file" => {
                let name = value()?;
                file(&name, found);
                command.upload = true;
            }
            other if WITH_VALUE.contains(&other) => {
                let _ = value()?;
                let message = format!("{other} is not taken over.");
                found.add(
                    Level::Warning,
                    "OPTION",
                    Some(STEP),
                    "",
                    message,
                    "Set what it means in the step, if it matters.",
                );
            }
            other => flag(other, &mut command, found),
        }
    }
    Ok(command)
}

fn flag(option: &str, command: &mut Command, found: &mut Findings) {
    match option {
        "-G" | "--get" => command.get = true,
        "-I" | "--head" => command.head = true,
        "-L" | "--location" | "--location-trusted" => command.follow = true,
        "-k" | "--insecure" => {
            let message = "-k is refused: certificates of servers are always checked here.";
            let hint = "Add the certificate of the server to those that this machine trusts.";
            found.add(Level::Missing, "CERTIFICATES", Some(STEP), "", message, hint);
        }
        "-f"
        | "--fail"
        | "--fail-with-body"
        | "-s"
        | "--silent"
        | "-S"
        | "--show-error"
        | "-v"
        | "--verbose"
        | "-i"
        | "--include"
        | "--compressed"
        | "-g"
        | "--globoff"
        | "-N"
        | "--no-buffer"
        | "-#"
        | "--progress-bar"
        | "--http1.1"
        | "--http2"
        | "-0"
        | "--http1.0"
        | "-4"
        | "-6"
        | "-O"
        | "--remote-name"
        | "-j"
        | "-n"
        | "-Z"
        | "-a"
        | "-q"
        | "--no-progress-meter"
        | "--tlsv1.2"
        | "--tlsv1.3" => {}
        other => {
            let message = format!("The option {other} is not known; it is left out.");
            found.add(
                Level::Warning,
                "OPTION",
                Some(STEP),
                "",
                message,
                "Set what it means in the step, if it matters.",
            );
        }
    }
}

fn file(name: &str, found: &mut Findings) {
    let message = format!("The command sends the file '{name}'; a workflow does not read files of a command line.");
    let hint = "Read the file in a step before, and send its content.";
    found.add(Level::Problem, "FILE", Some(STEP), "", message, hint);
}

fn config(
    command: &Command,
    url: &str,
    options: &Options,
    asked: &mut BTreeSet<String>,
    taken: &mut Option<TakenSecret>,
    found: &mut Findings,
) -> Map {
    let mut config = Map::new();
    let has_data = !command.data.is_empty() || !command.parts.is_empty();
    let default = match (command.head, has_data && !command.get) {
        (true, _) => "HEAD",
        (_, true) => "POST",
        _ if command.upload => "PUT",
        _ => "GET",
    };
    let method = command.method.as_deref().unwrap_or(default);
    if ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].contains(&method) {
        config.insert("method".into(), json!(method));
    } else {
        let message = format!("The method {method} is not known here.");
        found.add(Level::Problem, "METHOD", Some(STEP), "", message, "Choose one of the methods of the step.");
    }
    let mut address = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
    let mut user = command.user.clone();
    if let Some((scheme, rest)) = address.split_once("://")
        && let Some((login, after)) = rest.split_once('@').filter(|(login, _)| !login.contains('/'))
    {
        user.get_or_insert(login.to_owned());
        address = format!("{scheme}://{after}");
    }
    if command.get && !command.data.is_empty() {
        let join = if address.contains('?') { "&" } else { "?" };
        address = format!("{address}{join}{}", command.data.join("&"));
    }
    let query = address.split_once('?').map_or("", |(_, query)| query);
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if secrets::in_header(name, value).is_some() {
            let message = format!("'{name}' of the address looks like a secret and is in the file as text.");
            found.add(
                Level::Missing,
                "SECRET_IN_FILE",
                Some(STEP),
                "",
                message,
                "Make it a secret of this machine, sent as a header.",
            );
        }
    }
    config.insert("url".into(), json!(written(&address, asked)));
    let mut credential = None;
    let mut headers = Map::new();
    let mut kind = String::new();
    let cookie =
        command.cookie.iter().filter(|text| text.contains('=')).map(|text| ("cookie".to_owned(), text.clone()));
    for (name, value) in merged(command.headers.iter().cloned().chain(cookie)) {
        if name.eq_ignore_ascii_case("content-type") {
            kind = value.to_ascii_lowercase();
        }
        if matches!(name.to_ascii_lowercase().as_str(), "content-length" | "host" | "accept-encoding" | "connection") {
            continue;
        }
        match secrets::in_header(&name, &value).filter(|_| !value.contains('\u{e000}')) {
            Some(secret) => {
                let secret = secrets::Found { name: options.free_secret(&secret.name), ..secret };
                let message = format!("The header {name} holds a secret; it was taken out.");
                let hint =
                    format!("Add it as the secret '{}' of this machine ({}), for this host.", secret.name, secret.kind);
                found.add(Level::Missing, "SECRET_IN_FILE", Some(STEP), "", message, hint);
                if credential.is_none() {
                    credential = Some(secret.name.clone());
                    *taken = Some(TakenSecret::of_header(secret, &name, &value, &allowed_host(&address)));
                }
            }
            None => drop(headers.insert(name, json!(written(&value, asked)))),
        }
    }
    if let Some(user) = user {
        let (name, password) = user.split_once(':').unwrap_or((&user, ""));
        let secret = options.free_secret("imported-login");
        let message = format!("The user '{name}' signs in with a password; it was taken out.");
        let hint = format!("Add it as the secret '{secret}' of this machine (basic), for this host.");
        found.add(Level::Missing, "SECRET_IN_FILE", Some(STEP), "", message, hint);
        if credential.is_none() {
            credential = Some(secret.clone());
            // What the shell fills in is not known here.
            let known = |text: &str| if text.contains('\u{e000}') { String::new() } else { text.to_owned() };
            *taken = Some(TakenSecret {
                name: secret,
                kind: "basic",
                field: Some(known(name)),
                value: known(password),
                host: allowed_host(&address),
            });
        }
    }
    if let Some(name) = credential {
        config.insert("credential".into(), json!(format!("secret://{name}")));
    }
    if command.json && kind.is_empty() {
        kind = "application/json".into();
        headers.insert("content-type".into(), json!("application/json"));
        headers.entry("accept").or_insert_with(|| json!("application/json"));
    }
    if !command.parts.is_empty() {
        let fields: Map = command.parts.iter().map(|(name, part)| (name.clone(), filled(part, asked))).collect();
        config.insert("body".into(), Value::Object(fields));
        headers.insert("content-type".into(), json!("multipart/form-data"));
    } else if !command.data.is_empty() && !command.get {
        let text = command.data.join(if command.json { "" } else { "&" });
        let parsed = serde_json::from_str::<Value>(&text).ok().filter(|value| value.is_object() || value.is_array());
        if kind.is_empty() {
            // cURL calls everything a form; services that take JSON look past it, and a step does not send such a contradiction.
            kind = if parsed.is_some() { "application/json" } else { FORM }.into();
            headers.insert("content-type".into(), json!(kind));
            if parsed.is_some() {
                let message = "The data is JSON and is sent as application/json; cURL itself calls it a form.";
                let hint = "Change the header content-type, if the service wants something else.";
                found.add(Level::Warning, "JSON_DATA", Some(STEP), "", message, hint);
            }
        }
        // What reading the JSON would change is sent as the text that it is.
        let lost = (parsed.is_some() && kind.contains("json")).then(|| lossless::loss(&text)).flatten();
        if let Some(loss) = &lost {
            let message = format!("The data is kept as text, as it was written: {}.", loss.told());
            let hint = "The request sends it unchanged. Correct the data, if the service expects one value.";
            found.add(Level::Warning, "JSON_AS_TEXT", Some(STEP), "", message, hint);
        }
        let body = match parsed.filter(|_| kind.contains("json") && lost.is_none()) {
            Some(value) => filled(&value, asked),
            None if kind.starts_with(FORM) => json!(written(&form_encoded(&text), asked)),
            None => json!(written(&text, asked)),
        };
        config.insert("body".into(), body);
    }
    if !headers.is_empty() {
        config.insert("headers".into(), Value::Object(headers));
    }
    if !command.follow {
        config.insert("redirects".into(), json!("no"));
    }
    if let Some(ms) = command.timeout_ms {
        config.insert("timeoutMs".into(), json!(ms));
    }
    config
}

/// A text with variables of the shell in it.
fn written(text: &str, asked: &mut BTreeSet<String>) -> String {
    let mut out = Text::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{e000}') {
        out.say(before);
        let (name, more) = after.split_once('\u{e001}').unwrap_or((after, ""));
        out.fill(format!("params.{name}"));
        asked.insert(name.to_owned());
        rest = more;
    }
    out.say(rest);
    out.write()
}

fn filled(value: &Value, asked: &mut BTreeSet<String>) -> Value {
    match value {
        Value::String(text) => json!(written(text, asked)),
        Value::Array(list) => Value::Array(list.iter().map(|one| filled(one, asked)).collect()),
        Value::Object(map) => Value::Object(map.iter().map(|(name, one)| (name.clone(), filled(one, asked))).collect()),
        other => other.clone(),
    }
}

/// The host of an address as allowed hosts are written: with its port, and with `http://` where nothing encrypts it.
fn allowed_host(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("https", address));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('\u{e000}') {
        return String::new();
    }
    if scheme.eq_ignore_ascii_case("http") { format!("http://{host}") } else { host.to_owned() }
}

const FORM: &str = "application/x-www-form-urlencoded";

/// A field of a form: its text, and the content type that may stand behind it.
fn part(text: &str) -> Value {
    let (value, media) = match text.split_once(";type=") {
        Some((value, media)) => (value, media.split(';').next()),
        None => (text, None),
    };
    let value = value.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(value);
    match media.map(str::trim).filter(|media| !media.is_empty()) {
        Some(media) => json!({ "value": value, "type": media }),
        None => json!(value),
    }
}

/// A header that comes several times is one with all its values, as the other side reads it.
fn merged(headers: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for (name, value) in headers {
        match all.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
            Some((_, values)) => {
                values.push_str(if name.eq_ignore_ascii_case("cookie") { "; " } else { ", " });
                values.push_str(&value);
            }
            None => all.push((name, value)),
        }
    }
    all
}

/// The text of a form that a service reads as it reads that of cURL, which sends also what has no place in one.
fn form_encoded(text: &str) -> String {
    let keep = |c: char| c.is_ascii_graphic() && !"\"<>{}\\^`|".contains(c);
    let mut out = String::new();
    let mut variable = false;
    for c in text.chars() {
        variable = (variable || c == '\u{e000}') && c != '\u{e001}';
        if variable || c == '\u{e001}' || keep(c) {
            out.push(c);
        } else {
            out.push_str(&percent(c.encode_utf8(&mut [0; 4])));
        }
    }
    out
}

fn percent(text: &str) -> String {
    let mut out = String::new();
    let mut variable = false;
    for c in text.chars() {
        match c {
            '\u{e000}' => variable = true,
            '\u{e001}' => variable = false,
            _ => {}
        }
        let plain = variable || c.is_ascii_alphanumeric() || "-._~\u{e000}\u{e001}".contains(c);
        if plain {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    out
}
