//! Conditions that a profile writes as an expression, such as `overall < 0.80 or status != passed`.

use crate::value::{CONDITION, Comparisons, Engine, unknown_functions, unknown_operations};
use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;
use std::sync::{Arc, LazyLock};

static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(CONDITION));

/// A checked expression over named values.
#[derive(Debug, Clone)]
pub struct Condition(Arc<str>);

/// The reason why an expression can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConditionError(String);

impl ConditionError {
    pub(super) fn new(message: String) -> Self {
        ConditionError(message)
    }

    /// The error for values of kinds that do not go together.
    pub(super) fn cannot_be_computed() -> Self {
        let why = "it can't be computed: it names something that is not there, or computes with text";
        ConditionError(why.to_owned())
    }
}

impl Condition {
    /// Checks an expression. `unknown` returns what is wrong with a name that it uses, if anything.
    ///
    /// # Errors
    /// Returns an error if it does not parse, exceeds the limits of conditions or uses a name that is not known.
    pub fn parse(expression: &str, unknown: impl Fn(&str) -> Option<String>) -> Result<Self, ConditionError> {
        if let Some((written, meant)) = decimal_comma(expression) {
            return Err(ConditionError(format!(
                "`{written}` is not a number: a decimal number is written with a point, `{meant}`"
            )));
        }
        let wrong = |error: minijinja::Error| {
            if has_lone_equals(expression) {
                return ConditionError("`=` compares nothing: write `==`".to_owned());
            }
            ConditionError(error.detail().map_or_else(|| error.to_string(), str::to_owned))
        };
        let program = ENGINE.expression(expression).map_err(wrong)?;
        let mut names: Vec<String> = ENGINE
            .undeclared_in_expression(expression)
            .map_err(wrong)?
            .into_iter()
            .filter(|name| !ENGINE.environment().globals().any(|(known, _)| known == name))
            .collect();
        names.sort();
        if let Some(message) = names.iter().find_map(|name| unknown(name)) {
            return Err(ConditionError(message));
        }
        if let Some((operation, name)) = unknown_operations(&program).first() {
            let advice = operation.advice(ENGINE.environment(), name);
            return Err(ConditionError(format!("{} {name} is unknown: {advice}", operation.what())));
        }
        if let Some(name) = unknown_functions(&program).first() {
            return Err(ConditionError(format!("{name} is unknown")));
        }
        Ok(Condition(expression.into()))
    }

    /// The expression as it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The comparisons that it makes.
    #[must_use]
    pub fn comparisons(&self) -> Comparisons {
        ENGINE.comparisons(&self.0).unwrap_or_default()
    }

    /// The names that it uses, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            ENGINE.undeclared_in_expression(&self.0).unwrap_or_default().into_iter().collect();
        names.sort();
        names
    }

    /// Returns whether it holds for `variables`, a mapping; `None` when it can't be computed, as when something in it
    /// is missing.
    #[must_use]
    pub fn holds(&self, variables: impl Serialize) -> Option<bool> {
        let program = ENGINE.expression(&self.0).ok()?;
        let value = program.evaluate(Value::from(Serde(variables)));
        value.ok().filter(|value| !value.is_undefined()).map(|value| value.is_true())
    }
}

/// A number written with a decimal comma outside brackets and quotes, where a comma could be right: as written and as
/// meant.
fn decimal_comma(expression: &str) -> Option<(String, String)> {
    let (mut depth, mut quote) = (0_usize, None);
    let mut before = String::new();
    let mut letters = expression.chars().peekable();
    while let Some(c) = letters.next() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if matches!(c, '(' | '[' | '{') => depth += 1,
            None if matches!(c, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            None if c == ',' && depth == 0 && !before.is_empty() => {
                let mut after = String::new();
                while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                    after.push(digit);
                }
                if !after.is_empty() {
                    return Some((format!("{before},{after}"), format!("{before}.{after}")));
                }
            }
            None => {}
        }
        if c.is_ascii_digit() { before.push(c) } else { before.clear() }
    }
    None
}

/// Returns whether there is a `=` by itself.
fn has_lone_equals(expression: &str) -> bool {
    let rest = ["==", "!=", "<=", ">="].iter().fold(expression.to_owned(), |text, op| text.replace(op, " "));
    rest.contains('=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_cannot_be_computed_is_no_answer() {
        let condition = Condition::parse("tagger.findings | length == 0", |_| None).unwrap();
        assert_eq!(condition.holds(json!({"tagger": {"findings": []}})), Some(true));
        assert_eq!(condition.holds(json!({"tagger": {"findings": [1]}})), Some(false));
        assert_eq!(condition.holds(json!({"tagger": 3})), None);
        for wrong in ["tagger.", "tagger.findings | lenght == 0", "tagger is emtpy", "tager()"] {
            assert!(Condition::parse(wrong, |_| None).is_err(), "{wrong}");
        }
        for expression in ["not tagger.relevant", "tagger.count < 1", "tagger.relevant", "tagger.a.b == 1"] {
            let condition = Condition::parse(expression, |_| None).unwrap();
            assert_eq!(condition.holds(json!({"tagger": {"findings": []}})), None, "{expression}");
        }
        for (expression, said) in [("overall < 0,95", Some("`0.95`")), ("status in ['0,9', 1]", None)] {
            let problem = Condition::parse(expression, |_| None).err().map(|error| error.to_string());
            assert_eq!(problem.is_some(), said.is_some(), "{expression}: {problem:?}");
            assert!(said.is_none_or(|said| problem.unwrap().contains(said)), "{expression}");
        }
        let lenient = Condition::parse("tagger.findings | default([]) | length == 0", |_| None).unwrap();
        assert_eq!(lenient.holds(json!({"tagger": {}})), Some(true));
        assert!(Condition::parse("tager", |name| Some(format!("no `{name}`"))).is_err());
    }
}
