//! The page of a document: the document on one side, its fields on the other.

use super::address;
use super::check::RedisplayedForm;
use super::differ_view;
use super::field_view::{FieldView, field};
use super::filter::Filter;
use super::forms::asked;
use super::just_decided::JustDecided;
use super::lease;
use super::open_document::OpenDocument;
use super::pages_pane::{PagesView, pages_pane};
use super::question_view::questions;
use super::text_pane::{TextHighlight, text_pane};
use super::whole_forms::bar;
use super::window::{FIELDS, MOST_FIELDS, View, Window, part};
use crate::access::{AccessRole, Identity};
use crate::pages::{marked, outside, score};
use crate::report::{fact_list, facts};
use crate::review::{
    FieldInput, FieldPath, ReviewState, Reviewed, ReviewedScore, ShownDocument, ShownField, ShownIssue,
};
use crate::store::Lease;
use maud::{Markup, html};
use std::ops::Range;

/// The contents of the page of a document.
pub(super) struct DeskPage<'a> {
    pub(super) open: &'a OpenDocument,
    pub(super) reviewer: &'a str,
    /// The documents of the queue that the reviewer goes through.
    pub(super) filter: &'a Filter,
    /// The fields, and the part of the text, that were asked for.
    pub(super) window: &'a Window,
    pub(super) shown: &'a ShownDocument<'a>,
    /// The outcome of the decisions that the reviewer may see.
    pub(super) reviewed: Reviewed,
    /// The fields that are shown, in the order of the page.
    pub(super) fields: Vec<FieldView<'a>>,
    pub(super) view: View,
    /// The range of these fields in the view, and the number of fields there.
    pub(super) fields_of: (Range<usize>, usize),
    /// The part of the text that is shown, in characters.
    pub(super) part_of_text: Range<usize>,
    /// The pages of the document that are shown, if it has any.
    pub(super) pages: Option<PagesView>,
    /// The lease on the document, and whether it is the reviewer's.
    pub(super) lease: &'a Lease,
    pub(super) is_own: bool,
    /// `true` if the reviewer has the last word where reviewers differ.
    pub(super) may_settle: bool,
    /// A form that was sent and is shown again.
    pub(super) again: Option<&'a RedisplayedForm>,
    /// Fields in doubt that no one decided about, if the reviewer is asked about them.
    pub(super) confirm: Vec<FieldPath>,
    /// `true` if the reviewer is asked because nothing was extracted.
    pub(super) confirm_empty: bool,
    /// Fields that the profile declares and the extraction lacks.
    pub(super) lacking: Vec<String>,
    /// The message about what was just decided.
    pub(super) said: String,
    /// The document that was decided about before this one was opened.
    pub(super) after: Option<JustDecided>,
}

impl<'a> DeskPage<'a> {
    /// The page of a document that is leased.
    pub(super) fn of(
        open: &'a OpenDocument,
        shown: &'a ShownDocument<'a>,
        identity: &'a Identity,
        (filter, window): (&'a Filter, &'a Window),
        lease: &'a Lease,
    ) -> Self {
        let reviewed = open.document.reviewed();
        let may_settle = identity.may(AccessRole::Adjudicate);
        let settles = may_settle && reviewed.state == ReviewState::Disputed;
        let view = window.view(shown.fields.len(), settles);
        let ordered = ordered(shown, view);
        let count = ordered.len();
        let range = window.fields(count);
        let fields: Vec<FieldView<'a>> = ordered
            .into_iter()
            .enumerate()
            .skip(range.start)
            .take(range.len())
            .map(|(number, field)| field_view(open, field, &reviewed, number))
            .collect();
        let is_there =
            |name: &str| shown.fields.iter().any(|field| FieldPath::named(&field.field).top() == name);
        let names = open.document.declared.names();
        let lacking = names.into_iter().filter(|name| !is_there(name)).map(str::to_owned).collect();
        let page = DeskPage {
            open,
            reviewer: &identity.name,
            filter,
            window,
            shown,
            reviewed,
            view,
            part_of_text: part_of_text(open, shown, (&fields, range.start), window),
            fields,
            pages: None,
            fields_of: (range, count),
            lease,
            is_own: lease.reviewer == identity.name,
            may_settle,
            again: None,
            confirm: Vec::new(),
            confirm_empty: false,
            lacking,
            said: String::new(),
            after: None,
        };
        DeskPage { pages: PagesView::of(&page), ..page }
    }

    /// The address of something about the document, with the same part of it shown.
    pub(super) fn address(&self, what: &str) -> String {
        self.address_at(what, self.window)
    }

    /// The address of something that belongs to the document, whatever is shown of it.
    pub(super) fn address_of(&self, what: &str) -> String {
        let document = address::of_document(self.open.run.id.as_str(), self.open.document.id());
        format!("{document}/{what}")
    }

    fn address_at(&self, what: &str, window: &Window) -> String {
        let document = address::of_document(self.open.run.id.as_str(), self.open.document.id());
        let what = if what.is_empty() { String::new() } else { format!("/{what}") };
        let (query, window) = (self.filter.query(), window.query());
        let joint = match (query.is_empty(), window.is_empty()) {
            (_, true) => "",
            (true, false) => "?",
            (false, false) => "&",
        };
        format!("{document}{what}{query}{joint}{window}")
    }

    /// The address of the page with a part of the text that has a character.
    pub(super) fn address_of_text(&self, character: usize) -> String {
        self.address_at("", &self.window.at_text(character))
    }

    /// The address of the desk's page with a page of the document.
    pub(super) fn address_of_page(&self, page: usize) -> String {
        self.address_at("", &self.window.at_page(page))
    }

    /// The name of a reviewer, or `you` for the one who reads the page.
    pub(super) fn by(&self, reviewer: &str) -> String {
        if reviewer == self.reviewer { "you".to_owned() } else { reviewer.to_owned() }
    }

    /// The score of the extraction with what was decided; `None` where nothing was corrected.
    fn corrected(&self) -> Option<Result<ReviewedScore, String>> {
        let is_corrected = self.reviewed.is_corrected(&self.open.document);
        is_corrected.then(|| self.open.score(&self.reviewed.extraction))
    }

    fn is_open(&self, field: &ShownField) -> bool {
        self.reviewed.field(&FieldPath::named(&field.field)).is_none()
    }

    /// Fields in doubt that no one decided about.
    pub(super) fn open_doubts(&self) -> Vec<FieldPath> {
        let doubts = self.shown.fields.iter().filter(|field| field.is_doubtful() && self.is_open(field));
        doubts.map(|field| FieldPath::named(&field.field)).collect()
    }

    /// The number of values that nothing has checked and no one decided about.
    pub(super) fn open_unchecked(&self) -> usize {
        self.shown.fields.iter().filter(|field| field.unchecked && self.is_open(field)).count()
    }

    /// The items left to answer before the document is accepted, in words; `None` if there are none.
    pub(super) fn left(&self) -> Option<String> {
        let questions = self.shown.questions.iter().filter(|question| question.answer.is_none()).count();
        let for_a_person = self
            .shown
            .fields
            .iter()
            .filter(|field| field.is_for_a_person && !field.unchecked && self.is_open(field))
            .count();
        let counted = |count: usize, one: &str, more: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {more}")),
        };
        let parts = [
            counted(
                questions,
                "question about the document as a whole",
                "questions about the document as a whole",
            ),
            counted(
                self.open_unchecked(),
                "value that nothing has checked",
                "values that nothing has checked",
            ),
            counted(for_a_person, "value that only you can decide", "values that only you can decide"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns whether there is no value at all, neither extracted nor added.
    pub(super) fn is_empty(&self) -> bool {
        self.shown.fields.iter().all(|field| {
            let held = FieldView::held(&self.reviewed, &FieldPath::named(&field.field));
            held.map_or(field.value.is_none(), |held| held.value.is_none())
        })
    }

    /// The number by which the text marks the passage of a question: none of a field.
    pub(super) fn question_number(&self, at: usize) -> usize {
        self.shown.fields.len() + at
    }

    /// The passages of the fields and questions that are shown.
    pub(super) fn marks(&self) -> Vec<TextHighlight> {
        let mark = |start: usize, end: usize, field: usize, is_rival: bool| TextHighlight {
            start,
            end,
            field,
            is_rival,
        };
        let of_questions = self.shown.questions.iter().enumerate().filter_map(|(at, question)| {
            let place = question.place.as_ref()?;
            Some(mark(place.start, place.end, self.question_number(at), false))
        });
        let of_field = |view: &FieldView<'_>| {
            let own = view.shown.place.as_ref();
            let own = own.map(|place| mark(place.start, place.end, view.number, false));
            let rivals = view.shown.rivals.iter();
            let rivals = rivals.map(|rival| mark(rival.place.start, rival.place.end, view.number, true));
            own.into_iter().chain(rivals).collect::<Vec<TextHighlight>>()
        };
        of_questions.chain(self.fields.iter().flat_map(of_field)).collect()
    }

    /// Returns whether the part of the text that is shown has a character.
    pub(super) fn shows(&self, character: usize) -> bool {
        self.part_of_text.contains(&character)
    }
}

/// The part of the text that is shown, in characters: with the first question's passage, or the first field's.
fn part_of_text(
    open: &OpenDocument,
    shown: &ShownDocument<'_>,
    (fields, first): (&[FieldView<'_>], usize),
    window: &Window,
) -> Range<usize> {
    let Some(text) = open.source.text() else { return 0..usize::MAX };
    let of_question = shown.questions.iter().find_map(|question| question.place.as_ref());
    let of_field = fields.iter().find_map(|view| view.shown.place.as_ref());
    window.text(text, of_question.filter(|_| first == 0).or(of_field).map(|place| place.start))
}

/// Fields at the top first, then those of each part, then those that nothing was extracted for.
fn ordered<'a>(shown: &'a ShownDocument<'a>, view: View) -> Vec<&'a ShownField> {
    let is_shown = |field: &&ShownField| match view {
        View::All => true,
        View::Doubts => field.is_doubtful(),
        View::Differ => field.disputed,
    };
    let mut fields: Vec<&ShownField> = shown.fields.iter().filter(is_shown).collect();
    fields.sort_by_key(|field| {
        let is_below = FieldPath::named(&field.field).pointer().matches('/').count() > 1;
        match (field.value.is_some(), is_below) {
            (true, false) => 0,
            (true, true) => 1,
            (false, _) => 2,
        }
    });
    fields
}

fn field_view<'a>(
    open: &OpenDocument,
    shown: &'a ShownField,
    reviewed: &Reviewed,
    number: usize,
) -> FieldView<'a> {
    let path = FieldPath::named(&shown.field);
    FieldView {
        number,
        shown,
        held: FieldView::held(reviewed, &path),
        input: FieldInput::of(&open.document, &path, open.profile.plan.as_deref()),
        path,
    }
}

/// The whole page.
pub(super) fn document_page(page: &DeskPage<'_>) -> Markup {
    let (shown, open) = (page.shown, page.open);
    html! {
        link rel="stylesheet" href="/assets/desk.css";
        div.desk-head {
            h1 { (outside(shown.document)) }
            p.desk-back { a href={ "/review" (page.filter.query()) } { "Back to the list" } }
            (fact_list(&facts([
                ("Type", shown.document_type.to_string()),
                ("Run", shown.run.to_string()),
                ("Ended", format!("{} ({})", shown.final_status, shown.stop_reason).replace('_', " ")),
                ("Score", score(shown.overall)),
                ("Waits because", reasons(page)),
            ])))
        }
        @if open.is_blind {
            p.desk-note { "Second review: you will see what the first reviewer decided when you are done." }
        }
        // The message only names the issues that a person decides: each is below, where it is decided.
        @if let Some(said) = &open.document.result.detail { p.desk-note { (marked(said)) } }
        @if let Some(why) = &open.profile.differs {
            p.desk-note { "Note: " (marked(why)) ", so corrected values are not scored." }
        }
        p #said role="status" aria-live="polite" class="desk-said" { @if let Some(after) = &page.after { (after.line()) } @else { (page.said) } }
        div #desk data-renew=(page.address("lease")) data-release=(page.address("release")) data-until=(page.lease.until_ms) data-own=(page.is_own) data-taken=(lease::taken(page.lease)) {
            (document(page))
            (fields_pane(page))
        }
    }
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
    let text = page.open.source.text().map(|text| part_of(page, text));
    html! {
        @if let Some(view) = &page.pages {
            section.desk-document.has-pages aria-label="Document" { (pages_pane(view, page, text.as_ref())) }
        } @else {
            section.desk-document aria-label="Document" tabindex="0" {
                @if let Some(text) = text { (text) }
                @else { p.empty { "The document can't be shown: " (marked(page.shown.without_text.as_deref().unwrap_or("it has no text"))) "." } }
            }
        }
    }
}

/// The fields, with what can be decided: the part that the page's script replaces after each decision.
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
    let answered = page.shown.questions.iter().filter(|question| question.answer.is_some()).count();
    let decided = answered + page.shown.fields.iter().filter(|field| !page.is_open(field)).count();
    let count = page.shown.questions.len() + page.shown.fields.len();
    html! {
        section #fields.desk-fields aria-label="Fields" data-said=(page.said) {
            @if !page.is_own {
                p.desk-taken role="alert" {
                    strong { (outside(&page.lease.reviewer)) } " is reviewing this document until " (lease::until(page.lease))
                    ". You can read it now and decide about it later."
                }
            }
            p.desk-progress {
                (decided) " of " (count) " decided"
                @if page.reviewed.state == ReviewState::Disputed { ", " strong { "reviewers differ" } }
                @else if let Some(by) = &page.shown.decided_by { ", " (page.shown.state.as_str().replace('_', " ")) " by " (outside(by)) }
                @match &page.corrected() {
                    Some(Ok(scored)) => {
                        ". Score with corrections: " strong { (score(Some(scored.assessment.overall))) } (asked(scored))
                    }
                    Some(Err(why)) => { ", corrections are not scored: " (marked(why)) }
                    None => {}
                }
            }
            @if page.shown.outdated > 0 {
                p.desk-note {
                    @if page.shown.outdated == 1 { "1 decision is about an earlier result and does not count." }
                    @else { (page.shown.outdated) " decisions are about an earlier result and do not count." }
                }
            }
            @if let Some(corrected) = &page.shown.corrected_type {
                p.desk-note {
                    "By " (outside(&page.by(&corrected.reviewer))) ", this document is " strong { (outside(&corrected.document_type.replace('_', " "))) }
                    ". Its values were extracted as of " (outside(&page.shown.document_type.replace('_', " "))) ": submit it again with the right type."
                }
            }
            (differ_view::whole(page))
            (questions(page))
            @if unasked_issues(page).next().is_some() {
                h3 { "About the document" }
                ul.desk-issues {
                    @for issue in unasked_issues(page) { li class=(issue.severity) { span.severity { (issue.severity) } " " (marked(&issue.message)) } }
                }
            }
            p.soft {
                strong { "Found in the text" } " means that the document has these words, not that the value is right: decide by what they say."
            }
            @for comment in &page.shown.comments { p.soft { (outside(&comment.reviewer)) ": " (outside(&comment.comment)) } }
            (views(page))
            @for (name, views) in &groups {
                h3 { (outside(name)) }
                ol.desk-list { @for view in views { (field(view, page)) } }
            }
            @if page.shown.fields.is_empty() { p.empty { "Nothing was extracted." } }
            @else if page.fields.is_empty() { p.empty { "No fields to show here." } }
            (field_links(page))
            (bar(page))
        }
    }
}

/// Issues of the document that no one is asked about.
fn unasked_issues<'p>(page: &'p DeskPage<'_>) -> impl Iterator<Item = &'p ShownIssue> {
    let is_asked = |issue: &&ShownIssue| {
        let mut questions = page.shown.questions.iter();
        questions.any(|question| question.code == issue.code && question.message == issue.message)
    };
    page.shown.issues.iter().filter(move |issue| !is_asked(issue))
}

/// The views of the fields, with links to each.
fn views(page: &DeskPage<'_>) -> Markup {
    let is_long = page.shown.fields.len() > MOST_FIELDS;
    let differing = page.shown.fields.iter().filter(|field| field.disputed).count();
    if !is_long && differing == 0 {
        return html! {};
    }
    let doubtful = page.shown.fields.iter().filter(|field| field.is_doubtful()).count();
    let all = page.shown.fields.len();
    let known = [
        (View::Differ, format!("{differing} that reviewers differ on"), differing > 0),
        (View::Doubts, format!("{doubtful} in doubt"), is_long),
        (View::All, format!("all {all}"), true),
    ];
    html! {
        nav.desk-views aria-label="Which fields" {
            "Fields: "
            @for (view, words, _) in known.iter().filter(|(.., is_there)| *is_there) {
                a href=(page.address_at("", &Window::of(*view, 0))) aria-current=[(*view == page.view).then_some("true")] { (words) }
                " "
            }
        }
    }
}

/// Links to the fields before and after those that are shown.
fn field_links(page: &DeskPage<'_>) -> Markup {
    let (range, count) = &page.fields_of;
    html! {
        @if range.len() < *count {
            nav.desk-pages aria-label="More fields" {
                @if range.start > 0 { a rel="prev" href=(page.address_at("", &Window::of(page.view, range.start.saturating_sub(FIELDS)))) { "Previous fields" } }
                span { "fields " (range.start + 1) " to " (range.end) " of " (count) }
                @if range.end < *count { a rel="next" href=(page.address_at("", &Window::of(page.view, range.end))) { "Next fields" } }
            }
        }
    }
}

/// The text, or the part of it that is shown, with links to the others.
fn part_of(page: &DeskPage<'_>, text: &str) -> Markup {
    let shown = page.part_of_text.clone();
    let whole = shown.end == usize::MAX;
    let (start, end) = (shown.start, shown.end);
    let inside = |mark: &TextHighlight| TextHighlight {
        start: mark.start.saturating_sub(start),
        end: mark.end.saturating_sub(start),
        ..*mark
    };
    let marks: Vec<TextHighlight> =
        page.marks().iter().filter(|mark| mark.start < end && mark.end > start).map(inside).collect();
    let piece = part(text, &shown);
    let is_last = whole || start + piece.chars().count() < end || text.ends_with(piece);
    html! {
        @if !whole {
            nav.desk-pages aria-label="Parts of the text" {
                @if start > 0 { a href=(page.address_of_text(start.saturating_sub(shown.len()))) { "Previous part" } }
                span { "part of a long text" }
                @if !is_last { a href=(page.address_of_text(end)) { "Next part" } }
            }
        }
        (text_pane(piece, &marks))
    }
}
