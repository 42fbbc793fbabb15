//! Random runs, from a seed: scores between and beyond the values of the grid, and runs longer than could be tried one
//! by one.

use super::candidates::{Candidate, Candidates, Content, NO_CLASS, facts, record};
use super::checks::Checks;
use super::search::{Observer, Tried};
use super::walk::Walk;
use super::{Effort, Subject};
use crate::policy::Verdict;
use crate::statistics::Seeded;
use crate::trajectory::IterationRecord;

/// Random enough to try runs, and the same on every machine.
pub(super) struct Chance(Seeded);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Chance(Seeded::new(seed))
    }

    /// A number from 0 to 1, 1 excluded.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are what a double has")]
    pub(super) fn share(&mut self) -> f64 {
        (self.0.next_bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random index below `of`.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place in a list"
    )]
    pub(super) fn place(&mut self, of: usize) -> usize {
        ((self.share() * of as f64) as usize).min(of.saturating_sub(1))
    }
}

/// The most candidates of a random run, however many the policy allows.
pub(super) const LONGEST_BY_CHANCE: u64 = 1_000;

/// A random run with the records of its candidates.
pub(super) struct RandomRun {
    pub records: Vec<IterationRecord>,
}

/// A random candidate: one of the grid, or one with its issues and costs, and other scores. None of the latter equals
/// another.
pub(super) fn any_candidate(
    subject: &Subject<'_>,
    candidates: &Candidates,
    chance: &mut Chance,
) -> Option<Candidate> {
    let one = candidates.list.get(chance.place(candidates.list.len()))?;
    if chance.share() < 0.5 {
        return Some(one.clone());
    }
    let between = |name: &str, chance: &mut Chance| {
        let (low, high) = (subject.range)(name);
        // Three decimals, as people read them.
        ((low + (high - low) * chance.share()) * 1e3).round() / 1e3
    };
    let scores: Vec<(String, f64)> =
        one.record.scores.iter().map(|(name, _)| (name.clone(), between(name, chance))).collect();
    let scored = record(&scores, &one.record.issues);
    let facts = vec![facts(subject, &scored)];
    let record = IterationRecord { scores: scored.scores, ..one.record.clone() };
    let content = if one.content.repeats() { Content::New } else { one.content };
    Some(Candidate { record, facts, content, class: NO_CLASS, ..one.clone() })
}

/// Tries random runs to the limit of candidates, checking promises against each. Returns the first run that breaks each
/// promise, with the promise's index, in the order in which they were found.
pub(super) fn random_runs(
    subject: &Subject<'_>,
    candidates: &Candidates,
    limit: u64,
    effort: Effort,
    checks: &mut Checks<'_>,
) -> Vec<(usize, RandomRun)> {
    let mut chance = Chance::new(effort.seed);
    let mut found: Vec<(usize, RandomRun)> = Vec::new();
    if checks.script_failed.is_some() {
        return found;
    }
    for _ in 0..effort.random {
        let mut walk = Walk::default();
        let mut records = Vec::new();
        for _ in 0..limit.min(LONGEST_BY_CHANCE) {
            let Some(candidate) = any_candidate(subject, candidates, &mut chance) else { break };
            let candidate = if candidate.content == Content::Unknown || !walk.contents.is_empty() {
                candidate
            } else {
                Candidate { content: Content::New, ..candidate }
            };
            let Some((next, decision)) = walk.step(subject, 0, usize::MAX, &candidate) else { continue };
            records.push(candidate.record);
            let ended = matches!(decision.verdict, Verdict::Stop { .. });
            let before: Vec<bool> = checks.found.iter().map(Option::is_some).collect();
            if checks.fails(&decision) {
                return found;
            }
            let tried = Tried { walk: next, decision };
            checks.look(&tried);
            walk = tried.walk;
            for (at, was) in before.into_iter().enumerate() {
                if !was && checks.found.get(at).is_some_and(Option::is_some) {
                    found.push((at, RandomRun { records: records.clone() }));
                }
            }
            if ended {
                break;
            }
        }
    }
    found
}
