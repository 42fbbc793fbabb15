//! The keys of rule files, rules and conditions.

use crate::profile::SchemaCodes;
use crate::rules::checks::KEYS;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Shape};
use crate::value::{Disposition, Severity};

fn path() -> Shape {
    Shape::text("a JSONPath such as `$.measurements[*].size`")
}

fn conditions() -> Shape {
    Shape::list(Shape::Mapping(&CONDITION))
}

pub(in super::super) const ALL: Key = Key::new("all", conditions, "All of these conditions must hold.")
    .examples(&["[{ length: { min: 1 } }, { not: { matches: '^-' } }]"]);

pub(in super::super) const ANY: Key =
    Key::new("any", conditions, "At least one of these conditions must hold.")
        .examples(&["[{ type: number }, { matches: '%$' }]"]);

pub(in super::super) const NOT: Key =
    Key::new("not", || Shape::Mapping(&CONDITION), "This condition must not hold.")
        .examples(&["{ contains: unknown }"]);

/// A rule file.
pub static RULES: Mapping = Mapping {
    name: "rules",
    what: "rule file",
    doc: "What a candidate must satisfy. A profile uses the file as a measure: `validity: { rules: NAME, penalty: 0.1 }`.",
    keys: &[&[
        Key::new("description", String::shape, "What the file is about.")
            .examples(&["What a pathology report must hold together"]),
        Key::new("extends", String::shape, "Another file of rules, by name. Its rules come first; a rule of this file with the id of one of them replaces it.")
            .examples(&["clinical-validity"]),
        Key::new(
            "rules",
            || Shape::list(Shape::Mapping(&RULE)),
            "The rules. Each issue that one finds takes the measure's penalty off the score.",
        )
        .required()
        .examples(&["[{ id: grade-format, for: [pathology], field: grade, matches: '^[123]' }]"]),
    ]],
    open: None,
};

pub(in super::super) static RULE: Mapping = Mapping {
    name: "rule",
    what: "rule",
    doc: "One thing that must hold. It looks at a target (`field`, each value of `each`, or without either the whole \
          candidate), and its checks are asked in the order of this page: the first that fails becomes the rule's issue. \
          Of a target that is absent only `required` and `require` are asked. Where a check names another place, `a` is a \
          top-level field, `$.a` a path from the candidate, `@.a` one from the target, `^.a` one from the list or mapping \
          that contains the target (`^^.a` from what holds that), `<.a` one from the element before it in its list.",
    keys: &[
        &[
            Key::new(
                "id",
                || Shape::text_like("small letters and digits, with dashes between words", "^[a-z0-9]+(-[a-z0-9]+)*$"),
                "The rule's name, unlike that of any other in the file. In capitals it is the code of its issues.",
            )
            .required()
            .examples(&["grade-format"]),
            Key::new(
                "for",
                || Shape::one_or_more(Shape::text("a document type")),
                "The document types that the rule is for. Without it, all.",
            )
            .examples(&["[pathology]"]),
            Key::new(
                "field",
                || Shape::text("the name of a top-level field"),
                "The target: one top-level field of the candidate. Not together with `each`.",
            )
            .examples(&["grade"]),
            Key::new("each", path, "The target: each value that this JSONPath (RFC 9535) selects. Not together with `field`.")
                .examples(&["$.ihcMarkers.*", "'$.findings[*].size'"]),
            Key::new("when", || Shape::Mapping(&CONDITION), "The rule applies only if this holds. Without it, always.")
                .examples(&["{ field: histology, contains: carcinoma }"]),
        ],
        &KEYS,
        &[
            Key::new(
                "script",
                || Shape::text("`FILE.rhai#FUNCTION` under `rules/`"),
                "A function of your own that finds the issues, `fn f(candidate, source)`. Only for rules without target.",
            )
            .examples(&["her2.rhai#agree"]),
            Key::new(
                "schema",
                || Shape::text("a JSON Schema under `schemas/`"),
                "The target must be valid by this JSON Schema: an issue for each error, in its words.",
            )
            .examples(&["schemas/pathology.schema.json"]),
            Key::new(
                "codes",
                SchemaCodes::shape,
                "The codes of the schema's issues, by the keyword that an error is about. Without it, the rule's code.",
            )
            .examples(&["{ type: TYPE_MISMATCH, required: { code: REQUIRED_FIELD, severity: critical } }"]),
            Key::new("severity", Severity::shape, "How bad its issues are.").default("major").examples(&["critical"]),
            Key::new(
                "disposition",
                Disposition::shape,
                "Who handles its issues. Without it, what the profile's `dispositions` say of the code, else the loop.",
            )
            .examples(&["escalate"]),
            Key::new(
                "auto_fixable",
                bool::shape,
                "Whether its issues say that a machine can put them right, for profiles whose `dispositions` ask.",
            )
            .default("false")
            .examples(&["true"]),
            Key::new(
                "costs",
                bool::shape,
                "Whether its issues take the measure's penalty off the score. Those of a rule with `false` are issues like others, \
                 and cost nothing: `accept` can bound them.",
            )
            .default("true")
            .examples(&["false"]),
            Key::new(
                "code",
                || Shape::text_like("a code of capitals, digits and `_`", "^[A-Z0-9_]+$"),
                "The code of its issues. Without it, the id in capitals with `_` for `-`.",
            )
            .examples(&["BAD_GRADE"]),
            Key::new(
                "message",
                String::shape,
                "What its issues say. It may use `{{ value }}`, `{{ json }}` (the value as JSON), `{{ key }}`, `{{ path }}` and `{{ field }}`. Without it, a \
                 sentence is made from the check.",
            )
            .examples(&["'invalid grade: \"{{ value }}\"'"]),
            Key::new(
                "says",
                String::shape,
                "What the rule is against, in words that hold of every candidate: `loopctl profile explain` shows them. Without it \
                 they are made from the message, else from the check.",
            )
            .examples(&["a hormone receptor is neither positive nor negative"]),
            Key::new(
                "suggestion",
                String::shape,
                "What would put it right; it is fed back with the issue. It may use what `message` may. Without it nothing is suggested.",
            )
            .examples(&["give the grade as 1, 2 or 3"]),
        ],
    ],
    open: None,
};

pub(in super::super) static CONDITION: Mapping = Mapping {
    name: "condition",
    what: "condition",
    doc: "Checks that must all hold, of the rule's target or of another `field`. A check of something absent does not \
          hold, except the question of `required` itself.",
    keys: &[
        &[
            Key::new(
                "field",
                || Shape::text("the name of a top-level field, or a path"),
                "What the checks look at. Without it, the rule's target.",
            )
            .examples(&["histology"]),
            Key::new(
                "key",
                || Shape::Mapping(&CONDITION),
                "Checks of the key under which the target stands. Only for rules with `field` or `each`.",
            )
            .examples(&["{ contains: ki-67 }"]),
            Key::new(
                "value",
                || Shape::Mapping(&CONDITION),
                "Checks of the target's value, where `field` names something else.",
            )
            .examples(&["{ type: number }"]),
            Key::new(
                "source",
                || Shape::Mapping(&CONDITION),
                "Checks of the text of the document that the candidate was made from, which is one text. Without one, they do \
                 not hold.",
            )
            .examples(&["{ matches: { pattern: 'no medications', ignore_case: true } }"]),
        ],
        &KEYS,
    ],
    open: None,
};
