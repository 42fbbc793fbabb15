//! `loopctl sweep` on fresh documents: policies race within a budget, and the one that wins is judged on other documents.

use super::trajectories::{scoring, steps};
use super::workspace::Workspace;
use serde_json::{Value, json};

const EXPERIMENT: &str = "
description: Is a second candidate worth it?
documents: { fresh: ['reports/*.txt'] }
budget: { calls: 2000 }
profiles: [steps]
reference: steps
config: { stages.0.retries: 0 }
space: { stop.max_iterations: [1, 2, 3, 4, 5, 6] }
objectives: [{ maximize: overall }, { minimize: calls }]
bootstrap: { samples: 2000 }
race: { first: 4 }
";

/// Forty documents; each candidate is better than the one before it, until the fifth; each is one call.
fn place() -> Workspace {
    let place = steps("stop: { max_iterations: 2 }", &[3, 4, 5, 6, 7, 7].map(scoring));
    for at in 0..40 {
        place.write(&format!("reports/{at}.txt"), format!("Report {at}: nothing is read from here."));
    }
    place
}

fn swept(place: &Workspace, experiment: &str) -> Value {
    place.write("it.sweep.yaml", experiment);
    place.run(&["sweep", "it.sweep.yaml", "--format", "json", "--quiet"]).exits(0).json()
}

fn rounds(found: &Value) -> Vec<[u64; 5]> {
    let number = |round: &Value, key: &str| round[key].as_u64().unwrap();
    let rounds = found["race"]["rounds"].as_array().unwrap().iter();
    rounds
        .map(|round| {
            ["policies", "documents", "shown_worse", "worse_half", "left"].map(|key| number(round, key))
        })
        .collect()
}

#[test]
fn the_best_policy_wins_and_is_judged_on_other_documents() {
    let place = place();
    let found = swept(&place, EXPERIMENT);
    assert_eq!(rounds(&found), [[6, 4, 0, 3, 3], [3, 8, 0, 1, 2], [2, 16, 0, 0, 2]]);
    assert_eq!(found["documents"], json!({"train": 16, "test": 20, "test_ids": 20}));
    // Four of the documents that policies might have been chosen on were not needed.
    let named = |part: &str| found["split"][part].as_array().unwrap().clone();
    assert_eq!((named("chosen_on").len(), named("judged_on").len()), (16, 20));
    assert!(named("judged_on").iter().all(|id| !named("chosen_on").contains(id)));
    // Five candidates give the same result as six, with a call less.
    let winner = &found["shown"][0];
    assert_eq!(winner["settings"], json!({"stop.max_iterations": 5}));
    assert_eq!(winner["comparison"]["standing"], "mixed");
    assert_eq!((&winner["test"][0]["mean"], &winner["test"][1]["mean"]), (&json!(0.7), &json!(5.0)));
    assert_eq!(found["reference"]["test"][0]["mean"], 0.4);
    let race = &found["race"];
    assert_eq!(
        (&race["is_drawn"], &race["is_cut_short"], &race["not_judged_on"]),
        (&json!(false), &json!(false), &json!(0))
    );
    let who: Vec<Value> = race["dropped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            json!([one["settings"]["stop.max_iterations"], one["round"], one["documents"], one["why"]])
        })
        .collect();
    let half = "worse_half";
    assert_eq!(
        who,
        [json!([3, 1, 4, half]), json!([2, 1, 4, half]), json!([1, 1, 4, half]), json!([4, 2, 8, half])]
    );
    // All policies on 4 documents, three on 4 more, two on 8 more; the reference on all; both on the 20 others.
    let calls = 4 * (1 + 2 + 3 + 4 + 5 + 6) + 4 * (4 + 5 + 6) + 8 * (5 + 6) + 16 * 2 + 20 * (5 + 2);
    assert_eq!(race["spent"]["calls"], calls);
    // The same file and documents give the same result.
    assert_eq!(without_time(swept(&place, EXPERIMENT)), without_time(found));
}

fn without_time(mut found: Value) -> Value {
    found["race"]["spent"]["tokens"] = Value::Null;
    found
}

#[test]
fn what_is_shown_to_be_worse_is_dropped_within_a_round() {
    let found = swept(&place(), &EXPERIMENT.replace("first: 4", "first: 20"));
    let rounds = rounds(&found);
    assert_eq!(rounds.len(), 1);
    // Every document says the same, and some twelve of them are enough.
    assert_eq!(rounds[0][2..], [4, 0, 2], "{rounds:?}");
    let dropped = &found["race"]["dropped"][0];
    assert_eq!(dropped["why"], "shown_worse");
    assert!((10..16).contains(&dropped["documents"].as_u64().unwrap()), "{dropped}");
}

#[test]
fn no_more_is_spent_than_the_budget_has() {
    let place = place();
    for calls in [60, 150, 400] {
        let found = swept(&place, &EXPERIMENT.replace("calls: 2000", &format!("calls: {calls}")));
        let race = &found["race"];
        assert!(race["spent"]["calls"].as_u64().unwrap() <= calls, "{race}");
        assert_eq!(race["budget"], json!({ "calls": calls }));
        // Fewer policies than there are, drawn by the seed.
        assert!(race["is_drawn"] == (race["policies"].as_u64().unwrap() < 6), "{race}");
        let judged = found["documents"]["test"].as_u64().unwrap();
        assert_eq!(judged + race["not_judged_on"].as_u64().unwrap(), 20);
    }
    place.write("it.sweep.yaml", EXPERIMENT.replace("calls: 2000", "calls: 10"));
    place.run(&["sweep", "it.sweep.yaml"]).exits(2).says(&["the budget is too small"]);
}

#[test]
fn several_policies_at_the_same_time_come_to_the_same() {
    let place = place();
    let one = swept(&place, EXPERIMENT);
    let several = ["sweep", "it.sweep.yaml", "--format", "json", "--quiet", "--jobs", "4"];
    assert_eq!(without_time(place.run(&several).exits(0).json()), without_time(one));
}

#[test]
fn text_and_page_say_the_rounds_and_who_was_dropped() {
    let place = place();
    place.write("it.sweep.yaml", EXPERIMENT);
    let ran = place.run(&["sweep", "it.sweep.yaml", "--report", "r.html"]).exits(0);
    for said in [
        "6 policies raced, all of the space",
        "calls of 2,000",
        "Rounds",
        "in the worse half",
        "steps stop.max_iterations=4",
        "The policy that won",
    ] {
        assert!(ran.out.contains(said), "{said}: {}", ran.out);
    }
    assert!(ran.err.contains("round 1: 6 policies began, 3 left after 4 documents"), "{}", ran.err);
    let page = place.read("r.html");
    for said in [
        "<h2><bdi>The race</bdi></h2>",
        "<h3><bdi>Rounds</bdi></h3>",
        "<h3><bdi>Dropped</bdi></h3>",
        "in the worse half",
    ] {
        assert!(page.contains(said), "{said}");
    }
}

#[test]
fn constraints_hold_of_the_policy_that_wins() {
    let place = place();
    let found = swept(&place, &format!("{EXPERIMENT}constraints: ['calls <= reference.calls + 1']\n"));
    assert_eq!(found["shown"][0]["settings"]["stop.max_iterations"], 3);
    let none = swept(&place, &format!("{EXPERIMENT}constraints: ['overall > 0.9']\n"));
    assert_eq!((&none["shown"], &none["documents"]["test"]), (&json!([]), &json!(0)));
    place.run(&["sweep", "it.sweep.yaml"]).exits(0);
}

#[test]
fn what_is_wrong_with_fresh_documents_is_said() {
    let place = place();
    for (from, to, said) in [
        ("budget: { calls: 2000 }\n", "", "nothing says what that may cost"),
        ("budget: { calls: 2000 }", "budget: {}", "nothing says what that may cost"),
        ("fresh: ['reports/*.txt']", "trajectories: [runs.jsonl]", "recorded documents cost nothing"),
        ("fresh: ['reports/*.txt']", "fresh: [none.txt]", "none.txt"),
        ("fresh: ['reports/*.txt']", "fresh: [reports/1.txt]", "1 document can't be split"),
        (
            "fresh: ['reports/*.txt']",
            "fresh: [reports], run: latest",
            "has one of `trajectories`, `run` and `fresh`",
        ),
    ] {
        place.write("it.sweep.yaml", EXPERIMENT.replacen(from, to, 1));
        let ran = place.run(&["sweep", "it.sweep.yaml", "--quiet"]);
        assert!(matches!(ran.code, Some(1 | 2)), "{to}: {:?}", ran.code);
        ran.says(&[said]);
    }
}
