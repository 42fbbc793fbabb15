//! Expressions that give numbers: the language of conditions, compiled once and computed often.

use crate::policy::Condition;
use crate::value::{CONDITION, Engine};
use minijinja::Value;
use minijinja::value::Serde;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(CONDITION));

/// Checks an expression; `unknown` gives the problem of a name that it uses.
///
/// # Errors
/// The problem, in words.
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

/// The names that a checked expression asks a mapping for: `cost_usd` in `reference.cost_usd`.
pub(super) fn members<'s>(source: &'s str, mapping: &str) -> Vec<&'s str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let parts = source.match_indices(mapping).filter_map(|(at, _)| {
        let (before, from) = source.split_at_checked(at)?;
        let member = from.strip_prefix(mapping)?.strip_prefix('.')?;
        let end = member.find(|c| !is_name(c)).unwrap_or(member.len());
        (!before.ends_with(is_name)).then(|| member.get(..end)).flatten()
    });
    parts.collect()
}

/// Numbers by their names, as expressions see them.
pub(super) fn named(numbers: &[(&str, f64)]) -> Value {
    Value::from_pairs(numbers.iter().map(|(name, value)| (*name, *value)))
}

/// The value of a checked expression: `true` is 1 and `false` 0. `None` when it is not a number, or can't be computed.
pub(super) fn compute(source: &str, variables: Value) -> Option<f64> {
    let value = ENGINE.expression(source).ok()?.evaluate(variables).ok()?;
    let number = match value.kind() {
        minijinja::value::ValueKind::Bool => f64::from(u8::from(value.is_true())),
        _ => f64::try_from(value).ok()?,
    };
    number.is_finite().then_some(number)
}

/// Returns whether a checked expression holds for some settings; `None` if it can't be computed.
pub(super) fn holds(source: &str, settings: &serde_json::Value) -> Option<bool> {
    let value = ENGINE.expression(source).ok()?.evaluate(Value::from(Serde(settings))).ok()?;
    (!value.is_undefined()).then(|| value.is_true())
}
