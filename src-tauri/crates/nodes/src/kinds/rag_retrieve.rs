//! `rag.retrieve`: the passages of an index that fit a question. None, or none that is good enough, is an error, so that
//! the next step can ask another source.

use crate::llm::fault::failure as model_failure;
use crate::llm::settings::embedding;
use crate::retrieval_error::failure;
use crate::support::{flag, made, origin, setting, text, text_or, whole, wrong_setting};
use crate::{EffectFuture, Kind, Outcome};
use serde_json::{Map, Value, json};
use signalbox_engine::effect::{Call, CallOutput, CallSlot, OutItem};
use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::llm::EmbedRequest;
use signalbox_ports::retrieval::{Passage, QueryVector, Search};
use signalbox_ports::{CallLog, World};
use std::fmt::Write as _;
use std::sync::Arc;

pub(crate) const KIND: Kind = Kind::Effect(start);

const TOP: u64 = 5;
/// Longest part of a question that an error repeats, in characters.
const SHOWN: usize = 500;

fn start<'a>(call: &'a Call, slot: &'a CallSlot, world: &'a World, _log: &'a dyn CallLog) -> EffectFuture<'a> {
    Box::pin(run(call, slot, world))
}

async fn run(call: &Call, slot: &CallSlot, world: &World) -> Outcome {
    let (index, query) = (text(slot, "index")?, text(slot, "query")?);
    let least = least(slot)?;
    let filter = match setting(slot, "filter") {
        None => Map::new(),
        Some(Value::Object(filter)) => filter.clone(),
        Some(other) => return Err(wrong_setting("filter", "an object", other)),
    };
    let top = whole(slot, "top", 1, 100)?.unwrap_or(TOP);
    let (vector, unembedded) = vector(call, slot, world, query).await?;
    let hybrid = vector.is_some();
    let search = Search {
        vector,
        query: query.to_owned(),
        top: usize::try_from(top).unwrap_or(usize::MAX),
        filter: filter.clone(),
    };
    let found = world.retrieval.search(index, search).await.map_err(|error| failure(error, index))?;
    let asked = |failure: NodeFailure| {
        let query: String = query.chars().take(SHOWN).collect();
        let failure = failure.detail("index", index).detail("query", query).suggest(SuggestedAction::Fallback);
        if filter.is_empty() { failure } else { failure.detail("filter", filter.clone()) }
    };
    let best = found.iter().map(|passage| passage.score).fold(0.0, f64::max);
    if found.is_empty() {
        let also = if filter.is_empty() { "" } else { " and passes the filter" };
        let words = format!(
            "No passage of the index '{index}' has a word of the question{also}. Ask in other words, ask another source, or index more documents"
        );
        return Err(asked(NodeFailure::tool("RETRIEVAL_EMPTY", words)));
    }
    let count = found.len();
    let good: Vec<Passage> = found.into_iter().filter(|passage| passage.score >= least).collect();
    if good.is_empty() {
        let words = format!(
            "The best passage of the index '{index}' has the score {best}, below the lowest score of {least}. Ask in other words, ask another source, or lower the limit"
        );
        let weak = NodeFailure::tool("RETRIEVAL_WEAK", words);
        return Err(asked(weak).detail("bestScore", best).detail("minScore", least).detail("found", count));
    }
    let method = if hybrid { "hybrid" } else { "words" };
    let passages = good.iter().enumerate().map(|(at, passage)| {
        let mut written = written(index, at, passage);
        written["method"] = method.into();
        if let Some(why) = &unembedded {
            written["embeddingError"] = json!({ "code": why.code, "message": why.message });
        }
        written
    });
    let passages: Vec<Value> = passages.collect();
    if flag(slot, "asOne", false)? {
        return Ok(made(slot, json!({ "query": query, "passages": passages, "text": numbered(&good) })));
    }
    let items = passages.into_iter().map(|passage| OutItem::new(Arc::new(passage), origin(slot)));
    Ok(CallOutput::items("success", items))
}

/// The question as numbers, where the step names a model; or why there are none, where it goes on without.
async fn vector(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    query: &str,
) -> Result<(Option<QueryVector>, Option<NodeFailure>), NodeFailure> {
    let Some(request) = embedding(call, slot)? else { return Ok((None, None)) };
    let goes_on = match text_or(slot, "onEmbeddingFailure", "fail")? {
        "fail" => false,
        "words" => true,
        _ => return Err(wrong_setting("onEmbeddingFailure", "fail or words", &slot.config["onEmbeddingFailure"])),
    };
    let model = request.model.clone();
    match world.llm.embed(EmbedRequest { texts: vec![query.to_owned()], ..request }).await {
        Ok(vectors) => match vectors.into_iter().next() {
            Some(vector) => Ok((Some(QueryVector { model, vector }), None)),
            None => Err(NodeFailure::new(ErrorType::LLMError, "BAD_ANSWER", "The model gave no vector")),
        },
        Err(error) if goes_on => Ok((None, Some(model_failure(error)))),
        Err(error) => Err(model_failure(error).suggest(SuggestedAction::Fallback)),
    }
}

fn least(slot: &CallSlot) -> Result<f64, NodeFailure> {
    let Some(value) = setting(slot, "minScore") else { return Ok(0.0) };
    let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| wrong_setting("minScore", "a number from 0 to 1", value))
}

fn written(index: &str, at: usize, passage: &Passage) -> Value {
    let mut source = json!({ "index": index, "id": passage.document });
    for (name, value) in [("title", &passage.title), ("heading", &passage.heading)] {
        if let Some(value) = value {
            source[name] = value.as_str().into();
        }
    }
    if let Some(page) = passage.page {
        source["page"] = page.into();
    }
    source["start"] = passage.start.into();
    source["end"] = passage.end.into();
    json!({
        "text": passage.text, "score": passage.score, "rank": at + 1, "source": source, "metadata": passage.metadata,
    })
}

/// All passages with the number that an answer can name them by.
fn numbered(passages: &[Passage]) -> String {
    let mut text = String::new();
    for (at, passage) in passages.iter().enumerate() {
        let above: Vec<&str> = [&passage.title, &passage.heading].into_iter().flatten().map(String::as_str).collect();
        let above = if above.is_empty() { passage.document.clone() } else { above.join(" › ") };
        let gap = if at == 0 { "" } else { "\n\n" };
        // A String takes all that is written.
        let _ = write!(text, "{gap}[{}] {above}\n{}", at + 1, passage.text);
    }
    text
}
