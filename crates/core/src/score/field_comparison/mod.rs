//! Decides whether two values of one field mean the same, by what the profile's rubric declares for the field: its
//! vocabulary, its unit, its tolerance.
//!
//! - A text is the same as another with the same words, whatever their case, accents, spaces and punctuation; or that the field's
//!   vocabulary reads as the same value; or that is the same day; or the same quantity, in whatever unit.
//! - Lists are sets: the order of their items says nothing. An item that is a mapping is the same as one that agrees in every member
//!   that the first one has.

mod decimal;
mod text_alone;

use super::assessor::Scoring;
use super::source::Names;
use crate::rules::{EvidenceRules, parse_date};
use crate::value::{compare_numbers, is_present};
use serde_json::{Map, Value};
use std::cmp::Ordering;
use text_alone::{TextAlone, UnitOfField};

/// Longest list whose items are matched in the best possible way; in a longer one each item takes the first that is
/// left for it.
const MOST_MATCHED: usize = 500;

/// Compares values of the fields of a profile.
#[derive(Debug, Clone, Copy)]
pub struct ValueComparison<'s> {
    rules: &'s EvidenceRules,
    names: &'s Names,
}

/// The way in which the values of a field are compared.
#[derive(Debug, Clone, Copy)]
pub struct FieldComparison<'s> {
    /// The vocabulary: its number in the lexicon, and its name.
    vocabulary: Option<(usize, &'s str)>,
    unit: Option<UnitOfField>,
    declared_unit: Option<&'s str>,
    tolerance: f64,
    /// True if its values are dates, as its name says: `date`, `reportDate`.
    is_date: bool,
}

/// The number of items that each of two values of a field has, and of those that are the same: 1 each for values
/// that are neither lists nor mappings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Items {
    /// Items of the labelled value.
    pub labelled: u64,
    /// Items of the extracted value.
    pub extracted: u64,
    /// Items that both have.
    pub agreeing: u64,
}

impl Items {
    /// Returns true if both have the same items.
    pub fn all_agree(self) -> bool {
        self.labelled == self.agreeing && self.extracted == self.agreeing
    }
}

impl Scoring {
    /// The comparison of values of the profile's fields.
    pub fn comparison(&self) -> ValueComparison<'_> {
        ValueComparison { rules: self.rules().evidence(), names: self.names() }
    }
}

impl<'s> ValueComparison<'s> {
    /// The comparison of a field, or of a member of a field, by its name.
    pub fn field(self, key: &str) -> FieldComparison<'s> {
        let known = self.rules.fields.iter().find(|field| field.key == key);
        let declared_unit = known.and_then(|field| field.unit.as_deref());
        let number = |name: &str| self.rules.vocabularies.iter().position(|(known, _)| known == name);
        let vocabulary = self.rules.vocabulary_of(key).and_then(|(name, _)| Some((number(name)?, name)));
        FieldComparison {
            vocabulary,
            is_date: vocabulary.is_none() && declared_unit.is_none() && is_name_of_date(key),
            unit: UnitOfField::of(declared_unit, key),
            declared_unit,
            tolerance: known.and_then(|field| field.tolerance).unwrap_or_default(),
        }
    }

    /// Counts the items of a label and of the value extracted for the field `key`, and those that are the same. Neither
    /// value may be absent.
    pub fn items(self, key: &str, label: &Value, extracted: &Value) -> Items {
        match (label, extracted) {
            (Value::Object(label), Value::Object(extracted)) => self.members(label, extracted),
            (Value::Array(_), _) | (_, Value::Array(_)) => {
                let (label, extracted) = (as_items(label), as_items(extracted));
                let agreeing = self.matched(key, &label, &extracted);
                Items { labelled: label.len() as u64, extracted: extracted.len() as u64, agreeing }
            }
            _ => Items { labelled: 1, extracted: 1, agreeing: u64::from(self.agree(key, label, extracted)) },
        }
    }

    /// Returns true if a label and the value extracted for the field `key` are the same.
    pub fn agree(self, key: &str, label: &Value, extracted: &Value) -> bool {
        match (label, extracted) {
            (Value::Object(label), Value::Object(extracted)) => self.has_members(label, extracted),
            (Value::Array(_), _) | (_, Value::Array(_)) => self.items(key, label, extracted).all_agree(),
            (Value::Object(_), _) | (_, Value::Object(_)) => false,
            _ => self.same(self.field(key), label, extracted),
        }
    }

    /// Returns true if two values that are neither lists nor mappings are the same.
    fn same(self, field: FieldComparison<'s>, label: &Value, extracted: &Value) -> bool {
        match (label, extracted) {
            (Value::Null, _) | (_, Value::Null) => return label == extracted,
            (Value::Bool(label), Value::Bool(extracted)) => return label == extracted,
            (Value::Number(a), Value::Number(b)) => {
                let (x, y) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
                return compare_numbers(a, b) == Some(Ordering::Equal)
                    || field.tolerance > 0.0 && (x - y).abs() <= field.tolerance * (1.0 + 1e-12);
            }
            _ => {}
        }
        let alone = |value: &Value| {
            let text = text_of(value);
            TextAlone::read(if field.is_date { without_time(&text) } else { &text }, field.unit)
        };
        let (a, b) = (alone(label), alone(extracted));
        if a.same_words(&b) {
            return true;
        }
        let is_truth = label.is_boolean() || extracted.is_boolean();
        let truths = || self.names.lexicon.of_booleans().filter(|_| is_truth);
        let vocabulary = field.vocabulary.map(|(number, _)| number).or_else(truths);
        let read = |value: &Value| vocabulary.and_then(|number| self.read(number, value));
        if let (Some(label), Some(extracted)) = (read(label), read(extracted)) {
            return label == extracted;
        }
        let by_date = a.same_date(&b);
        by_date.or_else(|| a.same_quantity(&b, field.unit, field.tolerance)).unwrap_or(false)
    }

    /// The value of a vocabulary that a value means.
    fn read(self, vocabulary: usize, value: &Value) -> Option<&'s str> {
        match value {
            Value::Bool(truth) => self.names.lexicon.read_truth(vocabulary, *truth),
            other => self.names.lexicon.read(vocabulary, &text_of(other)),
        }
    }

    /// A value as people are shown it: as the field's vocabulary calls it, else as it is.
    pub fn shown(self, key: &str, value: &Value) -> String {
        let field = self.field(key);
        let is_single = !value.is_array() && !value.is_object() && !value.is_null();
        let read = field.vocabulary.filter(|_| is_single).and_then(|(number, _)| self.read(number, value));
        read.map_or_else(|| text_of(value), str::to_owned)
    }

    /// Returns true if the words of a label appear among those of the extracted value: as whole words, or as letters
    /// anywhere.
    pub fn contains(self, label: &Value, extracted: &Value, whole_words: bool) -> bool {
        let words = |value: &Value| TextAlone::read(&all_text(value), None).words().to_owned();
        let (label, extracted) = (words(label), words(extracted));
        if whole_words {
            format!(" {extracted} ").contains(&format!(" {label} "))
        } else {
            extracted.contains(&label)
        }
    }

    /// The members of two mappings, each an item.
    fn members(self, label: &Map<String, Value>, extracted: &Map<String, Value>) -> Items {
        let all = extracted.iter().filter(|(key, value)| is_member(key, value)).count() as u64;
        let mut items = Items { labelled: 0, extracted: all, agreeing: 0 };
        for (key, label) in label.iter().filter(|(key, value)| is_member(key, value)) {
            items.labelled += 1;
            let agrees =
                self.member(key, extracted).is_some_and(|extracted| self.agree(key, label, extracted));
            items.agreeing += u64::from(agrees);
        }
        items
    }

    /// Returns true if every member of a label agrees.
    fn has_members(self, label: &Map<String, Value>, extracted: &Map<String, Value>) -> bool {
        let mut labels = label.iter().filter(|(key, value)| is_member(key, value));
        labels.all(|(key, label)| {
            self.member(key, extracted).is_some_and(|extracted| self.agree(key, label, extracted))
        })
    }

    /// The member of this name, or of another name of it: `estrogen receptor` of `ER`.
    fn member<'v>(self, key: &str, extracted: &'v Map<String, Value>) -> Option<&'v Value> {
        let present = |value: &&'v Value| is_present(value);
        if let Some(value) = extracted.get(key).filter(present) {
            return Some(value);
        }
        // Other names of it, in any writing.
        let known = self.rules.fields.iter().find(|field| {
            same_name(&field.key, key) || field.synonyms.iter().any(|name| same_name(name, key))
        });
        let is_meant = |name: &str| {
            same_name(name, key)
                || known.is_some_and(|field| {
                    same_name(&field.key, name) || field.synonyms.iter().any(|other| same_name(other, name))
                })
        };
        extracted
            .iter()
            .find(|(name, value)| is_member(name, value) && is_meant(name))
            .map(|(_, value)| value)
    }

    /// The greatest number of items of two lists that can be paired off so that those of each pair agree.
    fn matched(self, key: &str, label: &[&Value], extracted: &[&Value]) -> u64 {
        let agrees = |l: usize, s: usize| {
            label
                .get(l)
                .zip(extracted.get(s))
                .is_some_and(|(label, extracted)| self.agree(key, label, extracted))
        };
        // The label that each extracted item is paired with.
        let mut partner: Vec<Option<usize>> = vec![None; extracted.len()];
        if label.len().max(extracted.len()) > MOST_MATCHED {
            for l in 0..label.len() {
                let free = (0..extracted.len()).find(|s| partner.get(*s) == Some(&None) && agrees(l, *s));
                if let Some(slot) = free.and_then(|s| partner.get_mut(s)) {
                    *slot = Some(l);
                }
            }
        } else {
            let fits: Vec<Vec<usize>> =
                (0..label.len()).map(|l| (0..extracted.len()).filter(|s| agrees(l, *s)).collect()).collect();
            for l in 0..label.len() {
                pair_off(l, &fits, &mut vec![false; extracted.len()], &mut partner);
            }
        }
        partner.iter().flatten().count() as u64
    }
}

/// Finds a partner for label `l`, moving others on to another one where it must (Kuhn's algorithm).
fn pair_off(l: usize, fits: &[Vec<usize>], tried: &mut [bool], partner: &mut [Option<usize>]) -> bool {
    for &s in fits.get(l).into_iter().flatten() {
        if tried.get(s).copied().unwrap_or(true) {
            continue;
        }
        if let Some(tried) = tried.get_mut(s) {
            *tried = true;
        }
        let taken = partner.get(s).copied().flatten();
        if taken.is_none_or(|other| pair_off(other, fits, tried, partner)) {
            if let Some(slot) = partner.get_mut(s) {
                *slot = Some(l);
            }
            return true;
        }
    }
    false
}

impl FieldComparison<'_> {
    /// The kind of values that the field has, where a value, or a text in a list, can't be one of them: `a date`,
    /// `a number`. A part of a date (`2016-09`, `spring of 2016`) is one, as a document may say no more.
    pub fn expects_instead_of(self, value: &Value) -> Option<&'static str> {
        let is_number = self.vocabulary.is_none() && (self.declared_unit.is_some() || self.tolerance > 0.0);
        if !self.is_date && !is_number {
            return None;
        }
        let can_be = |text: &str| match self.is_date {
            true => TextAlone::may_be_date(without_time(text)),
            false => text.chars().any(char::is_numeric),
        };
        let can_all = match value {
            Value::Bool(_) | Value::Object(_) => false,
            Value::Array(items) => items.iter().filter_map(Value::as_str).all(can_be),
            Value::Null => true,
            single => can_be(&text_of(single)),
        };
        (!can_all).then_some(if self.is_date { "a date" } else { "a number" })
    }

    /// The basis on which values are compared, for people: `vocabulary margin-status`, `number in mm ± 0.5`; empty for
    /// a field without declarations.
    pub fn described(self) -> String {
        let mut parts = Vec::new();
        if self.is_date {
            parts.push("date".to_owned());
        }
        if let Some((_, name)) = self.vocabulary {
            parts.push(format!("vocabulary {name}"));
        }
        if let Some(unit) = self.declared_unit {
            parts.push(format!("in {unit}"));
        }
        if self.tolerance > 0.0 {
            parts.push(format!("± {}", self.tolerance));
        }
        parts.join(", ")
    }
}

/// Returns true if the last word of a field's name is `date`: `date`, `reportDate`, `report_date`, not `update`.
pub fn is_name_of_date(key: &str) -> bool {
    let key = key.strip_suffix('s').unwrap_or(key);
    let before = key.strip_suffix("date").or_else(|| key.strip_suffix("Date"));
    before.is_some_and(|before| key.ends_with("Date") || !before.ends_with(char::is_alphanumeric))
}

/// The day of an ISO date that has a time of day; any other text as it is.
fn without_time(text: &str) -> &str {
    let text = text.trim();
    parse_date(text).and_then(|_| text.get(..10)).unwrap_or(text)
}

/// The items of a list; a value that is none is a list of itself.
fn as_items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().filter(|item| is_present(item)).collect(),
        other => vec![other],
    }
}

/// Returns true if a member is present and is not a statement about another one: `grade_status: not_present` is no
/// value.
fn is_member(key: &str, value: &Value) -> bool {
    is_present(value) && !key.ends_with("_status")
}

/// Returns true if two names are one, whatever their case and whatever separates their words.
fn same_name(a: &str, b: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = char> {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
    }
    letters(a).eq(letters(b))
}

/// A value as text: texts as they are, all else as JSON.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// All text in a value, without the names of members.
fn all_text(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(all_text).collect::<Vec<_>>().join(" "),
        Value::Object(members) => members.values().map(all_text).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        other => text_of(other),
    }
}
