//! One fact, and all of a profile.

use super::origin::Origin;
use crate::policy::{FinalStatus, StopReason};
use crate::value::yaml::{Data, Node};
use serde::Serialize;
use serde_json::Value;

/// One thing that a policy does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    /// The subject, such as `stop.stagnation`: the same for the same matter in every profile, regardless of the values.
    pub key: String,
    /// The sort of fact, which determines the meaning of its values.
    pub kind: &'static str,
    /// The numbers, names and choices.
    pub values: Value,
    /// The way that the loop ends by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The origins of the settings from which it follows.
    pub origin: Vec<Origin>,
}

/// The result of a document that ended this way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ending {
    /// The final status.
    pub final_status: FinalStatus,
    /// The reason to stop; in words where it contains a name that is not known beforehand.
    pub stop_reason: String,
}

impl From<StopReason> for Ending {
    fn from(reason: StopReason) -> Self {
        Ending { final_status: reason.status(), stop_reason: reason.to_string() }
    }
}

impl Fact {
    /// One of its values; null where it has none of that name.
    #[must_use]
    pub fn value(&self, name: &str) -> &Value {
        static NOTHING: Value = Value::Null;
        self.values.get(name).unwrap_or(&NOTHING)
    }

    /// Returns whether both facts say the same, wherever it was set.
    #[must_use]
    pub fn says_the_same(&self, other: &Fact) -> bool {
        (self.kind, &self.values, &self.ending) == (other.kind, &other.values, &other.ending)
    }
}

/// All that a policy does.
#[derive(Debug, Clone, Serialize)]
pub struct Facts {
    /// The profile's name.
    pub profile: String,
    /// In the order in which they are read.
    pub list: Vec<Fact>,
    #[serde(skip)]
    settings: Node,
}

/// Parts of a key and the settings that they are about.
const SETTINGS: [(&str, &str); 5] = [
    ("stage.", "stages."),
    ("judge.", "judges."),
    ("validator.", "validators."),
    ("dimension.", "assess."),
    ("select.returned", "select.return"),
];

impl Facts {
    pub(super) fn new(profile: String, settings: &Node) -> Self {
        Facts { profile, list: Vec::new(), settings: settings.clone() }
    }

    /// Adds a fact that follows from the setting that its key names, or from the nearest above it.
    pub(super) fn add(&mut self, key: impl Into<String>, kind: &'static str, values: Value) {
        let key = key.into();
        let origin = self.nearest(&key).into_iter().collect();
        self.list.push(Fact { key, kind, values, ending: None, origin });
    }

    /// Adds a fact that follows from several settings.
    pub(super) fn follows(
        &mut self,
        from: &[&str],
        key: impl Into<String>,
        kind: &'static str,
        values: Value,
    ) {
        let mut origin = Vec::new();
        for found in from.iter().filter_map(|path| self.nearest(path)) {
            if !origin.contains(&found) {
                origin.push(found);
            }
        }
        self.list.push(Fact { key: key.into(), kind, values, ending: None, origin });
    }

    /// Adds a fact by which the loop ends.
    pub(super) fn ends(
        &mut self,
        key: impl Into<String>,
        kind: &'static str,
        values: Value,
        ending: impl Into<Ending>,
    ) {
        self.add(key, kind, values);
        if let Some(fact) = self.list.last_mut() {
            fact.ending = Some(ending.into());
        }
    }

    /// The facts of a kind.
    pub fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Fact> {
        self.list.iter().filter(move |fact| fact.kind == kind)
    }

    /// The origin of the setting that a key names, or of as much of it as exists.
    fn nearest(&self, key: &str) -> Option<Origin> {
        let known = SETTINGS.iter().find(|(start, _)| key.starts_with(start));
        let path = known.map_or_else(|| key.to_owned(), |(start, setting)| key.replacen(start, setting, 1));
        let mut node = &self.settings;
        let mut found = None;
        for part in path.split('.') {
            let next = match &node.data {
                Data::Map(_) => node.get(part),
                Data::List(items) => {
                    let by_id = |item: &&Node| item.get("id").and_then(Node::as_text) == Some(part);
                    items.iter().find(by_id).or_else(|| items.get(part.parse::<usize>().ok()?))
                }
                _ => None,
            };
            let Some(next) = next else { break };
            node = next;
            found = Some(node);
        }
        found.map(Origin::of)
    }
}
