//! Tokens and money, as a run reports them.

use crate::trajectories::{run, steps};
use crate::workspace::Workspace;
use serde_json::{Value, json};

const PRICES: &str = "prices:
  - { provider: scripted, models: [tale-1], input: 10, cached_input: 1, output: 20, as_of: 2026-01-01 }
";

/// An answer of `tenths` tenths by a model, with 1000 tokens in and 100 out.
fn counted(tenths: usize, model: &str) -> Value {
    let mut answer = crate::trajectories::scoring(tenths);
    answer["tokens"] = json!({"input": 1000, "output": 100});
    answer["model"] = json!(model);
    answer
}

fn told_twice(policy: &str, model: &str) -> Workspace {
    steps(policy, &[counted(5, model), counted(9, model)])
}

#[test]
fn an_unknown_cost_is_null_and_said_once_with_what_to_do() {
    let place = told_twice("stop: { max_iterations: 3 }\n", "tale-9");
    let result = run(&place, &[]).exits(0).json();
    assert_eq!(
        result["usage"],
        json!({"calls": 2, "tokens": 2200, "cost_usd": null, "known_cost_usd": 0.0, "calls_of_unknown_cost": 2})
    );
    let warning = "the cost is unknown: model `tale-9` of `scripted` has no price; add it to `prices.yaml`";
    assert_eq!(result["warnings"].as_array().unwrap().last(), Some(&json!(warning)));
    assert_eq!(place.json("out/doc-result.json")["usage"], result["usage"]);

    let shown = place.run(&["run", "--profile", "steps", "--format", "text", "doc.txt"]).exits(0);
    assert_eq!(shown.out.matches(warning).count(), 1, "{}", shown.out);
    assert!(shown.out.contains("2200 tokens, cost unknown"), "{}", shown.out);
}

#[test]
fn a_price_makes_it_known_and_the_nearest_table_wins() {
    let place = told_twice("stop: { max_iterations: 3 }\n", "tale-1");
    let cost = |more: &[&str]| run(&place, more).exits(0).json()["usage"]["cost_usd"].as_f64();
    std::fs::write(place.home().join("prices.yaml"), PRICES.replace("input: 10", "input: 5")).unwrap();
    assert_eq!(cost(&[]), Some(0.014));
    place.write("prices.yaml", PRICES);
    assert_eq!(cost(&[]), Some(0.024));
    place.write("mine.yaml", PRICES.replace("input: 10", "input: 20"));
    assert_eq!(cost(&["--prices", "mine.yaml"]), Some(0.044));
    let mut named = place.loopctl(&["run", "--profile", "steps", "--format", "json", "doc.txt"]);
    let ran = crate::workspace::Ran::of(named.env("LOOPCTL_PRICES", "mine.yaml")).exits(0);
    assert_eq!(ran.json()["usage"]["cost_usd"], json!(0.044));
    let shown = place.run(&["run", "--profile", "steps", "--format", "text", "doc.txt"]).exits(0);
    assert!(
        shown.out.contains("2200 tokens, $0.024  ") || shown.out.contains("2200 tokens, $0.024\n"),
        "{}",
        shown.out
    );
    assert!(!shown.out.contains("unknown:"), "{}", shown.out);
}

#[test]
fn a_table_that_cannot_be_used_is_refused_before_any_call() {
    let place = told_twice("stop: { max_iterations: 3 }\n", "tale-1");
    place.write("prices.yaml", PRICES.replace("output: 20", "ouput: 20"));
    run(&place, &[]).exits(2).says(&["prices.yaml:2:", "did you mean `output`?", "the prices can't be used"]);
    assert!(!place.path("out/doc-result.json").exists());
    place.run(&["check", "steps"]).exits(2).finds(&["did you mean `output`?"]);
    place.write("prices.yaml", PRICES.replace("input: 10", "input: -10"));
    run(&place, &[]).exits(2).says(&["expected a number from 0 to 100000, found -10"]);
    place.write("prices.yaml", "prices: []\n");
    run(&place, &["--prices", "none.yaml"]).exits(2).says(&["can't read `none.yaml`"]);
}

#[test]
fn a_budget_that_cannot_be_kept_is_said_once_and_the_known_part_counts() {
    let mut told = counted(2, "tale-9");
    told["cost_usd"] = json!(0.4);
    let answers = [told.clone(), counted(3, "tale-9"), told, counted(4, "tale-9")];
    let place = steps("stop: { max_iterations: 9, budget: { cost_usd: 0.8 } }\n", &answers);
    let ran = run(&place, &[]).exits(3);
    let result = ran.json();
    assert_eq!((&result["stop_reason"], &result["iteration_count"]), (&json!("budget"), &json!(3)));
    assert_eq!(result["usage"]["known_cost_usd"], json!(0.8));
    assert_eq!(result["usage"]["calls_of_unknown_cost"], json!(1));
    let said = "the budget `cost_usd` can't be kept, because the cost of some calls is unknown";
    assert_eq!(ran.err.matches(said).count(), 1, "{}", ran.err);
    let warnings = result["warnings"].as_array().unwrap();
    assert_eq!(warnings.iter().filter(|warning| warning.as_str().unwrap().contains(said)).count(), 1);
}

#[test]
fn a_model_without_a_price_is_said_before_the_first_call_when_money_is_limited() {
    let place = told_twice("stop: { max_iterations: 1, budget: { cost_usd: 1 } }\n", "tale-1");
    let without = "warning: the budget `cost_usd` can't be kept: model `m` of `contrary` has no price";
    // Nothing listens there: what matters is reported before the call is made.
    let asks = |model: &str| {
        let config = "{}, retries: 0";
        let mut command = place.loopctl(&["run", "--profile", "steps", "doc.txt"]);
        place.write(
            "profiles/steps-measured.yaml",
            place.read("profiles/steps-measured.yaml").replace("{ file: answers.jsonl }", config),
        );
        command.args(["--provider-config", "base_url=http://127.0.0.1:1"]);
        command.args(["--provider", model]).env("CONTRARY_KEY", "key");
        crate::workspace::Ran::of(&mut command).exits(1)
    };
    let ran = asks("contrary:m");
    assert_eq!(ran.err.matches(without).count(), 1, "{}", ran.err);
    assert!(!asks("contrary").err.contains("can't be kept"));
    // The model that is named with the provider is the one that is asked, regardless of the profile.
    place.write("prices.yaml", PRICES.replace("scripted", "contrary"));
    let profile = place.read("profiles/steps-measured.yaml");
    place.write(
        "profiles/steps-measured.yaml",
        profile.replace("retries: 0", "retries: 0, options: { model: tale-1 }"),
    );
    assert!(!asks("contrary").err.contains("can't be kept"));
    assert_eq!(asks("contrary:m").err.matches(without).count(), 1);
}
