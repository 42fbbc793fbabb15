//! When a candidate is accepted, and the gate before that.

use super::model::Section;
use super::words::{capital, issue, issues, name, score, target};
use crate::plan::Plan;
use crate::profile::{Accept, IssueKind, OnGateMiss, OnRegression};

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("acceptance", "When a candidate is accepted");
    let accept = &plan.policy.accept;
    let lines = accept.thresholds.len() + accept.issue_limits.len();
    section.say(
        "accept",
        match lines {
            1 => "A candidate is accepted when this holds:".to_owned(),
            _ => "A candidate is accepted when all of this holds:".to_owned(),
        },
    );
    for (line, key) in conditions(accept) {
        section.point(key, format!("{}.", capital(&line)));
    }
    if plan.attaches() {
        let text = match accept.unseen {
            true => "A document without text may be accepted though nobody but a stage has seen it.",
            false => "A document without text is not accepted unless a judge that is shown it has answered.",
        };
        section.say("accept.unseen", text);
    }
    if plan.classifier.is_some() {
        let text = match accept.unknown_type {
            true => "A document may be accepted though its type was not recognised.",
            false => "A document whose type was not recognised is not accepted, unless its type is named.",
        };
        section.say("accept.unknown_type", text);
    }
    gate(plan, &mut section);
    section
}

/// The lines of `accept`, each with its key.
fn conditions(accept: &Accept) -> Vec<(String, String)> {
    let bounds = accept.thresholds.iter().map(|(of, bound)| {
        (format!("{} is at least {}", target(of), score(bound.get())), format!("accept.{}", of.name()))
    });
    let limits = accept
        .issue_limits
        .iter()
        .map(|(kind, limit)| (limit_words(*kind, *limit), format!("accept.{}_issues", kind.as_str())));
    bounds.chain(limits).collect()
}

fn limit_words(kind: IssueKind, limit: u64) -> String {
    match limit {
        0 => format!("it has no {}", issue(kind)),
        1 => format!("it has at most one {}", issue(kind)),
        more => format!("it has at most {more} {}", issues(kind)),
    }
}

fn gate(plan: &Plan, section: &mut Section) {
    let panel = !plan.panel.members().is_empty();
    let Some(gate) = &plan.policy.gate else {
        let text = if panel {
            "There is no gate: judges and validators are asked about every candidate, however poor."
        } else {
            "There is no gate: no candidate is given up because a single dimension is too low."
        };
        section.say("gate", text);
        return;
    };
    let asked = if panel { "no judge or validator is asked about it, and " } else { "" };
    let text = format!(
        "The gate: a candidate whose {}, as measured without judges and validators, is below {} is hopeless: {asked}it is not accepted, whatever else it scores.",
        name(&gate.dimension),
        score(gate.bound.get())
    );
    section.say("gate", text);
    let later = match (gate.on_correction, plan.policy.on_regression) {
        (OnGateMiss::Stop, _) => "If candidate 0 or any correction misses the gate, the loop ends.",
        (OnGateMiss::Rollback, OnRegression::Rollback) => {
            "If candidate 0 misses the gate, the loop ends. A correction that does is a rollback, as one that is worse than the best."
        }
        (OnGateMiss::Rollback, OnRegression::Keep) => {
            "If candidate 0 misses the gate, the loop ends. A correction that does is not accepted, and the next correction starts from it all the same."
        }
    };
    section.say("gate.on_correction", later);
}
