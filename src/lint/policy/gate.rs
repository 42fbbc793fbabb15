//! Gates that stop what would be accepted, that nothing misses, or that everything does.

use super::accept::is_only_given;
use super::view::{View, number};
use crate::diag::{Code, Problems};
use crate::profile::{Combine, OnGateMiss, OnRegression, Overall, Target};

pub(super) fn check(view: &View<'_>, problems: &mut Problems) {
    let Some(gate) = &view.policy.gate else { return };
    let (name, bound) = (gate.dimension.as_str(), gate.bound.get());
    let span = view.key(&["gate", name]);
    let Some(dimension) = view.profile.dimensions.iter().find(|dimension| dimension.name == name) else {
        return;
    };
    if is_only_given(dimension) && bound > 0.0 && !view.profile.stages.is_empty() {
        let message = format!("every run ends at the gate: nothing measures `{name}`, so it counts 0");
        let problem = view.doubt_of(Code::GateAlwaysMissed, span, &[view.measure(name)], message);
        problems.push(problem.help("gate a dimension that is measured, or give this one a measure"));
        return;
    }
    let low = if dimension.second.is_some() { 0.0 } else { view.dimension(name).low };
    if bound <= low + 1e-9 {
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
        let problem = view.doubt_of(Code::GateNeverMissed, span, &[view.measure(name)], message);
        problems.push(problem.help(help));
        return;
    }
    above_acceptance(view, name, bound, problems);
    if gate.on_correction == OnGateMiss::Rollback && view.policy.on_regression == OnRegression::Keep {
        let message = "a correction that misses the gate is not rolled back: `on_regression` is `keep`";
        let (span, cause) = (view.key(&["gate", "on_correction"]), view.key(&["on_regression"]));
        let problem = view.doubt_of(Code::GateRollback, span, &[cause], message);
        problems.push(problem.help("set `on_regression: rollback`, or `on_correction: stop`"));
    }
}

/// Says that what the gate lets through is accepted, and what it stops is never corrected.
fn above_acceptance(view: &View<'_>, name: &str, bound: f64, problems: &mut Problems) {
    let is_it = |target: &Target| match (target, &view.policy.overall) {
        (Target::Dimension(dimension), _) => dimension == name,
        (Target::Overall, Overall::From(from)) => from == name,
        (Target::Overall, Overall::Weighted(_)) => false,
    };
    let second = view.profile.dimensions.iter().find(|d| d.name == name).and_then(|d| d.second.as_ref());
    // What a judge says instead, or besides, may be another number than the gate sees.
    if second.is_some_and(|second| second.combine != Combine::Min) {
        return;
    }
    let Some((target, line)) = view.policy.accept.thresholds.iter().find(|(target, _)| is_it(target)) else {
        above_overall(view, name, bound, problems);
        return;
    };
    if bound < line.get() - 1e-9 {
        return;
    }
    let message = format!(
        "the gate ends the loop below `{name}: {}`, so a candidate that misses `accept.{}: {}` is never corrected",
        number(bound),
        target.name(),
        number(line.get())
    );
    let (span, accepted) = (view.key(&["gate", name]), view.key(&["accept", target.name()]));
    let problem = view.doubt_of(Code::GateAboveAcceptance, span, &[accepted], message);
    let problem = problem.help(format!(
        "write a gate well below {}, such as `{name}: {}`: it is for candidates that are hopeless",
        number(line.get()),
        number(line.get() / 2.0)
    ));
    problems.push(problem.related(accepted, "what is good enough"));
}

/// Says of a gate that asks as much as the weighted overall score has to be that it stops what could be accepted. A lower
/// one is for what is hopeless, whatever the other dimensions could make up for.
fn above_overall(view: &View<'_>, name: &str, bound: f64, problems: &mut Problems) {
    let Overall::Weighted(weights) = &view.policy.overall else { return };
    let overall = view.policy.accept.thresholds.iter().find(|(target, _)| *target == Target::Overall);
    let Some(least) = overall.map(|(_, least)| least.get()) else { return };
    let Some((_, weight)) = weights.iter().find(|(own, weight)| own == name && *weight > 0.0) else { return };
    let others = weights.iter().filter(|(other, _)| other != name);
    let others: f64 = others.map(|(other, weight)| weight * view.dimension(other).high).sum();
    let needed = ((least - others) / weight).max(0.0);
    if bound < least - 1e-9 || bound <= needed + 1e-9 {
        return;
    }
    let message = format!(
        "the gate ends the loop below `{name}: {}`, though `accept.overall: {}` can be met with {}, so what could be accepted is not",
        number(bound),
        number(least),
        number(needed)
    );
    let (span, accepted) = (view.key(&["gate", name]), view.key(&["accept", "overall"]));
    let problem = view.doubt_of(Code::GateAboveAcceptance, span, &[accepted], message);
    let problem = problem.help(format!(
        "write a gate well below {}, such as `{name}: {}`: it is for candidates that are hopeless",
        number(least),
        number(least / 2.0)
    ));
    problems.push(problem.related(accepted, "what is good enough"));
}
