//! Connectors: list, look at an operation, import an API, remove.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    ConnectorAdd, ConnectorAdded, ConnectorEntry, ConnectorFinding, ConnectorName, ConnectorOperation,
    ConnectorOperationEntry, ConnectorOperationGet, ConnectorVariable, Empty,
};
use crate::error::{ApiError, ApiResult};
use crate::workflows::connectors::{self, Added, Entry, Source, Wanted, inlined, output_schema, params_schema};
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, Connector, Effects};
use signalbox_store::audit::Level;
use std::path::PathBuf;

/// Levels of a schema that a form shows.
const LEVELS: usize = 8;

pub(crate) fn connector_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<ConnectorEntry>> {
    Ok(connectors::all(Some(app.data_dir())).iter().map(told).collect())
}

fn told(entry: &Entry) -> ConnectorEntry {
    let own = entry.file.is_some();
    match &entry.connector {
        Ok(connector) => ConnectorEntry {
            name: entry.name.clone(),
            title: connector.title.clone(),
            description: connector.description.clone(),
            keywords: connector.keywords.clone(),
            own,
            problem: None,
            docs: connector.docs.clone(),
            credential: connector.auth.first().map(|scheme| scheme.description.clone().unwrap_or_default()),
            usual_credential: connector.credential.clone(),
            sign_in: connector.sign_in.clone(),
            variables: variables(connector),
            operations: connector
                .operations
                .iter()
                .map(|(name, operation)| ConnectorOperationEntry {
                    name: name.clone(),
                    title: operation.title.clone(),
                    group: operation.group.clone(),
                    deprecated: operation.deprecated,
                })
                .collect(),
        },
        Err(why) => ConnectorEntry {
            name: entry.name.clone(),
            title: entry.name.clone(),
            description: String::new(),
            keywords: Vec::new(),
            own,
            problem: Some(why.clone()),
            docs: None,
            credential: None,
            usual_credential: None,
            sign_in: None,
            variables: Vec::new(),
            operations: Vec::new(),
        },
    }
}

fn variables(connector: &Connector) -> Vec<ConnectorVariable> {
    let all = connector.servers.first().into_iter().flat_map(|server| &server.variables);
    all.map(|(name, variable)| ConnectorVariable {
        name: name.clone(),
        description: variable.description.clone(),
        default: variable.default.clone(),
        values: variable.values.clone(),
    })
    .collect()
}

pub(crate) fn connector_operation(
    app: &App,
    _: &Caller,
    request: ConnectorOperationGet,
) -> ApiResult<ConnectorOperation> {
    let ConnectorOperationGet { connector: name, operation } = request;
    let missing = || ApiError::not_found(format!("There is no operation {operation} of a connector {name}."));
    let entry = connectors::find(Some(app.data_dir()), &name).ok_or_else(missing)?;
    let connector = entry.connector.map_err(|why| {
        ApiError::bad_request(format!("The connector {name} cannot be used: {why}."), "Correct its file.")
    })?;
    let found = connector.operations.get(&operation).ok_or_else(missing)?;
    Ok(ConnectorOperation {
        title: found.title.clone(),
        description: found.description.clone(),
        writes: found.effect() == Effects::Write,
        params: inlined(&params_schema(&connector, found), LEVELS),
        output: inlined(&output_schema(&connector, found), LEVELS),
        fields: found.graphql.as_ref().filter(|graphql| graphql.selects()).map(|graphql| graphql.fields.clone()),
    })
}

pub(crate) fn connector_add(app: &App, caller: &Caller, request: ConnectorAdd) -> ApiResult<ConnectorAdded> {
    let name = request.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let given =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let source = match given(&request.address) {
        None => Source::Text(request.text),
        Some(address) if request.text.trim().is_empty() => Source::Endpoint { address },
        Some(address) => Source::Introspection { text: request.text, address },
    };
    let credential = given(&request.credential);
    let wanted = Wanted { name, credential: credential.as_deref(), replace: request.replace };
    let added = app.connector_add(caller, &source, &wanted)?;
    let finding = |one: &signalbox_import::openapi::Finding| ConnectorFinding {
        path: one.path.clone(),
        message: one.message.clone(),
    };
    Ok(ConnectorAdded {
        name: added.connector.name.clone(),
        title: added.connector.title.clone(),
        file: added.file.display().to_string(),
        operations: added.connector.operations.len() as u64,
        left_out: added.left_out as u64,
        findings: added.findings.iter().map(finding).collect(),
        more_findings: added.more as u64,
    })
}

pub(crate) fn connector_remove(app: &App, caller: &Caller, request: ConnectorName) -> ApiResult<Empty> {
    app.connector_remove(caller, &request.name)?;
    Ok(Empty {})
}

impl App {
    /// Adds a connector of this machine, and records who did.
    ///
    /// # Errors
    /// As [`connectors::add`], a secret that this machine does not have, and why a service does not answer; the connector is there
    /// when only the record failed.
    pub fn connector_add(&self, caller: &Caller, source: &Source, wanted: &Wanted<'_>) -> ApiResult<Added> {
        let data = self.data_dir();
        if let Some(credential) = wanted.credential {
            self.known_secret(credential)?;
        }
        let added = match source {
            Source::Text(text) => connectors::add(data, text, None, wanted)?,
            Source::Introspection { text, address } => connectors::add(data, text, Some(address), wanted)?,
            Source::Endpoint { address } => {
                let text = self.graphql_introspection(caller, address, wanted.credential)?;
                connectors::add(data, &text, Some(address), wanted)?
            }
        };
        let change = if added.replaced { "replaced" } else { "added" };
        let facts = json!({ "change": change, "connector": added.connector.name, "sha256": added.sha256 });
        self.connector_changed(caller, facts)?;
        Ok(added)
    }

    /// Removes a connector of this machine, and records who did; gives its file.
    ///
    /// # Errors
    /// As [`connectors::remove`]; the connector is gone when only the record failed.
    pub fn connector_remove(&self, caller: &Caller, name: &str) -> ApiResult<PathBuf> {
        let file = connectors::remove(self.data_dir(), name)?;
        self.connector_changed(caller, json!({ "change": "removed", "connector": name }))?;
        Ok(file)
    }

    fn connector_changed(&self, caller: &Caller, facts: Value) -> ApiResult<()> {
        let record = self.fact(AuditEvent::ConnectorChanged, Level::Info, caller.actor(), caller.signed(facts));
        self.store.audit_append(record, None, true)?;
        Ok(())
    }
}
