//! Runs and their documents, as pages: their results, and decisions while they are in progress.
//!
//! - `details`: scores by iteration and issues of a run, added up as documents end;
//! - `model`: the contents of pages about runs, `story`: about a document.

mod details;
mod model;
mod story;

pub(crate) use details::IterationMeans;
pub(crate) use details::RunDetails;
pub(crate) use model::{RunList, RunRow, RunView};
pub(crate) use story::DocumentView;

use super::access::{AccessRole, Identity};
use super::api::ApiError;
use super::blocking::on_blocking_thread;
use super::pages::{self, Section};
use super::state::Service;
use crate::store::{DocumentFilter, RunId};
use crate::value::DocumentId;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::get;
use maud::Markup;
use serde::Deserialize;
use std::sync::Arc;

/// The number of runs on a page of their list.
const RUNS: u32 = 25;
/// The number of documents on a page of a run.
const DOCUMENTS: u32 = 50;

/// The section of runs. The page of a run, which is read again and again while the run is in progress, shows no document.
pub(crate) const SECTION: Section = Section {
    path: "/runs",
    name: "Runs",
    role: AccessRole::Review,
    shows_document: |below| below.contains('/'),
    routes,
};

fn routes(_: &Service) -> Router<Arc<Service>> {
    Router::new()
        .route("/runs", get(list))
        .route("/runs/{run}", get(run))
        .route("/runs/{run}/{document}", get(document))
}

/// The query of a list's address.
#[derive(Debug, Deserialize)]
struct ListQuery {
    page: Option<u64>,
    /// The selection of documents.
    show: Option<String>,
    /// Present if only the part that changes is asked for.
    fragment: Option<String>,
}

async fn list(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Query(asked): Query<ListQuery>,
) -> Result<Markup, ApiError> {
    let is_fragment = asked.fragment.is_some();
    let list = on_blocking_thread(move || RunList::read(&service.reading, asked.page, RUNS)).await?;
    Ok(if is_fragment { pages::runs_part(&list) } else { pages::runs(&identity, &list) })
}

async fn run(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path(run): Path<String>,
    Query(asked): Query<ListQuery>,
) -> Result<Markup, ApiError> {
    let is_fragment = asked.fragment.is_some();
    let filter = match &asked.show {
        None => DocumentFilter::All,
        Some(show) => DocumentFilter::ALL
            .into_iter()
            .find(|filter| pages::filter_key(*filter) == show)
            .ok_or_else(|| ApiError::bad_request("there is no such selection of documents"))?,
    };
    let view = on_blocking_thread(move || {
        let run = RunId::new(run);
        RunView::read(&service.reading, &service.run_details, &run, filter, asked.page, DOCUMENTS)
    })
    .await?;
    Ok(if is_fragment { pages::run_part(&view) } else { pages::run(&identity, &view) })
}

async fn document(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path((run, document)): Path<(String, String)>,
    Query(asked): Query<ListQuery>,
) -> Result<Markup, ApiError> {
    let view = on_blocking_thread(move || {
        DocumentView::read(&service.reading, &RunId::new(run), &DocumentId::new(document))
    })
    .await?;
    Ok(if asked.fragment.is_some() { pages::document_part(&view) } else { pages::document(&identity, &view) })
}
