//! The lines of the decision table that were evaluated, with the numbers they saw.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The name of a line, as it appears in the profile: `accept.overall`, `stop.max_iterations`, `gate`.
///
/// Names are made when a policy is read, and decisions share them.
#[derive(Clone)]
pub struct Line(Name);

#[derive(Clone)]
enum Name {
    Fixed(&'static str),
    Shared(Arc<str>),
}

impl Line {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Fixed(name) => name,
            Name::Shared(name) => name,
        }
    }
}

impl Deref for Line {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&'static str> for Line {
    fn from(name: &'static str) -> Self {
        Line(Name::Fixed(name))
    }
}

impl From<Arc<str>> for Line {
    fn from(name: Arc<str>) -> Self {
        Line(Name::Shared(name))
    }
}

impl PartialEq for Line {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Line {}

impl PartialEq<str> for Line {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Line {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Arc::<str>::deserialize(deserializer).map(Line::from)
    }
}

/// One line of the decision table that was evaluated, with the numbers it saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Check {
    /// The line: `accept.overall`, `stop.max_iterations`, `gate` and so on, as in the profile.
    pub line: Line,
    /// For bounds of acceptance: it holds. For the others: it ends the loop.
    pub holds: bool,
    /// The measured value.
    pub value: f64,
    /// The value it was compared with.
    pub bound: f64,
    /// The path in the candidate that it is about, as a JSON Pointer, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The evaluated lines, in the order of the table.
///
/// Up to eight are stored inline, which is enough for most policies: they are made for every candidate.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(from = "Vec<Check>")]
pub struct Checks(SmallVec<[Check; 8]>);

/// The receiver of the lines that are evaluated.
///
/// A run keeps them all as [`Checks`]. Where many recorded candidates are decided on, no one reads them: the name of a
/// line is made only for a receiver that keeps it.
pub(super) trait Observer {
    /// Takes a line that was evaluated.
    fn check(&mut self, check: impl FnOnce() -> Check);

    /// Takes a remark on how the decision was made that a person should know.
    fn note(&mut self, note: impl FnOnce() -> String);

    /// Takes a line of two numbers that was evaluated; returns whether it holds.
    fn look(&mut self, line: impl FnOnce() -> Line, holds: bool, value: f64, bound: f64) -> bool {
        self.check(|| Check { line: line(), holds, value, bound, path: None });
        holds
    }
}

impl Observer for Checks {
    fn check(&mut self, check: impl FnOnce() -> Check) {
        self.push(check());
    }

    fn note(&mut self, _: impl FnOnce() -> String) {}
}

impl Checks {
    /// Records a line that was evaluated.
    pub(super) fn push(&mut self, check: Check) {
        self.0.push(check);
    }
}

impl Deref for Checks {
    type Target = [Check];

    fn deref(&self) -> &[Check] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Checks {
    type Item = &'a Check;
    type IntoIter = std::slice::Iter<'a, Check>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<Check>> for Checks {
    fn from(checks: Vec<Check>) -> Self {
        Checks(checks.into())
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl Serialize for Checks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_read_as_they_are_written() {
        let mut checks = Checks::default();
        checks.look(|| "gate".into(), false, 0.5, 0.75);
        checks.look(|| Arc::<str>::from("accept.accuracy").into(), true, 1.0, 0.5);
        let json = serde_json::to_string(&checks).unwrap();
        let expected = r#"[{"line":"gate","holds":false,"value":0.5,"bound":0.75},{"line":"accept.accuracy","holds":true,"value":1.0,"bound":0.5}]"#;
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_str::<Checks>(&json).unwrap(), checks);
    }
}
