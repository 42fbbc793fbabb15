//! The reason why a run ended, and what its owner may do about it.

use super::record::Record;
use super::story::CandidateStory;
use super::words::{accept_line, lost, place, stop_line};
use crate::engine::Outcome;
use crate::policy::{Check, Decision, StopReason};

/// The reason why the run ended, in sentences without a capital and a full stop.
pub(super) fn why_stopped(record: &Record) -> Vec<String> {
    let Some(outcome) = &record.outcome else {
        return vec![
            "it was interrupted: the record ends in the middle, without an outcome (a crash, a kill, a loss of power)"
                .to_owned(),
        ];
    };
    let decision = last_decision(record);
    let terms = record.terms.as_ref();
    let detail = || outcome.detail.clone().into_iter();
    match &outcome.stop_reason {
        StopReason::Accepted => vec!["every line of `accept` holds".to_owned()],
        StopReason::ProviderError => {
            std::iter::once("a call failed permanently, so no further candidate could be had".to_owned())
                .chain(detail())
                .collect()
        }
        StopReason::UnreadableInput => {
            std::iter::once("the document can't be used, so no one was asked".to_owned())
                .chain(detail())
                .collect()
        }
        StopReason::Cancelled => vec!["someone stopped it".to_owned()],
        StopReason::Skip(stage) => {
            vec![format!(
                "`skip_when` of the stage `{stage}` holds: there is nothing to do for this document"
            )]
        }
        StopReason::TrajectoryExhausted => {
            vec!["the recorded trajectory ended before the policy did".to_owned()]
        }
        StopReason::Group(_) => {
            let fired = decision.into_iter().flat_map(|decision| &decision.checks).filter(|check| {
                check.holds && (check.line.starts_with("stop.any") || check.line.starts_with("stop.all"))
            });
            let said: Vec<String> = fired.map(|check| stop_line(check, terms)).collect();
            if said.is_empty() {
                vec![format!("a group of criteria fired: {}", outcome.stop_reason)]
            } else {
                said
            }
        }
        reason => match last_check(decision) {
            Some(check) => vec![stop_line(check, terms)],
            None => vec![format!("`{reason}`; its numbers were not recorded")],
        },
    }
}

fn last_decision(record: &Record) -> Option<&Decision> {
    let at = record.outcome.as_ref()?.iteration_count.checked_sub(1)?;
    record.candidates.get(at)?.decision.as_deref()
}

fn last_check(decision: Option<&Decision>) -> Option<&Check> {
    decision?.checks.last()
}

/// The next step, in one line.
pub(super) fn what_next(record: &Record, outcome: Option<&Outcome>, candidates: &[CandidateStory]) -> String {
    let Some(outcome) = outcome else {
        return "run the document again: the paid calls are in the journal, but the outcome is not"
            .to_owned();
    };
    let decision = last_decision(record);
    let line = last_check(decision).map(|check| check.line.to_string());
    let line = line.unwrap_or_else(|| format!("stop.{}", outcome.stop_reason));
    match &outcome.stop_reason {
        StopReason::Accepted if record.review == Some(true) => {
            "it passed, but needs review before it is used".to_owned()
        }
        StopReason::Accepted => "nothing: it passed".to_owned(),
        StopReason::Skip(_) => "nothing: there was nothing to do".to_owned(),
        StopReason::ProviderError => "see to the provider (its message is above) and run it again".to_owned(),
        StopReason::UnreadableInput => "give the document in a form that can be read".to_owned(),
        StopReason::Cancelled => "run it again".to_owned(),
        StopReason::CriticalIssue => {
            "let a person decide the issues marked `escalate`; `on_escalate: continue` would continue instead"
                .to_owned()
        }
        StopReason::Gate => {
            "look at why the gated dimension is so low (a wrong document type, a wrong prompt?); \
             `gate` in the profile sets its bound"
                .to_owned()
        }
        _ => {
            let chosen = outcome.best_iteration.and_then(|best| candidates.get(best));
            let costliest = chosen.and_then(|candidate| {
                let issue =
                    candidate.issues.iter().max_by(|a, b| a.overall_lost().total_cmp(&b.overall_lost()))?;
                let points = issue.overall_lost();
                (points > 0.0).then(|| {
                    format!(
                        "; its costliest issue is {} at {} ({} overall)",
                        issue.code,
                        place(&issue.path),
                        lost(points)
                    )
                })
            });
            let of_chosen =
                outcome.best_iteration.and_then(|best| record.candidates.get(best)?.decision.as_deref());
            let missed = of_chosen.and_then(|decision| {
                let missed = |check: &&Check| check.line.starts_with("accept.") && !check.holds;
                decision.checks.iter().find(missed).map(accept_line)
            });
            let missed = missed.map_or_else(String::new, |missed| format!(" ({missed})"));
            format!(
                "a person finishes it{missed}{}; `loopctl validate` checks what they write; `{line}` in the profile decided \
                 when to stop",
                costliest.unwrap_or_default()
            )
        }
    }
}
