//! Decisions about a document as a whole, and values that the extraction lacks.

use super::check::ValueCheck;
use super::document_page::DeskPage;
use super::field_view::note;
use super::forms::{hidden, outcome, value_input};
use super::words::named;
use crate::pages::outside;
use crate::review::{FieldInput, FieldPath};
use maud::{Markup, html};

/// Keys of the page, with what each does.
const KEYS: [(&str, &str); 15] = [
    ("j", "next field"),
    ("k", "previous field"),
    ("a", "accept the field; on a question, say that it is not a problem"),
    ("A", "confirm that you compared all values that nothing has checked"),
    ("e", "edit the field"),
    ("n", "the value is not in the document"),
    ("m", "add a value that was missed"),
    ("g", "go to the evidence in the document"),
    ("c", "comment on the field"),
    ("u", "undo your latest decision"),
    ("1, 2", "choose an answer where reviewers differ"),
    ("w", "say that the document has another type"),
    ("r", "reject the document"),
    ("Enter", "accept the document and go to the next one"),
    ("?", "show these keys"),
];

/// Keys of a page that shows the pages of a document.
const PAGE_KEYS: [(&str, &str); 4] = [
    ("+, -, 0", "show pages larger, smaller, as wide as there is room"),
    ("t", "turn the page"),
    ("p", "go to a page"),
    ("v", "show the text, or the pages"),
];

/// The most fields that a question names.
const MOST_NAMED: usize = 20;

/// The bar below the fields.
pub(super) fn bar(page: &DeskPage<'_>) -> Markup {
    html! {
        section.desk-bar aria-label="The document as a whole" {
            @if page.confirm_empty || !page.confirm.is_empty() { (confirm(page)) }
            @if let Some(left) = page.left() { p.desk-left { "Not answered yet: " (left) "." } }
            @if page.is_own {
                form method="post" action=(page.address("decide")) {
                    (hidden(page, ""))
                    button.primary type="submit" name="decision" value="accept" data-key="Enter" { "Accept the document, next " kbd { "Enter" } }
                    " "
                    button type="submit" name="decision" value="undo" data-key="u" { "Undo " kbd { "u" } }
                }
                (missed(page))
                (retype(page))
                (reject(page))
            }
            details.desk-edit {
                summary data-key="?" { "Keys " kbd { "?" } }
                @let of_pages = PAGE_KEYS.iter().filter(|_| page.pages.is_some());
                dl.desk-keys { @for (key, what) in KEYS.iter().chain(of_pages) { div { dt { kbd { (key) } } dd { (what) } } } }
            }
        }
    }
}

/// Asks once before a document is accepted with fields in doubt that no one decided about.
fn confirm(page: &DeskPage<'_>) -> Markup {
    html! {
        form.desk-confirm method="post" action=(page.address("decide")) role="alertdialog" aria-labelledby="confirm-title" {
            (hidden(page, ""))
            input type="hidden" name="confirmed" value="yes";
            p id="confirm-title" {
                @if page.confirm_empty { "Nothing was extracted from this document. " }
                @if page.confirm.is_empty() { "Accepting it confirms that it has no values." }
                @else if page.confirm.len() == 1 { "One value in doubt has not been decided: " } @else { (page.confirm.len()) " values in doubt have not been decided: " }
                @for (at, field) in page.confirm.iter().take(MOST_NAMED).enumerate() {
                    @if at > 0 { ", " }
                    @match page.fields.iter().find(|view| view.path == *field) {
                        Some(view) => a href={ "#field-" (view.number) } { (outside(&named(field))) },
                        None => (outside(&named(field)))
                    }
                }
                @if page.confirm.len() > MOST_NAMED { " and " (page.confirm.len() - MOST_NAMED) " more" }
            }
            p {
                a href=(page.address("")) data-focus { "Go back" }
                " "
                button type="submit" name="decision" value="accept" {
                    @if page.confirm_empty { "Accept it without values" } @else { "Accept all values unchanged" }
                }
            }
        }
    }
}

fn missed(page: &DeskPage<'_>) -> Markup {
    let again = page.again.filter(|again| {
        again.submitted.decision == "missed"
            && !page.fields.iter().any(|view| view.path.to_string() == again.submitted.field)
    });
    let name = again.map(|again| again.submitted.field.as_str()).unwrap_or_default();
    let input = match name {
        "" => FieldInput::Text(Vec::new()),
        name => {
            FieldInput::of(&page.open.document, &FieldPath::named(name), page.open.profile.plan.as_deref())
        }
    };
    let wrong = again.and_then(|again| match &again.typed {
        ValueCheck::Invalid(column, _) => Some(column.as_deref().unwrap_or("field")),
        ValueCheck::Checked(_) => None,
    });
    let typed = again.map(|again| again.submitted.after.as_str()).unwrap_or_default();
    html! {
        details.desk-edit open[again.is_some()] {
            summary data-key="m" { "Add a missed value " kbd { "m" } }
            form method="post" action=(page.address("check")) {
                input type="hidden" name="shown" value=(page.shown.shown);
                input type="hidden" name="seen" value=(page.open.latest);
                input type="hidden" name="spent_ms" value="";
                label for="missed-field" { "Field" }
                input id="missed-field" name="field" list="missed-fields" autocomplete="off" required value=(name) aria-invalid=[(wrong == Some("field")).then_some("true")];
                datalist id="missed-fields" { @for one in &page.lacking { option value=(one) {} } }
                label for="missed-after" { "What the document says" }
                (value_input(&input, "missed-after", typed, wrong == Some("after")))
                (note("missed-note", again))
                button type="submit" name="decision" value="missed" { "Check" }
                (outcome(again, "missed-after", &page.address("decide")))
            }
        }
    }
}

/// Corrects the type of the document.
fn retype(page: &DeskPage<'_>) -> Markup {
    let again = page.again.filter(|again| again.submitted.decision == "retype");
    let corrected = page.shown.corrected_type.as_ref().map(|corrected| corrected.document_type.as_str());
    let held = again.map(|again| again.submitted.after.as_str()).or(corrected).unwrap_or_default();
    let known: Vec<&str> =
        page.open.profile.plan.as_deref().map(|plan| plan.document_types().collect()).unwrap_or_default();
    html! {
        details.desk-edit open[again.is_some()] {
            summary data-key="w" { "Wrong type " kbd { "w" } }
            form method="post" action=(page.address("decide")) {
                (hidden(page, ""))
                label for="right-type" { "The right type, instead of " (outside(page.shown.document_type)) }
                @if known.is_empty() {
                    input id="right-type" name="after" type="text" autocomplete="off" value=(held) aria-invalid=[again.map(|_| "true")] aria-describedby=[again.map(|_| "right-type-wrong")];
                } @else {
                    select id="right-type" name="after" aria-invalid=[again.map(|_| "true")] aria-describedby=[again.map(|_| "right-type-wrong")] {
                        option value="" selected[held.is_empty()] { "Choose" }
                        @for one in known { option value=(one) selected[one == held] { (one.replace('_', " ")) } }
                    }
                }
                (note("retype-note", again))
                button type="submit" name="decision" value="retype" { "Save the type" }
                (outcome(again, "right-type", &page.address("decide")))
            }
        }
    }
}

fn reject(page: &DeskPage<'_>) -> Markup {
    let again =
        page.again.filter(|again| again.submitted.decision == "reject" && again.submitted.settles.is_empty());
    html! {
        details.desk-edit open[again.is_some()] {
            summary data-key="r" { "Reject the document " kbd { "r" } }
            form method="post" action=(page.address("decide")) {
                (hidden(page, ""))
                label for="reject-note" { "Why it can't be used" }
                input id="reject-note" name="comment" type="text" autocomplete="off" aria-required="true" aria-invalid=[again.map(|_| "true")] aria-describedby=[again.map(|_| "reject-note-wrong")];
                button type="submit" name="decision" value="reject" { "Reject, next" }
                (outcome(again, "reject-note", &page.address("decide")))
            }
        }
    }
}
