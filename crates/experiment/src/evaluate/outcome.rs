//! The outcome of a labelled field.

use super::label::{FieldLabel, Held};
use crate::score::{Items, ValueComparison};
use crate::value::prose::beginning;
use crate::value::{is_present, sanitize_line};
use serde::Serialize;
use serde_json::Value;

/// The longest value that is shown, in characters.
const LONGEST_VALUE: usize = 60;

/// The outcome of a labelled field of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// A value other than the right one was extracted.
    Wrong,
    /// A value was extracted where there is none.
    Spurious,
    /// None was extracted where there is one, or only a part of a list or mapping, and nothing false.
    Missing,
    /// The right value was extracted.
    Right,
    /// None was extracted, and there is none.
    Absent,
}

impl Verdict {
    /// Returns whether what was extracted is right.
    pub fn is_right(self) -> bool {
        matches!(self, Verdict::Right | Verdict::Absent)
    }

    /// Returns whether something false was extracted.
    pub fn is_false(self) -> bool {
        matches!(self, Verdict::Wrong | Verdict::Spurious)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Wrong => "wrong",
            Verdict::Spurious => "spurious",
            Verdict::Missing => "missing",
            Verdict::Right => "right",
            Verdict::Absent => "absent",
        }
    }
}

/// The outcome of a labelled field of a document, with the values for people.
#[derive(Debug, Clone)]
pub(super) struct FieldOutcome {
    pub(super) field: String,
    pub(super) verdict: Verdict,
    pub(super) items: Items,
    /// `true` if what is extracted beyond the label is not wrong.
    pub(super) is_partial: bool,
    /// The right value, or the right values, and the extracted value; empty if there is none.
    pub(super) label: String,
    pub(super) extracted: String,
}

/// Compares a label with an extraction.
pub(super) fn outcome(
    field: &str,
    label: &FieldLabel,
    extraction: &Value,
    comparison: ValueComparison<'_>,
) -> FieldOutcome {
    let extracted = extracted(field, extraction);
    let key = last_key(field);
    let items = items(key, label, extracted, comparison);
    let is_whole = |items: Items| {
        if label.is_partial { items.agreeing == items.labelled } else { items.all_agree() }
    };
    let verdict = match extracted {
        None if label.admits_absence() => Verdict::Absent,
        None => Verdict::Missing,
        Some(_) if label.values().next().is_none() => Verdict::Spurious,
        Some(_) if is_whole(items) => Verdict::Right,
        Some(extracted) if has_nothing_false(items, label, extracted) => Verdict::Missing,
        Some(_) => Verdict::Wrong,
    };
    let (label_shown, extracted_shown) = shown(key, label, extracted, comparison);
    FieldOutcome {
        field: field.to_owned(),
        verdict,
        items,
        is_partial: label.is_partial,
        label: cut(&label_shown),
        extracted: cut(&extracted_shown),
    }
}

/// Returns whether all that was extracted is right, as far as the label tells, so that values are only missing.
fn has_nothing_false(items: Items, label: &FieldLabel, extracted: &Value) -> bool {
    if label.is_partial {
        // Other items may be right as well; another single value can't be.
        extracted.is_array() || label.held != Held::Declared && items.agreeing > 0
    } else {
        items.extracted == items.agreeing
    }
}

/// The kind of values of the field, and the label, if it can't be one of them.
pub(super) fn unusable(
    field: &str,
    label: &FieldLabel,
    extraction: &Value,
    comparison: ValueComparison<'_>,
) -> Option<(&'static str, String)> {
    // If a mapping is extracted, the name of the field does not determine the kind of its values.
    let of_another_kind = |value: &Value| value.is_object() || value.is_boolean();
    if label.held != Held::Declared || extracted(field, extraction).is_some_and(of_another_kind) {
        return None;
    }
    let key = last_key(field);
    let declared = comparison.field(key);
    label
        .values()
        .find_map(|value| Some((declared.expects_instead_of(value)?, cut(&comparison.shown(key, value)))))
}

/// The right values and the extracted ones, for people: of lists only the items in which they differ.
fn shown(
    key: &str,
    label: &FieldLabel,
    extracted: Option<&Value>,
    comparison: ValueComparison<'_>,
) -> (String, String) {
    let list = |values: &[&Value]| {
        let values: Vec<String> = values.iter().map(|value| comparison.shown(key, value)).collect();
        values.join(", ")
    };
    let values: Vec<&Value> = label.values().collect();
    if let ([right], Some(extracted)) = (values.as_slice(), extracted)
        && (right.is_array() || extracted.is_array())
    {
        let (right, all_extracted) = (as_items(right), as_items(extracted));
        let lacking: Vec<&Value> = match label.held {
            Held::Declared => {
                without(&right, |item| all_extracted.iter().any(|one| comparison.agree(key, item, one)))
            }
            held => without(&right, |item| comparison.contains(item, extracted, held == Held::ContainsWords)),
        };
        let beyond = match label.is_partial {
            true => Vec::new(),
            false => without(&all_extracted, |item| right.iter().any(|one| comparison.agree(key, one, item))),
        };
        // A list that differs in how often it has an item is shown whole.
        if !lacking.is_empty() || !beyond.is_empty() {
            return (list(&lacking), list(&beyond));
        }
    }
    let any_of: Vec<String> = values.iter().map(|value| comparison.shown(key, value)).collect();
    (any_of.join(" | "), extracted.map_or_else(String::new, |extracted| comparison.shown(key, extracted)))
}

fn as_items(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |items| items.iter().collect())
}

fn without<'v>(items: &[&'v Value], is_in_both: impl Fn(&Value) -> bool) -> Vec<&'v Value> {
    items.iter().copied().filter(|item| !is_in_both(item)).collect()
}

/// The value of a field in an extraction; `None` if it has none, or says that there is none.
pub(super) fn extracted<'v>(field: &str, extraction: &'v Value) -> Option<&'v Value> {
    let found = if field.starts_with('/') { extraction.pointer(field) } else { extraction.get(field) };
    found.filter(|value| is_present(value))
}

/// The name of the last member of a pointer.
pub(super) fn last_key(field: &str) -> &str {
    if field.starts_with('/') { field.rsplit('/').next().unwrap_or(field) } else { field }
}

/// The top-level member that a field is, or lies in.
pub(super) fn top_key(field: &str) -> &str {
    field.strip_prefix('/').map_or(field, |path| path.split('/').next().unwrap_or(path))
}

/// The items of the right value that is closest to what was extracted.
fn items(key: &str, label: &FieldLabel, extracted: Option<&Value>, comparison: ValueComparison<'_>) -> Items {
    let Some(extracted) = extracted else {
        // Where any of several values is right, the one with the fewest items is missed.
        let counts = label.values().map(|value| comparison.items(key, value, value).labelled);
        let labelled = if label.admits_absence() { 0 } else { counts.min().unwrap_or_default() };
        return Items { labelled, extracted: 0, agreeing: 0 };
    };
    let held = |value: &Value| match label.held {
        Held::Declared => comparison.items(key, value, extracted),
        Held::ContainsWords | Held::ContainsText => {
            let whole_words = label.held == Held::ContainsWords;
            let parts = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
            let agreeing =
                parts.iter().filter(|part| comparison.contains(part, extracted, whole_words)).count() as u64;
            Items { labelled: parts.len() as u64, extracted: agreeing, agreeing }
        }
    };
    let wrong = |items: &Items| items.labelled + items.extracted - 2 * items.agreeing;
    let nothing_right = || Items {
        labelled: 0,
        extracted: comparison.items(key, extracted, extracted).extracted,
        agreeing: 0,
    };
    label.values().map(held).min_by_key(wrong).unwrap_or_else(nothing_right)
}

/// A value on one line, cut to what people read.
fn cut(text: &str) -> String {
    beginning(&sanitize_line(text), LONGEST_VALUE)
}
