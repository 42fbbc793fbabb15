//! The source of candidates: a document's text with everything that is read from it, once.

use super::clause_evidence::Readings;
use super::doubtful_reading::DoubtfulPassage;
use super::issue::SourceSpan;
use super::left_behind::LabelledFields;
use super::lexicon::{Lexicon, PhraseHit, field_words};
use super::parts::Parts;
use super::plain_text::PlainText;
use super::positions::Positions;
use super::sections::{SectionRules, Sections};
use crate::rules::{Assertion, Context, Each, EvidenceRules};
use crate::value::Fuel;
use loopctl_ground::{Act, CueWords, Doubt, FieldNames, quote_places, sentence_around};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The names of fields and the words for their values, by the rubrics of a profile.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) lexicon: Lexicon,
    pub(super) sections: SectionRules,
    /// Words by which clauses are understood, beside those of every document.
    words: Arc<CueWords>,
    /// Kinds of which a document may hold several, by name.
    pub(super) each: Vec<(String, Each)>,
    /// The rubric's knowledge of each field at the top of candidates, by its key.
    pub(super) fields: HashMap<String, KnownField>,
}

/// A rubric's knowledge of a field.
#[derive(Debug, Default)]
pub(super) struct KnownField {
    /// Its other names.
    pub(super) synonyms: Vec<String>,
    /// True if a vocabulary lists its values.
    pub(super) has_values: bool,
    /// That vocabulary.
    pub(super) vocabulary: Option<usize>,
    /// The member that names each item, if the field is a list.
    pub(super) item_key: Option<String>,
}

impl Names {
    pub(super) fn new(rules: &EvidenceRules) -> Self {
        let vocabularies = rules.vocabularies.iter().map(|(name, vocabulary)| (name.as_str(), vocabulary));
        let context = rules.context.as_ref();
        let number = |name: &String| rules.vocabularies.iter().position(|(known, _)| known == name);
        Names {
            lexicon: Lexicon::new(vocabularies),
            sections: context.map(SectionRules::new).unwrap_or_default(),
            words: Arc::new(context.map(cue_words).unwrap_or_default()),
            each: rules.each.clone(),
            fields: rules
                .fields
                .iter()
                .map(|field| {
                    let known = KnownField {
                        synonyms: field.synonyms.clone(),
                        has_values: field.values.is_some(),
                        vocabulary: field.values.as_ref().and_then(number),
                        item_key: field.item_key.clone(),
                    };
                    (field.key.clone(), known)
                })
                .collect(),
        }
    }

    /// The ways in which a field of this name may hold its values besides as facts.
    pub(super) fn accepted_by(&self, field: &str) -> Vec<Assertion> {
        self.sections.accepted(&field_words(field))
    }
}

/// The words of a context by which clauses are understood.
fn cue_words(context: &Context) -> CueWords {
    let mut words = CueWords::default();
    let lists = [
        (&context.negated, Some(Act::Denial)),
        (&context.uncertain, Some(Act::Doubt)),
        (&context.historical, Some(Act::AnotherTime)),
        (&context.hypothetical, Some(Act::Condition)),
        (&context.of_another, Some(Act::AnotherPerson)),
        (&context.ignored, None),
    ];
    for (phrases, act) in lists {
        phrases.iter().for_each(|phrase| words.add(phrase, act));
    }
    words
}

/// The text of a document, read when something is first looked up in it, once for all of its candidates.
#[derive(Debug)]
pub struct Source {
    text: Arc<str>,
    names: Arc<Names>,
    identity: Identity,
    /// Its rows, columns, labels and clauses.
    structure: OnceLock<loopctl_ground::Document>,
    /// Its sections.
    sections: OnceLock<ReadSections>,
    /// The phrases of each vocabulary in it.
    phrases: Vec<OnceLock<Vec<PhraseHit>>>,
    positions: Positions,
    /// The values that it labels with names of fields.
    labelled: OnceLock<LabelledFields>,
    /// The other names of the fields of a document type, and the members that name items.
    field_names: OnceLock<(String, FieldNames)>,
    /// The verdicts on claims that were read before.
    readings: Readings,
    /// Its parts of each kind, found when they are first asked for.
    parts: Vec<OnceLock<Parts>>,
    document: Option<Value>,
    /// The words with digits that OCR may have misread, in order.
    doubtful: Vec<DoubtfulPassage>,
}

/// Its sections, and those of a kind.
#[derive(Debug)]
struct ReadSections {
    all: Sections,
    apart: Vec<(Range<usize>, Assertion)>,
    describing: Vec<Range<usize>>,
    added: Vec<Range<usize>>,
}

/// Tells one text from another: equal only to its clones.
#[derive(Clone, Debug, Default)]
pub(super) struct Identity(Arc<()>);

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The wordings that a text has of values of a vocabulary, in bytes.
#[derive(Debug, Default)]
pub(super) struct Wordings {
    /// Wordings of one value.
    pub(super) same: Vec<Range<usize>>,
    /// Wordings of the others.
    pub(super) others: Vec<Range<usize>>,
    /// The choice of a careful reader between mentions that differ: the value (`true`), or another one.
    pub(super) is_preferred: Option<bool>,
}

impl Source {
    pub(super) fn new(text: &str, names: &Arc<Names>) -> Self {
        Source {
            text: text.into(),
            names: Arc::clone(names),
            identity: Identity::default(),
            structure: OnceLock::new(),
            sections: OnceLock::new(),
            phrases: (0..names.lexicon.len()).map(|_| OnceLock::new()).collect(),
            positions: Positions::default(),
            labelled: OnceLock::new(),
            field_names: OnceLock::new(),
            readings: Readings::default(),
            parts: names.each.iter().map(|_| OnceLock::new()).collect(),
            document: None,
            doubtful: Vec::new(),
        }
    }

    /// Reads the text as JSON, too: candidates patch it.
    pub(super) fn with_document(text: &str, names: &Arc<Names>) -> Self {
        Source { document: serde_json::from_str(text).ok(), ..Source::new(text, names) }
    }

    /// This text, with the words in it that OCR may have misread, in order.
    pub(crate) fn with_doubtful_words(self, doubtful: Vec<DoubtfulPassage>) -> Self {
        Source { doubtful, ..self }
    }

    /// The first word in a passage that OCR may have misread.
    pub(super) fn doubtful_word(&self, passage: &Range<usize>) -> Option<&DoubtfulPassage> {
        let first = self.doubtful.partition_point(|word| word.text.end <= passage.start);
        self.doubtful.get(first).filter(|word| word.text.start < passage.end)
    }

    fn read_sections(&self) -> &ReadSections {
        self.sections.get_or_init(|| {
            let all = Sections::find(&self.text, &self.names.sections);
            ReadSections { apart: all.apart(), describing: all.describing(), added: all.added(), all }
        })
    }

    /// Its sections.
    pub(super) fn sections(&self) -> &Sections {
        &self.read_sections().all
    }

    /// Its rows, columns, labels and clauses.
    pub(super) fn structure(&self) -> &loopctl_ground::Document {
        self.structure.get_or_init(|| loopctl_ground::Document::read_with(&self.text, &self.names.words))
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// The other names of the fields of a document type, and the members that name items, which `read` gives: kept for
    /// the type that is asked about first.
    pub(super) fn field_names(
        &self,
        document_type: &str,
        read: impl Fn() -> FieldNames,
    ) -> Cow<'_, FieldNames> {
        let (known, names) = self.field_names.get_or_init(|| (document_type.to_owned(), read()));
        if known == document_type { Cow::Borrowed(names) } else { Cow::Owned(read()) }
    }

    /// The values that it labels with names of fields, found by `read` when they are first asked for.
    pub(super) fn labelled(&self, read: impl FnOnce() -> LabelledFields) -> &LabelledFields {
        self.labelled.get_or_init(read)
    }

    /// The rubric's knowledge of the field at the top of candidates with a key.
    pub(super) fn known_field(&self, key: &str) -> Option<&KnownField> {
        self.names.fields.get(key)
    }

    /// The phrases of a vocabulary in the text, in order.
    pub(super) fn phrases(&self, vocabulary: usize) -> &[PhraseHit] {
        let (Some(cell), Some(reader)) =
            (self.phrases.get(vocabulary), self.names.lexicon.reader(vocabulary))
        else {
            return &[];
        };
        cell.get_or_init(|| {
            let plain = PlainText::of(&self.text);
            let found = reader.find(plain.as_str());
            found.map(|hit| PhraseHit { bytes: plain.in_text(&hit.bytes), ..hit }).collect()
        })
    }

    /// The wordings that the text has of a value of a vocabulary, and of its other values; none for a value that the
    /// vocabulary does not know.
    pub(super) fn wordings(&self, vocabulary: Option<usize>, value: &Value) -> Wordings {
        let reader = vocabulary.and_then(|number| self.names.lexicon.reader(number));
        let Some((number, reader)) = vocabulary.zip(reader) else { return Wordings::default() };
        let own = match value {
            Value::Bool(truth) => reader.boolean(*truth),
            Value::String(given) => reader.read(given).map(|read| read.value),
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let Some(own) = own else { return Wordings::default() };
        let is_preferred = reader.prefers().map(|preferred| preferred == own);
        let mut found = Wordings { is_preferred, ..Wordings::default() };
        for hit in self.phrases(number) {
            let into = if hit.value == own { &mut found.same } else { &mut found.others };
            into.push(hit.bytes.clone());
        }
        found
    }

    /// The vocabulary that reads a field of this key.
    pub(super) fn vocabulary_of(&self, key: &str) -> Option<usize> {
        self.names.lexicon.of_key(key)
    }

    /// The positions of some quotes, in bytes, as far as the fuel goes.
    pub(super) fn quote_places(&self, quotes: &[String], fuel: &Fuel) -> Vec<Range<usize>> {
        let places = |quote: &String| quote_places(self.structure(), quote, |steps| fuel.spend_on(steps));
        quotes.iter().flat_map(places).collect()
    }

    pub(super) fn readings(&self) -> &Readings {
        &self.readings
    }

    /// The parts that describe, and conclude nothing.
    pub(super) fn describing(&self) -> &[Range<usize>] {
        &self.read_sections().describing
    }

    /// The parts that were added when the others were finished.
    pub(super) fn added(&self) -> &[Range<usize>] {
        &self.read_sections().added
    }

    /// The parts that say nothing about a field's subject now, each with the doubt that it leaves.
    pub(super) fn apart(&self, key: &str) -> Vec<(Range<usize>, Doubt)> {
        let accepted = self.names.accepted_by(key);
        let doubt = |(part, how): &(Range<usize>, Assertion)| {
            let doubt = match how {
                Assertion::Affirmed => return None,
                Assertion::Negated => Doubt::Denied,
                Assertion::Uncertain => Doubt::Uncertain,
                Assertion::Historical => Doubt::AnotherTime,
                Assertion::Hypothetical => Doubt::Conditional,
                Assertion::OfAnother => Doubt::AnotherPerson,
            };
            (!accepted.contains(how)).then(|| (part.clone(), doubt))
        };
        self.read_sections().apart.iter().filter_map(doubt).collect()
    }

    /// The identity of the text: no other has the same.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its parts of a kind, which has this number among the names; `None` where it has none.
    pub(super) fn parts(&self, kind: usize, each: &Each) -> Option<&Parts> {
        let parts = self.parts.get(kind)?.get_or_init(|| Parts::find(self.text(), each));
        (!parts.is_empty()).then_some(parts)
    }

    /// The JSON that candidates patch; `None` when the text is not JSON or candidates are not patches.
    #[must_use]
    pub fn document(&self) -> Option<&Value> {
        self.document.as_ref()
    }

    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of the line that holds a byte, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.positions.line(byte, &self.text)
    }

    /// Bytes as characters.
    pub(super) fn span(&self, bytes: &Range<usize>) -> SourceSpan {
        self.positions.span(bytes, &self.text)
    }

    /// Characters as bytes of the text.
    #[must_use]
    pub fn bytes(&self, span: SourceSpan) -> Range<usize> {
        self.positions.bytes(span, &self.text)
    }

    /// A passage in a form for readers who see nothing else of the document.
    pub fn passage(&self, span: SourceSpan) -> ShownPassage<'_> {
        let bytes = self.positions.bytes(span, &self.text);
        let sentence = sentence_around(self.structure(), &bytes);
        ShownPassage {
            sentence: self.text().get(sentence).unwrap_or_default(),
            heading: self.sections().heading(bytes.start, &self.text),
            quote: self.text().get(bytes).unwrap_or_default(),
        }
    }
}

/// A passage with its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownPassage<'a> {
    /// The passage.
    pub quote: &'a str,
    /// The sentence that it is in.
    pub sentence: &'a str,
    /// The heading of its part of the document.
    pub heading: Option<&'a str>,
}
