//! Mentions: the positions at which a text states a value of a field in words of the field's vocabulary, each as its
//! clause reads.

use super::issue::SourceSpan;
use super::lexicon::{PhraseHit, Reader, ValueId};
use super::source::{Names, Source};
use crate::rules::{Assertion, EvidenceRules};
use loopctl_ground::{Claim, Doubt, Wording, named_places, read_wording, sentence_around};
use serde_json::Value;
use std::ops::Range;
use std::sync::Arc;

/// A position at which a text states a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldMention {
    /// The canonical value, by the field's vocabulary.
    pub value: String,
    /// The way in which it is asserted.
    pub context: Assertion,
    /// The finality of the part of the text that it is in, from 0 to 9.
    pub finality: u8,
    /// The line, from 1.
    pub line: usize,
    /// Its position, in characters.
    pub span: SourceSpan,
}

/// The mentions of a field at the top of candidates, in the order of the text. `None` where no vocabulary reads the field.
#[must_use]
pub fn read_mentions(rules: &EvidenceRules, field: &str, text: &str) -> Option<Vec<FieldMention>> {
    MentionReader::new(rules, text).of(field)
}

/// A text in which mentions of several fields are read: it is read once.
#[derive(Debug)]
pub struct MentionReader {
    source: Source,
}

impl MentionReader {
    /// Reads a text by these rules.
    pub fn new(rules: &EvidenceRules, text: &str) -> Self {
        MentionReader { source: Source::new(text, &Arc::new(Names::new(rules))) }
    }

    /// The mentions of a field, in the order of the text. `None` where no vocabulary reads the field.
    pub fn of(&self, field: &str) -> Option<Vec<FieldMention>> {
        self.source.mentions(field, None)
    }
}

/// Most mentions of one field.
const MOST: usize = 64;

impl Source {
    /// The mentions of a field in the whole text, or within some stretches of it.
    pub(super) fn mentions(&self, field: &str, within: Option<&[Range<usize>]>) -> Option<Vec<FieldMention>> {
        let known = self.known_field(field).and_then(|field| field.vocabulary);
        Some(self.mentions_by(field, known.or_else(|| self.vocabulary_of(field))?, within))
    }

    /// The mentions of a field by a vocabulary of this number.
    pub(super) fn mentions_by(
        &self,
        field: &str,
        vocabulary: usize,
        within: Option<&[Range<usize>]>,
    ) -> Vec<FieldMention> {
        let lexicon = &self.names().lexicon;
        let Some(reader) = lexicon.reader(vocabulary) else { return Vec::new() };
        let synonyms = self.known_field(field).map_or(&[][..], |field| &field.synonyms);
        let claim = Claim { key: field, synonyms, item: None, value: &Value::Null };
        let hits = self.phrases(vocabulary);
        let places: Vec<Range<usize>> = hits.iter().map(|hit| hit.bytes.clone()).collect();
        let is_within = |bytes: &Range<usize>| within.is_none_or(|parts| holding(parts, bytes).is_some());
        let mut mentions: Vec<(Range<usize>, ValueId, Assertion)> = Vec::new();
        for hit in hits.iter().filter(|hit| is_within(&hit.bytes)) {
            let written = Value::from(self.text().get(hit.bytes.clone()).unwrap_or_default());
            let wording =
                read_wording(self.structure(), &Claim { value: &written, ..claim }, &hit.bytes, &places);
            let Some(wording) = wording.filter(|wording| reader.counts_anywhere() || wording.is_of_field())
            else {
                continue;
            };
            if let Some((value, how)) = self.stated(reader, hit, wording, within) {
                mentions.push((hit.bytes.clone(), value, how));
            }
        }
        if let Some(named) = reader.named().filter(|_| !reader.counts_anywhere()) {
            let places = named_places(self.structure(), &claim);
            let places = places.iter().filter(|place| is_within(place));
            let by_name = self.named(places, &mentions, &claim, named, within);
            mentions.extend(by_name);
        }
        mentions.sort_by_key(|(bytes, _, _)| bytes.start);
        mentions.truncate(MOST);
        let told = mentions.into_iter().map(|(bytes, value, context)| FieldMention {
            value: reader.value(value).to_owned(),
            context,
            finality: self.sections().at(bytes.start).1.finality,
            line: self.line(bytes.start),
            span: self.span(&bytes),
        });
        told.collect()
    }

    /// The value that a wording states, and how: the opposite for a denied one, if there is one; none for one that is
    /// no statement.
    fn stated(
        &self,
        reader: &Reader,
        hit: &PhraseHit,
        wording: Wording,
        within: Option<&[Range<usize>]>,
    ) -> Option<(ValueId, Assertion)> {
        let how = match wording.doubt {
            Some(doubt) => asserted(doubt)?,
            None => self.asserted_by_section(&hit.bytes, within),
        };
        Some(match (how, reader.opposite(hit.value)) {
            (Assertion::Negated, Some(opposite)) => (opposite, Assertion::Affirmed),
            _ => (hit.value, how),
        })
    }

    /// The mentions by the name of a finding alone, in sentences that have no other: present, or not, as the name is
    /// denied.
    fn named<'p>(
        &self,
        places: impl Iterator<Item = &'p Range<usize>>,
        known: &[(Range<usize>, ValueId, Assertion)],
        claim: &Claim<'_>,
        (there, absent): (ValueId, ValueId),
        within: Option<&[Range<usize>]>,
    ) -> Vec<(Range<usize>, ValueId, Assertion)> {
        let mut found: Vec<(Range<usize>, ValueId, Assertion)> = Vec::new();
        for place in places {
            let sentence = sentence_around(self.structure(), place);
            let is_here = |(bytes, _, _): &(Range<usize>, ValueId, Assertion)| {
                sentence.start <= bytes.start && bytes.end <= sentence.end
            };
            if known.iter().chain(&found).any(is_here) {
                continue;
            }
            let Some(wording) = read_wording(self.structure(), claim, place, &[]) else {
                continue;
            };
            match wording.doubt.map_or_else(|| Some(self.asserted_by_section(place, within)), asserted) {
                Some(Assertion::Negated) => found.push((place.clone(), absent, Assertion::Affirmed)),
                Some(how) => found.push((place.clone(), there, how)),
                None => {}
            }
        }
        found
    }

    /// The way in which the section of some bytes asserts them; a heading before the stretch of a part says nothing
    /// about the part.
    fn asserted_by_section(&self, bytes: &Range<usize>, within: Option<&[Range<usize>]>) -> Assertion {
        let (start, kind) = self.sections().at(bytes.start);
        let stretch = within.and_then(|parts| holding(parts, bytes));
        if stretch.is_some_and(|stretch| start < stretch.start) { Assertion::Affirmed } else { kind.says }
    }
}

/// The stretch that holds some bytes.
fn holding<'p>(parts: &'p [Range<usize>], bytes: &Range<usize>) -> Option<&'p Range<usize>> {
    parts.iter().find(|part| part.start <= bytes.start && bytes.end <= part.end)
}

/// The way in which a text asserts the subject of a doubt; `None` if it does not state it.
pub(super) fn asserted(doubt: Doubt) -> Option<Assertion> {
    match doubt {
        Doubt::Denied => Some(Assertion::Negated),
        Doubt::Uncertain => Some(Assertion::Uncertain),
        Doubt::AnotherTime => Some(Assertion::Historical),
        Doubt::Conditional => Some(Assertion::Hypothetical),
        Doubt::AnotherPerson => Some(Assertion::OfAnother),
        Doubt::NoWords
        | Doubt::NotTicked
        | Doubt::Alternative
        | Doubt::NotDenied
        | Doubt::DeniedTwice
        | Doubt::DeniesAnother
        | Doubt::NotAffirmed
        | Doubt::Limit
        | Doubt::RangeEnd
        | Doubt::OtherDigits
        | Doubt::OtherCode
        | Doubt::PartOfWord
        | Doubt::OtherCentury
        | Doubt::NotNearest
        | Doubt::OtherUnit
        | Doubt::LabelElsewhere
        | Doubt::Numbering
        | Doubt::ClaimedByAnother
        | Doubt::OtherRole => None,
    }
}
