//! Corrections of reviewers, applied to the extractions of a run.

use crate::review::{FieldPath, How};
use crate::value::{index_of, unescape};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A correction as a reviewer wrote it down.
#[derive(Debug, Clone)]
struct Correction {
    path: FieldPath,
    after: Value,
    reviewer: Option<String>,
    at: Option<jiff::Timestamp>,
    place: String,
}

/// The corrections of a run, by document. The latest of each location holds; one without a time is the oldest.
#[derive(Debug, Default)]
pub struct Corrections(HashMap<String, Vec<Correction>>);

/// Two corrections of one location at one time that differ.
#[derive(Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The id of the document that both correct.
    pub document: String,
    /// The field that both correct: a top-level member of the extraction, or a JSON Pointer into it.
    pub field: String,
    /// The locations where they are written.
    pub places: [String; 2],
}

/// A correction that was applied to an extraction.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// JSON Pointer into the extraction.
    pub path: String,
    /// The member at the top of the extraction that it is in.
    pub top: String,
    /// The value before the correction; `null` if the extraction had none.
    pub before: Value,
    /// The value after the correction, equal to `before` if it was confirmed; `null` if there is none.
    pub after: Value,
    /// The reviewer's name; `None` if the correction does not give one.
    pub reviewer: Option<String>,
    /// The time at which the correction was made; `None` if it is not known.
    pub at: Option<jiff::Timestamp>,
    /// `each` if the reviewer inspected the value, `swept` if it was accepted with its document as it was.
    pub how: How,
}

impl Applied {
    /// The name of the reviewer, for people.
    pub fn who(&self) -> &str {
        self.reviewer.as_deref().unwrap_or("a reviewer without a name")
    }

    /// Returns whether the reviewer said that the extracted value is right.
    pub fn confirms(&self) -> bool {
        self.before == self.after
    }

    /// Returns whether the value at `path` is the reviewer's, and not the extracted one.
    pub fn replaces(&self, path: &str) -> bool {
        is_within(path, &self.path) && !self.confirms()
    }

    /// As JSON, by the names that corrections have in their files.
    pub fn to_json(&self) -> Value {
        serde_json::json!({
            "field": self.path,
            "before": self.before,
            "after": self.after,
            "reviewer": self.reviewer,
            "at": self.at.map(|at| at.to_string()),
            "how": self.how.as_str(),
        })
    }
}

impl Corrections {
    /// Adds one. `field` is the name of a member of the extraction, or a JSON Pointer; `place` is its source.
    pub fn add(
        &mut self,
        document: &str,
        field: &str,
        after: Value,
        (reviewer, at): (Option<String>, Option<jiff::Timestamp>),
        place: &str,
    ) -> Result<(), Disagreement> {
        let list = self.0.entry(document.to_owned()).or_default();
        let (path, place) = (FieldPath::named(field), place.to_owned());
        let added = Correction { path, after, reviewer, at, place };
        let Some(known) = list.iter_mut().find(|known| known.path == added.path) else {
            list.push(added);
            return Ok(());
        };
        if known.at == added.at && known.after != added.after {
            return Err(Disagreement {
                document: document.to_owned(),
                field: field.to_owned(),
                places: [known.place.clone(), added.place],
            });
        }
        if known.at <= added.at {
            *known = added;
        }
        Ok(())
    }

    /// The documents that are corrected.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Applies the corrections of a document to its extraction. Returns those that were applied, in the order of time,
    /// and the locations that the extraction does not have.
    pub fn apply(&self, document: &str, extraction: &mut Value) -> (Vec<Applied>, Vec<String>) {
        let (mut applied, mut lost) = (Vec::new(), Vec::new());
        let mut list: Vec<&Correction> = self.0.get(document).into_iter().flatten().collect();
        list.sort_by(|a, b| (a.at, &a.path).cmp(&(b.at, &b.path)));
        for correction in list {
            let path = correction.path.pointer();
            match put(extraction, path, correction.after.clone()) {
                Some(before) => applied.push(Applied {
                    top: correction.path.top(),
                    path: path.to_owned(),
                    before,
                    after: correction.after.clone(),
                    reviewer: correction.reviewer.clone(),
                    at: correction.at,
                    how: How::Each,
                }),
                None => lost.push(path.to_owned()),
            }
        }
        (applied, lost)
    }
}

/// Returns whether a path is another one, or lies in it.
pub(super) fn is_within(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Sets the value at a location whose parent exists, and returns the earlier one.
fn put(whole: &mut Value, path: &str, value: Value) -> Option<Value> {
    let (above, last) = path.rsplit_once('/')?;
    if whole.is_null() && above.is_empty() {
        *whole = Value::Object(Map::new());
    }
    match whole.pointer_mut(above)? {
        Value::Object(members) => {
            Some(members.insert(unescape(last).into_owned(), value).unwrap_or_default())
        }
        Value::Array(items) => {
            let item = items.get_mut(index_of(last)?)?;
            Some(std::mem::replace(item, value))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(day: &str) -> Option<jiff::Timestamp> {
        Some(format!("{day}T00:00:00Z").parse().unwrap())
    }

    #[test]
    fn the_latest_correction_of_a_place_holds_whatever_the_order() {
        let told = [("2026-01-02", 2), ("2026-01-03", 3), ("2026-01-01", 1)];
        let mut corrections = Corrections::default();
        corrections.add("a", "grade", json!(0), (None, None), "x").unwrap();
        for (day, grade) in told {
            corrections.add("a", "grade", json!(grade), (Some(day.to_owned()), at(day)), "x").unwrap();
        }
        let mut extraction = json!({"grade": "II"});
        let (applied, lost) = corrections.apply("a", &mut extraction);
        assert_eq!((&extraction, lost.len()), (&json!({"grade": 3}), 0));
        assert_eq!((applied[0].who(), &applied[0].before), ("2026-01-03", &json!("II")));
        assert_eq!(corrections.apply("b", &mut json!({})).0, []);
    }

    #[test]
    fn two_that_disagree_at_one_time_are_named() {
        let mut corrections = Corrections::default();
        corrections.add("a", "grade", json!(1), (None, at("2026-01-01")), "x, line 1").unwrap();
        corrections.add("a", "/grade", json!(1), (None, at("2026-01-01")), "x, line 2").unwrap();
        let error =
            corrections.add("a", "grade", json!(2), (None, at("2026-01-01")), "x, line 3").unwrap_err();
        assert_eq!(error.places, ["x, line 2".to_owned(), "x, line 3".to_owned()]);
    }

    #[test]
    fn what_the_extraction_has_no_place_for_is_said() {
        let mut corrections = Corrections::default();
        for (field, value) in
            [("/parts/0/side", json!("left")), ("/parts/7/side", json!("left")), ("a/b", json!(1))]
        {
            corrections.add("a", field, value, (None, None), "x").unwrap();
        }
        let mut extraction = json!({"parts": [{"side": "right"}]});
        let (applied, lost) = corrections.apply("a", &mut extraction);
        assert_eq!(extraction, json!({"parts": [{"side": "left"}], "a/b": 1}));
        assert_eq!((applied.len(), lost), (2, vec!["/parts/7/side".to_owned()]));
        assert!(applied.iter().any(|one| one.replaces("/parts/0/side") && !one.replaces("/parts/0/sides")));
        let mut nothing = Value::Null;
        corrections.apply("a", &mut nothing);
        assert_eq!(nothing, json!({"a/b": 1}));
    }
}
