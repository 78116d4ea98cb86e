//! Servers of tools. What is changed of one is decided on the row as it is then, and written with its audit entry.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::tool_server::{self, ToolServerRow};
use signalbox_audit::Record;

/// Tool servers.
impl Store {
    /// All of them, by name.
    pub fn tool_servers(&self) -> Result<Vec<ToolServerRow>> {
        self.view(tool_server::all)
    }

    /// One of them.
    pub fn tool_server(&self, name: &str) -> Result<Option<ToolServerRow>> {
        self.view(|connection| tool_server::get(connection, name))
    }

    /// Changes a server: `change` sees the row as it is (none: there is no such server), and gives the row as it shall be,
    /// with what is recorded of it. An error changes nothing.
    pub fn tool_server_change<E: Send + 'static>(
        &self,
        name: &str,
        change: impl FnOnce(Option<ToolServerRow>) -> std::result::Result<(ToolServerRow, Option<Record>), E>
        + Send
        + 'static,
    ) -> Result<std::result::Result<ToolServerRow, E>> {
        let name = name.to_owned();
        self.write(true, move |work| {
            let (row, record) = match change(tool_server::get(work.connection, &name)?) {
                Ok(changed) => changed,
                Err(error) => return Ok(Err(error)),
            };
            tool_server::put(work.connection, &row)?;
            if let Some(record) = record {
                chain::append(work, vec![record])?;
            }
            Ok(Ok(row))
        })
    }

    /// Forgets a server. False, and nothing is written, when there is none.
    pub fn tool_server_delete(&self, name: &str, record: Record) -> Result<bool> {
        let name = name.to_owned();
        self.write(true, move |work| {
            let deleted = tool_server::delete(work.connection, &name)?;
            if deleted {
                chain::append(work, vec![record])?;
            }
            Ok(deleted)
        })
    }
}
