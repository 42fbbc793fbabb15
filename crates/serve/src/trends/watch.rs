//! Checks the numbers every half minute, and notifies the webhook of each crossing.

use super::alerts::{AlertSettings, Crossing, LAST_MESSAGE, RaisedAlerts, SETTINGS, STANDING, crossings};
use super::webhook::{Webhook, WebhookUrl, message};
use crate::blocking::on_blocking_thread;
use crate::state::Service;
use crate::store::{FigureTotals, Journal, StoreError, SumsBy};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The interval between checks.
const EVERY: Duration = Duration::from_secs(30);

/// The result of the last message, for the settings page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastMessage {
    /// The time, as RFC 3339.
    pub(crate) at: String,
    /// The server that it was sent to.
    pub(crate) server: String,
    /// The failure; `None` if it was taken.
    pub(crate) failed: Option<String>,
}

/// Runs for as long as the service exists.
pub(crate) async fn watch(service: Weak<Service>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(service) = service.upgrade() else { return };
        look(&service).await;
    }
}

/// Checks once, and reports what crossed its bound. Returns the number of messages that were sent.
pub(crate) async fn look(service: &Arc<Service>) -> usize {
    let _alone = service.looking.lock().await;
    let (reading, writing) = (Arc::clone(&service.reading), Arc::clone(&service.journal));
    let seen = on_blocking_thread(move || {
        let settings = AlertSettings::of(reading.service_setting(SETTINGS)?);
        let crossed = newly_crossed(&reading, &writing, &settings, Timestamp::now())?;
        Ok::<_, StoreError>((settings, crossed))
    });
    let (settings, crossed) = match seen.await {
        Ok(seen) => seen,
        Err(error) => {
            tracing::warn!(target: "loopctl", event = "alerts_failed", reason = error.message());
            return 0;
        }
    };
    tell(service, &settings, &crossed).await
}

/// The numbers that crossed their bounds since the last check. They are kept before anyone is notified, so that no
/// alert is sent twice.
fn newly_crossed(
    reading: &Journal,
    writing: &Journal,
    settings: &AlertSettings,
    now: Timestamp,
) -> Result<Vec<Crossing>, StoreError> {
    let profiles = recent(reading, settings, now)?;
    let kept = reading.service_setting(STANDING)?;
    let before: RaisedAlerts = kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
    let (crossed, standing) = crossings(settings, &profiles, &before);
    if standing != before {
        let value = serde_json::to_value(&standing).unwrap_or_default();
        writing.set_service_setting(STANDING, &value)?;
    }
    Ok(crossed)
}

/// The sums over the documents of each profile that ended in the hours of the settings.
///
/// # Errors
/// When the journal can't be read.
pub(crate) fn recent(
    journal: &Journal,
    settings: &AlertSettings,
    now: Timestamp,
) -> Result<Vec<(String, FigureTotals)>, StoreError> {
    let from = now.as_millisecond() - i64::from(settings.hours) * 3_600_000;
    let mut profiles = Vec::new();
    for profile in journal.profiles_of_runs()? {
        let mut totals = FigureTotals::default();
        for sums in journal.figure_sums(SumsBy::Run, Some(&profile), from)? {
            totals.absorb(&sums.totals);
        }
        if totals.counted > 0 {
            profiles.push((profile, totals));
        }
    }
    Ok(profiles)
}

async fn tell(service: &Arc<Service>, settings: &AlertSettings, crossed: &[Crossing]) -> usize {
    let mut sent = 0;
    for crossing in crossed {
        tracing::warn!(
            target: "loopctl",
            event = "threshold_crossed",
            profile = %crossing.profile,
            measure = crossing.measure.key(),
            value = crossing.value,
            bound = crossing.bound,
            documents = crossing.documents,
        );
        let Some(Ok(url)) = settings.webhook.as_deref().map(WebhookUrl::parse) else { continue };
        let at = Timestamp::now().to_string();
        let failed = match Webhook::new(&url) {
            Ok(webhook) => webhook.send(&url, &message(crossing, settings.hours, &at)).await.err(),
            Err(why) => Some(why),
        };
        if let Some(why) = &failed {
            tracing::warn!(target: "loopctl", event = "webhook_failed", server = %url.server(), reason = %why);
        }
        sent += usize::from(failed.is_none());
        let last = LastMessage { at, server: url.server(), failed };
        let journal = Arc::clone(&service.journal);
        let kept = on_blocking_thread(move || {
            journal.set_service_setting(LAST_MESSAGE, &serde_json::to_value(&last).unwrap_or_default())
        });
        if let Err(error) = kept.await {
            tracing::warn!(target: "loopctl", event = "alerts_failed", reason = error.message());
        }
    }
    sent
}
