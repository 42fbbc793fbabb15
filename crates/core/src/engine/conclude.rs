//! The whole assessment of a candidate, made of tier 1's measurements, the panel's answers, and the candidate that it
//! corrects.
//!
//! A run concludes with it, as does anything that scores the candidates of a run again.

use crate::feedback::lock;
use crate::policy::refusal;
use crate::profile::{Lock, LoopPolicy};
use crate::score::{Answer, Assessment, Panel, Scores};
use serde_json::Value;
use std::sync::Arc;

/// The way in which a profile arrives at whole assessments.
#[derive(Debug, Clone, Copy)]
pub struct Conclusion<'a> {
    /// The policy, which has the gate.
    pub policy: &'a LoopPolicy,
    /// The members that were asked: there is an answer from each, or none at all.
    pub panel: &'a Panel,
    /// The fields that a correction may not change.
    pub lock: Lock,
}

/// A candidate that was assessed as far as possible without asking anyone else.
#[derive(Debug)]
pub struct Measured<'a> {
    /// The candidate itself.
    pub candidate: &'a Value,
    /// The scores from before anyone was asked, which the gate inspects.
    pub scores: &'a Scores,
    /// Its assessment so far.
    pub assessment: Arc<Assessment>,
}

impl Conclusion<'_> {
    /// Adds the reason why a candidate that no one is asked about is not accepted, where none of its issues says so.
    pub fn alone(&self, measured: &Scores, assessment: &mut Arc<Assessment>) {
        if let Some(issue) = refusal(self.policy, measured, assessment) {
            Arc::make_mut(assessment).issues.push(issue);
        }
    }

    /// Makes the whole assessment, and returns whether it says more than was measured. `base` is the candidate that
    /// this one corrects, with its whole assessment.
    pub fn of(
        &self,
        measured: Measured<'_>,
        answers: &[Answer],
        base: Option<(&Value, &Assessment)>,
    ) -> (Arc<Assessment>, bool) {
        let Measured { candidate, scores, mut assessment } = measured;
        let dispositions = &self.policy.dispositions;
        let mut says_more = !answers.is_empty();
        if says_more {
            let by_code = |code: &str, fixable| dispositions.of(code, fixable);
            assessment = Arc::new(self.panel.merge(&self.policy.overall, &by_code, &assessment, answers));
        }
        let mut changed = match (self.lock, base) {
            (Lock::Passing, Some((before, known))) => lock::changed(before, known, candidate, &assessment),
            (Lock::Passing, None) | (Lock::None, _) => Vec::new(),
        };
        if !changed.is_empty() {
            for issue in &mut changed {
                issue.disposition = dispositions.of(&issue.code, issue.auto_fixable);
            }
            Arc::make_mut(&mut assessment).issues.extend(changed);
            says_more = true;
        }
        if let Some(issue) = refusal(self.policy, scores, &assessment) {
            Arc::make_mut(&mut assessment).issues.push(issue);
            says_more = true;
        }
        (assessment, says_more)
    }
}
