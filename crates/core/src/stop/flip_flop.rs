//! `flip_flop`: a part of the candidate that goes back and forth.

use super::rule::{Constant, Costly, Declared, Looked, Memory, Progress, Properties, Rule, Seen, Setting};
use super::{Criterion, Doubt, EndingLine, Ground, Overtakes};
use crate::diag::Problems;
use crate::mapping;
use crate::value::decode::Decode;
use crate::value::prose::times;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::value::{Segment, canonical, push_segment};
use serde_json::Value;
use smallvec::smallvec;
use std::collections::BTreeMap;
use std::sync::Arc;

mapping! {
    /// Stops when a part of the candidate goes back and forth between the same two values.
    "flip_flop" is "flip_flop criterion", expects "`{ times: 2 }`";
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct FlipFlop {
        /// The number of times it came back to the value that it had.
        #[key(count, required, examples(&["2"]))]
        pub times: u64,
    }
}

impl Declared for FlipFlop {
    const KEY: Key = Key::new(
        "flip_flop",
        FlipFlop::shape,
        "Stops when a part of the candidate goes back and forth between the same two values, whatever the scores say.",
    )
    .examples(&["{ times: 2 }"]);

    fn ended(line: &EndingLine<'_>) -> String {
        let at = line.place.as_deref().unwrap_or("one place");
        let (plural, _) = line.number_words();
        let EndingLine { line, value_text, .. } = line;
        format!("{at} went back and forth between two values {value_text} time{plural} (`{line}`)")
    }

    fn read(node: &Node, problems: &mut Problems) -> Vec<Self> {
        Self::decode(node, problems).into_iter().collect()
    }
}

impl Rule for FlipFlop {
    fn look(&self, run: &Progress<'_>) -> Looked {
        let (path, most) = run.flip_flop.unwrap_or_default();
        let path = (most > 0 && !path.is_empty()).then(|| path.to_owned());
        Seen { path, ..Seen::count(most, self.times) }.into()
    }

    fn clause(&self) -> String {
        format!(
            "one place in the candidate has gone back and forth between the same two values {}",
            times(self.times)
        )
    }

    fn properties(&self) -> Properties {
        Properties {
            // There and back, each time.
            earliest: self.times.saturating_mul(2).saturating_add(1),
            fitting: Some(Setting {
                key: "times",
                value: |candidates| candidates.saturating_sub(1) / 2,
                least: 1,
            }),
            constants: smallvec![Constant::Count(self.times)],
            costly: Some(Costly::FlipFlops),
            needs_rollback: false,
            parts: smallvec![],
        }
    }

    fn overtakes(&self, other: &Criterion, _: &Ground) -> Option<Overtakes> {
        let Criterion::FlipFlop(other) = other else { return None };
        Overtakes::steps(self.times, other.times)
    }

    fn doubt(&self, _: &Ground) -> Option<Doubt> {
        None
    }

    fn remember(&self, _: &Progress<'_>, memory: &mut Memory) {
        memory.candidates = true;
    }
}

/// For each leaf of the candidates so far, the number of times it has gone back and forth between the same two values.
///
/// Leaves are scalars and empty arrays and objects; values are compared as JSON, and a leaf that a candidate lacks has
/// the value "absent". Candidates in a row with the same value count once. A → B → A is once, A → B → A → B → A twice,
/// A → B → A → B still once; a third value begins anew.
#[derive(Debug, Clone, Default)]
pub struct FlipFlops {
    candidates: usize,
    /// Every leaf that a candidate had.
    leaves: Vec<Leaf>,
    /// Their numbers.
    by_path: BTreeMap<Arc<str>, usize>,
    /// The numbers of those that the latest candidate has.
    present: Vec<usize>,
    most: Option<(Arc<str>, u64)>,
}

#[derive(Debug, Clone)]
struct Leaf {
    path: Arc<str>,
    /// The candidate that last had this leaf.
    seen_in: usize,
    latest: Option<String>,
    /// The value before the latest one; the outer `None` while there has been no other.
    before: Option<Option<String>>,
    /// Changes in a row, each back to the value before; the first one of a row counts, too.
    changes: u64,
}

impl Leaf {
    fn take(&mut self, value: Option<String>) {
        if self.latest == value {
            return;
        }
        self.changes = if self.before.as_ref() == Some(&value) { self.changes + 1 } else { 1 };
        self.before = Some(std::mem::replace(&mut self.latest, value));
    }
}

impl FlipFlops {
    /// Takes the next candidate.
    pub fn push(&mut self, candidate: &Value) {
        self.candidates += 1;
        // Leaves that neither this candidate nor the one before it has are unchanged: in a long run whose leaves keep
        // changing, only the others are inspected.
        let mut touched = std::mem::take(&mut self.present);
        leaves(candidate, &mut String::new(), &mut |path, value| self.take(path, canonical(value)));
        touched.retain(|at| match self.leaves.get_mut(*at) {
            Some(leaf) if leaf.seen_in < self.candidates => {
                leaf.take(None);
                true
            }
            _ => false,
        });
        touched.extend(&self.present);
        // If an array or object was emptied and filled again, the longer path says what came and went.
        let touched = touched.iter().filter_map(|at| self.leaves.get(*at));
        let most = touched.max_by_key(|leaf| (leaf.changes / 2, leaf.path.len(), &leaf.path));
        if let Some(leaf) = most
            && leaf.changes / 2 > self.most.as_ref().map_or(0, |(_, times)| *times)
        {
            self.most = Some((Arc::clone(&leaf.path), leaf.changes / 2));
        }
    }

    fn take(&mut self, path: &str, value: String) {
        let seen_in = self.candidates;
        if let Some(at) = self.by_path.get(path) {
            self.present.push(*at);
            if let Some(leaf) = self.leaves.get_mut(*at) {
                leaf.seen_in = seen_in;
                leaf.take(Some(value));
            }
            return;
        }
        let path: Arc<str> = path.into();
        let mut leaf = Leaf { path: Arc::clone(&path), seen_in, latest: None, before: None, changes: 0 };
        if seen_in == 1 {
            leaf.latest = Some(value);
        } else {
            leaf.take(Some(value));
        }
        self.present.push(self.leaves.len());
        self.by_path.insert(path, self.leaves.len());
        self.leaves.push(leaf);
    }

    /// The path that went back and forth most often so far, and how often; of several, the one that did so first.
    #[must_use]
    pub fn most(&self) -> Option<(&str, u64)> {
        self.most.as_ref().map(|(path, times)| (path.as_ref(), *times))
    }
}

fn leaves(value: &Value, path: &mut String, see: &mut dyn FnMut(&str, &Value)) {
    let length = path.len();
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, member) in members {
                push_segment(path, Segment::Key(key));
                leaves(member, path, see);
                path.truncate(length);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                push_segment(path, Segment::Index(index));
                leaves(item, path, see);
                path.truncate(length);
            }
        }
        leaf => see(path, leaf),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn most(candidates: &[Value]) -> Option<(String, u64)> {
        let mut flips = FlipFlops::default();
        candidates.iter().for_each(|candidate| flips.push(candidate));
        flips.most().map(|(path, times)| (path.to_owned(), times))
    }

    fn values(values: &[i64]) -> Option<u64> {
        let candidates: Vec<Value> = values.iter().map(|value| json!({"a": value, "b": 0})).collect();
        most(&candidates).map(|(path, times)| {
            assert_eq!(path, "/a");
            times
        })
    }

    #[test]
    fn there_and_back_is_once() {
        for (course, times) in [
            (&[1, 2][..], None),
            (&[1, 1, 2, 2, 1], Some(1)),
            (&[1, 2, 1, 2], Some(1)),
            (&[1, 2, 1, 2, 1], Some(2)),
            (&[3, 1, 2, 1, 2, 1], Some(2)),
            (&[1, 2, 3, 1, 2, 3], None),
            (&[1, 2, 1, 3, 1, 2, 1], Some(1)),
            (&[1, 2, 1, 5, 6, 7], Some(1)),
        ] {
            assert_eq!(values(course), times, "{course:?}");
        }
    }

    #[test]
    fn an_absent_leaf_is_a_value_and_numbers_are_compared_as_json() {
        let (with, without) = (json!({"x": {"y": [1, "q"]}}), json!({"x": {"y": [1]}}));
        assert_eq!(most(&[with.clone(), without.clone(), with.clone()]), Some(("/x/y/1".into(), 1)));
        assert_eq!(most(&[without.clone(), with, without]), Some(("/x/y/1".into(), 1)));
        assert_eq!(most(&[json!({"a": 1}), json!({"a": 1.0}), json!({"a": 1})]), None);
        assert_eq!(most(&[json!([]), json!({}), json!([])]), Some((String::new(), 1)));
    }
}
