//! The state that all requests share.

use super::access::{Hosts, Throttle};
use super::desk::Desk;
use super::feed::Feed;
use super::health::Health;
use super::jobs::Jobs;
use super::metrics::Metrics;
use super::profiles::ServedProfiles;
use super::runs::RunDetails;
use super::settings::ServiceSettings;
use super::shares::Shares;
use crate::store::{Journal, StoreError};
use std::path::Path;
use std::sync::Arc;

/// The service, as requests see it.
pub struct Service {
    /// The settings: its addresses, and what it takes.
    pub settings: ServiceSettings,
    /// The names by which it may be addressed.
    pub(super) hosts: Hosts,
    /// Profiles, and the providers that they ask.
    pub profiles: Arc<ServedProfiles>,
    /// Announces that something was written.
    pub feed: Arc<Feed>,
    /// Documents that are submitted, and what works on them.
    pub jobs: Jobs,
    /// The journal, for writing.
    pub journal: Arc<Journal>,
    /// The journal, for reading what pages and answers show, beside the writer.
    pub reading: Arc<Journal>,
    /// The memory of the review desk.
    pub(super) desk: Desk,
    /// The counts and measures, for Prometheus.
    pub metrics: Arc<Metrics>,
    /// The health of the journal: whether it takes documents.
    pub health: Health,
    /// The limit on how often requests without a token are listened to.
    pub(super) throttle: Throttle,
    /// The share of the service that each name takes at the moment.
    pub(super) shares: Shares,
    /// Sums over the documents of runs that pages show.
    pub(super) run_details: RunDetails,
    /// Held while the numbers are checked, so that no alert is sent twice.
    pub(super) looking: tokio::sync::Mutex<()>,
}

impl Service {
    /// Opens the journal, and creates it where there is none.
    ///
    /// # Errors
    /// When it can't be opened.
    pub fn open(
        settings: ServiceSettings,
        journal: &Path,
        profiles: Arc<ServedProfiles>,
        metrics: Arc<Metrics>,
    ) -> Result<Self, StoreError> {
        let (journal, reading) = (Journal::open(journal)?, Journal::open(journal)?);
        let hosts = Hosts::new(settings.listen, &settings.hosts);
        let (journal, reading) = (Arc::new(journal), Arc::new(reading));
        let desk = Desk::of(&journal)?;
        let feed = Arc::new(Feed::default());
        let jobs = Jobs::new(
            Arc::clone(&journal),
            Arc::clone(&profiles),
            Arc::clone(&feed),
            Arc::clone(&metrics),
            &settings,
        );
        let run_details = RunDetails::default();
        let looking = tokio::sync::Mutex::default();
        Ok(Service {
            settings,
            hosts,
            profiles,
            feed,
            jobs,
            journal,
            reading,
            metrics,
            health: Health::default(),
            throttle: Throttle::default(),
            shares: Shares::default(),
            run_details,
            looking,
            desk,
        })
    }
}
