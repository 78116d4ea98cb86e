//! Pictures that a model, or its provider, does not take.

use crate::common::{json_reply, reply};
use crate::llm::{asked, fails, question, request_body};
use ProviderKind::{Anthropic, Ollama, Openai};
use serde_json::{Value, json};
use signalbox_ports::llm::{ImageSource, LlmFault, LlmRequest, Part, ProviderKind};

/// A question with a picture.
fn with_picture() -> LlmRequest {
    let mut request = question(false);
    request.messages[0].parts.insert(
        0,
        Part::Image { mime: "image/png".into(), base64: "QUJD".into(), from: ImageSource::File("a.png".into()) },
    );
    request
}

#[tokio::test]
async fn who_takes_no_pictures_says_so_in_many_ways() {
    let refusal =
        |status: &str, words: &str| vec![reply(status, &json!({ "error": { "message": words } }).to_string())];
    for (kind, status, words) in [
        (Openai, "400 Bad", "This model does not support image input"),
        (Openai, "404 Not", "No endpoints found that support image input"),
        (Openai, "500 Bad", "image input is not supported - hint: you may need to provide the mmproj"),
        (Openai, "422 Bad", "messages.0.content: Input should be a valid string"),
        (Openai, "400 Bad", "unknown variant `image_url`, expected `text`"),
        (Anthropic, "400 Bad", "messages.0.content.0: 'small' does not support images"),
    ] {
        let failure = fails(kind, refusal(status, words), with_picture()).await;
        assert_eq!(failure.fault, LlmFault::NoImages, "{words}: {}", failure.message);
        assert!(failure.message.contains("Choose a model that sees"), "{}", failure.message);
        // The same words about a question without one are another matter.
        assert_ne!(fails(kind, refusal(status, words), question(false)).await.fault, LlmFault::NoImages, "{words}");
    }
    // One picture is wrong; others would be taken.
    for words in ["image exceeds 5 MB maximum", "Unsupported image format", "media_type: image/tiff is not supported"] {
        let failure = fails(Openai, refusal("400 Bad", words), with_picture()).await;
        assert_eq!(failure.fault, LlmFault::BadRequest, "{words}");
    }
}

#[tokio::test]
async fn ollama_is_asked_whether_its_model_sees_before_it_gets_a_picture() {
    let answer = json!({ "message": { "content": "A cat" }, "done": true }).to_string();
    let can = |all: Value| json_reply(&json!({ "capabilities": all }).to_string());
    let (done, _, sent) =
        asked(Ollama, vec![can(json!(["completion", "vision"])), json_reply(&answer)], with_picture()).await;
    assert_eq!(done.expect("an answer").parts, [Part::Text("A cat".into())]);
    assert!(sent[0].starts_with("POST /api/show "), "{}", sent[0]);
    assert_eq!(request_body(&sent[1])["messages"][0]["images"], json!(["QUJD"]));

    let (done, _, sent) = asked(Ollama, vec![can(json!(["completion"]))], with_picture()).await;
    assert_eq!(done.expect_err("blind").fault, LlmFault::NoImages);
    assert_eq!(sent.len(), 1, "the picture was not sent");

    // An older server does not tell.
    let (done, ..) = asked(Ollama, vec![reply("404 Not", "{}"), json_reply(&answer)], with_picture()).await;
    assert!(done.is_ok());
}
