//! The decision table: `docs/how-the-loop-decides.md`, "The order of decisions".

use super::accept::accepted;
use super::check::Observer;
use super::{CandidateFacts, Check, Checks, Decision, History, Line, ScriptCriteria, StopReason, Verdict};
use crate::profile::{IssueKind, LoopPolicy, OnEscalate, OnGateMiss, OnRegression, ScriptCriterion};
use crate::stop::{Kind, Placed, Progress};
use crate::value::{Disposition, Millis, Usage};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The resources that the run has used up when the decision is made.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Time since the run started.
    pub elapsed: Millis,
    /// Calls, tokens and money.
    pub usage: Usage,
}

/// Decides what follows from the latest candidate of `history`, which [`History::push`] has just added, and settles its
/// rollback. With an empty history there is nothing to decide and the run continues from iteration 0. `scripts` are
/// those that the policy's script criteria name; one that is missing, or fails, never ends the loop and is noted.
pub fn decide<F: CandidateFacts>(
    policy: &LoopPolicy,
    history: &mut History<F>,
    spent: Spent,
    scripts: &ScriptCriteria,
) -> Decision {
    let mut decision = Decision {
        iteration: history.iterations().len().saturating_sub(1),
        verdict: Verdict::Continue { base: 0 },
        checks: Checks::default(),
        notes: Vec::new(),
        best: history.best(),
        rolled_back: false,
    };
    let reason = table(policy, history, spent, scripts, &mut decision);
    decision.rolled_back = history.latest().is_some_and(|latest| latest.rolled_back);
    decision.verdict = match reason {
        Some(reason) => Verdict::Stop { reason },
        None => Verdict::Continue { base: history.base() },
    };
    decision
}

/// Like [`decide`], without a record of the evaluated lines: the reason why the loop ends, or `None` if it continues.
/// Notes go to `notes`, each as often as it is made.
pub fn settle<F: CandidateFacts>(
    policy: &LoopPolicy,
    history: &mut History<F>,
    spent: Spent,
    scripts: &ScriptCriteria,
    notes: &mut Vec<String>,
) -> Option<StopReason> {
    table(policy, history, spent, scripts, &mut NotesOnly(notes))
}

struct NotesOnly<'a>(&'a mut Vec<String>);

impl Observer for NotesOnly<'_> {
    fn check(&mut self, _: impl FnOnce() -> Check) {}

    fn note(&mut self, note: impl FnOnce() -> String) {
        self.0.push(note());
    }
}

impl Observer for Decision {
    fn check(&mut self, check: impl FnOnce() -> Check) {
        self.checks.push(check());
    }

    fn note(&mut self, note: impl FnOnce() -> String) {
        let note = note();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// Walks down the table; the first line that applies ends the walk.
fn table<F: CandidateFacts>(
    policy: &LoopPolicy,
    history: &mut History<F>,
    spent: Spent,
    scripts: &ScriptCriteria,
    observer: &mut impl Observer,
) -> Option<StopReason> {
    let latest = history.latest()?;
    let (missed_gate, below_best) = (latest.missed_gate, latest.below_best);
    // `on_escalate`
    if policy.on_escalate == OnEscalate::Stop {
        let escalated = latest.facts.issues().get(IssueKind::Disposition(Disposition::Escalate));
        if observer.look(|| "on_escalate".into(), escalated > 0, number(escalated), 0.0) {
            return Some(StopReason::CriticalIssue);
        }
    }
    // `gate`
    if let Some(gate) = &policy.gate {
        let is_first = history.iterations().len() == 1;
        let ends = missed_gate && (is_first || gate.on_correction == OnGateMiss::Stop);
        if observer.look(|| "gate".into(), ends, latest.facts.gated(), gate.bound.get()) {
            return Some(StopReason::Gate);
        }
    }
    // `accept`
    if accepted(&policy.accept, &latest.facts, observer) && !missed_gate {
        return Some(StopReason::Accepted);
    }
    // Limits of candidates, and `unchanged`.
    let stop = &policy.stop;
    let reason =
        walk(history, spent, scripts, observer, |walk| stop.before_rollback().find_map(|one| walk.ends(one)));
    if reason.is_some() {
        return reason;
    }
    // The rollback is settled: a candidate that ended the loop above is not counted.
    let rollback = policy.on_regression == OnRegression::Rollback && (missed_gate || below_best);
    history.apply_rollback(rollback);
    // All other criteria, and after them the groups.
    walk(history, spent, scripts, observer, |walk| stop.after_rollback().find_map(|one| walk.ends(one)))
}

/// Criteria evaluated one after the other, each with a note of what it saw.
struct CriterionWalk<'a, O> {
    run: Progress<'a>,
    observer: &'a mut O,
}

/// Walks over criteria with the progress of the run.
fn walk<T, O: Observer>(
    history: &History<impl CandidateFacts>,
    spent: Spent,
    scripts: &ScriptCriteria,
    observer: &mut O,
    over: impl FnOnce(&mut CriterionWalk<'_, O>) -> T,
) -> T {
    let script = |criterion: &_| scripts.holds(criterion, history, spent);
    over(&mut CriterionWalk { run: progress(history, spent, &script), observer })
}

/// The progress of the run, for criteria to inspect.
pub(super) fn progress<'a>(
    history: &'a History<impl CandidateFacts>,
    spent: Spent,
    script: &'a dyn Fn(&ScriptCriterion) -> Result<bool, String>,
) -> Progress<'a> {
    Progress {
        overalls: history.overall_scores(),
        highest: history.highest_scores(),
        equals: history.equal_before(),
        rollbacks: history.consecutive_rollbacks(),
        flip_flop: history.flip_flop(),
        elapsed: spent.elapsed,
        usage: spent.usage,
        script,
    }
}

/// The criteria because of which a group fired, by their names.
type Fired<'a> = SmallVec<[&'a Arc<str>; 4]>;

impl<O: Observer> CriterionWalk<'_, O> {
    /// The reason with which a criterion, or a group that has members, ends the loop, if it does.
    fn ends(&mut self, one: Placed<'_>) -> Option<StopReason> {
        match one.criterion.kind() {
            Kind::Any([]) | Kind::All([]) => None,
            Kind::Any(_) | Kind::All(_) => self.fired(one).map(|fired| group_of(&fired)),
            Kind::Rule(_) => self.is_met(one).then(|| StopReason::of(one.criterion)),
        }
    }

    /// The criteria because of which a member of a group fires, if it does: in `any` the first, in `all` all of them.
    fn fired<'a>(&mut self, one: Placed<'a>) -> Option<Fired<'a>> {
        match one.criterion.kind() {
            Kind::Any(_) => one.members().find_map(|member| self.fired(member)),
            Kind::All(_) => {
                let mut all = Some(Fired::new());
                for member in one.members() {
                    // Every one is evaluated, so that all that is missing can be shown.
                    let fired = self.fired(member);
                    all = all.zip(fired).map(|(mut all, fired)| {
                        all.extend(fired);
                        all
                    });
                }
                all
            }
            Kind::Rule(_) => self.is_met(one).then(|| smallvec![one.reason()]),
        }
    }

    /// Returns whether a criterion that is not a group applies.
    fn is_met(&mut self, one: Placed<'_>) -> bool {
        let looked = one.criterion.look(&self.run);
        let holds = looked.holds();
        if let Some(note) = looked.note {
            self.observer.note(|| note.to_owned());
        }
        if let Some(why) = looked.failed {
            self.observer.note(|| format!("the criterion `{}` was not looked at: {why}", one.line(0)));
        }
        for seen in looked.seen {
            self.observer.check(|| Check {
                line: Line::from(one.line(seen.part)),
                holds: seen.holds,
                value: seen.value,
                bound: seen.bound,
                path: seen.path,
            });
        }
        holds
    }
}

fn group_of(fired: &[&Arc<str>]) -> StopReason {
    StopReason::Group(match fired {
        [one] => Arc::clone(one),
        several => several.iter().map(|name| name.as_ref()).collect::<Vec<_>>().join("+").into(),
    })
}

/// Counts and milliseconds as they appear in events.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn number(count: u64) -> f64 {
    count as f64
}
