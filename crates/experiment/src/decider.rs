//! Policies applied to recorded documents, with the functions that decide in a run.

use super::Trajectories;
use super::row::Row;
use crate::policy::{History, ScriptCriteria, Selection, Spent, StopReason, settle};
use crate::profile::LoopPolicy;
use crate::value::Millis;

/// Tries a policy on documents, one after the other. Memory is reused from one to the next.
#[derive(Debug)]
pub struct Decider<'c, 'p> {
    trajectories: &'c Trajectories,
    policy: &'p LoopPolicy,
    scripts: &'p ScriptCriteria,
    history: History<Row<'c>>,
    notes: Vec<String>,
    first_only: bool,
}

/// The end of a document under a policy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Decided {
    /// The reason; [`StopReason::TrajectoryExhausted`] if the record does not tell.
    pub stop_reason: StopReason,
    /// The number of assessed candidates.
    pub iteration_count: usize,
    /// The returned candidate; `None` for a document without candidates.
    pub selection: Option<Selection>,
    /// Rollbacks of the whole run.
    pub rollbacks: u64,
    /// Time and usage of the candidates that were assessed.
    pub spent: Spent,
    /// The reason why the record does not tell how it ends; `None` if it does.
    pub beyond: Option<Beyond>,
}

/// The reason why the rest of a document is unknown under a policy that continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Beyond {
    /// No further candidate is recorded.
    Exhausted,
    /// The next recorded candidate was corrected from a candidate other than the one the policy would correct.
    OtherBase,
    /// Feedback would have been different, so that another candidate would have been made.
    OtherFeedback,
}

impl<'c, 'p> Decider<'c, 'p> {
    /// Tries `policy`, with its compiled `scripts`, on these documents.
    #[must_use]
    pub fn new(trajectories: &'c Trajectories, policy: &'p LoopPolicy, scripts: &'p ScriptCriteria) -> Self {
        Decider {
            trajectories,
            policy,
            scripts,
            history: History::new(),
            notes: Vec::new(),
            first_only: false,
        }
    }

    /// Limits decisions to first candidates if feedback would have been different under the policy: the record of
    /// corrections says nothing about it then.
    #[must_use]
    pub fn told_otherwise(self, is: bool) -> Self {
        Decider { first_only: is, ..self }
    }

    /// Decides about a document as [`simulate`](crate::simulate) does; `None` if there is no such document.
    pub fn decide(&mut self, document: usize) -> Option<Decided> {
        self.trajectories.id(document)?;
        self.history.clear();
        let (mut spent, mut elapsed) = (Spent::default(), 0.0_f64);
        let mut stopped = None;
        let mut beyond = Beyond::Exhausted;
        for (at, candidate) in self.trajectories.iterations(document).iter().enumerate() {
            let record = &candidate.record;
            // Candidate 0 is corrected from nothing.
            let base = record.base.filter(|_| at > 0);
            if self.first_only && at > 0 {
                beyond = Beyond::OtherFeedback;
                break;
            }
            if base.is_some_and(|base| base != self.history.base()) {
                beyond = Beyond::OtherBase;
                break;
            }
            elapsed += record.elapsed_ms;
            spent.elapsed = whole_millis(elapsed);
            spent.usage += record.usage();
            self.history.push(self.policy, Row::of(candidate, self.policy));
            stopped = settle(self.policy, &mut self.history, spent, self.scripts, &mut self.notes);
            if stopped.is_some() {
                break;
            }
        }
        let beyond = stopped.is_none().then_some(beyond);
        let accepted = matches!(stopped, Some(StopReason::Accepted));
        Some(Decided {
            stop_reason: stopped.unwrap_or(StopReason::TrajectoryExhausted),
            iteration_count: self.history.iterations().len(),
            selection: self.history.selection(self.policy, accepted),
            rollbacks: self.history.rollbacks(),
            spent,
            beyond,
        })
    }

    /// The overall scores of the candidates of the document that was decided about last.
    pub fn overalls(&self) -> impl DoubleEndedIterator<Item = f64> + ExactSizeIterator {
        self.history.overalls()
    }

    /// Takes the notes on the decisions since the last call; each appears as often as it was made.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
}

impl Decided {
    /// The overall score of the returned candidate, among those of all candidates.
    #[must_use]
    pub fn returned(&self, mut overalls: impl Iterator<Item = f64>) -> Option<f64> {
        overalls.nth(self.selection?.iteration)
    }
}

/// Rounds up, so that a sum is above a limit of whole milliseconds exactly if it was so before rounding; a nanosecond
/// may be a rounding error of additions.
pub(crate) fn whole_millis(elapsed: f64) -> Millis {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates; never negative")]
    Millis((elapsed - 1e-6).ceil() as u64)
}
