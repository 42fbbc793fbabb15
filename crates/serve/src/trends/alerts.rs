//! The condition for an alert: a number of the last hours is on the wrong side of its bound, and was not before.

use super::measures::TrendMeasure;
use crate::store::FigureTotals;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The names under which the journal keeps the settings of alerts, which of them are raised, and the result of the last
/// message.
pub(crate) const SETTINGS: &str = "alerts";
pub(crate) const STANDING: &str = "standing_alerts";
pub(crate) const LAST_MESSAGE: &str = "last_alert_message";

/// The longest time over which numbers are taken, in hours.
const MOST_HOURS: u32 = 24 * 90;
/// The most documents that may be asked for.
const MOST_DOCUMENTS: u64 = 1_000_000;

/// The bounds from which numbers ask for attention, and the webhook that is notified.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AlertSettings {
    /// Bounds other than the usual ones.
    pub(crate) bounds: BTreeMap<TrendMeasure, f64>,
    /// The number of hours over which numbers are taken.
    pub(crate) hours: u32,
    /// The least number of documents: with fewer, nothing is reported.
    pub(crate) least_documents: u64,
    /// The webhook that is notified.
    pub(crate) webhook: Option<String>,
}

impl Default for AlertSettings {
    fn default() -> Self {
        AlertSettings { bounds: BTreeMap::new(), hours: 24, least_documents: 10, webhook: None }
    }
}

impl AlertSettings {
    /// Those that the journal keeps; the defaults where it keeps none, or none that this loopctl can read.
    pub(crate) fn of(kept: Option<serde_json::Value>) -> Self {
        kept.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default()
    }

    /// The bound from which a number asks for attention.
    pub(crate) fn bound(&self, measure: TrendMeasure) -> f64 {
        self.bounds.get(&measure).copied().unwrap_or_else(|| measure.usual_bound())
    }

    /// # Errors
    /// The problem with them, for people.
    pub(crate) fn check(&self) -> Result<(), String> {
        for measure in TrendMeasure::ALL {
            let (bound, greatest) = (self.bound(measure), measure.greatest_bound());
            if !(0.0..=greatest).contains(&bound) {
                return Err(format!(
                    "the bound of `{}` is {bound}; expected a number from 0 to {greatest}",
                    measure.title()
                ));
            }
        }
        if !(1..=MOST_HOURS).contains(&self.hours) {
            return Err(format!("the hours are {}; expected a number from 1 to {MOST_HOURS}", self.hours));
        }
        if !(1..=MOST_DOCUMENTS).contains(&self.least_documents) {
            return Err(format!(
                "the least number of documents is {}; expected a number from 1 to {MOST_DOCUMENTS}",
                self.least_documents
            ));
        }
        Ok(())
    }
}

/// The numbers that are on the wrong side of their bounds, by profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RaisedAlerts(pub(crate) BTreeSet<(String, TrendMeasure)>);

/// A number that went to the wrong side of its bound.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Crossing {
    pub(crate) profile: String,
    pub(crate) measure: TrendMeasure,
    pub(crate) value: f64,
    pub(crate) bound: f64,
    pub(crate) documents: u64,
}

/// Checks the numbers of each profile over the last hours: which crossed their bounds since `before`, and which are on
/// the wrong side at all. A number with too few documents at the moment stays as it was, so that it is not reported
/// anew when they come.
pub(crate) fn crossings(
    settings: &AlertSettings,
    profiles: &[(String, FigureTotals)],
    before: &RaisedAlerts,
) -> (Vec<Crossing>, RaisedAlerts) {
    let (mut crossed, mut standing) = (Vec::new(), RaisedAlerts::default());
    let shown: BTreeSet<&str> = profiles.iter().map(|(name, _)| name.as_str()).collect();
    let unseen = before.0.iter().filter(|(name, _)| !shown.contains(name.as_str()));
    standing.0.extend(unseen.cloned());
    for (profile, totals) in profiles {
        for measure in TrendMeasure::ALL {
            let key = (profile.clone(), measure);
            let was = before.0.contains(&key);
            let value = measure.of(totals).filter(|_| totals.counted >= settings.least_documents);
            let Some(value) = value else {
                if was {
                    standing.0.insert(key);
                }
                continue;
            };
            let bound = settings.bound(measure);
            if !measure.is_crossed(value, bound) {
                continue;
            }
            standing.0.insert(key);
            if !was {
                let (profile, documents) = (profile.clone(), totals.counted);
                crossed.push(Crossing { profile, measure, value, bound, documents });
            }
        }
    }
    (crossed, standing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(counted: u64, met: u64) -> FigureTotals {
        FigureTotals { counted, met, ..FigureTotals::default() }
    }

    fn seen(met: u64, before: &RaisedAlerts) -> (usize, RaisedAlerts) {
        let profiles = [("clinical".to_owned(), totals(100, met))];
        let (crossed, standing) = crossings(&AlertSettings::default(), &profiles, before);
        (crossed.len(), standing)
    }

    #[test]
    fn each_crossing_is_told_once() {
        let (told, standing) = seen(95, &RaisedAlerts::default());
        assert_eq!(told, 0);
        let (told, standing) = seen(80, &standing);
        assert_eq!(told, 1);
        let (told, standing) = seen(70, &standing);
        assert_eq!(told, 0, "it is reported already");
        let (told, standing) = seen(90, &standing);
        assert_eq!((told, &standing), (0, &RaisedAlerts::default()), "the bound itself is kept");
        assert_eq!(seen(89, &standing).0, 1, "it went over once more");
    }

    #[test]
    fn a_few_documents_say_nothing_and_forget_nothing() {
        let settings = AlertSettings::default();
        let few = [("clinical".to_owned(), totals(settings.least_documents - 1, 0))];
        assert_eq!(crossings(&settings, &few, &RaisedAlerts::default()), (vec![], RaisedAlerts::default()));
        let (_, standing) = seen(0, &RaisedAlerts::default());
        assert_eq!(crossings(&settings, &few, &standing).1, standing);
        assert_eq!(crossings(&settings, &[], &standing).1, standing);
    }

    #[test]
    fn a_crossing_says_what_it_is_about() {
        let mut settings = AlertSettings::default();
        settings.bounds.insert(TrendMeasure::FinalScore, 0.95);
        let profiles = [(
            "clinical".to_owned(),
            FigureTotals { counted: 20, met: 20, scored: 20, score: 18.0, ..FigureTotals::default() },
        )];
        let (crossed, _) = crossings(&settings, &profiles, &RaisedAlerts::default());
        let expected = Crossing {
            profile: "clinical".to_owned(),
            measure: TrendMeasure::FinalScore,
            value: 0.9,
            bound: 0.95,
            documents: 20,
        };
        assert_eq!(crossed, [expected]);
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        let bound = |measure, bound| AlertSettings {
            bounds: BTreeMap::from([(measure, bound)]),
            ..AlertSettings::default()
        };
        assert_eq!(AlertSettings::default().check(), Ok(()));
        assert_eq!(bound(TrendMeasure::FinalScore, 1.0).check(), Ok(()));
        for wrong in [
            bound(TrendMeasure::FinalScore, 1.5),
            bound(TrendMeasure::ProcessingTime, -1.0),
            bound(TrendMeasure::IterationCount, f64::NAN),
            AlertSettings { hours: 0, ..AlertSettings::default() },
            AlertSettings { least_documents: 0, ..AlertSettings::default() },
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn settings_are_read_as_they_are_kept() {
        let settings = AlertSettings {
            bounds: BTreeMap::from([(TrendMeasure::ProcessingTime, 30.0)]),
            webhook: Some("https://example.org/hook".to_owned()),
            ..AlertSettings::default()
        };
        let kept = serde_json::to_value(&settings).unwrap();
        assert_eq!(kept["bounds"]["processing_time"], 30.0);
        assert_eq!(AlertSettings::of(Some(kept)), settings);
        assert_eq!(AlertSettings::of(Some(serde_json::json!({}))), AlertSettings::default());
        assert_eq!(AlertSettings::of(Some(serde_json::json!(1))), AlertSettings::default());
        let standing = RaisedAlerts(BTreeSet::from([("a".to_owned(), TrendMeasure::FinalScore)]));
        let kept = serde_json::to_value(&standing).unwrap();
        assert_eq!(serde_json::from_value::<RaisedAlerts>(kept).unwrap(), standing);
    }
}
