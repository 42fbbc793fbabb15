//! Two policies side by side, over the same runs.

use super::candidates::{Candidate, Candidates};
use super::checks::script_failure;
use super::gap::Gap;
use super::proof::{Enumerated, quantities};
use super::random::{Chance, LONGEST_BY_CHANCE, any_candidate};
use super::walk::{Key, KeyRule, Walk};
use super::{Effort, Subject, limit_of};
use crate::policy::{Decision, Promises, StopReason, Verdict};
use crate::simulate::{Simulated, simulate};
use crate::trajectory::{IterationRecord, Trajectory};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The comparison of the decisions of two policies.
#[derive(Debug)]
pub struct Comparison {
    /// A shortest run in which they differ; `None` if they decide alike in all that were tried.
    pub difference: Option<Difference>,
    /// The finding whether the first accepts only what the second accepts, and the other way round.
    pub accepts_only: [Acceptance; 2],
    /// The runs that were tried.
    pub enumerated: Enumerated,
}

/// A run that two policies end or continue differently.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The candidates, as `simulate` and `test` take them.
    pub trajectory: Trajectory,
    /// The outcome of each policy on them.
    pub simulated: [Simulated; 2],
}

/// The finding whether everything that one policy accepts is accepted by the other.
#[derive(Debug, Clone)]
pub enum Acceptance {
    /// It is, in all runs that were tried.
    Only,
    /// A shortest run in which the one accepts a candidate, and the other has not accepted any by then.
    Not(Box<Difference>),
}

/// One policy's run, which may be over before the other's.
#[derive(Debug, Clone)]
struct Side {
    walk: Walk,
    /// Its end, and the candidate that is returned.
    ended: Option<(StopReason, Option<usize>)>,
}

impl Comparison {
    /// Returns whether the two decide alike; `None` if no difference was found, and not all was tried.
    #[must_use]
    pub fn same(&self) -> Option<bool> {
        match &self.difference {
            Some(_) => Some(false),
            None => self.enumerated.gaps.is_empty().then_some(true),
        }
    }

    /// Returns whether one (0 or 1) accepts only what the other accepts; `None` likewise.
    #[must_use]
    pub fn only(&self, side: usize) -> Option<bool> {
        match self.accepts_only.get(side)? {
            Acceptance::Not(_) => Some(false),
            Acceptance::Only => self.enumerated.gaps.is_empty().then_some(true),
        }
    }
}

impl Side {
    fn begin() -> Self {
        Side { walk: Walk::default(), ended: None }
    }

    /// Adds one candidate, unless the run is over: then there is no decision. `None` if the candidate can't come next.
    fn step(
        &self,
        subject: &Subject<'_>,
        of: usize,
        number: usize,
        candidate: &Candidate,
    ) -> Option<(Side, Option<Decision>)> {
        if self.ended.is_some() {
            return Some((self.clone(), None));
        }
        let (walk, decision) = self.walk.step(subject, of, number, candidate)?;
        let ended = match &decision.verdict {
            Verdict::Stop { reason } => {
                let selection = walk.history.selection(subject.policy, *reason == StopReason::Accepted);
                Some((reason.clone(), selection.map(|selection| selection.iteration)))
            }
            Verdict::Continue { .. } => None,
        };
        Some((Side { walk, ended }, Some(decision)))
    }

    fn accepted(&self) -> bool {
        matches!(&self.ended, Some((StopReason::Accepted, _)))
    }
}

/// The findings that are searched for, each set as soon as a run shows it.
#[derive(Default)]
struct Findings {
    difference: Option<Vec<IterationRecord>>,
    /// A run that the first accepts and the second does not, and the other way round.
    accepted: [Option<Vec<IterationRecord>>; 2],
}

impl Findings {
    fn all(&self) -> bool {
        self.difference.is_some() && self.accepted.iter().all(Option::is_some)
    }

    /// Inspects one more candidate of a run; `alike` if both have decided alike so far. Returns whether they still do.
    fn look(
        &mut self,
        sides: &[Side; 2],
        decisions: &[Option<Decision>; 2],
        alike: bool,
        run: impl Fn() -> Vec<IterationRecord>,
    ) -> bool {
        let still = alike && decides_alike(sides, decisions);
        if alike && !still && self.difference.is_none() {
            self.difference = Some(run());
        }
        let [first, second] = sides;
        for (at, (one, other)) in [(first, second), (second, first)].into_iter().enumerate() {
            let just_now = decisions.get(at).is_some_and(Option::is_some);
            if just_now
                && one.accepted()
                && !other.accepted()
                && let Some(found) = self.accepted.get_mut(at).filter(|found| found.is_none())
            {
                *found = Some(run());
            }
        }
        still
    }
}

/// Returns whether two policies do the same after the same candidates.
fn decides_alike(sides: &[Side; 2], decisions: &[Option<Decision>; 2]) -> bool {
    let [Some(first), Some(second)] = decisions else { return false };
    let [one, other] = sides;
    first.verdict == second.verdict
        && match (&one.ended, &other.ended) {
            (Some((_, returned)), Some((_, other))) => returned == other,
            (None, None) => true,
            _ => false,
        }
}

/// Two runs over the same candidates, and whether the policies decided alike so far.
struct Open {
    sides: [Side; 2],
    alike: bool,
    /// The candidates, including those that a side that is over has not seen.
    tried: Vec<u32>,
    stands_for: f64,
}

/// Compares two policies over every run of representative candidates, and over random runs.
#[must_use]
pub fn compare(subjects: &[Subject<'_>; 2], effort: Effort) -> Comparison {
    let candidates = Candidates::of(subjects, &Promises::default());
    let limit = subjects.iter().map(|subject| limit_of(subject.policy)).max().unwrap_or_default();
    let mut findings = Findings::default();
    let mut gaps = candidates.gaps(subjects);
    let mut enumerated = Enumerated {
        quantities: quantities(&candidates),
        candidates: candidates.list.len(),
        depth: 0,
        limit,
        complete: false,
        answered: false,
        gaps: Vec::new(),
        histories: 0.0,
        decisions: 0,
        random: effort.random,
        seed: effort.seed,
    };
    let most = effort.decisions_of(subjects, &Promises::default());
    match side_by_side(subjects, &candidates, most, &mut findings, &mut enumerated) {
        Some(Gap::ScriptFailed(why)) => gaps.push(Gap::ScriptFailed(why)),
        gap => {
            gaps.extend(gap);
            by_chance(subjects, &candidates, limit, effort, &mut findings);
        }
    }
    let is_whole = enumerated.complete;
    gaps.extend(is_whole.then(|| candidates.few_rises(enumerated.depth, limit)).flatten());
    enumerated.complete &= !gaps.contains(&Gap::ManyCandidates);
    enumerated.gaps = gaps;
    let shown = |run: Vec<IterationRecord>, id: &str| {
        let trajectory = Trajectory { id: id.into(), iterations: run, slips: Vec::new() };
        let [first, second] = subjects;
        let simulated = [first, second].map(|subject| simulate(subject.policy, subject.scripts, &trajectory));
        Difference { trajectory, simulated }
    };
    let [first, second] = findings.accepted;
    let acceptance = |run: Option<Vec<IterationRecord>>, id: &str| match run {
        None => Acceptance::Only,
        Some(run) => Acceptance::Not(Box::new(shown(run, id))),
    };
    let accepts_only = [
        acceptance(first, "accepted by the first alone"),
        acceptance(second, "accepted by the second alone"),
    ];
    let difference = findings.difference.map(|run| shown(run, "decided otherwise"));
    Comparison { difference, accepts_only, enumerated }
}

/// Tries every run, as far as so many decisions go, and as long as something is left to be found. Returns the gap that
/// it leaves.
fn side_by_side(
    subjects: &[Subject<'_>; 2],
    candidates: &Candidates,
    most: u64,
    findings: &mut Findings,
    enumerated: &mut Enumerated,
) -> Option<Gap> {
    let rule = KeyRule::exact(candidates);
    let limit = enumerated.limit;
    let start = [Side::begin(), Side::begin()];
    let mut open = vec![Open { sides: start, alike: true, tried: Vec::new(), stands_for: 1.0 }];
    for length in 1..=limit {
        let mut next: Vec<Open> = Vec::new();
        let mut known: HashMap<Key, usize, foldhash::fast::FixedState> = HashMap::default();
        for run in &open {
            if enumerated.decisions.saturating_add(2 * candidates.list.len() as u64) > most {
                return Some(Gap::Depth { candidates: enumerated.depth, limit });
            }
            for (number, candidate) in candidates.list.iter().enumerate() {
                let [first, second] = subjects;
                let [one, other] = &run.sides;
                let (Some((one, first)), Some((other, second))) =
                    (one.step(first, 0, number, candidate), other.step(second, 1, number, candidate))
                else {
                    continue;
                };
                let failure = [first.as_ref(), second.as_ref()].into_iter().zip(subjects);
                if let Some(why) =
                    failure.filter_map(|(decision, subject)| script_failure(subject, decision?)).next()
                {
                    return Some(Gap::ScriptFailed(why));
                }
                enumerated.decisions += u64::from(first.is_some()) + u64::from(second.is_some());
                let mut tried = run.tried.clone();
                tried.push(u32::try_from(number).unwrap_or(u32::MAX));
                let sides = [one, other];
                let alike = findings
                    .look(&sides, &[first, second], run.alike, || records(&sides, &tried, candidates));
                if sides.iter().all(|side| side.ended.is_some()) || length == limit {
                    enumerated.histories += run.stands_for;
                    continue;
                }
                let mut key = Key::new();
                key.push(u64::from(alike));
                for (side, subject) in sides.iter().zip(subjects) {
                    match &side.ended {
                        Some(_) => key.push(if side.accepted() { u64::MAX } else { u64::MAX - 1 }),
                        None => rule.add(&side.walk, subject, true, &mut key),
                    }
                }
                match known.entry(key) {
                    Entry::Occupied(at) => {
                        if let Some(same) = next.get_mut(*at.get()) {
                            same.stands_for += run.stands_for;
                        }
                    }
                    Entry::Vacant(place) => {
                        place.insert(next.len());
                        next.push(Open { sides, alike, tried, stands_for: run.stands_for });
                    }
                }
            }
        }
        enumerated.depth = length;
        open = next;
        if open.is_empty() || findings.all() {
            break;
        }
    }
    enumerated.answered = findings.all();
    enumerated.complete = !findings.all();
    None
}

/// The candidates of a run. Both sides saw the same, and the one that is not over saw all.
fn records(sides: &[Side; 2], tried: &[u32], candidates: &Candidates) -> Vec<IterationRecord> {
    let record = |at: usize| {
        let number = usize::try_from(*tried.get(at)?).ok()?;
        candidates.list.get(number).map(|candidate| candidate.record.clone())
    };
    let [one, other] = sides;
    let longer = |side: &Side| side.walk.history.iterations().len();
    let side = if longer(one) >= longer(other) { one } else { other };
    side.walk.trajectory("", record).iterations
}

fn by_chance(
    subjects: &[Subject<'_>; 2],
    candidates: &Candidates,
    limit: u64,
    effort: Effort,
    findings: &mut Findings,
) {
    let mut chance = Chance::new(effort.seed);
    let [first, second] = subjects;
    for _ in 0..effort.random {
        let (mut sides, mut alike) = ([Side::begin(), Side::begin()], true);
        let mut run: Vec<IterationRecord> = Vec::new();
        for _ in 0..limit.min(LONGEST_BY_CHANCE) {
            let Some(mut candidate) = any_candidate(first, candidates, &mut chance) else { return };
            candidate.facts =
                subjects.iter().map(|subject| super::candidates::facts(subject, &candidate.record)).collect();
            let [one, other] = &sides;
            let (Some((one, first)), Some((other, second))) =
                (one.step(first, 0, usize::MAX, &candidate), other.step(second, 1, usize::MAX, &candidate))
            else {
                continue;
            };
            sides = [one, other];
            run.push(candidate.record.clone());
            let whole = || {
                let [one, other] = &sides;
                let longer = |side: &Side| side.walk.history.iterations().len();
                let side = if longer(one) >= longer(other) { one } else { other };
                side.walk.trajectory("", |at| run.get(at).cloned()).iterations
            };
            alike = findings.look(&sides, &[first, second], alike, whole);
            if sides.iter().all(|side| side.ended.is_some()) || findings.all() {
                break;
            }
        }
    }
}
