//! `rag.index`: documents of items into an index of this machine.

use crate::document::{self, Source};
use crate::llm::fault::failure as model_failure;
use crate::llm::settings::embedding;
use crate::retrieval_error::failure;
use crate::support::{kind_of, made, setting, text, text_or, whole, wrong_choice};
use crate::{EffectFuture, Kind, Outcome, binary, cel};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_engine::expr::Expr;
use signalbox_model::{ErrorType, NodeFailure};
use signalbox_ports::llm::EmbedRequest;
use signalbox_ports::retrieval::{ChunkSize, Document, DocumentFormat, Indexed};
use signalbox_ports::{CallLog, DocumentKind, World};

pub(crate) const KIND: Kind = Kind::Effect(start);

/// Passages of one question to an embedding model.
const BATCH: usize = 64;
const MAX_CHARS: u64 = 1_000;
const OVERLAP_CHARS: u64 = 150;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let index = text(slot, "index")?;
    let action = text_or(slot, "action", "add")?;
    if !["add", "replace", "remove"].contains(&action) {
        return Err(wrong_choice("action", "add, replace or remove", &slot.config["action"]));
    }
    let removes = action == "remove";
    let documents = Documents::of(slot)?;
    let embedding = embedding(call, slot)?.filter(|_| !removes);
    let told = |error| failure(error, index);
    let mut change = world.retrieval.change(index, !removes).await.map_err(told)?;
    let (mut added, mut changed, mut unchanged) = (0_u64, 0_u64, 0_u64);
    // One document after the other: the memory is that of the largest one.
    for at in 0..slot.input.len() {
        let at_item = |failure: NodeFailure| failure.detail("index", index).detail("item", at);
        if removes {
            let id = documents.id(at).map_err(at_item)?;
            change.remove(id).await.map_err(told)?;
            continue;
        }
        let document = documents.document(call, world, at).await.map_err(at_item)?;
        let became = change.put(document).await.map_err(|error| told(error).detail("item", at))?;
        *match became {
            Indexed::Added => &mut added,
            Indexed::Changed => &mut changed,
            Indexed::Unchanged => &mut unchanged,
        } += 1;
    }
    let totals = change.commit(action == "replace").await.map_err(told)?;
    let embedded = match embedding {
        Some(request) => Some(embed(index, &request, world).await?),
        None => None,
    };
    let mut report = json!({
        "index": index, "added": added, "changed": changed, "unchanged": unchanged,
        "removed": totals.removed, "documents": totals.documents, "chunks": totals.chunks,
    });
    if let Some(embedded) = embedded {
        report["embedded"] = embedded.into();
    }
    Ok(made(slot, report))
}

/// Asks for the vectors that are missing, and gives their number. What came is kept: after a failure only the rest is asked for.
async fn embed(index: &str, request: &EmbedRequest, world: &World) -> Result<u64, NodeFailure> {
    let told = |error| failure(error, index);
    let mut embedded = 0;
    loop {
        let missing = world.retrieval.without_vector(index, &request.model, BATCH).await.map_err(told)?;
        if missing.is_empty() {
            return Ok(embedded);
        }
        let (chunks, texts): (Vec<i64>, Vec<String>) = missing.into_iter().unzip();
        let count = texts.len();
        let vectors = world.llm.embed(EmbedRequest { texts, ..request.clone() }).await;
        let vectors =
            vectors.map_err(|error| model_failure(error).detail("index", index).detail("embedded", embedded))?;
        if vectors.len() != count {
            let words = format!("The model gave {} vectors for {count} texts", vectors.len());
            return Err(NodeFailure::new(ErrorType::LLMError, "BAD_ANSWER", words).detail("index", index));
        }
        world
            .retrieval
            .put_vectors(index, &request.model, chunks.into_iter().zip(vectors).collect())
            .await
            .map_err(told)?;
        embedded += count as u64;
    }
}

/// Reads documents out of items.
struct Documents<'a> {
    slot: &'a CallSlot,
    id: Expr,
    text: Expr,
    title: Option<Expr>,
    metadata: Option<Expr>,
    format: DocumentFormat,
    size: ChunkSize,
}

impl<'a> Documents<'a> {
    fn of(slot: &'a CallSlot) -> Result<Self, NodeFailure> {
        let given = |field: &str| setting(slot, field).is_some_and(|value| value.as_str() != Some(""));
        let optional = |field: &str| given(field).then(|| cel::setting_expr(slot, field)).transpose();
        let format = match text_or(slot, "format", "text")? {
            "text" => DocumentFormat::Text,
            "markdown" => DocumentFormat::Markdown,
            "html" => DocumentFormat::Html,
            "csv" => DocumentFormat::Csv,
            "pdf" => DocumentFormat::Pdf,
            _ => return Err(wrong_choice("format", "text, markdown, html, csv or pdf", &slot.config["format"])),
        };
        let most = whole(slot, "maxChars", 100, 20_000)?.unwrap_or(MAX_CHARS);
        let overlap = whole(slot, "overlapChars", 0, 10_000)?.unwrap_or(OVERLAP_CHARS.min(most / 2));
        if overlap > most / 2 {
            let words =
                format!("The overlap of {overlap} characters is more than half of the longest passage ({most})");
            return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "overlapChars"));
        }
        let size = |chars: u64| usize::try_from(chars).unwrap_or(usize::MAX);
        Ok(Self {
            slot,
            id: cel::setting_expr(slot, "id")?,
            text: optional("text")?.map_or_else(|| cel::compile("text", "item.text"), Ok)?,
            title: optional("title")?,
            metadata: optional("metadata")?,
            format,
            size: ChunkSize { max_chars: size(most), overlap_chars: size(overlap) },
        })
    }

    fn value(&self, field: &str, expr: &Expr, at: usize) -> Result<Value, NodeFailure> {
        let mut scope = self.slot.scope.clone();
        scope.item = self.slot.input.kept(at).unwrap_or_default();
        cel::value(field, expr, &scope)
    }

    fn id(&self, at: usize) -> Result<String, NodeFailure> {
        match self.value("id", &self.id, at)? {
            Value::String(id) => Ok(id),
            Value::Number(id) => Ok(id.to_string()),
            other => Err(wrong("id", "text or a number", &other, at)),
        }
    }

    /// The pages of a PDF that came with an item, with a form feed between them. A page that cannot be read is empty.
    async fn pages(&self, call: &Call, world: &World, at: usize) -> Result<String, NodeFailure> {
        let bytes = binary::of_item(call, self.slot, world, "binary", at).await?;
        let source = Source { bytes, what: format!("The PDF of item {}", at + 1) };
        let text = document::read(call, world, DocumentKind::Pdf, source, json!({})).await?;
        let read: Value = serde_json::from_str(&text).unwrap_or_default();
        let pages =
            read["pages"].as_array().into_iter().flatten().map(|page| page["text"].as_str().unwrap_or_default());
        Ok(pages.collect::<Vec<_>>().join("\u{c}"))
    }

    async fn document(&self, call: &Call, world: &World, at: usize) -> Result<Document, NodeFailure> {
        let text = if self.format == DocumentFormat::Pdf {
            self.pages(call, world, at).await?
        } else {
            match self.value("text", &self.text, at)? {
                Value::String(text) => text,
                other => return Err(wrong("text", "text", &other, at)),
            }
        };
        let title = match &self.title {
            None => None,
            Some(expr) => match self.value("title", expr, at)? {
                Value::Null => None,
                Value::String(title) => Some(title).filter(|title| !title.is_empty()),
                other => return Err(wrong("title", "text", &other, at)),
            },
        };
        let metadata = match &self.metadata {
            None => Map::new(),
            Some(expr) => match self.value("metadata", expr, at)? {
                Value::Null => Map::new(),
                Value::Object(metadata) => metadata,
                other => return Err(wrong("metadata", "an object", &other, at)),
            },
        };
        Ok(Document { id: self.id(at)?, title, text, format: self.format, metadata, size: self.size })
    }
}

fn wrong(field: &str, wanted: &str, got: &Value, at: usize) -> NodeFailure {
    let words = format!("'{field}' of item {at} must be {wanted}, but it is {}", kind_of(got));
    NodeFailure::validation("INPUT_INVALID", words).detail("field", field)
}
