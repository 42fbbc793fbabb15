//! The findings of an experiment, for people and programs.

use super::choice::Counts;
use super::compare::Comparison;
use super::file::{Experiment, Goal};
use super::race::RaceFindings;
use crate::statistics::Estimate;
use serde::Serialize;
use serde_json::{Map, Value};

/// The findings of an experiment. All of it follows from its file and the recordings.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// The question of the experiment.
    pub description: String,
    /// The numbers of documents.
    pub documents: DocumentCounts,
    /// The documents of each part.
    pub split: SplitDocuments,
    /// The numbers of policies, by what became of them.
    pub policies: Counts,
    /// The objectives, in the order of every list of numbers here.
    pub objectives: Vec<ObjectiveName>,
    /// The constraints.
    pub constraints: Vec<String>,
    /// The method by which intervals and verdicts were found.
    pub statistics: Method,
    /// The policy that others are compared with.
    pub reference: ShownPolicy,
    /// Policies on the front, the best in the first objective first; the first of them is the chosen one. Empty if none
    /// keeps the constraints.
    pub shown: Vec<ShownPolicy>,
    /// Means of policies where they are chosen, of 2,000 at most.
    pub points: Vec<Vec<f64>>,
    /// The course of the choice if documents were run for it; `None` on recorded ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceFindings>,
}

/// The numbers of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DocumentCounts {
    /// Policies are chosen on these.
    pub train: usize,
    /// And judged on these.
    pub test: usize,
    /// Ids among those that policies are judged on: documents of one id are drawn together.
    pub test_ids: usize,
}

/// The documents that policies were chosen on, and those that they were judged on. None is in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitDocuments {
    /// The share of the documents that was held back to judge policies on.
    pub share: f64,
    /// The seed that determined which they are.
    pub seed: u64,
    /// The ids of those that policies were chosen on. Documents of one id stay together, so that each id is here once.
    pub chosen_on: Vec<Value>,
    /// The ids of those that they were judged on.
    pub judged_on: Vec<Value>,
}

/// An objective.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjectiveName {
    /// Its name.
    pub name: String,
    /// Its direction: whether more or less is better.
    pub goal: Goal,
}

/// The method by which intervals and verdicts were found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Method {
    /// The confidence of every interval by itself, and of all verdicts together.
    pub confidence: f64,
    /// The number of samples of the documents that were drawn.
    pub samples: usize,
    /// The seed that determines them.
    pub seed: u64,
    /// The seed that determines which documents policies are judged on.
    pub split_seed: u64,
    /// The number of comparisons that are shown, for which Holm's correction is made.
    pub comparisons: usize,
}

/// A policy that is shown.
#[derive(Debug, Clone, Serialize)]
pub struct ShownPolicy {
    /// Its profile.
    pub profile: String,
    /// The settings of the space that it has.
    pub settings: Map<String, Value>,
    /// The number of policies of the space that have the same outcome as another one.
    pub same: usize,
    /// Its mean in each objective where policies are chosen: flattered, if it was chosen there.
    pub train: Vec<f64>,
    /// Its mean in each objective where policies are judged.
    pub test: Vec<Estimate>,
    /// The share of the documents that pass there.
    pub passed: f64,
    /// Constraints that it does not keep where policies are judged, although it does where they are chosen.
    pub constraints_missed: Vec<String>,
    /// The policy against the reference; `None` for the reference itself.
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
