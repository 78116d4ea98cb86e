//! Databases of people: PostgreSQL, MySQL and MariaDB over checked addresses, and SQLite files in granted folders.

mod batch;
mod connect;
mod json;
mod mysql;
mod pool;
mod postgres;
mod sqlite;
mod statement;

use crate::files::FolderFiles;
use async_trait::async_trait;
use connect::Connector;
use mysql::MySql;
use postgres::Postgres;
use signalbox_ports::databases::{
    Database, DatabaseError, DatabaseFault, DatabasePlace, Databases, Queried, Query, RowSink, RowSource, Server,
    ServerKind, Table, TableFilter, Write, Wrote,
};
use std::future::Future;
use std::time::Duration;

/// Databases, with a few open connections for each.
#[derive(Default)]
pub struct PooledDatabases {
    files: FolderFiles,
    connector: Connector,
    postgres: Postgres,
    mysql: MySql,
}

impl PooledDatabases {
    /// With the folders in which SQLite files may be.
    pub fn new(files: FolderFiles) -> Self {
        Self { files, ..Self::default() }
    }
}

/// Waits for `work`, but not longer than its limit; then it is dropped, which cancels it at the server.
async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, DatabaseError>> + Send,
) -> Result<T, DatabaseError> {
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
        let words = format!(
            "The database did not finish within {} ms; the statement was cancelled. Ask for less, add an index, or raise the time limit",
            limit.as_millis()
        );
        let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        Err(DatabaseError::new(DatabaseFault::Timeout, words).detail("timeoutMs", limit).maybe_happened())
    })
}

#[async_trait]
impl Databases for PooledDatabases {
    async fn query(&self, query: Query, rows: &mut dyn RowSink) -> Result<Queried, DatabaseError> {
        within(query.database.timeout, async {
            match &query.database.place {
                DatabasePlace::Server(server) if server.kind == ServerKind::Postgres => {
                    self.postgres.query(&self.connector, server, &query, rows).await
                }
                DatabasePlace::Server(server) => self.mysql.query(&self.connector, server, &query, rows).await,
                DatabasePlace::File { path, create } => sqlite::query(&self.files, &query, (path, *create), rows).await,
            }
        })
        .await
    }

    async fn write(&self, write: Write, rows: &mut dyn RowSource) -> Result<Wrote, DatabaseError> {
        within(write.database.timeout, async {
            match &write.database.place {
                DatabasePlace::Server(server) if server.kind == ServerKind::Postgres => {
                    self.postgres.write(&self.connector, server, &write, rows).await
                }
                DatabasePlace::Server(server) => self.mysql.write(&self.connector, server, &write, rows).await,
                DatabasePlace::File { path, create } => sqlite::write(&self.files, &write, (path, *create), rows).await,
            }
        })
        .await
    }

    async fn tables(&self, database: Database, filter: TableFilter) -> Result<Vec<Table>, DatabaseError> {
        within(database.timeout, async {
            match &database.place {
                DatabasePlace::Server(server) if server.kind == ServerKind::Postgres => {
                    self.postgres.tables(&self.connector, server, database.timeout, &filter).await
                }
                DatabasePlace::Server(server) => self.mysql.tables(&self.connector, server, &filter).await,
                DatabasePlace::File { path, .. } => sqlite::tables(&self.files, &database, path, &filter).await,
            }
        })
        .await
    }

    async fn check(&self, server: Server, timeout: Duration) -> Result<(), DatabaseError> {
        within(timeout, async {
            match server.kind {
                ServerKind::Postgres => postgres::check(&self.connector, &server).await,
                ServerKind::MySql => self.mysql.check(&server).await,
            }
        })
        .await
    }
}
