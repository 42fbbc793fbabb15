//! A profile: what it does in plain words, its numbers, and what would differ with others.

use super::parts::{in_address, minute, money, outside, score, time};
use super::run_document::marked;
use crate::access::{AccessRole, Identity};
use crate::explain::policy::{Form, Section, Statement};
use crate::report::{figures, page_table, percent, thousands, words as columns};
use crate::tuning::{
    ChangeView, DiffLine, PolicyTrial, ProfileDetails, ProfileRefusal, SECTION, TrialEnd, TrialSums,
    TuningView, diff,
};
use crate::value::prose;
use maud::{Markup, html};

/// The page.
pub(crate) fn profile(identity: &Identity, view: &TuningView) -> Markup {
    SECTION.page(
        &format!("Profile {}", view.name),
        identity,
        &["copy.js"],
        &html! {
            p.crumbs { a href="/profiles" { "Profiles" } }
            h1 { (outside(&view.name)) }
            @match &view.details {
                Err(refused) => (refusal(refused)),
                Ok(details) => {
                    p { (outside(&details.description)) }
                    @let short = details.explanation.in_short();
                    @for (at, section) in short.sections.iter().enumerate() {
                        @if at == 0 {
                            (words(section))
                        } @else {
                            details.full { summary { (section.title) } (statements(&section.statements)) }
                        }
                    }
                    details.full { summary { "Everything it does" } @for section in &details.explanation.sections { (words(section)) } }
                    (knobs(view, details))
                    @if let Some(change) = &view.change { (changed(identity, view, change)) }
                }
            }
        },
    )
}

fn refusal(refused: &ProfileRefusal) -> Markup {
    html! {
        div.refused role="alert" {
            p.bad { (marked(&refused.message)) }
            @if !refused.problems.is_empty() { ul { @for problem in &refused.problems { li { (marked(problem)) } } } }
            @if let Some(help) = &refused.help { p.soft { (marked(help)) } }
        }
    }
}

fn words(section: &Section) -> Markup {
    html! { section.words { h2 { (section.title) } (statements(&section.statements)) } }
}

/// Statements, of which those that are elements of a list are in one.
fn statements(all: &[Statement]) -> Markup {
    let mut groups: Vec<(bool, &[Statement])> = Vec::new();
    let mut rest = all;
    while let Some(first) = rest.first() {
        let kind = |one: &Statement| (one.form == Form::Paragraph, one.form == Form::Step);
        let is_alike = |one: &&Statement| {
            kind(one) == kind(first) || (one.form == Form::Detail && first.form != Form::Paragraph)
        };
        let count = rest.iter().take_while(is_alike).count().max(1);
        let (group, left) = rest.split_at(count);
        groups.push((first.form == Form::Step, group));
        rest = left;
    }
    html! {
        @for (is_ordered, group) in groups {
            @if group.first().is_some_and(|one| one.form == Form::Paragraph) {
                @for one in group { p { (said(one)) } }
            } @else if is_ordered {
                ol { (items(group)) }
            } @else {
                ul { (items(group)) }
            }
        }
    }
}

fn items(group: &[Statement]) -> Markup {
    let mut items: Vec<(&Statement, Vec<&Statement>)> = Vec::new();
    for one in group {
        match items.last_mut() {
            Some((_, below)) if one.form == Form::Detail => below.push(one),
            _ => items.push((one, Vec::new())),
        }
    }
    html! {
        @for (one, below) in items {
            li { (said(one)) @if !below.is_empty() { ul { @for one in below { li { (said(one)) } } } } }
        }
    }
}

fn said(one: &Statement) -> Markup {
    html! { @if let Some(label) = &one.label { strong { (marked(label)) } " " } (marked(&one.text)) }
}

/// The form of the numbers.
fn knobs(view: &TuningView, details: &ProfileDetails) -> Markup {
    let set = |path: &str| view.change.as_ref().and_then(|change| change.settings.get(path));
    let chosen = view.change.as_ref().and_then(|change| change.run.as_ref());
    html! {
        section aria-labelledby="knobs" {
            h2 #knobs { "Thresholds, limits and weights" }
            p.soft { "Change some of them to see what would differ on a recorded run. The profile itself stays as it is." }
            form.settings method="get" action=(format!("/profiles/{}#differs", in_address(&view.name))) {
                div.fields {
                    @for knob in &details.knobs {
                        @let id = format!("knob-{}", knob.path);
                        @let changed = set(&knob.path);
                        div class=[changed.map(|_| "changed")] {
                            label for=(id) { code { (outside(&knob.path)) } }
                            input id=(id) name=(knob.path) type="text" inputmode="decimal" size="8" autocomplete="off" required
                                pattern=[is_plain(&knob.value).then_some("[A-Za-z0-9.+\\-]+")] title="A number such as 0.95 (with a decimal point), or a duration such as 30s"
                                value=(changed.unwrap_or(&knob.value)) aria-describedby=(format!("{id}-origin"));
                            span.soft id=(format!("{id}-origin")) { " " (knob.value) ", " (outside(&knob.origin)) }
                        }
                    }
                }
                div {
                    label for="run" { "Recorded run" }
                    select id="run" name="run" {
                        @for run in &view.runs {
                            option value=(run.id) selected[chosen.is_some_and(|chosen| *chosen == run.id.as_str())] {
                                (minute(&run.record.started_at)) " · " (prose::count(run.finished_documents, "document"))
                            }
                        }
                        option value="" selected[view.change.is_some() && chosen.is_none()] { "none, show only the YAML" }
                    }
                }
                p {
                    button.primary type="submit" { "Try" } " "
                    @if view.change.is_some() { a href=(format!("/profiles/{}#knobs", in_address(&view.name))) { "Back to the values of the profile" } }
                }
            }
        }
    }
}

/// Returns whether the browser may refuse anything that isn't a number or a time, so that the form keeps its other
/// values. A value of the profile that is of another kind has to be sent as it is.
fn is_plain(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
}

fn changed(identity: &Identity, view: &TuningView, change: &ChangeView) -> Markup {
    html! {
        section aria-labelledby="differs" {
            h2 #differs { "What would differ" }
            ul {
                @for (path, value) in &change.settings { li { code { (outside(path)) } " set to " strong { (outside(value)) } } }
            }
            @match &change.trial {
                None => p.soft { "Choose a recorded run to see which of its documents would end differently." },
                Some(Err(refused)) => (refusal(refused)),
                Some(Ok(trial)) => (tried(change, trial)),
            }
        }
        section aria-labelledby="yaml" {
            h2 #yaml { "As YAML" }
            @match (&change.trial, &change.text) {
                (Some(Err(_)), _) => p.soft { "There is no YAML until every value is valid." },
                (_, Err(refused)) => (refusal(refused)),
                (_, Ok((before, after))) => (yaml(identity, view, change, (&before.file, &before.text, after))),
            }
        }
    }
}

fn tried(change: &ChangeView, trial: &PolicyTrial) -> Markup {
    let row = |name: &str, of: &dyn Fn(&TrialSums) -> String| {
        vec![html! { (name) }, html! { (of(&trial.before)) }, html! { (of(&trial.after)) }]
    };
    let documents = trial.documents;
    let mean = |sum: f64, count: u64| {
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
        let mean = (count > 0).then(|| sum / count as f64);
        mean
    };
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    let rows = vec![
        row("Passed", &|sums| format!("{} ({})", thousands(sums.passed), percent(sums.passed, documents))),
        row("Not passed", &|sums| thousands(sums.not_passed)),
        row("Unknown", &|sums| thousands(sums.unknown)),
        row("Candidates per document", &|sums| {
            mean(sums.iterations as f64, trial.compared)
                .map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"))
        }),
        row("Mean score", &|sums| score(mean(sums.score, sums.scored))),
        row("Cost", &|sums| money(sums.cost_usd, sums.calls, sums.calls_of_unknown_cost)),
        row("Time per document", &|sums| time(sums.elapsed_ms.checked_div(trial.compared))),
    ];
    let run = change.run.as_deref().unwrap_or_default();
    let moved: Vec<Vec<Markup>> = (trial.moved.iter())
        .map(|moved| {
            let (was, is) = (&moved.before, &moved.after);
            vec![
                html! { a href=(format!("/runs/{}/{}", in_address(run), in_address(&moved.id))) { (outside(&moved.id)) } },
                end(was),
                html! { (end(is)) @if let Some(differs) = differs(was, is) { span.soft { " (" (differs) ")" } } },
                html! { (was.iterations) " → " (is.iterations) },
                html! { (score(was.overall)) " → " (score(is.overall)) },
                html! { (money(was.cost_usd, 0, 0)) " → " (money(is.cost_usd, 0, 0)) },
            ]
        })
        .collect();
    let caption = if trial.compared == documents {
        "The run, now and with the change".to_owned()
    } else {
        format!(
            "Now and with the change; candidates, score, cost and time are of the {} whose outcome is known",
            prose::count(trial.compared, "document")
        )
    };
    html! {
        p {
            strong { (thousands(trial.differ)) } " of " (prose::count(documents, "document")) " would end differently"
            @if trial.after.unknown > 0 { "; for " (thousands(trial.after.unknown)) " this is unknown" }
            "."
        }
        @if trial.left_out > 0 { p.soft { "The run has " (thousands(trial.left_out)) " more, on which the change was not tried." } }
        @if trial.without_candidate > 0 { p.soft { "Without a candidate, so that no policy decides about them: " (prose::count(trial.without_candidate, "document")) "." } }
        @if trial.after.unknown > 0 {
            p.soft {
                "How these would end is not in the record, and not guessed"
                @if !trial.told_otherwise.is_empty() { ": their feedback would be different (" (trial.told_otherwise.join(", ")) ")" }
                ". Run the documents again to find out."
            }
        }
        (page_table(&caption, &[columns(""), figures("Now | With the change")].concat(), rows))
        @if !moved.is_empty() {
            @let more = trial.differ.saturating_sub(moved.len() as u64);
            (page_table("Documents that would end differently", &[columns("Document | Now | With the change"), figures("Candidates | Score | Cost")].concat(), moved))
            @if more > 0 { p.soft { "and " (thousands(more)) " more" } }
        }
    }
}

/// The differences between ends that read alike: another candidate is returned, or more or fewer are made.
fn differs(was: &TrialEnd, is: &TrialEnd) -> Option<String> {
    if (was.status, &was.reason) != (is.status, &is.reason) {
        return None;
    }
    let mut differs = Vec::new();
    if was.iterations != is.iterations {
        differs.push(format!("with {} candidates, not {}", is.iterations, was.iterations));
    }
    if was.best != is.best {
        let name = |best: Option<usize>| best.map_or_else(|| "none".to_owned(), |best| best.to_string());
        differs.push(format!("returns candidate {}, not {}", name(is.best), name(was.best)));
    }
    (!differs.is_empty()).then(|| differs.join(", "))
}

fn end(end: &TrialEnd) -> Markup {
    let class = match end.status {
        None => "soft",
        Some(status) if status.passes() => "good",
        Some(_) => "warn",
    };
    let status = end.status.map_or("unknown", |status| status.as_str());
    html! {
        span class=(class) { (status.replace('_', " ")) }
        @if !status.starts_with(&end.reason) { ": " (outside(&end.reason.replace('_', " "))) }
    }
}

fn yaml(
    identity: &Identity,
    view: &TuningView,
    change: &ChangeView,
    (file, before, after): (&str, &str, &str),
) -> Markup {
    let query: Vec<String> = change
        .settings
        .iter()
        .map(|(path, value)| format!("{}={}", in_address(path), in_address(value)))
        .collect();
    let address = format!("/profiles/{}/yaml?{}", in_address(&view.name), query.join("&"));
    html! {
        p { "What changes in " code { (outside(file)) } ":" }
        pre.diff tabindex="0" aria-label="What changes in the file" {
            @for line in diff(before, after) {
                @match line {
                    DiffLine::Same(text) => span { "  " (text) "\n" },
                    DiffLine::Removed(text) => del { "- " (text) "\n" },
                    DiffLine::Added(text) => ins { "+ " (text) "\n" },
                    DiffLine::Gap => span.soft { "  …\n" },
                }
            }
        }
        p {
            button type="button" data-copy="#whole-yaml" { "Copy the whole file" } " "
            a.button href=(address) { "Download" }
            span #copied role="status" {}
        }
        details { summary { "The whole file" } pre #whole-yaml tabindex="0" { (after) } }
        @if identity.may(AccessRole::Admin) {
            form.settings method="post" action=(format!("/profiles/{}/save", in_address(&view.name))) {
                @for (path, value) in &change.settings { input type="hidden" name=(path) value=(value); }
                label for="save-name" { "Save as a new profile of this project" }
                input id="save-name" name="name" required maxlength="60" pattern="[a-z][a-z0-9]*(-[a-z0-9]+)*" autocomplete="off"
                    placeholder=(format!("our-{}", view.name)) aria-describedby="save-help";
                " " button type="submit" { "Save" }
                p.soft #save-help { "Lowercase letters, digits and hyphens. It is saved as " code { "profiles/NAME.yaml" } " in the folder in which the service was started; an existing file is never changed." }
            }
        }
    }
}
