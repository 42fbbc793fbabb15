//! `rules/evidence.yaml`: how often passages of each pattern were right and wrong on labels of one's own, and the trust that
//! follows.

use crate::diag::{Code, Problem, Problems, SourceFile, nearest};
use crate::mapping;
use crate::profile::{Files, Grounding};
use crate::value::decode::{Decode, Fields, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Node, parse};
use loopctl_ground::{Counts, Labels, Naming, Pattern, Trust, ValueKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most values that anyone counts.
const MOST: i64 = 1_000_000_000_000;

mapping! {
    /// The number of passages of each pattern that held a right value and a wrong one, among labelled values of your
    /// own documents. `loopctl calibrate --evidence --out FILE` writes it, and `grounding: { patterns: FILE }` uses it.
    "evidence" is "table of patterns", checked by EvidenceCounts::check;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct EvidenceCounts {
        /// All values that were inspected, including those without a pattern: how often a pattern occurs is a share of
        /// these.
        #[key(required, examples(&["{ right: 900, wrong: 60 }"]))]
        labelled: ValueCounts => |_| ValueCounts::default(),
        /// Adds the counts that ship where a pattern has fewer than 16 values here. With `false` they are not added,
        /// and such a pattern is taken with the others of this file.
        #[key(default("true"), examples(&["false"]))]
        beside_shipped: bool,
        /// The counts of each pattern: the kind of the value and how its field is named, as results have it.
        #[key(required, examples(&["{ number/statement: { right: 310, wrong: 4 } }"]))]
        patterns: PatternCounts => |_| PatternCounts::default(),
    }
}

mapping! {
    /// Numbers of right and of wrong values.
    "counts" is "pair of counts", expects "`{ right: 12, wrong: 1 }`", all default;
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct ValueCounts {
        /// Right values: reviewers kept them.
        #[key(whole(0, MOST), default("0"), examples(&["310"]))]
        right: u64,
        /// Wrong values: reviewers corrected them, or took them out.
        #[key(whole(0, MOST), default("0"), examples(&["4"]))]
        wrong: u64,
    }
}

/// The counts of each pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct PatternCounts(BTreeMap<String, Counts>);

impl Decode for PatternCounts {
    const EXPECTED: &'static str =
        "a mapping from patterns to counts, such as `{ number/statement: { right: 310, wrong: 4 } }`";

    fn shape() -> Shape {
        Shape::Map(Open {
            key: "KIND/NAMING",
            names: Names::Pattern("^[a-z0-9-]+/[a-z-]+$"),
            doc: "How often such passages were right, and how often wrong.",
            shape: ValueCounts::shape,
            null: Null::Absent,
        })
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Data::Map(entries) = &node.data else { return wrong_type(node, Self::EXPECTED, problems) };
        let mut counts = BTreeMap::new();
        for entry in entries.iter().filter(|entry| !matches!(entry.value.data, Data::Null)) {
            let Some(read) = ValueCounts::decode(&entry.value, problems) else { continue };
            match entry.key.parse::<Pattern>() {
                Ok(pattern) => {
                    counts.insert(pattern.to_string(), Counts { right: read.right, wrong: read.wrong });
                }
                Err(unknown) => {
                    let known: Vec<String> = patterns().collect();
                    let problem = Problem::error(
                        Code::UnknownWord,
                        &entry.key_span,
                        format!("`{}`: {unknown}", entry.key),
                    );
                    problems.push(problem.help(match nearest(&entry.key, known.iter().map(String::as_str)) {
                        Some(guess) => format!("did you mean `{guess}`?"),
                        None => "take the names of patterns from results, or from `loopctl calibrate --evidence`".to_owned(),
                    }));
                }
            }
        }
        Some(PatternCounts(counts))
    }
}

/// The name of every pattern.
fn patterns() -> impl Iterator<Item = String> {
    ValueKind::ALL
        .into_iter()
        .flat_map(|kind| Naming::ALL.into_iter().map(move |naming| Pattern { kind, naming }.to_string()))
}

impl EvidenceCounts {
    /// The table of these labels.
    #[must_use]
    pub fn of(labels: &Labels, beside_shipped: bool) -> Self {
        let Counts { right, wrong } = labels.labelled;
        let patterns = PatternCounts(labels.patterns.clone());
        EvidenceCounts { labelled: ValueCounts { right, wrong }, beside_shipped, patterns }
    }

    /// Reads and checks a file. `None` if it is not a mapping; mistakes go to `problems`.
    pub fn parse(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Self> {
        let root = parse(file, problems)?;
        EvidenceCounts::read_mapping(&root, problems)
    }

    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        let mut sum = Counts::default();
        self.patterns.0.values().for_each(|counts| sum += *counts);
        let ValueCounts { right, wrong } = self.labelled;
        for (what, counted, all) in [("right", sum.right, right), ("wrong", sum.wrong, wrong)] {
            if counted > all {
                let span = fields.key_span("labelled").unwrap_or(fields.span());
                let message =
                    format!("the patterns have {counted} {what} values together, and {all} were labelled");
                problems.push(Problem::error(Code::OutOfRange, span, message).help(format!(
                    "count all labelled values: `labelled` has {counted} {what} ones at least"
                )));
            }
        }
    }

    /// The labels that it has.
    pub fn labels(&self) -> Labels {
        let ValueCounts { right, wrong } = self.labelled;
        Labels { labelled: Counts { right, wrong }, patterns: self.patterns.0.clone() }
    }

    /// The precision of passages by these counts, at an assumed share of mistakes.
    #[must_use]
    pub fn trust(&self, mistakes: f64) -> Trust {
        Trust::from_labels(&self.labels(), self.beside_shipped, mistakes)
    }

    /// The file as YAML; `about` says where the counts are from, a line each.
    #[must_use]
    pub fn to_yaml(&self, about: &[String]) -> String {
        let mut text = String::new();
        for line in about {
            text.push_str(&format!("# {line}\n"));
        }
        let pair = |right: u64, wrong: u64| format!("{{ right: {right}, wrong: {wrong} }}");
        let ValueCounts { right, wrong } = self.labelled;
        text.push_str(&format!(
            "labelled: {}\nbeside_shipped: {}\n",
            pair(right, wrong),
            self.beside_shipped
        ));
        if self.patterns.0.is_empty() {
            text.push_str("patterns: {}\n");
            return text;
        }
        text.push_str("patterns:\n");
        for (name, counts) in &self.patterns.0 {
            text.push_str(&format!("  {name}: {}\n", pair(counts.right, counts.wrong)));
        }
        text
    }
}

/// The precision of passages for a measure of grounding: by the file that it names, else by the counts that ship.
pub(super) fn trust_of(grounding: &Grounding, files: &dyn Files, problems: &mut Problems) -> Trust {
    let mistakes = grounding.mistakes.get();
    let Some(named) = &grounding.patterns else { return Trust::with_mistakes(mistakes) };
    let path = format!("rules/{}", named.value);
    let problem = match files.read(&path) {
        Ok(Some(file)) => {
            let counts = EvidenceCounts::parse(&file, problems);
            return counts.map_or_else(|| Trust::with_mistakes(mistakes), |counts| counts.trust(mistakes));
        }
        Ok(None) => {
            let known = files.list("rules", ".yaml");
            let names = known.iter().filter_map(|name| name.strip_prefix("rules/"));
            let problem =
                Problem::error(Code::MissingFile, &named.span, format!("there is no file `{path}`"));
            problem.help(match nearest(&named.value, names) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => format!("write it with `loopctl calibrate --evidence --out {path}`"),
            })
        }
        Err(problem) => problem.related(&named.span, "named here"),
    };
    problems.push(problem);
    Trust::with_mistakes(mistakes)
}
