//! Holds the clients of language models against another program that speaks the three kinds. It is no test: that program is
//! not among the dependencies. How it is run stands in `tests/models/aimock.mjs`.

// Without these nothing can be measured.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![expect(clippy::expect_used, reason = "what is not as it should be ends it")]

use serde_json::json;
use signalbox_adapters::{KnownProvider, Models, Providers, WebHttp};
use signalbox_ports::llm::{
    Delta, DeltaSink, Finish, LlmFault, LlmRequest, Message, Part, ProviderChoice, ProviderKind, Role, ToolOffer,
};
use signalbox_ports::{Llm as _, NoSecrets};
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct One(KnownProvider);

impl Providers for One {
    fn provider(&self, _name: &str) -> Result<Option<KnownProvider>, String> {
        Ok(Some(self.0.clone()))
    }
    fn default_model(&self) -> Result<Option<(String, String)>, String> {
        Ok(None)
    }
}

#[derive(Default)]
struct DeltaCollector(Mutex<String>);

impl DeltaSink for DeltaCollector {
    fn delta(&self, delta: Delta<'_>) {
        if let Delta::Text(text) = delta {
            self.0.lock().expect("not poisoned").push_str(text);
        }
    }
}

#[tokio::main]
async fn main() {
    let base = std::env::var("SIGNALBOX_AIMOCK").expect("SIGNALBOX_AIMOCK is the address of tests/models/aimock.mjs");
    for (kind, model) in [
        (ProviderKind::Openai, "gpt-5"),
        (ProviderKind::Anthropic, "claude-sonnet-4-5"),
        (ProviderKind::Ollama, "llama3.2"),
    ] {
        let one = KnownProvider { name: "peer".into(), kind, base_url: base.clone(), credential: None, here: true };
        let models =
            Models::new(Arc::new(WebHttp::new(&[]).expect("a client")), Arc::new(One(one)), Arc::new(NoSecrets));
        for stream in [true, false] {
            let question = |text: &str| LlmRequest {
                provider: ProviderChoice::Named("peer".into()),
                model: model.into(),
                system: None,
                messages: vec![Message { role: Role::User, parts: vec![Part::Text(text.into())] }],
                tools: vec![ToolOffer {
                    name: "find".into(),
                    description: "Finds".into(),
                    schema: json!({ "type": "object", "properties": { "q": { "type": "string" } } }),
                }],
                form: None,
                temperature: None,
                max_tokens: 4_000,
                thinking_budget: Some(2_000),
                stream,
                loopback_allowed: false,
                timeout: Duration::from_secs(20),
                budget: None,
            };
            let collector = DeltaCollector::default();
            let answer = models.ask(question("words"), &collector).await.expect("an answer");
            let text = |part: &Part| matches!(part, Part::Text(text) if text == "Hello from the peer");
            assert!(answer.parts.iter().any(text), "{kind:?} {stream}: {answer:?}");
            assert_eq!(answer.finish, Finish::Stop, "{kind:?} {stream}");
            let heard = collector.0.into_inner().expect("not poisoned");
            assert_eq!(heard, if stream { "Hello from the peer" } else { "" }, "{kind:?} {stream}");

            let answer = models.ask(question("tool"), &DeltaCollector::default()).await.expect("an answer");
            let tool = |part: &Part| matches!(part, Part::ToolUse(tool) if tool.input == json!({ "q": "ab" }));
            assert!(answer.parts.iter().any(tool), "{kind:?} {stream}: {answer:?}");
            assert_eq!(answer.finish, Finish::ToolUse, "{kind:?} {stream}");

            let failure = models.ask(question("limit"), &DeltaCollector::default()).await.expect_err("refused");
            assert_eq!(failure.fault, LlmFault::RateLimit, "{kind:?} {stream}: {failure:?}");
        }
    }
    println!("The peer was understood in every kind.");
}
