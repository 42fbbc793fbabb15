//! The addresses of the desk.

use super::agreement_page::agreement_page;
use super::check::{RedisplayedForm, ValueCheck, check};
use super::decide::{DecisionError, DecisionForm, decision_of, keep, to_undo};
use super::document_page::{DeskPage, document_page, fields_pane};
use super::filter::Filter;
use super::just_decided::JustDecidedQuery;
use super::lease;
use super::open_document::{OpenDocument, key_of};
use super::page_routes::{document_file, page_picture, words_of_page};
use super::queue_page::{QueuePage, queue_page};
use super::window::Window;
use super::words::named as field_name;
use super::{address, queue};
use crate::access::{AccessRole, Admin, Identity};
use crate::api::ApiError;
use crate::blocking::on_blocking_thread;
use crate::pages::Section;
use crate::review::{Action, Agreement, Beside, Decision, DeclaredFields, ShownDocument};
use crate::state::Service;
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

/// The header by which the page's script asks for no more than the fields.
const FRAGMENT: HeaderName = HeaderName::from_static("x-loopctl-fragment");

/// The header with the address to which the page's script goes next.
const NEXT: HeaderName = HeaderName::from_static("x-loopctl-next");

/// The section of the review desk.
pub(crate) const SECTION: Section =
    Section { path: "/review", name: "Review", role: AccessRole::Review, shows_document: |_| true, routes };

fn routes(_: &Service) -> Router<Arc<Service>> {
    Router::new()
        .route("/review", get(list))
        .route("/review/agreement", get(agreement))
        .route("/review/shares", post(set_shares))
        .route("/review/{run}/{document}", get(document))
        .route("/review/{run}/{document}/file", get(document_file))
        .route("/review/{run}/{document}/pages/{page}", get(page_picture))
        .route("/review/{run}/{document}/pages/{page}/words", get(words_of_page))
        .route("/review/{run}/{document}/check", post(check_value))
        .route("/review/{run}/{document}/decide", post(decide))
        .route("/review/{run}/{document}/lease", post(renew))
        .route("/review/{run}/{document}/release", post(release))
}

/// The document that an address names.
type DocumentPath = Path<(String, String)>;

async fn list(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Query(filter): Query<Filter>,
    Query(after): Query<JustDecidedQuery>,
) -> Result<Markup, ApiError> {
    let who = identity.clone();
    let body = on_blocking_thread(move || {
        let leases = service.reading.leases(lease::now_ms())?;
        let rows = service.desk.rows(&service.reading)?;
        let shares = service.reading.coming_review_shares()?;
        let after = after.look_up(&rows, &who, &filter);
        let model = QueuePage::of(&rows, &leases, &who, &filter, shares, after);
        Ok::<_, ApiError>(queue_page(&model))
    })
    .await?;
    Ok(SECTION.page("Review", &identity, &[], &body))
}

async fn document(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path((run, document)): DocumentPath,
    Query(filter): Query<Filter>,
    Query(window): Query<Window>,
    Query(after): Query<JustDecidedQuery>,
) -> Result<Markup, ApiError> {
    let (who, title) = (identity.clone(), document.clone());
    let body = on_blocking_thread(move || {
        let open = OpenDocument::open(&service, &run, &document, &who.name)?;
        let lease = lease::take(&service, open.stored.key, &who.name)?;
        service.desk.views.opened(&who.name, open.stored.key);
        let after = after.look_up(&service.desk.rows(&service.reading)?, &who, &filter);
        Ok::<_, ApiError>(with_page(&open, &who, (&filter, &window), &lease, |page| {
            document_page(&DeskPage { after, ..page })
        }))
    })
    .await?;
    Ok(SECTION.page(&title, &identity, &["desk.js"], &body))
}

/// Makes the page of a document and hands it on.
fn with_page<T>(
    open: &OpenDocument,
    identity: &Identity,
    asked: (&Filter, &Window),
    lease: &Lease,
    see: impl FnOnce(DeskPage<'_>) -> T,
) -> T {
    let run = open.run.id.to_string();
    let beside =
        Beside { run: &run, source: &open.source, plan: open.plan_of_run(), quotes: open.quotes.as_ref() };
    let shown = ShownDocument::of(&open.document, beside);
    see(DeskPage::of(open, &shown, identity, asked, lease))
}

/// The outcome of a form of the desk.
enum FormResponse {
    /// The page again: its fields alone, or all of it.
    Page(StatusCode, Markup),
    /// The document is done.
    Next(String),
    /// It is kept: the page is asked for again.
    Kept(String),
}

async fn check_value(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path(named): DocumentPath,
    Query(filter): Query<Filter>,
    Query(window): Query<Window>,
    headers: HeaderMap,
    Form(submitted): Form<DecisionForm>,
) -> Result<Response, ApiError> {
    let is_fragment = headers.contains_key(FRAGMENT);
    let who = identity.clone();
    let title = named.1.clone();
    let answer = on_blocking_thread(move || {
        may_send(&submitted, &who)?;
        let mut open = OpenDocument::open(&service, &named.0, &named.1, &who.name)?;
        let lease = own_lease(&service, &open, &who.name)?;
        let (status, typed) = match decision_of(&open, &submitted, &who.name) {
            Ok(decision) => (StatusCode::OK, ValueCheck::Checked(Box::new(check(&mut open, decision)))),
            Err(refusal) => {
                let (column, why) = invalid(refusal)?;
                (StatusCode::UNPROCESSABLE_ENTITY, ValueCheck::Invalid(column, why))
            }
        };
        let again = RedisplayedForm { submitted, typed };
        let markup = with_page(&open, &who, (&filter, &window), &lease, |page| {
            whole_or_fields(DeskPage { again: Some(&again), ..page }, is_fragment)
        });
        Ok::<_, ApiError>(FormResponse::Page(status, markup))
    })
    .await?;
    Ok(answered(answer, is_fragment, &title, &identity))
}

/// Checks that a user may send a form: the last word where reviewers differ is an adjudicator's.
fn may_send(submitted: &DecisionForm, identity: &Identity) -> Result<(), ApiError> {
    if !submitted.settles() || identity.may(AccessRole::Adjudicate) {
        return Ok(());
    }
    Err(ApiError::not_allowed(identity, AccessRole::Adjudicate))
}

/// The mistake in a form that is shown again; other refusals end the request.
fn invalid(refusal: DecisionError) -> Result<(Option<String>, String), ApiError> {
    match refusal {
        DecisionError::Invalid(column, why) => Ok((column, why)),
        DecisionError::Conflict(error) | DecisionError::Failed(error) => Err(error),
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

fn answered(answer: FormResponse, is_fragment: bool, title: &str, identity: &Identity) -> Response {
    match answer {
        FormResponse::Page(status, markup) if is_fragment => (status, markup).into_response(),
        FormResponse::Page(status, markup) => {
            (status, SECTION.page(title, identity, &["desk.js"], &markup)).into_response()
        }
        FormResponse::Next(next) if is_fragment => (StatusCode::NO_CONTENT, [(NEXT, next)]).into_response(),
        FormResponse::Next(next) | FormResponse::Kept(next) => Redirect::to(&next).into_response(),
    }
}

async fn decide(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path(named): DocumentPath,
    Query(filter): Query<Filter>,
    Query(window): Query<Window>,
    headers: HeaderMap,
    Form(submitted): Form<DecisionForm>,
) -> Result<Response, ApiError> {
    let is_fragment = headers.contains_key(FRAGMENT);
    let who = identity.clone();
    let title = named.1.clone();
    let answer = on_blocking_thread(move || {
        may_send(&submitted, &who)?;
        decided(&service, &named, (&who, &filter, &window), submitted, is_fragment)
    })
    .await?;
    Ok(answered(answer, is_fragment, &title, &identity))
}

fn decided(
    service: &Service,
    named: &(String, String),
    (identity, filter, window): (&Identity, &Filter, &Window),
    submitted: DecisionForm,
    is_fragment: bool,
) -> Result<FormResponse, ApiError> {
    let reviewer = identity.name.as_str();
    let open = OpenDocument::open(service, &named.0, &named.1, reviewer)?;
    let lease = own_lease(service, &open, reviewer)?;
    let show = |open: &OpenDocument, change: &dyn Fn(DeskPage<'_>) -> Markup| {
        with_page(open, identity, (filter, window), &lease, change)
    };
    let accepts =
        Action::written(&submitted.decision) == Some(Action::Accept) && submitted.field.trim().is_empty();
    if let Some(left) = accepts.then(|| show_left(&open, identity, (filter, window), &lease)).flatten() {
        let said = format!("Answer first: {left}.");
        let markup =
            show(&open, &|page| whole_or_fields(DeskPage { said: said.clone(), ..page }, is_fragment));
        return Ok(FormResponse::Page(StatusCode::UNPROCESSABLE_ENTITY, markup));
    }
    let decision = match decision_of(&open, &submitted, reviewer) {
        Ok(decision) => decision,
        Err(refusal) => {
            let (column, why) = invalid(refusal)?;
            let again = RedisplayedForm { submitted, typed: ValueCheck::Invalid(column, why.clone()) };
            let markup = show(&open, &|page| {
                whole_or_fields(DeskPage { again: Some(&again), said: why.clone(), ..page }, is_fragment)
            });
            return Ok(FormResponse::Page(StatusCode::UNPROCESSABLE_ENTITY, markup));
        }
    };
    let of_whole = decision.content.field.is_none();
    let is_swept = of_whole && decision.content.action == Action::Accept && !decision.content.settles;
    if is_swept && submitted.confirmed.is_empty() {
        let (doubts, is_empty) = with_page(&open, identity, (filter, window), &lease, |page| {
            (page.open_doubts(), page.is_empty())
        });
        if is_empty || !doubts.is_empty() {
            let said =
                if is_empty { "Nothing was extracted." } else { "Values in doubt have not been decided." };
            let said = said.to_owned();
            let markup = show(&open, &|page| {
                let page = DeskPage { confirm: doubts.clone(), said: said.clone(), ..page };
                whole_or_fields(DeskPage { confirm_empty: is_empty, ..page }, is_fragment)
            });
            return Ok(FormResponse::Page(StatusCode::OK, markup));
        }
    }
    if let Err(refusal) = keep(service, &open, &submitted, &decision) {
        let (_, why) = invalid(refusal)?;
        return Err(ApiError::bad_request(why));
    }
    if of_whole && matches!(decision.content.action, Action::Accept | Action::Reject) {
        service.journal.release_lease(open.stored.key, reviewer, lease.until_ms)?;
        return Ok(FormResponse::Next(next_document(service, &open, identity, filter)?));
    }
    if !is_fragment {
        let address = with_page(&open, identity, (filter, window), &lease, |page| page.address(""));
        return Ok(FormResponse::Kept(address));
    }
    let of_one = |one: &Decision| match &one.content.field {
        Some(field) if one.content.settles => format!("{}: settled", field_name(field)),
        Some(field) => format!("{}: {}", field_name(field), word(one.content.action)),
        None if one.content.issue.is_some() => "not a problem".to_owned(),
        None => format!("the document: {}", word(one.content.action)),
    };
    let undone = to_undo(&open, reviewer).filter(|_| decision.content.action == Action::Undo);
    let said = undone.map_or_else(|| of_one(&decision), |undone| format!("Undone: {}", of_one(undone)));
    let open = OpenDocument::open(service, &named.0, &named.1, reviewer)?;
    Ok(FormResponse::Page(
        StatusCode::OK,
        show(&open, &|page| fields_pane(&DeskPage { said: said.clone(), ..page })),
    ))
}

/// The items left to answer before the document is accepted, in words.
fn show_left(
    open: &OpenDocument,
    identity: &Identity,
    asked: (&Filter, &Window),
    lease: &Lease,
) -> Option<String> {
    with_page(open, identity, asked, lease, |page| page.left())
}

/// The name of an action that was taken, for people.
fn word(action: Action) -> &'static str {
    match action {
        Action::Accept => "accepted",
        Action::Edit => "edited",
        Action::NotPresent => "not in the document",
        Action::Missed => "added",
        Action::Holds => "not a problem",
        Action::Compared => "all values compared",
        Action::Retype => "its right type recorded",
        Action::Reject => "rejected",
        Action::Comment => "comment saved",
        Action::Undo => "the latest decision was undone",
    }
}

/// The document after this one in the queue that no one else has; the queue, if that was the last.
fn next_document(
    service: &Service,
    open: &OpenDocument,
    identity: &Identity,
    filter: &Filter,
) -> Result<String, ApiError> {
    let reviewer = identity.name.as_str();
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
        let task = row.task(identity);
        row.key != open.stored.key
            && task.asks_something()
            && !leases.contains_key(&row.key)
            && filter.admits(row, task, reviewer, false)
    });
    let next = next
        .map_or_else(|| "/review".to_owned(), |row| address::of_document(row.run.as_str(), &row.document));
    Ok(match here.and_then(|at| rows.get(at)) {
        Some(decided) => JustDecidedQuery::address(&next, filter, decided),
        None => format!("{next}{}", filter.query()),
    })
}

async fn renew(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path((run, document)): DocumentPath,
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

/// The end of the lease, as known to the page that is left.
#[derive(Deserialize)]
struct LeaseRelease {
    until_ms: u64,
}

async fn release(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path((run, document)): DocumentPath,
    Form(left): Form<LeaseRelease>,
) -> Result<StatusCode, ApiError> {
    on_blocking_thread(move || {
        let key = key_of(&service, &run, &document)?;
        service.journal.release_lease(key, &identity.name, left.until_ms)?;
        Ok::<_, ApiError>(StatusCode::NO_CONTENT)
    })
    .await
}

async fn agreement(identity: Identity, State(service): State<Arc<Service>>) -> Result<Markup, ApiError> {
    let body =
        on_blocking_thread(move || Ok::<_, ApiError>(agreement_page(&agreement_of(&service)?))).await?;
    Ok(SECTION.page("Agreement", &identity, &[], &body))
}

/// The agreement on documents that two reviewers decided about.
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
        // What the host fills in is not a field that reviewers inspect.
        let run_of = journal.run(run)?;
        let plan = run_of.and_then(|run| service.desk.plans.of_run(service.profiles.as_ref(), &run).plan);
        let named = outcome.as_ref().and_then(|outcome| outcome.get("document_type")?.as_str());
        let declared = named.zip(plan.as_deref()).map(|(named, plan)| DeclaredFields::of(plan, named));
        let declared = Arc::new(declared.unwrap_or_default());
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
