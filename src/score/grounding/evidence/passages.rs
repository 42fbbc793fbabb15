//! The sentences and parts of a document, and what is found in all of it once.

use super::super::boundary::listed_at;
use super::super::index::SourceIndex;
use super::super::neighbourhood::{Break, break_before};
use super::super::words::WordClass;
use super::context::{SectionKind, TriggerHit, Triggers};
use super::lexicon::{Lexicon, PhraseHit};
use super::scopes::Scope;
use crate::rules::Assertion;
use std::ops::Range;
use std::sync::OnceLock;

/// What the vocabularies and the context find in one document. Each is looked for when it is first asked for, once.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    phrases: Vec<OnceLock<Vec<PhraseHit>>>,
    triggers: OnceLock<Vec<TriggerHit>>,
    /// Where each part begins, and what it is.
    sections: Vec<(usize, SectionKind)>,
    lines: OnceLock<Vec<u32>>,
}

/// The wordings that a text has of values of a vocabulary, in bytes.
#[derive(Debug, Default)]
pub(crate) struct Wordings {
    /// Wordings of one value.
    pub(crate) same: Vec<Range<usize>>,
    /// Wordings of the others.
    pub(crate) others: Vec<Range<usize>>,
    /// The choice of a careful reader between mentions that differ: the value (`true`), or another one.
    pub(crate) is_preferred: Option<bool>,
}

/// The least finality of a conclusion.
const FINAL: u8 = 8;

/// The finality of a part that was added when the others were finished.
const ADDED: u8 = 9;

/// The greatest finality of a preliminary part.
const PRELIMINARY: u8 = 2;

/// How far a sentence is followed, in tokens each way.
const SENTENCE: usize = 80;

impl Passages {
    pub(crate) fn new(text: &str, lexicon: &Lexicon) -> Self {
        let listed = lexicon.context().headings(text);
        Passages {
            phrases: (0..lexicon.len()).map(|_| OnceLock::new()).collect(),
            sections: sections(text, &listed),
            ..Self::default()
        }
    }

    /// Those of a text that is put together from stretches of this one: where each begins there, and where it stands here. How final
    /// a part is under a heading before the stretch, it is there, too; what has a heading of its own is not history.
    pub(crate) fn of_stretches(&self, lexicon: &Lexicon, stretches: &[(usize, Range<usize>)]) -> Passages {
        let mut sections = Vec::new();
        for (at, here) in stretches {
            sections.push((*at, SectionKind { says: SectionKind::PLAIN.says, ..self.section(here.start) }));
            let from = self.sections.partition_point(|(start, _)| *start <= here.start);
            let within = self.sections.get(from..).unwrap_or_default();
            let within = within.iter().take_while(|(start, _)| *start < here.end);
            sections.extend(within.map(|(start, kind)| (at + start - here.start, *kind)));
        }
        Passages {
            phrases: (0..lexicon.len()).map(|_| OnceLock::new()).collect(),
            sections,
            ..Self::default()
        }
    }

    /// The parts that say nothing of the document's subject now, and how they are asserted: history, quotations, and the preliminary
    /// ones of a document that has conclusions.
    pub(crate) fn apart(&self, length: usize) -> Vec<(Range<usize>, Assertion)> {
        let ends = self.sections.iter().skip(1).map(|(start, _)| *start).chain([length]);
        let has_conclusions = self.sections.iter().any(|(_, kind)| kind.finality >= FINAL);
        let apart = |((start, kind), end): (&(usize, SectionKind), usize)| {
            let how = match kind.says {
                Assertion::Affirmed if has_conclusions && kind.finality <= PRELIMINARY => {
                    Assertion::Historical
                }
                how => how,
            };
            (how != Assertion::Affirmed).then_some((*start..end, how))
        };
        self.sections.iter().zip(ends).filter_map(apart).collect()
    }

    /// The parts that describe, and conclude nothing.
    pub(crate) fn describing(&self, length: usize) -> Vec<Range<usize>> {
        self.parts(length, |finality| finality < SectionKind::PLAIN.finality)
    }

    /// The parts that were added when the others were finished.
    pub(crate) fn added(&self, length: usize) -> Vec<Range<usize>> {
        self.parts(length, |finality| finality >= ADDED)
    }

    fn parts(&self, length: usize, are: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
        let ends = self.sections.iter().skip(1).map(|(start, _)| *start).chain([length]);
        let parts = self.sections.iter().zip(ends).filter(|((_, kind), _)| are(kind.finality));
        parts.map(|((start, _), end)| *start..end).collect()
    }

    /// Every phrase of a vocabulary.
    pub(super) fn phrases(&self, vocabulary: usize, lexicon: &Lexicon, text: &str) -> &[PhraseHit] {
        let (Some(cell), Some(reader)) = (self.phrases.get(vocabulary), lexicon.reader(vocabulary)) else {
            return &[];
        };
        cell.get_or_init(|| reader.find(text).collect())
    }

    /// The wordings of a value by a vocabulary, and of its other values; `None` for a value that the vocabulary does not know.
    pub(crate) fn wordings(
        &self,
        vocabulary: usize,
        value: &serde_json::Value,
        lexicon: &Lexicon,
        text: &str,
    ) -> Option<Wordings> {
        let reader = lexicon.reader(vocabulary)?;
        let own = match value {
            serde_json::Value::Bool(truth) => reader.boolean(*truth)?,
            serde_json::Value::String(given) => reader.read(given)?.value,
            serde_json::Value::Null
            | serde_json::Value::Number(_)
            | serde_json::Value::Array(_)
            | serde_json::Value::Object(_) => return None,
        };
        let mut found = Wordings {
            is_preferred: reader.prefers().map(|preferred| preferred == own),
            ..Wordings::default()
        };
        for hit in self.phrases(vocabulary, lexicon, text) {
            let into = if hit.value == own { &mut found.same } else { &mut found.others };
            into.push(hit.bytes.clone());
        }
        Some(found)
    }

    /// Every phrase of the context.
    pub(super) fn triggers(&self, context: &Triggers, text: &str) -> &[TriggerHit] {
        self.triggers.get_or_init(|| context.find(text))
    }

    /// The part that holds this byte.
    pub(super) fn section(&self, at: usize) -> SectionKind {
        let upto = self.sections.partition_point(|(start, _)| *start <= at);
        upto.checked_sub(1)
            .and_then(|last| self.sections.get(last))
            .map_or(SectionKind::PLAIN, |(_, kind)| *kind)
    }

    /// Some bytes as somebody is shown them: the sentence around them, and the heading of the part that they stand in.
    pub(crate) fn shown<'t>(
        &self,
        bytes: &Range<usize>,
        source: &'t SourceIndex,
    ) -> (&'t str, Option<&'t str>) {
        let text = source.text();
        let sentence = text.get(self.sentence(bytes, source)).unwrap_or_default();
        let upto = self.sections.partition_point(|(start, _)| *start <= bytes.start);
        let part = upto.checked_sub(1).and_then(|last| self.sections.get(last));
        let line =
            part.and_then(|(start, _)| text.get(*start..)?.lines().find(|line| !line.trim().is_empty()));
        let heading = line.map(|line| line.split_once(':').map_or(line, |(heading, _)| heading).trim());
        (sentence, heading.filter(|heading| heading.len() <= HEADING))
    }

    /// Where each part begins, how its text is asserted, and how final it is.
    pub(crate) fn sections(&self) -> impl Iterator<Item = (usize, Assertion, u8)> + '_ {
        self.sections.iter().map(|(start, kind)| (*start, kind.says, kind.finality))
    }

    /// What each phrase of the context reaches.
    pub(crate) fn scopes(&self, lexicon: &Lexicon, source: &SourceIndex) -> Vec<Scope> {
        lexicon.context().scopes(source, self)
    }

    /// The number of a line, from 1.
    pub(crate) fn line(&self, at: usize, text: &str) -> usize {
        let starts = || {
            text.match_indices('\n').map(|(newline, _)| u32::try_from(newline).unwrap_or(u32::MAX)).collect()
        };
        let lines: &Vec<u32> = self.lines.get_or_init(starts);
        lines.partition_point(|newline| (*newline as usize) < at) + 1
    }

    /// The sentence around some bytes.
    pub(super) fn sentence(&self, bytes: &Range<usize>, source: &SourceIndex) -> Range<usize> {
        let tokens = source.tokens();
        let first = tokens.partition_point(|token| (token.end as usize) <= bytes.start);
        let after = tokens.partition_point(|token| (token.start as usize) < bytes.end);
        let mut from = first;
        for _ in 0..SENTENCE {
            if from == 0 || ends_sentence(from, source) {
                break;
            }
            from -= 1;
        }
        let mut to = after.max(from);
        for _ in 0..SENTENCE {
            if to >= tokens.len() || ends_sentence(to, source) {
                break;
            }
            to += 1;
        }
        let start = tokens.get(from).map_or(bytes.start, |token| token.start as usize);
        let end =
            to.checked_sub(1).and_then(|last| tokens.get(last)).map_or(bytes.end, |token| token.end as usize);
        start.min(bytes.start)..end.max(bytes.end)
    }
}

/// Whether a sentence ends before token `i`.
fn ends_sentence(i: usize, source: &SourceIndex) -> bool {
    match break_before(i, source) {
        Break::Strong => true,
        Break::Line => {
            // Wrapped prose goes on with a small letter, or after a word that wants another.
            let next = source.token(i).map_or("", |token| token.text(source.text()));
            let small = next.starts_with(char::is_lowercase)
                && !source.gap_before(i).trim_end_matches([' ', '\t']).ends_with(['-', '*', '\u{2022}']);
            let wants = i.checked_sub(1).is_some_and(|before| {
                matches!(
                    listed_at(source, before),
                    Some(WordClass::Connector | WordClass::No | WordClass::Not | WordClass::And)
                )
            });
            let comma = source.gap_before(i).contains(',');
            !(small || wants || comma)
        }
        Break::Weak | Break::None => false,
    }
}

/// Longest heading that is no listed one, in bytes.
const HEADING: usize = 60;

/// Where each part of the document begins. A heading that is not listed ends a part that is history or an indication; within
/// a part that is final it is a label.
fn sections(text: &str, listed: &[(usize, SectionKind)]) -> Vec<(usize, SectionKind)> {
    let is_structured = text.trim_start().starts_with(['{', '[']);
    if listed.is_empty() && is_structured {
        return Vec::new();
    }
    let labels = labels(text);
    let mut labels = labels.iter().peekable();
    let mut sections = Vec::new();
    let (mut start, mut next) = (0, 0);
    let mut here = SectionKind::PLAIN;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let mut is_listed = false;
        if !is_structured && is_quoted(line) {
            sections.push((start, SectionKind::QUOTED));
            sections.push((end, here));
            while labels.next_if(|at| **at < end).is_some() {}
            while listed.get(next).is_some_and(|(at, _)| *at < end) {
                next += 1;
            }
            start = end;
            continue;
        }
        loop {
            let heading = listed.get(next).filter(|(at, _)| *at < end);
            // Labels within a line matter where the text has lost its line breaks.
            let label = labels.next_if(|at| **at < heading.map_or(end, |(at, _)| *at));
            if let Some(at) = label {
                if here.says != SectionKind::PLAIN.says && *at > start {
                    here = SectionKind::PLAIN;
                    sections.push((*at, here));
                }
                continue;
            }
            let Some((at, kind)) = heading else { break };
            // The heading itself, which is in capitals as well.
            while labels.next_if(|label| **label <= at + HEADING).is_some() {}
            here = *kind;
            sections.push((*at, here));
            is_listed = true;
            next += 1;
        }
        if !is_listed && here != SectionKind::PLAIN && opens_part(line) {
            let title = is_title(line);
            let kind = if title {
                SectionKind::PLAIN
            } else {
                SectionKind { says: SectionKind::PLAIN.says, ..here }
            };
            if kind != here {
                here = kind;
                sections.push((start, here));
            }
        }
        start = end;
    }
    sections
}

/// Whether a line is of another text that the document quotes: a mail, or an answer of a program.
fn is_quoted(line: &str) -> bool {
    let line = line.trim_start();
    let mail = line.strip_prefix('>').map(|rest| rest.trim_start_matches(['>', ' ']));
    mail.is_some_and(|rest| rest.starts_with(char::is_alphabetic)) || line.starts_with("{\"")
}

/// Where words in capitals before a colon begin: `DESCRIPTION OF PROCEDURE:`.
fn labels(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let label = |(colon, _): (usize, &str)| {
        let is_part = |b: &u8| b.is_ascii_uppercase() || matches!(b, b' ' | b'/' | b'&' | b'(' | b')' | b'-');
        let from = colon.saturating_sub(HEADING);
        let run = bytes.get(from..colon)?.iter().rev().take_while(|b| is_part(b)).count();
        let start = colon - run;
        let words = bytes.get(start..colon)?;
        let letters = words.iter().filter(|b| b.is_ascii_uppercase()).count();
        let begins = start == 0 || matches!(bytes.get(start - 1), Some(b'.' | b',' | b';' | b'\n' | b')'));
        (letters >= 4 && begins).then_some(start)
    };
    text.match_indices(':').filter_map(label).collect()
}

/// Whether a line begins with what looks like a heading or a label.
fn opens_part(line: &str) -> bool {
    let trimmed = line.trim();
    let Some(colon) = trimmed.find(':').filter(|at| *at <= HEADING && *at > 1) else { return is_title(line) };
    let label = trimmed.get(..colon).unwrap_or_default();
    label.starts_with(char::is_uppercase) && label.split_whitespace().count() <= 6
}

/// Whether a whole line is a heading in capitals.
fn is_title(line: &str) -> bool {
    let trimmed = line.trim().trim_end_matches(':');
    let letters = trimmed.chars().filter(|c| c.is_alphabetic()).count();
    (4..=HEADING).contains(&trimmed.len())
        && letters >= 4
        && trimmed.split_whitespace().count() <= 6
        && trimmed.chars().all(|c| !c.is_lowercase())
        && !trimmed.contains(['.', ',', ';'])
        && !trimmed.contains(char::is_numeric)
}
