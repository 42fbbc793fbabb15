//! The addresses of the desk.

use super::agreement_page::agreement_page;
use super::check::{Again, Typed, check};
use super::decide::{Refusal, Submitted, decision_of, keep, to_undo};
use super::document_page::{DeskPage, document_page, fields_pane};
use super::file_pane::file;
use super::filter::Filter;
use super::just_decided::After;
use super::lease;
use super::open_document::{OpenDocument, key_of};
use super::queue_page::{QueuePage, queue_page};
use super::{address, queue};
use crate::review::{Action, Agreement, Decision, DeclaredFields, ShownDocument};
use crate::serve::access::{Admin, Identity, Reviewer};
use crate::serve::api::ApiError;
use crate::serve::blocking::on_blocking_thread;
use crate::serve::pages::{Section, page};
use crate::serve::state::Service;
use crate::store::{Lease, ReviewShares};
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use maud::Markup;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the page's script sends, so that it gets no more than the fields.
const FRAGMENT: HeaderName = HeaderName::from_static("x-loopctl-fragment");

/// Where the page's script goes next.
const NEXT: HeaderName = HeaderName::from_static("x-loopctl-next");

/// The pages of the desk, and what they send.
pub(in crate::serve) fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/review", get(list))
        .route("/review/agreement", get(agreement))
        .route("/review/shares", post(set_shares))
        .route("/review/{run}/{document}", get(document))
        .route("/review/{run}/{document}/file", get(document_file))
        .route("/review/{run}/{document}/check", post(check_value))
        .route("/review/{run}/{document}/decide", post(decide))
        .route("/review/{run}/{document}/lease", post(renew))
        .route("/review/{run}/{document}/release", post(release))
}

/// The document that an address names.
type Named = Path<(String, String)>;

async fn list(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Query(filter): Query<Filter>,
    Query(after): Query<After>,
) -> Result<Markup, ApiError> {
    let who = identity.clone();
    let body = on_blocking_thread(move || {
        let leases = service.reading.leases(lease::now_ms())?;
        let rows = service.desk.rows(&service.reading)?;
        let shares = service.reading.coming_review_shares()?;
        let after = after.look_up(&rows, &who.name, &filter);
        let model = QueuePage::of(&rows, &leases, &who, &filter, shares, after);
        Ok::<_, ApiError>(queue_page(&model))
    })
    .await?;
    Ok(page("Review", &identity, Section::Review, &[], &body))
}

async fn document(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Path((run, document)): Named,
    Query(filter): Query<Filter>,
    Query(after): Query<After>,
) -> Result<Markup, ApiError> {
    let (who, title) = (identity.name.clone(), document.clone());
    let body = on_blocking_thread(move || {
        let open = OpenDocument::open(&service, &run, &document, &who)?;
        let lease = lease::take(&service, open.stored.key, &who)?;
        let after = after.look_up(&service.desk.rows(&service.reading)?, &who, &filter);
        Ok::<_, ApiError>(with_page(&open, &who, &filter, &lease, |page| {
            document_page(&DeskPage { after, ..page })
        }))
    })
    .await?;
    Ok(page(&title, &identity, Section::Review, &["desk.js"], &body))
}

/// Makes the page of a document and hands it on.
fn with_page<T>(
    open: &OpenDocument,
    reviewer: &str,
    filter: &Filter,
    lease: &Lease,
    see: impl FnOnce(DeskPage<'_>) -> T,
) -> T {
    let run = open.run.id.to_string();
    let shown = ShownDocument::of(&open.document, &run, &open.source, open.plan_of_run());
    see(DeskPage::of(open, &shown, (reviewer, filter), lease))
}

async fn document_file(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Path((run, document)): Named,
) -> Result<Response, ApiError> {
    on_blocking_thread(move || {
        let open = OpenDocument::open(&service, &run, &document, &identity.name)?;
        file(&open).ok_or_else(|| {
            ApiError::not_found("the document is no image and no PDF, or it is not there as it was")
                .help("texts stand on the page of the document")
        })
    })
    .await
}

/// What a form of the desk came to.
enum Answer {
    /// The page again: its fields alone, or all of it.
    Page(StatusCode, Markup),
    /// The document is done.
    Next(String),
    /// It is kept: the page is asked for again.
    Kept(String),
}

async fn check_value(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Path(named): Named,
    Query(filter): Query<Filter>,
    headers: HeaderMap,
    Form(submitted): Form<Submitted>,
) -> Result<Response, ApiError> {
    let is_fragment = headers.contains_key(FRAGMENT);
    let who = identity.name.clone();
    let title = named.1.clone();
    let answer = on_blocking_thread(move || {
        let mut open = OpenDocument::open(&service, &named.0, &named.1, &who)?;
        let lease = own_lease(&service, &open, &who)?;
        let (status, typed) = match decision_of(&open, &submitted, &who) {
            Ok(decision) => (StatusCode::OK, Typed::Checked(Box::new(check(&mut open, decision)))),
            Err(refusal) => {
                let (column, why) = invalid(refusal)?;
                (StatusCode::UNPROCESSABLE_ENTITY, Typed::Invalid(column, why))
            }
        };
        let again = Again { submitted, typed };
        let markup = with_page(&open, &who, &filter, &lease, |page| {
            whole_or_fields(DeskPage { again: Some(&again), ..page }, is_fragment)
        });
        Ok::<_, ApiError>(Answer::Page(status, markup))
    })
    .await?;
    Ok(answered(answer, is_fragment, &title, &identity))
}

/// What is wrong with a form that is shown again; other refusals end the request.
fn invalid(refusal: Refusal) -> Result<(Option<String>, String), ApiError> {
    match refusal {
        Refusal::Invalid(column, why) => Ok((column, why)),
        Refusal::Conflict(error) | Refusal::Failed(error) => Err(error),
    }
}

/// The lease of a document, if it is the reviewer's.
fn own_lease(service: &Service, open: &OpenDocument, reviewer: &str) -> Result<Lease, ApiError> {
    let lease = service.journal.lease(open.stored.key, lease::now_ms())?;
    match lease {
        Some(lease) if lease.reviewer == reviewer => Ok(lease),
        other => Err(lease::not_held(open.document.id(), other.as_ref())),
    }
}

fn whole_or_fields(page: DeskPage<'_>, is_fragment: bool) -> Markup {
    if is_fragment { fields_pane(&page) } else { document_page(&page) }
}

fn answered(answer: Answer, is_fragment: bool, title: &str, identity: &Identity) -> Response {
    match answer {
        Answer::Page(status, markup) if is_fragment => (status, markup).into_response(),
        Answer::Page(status, markup) => {
            (status, page(title, identity, Section::Review, &["desk.js"], &markup)).into_response()
        }
        Answer::Next(next) if is_fragment => (StatusCode::NO_CONTENT, [(NEXT, next)]).into_response(),
        Answer::Next(next) | Answer::Kept(next) => Redirect::to(&next).into_response(),
    }
}

async fn decide(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Path(named): Named,
    Query(filter): Query<Filter>,
    headers: HeaderMap,
    Form(submitted): Form<Submitted>,
) -> Result<Response, ApiError> {
    let is_fragment = headers.contains_key(FRAGMENT);
    let who = identity.name.clone();
    let title = named.1.clone();
    let answer =
        on_blocking_thread(move || decided(&service, &named, (&who, &filter), submitted, is_fragment))
            .await?;
    Ok(answered(answer, is_fragment, &title, &identity))
}

fn decided(
    service: &Service,
    named: &(String, String),
    (reviewer, filter): (&str, &Filter),
    submitted: Submitted,
    is_fragment: bool,
) -> Result<Answer, ApiError> {
    let open = OpenDocument::open(service, &named.0, &named.1, reviewer)?;
    let lease = own_lease(service, &open, reviewer)?;
    let show = |open: &OpenDocument, change: &dyn Fn(DeskPage<'_>) -> Markup| {
        with_page(open, reviewer, filter, &lease, change)
    };
    let decision = match decision_of(&open, &submitted, reviewer) {
        Ok(decision) => decision,
        Err(refusal) => {
            let (column, why) = invalid(refusal)?;
            let again = Again { submitted, typed: Typed::Invalid(column, why.clone()) };
            let markup = show(&open, &|page| {
                whole_or_fields(DeskPage { again: Some(&again), said: why.clone(), ..page }, is_fragment)
            });
            return Ok(Answer::Page(StatusCode::UNPROCESSABLE_ENTITY, markup));
        }
    };
    let of_whole = decision.content.field.is_none();
    if of_whole && decision.content.action == Action::Accept && submitted.confirmed.is_empty() {
        let (doubts, is_empty) =
            with_page(&open, reviewer, filter, &lease, |page| (page.open_doubts(), page.is_empty()));
        if is_empty || !doubts.is_empty() {
            let said = if is_empty { "Nothing was extracted." } else { "Values in doubt were not decided." };
            let said = said.to_owned();
            let markup = show(&open, &|page| {
                let page = DeskPage { confirm: doubts.clone(), said: said.clone(), ..page };
                whole_or_fields(DeskPage { confirm_empty: is_empty, ..page }, is_fragment)
            });
            return Ok(Answer::Page(StatusCode::OK, markup));
        }
    }
    if let Err(refusal) = keep(service, &open, &submitted, &decision) {
        let (_, why) = invalid(refusal)?;
        return Err(ApiError::bad_request(why));
    }
    if of_whole && matches!(decision.content.action, Action::Accept | Action::Reject) {
        service.journal.release_lease(open.stored.key, reviewer, lease.until_ms)?;
        return Ok(Answer::Next(next_document(service, &open, reviewer, filter)?));
    }
    if !is_fragment {
        let address = address::of_document(open.run.id.as_str(), open.document.id());
        return Ok(Answer::Kept(format!("{address}{}", filter.query())));
    }
    let of_one = |one: &Decision| match &one.content.field {
        Some(field) => format!("{field}: {}", word(one.content.action)),
        None => format!("the document: {}", word(one.content.action)),
    };
    let undone = to_undo(&open, reviewer).filter(|_| decision.content.action == Action::Undo);
    let said = undone.map_or_else(|| of_one(&decision), |undone| format!("Taken back: {}", of_one(undone)));
    let open = OpenDocument::open(service, &named.0, &named.1, reviewer)?;
    Ok(Answer::Page(
        StatusCode::OK,
        show(&open, &|page| fields_pane(&DeskPage { said: said.clone(), ..page })),
    ))
}

/// What was done, for people.
fn word(action: Action) -> &'static str {
    match action {
        Action::Accept => "accepted",
        Action::Edit => "edited",
        Action::NotPresent => "not in the document",
        Action::Missed => "added",
        Action::Reject => "rejected",
        Action::Comment => "comment kept",
        Action::Undo => "the latest decision is taken back",
    }
}

/// The document after this one in the queue that nobody else has; the queue, if that was the last.
fn next_document(
    service: &Service,
    open: &OpenDocument,
    reviewer: &str,
    filter: &Filter,
) -> Result<String, ApiError> {
    let leases: BTreeMap<_, _> = service
        .reading
        .leases(lease::now_ms())?
        .into_iter()
        .filter(|lease| lease.reviewer != reviewer)
        .map(|lease| (lease.document, lease.reviewer))
        .collect();
    let rows = service.desk.rows(&service.reading)?;
    let here = rows.iter().position(|row| row.key == open.stored.key);
    let (before, after) = rows.split_at(here.map_or(0, |at| at + 1).min(rows.len()));
    let next = after.iter().chain(before).find(|row| {
        let turn = row.turn(reviewer);
        row.key != open.stored.key
            && turn != queue::Turn::Over
            && !leases.contains_key(&row.key)
            && filter.admits(row, turn, reviewer, false)
    });
    let next = next
        .map_or_else(|| "/review".to_owned(), |row| address::of_document(row.run.as_str(), &row.document));
    Ok(match here.and_then(|at| rows.get(at)) {
        Some(decided) => After::address(&next, filter, decided),
        None => format!("{next}{}", filter.query()),
    })
}

async fn renew(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Path((run, document)): Named,
) -> Result<Response, ApiError> {
    on_blocking_thread(move || {
        let key = key_of(&service, &run, &document)?;
        let lease = lease::take(&service, key, &identity.name)?;
        if lease.reviewer == identity.name {
            Ok(Json(json!({ "until_ms": lease.until_ms })).into_response())
        } else {
            Err(lease::not_held(&document, Some(&lease)))
        }
    })
    .await
}

/// Until when the page that is left knew the document to be its reviewer's.
#[derive(Deserialize)]
struct Left {
    until_ms: u64,
}

async fn release(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
    Path((run, document)): Named,
    Form(left): Form<Left>,
) -> Result<StatusCode, ApiError> {
    on_blocking_thread(move || {
        let key = key_of(&service, &run, &document)?;
        service.journal.release_lease(key, &identity.name, left.until_ms)?;
        Ok::<_, ApiError>(StatusCode::NO_CONTENT)
    })
    .await
}

async fn agreement(
    Reviewer(identity): Reviewer,
    State(service): State<Arc<Service>>,
) -> Result<Markup, ApiError> {
    let body =
        on_blocking_thread(move || Ok::<_, ApiError>(agreement_page(&agreement_of(&service)?))).await?;
    Ok(page("Agreement", &identity, Section::Review, &[], &body))
}

/// What reviewers said of documents that two of them looked at.
fn agreement_of(service: &Service) -> Result<Agreement, ApiError> {
    let mut agreement = Agreement::default();
    let rows = service.desk.rows(&service.reading)?;
    for row in rows.iter().filter(|row| row.reviewers.len() > 1) {
        let (journal, run) = (&service.reading, &row.run);
        let Some((stored, outcome)) = journal.document_of_key(row.key)? else { continue };
        let kept = journal.reviews_of(run, &stored.record.id)?;
        let decided = kept.iter().map(queue::decision_of).collect::<Result<_, _>>()?;
        let shares = journal.review_shares(run)?;
        let shares = crate::review::Shares { audit: shares.audit, second: shares.second };
        let declared = Arc::new(DeclaredFields::default());
        agreement.extend(queue::review_document(run, shares, &stored, outcome, declared, decided));
    }
    Ok(agreement)
}

/// Shares of runs that begin from now on, in percent.
#[derive(Deserialize)]
struct SharesForm {
    audit: f64,
    second: f64,
}

async fn set_shares(
    Admin(_): Admin,
    State(service): State<Arc<Service>>,
    Form(form): Form<SharesForm>,
) -> Result<Redirect, ApiError> {
    for (name, percent) in [("audit", form.audit), ("second", form.second)] {
        if !(0.0..=100.0).contains(&percent) {
            return Err(ApiError::bad_request(format!(
                "`{name}`: expected 0 to 100 percent, found `{percent}`"
            )));
        }
    }
    let shares = ReviewShares { audit: form.audit / 100.0, second: form.second / 100.0 };
    on_blocking_thread(move || service.journal.set_coming_review_shares(shares)).await?;
    Ok(Redirect::to("/review"))
}
