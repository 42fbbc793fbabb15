//! Profiles as pages: what each does, and what would differ with other numbers.
//!
//! - `source`: profiles for these pages, `trial`: another policy on recorded documents, `text_diff`: the changes of a
//!   file.

mod source;
mod text_diff;
mod trial;

pub(crate) use source::{ProfileDetails, ProfileRefusal, ProfileText};
pub(crate) use text_diff::{DiffLine, diff};
pub(crate) use trial::{PolicyTrial, TrialEnd, TrialSums};

use super::access::{AccessRole, Admin, Identity};
use super::api::ApiError;
use super::blocking::on_blocking_thread;
use super::pages::{self, Section};
use super::profiles::ProfileRequest;
use super::state::Service;
use crate::store::{RunId, StoreError, StoredRun};
use axum::Router;
use axum::extract::{Form, Path, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::Markup;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most documents of a run on which a change is tried: reading what happened to each takes some milliseconds.
const MOST_TRIED: usize = 2_000;
/// The most runs that are offered.
const MOST_RUNS: usize = 50;
/// The longest value of a setting.
const LONGEST_VALUE: usize = 60;

/// The contents of a profile's page.
pub(crate) struct TuningView {
    pub(crate) name: String,
    pub(crate) details: Result<ProfileDetails, ProfileRefusal>,
    /// Runs on which a change can be tried, the latest first.
    pub(crate) runs: Vec<StoredRun>,
    /// The change that is tried.
    pub(crate) change: Option<ChangeView>,
}

/// The effects of a change of numbers.
pub(crate) struct ChangeView {
    /// The numbers that differ, by their paths.
    pub(crate) settings: BTreeMap<String, String>,
    /// The run on which it is tried.
    pub(crate) run: Option<String>,
    pub(crate) trial: Option<Result<PolicyTrial, ProfileRefusal>>,
    /// The file before and after.
    pub(crate) text: Result<(ProfileText, String), ProfileRefusal>,
}

/// A profile of the list.
pub(crate) struct ProfileRow {
    pub(crate) name: String,
    pub(crate) description: Result<String, ProfileRefusal>,
}

/// The section of profiles.
pub(crate) const SECTION: Section = Section {
    path: "/profiles",
    name: "Profiles",
    role: AccessRole::Review,
    shows_document: |_| false,
    routes,
};

fn routes(_: &Service) -> Router<Arc<Service>> {
    Router::new()
        .route("/profiles", get(list))
        .route("/profiles/{name}", get(profile))
        .route("/profiles/{name}/yaml", get(yaml))
        .route("/profiles/{name}/save", post(save))
}

async fn list(identity: Identity, State(service): State<Arc<Service>>) -> Result<Markup, ApiError> {
    let rows = on_blocking_thread(move || {
        let names = service.profiles.names().into_iter();
        let row = |name: String| {
            let description = service.profiles.description(&name);
            ProfileRow { name, description }
        };
        Ok::<_, StoreError>(names.map(row).collect::<Vec<_>>())
    });
    Ok(pages::profiles(&identity, &rows.await?))
}

/// The values of a form by its names: settings, and what is done with them.
type FormFields = BTreeMap<String, String>;

/// The settings among the fields that differ from what the profile has.
fn changes(details: &ProfileDetails, fields: &FormFields) -> Result<BTreeMap<String, String>, ApiError> {
    let mut changes = BTreeMap::new();
    for knob in &details.knobs {
        let Some(said) = fields.get(&knob.path).map(|said| said.trim()) else { continue };
        if said == knob.value || said.is_empty() {
            continue;
        }
        // Anything that YAML would read as something else is neither a number nor a time.
        let is_plain = said.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
        if !is_plain || said.len() > LONGEST_VALUE {
            return Err(ApiError::bad_request(format!(
                "`{}` needs a number, or a time such as `30s`",
                knob.path
            )));
        }
        changes.insert(knob.path.clone(), said.to_owned());
    }
    Ok(changes)
}

fn request(name: &str, settings: &BTreeMap<String, String>) -> ProfileRequest {
    let settings = settings.iter().map(|(path, value)| format!("{path}={value}")).collect();
    ProfileRequest { name: name.to_owned(), settings }
}

fn known(service: &Service, name: &str) -> Result<(), ApiError> {
    if service.profiles.names().iter().any(|known| known == name) {
        return Ok(());
    }
    Err(ApiError::not_found("there is no profile of this name").help("`/profiles` lists them"))
}

async fn profile(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path(name): Path<String>,
    Query(fields): Query<FormFields>,
) -> Result<Markup, ApiError> {
    let by = Arc::clone(&service);
    let view = by.shares.computed(&identity, move || TuningView::read(&service, name, &fields)).await?;
    Ok(pages::profile(&identity, &view))
}

impl TuningView {
    fn read(service: &Service, name: String, fields: &FormFields) -> Result<Self, ApiError> {
        known(service, &name)?;
        let details = service.profiles.details(&ProfileRequest::named(name.clone()));
        let mut runs = service.reading.runs()?;
        runs.retain(|run| run.finished_documents > 0 && run.record.profile == name);
        runs.reverse();
        runs.truncate(MOST_RUNS);
        let settings = match &details {
            Ok(details) => changes(details, fields)?,
            Err(_) => BTreeMap::new(),
        };
        let change = if settings.is_empty() {
            None
        } else {
            let request = request(&name, &settings);
            let run = fields.get("run").filter(|run| !run.is_empty());
            let trial = match run {
                None => None,
                Some(run) => {
                    let id = RunId::new(run.clone());
                    let stored = service.reading.run(&id)?.ok_or(StoreError::UnknownRun { run: id })?;
                    Some(service.profiles.tried(&service.reading, &stored, &request, MOST_TRIED))
                }
            };
            let text = service.profiles.changed_text(&request, None);
            Some(ChangeView { settings, run: run.cloned(), trial, text })
        };
        Ok(TuningView { name, details, runs, change })
    }
}

impl From<ProfileRefusal> for ApiError {
    fn from(refused: ProfileRefusal) -> Self {
        let mut message = refused.message;
        if let Some(problem) = refused.problems.first() {
            message = format!("{message}: {problem}");
        }
        let error = ApiError::new(axum::http::StatusCode::UNPROCESSABLE_ENTITY, message);
        match refused.help {
            Some(help) => error.help(help),
            None => error,
        }
    }
}

/// The changed text of a profile, under the name that the fields give, if they do.
fn changed(service: &Service, name: &str, fields: &FormFields) -> Result<(String, String), ApiError> {
    known(service, name)?;
    let details = service.profiles.details(&ProfileRequest::named(name))?;
    let settings = changes(&details, fields)?;
    let new_name = fields.get("name").map(|name| name.trim()).filter(|name| !name.is_empty());
    let (_, text) = service.profiles.changed_text(&request(name, &settings), new_name)?;
    Ok((new_name.unwrap_or(name).to_owned(), text))
}

async fn yaml(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path(name): Path<String>,
    Query(fields): Query<FormFields>,
) -> Result<Response, ApiError> {
    let by = Arc::clone(&service);
    let (_, text) = by.shares.computed(&identity, move || changed(&service, &name, &fields)).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/yaml; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"profile.yaml\""),
    ];
    Ok((headers, text).into_response())
}

async fn save(
    Admin(_): Admin,
    State(service): State<Arc<Service>>,
    Path(name): Path<String>,
    Form(fields): Form<FormFields>,
) -> Result<Redirect, ApiError> {
    let saved = on_blocking_thread(move || {
        let (new_name, text) = changed(&service, &name, &fields)?;
        service.profiles.save(&new_name, &text)?;
        Ok::<_, ApiError>(new_name)
    });
    // A name that was saved has only letters, digits and dashes.
    Ok(Redirect::to(&format!("/profiles/{}", saved.await?)))
}
