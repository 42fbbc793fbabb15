//! The points that a candidate lost, and why.

use super::record::Candidate;
use super::story::{Cost, DimensionStory, OtherLoss};
use super::words::{self, counted, number};
use crate::plan::Terms;
use crate::score::{DimensionBreakdown, Loss, MeasureKind, ScoreBreakdown};
use crate::value::{Score, below};
use std::sync::Arc;

fn cost(dimension: &Arc<str>, points: f64, capped: f64, terms: Option<&Terms>) -> Cost {
    let overall = terms.map(|terms| terms.weight(dimension) * points);
    Cost { dimension: Arc::clone(dimension), points, overall, capped }
}

/// All losses, each with its dimension.
fn losses(account: Option<&ScoreBreakdown>) -> impl Iterator<Item = (&DimensionBreakdown, &Loss)> {
    let dimensions = account.into_iter().flat_map(|account| &account.dimensions);
    dimensions.flat_map(|one| one.losses.iter().map(move |loss| (one, loss)))
}

/// The cost of the issue at a position.
pub(super) fn costs(account: Option<&ScoreBreakdown>, place: usize, terms: Option<&Terms>) -> Vec<Cost> {
    losses(account)
        .filter(|(_, loss)| loss.issue == Some(place))
        .map(|(one, loss)| cost(&one.dimension, loss.points, loss.capped, terms))
        .collect()
}

pub(super) fn other_losses(account: Option<&ScoreBreakdown>, terms: Option<&Terms>) -> Vec<OtherLoss> {
    losses(account)
        .filter_map(|(one, loss)| {
            let why = loss.why.clone()?;
            loss.issue
                .is_none()
                .then(|| OtherLoss { why, cost: cost(&one.dimension, loss.points, 0.0, terms) })
        })
        .collect()
}

pub(super) fn dimensions(candidate: &Candidate, terms: Option<&Terms>) -> Vec<DimensionStory> {
    let scores = candidate.scores.as_ref();
    let mut names: Vec<Arc<str>> = match &candidate.account {
        Some(account) => account.dimensions.iter().map(|one| Arc::clone(&one.dimension)).collect(),
        None => scores.into_iter().flat_map(|scores| scores.iter()).map(|(name, _)| name.into()).collect(),
    };
    let weighed = terms.into_iter().flat_map(|terms| &terms.weights);
    for name in weighed.map(|one| one.dimension.as_str()) {
        if scores.is_some() && !names.iter().any(|known| known.as_ref() == name) {
            names.push(name.into());
        }
    }
    names
        .into_iter()
        .map(|name| {
            let score = scores.and_then(|scores| scores.get(&name)).map(Score::get);
            let weight = terms.map(|terms| terms.weight(&name));
            let value = score.unwrap_or(0.0);
            let accounted = candidate.account.as_ref().and_then(|account| account.of(&name));
            DimensionStory {
                score,
                weight,
                share: weight.map(|weight| weight * value),
                lost: weight.map(|weight| weight * (1.0 - value)),
                how: accounted.map(|one| how(&one.by)).unwrap_or_default(),
                dimension: name,
            }
        })
        .collect()
}

/// A description of the measurement of a dimension.
fn how(by: &MeasureKind) -> String {
    match by {
        MeasureKind::Rubric { present, all } => {
            format!("fields present weigh {} of {}", number(*present), number(*all))
        }
        MeasureKind::Schema { errors, fields } => {
            format!("{} over {}", counted(*errors, "schema error"), counted(*fields, "field"))
        }
        MeasureKind::Rules { counted, penalty, floor, blocking_only } => {
            let which = if *blocking_only { " (of those that block)" } else { "" };
            #[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
            let floored = below(1.0 - penalty * *counted as f64, *floor);
            let capped = if floored { ", held up by the floor" } else { "" };
            let issues = words::counted(*counted, "issue");
            format!("{issues}{which} × {}, at least {}{capped}", number(*penalty), number(*floor))
        }
        MeasureKind::Grounding { grounded, checked } => {
            format!("{grounded} of {} found in the source", words::counted(*checked, "value"))
        }
        MeasureKind::Script => "a script".to_owned(),
        MeasureKind::Given => "given".to_owned(),
        MeasureKind::InvalidPatch => "the patch can't be applied".to_owned(),
        MeasureKind::Combined { how, parts } => {
            let part = |part: &crate::score::Part| {
                let decides = if part.share > 0.0 && part.share < 1.0 {
                    format!(" × {}", number(part.share))
                } else {
                    String::new()
                };
                format!("{} {}{decides}", part.name, number(part.score.get()))
            };
            let how = if how == "first" { "the first that answered" } else { how };
            format!("{how} of: {}", parts.iter().map(part).collect::<Vec<_>>().join(", "))
        }
        MeasureKind::Unmeasured => "not measured".to_owned(),
    }
}
