//! The questions that a person answers before a document is accepted: rows at the top of the desk.

use super::document_page::DeskPage;
use super::forms::hidden;
use super::words;
use crate::pages::outside;
use crate::review::ShownQuestion;
use maud::{Markup, html};

/// The rows, with their heading.
pub(super) fn questions(page: &DeskPage<'_>) -> Markup {
    let unchecked = page.open_unchecked();
    html! {
        @if !page.shown.questions.is_empty() || unchecked > 0 {
            h3 { "Answer first" }
            ol.desk-list {
                @for (at, question) in page.shown.questions.iter().enumerate() { (row(question, at, page)) }
                @if unchecked > 0 { (compare(unchecked, page)) }
            }
        }
    }
}

fn row(question: &ShownQuestion, at: usize, page: &DeskPage<'_>) -> Markup {
    let (title, more) = words::question(question);
    let answer = question.answer.as_ref();
    let class = if answer.is_some() {
        "desk-field desk-question decided"
    } else {
        "desk-field desk-question in-doubt"
    };
    let said = answer.map(|answer| page.by(&answer.reviewer));
    let spoken = match &said {
        Some(by) => format!("{title}: not a problem, answered by {by}"),
        None => format!("{title}: not answered"),
    };
    html! {
        li class=(class) id={ "question-" (at) } tabindex="-1" data-field={ "issue:" (question.issue) } data-number=(page.question_number(at)) data-open[answer.is_none()] aria-label=(spoken) {
            h4 { (outside(&title)) }
            @if let Some(more) = &more { p { (outside(more)) } }
            @if let Some(place) = &question.place {
                @let [before, text, after] = place.parts();
                p.desk-passage { "“" (outside(before)) mark.chosen { (outside(text)) } (outside(after)) "”" }
            }
            @if let (Some(answer), Some(by)) = (answer, &said) {
                p.desk-marks { span.support.held { "not a problem, answered by " (outside(by)) } }
                @if let Some(comment) = &answer.comment { p.soft { (outside(comment)) } }
            }
            @if page.is_own && answer.is_none() { (answers(question, at, page)) }
        }
    }
}

fn answers(question: &ShownQuestion, at: usize, page: &DeskPage<'_>) -> Markup {
    let again = page.again.filter(|again| again.submitted.issue == question.issue);
    let is_wrong = again.is_some();
    let (holds, reject) = (format!("holds-{at}"), format!("question-reject-{at}"));
    html! {
        div.desk-actions {
            @if question.needs_reason {
                details.desk-edit open[is_wrong] {
                    summary data-key="a" { "Not a problem " kbd { "a" } }
                    form method="post" action=(page.address("decide")) {
                        (hidden(page, ""))
                        input type="hidden" name="issue" value=(question.issue);
                        label for=(holds) { "Why it is not a problem" }
                        input id=(holds) name="comment" type="text" autocomplete="off" aria-required="true" aria-invalid=[is_wrong.then_some("true")] value=(again.map(|again| again.submitted.comment.as_str()).unwrap_or_default());
                        @if is_wrong { p.desk-wrong role="alert" { "Say why it is not a problem, so that others know." } }
                        button type="submit" name="decision" value="holds" { "Not a problem" }
                    }
                }
            } @else {
                form method="post" action=(page.address("decide")) {
                    (hidden(page, ""))
                    input type="hidden" name="issue" value=(question.issue);
                    button type="submit" name="decision" value="holds" data-key="a" { "Not a problem " kbd { "a" } }
                }
            }
            details.desk-edit {
                summary data-key="r" { "Reject the document " kbd { "r" } }
                form method="post" action=(page.address("decide")) {
                    (hidden(page, ""))
                    label for=(reject) { "Why it can't be used" }
                    input id=(reject) name="comment" type="text" autocomplete="off" aria-required="true";
                    button type="submit" name="decision" value="reject" { "Reject, next" }
                }
            }
        }
    }
}

/// One answer for all values that nothing has checked: that each was compared.
fn compare(count: usize, page: &DeskPage<'_>) -> Markup {
    let title = match count {
        1 => "1 value has not been checked".to_owned(),
        count => format!("{count} values have not been checked"),
    };
    html! {
        li.desk-field.desk-question.in-doubt id="compare" tabindex="-1" data-field="compared" data-number="compared" data-open aria-label={ (title) ": not answered" } {
            h4 { (title) }
            p { "Only you can tell whether they are right. Decide about each of them, or compare all of them with the document and confirm that here." }
            @if page.is_own {
                div.desk-actions {
                    form method="post" action=(page.address("decide")) {
                        (hidden(page, ""))
                        button type="submit" name="decision" value="compared" data-key="A" {
                            @if count == 1 { "I compared it with the document " } @else { "I compared all " (count) " with the document " }
                            kbd { "A" }
                        }
                    }
                }
            }
        }
    }
}
