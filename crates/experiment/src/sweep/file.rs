//! The file of an experiment.

use super::expression;
use super::measures::Measure;
use super::space::{Space, settings_shape, space_shape};
use crate::diag::{Code, Problem, Problems, SourceFile};
use crate::mapping;
use crate::profile::{Budget, Override};
use crate::scenario::read_settings;
use crate::statistics::Bootstrap;
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::shape::Shape;
use crate::value::yaml::{self, Node};
use serde_json::Value;

/// The name of the means of the reference in constraints.
pub(super) const REFERENCE: &str = "reference";

mapping! {
    /// Policies to choose from, documents to try them on, and what is wanted of them: for `loopctl sweep FILE`.
    "experiment" is "experiment", expects "a mapping with `documents`, `space` and `objectives`", checked by check;
    #[derive(Debug, Clone)]
    pub struct Experiment {
        /// The question that the experiment is to answer, in a sentence.
        #[key(default("''"), examples(&["Does any stop rule beat `balanced` on recorded runs?"]))]
        pub description: String,
        /// The documents: recorded ones, or fresh ones, which are run for the experiment.
        #[key(required, missing("say on what policies are tried: `documents: { trajectories: [runs.jsonl] }`"), examples(&["{ trajectories: [runs.jsonl] }", "{ run: latest }", "{ fresh: [reports] }"]))]
        pub documents: Documents,
        /// The most that may be spent on fresh documents, on all policies together. They need a budget; recorded
        /// documents cost nothing.
        #[key(examples(&["{ calls: 500, cost_usd: 5 }"]))]
        pub budget: Option<Budget>,
        /// The race of policies on fresh documents.
        #[key(default("{}"), examples(&["{ first: 8, seed: 7 }"]))]
        pub race: RaceKeys,
        /// The profiles that the space starts from: its settings are laid over each of them.
        #[key(shaped(|| Shape::list(Shape::text("the name of a profile, or its path"))), default("[balanced]"), examples(&["[balanced, clinical]"]))]
        pub profiles: Vec<Spanned<String>>,
        /// Settings laid over every profile, the reference too, as `--config` does.
        #[key(shaped(settings_shape), default("{}"), examples(&["{ assess.quality: given, overall.from: quality }"]))]
        pub config: Vec<Override> as Value = config => |_| Vec::new(),
        /// The profile that all others are compared with. Its `overall` determines the worth of a candidate.
        #[key(text("the name of a profile, or its path"), default("balanced"), examples(&["clinical"]))]
        pub reference: Spanned<String>,
        /// The values that are tried for each setting. Every combination is a policy.
        #[key(shaped(space_shape), required, missing("say what is tried: `space: { stop.max_iterations: [2, 3, 4] }`"), examples(&["{ stop.max_iterations: { from: 2, to: 6 }, on_regression: [keep, rollback] }"]))]
        pub space: Space as Value = Space::read => |_| Space::default(),
        /// The conditions that the combinations to try must meet: over the settings of the space, and `profile`. A
        /// setting that was taken away is `none`.
        #[key(shaped(|| Shape::list(Shape::text("a condition"))), default("[]"), examples(&["['stop.rollbacks is none or on_regression == \"rollback\"']"]))]
        pub conditions: Vec<Spanned<String>>,
        /// The objectives, the most important first.
        #[key(required, missing("say what is wanted: `objectives: [{ maximize: overall }, { minimize: cost_usd }]`"), examples(&["[{ maximize: overall }, { minimize: cost_usd }]"]))]
        pub objectives: Vec<Objective>,
        /// The constraints on a policy: conditions over the means of its documents, such as `passed >= 0.7`. The means
        /// of the reference have `reference.` before their names.
        #[key(shaped(|| Shape::list(Shape::text("a condition"))), default("[]"), examples(&["['review <= 0.2', 'cost_usd <= reference.cost_usd']"]))]
        pub constraints: Vec<Spanned<String>>,
        /// The documents that policies are chosen on, and those that they are judged on.
        #[key(default("{}"), examples(&["{ test: 0.5, seed: 1 }"]))]
        pub split: SplitKeys,
        /// The method of finding intervals: documents are drawn again and again.
        #[key(default("{}"), examples(&["{ samples: 20000, confidence: 0.99 }"]))]
        pub bootstrap: Resampling,
        /// The most policies that are shown: the more are shown, the more must be seen of each (Holm).
        #[key(whole(1, 100), default("12"), examples(&["5"]))]
        pub show: usize,
    }
}

mapping! {
    /// Documents: files of trajectories, a run, or files that are run for the experiment.
    "recorded_documents" is "mapping of documents", expects "`{ trajectories: [runs.jsonl] }`, `{ run: latest }` or `{ fresh: [reports] }`";
    #[derive(Debug, Clone)]
    pub struct Documents {
        /// Files of trajectories, relative to the experiment's.
        #[key(shaped(|| Shape::list(Shape::text("a path"))), default("[]"), examples(&["[runs.jsonl]"]))]
        pub trajectories: Vec<Spanned<String>>,
        /// A run of the journal, as `loopctl runs list` names it, instead of files.
        #[key(text("the id of a run"), examples(&["latest"]))]
        pub run: Option<Spanned<String>>,
        /// The journal of the run. Without it, that of the latest run.
        #[key(text("a path"), examples(&["out/journal.sqlite"]))]
        pub journal: Option<Spanned<String>>,
        /// Files, folders and patterns of documents that are not recorded, relative to the experiment's: the loop runs over
        /// them with every policy that is tried, which costs calls.
        #[key(shaped(|| Shape::list(Shape::text("a path, a folder or a pattern"))), default("[]"), examples(&["['reports/*.txt']"]))]
        pub fresh: Vec<Spanned<String>>,
    }
}

mapping! {
    /// The race of policies on fresh documents: all run on the first ones, the worse half is dropped, the others
    /// continue.
    "race" is "race", expects "`{ first: 4, policies: 64, seed: 1 }`";
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct RaceKeys {
        /// The number of documents in the first round. Each later one has twice as many as the one before it, in all.
        #[key(whole(1, 1000), default("4"), examples(&["8"]))]
        pub first: usize,
        /// The most policies that race. Of a larger space, or if the budget is not enough for all, some are drawn.
        #[key(whole(1, 1000), default("64"), examples(&["200"]))]
        pub policies: usize,
        /// The seed that determines which policies are drawn, and the order of the documents.
        #[key(whole(0, 4_294_967_295), default("1"), examples(&["7"]))]
        pub seed: u64,
    }
}

mapping! {
    /// The documents that are held back to judge policies on.
    "split" is "split", expects "`{ test: 0.5, seed: 1 }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct SplitKeys {
        /// The share of the documents that policies are judged on, from 0.1 to 0.9. Documents of one id stay together.
        #[key(number(0.1, 0.9), default("0.5"), examples(&["0.3"]))]
        pub test: f64,
        /// The seed that determines which they are.
        #[key(whole(0, 4_294_967_295), default("1"), examples(&["7"]))]
        pub seed: u64,
    }
}

mapping! {
    /// The method of finding intervals.
    "bootstrap" is "bootstrap", expects "`{ samples: 10000, confidence: 0.95 }`";
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Resampling {
        /// The number of samples of the documents that are drawn.
        #[key(whole(100, 100_000), default("10000"), examples(&["20000"]))]
        pub samples: usize,
        /// The confidence of intervals and verdicts.
        #[key(number(0.5, 0.999), default("0.95"), examples(&["0.99"]))]
        pub confidence: f64,
        /// The seed that determines the samples.
        #[key(whole(0, 4_294_967_295), default("1"), examples(&["7"]))]
        pub seed: u64,
    }
}

impl From<Resampling> for Bootstrap {
    fn from(keys: Resampling) -> Self {
        Bootstrap { samples: keys.samples, confidence: keys.confidence, seed: keys.seed }
    }
}

impl Experiment {
    /// The most comparisons that are shown: each policy with the reference in every objective and in what passes, and
    /// with the chosen one in the first objective.
    fn most_comparisons(&self) -> usize {
        self.show * (self.objectives.len() + 2)
    }

    /// Reads the file of an experiment. Every problem found is pushed.
    pub fn parse(file: &std::sync::Arc<SourceFile>, problems: &mut Problems) -> Option<Self> {
        let root = yaml::parse(file, problems)?;
        Self::decode(&root, problems).filter(|_| !problems.has_errors())
    }
}

/// The direction of an objective: whether more or less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// More is better.
    Maximize,
    /// Less is better.
    Minimize,
}

mapping! {
    /// One objective: `maximize` or `minimize`, an expression over the numbers of a document. Its mean over the
    /// documents is what counts.
    "objective" is "objective", expects "`{ maximize: overall }` or `{ minimize: cost_usd }`";
    struct ObjectiveKeys {
        /// More of this is better.
        #[key(text("an expression over the numbers of a document"), examples(&["overall"]))]
        maximize: Option<Spanned<String>>,
        /// Less of this is better.
        #[key(text("an expression over the numbers of a document"), examples(&["cost_usd", "cost_usd + 0.5 * review"]))]
        minimize: Option<Spanned<String>>,
        /// Its name in results. Without it, its expression.
        #[key(examples(&["cost with people's time"]))]
        name: Option<String>,
    }
}

/// One objective.
#[derive(Debug, Clone)]
pub struct Objective {
    /// Its name.
    pub name: String,
    /// Its direction: whether more or less is better.
    pub goal: Goal,
    /// The expression over the numbers of a document.
    pub expression: String,
}

impl Decode for Objective {
    const EXPECTED: &'static str = "`{ maximize: overall }` or `{ minimize: cost_usd }`";

    fn shape() -> Shape {
        Shape::Mapping(ObjectiveKeys::mapping())
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let keys = ObjectiveKeys::decode(node, problems)?;
        let (goal, expression) = match (keys.maximize, keys.minimize) {
            (Some(expression), None) => (Goal::Maximize, expression),
            (None, Some(expression)) => (Goal::Minimize, expression),
            _ => {
                let problem = Problem::error(
                    Code::Conflict,
                    &node.span,
                    "an objective has one of `maximize` and `minimize`",
                );
                problems.push(problem.help("write `{ maximize: overall }`"));
                return None;
            }
        };
        check_expression(&expression, Measure::unknown, problems);
        let name = keys.name.unwrap_or_else(|| expression.value.clone());
        Some(Objective { name, goal, expression: expression.value })
    }
}

fn check_expression(
    expression: &Spanned<String>,
    unknown: impl Fn(&str) -> Option<String>,
    problems: &mut Problems,
) {
    if let Err(why) = expression::check(&expression.value, unknown) {
        let problem = Problem::error(
            Code::BadTemplate,
            &expression.span,
            format!("this expression can't be used: {why}"),
        );
        problems
            .push(problem.help("write names of measures, numbers and operators: `overall - 10 * cost_usd`"));
    }
}

fn config(node: &Node, problems: &mut Problems) -> Option<Vec<Override>> {
    read_settings(node, "`config`", problems)
}

/// Fresh documents cost money: a budget must say how much.
fn check_budget(experiment: &Experiment, fields: &Fields<'_>, problems: &mut Problems) {
    let budget = experiment.budget.filter(|budget| *budget != Budget::default());
    let is_fresh = !experiment.documents.fresh.is_empty();
    if is_fresh && budget.is_none() {
        let message = "fresh documents are run, and nothing says what that may cost";
        let problem = Problem::error(Code::MissingKey, fields.span(), message);
        problems.push(problem.help("write `budget: { calls: 500 }`, or `budget: { cost_usd: 5 }`"));
    }
    if !is_fresh && experiment.budget.is_some() {
        let message = "recorded documents cost nothing: `budget` is for `documents: { fresh: … }`";
        problems.push(Problem::error(Code::Conflict, fields.span(), message).help("leave `budget` out"));
    }
}

/// Reports what is wrong between keys.
fn check(experiment: &Experiment, fields: &Fields<'_>, problems: &mut Problems) {
    let documents = &experiment.documents;
    let named = [!documents.trajectories.is_empty(), documents.run.is_some(), !documents.fresh.is_empty()];
    if named.iter().filter(|is_named| **is_named).count() != 1 {
        let message = "`documents` has one of `trajectories`, `run` and `fresh`";
        let problem = Problem::error(Code::Conflict, fields.span(), message);
        problems
            .push(problem.help("write `documents: { trajectories: [runs.jsonl] }`, or `{ run: latest }`"));
    }
    check_budget(experiment, fields, problems);
    if experiment.objectives.is_empty() || experiment.profiles.is_empty() {
        let message = "an experiment has a profile and an objective at least";
        problems.push(
            Problem::error(Code::Empty, fields.span(), message)
                .help("add `objectives: [{ maximize: overall }]`"),
        );
    }
    for constraint in &experiment.constraints {
        let wrong_member =
            expression::members(&constraint.value, REFERENCE).into_iter().find_map(Measure::unknown);
        let unknown = |name: &str| match name {
            REFERENCE => wrong_member.clone(),
            name => Measure::unknown(name),
        };
        check_expression(constraint, unknown, problems);
    }
    let (comparisons, samples) = (experiment.most_comparisons(), experiment.bootstrap.samples);
    // The smallest p-value that is drawn is 1 / (samples + 1), and Holm multiplies it by the number of comparisons: room for two.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some thousands"
    )]
    let needed = (2.0 * comparisons as f64 / (1.0 - experiment.bootstrap.confidence)).ceil() as usize;
    if samples < needed {
        let message = format!(
            "with {samples} samples nothing could be told apart: up to {comparisons} comparisons are shown"
        );
        let help =
            format!("write `bootstrap: {{ samples: {needed} }}` or more, or show fewer policies with `show`");
        problems.push(Problem::error(Code::OutOfRange, fields.span(), message).help(help));
    }
    let known = experiment.space.roots();
    for condition in &experiment.conditions {
        let unknown = |name: &str| {
            let is_known = name == "profile" || known.iter().any(|root| root == name);
            (!is_known).then(|| format!("the space has no setting `{name}`"))
        };
        if let Err(why) = expression::check(&condition.value, unknown) {
            let problem = Problem::error(
                Code::BadTemplate,
                &condition.span,
                format!("this condition can't be used: {why}"),
            );
            problems
                .push(problem.help("conditions are about settings of the space: `stop.max_iterations > 2`"));
        }
    }
}
