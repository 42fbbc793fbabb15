//! The page of a document: the document on one side, its fields on the other.

use super::address;
use super::check::Again;
use super::field_view::{FieldView, field};
use super::file_pane::{FilePane, file_pane};
use super::filter::Filter;
use super::forms::asked;
use super::just_decided::JustDecided;
use super::lease;
use super::open_document::OpenDocument;
use super::text_pane::{Mark, text_pane};
use super::whole_forms::bar;
use crate::review::{FieldInput, FieldPath, Reviewed, ReviewedScore, ShownDocument};
use crate::serve::pages::{marked, outside, score};
use crate::store::Lease;
use crate::value::sanitize_line;
use maud::{Markup, html};

/// What the page of a document shows.
pub(super) struct DeskPage<'a> {
    pub(super) open: &'a OpenDocument,
    pub(super) reviewer: &'a str,
    /// Which documents of the queue the reviewer goes through.
    pub(super) filter: &'a Filter,
    pub(super) shown: &'a ShownDocument<'a>,
    pub(super) fields: Vec<FieldView<'a>>,
    /// Who has the document, and whether that is the reviewer.
    pub(super) lease: &'a Lease,
    pub(super) is_own: bool,
    /// What the profile says of the extraction with what was decided; `None` where nothing was corrected.
    pub(super) corrected: Option<Result<ReviewedScore, String>>,
    /// A form that was sent and is shown again.
    pub(super) again: Option<&'a Again>,
    /// Fields in doubt that nobody decided about, if the reviewer is asked about them.
    pub(super) confirm: Vec<(usize, String)>,
    /// Whether the reviewer is asked because nothing was extracted.
    pub(super) confirm_empty: bool,
    /// Fields that the profile declares and the extraction lacks.
    pub(super) lacking: Vec<String>,
    /// What was just decided.
    pub(super) said: String,
    /// The document that was decided about before this one was opened.
    pub(super) after: Option<JustDecided>,
}

impl<'a> DeskPage<'a> {
    /// The page of a document that somebody has.
    pub(super) fn of(
        open: &'a OpenDocument,
        shown: &'a ShownDocument<'a>,
        (reviewer, filter): (&'a str, &'a Filter),
        lease: &'a Lease,
    ) -> Self {
        let reviewed = open.document.reviewed();
        let fields = fields(open, shown, &reviewed);
        let names = open.document.declared.names();
        let is_there = |name: &str| fields.iter().any(|view| view.path.top() == name);
        let lacking = names.into_iter().filter(|name| !is_there(name)).map(str::to_owned).collect();
        let corrected = reviewed.is_corrected(&open.document).then(|| open.score(&reviewed.extraction));
        DeskPage {
            open,
            reviewer,
            filter,
            shown,
            fields,
            lease,
            is_own: lease.reviewer == reviewer,
            corrected,
            again: None,
            confirm: Vec::new(),
            confirm_empty: false,
            lacking,
            said: String::new(),
            after: None,
        }
    }

    /// The address of something about the document.
    pub(super) fn address(&self, what: &str) -> String {
        let document = address::of_document(self.open.run.id.as_str(), self.open.document.id());
        let what = if what.is_empty() { String::new() } else { format!("/{what}") };
        format!("{document}{what}{}", self.filter.query())
    }

    /// Fields in doubt that nobody decided about.
    pub(super) fn open_doubts(&self) -> Vec<(usize, String)> {
        let doubts = self.fields.iter().filter(|view| view.is_open_doubt());
        doubts.map(|view| (view.number, view.path.to_string())).collect()
    }

    /// Whether there is no value at all, neither extracted nor added.
    pub(super) fn is_empty(&self) -> bool {
        self.fields.iter().all(|view| view.current().is_none())
    }

    fn marks(&self) -> Vec<Mark> {
        let of_field = |view: &FieldView<'_>| {
            let mark =
                |start: usize, end: usize, is_rival: bool| Mark { start, end, field: view.number, is_rival };
            let own = view.shown.place.as_ref().map(|place| mark(place.start, place.end, false));
            let rivals = view.shown.rivals.iter().map(|rival| mark(rival.place.start, rival.place.end, true));
            own.into_iter().chain(rivals).collect::<Vec<Mark>>()
        };
        self.fields.iter().flat_map(of_field).collect()
    }
}

/// Fields at the top first, then those of each part, then those that nothing was extracted for.
fn fields<'a>(open: &OpenDocument, shown: &'a ShownDocument<'a>, reviewed: &Reviewed) -> Vec<FieldView<'a>> {
    let plan = open.profile.plan.as_deref();
    let mut fields: Vec<FieldView<'a>> = shown
        .fields
        .iter()
        .map(|field| {
            let path = FieldPath::named(&field.field);
            FieldView {
                number: 0,
                shown: field,
                held: FieldView::held(reviewed, &path),
                input: FieldInput::of(&open.document, &path, plan),
                path,
            }
        })
        .collect();
    fields.sort_by_key(|view| match (view.shown.value.is_some(), view.group()) {
        (true, None) => 0,
        (true, Some(_)) => 1,
        (false, _) => 2,
    });
    (0..).zip(&mut fields).for_each(|(number, view)| view.number = number);
    fields
}

/// The whole page.
pub(super) fn document_page(page: &DeskPage<'_>) -> Markup {
    let (shown, open) = (page.shown, page.open);
    html! {
        link rel="stylesheet" href="/assets/desk.css";
        div.desk-head {
            h1 { (outside(shown.document)) }
            p.desk-back { a href={ "/review" (page.filter.query()) } { "Back to the list" } }
            dl.facts {
                div { dt { "type" } dd { (outside(shown.document_type)) } }
                div { dt { "run" } dd { (shown.run) } }
                div { dt { "ended" } dd { (shown.final_status) " (" (shown.stop_reason) ")" } }
                div { dt { "score" } dd { (score(shown.overall)) } }
                @if !shown.reasons.is_empty() {
                    div { dt { "waits because" } dd { (reasons(page)) } }
                }
            }
        }
        @if open.is_blind {
            p.desk-note { "A second look: what the first reviewer decided is shown when you are done." }
        }
        @for said in open.document.result.message.iter().chain(&open.document.result.detail) {
            p.desk-note { (marked(said)) }
        }
        @if let Some(why) = &open.profile.differs {
            p.desk-note { "Note: " (marked(why)) ", so corrected values are not scored." }
        }
        p #said role="status" aria-live="polite" class="desk-said" { @if let Some(after) = &page.after { (after.line()) } @else { (page.said) } }
        div #desk data-renew=(page.address("lease")) data-release=(page.address("release")) data-until=(page.lease.until_ms) data-own=(page.is_own) data-taken=(taken(page)) {
            section.desk-document aria-label="Document" tabindex="0" { (document(page)) }
            (fields_pane(page))
        }
    }
}

/// What a key says where somebody else has the document.
fn taken(page: &DeskPage<'_>) -> String {
    let (who, until) = (sanitize_line(&page.lease.reviewer), lease::until(page.lease));
    format!("{who} is reviewing this document until {until}, so you can't decide about it.")
}

fn reasons(page: &DeskPage<'_>) -> String {
    let words = Filter::reasons();
    let said = page.shown.reasons.iter().map(|reason| {
        let word = reason.as_str();
        words.iter().find(|(known, _)| *known == word).map_or(word, |(_, said)| *said)
    });
    said.collect::<Vec<_>>().join("; ")
}

fn document(page: &DeskPage<'_>) -> Markup {
    let file = FilePane::of(&page.open.source, page.address("file"));
    html! {
        @if let Some(pane) = &file {
            (file_pane(pane))
        } @else if let Some(text) = page.open.source.text() {
            (text_pane(text, &page.marks()))
        } @else {
            p.empty { "The document can't be shown: " (marked(page.shown.without_text.as_deref().unwrap_or("it has no text"))) "." }
        }
    }
}

/// The fields, with what can be decided: what the page's script replaces after each decision.
pub(super) fn fields_pane(page: &DeskPage<'_>) -> Markup {
    let mut groups: Vec<(String, Vec<&FieldView<'_>>)> = Vec::new();
    for view in &page.fields {
        let name = match (&view.shown.value, view.group()) {
            (None, _) => "Not extracted".to_owned(),
            (Some(_), None) => "Values".to_owned(),
            (Some(_), Some(group)) => group,
        };
        match groups.last_mut() {
            Some((last, views)) if *last == name => views.push(view),
            _ => groups.push((name, vec![view])),
        }
    }
    let decided = page.fields.iter().filter(|view| view.held.is_some()).count();
    html! {
        section #fields.desk-fields aria-label="Fields" data-said=(page.said) {
            @if !page.is_own {
                p.desk-taken role="alert" {
                    strong { (outside(&page.lease.reviewer)) } " is reviewing this document until " (lease::until(page.lease))
                    ". You can read it, and decide about it later."
                }
            }
            p.desk-progress {
                (decided) " of " (page.fields.len()) " decided"
                @if let Some(by) = &page.shown.decided_by { ", " (page.shown.state.as_str().replace('_', " ")) " by " (outside(by)) }
                @match &page.corrected {
                    Some(Ok(scored)) => {
                        ". Score with corrections: " strong { (score(Some(scored.assessment.overall))) } (asked(scored))
                    }
                    Some(Err(why)) => { ", corrections are not scored: " (marked(why)) }
                    None => {}
                }
            }
            @if page.shown.outdated > 0 {
                p.desk-note {
                    @if page.shown.outdated == 1 { "1 decision is" } @else { (page.shown.outdated) " decisions are" }
                    " about an earlier result, and do not count."
                }
            }
            @if !page.shown.issues.is_empty() {
                h3 { "About the document" }
                ul.desk-issues {
                    @for issue in &page.shown.issues { li class=(issue.severity) { span.severity { (issue.severity) } " " (marked(&issue.message)) } }
                }
            }
            p.soft {
                strong { "Found in the text" } " says that the document has these words, not that the value is right: decide by what it says."
            }
            @for comment in &page.shown.comments { p.soft { (outside(&comment.reviewer)) ": " (outside(&comment.comment)) } }
            @for (name, views) in &groups {
                h3 { (outside(name)) }
                ol.desk-list { @for view in views { (field(view, page)) } }
            }
            @if page.fields.is_empty() { p.empty { "Nothing was extracted." } }
            (bar(page))
        }
    }
}
