//! Dimensions that are measured for nothing, or always have the same score.

use super::view::{View, number};
use crate::diag::{Code, Problem};
use crate::profile::{AfterRetries, Criterion, Dimension, Measure, Overall, SelectKey, Target};

/// Rules whose issues take nothing off.
pub(super) fn constant_score(view: &View<'_>, code: Code) -> Vec<Problem> {
    let dimensions = view.profile.dimensions.iter();
    let parts = dimensions.flat_map(|dimension| dimension.measure.parts().map(move |part| (dimension, part)));
    parts.filter_map(|(dimension, part)| always_one(view, code, dimension, part)).collect()
}

fn always_one(view: &View<'_>, code: Code, dimension: &Dimension, part: &Measure) -> Option<Problem> {
    let Measure::Rules { penalty, floor, name, .. } = part else { return None };
    let (key, value, help) = if penalty.get() == 0.0 {
        ("penalty", 0.0, "write how much an issue takes off, such as `penalty: 0.10`")
    } else if floor.get() >= 1.0 {
        ("floor", floor.get(), "write how low the score may fall, such as `floor: 0.30`, or remove it")
    } else {
        return None;
    };
    let said = ["assess", dimension.name.as_str(), key];
    let span = view.entry(&said).map_or(&name.span, |entry| &entry.key_span);
    let message = format!(
        "with `{key}: {}` nothing that the rules `{}` find takes anything off: the score is always 1",
        number(value),
        name.value
    );
    Some(view.doubt(code, span, message).help(help))
}

/// Dimensions that decide nothing.
pub(super) fn measured_for_nothing(view: &View<'_>, code: Code) -> Vec<Problem> {
    let unused = view.profile.dimensions.iter().filter(|dimension| !is_used(view, &dimension.name));
    unused.filter_map(|dimension| for_nothing(view, code, dimension)).collect()
}

/// Returns whether a score decides anything: overall, acceptance, gate, selection, review, the replacement of a judge,
/// or a script, which sees them all.
fn is_used(view: &View<'_>, name: &str) -> bool {
    let policy = view.policy;
    let is_it = |target: &Target| matches!(target, Target::Dimension(dimension) if dimension == name);
    let weighs = match &policy.overall {
        Overall::From(from) => from == name,
        Overall::Weighted(weights) => weights.iter().any(|(other, weight)| other == name && *weight > 0.0),
    };
    weighs
        || policy.accept.thresholds.iter().any(|threshold| is_it(&threshold.target))
        || policy.gate.as_ref().is_some_and(|gate| gate.dimension == name)
        || policy.select.order.iter().any(|key| matches!(key, SelectKey::Score(target) if is_it(target)))
        || view
            .profile
            .review
            .as_ref()
            .is_some_and(|when| super::review::names(&when.value).any(|n| n == name))
        || view
            .profile
            .judges
            .iter()
            .any(|judge| matches!(&judge.on_failure.then, AfterRetries::Dimension(other) if other == name))
        || asks_a_script(view)
}

/// Returns whether a script, which sees every score, is one of the stop criteria, in a group or not.
fn asks_a_script(view: &View<'_>) -> bool {
    let mut found = false;
    view.policy.stop.visit(&mut |criterion| found |= matches!(criterion, Criterion::Script(_)));
    found
}

/// The problem of a dimension that decides nothing and finds no issues, which would be fed back.
fn for_nothing(view: &View<'_>, code: Code, dimension: &Dimension) -> Option<Problem> {
    let name = &dimension.name;
    let finds_issues = dimension.measure.parts().any(|part| {
        matches!(
            part,
            Measure::Rubric { .. } | Measure::Schema { .. } | Measure::Rules { .. } | Measure::Grounding(_)
        )
    });
    let sources = dimension.second.as_ref().map(|second| second.sources.as_slice()).unwrap_or_default();
    let judge = |id: &str| view.profile.judges.iter().find(|judge| judge.id.value == id);
    // A validator finds issues; a judge that is not asked costs nothing.
    let paid: Vec<&str> = sources
        .iter()
        .filter_map(|source| judge(&source.name.value))
        .filter(|judge| judge.is_asked() && judge.issues.is_none())
        .map(|judge| judge.id.value.as_str())
        .collect();
    let says_more = sources.len() > paid.len()
        || dimension.second.as_ref().is_some_and(|second| second.disagreement.is_some());
    let elsewhere = |id: &str| {
        view.profile.dimensions.iter().filter(|other| other.name != *name && is_used(view, &other.name)).any(
            |other| {
                other.second.iter().flat_map(|second| &second.sources).any(|source| source.name.value == id)
            },
        )
    };
    if finds_issues || says_more || paid.iter().any(|id| elsewhere(id)) {
        return None;
    }
    let for_pay = match paid.first() {
        Some(id) => format!(", and the judge `{id}` is asked for it"),
        None => String::new(),
    };
    let message =
        format!("`{name}` is measured for nothing: it has no weight, and no bound looks at it{for_pay}");
    Some(view.doubt(code, &dimension.name_span, message).help(format!(
        "give it a weight under `overall` or a line in `accept`, or remove it (`{name}: null`)"
    )))
}
