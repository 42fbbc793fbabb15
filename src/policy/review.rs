//! `review.when`: whether a person gets to see the result.

use super::FinalStatus;
use crate::score::Scores;
use minijinja::{Environment, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A checked condition over `overall`, `status` and the dimensions, such as
/// `overall < 0.80 or status != passed`.
#[derive(Debug, Clone)]
pub struct Review {
    condition: Arc<str>,
}

/// Why a condition can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReviewError(String);

impl Review {
    /// Checks a condition; `dimensions` are the names it may use besides `overall`, `status` and the statuses.
    ///
    /// # Errors
    /// When it does not parse or uses an unknown name.
    pub fn parse(condition: &str, dimensions: &[&str]) -> Result<Self, ReviewError> {
        let environment = Environment::new();
        let expression =
            environment.compile_expression(condition).map_err(|error| ReviewError(one_line(&error)))?;
        let known = |name: &str| {
            matches!(name, "overall" | "status")
                || dimensions.contains(&name)
                || FinalStatus::ALL.iter().any(|status| status.as_str() == name)
        };
        match expression.undeclared_variables(false).into_iter().find(|name| !known(name)) {
            Some(name) => {
                Err(ReviewError(format!("`{name}` is neither `overall`, `status`, a status nor a dimension")))
            }
            None => Ok(Review { condition: condition.into() }),
        }
    }

    /// Whether the condition holds. Without an assessment (`overall` and dimensions 0) a person looks, too, if the
    /// condition says so of a score of 0.
    #[must_use]
    pub fn applies(&self, status: FinalStatus, overall: f64, scores: &Scores, dimensions: &[&str]) -> bool {
        let mut variables: BTreeMap<&str, Value> =
            FinalStatus::ALL.iter().map(|s| (s.as_str(), Value::from(s.as_str()))).collect();
        variables.insert("status", status.as_str().into());
        variables.insert("overall", overall.into());
        for name in dimensions {
            variables.insert(name, scores.get(name).map_or(0.0, crate::value::Score::get).into());
        }
        let environment = Environment::new();
        // A condition that fails when it runs (text compared with a number) sends the document to a person.
        environment
            .compile_expression(&self.condition)
            .and_then(|expression| expression.eval(variables))
            .map_or(true, |value| value.is_true())
    }
}

fn one_line(error: &minijinja::Error) -> String {
    error.detail().map_or_else(|| error.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_design_page_s_condition_works() {
        let review = Review::parse("overall < 0.80 or status != passed", &[]).unwrap();
        let scores = Scores::default();
        assert!(review.applies(FinalStatus::StoppedEarly, 0.97, &scores, &[]));
        assert!(review.applies(FinalStatus::Passed, 0.70, &scores, &[]));
        assert!(!review.applies(FinalStatus::Passed, 0.98, &scores, &[]));
    }

    #[test]
    fn unknown_names_and_bad_grammar_are_refused() {
        assert!(Review::parse("overal < 0.8", &[]).is_err());
        assert!(Review::parse("overall <", &[]).is_err());
        assert!(Review::parse("accuracy < 0.8", &["accuracy"]).is_ok());
    }
}
