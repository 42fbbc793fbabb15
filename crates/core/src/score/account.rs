//! The account of an assessment's numbers: the points that each issue, and anything else, takes off each dimension.
//!
//! The machine keeps the account while it scores, so that it can't contradict the scores. The losses of a dimension add
//! up to 1 less its score; a dimension without a score counts 0 and has lost 1.

use crate::profile::Combine;
use crate::value::Score;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The account of an assessment, by dimension.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ScoreBreakdown {
    /// Every dimension that was to be measured, in the order of the profile.
    pub dimensions: Vec<DimensionBreakdown>,
}

/// The derivation of one dimension's score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DimensionBreakdown {
    /// The dimension.
    pub dimension: Arc<str>,
    /// Its score; `None` where it could not be measured.
    pub score: Option<Score>,
    /// The measure, with the numbers that it used.
    pub by: MeasureKind,
    /// The points that were lost. They add up to 1 less the score.
    #[serde(default)]
    pub losses: Vec<Loss>,
}

/// The measure of a dimension, with the numbers that it used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum MeasureKind {
    /// A rubric: the weight of the fields that are present, over that of all that apply.
    Rubric {
        /// Weight of the present fields.
        present: f64,
        /// Weight of all.
        all: f64,
    },
    /// A JSON Schema: 1 less the errors over the fields.
    Schema {
        /// Errors found.
        errors: usize,
        /// Fields that the schema declares and the candidate could hold.
        fields: usize,
    },
    /// A rule set: 1 less a penalty for each issue that counts, at least the floor.
    Rules {
        /// Issues that count.
        counted: usize,
        /// The points that each takes off.
        penalty: f64,
        /// The least that the dimension can be.
        floor: f64,
        /// `true` if issues with disposition `warn` are not counted.
        blocking_only: bool,
    },
    /// The share of values that the source supports.
    Grounding {
        /// Values that were found.
        grounded: usize,
        /// Values that were looked for.
        checked: usize,
    },
    /// A function in a script.
    Script,
    /// A number from outside.
    Given,
    /// Nothing: the patch could not be applied, which is 0 in every dimension.
    InvalidPatch,
    /// Several measures, judges and validators made into one.
    Combined {
        /// The combination of the parts.
        how: String,
        /// The parts, in their order.
        parts: Vec<Part>,
    },
    /// Nothing could measure it, so it counts 0.
    Unmeasured,
}

/// One of several measures of a dimension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Part {
    /// Its name, for people: ``judge `tone` ``, `grounding`.
    pub name: String,
    /// The score that it gave.
    pub score: Score,
    /// Its share in the dimension's score: 1 for the lowest under `min`, 0 for the others.
    pub share: f64,
}

/// Something that takes points off a dimension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Loss {
    /// The points that it takes off the dimension, in [0, 1].
    pub points: f64,
    /// The issue that reports it, by its index in the assessment; `None` where no issue does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<usize>,
    /// The reason, for people, where no issue reports it. Names of fields, never text of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The points that it would have taken off besides, if the dimension could be lower.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub capped: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(points: &f64) -> bool {
    *points == 0.0
}

impl Loss {
    /// The points that an issue costs.
    pub(super) fn issue(points: f64, issue: usize) -> Self {
        Loss { points, issue: Some(issue), why: None, capped: 0.0 }
    }

    /// Points that are lost without an issue.
    pub(super) fn other(points: f64, why: impl Into<String>) -> Self {
        Loss { points, issue: None, why: Some(why.into()), capped: 0.0 }
    }

    fn times(mut self, share: f64) -> Self {
        self.points *= share;
        self.capped *= share;
        self
    }
}

impl ScoreBreakdown {
    /// The account of a dimension.
    #[must_use]
    pub fn of(&self, dimension: &str) -> Option<&DimensionBreakdown> {
        self.dimensions.iter().find(|accounted| accounted.dimension.as_ref() == dimension)
    }

    /// Puts a dimension in, replacing an earlier account of it.
    pub(super) fn set(&mut self, accounted: DimensionBreakdown) {
        match self.dimensions.iter_mut().find(|known| known.dimension == accounted.dimension) {
            Some(known) => *known = accounted,
            None => self.dimensions.push(accounted),
        }
    }

    pub(super) fn take(&mut self, dimension: &str) -> Option<DimensionBreakdown> {
        let at = self.dimensions.iter().position(|known| known.dimension.as_ref() == dimension)?;
        Some(self.dimensions.remove(at))
    }
}

impl DimensionBreakdown {
    /// A dimension that could not be measured.
    pub(super) fn unmeasured(dimension: &Arc<str>, why: &str) -> Self {
        let losses = vec![Loss::other(1.0, why)];
        DimensionBreakdown {
            dimension: Arc::clone(dimension),
            score: None,
            by: MeasureKind::Unmeasured,
            losses,
        }
    }

    /// The points lost in all.
    #[must_use]
    pub fn lost(&self) -> f64 {
        self.losses.iter().map(|loss| loss.points).sum()
    }

    fn name(&self) -> String {
        match &self.by {
            MeasureKind::Rubric { .. } => "rubric".to_owned(),
            MeasureKind::Schema { .. } => "schema".to_owned(),
            MeasureKind::Rules { .. } => "rules".to_owned(),
            MeasureKind::Grounding { .. } => "grounding".to_owned(),
            MeasureKind::Script => "script".to_owned(),
            MeasureKind::Given | MeasureKind::InvalidPatch | MeasureKind::Unmeasured => "given".to_owned(),
            MeasureKind::Combined { how, .. } => how.clone(),
        }
    }

    /// As one of several measures.
    pub(super) fn into_opinion(self, weight: f64) -> Option<Opinion> {
        Some(Opinion { name: self.name(), score: self.score?, weight, losses: self.losses })
    }
}

/// Issues that take `each` off a dimension, one after the other, until `most` is reached; anything beyond is absorbed.
pub(super) fn capped(each: f64, most: f64, issues: impl Iterator<Item = usize>) -> Vec<Loss> {
    let mut left = most;
    let loss = |issue| {
        let points = each.min(left).max(0.0);
        left -= points;
        Loss { capped: (each - points).max(0.0), ..Loss::issue(points, issue) }
    };
    issues.map(loss).collect()
}

/// The score that one of several measures gives a dimension, and its origin.
#[derive(Debug)]
pub(super) struct Opinion {
    pub(super) name: String,
    pub(super) score: Score,
    pub(super) weight: f64,
    pub(super) losses: Vec<Loss>,
}

impl Opinion {
    /// A score that comes without reasons.
    pub(super) fn of(name: String, score: Score, weight: f64) -> Self {
        let losses = vec![Loss::other(1.0 - score.get(), format!("{name} gave {:.3}", score.get()))];
        Opinion { name, score, weight, losses }
    }
}

/// The account of a dimension that several measure; `score` is the result of [`super::combine::combine`].
pub(super) fn combined(
    dimension: &Arc<str>,
    how: Combine,
    score: Score,
    opinions: Vec<Opinion>,
) -> DimensionBreakdown {
    let shares = shares(how, &opinions);
    let (mut parts, mut losses) = (Vec::new(), Vec::new());
    for (opinion, share) in opinions.into_iter().zip(shares) {
        if share > 0.0 {
            losses.extend(opinion.losses.into_iter().map(|loss| loss.times(share)));
        }
        parts.push(Part { name: opinion.name, score: opinion.score, share });
    }
    losses.retain(|loss| loss.issue.is_some() || loss.points > 0.0);
    let by = MeasureKind::Combined { how: how.as_str().to_owned(), parts };
    DimensionBreakdown { dimension: Arc::clone(dimension), score: Some(score), by, losses }
}

/// The share of each opinion in the score that they make. Of equal ones the first decides.
fn shares(how: Combine, opinions: &[Opinion]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..opinions.len()).collect();
    let score = |at: &usize| opinions.get(*at).map_or(0.0, |opinion| opinion.score.get());
    let deciding: Vec<usize> = match how {
        Combine::First => order.into_iter().take(1).collect(),
        Combine::Min | Combine::Max | Combine::Median => {
            order.sort_by(|a, b| score(a).total_cmp(&score(b)));
            let middle = order.len() / 2;
            match how {
                Combine::Min => order.into_iter().take(1).collect(),
                Combine::Max => order.into_iter().next_back().into_iter().collect(),
                _ if order.len().is_multiple_of(2) => {
                    order.into_iter().skip(middle.saturating_sub(1)).take(2).collect()
                }
                _ => order.into_iter().skip(middle).take(1).collect(),
            }
        }
        Combine::Mean => order,
        Combine::Weighted => {
            let all: f64 = opinions.iter().map(|opinion| opinion.weight).sum();
            return opinions.iter().map(|opinion| opinion.weight / all).collect();
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "a handful of members")]
    let share = 1.0 / deciding.len().max(1) as f64;
    (0..opinions.len()).map(|at| if deciding.contains(&at) { share } else { 0.0 }).collect()
}
