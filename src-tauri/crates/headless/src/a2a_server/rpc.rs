//! Requests and answers of JSON-RPC, and errors of the protocol.

use axum::http::HeaderMap;
use serde_json::{Value, json};
use signalbox_app::{ApiError, Class};
use signalbox_model::lossless;

/// A request.
pub(super) struct Asked {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
}

impl Asked {
    /// The task that it is about.
    pub(super) fn task_id(&self) -> Result<&str, RpcError> {
        self.params["id"]
            .as_str()
            .filter(|id| !id.is_empty())
            .ok_or_else(|| RpcError::invalid("'id' of the task is missing."))
    }
}

/// An error in an answer.
#[derive(Debug)]
pub(super) struct RpcError {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
    /// The params are wrong.
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }
    /// The agent does not do that.
    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(-32004, message)
    }
    /// Notifications to an address of the client.
    pub(super) fn no_push() -> Self {
        Self::new(-32003, "This agent sends no push notifications; stream, or get the task.")
    }
}

impl From<ApiError> for RpcError {
    fn from(error: ApiError) -> Self {
        let code = match error.class {
            Class::BadRequest | Class::Invalid => -32602,
            Class::NotFound => -32001,
            _ => -32603,
        };
        // Details of the protocol are objects of a known type; these are not.
        let detail = json!([{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": error.code, "domain": "signalbox" }]);
        Self { code, message: format!("{} {}", error.message, error.hint).trim().to_owned(), data: Some(detail) }
    }
}

/// Reads a request, or says what is wrong with it.
pub(super) fn read(headers: &HeaderMap, body: &[u8]) -> Result<Asked, (Value, RpcError)> {
    let read: Value = serde_json::from_slice(body)
        .map_err(|error| (Value::Null, RpcError::new(-32700, format!("It is not JSON: {error}."))))?;
    let id = read.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned().unwrap_or_default();
    let refuse = |error| Err((id.clone(), error));
    if let Some(loss) = std::str::from_utf8(body).ok().and_then(|text| lossless::loss_below(text, "params")) {
        return refuse(RpcError::invalid(format!("The params are not valid: {}.", loss.told())));
    }
    if read["jsonrpc"] != "2.0" {
        return refuse(RpcError::new(-32600, "'jsonrpc' must be \"2.0\"; one request at a time."));
    }
    let Some(method) = read["method"].as_str() else {
        return refuse(RpcError::new(-32600, "'method' is missing."));
    };
    let version = headers.get("a2a-version").and_then(|version| version.to_str().ok()).unwrap_or_default();
    if version != "1" && !version.starts_with("1.") {
        // Who says nothing speaks 0.3, says the protocol.
        let shown: String =
            if version.is_empty() { "0.3 (no A2A-Version header)".into() } else { version.chars().take(20).collect() };
        return refuse(RpcError::new(-32009, format!("Version {shown} of the protocol is not supported; use 1.0.")));
    }
    let params = read.get("params").cloned().unwrap_or_default();
    if !(params.is_object() || params.is_null()) {
        return refuse(RpcError::invalid("'params' must be an object."));
    }
    Ok(Asked { id, method: method.to_owned(), params })
}

/// An answer.
pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// An answer that is an error.
pub(super) fn failed(id: &Value, error: &RpcError) -> Value {
    let mut told = json!({ "code": error.code, "message": error.message });
    if let Some(data) = &error.data {
        told["data"] = data.clone();
    }
    json!({ "jsonrpc": "2.0", "id": id, "error": told })
}
