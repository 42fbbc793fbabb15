//! The differences between reviewers, and how an adjudicator settles them.

use super::document_page::DeskPage;
use super::field_view::FieldView;
use super::forms::{hidden, shown};
use crate::pages::outside;
use crate::review::ShownDecision;
use crate::value::canonical;
use maud::{Markup, html};

/// The answers of all reviewers about a field, side by side.
pub(super) fn positions(view: &FieldView<'_>, page: &DeskPage<'_>) -> Markup {
    html! {
        dl.desk-positions {
            @for said in &view.shown.decisions {
                div {
                    dt { (outside(&page.by(&said.reviewer))) }
                    dd {
                        strong { (value(said)) }
                        @if said.how == crate::review::How::Swept { span.soft { " (accepted with the document)" } }
                        @if let Some(comment) = &said.comment { span.soft { " " (outside(comment)) } }
                    }
                }
            }
        }
        @if !page.may_settle { p.soft { "Reviewers differ, and an adjudicator has the last word. If you have changed your mind, decide again." } }
    }
}

fn value(said: &ShownDecision) -> Markup {
    match &said.value {
        Some(value) => outside(&shown(Some(value))),
        None => html! { "not in the document" },
    }
}

/// The answers that an adjudicator can take, each value once.
pub(super) fn settle_field(view: &FieldView<'_>, page: &DeskPage<'_>) -> Markup {
    let mut seen = Vec::new();
    let mut answers: Vec<&ShownDecision> = Vec::new();
    for said in &view.shown.decisions {
        let written = said.value.as_ref().map(canonical);
        if !seen.contains(&written) {
            seen.push(written);
            answers.push(said);
        }
    }
    let says_absent = answers.iter().any(|said| said.value.is_none());
    let id = format!("settle-{}", view.number);
    let name = view.path.to_string();
    let is_here = |decision: &str| decision.starts_with("take:") || decision == "not_present";
    let again =
        page.again.filter(|again| again.submitted.field == name && is_here(&again.submitted.decision));
    html! {
        form.desk-settle method="post" action=(page.address("decide")) {
            (hidden(page, &name))
            input type="hidden" name="settles" value="yes";
            label for=(id) { "Why" }
            input id=(id) name="comment" type="text" autocomplete="off" required aria-invalid=[again.map(|_| "true")] value=(again.map(|again| again.submitted.comment.as_str()).unwrap_or_default());
            @for (number, said) in (1..).zip(&answers) {
                button type="submit" name="decision" value={ "take:" (said.reviewer) } data-key=(number) { (value(said)) " " kbd { (number) } }
                " "
            }
            @if !says_absent { button type="submit" name="decision" value="not_present" data-key="n" { "Not in the document " kbd { "n" } } }
        }
    }
}

/// The verdicts of reviewers on the document as a whole, where one accepted and one rejected it.
pub(super) fn whole(page: &DeskPage<'_>) -> Markup {
    if !page.reviewed.differs_as_a_whole() {
        return html! {};
    }
    let again =
        page.again.filter(|again| again.submitted.field.is_empty() && !again.submitted.settles.is_empty());
    html! {
        ol.desk-list {
            li.desk-field.desk-question.in-doubt tabindex="-1" data-field="whole" data-number="whole" data-open aria-label="Reviewers differ on the document as a whole" {
                h4 { "Reviewers differ on the document as a whole" }
                dl.desk-positions {
                    @for whole in page.reviewed.wholes() {
                        div {
                            dt { (outside(&page.by(&whole.reviewer))) }
                            dd {
                                strong { @if whole.is_accepted { "accepted it" } @else { "rejected it" } }
                                @if let Some(comment) = &whole.comment { span.soft { " " (outside(comment)) } }
                            }
                        }
                    }
                }
                @if page.is_own && page.may_settle {
                    div.desk-actions {
                        form.desk-settle method="post" action=(page.address("decide")) {
                            (hidden(page, ""))
                            input type="hidden" name="settles" value="yes";
                            label for="settle-whole" { "Why" }
                            input id="settle-whole" name="comment" type="text" autocomplete="off" required aria-invalid=[again.map(|_| "true")];
                            button type="submit" name="decision" value="accept" data-key="1" { "Accept " kbd { "1" } }
                            " "
                            button type="submit" name="decision" value="reject" data-key="2" { "Reject " kbd { "2" } }
                        }
                    }
                } @else {
                    p.soft { "An adjudicator has the last word." }
                }
            }
        }
    }
}
