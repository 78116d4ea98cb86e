//! `flow.switch`: the first case that is true decides the port; none: `default`.

use crate::support::{pass, wrong_setting};
use crate::{Kind, Outcome, cel};
use serde_json::Value;
use signalbox_engine::effect::CallSlot;

pub(crate) const KIND: Kind = Kind::Pure(run);

fn run(slot: &CallSlot) -> Outcome {
    let null = Value::Null;
    let cases = slot.config.get("cases").unwrap_or(&null);
    let list = cases.as_array().ok_or_else(|| wrong_setting("cases", "a list", cases))?;
    for (index, case) in list.iter().enumerate() {
        let name = format!("cases[{index}].when");
        let when = case.get("when").unwrap_or(&null);
        let source = when.as_str().ok_or_else(|| wrong_setting(&name, "an expression", when))?;
        if cel::eval_bool(&name, source, &slot.scope)? {
            let port = case.get("port").unwrap_or(&null);
            let port = port.as_str().ok_or_else(|| wrong_setting(&format!("cases[{index}].port"), "text", port))?;
            return Ok(pass(slot, port));
        }
    }
    Ok(pass(slot, "default"))
}
