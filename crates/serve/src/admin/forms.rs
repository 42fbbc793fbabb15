//! The contents of the forms of settings, read and checked.

use super::FormFields;
use crate::store::ReviewShares;
use crate::trends::{AlertSettings, MeasureUnit, TrendMeasure, WebhookUrl};

fn number(fields: &FormFields, key: &str, what: &str) -> Result<f64, String> {
    let said = fields.get(key).map(|said| said.trim()).unwrap_or_default();
    let number = said.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("`{what}` is not a number: `{}`", shortened(said)))
}

fn shortened(said: &str) -> String {
    said.chars().filter(|c| !c.is_control()).take(40).collect()
}

fn whole(fields: &FormFields, key: &str, what: &str) -> Result<u64, String> {
    let said = fields.get(key).map(|said| said.trim()).unwrap_or_default();
    said.parse().map_err(|_| format!("`{what}` is not a whole number: `{}`", shortened(said)))
}

/// Removes the error of computing with tenths.
fn rounded(number: f64) -> f64 {
    (number * 1e12).round() / 1e12
}

/// The settings of alerts. Default bounds are not kept, so that they follow the defaults.
///
/// # Errors
/// The problem, for people.
pub(super) fn alerts_of(fields: &FormFields) -> Result<AlertSettings, String> {
    let mut settings = AlertSettings::default();
    for measure in TrendMeasure::ALL {
        let said = number(fields, measure.key(), measure.title())?;
        let bound = if measure.unit() == MeasureUnit::Share { rounded(said / 100.0) } else { said };
        if (bound - measure.usual_bound()).abs() > 1e-12 {
            settings.bounds.insert(measure, bound);
        }
    }
    let hours = whole(fields, "hours", "hours")?;
    settings.hours = u32::try_from(hours).unwrap_or(u32::MAX);
    settings.least_documents = whole(fields, "least_documents", "documents")?;
    let webhook = fields.get("webhook").map(|said| said.trim()).filter(|said| !said.is_empty());
    settings.webhook = webhook.map(str::to_owned);
    settings.check()?;
    webhook.map(WebhookUrl::parse).transpose()?;
    Ok(settings)
}

/// The shares of reviews, which the form has in percent.
///
/// # Errors
/// The problem, for people.
pub(super) fn shares_of(fields: &FormFields) -> Result<ReviewShares, String> {
    let share = |key: &str, what: &str| {
        let percent = number(fields, key, what)?;
        if (0.0..=100.0).contains(&percent) {
            Ok(rounded(percent / 100.0))
        } else {
            Err(format!("`{what}` is {percent} %; expected a number from 0 to 100"))
        }
    };
    Ok(ReviewShares { audit: share("audit", "audit sample")?, second: share("second", "second review")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn fields(pairs: &[(&str, &str)]) -> FormFields {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    const USUAL: [(&str, &str); 7] = [
        ("iteration_count", "3"),
        ("final_score", "0.8"),
        ("threshold_met_rate", "90"),
        ("processing_time", "45"),
        ("improvement_per_iteration", "0.02"),
        ("hours", "24"),
        ("least_documents", "10"),
    ];

    fn with(key: &str, value: &str) -> Result<AlertSettings, String> {
        let mut said = fields(&USUAL);
        said.insert(key.to_owned(), value.to_owned());
        alerts_of(&said)
    }

    #[test]
    fn the_usual_form_is_the_usual_settings() {
        assert_eq!(alerts_of(&fields(&USUAL)), Ok(AlertSettings::default()));
        let changed = with("threshold_met_rate", "85").unwrap();
        assert_eq!(changed.bounds, BTreeMap::from([(TrendMeasure::ThresholdMetRate, 0.85)]));
    }

    #[test]
    fn mistakes_are_named() {
        for (key, value, part) in [
            ("final_score", "high", "`Final score` is not a number: `high`"),
            ("final_score", "2", "from 0 to 1"),
            ("threshold_met_rate", "NaN", "not a number"),
            ("hours", "1.5", "not a whole number"),
            ("hours", "0", "from 1"),
            ("webhook", "http://example.org/x", "https"),
        ] {
            let message = with(key, value).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
        assert!(alerts_of(&FormFields::new()).is_err());
        assert_eq!(with("webhook", " ").unwrap().webhook, None);
    }

    #[test]
    fn shares_are_kept_as_shares() {
        let shares = shares_of(&fields(&[("audit", "2"), ("second", "12.5")])).unwrap();
        assert_eq!(shares, ReviewShares { audit: 0.02, second: 0.125 });
        assert!(shares_of(&fields(&[("audit", "101"), ("second", "1")])).is_err());
    }
}
