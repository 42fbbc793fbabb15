//! `promises`: conditions that must hold for every run under a policy, whatever candidates score.
//!
//! They decide nothing about a document: `loopctl prove` shows that they hold, or a run in which one does not.

use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Fields, Spanned, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::{decode_words, mapping};

/// One item of `promises`, as written.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum DeclaredPromise {
    /// A condition that holds at the end of every run.
    Always(Spanned<String>),
    /// A condition that holds at the end of no run.
    Never(Spanned<String>),
    /// A dimension, or `overall`, of which more is never worse.
    Monotone(Spanned<String>),
    /// A function of the author's own, `FILE.rhai#FUNCTION`, that returns true at the end of every run.
    Script(Spanned<String>),
    /// A promise of those that every policy makes, which this one does not make.
    Waive {
        /// The waived promise.
        promise: Spanned<ShippedPromise>,
        /// The line that it is not made of; of all, if absent.
        line: Option<Spanned<String>>,
        /// The reason.
        because: String,
    },
}

/// A promise that every policy makes, unless it waives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShippedPromise {
    /// Every run ends within its limit of candidates.
    Ends,
    /// No iteration begins when a budget or the time is used up.
    WithinBudget,
    /// The returned candidate is the best of those that may be returned.
    ReturnsBest,
    /// An accepted candidate meets every line of `accept`, and the gate.
    AcceptsByEveryLine,
    /// A better candidate in the same situation never ends worse.
    Monotone,
    /// Every line of `accept`, every stop criterion and the gate decide some run.
    NoDeadCriterion,
}

impl ShippedPromise {
    /// All of them, in the order in which they are listed.
    pub const ALL: [ShippedPromise; 6] = [
        ShippedPromise::Ends,
        ShippedPromise::WithinBudget,
        ShippedPromise::ReturnsBest,
        ShippedPromise::AcceptsByEveryLine,
        ShippedPromise::Monotone,
        ShippedPromise::NoDeadCriterion,
    ];

    /// The word in YAML and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ShippedPromise::Ends => "ends",
            ShippedPromise::WithinBudget => "within_budget",
            ShippedPromise::ReturnsBest => "returns_best",
            ShippedPromise::AcceptsByEveryLine => "accepts_by_every_line",
            ShippedPromise::Monotone => "monotone",
            ShippedPromise::NoDeadCriterion => "no_dead_criterion",
        }
    }

    /// The statement of the promise.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            ShippedPromise::Ends => "every run ends within its limit of candidates",
            ShippedPromise::WithinBudget => {
                "no iteration begins once a budget or the time is used up, so that no run is over by more than one"
            }
            ShippedPromise::ReturnsBest => {
                "what is returned is never worse than the best that may be returned"
            }
            ShippedPromise::AcceptsByEveryLine => {
                "what is accepted meets every line of `accept`, and the gate"
            }
            ShippedPromise::Monotone => "a better candidate in the same place never ends worse",
            ShippedPromise::NoDeadCriterion => {
                "every line of `accept`, every stop criterion and the gate decide some run"
            }
        }
    }
}

decode_words!(ShippedPromise, "promise", {
    "ends": "Every run ends within its limit of candidates." => ShippedPromise::Ends,
    "within_budget": "No iteration begins once a budget or the time is used up." => ShippedPromise::WithinBudget,
    "returns_best": "What is returned is never worse than the best that may be returned." => ShippedPromise::ReturnsBest,
    "accepts_by_every_line": "What is accepted meets every line of `accept`, and the gate." => ShippedPromise::AcceptsByEveryLine,
    "monotone": "A better candidate in the same place never ends worse." => ShippedPromise::Monotone,
    "no_dead_criterion": "Every line of `accept`, every stop criterion and the gate decide some run." => ShippedPromise::NoDeadCriterion,
});

mapping! {
    /// A condition that must hold for every run, or a promise that every policy makes, which this one does not make:
    /// one of `always`, `never`, `monotone`, `script` and `waive`.
    "promise" is "promise", checked by PromiseKeys::check;
    struct PromiseKeys {
        /// A condition that holds at the end of every run.
        #[key(text("a condition"), examples(&["calls <= 6"]))]
        always: Option<Spanned<String>>,
        /// A condition that holds at the end of no run.
        #[key(text("a condition"), examples(&["passed and issues.critical > 0"]))]
        never: Option<Spanned<String>>,
        /// A score of which more is never worse: of two candidates in the same situation that differ in nothing else,
        /// the one that scores higher is accepted if the other is, and does not end the loop where the other continues.
        #[key(text("`overall` or the name of a dimension"), examples(&["accuracy"]))]
        monotone: Option<Spanned<String>>,
        /// A function of your own under `rules/`: `fn f(run)` returns true at the end of every run.
        #[key(text("`FILE.rhai#FUNCTION`"), examples(&["promises.rhai#keeps_the_best"]))]
        script: Option<Spanned<String>>,
        /// A promise that every policy makes, and this one does not.
        #[key(examples(&["monotone"]))]
        waive: Option<Spanned<ShippedPromise>>,
        /// With `waive: no_dead_criterion`, the line that may be dead. Without it all may be.
        #[key(text("a line, such as `stop.decline`"), examples(&["stop.decline"]))]
        line: Option<Spanned<String>>,
        /// With `waive`, the reason.
        #[key(default("''"), examples(&["the limit comes first"]))]
        because: String,
    }
}

impl PromiseKeys {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        let said = ["always", "never", "monotone", "script", "waive"];
        let found = said.into_iter().filter(|key| fields.key_span(key).is_some()).count();
        if found != 1 {
            let message = format!("a promise is one of `{}`, found {found}", said.join("`, `"));
            problems.push(
                Problem::error(Code::Conflict, fields.span(), message).help(
                    "write `- always: calls <= 6`, or the condition alone; give each promise its own `-`",
                ),
            );
        }
        let of_a_line = self.waive.as_ref().is_some_and(|it| it.value == ShippedPromise::NoDeadCriterion);
        if let (Some(line), false) = (&self.line, of_a_line) {
            let problem =
                Problem::error(Code::Conflict, &line.span, "`line` belongs to `waive: no_dead_criterion`");
            problems.push(problem.help("leave it out"));
        }
        if let (None, Some(span)) = (&self.waive, fields.key_span("because")) {
            let problem = Problem::error(Code::Conflict, span, "`because` belongs to `waive`");
            problems.push(problem.help("leave it out, or write a comment"));
        }
    }
}

impl Decode for DeclaredPromise {
    const EXPECTED: &'static str =
        "a condition, or a mapping such as `{ never: passed and issues.critical > 0 }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![
            Shape::text("a condition that holds at the end of every run"),
            Shape::Mapping(PromiseKeys::mapping()),
        ])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if node.as_text().is_some() {
            return Spanned::decode(node, problems).map(DeclaredPromise::Always);
        }
        if !matches!(node.data, Data::Map(_)) {
            return wrong_type(node, Self::EXPECTED, problems);
        }
        let errors_before = problems.error_count();
        let PromiseKeys { always, never, monotone, script, waive, line, because } =
            PromiseKeys::read_mapping(node, problems)?;
        if problems.error_count() > errors_before {
            return None;
        }
        let waived = |promise| DeclaredPromise::Waive { promise, line, because };
        always
            .map(DeclaredPromise::Always)
            .or_else(|| never.map(DeclaredPromise::Never))
            .or_else(|| monotone.map(DeclaredPromise::Monotone))
            .or_else(|| script.map(DeclaredPromise::Script))
            .or_else(|| waive.map(waived))
    }
}

mapping! {
    /// Promises in a file of their own: `loopctl prove PROFILE --promises FILE`.
    "promises" is "file of promises", expects "a mapping with `promises`";
    #[derive(Debug, Clone)]
    pub struct PromiseFile {
        /// Conditions that must hold for every run, besides the profile's own promises.
        #[key(required, examples(&["[{ always: calls <= 6 }, { never: passed and issues.critical > 0 }]"]))]
        pub promises: Vec<DeclaredPromise> => |_| Vec::new(),
    }
}
