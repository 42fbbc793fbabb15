//! Runs a program over one candidate.

use super::account::{DimensionBreakdown, Loss, MeasureKind, Opinion, ScoreBreakdown, capped, combined};
use super::assessment::Assessment;
use super::assessor::{Beside, MAX_STEPS, Scoring};
use super::combine::combine;
use super::doubtful_reading::DOUBTFUL_READING;
use super::grounded;
use super::issue::Issue;
use super::judged::Judged;
use super::parted::{NO_PARTS_EXTRACTED, PARTS_SKIPPED};
use super::placeholder::{Finder, Placeholders};
use super::pre_existing::PreExisting;
use super::quotes::Quotes;
use super::source::Source;
use super::source_answers::SourceAnswers;
use super::wording::{plain_issue, schema_issue};
use crate::profile::{CandidateKind, Combine, Disagreement, Dispositions, PLACEHOLDER_VALUE, Weight};
use crate::rules::{
    CompiledMeasure, FieldSlots, GroundingSettings, Index, IssueText, Memo, Program, SchemaCheck,
};
use crate::script::{Arguments, FunctionId, ScriptError, ScriptSet};
use crate::value::{Disposition, Fuel, Item, Score, Severity};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// Most issues that one schema adds; the score counts all errors.
const MAX_SCHEMA_ISSUES: usize = 1_000;

/// The value that scripts see of a candidate that is not a tree; those that have scripts are read as trees.
static NO_TREE: Value = Value::Null;

/// The code of the issue that a script broke, and nothing about what it inspected.
pub const SCRIPT_FAILED: &str = "SCRIPT_FAILED";

/// Room that is kept between candidates.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    /// For writing numbers in.
    pub text: String,
    /// Issues about missing optional fields of the current rubric, and their weights.
    pub optional: Vec<(usize, f64)>,
    /// Scores of an ensemble's members.
    pub members: Vec<Option<(Score, Weight)>>,
    pub of_source: SourceAnswers,
    pub grounding: grounded::Room,
}

/// A candidate that is ready to be scored.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub item: Item<'a>,
    /// The candidate as a tree, unless it was read from text.
    pub tree: Option<&'a Value>,
    pub fields: &'a FieldSlots<'a>,
}

pub(super) struct Machine<'a> {
    pub program: &'a Program,
    pub scripts: &'a ScriptSet,
    pub dispositions: &'a Dispositions,
    /// The data prepared for all documents; the names that grounding needs of it are made when one is first asked for.
    pub scoring: &'a Scoring,
    pub candidate: Item<'a>,
    /// The candidate as a tree, unless it was read from text.
    pub tree: Option<&'a Value>,
    /// Its top-level fields.
    pub fields: &'a FieldSlots<'a>,
    pub source: Option<&'a Source>,
    pub given: &'a [(String, Score)],
    pub quotes: Option<&'a Quotes>,
    pub judged: Option<&'a Judged>,
    /// The mistakes from before the candidate, which is an edit, was made; they do not count against it.
    pub pre_existing: Option<&'a PreExisting>,
    pub out: &'a mut Assessment,
    pub room: &'a mut Buffers,
    pub fuel: &'a Fuel,
    /// Texts of the candidate that are in place of values.
    pub placeholders: Placeholders,
    /// Issues of the current rules that cost nothing.
    pub free: Vec<Range<usize>>,
    /// The candidate as scripts see it, made when the first one is called.
    arguments: Option<Arguments>,
    /// The account of each point, if it is asked for.
    pub ledger: Option<Box<Ledger>>,
}

/// The data kept about each measure for the account.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    account: ScoreBreakdown,
    /// Fields of the current rubric that are not present: the issue about each, its name, its weight.
    pub missing: Vec<(Option<usize>, Arc<str>, f64)>,
    /// Members of the current ensemble; `None` for one that could not be measured.
    members: Vec<Option<Opinion>>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        program: &'a Program,
        scoring: &'a Scoring,
        candidate: &Candidate<'a>,
        beside: Beside<'a>,
        out: &'a mut Assessment,
        room: &'a mut Buffers,
        fuel: &'a Fuel,
    ) -> Self {
        if let Some(source) = beside.source {
            room.of_source.begin(source, program);
        }
        let rules = scoring.rules();
        Machine {
            program,
            scripts: rules.scripts(),
            dispositions: rules.dispositions(),
            scoring,
            candidate: candidate.item,
            tree: candidate.tree,
            fields: candidate.fields,
            source: beside.source,
            given: beside.given,
            quotes: beside.quotes,
            judged: beside.judged,
            pre_existing: None,
            out,
            room,
            fuel,
            placeholders: Placeholders::default(),
            free: Vec::new(),
            arguments: None,
            ledger: None,
        }
    }

    /// Returns this machine for an edit of a document that had these mistakes before.
    pub(super) fn after(self, pre_existing: Option<&'a PreExisting>) -> Self {
        Machine { pre_existing, ..self }
    }

    /// Runs the whole program and sets the overall score, and accounts for each point.
    pub(super) fn run_and_account(&mut self) -> ScoreBreakdown {
        self.ledger = Some(Box::default());
        self.run();
        let mut account = self.ledger.take().map(|ledger| ledger.account).unwrap_or_default();
        let order = &self.program.dimensions;
        for name in order.iter().filter(|name| self.out.scores.get(name).is_none()) {
            account.set(DimensionBreakdown::unmeasured(name, "it was not measured, which counts 0"));
        }
        account
            .dimensions
            .sort_by_key(|accounted| order.iter().position(|name| *name == accounted.dimension));
        account
    }

    /// Runs the whole program and sets the overall score.
    pub(super) fn run(&mut self) {
        self.look_at_answer();
        let before = self.out.issues.len();
        self.measure_all();
        // An example that the document turns out not to state is present for no measure, those before included.
        let found = self.out.issues.iter().skip(before);
        if self.placeholders.learn(found) && !self.fuel.is_spent() {
            let mut issues = std::mem::take(&mut self.out.issues);
            issues.truncate(before);
            self.out.clear();
            self.out.issues = issues;
            if let Some(ledger) = &mut self.ledger {
                **ledger = Ledger::default();
            }
            self.measure_all();
        }
        self.say_placeholders();
        self.mark_pre_existing(0);
        if self.fuel.is_spent() {
            self.left_off();
        }
        self.out.weigh(&self.program.overall);
    }

    /// Measures every dimension.
    fn measure_all(&mut self) {
        let program = self.program;
        let memo = RefCell::new(Memo::knowing(self.placeholders.shared()));
        for ((dimension, name), measure) in (0..).zip(&program.dimensions).zip(&program.measures) {
            if self.fuel.is_spent() {
                break;
            }
            match (self.given.iter().find(|(given, _)| **given == **name), measure) {
                (Some((_, score)), _) => self.score(dimension, *score, |_, _| {
                    (MeasureKind::Given, vec![lost(*score, "the score was given")])
                }),
                (None, Some(measure)) => self.measure(dimension, measure, &memo),
                (None, None) => {}
            }
        }
    }

    /// The finder that tells placeholders from values; none for edits, which are held against the document that they
    /// edit.
    fn finder(&self) -> Option<Finder<'a>> {
        let rules = self.scoring.rules();
        let screen = self.scoring.screen();
        let finder =
            || Finder::new(self.program, rules.evidence(), rules.answers(), screen, self.source, self.fuel);
        (self.scoring.kind() == CandidateKind::Value).then(finder)
    }

    /// Looks for placeholders among all leaves where these are looked up in a source, else in the fields of the
    /// rubrics; and for lists and objects where the schema of the answer has none, unless a schema is held against the
    /// candidate anyway.
    fn look_at_answer(&mut self) {
        let Some(finder) = self.finder() else { return };
        let all = self.tree.filter(|_| self.source.is_some() && self.program.is_grounded());
        let is_checked = self.program.is_held_against_a_schema();
        let mut misplaced = Vec::new();
        let mut seen = |name: &str, item: Item<'a>| {
            misplaced.extend(finder.misplaced(name, item).filter(|_| !is_checked));
        };
        self.placeholders = match all.and_then(Value::as_object) {
            Some(members) => {
                let members = || members.iter().map(|(name, value)| (name.as_str(), Item::from(value)));
                members().for_each(|(name, item)| seen(name, item));
                finder.find(members())
            }
            None => {
                let (program, fields) = (self.program, self.fields);
                let members = || {
                    let slots = program.rubric_slots();
                    slots.filter_map(|(field, slot)| Some((&*field.name, fields.get(slot)?)))
                };
                members().for_each(|(name, item)| seen(name, item));
                let is_other = |name: &str| program.rubric_fields().all(|field| *field.name != *name);
                // One that is asked for several times is inspected again, which costs no room.
                let others = self.program.presence_slots().filter(|(name, _)| is_other(name));
                let others = others.filter_map(|(name, slot)| Some((name, fields.get(slot)?)));
                finder.find(members().chain(others))
            }
        };
        if let Some(list @ Value::Array(_)) = self.tree {
            misplaced.extend(finder.misplaced_whole(list.into()).filter(|_| !is_checked));
        }
        misplaced.into_iter().for_each(|issue| self.found(issue));
    }

    /// Returns whether the candidate is a value, and no edit of a document.
    pub(super) fn is_value(&self) -> bool {
        self.scoring.kind() == CandidateKind::Value
    }

    /// Adds the issues about placeholders that no measure has reported, and about superfluous members: an answer that
    /// lacks fields may have them in there.
    fn say_placeholders(&mut self) {
        let placeholders = std::mem::take(&mut self.placeholders);
        if !placeholders.is_empty() {
            let of_them = self.out.issues.iter().filter(|issue| issue.code == PLACEHOLDER_VALUE);
            let told: HashSet<String> = of_them.map(|issue| issue.path.to_string()).collect();
            placeholders.issues_but(&told).for_each(|issue| self.found(issue));
        }
        if self.program.is_held_against_a_schema() {
            return;
        }
        let Some(finder) = self.finder() else { return };
        // Only if there are issues: an answer without a mistake costs nothing.
        let is_wrong = !self.out.issues.is_empty() && self.scoring.screen().is_closed_below;
        if let Some(tree) = self.tree.filter(|_| is_wrong) {
            finder.unknown_below(tree).into_iter().for_each(|issue| self.found(issue));
        }
        if self.out.missing.is_empty() {
            return;
        }
        let names = self.fields.names(&self.program.fields, self.tree);
        let unknown = finder.unknown_members(names.iter().copied());
        unknown.into_iter().for_each(|issue| self.found(issue));
    }

    fn measure(&mut self, dimension: Index, measure: &'a CompiledMeasure, memo: &RefCell<Memo<'a>>) {
        match measure {
            CompiledMeasure::Rubric(rubric) => self.rubric(dimension, rubric),
            CompiledMeasure::Schema(schema) => self.schema(dimension, schema),
            CompiledMeasure::Rules { rules, penalty, floor, counts } => {
                self.rules(dimension, rules, (*penalty, *floor), *counts, memo);
            }
            CompiledMeasure::Grounding(settings) => self.ground(dimension, settings),
            CompiledMeasure::Script(function) => self.script(dimension, *function),
            CompiledMeasure::Ensemble { members, combine, disagreement } => {
                self.room.members.clear();
                if let Some(ledger) = &mut self.ledger {
                    ledger.members.clear();
                }
                for (member, weight) in members {
                    if let Some(member) = member {
                        self.measure(dimension, member, memo);
                    }
                    if self.fuel.is_spent() {
                        return;
                    }
                    self.keep_member(dimension, *weight);
                }
                self.combine(dimension, *combine, *disagreement);
            }
        }
    }

    fn schema(&mut self, dimension: Index, schema: &SchemaCheck) {
        let Some(candidate) = self.tree else { return };
        let before = self.out.issues.len();
        let errors = self.validate(schema, candidate, "", None);
        let fields = schema.schema.total_fields.max(1);
        // max(0, 1 − errors / max(total_fields, 1)).
        #[expect(clippy::cast_precision_loss, reason = "counts of errors and fields are far below 2^52")]
        let (share, each) = (errors as f64 / fields as f64, 1.0 / fields as f64);
        let score = Score::clamped(1.0 - share);
        self.score(dimension, score, |_, issues| {
            let mut losses = capped(each, 1.0 - score.get(), before..issues.len());
            let rest: f64 = 1.0 - score.get() - losses.iter().map(|loss| loss.points).sum::<f64>();
            if errors > losses.len() {
                losses.push(Loss::other(rest.max(0.0), "errors beyond those that are listed"));
            }
            (MeasureKind::Schema { errors, fields }, losses)
        });
    }

    /// Moves the score that the dimension was just given to the members of the ensemble.
    fn keep_member(&mut self, dimension: Index, weight: Weight) {
        let name = self.program.dimensions.get(dimension as usize).map_or("", AsRef::as_ref);
        let score = self.out.scores.take(name);
        self.room.members.push(score.map(|score| (score, weight)));
        if let Some(ledger) = &mut self.ledger {
            let account = ledger.account.take(name);
            ledger.members.push(account.and_then(|one| one.into_opinion(weight.get())));
        }
    }

    /// Sets the dimension to the combination of the members' scores.
    fn combine(&mut self, dimension: Index, how: Combine, disagreement: Option<Disagreement>) {
        // A member that could not be measured leaves the dimension without a score, as it would alone.
        if !self.room.members.iter().all(Option::is_some) {
            return;
        }
        let Some(name) = self.program.dimensions.get(dimension as usize) else { return };
        let scores: Vec<(Score, Weight)> = self.room.members.iter().flatten().copied().collect();
        let issue = disagreement.and_then(|bound| bound.issue(name, &scores));
        self.out.issues.extend(issue);
        if let Some(score) = combine(how, scores) {
            self.score(dimension, score, |ledger, _| {
                let opinions = ledger.members.drain(..).flatten().collect();
                let account = combined(name, how, score, opinions);
                (account.by, account.losses)
            });
        }
    }

    /// Sets a dimension. `account` describes how it came to its score; it is called only where a ledger is kept.
    pub(super) fn score(
        &mut self,
        dimension: Index,
        score: Score,
        account: impl FnOnce(&mut Ledger, &[Issue]) -> (MeasureKind, Vec<Loss>),
    ) {
        if let Some(name) = self.program.dimensions.get(dimension as usize) {
            self.out.scores.set(name, score);
            if let Some(ledger) = self.ledger.as_deref_mut() {
                let (by, mut losses) = account(ledger, &self.out.issues);
                losses.retain(|loss| loss.issue.is_some() || loss.points > 0.0);
                let dimension = Arc::clone(name);
                ledger.account.set(DimensionBreakdown { dimension, score: Some(score), by, losses });
            }
        }
    }

    /// Marks the issues from `from` on that were there before the edit.
    pub(super) fn mark_pre_existing(&mut self, from: usize) {
        if let (Some(known), Some(issues)) = (self.pre_existing, self.out.issues.get_mut(from..)) {
            known.mark(issues);
        }
    }

    /// Adds an issue that the machine words itself; its code determines its handling.
    pub(super) fn found(&mut self, issue: Issue) {
        let disposition = self.dispositions.of(&issue.code, issue.auto_fixable);
        self.out.issues.push(Issue { disposition, ..issue });
    }

    /// Adds an issue for each error that a schema finds in the value at `at`, worded by a rule if one asks, and counts
    /// the errors.
    pub(super) fn validate(
        &mut self,
        check: &SchemaCheck,
        value: &Value,
        at: &str,
        rule: Option<&IssueText>,
    ) -> usize {
        let validator = match check.schema.for_value(value) {
            Ok(validator) => validator,
            Err(much) => {
                self.unchecked(at.to_owned(), much.to_string(), rule.map(|rule| &rule.rule));
                return check.schema.total_fields.max(1);
            }
        };
        if !self.fuel.spend(check.schema.steps(value)) {
            return check.schema.total_fields.max(1);
        }
        if validator.is_valid(value) {
            return 0;
        }
        let mut errors = 0_usize;
        for error in validator.iter_errors(value) {
            errors += 1;
            if errors <= MAX_SCHEMA_ISSUES {
                let issue = schema_issue(check, &error, at, rule);
                match rule.and_then(|rule| rule.disposition) {
                    Some(disposition) => self.out.issues.push(Issue { disposition, ..issue }),
                    None => self.found(issue),
                }
            }
        }
        errors
    }

    fn ground(&mut self, dimension: Index, settings: &GroundingSettings) {
        let (Some(source), Some(candidate)) = (self.source, self.tree) else {
            let name = self.program.dimensions.get(dimension as usize).map_or("", AsRef::as_ref);
            let why = if self.source.is_none() {
                "there is no source text"
            } else {
                "the candidate was read without its source text"
            };
            let message = format!("{why}, so `{name}` can't be measured");
            let issue = plain_issue("NO_SOURCE", Severity::Minor, "", message);
            self.out.issues.push(Issue { disposition: Disposition::Warn, ..issue });
            return;
        };
        let before = self.out.issues.len();
        let finder = self.finder();
        let share = grounded::ground(
            candidate,
            &self.program.document_type,
            self.scoring.rules().answers().of(&self.program.document_type),
            self.scoring.names(),
            source,
            self.quotes,
            self.judged,
            settings,
            &mut self.room.grounding,
            (&self.placeholders, finder.as_ref()),
            self.fuel,
            self.out,
        );
        if self.fuel.is_spent() {
            return;
        }
        for issue in self.out.issues.iter_mut().skip(before) {
            issue.disposition = match &*issue.code {
                // Matters that the document does not decide are for a person.
                "CONFLICTING_MENTIONS" | DOUBTFUL_READING | NO_PARTS_EXTRACTED | PARTS_SKIPPED => {
                    Disposition::Escalate
                }
                code => self.dispositions.of(code, issue.auto_fixable),
            };
        }
        let score = share.score();
        self.score(dimension, score, |_, _| {
            let grounded::Share { grounded, checked, lost } = share;
            #[expect(clippy::cast_precision_loss, reason = "counts of leaves are far below 2^52")]
            let each = if checked == 0 { 0.0 } else { 1.0 / checked as f64 };
            let losses = match checked {
                0 => vec![Loss::other(1.0, "there is no text and no number to look for in the source")],
                _ => (before..).zip(lost).map(|(issue, part)| Loss::issue(part * each, issue)).collect(),
            };
            (MeasureKind::Grounding { grounded, checked }, losses)
        });
    }

    pub(super) fn arguments(&mut self) -> &Arguments {
        let (candidate, source) = (self.tree.unwrap_or(&NO_TREE), self.source);
        let cancel = self.fuel.cancel();
        self.arguments.get_or_insert_with(|| {
            Arguments::assessment(candidate, source.map(Source::text)).with_cancel(cancel)
        })
    }

    fn script(&mut self, dimension: Index, function: FunctionId) {
        let scripts = self.scripts;
        match scripts.number(function, self.arguments()) {
            Ok(number) => {
                let score = Score::clamped(number);
                let name = scripts.name(function);
                self.score(dimension, score, |_, _| {
                    (
                        MeasureKind::Script,
                        vec![lost(score, &format!("the function `{name}` returned {number:.3}"))],
                    )
                });
            }
            // It was ended, which is reported once for everything that was left off.
            Err(_) if self.fuel.is_spent() => {}
            Err(error) => self.script_failed(&error, None),
        }
    }

    /// Reports that the assessment ended before it was complete. Dimensions that were not inspected have no score,
    /// which counts 0.
    fn left_off(&mut self) {
        let scores = &self.out.scores;
        let unmeasured = self.program.dimensions.iter().filter(|name| scores.get(name).is_none());
        let unmeasured: Vec<String> = unmeasured.map(|name| format!("`{name}`")).collect();
        let why = if self.fuel.cancel().is_cancelled() {
            "it was stopped".to_owned()
        } else {
            format!("the candidate takes more than {MAX_STEPS} steps")
        };
        let without = if unmeasured.is_empty() {
            String::new()
        } else {
            format!("; there is no score for {}", unmeasured.join(", "))
        };
        self.unchecked(
            String::new(),
            format!("the assessment is not complete, because {why}{without}"),
            None,
        );
    }

    /// Adds an issue about something that could not be checked, for a person to review.
    fn unchecked(&mut self, at: String, why: String, rule: Option<&Arc<str>>) {
        let issue = plain_issue("WORK_LIMIT", Severity::Major, at, why);
        self.out.issues.push(Issue { disposition: Disposition::Escalate, rule: rule.cloned(), ..issue });
    }

    /// A failed script is an issue of its rule set: something that could not be checked is not taken to be right.
    pub(super) fn script_failed(&mut self, error: &ScriptError, rule: Option<&Arc<str>>) {
        let issue = plain_issue(SCRIPT_FAILED, Severity::Major, "", error.to_string());
        self.out.issues.push(Issue { disposition: Disposition::Escalate, rule: rule.cloned(), ..issue });
    }
}

impl Ledger {
    /// The cost of the missing fields of the current rubric, where the fields that apply weigh `all`.
    pub(super) fn missing_fields(&mut self, all: f64) -> Vec<Loss> {
        if all <= 0.0 {
            return vec![Loss::other(1.0, "no field of the rubric applies")];
        }
        let loss = |(issue, field, weight): (Option<usize>, Arc<str>, f64)| match issue {
            Some(issue) => Loss::issue(weight / all, issue),
            None => Loss::other(weight / all, format!("optional field `{field}` is missing")),
        };
        self.missing.drain(..).map(loss).collect()
    }
}

/// Everything that a dimension lacks, for one reason.
fn lost(score: Score, why: &str) -> Loss {
    Loss::other(1.0 - score.get(), why)
}
