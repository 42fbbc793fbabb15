//! A first look at the texts of a candidate, which costs no allocation: nearly all candidates have none that could be a placeholder.

use super::words::WORDS;
use crate::rules::{AnswerSchema, Answers, EvidenceRules};
use crate::value::{Fuel, Item, Segment, is_unseen};
use serde_json::Value;
use std::collections::HashSet;

/// Types and formats of JSON Schema, which a text may repeat.
const TYPES: [&str; 16] = [
    "string", "number", "integer", "boolean", "object", "array", "null", "date", "time", "datetime",
    "duration", "email", "uri", "uuid", "regex", "hostname",
];
/// Most texts of one schema that are taken in.
const MOST_TEXTS: usize = 50_000;

/// A quick test for texts that could be placeholders.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    /// The letters of words, names, titles and descriptions, by their hashes.
    letters: HashSet<u64>,
    /// The longest of these, in bytes.
    longest: usize,
    /// True if a schema has an object below its top that takes no other members than it names.
    pub(in crate::score) is_closed_below: bool,
}

impl Screen {
    /// Builds the screen from everything that a profile knows by name.
    pub(crate) fn new(evidence: &EvidenceRules, answers: &Answers) -> Self {
        let mut screen = Screen::default();
        WORDS.words().chain(TYPES).for_each(|word| screen.add(word));
        for field in &evidence.fields {
            field.synonyms.iter().for_each(|name| screen.add(name));
        }
        for AnswerSchema { schema, .. } in answers.schemas.values().flatten() {
            let mut left = MOST_TEXTS;
            screen.add_schema(schema, &mut left);
            screen.is_closed_below |= members_of(schema).any(is_closed_anywhere);
        }
        let mut left = MOST_TEXTS;
        answers.examples.iter().for_each(|example| screen.add_texts(example, &mut left));
        screen
    }

    fn add(&mut self, text: &str) {
        self.longest = self.longest.max(text.len());
        self.letters.extend(letters_hash(text));
    }

    /// All texts of an example.
    fn add_texts(&mut self, example: &Value, left: &mut usize) {
        match example {
            Value::String(text) if *left > 0 => {
                *left -= 1;
                self.add(text);
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_texts(item, left)),
            Value::Object(members) => members.values().for_each(|member| self.add_texts(member, left)),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Titles, descriptions and examples, wherever they are.
    fn add_schema(&mut self, schema: &Value, left: &mut usize) {
        match schema {
            Value::Object(members) => {
                for (key, member) in members {
                    if let (Value::String(text), "title" | "description") = (member, key.as_str()) {
                        if *left == 0 {
                            return;
                        }
                        *left -= 1;
                        self.add(text);
                    }
                    if key == "examples" {
                        self.add_texts(member, left);
                    }
                    self.add_schema(member, left);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_schema(item, left)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Returns whether a text at or below a value, which is a member of this name, could be a placeholder.
    pub(super) fn finds_any(&self, name: &str, item: Item<'_>, fuel: &Fuel) -> bool {
        match item {
            Item::Text(text) => self.finds(name, text),
            Item::List(branch) | Item::Map(branch) => branch.children().any(|(segment, child)| {
                let name = match segment {
                    Segment::Key(own) => own,
                    Segment::Index(_) => name,
                };
                fuel.spend(1) && self.finds_any(name, child, fuel)
            }),
            Item::Null | Item::Bool(_) | Item::Number(_) => false,
        }
    }

    fn finds(&self, name: &str, text: &str) -> bool {
        // Signs around a text add little to it.
        if text.len() > self.longest.saturating_mul(2).max(super::LONGEST_TEXT) {
            return false;
        }
        let Some(hash) = letters_hash(text) else { return true };
        let (own, first) = (letters_hash(name), text.chars().find(|c| !is_unseen(*c)));
        if self.letters.contains(&hash) || own == Some(hash) || first.is_some_and(|c| !c.is_alphanumeric()) {
            return true;
        }
        let before = text.split_once([':', '=', '：']).and_then(|(before, _)| letters_hash(before));
        before.is_some_and(|before| own == Some(before) || self.letters.contains(&before))
    }
}

fn members_of(schema: &Value) -> impl Iterator<Item = &Value> {
    schema.as_object().into_iter().flat_map(|members| members.values())
}

fn is_closed_anywhere(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.get("additionalProperties") == Some(&Value::Bool(false))
                || members.values().any(is_closed_anywhere)
        }
        Value::Array(items) => items.iter().any(is_closed_anywhere),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The letters and digits of a text in lower case as a number; `None` where there are none.
fn letters_hash(text: &str) -> Option<u64> {
    let mut letters = super::letters(text).peekable();
    letters.peek()?;
    let mix = |hash: u64, c: char| (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
    Some(letters.fold(0xcbf2_9ce4_8422_2325, mix))
}
