//! What all requests share.

use super::access::{Hosts, Throttle};
use super::health::Health;
use super::metrics::Metrics;
use super::profiles::ProfileSource;
use super::settings::ServiceSettings;
use crate::store::{Journal, StoreError};
use std::path::Path;
use std::sync::Arc;

/// The service, as requests see it.
pub(crate) struct Service {
    /// How it is reached and what it takes.
    pub(crate) settings: ServiceSettings,
    /// The names by which it may be asked for.
    pub(super) hosts: Hosts,
    /// Profiles, and whom they ask.
    pub(crate) profiles: Arc<dyn ProfileSource>,
    /// What is written goes here.
    pub(crate) journal: Arc<Journal>,
    /// What pages and answers show is read here, beside whoever writes.
    pub(crate) reading: Arc<Journal>,
    /// What is counted, for Prometheus.
    pub(crate) metrics: Arc<Metrics>,
    /// What does not work at the moment.
    pub(crate) health: Health,
    /// How often whoever brings no token is listened to.
    pub(super) throttle: Throttle,
}

impl Service {
    /// Opens the journal, which is made where there is none.
    ///
    /// # Errors
    /// When it can't be opened.
    pub(crate) fn open(
        settings: ServiceSettings,
        journal: &Path,
        profiles: Arc<dyn ProfileSource>,
        metrics: Arc<Metrics>,
    ) -> Result<Self, StoreError> {
        let (journal, reading) = (Journal::open(journal)?, Journal::open(journal)?);
        let hosts = Hosts::new(settings.listen, &settings.hosts);
        let (journal, reading) = (Arc::new(journal), Arc::new(reading));
        Ok(Service {
            settings,
            hosts,
            profiles,
            journal,
            reading,
            metrics,
            health: Health::default(),
            throttle: Throttle::default(),
        })
    }
}
