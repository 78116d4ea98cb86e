//! Vectors of texts: the embedding calls of providers.

use super::{LlmFault, Models, fault, providers, refused, response_stream, timed};
use serde_json::{Value, json};
use signalbox_ports::llm::{EmbedRequest, LlmFailure, ProviderChoice, ProviderKind, Usage};

impl Models {
    pub(super) async fn vectors(&self, request: &EmbedRequest) -> Result<Vec<Vec<f32>>, LlmFailure> {
        let target = self.target(&request.provider, request.loopback_allowed).await?;
        let who = target.who.clone();
        let kind = target.protocol.kind();
        let Some(url) = target.protocol.embeddings_url(&target.base) else {
            let message = format!(
                "{who} offers no embeddings. Choose a provider of the kind {} or {}",
                providers::of(ProviderKind::Openai).name(),
                providers::of(ProviderKind::Ollama).name()
            );
            return Err(fault::new(LlmFault::BadRequest, message));
        };
        let body = json!({ "model": request.model, "input": request.texts });
        let asked = async {
            let mut opened = self.open(&target, "POST", &url, Some(&body), request.timeout).await?;
            refused(&target.who, &mut opened).await?;
            response_stream::whole(&target.who, &mut opened).await
        };
        let answer: Result<Value, LlmFailure> = timed(&who, request.timeout, Box::pin(asked)).await;
        let answer = answer?;
        let vectors = read(kind, &answer, request.texts.len());
        self.pay(request, kind, &answer);
        vectors.ok_or_else(|| fault::bad_answer(&who, "it has no vector of numbers for each text"))
    }

    /// Embeddings cost what is asked; without a count it is estimated.
    fn pay(&self, request: &EmbedRequest, kind: ProviderKind, answer: &Value) {
        let ProviderChoice::Named(name) = &request.provider else { return };
        let told = match kind {
            ProviderKind::Ollama => answer["prompt_eval_count"].as_u64(),
            _ => answer["usage"]["prompt_tokens"].as_u64(),
        };
        let guessed = || request.texts.iter().map(|text| text.len() as u64 / 3 + 1).sum();
        let usage = Usage { input_tokens: told.unwrap_or_else(guessed), ..Usage::default() };
        if let (Some(budget), Some(price)) = (&request.budget, self.known.price(name, &request.model)) {
            self.known.spent(budget, price.of(usage));
        }
    }
}

/// One vector for each text, in their order.
fn read(kind: ProviderKind, answer: &Value, count: usize) -> Option<Vec<Vec<f32>>> {
    let mut vectors = vec![None; count];
    if kind == ProviderKind::Ollama {
        for (place, one) in vectors.iter_mut().zip(answer["embeddings"].as_array()?) {
            *place = Some(numbers(one)?);
        }
    } else {
        for (at, one) in answer["data"].as_array()?.iter().enumerate() {
            // Servers may answer in another order, and some leave the number out.
            let at = one["index"].as_u64().map_or(Some(at), |at| usize::try_from(at).ok())?;
            *vectors.get_mut(at)? = Some(numbers(&one["embedding"])?);
        }
    }
    vectors.into_iter().collect()
}

fn numbers(value: &Value) -> Option<Vec<f32>> {
    let list = value.as_array().filter(|list| !list.is_empty())?;
    #[allow(clippy::cast_possible_truncation, reason = "vectors are f32")]
    list.iter().map(|number| number.as_f64().map(|number| number as f32)).collect()
}
