//! What a server says that its model can do. Some take tools or pictures, answer well, and leave them out of what the model
//! reads: where the server tells, that is known before the model is asked.

use super::{KnownProvider, Models, Target, fault, images, refused, response_stream};
use signalbox_ports::llm::{LlmFailure, LlmFault, LlmRequest};
use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// Endpoints that are remembered.
const MOST_KNOWN: usize = 256;
/// Time that a server has to say what its model can do; a question does not wait longer for that.
const LIMIT: Duration = Duration::from_secs(5);

/// What a model can do; `None` where its server does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It reads the tools that it is offered.
    pub tools: Option<bool>,
    /// It sees pictures.
    pub pictures: Option<bool>,
}

fn no_tools(target: &Target) -> LlmFailure {
    let message = format!(
        "{} says that this model cannot see tools. Choose a model that uses tools, or remove the tools from the step",
        target.who
    );
    fault::new(LlmFault::NoTools, message)
}

impl Models {
    /// What the server of a provider says that a model can do; nothing where it does not say.
    pub async fn abilities(&self, provider: &KnownProvider, model: &str) -> Abilities {
        match self.registered(provider).await {
            Ok(target) => self.abilities_of(&target, model).await,
            Err(_) => Abilities::default(),
        }
    }

    fn known_abilities(&self) -> MutexGuard<'_, HashMap<(String, String), Abilities>> {
        self.known_abilities.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn abilities_of(&self, target: &Target, model: &str) -> Abilities {
        let endpoint = (target.base.to_string(), model.to_owned());
        if let Some(known) = self.known_abilities().get(&endpoint) {
            return *known;
        }
        let told = async {
            let Some(ask) = target.protocol.abilities_request(&target.base, model) else {
                return Ok(Abilities::default());
            };
            let mut opened = self.open(target, ask.method, &ask.url, ask.body.as_ref(), LIMIT).await?;
            refused(&target.who, &mut opened).await?;
            let told = response_stream::whole(&target.who, &mut opened).await?;
            Ok::<_, LlmFailure>(target.protocol.abilities(&told))
        };
        // Most servers do not say: that is remembered, too. What could not be asked at all is asked again.
        let abilities = match tokio::time::timeout(LIMIT, Box::pin(told)).await {
            Ok(Ok(abilities)) => abilities,
            Ok(Err(failure)) if failure.fault == LlmFault::HttpStatus || failure.fault == LlmFault::BadAnswer => {
                Abilities::default()
            }
            Ok(Err(_)) | Err(_) => return Abilities::default(),
        };
        let mut known = self.known_abilities();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(endpoint, abilities);
        abilities
    }

    /// Refuses a question whose tools or pictures the model would not see.
    pub(super) async fn check_abilities(
        &self,
        target: &Target,
        request: &LlmRequest,
        has_pictures: bool,
    ) -> Result<(), LlmFailure> {
        if request.tools.is_empty() && !has_pictures {
            return Ok(());
        }
        let abilities = self.abilities_of(target, &request.model).await;
        if has_pictures && abilities.pictures == Some(false) {
            return Err(images::none(&target.who, "the model sees no pictures"));
        }
        if !request.tools.is_empty() && abilities.tools == Some(false) {
            return Err(no_tools(target));
        }
        Ok(())
    }
}
