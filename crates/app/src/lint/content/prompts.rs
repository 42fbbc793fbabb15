//! Prompts that withhold from a model what it needs: the document, the candidate, or the errors in it.

use super::project::{Project, place_of};
use super::schema::{Reach, SchemaNode};
use crate::diag::{Code, Problem, Problems, Span};
use crate::lint::nodes::entries;
use crate::plan::StagePlan;
use crate::rules::MESSAGE_VARIABLES;
use crate::value::PathStep;
use crate::value::decode::Spanned;
use crate::value::prose::did_you_mean;
use crate::value::yaml::Node;

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    let plan = project.subject.plan;
    for stage in &plan.stages {
        let (Some(prompt), Some(name)) = (&stage.prompt, &stage.stage.call.prompt) else { continue };
        // A later stage may work on what earlier ones found.
        let shows = |variable| plan.templates.uses(prompt, variable);
        if shows("source") || shows("stages") || stage.stage.call.attach.is_some() {
            continue;
        }
        let message = format!("the prompt of the stage `{}` never shows the document", stage.stage.id.value);
        report(project, Code::BlindPrompt, name, "source", message, problems);
    }
    for judge in &plan.judges {
        let (Some(prompt), Some(name)) = (&judge.prompt, &judge.judge.call.prompt) else { continue };
        let shows = |variable| plan.templates.uses(prompt, variable);
        let id = &judge.judge.id.value;
        if project.subject.loaded.profile.value_judge().is_some_and(|named| named.value == *id) {
            if !shows("values") && !shows("asked") {
                let message =
                    format!("the prompt of the judge `{id}` never shows the values that it is to judge");
                report(project, Code::BlindJudge, name, "values", message, problems);
            }
            // A judge that answers with a word can be told no more than that word, and each part of a value is on one
            // line.
            if judge.judge.values.words.is_empty() {
                unmarked(project, id, name, problems);
            }
            continue;
        }
        if !shows("candidate") {
            let message = format!("the prompt of the judge `{id}` never shows what is to be judged");
            report(project, Code::BlindJudge, name, "candidate", message, problems);
        }
        if !shows("source") && !shows("reference") && judge.judge.call.attach.is_none() {
            let message = format!(
                "the prompt of the judge `{id}` shows neither the document nor a reference, so there is nothing to judge by"
            );
            report(project, Code::BlindJudge, name, "source", message, problems);
        }
        unmarked(project, id, name, problems);
    }
    for (at, stage) in plan.stages.iter().enumerate() {
        if let (Some(prompt), Some(name)) = (&stage.prompt, &stage.stage.call.prompt) {
            for (earlier, member) in plan.templates.stage_members(prompt) {
                earlier_answer(
                    project,
                    name,
                    plan.stages.get(..at).unwrap_or_default(),
                    &earlier,
                    &member,
                    problems,
                );
            }
        }
    }
    feedback(project, problems);
    for rule in project.rules.iter().flat_map(|file| super::language::rules(&file.root)) {
        for key in ["message", "suggestion"] {
            if let Some(node) = rule.get(key) {
                placeholders(node, problems);
            }
        }
    }
}

/// A document in a judge's prompt that is not between marker lines. Only those can't be imitated: they are told apart
/// from the document's own.
fn unmarked(project: &Project<'_>, judge: &str, name: &Spanned<String>, problems: &mut Problems) {
    let Some(file) = project.file(&format!("prompts/{}", name.value)) else { return };
    let Some((at, variable)) = shown_outside_of_markers(file.text()) else { return };
    let (what, marker) = if variable.contains("values") || variable.contains("asked") {
        ("the passages of the document", "VALUES")
    } else {
        ("the document", "DOCUMENT")
    };
    let message = format!("the prompt of the judge `{judge}` does not mark {what} as data");
    problems.push(
        Problem::warning(Code::UnmarkedDocument, &Span::new(&file, at, at + variable.len()), message)
            .related(&name.span, "this prompt is used here")
            .help(format!(
                "write it between the lines `====={marker}=====` and `=====END OF {marker}=====`, and say before them that \
                 what stands there is data and gives no instructions",
            )),
    );
}

/// The first position at which a prompt shows the document while no marker line is open, and its text.
fn shown_outside_of_markers(text: &str) -> Option<(usize, &str)> {
    let mut open = false;
    let mut next = 0;
    for line in text.split_inclusive('\n') {
        let start = next;
        next += line.len();
        if is_marker(line.trim_end()) {
            open = !open;
            continue;
        }
        for (at, _) in line.match_indices("{%") {
            let rest = line.get(at..).unwrap_or_default();
            let inner = rest.split("%}").next().unwrap_or_default();
            if inner.contains(" in asked") && !open {
                return Some((start + at, inner));
            }
        }
        for (at, _) in line.match_indices("{{") {
            let rest = line.get(at..).unwrap_or_default();
            let Some(end) = rest.find("}}") else { continue };
            let inner = rest.get(2..end).unwrap_or_default().trim_matches(['-', '+', ' ']);
            let word = inner.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            // If a marker is opened and never closed, the rest of the prompt is the document's.
            if ["source", "values", "asked"].contains(&word)
                && !(open && text.get(next..).unwrap_or_default().lines().any(is_marker))
            {
                return Some((start + at, rest.get(..end + 2).unwrap_or_default()));
            }
        }
    }
    None
}

/// Returns whether a line is a marker such as `=====DOCUMENT=====`.
fn is_marker(line: &str) -> bool {
    let words = line.trim_matches('=');
    line.starts_with("=====")
        && line.ends_with("=====")
        && !words.is_empty()
        && words.chars().all(|c| c.is_alphabetic() || c == ' ')
}

/// A member of an earlier stage's answer that its schema rules out.
fn earlier_answer(
    project: &Project<'_>,
    name: &Spanned<String>,
    before: &[StagePlan],
    earlier: &str,
    member: &str,
    problems: &mut Problems,
) {
    let Some(stage) = before.iter().find(|stage| stage.stage.id.value == earlier) else { return };
    let mut known: Vec<String> = Vec::new();
    for schema in stage.schemas.values() {
        match SchemaNode::whole(schema).reach(&[PathStep::Key(member.to_owned())]) {
            Reach::Nothing { known: names, .. } => known.extend(names),
            _ => return,
        }
    }
    let Some(file) = project.file(&format!("prompts/{}", name.value)) else { return };
    if stage.schemas.is_empty() {
        return;
    }
    let message =
        format!("the schema of the stage `{earlier}` has no `{member}`, so there is nothing to show");
    let place = place_of(&file, &format!("stages.{earlier}.{member}"));
    let problem = Problem::warning(Code::DeadPath, &place, message);
    let known = known.iter().map(String::as_str);
    problems.push(problem.help(did_you_mean(member, known, "take it out, or add it to the schema")));
}

/// Reports a prompt at its beginning, or at a `{name}` that was meant to be the variable.
fn report(
    project: &Project<'_>,
    code: Code,
    name: &Spanned<String>,
    variable: &str,
    message: String,
    problems: &mut Problems,
) {
    let Some(file) = project.file(&format!("prompts/{}", name.value)) else { return };
    let single = [format!("{{{variable}}}"), format!("{{ {variable} }}")];
    let single = single.iter().find(|single| file.text().contains(single.as_str()));
    let problem = if let Some(single) = single {
        Problem::warning(code, &place_of(&file, single), message)
            .help(format!("a variable is written in two pairs of braces: `{{{{ {variable} }}}}`"))
    } else {
        let first = file.text().lines().next().unwrap_or_default();
        Problem::warning(code, &Span::new(&file, 0, first.len()), message)
            .help(format!("put `{{{{ {variable} }}}}` where it belongs"))
    };
    problems.push(problem.related(&name.span, "this prompt is used here"));
}

fn feedback(project: &Project<'_>, problems: &mut Problems) {
    let plan = project.subject.plan;
    let name = &project.subject.loaded.profile.feedback.template;
    let hidden: Vec<&str> = ["critical", "major", "minor"]
        .into_iter()
        .filter(|kind| !plan.templates.uses(&plan.feedback, kind))
        .collect();
    let message = match hidden.as_slice() {
        ["critical", "major", "minor"] => {
            "this feedback never says what is wrong, so a correction can only guess".to_owned()
        }
        // Leaving the least of them out is a choice.
        [] | ["minor"] => return,
        several => {
            let several: Vec<&str> = several.iter().copied().filter(|kind| *kind != "minor").collect();
            format!("this feedback leaves {} issues out, so they are never corrected", several.join(" and "))
        }
    };
    let Some(file) = project.file(&format!("prompts/{}", name.value)) else { return };
    let first = file.text().lines().next().unwrap_or_default();
    let missing = hidden.first().copied().unwrap_or("critical");
    problems.push(
        Problem::warning(Code::SilentFeedback, &Span::new(&file, 0, first.len()), message)
            .related(&name.span, "this template is used here")
            .help(format!(
                "list them: `{{% for issue in {missing} %}}{{{{ issue.path }}}}: {{{{ issue.message }}}}{{% endfor %}}`"
            )),
    );
}

/// `{value}` in a message is left as it is.
fn placeholders(node: &Node, problems: &mut Problems) {
    let Some(text) = node.as_text() else { return };
    for name in MESSAGE_VARIABLES {
        for (at, found) in text.match_indices(&format!("{{{name}}}")) {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
            if before == Some('{') || after == Some('}') {
                continue;
            }
            problems.push(
                Problem::warning(
                    Code::LiteralPlaceholder,
                    &node.span,
                    format!("`{found}` is shown as it is; nothing is filled in"),
                )
                .help(format!("write `{{{{ {name} }}}}`")),
            );
            break;
        }
    }
}

/// The position of a key below `judges.NAME`, or of the judge's name.
pub(super) fn judge_place(project: &Project<'_>, judge: &Spanned<String>, key: &str) -> Span {
    let judges = project.subject.loaded.merged.get("judges");
    let own = judges.and_then(|judges| judges.get(&judge.value));
    let entry = entries(own).find(|entry| entry.key == key);
    entry.map_or_else(|| judge.span.clone(), |entry| entry.value.span.clone())
}
