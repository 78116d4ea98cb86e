//! What the steps for databases share: the connection of their settings, and what errors of databases mean on the red wire.

pub(crate) mod named;
pub(crate) mod save;

use crate::credential;
use crate::file_error::file_failure;
use crate::support::{flag, setting, text, text_or, whole, wrong_choice, wrong_setting};
use crate::time_limit;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use named::Dialect;
use serde_json::Value;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::World;
use signalbox_ports::databases::{
    Access, Database, DatabaseError, DatabaseFault, DatabasePlace, Server, ServerKind, SqlValue,
};
use std::time::Duration;

/// The only member of an object that stands for bytes.
const BASE64: &str = "$base64";

/// A database and how its SQL is read.
pub(crate) struct Chosen {
    pub(crate) database: Database,
    pub(crate) dialect: Dialect,
}

/// The database of the settings.
pub(crate) async fn chosen(call: &Call, slot: &CallSlot, world: &World, access: Access) -> Result<Chosen, NodeFailure> {
    let dialect = match text(slot, "system")? {
        "postgres" => Dialect::Postgres,
        "mysql" => Dialect::MySql,
        "sqlite" => Dialect::Sqlite,
        _ => return Err(wrong_choice("system", "postgres, mysql or sqlite", &slot.config["system"])),
    };
    let place = match dialect {
        Dialect::Sqlite => {
            let path = required(slot, "file", "Choose the SQLite file in the setting 'file'")?;
            DatabasePlace::File { path, create: flag(slot, "create", false)? }
        }
        Dialect::Postgres | Dialect::MySql => DatabasePlace::Server(server(call, slot, world, dialect).await?),
    };
    let timeout = whole(slot, "timeoutMs", 1, 3_600_000)?.unwrap_or_else(|| time_limit::of_saved(slot));
    let database =
        Database { place, workflow: call.workflow_id.to_string(), access, timeout: Duration::from_millis(timeout) };
    Ok(Chosen { database, dialect })
}

async fn server(call: &Call, slot: &CallSlot, world: &World, dialect: Dialect) -> Result<Server, NodeFailure> {
    let (kind, usual) = match dialect {
        Dialect::MySql => (ServerKind::MySql, 3306),
        _ => (ServerKind::Postgres, 5432),
    };
    let port = whole(slot, "port", 1, 65_535)?.unwrap_or(usual);
    let tls = match text_or(slot, "tls", "verify")? {
        "verify" => true,
        "off" => false,
        _ => return Err(wrong_setting("tls", "verify or off", &slot.config["tls"])),
    };
    let optional = |field: &str| -> Result<Option<String>, NodeFailure> {
        let given = text_or(slot, field, "")?.trim();
        Ok(Some(given).filter(|given| !given.is_empty()).map(str::to_owned))
    };
    Ok(Server {
        kind,
        host: required(slot, "host", "Fill in the host of the server")?,
        port: u16::try_from(port).unwrap_or(usual as u16),
        database: required(slot, "database", "Fill in the name of the database")?,
        user: optional("user")?,
        // After the commit of the step's start, and never part of the config: no event and no expression has the value.
        credential: credential::of_setting(slot, world).await?,
        tls,
        root_certificate: optional("rootCertificate")?,
        loopback_allowed: call.loopback_allowed,
    })
}

fn required(slot: &CallSlot, field: &str, words: &str) -> Result<String, NodeFailure> {
    let given = text_or(slot, field, "")?.trim();
    if given.is_empty() {
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", field));
    }
    Ok(given.to_owned())
}

/// A value for a database; `{"$base64": TEXT}` stands for bytes.
pub(crate) fn sql_value(value: Value, field: &str) -> Result<SqlValue, NodeFailure> {
    let bytes = value.as_object().filter(|object| object.len() == 1).and_then(|object| object.get(BASE64)?.as_str());
    let Some(text) = bytes else { return Ok(SqlValue::Json(value)) };
    let bytes = STANDARD.decode(text.trim()).map_err(|_| {
        let words = format!("'{field}' has {BASE64} with a text that is no base64");
        NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
    })?;
    Ok(SqlValue::Bytes(bytes))
}

/// The values of the names of a statement.
pub(crate) fn params(slot: &CallSlot, names: &[String]) -> Result<Vec<SqlValue>, NodeFailure> {
    let none = serde_json::Map::new();
    let given = match setting(slot, "params") {
        None => &none,
        Some(Value::Object(given)) => given,
        Some(other) => return Err(wrong_setting("params", "an object of name and value", other)),
    };
    let one = |name: &String| {
        let value = given.get(name).ok_or_else(|| {
            let known: Vec<&str> = given.keys().map(String::as_str).collect();
            let has = if known.is_empty() {
                "there are no parameters".to_owned()
            } else {
                format!("there are: {}", known.join(", "))
            };
            let words =
                format!("The SQL has :{name}, and no parameter has this name; {has}. Add the parameter '{name}'");
            NodeFailure::validation("INPUT_INVALID", words).detail("field", format!("params.{name}"))
        })?;
        sql_value(value.clone(), &format!("params.{name}"))
    };
    names.iter().map(one).collect()
}

/// An error of a database as a failure.
pub(crate) fn failure(error: DatabaseError) -> NodeFailure {
    use DatabaseFault as Fault;
    let DatabaseError { fault, message, details, may_have_happened } = error;
    let tool = |code: &str| NodeFailure::tool(code, message.clone());
    let wrong = |code: &str| NodeFailure::validation(code, message.clone());
    let mut failure = match fault {
        Fault::AddressRefused => tool("ADDRESS_REFUSED").suggest(SuggestedAction::HumanReview),
        Fault::CredentialRefused => tool("CREDENTIAL_REFUSED").suggest(SuggestedAction::HumanReview),
        Fault::Connection => NodeFailure::new(ErrorType::NetworkError, "CONNECTION", message.clone()).retryable(),
        Fault::Tls => NodeFailure::new(ErrorType::NetworkError, "TLS", message.clone()),
        Fault::Auth => tool("AUTH").suggest(SuggestedAction::HumanReview),
        Fault::Permission => tool("PERMISSION").suggest(SuggestedAction::HumanReview),
        Fault::Syntax => wrong("SQL_SYNTAX"),
        Fault::UnknownTable => wrong("UNKNOWN_TABLE"),
        Fault::UnknownColumn => wrong("UNKNOWN_COLUMN"),
        Fault::UnknownDatabase => wrong("UNKNOWN_DATABASE"),
        Fault::UnknownFunction => wrong("UNKNOWN_FUNCTION"),
        Fault::Unique => wrong("UNIQUE_VIOLATION"),
        Fault::ForeignKey => wrong("FOREIGN_KEY_VIOLATION"),
        Fault::NotNull => wrong("NOT_NULL_VIOLATION"),
        Fault::Check => wrong("CHECK_VIOLATION"),
        Fault::InvalidValue => wrong("INVALID_VALUE"),
        Fault::Deadlock => tool("DEADLOCK").retryable(),
        Fault::Serialization => tool("SERIALIZATION_FAILURE").retryable(),
        Fault::Locked => tool("LOCKED").retryable(),
        Fault::ReadOnly => wrong("READ_ONLY"),
        Fault::TooManyConnections => tool("TOO_MANY_CONNECTIONS").retryable(),
        Fault::DiskFull => tool("DISK_FULL"),
        Fault::Timeout => NodeFailure::new(ErrorType::Timeout, "TIMEOUT", message.clone()).retryable(),
        Fault::Canceled => tool("CANCELED"),
        Fault::TooManyRows => wrong("TOO_MANY_ROWS"),
        Fault::TooLarge => wrong("TOO_LARGE"),
        Fault::DuplicateColumn => wrong("DUPLICATE_COLUMN"),
        Fault::UnsupportedType => wrong("UNSUPPORTED_TYPE"),
        Fault::Damaged => tool("DATABASE_DAMAGED"),
        Fault::File(error) => {
            let path = details.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
            file_failure(error, &path)
        }
        Fault::Invalid(field) => wrong("INPUT_INVALID").detail("field", field),
        Fault::Stopped | Fault::Other => tool("DATABASE"),
    };
    for (name, value) in details {
        failure = failure.detail(&name, value);
    }
    if may_have_happened { failure.maybe_happened() } else { failure }
}
