//! The keys of judges and validators.

use super::super::judge::{AfterRetries, OnFailure, Scale, Sees};
use super::calls::{CALL, DEADLINE};
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Shape};
use crate::value::{Score, Severity};

pub(in super::super) static JUDGE: Mapping = Mapping {
    name: "judge",
    what: "judge",
    doc: "A model that is asked what a candidate is worth. An answer that can't be read is never a score.",
    keys: &[
        &CALL,
        &[
            Key::new("sees", Sees::shape, "How much of the document the judge sees.").default("masked").examples(&["unmasked"]),
            Key::new(
                "reference",
                || Shape::text("the path of a file in the document's folder"),
                "A file beside the document that only this judge sees, as `{{ reference }}` in its prompt: what the right \
                 answer is. `{{ document_id }}` (the document's name without ending) and `{{ document_type }}` are filled \
                 in. Where the file can't be read, the judge has failed.",
            )
            .examples(&["gold/{{ document_id }}.json"]),
            Key::new(
                "withhold",
                <Vec<String>>::shape,
                "Members of the candidate, by name and however deep, that the judge is not shown unless the stage's \
                 schema declares them: what a model says of its own work. `nameScore` and `name-score` are what \
                 `name_score` is; `*_score` stands for every longer name that ends so.",
            )
            .default(
                "[confidence, '*_confidence', confidence_score, '*_confidence_score', confidence_level, certainty, '*_certainty', \
                 quality, quality_score, score, overall_score, self_assessment, self_evaluation, self_rating, self_score, \
                 verified, validated, is_correct, is_valid, is_verified, accuracy, accuracy_score, completeness, \
                 completeness_score, correctness, overall_quality, reliability, reliability_score, extraction_quality, \
                 validation_status]",
            )
            .examples(&["[confidence, score]"]),
            Key::new(
                "scale",
                Scale::shape,
                "The numbers between which the judge scores, the worst and the best. What it gives is converted to 0 to 1; \
                 an answer with a number that is not on the scale can't be read.",
            )
            .default("[0, 1]")
            .examples(&["[0, 10]", "[1, 5]"]),
            Key::new(
                "issues",
                || Shape::text_like("a JSON Pointer such as `/critical_issues`", "^(/|$)"),
                "Where in the judge's answer the list of issues stands. Without it the judge gives scores only.",
            )
            .examples(&["/critical_issues"]),
            Key::new("severity", Severity::shape, "How bad an issue is that does not say so itself.")
                .default("major")
                .examples(&["critical"]),
            Key::new("on_failure", OnFailure::shape, "What happens when the judge gives no answer that can be read.")
                .examples(&["{ retry: 1, then: escalate }", "{ retry: 2, then: { fallback: 0.5 } }"]),
        ],
    ],
    open: None,
};

pub(in super::super) static ON_FAILURE: Mapping = Mapping {
    name: "on_failure",
    what: "rule for failures",
    doc: "What happens when a judge gives no answer that can be read.",
    keys: &[&[
        Key::new("retry", || Shape::whole(0, 20), "How often the judge is asked again first, for each provider of its list: 0 to 20.")
            .default("1")
            .examples(&["2"]),
        Key::new(
            "then",
            AfterRetries::shape,
            "What becomes of its dimensions then. `escalate`: they have no score, and a critical issue tells a person. \
             `{ fallback: … }`: they get a number or another dimension's score, with a warning.",
        )
        .default("escalate")
        .examples(&["escalate", "{ fallback: 0.5 }", "{ fallback: completeness }"]),
    ]],
    open: None,
};

pub(in super::super) static FALLBACK: Mapping = Mapping {
    name: "fallback",
    what: "fallback",
    doc: "What is in for a judge that could not be had.",
    keys: &[&[Key::new(
        "fallback",
        || Shape::AnyOf(vec![Score::shape(), Shape::text("the name of a dimension")]),
        "A score from 0 to 1, or the dimension whose score is taken.",
    )
    .required()
    .examples(&["0.5", "completeness"])]],
    open: None,
};

const STAGES: Key = Key::new(
    "stages",
    <Vec<String>>::shape,
    "What is checked, in order. The score is the mean over these: 1 for one that passed, 1 / (1 + issues) for one that \
     failed, 0 for one that did not run because an earlier one failed.",
)
.required()
.examples(&["[structure, constraints]"]);

pub(in super::super) static VALIDATOR_PROGRAM: Mapping = Mapping {
    name: "validator_program",
    what: "validator",
    doc: "A program of this machine that checks a candidate. It reads JSON from standard input (`document_type`, \
          `candidate`, `subject`) and writes JSON. Programs run with `--allow-commands` only; otherwise they are skipped, \
          which the result says.",
    keys: &[&[
        STAGES,
        Key::new(
            "command",
            <Vec<String>>::shape,
            "The program and its arguments. It sees `PATH`, `HOME` and the like of the environment, and no keys.",
        )
        .required()
        .examples(&["[python3, -c]"]),
        Key::new(
            "script",
            || Shape::text("a file under `rules/`"),
            "A file whose text becomes the last argument. Without it nothing is added.",
        )
        .examples(&["validators/check.py"]),
        DEADLINE,
    ]],
    open: None,
};

pub(in super::super) static VALIDATOR_SERVICE: Mapping = Mapping {
    name: "validator_service",
    what: "validator",
    doc: "An HTTP service that checks a candidate. It gets the JSON that a program would read by POST, and answers alike.",
    keys: &[&[
        Key::new(
            "url",
            || Shape::text_like("a URL such as `https://HOST/PATH`", "^https?://[^/?]"),
            "Where the service is. Without TLS (`http`) only on this machine, unless `allow_http` is true.",
        )
        .required()
        .examples(&["https://example.org/check"]),
        STAGES,
        Key::new(
            "retries",
            || Shape::whole(0, 20),
            "How often it is asked again when it failed with a transient error: 0 to 20.",
        )
        .default("1")
        .examples(&["3"]),
        Key::new(
            "token",
            bool::shape,
            "`true`: the value of the environment variable `LOOPCTL_SERVICE_TOKEN` is sent as a bearer token, to hosts \
             that `LOOPCTL_SERVICE_HOSTS` lists and to this machine.",
        )
        .default("false")
        .examples(&["true"]),
        Key::new("allow_http", bool::shape, "`true`: another host than this machine may be asked without TLS.")
            .default("false")
            .examples(&["true"]),
        DEADLINE,
    ]],
    open: None,
};
