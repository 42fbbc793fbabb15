//! The keys of `stop`, as criteria of their own and in groups.

use super::super::stop::{Baseline, Budget, MinImprovement, Oscillation, Stagnation, Waiting};
use crate::value::decode::{Count, Decode};
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape};
use crate::value::{Millis, Usd};

/// What is no name of a criterion: space and the signs of ASCII, but for `-` and `_`.
const CRITERION_NAME: &str = r"^[^\s!-,./:-@\[-^`{-~]+$";

const MAX_ITERATIONS: Key = Key::new(
    "max_iterations",
    || Shape::whole(1, 1000),
    "The most candidates that are assessed, the first one counted: 1 to 1000. With 1 nothing is corrected. One of \
     `max_iterations` and `max_corrections` must be set.",
)
.examples(&["3"]);

const MAX_CORRECTIONS: Key = Key::new(
    "max_corrections",
    || Shape::whole(0, 1000),
    "The most corrections that are made: 0 to 1000. One less than `max_iterations` of the same effect.",
)
.examples(&["2"]);

const UNCHANGED: Key = Key::new(
    "unchanged",
    bool::shape,
    "`true`: stops at a candidate that equals one assessed before, because asking again would bring nothing new.",
)
.default("false")
.examples(&["true"]);

const ROLLBACKS: Key = Key::new(
    "rollbacks",
    Count::shape,
    "Stops after so many corrections in a row that made things worse. Only with `on_regression: rollback` (or a gate with \
     `on_correction: rollback`).",
)
.examples(&["2"]);

const STAGNATION_KEY: Key =
    Key::new("stagnation", Stagnation::shape, "Stops when the overall scores hardly move any more.")
        .examples(&["{ window: 2, epsilon: 0.05 }"]);

const MIN_IMPROVEMENT_KEY: Key =
    Key::new("min_improvement", MinImprovement::shape, "Stops when a correction gains too little.")
        .examples(&["{ delta: 0.05, patience: 1, baseline: previous }"]);

const DECLINE_KEY: Key =
    Key::new("decline", || Shape::Mapping(&DECLINE), "Stops when the overall scores fall again and again.")
        .examples(&["{ length: 3 }"]);

const OSCILLATION_KEY: Key =
    Key::new("oscillation", Oscillation::shape, "Stops when the overall scores go up and down.")
        .examples(&["{ window: 4, flips: 2, amplitude: 0.05 }"]);

const FLIP_FLOP_KEY: Key = Key::new(
    "flip_flop",
    || Shape::Mapping(&FLIP_FLOP),
    "Stops when a part of the candidate goes back and forth between the same two values, whatever the scores say.",
)
.examples(&["{ times: 2 }"]);

const SCRIPT: Key = Key::new(
    "script",
    || {
        Shape::Map(Open {
            key: "NAME",
            names: Names::Pattern(CRITERION_NAME),
            doc: "`FILE.rhai#FUNCTION` under `rules/`: `fn f(run)` returns true to stop, with the reason `script:NAME`.",
            shape: || Shape::text("`FILE.rhai#FUNCTION`"),
            null: Null::Absent,
        })
    },
    "Stops when a function of your own says so.",
)
.examples(&["{ plateau: stop.rhai#plateau }"]);

const TIMEOUT_KEY: Key = Key::new(
    "timeout",
    || Shape::AnyOf(vec![Millis::shape(), Shape::Mapping(&TIMEOUT)]),
    "Stops when the run has taken this long. It is looked at between iterations and before a call is made again, so one \
     iteration can go over. Waiting for a rate limit's turn is left out, unless `waiting: counts` says otherwise.",
)
.examples(&["30s", "{ after: 30s, waiting: counts }"]);

/// In a group it is a duration alone: a run has one time.
const TIMEOUT_IN_GROUP: Key = Key::new(
    "timeout",
    Millis::shape,
    "Stops when the run has taken this long. It is looked at between iterations, so one iteration can go over.",
)
.examples(&["30s", "2m"]);

const BUDGET_KEY: Key =
    Key::new("budget", Budget::shape, "Stops when so much has been spent on the document.")
        .examples(&["{ cost_usd: 0.10, tokens: 100000, calls: 10 }"]);

const ANY: Key = Key::new(
    "any",
    group,
    "Stops when one of these criteria applies. Groups are looked at after the others, and may nest.",
)
.examples(&["[{ timeout: 2m }, { all: [{ decline: { length: 2 } }, { budget: { cost_usd: 0.05 } }] }]"]);

const ALL: Key = Key::new(
    "all",
    group,
    "Stops when all of these criteria apply at once. Groups are looked at after the others, and may nest.",
)
.examples(&["[{ stagnation: { window: 2, epsilon: 0.01 } }, { budget: { calls: 4 } }]"]);

fn group() -> Shape {
    Shape::list(member())
}

/// An element of a group.
pub(in super::super) fn member() -> Shape {
    Shape::Mapping(&CRITERION)
}

pub(in super::super) static STOP: Mapping = Mapping {
    name: "stop",
    what: "list of stop criteria",
    doc: "Reasons to end the loop without a candidate that is good enough. One that is not set never applies. They are \
          looked at in this order, after acceptance.",
    keys: &[&[
        MAX_ITERATIONS,
        MAX_CORRECTIONS,
        UNCHANGED,
        ROLLBACKS,
        STAGNATION_KEY,
        MIN_IMPROVEMENT_KEY,
        DECLINE_KEY,
        OSCILLATION_KEY,
        FLIP_FLOP_KEY,
        SCRIPT,
        TIMEOUT_KEY,
        BUDGET_KEY,
        ANY,
        ALL,
    ]],
    open: None,
};

/// What may stand in a group; exactly one of these in each element.
pub(in super::super) static CRITERION: Mapping = Mapping {
    name: "criterion",
    what: "element of a group",
    doc: "One criterion: exactly one of these keys.",
    keys: &[&[
        Key { shape: Count::shape, ..MAX_ITERATIONS.never_null() },
        Key { shape: u64::shape, ..MAX_CORRECTIONS.never_null() },
        Key { shape: || Shape::Only("true"), default: None, ..UNCHANGED.never_null() },
        ROLLBACKS.never_null(),
        STAGNATION_KEY.never_null(),
        MIN_IMPROVEMENT_KEY.never_null(),
        DECLINE_KEY.never_null(),
        OSCILLATION_KEY.never_null(),
        FLIP_FLOP_KEY.never_null(),
        SCRIPT.never_null(),
        TIMEOUT_IN_GROUP.never_null(),
        BUDGET_KEY.never_null(),
        ANY.never_null(),
        ALL.never_null(),
    ]],
    open: None,
};

const fn step(name: &'static str, doc: &'static str) -> Key {
    Key::new(name, || Shape::number(0.0, 1.0), doc)
}

pub(in super::super) static STAGNATION: Mapping = Mapping {
    name: "stagnation",
    what: "stagnation criterion",
    doc: "Stops when the last overall scores lie close together.",
    keys: &[&[
        Key::new(
            "window",
            || Shape::whole(2, i64::from(u32::MAX)),
            "How many of the last candidates are looked at: 2 or more.",
        )
        .required()
        .examples(&["2"]),
        step(
            "epsilon",
            "The highest and the lowest of their overall scores differ by less than this, from 0 to 1.",
        )
        .required()
        .examples(&["0.05"]),
    ]],
    open: None,
};

pub(in super::super) static MIN_IMPROVEMENT: Mapping = Mapping {
    name: "min_improvement",
    what: "min_improvement criterion",
    doc: "Stops when the gain in the overall score was too small.",
    keys: &[&[
        step("delta", "The least gain that counts, from 0 to 1.").required().examples(&["0.05"]),
        Key::new(
            "patience",
            Count::shape,
            "How many times in a row the gain may be missed; the last of them stops.",
        )
        .default("1")
        .examples(&["2"]),
        Key::new("baseline", Baseline::shape, "What the gain is measured against.")
            .default("previous")
            .examples(&["best"]),
    ]],
    open: None,
};

pub(in super::super) static TIMEOUT: Mapping = Mapping {
    name: "timeout",
    what: "limit of time",
    doc: "How long a run may take, and what of its time counts.",
    keys: &[&[
        Key::new("after", Millis::shape, "How long the run may take.").required().examples(&["30s", "2m"]),
        Key::new(
            "waiting",
            Waiting::shape,
            "Whether the time counts in which calls wait for their turn, because of `network.limits` or because the \
             server says that nothing is left.",
        )
        .default("left_out")
        .examples(&["counts"]),
    ]],
    open: None,
};

pub(in super::super) static DECLINE: Mapping = Mapping {
    name: "decline",
    what: "decline criterion",
    doc: "Stops when the overall scores keep falling.",
    keys: &[&[Key::new(
        "length",
        || Shape::whole(2, i64::from(u32::MAX)),
        "So many overall scores in a row, each lower than the one before: 2 or more.",
    )
    .required()
    .examples(&["3"])]],
    open: None,
};

pub(in super::super) static OSCILLATION: Mapping = Mapping {
    name: "oscillation",
    what: "oscillation criterion",
    doc: "Stops when the overall scores go up and down.",
    keys: &[&[
        Key::new(
            "window",
            || Shape::whole(3, i64::from(u32::MAX)),
            "Among how many of the last candidates: 3 or more.",
        )
        .required()
        .examples(&["4"]),
        Key::new("flips", Count::shape, "How many changes of direction there must be.")
            .required()
            .examples(&["2"]),
        step("amplitude", "A difference smaller than this does not count, from 0 to 1.")
            .default("0")
            .examples(&["0.05"]),
    ]],
    open: None,
};

pub(in super::super) static FLIP_FLOP: Mapping = Mapping {
    name: "flip_flop",
    what: "flip_flop criterion",
    doc: "Stops when a part of the candidate goes back and forth between the same two values.",
    keys: &[&[Key::new("times", Count::shape, "How often it came back to the value that it had.")
        .required()
        .examples(&["2"])]],
    open: None,
};

pub(in super::super) static BUDGET: Mapping = Mapping {
    name: "budget",
    what: "budget",
    doc: "The most that may be spent on one document, judges included.",
    keys: &[&[
        Key::new("cost_usd", Usd::shape, "US dollars, by what providers tell or `prices.yaml` says.")
            .examples(&["0.10"]),
        Key::new("tokens", Count::shape, "Tokens, read and written.").examples(&["100000"]),
        Key::new("calls", Count::shape, "Calls to providers.").examples(&["10"]),
    ]],
    open: None,
};
