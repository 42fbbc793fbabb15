//! How a sentence asserts what it mentions: ConText (Harkema et al. 2009) over the phrases that a profile declares.

use super::super::index::SourceIndex;
use super::passages::Passages;
use super::phrases::{Found, PhraseSearch};
use crate::rules::{Assertion, Context, Phrase};
use std::ops::Range;
use std::sync::OnceLock;

/// Which way a phrase looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// At what follows it.
    Before(Assertion),
    /// At what precedes it.
    After(Assertion),
    /// At what comes directly after it.
    JustBefore(Assertion),
    /// At what comes directly before it.
    JustAfter(Assertion),
    /// It looks like one of the others and is none.
    Ignored,
    /// It ends what a phrase before it reaches.
    Terminator,
}

/// The phrases of a context, compiled.
#[derive(Debug, Default)]
pub(crate) struct Triggers {
    phrases: Vec<(Phrase, Role)>,
    search: OnceLock<PhraseSearch>,
    reach: usize,
    sections: Vec<SectionKind>,
    /// Headings, with the section that each opens.
    heading_phrases: Vec<(Phrase, usize)>,
    headings: OnceLock<PhraseSearch>,
    /// Words in names of fields, with what such fields hold.
    fields: Vec<(String, Vec<Assertion>)>,
}

/// What a listed part of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SectionKind {
    pub(super) says: Assertion,
    pub(super) finality: u8,
}

impl SectionKind {
    /// A part without a heading that is listed.
    pub(super) const PLAIN: SectionKind = SectionKind { says: Assertion::Affirmed, finality: 5 };
    /// What the document quotes from another text is nothing that it reports.
    pub(super) const QUOTED: SectionKind = SectionKind { says: Assertion::Hypothetical, finality: 0 };
}

/// A phrase found in a text.
#[derive(Debug, Clone)]
pub(super) struct TriggerHit {
    pub(super) bytes: Range<usize>,
    pub(super) role: Role,
}

/// How something is asserted, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Asserted {
    pub(in super::super) how: Assertion,
    /// The phrase that says so; none where only the part of the document does, or nothing.
    pub(super) by: Option<Range<usize>>,
}

/// How far back and forth a phrase of the same sentence is looked for, in bytes.
const NEAR: usize = 400;

impl Triggers {
    pub(super) fn new(context: &Context) -> Self {
        let mut phrases = Vec::new();
        let kinds = [
            (&context.negated, Assertion::Negated),
            (&context.uncertain, Assertion::Uncertain),
            (&context.historical, Assertion::Historical),
            (&context.hypothetical, Assertion::Hypothetical),
            (&context.of_another, Assertion::OfAnother),
        ];
        for (triggers, assertion) in kinds {
            let lists = [
                (&triggers.before, Role::Before(assertion)),
                (&triggers.after, Role::After(assertion)),
                (&triggers.just_before, Role::JustBefore(assertion)),
                (&triggers.just_after, Role::JustAfter(assertion)),
            ];
            for (list, role) in lists {
                phrases.extend(list.iter().map(|phrase| (Phrase::new(phrase), role)));
            }
        }
        phrases.extend(context.ignored.iter().map(|phrase| (Phrase::new(phrase), Role::Ignored)));
        phrases.extend(context.terminators.iter().map(|phrase| (Phrase::new(phrase), Role::Terminator)));
        // The longer of two phrases says more: `no increase` before `no`.
        phrases.sort_by_cached_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        let mut heading_phrases: Vec<(Phrase, usize)> = (0..)
            .zip(&context.sections)
            .flat_map(|(number, section)| section.headings.iter().map(move |heading| (heading, number)))
            .map(|(heading, number)| (Phrase::new(heading), number))
            .collect();
        heading_phrases.sort_by_cached_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        let sections = context.sections.iter().map(|section| SectionKind {
            says: section.says.unwrap_or_default(),
            finality: u8::try_from(section.finality).unwrap_or(SectionKind::PLAIN.finality),
        });
        Triggers {
            phrases,
            reach: usize::try_from(context.reach).unwrap_or(usize::MAX),
            sections: sections.collect(),
            heading_phrases,
            fields: fields_about(context),
            ..Self::default()
        }
    }

    /// What a field of this name may hold that is not a fact of the document's subject now.
    pub(super) fn accepted(&self, words: &str) -> &[Assertion] {
        let about = self.fields.iter().find(|(word, _)| words.split(' ').any(|one| one == word));
        about.map_or(&[], |(_, accepted)| accepted)
    }

    /// Every phrase in a text, in order.
    pub(super) fn find(&self, text: &str) -> Vec<TriggerHit> {
        let hit = |found: Found| {
            let (_, role) = self.phrases.get(found.phrase)?;
            Some(TriggerHit { bytes: found.bytes, role: *role })
        };
        prepared(&self.search, &self.phrases).find_iter(text).filter_map(hit).collect()
    }

    /// The headings in a text that open a listed part, in order.
    pub(super) fn headings(&self, text: &str) -> Vec<(usize, SectionKind)> {
        let heading = |found: Found| {
            let (_, number) = self.heading_phrases.get(found.phrase)?;
            let kind = *self.sections.get(*number)?;
            is_heading(text, &found.bytes).then_some((found.bytes.start, kind))
        };
        prepared(&self.headings, &self.heading_phrases).find_iter(text).filter_map(heading).collect()
    }

    /// How the text asserts what stands at `bytes`.
    ///
    /// A phrase reaches as many words as the context says, within its sentence, up to a terminator. A phrase before a colon
    /// reaches beyond it only if it ends there. What is within `bytes` is the value's own and says nothing about it.
    pub(super) fn assertion(
        &self,
        bytes: &Range<usize>,
        source: &SourceIndex,
        passages: &Passages,
    ) -> Asserted {
        let hits = passages.triggers(self, source.text());
        let sentence = passages.sentence(bytes, source);
        let from = hits
            .partition_point(|hit| hit.bytes.start < sentence.start.max(bytes.start.saturating_sub(NEAR)));
        let mut strongest: Option<Asserted> = None;
        let near = hits.get(from..).unwrap_or_default();
        for hit in near.iter().take_while(|hit| hit.bytes.end <= sentence.end.min(bytes.end + NEAR)) {
            let (how, between) = match hit.role {
                // A phrase that ends within the value begins outside of it: `no evidence of` before `evidence of embolism`.
                Role::Before(how) if hit.bytes.start < bytes.start => {
                    (how, hit.bytes.end.min(bytes.start)..bytes.start)
                }
                Role::After(how) if hit.bytes.end > bytes.end => {
                    (how, bytes.end..hit.bytes.start.max(bytes.end))
                }
                Role::JustBefore(how) if hit.bytes.end <= bytes.start => (how, hit.bytes.end..bytes.start),
                Role::JustAfter(how) if hit.bytes.start >= bytes.end => (how, bytes.end..hit.bytes.start),
                _ => continue,
            };
            if matches!(hit.role, Role::JustBefore(_) | Role::JustAfter(_))
                && !source.text().get(between.clone()).is_some_and(|gap| gap.chars().all(joins))
            {
                continue;
            }
            let ended = near.iter().any(|other| {
                other.role == Role::Terminator
                    && between.start <= other.bytes.start
                    && other.bytes.end <= between.end
            });
            if ended
                || !self.reaches(
                    source.text().get(between).unwrap_or_default(),
                    matches!(hit.role, Role::Before(_)),
                )
            {
                continue;
            }
            if strongest.as_ref().is_none_or(|known| strength(how) > strength(known.how)) {
                strongest = Some(Asserted { how, by: Some(hit.bytes.clone()) });
            }
        }
        strongest.unwrap_or_else(|| Asserted { how: passages.section(bytes.start).says, by: None })
    }

    /// Whether a phrase reaches over this text.
    pub(super) fn reaches(&self, between: &str, forward: bool) -> bool {
        let words = between.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
        let colon = between.find(':');
        if !forward && ends_a_statement(between) {
            return false;
        }
        let stops = match colon {
            // `Ruled out: pneumonia`, but not `No prior films. Chest: pneumonia`.
            Some(at) if forward => {
                between.get(..at).is_some_and(|before| before.chars().any(char::is_alphanumeric))
            }
            _ => false,
        };
        words <= self.reach && !stops && !between.contains(';')
    }
}

/// Whether a character joins a phrase to what it stands beside.
fn joins(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '-' | '\u{2010}' | '\u{2011}')
}

/// Whether a statement of its own ends within a text: `LVI is present, PNI is …`, but not `LVI, PNI and necrosis are …`.
fn ends_a_statement(between: &str) -> bool {
    let Some(comma) = between.find(',') else { return false };
    let first = between.get(..comma).unwrap_or_default();
    let says = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        STATES.iter().any(|state| word.eq_ignore_ascii_case(state))
    };
    first.contains(':') || first.split_whitespace().any(says)
}

/// Words that a statement has.
const STATES: [&str; 12] = [
    "is",
    "are",
    "was",
    "were",
    "present",
    "absent",
    "seen",
    "identified",
    "positive",
    "negative",
    "shows",
    "has",
];

/// Words in names of fields, with what such fields hold.
fn fields_about(context: &Context) -> Vec<(String, Vec<Assertion>)> {
    let mut fields: Vec<(String, Vec<Assertion>)> = Vec::new();
    for (how, words) in [
        (Assertion::Negated, &context.fields.negated),
        (Assertion::Uncertain, &context.fields.uncertain),
        (Assertion::Historical, &context.fields.historical),
        (Assertion::Hypothetical, &context.fields.hypothetical),
        (Assertion::OfAnother, &context.fields.of_another),
    ] {
        for word in words {
            match fields.iter_mut().find(|(known, _)| known == word) {
                Some((_, accepted)) => accepted.push(how),
                None => fields.push((word.clone(), vec![how])),
            }
        }
    }
    fields
}

/// Which of several assertions holds.
fn strength(how: Assertion) -> u8 {
    match how {
        Assertion::Affirmed => 0,
        Assertion::Uncertain => 1,
        Assertion::Historical => 2,
        Assertion::Hypothetical => 3,
        Assertion::Negated => 4,
        Assertion::OfAnother => 5,
    }
}

/// Whether a phrase is a heading: at the start of a line, followed by a colon or alone; or, where a text has lost its line
/// breaks, after a full stop and followed by a colon.
fn is_heading(text: &str, found: &Range<usize>) -> bool {
    let before = text.get(..found.start).unwrap_or_default().trim_end_matches([' ', '\t', '#', '*', '_']);
    let begins_line = before.is_empty() || before.ends_with('\n') || is_numbered(before);
    let begins = begins_line || before.ends_with(['.', ',', ';', ')']);
    let after = text.get(found.end..).unwrap_or_default().trim_start_matches([' ', '\t', '*', '_']);
    // `Final diagnosis (amended):`
    let after = match after.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((inside, rest)) if inside.len() <= BRACKET && !inside.contains('\n') => {
            rest.trim_start_matches([' ', '\t'])
        }
        _ => after,
    };
    if after.starts_with(':') {
        return begins;
    }
    begins_line && (after.is_empty() || after.starts_with(['\n', '\r', '-']))
}

/// Whether only the number of a list stands before a place in its line: `2. `.
fn is_numbered(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.len() <= NUMBER
        && !line.is_empty()
        && line.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ')' | '(' | '-'))
}

/// Longest text in brackets after a heading, and longest number before one, in bytes.
const BRACKET: usize = 40;
const NUMBER: usize = 6;

fn prepared<'c, T>(cell: &'c OnceLock<PhraseSearch>, phrases: &[(Phrase, T)]) -> &'c PhraseSearch {
    cell.get_or_init(|| PhraseSearch::new(phrases.iter().map(|(phrase, _)| phrase)))
}
