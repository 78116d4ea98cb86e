//! Indexes of documents: list, show, search, delete.

use crate::Caller;
use crate::app::App;
use crate::dto::{Empty, IndexDetails, IndexEntry, IndexPassage, IndexRef, IndexSearch, IndexShow, IndexedDocument};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::single_call::SingleCall;
use serde_json::{Value, json};
use signalbox_model::{AuditEvent, Effects, NodeFailure, time};
use signalbox_nodes::retrieval_failure;
use signalbox_ports::RetrievalError;
use signalbox_retrieval::{IndexFacts, delete_index, index_documents, index_facts, index_names};
use signalbox_store::audit::Level;
use std::path::PathBuf;

fn folder(app: &App) -> PathBuf {
    app.data_dir().join("indexes")
}

fn refused(failure: NodeFailure) -> ApiError {
    let class = match failure.code.as_str() {
        "INDEX_MISSING" | "RETRIEVAL_EMPTY" => Class::NotFound,
        "INPUT_INVALID" => Class::BadRequest,
        "INDEX_BUSY" | "DISK_FULL" | "IO" => Class::Unavailable,
        _ => Class::Invalid,
    };
    let message = format!("{}.", failure.message.trim_end_matches('.'));
    ApiError::new(class, &failure.code, message, "`signalbox index list` shows the indexes of this machine.")
}

fn wrong(name: &str) -> impl Fn(RetrievalError) -> ApiError {
    move |error| refused(retrieval_failure(error, name))
}

fn entry(name: String, found: Result<IndexFacts, RetrievalError>) -> IndexEntry {
    match found {
        Ok(facts) => IndexEntry {
            documents: facts.documents,
            chunks: facts.chunks,
            vectors: facts.vectors,
            dimensions: facts.model.as_ref().map(|(_, dimensions)| *dimensions),
            model: facts.model.map(|(model, _)| model),
            bytes: facts.bytes,
            changed_at: time::format(facts.changed_ms),
            problem: None,
            name,
        },
        Err(error) => IndexEntry {
            problem: Some(retrieval_failure(error, &name).message),
            documents: 0,
            chunks: 0,
            vectors: 0,
            model: None,
            dimensions: None,
            bytes: 0,
            changed_at: time::format(0),
            name,
        },
    }
}

pub(crate) fn index_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<IndexEntry>> {
    let folder = folder(app);
    let names = index_names(&folder).map_err(|error| {
        let message = format!("The folder of indexes cannot be read: {error}.");
        ApiError::unavailable("IO_ERROR", message, "Check the rights of the data folder.")
    })?;
    let entries = names.into_iter().map(|name| (index_facts(&folder, &name), name));
    // One that nothing was ever put into is not there yet.
    let entries = entries.filter(|(found, _)| !matches!(found, Err(RetrievalError::Missing)));
    Ok(entries.map(|(found, name)| entry(name, found)).collect())
}

pub(crate) fn index_show(app: &App, _: &Caller, request: IndexShow) -> ApiResult<IndexDetails> {
    let limit = super::page_size(request.limit, 50, 500)?;
    let (folder, name) = (folder(app), request.name);
    let facts = index_facts(&folder, &name).map_err(wrong(&name))?;
    let mut found = index_documents(&folder, &name, request.after.as_deref(), limit + 1).map_err(wrong(&name))?;
    let more = found.len() > limit;
    found.truncate(limit);
    Ok(IndexDetails {
        next: found.last().filter(|_| more).map(|last| last.id.clone()),
        documents: found
            .into_iter()
            .map(|one| IndexedDocument { id: one.id, title: one.title, metadata: one.metadata, chunks: one.chunks })
            .collect(),
        index: entry(name, Ok(facts)),
    })
}

pub(crate) fn index_search(app: &App, caller: &Caller, request: IndexSearch) -> ApiResult<Vec<IndexPassage>> {
    let mut settings = json!({ "index": request.name, "query": request.query });
    if let Some(top) = request.top {
        settings["top"] = top.into();
    }
    if let Some(filter) = request.filter {
        settings["filter"] = filter.into();
    }
    for (name, value) in
        [("embeddingModel", request.embedding_model), ("embeddingProvider", request.embedding_provider)]
    {
        if let Some(value) = value {
            settings[name] = value.into();
        }
    }
    let found = app.call_once(SingleCall {
        kind: "rag.retrieve",
        settings,
        effects: Effects::Read,
        key: String::new(),
        here: caller.here,
        connector: None,
        workflow: "",
    })?;
    let passages = match found {
        Ok(found) => found,
        // Nothing that fits is an answer here, not an error.
        Err(failure) if failure.code == "RETRIEVAL_EMPTY" => Vec::new(),
        Err(failure) => return Err(refused(failure)),
    };
    let one = |mut passage: Value| IndexPassage {
        text: passage["text"].as_str().unwrap_or_default().to_owned(),
        score: passage["score"].as_f64().unwrap_or_default(),
        rank: passage["rank"].as_u64().unwrap_or_default(),
        source: passage["source"].take(),
        metadata: passage["metadata"].take(),
    };
    Ok(passages.into_iter().map(one).collect())
}

pub(crate) fn index_delete(app: &App, caller: &Caller, request: IndexRef) -> ApiResult<Vec<IndexEntry>> {
    let (folder, name) = (folder(app), request.name);
    let facts = index_facts(&folder, &name);
    if matches!(facts, Err(RetrievalError::Missing | RetrievalError::Invalid { .. })) {
        return Err(wrong(&name)(facts.err().unwrap_or(RetrievalError::Missing)));
    }
    let facts = json!({ "name": name, "documents": facts.map(|facts| facts.documents).ok() });
    let record = app.fact(AuditEvent::IndexDeleted, Level::Warn, caller.actor(), caller.signed(facts));
    delete_index(&folder, &name).map_err(wrong(&name))?;
    app.store.audit_append(record, None, true)?;
    index_list(app, caller, Empty {})
}
