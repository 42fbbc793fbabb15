//! Judging one leaf: what decides its support, in order.

use super::super::Method;
use super::super::date::is_date;
use super::super::probe::{Evidence, Probe};
use super::super::token::Token;
use super::context::{Asserted, SectionKind};
use super::field::Field;
use super::lexicon::ValueId;
use super::literal::is_quantity;
use super::mentions::Mention;
use super::quoted::Quoted;
use super::reading::{Document, Said, Statement, VocabularyValue};
use super::support::{Finding, Support, Verdict};
use crate::rules::Assertion;
use std::ops::Range;

/// Judges one leaf.
#[derive(Debug)]
pub(in super::super) struct Judge<'a> {
    pub(in super::super) document: Document<'a>,
    pub(in super::super) field: Field<'a>,
    /// Whether the leaf is of one of several things of a kind, which differ among themselves.
    pub(in super::super) is_of_several: bool,
    /// Whether a vocabulary lists the field.
    pub(in super::super) is_listed: bool,
    /// Whether the leaf says something of the document as a whole: at its top, in a field that a vocabulary lists.
    pub(in super::super) is_of_all: bool,
    /// What the field may be that the value is no fact of: history in a field about history.
    pub(in super::super) accepts: &'a [Assertion],
    pub(in super::super) vocabulary: Option<usize>,
}

/// How final a part is that a later one replaces, and how much of a final part names it, in bytes.
const PRELIMINARY: u8 = 2;
const HEADING: usize = 20;
/// How final a part is that nothing is known of.
const PLAIN: u8 = SectionKind::PLAIN.finality;
/// How final a part is that was added when the others were finished.
const ADDED: u8 = 9;

/// What the search of the whole document has found for a value: an affirmed place, else one that is not affirmed.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Searched {
    pub(in super::super) affirmed: Option<(Range<usize>, Method)>,
    pub(in super::super) otherwise: Option<(Range<usize>, Assertion)>,
}

impl Judge<'_> {
    /// The support of a value that a vocabulary may read as `canonical`. `search` looks for the value's text in the whole
    /// document, where nothing nearer decides.
    pub(in super::super) fn judge(
        &self,
        probe: &Probe<'_>,
        canonical: Option<(ValueId, bool)>,
        quotes: &[String],
        tokens: &mut Vec<Token>,
        search: impl FnOnce() -> Searched,
    ) -> Verdict {
        let verdict = self.decide(probe, canonical, quotes, tokens, search);
        // Whose value a phrase of a vocabulary is, its reader has told by the names beside it.
        let is_read = self.asked(canonical, probe).is_some();
        let holds_value = |other: &Range<usize>| !is_read && self.document.holds_value(probe, other);
        if (verdict.support, verdict.finding) == (Support::Contradicted, Finding::SaysAnother)
            && verdict.other.as_ref().is_some_and(holds_value)
        {
            return Verdict { support: Support::Unsupported, finding: Finding::OwnerInDoubt, ..verdict };
        }
        let (support, finding, other) = if let Some(other) = self.opposite_within(&verdict, probe) {
            (Support::Conflicting, Finding::SaysBoth, other)
        } else if let Some(other) = self.said_right_after(&verdict, probe) {
            (Support::Unsupported, Finding::EndsBefore, other)
        } else {
            return verdict;
        };
        Verdict { support, finding, other: Some(other), ..verdict }
    }

    fn decide(
        &self,
        probe: &Probe<'_>,
        canonical: Option<(ValueId, bool)>,
        quotes: &[String],
        tokens: &mut Vec<Token>,
        search: impl FnOnce() -> Searched,
    ) -> Verdict {
        let asked = self.asked(canonical, probe);
        let quoted = match self.quotes(probe, asked, quotes, tokens) {
            Ok(quoted) => quoted,
            Err(verdict) => return verdict,
        };
        let mentions = match asked {
            Some(asked) => self.document.mentions(
                asked.vocabulary,
                asked.reader,
                &self.field.names,
                asked.by_name && self.field.label.is_none(),
            ),
            None => Vec::new(),
        };
        match quoted {
            Quoted::Says(statement, whole) => {
                let verdict = self.compared(Verdict::said(&statement, true), probe, asked, &mentions);
                match self.rival(probe, asked, &statement, &whole) {
                    Some(other) if verdict.support == Support::Verified => Verdict {
                        support: Support::Conflicting,
                        finding: Finding::SaysAnother,
                        other: Some(other),
                        ..verdict
                    },
                    _ => verdict,
                }
            }
            Quoted::Both(statement, other) => Verdict {
                support: Support::Conflicting,
                finding: Finding::SaysAnother,
                other: Some(other),
                ..Verdict::said(&statement, true)
            },
            Quoted::SaysAnother(other) => {
                let verdict = self.by_mentions(probe, asked, &mentions);
                match verdict
                    .filter(|verdict| matches!(verdict.support, Support::Verified | Support::Conflicting))
                {
                    Some(verdict) => Verdict {
                        support: Support::Conflicting,
                        finding: Finding::SaysAnother,
                        other: Some(other),
                        ..verdict
                    },
                    None => Verdict { by_quote: true, ..Verdict::contradicted(Finding::SaysAnother, other) },
                }
            }
            Quoted::OfAnother(bytes) => self.by_mentions(probe, asked, &mentions).unwrap_or(Verdict {
                bytes: Some(bytes),
                by_quote: true,
                ..Verdict::new(Support::Unsupported, Finding::QuoteOfAnother)
            }),
            Quoted::Undecided(bytes) => {
                self.unquoted(probe, asked, &mentions, search).unwrap_or_else(|| {
                    // A number, date or short word that the quote lacks is not said; of longer texts that can't be told.
                    let decided = asked.is_none()
                        && (is_quantity(probe) || is_date(probe) || probe.evidence() == Evidence::Strict);
                    let support = if decided { Support::Unsupported } else { Support::Undecided };
                    Verdict {
                        bytes: Some(bytes),
                        by_quote: true,
                        ..Verdict::new(support, Finding::QuoteUndecided)
                    }
                })
            }
            Quoted::Nothing | Quoted::Settled(_) => {
                self.unquoted(probe, asked, &mentions, search).unwrap_or_else(Verdict::not_found)
            }
        }
    }

    fn asked(&self, canonical: Option<(ValueId, bool)>, probe: &Probe<'_>) -> Option<VocabularyValue<'_>> {
        let vocabulary = self.vocabulary?;
        let reader = self.document.lexicon.reader(vocabulary)?;
        let (value, whole) = canonical?;
        // That a test or a margin is named does not say that it is positive.
        let by_name = self.is_listed || reader.is_of_presence(probe.text);
        Some(VocabularyValue { vocabulary, reader, value, whole, by_name })
    }

    /// Whether a value is doubtful itself, or the field is about what is.
    pub(super) fn says_doubt(&self, probe: &Probe<'_>) -> bool {
        let doubted = Asserted { how: Assertion::Uncertain, by: None };
        self.holds(&doubted) || self.document.doubts(probe, &doubted)
    }

    /// Whether an assertion counts for the field.
    pub(in super::super) fn accepts_or_affirmed(&self, how: Assertion) -> bool {
        how == Assertion::Affirmed || self.accepts.contains(&how)
    }

    /// The words of a text in one sentence of the document, in any order.
    pub(in super::super) fn worded(&self, probe: &Probe<'_>) -> Option<(Range<usize>, Assertion)> {
        self.document.worded_anywhere(probe).map(|statement| (statement.bytes, statement.asserted.how))
    }

    /// Whether what is so asserted counts for the field.
    pub(super) fn holds(&self, asserted: &Asserted) -> bool {
        self.accepts_or_affirmed(asserted.how)
    }

    /// Where there is no quote, or none that could be read.
    fn unquoted(
        &self,
        probe: &Probe<'_>,
        asked: Option<VocabularyValue<'_>>,
        mentions: &[Mention],
        search: impl FnOnce() -> Searched,
    ) -> Option<Verdict> {
        let by_mentions = self.by_mentions(probe, asked, mentions);
        if by_mentions.is_some() {
            return by_mentions;
        }
        if let Some(verdict) = self.by_passages(probe, asked) {
            return Some(verdict);
        }
        let searched = search();
        if let Some((bytes, method)) = searched.affirmed {
            let other = is_date(probe).then(|| self.other_date(probe, &bytes)).flatten();
            let verdict = Verdict::found(bytes, method);
            return Some(match other {
                Some(_) => {
                    Verdict { support: Support::Conflicting, finding: Finding::SaysAnother, other, ..verdict }
                }
                None => verdict,
            });
        }
        let (bytes, how) = searched.otherwise?;
        let support = if how == Assertion::Uncertain { Support::Unsupported } else { Support::Contradicted };
        Some(Verdict { support, ..Verdict::contradicted(Finding::Asserted(how), bytes) })
    }

    /// What the sentences say that speak of the field. Only what says the value counts: another value in a sentence that shares a
    /// word with the field's name may be another field's.
    fn by_passages(&self, probe: &Probe<'_>, asked: Option<VocabularyValue<'_>>) -> Option<Verdict> {
        let short = asked.is_some() || is_quantity(probe) || probe.evidence() != Evidence::Free;
        if !short {
            return None;
        }
        let mut passages = Vec::new();
        self.document.passages_of(&self.field, &mut passages);
        let best = passages.first().map_or(0, |(weight, _)| *weight);
        let mut doubted = None;
        for (weight, place) in &passages {
            // Half the words of the best say too little.
            if weight * 2 < best {
                break;
            }
            let said = self.said(probe, asked, place);
            match said {
                Said::This(statement) if self.is_of_another_kind(probe, &statement.bytes).is_some() => {}
                Said::This(statement) if self.holds(&statement.asserted) => {
                    return Some(Verdict::said(&statement, false));
                }
                Said::Both(statement, other) => {
                    return Some(Verdict {
                        support: Support::Conflicting,
                        finding: Finding::SaysAnother,
                        other: Some(other),
                        ..Verdict::said(&statement, false)
                    });
                }
                Said::This(statement) => {
                    let how = statement.asserted.how;
                    let support = if how == Assertion::Uncertain {
                        Support::Unsupported
                    } else {
                        Support::Contradicted
                    };
                    let verdict =
                        Verdict { support, ..Verdict::contradicted(Finding::Asserted(how), statement.bytes) };
                    doubted.get_or_insert(verdict);
                }
                Said::Another(_) | Said::OfAnother(_) | Said::Nothing => {}
            }
        }
        doubted
    }

    pub(super) fn is_of_another_kind(&self, probe: &Probe<'_>, bytes: &Range<usize>) -> Option<Range<usize>> {
        self.document.is_of_another_kind(bytes, bytes, &self.field, probe)
    }

    /// Another passage that holds more of the words of the field's name than the one that says the value, and says another value.
    fn rival(
        &self,
        probe: &Probe<'_>,
        asked: Option<VocabularyValue<'_>>,
        said: &Statement,
        whole: &Range<usize>,
    ) -> Option<Range<usize>> {
        if let Some(replaced) = self.replaced(probe, asked, &said.bytes) {
            return Some(replaced);
        }
        let compares = asked.is_some_and(|asked| !asked.reader.counts_anywhere() || self.has_subject())
            || is_quantity(probe)
            || is_date(probe);
        if !compares {
            return None;
        }
        if is_date(probe) {
            return self.other_date(probe, &said.bytes);
        }
        let mut passages = Vec::new();
        self.document.passages_of(&self.field, &mut passages);
        let beside = |asked| self.beside_subject(probe, asked, &said.bytes, whole, &passages);
        if let Some(other) = asked.and_then(beside) {
            return Some(other);
        }
        let quoted = self.document.words_within(whole, &self.field);
        let own = self.document.words_near(&said.bytes, &self.field).max(quoted);
        for (_, place) in &passages {
            if let Said::Another(other) = self.said(probe, asked, place)
                && self.holds(&other.asserted)
                && self.is_of_another_kind(probe, &other.bytes).is_none()
            {
                let near = self.document.words_near(&other.bytes, &self.field);
                let named = near > own && near >= 2 && near >= self.field.len();
                let labelled = near > own && self.document.is_labelled(&other.bytes, &self.field);
                let counted = is_quantity(probe)
                    && (
                        // `CO2 of 57`, where the other number stands in a sentence that does not speak of it.
                        own == 0 && near * 2 >= self.field.len() && self.document.is_right_after_word(&other.bytes, &self.field)
                    // `ALT was 109, AST was 70`, quoted without the test that the row is about.
                    || self.field.label.is_some()
                        && quoted == 0
                        && self.document.is_right_after_word(&other.bytes, &self.field)
                        && !self.document.is_right_after_word(&said.bytes, &self.field)
                    // The final part says otherwise.
                    || near >= own.max(1) && self.document.finality(&other.bytes) > self.document.finality(&said.bytes)
                        && self.document.is_after_label(&other.bytes, &self.field)
                    // `CKMB=5.4` beside `the CKMB fraction was 0.8`.
                    || near >= own.max(1) && self.document.is_labelled(&other.bytes, &self.field)
                        && !self.document.is_labelled(&said.bytes, &self.field)
                        && !self.document.is_after_label(&said.bytes, &self.field)
                    || self.document.qualities_near(&other.bytes, &self.field) > self.document.qualities_near(whole, &self.field)
                        && near >= own.max(1) && near * 2 >= self.field.len()
                    );
                let of_subject =
                    own == 0 && near > 0 && asked.is_some_and(|asked| asked.reader.counts_anywhere());
                if named || labelled || counted || of_subject {
                    return Some(other.bytes);
                }
            }
        }
        None
    }

    /// What stands under a preliminary heading, and nowhere in the parts that are final: the final part that replaces it.
    fn replaced(
        &self,
        probe: &Probe<'_>,
        asked: Option<VocabularyValue<'_>>,
        said: &Range<usize>,
    ) -> Option<Range<usize>> {
        let compares = asked.is_none() && !is_quantity(probe) && !is_date(probe) && !self.is_of_several;
        if !compares || self.document.finality(said) != PRELIMINARY {
            return None;
        }
        // A final part that does not speak of the field replaces nothing.
        let speaks = |part: &Range<usize>| {
            self.field.names.holds_own(&self.document.tokens(part))
                || self.document.words_within(part, &self.field) > 0
        };
        let mut finals = self.document.passages.finals().filter(speaks).peekable();
        let first = finals.peek()?.clone();
        let says = |part: Range<usize>| {
            let place = self.document.tokens(&part);
            matches!(self.document.literal(probe, &place, &self.field), Said::This(statement) if self.holds(&statement.asserted))
        };
        (!finals.any(says)).then(|| first.start..first.end.min(first.start + HEADING))
    }

    /// Whether the field's name says of what its value is, not only what kind of value it is: `arachnoidCystSide`.
    fn has_subject(&self) -> bool {
        self.field.words().any(|word| self.document.lexicon.of_field(word).is_none())
    }

    /// Another date that stands right after the field's name or what happened on it, where the one that was found does not.
    fn other_date(&self, probe: &Probe<'_>, said: &Range<usize>) -> Option<Range<usize>> {
        let is_same = |bytes: &Range<usize>| self.document.is_date_of(probe, bytes);
        self.document
            .labelled_date(&self.field, said, is_same)
            .or_else(|| self.document.date_of_occasion(&self.field, said, is_same))
            .or_else(|| self.document.date_of_subject(&self.field, said, is_same))
    }

    /// What the mentions of the field say of the value; none where there are no mentions.
    fn by_mentions(
        &self,
        probe: &Probe<'_>,
        asked: Option<VocabularyValue<'_>>,
        mentions: &[Mention],
    ) -> Option<Verdict> {
        let asked = asked?;
        let of_kind = |mention: &&Mention| self.is_of_another_kind(probe, &mention.bytes).is_none();
        // Of `positive (90%)` a mention has read one word; the numbers must stand in its sentence, too.
        let numbered = |mention: &&Mention| {
            asked.whole || {
                let sentence = self.document.passages.sentence(&mention.bytes, self.document.source);
                self.document.has_numbers_of(probe, &self.document.tokens(&sentence))
            }
        };
        let own =
            mentions.iter().filter(|mention| mention.value == asked.value).filter(of_kind).filter(numbered);
        if let Some(mention) = own.clone().find(|mention| self.holds(&mention.asserted)) {
            let statement = Statement {
                bytes: mention.bytes.clone(),
                method: Method::Normalized,
                asserted: mention.asserted.clone(),
            };
            return Some(self.compared(Verdict::said(&statement, false), probe, Some(asked), mentions));
        }
        let other = mentions.iter().find(|mention| {
            mention.value != asked.value && self.holds(&mention.asserted) && of_kind(mention)
        });
        if let Some(mention) = other {
            return Some(Verdict::contradicted(Finding::SaysAnother, mention.bytes.clone()));
        }
        let mention = own.clone().next()?;
        let how = mention.asserted.how;
        let support = if how == Assertion::Uncertain { Support::Unsupported } else { Support::Contradicted };
        let other = mention.bytes.clone();
        Some(Verdict { support, ..Verdict::contradicted(Finding::Asserted(how), other) })
    }

    /// The verdict on a value that a passage says, given what the other mentions say: those of the most final parts hold, and of
    /// several values there the one that the vocabulary prefers.
    fn compared(
        &self,
        verdict: Verdict,
        probe: &Probe<'_>,
        asked: Option<VocabularyValue<'_>>,
        mentions: &[Mention],
    ) -> Verdict {
        let Some(asked) = asked else { return verdict };
        let Some(said) = verdict.bytes.clone() else { return verdict };
        if verdict.by_quote && (self.is_of_several || asked.reader.counts_anywhere() && !self.is_of_all) {
            return verdict;
        }
        let own = self.document.words_near(&said, &self.field);
        let here = self.document.passages.section(said.start).finality;
        let final_most = mentions
            .iter()
            .filter(|mention| self.holds(&mention.asserted))
            .map(|mention| mention.finality)
            .chain([here])
            .max()
            .unwrap_or(here);
        // The opposite is not passed over because a more final part says so; what a careful reader reports of several not even
        // because something was added later.
        let opposite = asked.reader.opposite(asked.value);
        let (opposed, reported) = match asked.reader.prefers() {
            Some(preferred) if preferred == asked.value => (None, false),
            preferred => (opposite, opposite.is_some() && preferred == opposite),
        };
        let is_reported = |mention: &Mention| {
            opposed == Some(mention.value) && mention.finality >= PLAIN && (reported || final_most < ADDED)
        };
        let counted = |mention: &&Mention| {
            (mention.finality == final_most || is_reported(mention)) && self.holds(&mention.asserted)
        };
        let same = mentions.iter().filter(counted).filter(|mention| mention.value == asked.value).count()
            + usize::from(here == final_most && !mentions.iter().any(|mention| mention.bytes == said));
        let named =
            |mention: &Mention| verdict.by_quote && self.document.words_near(&mention.bytes, &self.field) > 0;
        let near = |mention: &&Mention| {
            let as_near = self.document.words_near(&mention.bytes, &self.field) >= own;
            // Against a quote stands what is more final, or written down as this field's value.
            let weighs = !verdict.by_quote
                || asked.reader.counts_anywhere()
                || mention.finality > here
                // Of the document as a whole, its conclusions say it each for itself.
                || self.is_of_all && mention.finality == here && here > PLAIN
                || self.is_listed && !self.is_of_several && is_reported(mention)
                // Or what stands beside the field's name, where the quote does not.
                || own == 0 && mention.finality >= here && named(mention)
                || self.document.is_labelled(&mention.bytes, &self.field);
            as_near && weighs
        };
        let of_kind = |mention: &&Mention| self.is_of_another_kind(probe, &mention.bytes).is_none();
        let mut others = mentions
            .iter()
            .filter(counted)
            .filter(|mention| mention.value != asked.value)
            .filter(near)
            .filter(of_kind);
        let Some(other) = others.next() else { return verdict };
        let prefers = asked.reader.prefers() == Some(asked.value);
        let outnumbered = others.count() + 1;
        // Where a phrase counts anywhere, another side is named in passing; it conflicts when it is named at least as often.
        let in_passing =
            asked.reader.counts_anywhere() && (same > outnumbered || verdict.by_quote && same == outnumbered);
        if same > 0 && (prefers || in_passing) {
            return verdict;
        }
        Verdict {
            support: Support::Conflicting,
            finding: Finding::SaysAnother,
            other: Some(other.bytes.clone()),
            ..verdict
        }
    }
}
