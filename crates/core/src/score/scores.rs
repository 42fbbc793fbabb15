//! The scores of one candidate's dimensions.

use crate::value::Score;
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;
use std::fmt;
use std::sync::Arc;

/// Dimension scores in the order of the profile; JSON writes them as an object.
///
/// Up to six are stored inline, with names that are shared: scores are made and copied for every candidate.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores(SmallVec<[(Arc<str>, Score); 6]>);

impl Scores {
    /// Sets a dimension, replacing an earlier value.
    pub fn set(&mut self, name: &Arc<str>, score: Score) {
        match self.0.iter_mut().find(|(known, _)| Arc::ptr_eq(known, name) || known == name) {
            Some((_, value)) => *value = score,
            None => self.0.push((Arc::clone(name), score)),
        }
    }

    /// Takes a dimension out, so that it counts as not measured; its value, if it had one.
    pub fn take(&mut self, name: &str) -> Option<Score> {
        let at = self.0.iter().position(|(known, _)| known.as_ref() == name)?;
        Some(self.0.remove(at).1)
    }

    /// Takes all of them out.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The value of a dimension, if it was measured.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Score> {
        self.0.iter().find(|(known, _)| known.as_ref() == name).map(|(_, score)| *score)
    }

    /// Dimensions with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Score)> {
        self.0.iter().map(|(name, score)| (name.as_ref(), *score))
    }
}

impl<'a> FromIterator<(&'a str, Score)> for Scores {
    fn from_iter<I: IntoIterator<Item = (&'a str, Score)>>(iter: I) -> Self {
        let mut scores = Scores::default();
        for (name, score) in iter {
            scores.set(&Arc::from(name), score);
        }
        scores
    }
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, score) in &self.0 {
            map.serialize_entry(name.as_ref(), score)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Scores {
    /// Keeps the order of the members, so that a replayed run shows its dimensions as the recorded one did.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Scores;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of scores by dimension")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Scores, A::Error> {
                let mut scores = Scores::default();
                while let Some((name, score)) = members.next_entry::<Arc<str>, Score>()? {
                    scores.set(&name, score);
                }
                Ok(scores)
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
