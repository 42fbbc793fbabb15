//! Several scores made into one.

use super::issue::Issue;
use crate::profile::{Combine, Disagreement, Weight};
use crate::value::{Disposition, Score, Severity, below};

/// The combination of `scores`, each with its weight; `None` when there are none.
pub(super) fn combine(how: Combine, scores: Vec<(Score, Weight)>) -> Option<Score> {
    match how {
        Combine::First => return scores.first().map(|(score, _)| *score),
        Combine::Weighted => {
            let weights: f64 = scores.iter().map(|(_, weight)| weight.get()).sum();
            let weighted: f64 = scores.iter().map(|(score, weight)| score.get() * weight.get()).sum();
            return (!scores.is_empty()).then(|| Score::clamped(weighted / weights));
        }
        Combine::Min | Combine::Max | Combine::Mean | Combine::Median => {}
    }
    let mut scores: Vec<Score> = scores.into_iter().map(|(score, _)| score).collect();
    scores.sort_by(|a, b| a.get().total_cmp(&b.get()));
    let (lowest, highest) = (scores.first()?.get(), scores.last()?.get());
    let middle = scores.len() / 2;
    let at = |index: usize| scores.get(index).map_or(0.0, |score| score.get());
    #[expect(clippy::cast_precision_loss, reason = "a handful of members")]
    let value = match how {
        Combine::Min | Combine::First | Combine::Weighted => lowest,
        Combine::Max => highest,
        Combine::Mean => scores.iter().map(|score| score.get()).sum::<f64>() / scores.len() as f64,
        Combine::Median if scores.len().is_multiple_of(2) => {
            f64::midpoint(at(middle.saturating_sub(1)), at(middle))
        }
        Combine::Median => at(middle),
    };
    Some(Score::clamped(value))
}

impl Disagreement {
    /// The issue about members of the dimension `name` that differ by more than is allowed.
    pub(super) fn issue(&self, name: &str, scores: &[(Score, Weight)]) -> Option<Issue> {
        let values = || scores.iter().map(|(score, _)| score.get());
        let (lowest, highest) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        if scores.len() < 2 || !below(self.above.get(), highest - lowest) {
            return None;
        }
        let severity = match self.then {
            Disposition::Warn => Severity::Minor,
            Disposition::Correct => Severity::Major,
            // A document that a person must decide about has not passed where `accept` allows no critical issue.
            Disposition::Escalate => Severity::Critical,
        };
        Some(Issue {
            disposition: self.then,
            message: format!(
                "those who measure `{name}` disagree: from {lowest:.2} to {highest:.2}, where a difference of {:.2} is allowed",
                self.above.get()
            )
            .into(),
            ..Issue::new("DISAGREEMENT", severity)
        })
    }
}
