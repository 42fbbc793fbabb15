//! Text that is not quite JSON to the value that it means.
//!
//! A reader that continues after mistakes. Its work is bounded: every look ahead by [`look::MAX_LOOKAHEAD`], nesting by
//! [`MAX_CANDIDATE_DEPTH`], rewinds by [`MAX_REWINDS`]; so it takes time proportional to the text. Each kind of damage
//! is one [`RepairStep`], with its first position and how often it was met.

mod bare;
mod choose;
mod digits;
mod document;
mod full_width;
mod keys;
mod look;
mod notes;
mod object;
mod reader;
mod string;
mod terminal;
mod thinking;

pub use keys::has_a_key_twice;

/// A text without the model's thinking before or after its answer; empty where it only thought, or was cut short while
/// thinking.
pub fn without_thinking(text: &str) -> Cow<'_, str> {
    match thinking::without(text) {
        None => Cow::Borrowed(text),
        Some(thought) if thought.is_all || thought.is_open => Cow::Borrowed(""),
        Some(thought) => Cow::Owned(thought.text),
    }
}

use super::Operation;
use super::step::{RepairKind, RepairStep, TextPosition};
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper};
use choose::{ChosenValue, in_a_row};
use notes::{Note, Notes, TextPositions, merged};
use reader::{Reader, Stop};
use serde_json::Value;
use std::borrow::Cow;

/// Longest text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 32 << 20;
/// Most separate values of a text that are told apart.
pub(super) const MAX_READINGS: usize = 256;
/// Most times that a text without its closing quote is read again as something shorter.
const MAX_REWINDS: usize = 8;

/// The result of salvaging a text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Salvaged {
    /// The value.
    pub value: Value,
    /// The steps that were taken to get it, in the order in which they were met; empty for strict JSON. The last one's
    /// patch puts the value in the text's place.
    pub steps: Vec<RepairStep>,
    /// The separate values, where the text held several, in their order, and at last all of them as a list if they are
    /// in a row: the choices for a schema. At most `MAX_READINGS` of them; `value` has all.
    pub several: Vec<Reading>,
    /// `true` if the text held more values than are in `several`.
    pub has_more: bool,
    /// `true` if the text ends in the middle of a value, or of the model's thinking.
    pub is_cut: bool,
}

/// One of several values of a text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// The value.
    pub value: Value,
    /// The steps that led to it, as for [`Salvaged::steps`].
    pub steps: Vec<RepairStep>,
    /// Its beginning; `None` where positions mean nothing.
    pub place: Option<TextPosition>,
    /// `true` if it is the list of all the others, which are in a row.
    pub is_row: bool,
}

impl Salvaged {
    /// Takes a value that was never text.
    pub fn of_value(value: Value) -> Self {
        Salvaged { value, steps: Vec::new(), several: Vec::new(), has_more: false, is_cut: false }
    }
}

impl Reading {
    /// A value that is all that a text holds.
    pub(super) fn new(value: Value, steps: Vec<RepairStep>) -> Self {
        Reading { value, steps, place: None, is_row: false }
    }
}

/// The reason that a text has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsalvageable {
    /// Nothing but spaces.
    #[error("the text is empty")]
    Empty,
    /// It is not JSON, and nothing but strict JSON is taken.
    #[error("the text is not JSON (line {line}, column {column})")]
    NotStrict {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// No value in it.
    #[error("there is no JSON in the text")]
    NoJson,
    /// Nothing in it but the model's thinking.
    #[error("all of the text is what the model thought, and no answer")]
    OnlyThinking,
    /// Values that differ, each of which could be the answer.
    #[error("different values in the text could be the answer, and nothing says which{}", places(.0))]
    Ambiguous(Option<(TextPosition, TextPosition)>),
    /// It ends in the middle of a value, and another one would be taken for the answer.
    #[error("the text ends in the middle of a value that could be the answer")]
    CutOff,
    /// Nested too deep.
    #[error("the JSON is nested more than {MAX_CANDIDATE_DEPTH} deep (line {}, column {})", .0.line, .0.column)]
    TooDeep(TextPosition),
    /// Too long.
    #[error("the text has more than {MAX_TEXT_BYTES} bytes")]
    TooLong,
}

impl Unsalvageable {
    /// Advice on what to do about it.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Unsalvageable::Empty => "give it the text of an answer",
            Unsalvageable::NotStrict { .. } => "repair it by hand, or let `salvage` do it",
            Unsalvageable::NoJson => "an object or a list is looked for, in the text or in a code block",
            Unsalvageable::OnlyThinking => "let the model think less, or not at all",
            Unsalvageable::Ambiguous(_) => "leave one of them, or give a schema that only one of them fits",
            Unsalvageable::CutOff => "ask for the answer again",
            Unsalvageable::TooDeep(_) => "this is not a document; ask for a flatter one",
            Unsalvageable::TooLong => "split it",
        }
    }
}

/// The positions of the first two of them.
fn places(places: &Option<(TextPosition, TextPosition)>) -> String {
    let of = |(a, b): &(TextPosition, TextPosition)| {
        format!(" (line {}, column {}, and line {}, column {})", a.line, a.column, b.line, b.column)
    };
    places.as_ref().map(of).unwrap_or_default()
}

/// Reads a text. Strict JSON comes back as it is, without steps; but a whole number too long for 64 bits is rounded,
/// which is a step, and of a key that appears twice the last value counts.
///
/// # Errors
/// [`Unsalvageable`] when there is no JSON in it: nothing is made up.
pub fn salvage(text: &str) -> Result<Salvaged, Unsalvageable> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Unsalvageable::TooLong);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) => whole(value, text),
        Err(_) => recover(text, Notes::default()),
    }
}

/// The value of a text of strict JSON, with a step for each kind of loss.
///
/// # Errors
/// [`Unsalvageable::TooDeep`].
pub(super) fn whole(value: Value, text: &str) -> Result<Salvaged, Unsalvageable> {
    let mut notes = Notes::default();
    for at in digits::lost(text) {
        notes.add(RepairKind::LostDigits, Some(at));
    }
    finish(ChosenValue { value, notes: Vec::new(), pieces: Vec::new() }, notes, (text, true), false)
}

/// Like [`salvage`] for bytes: UTF-8, or UTF-16 with a byte order mark. Bytes that are neither are replaced.
///
/// # Errors
/// As [`salvage`].
pub fn salvage_bytes(bytes: &[u8]) -> Result<Salvaged, Unsalvageable> {
    if bytes.len() > MAX_TEXT_BYTES {
        return Err(Unsalvageable::TooLong);
    }
    let utf16 = |of: fn([u8; 2]) -> u16| -> String {
        let units = bytes.chunks_exact(2).skip(1).filter_map(|pair| pair.try_into().ok()).map(of);
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    let text: Cow<'_, str> = match (bytes, std::str::from_utf8(bytes)) {
        (_, Ok(text)) => return salvage(text),
        ([0xff, 0xfe, ..], _) => utf16(u16::from_le_bytes).into(),
        ([0xfe, 0xff, ..], _) => utf16(u16::from_be_bytes).into(),
        (_, Err(_)) => String::from_utf8_lossy(bytes),
    };
    let mut notes = Notes::default();
    notes.add(RepairKind::Encoding, None);
    recover(&text, notes)
}

fn recover(original: &str, mut notes: Notes) -> Result<Salvaged, Unsalvageable> {
    if look::only_space(original) {
        return Err(Unsalvageable::Empty);
    }
    let mut text = Cow::Borrowed(original);
    // Positions in a changed text would mean nothing to its reader.
    let mut is_same = true;
    if let Some((plain, first)) = terminal::plain(&text) {
        notes.add(RepairKind::TerminalEscape, Some(first));
        (text, is_same) = (Cow::Owned(plain), false);
    }
    let mut in_thought = false;
    if let Some(left) = thinking::without(&text) {
        if left.is_all {
            return Err(Unsalvageable::OnlyThinking);
        }
        notes.add(RepairKind::Thinking, Some(left.first));
        (text, in_thought) = (Cow::Owned(left.text), left.is_open);
    }
    if let Some((plain, first)) = full_width::halved(&text) {
        notes.add(RepairKind::FullWidth, Some(first));
        text = Cow::Owned(plain);
    }
    let mut reader = Reader::new(&text, std::mem::take(&mut notes));
    match reader.document() {
        Ok(found) => finish(found, reader.notes, (original, is_same), in_thought),
        Err(Stop::Refused(why)) => Err(why),
        Err(Stop::Escaped(at)) => {
            // The damage met so far is met again.
            let mut notes = Notes::default();
            notes.add(RepairKind::EscapedText, Some(at));
            let plain = unescape(&text);
            let mut reader = Reader::new(&plain, notes);
            reader.unescaped = true;
            match reader.document() {
                Ok(found) => finish(found, reader.notes, (original, false), in_thought),
                Err(Stop::Refused(why)) => Err(why),
                Err(Stop::Escaped(_)) => Err(Unsalvageable::NoJson),
            }
        }
    }
}

/// Gives a found value its steps. Where the text is not the one that was read, only the position of the step that
/// changed it is meaningful.
fn finish(
    found: ChosenValue,
    mut outside: Notes,
    (text, is_same): (&str, bool),
    in_thought: bool,
) -> Result<Salvaged, Unsalvageable> {
    let ChosenValue { value, notes, pieces } = found;
    if is_deeper(&value, MAX_CANDIDATE_DEPTH) {
        return Err(Unsalvageable::TooDeep(TextPosition::of(text, 0)));
    }
    let outside = outside.take();
    let truncated = |note: &Note| note.kind == RepairKind::Truncated;
    let last = pieces.last().map_or(&notes, |piece| &piece.notes);
    let is_cut = in_thought || last.iter().chain(&outside).any(truncated);
    let told_apart = || pieces.iter().take(MAX_READINGS);
    let all = outside.iter().chain(&notes).chain(told_apart().flat_map(|piece| &piece.notes));
    let offsets = all.filter_map(|note| note.at).chain(told_apart().map(|piece| piece.at));
    let places = TextPositions::of(text, offsets);
    let steps_to = |value: &Value, outside: &[Note], notes: &[Note]| {
        let mut steps = places.steps(merged(outside.iter().chain(notes)));
        let changes = |kind| matches!(kind, RepairKind::TerminalEscape | RepairKind::EscapedText);
        for step in steps.iter_mut().filter(|step| !is_same && !changes(step.kind)) {
            step.place = None;
        }
        if let Some(last) = steps.last_mut() {
            last.patch.push(Operation::Replace { path: String::new(), value: value.clone() });
        }
        steps
    };
    // The steps of choosing belong to none of the values.
    let chosen = |note: &&Note| {
        matches!(note.kind, RepairKind::Superseded | RepairKind::SeveralValues | RepairKind::Beside)
    };
    let around: Vec<Note> = outside.iter().filter(|note| !chosen(note)).cloned().collect();
    let mut several: Vec<Reading> = told_apart()
        .map(|piece| Reading {
            steps: steps_to(&piece.value, &around, &piece.notes),
            place: places.at(piece.at).filter(|_| is_same),
            value: piece.value.clone(),
            is_row: false,
        })
        .collect();
    let has_more = pieces.len() > several.len();
    if !pieces.is_empty() && in_a_row(&pieces) {
        let list = Value::Array(pieces.iter().map(|piece| piece.value.clone()).collect());
        let in_row = outside.iter().filter(|note| note.kind == RepairKind::SeveralValues);
        let read = merged(pieces.iter().flat_map(|piece| &piece.notes).chain(in_row));
        several.push(Reading {
            steps: steps_to(&list, &around, &read),
            place: None,
            value: list,
            is_row: true,
        });
    }
    Ok(Salvaged { steps: steps_to(&value, &outside, &notes), value, several, has_more, is_cut })
}

/// Takes one level of escaping off a text.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some(c @ ('"' | '\'' | '\\' | '/')) => plain.push(c),
            Some(c) => plain.extend(['\\', c]),
            None => plain.push('\\'),
        }
    }
    plain
}
