//! What profile and rules become for one document type: a flat list of operations and the tables they point into.

use super::rubric::{Importance, KnownFrom};
use super::rule::IssueText;
use super::schema::SchemaCheck;
use super::slots::Slots;
use super::test::{Reference, Test};
use crate::profile::{Combine, Counts, Disagreement, Overall, Weight};
use crate::script::{FunctionId, ScriptSet};
use crate::value::{Disposition, JsonPath, Score, Severity, TextPattern};
use std::fmt::{self, Write};
use std::sync::Arc;

/// Everything that assessing a candidate of one document type needs. Immutable, shared by all documents.
///
/// Jumps only go forward, so every program ends.
#[derive(Debug)]
pub struct Program {
    /// The document type, or `unknown`.
    pub document_type: Arc<str>,
    /// What is done, in this order.
    pub ops: Vec<Op>,
    /// Names of dimensions, in the order of the profile.
    pub dimensions: Vec<Arc<str>>,
    /// How the overall score follows.
    pub overall: Overall,
    /// What tests ask.
    pub tests: Vec<Test>,
    /// Places that tests look at besides their target.
    pub references: Vec<Reference>,
    /// Top-level fields that rubrics and rules are about.
    pub slots: Slots,
    /// Paths that rules are about.
    pub paths: Vec<RulePath>,
    /// What the issues of each rule say.
    pub issues: Vec<IssueText>,
    /// What fails when a check fails.
    pub checks: Vec<Check>,
    /// Fields of rubrics.
    pub fields: Vec<RubricField>,
    /// Schemas of candidates.
    pub schemas: Vec<SchemaCheck>,
    /// Settings of grounding measures.
    pub groundings: Vec<GroundingSettings>,
}

/// A path that a rule is about.
#[derive(Debug, Clone)]
pub struct RulePath {
    /// The path.
    pub path: JsonPath,
    /// Where a candidate has the field that the path begins with, in [`Program::slots`], if it begins with one.
    pub slot: Option<Index>,
}

/// Position of an operation.
pub type Address = u32;
/// Position in a table of the program.
pub type Index = u32;

/// One step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    /// If the dimension's value was given from outside, take it and go to `to`.
    Given {
        /// Which dimension.
        dimension: Index,
        /// Past its measure.
        to: Address,
    },
    /// Start the two sums of a rubric.
    BeginRubric,
    /// Add a field's weight to the sums.
    Weigh {
        /// In [`Program::fields`].
        field: Index,
    },
    /// The dimension is the quotient of the sums.
    EndRubric {
        /// Which dimension.
        dimension: Index,
    },
    /// The dimension is what the schema says.
    Schema {
        /// Which dimension.
        dimension: Index,
        /// In [`Program::schemas`].
        schema: Index,
    },
    /// The dimension is the share of values that the source supports.
    Ground {
        /// Which dimension.
        dimension: Index,
        /// In [`Program::groundings`].
        settings: Index,
    },
    /// The dimension is what a function returns, clamped.
    Measure {
        /// Which dimension.
        dimension: Index,
        /// Which function.
        function: FunctionId,
    },
    /// Start an ensemble.
    BeginEnsemble,
    /// What the dimension was just given is a member's score.
    Member {
        /// Which dimension.
        dimension: Index,
        /// How much it counts, where weights count.
        weight: Weight,
    },
    /// The dimension is what the members' scores make.
    Combine {
        /// Which dimension.
        dimension: Index,
        /// How they become one.
        how: Combine,
        /// When they differ too much.
        disagreement: Option<Disagreement>,
    },
    /// Start counting issues.
    BeginRules,
    /// The dimension is 1 less a penalty for each issue since [`Op::BeginRules`].
    EndRules {
        /// Which dimension.
        dimension: Index,
        /// Taken off for each issue.
        penalty: Score,
        /// The least it can be.
        floor: Score,
        /// Which issues count.
        counts: Counts,
    },
    /// Run the operations up to `end` with a top-level field as target, `null` when it is absent.
    Field {
        /// In [`Program::slots`].
        slot: Index,
        /// Past the body.
        end: Address,
    },
    /// Run the operations up to `end` with each value that a path selects as target.
    Each {
        /// In [`Program::paths`].
        path: Index,
        /// Past the body.
        end: Address,
    },
    /// Set the flag to what a test says.
    Test {
        /// What it looks at.
        subject: OpSubject,
        /// In [`Program::tests`].
        test: Index,
    },
    /// Turn the flag round.
    Not,
    /// Go on there if the flag is set.
    IfTrue(Address),
    /// Go on there if the flag is not set.
    IfFalse(Address),
    /// Go on there if the target is absent.
    IfAbsent(Address),
    /// Go on there.
    Jump(Address),
    /// The rule's check has failed.
    Report {
        /// In [`Program::issues`].
        issue: Index,
        /// In [`Program::checks`].
        check: Index,
    },
    /// Let a schema find the rule's issues in the target.
    Conform {
        /// In [`Program::issues`].
        issue: Index,
        /// In [`Program::schemas`].
        schema: Index,
    },
    /// Let a function find the rule's issues.
    Script {
        /// In [`Program::issues`].
        issue: Index,
        /// Which function.
        function: FunctionId,
    },
}

/// What a test looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpSubject {
    /// The target.
    Value,
    /// The target's key or index.
    Key,
    /// The document's text.
    Source,
    /// In [`Program::references`].
    At(Index),
}

/// What is said when a check fails and its rule has no message.
#[derive(Debug, Clone)]
pub struct Check {
    /// What would have passed, in words that follow "expected".
    pub expected: String,
    /// The test whose references the issue is about, in [`Program::tests`]; else it is about the target.
    pub blames: Option<Index>,
    /// Whether it failed because the target is absent.
    pub is_presence: bool,
}

/// A field of a rubric, for one document type.
#[derive(Debug, Clone)]
pub struct RubricField {
    /// Its name.
    pub name: Arc<str>,
    /// Where a candidate has it, in [`Program::slots`].
    pub slot: Index,
    /// Where it has `<name>_status`.
    pub status: Index,
    /// How much it matters.
    pub importance: Importance,
    /// What it weighs.
    pub weight: f64,
    /// Patterns that show that the source speaks of it.
    pub mentions: Vec<TextPattern>,
    /// What to do when it is missing.
    pub suggestion: Option<String>,
    /// Where the host takes it from.
    pub from: Option<KnownFrom>,
}

/// Settings of a grounding measure.
#[derive(Debug, Clone)]
pub struct GroundingSettings {
    /// Least similarity of a fuzzy match.
    pub fuzzy: Score,
    /// Severity of the issue about a value that is not in the source.
    pub severity: Severity,
    /// Top-level fields that are not checked.
    pub ignore: Vec<String>,
    /// Top-level fields that the host fills in with the text itself: as such they say nothing for or against the rest.
    pub known: Vec<String>,
    /// What a value counts whose quote is there, but undecided.
    pub quoted: Score,
    /// What a value counts that is said, while another is said as well.
    pub conflicting: Score,
    /// Whether a judge is to decide what quotes leave undecided.
    pub judged: bool,
}

impl Program {
    /// The name of a dimension.
    #[must_use]
    pub(crate) fn dimension(&self, index: Index) -> Option<&Arc<str>> {
        self.dimensions.get(index as usize)
    }

    /// The program for people: one line for each operation, with what it points at.
    #[must_use]
    pub(crate) fn listing(&self, scripts: &ScriptSet) -> String {
        let mut out = format!("program for {}\n", self.document_type);
        for (address, op) in self.ops.iter().enumerate() {
            // Writing to a String can't fail.
            let _ = writeln!(out, "{address:4}  {}", self.describe(*op, scripts));
        }
        let _ = match &self.overall {
            Overall::From(name) => writeln!(out, "overall = {name}"),
            Overall::Weighted(weights) => {
                let terms: Vec<String> =
                    weights.iter().map(|(name, weight)| format!("{weight} × {name}")).collect();
                writeln!(out, "overall = {}", terms.join(" + "))
            }
        };
        out
    }

    fn describe(&self, op: Op, scripts: &ScriptSet) -> String {
        let dimension = |index: Index| self.dimension(index).map_or("?", |name| name.as_ref()).to_owned();
        match op {
            Op::Given { dimension: d, to } => format!("given       {} → {to}", dimension(d)),
            Op::BeginRubric => "rubric".to_owned(),
            Op::Weigh { field } => match self.fields.get(field as usize) {
                Some(f) => format!("weigh       {} ({}, {})", f.name, f.importance.as_str(), f.weight),
                None => "weigh       ?".to_owned(),
            },
            Op::EndRubric { dimension: d } => format!("score       {} = present / all", dimension(d)),
            Op::Schema { dimension: d, schema } => {
                let (name, total) = self
                    .schemas
                    .get(schema as usize)
                    .map_or(("?", 0), |s| (s.schema.name.as_str(), s.schema.total_fields));
                format!("schema      {} = {name} ({total} fields)", dimension(d))
            }
            Op::Ground { dimension: d, settings } => {
                let fuzzy = self.groundings.get(settings as usize).map_or(Score::ZERO, |g| g.fuzzy);
                format!("ground      {} (fuzzy {fuzzy})", dimension(d))
            }
            Op::Measure { dimension: d, function } => {
                format!("measure     {} = {}", dimension(d), scripts.name(function))
            }
            Op::BeginEnsemble => "ensemble".to_owned(),
            Op::Member { weight, .. } if weight == Weight::ONE => "member".to_owned(),
            Op::Member { weight, .. } => format!("member      weight {}", weight.get()),
            Op::Combine { dimension: d, how, .. } => {
                format!("combine     {} = {}", dimension(d), how.as_str())
            }
            Op::BeginRules => "rules".to_owned(),
            Op::EndRules { dimension: d, penalty, floor, counts } => {
                format!(
                    "score       {} = 1 - {} × {}issues, at least {}",
                    dimension(d),
                    penalty.get(),
                    if counts == Counts::Blocking { "blocking " } else { "" },
                    floor.get()
                )
            }
            Op::Field { slot, end } => {
                let name = self.slots.name(slot).map_or("?", AsRef::as_ref);
                format!("field       {name} → {end}")
            }
            Op::Each { path, end } => {
                let path = self.paths.get(path as usize).map_or("?", |path| path.path.as_str());
                format!("each        {path} → {end}")
            }
            Op::Test { subject, test } => {
                let subject = match subject {
                    OpSubject::Value => "value".to_owned(),
                    OpSubject::Key => "key".to_owned(),
                    OpSubject::Source => "source".to_owned(),
                    OpSubject::At(index) => {
                        self.references.get(index as usize).map_or("?".to_owned(), ToString::to_string)
                    }
                };
                let test = self.tests.get(test as usize).map_or("?".to_owned(), ToString::to_string);
                format!("test        {subject}: {test}")
            }
            Op::Not => "not".to_owned(),
            Op::IfTrue(to) => format!("if true     → {to}"),
            Op::IfFalse(to) => format!("if false    → {to}"),
            Op::IfAbsent(to) => format!("if absent   → {to}"),
            Op::Jump(to) => format!("jump        → {to}"),
            Op::Report { issue, .. } => match self.issues.get(issue as usize) {
                Some(i) => {
                    let disposition = i.disposition.map_or("by code", Disposition::as_str);
                    format!("report      {} ({}, {disposition})", i.rule, i.severity.as_str())
                }
                None => "report      ?".to_owned(),
            },
            Op::Conform { issue, schema } => {
                let rule = self.issues.get(issue as usize).map_or("?", |i| i.rule.as_ref());
                let name = self.schemas.get(schema as usize).map_or("?", |s| s.schema.name.as_str());
                format!("conform     {rule} by {name}")
            }
            Op::Script { issue, function } => {
                let rule = self.issues.get(issue as usize).map_or("?", |i| i.rule.as_ref());
                format!("script      {rule} by {}", scripts.name(function))
            }
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.listing(&ScriptSet::new()))
    }
}
