//! Columns: read as trajectories are, and decided on as they are.

use super::harness::compiled;
use super::loop_inventions::{policies, trajectories};
use super::loop_model::Tried;
use loopctl::experiment::{Columns, Decider, Simulated, Trajectory, simulate};
use loopctl::policy::ScriptCriteria;
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
    fn columns_are_decided_on_as_trajectories_are(
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
        let mut columns = Columns::new(true);
        for line in &lines {
            columns.read_line(line.as_bytes()).unwrap();
        }
        let mut decider = Decider::new(&columns, &compiled.policy, &compiled.scripts);
        for (document, line) in lines.iter().enumerate() {
            let trajectory = Trajectory::parse(line.as_bytes()).unwrap();
            let Simulated { outcome, decisions, .. } = simulate(&compiled.policy, &compiled.scripts, &trajectory);
            let decided = decider.decide(document).unwrap();
            prop_assert_eq!(columns.id(document), Some(&trajectory.id));
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

    /// Regardless of how a line is written, and of what is wrong with it.
    #[test]
    fn lines_are_read_as_trajectories_are(
        trajectory in trajectories(),
        length in 0..=3_usize,
        at in any::<prop::sample::Index>(),
        cut in 0..3_usize,
        put in prop::sample::select(vec![
            "", " ", ",", "null", "\"", "\\u0041", "1.5e-3", "-1", "01", "{}", "[]", "\"isues\": [],", "\"tokens\": 1.0,",
            "\"scores\": {\"q\": 0.5, \"q\": 0.25},", "\"cost_usd\": null,", "\u{e9}", "\u{7}", "\"message\": \"x\",",
        ]),
    ) {
        let mut text = line(1, &trajectory[..length], &[]).to_string();
        let place = at.index(text.len());
        let end = (place + cut).min(text.len());
        if text.is_char_boundary(place) && text.is_char_boundary(end) {
            text.replace_range(place..end, put);
        }
        let mut columns = Columns::new(true);
        let read = columns.read_line(text.as_bytes());
        let parsed = Trajectory::parse(text.as_bytes());
        match (read, parsed) {
            (Ok(slips), Ok(trajectory)) => {
                prop_assert_eq!(&slips, &trajectory.slips);
                let compiled = compiled("accept: { overall: 0.9, critical_issues: 0 }\nselect: { order: [{ fewest: warn }, overall] }\nstop: { max_iterations: 5, budget: { tokens: 250, cost_usd: 0.2 }, timeout: 900ms, unchanged: true }");
                let outcome = simulate(&compiled.policy, &ScriptCriteria::default(), &trajectory).outcome;
                let mut decider = Decider::new(&columns, &compiled.policy, &compiled.scripts);
                let decided = decider.decide(0).unwrap();
                prop_assert_eq!(columns.id(0), Some(&trajectory.id));
                prop_assert_eq!(&decided.stop_reason, &outcome.stop_reason, "{}", text);
                prop_assert_eq!(decided.spent.usage, outcome.usage);
                prop_assert_eq!(decider.overalls().collect::<Vec<_>>(), outcome.improvement_trajectory);
                let unknown: Vec<bool> = trajectory.iterations.iter().map(|step| step.issues_unknown).collect();
                let known: Vec<bool> = (0..unknown.len()).map(|at| columns.issues_unknown(0, at)).collect();
                prop_assert_eq!(known, unknown);
            }
            (Err(error), Err(expected)) => {
                prop_assert_eq!(error, expected);
                prop_assert_eq!((columns.documents(), columns.rows()), (0, 0));
            }
            (read, parsed) => prop_assert!(false, "{text}\n{read:?}\n{parsed:?}"),
        }
    }
}

#[test]
fn a_document_that_is_taken_out_leaves_nothing() {
    let lines = [
        r#"{"id": "a", "iterations": [{"scores": {"q": 0.5}, "issues": [{"code": "X", "severity": "critical"}], "tier1": {"q": 1}}]}"#,
        r#"{"id": "b", "iterations": []}"#,
        r#"{"id": "c", "iterations": [{"scores": {"q": 0.75}}, {"scores": {}, "issues": []}]}"#,
    ];
    let mut columns = Columns::new(false);
    for line in lines {
        columns.read_line(line.as_bytes()).unwrap();
    }
    assert_eq!((columns.documents(), columns.rows()), (3, 3));
    assert!(columns.lacks_issues(2) && !columns.lacks_issues(0) && !columns.lacks_issues(1));
    columns.pop();
    assert_eq!((columns.documents(), columns.rows()), (2, 1));
    columns.pop();
    columns.pop();
    columns.pop();
    assert_eq!((columns.documents(), columns.rows()), (0, 0));
    columns.read_line(lines[2].as_bytes()).unwrap();
    let compiled = compiled("accept: { overall: 0.9 }\noverall: { from: q }\nstop: { max_iterations: 1 }");
    let mut decider = Decider::new(&columns, &compiled.policy, &compiled.scripts);
    assert_eq!(decider.decide(0).unwrap().stop_reason.to_string(), "max_iterations");
    assert_eq!(decider.overalls().collect::<Vec<_>>(), [0.75]);
}
