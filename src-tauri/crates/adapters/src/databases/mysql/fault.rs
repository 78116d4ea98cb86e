//! What errors of MySQL and MariaDB mean.

use crate::tls::certificate_refusal;
use mysql_async::{DriverError, Error, IoError};
use signalbox_ports::databases::{DatabaseError, DatabaseFault};

/// A fault by the number of an error; the state of SQL is too coarse.
fn fault_of(code: u16, state: &str) -> DatabaseFault {
    match code {
        1045 | 1698 | 1862 | 1820 => DatabaseFault::Auth,
        1044 | 1142 | 1143 | 1227 | 1370 => DatabaseFault::Permission,
        1049 => DatabaseFault::UnknownDatabase,
        1051 | 1146 | 1109 => DatabaseFault::UnknownTable,
        1054 | 1091 => DatabaseFault::UnknownColumn,
        1305 | 1630 => DatabaseFault::UnknownFunction,
        1062 | 1586 => DatabaseFault::Unique,
        1216 | 1217 | 1451 | 1452 => DatabaseFault::ForeignKey,
        1048 | 1364 => DatabaseFault::NotNull,
        3819 | 4025 => DatabaseFault::Check,
        1213 => DatabaseFault::Deadlock,
        1020 | 3101 => DatabaseFault::Serialization,
        1205 | 3572 => DatabaseFault::Locked,
        1290 | 1792 | 1836 => DatabaseFault::ReadOnly,
        1040 | 1203 | 1226 => DatabaseFault::TooManyConnections,
        1021 | 1114 => DatabaseFault::DiskFull,
        1317 | 1969 | 3024 => DatabaseFault::Canceled,
        1053 | 1077 | 1079 | 1927 | 1047 | 1129 | 1130 => DatabaseFault::Connection,
        1064 | 1149 | 1065 | 1136 | 1210 => DatabaseFault::Syntax,
        1264 | 1265 | 1292 | 1366 | 1406 | 1411 | 1365 | 1441 | 3140 => DatabaseFault::InvalidValue,
        _ if state.starts_with("08") => DatabaseFault::Connection,
        _ if state.starts_with("22") => DatabaseFault::InvalidValue,
        _ => DatabaseFault::Other,
    }
}

/// An error of the driver or the server.
pub(super) fn error(error: &Error) -> DatabaseError {
    match error {
        Error::Server(told) => DatabaseError::new(fault_of(told.code, &told.state), told.message.clone())
            .detail("sqlState", told.state.as_str())
            .detail("errorNumber", told.code),
        Error::Io(IoError::Tls(why)) => {
            DatabaseError::new(DatabaseFault::Tls, format!("The connection cannot be encrypted: {why}"))
        }
        Error::Io(IoError::Io(why)) => {
            if let Some(tls) = why.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                let words = certificate_refusal("the server", tls, Some("'Root certificate' (rootCertificate)"))
                    .unwrap_or_else(|| format!("The connection cannot be encrypted: {why}"));
                return DatabaseError::new(DatabaseFault::Tls, words);
            }
            DatabaseError::new(DatabaseFault::Connection, format!("The connection to the server ended: {why}"))
        }
        Error::Driver(DriverError::NoClientSslFlagFromServer) => {
            let words =
                "The server offers no TLS. Switch TLS off where nobody listens on the way, or set TLS up at the server";
            DatabaseError::new(DatabaseFault::Tls, words)
        }
        Error::Driver(DriverError::ConnectionClosed | DriverError::PoolDisconnected) => {
            DatabaseError::new(DatabaseFault::Connection, "The connection to the server ended")
        }
        Error::Driver(
            why @ (DriverError::UnknownAuthPlugin { .. }
            | DriverError::MysqlOldPasswordDisabled
            | DriverError::CleartextPluginDisabled),
        ) => {
            DatabaseError::new(DatabaseFault::Auth, format!("The server asks for a login that is not supported: {why}"))
        }
        Error::Driver(DriverError::PacketTooLarge) => {
            DatabaseError::new(DatabaseFault::TooLarge, "A value or a row is larger than the server takes at once")
        }
        other => DatabaseError::new(DatabaseFault::Other, other.to_string()),
    }
}
