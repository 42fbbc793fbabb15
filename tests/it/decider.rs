//! Recorded documents are decided on as single trajectories are.

use super::harness::compiled;
use super::loop_inventions::{policies, trajectories};
use super::loop_model::Tried;
use loopctl::experiment::{Decider, Simulated, Trajectories, Trajectory, simulate};
use proptest::prelude::*;
use serde_json::{Value, json};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A line of a file, in which some iterations say which one they were corrected from, what tier 1 measured and how many calls
/// they took.
fn line(id: u8, trajectory: &[Tried], more: &[Option<u8>]) -> Value {
    let mut iterations: Vec<Value> = trajectory.iter().map(Tried::recorded).collect();
    for (iteration, more) in iterations.iter_mut().zip(more) {
        if let Some(more) = more {
            iteration["base"] = json!(more % 4);
            iteration["calls"] = json!(more % 3);
            iteration["tier1"] = json!({"b": f64::from(more % 10) / 10.0});
        }
    }
    json!({ "id": id, "iterations": iterations })
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn recorded_documents_are_decided_on_as_trajectories_are(
        policy in policies(),
        documents in prop::collection::vec(
            (trajectories(), 0..=9_usize, prop::collection::vec(prop::option::weighted(0.1, any::<u8>()), 9)),
            1..4,
        ),
    ) {
        let compiled = compiled(&policy.yaml());
        let lines: Vec<String> = (0..)
            .zip(&documents)
            .map(|(id, (trajectory, length, more))| line(id, &trajectory[..*length], more).to_string())
            .collect();
        let mut recorded = Trajectories::new(true);
        for line in &lines {
            recorded.read_line(line.as_bytes()).unwrap();
        }
        let mut decider = Decider::new(&recorded, &compiled.policy, &compiled.scripts);
        for (document, line) in lines.iter().enumerate() {
            let trajectory = Trajectory::parse(line.as_bytes()).unwrap();
            let Simulated { outcome, decisions, .. } = simulate(&compiled.policy, &compiled.scripts, &trajectory);
            let decided = decider.decide(document).unwrap();
            prop_assert_eq!(recorded.id(document), Some(&trajectory.id));
            prop_assert_eq!(&decided.stop_reason, &outcome.stop_reason);
            prop_assert_eq!(decided.iteration_count, outcome.iteration_count);
            prop_assert_eq!(decided.selection.map(|selection| selection.iteration), outcome.best_iteration);
            prop_assert_eq!(decided.selection.map(|selection| selection.reason), outcome.selection_reason);
            prop_assert_eq!(decided.rollbacks, outcome.rollbacks);
            prop_assert_eq!(decided.spent.usage, outcome.usage);
            prop_assert_eq!(decided.spent.elapsed, outcome.elapsed_ms);
            prop_assert_eq!(decider.overalls().collect::<Vec<_>>(), outcome.improvement_trajectory);
            prop_assert_eq!(decided.beyond.is_some(), decided.stop_reason.to_string() == "trajectory_exhausted");
            let notes: Vec<String> = decisions.into_iter().flat_map(|decision| decision.notes).collect();
            prop_assert_eq!(decider.take_notes(), notes);
        }
        prop_assert!(decider.decide(lines.len()).is_none());
    }
}

#[test]
fn documents_are_taken_out_from_the_last_to_the_first() {
    let lines = [
        r#"{"id": "a", "iterations": [{"scores": {"q": 0.5}, "issues": [{"code": "X", "severity": "critical"}], "tier1": {"q": 1}}]}"#,
        r#"{"id": "b", "iterations": []}"#,
        r#"{"id": "c", "iterations": [{"scores": {"q": 0.75}}, {"scores": {}, "issues": []}]}"#,
    ];
    let mut recorded = Trajectories::new(false);
    for line in lines {
        recorded.read_line(line.as_bytes()).unwrap();
    }
    assert!(recorded.read_line(b"{").is_err());
    assert_eq!(recorded.documents(), 3);
    assert!(recorded.lacks_issues(2) && !recorded.lacks_issues(0) && !recorded.lacks_issues(1));
    recorded.pop();
    assert_eq!(recorded.documents(), 2);
    recorded.pop();
    recorded.pop();
    recorded.pop();
    assert_eq!(recorded.documents(), 0);
    recorded.read_line(lines[2].as_bytes()).unwrap();
    let compiled = compiled("accept: { overall: 0.9 }\noverall: { from: q }\nstop: { max_iterations: 1 }");
    let mut decider = Decider::new(&recorded, &compiled.policy, &compiled.scripts);
    assert_eq!(decider.decide(0).unwrap().stop_reason.to_string(), "max_iterations");
    assert_eq!(decider.overalls().collect::<Vec<_>>(), [0.75]);
}
