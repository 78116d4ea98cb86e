//! What errors of PostgreSQL mean.

use crate::tls::certificate_refusal;
use signalbox_ports::databases::{DatabaseError, DatabaseFault};
use std::error::Error as _;
use std::io;
use tokio_postgres::Error;

/// A fault by its SQLSTATE.
fn fault_of(state: &str) -> DatabaseFault {
    match state {
        "28000" | "28P01" => DatabaseFault::Auth,
        "42501" => DatabaseFault::Permission,
        "3D000" => DatabaseFault::UnknownDatabase,
        "42P01" | "3F000" => DatabaseFault::UnknownTable,
        "42703" => DatabaseFault::UnknownColumn,
        "42883" => DatabaseFault::UnknownFunction,
        // The columns are no unique key.
        "42P10" => DatabaseFault::Invalid("key"),
        "23505" => DatabaseFault::Unique,
        "23503" => DatabaseFault::ForeignKey,
        "23502" => DatabaseFault::NotNull,
        "23514" | "23P01" => DatabaseFault::Check,
        "40P01" => DatabaseFault::Deadlock,
        "40001" => DatabaseFault::Serialization,
        "55P03" => DatabaseFault::Locked,
        "25006" => DatabaseFault::ReadOnly,
        "53300" => DatabaseFault::TooManyConnections,
        "53100" => DatabaseFault::DiskFull,
        "57014" => DatabaseFault::Canceled,
        "57P01" | "57P02" | "57P03" => DatabaseFault::Connection,
        "42804" | "42846" | "42821" | "428C9" => DatabaseFault::InvalidValue,
        "42601" | "42P02" | "42P18" | "42803" | "42P08" => DatabaseFault::Syntax,
        state if state.starts_with("08") => DatabaseFault::Connection,
        state if state.starts_with("22") => DatabaseFault::InvalidValue,
        _ => DatabaseFault::Other,
    }
}

/// An error of the driver or the server.
pub(super) fn error(error: &Error) -> DatabaseError {
    if let Some(told) = error.as_db_error() {
        let state = told.code().code();
        let mut words = told.message().to_owned();
        for more in [told.detail(), told.hint()].into_iter().flatten() {
            words.push_str(". ");
            words.push_str(more.trim_end_matches('.'));
        }
        if state == "42P18" {
            words.push_str(". Write its type behind the parameter, like :name::text");
        }
        let mut made = DatabaseError::new(fault_of(state), words).detail("sqlState", state);
        for (name, value) in [("table", told.table()), ("column", told.column()), ("constraint", told.constraint())] {
            if let Some(value) = value {
                made = made.detail(name, value);
            }
        }
        return made;
    }
    let cause = error.source();
    let words = cause.map_or_else(|| error.to_string(), ToString::to_string);
    let tls = cause
        .and_then(|cause| cause.downcast_ref::<io::Error>()?.get_ref())
        .and_then(|inner| inner.downcast_ref::<rustls::Error>());
    if let Some(why) =
        tls.and_then(|error| certificate_refusal("the server", error, Some("'Root certificate' (rootCertificate)")))
    {
        return DatabaseError::new(DatabaseFault::Tls, why);
    }
    let told = error.to_string();
    if tls.is_some() || told.contains("TLS") {
        return DatabaseError::new(DatabaseFault::Tls, format!("The connection cannot be encrypted: {words}"));
    }
    if told.contains("password") || told.contains("authentication") {
        return DatabaseError::new(DatabaseFault::Auth, words);
    }
    if cause.is_some_and(|cause| cause.is::<io::Error>()) || error.is_closed() {
        return DatabaseError::new(DatabaseFault::Connection, format!("The connection to the server ended: {words}"));
    }
    DatabaseError::new(DatabaseFault::Other, words)
}
