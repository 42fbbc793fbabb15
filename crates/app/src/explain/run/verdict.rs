//! The decision about a candidate, and whether the outcome needs review.

use super::next_step::why_stopped;
use super::record::{Candidate, Record};
use super::story::Acceptance;
use super::words::{accept_line, against, gap};
use crate::engine::Outcome;
use crate::plan::Terms;
use crate::policy::{Check, StopReason, Verdict};
use crate::value::{Disposition, below};

pub(super) fn gate(candidate: &Candidate, terms: Option<&Terms>) -> Option<Acceptance> {
    let checks = candidate.decision.as_ref().map(|decision| &decision.checks)?;
    let check = checks.iter().find(|check| check.line == "gate")?;
    let holds = !below(check.value, check.bound);
    let dimension = terms.and_then(|terms| terms.gate.as_ref()).map_or("gate", |gate| &gate.dimension);
    let (value, bound) = against(check.value, check.bound);
    let words = if holds {
        format!("the gate needs `{dimension}` of {bound}, has {value}")
    } else {
        format!(
            "the gate was missed: it needs `{dimension}` of {bound}, has {value}: {} short; no one else was asked",
            gap(check.value, check.bound)
        )
    };
    Some(Acceptance { line: "gate".to_owned(), holds, value: check.value, bound: check.bound, words })
}

pub(super) fn acceptance(candidate: &Candidate) -> Vec<Acceptance> {
    let checks = candidate.decision.iter().flat_map(|decision| &decision.checks);
    let line = |check: &Check| Acceptance {
        line: check.line.to_string(),
        holds: check.holds,
        value: check.value,
        bound: check.bound,
        words: accept_line(check),
    };
    checks.filter(|check| check.line.starts_with("accept.")).map(line).collect()
}

/// The decision about a candidate, in sentences without a capital and a full stop.
pub(super) fn decision(record: &Record, candidate: &Candidate, at: usize) -> Vec<String> {
    let Some(decision) = &candidate.decision else {
        return match &record.outcome {
            Some(Outcome { stop_reason: StopReason::Cancelled, .. }) if candidate.overall.is_some() => {
                vec!["none: the run was stopped before".to_owned()]
            }
            None if candidate.overall.is_some() => vec!["none: the run was interrupted before".to_owned()],
            _ => Vec::new(),
        };
    };
    let mut said = Vec::new();
    match &decision.verdict {
        Verdict::Stop { reason: StopReason::Accepted } => {
            said.push("accepted: every line of `accept` holds".to_owned())
        }
        Verdict::Stop { .. } => said.push(format!("the run ended: {}", why_stopped(record).join("; "))),
        Verdict::Continue { base } => {
            let missed =
                decision.checks.iter().filter(|check| check.line.starts_with("accept.") && !check.holds);
            let missed = missed.count();
            let mut why = match missed {
                0 => "the gate was missed".to_owned(),
                1 => "1 line of `accept` does not hold".to_owned(),
                more => format!("{more} lines of `accept` do not hold"),
            };
            why.push_str(", and no reason to stop applied");
            said.push(format!("went on: {why}"));
            if decision.rolled_back {
                let missed = gate(candidate, record.terms.as_ref()).is_some_and(|gate| !gate.holds);
                let below = if missed {
                    "it missed the gate".to_owned()
                } else {
                    format!("it ranks below candidate {base}")
                };
                said.push(format!(
                    "rolled back, because {below}: the next correction starts from candidate {base}"
                ));
            } else if *base == at {
                said.push("the next correction starts from this candidate".to_owned());
            } else {
                said.push(format!("the next correction starts from candidate {base}"));
            }
        }
    }
    said.extend(decision.notes.iter().cloned());
    said
}

/// The reasons why the result needs review, or does not.
pub(super) fn why_review(record: &Record) -> Vec<String> {
    let Some(review) = record.review else {
        return vec!["that was not recorded".to_owned()];
    };
    let chosen = record.outcome.as_ref().and_then(|outcome| outcome.best_iteration);
    let chosen = chosen.and_then(|best| record.candidates.get(best)?.assessment.as_ref());
    let escalated = chosen.map_or(0, |assessment| assessment.count_disposition(Disposition::Escalate));
    let when = record.terms.as_ref().map(|terms| terms.review.as_deref());
    let mut why = Vec::new();
    let passed = record.outcome.as_ref().is_some_and(|outcome| outcome.final_status.passes());
    if !review && !passed {
        why.push("it did not pass".to_owned());
    }
    match (review, when) {
        (true, Some(Some(when))) if escalated == 0 => why.push(format!("`review.when: {when}` holds")),
        (true, _) if escalated > 0 => {
            why.push(format!("{escalated} of the issues of the chosen candidate are for a person to decide"));
        }
        (true, _) => why.push("the profile's `review.when` said so".to_owned()),
        (false, Some(Some(when))) => why.push(format!("`review.when: {when}` does not hold")),
        (false, Some(None)) => {
            why.push("the profile has no `review.when`, and no issue is for a person".to_owned())
        }
        (false, None) => why.push("the profile's `review.when` did not say so".to_owned()),
    }
    why
}
