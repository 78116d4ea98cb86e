//! A database of PostgreSQL for each folder of a test, copied from one with tables that the first test makes.

use signalbox_store::{History, Store, StoreOptions};
use std::path::Path;
use tokio_postgres::{Client, NoTls};

const TEMPLATE: &str = "store_template";
/// Held by whoever makes the database that others copy.
const MAKES: i64 = 77;

fn server() -> Option<String> {
    std::env::var("SIGNALBOX_STORE_SERVER").ok()
}

/// Work on a connection to a database of the server.
fn on<T>(database: &str, work: impl AsyncFnOnce(Client) -> T) -> T {
    let url = format!("{}/{database}", server().expect("a server"));
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    threads.block_on(async {
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("connects");
        let driven = tokio::spawn(connection);
        let done = work(client).await;
        driven.await.expect("ends").expect("ends well");
        done
    })
}

fn url(database: &str) -> Option<History> {
    Some(History::new(format!("{}/{database}", server()?), None))
}

fn has(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("database")).ok()
}

/// The history of a folder; makes it the first time.
pub(crate) fn history(folder: &Path) -> Option<History> {
    server()?;
    if let Some(name) = has(folder) {
        return url(&name);
    }
    let name = format!(
        "t_{}",
        folder.file_name()?.to_str()?.to_lowercase().replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
    );
    // Several threads may ask for the same one.
    static MADE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one = MADE.lock().expect("no panic");
    if let Some(name) = has(folder) {
        return url(&name);
    }
    on("postgres", async |client| {
        client.execute("SELECT pg_advisory_lock($1)", &[&MAKES]).await.expect("waits");
        let there = client.query_opt("SELECT 1 FROM pg_database WHERE datname = $1", &[&TEMPLATE]).await.expect("asks");
        if there.is_none() {
            client.batch_execute(&format!("CREATE DATABASE {TEMPLATE}")).await.expect("is made");
            let empty = tempfile::tempdir().expect("folder");
            let options = StoreOptions { history: url(TEMPLATE), ..StoreOptions::default() };
            drop(Store::open(empty.path(), &options).expect("makes the tables"));
        }
        // Its own connections have ended by then, or a moment later.
        let copy = format!("CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY FILE_COPY");
        while let Err(error) = client.batch_execute(&copy).await {
            assert!(
                error.to_string().contains("accessed by other users")
                    || error.as_db_error().is_some_and(|error| error.code().code() == "55006"),
                "{error:?}"
            );
        }
        client.execute("SELECT pg_advisory_unlock($1)", &[&MAKES]).await.expect("lets go");
    });
    // Each history has its name.
    on(&name, async |client| {
        let named =
            "UPDATE signalbox.audit_meta SET value = replace(gen_random_uuid()::text, '-', '') WHERE name = 'logId'";
        client.batch_execute(named).await.expect("is named");
    });
    std::fs::create_dir_all(folder).ok()?;
    std::fs::write(folder.join("database"), &name).expect("writes");
    url(&name)
}

/// The number that a statement tells.
pub(crate) fn count(folder: &Path, sql: &str) -> i64 {
    let name = has(folder).expect("a database");
    on(&name, async |client| {
        client.batch_execute("SET search_path = signalbox, pg_catalog").await.expect("sets");
        client.query_one(&format!("SELECT ({sql})::integer::bigint"), &[]).await.expect(sql).get(0)
    })
}

pub(crate) fn change(folder: &Path, sql: &str) {
    let sql = &sql.replace("x'00'", "'\\x00'::bytea");
    let name = has(folder).expect("a database");
    on(&name, async |client| {
        client.batch_execute(&format!("SET search_path = signalbox, pg_catalog; {sql}")).await.expect(sql);
    });
}

pub(crate) fn texts(folder: &Path, sql: &str) -> Vec<String> {
    let name = has(folder).expect("a database");
    on(&name, async |client| {
        client.batch_execute("SET search_path = signalbox, pg_catalog").await.expect("sets");
        client.query(sql, &[]).await.expect(sql).iter().map(|row| row.get(0)).collect()
    })
}
