//! The keys at the top of a profile.

use super::super::candidate::{CandidateKind, OnPreExisting};
use super::super::judge::{Judge, ProgramKeys, ServiceKeys};
use super::super::{
    Dispositions, Feedback, Mask, Network, OnEscalate, OnRegression, Repair, Select, Stage, StopCriteria,
};
use super::decide::overall;
use super::{ACCEPT, GATE, REVIEW, measure};
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, NAME, Names, Null, Open, Shape};

/// A profile.
pub(crate) static PROFILE: Mapping = Mapping {
    name: "profile",
    what: "profile",
    doc: "The policy of a loop: what makes a candidate, how it is measured, when it is good enough, when to stop, and \
          which candidate is returned. A profile that `extends` another says only what differs.",
    keys: &[&[
        Key::new("name", String::shape, "The profile's name, which stands in results. Without it, the file's name.")
            .examples(&["our-clinic"]),
        Key::new("description", String::shape, "What the profile is for, in a sentence; `loopctl profile list` shows it.")
            .default("''")
            .examples(&["Pathology reports of our clinic, strict about grade and margins"]),
        Key::new(
            "extends",
            || Shape::text("the name of a profile, or a path beside this file"),
            "The profile that this one starts from. Mappings merge key by key; anything else, lists too, replaces what \
             stood there; `null` takes a key away. Without it the profile starts from the defaults and must say \
             `assess`, `overall` and `accept` itself.",
        )
        .examples(&["balanced", "./our-base.yaml"]),
        Key::new(
            "classify",
            || Shape::text("a file under `rules/`, without `.yaml`"),
            "The file that gives a document its type by what is in it. `--type` on the command line overrides it; \
             `null` leaves every document without a type (`unknown`).",
        )
        .default("classify")
        .examples(&["classify", "classify-literature"]),
        Key::new(
            "candidate",
            CandidateKind::shape,
            "What a candidate is, and so what is assessed.",
        )
        .default("value")
        .examples(&["patch"]),
        Key::new(
            "pre_existing",
            OnPreExisting::shape,
            "Where candidates are patches: what becomes of a mistake that the document had before, and that the edit does \
             not touch. What validators and judges find is not compared with the document as it was.",
        )
        .default("warn")
        .examples(&["block"]),
        Key::new(
            "variables",
            || {
                Shape::Map(Open {
                    key: "NAME",
                    names: Names::Pattern("^[A-Za-z_][A-Za-z0-9_]*$"),
                    doc: "The value that a prompt finds as `{{ variables.NAME }}`. While it is empty, the prompt can't be used.",
                    shape: || Shape::Any,
                    null: Null::Absent,
                })
            },
            "What prompts are told besides the document: a prompt writes `{{ variables.NAME }}`. `--var NAME=TEXT` \
             sets one for a run.",
        )
        .examples(&["{ task: Summarize for the tumor board, audience: clinicians }"]),
        Key::new(
            "stages",
            || Shape::list(Stage::shape()),
            "The steps that make a candidate, asked one after the other; at most 20. A profile without stages can score \
             what others made, and not run.",
        )
        .examples(&["[{ id: extract, provider: pattern, prompt: extract.md, patterns: 'extract/{{ document_type }}.yaml' }]"]),
        Key::new(
            "generate_once",
            || Shape::list(Shape::text("the id of a stage")),
            "Stages that run for the first candidate only. What they gave is carried along to every correction.",
        )
        .default("[]")
        .examples(&["[examples]"]),
        Key::new(
            "mask",
            || Shape::list(Mask::shape()),
            "Passages that no stage, rule or measure sees. Only a judge with `sees: unmasked` gets the whole document, so \
             that it can hold an answer against what the answer could not copy.",
        )
        .default("[]")
        .examples(&["[{ pattern: '(?s)IMPRESSION:.*', replace: '[withheld]' }]"]),
        Key::new(
            "judges",
            || {
                Shape::Map(Open {
                    key: "NAME",
                    names: Names::Pattern(NAME),
                    doc: "One judge, by the name that `assess` uses for it.",
                    shape: || Shape::Mapping(Judge::mapping()),
                    null: Null::Absent,
                })
            },
            "Models that are asked what a candidate is worth, after the gate. They see the document and the candidate, \
             and nothing of earlier attempts or scores. Their scores count where `assess` names them, their issues always.",
        )
        .examples(&["{ verification: { provider: 'openai:gpt-5-mini', prompt: judge/literature.md } }"]),
        Key::new(
            "validators",
            || {
                Shape::Map(Open {
                    key: "NAME",
                    names: Names::Pattern(NAME),
                    doc: "One validator, by the name that `assess` uses for it.",
                    shape: || Shape::AnyOf(vec![Shape::Mapping(ProgramKeys::mapping()), Shape::Mapping(ServiceKeys::mapping())]),
                    null: Null::Absent,
                })
            },
            "Programs of this machine and HTTP services that check a candidate, after the gate. Their scores \
             count where `assess` names them, their issues always.",
        )
        .examples(&["{ terminology: { url: 'https://example.org/check', stages: [codes] } }"]),
        Key::new(
            "network",
            Network::shape,
            "How requests to models behind HTTP APIs are sent: timeouts, limits, what is held back after failures. \
             Without it, the defaults of each key.",
        )
        .examples(&["{ limits: { openai: { requests_per_minute: 60 } } }"]),
        Key::new(
            "assess",
            || {
                Shape::Map(Open {
                    key: "DIMENSION",
                    names: Names::Any,
                    doc: "How this dimension gets its score. The name is yours; `overall` is one only with \
                          `overall: { from: overall }`.",
                    shape: measure,
                    null: Null::Absent,
                })
            },
            "The dimensions of quality, and where the score of each comes from: a number from 0 to 1.",
        )
        .required()
        .examples(&["{ completeness: { rubric: clinical }, validity: { rules: clinical-validity, penalty: 0.10 } }"]),
        Key::new(
            "overall",
            overall,
            "How the overall score follows from the dimensions: weights, or one dimension.",
        )
        .required()
        .examples(&["{ completeness: 0.5, validity: 0.5 }", "{ from: completeness }"]),
        Key::new(
            "accept",
            || Shape::Mapping(&ACCEPT),
            "When a candidate is good enough. Every line must hold; then the loop ends as passed.",
        )
        .required()
        .examples(&["{ overall: 0.95, critical_issues: 0 }"]),
        Key::new(
            "gate",
            || Shape::Mapping(&GATE),
            "One dimension that must reach a bound before judges and validators are asked. A first candidate below it \
             ends the loop as failed. Without it there is no gate.",
        )
        .examples(&["{ schema_compliance: 0.5, on_correction: stop }"]),
        Key::new(
            "dispositions",
            Dispositions::shape,
            "Who handles an issue that does not say so itself, by its code. Without it the loop corrects them all.",
        )
        .examples(&["{ TYPE_MISMATCH: correct, CONSTRAINT_VIOLATION: { auto_fixable: correct, otherwise: escalate }, otherwise: escalate }"]),
        Key::new("on_escalate", OnEscalate::shape, "What happens at an issue that a person must decide (disposition `escalate`).")
            .default("continue")
            .examples(&["stop"]),
        Key::new(
            "on_regression",
            OnRegression::shape,
            "What happens when a correction is worse than the best candidate so far.",
        )
        .default("keep")
        .examples(&["rollback"]),
        Key::new(
            "stop",
            StopCriteria::shape,
            "When to give up without a candidate that is good enough. `max_iterations` or `max_corrections` must be set; \
             every other criterion applies only if it is.",
        )
        .required()
        .always()
        .examples(&["{ max_iterations: 3, timeout: 2m, budget: { cost_usd: 0.10 } }"]),
        Key::new(
            "select",
            Select::shape,
            "Which candidate is the best, and which is returned. Without it: the highest overall score, of equal \
             candidates the later.",
        )
        .always()
        .examples(&["{ order: [no_critical, overall], ties: last, return: best }"]),
        Key::new("feedback", Feedback::shape, "How a correction is asked for: what is told, to whom, and how much of it.")
            .required()
            .always()
        .examples(&["{ template: feedback/clinical.md, history: 5 }"]),
        Key::new(
            "repair",
            Repair::shape,
            "What may be corrected in an answer without asking anybody, before it is assessed. Each change is recorded in \
             the result. `false` switches all of it off, `true` is the default.",
        )
        .always()
        .examples(&["false", "{ drop_unknown: false }"]),
        Key::new(
            "review",
            || Shape::Mapping(&REVIEW),
            "Which results are marked for a person to look at. Without it none is.",
        )
        .examples(&["{ when: overall < 0.80 or status != passed }"]),
    ]],
    open: None,
};
