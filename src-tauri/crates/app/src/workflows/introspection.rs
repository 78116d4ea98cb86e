//! Asking a GraphQL endpoint what it offers. The request goes the way of requests of steps: the same addresses, and a secret to
//! its allowed hosts only.

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult, Class};
use crate::host::outgoing;
use serde_json::{Value, json};
use signalbox_import::graphql::{CAPABILITIES, is_introspection, knows_one_of, query};
use signalbox_nodes::connector::file::LARGEST;
use signalbox_ports::{Credential, HttpError, HttpRequest, Redirects};
use std::sync::Arc;
use std::time::Duration;

const WAIT: Duration = Duration::from_secs(60);

impl App {
    /// What an endpoint says about itself, as JSON text.
    ///
    /// # Errors
    /// The address, the secret, or what the service answers instead.
    pub(crate) fn graphql_introspection(
        &self,
        caller: &Caller,
        address: &str,
        credential: Option<&str>,
    ) -> ApiResult<String> {
        outgoing::address(address)?;
        let credential = match credential {
            None => None,
            Some(reference) => {
                let (name, _) = self.known_secret(reference)?;
                Some(self.secrets.credential(&name)?)
            }
        };
        let ask = |document: &str| self.ask(caller, address, credential.clone(), document);
        // Older servers refuse a document that names what they do not know.
        let one_of = knows_one_of(&parsed(&ask(CAPABILITIES)?).unwrap_or_default());
        let text = ask(&query(one_of))?;
        match parsed(&text) {
            Some(value) if is_introspection(&value) => Ok(text),
            value => Err(self.not_told(value.as_ref())),
        }
    }

    fn not_told(&self, answer: Option<&Value>) -> ApiError {
        let said = answer.and_then(|answer| answer.pointer("/errors/0/message")?.as_str());
        let message = match said {
            Some(said) => {
                let said: String = said.chars().take(300).collect();
                let said = self.secrets.vault.scrubber().text(&said).into_owned();
                format!("The service does not say what it offers: {said}")
            }
            None => "What answers there is no GraphQL service".to_owned(),
        };
        let hint = "Check the address and the credential. Where introspection is switched off, ask the service for the result of an introspection and import that file.";
        ApiError::new(Class::Invalid, "NO_INTROSPECTION", format!("{}.", message.trim_end_matches('.')), hint)
    }

    fn ask(
        &self,
        caller: &Caller,
        address: &str,
        credential: Option<Arc<Credential>>,
        document: &str,
    ) -> ApiResult<String> {
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let request = HttpRequest {
            method: "POST".into(),
            url: address.to_owned(),
            headers: vec![header("Content-Type", "application/json"), header("Accept", "application/json, */*;q=0.5")],
            body: Some(json!({ "query": document }).to_string().into_bytes()),
            timeout: WAIT,
            loopback_allowed: caller.here,
            redirects: Redirects::SameHost,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body: LARGEST,
            credential,
        };
        let failed = |why: String| {
            let why = self.secrets.vault.scrubber().text(&why).into_owned();
            let hint =
                "Check the address. A service in a private network needs a credential that allows its host and port.";
            ApiError::new(Class::Invalid, "NOT_REACHED", format!("The GraphQL service was not reached: {why}."), hint)
        };
        let answer = self.wait_for(self.http.send(request))?.map_err(|error| match error {
            HttpError::TooLarge { .. } => failed(format!("its answer has more than {LARGEST} bytes")),
            HttpError::Timeout { .. } => failed(format!("no answer came within {} s", WAIT.as_secs())),
            HttpError::Refused { message }
            | HttpError::BadUrl { message }
            | HttpError::Connect { message }
            | HttpError::Cut { message } => failed(message),
            _ => failed("the request could not be sent".to_owned()),
        })?;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        // Services explain themselves in the body, also with other statuses.
        if parsed(&text).is_some_and(|value| value.get("data").is_some() || value.get("errors").is_some()) {
            return Ok(text);
        }
        let message = match answer.status {
            401 | 403 => "The service asks for a credential".to_owned(),
            status if status >= 400 => format!("The service answers with status {status}"),
            _ => "What answers there is no GraphQL service".to_owned(),
        };
        let hint =
            "Check the address, which often ends with /graphql, and choose the credential that the service needs.";
        Err(ApiError::new(Class::Invalid, "NO_INTROSPECTION", format!("{message}."), hint))
    }
}

fn parsed(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}
