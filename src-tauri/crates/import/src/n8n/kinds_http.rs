//! The HTTP node: the request, and a step that gives on what the node gives on.

use super::maker::{Made, Maker};
use crate::report::Level;
use crate::secrets;
use serde_json::{Value, json};
use signalbox_model::Map;

/// What the node gives on: the entries of a list, an object, or a text under a name.
const BODY: &str = "type(item.response) == list ? item.response : type(item.response) == map ? [item.response] : [{'data': item.response}]";

impl Maker<'_, '_> {
    pub(super) fn http(&mut self) -> Made {
        let mut config = Map::new();
        let old = self.node().version < 3.0;
        let method = if old { self.text("requestMethod") } else { self.text("method") };
        let method = if method.is_empty() { "GET".to_owned() } else { method.to_ascii_uppercase() };
        if method.starts_with('=')
            || !["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].contains(&method.as_str())
        {
            self.tell(Level::Problem, "METHOD", "method", "The method is an expression or not known.", "Choose one.");
        } else {
            config.insert("method".into(), json!(method));
        }
        let url = self.text("url").to_owned();
        let url = self.written("url", &url);
        config.insert("url".into(), json!(url));
        let mut query = self.pairs(if old { "queryParametersUi.parameter" } else { "queryParameters.parameters" });
        let mut headers = self.pairs(if old { "headerParametersUi.parameter" } else { "headerParameters.parameters" });
        let raw_query = self.text(if old { "queryParametersJson" } else { "jsonQuery" }).to_owned();
        if !raw_query.is_empty() {
            match self.json("jsonQuery", &raw_query) {
                Value::Object(more) => query.extend(more),
                other => drop(config.insert("query".into(), other)),
            }
        }
        let raw_headers = self.text(if old { "headerParametersJson" } else { "jsonHeaders" }).to_owned();
        if !raw_headers.is_empty() {
            match self.json("jsonHeaders", &raw_headers) {
                Value::Object(more) => headers.extend(more),
                other => drop(config.insert("headers".into(), other)),
            }
        }
        if !query.is_empty() {
            config.insert("query".into(), Value::Object(query));
        }
        self.body(old, &mut config, &mut headers);
        let mut credential = self.credential();
        for (name, value) in headers.clone() {
            let Some(text) = value.as_str() else { continue };
            if let Some(secret) = secrets::in_header(&name, text) {
                headers.shift_remove(&name);
                let message = format!("The header {name} holds a secret in the file; it was taken out.");
                let hint = format!(
                    "Add it as the secret '{}' of this machine ({}), for the host of the address.",
                    secret.name, secret.kind
                );
                self.tell(Level::Missing, "SECRET_IN_FILE", "headerParameters", message, hint);
                credential.get_or_insert(format!("secret://{}", secret.name));
            }
        }
        if !headers.is_empty() {
            config.insert("headers".into(), Value::Object(headers));
        }
        if let Some(credential) = credential {
            config.insert("credential".into(), json!(credential));
        }
        self.options(&mut config);
        let full = self.flag("options.response.response.fullResponse") || self.flag("options.fullResponse");
        let shape = if full {
            json!({ "expression": "{'body': item.response, 'headers': item.headers, 'statusCode': item.status}" })
        } else {
            json!({ "expression": BODY, "split": true })
        };
        let name = self.node().name.clone();
        let shape = shape.as_object().cloned().unwrap_or_default();
        Made::default()
            .then("_request", "http.request", config)
            .titled(&name)
            .then("", "data.transform", shape)
            .titled("Body of the response")
    }

    fn body(&mut self, old: bool, config: &mut Map, headers: &mut Map) {
        let kind = if old { self.text("options.bodyContentType") } else { self.text("contentType") }.to_owned();
        if !old && !self.flag("sendBody") {
            return;
        }
        let content_type = |headers: &mut Map, value: &str| {
            if !headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
                headers.insert("content-type".into(), json!(value));
            }
        };
        let raw_json = self.text(if old { "bodyParametersJson" } else { "jsonBody" }).to_owned();
        match kind.as_str() {
            "binaryData" => {
                let name = self.text("inputDataFieldName");
                let name = if name.is_empty() { "data" } else { name };
                config.insert("bodyBinary".into(), json!(name));
                let message = format!(
                    "It sends a file under the name '{name}'; here files of a request are called 'response', of a file 'content'."
                );
                self.warn("BINARY_NAME", "inputDataFieldName", message, "Correct the name of the bytes.");
            }
            "raw" => {
                let text = self.text("body").to_owned();
                config.insert("body".into(), json!(self.written("body", &text)));
                let raw = self.text("rawContentType").to_owned();
                content_type(headers, if raw.is_empty() { "text/plain" } else { &raw });
            }
            "form-urlencoded" | "multipart-form-data" => {
                if self.text("specifyBody") == "string" {
                    let text = self.text("body").to_owned();
                    config.insert("body".into(), json!(self.written("body", &text)));
                } else {
                    let fields =
                        self.pairs(if old { "bodyParametersUi.parameter" } else { "bodyParameters.parameters" });
                    config.insert("body".into(), Value::Object(fields));
                }
                content_type(
                    headers,
                    if kind == "form-urlencoded" { "application/x-www-form-urlencoded" } else { "multipart/form-data" },
                );
            }
            _ if self.text("specifyBody") == "json" || self.flag("jsonParameters") || old && !raw_json.is_empty() => {
                if raw_json.trim().is_empty() {
                    return;
                }
                let body = self.json("jsonBody", &raw_json);
                if body.as_str().is_some_and(|text| !text.starts_with('=')) {
                    content_type(headers, "application/json");
                }
                config.insert("body".into(), body);
            }
            _ => {
                let fields = self.pairs(if old { "bodyParametersUi.parameter" } else { "bodyParameters.parameters" });
                if !fields.is_empty() {
                    config.insert("body".into(), Value::Object(fields));
                }
            }
        }
    }

    fn options(&mut self, config: &mut Map) {
        if let Some(ms) = self.p("options.timeout").and_then(Value::as_u64).filter(|ms| *ms > 0) {
            config.insert("timeoutMs".into(), json!(ms.min(300_000)));
        }
        if self.flag("options.response.response.neverError") || self.flag("options.ignoreResponseCode") {
            config.insert("failOnStatus".into(), json!(false));
        }
        let follow = self.p("options.redirect.redirect.followRedirects").or_else(|| self.p("options.followRedirect"));
        if follow == Some(&Value::Bool(false)) {
            config.insert("redirects".into(), json!("no"));
        }
        let format = [self.text("options.response.response.responseFormat"), self.text("responseFormat")].join("");
        match format.as_str() {
            "json" => drop(config.insert("responseType".into(), json!("json"))),
            "text" | "string" => drop(config.insert("responseType".into(), json!("text"))),
            "file" => drop(config.insert("responseType".into(), json!("binary"))),
            _ => {}
        }
        if self.flag("allowUnauthorizedCerts") || self.flag("options.allowUnauthorizedCerts") {
            let message = "It accepts certificates that are not valid; here they are always checked.";
            self.warn(
                "CERTIFICATES",
                "options",
                message,
                "Add the certificate of the server to those of this machine.",
            );
        }
        if self.p("options.pagination").is_some() {
            let message = "It asks for page after page; here one page is asked for.";
            self.tell(
                Level::Problem,
                "PAGINATION",
                "options",
                message,
                "Put the request into a loop with a condition.",
            );
        }
        if self.p("options.proxy").is_some() {
            self.warn("PROXY", "options", "Its proxy is not taken over.", "Proxies are a setting of this machine.");
        }
    }
}
