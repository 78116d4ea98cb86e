//! A table of PostgreSQL that only grows: one row for each entry, with the entry as text, so that its bytes stay what was
//! signed. Whoever delivers twice changes nothing.

use super::connect::{Waiter, other, server_name, tcp, tls};
use super::remote::Place;
use crate::postgres_tls::PostgresTls;
use signalbox_ports::{AuditLine, AuditSink, CredentialKind, NotTaken};
use std::io;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, Error, NoTls};

/// The table when the address names none.
const TABLE: &str = "audit_events";

pub(super) struct Postgres {
    client: Client,
    waiter: Waiter,
    table: String,
    log_id: String,
}

fn failed(error: Error) -> io::Error {
    match error.as_db_error() {
        Some(told) => other(format!("{} ({})", told.message(), told.code().code())),
        None => match std::error::Error::source(&error) {
            Some(cause) => other(format!("{error}: {cause}")),
            None => other(error.to_string()),
        },
    }
}

impl Postgres {
    pub(super) fn open(place: &Place, threads: Handle) -> io::Result<Self> {
        let credential = place.allowed_credential()?;
        let user = match credential.map(|credential| &credential.kind) {
            Some(CredentialKind::Basic { user }) => user.clone(),
            _ => place.url.username().to_owned(),
        };
        let mut config = Config::new();
        config
            .user(user)
            .dbname(place.path().concat())
            .application_name("signalbox")
            .options("-c statement_timeout=25000 -c lock_timeout=25000")
            .ssl_mode(if place.encrypted() { SslMode::Require } else { SslMode::Disable });
        if let Some(credential) = credential {
            config.password(credential.value.expose());
        }
        let waiter = Waiter::new(place, threads);
        let client = waiter.wait(async {
            let stream = tcp(place).await?;
            if !place.encrypted() {
                let (client, connection) = config.connect_raw(stream, NoTls).await.map_err(failed)?;
                waiter.spawn(connection);
                return Ok(client);
            }
            let tls = PostgresTls::new(Arc::new(tls(place)?), server_name(place)?);
            let (client, connection) = config.connect_raw(stream, tls).await.map_err(failed)?;
            waiter.spawn(connection);
            Ok(client)
        })?;
        let table = place.option("table").filter(|name| !name.is_empty()).unwrap_or_else(|| TABLE.to_owned());
        let sink = Self { client, waiter, table, log_id: place.log_id.clone() };
        sink.make_table()?;
        Ok(sink)
    }

    /// The table with its quotes.
    fn quoted(&self) -> String {
        self.table.split('.').map(|part| format!("\"{part}\"")).collect::<Vec<_>>().join(".")
    }

    /// Makes the table where there is none. Rows are only added to it: a trigger refuses the rest, also to its owner.
    fn make_table(&self) -> io::Result<()> {
        let table = self.quoted();
        self.waiter.wait(async {
            let there = self.client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&table]).await.map_err(failed)?;
            if there.get(0) {
                return Ok(());
            }
            let function = table.trim_end_matches('"').to_owned() + "_append_only\"";
            let make = format!(
                "BEGIN;
                 CREATE TABLE {table} (
                   log_id text NOT NULL, seq bigint NOT NULL, run_id text NOT NULL, node_id text NOT NULL,
                   event text NOT NULL, level text NOT NULL, recorded_at timestamptz NOT NULL, hash text NOT NULL,
                   entry text NOT NULL, PRIMARY KEY (log_id, seq));
                 CREATE INDEX ON {table} (run_id);
                 CREATE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$
                   BEGIN RAISE EXCEPTION 'audit entries are only added'; END $$;
                 CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
                   FOR EACH STATEMENT EXECUTE FUNCTION {function}();
                 COMMIT;"
            );
            self.client.batch_execute(&make).await.map_err(failed)
        })
    }

    /// Adds entries in one statement: all of them or none. Those that are there already stay as they are, and must be the same.
    async fn add(&self, lines: &[AuditLine]) -> io::Result<()> {
        let table = self.quoted();
        let all = |part: fn(&AuditLine) -> &str| lines.iter().map(part).collect::<Vec<_>>();
        let seqs: Vec<i64> = lines.iter().map(|line| i64::try_from(line.seq).unwrap_or(i64::MAX)).collect();
        let hashes = all(|line| &line.hash);
        let add = format!(
            "INSERT INTO {table} (log_id, seq, run_id, node_id, event, level, recorded_at, hash, entry)
             SELECT $1, seq, run_id, node_id, event, level, at::timestamptz, hash, entry
             FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
               AS new (seq, run_id, node_id, event, level, at, hash, entry)
             ON CONFLICT (log_id, seq) DO NOTHING"
        );
        self.client
            .execute(
                &add,
                &[
                    &self.log_id,
                    &seqs,
                    &all(|line| &line.run_id),
                    &all(|line| &line.node_id),
                    &all(|line| &line.event),
                    &all(|line| &line.level),
                    &all(|line| &line.timestamp),
                    &hashes,
                    &all(|line| line.line.trim_end_matches('\n')),
                ],
            )
            .await
            .map_err(failed)?;
        let same = format!(
            "SELECT count(*) FROM {table} AS there
             JOIN unnest($2::bigint[], $3::text[]) AS new (seq, hash) ON there.seq = new.seq AND there.hash = new.hash
             WHERE there.log_id = $1"
        );
        let same = self.client.query_one(&same, &[&self.log_id, &seqs, &hashes]).await.map_err(failed)?;
        if same.get::<_, i64>(0) != i64::try_from(lines.len()).unwrap_or(i64::MAX) {
            let what = "the table has another entry with one of these numbers, or a rule of the table left one out";
            return Err(other(what));
        }
        Ok(())
    }
}

impl AuditSink for Postgres {
    fn last(&mut self, _upto: u64) -> io::Result<Option<String>> {
        let last = format!("SELECT entry FROM {} WHERE log_id = $1 ORDER BY seq DESC LIMIT 1", self.quoted());
        let found = self.waiter.wait(async { self.client.query_opt(&last, &[&self.log_id]).await.map_err(failed) })?;
        Ok(found.map(|row| row.get(0)))
    }

    fn take(&mut self, lines: &[AuditLine]) -> Result<(), NotTaken> {
        let Err(why) = self.waiter.wait(self.add(lines)) else { return Ok(()) };
        if self.client.is_closed() || lines.len() < 2 {
            return Err(why.into());
        }
        // It refuses one of them: what stands before that goes there.
        for (taken, line) in lines.iter().enumerate() {
            if let Err(why) = self.waiter.wait(self.add(std::slice::from_ref(line))) {
                return Err(NotTaken { taken, why: other(format!("entry {}: {why}", line.seq)) });
            }
        }
        Ok(())
    }
}
