//! The grounding measure: the leaves that count, with the evidence and the issue of each.

use super::answer_fields::field_names;
use super::assessment::Assessment;
use super::clause_evidence::{ClauseEvidence, settle_claims};
use super::doubtful_reading;
use super::evidence::LeafEvidence;
use super::grounding_issue::{Told, nothing_extracted};
use super::issue::SourceSpan;
use super::judged::{Judged, PassageVerdict};
use super::layout_evidence::LayoutEvidence;
use super::leaves::each_leaf;
use super::mentions::asserted;
use super::parted::{Elsewhere, Ground, PartItems};
use super::placeholder::{self, Finder, Placeholders, Why};
use super::quotes::Quotes;
use super::source::{Names, Source};
use super::verdict::{Finding, Method, Support, Verdict};
use crate::rules::{AnswerSchema, Assertion, GroundingSettings};
use crate::value::{Fuel, Score, unescape};
use loopctl_ground::Doubt;
use serde_json::Value;
use std::cell::LazyCell;

/// The number of leaves that count, and their sum.
#[derive(Debug, Clone, Default)]
pub(super) struct Share {
    pub(super) grounded: usize,
    pub(super) checked: usize,
    /// The share that is lost of each leaf that counts for less than a whole one, in the order of their issues.
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
/// Leaves are texts that are not blank, numbers, and truth values that the document mentions; neither those under a
/// `…_status` key nor those under a top-level field that the settings ignore. An item that is about a part of the
/// document is held against that part.
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
    // Fields that the host fills in are not evidence of a reading.
    let text = source.text().trim();
    let is_known = |field: &str| {
        settings.known.iter().any(|name| name == field)
            && candidate.get(field).and_then(Value::as_str).is_some_and(|value| value.trim() == text)
    };
    let is_checked = |pointer: &str| {
        let field = steps(pointer).next().unwrap_or_default();
        is_checked(pointer, &settings.ignore) && !items.holds(pointer) && !is_known(&unescape(field))
    };
    // Read when a list or the structure asks for it.
    let known = LazyCell::new(|| source.field_names(document_type, || field_names(answers, names)));
    let layout = settings.by_structure.then(|| LayoutEvidence::read(candidate, source, &known));
    let item_key = |list: &str| known.item_key(list);
    let clauses = ClauseEvidence { source, candidate, settings, within: None, item_key: &item_key, fuel };
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
            // Without a rubric, the document need not mention the subject of a truth value.
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

/// The fuel that one leaf takes, besides reading.
pub(super) const LEAF: u64 = 16;

/// The verdict on the text itself, given as a value.
pub(super) fn whole(source: &Source, value: &Value) -> Option<Verdict> {
    let text = value.as_str().filter(|text| *text == source.text())?;
    Some(Verdict::found(0..text.len(), Method::Exact))
}

/// The finding on one leaf; for a leaf of an item, with its part, and the other location at which the document states
/// its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundLeaf<'a> {
    pub(super) pointer: &'a str,
    pub(super) value: &'a Value,
    pub(super) verdict: &'a Verdict,
    pub(super) quotes: &'a [String],
    pub(super) part: Option<&'a str>,
    pub(super) elsewhere: Option<&'a Elsewhere>,
}

/// Records the findings on leaves.
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
    /// Counts one leaf, and records the finding on it.
    pub(super) fn leaf(&mut self, leaf: FoundLeaf<'_>) {
        self.share.checked += 1;
        let FoundLeaf { pointer, value, verdict, part, elsewhere, .. } = leaf;
        if let Some(why) = self.no_value(&leaf) {
            let verdict = &Verdict::not_found();
            self.record(FoundLeaf { verdict, quotes: &[], elsewhere: None, ..leaf }, false);
            self.share.lost.push(1.0);
            return self.out.issues.push(placeholder::issue(pointer, value, why));
        }
        // The quote is there, but nothing could be read from it.
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
        // After the judge, who is shown the text and not its picture.
        let left_open = doubtful_reading::left_open(self.source, verdict);
        let verdict = left_open.as_ref().unwrap_or(verdict);
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

    /// The reason why a leaf is not an answer: it is a placeholder in place of a value, or repeats the example of the prompt.
    fn no_value(&self, leaf: &FoundLeaf<'_>) -> Option<Why> {
        let is_example = |finder: &Finder<'_>| finder.is_example(leaf.pointer, leaf.value);
        let is_unsupported = leaf.verdict.support == Support::Unsupported;
        self.placeholders
            .at(leaf.pointer)
            .or_else(|| (is_unsupported && self.finder.is_some_and(is_example)).then_some(Why::Example))
    }

    /// Records the label of a part, which does not count, because it says nothing about its part.
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
        | Finding::DoubtfulReading
        | Finding::OwnerInDoubt => None,
    }
}

/// The way in which the passage of a finding asserts its value.
fn context(finding: Finding) -> Assertion {
    if finding == Finding::Denied {
        return Assertion::Negated;
    }
    doubt(finding).and_then(asserted).unwrap_or_default()
}

/// An undecided verdict, as decided by a judge that was shown the passage. One that prints the value itself can't be
/// shown as its contradiction: the judge can only mean that it is about something else.
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
    Some(source.span(bytes))
}

/// The weight of a leaf with this support, from 0 to 1.
fn counts(support: Support, settings: &GroundingSettings) -> f64 {
    match support {
        Support::Verified | Support::Entailed => 1.0,
        Support::Undecided => settings.undecided.get(),
        Support::Conflicting => settings.conflicting.get(),
        Support::Unsupported | Support::Contradicted => 0.0,
    }
}

/// Returns true if the leaf at `pointer` counts.
pub(super) fn is_checked(pointer: &str, ignore: &[String]) -> bool {
    let ignored = |field: &str| ignore.iter().any(|name| unescape(field) == *name);
    !steps(pointer).next().is_some_and(ignored) && !steps(pointer).any(|step| step.ends_with("_status"))
}

/// The steps of a JSON Pointer as written in it. They are short, and a leaf's are inspected several times: going
/// through the bytes takes a third of the time of a search for the slash.
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
