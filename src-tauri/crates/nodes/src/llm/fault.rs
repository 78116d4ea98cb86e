//! What a model's failures mean for the step (PLATFORM, error mapping).

use signalbox_model::{ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::llm::{LlmFailure, LlmFault};

/// The step's failure.
pub(crate) fn failure(told: LlmFailure) -> NodeFailure {
    let (error_type, code, retryable) = match told.fault {
        LlmFault::NotConfigured => (ErrorType::LLMError, "NOT_CONFIGURED", false),
        LlmFault::AddressRefused => (ErrorType::ToolError, "ADDRESS_REFUSED", false),
        LlmFault::SecretMissing => (ErrorType::ToolError, "SECRET_MISSING", false),
        LlmFault::SecretUnavailable => (ErrorType::ToolError, "SECRET_UNAVAILABLE", false),
        LlmFault::CredentialRefused => (ErrorType::ToolError, "CREDENTIAL_REFUSED", false),
        LlmFault::Auth => (ErrorType::LLMError, "AUTH", false),
        LlmFault::RateLimit => (ErrorType::LLMError, "RATE_LIMIT", true),
        LlmFault::Unavailable => (ErrorType::LLMError, "SERVICE_UNAVAILABLE", true),
        LlmFault::BadRequest => (ErrorType::ValidationError, "INPUT_INVALID", false),
        LlmFault::ContextLength => (ErrorType::ValidationError, "CONTEXT_LENGTH", false),
        LlmFault::NoImages => (ErrorType::LLMError, "IMAGES_UNSUPPORTED", false),
        LlmFault::NoTools => (ErrorType::LLMError, "TOOLS_UNSUPPORTED", false),
        LlmFault::HttpStatus => (ErrorType::LLMError, "HTTP_STATUS", false),
        LlmFault::ContentPolicy => (ErrorType::LLMError, "CONTENT_POLICY", false),
        LlmFault::Connection => (ErrorType::NetworkError, "CONNECTION", true),
        LlmFault::Timeout => (ErrorType::Timeout, "TIMEOUT", true),
        LlmFault::BadAnswer => (ErrorType::LLMError, "BAD_ANSWER", false),
        LlmFault::BudgetExceeded => (ErrorType::LLMError, "BUDGET_EXCEEDED", false),
    };
    let mut failure = NodeFailure::new(error_type, code, told.message);
    failure.retry_after_ms = told.retry_after_ms;
    if let Some(status) = told.status {
        failure = failure.detail("status", status);
    }
    if let Some(used_up) = told.used_up {
        failure = failure
            .detail("scope", used_up.scope.as_str())
            .detail("limitMicros", used_up.limit_micros)
            .detail("spentMicros", used_up.spent_micros)
            .detail("runSpentMicros", used_up.run_spent_micros);
    }
    match (retryable, told.fault) {
        (true, _) => failure.retryable(),
        // A longer or other question is the author's, not a person's at the run.
        (false, LlmFault::BadRequest | LlmFault::ContextLength) => failure,
        (false, _) => failure.suggest(SuggestedAction::HumanReview),
    }
}
