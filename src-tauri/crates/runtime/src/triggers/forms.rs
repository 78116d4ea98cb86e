//! Forms of active workflows: what the server shows at `/forms/{path}`, and what it does with a submission (ADR 98). Whoever
//! reaches the address may submit, so nothing here tells more than the page needs: no ids, no reasons from inside.

use super::error::{Class, TriggerError, TriggerResult};
use super::fire::Occurrence;
use super::host::TriggerHost;
use super::kind::{Settings, submitted};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use signalbox_engine::form::{FileField, Form, KIND, MOST_FILES, Respond};
use signalbox_engine::schema::Schema;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Map, media};
use signalbox_store::{Store, TriggerRow};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a page waits for the result of its run.
pub const RESULT_WAIT: Duration = Duration::from_secs(30);
/// Longest file name that is kept, in characters.
const LONGEST_NAME: usize = 200;
/// Longest key of a page.
const LONGEST_KEY: usize = 100;
/// Bytes of a submission beside its answers and files: names, and what separates them.
const ENVELOPE: usize = 64 * 1024;

/// A form whose workflow is active.
#[derive(Debug)]
pub struct ActiveForm {
    /// The trigger.
    pub row: TriggerRow,
    /// Its settings.
    pub form: Form,
}

impl ActiveForm {
    /// What the page is told of its run, by the run's summary as somebody sees it who may see least.
    pub fn told(summary: &Value) -> Value {
        match summary["status"].as_str().unwrap_or_default() {
            "completed" => json!({ "status": "completed", "output": summary["output"] }),
            "failed" | "cancelled" => json!({ "status": "failed" }),
            _ if summary["openTasks"].as_array().is_some_and(|tasks| !tasks.is_empty()) => {
                json!({ "status": "waiting" })
            }
            _ => json!({ "status": "running" }),
        }
    }

    /// What the page is told when it does not wait for its run.
    pub fn thanks(&self) -> Option<Value> {
        (self.form.respond == Respond::Thanks).then(|| json!({ "status": "accepted", "thanks": self.form.thanks }))
    }

    /// What the page shows.
    pub fn definition(&self) -> Value {
        let Form { title, description, schema, submit_label, respond, max_bytes, .. } = &self.form;
        json!({
            "title": title, "description": description, "schema": schema, "submitLabel": submit_label,
            "waits": *respond == Respond::Result, "maxBytes": max_bytes,
        })
    }

    /// Longest body of a submission, in bytes: files are a third longer in it.
    pub fn longest_body(&self) -> usize {
        usize::try_from(self.form.max_bytes / 3 * 4).unwrap_or(usize::MAX).saturating_add(ENVELOPE)
    }

    /// More came than the form takes.
    pub fn too_large(&self) -> TriggerError {
        too_large(&self.form)
    }
}

fn too_large(form: &Form) -> TriggerError {
    let message = format!("The answers and files together are larger than {} bytes.", form.max_bytes);
    TriggerError::new(Class::TooLarge, "TOO_LARGE", message, "Send smaller files.")
}

/// Forms by their paths.
type Index = HashMap<String, Arc<ActiveForm>>;

/// The forms of active workflows by their paths; read anew when something was activated or deactivated, in any process.
#[derive(Debug, Default)]
pub struct FormIndex(Mutex<(i64, Arc<Index>)>);

impl FormIndex {
    /// The form of a path, if its workflow is active. Waits for the store.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn find(&self, store: &Store, path: &str) -> TriggerResult<Option<Arc<ActiveForm>>> {
        // Before the triggers are read: what changes meanwhile is read again.
        let change = store.trigger_change()?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != change {
            *known = (change, Arc::new(active_forms(store)?));
        }
        Ok(known.1.get(path).cloned())
    }
}

/// The forms of active workflows.
///
/// # Errors
/// The store cannot be read.
pub fn active_forms(store: &Store) -> TriggerResult<Index> {
    let mut forms = Index::new();
    for row in store.triggers_of_kind(KIND)? {
        // What cannot be read was refused when it was activated.
        let Ok(Settings::Form(form)) = Settings::read(&row) else { continue };
        forms.entry(form.path.clone()).or_insert_with(|| Arc::new(ActiveForm { row, form: *form }));
    }
    Ok(forms)
}

/// What a page sends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Submission {
    /// Made when the page was loaded: the same submission sent twice starts one run.
    key: String,
    answers: Map,
    #[serde(default)]
    files: BTreeMap<String, Vec<Upload>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Upload {
    name: String,
    #[serde(default)]
    mime: String,
    /// Base64.
    data: String,
}

/// A submission that fits its form.
#[derive(Debug)]
pub struct Submitted {
    key: String,
    answers: Map,
    files: Vec<Value>,
    binaries: Vec<(String, Vec<u8>)>,
}

impl dyn TriggerHost + '_ {
    /// The run of a submission: a new one, or the one that the same submission started before.
    pub fn start_submitted(&self, active: &ActiveForm, body: &[u8]) -> TriggerResult<Option<String>> {
        let row = &active.row;
        let Submitted { key, answers, files, binaries } = read_submission(&active.form, body)?;
        let now = self.now_ms();
        let occurrence = Occurrence {
            key: key.clone(),
            at_ms: now,
            is_tick: false,
            event: submitted(row, answers, &files, now, false),
            started_by: self.started_by_request(),
            trace: None,
        };
        let started = self
            .pinned_version(&row.version)
            .and_then(|version| self.fire_with(row, version, occurrence, binaries, now));
        match started {
            Ok(run) => Ok(Some(run)),
            Err(error) if error.code == "FIRED_BEFORE" => Ok(self.store().fired_run(&row.id, &key)?),
            Err(error) if error.code == "TRIGGER_CHANGED" => Err(TriggerError::new(
                Class::Conflict,
                "FORM_CHANGED",
                "The form was changed meanwhile.",
                "Reload the page, then submit again.",
            )),
            Err(_) => Err(TriggerError::unavailable(
                "FORM_UNAVAILABLE",
                "The form cannot take answers now.",
                "Your answers were not sent. Leave this page open and try again later.",
            )),
        }
    }
}

/// Reads what a page sent.
///
/// # Errors
/// It is no submission, or does not fit the form.
pub fn read_submission(form: &Form, body: &[u8]) -> TriggerResult<Submitted> {
    let hint = "Send {\"key\": …, \"answers\": {…}, \"files\": {\"field\": [{\"name\", \"mime\", \"data\"}]}}; reload the page if it is open.";
    let bad = |why: String| TriggerError::bad_request(format!("The submission cannot be read: {why}."), hint);
    let sent: Submission = serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    if sent.key.is_empty() || sent.key.len() > LONGEST_KEY || !sent.key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(bad(format!("its key is not 1 to {LONGEST_KEY} visible ASCII characters")));
    }
    let mut answers = without_empty(sent.answers);
    let mut violations = Vec::new();
    let mut wrong = |field: &str, message: String| {
        violations.push(json!({ "path": format!("/{}", pointer_token(field)), "message": message }));
    };
    for name in sent.files.keys().filter(|name| !form.files.iter().any(|field| field.name == **name)) {
        wrong(name, "This field takes no files".to_owned());
    }
    let (mut files, mut binaries, mut size, mut names) =
        (Vec::new(), Vec::new(), answers_size(&answers), BTreeSet::new());
    let mut uploads = sent.files;
    for field in &form.files {
        // What counts is the file, not what the answer says of it.
        answers.shift_remove(&field.name);
        let Some(given) = uploads.remove(&field.name).filter(|given| !given.is_empty()) else { continue };
        if let Err(message) = fits(field, &given) {
            wrong(&field.name, message);
            continue;
        }
        let mut told = Vec::new();
        for (index, upload) in given.into_iter().enumerate() {
            let name = file_name(&upload.name);
            let bytes = STANDARD
                .decode(upload.data.as_bytes())
                .map_err(|_| bad(format!("the data of '{name}' is not base64")))?;
            size += bytes.len() as u64;
            let mut binary = if field.many { format!("{}_{}", field.name, index + 1) } else { field.name.clone() };
            while !names.insert(binary.clone()) {
                binary.push('_');
            }
            let mime = if upload.mime.is_empty() { media::of_path(&name).to_owned() } else { upload.mime };
            let sha256 = sha256_hex(&bytes);
            files.push(json!({
                "field": field.name, "binary": binary, "name": name, "mime": mime, "size": bytes.len(), "sha256": sha256,
            }));
            told.push(name);
            binaries.push((sha256, bytes));
        }
        let answer = if field.many { json!(told) } else { json!(told.first()) };
        answers.insert(field.name.clone(), answer);
    }
    if size > form.max_bytes {
        return Err(too_large(form));
    }
    let answers = Value::Object(answers);
    let checked =
        Schema::compile(&form.schema).map_err(|why| bad(why.trim_end_matches('.').to_owned()))?.validate(&answers);
    for violation in checked.err().into_iter().flatten() {
        let place = violation.place();
        // A file that was refused is told once.
        if !violations.iter().any(|known| known["path"] == place.as_str()) {
            violations.push(json!({ "path": place, "message": message(&violation) }));
        }
    }
    if !violations.is_empty() {
        return Err(unfit(&violations));
    }
    // Answers that were changed before they were sent again are another submission: nothing is dropped silently.
    let all = json!([answers, files]).to_string();
    let digest = sha256_hex(all.as_bytes());
    let key = format!("form {} {}", sent.key, digest.get(..16).unwrap_or_default());
    let Value::Object(answers) = answers else { return Err(bad("the answers are no object".to_owned())) };
    Ok(Submitted { key, answers, files, binaries })
}

/// For who fills in a form: in words, without expressions.
fn message(violation: &signalbox_engine::schema::Violation) -> String {
    match (violation.keyword.as_str(), &violation.description) {
        ("required", _) if violation.missing.is_some() => "An answer is required".to_owned(),
        ("pattern", Some(words)) => format!("Does not match: {words}"),
        ("pattern", None) => "Has the wrong format".to_owned(),
        _ => violation.message.clone(),
    }
}

fn unfit(violations: &[Value]) -> TriggerError {
    let count =
        if violations.len() == 1 { "An answer does".to_owned() } else { format!("{} answers do", violations.len()) };
    let hint = "Correct the answers at the places given, then submit again.";
    TriggerError::new(Class::Invalid, "FORM_INVALID", format!("{count} not fit the form."), hint)
        .with(json!({ "violations": violations }))
}

fn answers_size(answers: &Map) -> u64 {
    serde_json::to_vec(answers).map_or(0, |text| text.len() as u64)
}

/// An empty text is no answer.
fn without_empty(answers: Map) -> Map {
    let kept = answers.into_iter().filter(|(_, value)| *value != json!(""));
    kept.map(|(name, value)| match value {
        Value::Object(inner) => (name, Value::Object(without_empty(inner))),
        value => (name, value),
    })
    .collect()
}

fn fits(field: &FileField, given: &[Upload]) -> Result<(), String> {
    if given.len() > if field.many { MOST_FILES } else { 1 } {
        return Err(if field.many {
            format!("At most {MOST_FILES} files can be sent")
        } else {
            "Only one file can be sent".into()
        });
    }
    let Some(wanted) = &field.media else { return Ok(()) };
    let takes = |mime: &str| match wanted.strip_suffix("/*") {
        Some(kind) => mime.split('/').next() == Some(kind),
        None => mime.split(';').next().is_some_and(|mime| mime.trim().eq_ignore_ascii_case(wanted)),
    };
    match given.iter().find(|upload| !takes(&upload.mime)) {
        Some(upload) => Err(format!("'{}' is not of the type {wanted}", file_name(&upload.name))),
        None => Ok(()),
    }
}

/// The name alone, without its folders and without what no one sees.
fn file_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect();
    if name.trim().is_empty() || name == "." || name == ".." { "file".to_owned() } else { name }
}
