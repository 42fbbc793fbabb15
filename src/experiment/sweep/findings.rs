//! What an experiment found, for people and programs.

use super::choice::Counts;
use super::compare::Comparison;
use super::file::{Experiment, Goal};
use super::race::RaceFindings;
use crate::experiment::statistics::Estimate;
use serde::Serialize;
use serde_json::{Map, Value};

/// What an experiment found. All of it follows from its file and the recordings.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// What it was to find out.
    pub description: String,
    /// The documents.
    pub documents: DocumentCounts,
    /// Which documents they are.
    pub split: SplitDocuments,
    /// What became of the policies.
    pub policies: Counts,
    /// What is wanted, in the order of every list of numbers here.
    pub objectives: Vec<ObjectiveName>,
    /// What must hold.
    pub constraints: Vec<String>,
    /// How intervals and verdicts were found.
    pub statistics: Method,
    /// The policy that others are compared with.
    pub reference: ShownPolicy,
    /// Policies on the front, the best in the first objective first; the first of them is the chosen one. None where nothing keeps
    /// the constraints.
    pub shown: Vec<ShownPolicy>,
    /// Means of policies where they are chosen, of 2,000 at most.
    pub points: Vec<Vec<f64>>,
    /// How the choice came about where documents were run for it; none on recorded ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceFindings>,
}

/// How many documents there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DocumentCounts {
    /// Policies are chosen on these.
    pub train: usize,
    /// And judged on these.
    pub test: usize,
    /// Ids among those that policies are judged on: documents of one id are drawn together.
    pub test_ids: usize,
}

/// Which documents policies were chosen on, and which they were judged on. None is in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitDocuments {
    /// The share of the documents that was held back to judge policies on.
    pub share: f64,
    /// What determined which they are.
    pub seed: u64,
    /// The ids of those that policies were chosen on. Documents of one id stay together, so that each id stands here once.
    pub chosen_on: Vec<Value>,
    /// The ids of those that they were judged on.
    pub judged_on: Vec<Value>,
}

/// An objective.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjectiveName {
    /// What it is called.
    pub name: String,
    /// Whether more is better.
    pub goal: Goal,
}

/// How intervals and verdicts were found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Method {
    /// The confidence of every interval by itself, and of all verdicts together.
    pub confidence: f64,
    /// How many samples of the documents were drawn.
    pub samples: usize,
    /// What determines them.
    pub seed: u64,
    /// What determines which documents policies are judged on.
    pub split_seed: u64,
    /// How many comparisons are shown: Holm's correction is for so many.
    pub comparisons: usize,
}

/// A policy that is shown.
#[derive(Debug, Clone, Serialize)]
pub struct ShownPolicy {
    /// Its profile.
    pub profile: String,
    /// The settings of the space that it has.
    pub settings: Map<String, Value>,
    /// How many policies of the space come to the same.
    pub same: usize,
    /// Its mean in each objective where policies are chosen: flattered, if it was chosen there.
    pub train: Vec<f64>,
    /// Its mean in each objective where policies are judged.
    pub test: Vec<Estimate>,
    /// The share of the documents that pass there.
    pub passed: f64,
    /// Constraints that it does not keep where policies are judged, although it does where they are chosen.
    pub constraints_missed: Vec<String>,
    /// The policy against the reference; none of the reference itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
}

impl ObjectiveName {
    pub(super) fn of(experiment: &Experiment) -> Vec<Self> {
        let named = |objective: &super::Objective| ObjectiveName {
            name: objective.name.clone(),
            goal: objective.goal,
        };
        experiment.objectives.iter().map(named).collect()
    }
}

impl ShownPolicy {
    /// The settings as flags: `--config stop.max_iterations=3`.
    #[must_use]
    pub fn flags(&self) -> Vec<String> {
        self.settings.iter().map(|(key, value)| format!("{key}={value}")).collect()
    }
}
