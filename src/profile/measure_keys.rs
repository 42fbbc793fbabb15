//! The keys of measures: where the score of a dimension comes from.

use super::Grounding;
use super::assess::Counts;
use super::codes::{KEYWORDS, KeywordIssue, SchemaCodes};
use super::ensemble::{Combine, Disagreement, Weight};
use crate::value::decode::{Count, Decode};
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape, Word};
use crate::value::{Score, Severity};

/// The value of a dimension in `assess`.
pub(super) fn measure() -> Shape {
    let Shape::AnyOf(mut all) = first_tier() else { return Shape::Any };
    all.extend([&MEASURE_JUDGE, &MEASURE_EXTERNAL, &MEASURE_ENSEMBLE].map(Shape::Mapping));
    Shape::AnyOf(all)
}

/// A measure that asks nobody.
fn first_tier() -> Shape {
    let words = vec![
        Word {
            word: "grounding",
            doc: "The share of extracted values that the source text supports, with the usual settings.",
        },
        Word {
            word: "given",
            doc: "Supplied from outside with the candidate (`loopctl score --given DIMENSION=SCORE`).",
        },
    ];
    let mappings = [
        &MEASURE_RUBRIC,
        &MEASURE_SCHEMA,
        &MEASURE_RULES,
        &MEASURE_GROUNDING,
        &MEASURE_SCRIPT,
        &MEASURE_GIVEN,
    ];
    Shape::AnyOf(std::iter::once(Shape::Words(words)).chain(mappings.map(Shape::Mapping)).collect())
}

/// What is in an ensemble.
fn member() -> Shape {
    let words = vec![Word {
        word: "grounding",
        doc: "The share of extracted values that the source text supports, with the usual settings.",
    }];
    let mappings = [
        &MEMBER_RUBRIC,
        &MEMBER_SCHEMA,
        &MEMBER_RULES,
        &MEMBER_GROUNDING,
        &MEMBER_SCRIPT,
        &WEIGHED_JUDGE,
        &WEIGHED_EXTERNAL,
    ];
    Shape::AnyOf(std::iter::once(Shape::Words(words)).chain(mappings.map(Shape::Mapping)).collect())
}

static RUBRIC_KEYS: [Key; 1] = [Key::new(
    "rubric",
    || Shape::text("a file under `rules/rubrics/`, without `.yaml`"),
    "The rubric that says which fields the document type should have, and what each weighs.",
)
.required()
.examples(&["clinical"])];

static SCHEMA_KEYS: [Key; 2] = [
    Key::new(
        "codes",
        SchemaCodes::shape,
        "The codes of the schema's issues, by the keyword that an error is about. Without it: `SCHEMA_` and the keyword in \
         capitals, such as `SCHEMA_REQUIRED`.",
    )
    .examples(&["{ type: TYPE_MISMATCH, otherwise: CONSTRAINT_VIOLATION }"]),
    Key::new(
        "schema",
        || Shape::text("the path of a JSON Schema"),
        "The JSON Schema; `{{ document_type }}` is filled in. The score is 1 − errors / fields, at least 0.",
    )
    .required()
    .examples(&["schemas/{{ document_type }}.schema.json"]),
];

static RULES_KEYS: [Key; 4] = [
    Key::new(
        "rules",
        || Shape::text("a file under `rules/`, without `.yaml`"),
        "The file of rules. The score is 1 − penalty × issues.",
    )
    .required()
    .examples(&["clinical-validity"]),
    Key::new("penalty", Score::shape, "What each issue takes off the score, from 0 to 1.")
        .required()
        .examples(&["0.10"]),
    Key::new("floor", Score::shape, "The score never falls below this, from 0 to 1.")
        .default("0")
        .examples(&["0.30"]),
    Key::new("counts", Counts::shape, "Which issues count.").default("all").examples(&["blocking"]),
];

static GROUNDING_KEYS: [Key; 1] = [Key::new(
    "grounding",
    Grounding::shape,
    "The share of extracted values that the source text supports: a value that is not in the text is an issue.",
)
.required()
.examples(&["{ rubric: clinical, ignore: [rawText] }"])];

static SCRIPT_KEYS: [Key; 1] = [Key::new(
    "script",
    || Shape::text("`FILE.rhai#FUNCTION` under `rules/`"),
    "A function of your own, `fn f(candidate, source)`, that returns the score; it is moved into 0 to 1.",
)
.required()
.examples(&["literature.rhai#depth"])];

static JUDGE_KEYS: [Key; 2] = [
    Key::new("judge", || Shape::text("the name of a judge"), "The judge, by its name under `judges`.")
        .required()
        .examples(&["verification"]),
    Key::new(
        "score",
        || Shape::text_like("a JSON Pointer such as `/accuracy`", "^(/|$)"),
        "Where in the judge's answer the score stands; it is moved into 0 to 1.",
    )
    .required()
    .examples(&["/accuracy"]),
];

static EXTERNAL_KEYS: [Key; 1] = [Key::new("external", || Shape::Mapping(&EXTERNAL), "A validator's word.")
    .required()
    .examples(&["{ validator: test-engines }"])];

static OTHERWISE: [Key; 1] = [Key::new(
    "otherwise",
    first_tier,
    "The measure that is taken where the judge or validator is not asked. Without it the dimension then has no score and counts 0.",
)
.examples(&["grounding", "{ rubric: clinical }"])];

static WEIGHT: [Key; 1] = [Key::new(
    "weight",
    Weight::shape,
    "How much this member counts, above 0 and at most 1000, in proportion to the others. Only with `combine: weighted`.",
)
.default("1")
.examples(&["2"])];

macro_rules! measures {
    ($($name:ident = $of:literal, $what:literal, $doc:literal, $($keys:expr),+;)+) => {
        $(pub(super) static $name: Mapping =
            Mapping { name: $of, what: $what, doc: $doc, keys: &[$(&$keys),+], open: None };)+
    };
}

measures! {
    MEASURE_RUBRIC = "rubric_measure", "measure",
        "How complete a candidate is: the weight of the fields that are present by the weight of all.", RUBRIC_KEYS;
    MEASURE_SCHEMA = "schema_measure", "measure",
        "How many errors a JSON Schema finds, in proportion to the fields.", SCHEMA_KEYS;
    MEASURE_RULES = "rules_measure", "measure", "A penalty for each issue that rules find.", RULES_KEYS;
    MEASURE_GROUNDING = "grounding_measure", "measure", "How much of the candidate the source text supports.", GROUNDING_KEYS;
    MEASURE_SCRIPT = "script_measure", "measure", "What a function of your own returns.", SCRIPT_KEYS;
    MEASURE_JUDGE = "judge_measure", "measure", "What a judge says.", OTHERWISE, JUDGE_KEYS;
    MEASURE_EXTERNAL = "external_measure", "measure", "What a validator says.", OTHERWISE, EXTERNAL_KEYS;
    MEMBER_RUBRIC = "rubric_member", "measure",
        "How complete a candidate is: the weight of the fields that are present by the weight of all.", RUBRIC_KEYS, WEIGHT;
    MEMBER_SCHEMA = "schema_member", "measure",
        "How many errors a JSON Schema finds, in proportion to the fields.", SCHEMA_KEYS, WEIGHT;
    MEMBER_RULES = "rules_member", "measure", "A penalty for each issue that rules find.", RULES_KEYS, WEIGHT;
    MEMBER_GROUNDING = "grounding_member", "measure", "How much of the candidate the source text supports.", GROUNDING_KEYS, WEIGHT;
    MEMBER_SCRIPT = "script_member", "measure", "What a function of your own returns.", SCRIPT_KEYS, WEIGHT;
    WEIGHED_JUDGE = "judge_member", "member of an ensemble", "What a judge says.", JUDGE_KEYS, WEIGHT;
    WEIGHED_EXTERNAL = "external_member", "member of an ensemble", "What a validator says.", EXTERNAL_KEYS, WEIGHT;
    MEMBER_JUDGE = "judge_member_without_weight", "member of an ensemble", "What a judge says.", JUDGE_KEYS;
    MEMBER_EXTERNAL = "external_member_without_weight", "member of an ensemble", "What a validator says.", EXTERNAL_KEYS;
}

pub(super) static MEASURE_GIVEN: Mapping = Mapping {
    name: "given_measure",
    what: "measure",
    doc: "A score that comes with the candidate.",
    keys: &[&[Key::new(
        "given",
        bool::shape,
        "The score is supplied from outside. The bare word `given` says the same.",
    )
    .required()
    .examples(&["true"])]],
    open: None,
};

pub(super) static MEASURE_ENSEMBLE: Mapping = Mapping {
    name: "ensemble_measure",
    what: "measure",
    doc: "Several measures, judges and validators made into one score.",
    keys: &[&[Key::new("ensemble", || Shape::Mapping(&ENSEMBLE), "Who takes part, and how their scores become one.").required().examples(&[
        "{ members: [{ rules: literature, penalty: 0.1 }, { judge: verification, score: /accuracy }], combine: min }",
    ])]],
    open: None,
};

pub(super) static ENSEMBLE: Mapping = Mapping {
    name: "ensemble",
    what: "ensemble",
    doc: "Several measures, judges and validators made into one score. Without `quorum` all must be had.",
    keys: &[&[
        Key::new("members", || Shape::list(member()), "The measures, judges and validators: two or more.")
            .required()
            .examples(&["[{ rubric: clinical }, { judge: verification, score: /completeness }]"]),
        Key::new(
            "combine",
            Combine::shape,
            "How the scores become one. Beside judges and validators all but `min` and `max` take one measure only.",
        )
        .default("min")
        .examples(&["median"]),
        Key::new(
            "quorum",
            Count::shape,
            "How many of the judges and validators must have answered; those that failed are left out. Below it the \
             dimension has no score, and a person is told. Without it, all must have answered.",
        )
        .examples(&["1"]),
        Key::new("disagreement", Disagreement::shape, "When the members' scores lie too far apart. Without it they may.")
            .examples(&["{ above: 0.3, then: escalate }"]),
    ]],
    open: None,
};

static AFTER_DISAGREEMENT: [Word; 2] = [
    Word { word: "escalate", doc: "A critical issue: a person must decide." },
    Word { word: "warn", doc: "An issue that is only shown." },
];

pub(super) static DISAGREEMENT: Mapping = Mapping {
    name: "disagreement",
    what: "rule for disagreement",
    doc: "When the members of an ensemble differ too much to be made into one number without a word.",
    keys: &[&[
        Key::new(
            "above",
            Score::shape,
            "The greatest difference between the highest and the lowest score that is no issue, from 0 to 1.",
        )
        .required()
        .examples(&["0.3"]),
        Key::new("then", || Shape::Words(AFTER_DISAGREEMENT.to_vec()), "Who gets to see it.")
            .default("escalate")
            .examples(&["warn"]),
    ]],
    open: None,
};

pub(super) static EXTERNAL: Mapping = Mapping {
    name: "external",
    what: "external measure",
    doc: "A validator's word. The score is the mean over its stages.",
    keys: &[&[Key::new(
        "validator",
        || Shape::text("the name of a validator"),
        "The validator, by its name under `validators`.",
    )
    .required()
    .examples(&["test-engines"])]],
    open: None,
};

pub(super) static GROUNDING: Mapping = Mapping {
    name: "grounding",
    what: "grounding measure",
    doc: "Settings of grounding: whether each extracted value stands in the source text, near a name of its field.",
    keys: &[&[
        Key::new(
            "rubric",
            || Shape::text("a file under `rules/rubrics/`, without `.yaml`"),
            "The rubric whose field names and synonyms say where a value should stand. Usually the one that completeness \
             uses. Without it only the fields' own names are looked for.",
        )
        .examples(&["clinical"]),
        Key::new(
            "fuzzy",
            Score::shape,
            "How similar a passage must be to count when nothing matches exactly, from 0 to 1 (1: equal).",
        )
        .default("0.9")
        .examples(&["0.95"]),
        Key::new("severity", Severity::shape, "How bad a value is that is not in the source.").default("major").examples(&["critical"]),
        Key::new("ignore", <Vec<String>>::shape, "Top-level fields that are not checked: those that nobody copies from the text.")
            .default("[]")
            .examples(&["[rawText, summary]"]),
    ]],
    open: None,
};

pub(super) static CODES: Mapping = Mapping {
    name: "codes",
    what: "mapping of codes",
    doc: "Which code an issue gets, by the keyword of JSON Schema that the error is about.",
    keys: &[&[Key::new(
        "otherwise",
        KeywordIssue::shape,
        "What issues of every other keyword are like. Without it: `SCHEMA_` and the keyword in capitals.",
    )
    .examples(&["CONSTRAINT_VIOLATION", "{ code: CONSTRAINT_VIOLATION, auto_fixable: true }"])]],
    open: Some(Open {
        key: "KEYWORD",
        names: Names::Known(&KEYWORDS),
        doc: "What issues about this keyword are like: their code, or a mapping that says more.",
        shape: KeywordIssue::shape,
        null: Null::Mistake,
    }),
};

/// What a code is made of.
pub(super) const CODE: &str = "^[A-Z0-9_]+$";

pub(super) static KEYWORD_ISSUE: Mapping = Mapping {
    name: "keyword_issue",
    what: "kind of issue",
    doc: "What the issues of one keyword are like.",
    keys: &[&[
        Key::new("code", || Shape::text_like("a code of capitals, digits and `_`", CODE), "Their code.").required().examples(&["REQUIRED_FIELD"]),
        Key::new("severity", Severity::shape, "How bad they are. Without it, as bad as the other issues of the rule or measure.")
            .examples(&["critical"]),
        Key::new(
            "auto_fixable",
            bool::shape,
            "Whether they say of themselves that a machine can put them right, for profiles whose `dispositions` ask.",
        )
        .default("false")
        .examples(&["true"]),
    ]],
    open: None,
};
