//! Corrections of reviewers, applied to the extractions of a run.

use crate::review::How;
use crate::value::{escape, unescape};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A correction as a reviewer wrote it down.
#[derive(Debug, Clone)]
struct Correction {
    /// JSON Pointer into the extraction.
    path: String,
    after: Value,
    reviewer: Option<String>,
    at: Option<jiff::Timestamp>,
    place: String,
}

/// The corrections of a run, by document. The latest of each location holds; one without a time is the oldest.
#[derive(Debug, Default)]
pub(crate) struct Corrections(HashMap<String, Vec<Correction>>);

/// Two corrections of one location at one time that differ.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Disagreement {
    pub(crate) document: String,
    pub(crate) field: String,
    /// The locations where they are written.
    pub(crate) places: [String; 2],
}

/// A correction that was applied to an extraction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Applied {
    /// JSON Pointer into the extraction.
    pub(crate) path: String,
    /// The member at the top of the extraction that it is in.
    pub(crate) top: String,
    pub(crate) before: Value,
    pub(crate) after: Value,
    pub(crate) reviewer: Option<String>,
    pub(crate) at: Option<jiff::Timestamp>,
    /// `each` if the reviewer inspected the value, `swept` if it was accepted with its document as it was.
    pub(crate) how: How,
}

impl Applied {
    /// The name of the reviewer, for people.
    pub(crate) fn who(&self) -> &str {
        self.reviewer.as_deref().unwrap_or("a reviewer without a name")
    }

    /// Returns whether the reviewer said that the extracted value is right.
    pub(crate) fn confirms(&self) -> bool {
        self.before == self.after
    }

    /// Returns whether the value at `path` is the reviewer's, and not the extracted one.
    pub(crate) fn replaces(&self, path: &str) -> bool {
        let within =
            path.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        within && !self.confirms()
    }

    /// As JSON, by the names that corrections have in their files.
    pub(crate) fn to_json(&self) -> Value {
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
    pub(crate) fn add(
        &mut self,
        document: &str,
        field: &str,
        after: Value,
        (reviewer, at): (Option<String>, Option<jiff::Timestamp>),
        place: &str,
    ) -> Result<(), Disagreement> {
        let path = if field.starts_with('/') { field.to_owned() } else { format!("/{}", escape(field)) };
        let list = self.0.entry(document.to_owned()).or_default();
        let added = Correction { path, after, reviewer, at, place: place.to_owned() };
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
    pub(crate) fn documents(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Applies the corrections of a document to its extraction. Returns those that were applied, in the order of time,
    /// and the locations that the extraction does not have.
    pub(crate) fn apply(&self, document: &str, extraction: &mut Value) -> (Vec<Applied>, Vec<String>) {
        let (mut applied, mut lost) = (Vec::new(), Vec::new());
        let mut list: Vec<&Correction> = self.0.get(document).into_iter().flatten().collect();
        list.sort_by(|a, b| (a.at, &a.path).cmp(&(b.at, &b.path)));
        for correction in list {
            match put(extraction, &correction.path, correction.after.clone()) {
                Some(before) => applied.push(Applied {
                    top: crate::score::top_level_field(&correction.path).unwrap_or_default(),
                    path: correction.path.clone(),
                    before,
                    after: correction.after.clone(),
                    reviewer: correction.reviewer.clone(),
                    at: correction.at,
                    how: How::Each,
                }),
                None => lost.push(correction.path.clone()),
            }
        }
        (applied, lost)
    }
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
            let item = items.get_mut(last.parse::<usize>().ok()?)?;
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
