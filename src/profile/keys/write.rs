//! The keys of what is asked and what is repaired: `feedback`, `mask`, `repair`.

use super::super::feedback::{Lock, PreviousOutput};
use crate::value::decode::{Count, Decode};
use crate::value::shape::{Key, Mapping, Shape};

pub(in super::super) static FEEDBACK: Mapping = Mapping {
    name: "feedback",
    what: "set of feedback settings",
    doc: "How a correction is asked for.",
    keys: &[&[
        Key::new(
            "template",
            || Shape::text("a file under `prompts/`"),
            "The text that tells what is wrong: a template that is filled in with issues, scores and failed attempts.",
        )
        .required()
        .default("feedback/default.md")
        .examples(&["feedback/clinical.md"]),
        Key::new(
            "to",
            || Shape::text("the id of a stage, or `all`"),
            "Which stage is told what is wrong. It runs again, and so do those after it; `all` runs and tells every stage. \
             Without it, the last stage.",
        )
        .examples(&["extract", "all"]),
        Key::new("history", Count::shape, "How many failed attempts are told, first in first out.").default("10").examples(&["5"]),
        Key::new(
            "max_bytes",
            Count::shape,
            "The most bytes of feedback in one request, the previous output not counted. Over it, the least important \
             points are left out, and how many is said.",
        )
        .default("20000")
        .examples(&["8000"]),
        Key::new(
            "previous_output",
            PreviousOutput::shape,
            "What a correction request shows of the candidate that is corrected.",
        )
        .default("include")
        .examples(&["failing_fields"]),
        Key::new("lock", Lock::shape, "Which fields a correction must leave as they are.").default("none").examples(&["passing"]),
    ]],
    open: None,
};

pub(in super::super) static MASK: Mapping = Mapping {
    name: "mask",
    what: "mask",
    doc: "A passage that is withheld.",
    keys: &[&[
        Key::new(
            "pattern",
            || Shape::text("a regular expression"),
            "What is withheld, wherever it is found. `(?s)` lets `.` run over line breaks, `(?i)` ignores case.",
        )
        .required()
        .examples(&["'(?s)IMPRESSION:.*'"]),
        Key::new("replace", String::shape, "What is there instead; `$1` is what the pattern's first group found.")
            .default("'[withheld]'")
            .examples(&["'IMPRESSION: [withheld]'"]),
    ]],
    open: None,
};
