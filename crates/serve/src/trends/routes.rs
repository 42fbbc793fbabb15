//! The page of trends.

use super::alerts::{AlertSettings, SETTINGS};
use super::series::{Point, TimeStep, points};
use super::watch::recent;
use crate::access::{AccessRole, Identity};
use crate::api::ApiError;
use crate::blocking::on_blocking_thread;
use crate::pages::{self, Section};
use crate::state::Service;
use crate::store::{FigureTotals, Journal, StoreError, SumsBy};
use axum::Router;
use axum::extract::{Query, State};
use axum::routing::get;
use jiff::Timestamp;
use maud::Markup;
use serde::Deserialize;
use std::sync::Arc;

/// The contents of the page.
pub(crate) struct TrendsView {
    pub(crate) step: TimeStep,
    /// The profile whose documents count; `None` for all.
    pub(crate) profile: Option<String>,
    /// Every profile that has runs.
    pub(crate) profiles: Vec<String>,
    pub(crate) points: Vec<Point>,
    pub(crate) alerts: AlertSettings,
    /// The sums over the last hours, over which alerts are raised.
    pub(crate) recent: FigureTotals,
    /// `true` if the form of alerts was sent before.
    pub(crate) is_saved: bool,
}

/// The section of trends.
pub(crate) const SECTION: Section =
    Section { path: "/trends", name: "Trends", role: AccessRole::Review, shows_document: |_| false, routes };

fn routes(_: &Service) -> Router<Arc<Service>> {
    Router::new().route("/trends", get(trends))
}

/// The query of the address.
#[derive(Debug, Deserialize)]
struct TrendsQuery {
    by: Option<String>,
    profile: Option<String>,
    /// The form that was sent before.
    saved: Option<String>,
}

async fn trends(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Query(asked): Query<TrendsQuery>,
) -> Result<Markup, ApiError> {
    let step = match &asked.by {
        None => TimeStep::Day,
        Some(by) => TimeStep::ALL
            .into_iter()
            .find(|step| step.key() == by)
            .ok_or_else(|| ApiError::bad_request("steps are `hour`, `day` and `run`"))?,
    };
    let is_saved = asked.saved.as_deref() == Some("alerts");
    let profile = asked.profile.filter(|profile| !profile.is_empty());
    let view =
        on_blocking_thread(move || TrendsView::read(&service.reading, step, profile, Timestamp::now()));
    let view = TrendsView { is_saved, ..view.await? };
    Ok(pages::trends(&identity, &view))
}

impl TrendsView {
    fn read(
        journal: &Journal,
        step: TimeStep,
        profile: Option<String>,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let alerts = AlertSettings::of(journal.service_setting(SETTINGS)?);
        let by = match step.ms() {
            Some(ms) => SumsBy::Time(u32::try_from(ms).unwrap_or(u32::MAX)),
            None => SumsBy::Run,
        };
        let from = step.begins_ms(now.as_millisecond());
        let sums = journal.figure_sums(by, profile.as_deref(), from)?;
        let mut of_all = FigureTotals::default();
        for (name, totals) in recent(journal, &alerts, now)? {
            if profile.as_ref().is_none_or(|profile| *profile == name) {
                of_all.absorb(&totals);
            }
        }
        Ok(TrendsView {
            points: points(&sums, step),
            step,
            profiles: journal.profiles_of_runs()?,
            profile,
            alerts,
            recent: of_all,
            is_saved: false,
        })
    }
}
