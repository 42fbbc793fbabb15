//! When the loop stops, in the order in which its reasons are looked at.

use super::criteria::{budget_words, clause, group};
use super::model::{Ending, Section};
use super::words::{capital, name, names};
use crate::plan::{JudgePlan, Plan};
use crate::policy::{FinalStatus, StopReason};
use crate::profile::{
    AfterRetries, Criterion, GroupMember, OnEscalate, OnGateMiss, OnRegression, StopCriteria,
};

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("stopping", "When the loop stops, and in which order");
    section.say(
        "stop.order",
        "After each candidate has been assessed, these reasons are looked at from the top. The first that applies ends the loop; after it stand the final \
         status and the stop reason of the result.",
    );
    let policy = &plan.policy;
    if policy.on_escalate == OnEscalate::Stop {
        section.step(
            "stop.on_escalate",
            "The candidate has an issue that a person must decide.",
            StopReason::CriticalIssue,
        );
    }
    if let Some(gate) = &policy.gate {
        let text = match gate.on_correction {
            OnGateMiss::Stop => "The candidate misses the gate.",
            OnGateMiss::Rollback => "Candidate 0 misses the gate.",
        };
        section.step("stop.gate", text, StopReason::Gate);
    }
    let unless = if policy.gate.is_some() { ", and it does not miss the gate" } else { "" };
    section.step(
        "stop.accepted",
        format!("The candidate is accepted: all that is asked for under “When a candidate is accepted” holds{unless}."),
        StopReason::Accepted,
    );
    criteria(plan, &policy.stop, &mut section);
    groups(&policy.stop, &mut section);
    otherwise(plan, &mut section);
    outside(plan, &mut section);
    section
}

fn criteria(plan: &Plan, stop: &StopCriteria, section: &mut Section) {
    let limits: Vec<Criterion> = stop
        .before_rollback()
        .filter(|criterion| matches!(criterion, Criterion::MaxIterations(_) | Criterion::MaxCorrections(_)))
        .collect();
    for criterion in limits {
        let key = match criterion {
            Criterion::MaxIterations(_) => "stop.max_iterations",
            _ => "stop.max_corrections",
        };
        section.step(key, format!("{}.", capital(&clause(&criterion))), StopReason::MaxIterations);
    }
    if stop.unchanged {
        section.step(
            "stop.unchanged",
            format!("{}.", capital(&clause(&Criterion::Unchanged))),
            StopReason::Unchanged,
        );
    }
    for criterion in stop.after_rollback() {
        let Some((key, reason)) = key_and_reason(&criterion) else { continue };
        let never = match (&criterion, plan.policy.on_regression) {
            (Criterion::Rollbacks(_), OnRegression::Keep) => {
                " (This never applies, because nothing is rolled back.)"
            }
            _ => "",
        };
        section.step(key, format!("{}.{never}", capital(&clause(&criterion))), reason);
    }
}

/// What a criterion after the rollback is known by; `None` for a budget without any limit.
fn key_and_reason(criterion: &Criterion) -> Option<(String, StopReason)> {
    Some(match criterion {
        Criterion::Rollbacks(_) => ("stop.rollbacks".to_owned(), StopReason::Rollbacks),
        Criterion::Stagnation(_) => ("stop.stagnation".to_owned(), StopReason::Stagnation),
        Criterion::MinImprovement(_) => ("stop.min_improvement".to_owned(), StopReason::MinImprovement),
        Criterion::Decline(_) => ("stop.decline".to_owned(), StopReason::Decline),
        Criterion::Oscillation(_) => ("stop.oscillation".to_owned(), StopReason::Oscillation),
        Criterion::FlipFlop(_) => ("stop.flip_flop".to_owned(), StopReason::FlipFlop),
        Criterion::Script(script) => {
            (format!("stop.script.{}", script.name), StopReason::Script(std::sync::Arc::clone(&script.name)))
        }
        Criterion::Timeout(_) => ("stop.timeout".to_owned(), StopReason::Timeout),
        Criterion::Budget(budget) if budget_words(budget, "or").is_empty() => return None,
        Criterion::Budget(_) => ("stop.budget".to_owned(), StopReason::Budget),
        Criterion::MaxIterations(_) | Criterion::MaxCorrections(_) | Criterion::Unchanged => return None,
    })
}

fn groups(stop: &StopCriteria, section: &mut Section) {
    let stopped_early = |stop_reason: &str| Ending {
        final_status: FinalStatus::StoppedEarly,
        stop_reason: stop_reason.to_owned(),
    };
    for (at, member) in stop.any.iter().enumerate() {
        let text = group(std::slice::from_ref(member), "or");
        let reason = either(named(member));
        section.step(format!("stop.any.{at}"), format!("{}.", capital(&text)), stopped_early(&reason));
    }
    if !stop.all.is_empty() {
        let text = format!("All of these hold: {}.", group(&stop.all, "and"));
        section.step("stop.all", text, stopped_early(&either(together(&stop.all))));
    }
}

/// More names than this are not spelt out.
const MOST_NAMES: usize = 8;

/// The names by which a member of a group may stand in results. Of members that are groups of their own, which of theirs
/// it is depends on the run. At most one more than are spelt out.
fn named(member: &GroupMember) -> Vec<String> {
    let mut names: Vec<String> = match member {
        GroupMember::One(criterion) => vec![reason_word(criterion)],
        GroupMember::All(members) => together(members),
        GroupMember::Any(members) => members.iter().flat_map(named).collect(),
    };
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.truncate(MOST_NAMES + 1);
    names
}

/// The names of a list whose members must all hold: one of each, joined.
fn together(members: &[GroupMember]) -> Vec<String> {
    let none: Option<Vec<String>> = None;
    let joined = members.iter().map(named).fold(none, |before, names| {
        let Some(before) = before else { return Some(names) };
        let pairs = before.iter().flat_map(|one| names.iter().map(move |other| format!("{one}+{other}")));
        Some(pairs.take(MOST_NAMES + 1).collect())
    });
    joined.unwrap_or_default()
}

fn either(names: Vec<String>) -> String {
    match names.as_slice() {
        several if several.len() > MOST_NAMES => "the names of those that hold, joined by +".to_owned(),
        names => names.join(" or "),
    }
}

fn reason_word(criterion: &Criterion) -> String {
    let (fixed, own) = match criterion {
        Criterion::MaxIterations(_) | Criterion::MaxCorrections(_) => (Some(StopReason::MaxIterations), None),
        Criterion::Unchanged => (Some(StopReason::Unchanged), None),
        Criterion::Budget(_) => (Some(StopReason::Budget), None),
        other => (None, key_and_reason(other).map(|(_, reason)| reason)),
    };
    fixed.or(own).map_or_else(String::new, |reason| reason.to_string())
}

fn otherwise(plan: &Plan, section: &mut Section) {
    let policy = &plan.policy;
    if plan.stages.is_empty() {
        return;
    }
    section.say("stop.otherwise", "If none applies, the candidate is corrected and the loop goes on.");
    let gate = match &policy.gate {
        Some(gate) if gate.on_correction == OnGateMiss::Rollback => ", or misses the gate",
        _ => "",
    };
    let text = match policy.on_regression {
        OnRegression::Keep => {
            "A correction starts from the latest candidate, whether it was better or worse than the one before.".to_owned()
        }
        OnRegression::Rollback => format!(
            "A candidate that ranks below the best so far{gate} is rolled back (one that is equal to the best is not): the next correction starts from the best again, and is told what the failed \
             attempt did wrong. Any other candidate is what the next correction starts from, and the count of rollbacks in a row begins anew. A candidate that \
             ends the loop by a reason that is looked at before the rollbacks is not counted."
        ),
    };
    section.say("on_regression", text);
}

fn outside(plan: &Plan, section: &mut Section) {
    section.say("stop.outside", "Apart from these reasons, the work on a document ends when:");
    for planned in &plan.stages {
        let stage = &planned.stage;
        let Some(when) = &stage.skip_when else { continue };
        let text = format!(
            "the stage {} has answered for candidate 0 and of the answers so far the condition {} holds: there is nothing to do. (A condition that can't be worked \
             out does not hold, nor does one of an answer from which a repair may have lost something.)",
            name(&stage.id.value),
            name(&when.value.split_whitespace().collect::<Vec<_>>().join(" "))
        );
        section.end(
            format!("stop.skip.{}", stage.id.value),
            text,
            StopReason::Skip(stage.id.value.as_str().into()),
        );
    }
    let unreadable = match plan.scoring.kind() {
        crate::profile::CandidateKind::Patch => "the document has no text that can be read, or is not JSON;",
        crate::profile::CandidateKind::Value => "the document has no text that can be read;",
    };
    section.end("stop.unreadable_input", unreadable, StopReason::UnreadableInput);
    if !plan.stages.is_empty() {
        let text = "a call of a stage has failed permanently; the best candidate so far, if there is one, is returned all the same;";
        section.end("stop.provider_error", text, StopReason::ProviderError);
    }
    let needed = |judge: &&JudgePlan| judge.judge.on_failure.then == AfterRetries::Escalate;
    let (said, unsaid): (Vec<_>, Vec<_>) =
        plan.judges.iter().filter(needed).partition(|judge| judge.judge.on_failure.said);
    for (judges, reason) in [(unsaid, StopReason::ProviderError), (said, StopReason::CriticalIssue)] {
        if !judges.is_empty() {
            let judges = names(judges.iter().map(|judge| judge.judge.id.value.as_str()), "or");
            let text = format!(
                "the judge {judges}, whose word is needed, has failed permanently; the same is returned;"
            );
            section.end("stop.silent", text, reason);
        }
    }
    section.end("stop.cancelled", "somebody stops it; the same is returned.", StopReason::Cancelled);
}
