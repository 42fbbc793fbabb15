//! Expressions that give numbers: the language of conditions, compiled once and computed often.

use crate::policy::Condition;
use crate::value::{CONDITION, Engine};
use minijinja::Value;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(CONDITION));

/// Checks an expression; `unknown` says what is wrong with a name that it uses.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn check(source: &str, unknown: impl Fn(&str) -> Option<String>) -> Result<(), String> {
    Condition::parse(source, unknown).map(drop).map_err(|error| error.to_string())
}

/// The names that a checked expression uses.
pub(super) fn names(source: &str) -> Vec<String> {
    let names = ENGINE.undeclared_in_expression(source).unwrap_or_default();
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    names
}

/// The value of a checked expression: `true` is 1 and `false` 0. `None` when it is no number, or can't be computed.
pub(super) fn compute(source: &str, variables: &[(&str, f64)]) -> Option<f64> {
    let variables: Value = variables.iter().map(|(name, value)| (*name, Value::from(*value))).collect();
    let value = ENGINE.expression(source).ok()?.evaluate(variables).ok()?;
    let number = match value.kind() {
        minijinja::value::ValueKind::Bool => f64::from(u8::from(value.is_true())),
        _ => f64::try_from(value).ok()?,
    };
    number.is_finite().then_some(number)
}

/// Whether a checked expression holds of some settings; `None` when it can't be computed.
pub(super) fn holds(source: &str, settings: &serde_json::Value) -> Option<bool> {
    let value = ENGINE.expression(source).ok()?.evaluate(Value::from_serialize(settings)).ok()?;
    (!value.is_undefined()).then(|| value.is_true())
}
