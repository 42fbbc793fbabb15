//! The keys of tests of rules.

use super::super::expect::ExpectedIssue;
use super::super::rule_cases::RuleCase;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Shape};

/// The cases of a file of rules.
pub static RULE_TESTS: Mapping = Mapping {
    name: "rule-tests",
    what: "test file of rules",
    doc: "What rules must find and what they must leave alone: `rules/NAME.test.yaml` beside `rules/NAME.yaml`. \
          `loopctl test` plays them.",
    keys: &[&[Key::new("cases", <Vec<RuleCase>>::shape, "The cases. A rule needs both valid and invalid candidates.")
        .required()
        .examples(&["[{ rule: grade-format, document_type: pathology, valid: [{ grade: '2' }], invalid: [{ grade: banana }] }]"])]],
    open: None,
};

pub(in super::super) static RULE_CASE: Mapping = Mapping {
    name: "rule_case",
    what: "case of a rule",
    doc: "Candidates for one rule.",
    keys: &[&[
        Key::new("rule", || Shape::text("the id of a rule"), "The rule's id.")
            .required()
            .examples(&["grade-format"]),
        Key::new(
            "name",
            String::shape,
            "What is special about the case. Without it, the rule's id names it.",
        )
        .examples(&["roman numerals"]),
        Key::new(
            "document_type",
            || Shape::text("a document type"),
            "The type of the documents. Without it, `unknown`.",
        )
        .examples(&["pathology"]),
        Key::new(
            "source",
            String::shape,
            "The text that the candidates were made from. Without it there is none.",
        )
        .examples(&["'Grade 2.'"]),
        Key::new("valid", || Shape::list(Shape::Any), "Candidates in which the rule must find nothing.")
            .default("[]")
            .examples(&["[{ grade: '2' }, { grade: well differentiated }]"]),
        Key::new("invalid", || Shape::list(Shape::Any), "Candidates in which the rule must find something.")
            .default("[]")
            .examples(&["[{ grade: banana }]"]),
        Key::new(
            "issue",
            ExpectedIssue::shape,
            "What each issue of the rule in invalid candidates is like. Without it any will do.",
        )
        .examples(&["{ code: GRADE_FORMAT, severity: major }"]),
    ]],
    open: None,
};
