//! The first page: submit documents, and see their status.

use super::Section;
use super::parts::{in_address, minute, outside, score};
use super::run_document::marked;
use crate::access::{AccessRole, Identity};
use crate::api::{
    ApiError, Job, JobSection, JobStatus, MOST_FILES, ReadingPage, RefusedFile, recent, take_files,
};
use crate::blocking::on_blocking_thread;
use crate::jobs::DuplicateRule;
use crate::profiles::ProfileRequest;
use crate::report::{figures, page_table, words};
use crate::settings::{ChosenBy, ServedJournal};
use crate::state::Service;
use crate::value::{ShownPath, prose};
use axum::Router;
use axum::extract::multipart::MultipartRejection;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Multipart, Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

/// The number of jobs that are listed.
const LISTED: u32 = 100;

/// The section of documents that were submitted.
pub(crate) const SECTION: Section =
    Section { path: "/", name: "Documents", role: AccessRole::Submit, shows_document: |_| false, routes };

fn routes(service: &Service) -> Router<Arc<Service>> {
    let most = service.settings.most_bytes.saturating_mul(4).saturating_add(1 << 20);
    let form = post(submit).layer(DefaultBodyLimit::max(usize::try_from(most).unwrap_or(usize::MAX)));
    Router::new()
        .route("/", get(show))
        .route("/documents", form)
        .route("/documents/list", get(list))
        .route("/documents/{job}/retry", post(retry))
        .route("/documents/{job}/cancel", post(cancel))
}

/// The query of the address: the outcome of a form that was sent before.
#[derive(Default, Clone, Copy, Deserialize)]
struct UploadQuery {
    /// The number of documents that were taken.
    #[serde(default)]
    taken: usize,
    /// The number that were submitted before, and not taken again.
    #[serde(default)]
    known: usize,
}

async fn show(
    identity: Identity,
    State(service): State<Arc<Service>>,
    query: Result<Query<UploadQuery>, QueryRejection>,
) -> Result<Markup, ApiError> {
    let query = query.map(|Query(query)| query).unwrap_or_default();
    on_blocking_thread(move || shown(&service, &identity, query, &UploadOutcome::default())).await
}

/// The outcome of a form.
#[derive(Default)]
struct UploadOutcome {
    /// Documents that were refused, while others were taken.
    refused: Vec<RefusedFile>,
    /// The reason why none of it was taken.
    nothing: Option<String>,
}

/// The page, after a form with this outcome.
fn shown(
    service: &Service,
    identity: &Identity,
    query: UploadQuery,
    outcome: &UploadOutcome,
) -> Result<Markup, ApiError> {
    let jobs = recent(service, identity, LISTED)?;
    let (names, profile_errors) = (service.profiles.names(), service.jobs.profile_errors());
    let most_mb = service.settings.most_bytes >> 20;
    let types = service.profiles.suggested_types(&ProfileRequest::named(service.settings.profile.as_str()));
    let body = html! {
        h1 { "Documents" }
        div role="status" {
            @if query.taken > 0 { p.good { "Submitted: " (prose::count(query.taken as u64, "document")) "." } }
            @if query.known > 0 {
                p { "Already submitted with the same settings, and listed below: " (prose::count(query.known as u64, "document")) "." }
            }
            @if let Some(why) = &outcome.nothing { p.trouble { "Nothing was submitted: " (outside(why)) "." } }
            @for file in &outcome.refused { p.trouble { code { (outside(&file.file_name)) } " was not submitted: " (outside(&file.error)) "." } }
        }
        (form(&names, &service.settings.profile, types, most_mb))
        details {
            summary { "What each profile is for" }
            dl {
                @for name in &names {
                    @if let Ok(description) = service.profiles.description(name) {
                        dt { code { (name) } }
                        dd { (outside(&description)) }
                    }
                }
            }
        }
        @if !profile_errors.is_empty() {
            section aria-label="Why documents are waiting" {
                @for (profile, why) in &profile_errors {
                    p.trouble { "Documents of the profile " code { (profile) } " are waiting: " (outside(why)) }
                }
            }
        }
        h2 { "Submitted" }
        @if identity.may(AccessRole::Review) {
            p { "Results that need a person's decision are listed under " a href="/review" { "Review" } "." }
        }
        div #live data-fragment="/documents/list" data-every="2" { (table(&jobs, identity)) }
        // Users who only submit or review need not know where files are.
        @if identity.may(AccessRole::Admin) { (whose(&service.settings.journal)) }
    };
    Ok(SECTION.page("Documents", identity, &["live.js"], &body))
}

/// The journal whose documents these are.
fn whose(journal: &ServedJournal) -> Markup {
    let path = |path: &std::path::Path| outside(path.shown().as_ref());
    let by = match journal.by {
        ChosenBy::Data => "the folder that was named with `--data`",
        ChosenBy::Journal => "named with `--journal`",
        ChosenBy::Folder => "the journal of the folder in which the service was started",
        ChosenBy::LatestRun => "the journal of the latest run in the folder in which the service was started",
    };
    html! {
        p.soft #journal {
            "These documents are stored in " code { (path(&journal.file)) } " (" (marked(by)) "). The service was started in "
            code { (path(&journal.started_in)) } "."
        }
    }
}

/// The form of submission, with the types of documents that are suggested: those of the usual profile.
fn form(names: &[String], usual: &str, types: &[String], most_mb: u64) -> Markup {
    html! {
        form.submit method="post" action="/documents" enctype="multipart/form-data" {
            div {
                label for="profile" { "Profile" }
                select id="profile" name="profile" {
                    @for name in names { option value=(name) selected[name == usual] { (name) } }
                    @if !names.iter().any(|name| name == usual) { option value=(usual) selected { (usual) } }
                }
            }
            div {
                label for="document_type" { "Type " span.soft { "(if you know it)" } }
                input id="document_type" name="document_type" list="document-types" autocomplete="off" maxlength="200" placeholder="found by itself";
                datalist id="document-types" { @for one in types { option value=(one) {} } }
            }
            div {
                label for="password" { "Password " span.soft { "(of PDF files that need one; it is stored nowhere)" } }
                input id="password" type="password" name="password" autocomplete="off" maxlength="1024";
            }
            div {
                label { input type="checkbox" name="again" value="yes"; " Run documents again even if they were already submitted" }
            }
            div {
                label for="file" { "Files" }
                input id="file" type="file" name="file" multiple aria-describedby="kinds";
            }
            details {
                summary { "Or paste a text" }
                label for="text" { "Text" }
                textarea id="text" name="text" rows="8" {}
            }
            p.soft #kinds { "Texts, PDF files, scans and images, Word, Excel and OpenDocument files, HTML, XML, e-mails: at most " (MOST_FILES) " at a time, and " (most_mb) " MB each." }
            button.primary type="submit" { "Submit" }
        }
    }
}

async fn list(identity: Identity, State(service): State<Arc<Service>>) -> Result<Markup, ApiError> {
    let listed = move || {
        let jobs = recent(&service, &identity, LISTED)?;
        Ok::<_, ApiError>(table(&jobs, &identity))
    };
    on_blocking_thread(listed).await
}

fn table(jobs: &[Job], identity: &Identity) -> Markup {
    if jobs.is_empty() {
        return html! { p.empty { "No documents yet. Choose files above, or send them to the API (" a href="/api/openapi.json" { "description" } ")." } };
    }
    let columns =
        [words("Document | Profile | State"), figures("Score | Iterations"), words("Submitted | ")].concat();
    page_table(
        &format!("The latest {}, newest first", prose::count(jobs.len() as u64, "document")),
        &columns,
        jobs.iter().map(|job| row(job, identity)).collect(),
    )
}

fn row(job: &Job, identity: &Identity) -> Vec<Markup> {
    let outcome = job.outcome.as_ref();
    let is_reviewer = identity.may(AccessRole::Review);
    let review_link = |words: &str| {
        let address = format!("/review/{}/{}", job.run, in_address(&job.document));
        html! { @if is_reviewer { a href=(address) { (outside(words)) } } @else { (outside(words)) } }
    };
    let review = match (&job.decided, outcome) {
        (Some(decided), _) => Some(decided.words()),
        (None, Some(outcome)) if outcome.needs_review => Some("needs review".to_owned()),
        (None, _) => None,
    };
    vec![
        file(job, is_reviewer),
        html! { (job.profile) },
        html! { span class=(class(job)) { (state(job)) } @if let Some(words) = review { " · " (review_link(&words)) } },
        html! { @if let Some(overall) = outcome.and_then(|outcome| outcome.overall) { (score(Some(overall))) } },
        html! { @if let Some(outcome) = outcome { (outcome.iterations) } },
        html! { time datetime=(job.submitted_at) { (minute(&job.submitted_at)) } },
        match job.status {
            JobStatus::Failed | JobStatus::Cancelled => button(job, "retry", "Try again"),
            JobStatus::Waiting | JobStatus::Running | JobStatus::Parked => button(job, "cancel", "Cancel"),
            JobStatus::Finished => html! {},
        },
    ]
}

/// The name of a job's file, and the numbers of its sections if it was split, each with its own page.
fn file(job: &Job, is_reviewer: bool) -> Markup {
    let address = |document: &str| format!("/runs/{}/{}", job.run, in_address(document));
    let linked = |document: &str, words: &str| {
        html! { @if is_reviewer { a href=(address(document)) { (outside(words)) } } @else { (outside(words)) } }
    };
    if job.sections.is_empty() {
        return linked(&job.document, &job.file_name);
    }
    html! {
        (outside(&job.file_name))
        @for (number, section) in (1..).zip(&job.sections) { " " (linked(&section.document, &format!("#{number}"))) }
    }
}

fn button(job: &Job, action: &str, words: &str) -> Markup {
    html! {
        form method="post" action={ "/documents/" (job.id) "/" (action) } {
            button.quiet type="submit" aria-label={ (words) ": " (job.file_name) } { (words) }
        }
    }
}

fn state(job: &Job) -> String {
    if !job.sections.is_empty() {
        let passes = |section: &&JobSection| {
            section.final_status.as_deref().is_some_and(|status| matches!(status, "passed" | "skipped"))
        };
        let passed = job.sections.iter().filter(passes).count();
        let of = prose::count(job.sections.len() as u64, "section");
        return format!("{}: {passed} of {of} passed", status(job.status));
    }
    match (&job.outcome, &job.reason) {
        (Some(outcome), _) => outcome.final_status.replace('_', " "),
        (None, Some(reason)) => format!("{}: {reason}", status(job.status)),
        (None, None) if job.reading => match job.reading_page {
            Some(ReadingPage { page, pages }) => format!("reading page {page} of {pages}"),
            None => "reading the file".to_owned(),
        },
        (None, None) => status(job.status).to_owned(),
    }
}

fn status(status: JobStatus) -> &'static str {
    match status {
        JobStatus::Parked => "waiting for a batch",
        JobStatus::Running => "in progress",
        JobStatus::Waiting | JobStatus::Finished | JobStatus::Failed | JobStatus::Cancelled => {
            status.as_str()
        }
    }
}

fn class(job: &Job) -> &'static str {
    match (&job.outcome, job.status) {
        (Some(outcome), _) if outcome.final_status == "passed" => "good",
        (Some(_), _) => "doubtful",
        (None, JobStatus::Failed) => "bad",
        (None, _) => "soft",
    }
}

async fn submit(
    identity: Identity,
    State(service): State<Arc<Service>>,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Response, ApiError> {
    let taken = match form {
        Ok(form) => take_files(&service, &identity, form, DuplicateRule::Content).await,
        Err(rejection) => Err(rejection.into()),
    };
    let (query, outcome) = match &taken {
        Ok(taken) => {
            let known = taken.jobs.iter().filter(|job| job.is_known).count();
            let outcome = UploadOutcome { refused: taken.refused(), nothing: None };
            (UploadQuery { taken: taken.jobs.len() - known, known }, outcome)
        }
        Err(error) => {
            let nothing = Some(error.message().trim_end_matches("; none of them was taken").to_owned());
            (UploadQuery::default(), UploadOutcome { refused: Vec::new(), nothing })
        }
    };
    if outcome.refused.is_empty() && outcome.nothing.is_none() {
        return Ok(Redirect::to(&format!("/?taken={}&known={}", query.taken, query.known)).into_response());
    }
    let page = on_blocking_thread(move || shown(&service, &identity, query, &outcome)).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

async fn retry(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Redirect, ApiError> {
    let again = move || {
        let job = crate::api::find(&service, &identity, &id)?;
        service.jobs.retry(&job).map(drop).map_err(ApiError::from)
    };
    on_blocking_thread(again).await?;
    Ok(Redirect::to("/"))
}

async fn cancel(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
) -> Result<Redirect, ApiError> {
    let cancelled = move || {
        let job = crate::api::find(&service, &identity, &id)?;
        service.jobs.cancel(&job.id, &identity.name).map(drop).map_err(ApiError::from)
    };
    on_blocking_thread(cancelled).await?;
    Ok(Redirect::to("/"))
}
