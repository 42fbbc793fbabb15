//! Judges that see too much, too little, or only what everyone sees.

use super::project::Project;
use super::prompts::judge_place;
use super::schema::SchemaNode;
use crate::diag::{Code, Problem, Problems};
use crate::facts::declared_names;
use crate::plan::JudgePlan;
use crate::profile::{Judge, Sees};
use crate::value::prose::listed;
use crate::value::yaml::Data;
use std::collections::BTreeSet;

/// Names of files that a run writes: a reference of such a name is an answer of the stages.
const RESULTS: [&str; 4] = ["-extraction", "-validation", "-result", "_corrected"];

/// Ends of names of documents.
const TEXTS: [&str; 4] = [".txt", ".md", ".text", ".pdf"];

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    let profile = &project.subject.loaded.profile;
    for judge in &project.subject.plan.judges {
        let id = &judge.judge.id;
        if judge.judge.sees == Sees::Unmasked && profile.mask.is_empty() && judge.judge.reference.is_none() {
            problems.push(
                Problem::warning(
                    Code::SharedReference,
                    &judge_place(project, id, "sees"),
                    format!(
                        "the judge `{}` is to see more than the stages, but nothing is withheld from them",
                        id.value
                    ),
                )
                .help("withhold the answer from the stages with `mask:`, or take `sees: unmasked` out"),
            );
        }
        // It is shown single values and gives no scores; `references` covers the errors in that.
        if profile.value_judge().is_some_and(|named| named.value == id.value) {
            continue;
        }
        reference(project, judge, problems);
        claims(project, judge, problems);
        unbounded(project, judge, problems);
        unused(project, judge, problems);
    }
    unread_mask(project, problems);
}

/// The reference that a judge holds candidates against, and the others that have it.
fn reference(project: &Project<'_>, judge: &JudgePlan, problems: &mut Problems) {
    let (id, name) = (&judge.judge.id.value, judge.judge.call.prompt.as_ref());
    let plan = project.subject.plan;
    let uses = judge.prompt.as_ref().is_some_and(|prompt| plan.templates.uses(prompt, "reference"));
    let Some(named) = &judge.judge.reference else {
        let file = name.and_then(|name| project.file(&format!("prompts/{}", name.value)));
        if let (true, Some(file), Some(name)) = (uses, file, name)
            && !file.text().contains("if reference")
        {
            let message = format!("the prompt shows a reference, but the judge `{id}` has none");
            problems.push(
                Problem::warning(Code::UnusedReference, &super::project::place_of(&file, "reference"), message)
                    .related(&name.span, "this prompt is used here")
                    .help("name it, as `reference: \"{{ document_id }}.gold.json\"`, or write `{% if reference %}` before it"),
            );
        }
        return;
    };
    if !uses && judge.prompt.is_some() {
        problems.push(
            Problem::warning(
                Code::UnusedReference,
                &named.span,
                format!("the judge `{id}` has a reference, but its prompt never shows it"),
            )
            .help("put `{{ reference }}` into the prompt, or take `reference:` out"),
        );
    }
    let path = named.value.as_str();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let shared = |message: String, help: &str| {
        Problem::warning(Code::SharedReference, &named.span, message).help(help)
    };
    if RESULTS.iter().any(|result| stem.contains(result)) {
        problems.push(shared(
            format!("`{path}` has the name of a result: the judge `{id}` would hold the stages' answer against itself"),
            "give the right answers names of their own, such as `{{ document_id }}.gold.json`",
        ));
    } else if TEXTS.iter().any(|end| path.replace(' ', "") == format!("{{{{document_id}}}}{end}")) {
        problems.push(shared(
            format!("`{path}` is the document itself, which every stage has read, not the answer to it"),
            "give the right answers names of their own, such as `{{ document_id }}.gold.json`",
        ));
    }
    let file_name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    for stage in &plan.stages {
        for context in stage.stage.context_files.iter().filter(|c| file_name(&c.value) == file_name(path)) {
            problems.push(
                shared(
                    format!(
                        "the stage `{}` reads the reference of the judge `{id}`, too",
                        stage.stage.id.value
                    ),
                    "take it out of `context_files`: who has seen the answer can't be judged by it",
                )
                .related(&context.span, "read here"),
            );
        }
    }
}

/// A judge that is paid for nothing.
fn unused(project: &Project<'_>, judge: &JudgePlan, problems: &mut Problems) {
    let Judge { id, issues, .. } = &judge.judge;
    let dimensions = &project.subject.loaded.profile.dimensions;
    let sources = dimensions.iter().filter_map(|dimension| dimension.second.as_ref());
    if issues.is_some()
        || sources.flat_map(|second| &second.sources).any(|source| source.name.value == id.value)
    {
        return;
    }
    let message = format!("nothing uses the judge `{}`: `assess` takes no score from it", id.value);
    problems.push(
        Problem::warning(Code::MeasuredForNothing, &id.span, message)
            .help("name it in `assess`, say where its `issues` are, or take it out"),
    );
}

/// The claims of a stage about its own work.
fn claims(project: &Project<'_>, judge: &JudgePlan, problems: &mut Problems) {
    let Judge { id, withhold, .. } = &judge.judge;
    let withheld = |name: &str| judge.judge.withholds(name);
    if withhold.is_empty() {
        let place = judge_place(project, id, "withhold");
        let message = format!("the judge `{}` sees what the stages say of their own work", id.value);
        problems.push(
            Problem::warning(Code::OwnClaims, &place, message)
                .help("take `withhold: []` out; then members such as `confidence` are kept from it"),
        );
        return;
    }
    let plan = project.subject.plan;
    for stage in &plan.stages {
        let Some(output) = &stage.stage.call.output else { continue };
        let mut found = BTreeSet::new();
        stage.schemas.values().for_each(|schema| declared_names(schema, &mut found));
        found.retain(|name| withheld(name));
        if found.is_empty() {
            continue;
        }
        let list = listed(found);
        let message = format!(
            "the judge `{}` sees {list} of the stage `{}`, because the schema asks for it",
            id.value, stage.stage.id.value
        );
        problems.push(Problem::note(Code::OwnClaims, &output.span, message).help(
            "fine if the document says it; if the stage says it of its own answer, take it out of the schema",
        ));
    }
}

/// A score that need not lie on the judge's scale: an answer with such a number can't be read, but is still paid for.
fn unbounded(project: &Project<'_>, judge: &JudgePlan, problems: &mut Problems) {
    let Judge { id, call, scale, .. } = &judge.judge;
    let dimensions = &project.subject.loaded.profile.dimensions;
    let sources = dimensions.iter().filter_map(|dimension| dimension.second.as_ref());
    let own = sources.flat_map(|second| &second.sources).filter(|source| source.name.value == id.value);
    let mut open: Vec<&str> = own
        .filter_map(|source| source.score.as_ref())
        .map(|pointer| pointer.value.as_str())
        .filter(|pointer| {
            judge.schemas.is_empty()
                || judge
                    .schemas
                    .values()
                    .any(|schema| !SchemaNode::whole(schema).keeps_within(pointer, scale.bounds()))
        })
        .collect();
    open.dedup();
    if open.is_empty() {
        return;
    }
    let list = listed(open);
    let (low, high) = scale.bounds();
    let help = format!(
        "write `\"type\": \"number\", \"minimum\": {low}, \"maximum\": {high}` there, or say with `scale` between which numbers the judge scores"
    );
    problems.push(match &call.output {
        None => Problem::warning(
            Code::UnboundedScore,
            &id.span,
            format!(
                "the judge `{}` has no schema for its answer, so nothing keeps {list} between {low} and {high}",
                id.value
            ),
        )
        .help(format!("name one with `output`, in which each score has `minimum: {low}` and `maximum: {high}`")),
        Some(output) => Problem::warning(
            Code::UnboundedScore,
            &output.span,
            format!("the schema of the judge `{}` does not keep {list} between {low} and {high}", id.value),
        )
        .help(help),
    });
}

/// A mask hides the answer from the stages so that a judge can judge by it; here no judge does.
fn unread_mask(project: &Project<'_>, problems: &mut Problems) {
    let profile = &project.subject.loaded.profile;
    let judges = &project.subject.plan.judges;
    let is_unread = !judges.is_empty()
        && judges.iter().all(|judge| judge.judge.sees == Sees::Masked && judge.judge.reference.is_none());
    let place = project.subject.loaded.merged.get("mask").and_then(|mask| match &mask.data {
        Data::List(items) => items.first(),
        _ => None,
    });
    if let (true, false, Some(place)) = (is_unread, profile.mask.is_empty(), place) {
        problems.push(
            Problem::note(Code::UnreadMask, &place.span, "what is withheld here no judge sees either")
                .help("if a judge is to go by it, give that judge `sees: unmasked`; if no judge should see it, nothing is wrong"),
        );
    }
}
