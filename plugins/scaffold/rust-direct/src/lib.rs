//! The loopctl provider `@NAME@`: a plugin that makes the answers itself.

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest};
use loopctl_plugin_sdk::serde_json::json;
use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure, Value, export_direct_plugin};

/// An open provider. Several calls may use it at once.
#[derive(Debug)]
pub struct Plugin {
    answer: Value,
}

impl DirectPlugin for Plugin {
    /// `config` has been checked against the `config_schema` of `plugin.json`.
    fn open(config: &Value) -> Result<Self, Failure> {
        match config.get("answer") {
            None => Ok(Plugin { answer: json!({}) }),
            Some(Value::Object(answer)) => Ok(Plugin {
                answer: Value::Object(answer.clone()),
            }),
            Some(_) => Err(Failure::invalid_config("`answer` is an object")),
        }
    }

    /// Your model's answer. The prompt is in `request.messages`, the JSON Schema of the answer in `request.schema`, the
    /// candidate to be corrected in `request.base`. This one answers with that candidate as it is, and first with the
    /// configuration's `answer`.
    fn complete(
        &self,
        request: &CompletionRequest,
        cancel: &Cancel,
    ) -> Result<Completion, Failure> {
        // Where you wait, wait with `cancel.wait(…)`, and call `cancel.check()?` between the steps of long work.
        cancel.check()?;
        let value = request.base.clone().unwrap_or_else(|| self.answer.clone());
        Ok(Completion {
            value: Some(value),
            ..Completion::default()
        })
    }
}

export_direct_plugin!(Plugin, include_str!("../plugin.json"));
