//! What makes a candidate.

use super::calls;
use super::model::Section;
use super::panel::is_asked;
use super::words::{count, list, name, names, path};
use crate::explain::settings::shown_value;
use crate::plan::{Plan, StagePlan};
use crate::profile::{CandidateKind, Combine, Dimension, Measure, Repair};

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("candidate", "What makes a candidate");
    section.say("candidate.kind", kind(plan));
    mask(plan, &mut section);
    for (at, stage) in plan.stages.iter().enumerate() {
        one_stage(plan, at, stage, &mut section);
    }
    if plan.stages.is_empty() {
        let text = "No stage makes candidates: it can only assess those that are supplied (`loopctl score`, `loopctl validate`).";
        section.say("stages", text);
    } else {
        corrections(plan, &mut section);
    }
    variables(plan, &mut section);
    repairs(plan, &mut section);
    section
}

fn kind(plan: &Plan) -> String {
    let what = match plan.profile.candidate {
        CandidateKind::Value => {
            "A candidate is one structured output (JSON) for a document. Candidate 0 is the first, candidate 1 the first correction, and so on."
        }
        CandidateKind::Patch => {
            "A candidate is a list of edits (a JSON Patch) to the document, which is JSON itself. What is assessed is the document with the edits made; a \
             list that can't be applied scores 0.00. Candidate 0 is the first, candidate 1 the first correction, and so on."
        }
    };
    what.to_owned()
}

fn mask(plan: &Plan, section: &mut Section) {
    for (at, mask) in plan.profile.mask.iter().enumerate() {
        let text = format!(
            "Before a stage sees the document, every passage that the pattern {} finds is replaced by {}. The stages, the rules and the comparison with the \
             document never see it; only a judge that is allowed to sees the whole document.",
            name(mask.pattern.as_str()),
            name(&mask.replace)
        );
        section.say(format!("mask.{at}"), text);
    }
}

fn one_stage(plan: &Plan, at: usize, planned: &StagePlan, section: &mut Section) {
    let stage = &planned.stage;
    let id = &stage.id.value;
    let key = format!("stage.{id}");
    let mut given = vec![if plan.profile.mask.is_empty() {
        "the document".to_owned()
    } else {
        "the document without what is withheld".to_owned()
    }];
    given.extend(stage.call.prompt.as_ref().map(|prompt| {
        let earlier: Vec<&str> =
            plan.stages.iter().take(at).map(|stage| stage.stage.id.value.as_str()).collect();
        let drawing = if earlier.is_empty() {
            String::new()
        } else {
            format!(" (which may draw on what {} answered)", names(earlier, "and"))
        };
        format!("the instructions in {}{drawing}", path(&format!("prompts/{}", prompt.value)))
    }));
    given.extend(
        stage
            .patterns
            .as_ref()
            .map(|file| format!("the patterns in {}", path(&format!("rules/{}", file.value)))),
    );
    let form = match &stage.call.output {
        Some(schema) => asked_form(plan, &schema.value),
        None => "The answer may be any JSON.".to_owned(),
    };
    let text = format!(
        "asks {}, which is given {}. {form} {}",
        calls::providers(&stage.call),
        list(&given, "and"),
        part(plan, at)
    );
    section.labelled(key.clone(), format!("Stage {}, {}", at + 1, name(id)), text);
    section.detail(format!("{key}.attempts"), calls::attempts(&stage.call, stage.retries));
    calls::settings(section, &key, &stage.call);
    if !stage.context_files.is_empty() {
        let files: Vec<String> =
            stage.context_files.iter().map(|file| path(&format!("prompts/{}", file.value))).collect();
        let text = format!(
            "Of {}, the passages that have most to do with the document and the answers so far are added: at most {}, of at most {} together.",
            list(&files, "and"),
            count(stage.context.passages as u64, "passage"),
            count(stage.context.max_bytes as u64, "byte")
        );
        section.detail(format!("{key}.context"), text);
    }
}

/// What a stage's schema is for, and whether anything holds its answer against it.
fn asked_form(plan: &Plan, schema: &str) -> String {
    let Repair { salvage: _, drop_invalid, drop_unknown, rewrap, coerce, trim, defaults } =
        plan.profile.repair;
    let repaired = plan.profile.candidate == CandidateKind::Value
        && (drop_invalid || drop_unknown || rewrap || coerce || trim || defaults);
    let used = if repaired { "asked for it, and answers are repaired towards it" } else { "asked for it" };
    let measured = plan.profile.dimensions.iter().filter(|dimension| is_measured(plan, dimension));
    let measuring: Vec<&str> = measured
        .filter(|dimension| by_schema(&dimension.measure, schema))
        .map(|dimension| dimension.name.as_str())
        .collect();
    let checked = match measuring.as_slice() {
        [] if plan.profile.candidate == CandidateKind::Patch => {
            "Edits that can't be applied score 0.00; nothing else holds the answer against that form.".to_owned()
        }
        [] => {
            "No score says how well the answer has that form: what breaks it costs nothing unless a rule notices it, and can be accepted."
                .to_owned()
        }
        some => format!(
            "How well the answer has that form is measured by {}.",
            names(some.iter().copied(), "and")
        ),
    };
    format!("The form of the answer is described by {}: the provider is {used}. {checked}", path(schema))
}

/// Whether what tier 1 measures in a dimension is used for any candidate.
fn is_measured(plan: &Plan, dimension: &Dimension) -> bool {
    let Some(second) = &dimension.second else { return true };
    let asked = second.sources.iter().any(|source| is_asked(plan, &source.name.value));
    second.combine != Combine::First || !asked
}

fn by_schema(measure: &Measure, schema: &str) -> bool {
    match measure {
        Measure::Schema { path, .. } => path.value == schema,
        Measure::Ensemble { members, .. } => members.iter().any(|(member, _)| by_schema(member, schema)),
        _ => false,
    }
}

/// What a stage's answer becomes.
fn part(plan: &Plan, at: usize) -> String {
    let stages = &plan.stages;
    let is_last = at + 1 == stages.len();
    let fields =
        || stages.iter().filter_map(|stage| stage.stage.into.as_ref()).map(|into| into.value.as_str());
    match &stages.get(at).and_then(|planned| planned.stage.into.as_ref()) {
        Some(into) => format!("Its answer becomes the field {} of the candidate.", name(&into.value)),
        None if !is_last => {
            "Its answer serves the stages after it and is no part of the candidate.".to_owned()
        }
        None if fields().next().is_some() => {
            let what = if fields().count() == 1 { "field" } else { "fields" };
            format!("Its answer, with the {what} {} added, is the candidate.", names(fields(), "and"))
        }
        None => "Its answer is the candidate.".to_owned(),
    }
}

/// Which stages a correction asks again.
pub(super) fn asked_again(plan: &Plan) -> Vec<usize> {
    let mut again = plan.pipeline.asked_again();
    again.retain(|at| *at < plan.stages.len());
    again
}

fn corrections(plan: &Plan, section: &mut Section) {
    let again = asked_again(plan);
    let id = |at: usize| plan.stages.get(at).map(|stage| stage.stage.id.value.as_str()).unwrap_or_default();
    let told = |at: &usize| plan.pipeline.gets_feedback(*at);
    let kept: Vec<&str> = (0..plan.stages.len()).filter(|at| !again.contains(at)).map(id).collect();
    let with: Vec<&str> = again.iter().copied().filter(told).map(id).collect();
    let without: Vec<&str> = again.iter().copied().filter(|at| !told(at)).map(id).collect();
    let mut text = format!(
        "A correction asks {} again, with all that was given before and with what is wrong with the candidate that it starts from.",
        names(with, "and")
    );
    if !without.is_empty() {
        text.push_str(&format!(
            " Because what they build on has changed, {} {} asked again, too, without being told.",
            names(without.iter().copied(), "and"),
            if without.len() == 1 { "is" } else { "are" }
        ));
    }
    if !kept.is_empty() {
        let (is, answer) =
            if kept.len() == 1 { ("is", "its answer is") } else { ("are", "their answers are") };
        text.push_str(&format!(
            " {} {is} asked for candidate 0 only; {answer} carried along to every later candidate.",
            names(kept, "and")
        ));
    }
    section.say("corrections", text);
}

fn variables(plan: &Plan, section: &mut Section) {
    for (variable, value) in &plan.profile.variables {
        let empty = plan.unset_variables.contains(variable);
        let text = if empty {
            format!(
                "The instructions need the variable {}, which is empty: without `--var {variable}=TEXT` nothing can be asked.",
                name(variable)
            )
        } else {
            let value = shown_value(&format!("variables.{variable}"), value);
            format!("The instructions may use the variable {}, which is {}.", name(variable), name(&value))
        };
        section.say(format!("variables.{variable}"), text);
    }
}

fn repairs(plan: &Plan, section: &mut Section) {
    let Repair { salvage, drop_invalid, drop_unknown, rewrap, coerce, trim, defaults } = plan.profile.repair;
    let by_schema = plan.profile.candidate == CandidateKind::Value;
    let passes = [
        (
            salvage,
            true,
            "an answer that is not quite JSON is read all the same (prose around it, trailing commas, a cut end)",
        ),
        (drop_invalid, by_schema, "an optional value that the schema refuses is left out"),
        (drop_unknown, by_schema, "a member that the schema forbids is left out"),
        (rewrap, by_schema, "a single value becomes a list, or a list of one its value, as the schema wants"),
        (
            coerce,
            by_schema,
            "a value is written in the type that the schema wants, where nothing is lost (`\"12\"` as `12`)",
        ),
        (trim, by_schema, "space around a text is taken away where the schema refuses it"),
        (defaults, by_schema, "a required value that is missing is filled with the schema's default"),
    ];
    let such = |wanted: bool| -> Vec<String> {
        passes
            .iter()
            .filter(|(on, can, _)| *can && *on == wanted)
            .map(|(.., what)| (*what).to_owned())
            .collect()
    };
    let (done, left) = (such(true), such(false));
    let text = if done.is_empty() {
        "Answers are assessed as they are: nothing in them is repaired first.".to_owned()
    } else {
        format!(
            "Before an answer is assessed, what can be corrected without asking anybody is corrected, and each change is recorded: {}.",
            done.join("; ")
        )
    };
    section.say("repair.done", text);
    if !left.is_empty() && !done.is_empty() {
        section.say("repair.not_done", format!("Not done, though it could be: {}.", left.join("; ")));
    }
}
