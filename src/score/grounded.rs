//! The grounding measure on top of the grounding search: which leaves count, and what is said about each.

use super::answer_fields::field_names;
use super::assessment::Assessment;
use super::clause_evidence::{ClauseEvidence, Readings, settle_claims};
use super::evidence::LeafEvidence;
use super::grounding::{
    Grounder, Identity, Lexicon, Passages, Reading, Scratch, SourceIndex, Vocabulary, Wordings, quote_places,
};
use super::grounding_issue::{Told, nothing_extracted};
use super::issue::SourceSpan;
use super::judged::{Judged, PassageVerdict};
use super::layout_evidence::LayoutEvidence;
use super::leaves::each_leaf;
use super::left_behind::LabelledFields;
use super::parted::{Elsewhere, Ground, PartItems};
use super::parts::{PartedText, Parts};
use super::placeholder::{self, Finder, Placeholders, Why};
use super::quotes::Quotes;
use super::verdict::{Finding, Method, Support, Verdict};
use crate::rules::{AnswerSchema, Assertion, Each, EvidenceRules, GroundingSettings};
use crate::value::{Fuel, Score, unescape};
use loopctl_ground::{Doubt, FieldNames};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// What fields may be called and how their values are said, prepared for the search.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) names: Vocabulary,
    pub(super) lexicon: Lexicon,
    /// The vocabulary that the rubric names for each field.
    pub(super) values: Vec<Option<usize>>,
    /// Kinds of which a document may hold several, by name.
    pub(super) each: Vec<(String, Each)>,
    /// What the rubric says of each field at the top of candidates, by its key.
    pub(super) fields: HashMap<String, KnownField>,
}

/// What a rubric says of a field.
#[derive(Debug, Default)]
pub(super) struct KnownField {
    /// What else it may be called.
    pub(super) synonyms: Vec<String>,
    /// If a vocabulary lists its values.
    pub(super) has_values: bool,
    /// That vocabulary.
    pub(super) vocabulary: Option<usize>,
}

impl Names {
    pub(super) fn new(rules: &EvidenceRules) -> Self {
        let vocabularies = rules.vocabularies.iter().map(|(name, vocabulary)| (name.as_str(), vocabulary));
        let lexicon = Lexicon::new(vocabularies, rules.context.as_ref());
        let number = |name: &String| rules.vocabularies.iter().position(|(known, _)| known == name);
        Names {
            names: Vocabulary::new(rules.fields.iter().map(|field| (&field.key, &field.synonyms))),
            values: rules.fields.iter().map(|field| field.values.as_ref().and_then(number)).collect(),
            lexicon,
            each: rules.each.clone(),
            fields: rules
                .fields
                .iter()
                .map(|field| {
                    let known = KnownField {
                        synonyms: field.synonyms.clone(),
                        has_values: field.values.is_some(),
                        vocabulary: field.values.as_ref().and_then(number),
                    };
                    (field.key.clone(), known)
                })
                .collect(),
        }
    }
}

/// The text of a document, indexed when something is first looked up in it, once for all of its candidates.
#[derive(Debug)]
pub struct Source {
    text: Arc<str>,
    names: Arc<Names>,
    identity: Identity,
    read: OnceLock<ReadText>,
    /// Its rows, columns and labels.
    structure: OnceLock<loopctl_ground::Document>,
    /// The values that it labels with names of fields.
    labelled: OnceLock<LabelledFields>,
    /// The other names of the fields of a document type.
    field_names: OnceLock<(String, FieldNames)>,
    /// What was read of claims at its passages.
    readings: Readings,
    /// Its parts of each kind, found when they are first asked for.
    parted: Vec<OnceLock<PartedText>>,
    document: Option<Value>,
}

/// What a text is looked up in.
#[derive(Debug)]
struct ReadText {
    index: SourceIndex,
    passages: Passages,
    apart: Vec<(Range<usize>, Assertion)>,
    describing: Vec<Range<usize>>,
    added: Vec<Range<usize>>,
}

impl Source {
    pub(super) fn new(text: &str, names: &Arc<Names>) -> Self {
        Source {
            text: text.into(),
            names: Arc::clone(names),
            identity: Identity::default(),
            read: OnceLock::new(),
            structure: OnceLock::new(),
            labelled: OnceLock::new(),
            field_names: OnceLock::new(),
            readings: Readings::default(),
            parted: names.each.iter().map(|_| OnceLock::new()).collect(),
            document: None,
        }
    }

    /// The same, whose text is also read as JSON: candidates patch it.
    pub(super) fn with_document(text: &str, names: &Arc<Names>) -> Self {
        Source { document: serde_json::from_str(text).ok(), ..Source::new(text, names) }
    }

    fn read(&self) -> &ReadText {
        self.read.get_or_init(|| {
            let passages = Passages::new(&self.text, &self.names.lexicon);
            let apart = passages.apart(self.text.len());
            let describing = passages.describing(self.text.len());
            let added = passages.added(self.text.len());
            ReadText {
                index: SourceIndex::new(&self.text, &self.names.names),
                passages,
                apart,
                describing,
                added,
            }
        })
    }

    /// Its rows, columns and labels.
    pub(super) fn structure(&self) -> &loopctl_ground::Document {
        self.structure.get_or_init(|| loopctl_ground::Document::read(&self.text))
    }

    /// The other names of the fields of a document type, which `read` gives: kept for the type that is asked about first.
    fn field_names(&self, document_type: &str, read: impl Fn() -> FieldNames) -> Cow<'_, FieldNames> {
        let (known, names) = self.field_names.get_or_init(|| (document_type.to_owned(), read()));
        if known == document_type { Cow::Borrowed(names) } else { Cow::Owned(read()) }
    }

    /// The values that it labels with names of fields, found by `read` when they are first asked for.
    pub(super) fn labelled(&self, read: impl FnOnce() -> LabelledFields) -> &LabelledFields {
        self.labelled.get_or_init(read)
    }

    /// What the rubric says of the field at the top of candidates with a key.
    pub(super) fn known_field(&self, key: &str) -> Option<&KnownField> {
        self.names.fields.get(key)
    }

    /// The wordings that the text has of a value of a vocabulary, and of its other values.
    pub(super) fn wordings(&self, vocabulary: Option<usize>, value: &Value) -> Wordings {
        let found = |number| self.passages().wordings(number, value, &self.names.lexicon, &self.text);
        vocabulary.and_then(found).unwrap_or_default()
    }

    /// The vocabulary that reads a field of this key.
    pub(super) fn vocabulary_of(&self, key: &str) -> Option<usize> {
        self.names.lexicon.of_key(key)
    }

    /// The places of some quotes, in bytes, as far as the fuel goes.
    pub(super) fn quote_places(&self, quotes: &[String], fuel: &Fuel) -> Vec<Range<usize>> {
        quotes.iter().flat_map(|quote| quote_places(quote, self.index(), fuel)).collect()
    }

    pub(super) fn readings(&self) -> &Readings {
        &self.readings
    }

    /// The parts that describe, and conclude nothing.
    pub(super) fn describing(&self) -> &[Range<usize>] {
        &self.read().describing
    }

    /// The parts that were added when the others were finished.
    pub(super) fn added(&self) -> &[Range<usize>] {
        &self.read().added
    }

    /// The parts that say nothing of a field's subject now, each with the doubt that it leaves.
    pub(super) fn apart(&self, key: &str) -> Vec<(Range<usize>, Doubt)> {
        let accepted = self.names.lexicon.accepted_by(key);
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
        self.read().apart.iter().filter_map(doubt).collect()
    }

    /// Where its words stand.
    pub(super) fn index(&self) -> &SourceIndex {
        &self.read().index
    }

    /// Its sentences and sections.
    pub(super) fn passages(&self) -> &Passages {
        &self.read().passages
    }

    /// Which text it is: no other has the same.
    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Its parts of a kind, which has this number among the names; `None` where it has none.
    pub(super) fn parted(&self, kind: usize, each: &Each) -> Option<&PartedText> {
        let find = || PartedText::new(Parts::find(self.text(), each));
        let parted = self.parted.get(kind)?.get_or_init(find);
        (!parted.parts.is_empty()).then_some(parted)
    }

    /// The JSON that candidates patch; `None` when the text is no JSON or candidates are no patches.
    #[must_use]
    pub fn document(&self) -> Option<&Value> {
        self.document.as_ref()
    }

    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A passage as somebody is shown it who sees nothing else of the document.
    pub(crate) fn passage(&self, span: SourceSpan) -> ShownPassage<'_> {
        let bytes = self.index().bytes(&(span.start..span.end));
        let (sentence, heading) = self.passages().shown(&bytes, self.index());
        ShownPassage { quote: self.text().get(bytes).unwrap_or_default(), sentence, heading }
    }
}

/// A passage with what is around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownPassage<'a> {
    /// The passage.
    pub(crate) quote: &'a str,
    /// The sentence that it stands in.
    pub(crate) sentence: &'a str,
    /// The heading of its part of the document.
    pub(crate) heading: Option<&'a str>,
}

/// A place where a text says a value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldMention {
    /// The canonical value, by the field's vocabulary.
    pub value: String,
    /// How it is asserted.
    pub context: Assertion,
    /// How final the part of the text is that it stands in, from 0 to 9.
    pub finality: u8,
    /// The line, from 1.
    pub line: usize,
    /// Where it stands, in characters.
    pub span: SourceSpan,
}

/// What a text says of a field at the top of candidates: each mention, in the order of the text. `None` where no vocabulary reads
/// the field.
#[must_use]
pub fn read_mentions(rules: &EvidenceRules, field: &str, text: &str) -> Option<Vec<FieldMention>> {
    MentionReader::new(rules, text).of(field)
}

/// A text in which mentions of several fields are read: it is indexed once.
#[derive(Debug)]
pub(crate) struct MentionReader {
    names: Arc<Names>,
    source: Source,
}

impl MentionReader {
    pub(crate) fn new(rules: &EvidenceRules, text: &str) -> Self {
        let names = Arc::new(Names::new(rules));
        MentionReader { source: Source::new(text, &names), names }
    }

    /// What the text says of a field, in the order of the text. `None` where no vocabulary reads the field.
    pub(crate) fn of(&self, field: &str) -> Option<Vec<FieldMention>> {
        self.source.mentions(&self.names, field)
    }
}

impl Source {
    pub(super) fn mentions(&self, names: &Names, field: &str) -> Option<Vec<FieldMention>> {
        self.mentions_in(names, self.index(), self.passages(), field, |bytes| bytes)
    }

    pub(super) fn mentions_of_part(
        &self,
        names: &Names,
        parted: &PartedText,
        part: usize,
        field: &str,
    ) -> Option<Vec<FieldMention>> {
        let own = parted.part(part, self.text(), self.passages(), &names.names, &names.lexicon)?;
        self.mentions_in(names, &own.index, &own.passages, field, |bytes| own.in_whole(&bytes))
    }

    fn mentions_in(
        &self,
        names: &Names,
        index: &SourceIndex,
        passages: &Passages,
        field: &str,
        in_whole: impl Fn(Range<usize>) -> Range<usize>,
    ) -> Option<Vec<FieldMention>> {
        let reading = Reading { lexicon: &names.lexicon, passages, values: &names.values };
        let candidate = serde_json::json!({ field: null });
        let (mut scratch, fuel) = (Scratch::default(), Fuel::of(MENTIONS_WORK));
        let mut grounder = Grounder::new(&candidate, &names.names, index, &mut scratch, &fuel);
        let told = |mention: super::grounding::Mentioned| {
            let bytes = in_whole(mention.bytes);
            FieldMention {
                line: self.line(bytes.start),
                span: self.span(&bytes),
                value: mention.value,
                context: mention.context,
                finality: mention.finality,
            }
        };
        Some(grounder.mentions(field, reading)?.into_iter().map(told).collect())
    }

    /// The number of the line that holds a byte, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.passages().line(byte, self.text())
    }

    /// Bytes as characters.
    pub(super) fn span(&self, bytes: &Range<usize>) -> SourceSpan {
        SourceSpan::from(self.index().chars(bytes))
    }
}

/// Most steps that the mentions of one field are looked for.
const MENTIONS_WORK: u64 = 50_000_000;

/// How many leaves count, and what they come to.
#[derive(Debug, Clone, Default)]
pub(super) struct Share {
    pub(super) grounded: usize,
    pub(super) checked: usize,
    /// What is left of each leaf that counts for less than a whole one, in the order of their issues.
    pub(super) lost: Vec<f64>,
}

impl Share {
    /// The mean support: 0 without any leaf.
    pub(super) fn score(&self) -> Score {
        #[expect(clippy::cast_precision_loss, reason = "counts of leaves are far below 2^52")]
        let mean = match self.checked {
            0 => 0.0,
            checked => 1.0 - self.lost.iter().sum::<f64>() / checked as f64,
        };
        Score::clamped(mean)
    }
}

/// Judges every leaf, records evidence and issues, and counts; as long as there is fuel.
///
/// Leaves are texts that are not blank, numbers, and truth values that the document speaks of; neither those under a
/// `…_status` key nor those under a top-level field that the settings ignore. An item that is about a part of the document is held
/// against that part.
#[expect(clippy::too_many_arguments, reason = "called once; a struct of the same fields would say no more")]
pub(super) fn ground(
    candidate: &Value,
    document_type: &str,
    answers: &[AnswerSchema],
    names: &Names,
    source: &Source,
    quotes: Option<&Quotes>,
    judged: Option<&Judged>,
    settings: &GroundingSettings,
    room: &mut Room,
    (placeholders, finder): (&Placeholders, Option<&Finder<'_>>),
    fuel: &Fuel,
    out: &mut Assessment,
) -> Share {
    let items = PartItems::of(candidate, names, source, document_type);
    let mut telling =
        Telling { source, settings, share: Share::default(), judged, candidate, placeholders, finder, out };
    // What the host knows is no evidence of what was read.
    let text = source.text().trim();
    let is_known = |field: &str| {
        settings.known.iter().any(|name| name == field)
            && candidate.get(field).and_then(Value::as_str).is_some_and(|value| value.trim() == text)
    };
    let is_checked = |pointer: &str| {
        let field = steps(pointer).next().unwrap_or_default();
        is_checked(pointer, &settings.ignore) && !items.holds(pointer) && !is_known(&unescape(field))
    };
    let layout = settings.by_structure.then(|| {
        let others = source.field_names(document_type, || field_names(answers, names));
        LayoutEvidence::read(candidate, source, &others)
    });
    let clauses = ClauseEvidence { source, candidate, settings, within: None, fuel };
    let offered = |pointer: &str| quotes.map_or(&[][..], |quotes| quotes.at(pointer));
    let Room { pointer, verdicts, named } = room;
    verdicts.clear();
    each_leaf(candidate, pointer, |pointer, value| {
        if !fuel.spend(LEAF) {
            return false;
        }
        let quotes = offered(pointer);
        let judge = || {
            let by_layout =
                || layout.as_ref().and_then(|layout| layout.verdict(pointer, value, quotes, fuel));
            let verdict = whole(source, value).or_else(by_layout);
            let verdict = verdict.or_else(|| clauses.verdict(pointer, value, quotes));
            // Without a rubric, the document need not speak of what a truth value is about.
            verdict.filter(|verdict| {
                layout.is_none() || !value.is_boolean() || verdict.finding != Finding::NotFound
            })
        };
        verdicts.push(is_checked(pointer).then(judge).flatten());
        true
    });
    settle_claims(verdicts, named);
    let mut verdicts = verdicts.iter();
    each_leaf(candidate, pointer, |pointer, value| {
        let Some(verdict) = verdicts.next() else { return false };
        if let Some(verdict) = verdict {
            let quotes = offered(pointer);
            telling.leaf(FoundLeaf { pointer, value, verdict, quotes, part: None, elsewhere: None });
        }
        true
    });
    Ground { source, quotes, settings, fuel }.items(&items, &mut telling);
    let Telling { share, out, .. } = telling;
    if share.checked == 0 && settings.known.iter().any(|name| is_known(name)) {
        out.issues.push(nothing_extracted());
    }
    // After those of leaves, which the account counts off.
    out.issues.extend(items.issues(candidate, source, &settings.ignore));
    share
}

/// Room for the verdicts on the leaves of one candidate, kept for the next.
#[derive(Debug, Default)]
pub(super) struct Room {
    pointer: String,
    verdicts: Vec<Option<Verdict>>,
    named: Vec<(usize, usize)>,
}

/// The fuel that one leaf takes, beside what is read for it.
pub(super) const LEAF: u64 = 16;

/// The verdict on the text itself, given as a value.
pub(super) fn whole(source: &Source, value: &Value) -> Option<Verdict> {
    let text = value.as_str().filter(|text| *text == source.text())?;
    Some(Verdict::found(0..text.len(), Method::Exact))
}

/// What is found of one leaf; of one of an item, with its part, and where else the document says its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundLeaf<'a> {
    pub(super) pointer: &'a str,
    pub(super) value: &'a Value,
    pub(super) verdict: &'a Verdict,
    pub(super) quotes: &'a [String],
    pub(super) part: Option<&'a str>,
    pub(super) elsewhere: Option<&'a Elsewhere>,
}

/// Records what is found of leaves.
#[derive(Debug)]
pub(super) struct Telling<'a> {
    source: &'a Source,
    pub(super) settings: &'a GroundingSettings,
    share: Share,
    judged: Option<&'a Judged>,
    candidate: &'a Value,
    placeholders: &'a Placeholders,
    finder: Option<&'a Finder<'a>>,
    out: &'a mut Assessment,
}

impl Telling<'_> {
    /// Counts one leaf, and records what is found of it.
    pub(super) fn leaf(&mut self, leaf: FoundLeaf<'_>) {
        self.share.checked += 1;
        let FoundLeaf { pointer, value, verdict, part, elsewhere, .. } = leaf;
        if let Some(why) = self.no_value(&leaf) {
            let verdict = &Verdict::not_found();
            self.record(FoundLeaf { verdict, quotes: &[], elsewhere: None, ..leaf }, false);
            self.share.lost.push(1.0);
            return self.out.issues.push(placeholder::issue(pointer, value, why));
        }
        // The quote is there, and nothing could be read from it.
        let is_undecided = verdict.support == Support::Undecided
            || matches!(verdict.finding, Finding::QuoteUndecided | Finding::NotBound);
        let is_open = is_undecided && elsewhere.is_none();
        let mut unjudged = self.settings.judged && is_open;
        let said = self
            .judged
            .filter(|_| unjudged)
            .and_then(|judged| judged.of(self.candidate, pointer, value, span_of(self.source, verdict)?));
        let decided = said.map(|said| judged_as(said, verdict.clone()));
        unjudged &= decided.is_none();
        let verdict = decided.as_ref().unwrap_or(verdict);
        self.record(FoundLeaf { verdict, ..leaf }, unjudged);
        let counts = counts(verdict.support, self.settings);
        if counts >= 1.0 {
            self.share.grounded += 1;
        } else {
            let told = Told { source: self.source, verdict, value, part, elsewhere };
            self.share.lost.push(1.0 - counts);
            self.out.issues.push(told.issue(pointer, self.settings));
        }
    }

    /// Why a leaf says nothing, whatever the document has: it is a placeholder, or the example that was shown.
    fn no_value(&self, leaf: &FoundLeaf<'_>) -> Option<Why> {
        let is_example = |finder: &Finder<'_>| finder.is_example(leaf.pointer, leaf.value);
        let is_unsupported = leaf.verdict.support == Support::Unsupported;
        self.placeholders
            .at(leaf.pointer)
            .or_else(|| (is_unsupported && self.finder.is_some_and(is_example)).then_some(Why::Example))
    }

    /// Records the label of a part, which does not count, because it says nothing of its part.
    pub(super) fn label(&mut self, leaf: FoundLeaf<'_>) {
        self.record(leaf, false);
    }

    fn record(&mut self, leaf: FoundLeaf<'_>, unjudged: bool) {
        let FoundLeaf { pointer, value, verdict, quotes, part, elsewhere } = leaf;
        let told = Told { source: self.source, verdict, value, part, elsewhere };
        let quote = quotes.first().filter(|_| verdict.by_quote);
        let context = context(verdict.finding);
        let leaf_evidence = LeafEvidence::new(verdict.support)
            .with(verdict.method, told.span(), quote.map(String::as_str), context)
            .left_unjudged(unjudged)
            .read_as(verdict.pattern, doubt(verdict.finding))
            .of_part(part);
        self.out.evidence.push(pointer, leaf_evidence);
    }
}

/// The reason why the clause of a passage leaves its value open.
fn doubt(finding: Finding) -> Option<Doubt> {
    match finding {
        Finding::Doubted(doubt) => Some(doubt),
        Finding::Said
        | Finding::NotFound
        | Finding::QuoteNotFound
        | Finding::QuoteUndecided
        | Finding::NotBound
        | Finding::Untrusted(_)
        | Finding::SaysAnother
        | Finding::Denied
        | Finding::OwnerInDoubt => None,
    }
}

/// The way in which the passage of a finding asserts its value.
fn context(finding: Finding) -> Assertion {
    if finding == Finding::Denied {
        return Assertion::Negated;
    }
    match doubt(finding) {
        Some(Doubt::Denied) => Assertion::Negated,
        Some(Doubt::Uncertain) => Assertion::Uncertain,
        Some(Doubt::AnotherTime) => Assertion::Historical,
        Some(Doubt::Conditional) => Assertion::Hypothetical,
        Some(Doubt::AnotherPerson) => Assertion::OfAnother,
        Some(_) | None => Assertion::Affirmed,
    }
}

/// An undecided verdict, as a judge that was shown the passage decides it. One that prints the value itself can't be shown as its
/// contradiction: that it is of something else is all that the judge can mean.
fn judged_as(said: PassageVerdict, verdict: Verdict) -> Verdict {
    let method = Some(Method::Judge);
    match said {
        PassageVerdict::Supports => {
            Verdict { support: Support::Entailed, finding: Finding::Said, method, ..verdict }
        }
        PassageVerdict::Contradicts => {
            let prints_it = matches!(
                verdict.finding,
                Finding::NotBound | Finding::Doubted(_) | Finding::Untrusted(_) | Finding::OwnerInDoubt
            );
            let (support, finding) = if prints_it {
                (Support::Unsupported, Finding::OwnerInDoubt)
            } else {
                (Support::Contradicted, Finding::SaysAnother)
            };
            Verdict { support, finding, method, other: verdict.bytes.clone(), bytes: None, ..verdict }
        }
        PassageVerdict::Neither => verdict,
    }
}

/// The passage that decides, in characters.
pub(super) fn span_of(source: &Source, verdict: &Verdict) -> Option<SourceSpan> {
    let bytes = verdict.bytes.as_ref().or(verdict.other.as_ref())?;
    Some(SourceSpan::from(source.index().chars(bytes)))
}

/// What a leaf with this support counts, from 0 to 1.
fn counts(support: Support, settings: &GroundingSettings) -> f64 {
    match support {
        Support::Verified | Support::Entailed => 1.0,
        Support::Undecided => settings.undecided.get(),
        Support::Conflicting => settings.conflicting.get(),
        Support::Unsupported | Support::Contradicted => 0.0,
    }
}

/// Whether the leaf at `pointer` counts.
pub(super) fn is_checked(pointer: &str, ignore: &[String]) -> bool {
    let ignored = |field: &str| ignore.iter().any(|name| unescape(field) == *name);
    !steps(pointer).next().is_some_and(ignored) && !steps(pointer).any(|step| step.ends_with("_status"))
}

/// The steps of a JSON Pointer as they are written in it. They are short, and a leaf's are looked at several times: going
/// through the bytes takes a third of what a search for the slash takes.
pub(super) fn steps(pointer: &str) -> impl Iterator<Item = &str> {
    let mut rest = pointer.strip_prefix('/');
    std::iter::from_fn(move || {
        let whole = rest?;
        let end = whole.bytes().position(|byte| byte == b'/').unwrap_or(whole.len());
        let (step, after) = whole.split_at_checked(end)?;
        rest = after.get(1..).filter(|_| !after.is_empty());
        Some(step)
    })
}
