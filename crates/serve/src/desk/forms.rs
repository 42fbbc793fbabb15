//! The inputs for the value of a field, and what every form of the desk sends with it.

use super::check::{CheckedValue, RedisplayedForm, ValueCheck};
use super::document_page::DeskPage;
use crate::pages::{marked, outside, score};
use crate::review::{FieldInput, ReviewedScore};
use maud::{Markup, html};
use serde_json::Value;

/// The members that every form of the desk sends: what was shown, the latest decision, and the time it took (which the
/// page's script fills in).
pub(super) fn hidden(page: &DeskPage<'_>, field: &str) -> Markup {
    html! {
        input type="hidden" name="field" value=(field);
        input type="hidden" name="shown" value=(page.shown.shown);
        input type="hidden" name="seen" value=(page.open.latest);
        input type="hidden" name="spent_ms" value="";
    }
}

/// The input for a value, as the profile declares the field.
pub(super) fn value_input(input: &FieldInput, id: &str, typed: &str, is_wrong: bool) -> Markup {
    let described = is_wrong.then(|| format!("{id}-wrong"));
    let (described, invalid) = (described.as_deref(), is_wrong.then_some("true"));
    html! {
        @match input {
            FieldInput::Choice(known) => select id=(id) name="after" aria-invalid=[invalid] aria-describedby=[described] {
                @if typed.is_empty() { option value="" selected { "Choose" } }
                @for one in known { option value=(one) selected[one == typed] { (one) } }
            },
            FieldInput::Truth => select id=(id) name="after" aria-invalid=[invalid] aria-describedby=[described] {
                @if typed.is_empty() { option value="" selected { "Choose" } }
                @for one in ["true", "false"] { option value=(one) selected[one == typed] { (one) } }
            },
            FieldInput::Number(is_whole) => {
                @let mode = if *is_whole { "numeric" } else { "decimal" };
                input id=(id) name="after" type="text" inputmode=(mode) autocomplete="off" value=(typed) aria-invalid=[invalid] aria-describedby=[described];
            },
            FieldInput::Date => input id=(id) name="after" type="text" placeholder="2026-11-27" autocomplete="off" value=(typed) aria-invalid=[invalid] aria-describedby=[described];,
            FieldInput::Text(usual) if usual.is_empty() => textarea id=(id) name="after" rows="2" data-line aria-invalid=[invalid] aria-describedby=[described] { (typed) },
            FieldInput::Text(usual) => {
                input id=(id) name="after" type="text" list={ (id) "-usual" } autocomplete="off" value=(typed) aria-invalid=[invalid] aria-describedby=[described];
                datalist id={ (id) "-usual" } { @for one in usual { option value=(one) {} } }
            },
            FieldInput::Lines(_) => textarea id=(id) name="after" rows="4" aria-invalid=[invalid] aria-describedby=[described] { (typed) },
            FieldInput::Json => textarea.desk-json id=(id) name="after" rows="6" spellcheck="false" aria-invalid=[invalid] aria-describedby=[described] { (typed) },
        }
    }
}

/// A hint on how the input is used, where that is not plain.
pub(super) fn hint(input: &FieldInput) -> Option<&'static str> {
    match input {
        FieldInput::Lines(_) => Some("one per line"),
        FieldInput::Json => Some("as JSON"),
        FieldInput::Date => Some("a date such as 2026-11-27, or as much of it as the document gives"),
        FieldInput::Number(true) => Some("a whole number"),
        _ => None,
    }
}

/// The outcome for the value that was typed in last: why it can't be kept, or the profile's verdict on it.
pub(super) fn outcome(again: Option<&RedisplayedForm>, id: &str, decide: &str) -> Markup {
    match again.map(|again| &again.typed) {
        None => html! {},
        Some(ValueCheck::Invalid(_, why)) => {
            html! { p.desk-wrong id={ (id) "-wrong" } role="alert" { (marked(why)) } }
        }
        Some(ValueCheck::Checked(checked)) => html! {
            div.desk-checked role="group" aria-label="What the profile says about this value" {
                (checked_value(checked))
                button.primary type="submit" formaction=(decide) name="decision" value=(again.map(|again| again.submitted.decision.as_str()).unwrap_or_default()) data-focus { "Save it" }
                span.soft { " or change the value and check again" }
            }
        },
    }
}

fn checked_value(checked: &CheckedValue) -> Markup {
    html! {
        p { "This value: " strong { (outside(&shown(checked.value.as_ref()))) } }
        @match &checked.score {
            Ok(scored) => {
                p {
                    "Score of the document: " (score(checked.before)) " → " strong { (score(Some(scored.assessment.overall))) }
                    (asked(scored))
                }
                @for line in &scored.missed { p.soft { "Not met: " (line) } }
                @if checked.issues.is_empty() {
                    p.soft { "No issues remain about this field." }
                }
                ul.desk-issues { @for issue in &checked.issues { li { span.severity { (issue.severity) } " " (marked(&issue.message)) } } }
            }
            Err(why) => p.soft { "Not scored: " (why) }
        }
    }
}

/// The demands of the profile on a score: they say nothing about what the reviewer decided.
pub(super) fn asked(scored: &ReviewedScore) -> String {
    let overall = scored.missed.iter().find_map(|line| line.strip_prefix("accept.overall: "));
    match overall.and_then(|line| line.rsplit_once(" against ")) {
        _ if scored.accepted => "; everything that the profile asks for is met".to_owned(),
        Some((_, bound)) => format!("; the profile asks for {bound}"),
        None => "; something else that the profile asks for is not met".to_owned(),
    }
}

/// A value for people.
pub(super) fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "–".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.iter().all(|item| !item.is_object() && !item.is_array()) => {
            let texts =
                items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            texts.collect::<Vec<_>>().join(", ")
        }
        Some(other) => other.to_string(),
    }
}
