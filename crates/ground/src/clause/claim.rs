//! A claim: a field of an item, and the value that a record gives it.

use super::cues::{Cues, cues_of};
use crate::date;
use crate::field::spaced;
use crate::fold::fold_into;
use crate::quantity::{Unit, unit};
use crate::steps::step;
use serde_json::Value;

/// A field, the item that it is of, and a value: what is held against a passage of a document.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The field's key.
    pub key: &'a str,
    /// Other names that documents use for the field.
    pub synonyms: &'a [String],
    /// The text that names the item of a list; none for the key of the item itself.
    pub item: Option<&'a str>,
    /// The value.
    pub value: &'a Value,
}

/// The kinds of values, by how much of their meaning is beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// A number, also one that is written as text.
    Number,
    /// A number with a unit of which the field's name has one.
    Quantity,
    /// One of two numbers with a stroke or `of` between them.
    Ratio,
    /// A day, a month, a time of day.
    Date,
    /// Something is there, or not.
    Presence,
    /// Something is there, as a statement with no word for that says.
    Mention,
    /// A side.
    Side,
    /// Letters and digits of which the letters are the field's.
    Code,
    /// A value of which the words are not in the sentence: a vocabulary knows it.
    Choice,
    /// A value that a vocabulary reads from a number or a sign.
    Scale,
    /// One short word.
    Word,
    /// Any other text.
    Text,
    /// A text whose words the passage has in another order or form, or with others between them.
    Reworded,
}

impl ValueKind {
    /// Every kind.
    pub const ALL: [ValueKind; 13] = [
        ValueKind::Number,
        ValueKind::Quantity,
        ValueKind::Ratio,
        ValueKind::Date,
        ValueKind::Presence,
        ValueKind::Mention,
        ValueKind::Side,
        ValueKind::Code,
        ValueKind::Choice,
        ValueKind::Scale,
        ValueKind::Word,
        ValueKind::Text,
        ValueKind::Reworded,
    ];

    /// The name in patterns.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ValueKind::Number => "number",
            ValueKind::Quantity => "quantity",
            ValueKind::Ratio => "ratio",
            ValueKind::Date => "date",
            ValueKind::Presence => "presence",
            ValueKind::Mention => "mention",
            ValueKind::Side => "side",
            ValueKind::Code => "code",
            ValueKind::Choice => "choice",
            ValueKind::Scale => "scale",
            ValueKind::Word => "word",
            ValueKind::Text => "text",
            ValueKind::Reworded => "reworded",
        }
    }
}

/// A value that says that something is there, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Present,
    Absent,
}

impl Presence {
    pub(super) fn opposite(self) -> Self {
        match self {
            Presence::Present => Presence::Absent,
            Presence::Absent => Presence::Present,
        }
    }
}

/// One of the numbers of `2 of 19`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShareNumber {
    Part,
    All,
}

/// A claim, taken apart.
#[derive(Debug)]
pub(super) struct ParsedClaim {
    /// The words that must name the field or item; all of its key's where they are general ones only.
    pub(super) names: Vec<String>,
    /// The words of each other name of the field.
    pub(super) synonyms: Vec<Vec<String>>,
    /// The words of the key.
    pub(super) key: Vec<String>,
    /// The value as text, folded.
    pub(super) text: String,
    pub(super) words: Vec<String>,
    pub(super) presence: Option<Presence>,
    pub(super) is_number: bool,
    pub(super) is_number_text: bool,
    pub(super) is_date: bool,
    /// It is a member of an item of a list, and not the one that names it.
    pub(super) is_of_item: bool,
    /// It names an item of a list.
    names_item: bool,
}

/// The words of a text with their digits, folded; `somethingLikeThis` is three.
fn words(text: &str) -> Vec<String> {
    let spaced = spaced(text);
    let split = spaced.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    split.map(fold).collect()
}

pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{2010}'..='\u{2015}' | '\u{2212}' => folded.push('-'),
            c => fold_into(c, &mut folded),
        }
    }
    folded
}

/// The most words of a value that says no more than that something is there or not.
const PRESENCE_WORDS: usize = 4;
/// The shortest word of a text that says something of it.
const TELLING: usize = 3;
/// The number of words of an item's name that are looked for.
const ITEM_WORDS: usize = 4;

impl ParsedClaim {
    pub(super) fn new(claim: &Claim<'_>) -> Self {
        let key = words(claim.key);
        let special: Vec<String> =
            key.iter().filter(|word| !cues_of(word).any(Cues::GENERIC)).cloned().collect();
        let names = match claim.item {
            Some(item) => words(item).into_iter().take(ITEM_WORDS).collect(),
            None if special.is_empty() => key.clone(),
            None => special,
        };
        let written = match claim.value {
            Value::String(text) => text.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                claim.value.to_string()
            }
        };
        let own = words(&written);
        let does = |cues| own.iter().any(|word| cues_of(word).any(cues));
        let presence = match claim.value {
            Value::Bool(true) => Some(Presence::Present),
            Value::Bool(false) => Some(Presence::Absent),
            Value::Number(_) => None,
            _ if own.is_empty() || own.len() > PRESENCE_WORDS => None,
            _ if does(Cues::ABSENT) => Some(Presence::Absent),
            _ if does(Cues::PRESENT) => Some(Presence::Present),
            _ => None,
        };
        let text = fold(&written);
        let is_number = claim.value.is_number();
        let sign = |c: char| matches!(c, '<' | '>' | '.' | ',' | '%' | ' ');
        let is_date = !is_number && (date::is_one(&written) || is_time(&text) || is_month(&text));
        let is_number_text = !is_number
            && !is_date
            && text.contains(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || sign(c));
        let synonyms = match claim.item {
            Some(_) => Vec::new(),
            None => claim.synonyms.iter().map(|name| words(name)).filter(|words| !words.is_empty()).collect(),
        };
        ParsedClaim {
            names,
            synonyms,
            key,
            is_date,
            is_of_item: claim.item.is_some_and(|item| !item.is_empty()),
            names_item: claim.item.is_some_and(str::is_empty),
            presence,
            is_number,
            is_number_text,
            words: own,
            text,
        }
    }

    /// The words of the value that say something of it.
    pub(super) fn telling(&self) -> impl Iterator<Item = &String> {
        let says = |word: &&String| {
            (word.chars().count() >= TELLING || word.contains(|c: char| c.is_ascii_digit()))
                && !cues_of(word).any(Cues::JOIN)
        };
        self.words.iter().filter(says)
    }

    /// Returns whether a word is one of the claim's own.
    pub(super) fn owns(&self, word: &str) -> bool {
        self.words.iter().chain(&self.names).inspect(|_| step(1)).any(|own| own == word)
    }

    /// The unit that the field's name has.
    pub(super) fn unit(&self) -> Option<Unit> {
        self.key.iter().rev().find_map(|word| unit(word)).filter(|_| self.is_number)
    }

    /// Returns whether the field's name asks for a number of those that have something, or of all.
    pub(super) fn asks_for(&self) -> Option<ShareNumber> {
        let does = |cues| self.names.iter().any(|name| cues_of(name).any(cues));
        match (does(Cues::NUMERATOR), does(Cues::DENOMINATOR)) {
            (true, false) => Some(ShareNumber::Part),
            (false, true) => Some(ShareNumber::All),
            (true, true) | (false, false) => None,
        }
        .filter(|_| self.is_number || self.is_number_text)
    }

    /// Returns whether it is a number or a date.
    pub(super) fn is_figure(&self) -> bool {
        self.is_number || self.is_number_text || self.is_date
    }

    /// Returns whether it is a text that names an item of a list.
    pub(super) fn is_item(&self) -> bool {
        self.names_item && !self.is_number && !self.is_number_text
    }

    pub(super) fn has_digits(&self) -> bool {
        self.text.contains(|c: char| c.is_ascii_digit())
    }

    /// Returns whether a word of the key does one of some things.
    pub(super) fn key_does(&self, cues: Cues) -> bool {
        self.key.iter().any(|word| cues_of(word).any(cues))
    }

    /// Returns whether the field is one of the person, as the age is.
    pub(super) fn is_of_person(&self) -> bool {
        self.key.iter().any(|word| cues_of(word).any(Cues::PERSON_FIELD))
    }

    /// Returns whether the value's letters are the end of the key, as those of `pT2` are of `pT`.
    pub(super) fn is_code(&self) -> bool {
        let [word] = self.words.as_slice() else {
            return match self.words.as_slice() {
                // `pT2`, as keys are taken apart.
                [first, second] => is_code(&format!("{first}{second}"), &self.key),
                _ => false,
            };
        };
        is_code(word, &self.key)
    }
}

fn is_code(word: &str, key: &[String]) -> bool {
    let letters = word.trim_start_matches(|c: char| c.is_alphabetic());
    let letters = match word.strip_suffix(letters).filter(|_| !letters.is_empty()) {
        Some(letters) => letters,
        // An unknown number.
        None => match word.strip_suffix('x') {
            Some(letters) => letters,
            None => return false,
        },
    };
    let whole = key.concat();
    let last = key.last().map(String::as_str).unwrap_or_default();
    !letters.is_empty()
        && letters.chars().count() <= 4
        && (whole.ends_with(letters)
            || !last.is_empty() && last.chars().count() <= 3 && letters.ends_with(last))
}

/// A month of a year, such as `2024-03`.
fn is_month(text: &str) -> bool {
    let digits =
        |text: &str, many: usize| text.len() == many && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('-').is_some_and(|(year, month)| digits(year, 4) && digits(month, 2))
}

/// A time of day, such as `6:30`.
fn is_time(text: &str) -> bool {
    let digits = |text: &str| (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once(':')
        .is_some_and(|(hours, minutes)| digits(hours) && digits(minutes) && minutes.len() == 2)
}
