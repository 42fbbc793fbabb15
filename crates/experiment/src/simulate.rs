//! The outcome of a policy on a trajectory.

use super::decider::whole_millis;
use super::trajectory::{IterationRecord, Trajectory};
use crate::engine::Outcome;
use crate::policy::{
    Decision, History, IterationSummary, ScriptCriteria, Spent, StopReason, Verdict, decide,
};
use crate::profile::{LoopPolicy, SelectKey, Target};
use crate::score::{Assessment, Issue, LazyText};
use crate::value::Usage;

/// The end of a run over a trajectory, and the decisions on the way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Simulated {
    /// The end. Time and usage are those of the iterations that were assessed.
    pub outcome: Outcome,
    /// The decision after each of them.
    pub decisions: Vec<Decision>,
    /// The iterations that were rolled back, each with the iteration that it started from.
    pub rolled_back: Vec<(usize, usize)>,
}

/// Runs a policy over a trajectory with the functions that decide in a run; `scripts` are those of the policy's script
/// criteria. Each iteration's time, money, tokens and calls add to those before it; without `calls` it counts as one
/// call. An iteration without `candidate` equals no other.
///
/// A trajectory that ends before the policy does is `incomplete / trajectory_exhausted`, and so is one whose next
/// candidate was corrected from a candidate other than the one the policy would correct.
#[must_use]
pub fn simulate(policy: &LoopPolicy, scripts: &ScriptCriteria, trajectory: &Trajectory) -> Simulated {
    let mut history = History::new();
    let mut spent = Spent::default();
    let mut total = RunningTotal::default();
    let mut decisions = Vec::new();
    let mut end = StopReason::TrajectoryExhausted;
    for step in &trajectory.iterations {
        let is_first = history.iterations().is_empty();
        if step.base.is_some_and(|base| !is_first && base != history.base()) {
            break;
        }
        spent = total.add(step);
        let mut facts = IterationSummary::of(policy, &assessment(policy, step), step.candidate.clone());
        if let Some(tier1) = &step.tier1 {
            let measured = tier1.iter().map(|(name, score)| (name.as_str(), *score)).collect();
            facts = facts.gated_by(policy, &measured);
        }
        history.push(policy, facts);
        let decision = decide(policy, &mut history, spent, scripts);
        let verdict = decision.verdict.clone();
        decisions.push(decision);
        if let Verdict::Stop { reason } = verdict {
            end = reason;
            break;
        }
    }
    Simulated {
        outcome: Outcome::of(policy, &history, end, spent, None),
        decisions,
        rolled_back: history.rolled_back(),
    }
}

/// The running total of what the iterations of a trajectory have used up.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunningTotal {
    elapsed_ms: f64,
    usage: Usage,
}

impl RunningTotal {
    /// Adds an iteration.
    pub(super) fn add(&mut self, step: &IterationRecord) -> Spent {
        self.elapsed_ms += step.elapsed_ms;
        self.usage += step.usage();
        Spent { elapsed: whole_millis(self.elapsed_ms), usage: self.usage }
    }
}

/// The assessment of a step, as scoring would give it.
pub(super) fn assessment(policy: &LoopPolicy, step: &IterationRecord) -> Assessment {
    let issues = step.issues.iter().map(|issue| Issue {
        code: issue.code.clone().into(),
        severity: issue.severity,
        disposition: issue.disposition_under(policy),
        auto_fixable: issue.auto_fixable,
        path: issue.path.clone().into(),
        message: LazyText::default(),
        rule: None,
        suggested_fix: None,
        source_span: None,
        places: Vec::new(),
        pre_existing: false,
    });
    let mut assessment = Assessment {
        scores: step.scores.iter().map(|(name, score)| (name.as_str(), *score)).collect(),
        issues: issues.collect(),
        ..Assessment::default()
    };
    assessment.weigh(&policy.overall);
    assessment
}

/// Every dimension whose score can change what the policy does, in the order of the profile, each once.
#[must_use]
pub fn dimensions_used(policy: &LoopPolicy) -> Vec<&str> {
    fn named(target: &Target) -> Option<&str> {
        match target {
            Target::Dimension(name) => Some(name),
            Target::Overall => None,
        }
    }
    let accepted = policy.accept.thresholds.iter().filter_map(|threshold| named(&threshold.target));
    let selected = policy.select.order.iter().filter_map(|key| match key {
        SelectKey::Score(target) => named(target),
        SelectKey::NoCritical | SelectKey::Fewest(_) => None,
    });
    let gated = policy.gate.iter().map(|gate| gate.dimension.as_str());
    let mut used: Vec<&str> = Vec::new();
    for name in policy.overall.dimensions().chain(accepted).chain(gated).chain(selected) {
        if !used.contains(&name) {
            used.push(name);
        }
    }
    used
}
