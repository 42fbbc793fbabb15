//! Judges and validators, in words.

use super::calls;
use super::model::Section;
use super::words::{capital, duration, list, name, names, path, score, times};
use crate::explain::settings::shown_value;
use crate::plan::Plan;
use crate::profile::{AfterRetries, Asked, Judge, Scale, Sees, Validator};

/// Whether a name under `judges` or `validators` is asked at all.
pub(super) fn is_asked(plan: &Plan, member: &str) -> bool {
    plan.panel.members().iter().any(|known| *known.id == *member)
}

pub(super) fn members(plan: &Plan, section: &mut Section) {
    for validator in &plan.profile.validators {
        one_validator(plan, validator, section);
    }
    for judge in &plan.profile.judges {
        one_judge(plan, judge, section);
    }
}

fn one_judge(plan: &Plan, judge: &Judge, section: &mut Section) {
    let id = &judge.id.value;
    let key = format!("judge.{id}");
    let label = format!("The judge {}", name(id));
    if !judge.is_asked() {
        let (mut measured, others) = measured_by(plan, id);
        measured.extend(others);
        let would = if measured.is_empty() {
            String::new()
        } else {
            format!(" One would have a say in {}.", names(measured, "and"))
        };
        let text = format!(
            "is not asked, because no provider is named for it. `--judge PROVIDER` names one.{would} What holds then, `loopctl profile explain` says \
             when it gets that flag, too."
        );
        section.labelled(key, label, text);
        return;
    }
    let sees = match judge.sees {
        Sees::Unmasked if !plan.profile.mask.is_empty() => {
            "the whole document, with what is withheld from the stages"
        }
        _ if plan.profile.mask.is_empty() => "the document",
        _ => "the document without what is withheld",
    };
    let mut given = vec!["the candidate".to_owned(), sees.to_owned()];
    given.extend(
        judge
            .call
            .prompt
            .as_ref()
            .map(|prompt| format!("the instructions in {}", path(&format!("prompts/{}", prompt.value)))),
    );
    given.extend(judge.reference.as_ref().map(|file| {
        format!(
            "the right answer, from the file {} beside the document, which no stage sees",
            name(&file.value)
        )
    }));
    let gate = if plan.policy.gate.is_some() { " that does not miss the gate" } else { "" };
    let form =
        judge.call.output.as_ref().map(|schema| {
            format!(" An answer that has not the form of {} counts as none.", path(&schema.value))
        });
    let text = format!(
        "asks {} about every candidate{gate}, and gives {}.{}",
        calls::providers(&judge.call),
        list(&given, "and"),
        form.unwrap_or_default()
    );
    section.labelled(key.clone(), label, text);
    if !judge.withhold.is_empty() {
        let text = format!(
            "It does not see scores, earlier attempts or what a stage thinks of its own work: members of the candidate called {} are taken out, unless the \
             schema of the stage's answer has them.",
            names(judge.withhold.iter().map(String::as_str), "or")
        );
        section.detail(format!("{key}.withhold"), text);
    } else {
        let text = "It does not see scores or earlier attempts, but all that the candidate says of itself.";
        section.detail(format!("{key}.withhold"), text);
    }
    if judge.scale != Scale::default() {
        let (low, high) = judge.scale.bounds();
        let text = format!("It scores from {low} (worst) to {high} (best), which is converted to 0 to 1.");
        section.detail(format!("{key}.scale"), text);
    }
    let issues = match &judge.issues {
        Some(pointer) => {
            format!(
                "What it lists at {} of its answer are issues of the candidate; {} where it does not say how severe.",
                name(&pointer.value),
                judge.severity.as_str()
            ) + quoted(judge)
        }
        None => "Only its scores are used; it can't report issues.".to_owned(),
    };
    section.detail(format!("{key}.issues"), issues);
    section.detail(format!("{key}.attempts"), calls::attempts(&judge.call, judge.on_failure.retry));
    section.detail(format!("{key}.failure"), failure(plan, judge));
    calls::settings(section, &key, &judge.call);
}

/// What is said of quotations in its issues, which the stages get to see.
fn quoted(judge: &Judge) -> &'static str {
    if judge.reference.is_some() || judge.sees == Sees::Unmasked {
        " What they quote of what only it sees is taken out of them."
    } else {
        ""
    }
}

/// What becomes of the dimensions of a judge that can't be had. Where there is a quorum, nothing stands in for it.
fn failure(plan: &Plan, judge: &Judge) -> String {
    let (with_quorum, without) = measured_by(plan, &judge.id.value);
    let then = &judge.on_failure.then;
    let left_out = |those: &[&str]| {
        format!(
            "it is left out of {}, where a quorum of the others is enough",
            names(those.iter().copied(), "and")
        )
    };
    let issue = "the minor issue `JUDGE_FAILED`, which is only shown, says so";
    let stand_in = match then {
        AfterRetries::Escalate => {
            let critical = "the critical issue `JUDGE_FAILED` says that a person must decide";
            return match (with_quorum.is_empty(), without.is_empty()) {
                (true, _) => format!(
                    "If no answer can be had, its scores are missing, the dimensions that need them count {}, and {critical}.",
                    score(0.0)
                ),
                (false, true) => format!(
                    "If no answer can be had, {}, and {issue}. Where a quorum is missed, {critical} instead.",
                    left_out(&with_quorum)
                ),
                (false, false) => format!(
                    "If no answer can be had, its score is missing for {}, which counts {}; {}; and {critical}.",
                    names(without.iter().copied(), "and"),
                    score(0.0),
                    left_out(&with_quorum)
                ),
            };
        }
        AfterRetries::Score(number) => score(number.get()),
        AfterRetries::Dimension(dimension) => {
            format!("the score of {} as measured without judges", name(dimension))
        }
    };
    match (with_quorum.is_empty(), without.is_empty()) {
        (true, _) => {
            format!("If no answer can be had, {stand_in} stands in for each of its scores, and {issue}.")
        }
        (false, true) => format!(
            "If no answer can be had, {}, and {issue}. {} does not stand in for it there.",
            left_out(&with_quorum),
            capital(&stand_in)
        ),
        (false, false) => format!(
            "If no answer can be had, {stand_in} stands in for its score of {}; {}; and {issue}.",
            names(without.iter().copied(), "and"),
            left_out(&with_quorum)
        ),
    }
}

fn one_validator(plan: &Plan, validator: &Validator, section: &mut Section) {
    let id = &validator.id.value;
    let key = format!("validator.{id}");
    let gate = if plan.policy.gate.is_some() { " that does not miss the gate" } else { "" };
    let who = match &validator.asked {
        Asked::Command { command, script } => {
            let script =
                script.as_ref().map(|file| format!(" with {}", path(&format!("rules/{}", file.value))));
            format!(
                "runs the program {}{} on every candidate{gate}. That takes `--allow-commands`; otherwise, or when the program is not installed, it is not run, \
                 which the minor issue `VALIDATOR_UNAVAILABLE` says",
                name(&shown_value("command", &command.join(" ").into())),
                script.unwrap_or_default()
            )
        }
        Asked::Service { config, .. } => {
            let text = |key: &str| config.get(key).and_then(|value| value.as_str()).unwrap_or_default();
            let yes = |key: &str| config.get(key).and_then(serde_json::Value::as_bool) == Some(true);
            let url = shown_value("url", &format!("{}{}", text("base_url"), text("path")).into());
            let token = if yes("token") { ", with the token in LOOPCTL_SERVICE_TOKEN" } else { "" };
            let plain = if yes("allow_http") { ", also without encryption" } else { "" };
            format!("asks the service at {} about every candidate{gate}{token}{plain}", name(&url))
        }
    };
    section.labelled(key.clone(), format!("The validator {}", name(id)), format!("{who}."));
    let text = format!(
        "Its stages are {}, in this order. Its score is their mean: 1 for one that passed, 1 / (1 + issues) for one that failed, 0 for one that did not run. Its \
         issues are {} where they do not say how severe.",
        names(validator.stages.iter().map(String::as_str), "and"),
        crate::value::Severity::Major.as_str()
    );
    section.detail(format!("{key}.stages"), text);
    let again = match validator.retries {
        0 => String::new(),
        retries => format!(
            " One that fails with a transient error is asked again, at most {}.",
            times(u64::from(retries))
        ),
    };
    let text = format!(
        "It may take at most {}.{again} If it fails, its score is missing and the critical issue `VALIDATOR_FAILED` says that a person must decide.",
        duration(validator.deadline)
    );
    section.detail(format!("{key}.attempts"), text);
}

/// The dimensions that a judge has, or would have, a say in: those with a quorum, and the others.
fn measured_by<'a>(plan: &'a Plan, judge: &str) -> (Vec<&'a str>, Vec<&'a str>) {
    let (mut with_quorum, mut without) = (Vec::new(), Vec::new());
    for dimension in &plan.profile.dimensions {
        let Some(second) = &dimension.second else { continue };
        if second.sources.iter().any(|source| source.name.value == judge) {
            let found = if second.quorum.is_some() { &mut with_quorum } else { &mut without };
            found.push(dimension.name.as_str());
        }
    }
    (with_quorum, without)
}
