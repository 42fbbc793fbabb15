//! Several scores made into one (LOOP, Scoring: ensemble).

use crate::profile::Combine;
use crate::value::Score;

/// What `scores` make; `None` when there are none.
pub(super) fn combine(how: Combine, mut scores: Vec<Score>) -> Option<Score> {
    if how == Combine::First {
        return scores.first().copied();
    }
    scores.sort_by(|a, b| a.get().total_cmp(&b.get()));
    let (lowest, highest) = (scores.first()?.get(), scores.last()?.get());
    let middle = scores.len() / 2;
    let at = |index: usize| scores.get(index).map_or(0.0, |score| score.get());
    #[expect(clippy::cast_precision_loss, reason = "a handful of members")]
    let value = match how {
        Combine::Min | Combine::First => lowest,
        Combine::Max => highest,
        Combine::Mean => scores.iter().map(|score| score.get()).sum::<f64>() / scores.len() as f64,
        Combine::Median if scores.len().is_multiple_of(2) => {
            f64::midpoint(at(middle.saturating_sub(1)), at(middle))
        }
        Combine::Median => at(middle),
    };
    Some(Score::clamped(value))
}
