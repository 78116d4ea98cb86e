//! PostgreSQL. Sockets and TLS are ours, so that addresses are checked; parameters travel as text, rows in the binary format.

mod decode;
mod fault;
mod param;
mod query;
mod row_blocks;
mod tables;
mod tls;
mod write;

use super::connect::{self, Connector, Login};
use super::pool::Pool;
use crate::postgres_tls::PostgresTls;
use fault::error;
use row_blocks::{RowBlocks, RowFilter};
use rustls::pki_types::ServerName;
use signalbox_ports::databases::{
    Access, DatabaseError, DatabaseFault, Queried, Query, RowSink, RowSource, Server, Table, TableFilter, Write, Wrote,
};
use signalbox_ports::host::canonical;
use std::net::SocketAddr;
use std::time::Duration;
use tls::FilteredTls;
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::{CancelToken, Client, Config, NoTls, Transaction};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the server is asked to end a statement.
const CANCEL: Duration = Duration::from_secs(5);
/// What a call leaves behind in a connection, undone. `DISCARD ALL` would also forget the statements of the driver.
const RESET: &str = "RESET SESSION AUTHORIZATION; RESET ALL; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); \
                     DISCARD TEMP; DISCARD SEQUENCES";

/// Servers of PostgreSQL.
#[derive(Default)]
pub(super) struct Postgres {
    pool: Pool<Connection>,
}

/// An open connection.
struct Connection {
    client: Client,
    rows: RowBlocks,
    end: Ending,
}

/// What it takes to end a statement at the server.
#[derive(Clone)]
struct Ending {
    address: SocketAddr,
    tls: Option<PostgresTls>,
    token: CancelToken,
    task: AbortHandle,
}

impl Ending {
    async fn cancel(&self) {
        let Ok(stream) = TcpStream::connect(self.address).await else { return };
        // Whether it arrived shows at the connection itself.
        let _asked = match &self.tls {
            Some(tls) => self.token.cancel_query_raw(stream, tls.clone()).await,
            None => self.token.cancel_query_raw(stream, NoTls).await,
        };
    }
}

/// Cancels the statement at the server when the call that waits for it is dropped.
struct CancelOnDrop(Option<Ending>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Some(end) = self.0.take() else { return };
        let Ok(threads) = tokio::runtime::Handle::try_current() else { return end.task.abort() };
        threads.spawn(async move {
            let _late = tokio::time::timeout(CANCEL, end.cancel()).await;
            // It goes by itself when the server has told that it ended.
            tokio::time::sleep(CANCEL).await;
            end.task.abort();
        });
    }
}

async fn open(connector: &Connector, server: &Server, login: &Login) -> Result<Connection, DatabaseError> {
    let address = connect::address(server).await?;
    let mut config = Config::new();
    config.user(&login.user).dbname(&server.database).application_name("signalbox").ssl_mode(if server.tls {
        SslMode::Require
    } else {
        SslMode::Disable
    });
    if let Some(password) = login.password() {
        config.password(password);
    }
    let made = async {
        let refused = |why: std::io::Error| {
            let words = format!("The server {address} cannot be reached: {why}. Check host and port, and that it runs");
            DatabaseError::new(DatabaseFault::Connection, words)
        };
        let stream = TcpStream::connect(address).await.map_err(refused)?;
        stream.set_nodelay(true).map_err(refused)?;
        let rows = RowBlocks::default();
        let (client, tls, task) = if server.tls {
            let name = ServerName::try_from(canonical(&server.host)).map_err(|_| {
                let words = format!("'{}' is no host of a certificate", server.host);
                DatabaseError::new(DatabaseFault::Invalid("host"), words)
            })?;
            let tls = PostgresTls::new(connector.tls(server.root_certificate.as_deref())?, name);
            let (client, connection) = config
                .connect_raw(stream, FilteredTls::new(tls.clone(), rows.clone()))
                .await
                .map_err(|why| error(&why))?;
            (client, Some(tls), tokio::spawn(connection).abort_handle())
        } else {
            let stream = RowFilter::new(stream, rows.clone());
            let (client, connection) = config.connect_raw(stream, NoTls).await.map_err(|why| error(&why))?;
            (client, None, tokio::spawn(connection).abort_handle())
        };
        let token = client.cancel_token();
        Ok(Connection { client, rows, end: Ending { address, tls, token, task } })
    };
    tokio::time::timeout(CONNECT, made).await.unwrap_or_else(|_| {
        let words = format!("The server {address} did not answer within {} seconds", CONNECT.as_secs());
        Err(DatabaseError::new(DatabaseFault::Connection, words))
    })
}

/// Signs in, and leaves. A connection of the pool would say nothing about the password.
pub(super) async fn check(connector: &Connector, server: &Server) -> Result<(), DatabaseError> {
    let login = connect::login(server)?;
    // It ends when its client is dropped.
    open(connector, server, &login).await.map(drop)
}

/// A transaction that ends by itself when the program is gone, and reads times without a zone as UTC.
async fn begin(client: &mut Client, access: Access, timeout: Duration) -> Result<Transaction<'_>, DatabaseError> {
    let wanted = client.build_transaction().read_only(access == Access::Read);
    let transaction = wanted.start().await.map_err(|why| error(&why))?;
    // A little later than ours, which says more.
    let limit = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX).saturating_add(5_000).min(2_000_000_000);
    let settings = format!(
        "SET LOCAL TIME ZONE 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL IntervalStyle = 'iso_8601'; \
         SET LOCAL standard_conforming_strings = on; SET LOCAL statement_timeout = {limit}"
    );
    transaction.batch_execute(&settings).await.map_err(|why| error(&why))?;
    Ok(transaction)
}

/// Whether the change was made is not known when the connection ends while it is confirmed.
async fn commit(transaction: Transaction<'_>) -> Result<(), DatabaseError> {
    transaction.commit().await.map_err(|why| {
        let failed = error(&why);
        // What the server itself refuses has a state.
        let is_lost = failed.fault == DatabaseFault::Connection || failed.details.is_empty();
        if is_lost { failed.maybe_happened() } else { failed }
    })
}

/// A call on one connection of the pool. Dropping it cancels it.
macro_rules! on_connection {
    ($self:ident, $connector:ident, $server:ident, |$client:ident, $blocks:ident| $work:expr) => {{
        let login = connect::login($server)?;
        let turn = $self.pool.turn($connector.key($server, &login)).await;
        let idle = match turn.idle() {
            Some(connection) if connection.client.check_connection().await.is_ok() => Some(connection),
            _ => None,
        };
        let mut connection = match idle {
            Some(connection) => connection,
            None => open($connector, $server, &login).await?,
        };
        let mut cancel = CancelOnDrop(Some(connection.end.clone()));
        let ($client, $blocks) = (&mut connection.client, &connection.rows);
        let outcome = $work.await;
        let is_running = outcome.as_ref().is_err_and(is_running);
        if !is_running {
            // What a failed transaction left is rolled back before this.
            let reset = connection.client.batch_execute(RESET).await;
            cancel.0 = None;
            if reset.is_ok() {
                turn.give_back(connection);
            }
        }
        outcome
    }};
}

/// The statement still gives rows that nobody takes.
fn is_running(error: &DatabaseError) -> bool {
    matches!(error.fault, DatabaseFault::TooLarge | DatabaseFault::Stopped | DatabaseFault::UnsupportedType)
}

impl Postgres {
    pub(super) async fn query(
        &self,
        connector: &Connector,
        server: &Server,
        query: &Query,
        rows: &mut dyn RowSink,
    ) -> Result<Queried, DatabaseError> {
        on_connection!(self, connector, server, |client, blocks| query::ask(client, blocks, query, rows))
    }

    pub(super) async fn write(
        &self,
        connector: &Connector,
        server: &Server,
        write: &Write,
        rows: &mut dyn RowSource,
    ) -> Result<Wrote, DatabaseError> {
        on_connection!(self, connector, server, |client, _blocks| write::change(client, write, rows))
    }

    pub(super) async fn tables(
        &self,
        connector: &Connector,
        server: &Server,
        timeout: Duration,
        filter: &TableFilter,
    ) -> Result<Vec<Table>, DatabaseError> {
        on_connection!(self, connector, server, |client, _blocks| tables::of(client, timeout, filter))
    }
}
