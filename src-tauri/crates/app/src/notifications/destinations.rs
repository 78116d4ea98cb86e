//! Services that tasks are copied to (H-21): which there are, which tasks go there, and where each stands. The store keeps what
//! is to stand there in the transaction of the task; a host that stays sends it (`deliver`). A service may send decisions back
//! (`decide`); nothing is ever decided by a GET.

mod decide;
mod deliver;
mod exchange;
mod mail_texts;

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{
    TaskCopy, TaskCopyState, TaskDestination, TaskDestinationAdd, TaskDestinationField, TaskDestinationKind,
    TaskDestinationTest, TaskMail,
};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::outgoing;
use crate::workflows::connectors;
use exchange::{Deed, Exchange, Remote};
use serde_json::{Value, json};
use signalbox_engine::connector::tasks::{answer_of, answers, webhook_auth};
use signalbox_engine::expr::value_refs;
use signalbox_model::connector::tasks::TaskMapping;
use signalbox_model::{AuditEvent, Connector, time};
use signalbox_nodes::connector::server_address;
use signalbox_ports::secret::allows;
use signalbox_store::audit::Level;
use signalbox_store::{self as store, TaskCopyCounts, TaskDestinationAdded, TaskRules};
use std::collections::BTreeMap;
use std::sync::Arc;
use url::Url;

/// Destinations of one store; each has a thread while it is sent to.
const MOST: usize = 16;
/// Longest name, setting or template.
const LONGEST: usize = 10_000;
/// What links in entries lead to, below the address of this program.
pub(crate) const LINKS: &str = "/task-links/";
/// What takes decisions.
pub(crate) const HOOKS: &str = "/task-hooks/";

/// A destination with what its connector says.
pub(super) struct Destination {
    pub(super) row: store::TaskDestination,
    pub(super) config: TaskDestinationAdd,
    pub(super) connector: Option<Arc<Connector>>,
    /// Why it cannot be used now.
    pub(super) problem: Option<String>,
}

impl Destination {
    pub(super) fn mapping(&self) -> Option<&TaskMapping> {
        self.connector.as_ref()?.tasks.as_ref()
    }

    /// Name of the service.
    fn service(&self) -> String {
        match &self.connector {
            Some(connector) => connector.title.clone(),
            None => self.config.connector.clone().unwrap_or_else(|| "E-mail".to_owned()),
        }
    }

    /// Texts of the connector, or of mails.
    fn own_texts(&self) -> Vec<(String, String)> {
        match self.mapping() {
            Some(mapping) => mapping.templates.iter().map(|(name, text)| (name.clone(), text.clone())).collect(),
            None => {
                let own = mail_texts::texts(self.config.mail.as_ref()).into_iter();
                own.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
            }
        }
    }

    /// The same, with those of the destination in their places: later ones may use earlier ones.
    fn texts(&self) -> Vec<(String, String)> {
        let own = |name: &String| self.config.templates.get(name).cloned();
        self.own_texts().into_iter().map(|(name, text)| (name.clone(), own(&name).unwrap_or(text))).collect()
    }

    /// Settings and variables, with their defaults.
    fn settings(&self) -> Value {
        let defaults = self.mapping().into_iter().flat_map(|mapping| &mapping.settings);
        let defaults = defaults.filter_map(|(name, one)| Some((name.clone(), one.default.clone()?)));
        let given = self.config.variables.iter().chain(&self.config.settings);
        defaults
            .chain(given.map(|(name, value)| (name.clone(), value.clone())))
            .collect::<BTreeMap<_, _>>()
            .into_iter()
            .map(|(name, value)| (name, Value::from(value)))
            .collect()
    }

    /// Values that are decisions; empty where none are taken.
    fn decision_values(&self) -> BTreeMap<String, String> {
        let Some(decisions) = &self.config.decisions else { return BTreeMap::new() };
        if !decisions.values.is_empty() {
            return decisions.values.clone();
        }
        let usual = self.mapping().and_then(|mapping| mapping.decisions.as_ref()).into_iter();
        usual.flat_map(|one| &one.values).map(|(value, action)| (value.clone(), action.clone())).collect()
    }

    fn find_after_ms(&self) -> i64 {
        self.mapping().map_or(0, |mapping| i64::from(mapping.find_after_seconds) * 1_000)
    }

    /// The address of the service, or the recipients of mail.
    fn place(&self) -> String {
        if let Some(mail) = &self.config.mail {
            return format!("{} ({})", mail.to.join(", "), mail.host);
        }
        let address = self.connector.as_ref().and_then(|connector| address(connector, &self.config).ok());
        address.unwrap_or_default()
    }
}

fn address(connector: &Connector, config: &TaskDestinationAdd) -> ApiResult<String> {
    let variables = config.variables.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    server_address(connector, config.server.as_deref(), variables).map_err(|failure| {
        ApiError::bad_request(format!("{}.", failure.message), "Give the variables of the connector, or a server.")
    })
}

fn unknown(id: &str) -> ApiError {
    ApiError::not_found(format!("No destination has the id {id}. `signalbox tasks destinations list` shows all."))
}

fn unknown_copy(id: &str) -> ApiError {
    ApiError::not_found(format!("No task has the id {id} there. `signalbox tasks destinations log` shows all."))
}

fn invalid(message: impl Into<String>, hint: impl Into<String>) -> ApiError {
    ApiError::bad_request(message.into(), hint.into())
}

/// Refuses names and texts that cannot be used.
fn check_texts(known: &[(String, String)], given: &BTreeMap<String, String>) -> ApiResult<()> {
    for (name, text) in given {
        if !known.iter().any(|(own, _)| own == name) {
            let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
            return Err(invalid(format!("There is no text '{name}'."), format!("Use {}.", names.join(", "))));
        }
        if text.len() > LONGEST {
            return Err(invalid(format!("The text '{name}' is longer than {LONGEST} bytes."), "Shorten it."));
        }
        if let Some((_, Err(error))) = value_refs(&text.as_str().into()).into_iter().find(|(_, one)| one.is_err()) {
            let message = format!("The text '{name}' cannot be read: {error}.");
            return Err(invalid(message, "Write for example {{item.task.title}}."));
        }
    }
    Ok(())
}

fn check_mail(mail: &TaskMail) -> ApiResult<()> {
    if mail.host.trim().is_empty() || mail.from.trim().is_empty() || mail.to.iter().all(|to| to.trim().is_empty()) {
        return Err(invalid("The mail has no server, sender or recipient.", "Send `host`, `from` and `to`."));
    }
    if let Some(language) = mail.language.as_deref().filter(|language| !mail_texts::LANGUAGES.contains(language)) {
        let hint = format!("Use one of {}.", mail_texts::LANGUAGES.join(", "));
        return Err(invalid(format!("Mails cannot be written in the language '{language}'."), hint));
    }
    let known = mail.security.as_deref().is_none_or(|one| matches!(one, "tls" | "starttls" | "none"));
    if !known {
        return Err(invalid("The security of the mail server is none of its values.", "Use tls, starttls or none."));
    }
    Ok(())
}

fn check_decisions(config: &TaskDestinationAdd, mapping: Option<&TaskMapping>) -> ApiResult<()> {
    let Some(decisions) = &config.decisions else { return Ok(()) };
    let Some(described) = mapping.and_then(|mapping| mapping.decisions.as_ref()) else {
        let hint = "Leave decisions out: the entry has a link that opens the inbox.";
        return Err(invalid("This service sends no decisions back.", hint));
    };
    webhook_auth(described, "name").map_err(|why| invalid(format!("{why}."), "Correct the connector file."))?;
    if decisions.values.is_empty() && described.values.is_empty() {
        let hint = format!("Say which value means which answer: {}.", answers());
        return Err(invalid("Nothing says which values are decisions.", hint));
    }
    for (value, action) in &decisions.values {
        if value.trim().is_empty() || answer_of(action).is_none() {
            let message = format!("'{value}' cannot stand for '{action}'.");
            return Err(invalid(message, format!("A value stands for one of {}.", answers())));
        }
    }
    Ok(())
}

impl App {
    /// A destination as it can be used now.
    pub(super) fn destination_of(&self, row: store::TaskDestination) -> Destination {
        let config: TaskDestinationAdd = serde_json::from_str(&row.config).unwrap_or_default();
        let (mut connector, mut problem) = (None, None);
        if let Some(name) = &config.connector {
            match connectors::find(Some(self.data_dir()), name).map(|entry| entry.connector) {
                Some(Ok(found)) if found.tasks.is_some() => connector = Some(found),
                Some(Ok(found)) => problem = Some(format!("The connector of {} has no section 'tasks'", found.title)),
                Some(Err(why)) => problem = Some(format!("The connector '{name}' cannot be used: {why}")),
                None => problem = Some(format!("There is no connector '{name}'")),
            }
        }
        Destination { row, config, connector, problem }
    }

    fn known_destination(&self, id: &str) -> ApiResult<Destination> {
        let row = self.store.task_destination(id)?.ok_or_else(|| unknown(id))?;
        Ok(self.destination_of(row))
    }

    /// What a destination can be.
    pub(crate) fn task_destination_kinds(&self) -> Vec<TaskDestinationKind> {
        let all = connectors::all(Some(self.data_dir())).into_iter().filter_map(|entry| entry.connector.ok());
        let kind = |connector: Arc<Connector>| {
            let mapping = connector.tasks.as_ref()?;
            let variables = connector.servers.first().into_iter().flat_map(|server| &server.variables);
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            Some(TaskDestinationKind {
                connector: connector.name.clone(),
                title: connector.title.clone(),
                description: mapping.description.clone(),
                variables: variables
                    .map(|(name, one)| TaskDestinationField {
                        name: name.clone(),
                        title: name.clone(),
                        description: text(&one.description),
                        default: one.default.clone(),
                    })
                    .collect(),
                settings: mapping
                    .settings
                    .iter()
                    .map(|(name, one)| TaskDestinationField {
                        name: name.clone(),
                        title: one.title.clone(),
                        description: one.description.clone(),
                        default: one.default.clone(),
                    })
                    .collect(),
                templates: mapping.templates.iter().map(|(name, one)| (name.clone(), one.clone())).collect(),
                anonymous: connector.auth.is_empty() || connector.anonymous,
                decisions: mapping.decisions.as_ref().map(|one| one.description.clone()),
                values: mapping
                    .decisions
                    .iter()
                    .flat_map(|one| &one.values)
                    .map(|(value, action)| (value.clone(), action.clone()))
                    .collect(),
            })
        };
        all.filter_map(kind).collect()
    }

    /// The destinations.
    pub(crate) fn task_destinations_now(&self) -> ApiResult<Vec<TaskDestination>> {
        let all = self.store.task_destinations()?.into_iter();
        Ok(all.map(|(row, counts)| self.destination_view(row, counts)).collect())
    }

    fn destination_view(&self, row: store::TaskDestination, counts: TaskCopyCounts) -> TaskDestination {
        let one = self.destination_of(row);
        let decisions = one.decision_values();
        TaskDestination {
            service: one.service(),
            place: one.place(),
            decisions_path: (!decisions.is_empty()).then(|| format!("{HOOKS}{}", one.row.id)),
            decisions,
            problem: one.problem.clone(),
            config: one.config,
            id: one.row.id,
            name: one.row.name,
            made_by: one.row.made_by,
            made_at: time::format(one.row.made_ms),
            waiting: counts.waiting,
            failed: counts.failed,
            open: counts.open,
            opened: one.row.opened,
        }
    }

    /// The name of a secret that may go to an address.
    fn destination_secret(&self, given: &str, url: &str) -> ApiResult<String> {
        let (name, entry) = self.known_secret(given.trim())?;
        if let (Some(entry), Ok(url)) = (entry, Url::parse(url))
            && let Err(why) = allows(&entry.hosts, &url)
        {
            let message = format!("The secret '{name}' may not be sent there: {why}.");
            let hint = format!("Name another secret, or set it again with this host (`signalbox secret set {name}`).");
            return Err(invalid(message, hint));
        }
        Ok(name)
    }

    /// Sends tasks to a service from now on.
    pub(crate) fn task_destination_add(
        &self,
        caller: &Caller,
        mut request: TaskDestinationAdd,
    ) -> ApiResult<Vec<TaskDestination>> {
        request.name = request.name.trim().to_owned();
        if request.name.is_empty() || request.name.chars().count() > 100 || request.name.contains(char::is_control) {
            return Err(invalid(
                "The destination has no name.",
                "Give it one of at most 100 characters, such as Jira.",
            ));
        }
        let fields = request.settings.values().chain(request.variables.values());
        if fields.into_iter().any(|value| value.len() > LONGEST) {
            return Err(invalid(format!("A setting is longer than {LONGEST} bytes."), "Shorten it."));
        }
        let is_person = |one: &String| one.starts_with("user:") || one.starts_with("group:");
        if let Some(one) = request.assignees.iter().find(|one| !is_person(one)) {
            return Err(invalid(format!("'{one}' is not a person or a group."), "Write user:NAME or group:NAME."));
        }
        if request.min_priority > 100 {
            return Err(invalid("A priority is 0 to 100.", "Give a least priority in that range."));
        }
        if let Some(public) = &request.public_url {
            outgoing::address(public)?;
        }
        let (service, url) = self.checked_service(&request)?;
        let here = outgoing::local(caller, &url, request.allow_local)?;
        if let Some(given) = &request.credential {
            // A mail server has no web address; its host is checked when something is sent.
            let name = match request.mail {
                Some(_) => self.known_secret(given.trim())?.0,
                None => self.destination_secret(given, &url)?,
            };
            request.credential = Some(format!("secret://{name}"));
        }
        if let Some(decisions) = &mut request.decisions {
            decisions.secret = format!("secret://{}", self.known_secret(decisions.secret.trim())?.0);
        }
        let facts = json!({
            "change": "added", "name": request.name, "service": service, "place": outgoing::shown(&url),
            "credential": request.credential, "workflows": request.workflows, "assignees": request.assignees,
            "minPriority": request.min_priority,
            "decisions": request.decisions.as_ref().map(|decisions| json!(decisions.values)),
        });
        let record = self.fact(AuditEvent::TaskDestinationChanged, Level::Info, caller.actor(), caller.signed(facts));
        let rules = TaskRules {
            workflows: request.workflows.clone(),
            assignees: request.assignees.clone(),
            min_priority: request.min_priority,
        };
        let row = store::TaskDestination {
            id: uuid::Uuid::now_v7().to_string(),
            name: request.name.clone(),
            rules,
            config: serde_json::to_string(&request).unwrap_or_default(),
            here,
            made_by: caller.principal.clone(),
            made_ms: self.now_ms(),
            failures: 0,
            next_ms: None,
            opened: 0,
        };
        match self.store.task_destination_add(row, MOST, record)? {
            TaskDestinationAdded::Added => self.task_destinations_now(),
            TaskDestinationAdded::Known => {
                let message = format!("There is a destination '{}' already.", request.name);
                let hint = "Give it another name, or remove the other one first.";
                Err(ApiError::new(Class::Conflict, "DESTINATION_EXISTS", message, hint))
            }
            TaskDestinationAdded::TooMany => {
                let message = format!("There are {MOST} destinations already.");
                Err(ApiError::new(Class::Conflict, "TOO_MANY_DESTINATIONS", message, "Remove one first."))
            }
        }
    }

    /// Name and address of the service of a request that can be used.
    fn checked_service(&self, request: &TaskDestinationAdd) -> ApiResult<(String, String)> {
        let one = self.destination_of(store::TaskDestination {
            config: serde_json::to_string(request).unwrap_or_default(),
            ..empty_row()
        });
        let known = one.own_texts();
        match (&request.connector, &request.mail) {
            (Some(_), None) => {}
            (None, Some(mail)) => {
                check_mail(mail)?;
                check_texts(&known, &request.templates)?;
                check_decisions(request, None)?;
                return Ok((one.service(), format!("https://{}/", mail.host.trim())));
            }
            _ => {
                let hint = "Send `connector` or `mail`; `signalbox tasks destinations kinds` lists the connectors.";
                return Err(invalid("A destination is either a connector or a mail server.", hint));
            }
        }
        if let Some(problem) = &one.problem {
            let hint = "`signalbox tasks destinations kinds` lists the connectors that take tasks.";
            return Err(invalid(format!("{problem}."), hint));
        }
        let (Some(connector), Some(mapping)) = (&one.connector, one.mapping()) else {
            return Err(invalid("The connector takes no tasks.", "Choose another one."));
        };
        if let Some(name) = request.settings.keys().find(|name| !mapping.settings.contains_key(*name)) {
            let names: Vec<&str> = mapping.settings.keys().map(String::as_str).collect();
            return Err(invalid(format!("There is no setting '{name}'."), format!("Use {}.", names.join(", "))));
        }
        for (name, setting) in mapping.settings.iter().filter(|(_, setting)| setting.default.is_none()) {
            if request.settings.get(name).is_none_or(|value| value.trim().is_empty()) {
                let message = format!("The setting '{name}' is missing: {}.", setting.title);
                return Err(invalid(message, setting.description.clone()));
            }
        }
        check_texts(&known, &request.templates)?;
        check_decisions(request, Some(mapping))?;
        Ok((one.service(), address(connector, request)?))
    }

    /// Sends no more tasks to a destination; what stands there stays there.
    pub(crate) fn task_destination_remove(&self, caller: &Caller, id: &str) -> ApiResult<Vec<TaskDestination>> {
        let one = self.store.task_destination(id)?.ok_or_else(|| unknown(id))?;
        let facts = json!({ "change": "removed", "name": one.name });
        let record = self.fact(AuditEvent::TaskDestinationChanged, Level::Warn, caller.actor(), caller.signed(facts));
        if !self.store.task_destination_remove(id, record)? {
            return Err(unknown(id));
        }
        self.task_destinations_now()
    }

    /// Whether a destination can be used: a connector's reads, or a mail that says it is a test.
    pub(crate) fn task_destination_test(&self, id: &str) -> ApiResult<TaskDestinationTest> {
        let destination = self.known_destination(id)?;
        let failed = |error: String| Ok(TaskDestinationTest { ok: false, error: Some(error) });
        if let Some(problem) = &destination.problem {
            return failed(format!("{problem}."));
        }
        let sample = store::TaskCopy {
            id: "test".into(),
            destination: id.into(),
            task: "test".into(),
            wanted: json!({ "title": "Test", "workflowName": "Signalbox", "actions": [], "open": true }).to_string(),
            sent: None,
            remote: None,
            external_id: None,
            creating_ms: None,
            closed: false,
            attempts: 0,
            since_ms: None,
            due_ms: None,
            tried_ms: None,
            error: None,
            note: None,
            opened: 0,
        };
        let facts = self.task_facts(&destination, &sample);
        let marker = format!("test-{}", self.now_ms());
        let mut exchange = Exchange { app: self, destination: &destination, facts, marker };
        if destination.config.mail.is_some() {
            let text = |name: &str| destination.texts().into_iter().find(|(own, _)| own == name).map(|(_, text)| text);
            exchange.facts["text"] = json!({ "subject": text("testSubject"), "test": text("test") });
        } else if destination.mapping().is_some_and(|mapping| mapping.test.is_empty()) {
            return failed("The connector does not say how it is tested.".into());
        }
        match exchange.carry_out(Deed::Test, &mut Remote::new())? {
            Ok(()) => Ok(TaskDestinationTest { ok: true, error: None }),
            Err(failure) => failed(format!("{} ({}).", failure.message.trim_end_matches('.'), failure.code)),
        }
    }

    /// Where tasks stand, the newest first.
    pub(crate) fn task_copy_log(&self, id: Option<&str>, limit: usize) -> ApiResult<Vec<TaskCopy>> {
        let names: BTreeMap<String, String> =
            self.store.task_destinations()?.into_iter().map(|(one, _)| (one.id, one.name)).collect();
        let found = self.store.task_copy_log(id, limit)?.into_iter();
        Ok(found.filter_map(|one| Some(view(names.get(&one.destination)?, one))).collect())
    }

    /// Where one task stands.
    pub(crate) fn copies_of_task(&self, task: &str) -> ApiResult<Vec<TaskCopy>> {
        let found = self.store.task_copies(task)?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let names: BTreeMap<String, String> =
            self.store.task_destinations()?.into_iter().map(|(one, _)| (one.id, one.name)).collect();
        Ok(found.into_iter().filter_map(|one| Some(view(names.get(&one.destination)?, one))).collect())
    }

    /// Sends a task again now, also one that was given up, and says how it stands then.
    pub(crate) fn task_copy_again(&self, caller: &Caller, id: &str) -> ApiResult<TaskCopy> {
        let one = self.store.task_copy(id)?.ok_or_else(|| unknown_copy(id))?;
        let name = self.store.task_destination(&one.destination)?.map(|one| one.name).unwrap_or_default();
        let facts = json!({ "name": name, "taskId": one.task, "externalId": one.external_id });
        let record = self.fact(AuditEvent::TaskCopyAgain, Level::Info, caller.actor(), caller.signed(facts));
        if !self.store.task_copy_again(id, record)? {
            let hint = "Nothing is left to do.";
            return Err(ApiError::new(Class::Conflict, "CLOSED", "The task has ended, and is closed there.", hint));
        }
        // Another one may be under way there; then this one follows automatically.
        self.task_copy_next(&one.destination, Some(id))?;
        let one = self.store.task_copy(id)?.ok_or_else(|| unknown_copy(id))?;
        Ok(view(&name, one))
    }

    /// Counts a look at the link in an entry; gives the task that it opens. Nothing else happens.
    pub async fn task_link_opened(self: &Arc<Self>, id: &str) -> ApiResult<Option<String>> {
        let id = id.to_owned();
        self.blocking(move |app| Ok(app.store.task_copy_opened(&id)?.map(|one| one.task))).await
    }

    /// Counts a look at the address of decisions. False when there is no such destination.
    pub async fn task_hook_opened(self: &Arc<Self>, id: &str) -> ApiResult<bool> {
        let id = id.to_owned();
        self.blocking(move |app| Ok(app.store.task_destination_opened(&id)?)).await
    }
}

fn empty_row() -> store::TaskDestination {
    store::TaskDestination {
        id: String::new(),
        name: String::new(),
        rules: TaskRules::default(),
        config: String::new(),
        here: false,
        made_by: String::new(),
        made_ms: 0,
        failures: 0,
        next_ms: None,
        opened: 0,
    }
}

fn view(name: &str, one: store::TaskCopy) -> TaskCopy {
    let remote: Value = one.remote.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let wanted: Value = serde_json::from_str(&one.wanted).unwrap_or_default();
    let word = |name: &str| remote[name].as_str().map(str::to_owned);
    let link = word("link").filter(|link| link.starts_with("https://") || link.starts_with("http://"));
    TaskCopy {
        state: match (one.closed, one.due_ms, &one.error) {
            (true, ..) => TaskCopyState::Closed,
            (false, Some(_), _) => TaskCopyState::Waiting,
            (false, None, Some(_)) => TaskCopyState::Failed,
            (false, None, None) => TaskCopyState::Current,
        },
        // What people call the entry, where that is not its id.
        external_id: word("name").or(one.external_id),
        link,
        title: crate::tasks::answer::plain(wanted["title"].as_str().unwrap_or_default()),
        again_at: one.due_ms.filter(|due| *due > 0).map(time::format),
        tried_at: one.tried_ms.map(time::format),
        id: one.id,
        destination: one.destination,
        name: name.to_owned(),
        task_id: one.task,
        error: one.error,
        attempts: one.attempts,
        note: one.note,
        opened: one.opened,
    }
}
