//! Tables of the database that a step names, for whoever writes its SQL. They are read as the step *List database tables* reads
//! them: the same addresses, credentials and folders, in a transaction that changes nothing.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{DatabaseTable, DatabaseTables, DatabaseTablesGet};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::single_call::SingleCall;
use serde_json::{Value, json};
use signalbox_model::Effects;

/// The kind of step that lists tables.
const KIND: &str = "db.tables";
/// Settings of the connection; the others are those of the step.
const CONNECTION: [&str; 9] =
    ["system", "host", "port", "database", "user", "credential", "tls", "rootCertificate", "file"];
/// Tables of one answer.
const MOST: usize = 500;
/// Somebody waits in front of it.
const PATIENCE_MS: u64 = 15_000;

pub(crate) fn database_tables(app: &App, caller: &Caller, request: DatabaseTablesGet) -> ApiResult<DatabaseTables> {
    let mut settings = request.config.as_object().cloned().unwrap_or_default();
    settings.retain(|name, value| CONNECTION.contains(&name.as_str()) && !value.is_null());
    let from_data = |value: &Value| value.as_str().is_some_and(|text| text.starts_with('=') || text.contains("{{"));
    if let Some((name, _)) = settings.iter().find(|(_, value)| from_data(value)) {
        let message =
            format!("The connection depends on data of the run ('{name}'), so its tables are not known before.");
        return Err(ApiError::bad_request(message, "Enter fixed values to see the tables."));
    }
    settings.entry("system").or_insert_with(|| json!("postgres"));
    settings.insert("timeoutMs".to_owned(), PATIENCE_MS.into());
    let found = app.call_once(SingleCall {
        kind: KIND,
        settings: Value::Object(settings),
        effects: Effects::Read,
        key: String::new(),
        here: caller.here,
        connector: None,
        workflow: &request.workflow_id,
    })?;
    let found = found.map_err(|failure| {
        let message =
            format!("The tables cannot be read: {} ({}).", failure.message.trim_end_matches('.'), failure.code);
        ApiError::new(Class::Invalid, "DATABASE_FAILED", message, "Correct the connection, then try again.")
            .with(json!({ "code": failure.code, "field": failure.details.get("field") }))
    })?;
    let total = found.len() as u64;
    let tables = found.into_iter().take(MOST).filter_map(|table| serde_json::from_value::<DatabaseTable>(table).ok());
    Ok(DatabaseTables { tables: tables.collect(), total })
}
