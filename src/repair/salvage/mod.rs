//! Text that is not quite JSON to the value that it means.
//!
//! A reader that goes on after mistakes. What it does is bounded: every look ahead by [`look::MAX_LOOKAHEAD`], nesting by
//! [`MAX_CANDIDATE_DEPTH`], rewinds by [`MAX_REWINDS`]; so it takes time proportional to the text. Each kind of
//! damage is one [`RepairStep`], with its first place and how often it was met.

mod bare;
mod choose;
mod digits;
mod document;
mod keys;
mod look;
mod object;
mod reader;
mod string;

pub(crate) use keys::has_a_key_twice;

use super::Operation;
use super::step::{RepairKind, RepairStep, TextPosition};
use crate::value::{MAX_CANDIDATE_DEPTH, is_deeper};
use reader::{Reader, Stop};
use serde_json::Value;
use std::borrow::Cow;

/// Longest text that is read, in bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 32 << 20;
/// How often a text without its closing quote is read again as something shorter.
const MAX_REWINDS: usize = 8;

/// What a text came to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Salvaged {
    /// The value.
    pub value: Value,
    /// What was done to get it, in the order in which it was met; empty for strict JSON. The last one's patch puts the
    /// value in the text's place.
    pub steps: Vec<RepairStep>,
    /// The separate values, where the text held several: what a schema may choose from.
    pub several: Vec<Value>,
}

/// Why a text has no value.
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
    /// Nested too deep.
    #[error("the JSON is nested more than {MAX_CANDIDATE_DEPTH} deep (line {}, column {})", .0.line, .0.column)]
    TooDeep(TextPosition),
    /// Too long.
    #[error("the text has more than {MAX_TEXT_BYTES} bytes")]
    TooLong,
}

impl Unsalvageable {
    /// What to do about it.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Unsalvageable::Empty => "give it the text of an answer",
            Unsalvageable::NotStrict { .. } => "repair it by hand, or let `salvage` do it",
            Unsalvageable::NoJson => "an object or a list is looked for, in the text or in a code block",
            Unsalvageable::TooDeep(_) => "this is no document; ask for a flatter one",
            Unsalvageable::TooLong => "split it",
        }
    }
}

/// What was met, by kind: how often, and where first.
#[derive(Debug, Default)]
struct Notes(Vec<(RepairKind, Option<usize>, usize)>);

impl Notes {
    fn add(&mut self, kind: RepairKind, at: Option<usize>) {
        match self.0.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, _, times)) => *times += 1,
            None => self.0.push((kind, at, 1)),
        }
    }

    fn steps(self, text: &str) -> Vec<RepairStep> {
        self.0
            .into_iter()
            .map(|(kind, at, times)| RepairStep {
                kind,
                reason: kind.reason().to_owned(),
                place: at.map(|at| TextPosition::of(text, at)),
                times,
                patch: Vec::new(),
            })
            .collect()
    }
}

/// Reads a text. Strict JSON comes back as it is, without steps; but a whole number too long for 64 bits is rounded,
/// which is a step, and of a key that stands twice the last value counts.
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

/// What a text of strict JSON was read to, and whether anything was lost.
///
/// # Errors
/// [`Unsalvageable::TooDeep`].
pub(super) fn whole(value: Value, text: &str) -> Result<Salvaged, Unsalvageable> {
    let mut notes = Notes::default();
    for at in digits::lost(text) {
        notes.add(RepairKind::LostDigits, Some(at));
    }
    finish(choose::SalvagedValues { value, several: Vec::new() }, notes, text)
}

/// The same for bytes: UTF-8, or UTF-16 with a byte order mark. Bytes that are neither are replaced.
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

fn recover(text: &str, mut notes: Notes) -> Result<Salvaged, Unsalvageable> {
    if look::only_space(text) {
        return Err(Unsalvageable::Empty);
    }
    let mut reader = Reader::new(text, std::mem::take(&mut notes));
    match reader.document() {
        Ok(found) => finish(found, reader.notes, text),
        Err(Stop::Refused(why)) => Err(why),
        Err(Stop::Escaped(at)) => {
            // What was met so far is met again; places in the text as it was would mean nothing to its reader.
            notes.add(RepairKind::EscapedText, Some(at));
            let plain = unescape(text);
            let mut reader = Reader::new(&plain, Notes::default());
            reader.unescaped = true;
            match reader.document() {
                Ok(found) => {
                    for (kind, _, times) in reader.notes.0 {
                        notes.0.push((kind, None, times));
                    }
                    finish(found, notes, text)
                }
                Err(Stop::Refused(why)) => Err(why),
                Err(Stop::Escaped(_)) => Err(Unsalvageable::NoJson),
            }
        }
    }
}

fn finish(found: choose::SalvagedValues, notes: Notes, text: &str) -> Result<Salvaged, Unsalvageable> {
    if is_deeper(&found.value, MAX_CANDIDATE_DEPTH) {
        return Err(Unsalvageable::TooDeep(TextPosition::of(text, 0)));
    }
    let mut steps = notes.steps(text);
    if let Some(last) = steps.last_mut() {
        last.patch.push(Operation::Replace { path: String::new(), value: found.value.clone() });
    }
    Ok(Salvaged { value: found.value, steps, several: found.several })
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
