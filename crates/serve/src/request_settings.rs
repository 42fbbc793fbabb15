//! Settings with which a request overrides a profile: which, how many, and how long.

use super::profiles::ProfileRequest;
use crate::value::sanitize_line;
use serde_json::Value;
use std::collections::BTreeMap;

/// Keys of a profile that a request may set: what decides when a result is good enough, and when to stop trying. The
/// providers that it asks, and what it may spend, are up to the operator.
const SETTABLE: [&str; 3] = ["accept", "stop", "variables"];

/// The most settings of a request.
const MOST: usize = 100;

/// The most parts of a key: the deepest that a profile has under what may be set is half of it.
const MOST_PARTS: usize = 8;

/// The longest key, in bytes.
const LONGEST_KEY: usize = 200;

/// The largest value, in bytes: variables hold texts for prompts.
const LARGEST_VALUE: usize = 16 << 10;

/// The most bytes of all settings of a request together.
const MOST_BYTES: usize = 64 << 10;

/// The reason why the settings of a request are not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingError {
    /// A request can't set it.
    #[error("`{0}` can't be set by a request")]
    NotSettable(String),
    /// It is not a key with a value.
    #[error("a setting must be a key and a value, as `accept.overall=0.9`")]
    NoPair,
    /// The key has more parts than any of a profile, or more bytes.
    #[error("a key of a setting has more than {MOST_PARTS} parts, or more than {LONGEST_KEY} bytes")]
    Key,
    /// The value is too large.
    #[error("the value of `{0}` has more than {LARGEST_VALUE} bytes")]
    Value(String),
    /// There are too many.
    #[error("a request has at most {MOST} settings, of {MOST_BYTES} bytes together")]
    Many,
}

/// Settings of a request, checked: nothing else reaches a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RequestSettings(Vec<String>);

impl RequestSettings {
    /// Reads the settings of a JSON body: `{"accept.overall": 0.9}`.
    ///
    /// # Errors
    /// The problem with the first that can't be taken.
    pub(crate) fn of_json(settings: &BTreeMap<String, Value>) -> Result<Self, SettingError> {
        let mut taken = RequestSettings::default();
        for (key, value) in settings {
            // JSON is YAML.
            taken.take(key, &value.to_string())?;
        }
        Ok(taken)
    }

    /// Adds a setting as forms and the command line write it: `accept.overall=0.9`.
    ///
    /// # Errors
    /// The reason why it can't be taken.
    pub(crate) fn add(&mut self, setting: &str) -> Result<(), SettingError> {
        let (key, value) = setting.split_once('=').ok_or(SettingError::NoPair)?;
        self.take(key, value)
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        let key = key.trim();
        // Checked before anything is made of it: a client may send a key of any length.
        if key.len() > LONGEST_KEY || key.split('.').count() > MOST_PARTS {
            return Err(SettingError::Key);
        }
        let top = key.split('.').next().unwrap_or_default();
        if !SETTABLE.contains(&top) || key.contains(['=', '\n', '\r']) {
            return Err(SettingError::NotSettable(sanitize_line(key)));
        }
        if value.len() > LARGEST_VALUE {
            return Err(SettingError::Value(sanitize_line(key)));
        }
        let setting = format!("{key}={value}");
        let bytes: usize = self.0.iter().map(String::len).sum();
        if self.0.len() == MOST || bytes + setting.len() > MOST_BYTES {
            return Err(SettingError::Many);
        }
        self.0.push(setting);
        Ok(())
    }

    /// The profile of this name with them.
    pub(crate) fn over(self, profile: String) -> ProfileRequest {
        ProfileRequest { name: profile, settings: self.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of_json(settings: &Value) -> Result<Vec<String>, SettingError> {
        let settings: BTreeMap<String, Value> = serde_json::from_value(settings.clone()).unwrap();
        RequestSettings::of_json(&settings).map(|taken| taken.0)
    }

    #[test]
    fn what_decides_when_it_is_good_enough_may_be_set() {
        assert_eq!(
            of_json(
                &json!({"accept.overall": 0.9, "stop": {"max_iterations": 2}, "variables.task": "it's\n\"so\""})
            ),
            Ok(vec![
                "accept.overall=0.9".to_owned(),
                r#"stop={"max_iterations":2}"#.to_owned(),
                r#"variables.task="it's\n\"so\"""#.to_owned(),
            ])
        );
        for other in [
            "stages.*.provider",
            "network.proxy",
            "mask",
            "",
            " ",
            "accept=1\nstages",
            "extends",
            "budget.usd",
        ] {
            let found = of_json(&json!({other: "x"}));
            assert!(matches!(found, Err(SettingError::NotSettable(_))), "{other:?}: {found:?}");
        }
    }

    #[test]
    fn everything_has_a_bound() {
        let long = "x".repeat(LARGEST_VALUE);
        let mut settings = RequestSettings::default();
        assert_eq!(settings.add("accept"), Err(SettingError::NoPair));
        assert_eq!(settings.add(&format!("accept{}=1", ".a".repeat(50_000))), Err(SettingError::Key));
        assert_eq!(settings.add(&format!("accept.{}=1", "a".repeat(5_000))), Err(SettingError::Key));
        assert_eq!(settings.add(&format!("stop.x={long}x")), Err(SettingError::Value("stop.x".to_owned())));
        for _ in 0..3 {
            settings.add(&format!("variables.x={long}")).unwrap();
        }
        assert_eq!(settings.add(&format!("variables.x={long}")), Err(SettingError::Many));
        let mut settings = RequestSettings::default();
        for _ in 0..MOST {
            settings.add("accept.overall=0.9").unwrap();
        }
        assert_eq!(settings.add("accept.overall=0.9"), Err(SettingError::Many));
    }
}
