//! `assess`: the measures that give each dimension of a candidate its score.

use super::codes::SchemaCodes;
use super::ensemble::{Combine, Disagreement, Weight, decode_ensemble};
use super::measure_keys::{
    ExternalMeasure, ExternalMember, GivenMeasure, GroundingMeasure, JudgeMeasure, JudgeMember,
    RubricMeasure, RulesMeasure, SchemaMeasure, ScriptMeasure,
};
use crate::diag::{Code, Problem, Problems, Span};
use crate::value::decode::{Fields, Spanned, unknown_word, wrong_type};
use crate::value::shape::Mapping;
use crate::value::yaml::{Data, Node};
use crate::value::{Score, Severity};
use crate::{decode_words, mapping};

/// One dimension and the sources of its score.
#[derive(Debug, Clone)]
pub struct Dimension {
    /// Its name, such as `completeness`.
    pub name: String,
    /// The position of the name.
    pub name_span: Span,
    /// The source of the tier 1 score; [`Measure::Given`] if there is none.
    pub measure: Measure,
    /// The contribution of judges and validators.
    pub second: Option<SecondTier>,
}

/// The contribution of judges and validators to a dimension.
#[derive(Debug, Clone)]
pub struct SecondTier {
    /// The judges and validators.
    pub sources: Vec<SecondSource>,
    /// The way in which their scores and that of tier 1 become one.
    pub combine: Combine,
    /// The weight of the tier 1 score, where weights count.
    pub weight: Weight,
    /// The number of `sources` that must have answered; without it all of them.
    pub quorum: Option<usize>,
    /// The rule for scores that differ too much.
    pub disagreement: Option<Disagreement>,
}

/// One judge or validator of a dimension.
#[derive(Debug, Clone)]
pub struct SecondSource {
    /// Its name under `judges` or `validators`.
    pub name: Spanned<String>,
    /// The location of the score in a judge's answer; `None` for a validator, whose score follows from its stages.
    pub score: Option<Spanned<String>>,
    /// Its weight, where weights count.
    pub weight: Weight,
}

/// The source of a dimension's score. Names of files are resolved when the profile is compiled.
#[derive(Debug, Clone)]
pub enum Measure {
    /// Weighted presence of the fields that a rubric lists for the document type.
    Rubric {
        /// `clinical` means `rules/rubrics/clinical.yaml`.
        name: Spanned<String>,
    },
    /// The number of errors that the document type's JSON Schema finds, in proportion.
    Schema {
        /// A path such as `schemas/{{ document_type }}.schema.json`.
        path: Spanned<String>,
        /// The codes of its issues, by keyword.
        codes: SchemaCodes,
    },
    /// A penalty for each issue that a rule set finds.
    Rules {
        /// `clinical-validity` means `rules/clinical-validity.yaml`.
        name: Spanned<String>,
        /// Taken off for each issue.
        penalty: Score,
        /// The score never falls below this.
        floor: Score,
        /// The issues that count.
        counts: Counts,
    },
    /// The share of extracted leaf values that the source text supports.
    Grounding(Grounding),
    /// The result of a Rhai function, clamped to [0, 1].
    Script {
        /// `file.rhai#function`.
        function: Spanned<String>,
    },
    /// Several measures of tier 1 made into one.
    Ensemble {
        /// The measures; none of them is an ensemble.
        members: Vec<(Measure, Weight)>,
        /// The combination of scores. Never [`Combine::First`].
        combine: Combine,
        /// The rule for scores that differ too much.
        disagreement: Option<Disagreement>,
    },
    /// Supplied from outside with the candidate (`score --given`, a trajectory).
    Given,
}

/// The issues of a rule set that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Counts {
    /// Every issue.
    #[default]
    All,
    /// Those that someone must do something about: their disposition is not `warn`.
    Blocking,
}

decode_words!(Counts, "kind of issues", {
    "all": "Every issue." => Counts::All,
    "blocking": "Those that someone must do something about: their disposition is not `warn`." => Counts::Blocking,
});

mapping! {
    /// Settings of grounding: whether each extracted value appears in the source text, near a name of its field.
    "grounding" is "grounding measure", expects "a mapping with the settings of grounding", all default;
    #[derive(Debug, Clone)]
    pub struct Grounding {
        /// The rubric whose field names and synonyms say where a value should appear. Usually the one that completeness
        /// uses. Without it only the fields' own names are looked for.
        #[key(text("a file under `rules/rubrics/`, without `.yaml`"), examples(&["clinical"]))]
        pub rubric: Option<Spanned<String>>,
        /// The similarity that a passage needs to count when nothing matches exactly, from 0 to 1 (1: equal).
        #[key(default("0.9"), examples(&["0.95"]))]
        pub fuzzy: Score,
        /// The severity of a value that is not in the source.
        #[key(default("major"), examples(&["critical"]))]
        pub severity: Severity,
        /// Top-level fields that are not checked: those that are not copied from the text.
        #[key(default("[]"), examples(&["[rawText, summary]"]))]
        pub ignore: Vec<String>,
        /// The precision that passages of a pattern need, by the lower bound that counted labels allow, for a value to
        /// be verified: from 0 to 1. A value below it is undecided.
        #[key(default("0.95"), examples(&["0.98"]))]
        pub trust: Score,
        /// The counts of right and wrong passages of each pattern on your own labels, as written by
        /// `loopctl calibrate --evidence`. Without it the shipped counts apply.
        #[key(text("a file under `rules/`"), examples(&["evidence.yaml"]))]
        pub patterns: Option<Spanned<String>>,
        /// The assumed share of values that are mistakes, by which rates of labelled values become a precision: from 0
        /// to 1. The more there are, the less a passage proves.
        #[key(default("0.05"), examples(&["0.1"]))]
        pub mistakes: Score,
        /// The score of a value that the document has, while nothing shows that it belongs to this field: from 0 to 1.
        #[key(default("0.5"), examples(&["0"]))]
        pub undecided: Score,
        /// The score of a value that one passage states, while another passage states another.
        #[key(default("0.5"), examples(&["0"]))]
        pub conflicting: Score,
        /// The judge that decides about single values whose quote is in the document, while nothing else could decide
        /// whether it states them. It is shown field, value and passage, never the document. Without it such values
        /// stay undecided.
        #[key(text("the name of a judge"), examples(&["evidence"]))]
        pub judge: Option<Spanned<String>>,
    }
}

/// The keys of which a measure has exactly one.
pub(super) const KINDS: [&str; 6] = ["rubric", "schema", "rules", "grounding", "script", "given"];

impl Dimension {
    /// Reads one entry of `assess`: a measure, a judge's or validator's score, or an ensemble of them. An error is
    /// replaced by something harmless, so that bounds on the dimension are not reported as unknown.
    pub fn decode(name: String, name_span: Span, node: &Node, problems: &mut Problems) -> Self {
        let is_ensemble = node.get("ensemble").is_some_and(|node| !matches!(node.data, Data::Null));
        let (measure, second) = if is_ensemble {
            decode_ensemble(node, problems).unwrap_or((Measure::Given, None))
        } else if node.get("judge").is_some() || node.get("external").is_some() {
            decode_second(node, problems).unwrap_or((Measure::Given, None))
        } else {
            (Measure::decode(node, problems).unwrap_or(Measure::Given), None)
        };
        Dimension { name, name_span, measure, second }
    }
}

/// Reads `{ judge: NAME, score: POINTER, otherwise: MEASURE }` or `{ external: { validator: NAME }, otherwise: … }`.
fn decode_second(node: &Node, problems: &mut Problems) -> Option<(Measure, Option<SecondTier>)> {
    let (otherwise, source) = if is_validator(node) {
        let ExternalMeasure { otherwise, of } = ExternalMeasure::read_mapping(node, problems)?;
        (otherwise, SecondSource::from(of))
    } else {
        let read = read_judge(node, JudgeMeasure::mapping(), JudgeMeasure::read_keys, problems);
        let JudgeMeasure { otherwise, of } = read?;
        (otherwise, SecondSource::from(of))
    };
    let second = SecondTier {
        sources: vec![source],
        combine: Combine::First,
        weight: Weight::ONE,
        quorum: None,
        disagreement: None,
    };
    Some((otherwise.unwrap_or(Measure::Given), Some(second)))
}

fn is_validator(node: &Node) -> bool {
    node.get("external").is_some_and(|node| !matches!(node.data, Data::Null))
}

/// Reads a judge's score, where `external: null` is allowed.
fn read_judge<T>(
    node: &Node,
    mapping: &'static Mapping,
    read: fn(&mut Fields<'_>, &mut Problems) -> Option<T>,
    problems: &mut Problems,
) -> Option<T> {
    let mut fields = Fields::open(node, mapping, problems)?.without("external");
    let read = read(&mut fields, problems);
    fields.finish(problems);
    read
}

impl SecondSource {
    /// Reads a member of an ensemble.
    pub(super) fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if is_validator(node) {
            return ExternalMember::read_mapping(node, problems).map(Self::from);
        }
        read_judge(node, JudgeMember::mapping(), JudgeMember::read_keys, problems).map(Self::from)
    }
}

impl From<ExternalMember> for SecondSource {
    fn from(of: ExternalMember) -> Self {
        SecondSource { name: of.external.validator, score: None, weight: Weight::ONE }
    }
}

impl From<JudgeMember> for SecondSource {
    fn from(of: JudgeMember) -> Self {
        SecondSource { name: of.judge, score: Some(of.score), weight: Weight::ONE }
    }
}

impl Measure {
    /// The measures that it is made of: its members, or itself.
    pub fn parts(&self) -> impl Iterator<Item = &Measure> {
        let (members, own) = match self {
            Measure::Ensemble { members, .. } => (members.as_slice(), None),
            single => (&[][..], Some(single)),
        };
        members.iter().map(|(measure, _)| measure).chain(own)
    }

    /// Reads one entry of `assess`: a mapping with exactly one kind, or the bare words `grounding` and `given`.
    pub fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if let Some(word) = node.as_text() {
            return match word {
                "grounding" => Some(Measure::Grounding(Grounding::default())),
                "given" => Some(Measure::Given),
                other => unknown_word(&node.span, "measure", other, &KINDS, problems),
            };
        }
        let Data::Map(entries) = &node.data else {
            return wrong_type(node, "a measure such as `rubric: NAME` or `rules: NAME`", problems);
        };
        let named: Vec<&str> = entries.iter().map(|e| e.key.as_str()).filter(|k| KINDS.contains(k)).collect();
        match named.as_slice() {
            ["rubric"] => {
                RubricMeasure::read_mapping(node, problems).map(|read| Measure::Rubric { name: read.rubric })
            }
            ["schema"] => SchemaMeasure::read_mapping(node, problems)
                .map(|read| Measure::Schema { path: read.schema, codes: read.codes }),
            ["rules"] => RulesMeasure::read_mapping(node, problems).map(
                |RulesMeasure { rules, penalty, floor, counts }| Measure::Rules {
                    name: rules,
                    penalty,
                    floor,
                    counts,
                },
            ),
            ["grounding"] => {
                GroundingMeasure::read_mapping(node, problems).map(|read| Measure::Grounding(read.grounding))
            }
            ["script"] => ScriptMeasure::read_mapping(node, problems)
                .map(|read| Measure::Script { function: read.script }),
            ["given"] => GivenMeasure::read_mapping(node, problems).map(|_| Measure::Given),
            [] => {
                let kinds = KINDS.map(|k| format!("`{k}`")).join(", ");
                problems.push(
                    Problem::error(
                        Code::MissingKey,
                        &node.span,
                        "this measure does not say of which kind it is",
                    )
                    .help(format!("give one of {kinds}")),
                );
                None
            }
            several => {
                problems.push(
                    Problem::error(
                        Code::Conflict,
                        &node.span,
                        format!("this measure is of several kinds at once: {}", several.join(", ")),
                    )
                    .help("keep one; a dimension has one source"),
                );
                None
            }
        }
    }
}

/// The better of two equal candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ties {
    /// The earlier.
    First,
    /// The later.
    Last,
}

decode_words!(Ties, "tie rule", {
    "first": "The earlier one." => Ties::First,
    "last": "The later one." => Ties::Last,
});
