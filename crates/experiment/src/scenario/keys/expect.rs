//! The keys of what test cases expect.

use super::super::expect::ExpectedAssessment;
use super::super::expect_text::{ExpectedRequest, ExpectedText};
use crate::policy::StopReason;
use crate::value::Score;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Shape, Word};

/// The ways in which a run can end.
static STATUSES: [Word; 7] = [
    Word { word: "passed", doc: "A candidate was accepted." },
    Word { word: "max_iterations_reached", doc: "The limit of iterations or corrections was reached." },
    Word { word: "stopped_early", doc: "A stop criterion applied." },
    Word { word: "failed", doc: "Something that a person must see, or nothing that could be used." },
    Word { word: "skipped", doc: "There was nothing to do." },
    Word { word: "cancelled", doc: "Someone stopped it." },
    Word { word: "incomplete", doc: "The loop would have gone on: the case has no further candidate." },
];

fn stop_reason() -> Shape {
    let words = StopReason::words().map(|word| Word { word, doc: "" }).collect();
    let named = Shape::text_like(
        "`script:NAME`, `skip:STAGE`, or the members of a group with `+` between them",
        r"^(script|skip):|\+",
    );
    Shape::AnyOf(vec![Shape::Words(words), named])
}

fn selection_reason() -> Shape {
    let words = vec![
        Word { word: "only_iteration", doc: "There was no other." },
        Word { word: "final_iteration_best", doc: "The last one is the best." },
    ];
    let peaked = Shape::text_like("`quality_peaked_at_iteration_K`", "^quality_peaked_at_iteration_[0-9]+$");
    Shape::AnyOf(vec![Shape::Words(words), peaked])
}

pub(in super::super) static EXPECT: Mapping = Mapping {
    name: "expect",
    what: "expectation",
    doc: "What must come of a case. Only what is given is compared: numbers within 1e-6, mappings as far as they go, lists \
          item by item.",
    keys: &[&[
        Key::new("final_status", || Shape::Words(STATUSES.to_vec()), "How the run ends.")
            .never_null()
            .examples(&["passed"]),
        Key::new("stop_reason", stop_reason, "Why it ends.").never_null().examples(&[
            "accepted",
            "min_improvement",
            "skip:tagger",
        ]),
        Key::new("iteration_count", u64::shape, "How many candidates were assessed.")
            .never_null()
            .examples(&["2"]),
        Key::new("best_iteration", u64::shape, "Which candidate is returned, counted from 0; `null`: none.")
            .examples(&["0"]),
        Key::new("selection_reason", selection_reason, "Why that one; `null`: none was.")
            .examples(&["quality_peaked_at_iteration_0"]),
        Key::new(
            "improvement_trajectory",
            <Vec<Score>>::shape,
            "The overall score of each candidate, in their order.",
        )
        .never_null()
        .examples(&["[0.80, 0.95]"]),
        Key::new("rollbacks", u64::shape, "How many corrections were rolled back.")
            .never_null()
            .examples(&["1"]),
        Key::new("cost_usd", f64::shape, "What it cost, in US dollars.").never_null().examples(&["0.01"]),
        Key::new("tokens", u64::shape, "How many tokens it took, read and written.")
            .never_null()
            .examples(&["500"]),
        Key::new("elapsed_ms", u64::shape, "How long it took, in milliseconds.")
            .never_null()
            .examples(&["900"]),
        Key::new(
            "base",
            u64::shape,
            "The iteration that the next correction would start from; `null`: there is none.",
        )
        .examples(&["1"]),
        Key::new(
            "review",
            bool::shape,
            "Whether the result is marked for a person, by the profile's `review`.",
        )
        .never_null()
        .examples(&["true"]),
        Key::new("document_type", String::shape, "The type that the document was found to have.")
            .never_null()
            .examples(&["pathology"]),
        Key::new("best_extraction", || Shape::Any, "The candidate that is returned; `null`: none is.")
            .examples(&["{ histology: Invasive ductal carcinoma }"]),
        Key::new(
            "assessments",
            <Vec<ExpectedAssessment>>::shape,
            "What each candidate is worth, in their order.",
        )
        .default("[]")
        .examples(&["[{ scores: { consistency: 0.85 }, missing: [grade] }]"]),
        Key::new("feedback", ExpectedText::shape, "The feedback that the next correction would get.")
            .examples(&["{ contains: 90.0 % is needed }"]),
        Key::new("request", ExpectedText::shape, "All messages that the next correction would get.")
            .examples(&["{ contains: grade, lacks: MSI }"]),
        Key::new("requests", <Vec<ExpectedRequest>>::shape, "What stages and judges were asked.")
            .default("[]")
            .examples(&["[{ stage: tagger, iteration: 0, lacks: J. Doe }]"]),
    ]],
    open: None,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::FinalStatus;
    use crate::value::shape::words;

    #[test]
    fn the_statuses_are_those_of_results() {
        assert_eq!(words(&STATUSES), FinalStatus::ALL.map(FinalStatus::as_str));
    }
}
