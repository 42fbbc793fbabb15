//! The candidates of a run that is over, scored again with another plan, without asking anyone.
//!
//! Every candidate is assessed anew, so that all scores that the policy compares are of one kind; judges and validators
//! are taken at their word from the run. Then the policy decides over the course as it was recorded, with the time and
//! money that had been spent at each point. Nothing is produced and nothing is repaired anew.

use super::course::{DecidedCandidate, RunTrace};
use crate::engine::{Conclusion, Measured};
use crate::plan::{DocumentContext, Given, Plan};
use crate::policy::{Checks, Decision, History, IterationSummary, Verdict, acceptance, decide, misses_gate};
use crate::profile::MOST_VALUES;
use crate::score::{Assessment, Assessor, Judged, Scores, has_undecided};
use crate::value::prose::listed;
use std::sync::Arc;

/// The scores of a document's last candidate, and the policy's verdict on the course that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rescore {
    /// The document's type.
    pub document_type: String,
    /// The iteration of the last candidate.
    pub iteration: usize,
    /// Its assessment.
    pub assessment: Assessment,
    /// `true` if every line of `accept` holds for it.
    pub accepted: bool,
    /// Those lines, with their numbers.
    pub acceptance: Checks,
    /// The decision where the policy stops, or after the last candidate if it would continue.
    pub decision: Decision,
    /// The iteration that is returned.
    pub selected: Option<usize>,
    /// Notes for a person on how the scores came to be.
    pub notes: Vec<String>,
}

impl Rescore {
    /// As the run itself left the document; `None` without a candidate.
    #[must_use]
    pub fn recorded(plan: &Plan, course: &RunTrace) -> Option<Self> {
        let last = course.decided().last()?;
        let facts = IterationSummary::of(&plan.policy, last.assessment, None);
        let (accepted, acceptance) = acceptance(&plan.policy, &facts);
        Some(Rescore {
            document_type: course.document_type.clone(),
            iteration: last.decision.iteration,
            assessment: last.assessment.clone(),
            accepted,
            acceptance,
            decision: last.decision.clone(),
            selected: course.selected(),
            notes: Vec::new(),
        })
    }

    /// Scores the candidates of `course` with `plan`; `None` without a candidate.
    #[must_use]
    pub fn again(plan: &Plan, course: &RunTrace) -> Option<Self> {
        let last = course.decided().last()?;
        let mut warnings = Vec::new();
        let given = course.given_type.as_deref();
        let context = DocumentContext::of(plan, &course.document, given, "with `--type`", &mut warnings);
        let document_type = context.document_type().to_owned();
        // Doubts about the type were reported in the run.
        let mut notes = if document_type == course.document_type { Vec::new() } else { warnings };
        let assessor = context.assessor();
        let mut scorer = Scorer { plan, assessor, context: &context, judged: Judged::default() };
        let mut scored: Vec<Scored> = Vec::new();
        for made in course.decided() {
            let next = scorer.score(&made, |base| scored.get(base));
            scored.push(next);
        }
        let latest = scored.last()?;
        if !latest.missed_gate {
            notes.extend(not_asked(plan, &last, &latest.assessment));
        }
        let (accepted, acceptance) = acceptance(&plan.policy, &latest.facts(plan, &last));
        let (decision, selected) = decided(plan, course, &scored)?;
        Some(Rescore {
            iteration: scored.len() - 1,
            assessment: Arc::unwrap_or_clone(scored.pop()?.assessment),
            document_type,
            accepted,
            acceptance,
            decision,
            selected,
            notes,
        })
    }
}

/// A candidate that was scored again.
struct Scored {
    candidate: Arc<serde_json::Value>,
    assessment: Arc<Assessment>,
    /// The scores that tier 1 measured, which the gate checks.
    measured: Scores,
    missed_gate: bool,
}

impl Scored {
    fn facts(&self, plan: &Plan, made: &DecidedCandidate<'_>) -> IterationSummary {
        IterationSummary::of(&plan.policy, &self.assessment, Some(Arc::clone(made.candidate)))
            .gated_by(&plan.policy, &self.measured)
    }
}

struct Scorer<'a> {
    plan: &'a Plan,
    assessor: Assessor,
    context: &'a DocumentContext,
    /// The answers of a judge about single values of the document, up to the candidate in hand.
    judged: Judged,
}

impl Scorer<'_> {
    /// Assesses what needs no one else, with the answers about single values so far.
    fn tier1(&mut self, made: &DecidedCandidate<'_>, assessment: &mut Assessment) {
        let given = Given { scores: &[], quotes: Some(made.quotes), judged: Some(&self.judged) };
        self.context.assess(&mut self.assessor, made.candidate, given, assessment);
    }

    /// Both tiers of one candidate, as [`crate::engine::Run`] makes them; `earlier` are those before it.
    fn score<'s>(
        &mut self,
        made: &DecidedCandidate<'_>,
        earlier: impl Fn(usize) -> Option<&'s Scored>,
    ) -> Scored {
        let policy = &self.plan.policy;
        let mut assessment = Assessment::default();
        self.tier1(made, &mut assessment);
        let measured = assessment.scores.clone();
        let missed_gate = misses_gate(policy, &measured);
        let panel = self.context.panel().only(|name| made.said_by(name).is_some());
        let said = panel.value_judge().and_then(|at| {
            let said = made.said_by(&panel.members().get(at)?.id)?.ok()?;
            panel.read(at, said).ok().map(|()| said)
        });
        if let Some(said) = said.filter(|_| !missed_gate) {
            // What it said in several calls is one answer.
            self.judged.learn(made.candidate, &assessment, MOST_VALUES as usize, said);
            self.tier1(made, &mut assessment);
        }
        // An answer that the plan can't read counts as none. If no one was asked, there is no answer.
        let answers = match missed_gate {
            true => Vec::new(),
            false => panel.answers(|_, member| made.said_by(&member.id)),
        };
        let conclusion = Conclusion { policy, panel: &panel, lock: self.plan.profile.feedback.lock };
        let mut assessment = Arc::new(assessment);
        if answers.is_empty() {
            conclusion.alone(&measured, &mut assessment);
        }
        // What a correction may not change is what its base had, whichever candidate the policy would start from.
        let base = made.base.and_then(earlier).map(|base| (&*base.candidate, &*base.assessment));
        let made_of = Measured { candidate: made.candidate, scores: &measured, assessment };
        let (assessment, _) = conclusion.of(made_of, &answers, base);
        Scored { candidate: Arc::clone(made.candidate), assessment, measured, missed_gate }
    }
}

/// The panel members that were not asked about a candidate, and what that means.
fn not_asked(plan: &Plan, made: &DecidedCandidate<'_>, scored: &Assessment) -> Vec<String> {
    let silent = |(at, member): (usize, &crate::score::Member)| {
        let is_needed = !member.is_value_judge() || has_undecided(scored);
        if made.said_by(&member.id).is_some() || !is_needed {
            return None;
        }
        let kind = if member.is_validator() { "validator" } else { "judge" };
        let measured = listed(plan.panel.measured_by(at));
        let effect = if measured.is_empty() {
            String::new()
        } else {
            format!(", so {measured} is measured without it")
        };
        Some(format!("the run did not ask {kind} `{}`{effect}", member.id))
    };
    plan.panel.members().iter().enumerate().filter_map(silent).collect()
}

/// The decision of the policy over the course, up to where it stops, and the iteration that it returns.
fn decided(plan: &Plan, course: &RunTrace, scored: &[Scored]) -> Option<(Decision, Option<usize>)> {
    let mut history = History::new();
    let mut latest = None;
    for (scored, made) in scored.iter().zip(course.decided()) {
        history.push(&plan.policy, scored.facts(plan, &made));
        let decision = decide(&plan.policy, &mut history, made.spent, &plan.scripts);
        let stops = matches!(decision.verdict, Verdict::Stop { .. });
        latest = Some(decision);
        if stops {
            break;
        }
    }
    let decision = latest?;
    let selection = history.selection(&plan.policy, decision.verdict.accepts());
    Some((decision, selection.map(|selection| selection.iteration)))
}
