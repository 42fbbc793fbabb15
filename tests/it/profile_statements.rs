//! The statements of `loopctl profile explain` on limits, judges and criteria hold for what a run does.

use loopctl::diag::Problems;
use loopctl::explain::policy::{ProfileView, explain};
use loopctl::plan::Plan;
use loopctl::profile::{Library, load};
use loopctl::provider::Prices;

/// The statement of a profile with this key, with how the loop ends by it.
fn statement(yaml: &str, key: &str) -> Option<String> {
    let library = Library::embedded().holding("profiles/tried.yaml", yaml);
    let mut problems = Problems::new();
    let loaded = load("tried", &library, &[], &|_| None, &mut problems);
    let loaded = loaded.unwrap_or_else(|| panic!("{problems:?}"));
    let plan = Plan::compile(&loaded, &mut problems).unwrap_or_else(|| panic!("{problems:?}"));
    let explanation = explain(ProfileView { loaded: &loaded, plan: &plan, prices: &Prices::shipped() });
    let found = explanation.statements().find(|(_, statement)| statement.fact.key == key);
    found.map(|(_, statement)| match &statement.fact.ending {
        Some(ending) => format!("{} [{}]", statement.text, ending.stop_reason),
        None => statement.text.clone(),
    })
}

const TWO_STAGES: &str = "
classify: null
stages:
  - { id: one, provider: pattern, prompt: extract.md, into: one, retries: 2 }
  - { id: two, provider: pattern, prompt: extract.md, retries: 2 }
generate_once: [one]
assess: { completeness: { rubric: clinical } }
overall: { from: completeness }
accept: { overall: 0.9 }
";

const JUDGES: &str = "
extends: balanced
judges:
  a: { provider: scripted, prompt: judge/literature.md, on_failure: { then: { fallback: completeness } } }
  b: { provider: scripted, prompt: judge/literature.md, on_failure: { then: { fallback: 0.4 } } }
  c: { provider: scripted, prompt: judge/literature.md }
assess:
  judged: { ensemble: { members: [{ judge: a, score: /s }, { judge: b, score: /s }, { judge: c, score: /s }], combine: mean, quorum: 1 } }
";

#[test]
fn statements_hold_of_what_is_done() {
    let two = |stop: &str| format!("{TWO_STAGES}stop: {{ {stop} }}\n");
    let balanced = |stop: &str| format!("extends: balanced\nstop: {{ {stop} }}\n");
    let two_of_b = format!("{JUDGES}  style: {{ judge: b, score: /s }}\n");
    let cases: Vec<(String, &str, &[&str], &[&str])> = vec![
        // One of the first call's repetitions uses the budget up; the second stage is asked all the same.
        (
            two("max_iterations: 4, budget: { calls: 3 }"),
            "limits.calls",
            &["at most 3 calls", "at most 4 calls", "none fails"],
            &[],
        ),
        (two("max_iterations: 4, budget: { calls: 3 }"), "limits.candidates", &["after 2 candidates"], &[]),
        (
            two("max_iterations: 4, budget: { calls: 3 }"),
            "limits.budget",
            &["has begun is finished", "made again while the budget lasts"],
            &[],
        ),
        // A budget in a group does not keep calls from being made again: 6 for candidate 0 alone.
        (
            two("max_iterations: 4, any: [{ budget: { calls: 3 } }]"),
            "limits.calls",
            &["at most 3 calls", "at most 6 calls"],
            &[],
        ),
        (
            balanced("any: [{ budget: { calls: 4 } }]"),
            "limits.budget.groups",
            &["`stop.any` (spent at 4 calls or more)", "not before a failed call is made again"],
            &["together"],
        ),
        (
            balanced("all: [{ budget: { calls: 4 } }, { timeout: 9s }]"),
            "limits.budget.groups",
            &["in `stop.all` (spent at 4 calls or more, and only together"],
            &[],
        ),
        (
            balanced("timeout: null, any: [{ any: [{ timeout: 9s }] }]"),
            "limits.time.groups",
            &["The limit of time in `stop.any` (9 seconds)"],
            &[],
        ),
        (
            balanced("max_iterations: 9, any: [{ any: [{ max_iterations: 3 }] }]"),
            "limits.candidates",
            &["at most 3 candidates"],
            &[],
        ),
        (
            balanced("max_iterations: 9, all: [{ max_corrections: 2 }]"),
            "limits.candidates",
            &["at most 3 candidates"],
            &[],
        ),
        (
            balanced(
                "all: [{ decline: { length: 2 } }, { any: [{ rollbacks: 1 }, { flip_flop: { times: 2 } }] }]",
            ),
            "stop.all",
            &["[decline+rollbacks or decline+flip_flop]"],
            &[],
        ),
        (
            balanced("oscillation: { window: 4, flips: 1, amplitude: 0.05 }"),
            "stop.oscillation",
            &["two neighbouring steps", "both of 0.05 or more", "a smaller step between them"],
            &[],
        ),
        ("extends: balanced\n".to_owned(), "on_regression", &["one that is equal to the best is not"], &[]),
        (
            JUDGES.to_owned(),
            "judge.b.failure",
            &["left out of `judged`", "0.40 does not replace"],
            &["replaces"],
        ),
        (
            JUDGES.to_owned(),
            "judge.a.failure",
            &["left out of `judged`", "`completeness` as measured without judges does not replace"],
            &[],
        ),
        (
            JUDGES.to_owned(),
            "judge.c.failure",
            &["left out of `judged`", "minor issue", "quorum is missed"],
            &["count 0.00"],
        ),
        (two_of_b, "judge.b.failure", &["0.40 replaces its score of `style`", "left out of `judged`"], &[]),
        (
            TWO_STAGES.replace(
                "provider: pattern, prompt: extract.md, into",
                "provider: [pattern, scripted], prompt: extract.md, into",
            ) + "stop: { max_iterations: 2 }\n",
            "limits.calls",
            &["at most 3 calls", "when none fails", "every provider that may replace one is asked"],
            &["none has to be made again"],
        ),
        (
            "extends: balanced\nnetwork: { retry_budget: { retries: 5, per_success: 0 } }\n".to_owned(),
            "network.retry_budget",
            &["At most 5 calls of one server may be made again."],
            &["one more"],
        ),
    ];
    for (yaml, key, says, not) in cases {
        let text = statement(&yaml, key).unwrap_or_else(|| panic!("{key} is not said of\n{yaml}"));
        for words in says {
            assert!(text.contains(words), "{key} lacks `{words}`: {text}\n{yaml}");
        }
        for words in not {
            assert!(!text.contains(words), "{key} has `{words}`: {text}\n{yaml}");
        }
    }
    for (stop, key) in [
        ("any: [{ budget: { calls: 4 } }]", "limits.budget"),
        ("timeout: null, any: [{ timeout: 9s }]", "limits.time"),
    ] {
        assert_eq!(statement(&balanced(stop), key), None, "{key}");
    }
}

#[test]
fn a_criterion_that_moves_is_told_with_its_places() {
    let place = crate::workspace::Workspace::new();
    place.write("a.yaml", "extends: balanced\nstop: { timeout: 30s }\n");
    place.write("b.yaml", "extends: balanced\nstop: { timeout: null, any: [{ timeout: 30s }] }\n");
    let there = place.run(&["profile", "diff", "./a.yaml", "./b.yaml"]).exits(0).out;
    assert!(
        there.contains("under `stop.timeout`") && there.contains("in `stop.any`, checked after"),
        "{there}"
    );
    assert!(!there.contains("no longer: More than") && !there.contains("new: More than"), "{there}");
    assert!(there.contains("not before a failed call is made again"), "{there}");
    let back = place.run(&["profile", "diff", "./b.yaml", "./a.yaml"]).exits(0).out;
    assert!(back.contains("under `stop.timeout`") && !back.contains("new: More than"), "{back}");
}
