//! What all requests share.

use super::access::Hosts;
use super::desk::Desk;
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
    /// What the review desk keeps in memory.
    pub(super) desk: Desk,
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
    ) -> Result<Self, StoreError> {
        let (journal, reading) = (Journal::open(journal)?, Journal::open(journal)?);
        let hosts = Hosts::new(settings.listen, &settings.hosts);
        let (journal, reading) = (Arc::new(journal), Arc::new(reading));
        let desk = Desk::of(&journal)?;
        Ok(Service { settings, hosts, profiles, journal, reading, desk })
    }
}
