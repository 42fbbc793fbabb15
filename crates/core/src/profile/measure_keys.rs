//! The keys of measures: the sources of a dimension's score.

use super::assess::{Counts, Grounding, Measure};
use super::codes::SchemaCodes;
use super::ensemble::{EnsembleMeasure, Weight};
use super::judge::pointer;
use crate::mapping;
use crate::value::Score;
use crate::value::decode::{Decode, Spanned};
use crate::value::shape::{Key, Mapping, Shape, Word};
use serde_json::Value;

/// The value of a dimension in `assess`.
pub(super) fn measure() -> Shape {
    let Shape::AnyOf(mut all) = first_tier() else { return Shape::Any };
    let asked = [JudgeMeasure::mapping(), ExternalMeasure::mapping(), EnsembleMeasure::mapping()];
    all.extend(asked.map(Shape::Mapping));
    Shape::AnyOf(all)
}

/// A measure that asks no model, program or service.
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
        RubricMeasure::mapping(),
        SchemaMeasure::mapping(),
        RulesMeasure::mapping(),
        GroundingMeasure::mapping(),
        ScriptMeasure::mapping(),
        GivenMeasure::mapping(),
    ];
    Shape::AnyOf(std::iter::once(Shape::Words(words)).chain(mappings.map(Shape::Mapping)).collect())
}

/// The value of a member of an ensemble.
pub(super) fn member() -> Shape {
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
        &MEMBER_JUDGE,
        &MEMBER_EXTERNAL,
    ];
    Shape::AnyOf(std::iter::once(Shape::Words(words)).chain(mappings.map(Shape::Mapping)).collect())
}

mapping! {
    /// The completeness of a candidate: the weight of the present fields by the weight of all.
    "rubric_measure" is "measure";
    pub(super) struct RubricMeasure {
        /// The rubric that lists the fields that the document type should have, and their weights.
        #[key(text("a file under `rules/rubrics/`, without `.yaml`"), required, examples(&["clinical"]))]
        pub rubric: Spanned<String>,
    }
}

mapping! {
    /// The number of errors that a JSON Schema finds, in proportion to the fields.
    "schema_measure" is "measure";
    pub(super) struct SchemaMeasure {
        /// The codes of the schema's issues, by the keyword that an error is about. Without it: `SCHEMA_` and the keyword in
        /// capitals, such as `SCHEMA_REQUIRED`.
        #[key(examples(&["{ type: TYPE_MISMATCH, otherwise: CONSTRAINT_VIOLATION }"]))]
        pub codes: SchemaCodes => |_| SchemaCodes::default(),
        /// The JSON Schema; `{{ document_type }}` is filled in. The score is 1 − errors / fields, at least 0.
        #[key(text("a JSON Schema under `schemas/`"), required, examples(&["schemas/{{ document_type }}.schema.json"]))]
        pub schema: Spanned<String>,
    }
}

mapping! {
    /// A penalty for each issue that rules find.
    "rules_measure" is "measure";
    pub(super) struct RulesMeasure {
        /// The file of rules. The score is 1 − penalty × issues.
        #[key(text("a file under `rules/`, without `.yaml`"), required, examples(&["clinical-validity"]))]
        pub rules: Spanned<String>,
        /// The amount that each issue takes off the score, from 0 to 1.
        #[key(required, examples(&["0.10"]))]
        // With a wrong one, which was reported, the rules themselves can still be checked.
        pub penalty: Score => |_| Score::ZERO,
        /// The score never falls below this, from 0 to 1.
        #[key(default("0"), examples(&["0.30"]))]
        pub floor: Score,
        /// The issues that count.
        #[key(default("all"), examples(&["blocking"]))]
        pub counts: Counts,
    }
}

mapping! {
    /// The share of the candidate that the source text supports.
    "grounding_measure" is "measure";
    pub(super) struct GroundingMeasure {
        /// The share of extracted values that the source text supports: a value that is not in the text is an issue.
        #[key(required, examples(&["{ rubric: clinical, ignore: [rawText] }"]))]
        pub grounding: Grounding,
    }
}

mapping! {
    /// The result of a function of your own.
    "script_measure" is "measure";
    pub(super) struct ScriptMeasure {
        /// A function of your own, `fn f(candidate, source)`, that returns the score; it is clamped to 0 to 1.
        #[key(text("`FILE.rhai#FUNCTION` under `rules/`"), required, examples(&["literature.rhai#depth"]))]
        pub script: Spanned<String>,
    }
}

mapping! {
    /// A score that comes with the candidate.
    "given_measure" is "measure";
    pub(super) struct GivenMeasure {
        /// The score is supplied from outside. The bare word `given` says the same.
        #[key(name("given"), required, examples(&["true"]))]
        _given: bool,
    }
}

mapping! {
    /// The score of a judge.
    "judge_measure" is "measure";
    pub(super) struct JudgeMeasure {
        /// The measure that is taken where the judge or validator is not asked. Without it the dimension then has no score and
        /// counts 0.
        #[key(shaped(first_tier), examples(&["grounding", "{ rubric: clinical }"]))]
        pub otherwise: Option<Measure> as Value = |node, problems| Measure::decode(node, problems).map(Some) => |_| None,
        /// The judge and where its score is.
        #[key(flatten)]
        pub of: JudgeMember,
    }
}

mapping! {
    /// The score of a validator.
    "external_measure" is "measure";
    pub(super) struct ExternalMeasure {
        /// The measure that is taken where the judge or validator is not asked. Without it the dimension then has no score and
        /// counts 0.
        #[key(shaped(first_tier), examples(&["grounding", "{ rubric: clinical }"]))]
        pub otherwise: Option<Measure> as Value = |node, problems| Measure::decode(node, problems).map(Some) => |_| None,
        /// The validator.
        #[key(flatten)]
        pub of: ExternalMember,
    }
}

mapping! {
    /// The score of a judge.
    "judge_member_without_weight" is "member of an ensemble";
    pub(super) struct JudgeMember {
        /// The judge, by its name under `judges`.
        #[key(text("the name of a judge"), required, examples(&["verification"]))]
        pub judge: Spanned<String>,
        /// The location of the score in the judge's answer; it is moved into 0 to 1.
        #[key(text_like("a JSON Pointer such as `/accuracy`", "^(/|$)"), required, examples(&["/accuracy"]))]
        pub score: Spanned<String> = pointer,
    }
}

mapping! {
    /// The score of a validator.
    "external_member_without_weight" is "member of an ensemble";
    pub(super) struct ExternalMember {
        /// The validator.
        #[key(required, examples(&["{ validator: test-engines }"]))]
        pub external: External,
    }
}

mapping! {
    /// The score of a validator: the mean over its stages.
    "external" is "external measure", expects "`{ validator: NAME }`";
    pub(super) struct External {
        /// The validator, by its name under `validators`.
        #[key(text("the name of a validator"), required, examples(&["test-engines"]))]
        pub validator: Spanned<String>,
    }
}

static WEIGHT: [Key; 1] = [Key::new(
    "weight",
    Weight::shape,
    "How much this member counts, above 0 and at most 1000, in proportion to the others. Only with `combine: weighted`.",
)
.default("1")
.examples(&["2"])];

/// The members of ensembles: these measures with a weight.
macro_rules! members {
    ($($name:ident = $of:literal: $Measure:ident),+ $(,)?) => {
        $(static $name: Mapping = Mapping {
            name: $of,
            what: $Measure::mapping().what,
            doc: $Measure::mapping().doc,
            keys: &[$Measure::keys(), &WEIGHT],
            open: None,
        };)+
    };
}

members! {
    MEMBER_RUBRIC = "rubric_member": RubricMeasure,
    MEMBER_SCHEMA = "schema_member": SchemaMeasure,
    MEMBER_RULES = "rules_member": RulesMeasure,
    MEMBER_GROUNDING = "grounding_member": GroundingMeasure,
    MEMBER_SCRIPT = "script_member": ScriptMeasure,
    MEMBER_JUDGE = "judge_member": JudgeMember,
    MEMBER_EXTERNAL = "external_member": ExternalMember,
}
