//! The policies that are tried: every combination of the values of some settings.

use super::{expression, range};
use crate::diag::{Code, Problem, Problems, Span};
use crate::profile::Override;
use crate::value::decode::{Spanned, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Node};
use serde_json::{Map, Value};

/// The most combinations of a space.
pub const MOST_POLICIES: usize = 1_000_000;

/// Settings with their values.
#[derive(Debug, Clone, Default)]
pub struct Space {
    settings: Vec<Setting>,
}

#[derive(Debug, Clone)]
struct Setting {
    key: String,
    key_span: Span,
    /// Each value as it is laid over a profile.
    values: Vec<(Value, Override)>,
}

pub(super) fn space_shape() -> Shape {
    Shape::Map(Open {
        key: "SETTING",
        names: Names::Any,
        doc: "The values of this setting, whose key has dots between the parts, as in `stop.max_iterations`: a list, or a range. `null` among them takes the setting away.",
        shape: range::shape,
        null: Null::Mistake,
    })
}

pub(super) fn settings_shape() -> Shape {
    Shape::Map(Open {
        key: "SETTING",
        names: Names::Any,
        doc: "The setting's value; its key has dots between the parts, as in `stop.max_iterations`. `null` takes it away.",
        shape: || Shape::Any,
        null: Null::Absent,
    })
}

impl Space {
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Data::Map(entries) = &node.data else {
            return wrong_type(node, "a mapping from settings to their values", problems);
        };
        let mut settings = Vec::new();
        for entry in entries {
            let Some(values) = range::values(&entry.value, problems) else { continue };
            let laid = values.iter().map(|value| {
                Override::from_entry("`space`", entry, value).map(|setting| (value.to_json(), setting))
            });
            match laid.collect::<Result<Vec<_>, _>>() {
                Ok(values) => settings.push(Setting {
                    key: entry.key.clone(),
                    key_span: entry.key_span.clone(),
                    values,
                }),
                Err(problem) => problems.push(problem),
            }
        }
        let space = Space { settings };
        if space.combinations().is_none_or(|all| all > MOST_POLICIES) {
            let message = format!("this space has more than {MOST_POLICIES} combinations");
            problems.push(
                Problem::error(Code::OutOfRange, &node.span, message)
                    .help("leave values out, or take larger steps"),
            );
            return None;
        }
        Some(space)
    }

    /// The number of combinations; `None` if there is no number for it.
    #[must_use]
    pub fn combinations(&self) -> Option<usize> {
        self.settings.iter().try_fold(1_usize, |all, setting| all.checked_mul(setting.values.len()))
    }

    /// The first parts of the keys, which conditions are about.
    pub(super) fn roots(&self) -> Vec<String> {
        let first = |setting: &Setting| setting.key.split('.').next().unwrap_or_default().to_owned();
        self.settings.iter().map(first).collect()
    }

    /// The values of a combination, in the order of the file. The last setting changes fastest.
    fn chosen(&self, combination: usize) -> Vec<(&str, &(Value, Override))> {
        let places = self.settings.iter().zip(self.places(combination));
        let chosen =
            places.filter_map(|(setting, place)| Some((setting.key.as_str(), setting.values.get(place)?)));
        chosen.collect()
    }

    /// The number of values of each setting, in the order of the file.
    pub(super) fn counts(&self) -> Vec<usize> {
        self.settings.iter().map(|setting| setting.values.len()).collect()
    }

    /// The index of each setting's value in a combination, in the order of the file.
    pub(super) fn places(&self, combination: usize) -> Vec<usize> {
        let mut rest = combination;
        let mut places = Vec::with_capacity(self.settings.len());
        for count in self.counts().into_iter().rev() {
            places.push(rest % count.max(1));
            rest /= count.max(1);
        }
        places.reverse();
        places
    }

    /// The combinations in which a setting has the value at index `place`.
    pub(super) fn having(&self, setting: usize, place: usize) -> impl Iterator<Item = usize> + use<> {
        let counts = self.counts();
        let count = counts.get(setting).copied().unwrap_or(1);
        let below: usize = counts.iter().skip(setting + 1).product();
        let above: usize = counts.iter().take(setting).product();
        (0..above).flat_map(move |high| (0..below).map(move |low| (high * count + place) * below + low))
    }

    /// The span of the value at index `place` of a setting.
    pub(super) fn place_of(&self, setting: usize, place: usize) -> Option<&Span> {
        self.settings.get(setting)?.values.get(place).map(|(_, laid)| laid.span())
    }

    /// The span of the key of a setting.
    pub(super) fn key_of(&self, setting: usize) -> Option<&Span> {
        self.settings.get(setting).map(|setting| &setting.key_span)
    }

    /// The settings of a combination by their keys.
    #[must_use]
    pub fn settings(&self, combination: usize) -> Map<String, Value> {
        self.chosen(combination)
            .into_iter()
            .map(|(key, (value, _))| (key.to_owned(), value.clone()))
            .collect()
    }

    /// Like [`Space::settings()`], as they are laid over a profile.
    pub fn overrides(&self, combination: usize) -> impl Iterator<Item = &Override> {
        self.chosen(combination).into_iter().map(|(_, (_, setting))| setting)
    }

    /// Returns whether all conditions hold for a combination with a profile. The error is the condition that can't be
    /// computed.
    ///
    /// # Errors
    /// The first condition that has no answer.
    pub fn is_wanted<'e>(
        &self,
        profile: &str,
        combination: usize,
        conditions: &'e [Spanned<String>],
    ) -> Result<bool, &'e Spanned<String>> {
        if conditions.is_empty() {
            return Ok(true);
        }
        let mut settings = Map::new();
        settings.insert("profile".to_owned(), profile.into());
        for (key, (value, _)) in self.chosen(combination) {
            put(&mut settings, key, value);
        }
        let settings = Value::Object(settings);
        for condition in conditions {
            if !expression::holds(&condition.value, &settings).ok_or(condition)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Puts a value under a key with dots: `stop.rollbacks` is `rollbacks` in `stop`.
fn put(settings: &mut Map<String, Value>, key: &str, value: &Value) {
    match key.split_once('.') {
        None => {
            settings.insert(key.to_owned(), value.clone());
        }
        Some((first, rest)) => {
            let inner = settings.entry(first).or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}
