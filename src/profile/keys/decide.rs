//! The keys of what decides: `overall`, `accept`, `gate`, `dispositions`, `select`, `review`.

use super::super::dispositions::Handling;
use super::super::policy::OnGateMiss;
use crate::value::Score;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape};

pub(super) fn overall() -> Shape {
    Shape::AnyOf(vec![Shape::Mapping(&OVERALL_WEIGHTS), Shape::Mapping(&OVERALL_FROM)])
}

pub(in super::super) static OVERALL_WEIGHTS: Mapping = Mapping {
    name: "overall_weights",
    what: "overall score",
    doc: "The overall score as a weighted mean of dimensions. Weights are divided by their sum; one that is not 1 is warned about.",
    keys: &[],
    open: Some(Open {
        key: "DIMENSION",
        names: Names::Any,
        doc: "How much this dimension counts, 0 or more, in proportion to the others. A dimension that is not listed does not count.",
        shape: || Shape::at_least(0.0),
        null: Null::Mistake,
    }),
};

pub(in super::super) static OVERALL_FROM: Mapping = Mapping {
    name: "overall_from",
    what: "overall score",
    doc: "The overall score as that of one dimension.",
    keys: &[&[Key::new(
        "from",
        || Shape::text("the name of a dimension"),
        "The dimension. With `from: overall`, `assess` may have a dimension called `overall`: a judge's own total, say.",
    )
    .required()
    .examples(&["completeness", "overall"])]],
    open: None,
};

const fn limit(name: &'static str, doc: &'static str) -> Key {
    Key::new(name, u64::shape, doc).examples(&["0"])
}

pub(in super::super) static ACCEPT: Mapping = Mapping {
    name: "accept",
    what: "mapping of bounds",
    doc: "When a candidate is good enough: every line must hold, and there must be at least one. Scores are lower bounds, \
          numbers of issues upper bounds. `unseen` and `unknown_type` are lines that every profile has unless it takes them away.",
    keys: &[&[
        Key::new("overall", Score::shape, "The least overall score, from 0 to 1.").examples(&["0.95"]),
        limit("critical_issues", "The most issues of severity `critical`."),
        limit("major_issues", "The most issues of severity `major`."),
        limit("minor_issues", "The most issues of severity `minor`."),
        limit("correct_issues", "The most issues that the loop is to correct (disposition `correct`)."),
        limit("escalate_issues", "The most issues that a person must decide (disposition `escalate`)."),
        limit("warn_issues", "The most issues that are only shown (disposition `warn`)."),
        Key::new(
            "unseen",
            bool::shape,
            "Whether a document may pass that nobody but a stage has seen: an image or PDF, which has no text, while no judge \
             that is shown it (`attach: document`), or that holds candidates against a `reference`, has answered.",
        )
        .default("false")
        .examples(&["true"]),
        Key::new(
            "unknown_type",
            bool::shape,
            "Whether a document may pass whose type `classify` did not recognise. A type that is named (`--type`) counts as \
             recognised; in a profile without `classify` every type is.",
        )
        .default("false")
        .examples(&["true"]),
    ]],
    open: Some(Open {
        key: "DIMENSION",
        names: Names::Any,
        doc: "The least score of this dimension, from 0 to 1.",
        shape: Score::shape,
        null: Null::Absent,
    }),
};

pub(in super::super) static GATE: Mapping = Mapping {
    name: "gate",
    what: "gate",
    doc: "A dimension that must reach a bound before anything expensive looks at the candidate: one dimension, and \
          `on_correction`.",
    keys: &[&[Key::new(
        "on_correction",
        OnGateMiss::shape,
        "What a correction does that misses the gate. A first candidate that misses it always ends the loop.",
    )
    .default("stop")
    .examples(&["rollback"])]],
    open: Some(Open {
        key: "DIMENSION",
        names: Names::Any,
        doc: "The dimension's lower bound, from 0 to 1. It must be measured before judges and validators are asked.",
        shape: Score::shape,
        null: Null::Mistake,
    }),
};

pub(in super::super) static DISPOSITIONS: Mapping = Mapping {
    name: "dispositions",
    what: "mapping from codes of issues to dispositions",
    doc: "Who handles an issue that does not say so itself, by its code.",
    keys: &[&[Key::new("otherwise", Handling::shape, "Who handles issues of every other code.")
        .default("correct")
        .examples(&["escalate"])]],
    open: Some(Open {
        key: "CODE",
        names: Names::Any,
        doc: "Who handles issues of this code.",
        shape: Handling::shape,
        null: Null::Absent,
    }),
};

pub(in super::super) static REVIEW: Mapping = Mapping {
    name: "review",
    what: "review rule",
    doc: "Which results are marked for a person to look at.",
    keys: &[&[Key::new(
        "when",
        || Shape::text("a condition"),
        "A condition over `overall`, `status` and the dimensions. It decides nothing else: the result is only marked.",
    )
    .required()
    .examples(&["overall < 0.80 or status != passed"])]],
    open: None,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::IssueKind;

    #[test]
    fn the_kinds_of_issues_are_those_that_can_be_counted() {
        let Shape::Words(words) = IssueKind::shape() else { panic!() };
        let kinds = IssueKind::ALL.map(IssueKind::as_str);
        assert_eq!(words.iter().map(|word| word.word).collect::<Vec<_>>(), kinds);
        for kind in kinds {
            assert!(ACCEPT.key(&format!("{kind}_issues")).is_some(), "{kind}");
        }
    }
}
