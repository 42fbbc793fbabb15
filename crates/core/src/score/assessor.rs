//! The entry to scoring.

use super::account::{DimensionBreakdown, Loss, MeasureKind, ScoreBreakdown};
use super::assessment::Assessment;
use super::issue::Issue;
use super::judged::Judged;
use super::machine::{Buffers, Candidate, Machine};
use super::placeholder::Screen;
use super::pre_existing::PreExisting;
use super::quotes::Quotes;
use super::reader::{CandidateReader, Form, ReadCandidate};
use super::source::{Names, Source};
use super::subject::AssessedValue;
use crate::profile::{CandidateKind, OnPreExisting};
use crate::rules::{CompiledRules, FieldSlots, Program, SlotRoom};
use crate::value::{Cancel, Fuel, Item, Score};
use serde::de::DeserializeSeed;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Everything that is prepared once for a profile and shared by all documents and threads.
#[derive(Debug)]
pub struct Scoring {
    rules: CompiledRules,
    /// Made when a text is first read: a caller that only inspects a profile needs none.
    names: OnceLock<Arc<Names>>,
    /// Made when a candidate is first assessed.
    screen: OnceLock<Screen>,
    kind: CandidateKind,
    on_pre_existing: OnPreExisting,
}

impl Scoring {
    /// Prepares compiled rules for scoring candidates that are values.
    #[must_use]
    pub fn new(rules: CompiledRules) -> Arc<Self> {
        Self::of(CandidateKind::Value, OnPreExisting::Warn, rules)
    }

    /// Prepares compiled rules for scoring candidates of a kind; if they are edits, with the handling of mistakes that
    /// the document had before.
    #[must_use]
    pub fn of(kind: CandidateKind, on_pre_existing: OnPreExisting, rules: CompiledRules) -> Arc<Self> {
        Arc::new(Scoring { rules, names: OnceLock::new(), screen: OnceLock::new(), kind, on_pre_existing })
    }

    /// The names that fields may have and the words for their values.
    pub(super) fn names(&self) -> &Arc<Names> {
        self.names.get_or_init(|| Arc::new(Names::new(self.rules.evidence())))
    }

    /// The screen for texts that could be placeholders.
    pub(super) fn screen(&self) -> &Screen {
        self.screen.get_or_init(|| Screen::new(self.rules.evidence(), self.rules.answers()))
    }

    /// Returns whether candidates are edits whose documents may have mistakes that don't count against them.
    pub(super) fn sets_old_apart(&self) -> bool {
        match (self.kind, self.on_pre_existing) {
            (CandidateKind::Patch, OnPreExisting::Warn) => true,
            (CandidateKind::Patch, OnPreExisting::Block) | (CandidateKind::Value, _) => false,
        }
    }

    /// The form of candidates.
    #[must_use]
    pub fn kind(&self) -> CandidateKind {
        self.kind
    }

    /// The compiled rules.
    #[must_use]
    pub fn rules(&self) -> &CompiledRules {
        &self.rules
    }

    /// The text of a document, which is indexed once for all of its candidates. It belongs to this scoring: the index
    /// holds the positions of the rubric's field names in the text.
    #[must_use]
    pub fn source(&self, text: &str) -> Source {
        match self.kind {
            CandidateKind::Value => Source::new(text, self.names()),
            CandidateKind::Patch => Source::with_document(text, self.names()),
        }
    }

    /// The value that is assessed of a candidate.
    ///
    /// # Errors
    /// See [`AssessedValue::of`].
    pub fn subject<'a>(
        &self,
        candidate: &'a Value,
        source: Option<&Source>,
    ) -> Result<AssessedValue<'a>, Vec<Issue>> {
        AssessedValue::of(self.kind, candidate, source.and_then(Source::document))
    }
}

/// Measures candidates, one after the other, with buffers that are kept: once warm, a candidate without issues costs
/// no allocation (JSON Schemas and scripts aside). Each thread has its own.
///
/// The steps that a candidate takes are counted, and end at `MAX_STEPS` or on cancellation. An issue then reports that,
/// and unfinished dimensions have no score.
///
/// Its result is not yet an assessment: [`crate::plan::DocumentContext`] makes one of it.
#[derive(Debug)]
pub struct Assessor {
    scoring: Arc<Scoring>,
    room: Buffers,
    slots: SlotRoom,
    fuel: Fuel,
}

/// The data that comes with a candidate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The document's text, from [`Scoring::source`].
    pub source: Option<&'a Source>,
    /// Scores of dimensions that nothing here measures.
    pub given: &'a [(String, Score)],
    /// Passages that were offered for the candidate's leaves.
    pub quotes: Option<&'a Quotes>,
    /// The verdicts of a judge on values of this document, where a measure names one.
    pub judged: Option<&'a Judged>,
}

/// Most steps of one assessment, some seconds of work: values that a path passes, words and names that are compared.
pub(super) const MAX_STEPS: u64 = 200_000_000;

impl Assessor {
    /// An assessor with empty buffers.
    #[must_use]
    pub fn new(scoring: Arc<Scoring>) -> Self {
        Assessor { scoring, room: Buffers::default(), slots: SlotRoom::default(), fuel: Fuel::of(MAX_STEPS) }
    }

    /// Makes the assessor stop on cancellation.
    #[must_use]
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        Assessor { fuel: Fuel::new(MAX_STEPS, cancel), ..self }
    }

    /// The number of steps that the latest assessment took.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.fuel.spent()
    }

    /// The scoring that it uses.
    #[must_use]
    pub fn scoring(&self) -> &Arc<Scoring> {
        &self.scoring
    }

    /// Measures a candidate into `out`, which is emptied first.
    ///
    /// A type that no rubric knows is scored as `unknown`. `source` is the document's text, from [`Scoring::source`].
    /// A dimension in `given` takes that value, and its own measure (with the issues that it would find) is left out;
    /// names of other dimensions are ignored.
    ///
    /// For a patch, the patched document is measured. A patch that can't be applied has 0 in every dimension that is
    /// not given, and its issues give the reason.
    pub fn measure(
        &mut self,
        document_type: &str,
        candidate: &Value,
        source: Option<&Source>,
        given: &[(String, Score)],
        out: &mut Assessment,
    ) {
        let scoring = Arc::clone(&self.scoring);
        self.score(
            &scoring,
            scoring.rules.program(document_type),
            candidate,
            Beside { source, given, ..Beside::default() },
            out,
            false,
        );
    }

    /// Measures a candidate with all data that came with it.
    pub fn measure_beside(
        &mut self,
        document_type: &str,
        candidate: &Value,
        beside: Beside<'_>,
        out: &mut Assessment,
    ) {
        let scoring = Arc::clone(&self.scoring);
        self.score(&scoring, scoring.rules.program(document_type), candidate, beside, out, false);
    }

    /// Measures a candidate, and accounts for each point.
    pub fn measure_and_account(
        &mut self,
        document_type: &str,
        candidate: &Value,
        beside: Beside<'_>,
        out: &mut Assessment,
    ) -> ScoreBreakdown {
        let scoring = Arc::clone(&self.scoring);
        self.score(&scoring, scoring.rules.program(document_type), candidate, beside, out, true)
    }

    /// Measures a candidate that is JSON text. Where nothing in the profile needs a tree of it (a schema, a script, a path with a
    /// filter, values that are looked up in a source), none is built.
    ///
    /// # Errors
    /// Fails if the text is not JSON. Then `out` is empty.
    pub fn measure_text(
        &mut self,
        document_type: &str,
        candidate: &str,
        beside: Beside<'_>,
        out: &mut Assessment,
    ) -> Result<(), serde_json::Error> {
        out.clear();
        let mut text = serde_json::Deserializer::from_str(candidate);
        let read = self.reader(document_type, beside.source.is_some()).deserialize(&mut text)?;
        text.end()?;
        self.measure_read(&read, beside, out);
        Ok(())
    }

    /// Reads a candidate for [`Assessor::measure_read`]; with a source if it is to be measured beside one.
    #[must_use]
    pub(super) fn reader(&self, document_type: &str, with_source: bool) -> CandidateReader {
        let program = self.scoring.rules.program(document_type);
        let is_grounded = with_source && program.is_grounded();
        CandidateReader::new(&self.scoring, program, is_grounded || self.scoring.kind == CandidateKind::Patch)
    }

    /// Measures a candidate by what it was read for.
    pub(super) fn measure_read(
        &mut self,
        candidate: &ReadCandidate<'_>,
        beside: Beside<'_>,
        out: &mut Assessment,
    ) {
        let ReadCandidate { scoring, program, form } = candidate;
        match form {
            Form::Tree(tree) => _ = self.score(scoring, program, tree, beside, out, false),
            Form::Read { nodes, slots } => {
                out.clear();
                self.fuel.refill();
                let Some(item) = Item::read(nodes) else { return };
                let fields = FieldSlots::Read(nodes, slots);
                let candidate = Candidate { item, tree: None, fields: &fields };
                Machine::new(program, scoring, &candidate, beside, out, &mut self.room, &self.fuel).run();
            }
        }
    }

    fn score(
        &mut self,
        scoring: &Scoring,
        program: &Program,
        candidate: &Value,
        beside: Beside<'_>,
        out: &mut Assessment,
        accounting: bool,
    ) -> ScoreBreakdown {
        let Beside { source, given, .. } = beside;
        out.clear();
        self.fuel.refill();
        let subject = match scoring.subject(candidate, source) {
            Ok(subject) => subject,
            Err(issues) => {
                for name in &program.dimensions {
                    let score = given.iter().find(|(known, _)| known.as_str() == name.as_ref());
                    out.scores.set(name, score.map_or(Score::ZERO, |(_, score)| *score));
                }
                out.issues.extend(issues);
                out.weigh(&program.overall);
                return if accounting {
                    unusable_patch(program, given, out)
                } else {
                    ScoreBreakdown::default()
                };
            }
        };
        let document = source.and_then(Source::document).filter(|_| scoring.sets_old_apart());
        let pre_existing = document.map(|document| {
            let mut before = Assessment::default();
            let fields = FieldSlots::of_tree(document, &program.fields, &mut self.slots);
            let beside = Beside { quotes: None, judged: None, ..beside };
            let document_before = Candidate { item: document.into(), tree: Some(document), fields: &fields };
            let room = &mut self.room;
            Machine::new(program, scoring, &document_before, beside, &mut before, room, &self.fuel).run();
            fields.end(&mut self.slots);
            PreExisting::of(before.issues, document, candidate)
        });
        let tree = subject.value();
        let fields = FieldSlots::of_tree(tree, &program.fields, &mut self.slots);
        let candidate = Candidate { item: tree.into(), tree: Some(tree), fields: &fields };
        let mut machine = Machine::new(program, scoring, &candidate, beside, out, &mut self.room, &self.fuel)
            .after(pre_existing.as_ref());
        let account = if accounting {
            machine.run_and_account()
        } else {
            machine.run();
            ScoreBreakdown::default()
        };
        fields.end(&mut self.slots);
        account
    }
}

/// The account of a patch that can't be applied: everything is lost where no score was given.
fn unusable_patch(program: &Program, given: &[(String, Score)], out: &Assessment) -> ScoreBreakdown {
    let dimension = |name: &Arc<str>| {
        let score = out.scores.get(name);
        let by = if given.iter().any(|(known, _)| known.as_str() == name.as_ref()) {
            MeasureKind::Given
        } else {
            MeasureKind::InvalidPatch
        };
        let why = match by {
            MeasureKind::Given => "the score was given",
            _ => "the patch can't be applied, which is 0 in every dimension",
        };
        let losses = vec![Loss::other(1.0 - score.unwrap_or(Score::ZERO).get(), why)];
        DimensionBreakdown { dimension: Arc::clone(name), score, by, losses }
    };
    ScoreBreakdown { dimensions: program.dimensions.iter().map(dimension).collect() }
}
