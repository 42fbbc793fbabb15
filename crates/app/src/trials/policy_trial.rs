//! One policy while it is tried on recorded documents, with remarks about its decisions.

use super::TriedProfile;
use crate::experiment::{Beyond, Decided, Decider, Tally, Trajectories};
use crate::policy::{StopReason, line_of};
use crate::profile::{OnEscalate, SelectKey};
use crate::stop::Costly;
use crate::streams::Streams;
use crate::value::sanitize_line;
use std::collections::BTreeSet;

/// The maximum number of different notes on decisions that are shown for one profile.
const MOST_NOTES: usize = 20;

/// One policy that is tried on recorded documents.
pub(crate) struct PolicyTrial {
    pub(crate) tried: TriedProfile,
    /// The parts that its feedback would have told differently.
    pub(crate) told_otherwise: Vec<&'static str>,
    /// The endings of the documents.
    pub(crate) tally: Tally,
    /// The number of documents that would have continued in unrecorded ways, in the order of [`Beyond`].
    pub(crate) beyond: [u64; 3],
    /// The notes already shown; each is shown once.
    notes: BTreeSet<String>,
    /// Bounds on issues that were taken to hold for iterations without known issues, and the number of documents that
    /// passed by them.
    assumed: (BTreeSet<&'static str>, usize),
    /// Other keys of the policy that inspect issues, and the number of documents that did not pass and were decided by
    /// them.
    overlooked: (BTreeSet<&'static str>, usize),
}

impl PolicyTrial {
    /// The policy of a profile, tried on nothing yet.
    pub(crate) fn new(tried: TriedProfile) -> Self {
        PolicyTrial {
            tried,
            told_otherwise: Vec::new(),
            tally: Tally::default(),
            beyond: [0; 3],
            notes: BTreeSet::new(),
            assumed: (BTreeSet::new(), 0),
            overlooked: (BTreeSet::new(), 0),
        }
    }

    /// Returns whether a criterion compares candidates.
    pub(crate) fn looks_at_candidates(&self) -> bool {
        let stop = &self.tried.policy().stop;
        stop.looks_at(Costly::Equality) || stop.looks_at(Costly::FlipFlops)
    }

    /// Decides about a document; also returns the overall scores of its candidates. Notes on decisions that have not
    /// been shown yet are shown.
    pub(crate) fn decide(
        &mut self,
        trajectories: &Trajectories,
        document: usize,
        output: &mut Streams,
    ) -> Option<(Decided, Vec<f64>)> {
        let mut decider = Decider::new(trajectories, self.tried.policy(), &self.tried.scripts)
            .told_otherwise(!self.told_otherwise.is_empty());
        let decided = decider.decide(document)?;
        let (overalls, notes): (Vec<f64>, _) = (decider.overalls().collect(), decider.take_notes());
        self.tally.add(&decided, overalls.iter().copied());
        match decided.beyond {
            Some(Beyond::Exhausted) => self.beyond[0] += 1,
            Some(Beyond::OtherBase) => self.beyond[1] += 1,
            Some(Beyond::OtherFeedback) => self.beyond[2] += 1,
            None => {}
        }
        self.count_assumed(trajectories, document, &decided);
        for note in notes {
            if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
                let (name, shown) = (sanitize_line(&self.tried.name), sanitize_line(&note));
                output.warn(&format!("`{name}`: {shown}"));
                self.notes.insert(note);
            }
        }
        Some((decided, overalls))
    }

    /// Counts a document that was decided by issues though its line does not say which there were.
    fn count_assumed(&mut self, trajectories: &Trajectories, document: usize, decided: &Decided) {
        let policy = self.tried.policy();
        let unknown = |iteration: usize| trajectories.issues_unknown(document, iteration);
        if decided.stop_reason == StopReason::Accepted {
            let bounds = policy.accept.issue_limits.iter().map(|(kind, _)| line_of(*kind));
            if bounds.len() > 0 && decided.iteration_count.checked_sub(1).is_some_and(unknown) {
                self.assumed.1 += 1;
                self.assumed.0.extend(bounds);
            }
            return;
        }
        let counts = |key: &SelectKey| matches!(key, SelectKey::NoCritical | SelectKey::Fewest(_));
        let looks = [
            (policy.on_escalate == OnEscalate::Stop, "on_escalate"),
            (policy.select.order.iter().any(counts) && decided.iteration_count > 1, "select.order"),
        ];
        if looks.iter().any(|(looks, _)| *looks) && (0..decided.iteration_count).any(unknown) {
            self.overlooked.1 += 1;
            self.overlooked.0.extend(looks.iter().filter(|(looks, _)| *looks).map(|(_, line)| *line));
        }
    }

    /// Warns how many documents were decided by issues that are not known.
    pub(crate) fn warn_of_assumed(&self, output: &mut Streams) {
        let said = [(&self.assumed, "passed by"), (&self.overlooked, "not passed, and decided on by")];
        for ((lines, count), how) in said.into_iter().filter(|((_, count), _)| *count > 0) {
            let lines: Vec<String> = lines.iter().map(|line| format!("`{line}`")).collect();
            let documents = if *count == 1 { "document" } else { "documents" };
            output.warn(&format!(
                "`{}`: {count} {documents} {how} {} though the line does not say which issues there were (no `issues`)",
                sanitize_line(&self.tried.name),
                lines.join(", ")
            ));
        }
    }
}
