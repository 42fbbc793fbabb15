//! `assess`: how each dimension of a candidate gets its score.

use super::codes::SchemaCodes;
use super::ensemble::{Combine, Disagreement, Weight, decode_ensemble};
use super::measure_keys as keys;
use crate::decode_words;
use crate::diag::{Code, Problem, Problems, Span};
use crate::value::decode::{Decode, Fields, Spanned, unknown_word, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::value::{Score, Severity};

/// One dimension and where its score comes from.
#[derive(Debug, Clone)]
pub struct Dimension {
    /// Its name, such as `completeness`.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// Where the score of tier 1 comes from; [`Measure::Given`] if there is none.
    pub measure: Measure,
    /// What judges and validators add to it.
    pub second: Option<SecondTier>,
}

/// What judges and validators say about a dimension.
#[derive(Debug, Clone)]
pub struct SecondTier {
    /// Who.
    pub sources: Vec<SecondSource>,
    /// How their scores and that of tier 1 become one.
    pub combine: Combine,
    /// How much that of tier 1 counts, where weights count.
    pub weight: Weight,
    /// How many of `sources` must have answered; without it all of them.
    pub quorum: Option<usize>,
    /// When they differ too much.
    pub disagreement: Option<Disagreement>,
}

/// One judge or validator of a dimension.
#[derive(Debug, Clone)]
pub struct SecondSource {
    /// Its name under `judges` or `validators`.
    pub name: Spanned<String>,
    /// Where the score stands in a judge's answer; `None` for a validator, whose score follows from its stages.
    pub score: Option<Spanned<String>>,
    /// How much it counts, where weights count.
    pub weight: Weight,
}

/// Where a dimension's score comes from. Names of files are resolved when the profile is compiled.
#[derive(Debug, Clone)]
pub enum Measure {
    /// Weighted presence of the fields that a rubric lists for the document type.
    Rubric {
        /// `clinical` stands for `rules/rubrics/clinical.yaml`.
        name: Spanned<String>,
    },
    /// How many errors the document type's JSON Schema finds, in proportion.
    Schema {
        /// A path such as `schemas/{{ document_type }}.schema.json`.
        path: Spanned<String>,
        /// The codes of its issues, by keyword.
        codes: SchemaCodes,
    },
    /// A penalty for each issue that a rule set finds.
    Rules {
        /// `clinical-validity` stands for `rules/clinical-validity.yaml`.
        name: Spanned<String>,
        /// Taken off for each issue.
        penalty: Score,
        /// The score never falls below this.
        floor: Score,
        /// Which issues count.
        counts: Counts,
    },
    /// The share of extracted leaf values that the source text supports.
    Grounding(Grounding),
    /// What a Rhai function returns, clamped to [0, 1].
    Script {
        /// `file.rhai#function`.
        function: Spanned<String>,
    },
    /// Several measures of tier 1 made into one.
    Ensemble {
        /// The measures; none of them is an ensemble.
        members: Vec<(Measure, Weight)>,
        /// How. Never [`Combine::First`].
        combine: Combine,
        /// When they differ too much.
        disagreement: Option<Disagreement>,
    },
    /// Supplied from outside with the candidate (`score --given`, a trajectory).
    Given,
}

/// Which issues of a rule set count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

/// Settings of the grounding measure.
#[derive(Debug, Clone)]
pub struct Grounding {
    /// The rubric whose field names and synonyms say what a value's neighbourhood is. Usually the one that
    /// `completeness` uses.
    pub rubric: Option<Spanned<String>>,
    /// How similar (1 = equal) a passage must be to count when no exact, normalized or numeric match exists.
    pub fuzzy: Score,
    /// Severity of the issue about a value that is not in the source.
    pub severity: Severity,
    /// Top-level fields that are not checked.
    pub ignore: Vec<String>,
}

/// The keys of which a measure has exactly one.
pub(super) const KINDS: [&str; 6] = ["rubric", "schema", "rules", "grounding", "script", "given"];

impl Dimension {
    /// Reads one entry of `assess`: a measure, a judge's or validator's word, or an ensemble of them. What is wrong is
    /// replaced by something harmless, so that bounds on the dimension are not reported as unknown.
    pub(crate) fn decode(name: String, name_span: Span, node: &Node, problems: &mut Problems) -> Self {
        let (measure, second) = if node.get("ensemble").is_some() {
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
    let is_validator = node.get("external").is_some_and(|node| !matches!(node.data, Data::Null));
    let mapping = if is_validator { &keys::MEASURE_EXTERNAL } else { &keys::MEASURE_JUDGE };
    let mut fields = Fields::open(node, mapping, problems)?.without("external");
    let otherwise = fields.node("otherwise").and_then(|inner| Measure::decode(inner, problems));
    let source = SecondSource::decode(&mut fields, problems);
    fields.finish(problems);
    let second = SecondTier {
        sources: vec![source?],
        combine: Combine::First,
        weight: Weight::ONE,
        quorum: None,
        disagreement: None,
    };
    Some((otherwise.unwrap_or(Measure::Given), Some(second)))
}

impl SecondSource {
    pub(super) fn decode(fields: &mut Fields<'_>, problems: &mut Problems) -> Option<Self> {
        if fields.declares("external") {
            let mut inner = Fields::open(fields.node("external")?, &keys::EXTERNAL, problems)?;
            let name = inner.required("validator", problems);
            inner.finish(problems);
            return Some(SecondSource { name: name?, score: None, weight: Weight::ONE });
        }
        let name = fields.required("judge", problems);
        let score = match fields.node("score") {
            Some(node) => super::judge::pointer(node, problems),
            None => fields.required::<Spanned<String>>("score", problems),
        };
        Some(SecondSource { name: name?, score: Some(score?), weight: Weight::ONE })
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
                "grounding" => Some(Measure::Grounding(Grounding::default_settings())),
                "given" => Some(Measure::Given),
                other => unknown_word(&node.span, "measure", other, &KINDS, problems),
            };
        }
        let Data::Map(entries) = &node.data else {
            return wrong_type(node, "a measure such as `rubric: NAME` or `rules: NAME`", problems);
        };
        let named: Vec<&str> = entries.iter().map(|e| e.key.as_str()).filter(|k| KINDS.contains(k)).collect();
        let mapping = match named.as_slice() {
            ["rubric"] => &keys::MEASURE_RUBRIC,
            ["schema"] => &keys::MEASURE_SCHEMA,
            ["rules"] => &keys::MEASURE_RULES,
            ["grounding"] => &keys::MEASURE_GROUNDING,
            ["script"] => &keys::MEASURE_SCRIPT,
            ["given"] => &keys::MEASURE_GIVEN,
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
                return None;
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
                return None;
            }
        };
        let mut fields = Fields::open(node, mapping, problems)?;
        let measure = match named.first().copied()? {
            "rubric" => fields.required("rubric", problems).map(|name| Measure::Rubric { name }),
            "schema" => {
                let codes = fields.or("codes", SchemaCodes::default(), problems);
                fields.required("schema", problems).map(|path| Measure::Schema { path, codes })
            }
            "script" => fields.required("script", problems).map(|function| Measure::Script { function }),
            "rules" => {
                let name = fields.required("rules", problems);
                // A wrong penalty has been reported; the rule set itself can still be looked at.
                let penalty = fields.required("penalty", problems).unwrap_or(Score::ZERO);
                let floor = fields.or("floor", Score::ZERO, problems);
                let counts = fields.or("counts", Counts::All, problems);
                name.map(|name| Measure::Rules { name, penalty, floor, counts })
            }
            "grounding" => fields
                .node("grounding")
                .and_then(|inner| Grounding::decode(inner, problems))
                .map(Measure::Grounding),
            _ => fields.required::<bool>("given", problems).map(|_| Measure::Given),
        };
        fields.finish(problems);
        measure
    }
}

impl Grounding {
    fn default_settings() -> Self {
        Grounding { rubric: None, fuzzy: Score::clamped(0.9), severity: Severity::Major, ignore: Vec::new() }
    }
}

impl Decode for Grounding {
    const EXPECTED: &'static str = "a mapping with the settings of grounding";

    fn shape() -> Shape {
        Shape::Mapping(&keys::GROUNDING)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let defaults = Self::default_settings();
        let mut fields = Fields::open(node, &keys::GROUNDING, problems)?;
        let grounding = Grounding {
            rubric: fields.optional("rubric", problems),
            fuzzy: fields.or("fuzzy", defaults.fuzzy, problems),
            severity: fields.or("severity", defaults.severity, problems),
            ignore: fields.or("ignore", defaults.ignore, problems),
        };
        fields.finish(problems);
        Some(grounding)
    }
}

/// Which of two equal candidates is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
