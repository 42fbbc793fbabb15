//! Sections: the parts of a document under its headings, each with the assertion of its text and its finality.

use super::lexicon::PhraseSearch;
use crate::rules::{Assertion, Context, FieldWords, Phrase};
use std::ops::Range;
use std::sync::OnceLock;

/// The headings of a context, compiled, and the words in names of fields by the content of such fields.
#[derive(Debug, Default)]
pub(super) struct SectionRules {
    kinds: Vec<SectionKind>,
    /// Headings, with the kind of section that each opens.
    headings: Vec<(Phrase, usize)>,
    search: OnceLock<PhraseSearch>,
    fields: Vec<(String, Vec<Assertion>)>,
}

/// A kind of section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SectionKind {
    pub(super) says: Assertion,
    pub(super) finality: u8,
}

impl SectionKind {
    /// A section without a heading that is listed.
    pub(super) const PLAIN: SectionKind = SectionKind { says: Assertion::Affirmed, finality: 5 };
    /// Another text that the document quotes is not part of its report.
    const QUOTED: SectionKind = SectionKind { says: Assertion::Hypothetical, finality: 0 };
}

impl SectionRules {
    pub(super) fn new(context: &Context) -> Self {
        let mut headings: Vec<(Phrase, usize)> = (0..)
            .zip(&context.sections)
            .flat_map(|(number, section)| section.headings.iter().map(move |heading| (heading, number)))
            .map(|(heading, number)| (Phrase::new(heading), number))
            .collect();
        // The longer of two headings says more.
        headings.sort_by_cached_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        let kinds = context.sections.iter().map(|section| SectionKind {
            says: section.says.unwrap_or_default(),
            finality: u8::try_from(section.finality).unwrap_or(SectionKind::PLAIN.finality),
        });
        SectionRules {
            kinds: kinds.collect(),
            headings,
            search: OnceLock::new(),
            fields: fields_about(&context.fields),
        }
    }

    /// The ways in which a field may hold its values besides as a fact of the document's subject now, by the words of its name.
    pub(super) fn accepted(&self, words: &str) -> Vec<Assertion> {
        let about = self.fields.iter().filter(|(word, _)| words.split(' ').any(|one| one == word));
        about.flat_map(|(_, accepted)| accepted).copied().collect()
    }

    /// The headings in a text that open a listed section, in order.
    fn headings(&self, text: &str) -> Vec<(usize, SectionKind)> {
        let search =
            self.search.get_or_init(|| PhraseSearch::new(self.headings.iter().map(|(phrase, _)| phrase)));
        let found = search.find_iter(text).filter_map(|found| {
            let (_, number) = self.headings.get(found.phrase)?;
            let kind = *self.kinds.get(*number)?;
            is_heading(text, &found.bytes).then_some((found.bytes.start, kind))
        });
        found.collect()
    }
}

/// The sections of one document.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// The byte at which each begins, and its kind.
    starts: Vec<(usize, SectionKind)>,
    length: usize,
}

/// The least finality of a conclusion.
const FINAL: u8 = 8;

/// The finality of a part that was added when the others were finished.
const ADDED: u8 = 9;

/// The greatest finality of a preliminary part.
const PRELIMINARY: u8 = 2;

impl Sections {
    pub(super) fn find(text: &str, rules: &SectionRules) -> Self {
        Sections { starts: sections(text, &rules.headings(text)), length: text.len() }
    }

    /// Each section with its kind.
    pub(super) fn all(&self) -> impl Iterator<Item = (Range<usize>, SectionKind)> + '_ {
        let ends = self.starts.iter().skip(1).map(|(start, _)| *start).chain([self.length]);
        self.starts.iter().zip(ends).map(|((start, kind), end)| (*start..end, *kind))
    }

    /// The parts that say nothing about the document's subject now, and how they are asserted: history, quotations, and
    /// the preliminary ones of a document that has conclusions.
    pub(super) fn apart(&self) -> Vec<(Range<usize>, Assertion)> {
        let has_conclusions = self.starts.iter().any(|(_, kind)| kind.finality >= FINAL);
        let apart = |(section, kind): (Range<usize>, SectionKind)| {
            let how = match kind.says {
                Assertion::Affirmed if has_conclusions && kind.finality <= PRELIMINARY => {
                    Assertion::Historical
                }
                how => how,
            };
            (how != Assertion::Affirmed).then_some((section, how))
        };
        self.all().filter_map(apart).collect()
    }

    /// The parts that describe, and conclude nothing.
    pub(super) fn describing(&self) -> Vec<Range<usize>> {
        self.of(|finality| finality < SectionKind::PLAIN.finality)
    }

    /// The parts that were added when the others were finished.
    pub(super) fn added(&self) -> Vec<Range<usize>> {
        self.of(|finality| finality >= ADDED)
    }

    fn of(&self, is_one: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
        self.all().filter(|(_, kind)| is_one(kind.finality)).map(|(section, _)| section).collect()
    }

    /// The section that holds a byte, and where it begins.
    pub(super) fn at(&self, byte: usize) -> (usize, SectionKind) {
        let upto = self.starts.partition_point(|(start, _)| *start <= byte);
        let section = upto.checked_sub(1).and_then(|last| self.starts.get(last));
        section.copied().unwrap_or((0, SectionKind::PLAIN))
    }

    /// The heading of the section that holds a byte, as far as one can be shown.
    pub(super) fn heading<'t>(&self, byte: usize, text: &'t str) -> Option<&'t str> {
        let upto = self.starts.partition_point(|(start, _)| *start <= byte);
        let (start, _) = upto.checked_sub(1).and_then(|last| self.starts.get(last))?;
        let line = text.get(*start..)?.lines().find(|line| !line.trim().is_empty())?;
        let heading = line.split_once(':').map_or(line, |(heading, _)| heading).trim();
        (heading.len() <= HEADING).then_some(heading)
    }
}

/// Longest heading that is not a listed one, in bytes.
const HEADING: usize = 60;

/// The byte at which each part of the document begins, and its kind. A heading that is not listed ends a part that
/// is history or an indication; within a part that is final it is a label.
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
            // Quoted lines that follow one another are one section.
            let goes_on =
                matches!(sections.as_slice(), [.., (_, SectionKind::QUOTED), (at, _)] if *at == start);
            if goes_on {
                sections.pop();
            } else {
                sections.push((start, SectionKind::QUOTED));
            }
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
            while labels.next_if(|label| *label <= at).is_some() {}
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

/// Returns true if a line is of another text that the document quotes: a mail, or an answer of a program.
fn is_quoted(line: &str) -> bool {
    let line = line.trim_start();
    let mail = line.strip_prefix('>').map(|rest| rest.trim_start_matches(['>', ' ']));
    mail.is_some_and(|rest| rest.starts_with(char::is_alphabetic)) || line.starts_with("{\"")
}

/// The bytes at which words in capitals before a colon begin: `DESCRIPTION OF PROCEDURE:`.
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

/// Returns true if a line begins with what looks like a heading or a label.
fn opens_part(line: &str) -> bool {
    let trimmed = line.trim();
    let Some(colon) = trimmed.find(':').filter(|at| *at <= HEADING && *at > 1) else { return is_title(line) };
    let label = trimmed.get(..colon).unwrap_or_default();
    label.starts_with(char::is_uppercase) && label.split_whitespace().count() <= 6
}

/// Returns true if a whole line is a heading in capitals.
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

/// The words in names of fields, each with the ways in which such fields may hold their values.
fn fields_about(words: &FieldWords) -> Vec<(String, Vec<Assertion>)> {
    let mut fields: Vec<(String, Vec<Assertion>)> = Vec::new();
    for (how, listed) in [
        (Assertion::Negated, &words.negated),
        (Assertion::Uncertain, &words.uncertain),
        (Assertion::Historical, &words.historical),
        (Assertion::Hypothetical, &words.hypothetical),
        (Assertion::OfAnother, &words.of_another),
    ] {
        for word in listed {
            match fields.iter_mut().find(|(known, _)| known == word) {
                Some((_, accepted)) => accepted.push(how),
                None => fields.push((word.clone(), vec![how])),
            }
        }
    }
    fields
}

/// Returns true if a phrase is a heading: at the start of a line, followed by a colon or alone; or, where a text
/// has lost its line breaks, after a full stop and followed by a colon.
fn is_heading(text: &str, found: &Range<usize>) -> bool {
    let before = text.get(..found.start).unwrap_or_default().trim_end_matches([' ', '\t', '#', '*', '_']);
    let begins_line = before.is_empty() || before.ends_with('\n') || is_numbered(before);
    let begins = begins_line || before.ends_with(['.', ',', ';', ')']);
    let after = text.get(found.end..).unwrap_or_default().trim_start_matches([' ', '\t', '*', '_']);
    // `Final diagnosis (amended):`
    let near = |rest: &str| rest.bytes().take(BRACKET + 1).position(|byte| byte == b')');
    let bracket = after.strip_prefix('(').and_then(|rest| rest.split_at_checked(near(rest)?));
    let after = match bracket.map(|(inside, rest)| (inside, rest.get(1..).unwrap_or_default())) {
        Some((inside, rest)) if !inside.contains('\n') => rest.trim_start_matches([' ', '\t']),
        _ => after,
    };
    if after.starts_with(':') {
        return begins;
    }
    begins_line && (after.is_empty() || after.starts_with(['\n', '\r', '-']))
}

/// Returns true if only the number of a list precedes a position in its line: `2. `.
fn is_numbered(before: &str) -> bool {
    let from = before.len().saturating_sub(NUMBER + 1);
    let near = before.get((from..before.len()).find(|at| before.is_char_boundary(*at)).unwrap_or(from)..);
    let line = near.unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.len() <= NUMBER
        && !line.is_empty()
        && line.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ')' | '(' | '-'))
}

/// Longest text in brackets after a heading, and longest number before one, in bytes.
const BRACKET: usize = 40;
const NUMBER: usize = 6;
