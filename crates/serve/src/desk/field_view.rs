//! A field of a document with what can be decided about it.

use super::check::{RedisplayedForm, ValueCheck};
use super::differ_view;
use super::document_page::DeskPage;
use super::forms::{hidden, hint, outcome, shown, value_input};
use super::words;
use crate::pages::{marked, outside};
use crate::review::{Action, FieldInput, FieldPath, How, NOT_LOOKED_FOR, Reviewed, ShownField};
use maud::{Markup, html};
use serde_json::Value;

/// A field as the page shows it.
pub(super) struct FieldView<'a> {
    /// Its number on the page, from 0.
    pub(super) number: usize,
    pub(super) path: FieldPath,
    pub(super) shown: &'a ShownField,
    /// The decision that holds, if there is one: who, what, which value.
    pub(super) held: Option<EffectiveDecision>,
    /// The input for a value of it.
    pub(super) input: FieldInput,
}

/// The decision about a field that holds.
pub(super) struct EffectiveDecision {
    pub(super) reviewer: String,
    pub(super) action: Action,
    pub(super) value: Option<Value>,
    /// The way it was accepted: after an inspection of the field, or with its document.
    how: How,
    /// `true` if it is the last word where reviewers differed.
    settles: bool,
}

impl FieldView<'_> {
    /// Returns the decision about a field that holds.
    pub(super) fn held(reviewed: &Reviewed, path: &FieldPath) -> Option<EffectiveDecision> {
        let holds = reviewed.field(path)?.holds()?;
        Some(EffectiveDecision {
            reviewer: holds.reviewer.clone(),
            action: holds.action,
            value: holds.value.clone(),
            how: holds.how,
            settles: holds.settles,
        })
    }

    /// Its name without what contains it.
    fn name(&self) -> String {
        self.path.last()
    }

    /// The name of what contains it; `None` at the top.
    pub(super) fn group(&self) -> Option<String> {
        let steps: Vec<&str> = self.path.pointer().split('/').skip(1).collect();
        let (_, above) = steps.split_last()?;
        let named = above.iter().map(|step| match step.parse::<usize>() {
            Ok(number) => (number + 1).to_string(),
            Err(_) => step.replace("~1", "/").replace("~0", "~"),
        });
        Some(named.collect::<Vec<_>>().join(" ")).filter(|group| !group.is_empty())
    }

    /// The current value.
    pub(super) fn current(&self) -> Option<&Value> {
        match &self.held {
            Some(held) => held.value.as_ref(),
            None => self.shown.value.as_ref(),
        }
    }

    /// Returns whether a decision has replaced the value that support and issues are about, or says that there is none.
    fn is_answered(&self) -> bool {
        let is_absent = |held: &EffectiveDecision| held.action == Action::NotPresent;
        self.held.as_ref().is_some_and(|held| held.value != self.shown.value || is_absent(held))
    }

    /// For a screen reader, in one line.
    fn spoken(&self, reviewer: &str) -> String {
        let mut parts = vec![format!("{}: {}", words::named(&self.path), shown(self.current()))];
        if self.shown.unchecked {
            parts.push(NOT_CHECKED.to_owned());
        }
        if self.shown.disputed {
            parts.push("reviewers differ".to_owned());
        }
        if !self.is_answered() {
            parts.extend(self.shown.support.map(|support| in_words(support).0.to_owned()));
        }
        let issues = if self.is_answered() { 0 } else { self.shown.issues.len() };
        match issues {
            0 => {}
            1 => parts.push("1 issue".to_owned()),
            more => parts.push(format!("{more} issues")),
        }
        if !self.shown.rivals.is_empty() {
            parts.push("the document also says another value".to_owned());
        }
        parts.push(self.held.as_ref().map_or_else(|| "not decided".to_owned(), |held| held.said(reviewer)));
        parts.join(", ")
    }
}

impl EffectiveDecision {
    /// Describes it in words, for the reviewer who reads them.
    pub(super) fn said(&self, reviewer: &str) -> String {
        let what = match self.action {
            _ if self.settles => "settled",
            Action::Accept if self.how == How::Swept => "accepted with the document",
            Action::Accept => "accepted",
            Action::Edit => "edited",
            Action::NotPresent => "not in the document",
            Action::Missed => "added",
            other => other.as_str(),
        };
        if self.reviewer == reviewer {
            format!("{what} by you")
        } else {
            format!("{what} by {}", self.reviewer)
        }
    }
}

/// The words for a value that has no support.
const NOT_CHECKED: &str = "not checked";

/// Describes the support of a value in words, and what that means.
fn in_words(support: &'static str) -> (&'static str, &'static str) {
    match support {
        "verified" => {
            ("found in the text", "A passage says this value. That does not mean that it is right.")
        }
        "entailed" => ("a judge found it in the text", "A judge says that a passage supports the value."),
        "undecided" => (
            "in the text, but perhaps not of this field",
            "The text has the value, or its quote; nothing proves that it refers to this field.",
        ),
        "conflicting" => {
            ("the text contradicts itself", "One passage says this value, another says something else.")
        }
        "unsupported" => ("not found in the text", "No passage says this value."),
        "contradicted" => ("the text says otherwise", "A passage says a different value, or the opposite."),
        other => (other, ""),
    }
}

/// A field of the list.
pub(super) fn field(view: &FieldView<'_>, page: &DeskPage<'_>) -> Markup {
    let (number, reviewer) = (view.number, page.reviewer);
    let class = match &view.held {
        Some(_) if view.shown.disputed => "desk-field in-doubt",
        Some(_) => "desk-field decided",
        None if view.shown.is_doubtful() => "desk-field in-doubt",
        None => "desk-field",
    };
    html! {
        li class=(class) id={ "field-" (number) } tabindex="-1" data-field=(view.path) data-number=(number) data-open[view.held.is_none() && view.shown.must_be_decided()] aria-label=(view.spoken(reviewer)) {
            div.desk-value {
                h4 { (outside(&view.name())) }
                div {
                    @match &view.held {
                        Some(held) if held.value != view.shown.value => {
                            @if let Some(before) = &view.shown.value { del { (outside(&shown(Some(before)))) } " " }
                            @match &held.value {
                                Some(value) => ins { (outside(&shown(Some(value)))) },
                                None => span.soft { "not in the document" },
                            }
                        }
                        _ => span { (outside(&shown(view.shown.value.as_ref()))) }
                    }
                }
                p.desk-marks {
                    @if let (Some(support), false) = (view.shown.support, view.is_answered()) { span class={ "support " (support) } title=(in_words(support).1) { (in_words(support).0) } }
                    @if view.shown.unchecked { span.support.unchecked title="Nothing has looked for this value in the document." { (NOT_CHECKED) } }
                    @if view.shown.how == Some(NOT_LOOKED_FOR) { span.support { "not looked for" } }
                    @if view.shown.disputed { span.support.contradicted { "reviewers differ" } }
                    @if let Some(held) = &view.held { span.support.held { (outside(&held.said(reviewer))) } }
                }
            }
            @if let (None, Some(quote)) = (&view.shown.place, &view.shown.quote) {
                p.soft { @if view.shown.is_own_quote { "quoted by the model, not looked up: “" } @else { "quote: “" } (outside(quote)) "”" }
            }
            @if let Some(elsewhere) = page.pages.as_ref().and_then(|pages| pages.page_elsewhere(number)) {
                p.soft { a href=(page.address_of_page(elsewhere)) { "Show it on page " (elsewhere) } }
            }
            @if let Some(place) = view.shown.place.as_ref().filter(|place| !page.shows(place.start)) {
                @let [before, text, after] = place.parts();
                p.soft { "“" (outside(before)) strong { (outside(text)) } (outside(after)) "” " a href=(page.address_of_text(place.start.saturating_sub(2_000))) { "Show it in the text" } }
            }
            @if view.shown.disputed { (differ_view::positions(view, page)) }
            @for rival in &view.shown.rivals {
                p.desk-rival { "also says " strong { (outside(&rival.value)) } " in line " (rival.place.line) }
            }
            @if !view.shown.issues.is_empty() {
                ul.desk-issues {
                    @for issue in &view.shown.issues { li class=(if view.is_answered() { "was" } else { issue.severity }) { @if view.is_answered() { "was: " } span.severity { (issue.severity) } " " (marked(&issue.message)) } }
                }
            }
            @for decision in &view.shown.decisions {
                @if let (false, Some(comment)) = (view.shown.disputed, &decision.comment) {
                    p.soft { (outside(&decision.reviewer)) ": " (outside(comment)) }
                }
            }
            @if page.is_own { (actions(view, page)) }
        }
    }
}

fn actions(view: &FieldView<'_>, page: &DeskPage<'_>) -> Markup {
    let name = view.path.to_string();
    let has_value = view.current().is_some();
    // A value that was extracted is edited; one that was not is missed, however often it is decided.
    let change = if view.shown.value.is_some() { Action::Edit } else { Action::Missed };
    let word = if change == Action::Edit { "Edit" } else { "Add the value" };
    if view.shown.disputed && page.may_settle {
        return html! {
            div.desk-actions {
                (differ_view::settle_field(view, page))
                (edit(view, page, change, "Another answer"))
            }
        };
    }
    html! {
        div.desk-actions {
            form method="post" action=(page.address("decide")) {
                (hidden(page, &name))
                @if has_value { button type="submit" name="decision" value="accept" data-key="a" { "Accept " kbd { "a" } } " " }
                button type="submit" name="decision" value="not_present" data-key="n" { "Not in the document " kbd { "n" } }
            }
            @if view.shown.value.is_some() || view.held.is_none() || has_value {
                (edit(view, page, change, word))
            }
            (comment(view, page))
        }
    }
}

fn edit(view: &FieldView<'_>, page: &DeskPage<'_>, change: Action, word: &str) -> Markup {
    let name = view.path.to_string();
    let again = page
        .again
        .filter(|again| again.submitted.field == name && again.submitted.decision == change.as_str());
    let id = format!("after-{}", view.number);
    let typed = match again {
        Some(again) => again.submitted.after.clone(),
        None => view.current().map(|value| view.input.typed(value)).unwrap_or_default(),
    };
    let is_wrong = again.is_some_and(|again| matches!(again.typed, ValueCheck::Invalid(..)));
    html! {
        details.desk-edit open[again.is_some()] {
            summary data-key="e" { (word) " " kbd { "e" } }
            form method="post" action=(page.address("check")) {
                (hidden(page, &name))
                @if view.shown.disputed && page.may_settle { input type="hidden" name="settles" value="yes"; }
                label for=(id) { "The correct value of " (view.name()) @if let Some(hint) = hint(&view.input) { span.soft { " (" (hint) ")" } } }
                (value_input(&view.input, &id, &typed, is_wrong))
                (note(&format!("note-{}", view.number), again))
                button type="submit" name="decision" value=(change.as_str()) { "Check" }
                (outcome(again, &id, &page.address("decide")))
            }
        }
    }
}

/// A comment that goes with a decision.
pub(super) fn note(id: &str, again: Option<&RedisplayedForm>) -> Markup {
    html! {
        label for=(id) { "Comment " span.soft { "(optional)" } }
        input id=(id) name="comment" type="text" autocomplete="off" value=(again.map(|again| again.submitted.comment.as_str()).unwrap_or_default());
    }
}

fn comment(view: &FieldView<'_>, page: &DeskPage<'_>) -> Markup {
    let id = format!("comment-{}", view.number);
    html! {
        details.desk-edit {
            summary data-key="c" { "Comment " kbd { "c" } }
            form method="post" action=(page.address("decide")) {
                (hidden(page, &view.path.to_string()))
                label for=(id) { "Comment on " (view.name()) }
                input id=(id) name="comment" type="text" autocomplete="off" required;
                button type="submit" name="decision" value="comment" { "Save the comment" }
            }
        }
    }
}
