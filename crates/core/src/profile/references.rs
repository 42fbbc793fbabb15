//! Names by which the parts of a profile refer to each other.

use super::judge::{AfterRetries, Judge, Sees};
use super::{CandidateKind, Mask, Measure, Profile, Stage};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::yaml::{Data, Node};

/// The word in `feedback.to` for every stage.
pub const ALL_STAGES: &str = "all";

/// Reports unknown names of stages, judges, validators and dimensions, and settings that can't work together.
pub(super) fn check(profile: &Profile, root: &Node, problems: &mut Problems) {
    let Profile { stages, generate_once, judges, validators, dimensions, feedback, .. } = profile;
    let stage_ids: Vec<&str> = stages.iter().map(|stage| stage.id.value.as_str()).collect();
    for id in generate_once {
        known("stage", &id.value, &id.span, &stage_ids, problems);
    }
    let once = |id: &str| generate_once.iter().any(|named| named.value == id);
    if let Some(to) = &feedback.to
        && to.value != ALL_STAGES
        && !stages.is_empty()
    {
        let mut words = stage_ids.clone();
        words.push(ALL_STAGES);
        if known("stage", &to.value, &to.span, &words, problems) && once(&to.value) {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &to.span,
                    format!("the stage `{}` runs once and can't correct anything", to.value),
                )
                .help("take it out of `generate_once`, or give feedback to another stage"),
            );
        }
    } else if let (Some(last), Some(named)) = (stages.last(), generate_once.first()) {
        let nothing_left = match &feedback.to {
            Some(_) => stages.iter().all(|stage| once(&stage.id.value)),
            None => once(&last.id.value),
        };
        if nothing_left {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &named.span,
                    "no stage is left that could correct a candidate",
                )
                .help("take the stage that gets feedback out of `generate_once`"),
            );
        }
    }
    let judge_ids: Vec<&str> = judges.iter().map(|judge| judge.id.value.as_str()).collect();
    let validator_ids: Vec<&str> = validators.iter().map(|validator| validator.id.value.as_str()).collect();
    for validator in validators {
        if judge_ids.contains(&validator.id.value.as_str()) {
            problems.push(Problem::error(
                Code::Conflict,
                &validator.id.span,
                format!("a judge is called `{}` already", validator.id.value),
            ));
        }
    }
    for dimension in dimensions {
        let Some(second) = &dimension.second else { continue };
        let mut silent = matches!(dimension.measure, Measure::Given);
        for source in &second.sources {
            let (what, names) =
                if source.score.is_some() { ("judge", &judge_ids) } else { ("validator", &validator_ids) };
            known(what, &source.name.value, &source.name.span, names, problems);
            silent &= judges.iter().any(|judge| judge.id.value == source.name.value && !judge.is_asked());
        }
        if silent && !second.sources.is_empty() {
            problems.push(
                Problem::warning(
                    Code::InertRule,
                    &dimension.name_span,
                    format!(
                        "nothing measures `{}`, because its judge has no provider; it counts 0",
                        dimension.name
                    ),
                )
                .help("name the judge's provider, or add `otherwise:` with a measure"),
            );
        }
    }
    value_judge(profile, root, &judge_ids, problems);
    value_questions(profile, root, problems);
    let names: Vec<&str> = dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    for judge in judges {
        if let AfterRetries::Dimension(name) = &judge.on_failure.then {
            known("dimension", name, &judge.id.span, &names, problems);
        }
    }
}

/// Reports the settings that a judge of single values can't have: it sees passages and gives no scores.
fn value_judge(profile: &Profile, root: &Node, judges: &[&str], problems: &mut Problems) {
    let Some(first) = profile.value_judge() else { return };
    for named in profile.value_judges() {
        let is_known = known("judge", &named.value, &named.span, judges, problems);
        if is_known && named.value != first.value {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &named.span,
                    format!("`{}` is the judge of single values already", first.value),
                )
                .related(&first.span, "named here")
                .help("name the same judge in both places: it is asked once about all values of a candidate"),
            );
        }
    }
    if profile.candidate == CandidateKind::Patch {
        let message = "values of candidates that are patches can't be shown to a judge";
        let problem = Problem::error(Code::Conflict, &first.span, message);
        problems.push(problem.help("take `judge` out, or set `candidate: value`"));
    }
    let seconds = profile.dimensions.iter().filter_map(|dimension| dimension.second.as_ref());
    if let Some(source) =
        seconds.flat_map(|second| &second.sources).find(|source| source.name.value == first.value)
    {
        problems.push(
            Problem::error(
                Code::Conflict,
                &source.name.span,
                format!("the judge `{}` is asked about single values, and gives no scores", first.value),
            )
            .related(&first.span, "named as the judge of single values here")
            .help("take the scores of another judge"),
        );
    }
    let Some(judge) = profile.judges.iter().find(|judge| judge.id.value == first.value) else { return };
    // Also where it is written out with the default value.
    let written = root.get("judges").and_then(|judges| judges.get(&judge.id.value));
    let is_written = |key: &str| {
        let value = written.and_then(|written| written.get(key));
        value.is_some_and(|value| !matches!(value.data, Data::Null))
    };
    let unused = [
        ("sees: unmasked", judge.sees == Sees::Unmasked),
        ("reference", is_written("reference")),
        ("attach", is_written("attach")),
        ("issues", is_written("issues")),
        ("scale", is_written("scale")),
        ("severity", is_written("severity")),
        ("withhold", is_written("withhold")),
    ];
    for (key, _) in unused.into_iter().filter(|(_, is_set)| *is_set) {
        problems.push(
            Problem::error(
                Code::Conflict,
                &judge.id.span,
                format!("`{key}` does nothing for a judge of single values, which sees passages and gives verdicts"),
            )
            .related(&first.span, "named as the judge of single values here")
            .help(format!("take `{key}` out")),
        );
    }
}

/// Reports words of a judge of single values that can't work: they could be about several values, or would have to be
/// JSON.
fn value_questions(profile: &Profile, root: &Node, problems: &mut Problems) {
    for judge in &profile.judges {
        let id = &judge.id;
        let written = root.get("judges").and_then(|judges| judges.get(&id.value)?.get("values"));
        let Some(written) = written.filter(|node| !matches!(node.data, Data::Null)) else { continue };
        let is_named = profile.value_judge().is_some_and(|named| named.value == id.value);
        let problem = if !is_named || judge.values.words.is_empty() {
            continue;
        } else if judge.values.at_once > 1 {
            let found = judge.values.at_once;
            Problem::error(
                Code::Conflict,
                &written.span,
                format!("a word says of one value what it is, and one call asks about up to {found}"),
            )
            .help("write `at_once: 1`, or take `words` out")
        } else if let Some(output) = &judge.call.output {
            Problem::error(
                Code::Conflict,
                &output.span,
                format!("the judge `{}` answers with words, and `output` asks it for JSON", id.value),
            )
            .related(&written.span, "the words stand here")
            .help("write `output: null`, or take `words` out")
        } else {
            continue;
        };
        problems.push(problem);
    }
}

/// Reports the stages and judges that would be shown, as a file, what the profile withholds.
pub(super) fn check_attachments(stages: &[Stage], judges: &[Judge], mask: &[Mask], problems: &mut Problems) {
    let masked = judges.iter().filter(|judge| judge.sees == Sees::Masked).map(|judge| &judge.call);
    for call in stages.iter().map(|stage| &stage.call).chain(masked) {
        if let (Some(attach), false) = (&call.attach, mask.is_empty()) {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &attach.span,
                    "a file that goes with the prompt shows what `mask` withholds",
                )
                .help("take `attach` or `mask` out; a judge with `sees: unmasked` may have both"),
            );
        }
    }
}

/// Returns whether `name` is one of `names`; reported if not.
fn known(what: &str, name: &str, span: &Span, names: &[&str], problems: &mut Problems) -> bool {
    if names.contains(&name) {
        return true;
    }
    let help = match nearest(name, names.iter().copied()) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None if names.is_empty() => format!("the profile has no {what}"),
        None => format!("known: {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")),
    };
    problems
        .push(Problem::error(Code::UnknownName, span, format!("no {what} is called `{name}`")).help(help));
    false
}
