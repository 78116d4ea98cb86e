//! Calls of a service about one task, by the section `tasks` of its connector or over SMTP. They go through the code of the
//! steps *Call a service* and *Send mail*: the same addresses, secrets, limits and errors.

use super::Destination;
use crate::app::App;
use crate::error::ApiResult;
use crate::host::single_call::SingleCall;
use serde_json::{Map, Value, json};
use signalbox_engine::config;
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::Scope;
use signalbox_model::connector::KIND as CONNECTOR_CALL;
use signalbox_model::connector::tasks::TaskCall;
use signalbox_model::{Effects, NodeFailure};

const MAIL_SEND: &str = "mail.send";
/// Elements of a list that are looked through for the one that is selected.
const LISTED: u64 = 1_000;
/// Time that each request has, milliseconds.
const TIMEOUT_MS: u64 = 30_000;
/// Longest value that is kept of an answer, in characters.
const LONGEST: usize = 2_000;

/// What is done at the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Find,
    Create,
    Update,
    Close,
    Test,
}

/// What is known of the entry at the service.
pub(super) type Remote = Map<String, Value>;

/// The calls of one task.
pub(super) struct Exchange<'a> {
    pub(super) app: &'a App,
    pub(super) destination: &'a Destination,
    /// `task`, `settings`, `text`, `marker`, `link`, `changes`, `decisions`.
    pub(super) facts: Value,
    /// Marks the entry.
    pub(super) marker: String,
}

pub(super) fn scope(facts: Value) -> Scope {
    let mut scope = Scope::empty();
    scope.item = facts.into();
    scope
}

/// Evaluates an expression of a connector file over `item`.
pub(super) fn expression(text: &str, facts: &Value, field: &str) -> Result<Value, NodeFailure> {
    let compiled = Expr::compile(text).map_err(|error| error.failure(field))?;
    compiled.eval(&scope(facts.clone())).map_err(|error| error.failure(field))
}

/// A value as a text that is an id, an address or a name.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.chars().take(LONGEST).collect(),
        other => other.to_string().chars().take(LONGEST).collect(),
    }
}

impl Exchange<'_> {
    /// Fills `item.text` with the texts of the destination, or else of the connector.
    pub(super) fn write_texts(&mut self) -> Result<(), NodeFailure> {
        self.facts["text"] = json!({});
        for (name, template) in self.destination.texts() {
            let made = config::evaluate(&Value::String(template), None, &scope(self.facts.clone()))
                .map_err(|error| error.failure(&format!("templates.{name}")))?;
            self.facts["text"][name] = made;
        }
        Ok(())
    }

    /// Carries out the calls of a deed; what was kept before one failed is kept.
    pub(super) fn carry_out(&mut self, deed: Deed, remote: &mut Remote) -> ApiResult<Result<(), NodeFailure>> {
        if self.destination.config.mail.is_some() {
            return self.mail(deed, remote);
        }
        let Some(mapping) = self.destination.mapping() else { return Ok(Ok(())) };
        let calls = match deed {
            Deed::Find => &mapping.find,
            Deed::Create => &mapping.create,
            Deed::Update => &mapping.update,
            Deed::Close => &mapping.close,
            Deed::Test => &mapping.test,
        };
        for call in calls {
            match self.call(call, deed, remote)? {
                Ok(()) => {}
                Err(failure) => return Ok(Err(failure)),
            }
        }
        Ok(Ok(()))
    }

    fn call(&mut self, call: &TaskCall, deed: Deed, remote: &mut Remote) -> ApiResult<Result<(), NodeFailure>> {
        self.facts["remote"] = Value::Object(remote.clone());
        let prepared = self.prepare(call);
        let params = match prepared {
            Ok(Some(params)) => params,
            Ok(None) => return Ok(Ok(())),
            Err(failure) => return Ok(Err(failure)),
        };
        let Destination { connector, config, .. } = self.destination;
        let Some(connector) = connector else { return Ok(Ok(())) };
        let effects = connector.operations.get(&call.operation).map_or(Effects::Write, |one| one.effect());
        let mut settings = json!({
            "connector": connector.name, "operation": call.operation, "params": params, "variables": config.variables,
            "timeoutMs": TIMEOUT_MS, "limit": LISTED,
        });
        for (name, value) in [("credential", &config.credential), ("server", &config.server)] {
            if let Some(value) = value {
                settings[name] = value.as_str().into();
            }
        }
        let answers = match self.send(CONNECTOR_CALL, settings, effects, deed)? {
            Ok(answers) => answers,
            Err(failure) => return Ok(Err(failure)),
        };
        Ok(self.keep(call, answers, remote))
    }

    /// The parameters of a call; none when it is left out.
    fn prepare(&self, call: &TaskCall) -> Result<Option<Value>, NodeFailure> {
        if let Some(when) = &call.when
            && expression(when, &self.facts, "when")? != Value::Bool(true)
        {
            return Ok(None);
        }
        let params = config::evaluate(&Value::Object(call.params.clone()), None, &scope(self.facts.clone()));
        params.map(Some).map_err(|error| error.failure("params"))
    }

    fn keep(&mut self, call: &TaskCall, answers: Vec<Value>, remote: &mut Remote) -> Result<(), NodeFailure> {
        let mut chosen = None;
        for answer in answers {
            self.facts["answer"] = answer;
            let fits = match &call.select {
                Some(select) => expression(select, &self.facts, "select")? == Value::Bool(true),
                None => true,
            };
            if fits {
                chosen = Some(());
                break;
            }
        }
        if chosen.is_none() {
            self.facts["answer"] = Value::Null;
            return match &call.missing {
                Some(missing) => Err(NodeFailure::tool("NOT_FOUND", missing.as_str())),
                None => Ok(()),
            };
        }
        for (name, kept) in &call.keep {
            // What a service answers with is not worth a second creation.
            let value = expression(kept, &self.facts, &format!("keep.{name}")).map_err(NodeFailure::maybe_happened)?;
            if !value.is_null() {
                remote.insert(name.clone(), text(&value).into());
            }
        }
        self.facts["answer"] = Value::Null;
        self.facts["remote"] = Value::Object(remote.clone());
        Ok(())
    }

    fn mail(&self, deed: Deed, remote: &mut Remote) -> ApiResult<Result<(), NodeFailure>> {
        let Some(mail) = &self.destination.config.mail else { return Ok(Ok(())) };
        let body = match deed {
            // A server cannot be asked what it has sent.
            Deed::Find => return Ok(Ok(())),
            Deed::Create => "created",
            Deed::Update => "updated",
            Deed::Close => "closed",
            Deed::Test => "test",
        };
        let mut settings = json!({
            "host": mail.host, "from": mail.from, "to": mail.to, "timeoutMs": TIMEOUT_MS,
            "subject": self.facts["text"]["subject"], "text": self.facts["text"][body],
        });
        let port = mail.port.map(Value::from);
        let texts = [
            ("security", &mail.security),
            ("user", &mail.user),
            ("ca", &mail.ca),
            ("credential", &self.destination.config.credential),
        ];
        for (name, value) in texts {
            if let Some(value) = value {
                settings[name] = value.as_str().into();
            }
        }
        if let Some(port) = port {
            settings["port"] = port;
        }
        if let Some(first) = remote.get("id") {
            settings["inReplyTo"] = first.clone();
            settings["references"] = first.clone();
        }
        Ok(self.send(MAIL_SEND, settings, Effects::Write, deed)?.map(|answers| {
            let id = answers.first().map(|answer| text(&answer["messageId"])).unwrap_or_default();
            if deed == Deed::Create && !id.is_empty() {
                remote.insert("id".into(), id.into());
            }
        }))
    }

    fn send(
        &self,
        kind: &str,
        settings: Value,
        effects: Effects,
        deed: Deed,
    ) -> ApiResult<Result<Vec<Value>, NodeFailure>> {
        // A creation has one key however often it is sent; a change has another one for each state.
        let state = if deed == Deed::Create { String::new() } else { format!("-{}", self.facts["task"]) };
        let key = signalbox_model::hash::sha256_hex(format!("{}-{deed:?}{state}", self.marker).as_bytes());
        self.app.call_once(SingleCall {
            kind,
            settings,
            effects,
            key,
            here: self.destination.row.here,
            connector: self.destination.connector.clone(),
            workflow: "",
        })
    }
}
