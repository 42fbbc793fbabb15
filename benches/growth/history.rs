//! Growth of the time for a decision with the candidates before it.
//!
//! Half of the candidates equal an earlier one, scores neither rise nor fall for long, and one location takes ever new
//! values: every criterion looks back, and none ends the run.

use super::print_doublings;
use crate::documents::{loaded, pathology, plan, shipped};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::policy::{History, IterationSummary, ScriptCriteria, Spent, decide};
use loopctl::score::Assessment;
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CANDIDATES: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/// The scores of the candidates, in turn.
const OVERALLS: [f64; 4] = [0.5, 0.52, 0.48, 0.46];
/// Runs that one time is the median of.
const RUNS: usize = 21;

/// A group checks each of its members, and one of these never holds: the run continues regardless of the others.
const PROFILE: &str = "extends: marc
classify: null
stages: null
accept: { overall: 1 }
stop:
  max_iterations: 100000
  min_improvement: null
  timeout: null
  all:
    - stagnation: { window: 8, epsilon: 0.5 }
    - oscillation: { window: 8, flips: 2 }
    - min_improvement: { delta: 0.05, patience: 8, baseline: best }
    - decline: { length: 8 }
    - flip_flop: { times: 2 }
    - unchanged: true
    - max_iterations: 100000
";

pub(super) fn table() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("patient.yaml");
    std::fs::write(&profile, PROFILE).unwrap();
    let plan = plan(&loaded(&profile.to_string_lossy()));
    let summaries = summaries(&plan, CANDIDATES.into_iter().max().unwrap_or_default() + 1);
    let rows = CANDIDATES.map(|count| {
        let mut times: Vec<Duration> = (0..RUNS).map(|_| decision_after(&plan, &summaries, count)).collect();
        times.sort_unstable();
        (count, times.get(RUNS / 2).copied().unwrap_or_default())
    });
    print_doublings("growth of a decision with the candidates before it", "before", &rows);
}

/// The time to add a candidate after so many and to decide.
fn decision_after(plan: &Plan, summaries: &[IterationSummary], count: usize) -> Duration {
    let mut history = History::new();
    let mut last = Duration::ZERO;
    for facts in summaries.iter().take(count + 1) {
        let facts = facts.clone();
        let start = Instant::now();
        history.push(&plan.policy, facts);
        let decision =
            decide(&plan.policy, &mut history, Spent::default(), black_box(&ScriptCriteria::default()));
        last = start.elapsed();
        assert!(!decision.verdict.accepts());
    }
    last
}

fn summaries(plan: &Plan, count: usize) -> Vec<IterationSummary> {
    let context = DocumentContext::named(&shipped("clinical"), "pathology", None);
    let mut assessor = context.assessor();
    let one = |at: usize| {
        let mut candidate = pathology();
        // Every second candidate equals the first one.
        if at % 2 == 1
            && let Some(members) = candidate.as_object_mut()
        {
            members.insert("institution".to_owned(), format!("hospital {at}").into());
            members.insert("remarks".to_owned(), json!({ format!("remark{at}"): "positive" }));
        }
        let mut assessment = Assessment::default();
        context.assess(&mut assessor, &candidate, Given::default(), &mut assessment);
        assessment.overall = OVERALLS.into_iter().cycle().nth(at % OVERALLS.len()).unwrap_or_default();
        let candidate: Arc<Value> = Arc::new(candidate);
        IterationSummary::of(&plan.policy, &assessment, Some(candidate))
    };
    (0..count).map(one).collect()
}
