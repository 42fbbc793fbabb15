//! The purpose of a profile, and the makers of a candidate.

use super::fact::Facts;
use super::panel::{asked, attempts, call_settings, is_asked};
use super::secrets::shown_value;
use crate::plan::{Plan, StagePlan};
use crate::profile::{CandidateKind, Combine, Dimension, Measure, OnPreExisting, Repair};
use crate::rules::UNKNOWN_TYPE;
use serde_json::json;

pub(super) fn add(plan: &Plan, facts: &mut Facts) {
    let profile = &plan.profile;
    facts.add("description", "description", json!({ "said": profile.description.trim().replace('\n', " ") }));
    if let [_, parents @ ..] = profile.chain.as_slice()
        && !parents.is_empty()
    {
        facts.add("extends", "extends", json!({ "parents": parents }));
    }
    let types: Vec<&str> = plan.document_types().filter(|known| *known != UNKNOWN_TYPE).collect();
    let patterns = plan.classifier.as_ref().and(profile.classify.as_ref());
    let patterns = patterns.map(|file| format!("rules/{}.yaml", file.value));
    facts.add(
        "classify",
        "classify",
        json!({ "patterns": patterns, "types": types, "unknown": UNKNOWN_TYPE }),
    );
    let blocks = profile.on_pre_existing == OnPreExisting::Block;
    facts.add("candidate", "candidate", json!({ "patch": is_patch(plan), "blocks": blocks }));
    for (at, mask) in profile.mask.iter().enumerate() {
        let values = json!({ "pattern": mask.pattern.as_str(), "replace": mask.replace });
        facts.add(format!("mask.{at}"), "mask", values);
    }
    for (at, stage) in plan.stages.iter().enumerate() {
        one_stage(plan, at, stage, facts);
    }
    if plan.stages.is_empty() {
        facts.add("stages", "no_stages", json!({}));
    } else {
        corrections(plan, facts);
    }
    for (variable, value) in &profile.variables {
        let key = format!("variables.{variable}");
        let empty = plan.unset_variables.contains(variable);
        let values = json!({ "variable": variable, "empty": empty, "value": shown_value(&key, value) });
        facts.add(key, "variable", values);
    }
    repairs(plan, facts);
}

pub(super) fn is_patch(plan: &Plan) -> bool {
    plan.profile.candidate == CandidateKind::Patch
}

fn one_stage(plan: &Plan, at: usize, planned: &StagePlan, facts: &mut Facts) {
    let stage = &planned.stage;
    let key = format!("stage.{}", stage.id.value);
    let output = stage.call.output.as_ref().map(|schema| schema.value.as_str());
    let measured = plan.profile.dimensions.iter().filter(|dimension| is_measured(plan, dimension));
    let measured: Vec<&str> = measured
        .filter(|dimension| output.is_some_and(|schema| by_schema(&dimension.measure, schema)))
        .map(|dimension| dimension.name.as_str())
        .collect();
    let Repair { salvage: _, drop_invalid, drop_unknown, rewrap, coerce, trim, defaults } =
        plan.profile.repair;
    let repairs = drop_invalid || drop_unknown || rewrap || coerce || trim || defaults;
    let earlier = plan.stages.iter().take(at).map(|stage| stage.stage.id.value.as_str());
    let added = plan.stages.iter().filter_map(|stage| Some(stage.stage.into.as_ref()?.value.as_str()));
    let values = json!({
        "number": at + 1,
        "id": stage.id.value,
        "asked": asked(&stage.call),
        "masked": !plan.profile.mask.is_empty(),
        "prompt": stage.call.prompt.as_ref().map(|prompt| format!("prompts/{}", prompt.value)),
        "earlier": earlier.collect::<Vec<_>>(),
        "patterns": stage.patterns.as_ref().map(|file| format!("rules/{}", file.value)),
        "output": output,
        "repaired": repairs && !is_patch(plan),
        "measured_by": measured,
        "patch": is_patch(plan),
        "into": stage.into.as_ref().map(|into| into.value.as_str()),
        "last": at + 1 == plan.stages.len(),
        "added": added.collect::<Vec<_>>(),
    });
    facts.add(key.clone(), "stage", values);
    attempts(facts, &key, &stage.call, stage.retries);
    call_settings(facts, &key, &stage.call);
    if planned.quotes.is_some() {
        facts.add(format!("{key}.evidence"), "quotes", json!({}));
    }
    if !stage.context_files.is_empty() {
        let files = stage.context_files.iter().map(|file| format!("prompts/{}", file.value));
        let values = json!({
            "files": files.collect::<Vec<_>>(),
            "passages": stage.context.passages,
            "bytes": stage.context.max_bytes,
        });
        facts.add(format!("{key}.context"), "context", values);
    }
}

/// Returns whether the tier 1 score of a dimension is used for any candidate.
fn is_measured(plan: &Plan, dimension: &Dimension) -> bool {
    let Some(second) = &dimension.second else { return true };
    let asked = second.sources.iter().any(|source| is_asked(plan, &source.name.value));
    second.combine != Combine::First || !asked
}

fn by_schema(measure: &Measure, schema: &str) -> bool {
    measure.parts().any(|part| matches!(part, Measure::Schema { path, .. } if path.value == schema))
}

/// The stages that a correction asks again.
pub(super) fn asked_again(plan: &Plan) -> Vec<usize> {
    let mut again = plan.pipeline.asked_again();
    again.retain(|at| *at < plan.stages.len());
    again
}

fn corrections(plan: &Plan, facts: &mut Facts) {
    let again = asked_again(plan);
    let id = |at: usize| plan.stages.get(at).map(|stage| stage.stage.id.value.as_str()).unwrap_or_default();
    let told = |at: &usize| plan.pipeline.gets_feedback(*at);
    let kept: Vec<&str> = (0..plan.stages.len()).filter(|at| !again.contains(at)).map(id).collect();
    let with: Vec<&str> = again.iter().copied().filter(told).map(id).collect();
    let without: Vec<&str> = again.iter().copied().filter(|at| !told(at)).map(id).collect();
    let values = json!({ "told": with, "untold": without, "kept": kept });
    facts.follows(&["feedback.to", "generate_once"], "corrections", "corrections", values);
}

fn repairs(plan: &Plan, facts: &mut Facts) {
    let Repair { salvage, drop_invalid, drop_unknown, rewrap, coerce, trim, defaults } = plan.profile.repair;
    let passes = [
        ("salvage", salvage),
        ("drop_invalid", drop_invalid),
        ("drop_unknown", drop_unknown),
        ("rewrap", rewrap),
        ("coerce", coerce),
        ("trim", trim),
        ("defaults", defaults),
    ];
    let such = |wanted: bool| -> Vec<&str> {
        // Edits have no schema towards which they could be repaired.
        let can = passes.iter().filter(|(pass, _)| *pass == "salvage" || !is_patch(plan));
        can.filter(|(_, on)| *on == wanted).map(|(pass, _)| *pass).collect()
    };
    let (done, left) = (such(true), such(false));
    facts.add("repair.done", "repairs", json!({ "done": done }));
    if !left.is_empty() && !done.is_empty() {
        facts.add("repair.not_done", "not_repaired", json!({ "left": left }));
    }
}
