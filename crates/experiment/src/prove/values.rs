//! The values of each quantity that are tried: those between which a decision of the policy, or a promise, changes.
//!
//! Decisions compare scores, gains and counts with constants. Of each constant the grid has the value itself, one just
//! below and one just above; of each gain two scores that differ by it, and two that differ by a little less; and the
//! ends of what can be scored. What can't be had of this is recorded in [`Values::left_out`], because what was not
//! tried was not shown.

use super::Subject;
use super::candidates::Content;
use super::gap::Gap;
use super::grid::{Constants, Grid, Richness, ascending};
use super::spending::{SpendingValues, around_whole};
use crate::policy::{PromiseCondition, PromiseKind, Promises};
use crate::profile::{
    ConditionSet, Criterion, IssueKind, LoopPolicy, OnEscalate, Overall, SelectKey, Target,
};
use crate::stop::{Constant, Costly};
use crate::value::{Disposition, Severity};

/// The values of one score.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScoreValues {
    pub name: String,
    /// Ascending.
    pub values: Vec<f64>,
}

/// The numbers of issues of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IssueValues {
    pub kind: IssueKind,
    /// Ascending, 0 first.
    pub counts: Vec<u64>,
}

/// Everything that is tried.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Values {
    /// Dimensions that are inspected by themselves.
    pub direct: Vec<ScoreValues>,
    /// Dimensions that count in the overall score alone, each with its weight and range: they take what the overall score needs.
    pub free: Vec<Free>,
    /// The weight of each dimension that is inspected by itself in the overall score.
    pub direct_weights: Vec<(String, f64)>,
    /// Overall scores, where there are such dimensions.
    pub overall: Vec<f64>,
    /// Dimensions in which a candidate is also improved alone.
    pub alone: Vec<ScoreValues>,
    pub issues: Vec<IssueValues>,
    pub spending: SpendingValues,
    /// `true` for each condition of `accept` for which documents that break it are tried.
    pub broken_conditions: ConditionSet,
    /// The earlier candidates that are repeated; none if candidates are not compared.
    pub repeats: Vec<Content>,
    pub flips: bool,
    /// The constants that the overall score is compared with.
    pub bounds: Vec<f64>,
    /// The number of scores that must be able to fall, one after the other.
    pub levels: usize,
    /// `true` if a criterion asks how much scores rise: a run continues while they rise enough.
    pub rises: bool,
    /// A step that tells scores apart.
    pub step: f64,
    /// The gaps: what should be tried, and is not.
    pub left_out: Vec<Gap>,
}

/// A dimension that counts in the overall score alone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Free {
    pub name: String,
    pub weight: f64,
    pub low: f64,
    pub high: f64,
}

/// More issues than these are not tried: a case with so many says nothing that one with fewer does not.
const MOST_ISSUES: u64 = 100;

impl Values {
    /// The values that are tried for these policies and their promises.
    pub(super) fn of(subjects: &[Subject<'_>], promises: &Promises, richness: Richness) -> Self {
        let mut constants = Constants { levels: 2, ..Constants::default() };
        let mut values = Values::default();
        let mut alone: Vec<String> = Vec::new();
        for subject in subjects {
            of_policy(subject.policy, &mut constants, &mut values, richness);
        }
        for promise in &promises.list {
            match &promise.kind {
                PromiseKind::Always(condition) | PromiseKind::Never(condition) => {
                    of_condition(condition, &mut constants, &mut values);
                }
                PromiseKind::Monotone(Target::Dimension(name)) => alone.push(name.clone()),
                PromiseKind::Monotone(_) | PromiseKind::Script(_) | PromiseKind::Shipped(_) => {}
            }
        }
        values.repeats = repeats(subjects, promises, &mut values.left_out);
        if let [one, other] = subjects
            && one.policy.dispositions != other.policy.dispositions
        {
            values.left_out.push(Gap::Dispositions);
        }
        values.place_scores(subjects, &constants, &alone, richness);
        if richness == Richness::Least {
            values.left_out.push(Gap::FarBelow);
        }
        for issue in &mut values.issues {
            issue.counts.sort_unstable();
            issue.counts.dedup();
        }
        values
    }

    /// Determines which scores are inspected by themselves, which through the overall score alone, and the values of
    /// each.
    fn place_scores(
        &mut self,
        subjects: &[Subject<'_>],
        constants: &Constants,
        alone: &[String],
        richness: Richness,
    ) {
        let Some(first) = subjects.first() else { return };
        let weights = weights(&first.policy.overall);
        let same = subjects.iter().all(|subject| self::weights(&subject.policy.overall) == weights);
        let step = constants.step();
        self.step = step;
        self.levels = constants.levels;
        self.rises = !constants.gains.is_empty();
        self.bounds = constants.get("overall").unwrap_or_default().to_vec();
        let mut dimensions: Vec<String> = Vec::new();
        for subject in subjects {
            let used = crate::dimensions_used(subject.policy).into_iter().map(str::to_owned);
            let named = constants.of.iter().map(|(name, _)| name.clone()).filter(|name| name != "overall");
            for name in used.chain(named).chain(alone.iter().cloned()) {
                if !dimensions.contains(&name) {
                    dimensions.push(name);
                }
            }
        }
        let range = |name: &str| {
            let ranges = subjects.iter().map(|subject| (subject.range)(name));
            ranges.fold((1.0_f64, 0.0_f64), |(low, high), (l, h)| (low.min(l), high.max(h)))
        };
        let single = weights.len() == 1;
        let all_direct = !same || weights.iter().all(|(name, _)| constants.get(name).is_some());
        for name in &dimensions {
            let weight = weights.iter().find(|(known, _)| known == name).map_or(0.0, |(_, weight)| *weight);
            let (low, high) = range(name);
            let is_overall = single && weight > 0.0 && same;
            let own = constants.get(name);
            if same && weight > 0.0 && own.is_none() && !is_overall {
                self.free.push(Free { name: name.clone(), weight, low, high });
                continue;
            }
            let mut at = own.unwrap_or_default().to_vec();
            let grid = Grid { low, high, step, richness, strict: &constants.strict };
            let mut tried = if is_overall {
                at.extend_from_slice(constants.get("overall").unwrap_or_default());
                grid.overall(&at, constants)
            } else {
                grid.dimension(&at)
            };
            // Overall scores and gains can be had in a dimension that is inspected, if none is free.
            let heaviest = weights.iter().max_by(|a, b| a.1.total_cmp(&b.1));
            if all_direct && !is_overall && heaviest.is_some_and(|(heaviest, _)| heaviest == name) {
                let others = weights.iter().filter(|(other, _)| other != name);
                let others = others.map(|(other, weight)| weight * range(other).1).sum();
                grid.overall_scores(&self.bounds, weight, others, &mut tried);
                grid.gains(&constants.gains, weight, &mut tried);
            }
            ascending(&mut tried);
            self.direct_weights.push((name.clone(), weight));
            self.direct.push(ScoreValues { name: name.clone(), values: tried });
        }
        if !self.free.is_empty() {
            let ends = |pick: fn((f64, f64)) -> f64| -> f64 {
                weights.iter().map(|(name, weight)| weight * pick(range(name))).sum()
            };
            let (low, high) = (ends(|range| range.0), ends(|range| range.1));
            let grid = Grid { low, high, step, richness, strict: &constants.strict };
            self.overall = grid.overall(constants.get("overall").unwrap_or_default(), constants);
            ascending(&mut self.overall);
        }
        for name in alone {
            let (low, high) = range(name);
            let grid = Grid { low, high, step, richness, strict: &constants.strict };
            let mut values = grid.dimension(constants.get(name).unwrap_or_default());
            ascending(&mut values);
            self.alone.push(ScoreValues { name: name.clone(), values });
        }
    }
}

/// The earlier candidates that are repeated. One that equals an earlier one ends the loop if `unchanged` is there by
/// itself, whatever it scores: one of them represents all. In a group alone its score may count, and a promise may
/// depend on the latest score: then those that are neither the best nor the latest are a gap.
fn repeats(subjects: &[Subject<'_>], promises: &Promises, left_out: &mut Vec<Gap>) -> Vec<Content> {
    if !subjects.iter().any(|subject| subject.policy.stop.looks_at(Costly::Equality)) {
        return Vec::new();
    }
    let looks = |criterion: &Criterion| {
        let mut looks = false;
        criterion.visit(&mut |one| looks |= one.costly() == Some(Costly::Equality));
        looks
    };
    let is_group = |criterion: &Criterion| matches!(criterion, Criterion::Any(_) | Criterion::All(_));
    let grouped = subjects.iter().any(|subject| {
        let mut looking = subject.policy.stop.iter().filter(|one| looks(one)).peekable();
        looking.peek().is_some() && looking.all(is_group)
    });
    let looks_at_latest = promises.list.iter().any(|promise| match &promise.kind {
        PromiseKind::Always(condition) | PromiseKind::Never(condition) => condition.uses("last"),
        PromiseKind::Script(_) => true,
        PromiseKind::Monotone(_) | PromiseKind::Shipped(_) => false,
    });
    // Of two candidates one is the latest.
    let is_long = subjects.iter().any(|subject| super::limit_of(subject.policy) > 2);
    if is_long && (grouped || looks_at_latest) {
        left_out.push(Gap::OtherRepeats);
    }
    match subjects {
        [_] if grouped || looks_at_latest => vec![Content::SameAsBest, Content::SameAsLatest],
        [_] => vec![Content::SameAsBest],
        // Two policies need not agree on the best.
        _ => vec![Content::SameAsLatest],
    }
}

/// The dimensions of an overall score with their weights.
fn weights(overall: &Overall) -> Vec<(String, f64)> {
    match overall {
        Overall::From(name) => vec![(name.clone(), 1.0)],
        Overall::Weighted(weights) => weights.iter().filter(|(_, weight)| *weight > 0.0).cloned().collect(),
    }
}

fn of_policy(policy: &LoopPolicy, constants: &mut Constants, values: &mut Values, richness: Richness) {
    for threshold in &policy.accept.thresholds {
        constants.entry(threshold.target.name()).push(threshold.bound.get());
    }
    if let Some(gate) = &policy.gate {
        constants.entry(&gate.dimension).push(gate.bound.get());
    }
    for (kind, limit) in &policy.accept.issue_limits {
        values.count(*kind, &[*limit, limit.saturating_add(1)]);
    }
    for key in &policy.select.order {
        match key {
            SelectKey::NoCritical => values.count(IssueKind::Severity(Severity::Critical), &[1]),
            SelectKey::Fewest(kind) => {
                values.count(*kind, if richness == Richness::Least { &[1] } else { &[1, 2] });
            }
            SelectKey::Score(Target::Dimension(name)) => {
                constants.entry(name);
            }
            SelectKey::Score(Target::Overall) => {}
        }
    }
    if policy.on_escalate == OnEscalate::Stop {
        values.count(IssueKind::Disposition(Disposition::Escalate), &[1]);
    }
    let most = usize::try_from(super::limit_of(policy)).unwrap_or(usize::MAX);
    for constant in policy.stop.iter().flat_map(Criterion::constants) {
        match constant {
            Constant::Gain(gain) => constants.gains.push(gain),
            Constant::Falls(length) => constants.levels = constants.levels.max(length.min(most)),
            // See `SpendingValues::of_policy`.
            Constant::Elapsed(_) | Constant::Cost(_) | Constant::Tokens(_) => {}
            // Each candidate takes one call, and every number of candidates up to the limit is tried.
            Constant::Calls(_) | Constant::Count(_) => {}
            // See `Gap::StopScripts`.
            Constant::Unknown => {}
        }
    }
    values.spending.of_policy(policy, richness);
    for (tried, (_, waived)) in values.broken_conditions.iter_mut().zip(policy.accept.conditions()) {
        *tried |= !waived;
    }
    values.flips |= policy.stop.looks_at(Costly::FlipFlops);
}

fn of_condition(condition: &PromiseCondition, constants: &mut Constants, values: &mut Values) {
    let numbers = condition.numbers();
    let scores: Vec<f64> = numbers.iter().copied().filter(|number| (0.0..=1.0).contains(number)).collect();
    constants.strict.extend(&scores);
    if ["returned", "overall", "best_seen", "first", "last"].iter().any(|name| condition.uses(name)) {
        constants.entry("overall").extend(&scores);
    }
    for name in condition.dimensions() {
        constants.entry(name).extend(&scores);
    }
    for kind in IssueKind::ALL.into_iter().filter(|kind| condition.counts(*kind)) {
        let counts: Vec<u64> = numbers.iter().flat_map(|number| around_whole(*number)).collect();
        values.count(kind, &[1]);
        values.count(kind, &counts);
    }
    values.spending.of_condition(condition);
}

impl Values {
    /// Adds these numbers of issues of a kind, besides none.
    fn count(&mut self, kind: IssueKind, counts: &[u64]) {
        if counts.iter().any(|count| *count > MOST_ISSUES) && !self.left_out.contains(&Gap::ManyIssues) {
            self.left_out.push(Gap::ManyIssues);
        }
        let counts = counts.iter().copied().filter(|count| *count <= MOST_ISSUES);
        match self.issues.iter_mut().find(|issue| issue.kind == kind) {
            Some(issue) => issue.counts.extend(counts),
            None => {
                self.issues.push(IssueValues { kind, counts: std::iter::once(0).chain(counts).collect() })
            }
        }
    }
}
