//! When the loop stops, in the order in which its reasons are looked at (LOOP, The decision).

use super::model::{Ending, Section};
use super::words::{capital, name, names};
use crate::plan::{JudgePlan, Plan};
use crate::policy::{FinalStatus, StopReason};
use crate::profile::{AfterRetries, Criterion, OnEscalate, OnGateMiss, OnRegression, StopCriteria};
use crate::stop::clause_of_all;

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
    for criterion in stop.before_rollback().chain(stop.after_rollback()) {
        let never = match (criterion, plan.policy.on_regression) {
            (Criterion::Rollbacks(_), OnRegression::Keep) => {
                " (This never applies, because nothing is rolled back.)"
            }
            _ => "",
        };
        let key = format!("stop.{}", criterion.place());
        section.step(key, format!("{}.{never}", capital(&criterion.clause())), StopReason::of(criterion));
    }
}

fn groups(stop: &StopCriteria, section: &mut Section) {
    let stopped_early = |stop_reason: &str| Ending {
        final_status: FinalStatus::StoppedEarly,
        stop_reason: stop_reason.to_owned(),
    };
    for (at, member) in stop.any().iter().enumerate() {
        let text = member.clause();
        let reason = either(named(member));
        section.step(format!("stop.any.{at}"), format!("{}.", capital(&text)), stopped_early(&reason));
    }
    if !stop.all().is_empty() {
        let text = format!("All of these hold: {}.", clause_of_all(stop.all(), "and"));
        section.step("stop.all", text, stopped_early(&either(together(stop.all()))));
    }
}

/// More names than this are not spelt out.
const MOST_NAMES: usize = 8;

/// The names by which a member of a group may stand in results. Of members that are groups of their own, which of theirs
/// it is depends on the run. At most one more than are spelt out.
fn named(member: &Criterion) -> Vec<String> {
    let mut names: Vec<String> = match member {
        Criterion::All(members) => together(members),
        Criterion::Any(members) => members.iter().flat_map(named).collect(),
        criterion => vec![criterion.reason()],
    };
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names.truncate(MOST_NAMES + 1);
    names
}

/// The names of a list whose members must all hold: one of each, joined.
fn together(members: &[Criterion]) -> Vec<String> {
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
