//! `review.when`: whether a person gets to see the result.

use super::FinalStatus;
use super::condition::{Condition, ConditionError};
use crate::diag::nearest;
use crate::score::Scores;
use std::collections::BTreeMap;

/// A checked condition over `overall`, `status` and the dimensions, such as
/// `overall < 0.80 or status != passed`.
#[derive(Debug, Clone)]
pub struct Review(Condition);

impl Review {
    /// Checks a condition; `dimensions` are the names it may use besides `overall`, `status` and the statuses.
    ///
    /// # Errors
    /// Returns an error if it does not parse or uses an unknown name.
    pub fn parse(condition: &str, dimensions: &[&str]) -> Result<Self, ConditionError> {
        let known = |name: &str| {
            matches!(name, "overall" | "status")
                || dimensions.contains(&name)
                || FinalStatus::ALL.iter().any(|status| status.as_str() == name)
        };
        let unknown = |name: &str| {
            let names = dimensions.iter().copied().chain(["overall", "status"]);
            let names = names.chain(FinalStatus::ALL.iter().map(|status| status.as_str()));
            (!known(name)).then(|| match nearest(name, names) {
                Some(guess) => format!("nothing is called `{name}`: did you mean `{guess}`?"),
                None => format!("`{name}` is neither `overall`, `status`, a status nor a dimension"),
            })
        };
        Condition::parse(condition, unknown).map(Review)
    }

    /// Returns whether the condition holds. Without an assessment (`overall` and dimensions 0) a person sees the
    /// result, too, if the condition holds for a score of 0.
    #[must_use]
    pub fn applies(&self, status: FinalStatus, overall: f64, scores: &Scores, dimensions: &[&str]) -> bool {
        let mut variables: BTreeMap<&str, serde_json::Value> =
            FinalStatus::ALL.iter().map(|s| (s.as_str(), s.as_str().into())).collect();
        variables.insert("status", status.as_str().into());
        // Scores come from sums: 0.80 may be 0.7999999999999999 (every comparison allows 1e-9).
        let rounded = |score: f64| serde_json::Value::from((score * 1e9).round() / 1e9);
        variables.insert("overall", rounded(overall));
        for name in dimensions {
            variables.insert(name, rounded(scores.get(name).map_or(0.0, crate::value::Score::get)));
        }
        // A condition that fails when it runs (text compared with a number) sends the document to a person.
        self.0.holds(variables).unwrap_or(true)
    }
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
    fn a_score_that_a_sum_leaves_just_below_the_bound_reaches_it() {
        let review = Review::parse("overall < 0.80 or accuracy < 0.3", &["accuracy"]).unwrap();
        let accuracy = |value: f64| [("accuracy", crate::value::Score::clamped(value))].into_iter().collect();
        let just_below = f64::from_bits(0.80_f64.to_bits() - 1);
        let applies =
            |overall, value| review.applies(FinalStatus::Passed, overall, &accuracy(value), &["accuracy"]);
        assert!(!applies(just_below, 0.1 + 0.2) && !applies(0.80, 0.299_999_999_999));
        assert!(applies(0.7999, 1.0) && applies(0.9, 0.2999));
    }

    #[test]
    fn unknown_names_and_bad_grammar_are_refused() {
        assert!(Review::parse("overal < 0.8", &[]).is_err());
        let said = |condition| Review::parse(condition, &[]).unwrap_err().to_string();
        assert_eq!(said("status == pased"), "nothing is called `pased`: did you mean `passed`?");
        assert_eq!(said("status = passed"), "`=` compares nothing: write `==`");
        assert!(Review::parse("overall <", &[]).is_err());
        assert!(Review::parse("accuracy < 0.8", &["accuracy"]).is_ok());
    }
}
