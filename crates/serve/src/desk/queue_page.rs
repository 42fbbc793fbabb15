//! The list of documents that wait.

use super::address;
use super::filter::{Filter, SECOND_REVIEW};
use super::just_decided::JustDecided;
use super::queue::{QueueFacets, QueueRow, ReviewTask};
use super::words::named;
use crate::access::{AccessRole, Identity};
use crate::pages::{outside, pager, score};
use crate::report::{figures, page_table, words};
use crate::review::{Doubts, FieldPath, Reason, ReviewState};
use crate::store::{DocumentKey, Lease, ReviewShares};
use crate::value::prose;
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most fields that a row names because reviewers differ on them.
const MOST_NAMED: usize = 6;

/// Documents on a page of the list.
const PAGE: usize = 50;

/// The contents of the page.
pub(super) struct QueuePage<'a> {
    filter: &'a Filter,
    identity: &'a Identity,
    rows: Vec<ListedRow<'a>>,
    /// The number of documents that are asked for in all.
    count: usize,
    page: usize,
    facets: QueueFacets,
    shares: Option<ReviewShares>,
    after: Option<JustDecided>,
}

/// A document of the list.
struct ListedRow<'a> {
    row: &'a QueueRow,
    task: ReviewTask,
    /// The reviewer who has it open.
    holder: Option<&'a str>,
}

impl<'a> QueuePage<'a> {
    /// The part of the queue that a reviewer asks for.
    pub(super) fn of(
        rows: &'a [Arc<QueueRow>],
        leases: &'a [Lease],
        identity: &'a Identity,
        filter: &'a Filter,
        shares: Option<ReviewShares>,
        after: Option<JustDecided>,
    ) -> Self {
        let holders: BTreeMap<DocumentKey, &str> =
            leases.iter().map(|lease| (lease.document, lease.reviewer.as_str())).collect();
        let mut facets = QueueFacets::default();
        let mut listed = Vec::new();
        for row in rows {
            let (task, holder) = (row.task(identity), holders.get(&row.key).copied());
            if !facets.types.contains(&row.document_type) {
                facets.types.insert(row.document_type.clone());
            }
            if !facets.runs.contains(&row.run) {
                facets.runs.insert(row.run.clone());
            }
            let is_open_by_them = holder == Some(identity.name.as_str());
            if !filter.admits_rest(row, task, &identity.name, is_open_by_them) {
                continue;
            }
            let is_hidden = |reason: &Reason| task == ReviewTask::Second && *reason == Reason::Disputed;
            for reason in row.reasons.iter().filter(|reason| !is_hidden(reason)) {
                *facets.reasons.entry(reason.as_str()).or_default() += 1;
            }
            if task == ReviewTask::Second {
                *facets.reasons.entry(SECOND_REVIEW).or_default() += 1;
            }
            if filter.admits(row, task, &identity.name, is_open_by_them) {
                listed.push(ListedRow { row, task, holder });
            }
        }
        // The order is that of the queue; what is for a second look comes last.
        listed.sort_by_key(|listed| listed.task == ReviewTask::Second);
        let count = listed.len();
        let page = filter.page().min(count.div_ceil(PAGE).max(1));
        let rows = listed.into_iter().skip((page - 1) * PAGE).take(PAGE).collect();
        QueuePage { filter, identity, rows, count, page, facets, shares, after }
    }
}

/// The page.
pub(super) fn queue_page(model: &QueuePage<'_>) -> Markup {
    html! {
        link rel="stylesheet" href="/assets/desk.css";
        h1 { "Review" }
        p.desk-said role="status" { @if let Some(after) = &model.after { (after.line()) } }
        p { "Documents that need review: the most urgent reason first, then the most doubts (unverified values and issues). " a href="/review/agreement" { "How well reviewers agree" } }
        (reasons(model))
        (filters(model))
        @if model.rows.is_empty() {
            p.empty { "No documents are waiting here." }
        } @else {
            (table(model))
            (pager("documents", &format!("/review{}", model.filter.without_page().query()), model.page as u64, model.count.div_ceil(PAGE) as u64))
        }
        @if model.identity.may(AccessRole::Admin) { (shares(model)) }
    }
}

fn reasons(model: &QueuePage<'_>) -> Markup {
    html! {
        nav aria-label="Reasons" {
            ul.tiles.desk-reasons {
                @for (word, said) in Filter::reasons() {
                    @let count = model.facets.reasons.get(word).copied().unwrap_or_default();
                    @let is_chosen = model.filter.reason == word;
                    li class=[is_chosen.then_some("review")] {
                        a href={ "/review" (model.filter.with_reason(if is_chosen { "" } else { word }).query()) } aria-current=[is_chosen.then_some("true")] {
                            strong { (count) } span { (said) }
                        }
                    }
                }
            }
        }
    }
}

fn filters(model: &QueuePage<'_>) -> Markup {
    let filter = model.filter;
    html! {
        form.desk-filters method="get" action="/review" {
            @if !filter.reason.is_empty() { input type="hidden" name="reason" value=(filter.reason); }
            div {
                label for="filter-state" { "State" }
                select id="filter-state" name="state" {
                    @for (word, said) in Filter::states() { option value=(word) selected[filter.state == word] { (said) } }
                }
            }
            div {
                label for="filter-type" { "Document type" }
                select id="filter-type" name="type" {
                    option value="" { "all" }
                    @for one in &model.facets.types { option value=(one) selected[filter.document_type == *one] { (one) } }
                }
            }
            div {
                label for="filter-run" { "Run" }
                select id="filter-run" name="run" {
                    option value="" { "all" }
                    @for one in model.facets.runs.iter().rev() { option value=(one) selected[filter.run == one.as_str()] { (one) } }
                }
            }
            div.desk-check {
                input id="filter-mine" type="checkbox" name="mine" value="yes" checked[filter.mine == "yes"];
                label for="filter-mine" { "Mine" }
            }
            button type="submit" { "Show" }
        }
    }
}

fn table(model: &QueuePage<'_>) -> Markup {
    let known = Filter::reasons();
    let said = |word: &str| known.iter().find(|(known, _)| *known == word).map_or("", |(_, said)| *said);
    let row = |listed: &ListedRow<'_>| {
        let row = listed.row;
        let is_second = listed.task == ReviewTask::Second;
        let mut why: Vec<Markup> = (row.reasons.iter())
            .filter(|reason| !is_second || **reason != Reason::Disputed)
            .map(|reason| html! { (said(reason.as_str())) @if *reason == Reason::Disputed { " on " (outside(&differences(row))) } })
            .collect();
        why.extend(is_second.then(|| html! { (said(SECOND_REVIEW)) }));
        vec![
            html! { a href={ (address::of_document(row.run.as_str(), &row.document)) (model.filter.query()) } { (outside(&row.document)) } },
            outside(&row.document_type),
            html! {
                @for (at, why) in why.iter().enumerate() { @if at > 0 { "; " } (why) }
                @if !row.doubts.fields.is_empty() { span.soft { ": " (outside(&in_doubt(&row.doubts))) } }
            },
            html! { (row.doubts.count) },
            html! { (score(row.overall)) },
            outside(&state(listed, &model.identity.name)),
        ]
    };
    let columns =
        [words("Document | Type | Waits because"), figures("Doubts | Score"), words("Review")].concat();
    page_table(&prose::count(model.count as u64, "document"), &columns, model.rows.iter().map(row).collect())
}

/// Describes what reviewers differ about, for people.
fn differences(row: &QueueRow) -> String {
    let named: Vec<String> =
        row.disputed.iter().take(MOST_NAMED).map(|name| named(&FieldPath::named(name))).collect();
    match row.disputed.len().saturating_sub(MOST_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

/// The names of the fields in doubt.
fn in_doubt(doubts: &Doubts) -> String {
    let named = doubts.fields.join(", ");
    match doubts.more_fields {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

fn state(listed: &ListedRow<'_>, reviewer: &str) -> String {
    let row = listed.row;
    let own = |name: &str| if name == reviewer { "you".to_owned() } else { name.to_owned() };
    let mut said = match listed.task {
        // The second reviewer must not see who decided what.
        ReviewTask::Second => "second review".to_owned(),
        _ if row.state == ReviewState::Disputed => {
            let names: Vec<String> = row.reviewers.iter().map(|name| own(name)).collect();
            format!("reviewers differ: {}", names.join(", "))
        }
        _ if row.reviewers.is_empty() => row.state.as_str().replace('_', " "),
        _ => {
            let names: Vec<String> = row.reviewers.iter().map(|name| own(name)).collect();
            format!("{} by {}", row.state.as_str().replace('_', " "), names.join(", "))
        }
    };
    if let Some(holder) = listed.holder {
        said.push_str(&format!(" (open: {})", own(holder)));
    }
    said
}

fn shares(model: &QueuePage<'_>) -> Markup {
    let shares = model.shares.unwrap_or(ReviewShares::NONE);
    let percent = |share: f64| (share * 10_000.0).round() / 100.0;
    html! {
        details {
            summary { "Documents drawn at random" }
            p.soft { "Some documents are reviewed whatever their result, and some twice. They are drawn by name before they are run, so that no one chooses them. A run keeps the shares with which it began." }
            form.desk-filters method="post" action="/review/shares" {
                div {
                    label for="share-audit" { "Audit sample, % of all documents" }
                    input id="share-audit" name="audit" type="number" min="0" max="100" step="any" required value=(percent(shares.audit));
                }
                div {
                    label for="share-second" { "Second review, % of reviewed documents" }
                    input id="share-second" name="second" type="number" min="0" max="100" step="any" required value=(percent(shares.second));
                }
                button type="submit" { "Use for runs from now on" }
            }
        }
    }
}
