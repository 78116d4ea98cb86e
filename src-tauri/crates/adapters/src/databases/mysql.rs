//! MySQL and MariaDB. The driver makes its own sockets, so that names are looked up and checked here, and it connects to the
//! addresses that passed. Statements are prepared by the server; values travel beside them.

mod fault;
mod tables;
mod value;

use super::batch::Batches;
use super::connect::{self, Connector, Login};
use super::json::{self, RowWriter};
use super::pool::Pool;
use super::statement::{Dialect, Statement};
use crate::network::{self, PerNetwork};
use crate::tls;
use fault::error;
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Opts, OptsBuilder, Params, SslOpts, Value};
use rustls::pki_types::CertificateDer;
use signalbox_ports::databases::{
    Access, DatabaseError, DatabaseFault, Queried, Query, RowSink, RowSource, Server, Table, TableFilter, TableName,
    Write, WriteAction, WriteRow, Wrote,
};
use signalbox_ports::host::canonical;
use std::collections::HashMap;
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the server is asked to end a statement.
const CANCEL: Duration = Duration::from_secs(5);
/// Values that do not fit are errors, and moments are UTC.
const SESSION: &str = "SET SESSION time_zone = '+00:00', \
                       sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'";

/// Servers of MySQL and MariaDB.
#[derive(Default)]
pub(super) struct MySql {
    pool: Pool<Conn>,
    /// Authorities that the system trusts.
    trusted: PerNetwork<Vec<CertificateDer<'static>>>,
}

/// Ends the statement at the server when the call that waits for it is dropped.
struct KillOnDrop(Option<(Opts, u32)>);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let Some((opts, id)) = self.0.take() else { return };
        let Ok(threads) = tokio::runtime::Handle::try_current() else { return };
        threads.spawn(async move {
            let kill = async {
                let mut other = Conn::new(opts).await?;
                // The connection with it: it is not used again.
                other.query_drop(format!("KILL CONNECTION {id}")).await?;
                other.disconnect().await
            };
            // A server that is gone has ended it.
            let _ended = tokio::time::timeout(CANCEL, kill).await;
        });
    }
}

/// A call on one connection of the pool. Dropping it ends it at the server.
macro_rules! on_connection {
    ($self:ident, $connector:ident, $server:ident, |$conn:ident| $work:expr) => {{
        let login = connect::login($server)?;
        let turn = $self.pool.turn($connector.key($server, &login)).await;
        let mut idle = None;
        if let Some(mut connection) = turn.idle() {
            if connection.ping().await.is_ok() {
                idle = Some(connection);
            }
        }
        let mut connection = match idle {
            Some(connection) => connection,
            None => $self.open($server, &login).await?,
        };
        let mut kill = KillOnDrop(Some((connection.opts().clone(), connection.id())));
        let $conn = &mut connection;
        let outcome = $work.await;
        let is_running = outcome.as_ref().is_err_and(is_running);
        if !is_running {
            // What is open is rolled back, settings and temporary tables go.
            let reset = match outcome.is_ok() {
                true => Ok(()),
                false => connection.query_drop("ROLLBACK").await,
            };
            let reset = match reset {
                Ok(()) => connection.reset().await,
                Err(why) => Err(why),
            };
            kill.0 = None;
            if matches!(reset, Ok(true)) {
                turn.give_back(connection);
            }
        }
        outcome
    }};
}

/// The statement still gives rows that nobody takes.
fn is_running(error: &DatabaseError) -> bool {
    matches!(
        error.fault,
        DatabaseFault::TooManyRows | DatabaseFault::TooLarge | DatabaseFault::Stopped | DatabaseFault::UnsupportedType
    )
}

impl MySql {
    fn ssl(&self, server: &Server) -> Result<SslOpts, DatabaseError> {
        let roots = match &server.root_certificate {
            Some(pem) => tls::certificates(pem).map_err(|why| {
                DatabaseError::new(DatabaseFault::Tls, format!("The connection cannot be encrypted: {why}"))
            })?,
            None => {
                let network = network::current();
                self.trusted.get_or_make(&network, || Ok::<_, DatabaseError>(network.trusted()))?
            }
        };
        let roots = roots.into_iter().map(|root| root.as_ref().to_vec().into()).collect();
        // Its own list of authorities is another one than that of the system.
        Ok(SslOpts::default().with_disable_built_in_roots(true).with_root_certs(roots))
    }

    async fn open(&self, server: &Server, login: &Login) -> Result<Conn, DatabaseError> {
        let address = connect::address(server).await?;
        if server.tls {
            // The driver takes the provider of the process.
            let _already = rustls::crypto::ring::default_provider().install_default();
        }
        let opts = OptsBuilder::default()
            .ip_or_hostname(canonical(&server.host))
            .tcp_port(server.port)
            .resolved_ips(Some(vec![address.ip()]))
            .user(Some(login.user.clone()))
            .pass(login.password())
            .db_name(Some(server.database.clone()))
            // A socket of this machine would be another way past the rules.
            .prefer_socket(false)
            .client_found_rows(true)
            .setup(vec![SESSION])
            .ssl_opts(if server.tls { Some(self.ssl(server)?) } else { None });
        let made = tokio::time::timeout(CONNECT, Conn::new(opts)).await;
        let made = made.map_err(|_| {
            let words = format!("The server {address} did not answer within {} seconds", CONNECT.as_secs());
            DatabaseError::new(DatabaseFault::Connection, words)
        })?;
        made.map_err(|why| {
            let failed = error(&why);
            if failed.fault == DatabaseFault::Connection {
                let words = format!(
                    "The server {address} cannot be reached: {}. Check host and port, and that it runs",
                    failed.message
                );
                return DatabaseError { message: words, ..failed };
            }
            failed
        })
    }

    /// Signs in, and leaves. A connection of the pool would say nothing about the password.
    pub(super) async fn check(&self, server: &Server) -> Result<(), DatabaseError> {
        let login = connect::login(server)?;
        let connection = self.open(server, &login).await?;
        // Who is signed in is known already.
        drop(connection.disconnect().await);
        Ok(())
    }

    pub(super) async fn query(
        &self,
        connector: &Connector,
        server: &Server,
        query: &Query,
        rows: &mut dyn RowSink,
    ) -> Result<Queried, DatabaseError> {
        on_connection!(self, connector, server, |conn| ask(conn, query, rows))
    }

    pub(super) async fn write(
        &self,
        connector: &Connector,
        server: &Server,
        write: &Write,
        rows: &mut dyn RowSource,
    ) -> Result<Wrote, DatabaseError> {
        on_connection!(self, connector, server, |conn| change(conn, write, rows))
    }

    pub(super) async fn tables(
        &self,
        connector: &Connector,
        server: &Server,
        filter: &TableFilter,
    ) -> Result<Vec<Table>, DatabaseError> {
        on_connection!(self, connector, server, |conn| tables::of(conn, filter))
    }
}

async fn begin(conn: &mut Conn, access: Access) -> Result<(), DatabaseError> {
    let start = match access {
        // Statements that end a transaction by themselves meet the next one, which only reads, too.
        Access::Read => {
            conn.query_drop("SET SESSION TRANSACTION READ ONLY").await.map_err(|why| error(&why))?;
            "START TRANSACTION READ ONLY"
        }
        Access::Write => "START TRANSACTION",
    };
    conn.query_drop(start).await.map_err(|why| error(&why))
}

/// An error of a statement that writes. Not every table is undone with the transaction, and some statements confirm it.
fn lost(failed: DatabaseError, access: Access) -> DatabaseError {
    // What the server itself refuses has a number.
    let is_lost = failed.fault == DatabaseFault::Connection || failed.details.is_empty();
    if access == Access::Write && is_lost { failed.maybe_happened() } else { failed }
}

async fn ask(conn: &mut Conn, query: &Query, sink: &mut dyn RowSink) -> Result<Queried, DatabaseError> {
    let access = query.database.access;
    begin(conn, access).await?;
    let statement = conn.prep(query.sql.as_str()).await.map_err(|why| error(&why))?;
    if usize::from(statement.num_params()) != query.params.len() {
        let words = "The SQL has a placeholder '?'. Write :name, and give the value as a parameter";
        return Err(DatabaseError::new(DatabaseFault::Invalid("sql"), words));
    }
    let given: Vec<Value> = query.params.iter().map(|param| value::of(param, "")).collect::<Result<_, _>>()?;
    let params = if given.is_empty() { Params::Empty } else { Params::Positional(given) };
    let mut result = conn.exec_iter(&statement, params).await.map_err(|why| lost(error(&why), access))?;
    let columns = result.columns().unwrap_or_else(|| Vec::new().into());
    let names: Vec<String> = columns.iter().map(|column| column.name_str().into_owned()).collect();
    let mut writer = RowWriter::new(&names, query.max_rows, sink)?;
    if !columns.is_empty() {
        while let Some(row) = result.next().await.map_err(|why| lost(error(&why), access))? {
            for (at, (known, column)) in row.unwrap_raw().into_iter().zip(&*columns).enumerate() {
                value::write(writer.column(at), known.as_ref().unwrap_or(&Value::NULL), column)?;
            }
            writer.end(sink)?;
            json::room(sink).await;
        }
    }
    let affected = result.affected_rows();
    result.drop_result().await.map_err(|why| lost(error(&why), access))?;
    conn.query_drop("COMMIT").await.map_err(|why| lost(error(&why), access))?;
    Ok(Queried { has_rows: !columns.is_empty(), affected })
}

async fn change(conn: &mut Conn, write: &Write, rows: &mut dyn RowSource) -> Result<Wrote, DatabaseError> {
    let types = types_of(conn, &write.table).await?;
    if write.action == WriteAction::Upsert {
        is_unique(conn, write).await?;
    }
    begin(conn, Access::Write).await?;
    let failed = |why: &mysql_async::Error| lost(error(why), Access::Write);
    let statement = Statement { dialect: Dialect::MySql, table: &write.table, action: write.action, key: &write.key };
    let distinct: &[String] = if statement.takes_many() { &write.key } else { &[] };
    let mut batches = Batches::new(rows, write.batch, distinct);
    let mut wrote = Wrote::default();
    while let Some(batch) = batches.next()? {
        let Some(first) = batch.first() else { break };
        let order = statement.order(&first.columns);
        let value = |row: &WriteRow, at: usize| {
            let column = &row.columns[at];
            let data_type = types.get(&column.to_lowercase()).map_or("", String::as_str);
            value::of(&row.values[at], data_type)
                .map_err(|why| why.detail("item", row.item).detail("column", column.as_str()))
        };
        if statement.takes_many() {
            let sql = statement.sql(&first.columns, batch.len());
            let mut given = Vec::with_capacity(batch.len() * first.columns.len());
            for row in &batch {
                for at in &order {
                    given.push(value(row, *at)?);
                }
            }
            let items = (first.item, batch.last().map_or(first.item, |row| row.item));
            conn.exec_drop(sql, Params::Positional(given)).await.map_err(|why| match items {
                (first, last) if first == last => failed(&why).detail("item", first),
                (first, last) => failed(&why).detail("firstItem", first).detail("lastItem", last),
            })?;
            // The server counts a row that an upsert changes twice.
            wrote.rows += batch.len() as u64;
        } else {
            let sql = statement.sql(&first.columns, 1);
            let known = conn.prep(sql).await.map_err(|why| failed(&why))?;
            for row in &batch {
                let given = order.iter().map(|at| value(row, *at)).collect::<Result<Vec<_>, _>>()?;
                conn.exec_drop(&known, Params::Positional(given))
                    .await
                    .map_err(|why| failed(&why).detail("item", row.item))?;
                let done = conn.affected_rows();
                wrote.rows += done;
                wrote.not_found += u64::from(done == 0);
            }
        }
        wrote.items += batch.len() as u64;
    }
    conn.query_drop("COMMIT").await.map_err(|why| failed(&why))?;
    Ok(wrote)
}

/// Types of the columns of a table, by their names in small letters, which do not count here.
async fn types_of(conn: &mut Conn, table: &TableName) -> Result<HashMap<String, String>, DatabaseError> {
    let sql = "SELECT LOWER(column_name), LOWER(data_type) FROM information_schema.columns \
               WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";
    let rows: Vec<(String, String)> = conn.exec(sql, (&table.schema, &table.name)).await.map_err(|why| error(&why))?;
    Ok(rows.into_iter().collect())
}

/// The columns of the key are one of the table's unique keys: which one counts cannot be said in the statement.
async fn is_unique(conn: &mut Conn, write: &Write) -> Result<(), DatabaseError> {
    let sql = "SELECT LOWER(index_name), LOWER(column_name) FROM information_schema.statistics \
               WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ? AND non_unique = 0";
    let rows: Vec<(String, String)> =
        conn.exec(sql, (&write.table.schema, &write.table.name)).await.map_err(|why| error(&why))?;
    let mut keys: HashMap<String, Vec<String>> = HashMap::new();
    for (index, column) in rows {
        keys.entry(index).or_default().push(column);
    }
    let mut wanted: Vec<String> = write.key.iter().map(|name| name.to_lowercase()).collect();
    wanted.sort();
    let is_same = |columns: &Vec<String>| {
        let mut columns = columns.clone();
        columns.sort();
        columns == wanted
    };
    let mut found = false;
    // Whether one is there, in any order.
    #[expect(clippy::iter_over_hash_type, reason = "the order does not matter")]
    for columns in keys.values() {
        found |= is_same(columns);
    }
    // A table that is not there is told by the statement itself.
    if found || keys.is_empty() && types_of(conn, &write.table).await?.is_empty() {
        return Ok(());
    }
    let words = format!(
        "No primary or unique key of the table '{}' consists of exactly these columns: {}. Choose the columns of such a key",
        write.table.name,
        write.key.join(", ")
    );
    Err(DatabaseError::new(DatabaseFault::Invalid("key"), words))
}
