//! Runs a program over one candidate.

use super::assessment::{Assessment, Issue, SourceSpan};
use super::combine::combine;
use super::evaluate::{Item, Scope};
use super::grounded::{self, Names, Source};
use super::grounding::Scratch;
use super::wording::{check_issue, plain_issue, schema_issue, script_issue};
use crate::profile::{Counts, Dispositions, Weight};
use crate::rules::{
    Address, CompiledRules, Importance, Index, IssueText, Op, OpSubject, Program, RubricField, SchemaCheck,
};
use crate::script::{Arguments, FunctionId, ScriptError, ScriptSet};
use crate::value::{Disposition, Pointer, Score, Segment, Severity, is_present};
use serde_json::Value;
use std::sync::Arc;

/// Most issues that one schema adds; the score counts all errors.
const MAX_SCHEMA_ISSUES: usize = 1_000;

/// The value of a field that a candidate lacks.
static ABSENT: Value = Value::Null;

/// Room that is kept between candidates.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// For writing numbers in.
    pub text: String,
    /// Scores of an ensemble's members.
    pub members: Vec<Option<(Score, Weight)>>,
    pub grounding: Scratch,
}

pub(super) struct Machine<'a> {
    pub program: &'a Program,
    pub scripts: &'a ScriptSet,
    pub dispositions: &'a Dispositions,
    pub names: &'a Names,
    pub candidate: &'a Value,
    pub source: Option<&'a Source>,
    pub given: &'a [(String, Score)],
    pub out: &'a mut Assessment,
    pub room: &'a mut Room,
    /// What the last test said.
    flag: bool,
    /// Weights of present fields, and of all.
    sums: (f64, f64),
    /// How many issues there were when the rule set began.
    issues_before: usize,
    /// The candidate as scripts see it, made when the first one is called.
    arguments: Option<Arguments>,
}

impl<'a> Machine<'a> {
    #[expect(
        clippy::too_many_arguments,
        reason = "called once; a struct of the same fields would say no more"
    )]
    pub(super) fn new(
        program: &'a Program,
        rules: &'a CompiledRules,
        names: &'a Names,
        candidate: &'a Value,
        source: Option<&'a Source>,
        given: &'a [(String, Score)],
        out: &'a mut Assessment,
        room: &'a mut Room,
    ) -> Self {
        Machine {
            program,
            scripts: rules.scripts(),
            dispositions: rules.dispositions(),
            names,
            candidate,
            source,
            given,
            out,
            room,
            flag: false,
            sums: (0.0, 0.0),
            issues_before: 0,
            arguments: None,
        }
    }

    /// Runs the whole program and sets the overall score.
    pub(super) fn run(&mut self) {
        let end = Address::try_from(self.program.ops.len()).unwrap_or(Address::MAX);
        let scope = Scope { candidate: self.candidate, value: self.candidate, at: &Pointer::ROOT };
        self.run_range(0, end, &scope);
        let scores = &self.out.scores;
        self.out.overall = self.program.overall.of(|name| scores.get(name)).get();
    }

    fn run_range(&mut self, from: Address, end: Address, scope: &Scope<'_>) {
        let program = self.program;
        let mut next = from;
        while next < end {
            let Some(op) = program.ops.get(next as usize).copied() else { return };
            next += 1;
            match op {
                Op::Given { dimension, to } => {
                    let name = program.dimension(dimension).map_or("", AsRef::as_ref);
                    if let Some((_, score)) = self.given.iter().find(|(given, _)| given == name) {
                        self.score(dimension, *score);
                        next = to;
                    }
                }
                Op::BeginRubric => self.sums = (0.0, 0.0),
                Op::Weigh { field } => {
                    if let Some(field) = program.fields.get(field as usize) {
                        self.weigh(field);
                    }
                }
                Op::EndRubric { dimension } => {
                    let (present, all) = self.sums;
                    self.score(dimension, Score::clamped(if all > 0.0 { present / all } else { 0.0 }));
                }
                Op::Schema { dimension, schema } => {
                    if let Some(schema) = program.schemas.get(schema as usize) {
                        let candidate = self.candidate;
                        let errors = self.validate(schema, candidate, "", None);
                        // LOOP, Scoring, schema: max(0, 1 − errors / max(total_fields, 1)).
                        #[expect(
                            clippy::cast_precision_loss,
                            reason = "counts of errors and fields are far below 2^52"
                        )]
                        let share = errors as f64 / schema.schema.total_fields.max(1) as f64;
                        self.score(dimension, Score::clamped(1.0 - share));
                    }
                }
                Op::Ground { dimension, settings } => self.ground(dimension, settings),
                Op::Measure { dimension, function } => self.measure(dimension, function),
                Op::BeginEnsemble => self.room.members.clear(),
                Op::Member { dimension, weight } => {
                    let name = program.dimension(dimension).map_or("", AsRef::as_ref);
                    let score = self.out.scores.take(name);
                    self.room.members.push(score.map(|score| (score, weight)));
                }
                Op::Combine { dimension, how, disagreement } => {
                    // A member that could not be measured leaves the dimension without a score, as it would alone.
                    let members = &mut self.room.members;
                    if members.iter().all(Option::is_some) {
                        let scores: Vec<(Score, Weight)> = members.iter().flatten().copied().collect();
                        let name = program.dimension(dimension).map_or("", AsRef::as_ref);
                        let issue = disagreement.and_then(|bound| bound.issue(name, &scores));
                        self.out.issues.extend(issue);
                        if let Some(score) = combine(how, scores) {
                            self.score(dimension, score);
                        }
                    }
                }
                Op::BeginRules => self.issues_before = self.out.issues.len(),
                Op::EndRules { dimension, penalty, floor, counts } => {
                    let found =
                        self.out.issues.iter().skip(self.issues_before).filter(|issue| match counts {
                            Counts::All => true,
                            Counts::Blocking => issue.disposition != Disposition::Warn,
                        });
                    #[expect(clippy::cast_precision_loss, reason = "counts of issues are far below 2^52")]
                    let found = found.count() as f64;
                    self.score(dimension, Score::clamped((1.0 - penalty.get() * found).max(floor.get())));
                }
                Op::Field { name, end } => {
                    if let Some(name) = program.names.get(name as usize) {
                        let value = self.candidate.get(name.as_ref()).unwrap_or(&ABSENT);
                        let at = Pointer::ROOT.child(Segment::Key(name));
                        self.run_range(next, end, &Scope { candidate: self.candidate, value, at: &at });
                    }
                    next = end;
                }
                Op::Each { path, end } => {
                    if let Some(path) = program.paths.get(path as usize) {
                        let candidate = self.candidate;
                        path.visit(candidate, &mut |at, value| {
                            self.run_range(next, end, &Scope { candidate, value, at });
                        });
                    }
                    next = end;
                }
                Op::Test { subject, test } => self.flag = self.test(subject, test, scope),
                Op::Not => self.flag = !self.flag,
                Op::IfTrue(to) if self.flag => next = to,
                Op::IfFalse(to) if !self.flag => next = to,
                Op::IfAbsent(to) if !is_present(scope.value) => next = to,
                Op::IfTrue(_) | Op::IfFalse(_) | Op::IfAbsent(_) => {}
                Op::Jump(to) => next = to,
                Op::Report { issue, check } => {
                    if let Some((text, check)) =
                        program.issues.get(issue as usize).zip(program.checks.get(check as usize))
                    {
                        self.out.issues.push(check_issue(text, check, program, self.dispositions, scope));
                    }
                }
                Op::Conform { issue, schema } => {
                    let text = program.issues.get(issue as usize);
                    if let (Some(text), Some(schema)) = (text, program.schemas.get(schema as usize)) {
                        self.validate(schema, scope.value, &scope.at.to_string(), Some(text));
                    }
                }
                Op::Script { issue, function } => self.find_by_script(issue, function, scope),
            }
        }
    }

    fn score(&mut self, dimension: Index, score: Score) {
        if let Some(name) = self.program.dimension(dimension) {
            self.out.scores.set(name, score);
        }
    }

    fn test(&mut self, subject: OpSubject, test: Index, scope: &Scope<'_>) -> bool {
        let Some(test) = self.program.tests.get(test as usize) else { return false };
        let room = &mut self.room.text;
        match subject {
            OpSubject::Value => scope.holds(test, Item::from(scope.value), room),
            OpSubject::Key => scope.key_holds(test, room),
            OpSubject::At(index) => match self.program.references.get(index as usize) {
                Some(reference) => scope.any_holds(test, reference, room),
                None => false,
            },
        }
    }

    /// LOOP, Scoring, rubric: adds a field to both sums, unless it is said not to be in the document.
    fn weigh(&mut self, field: &RubricField) {
        let claimed = self.candidate.get(&field.status).and_then(Value::as_str) == Some("not_present");
        if claimed {
            let mention = self.source.and_then(|source| {
                let text = source.text();
                let found = field.mentions.iter().find_map(|mention| mention.find(text))?;
                let before = text.get(..found.start())?.chars().count();
                Some(SourceSpan { start: before, end: before + found.as_str().chars().count() })
            });
            let Some(mention) = mention else { return };
            self.sums.1 += field.weight;
            let message = format!("`{}` is said to be absent, but the source speaks of it", field.name);
            let issue =
                plain_issue("NOT_PRESENT_BUT_MENTIONED", Severity::Major, pointer(&field.name), message);
            self.found(Issue {
                suggested_fix: field.suggestion.clone(),
                source_span: Some(mention),
                ..issue
            });
            self.note_missing(field);
            return;
        }
        self.sums.1 += field.weight;
        if self.candidate.get(field.name.as_ref()).is_some_and(is_present) {
            self.sums.0 += field.weight;
            return;
        }
        self.note_missing(field);
        let severity = match field.importance {
            Importance::Required => Severity::Major,
            Importance::Important => Severity::Minor,
            Importance::Optional => return,
        };
        let message = format!("{} field `{}` is missing", field.importance.as_str(), field.name);
        let issue = plain_issue("MISSING_FIELD", severity, pointer(&field.name), message);
        self.found(Issue { suggested_fix: field.suggestion.clone(), ..issue });
    }

    /// Adds an issue that the machine words itself; its code says who handles it.
    fn found(&mut self, issue: Issue) {
        let disposition = self.dispositions.of(&issue.code, issue.auto_fixable);
        self.out.issues.push(Issue { disposition, ..issue });
    }

    fn note_missing(&mut self, field: &RubricField) {
        if !self.out.missing.contains(&field.name) {
            self.out.missing.push(Arc::clone(&field.name));
        }
    }

    /// Adds an issue for each error that a schema finds in the value at `at`, worded by a rule if one asks, and counts
    /// the errors.
    fn validate(&mut self, check: &SchemaCheck, value: &Value, at: &str, rule: Option<&IssueText>) -> usize {
        let validator = &check.schema.validator;
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

    fn ground(&mut self, dimension: Index, settings: Index) {
        let Some(settings) = self.program.groundings.get(settings as usize) else { return };
        let Some(source) = self.source else {
            let name = self.program.dimension(dimension).map_or("", AsRef::as_ref);
            let message = format!("there is no source text, so `{name}` can't be measured");
            let issue = plain_issue("NO_SOURCE", Severity::Minor, String::new(), message);
            self.out.issues.push(Issue { disposition: Disposition::Warn, ..issue });
            return;
        };
        let before = self.out.issues.len();
        let score = grounded::ground(
            self.candidate,
            self.names,
            source,
            settings,
            &mut self.room.grounding,
            self.out,
        );
        for issue in self.out.issues.iter_mut().skip(before) {
            issue.disposition = self.dispositions.of(&issue.code, issue.auto_fixable);
        }
        self.score(dimension, score);
    }

    fn arguments(&mut self) -> &Arguments {
        let (candidate, source) = (self.candidate, self.source);
        self.arguments.get_or_insert_with(|| Arguments::assessment(candidate, source.map(Source::text)))
    }

    fn measure(&mut self, dimension: Index, function: FunctionId) {
        let scripts = self.scripts;
        match scripts.number(function, self.arguments()) {
            Ok(number) => self.score(dimension, Score::clamped(number)),
            Err(error) => self.script_failed(&error, None),
        }
    }

    fn find_by_script(&mut self, issue: Index, function: FunctionId, scope: &Scope<'_>) {
        let Some(text) = self.program.issues.get(issue as usize) else { return };
        let scripts = self.scripts;
        match scripts.findings(function, self.arguments()) {
            Ok(findings) => {
                let dispositions = self.dispositions;
                let issues =
                    findings.into_iter().map(|finding| script_issue(text, finding, dispositions, scope));
                self.out.issues.extend(issues);
            }
            Err(error) => self.script_failed(&error, Some(&text.rule)),
        }
    }

    /// A failed script is an issue of its rule set: what could not be checked is not taken to be right.
    fn script_failed(&mut self, error: &ScriptError, rule: Option<&Arc<str>>) {
        let issue = plain_issue("SCRIPT_FAILED", Severity::Major, String::new(), error.to_string());
        self.out.issues.push(Issue { disposition: Disposition::Escalate, rule: rule.cloned(), ..issue });
    }
}

fn pointer(field: &str) -> String {
    let mut pointer = String::new();
    crate::value::push_segment(&mut pointer, Segment::Key(field));
    pointer
}
