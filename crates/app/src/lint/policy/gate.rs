//! Gates that stop what would be accepted, that nothing misses, or that everything does.

use super::accept::is_only_given;
use super::view::{View, number};
use crate::diag::{Code, Problem, Span};
use crate::profile::{Combine, Dimension, OnGateMiss, OnRegression, Overall, Target};

/// A gate on an existing dimension.
struct Gated<'a> {
    name: &'a str,
    bound: f64,
    span: &'a Span,
    dimension: &'a Dimension,
    /// The lowest score that the gate can see.
    low: f64,
}

fn gated<'a>(view: &View<'a>) -> Option<Gated<'a>> {
    let gate = view.policy.gate.as_ref()?;
    let name = gate.dimension.as_str();
    let dimension = view.profile.dimensions.iter().find(|dimension| dimension.name == name)?;
    let low = if dimension.second.is_some() { 0.0 } else { view.dimension(name).low };
    Some(Gated { name, bound: gate.bound.get(), span: view.key(&["gate", name]), dimension, low })
}

impl Gated<'_> {
    fn is_always_missed(&self, view: &View<'_>) -> bool {
        is_only_given(self.dimension) && self.bound > 0.0 && !view.profile.stages.is_empty()
    }

    fn is_never_missed(&self) -> bool {
        self.bound <= self.low + 1e-9
    }
}

/// The gate, where some candidates miss it and some do not.
fn deciding<'a>(view: &View<'a>) -> Option<Gated<'a>> {
    gated(view).filter(|gate| !gate.is_always_missed(view) && !gate.is_never_missed())
}

/// Every candidate misses it.
pub(super) fn always_missed(view: &View<'_>, code: Code) -> Vec<Problem> {
    let Some(gate) = gated(view).filter(|gate| gate.is_always_missed(view)) else { return Vec::new() };
    let message = format!("every run ends at the gate: nothing measures `{}`, so it counts 0", gate.name);
    let problem = view.doubt_of(code, gate.span, &[view.measure(gate.name)], message);
    vec![problem.help("gate a dimension that is measured, or give this one a measure")]
}

/// No candidate misses it.
pub(super) fn never_missed(view: &View<'_>, code: Code) -> Vec<Problem> {
    let found = gated(view).filter(|gate| !gate.is_always_missed(view) && gate.is_never_missed());
    let Some(Gated { name, bound, span, low, .. }) = found else { return Vec::new() };
    let message = if bound == 0.0 {
        "this gate stops nothing: no score is below 0".to_owned()
    } else {
        format!("this gate stops nothing: `{name}` is never below {}", number(low))
    };
    let help = format!(
        "write a bound above {}, such as {}, or remove the gate",
        number(low),
        number(f64::midpoint(low, 1.0))
    );
    vec![view.doubt_of(code, span, &[view.measure(name)], message).help(help)]
}

/// A correction that misses it should be rolled back, but nothing is.
pub(super) fn rolls_back_nothing(view: &View<'_>, code: Code) -> Vec<Problem> {
    let rollback = view.policy.gate.as_ref().is_some_and(|gate| gate.on_correction == OnGateMiss::Rollback);
    if deciding(view).is_none() || !rollback || view.policy.on_regression != OnRegression::Keep {
        return Vec::new();
    }
    let message = "a correction that misses the gate is not rolled back: `on_regression` is `keep`";
    let (span, cause) = (view.key(&["gate", "on_correction"]), view.key(&["on_regression"]));
    let problem = view.doubt_of(code, span, &[cause], message);
    vec![problem.help("set `on_regression: rollback`, or `on_correction: stop`")]
}

/// A candidate that the gate lets through is accepted, and one that it stops is never corrected; or, for an overall
/// score that combines several, it asks as much as that, and stops candidates that could be accepted.
pub(super) fn above_acceptance(view: &View<'_>, code: Code) -> Vec<Problem> {
    let Some(Gated { name, bound, dimension, .. }) = deciding(view) else { return Vec::new() };
    // The verdict of a judge instead, or besides, may be another number than the gate sees.
    if dimension.second.as_ref().is_some_and(|second| second.combine != Combine::Min) {
        return Vec::new();
    }
    let is_it = |target: &Target| match (target, &view.policy.overall) {
        (Target::Dimension(dimension), _) => dimension == name,
        (Target::Overall, Overall::From(from)) => from == name,
        (Target::Overall, Overall::Weighted(_)) => false,
    };
    let thresholds = &view.policy.accept.thresholds;
    let (target, least, needed) = match thresholds.iter().find(|threshold| is_it(&threshold.target)) {
        Some(line) => (&line.target, line.bound.get(), None),
        None => {
            let Some(least) = view.policy.accept.bound(&Target::Overall) else { return Vec::new() };
            let Some(needed) = needed(view, name, least.get()) else { return Vec::new() };
            (&Target::Overall, least.get(), Some(needed))
        }
    };
    // A lower one is for hopeless candidates, whatever the other dimensions could make up for.
    if bound < least - 1e-9 || needed.is_some_and(|needed| bound <= needed + 1e-9) {
        return Vec::new();
    }
    let (written, least_written) = (number(bound), number(least));
    let message = match needed {
        None => format!(
            "the gate ends the loop below `{name}: {written}`, so a candidate that misses `accept.{}: {least_written}` is never corrected",
            target.name()
        ),
        Some(needed) => format!(
            "the gate ends the loop below `{name}: {written}`, though `accept.overall: {least_written}` can be met with {}, so what could be accepted is not",
            number(needed)
        ),
    };
    let (span, accepted) = (view.key(&["gate", name]), view.key(&["accept", target.name()]));
    let problem = view.doubt_of(code, span, &[accepted], message).help(format!(
        "write a gate well below {least_written}, such as `{name}: {}`: it is for candidates that are hopeless",
        number(least / 2.0)
    ));
    vec![problem.related(accepted, "what is good enough")]
}

/// The least that a dimension must have for a weighted overall score to reach `least`.
fn needed(view: &View<'_>, name: &str, least: f64) -> Option<f64> {
    let Overall::Weighted(weights) = &view.policy.overall else { return None };
    let (_, weight) = weights.iter().find(|(own, weight)| own == name && *weight > 0.0)?;
    let others = weights.iter().filter(|(other, _)| other != name);
    let others: f64 = others.map(|(other, weight)| weight * view.dimension(other).high).sum();
    Some(((least - others) / weight).max(0.0))
}
