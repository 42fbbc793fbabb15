//! A review that no result gets, or that all do.

use super::view::View;
use crate::diag::{Code, Problem};
use crate::facts::Range;
use crate::policy::{FinalStatus, Review};
use crate::profile::Target;
use crate::score::Scores;
use crate::value::Score;
use std::collections::BTreeSet;

/// Most combinations of values that are tried.
const MOST_TRIES: usize = 50_000;

/// The distance from a number in a condition: more than scores are rounded by, less than anyone writes.
const STEP: f64 = 1e-6;

/// No result needs review.
pub(super) fn never(view: &View<'_>, code: Code) -> Vec<Problem> {
    let message = "no result ever goes to a person: this condition can't hold";
    let help = "compare with a score that results can have, such as `overall < 0.80 or status != passed`";
    said(view, code, |(some, _)| !some, message, help)
}

/// Every result does.
pub(super) fn always(view: &View<'_>, code: Code) -> Vec<Problem> {
    let message = "every result goes to a person: this condition always holds";
    let help = "say which results need one, such as `overall < 0.80 or status != passed`";
    said(view, code, |(some, all)| some && all, message, help)
}

/// `is_so` gets whether the condition holds for some results, and for all.
fn said(
    view: &View<'_>,
    code: Code,
    is_so: fn((bool, bool)) -> bool,
    message: &str,
    help: &str,
) -> Vec<Problem> {
    let Some(when) = view.profile.review.as_ref().filter(|when| is_plain(&when.value)) else {
        return Vec::new();
    };
    let dimensions: Vec<&str> = view.profile.dimensions.iter().map(|d| d.name.as_str()).collect();
    let review = Review::parse(&when.value, &dimensions).ok();
    let holds = review.and_then(|review| try_out(view, &review, &when.value, &dimensions));
    holds
        .filter(|holds| is_so(*holds))
        .map(|_| view.doubt(code, &when.span, message).help(help))
        .into_iter()
        .collect()
}

/// Returns whether a condition only compares names with numbers and words, so that trying the values at which something
/// changes is enough to know it.
fn is_plain(when: &str) -> bool {
    let mut quoted = false;
    when.chars().all(|c| {
        if matches!(c, '\'' | '"') {
            quoted = !quoted;
        }
        quoted || c.is_alphanumeric() || c.is_whitespace() || "_.<>=!()'\"".contains(c)
    })
}

/// The names in a condition, and words that look like some.
pub(super) fn names(when: &str) -> impl Iterator<Item = &str> {
    when.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Returns whether the condition holds for some, and for all results; `None` when there is too much to try.
fn try_out(view: &View<'_>, review: &Review, when: &str, dimensions: &[&str]) -> Option<(bool, bool)> {
    let numbers =
        when.split(|c: char| !(c.is_ascii_digit() || c == '.')).filter_map(|n| n.parse::<f64>().ok());
    let numbers: Vec<f64> = numbers.collect();
    let used: BTreeSet<&str> = names(when).collect();
    let axes: Vec<(Target, Vec<f64>)> = std::iter::once(Target::Overall)
        .chain(dimensions.iter().map(|name| Target::Dimension((*name).to_owned())))
        .filter(|target| used.contains(target.name()))
        .map(|target| {
            // A document that could not be read has 0, whatever the floor of a dimension.
            let range = Range::FULL;
            let bound = view.policy.accept.bound(&target).map_or(0.0, Score::get);
            let near = numbers.iter().chain([&range.low, &range.high, &bound]);
            let mut values: Vec<f64> = near.flat_map(|n| [n - STEP, *n, n + STEP]).collect();
            values.retain(|value| (range.low..=range.high).contains(value));
            values.sort_by(f64::total_cmp);
            values.dedup();
            (target, values)
        })
        .collect();
    let combinations = axes.iter().try_fold(1_usize, |n, (_, values)| n.checked_mul(values.len()))?;
    if combinations.checked_mul(FinalStatus::ALL.len())? > MOST_TRIES {
        return None;
    }
    let (mut some, mut all) = (false, true);
    for status in FinalStatus::ALL {
        for combination in 0..combinations {
            let mut rest = combination;
            let (mut overall, mut scores) = (0.0, Vec::new());
            let mut possible = true;
            for (target, values) in &axes {
                let value = values.get(rest % values.len()).copied().unwrap_or_default();
                rest /= values.len();
                // A passed result has reached its bounds.
                let bound = view.policy.accept.bound(target);
                possible &=
                    status != FinalStatus::Passed || bound.is_none_or(|bound| value >= bound.get() - 1e-9);
                match target {
                    Target::Overall => overall = value,
                    Target::Dimension(name) => scores.push((name.as_str(), Score::clamped(value))),
                }
            }
            if possible {
                let scores: Scores = scores.into_iter().collect();
                let holds = review.applies(status, overall, &scores, dimensions);
                some |= holds;
                all &= holds;
            }
        }
    }
    Some((some, all))
}
