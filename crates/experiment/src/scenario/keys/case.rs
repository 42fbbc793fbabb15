//! The keys of scenario tests: what happens.

use super::super::case::ScoredStep;
use super::EXPECT;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape};

fn answers(key: &'static str, doc: &'static str) -> Shape {
    let one = Shape::Map(Open { key, names: Names::Any, doc, shape: || Shape::Any, null: Null::Absent });
    Shape::list(Shape::AnyOf(vec![one, Shape::Only("null")]))
}

pub(in super::super) static CASE: Mapping = Mapping {
    name: "case",
    what: "case",
    doc: "What happens, and what must come of it. A case has one of `trajectory`, `candidates`, `outputs` and \
          `unreadable: true`.",
    keys: &[&[
        Key::new("name", String::shape, "What is special about the case, unlike that of any other in the file.")
            .required()
            .examples(&["a carcinoma without its grade goes back with what to look for"]),
        Key::new(
            "set",
            || {
                Shape::Map(Open {
                    key: "SETTING",
                    names: Names::Any,
                    doc: "The setting's value; its key has dots between the parts, as in `stop.max_iterations`. `null` takes it away.",
                    shape: || Shape::Any,
                    null: Null::Absent,
                })
            },
            "Settings laid over the profile for this case, as `--config` does. Without it the profile is used as it is.",
        )
        .examples(&["{ stop.min_improvement: null, accept.overall: 0.9 }"]),
        Key::new(
            "document_type",
            || Shape::text("a document type"),
            "The document's type. Without it, it is found in the source, as in a run.",
        )
        .examples(&["pathology"]),
        Key::new("source", String::shape, "The document's text. Without it there is none to hold values against.")
            .examples(&["'FINAL DIAGNOSIS: Invasive ductal carcinoma, grade 2.'"]),
        Key::new(
            "trajectory",
            <Vec<ScoredStep>>::shape,
            "What each candidate would score, in their order: the policy decides as in `loopctl simulate`.",
        )
        .examples(&["[{ scores: 0.80 }, { scores: { completeness: 1, accuracy: 0.9 } }]"]),
        Key::new("candidates", || Shape::list(Shape::Any), "Whole candidates, in their order, assessed by the profile's own measures.")
            .examples(&["[{ histology: Invasive ductal carcinoma }]"]),
        Key::new(
            "outputs",
            || answers("STAGE", "What this stage answers; a text is what a model wrote, and is repaired as in a run."),
            "What each stage answers for each candidate, in their order.",
        )
        .examples(&["[{ tagger: { found: [] } }]"]),
        Key::new("unreadable", bool::shape, "`true`: the document can't be read, so there is no candidate.").examples(&["true"]),
        Key::new(
            "answers",
            || answers("NAME", "What this judge or validator answers; `null`: no answer came."),
            "What judges and validators say of each candidate, in their order. A judge without any answer in the case is \
             not configured, a validator without one not available.",
        )
        .examples(&["[{ reader: { score: 0.5, remarks: [too short] } }]"]),
        Key::new("expect", || Shape::Mapping(&EXPECT), "What must come of it. Only what is given here is compared.")
            .required()
            .examples(&["{ final_status: passed, stop_reason: accepted }"]),
    ]],
    open: None,
};
