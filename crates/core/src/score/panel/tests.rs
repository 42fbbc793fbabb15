use super::super::account::{Loss, MeasureKind};
use super::*;
use crate::diag::Problems;
use crate::profile::{Library, Override, load};
use crate::rules::memory::{Memory, compiled};
use serde_json::json;

fn panel(assess: &str, judges: &str) -> (Panel, Overall) {
    let sets = [
        format!("assess={assess}"),
        format!("judges={judges}"),
        "overall={from: a}".to_owned(),
        "validators={v: {command: [x], stages: [one, two]}}".to_owned(),
    ];
    let mut problems = Problems::new();
    let overrides: Vec<Override> =
        sets.iter().filter_map(|set| Override::from_flag(set, &mut problems)).collect();
    let profile = load("marc", &Library::embedded(), &overrides, &|_| None, &mut problems);
    let profile = profile.unwrap().profile;
    (Panel::of(&profile), profile.policy.overall)
}

const JUDGE: &str = "{j: {provider: x, prompt: p.md, issues: /issues, on_failure: {then: {fallback: 0.5}}}}";

fn merged(panel: &(Panel, Overall), local: Option<f64>, answers: &[Answer]) -> Assessment {
    let scores = local.map(|score| ("a", Score::clamped(score))).into_iter().collect();
    let tier1 = Assessment { scores, ..Assessment::default() };
    let merged = panel.0.merge(&panel.1, &|_, _| Disposition::Correct, &tier1, answers);
    adds_up(&panel.0, &tier1, answers, &merged);
    merged
}

/// The loss of each dimension in the panel's account is 1 less its score.
fn adds_up(panel: &Panel, tier1: &Assessment, answers: &[Answer], merged: &Assessment) {
    let measured = tier1.scores.iter().map(|(name, score)| DimensionBreakdown {
        dimension: name.into(),
        score: Some(score),
        by: MeasureKind::Given,
        losses: vec![Loss::other(1.0 - score.get(), "given")],
    });
    let account = panel.account(tier1, &ScoreBreakdown { dimensions: measured.collect() }, answers, merged);
    for accounted in &account.dimensions {
        let score = merged.scores.get(&accounted.dimension);
        assert_eq!(accounted.score, score);
        assert!((accounted.lost() - 1.0 + score.map_or(0.0, Score::get)).abs() < 1e-9, "{accounted:?}");
    }
}

#[test]
fn a_judge_replaces_what_stands_otherwise() {
    let panel = panel("{a: {judge: j, score: /s, otherwise: {grounding: {}}}}", JUDGE);
    let skipped = Answer::Given(json!({"unavailable": "not installed"}).into());
    let given = Answer::Given(
        json!({"s": 1, "issues": ["is wrong", {"code": "X", "path": "/a", "severity": "minor"}, 3]}).into(),
    );
    let found = merged(&panel, Some(0.9), &[skipped.clone(), given]);
    assert_eq!(found.overall, 1.0);
    let codes: Vec<&str> = found.issues.iter().map(|issue| issue.code.as_str()).collect();
    assert_eq!(codes, ["VALIDATOR_UNAVAILABLE", "JUDGE_J", "X"]);
    let failed = merged(&panel, Some(0.9), &[skipped, Answer::Failed("gone".into())]);
    assert_eq!((failed.overall, failed.issues[1].disposition), (0.5, Disposition::Warn));
}

#[test]
fn what_a_judge_gives_is_read_on_its_own_scale() {
    let assess = "{a: {judge: j, score: /s, otherwise: {grounding: {}}}}";
    let skipped = || Answer::Given(json!({"unavailable": "not installed"}).into());
    for (scale, given, worth) in [
        ("[0, 10]", json!(8), Some(0.8)),
        ("[0, 10]", json!(10.000_000_5), Some(1.0)),
        ("[0, 10]", json!(10.1), None),
        ("[0, 10]", json!(-1), None),
        ("[1, 5]", json!(1), Some(0.0)),
        ("[1, 5]", json!(4), Some(0.75)),
        ("[1, 5]", json!(0), None),
        ("[-1, 1]", json!(0), Some(0.5)),
    ] {
        let judge = format!("{{j: {{provider: x, prompt: p.md, scale: {scale}}}}}");
        let panel = panel(assess, &judge);
        let answer = json!({ "s": given });
        assert_eq!(panel.0.read(1, &answer).is_ok(), worth.is_some(), "{scale}: {given}");
        if let Some(worth) = worth {
            let found = merged(&panel, Some(0.9), &[skipped(), Answer::Given(answer.into())]);
            assert!((found.overall - worth).abs() < 1e-9, "{scale}: {given}: {}", found.overall);
        }
    }
}

#[test]
fn without_a_member_what_it_measures_is_what_stands_otherwise() {
    let (all, overall) = panel("{a: {judge: j, score: /s, otherwise: {grounding: {}}}}", JUDGE);
    let names =
        |panel: &Panel| panel.members().iter().map(|member| member.id.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&all), ["v", "j"]);
    assert_eq!(all.measured_by(1).collect::<Vec<_>>(), ["a"]);
    let without_judge = (all.only(|id| id != "j"), overall.clone());
    assert_eq!(names(&without_judge.0), ["v"]);
    let passed = Answer::Given(json!({"stages": []}).into());
    assert_eq!(merged(&without_judge, Some(0.9), std::slice::from_ref(&passed)).overall, 0.9);
    let judged = (all.only(|id| id == "j"), overall);
    assert_eq!(merged(&judged, Some(0.9), &[Answer::Given(json!({"s": 0.3}).into())]).overall, 0.3);
}

#[test]
fn answers_that_cannot_be_read_are_never_scores() {
    let (panel, _) = panel("{a: {judge: j, score: /s, otherwise: grounding}}", JUDGE);
    for (answer, readable) in [
        (json!({"s": 0.5}), true),
        (json!({"s": 0.5, "issues": []}), true),
        (json!({"s": 1.000_000_9}), true),
        (json!({"s": -0.000_000_9}), true),
        (json!({"s": 1.000_001_1}), false),
        (json!({"s": -0.000_001_1}), false),
        (json!({"s": 3}), false),
        (json!({"s": "0.5"}), false),
        (json!({}), false),
        (json!("fine"), false),
        (json!({"s": 0.5, "issues": "none"}), false),
        (json!({"s": 0.5, "issues": 0}), true),
        (json!({"s": 0.5, "issues": 3}), false),
        (json!({"s": 0.5, "issues": ["wrong", {"path": "/a"}]}), true),
        (json!({"s": 0.5, "issues": [["critical", "wrong"]]}), false),
        (json!({"s": 0.5, "Issues": ["wrong"]}), false),
        (json!({"s": 0.5, "issue": {"message": "wrong"}}), false),
        (json!({"s": 0.5, "Issues": []}), true),
    ] {
        assert_eq!(panel.read(1, &answer).is_ok(), readable, "{answer}");
    }
    assert!(panel.read(0, &json!({"stages": [{"name": "one", "passed": true}]})).is_ok());
    assert!(panel.read(0, &json!({"stages": [{"name": "one"}]})).is_err());
    for issues in [json!("bad"), json!({"message": "bad"}), json!([["critical", "bad"]])] {
        let passed = json!({"name": "one", "passed": true, "issues": issues});
        assert!(panel.read(0, &json!({ "stages": [passed] })).is_err(), "{issues}");
    }
    let beside = json!({"stages": [{"name": "one", "passed": true}], "issues": [{"message": "bad"}]});
    assert!(panel.read(0, &beside).is_err());
    // As many as a megabyte or two has room for.
    let stages: Vec<Value> =
        (0..100_000).map(|name| json!({"name": name.to_string(), "passed": true})).collect();
    assert!(panel.read(0, &json!({ "stages": stages })).is_ok());
}

#[test]
fn ensembles_combine_what_is_there() {
    let of = |how: &str| {
        panel(
            &format!(
                "{{a: {{ensemble: {{members: [grounding, {{judge: j, score: /s}}, {{external: {{validator: v}}}}], combine: {how}}}}}}}"
            ),
            JUDGE,
        )
    };
    let stages = Answer::Given(json!({"stages": [{"name": "one", "passed": true}]}).into());
    let answers = [stages, Answer::Given(json!({"s": 0.9}).into())];
    for (how, expected) in [("min", 0.5), ("max", 0.9), ("mean", 2.0 / 3.0), ("median", 0.6)] {
        let overall = merged(&of(how), Some(0.6), &answers).overall;
        assert!((overall - expected).abs() < 1e-12, "{how}: {overall}");
    }
}

#[test]
fn what_could_not_be_had_leaves_a_dimension_without_a_score() {
    let skipped = || Answer::Given(json!({"unavailable": "not installed"}).into());
    let given = || Answer::Given(json!({"s": 1}).into());
    let members =
        "{a: {ensemble: {members: [{rules: r, penalty: 0.1}, {judge: j, score: /s}], combine: min}}}";
    let ensemble = panel(members, JUDGE);
    assert_eq!(merged(&ensemble, Some(0.9), &[skipped(), given()]).overall, 0.9);
    // The measure of tier 1 failed.
    assert_eq!(merged(&ensemble, None, &[skipped(), given()]).scores.get("a"), None);
    // Every member must be available.
    let judges = panel(
        "{a: {ensemble: {members: [{judge: j, score: /s}, {external: {validator: v}}], combine: min}}}",
        JUDGE,
    );
    assert_eq!(merged(&judges, None, &[skipped(), given()]).scores.get("a"), None);
    // The dimension that should be the substitute was not measured.
    let to_b = "{j: {provider: x, prompt: p.md, on_failure: {then: {fallback: b}}}}";
    let assess = "{a: {judge: j, score: /s, otherwise: grounding}, b: {given: true}}";
    let failed = merged(&panel(assess, to_b), Some(1.0), &[skipped(), Answer::Failed("gone".into())]);
    assert_eq!((failed.scores.get("a"), failed.overall), (None, 0.0));
}

#[test]
fn severities_are_read_however_they_are_capitalized() {
    let (panel, overall) = panel("{a: {judge: j, score: /s}}", JUDGE);
    let issues = json!([{"severity": "CRITICAL"}, {"severity": "Minor", "disposition": "Escalate"}, {"severity": 3}, {"Severity": "critical"}]);
    let answers = [
        Answer::Given(json!({"unavailable": "not installed"}).into()),
        Answer::Given(json!({"s": 1, "issues": issues}).into()),
    ];
    let found = panel.merge(&overall, &|_, _| Disposition::Correct, &Assessment::default(), &answers);
    let said: Vec<_> = found.issues[1..].iter().map(|i| (i.severity, i.disposition)).collect();
    assert_eq!(
        said,
        [
            (Severity::Critical, Disposition::Correct),
            (Severity::Minor, Disposition::Escalate),
            (Severity::Major, Disposition::Correct),
            (Severity::Critical, Disposition::Correct)
        ]
    );
}

#[test]
fn a_validator_that_does_not_say_what_is_wrong_is_a_matter_for_a_person() {
    let panel = panel("{a: {external: {validator: v}}}", "{}");
    for (stages, codes) in [
        (json!([]), &["VALIDATOR_FAILED"][..]),
        (json!([{"name": "one", "passed": false}]), &["VALIDATOR_FAILED"]),
        (json!([{"name": "one", "passed": false, "issues": [7]}]), &["VALIDATOR_FAILED"]),
        (json!([{"name": "one", "passed": false, "issues": ["m"]}]), &["VALIDATOR_V"]),
        (json!([{"name": "one", "passed": true}]), &["VALIDATOR_FAILED"]),
        (json!([{"name": "won", "passed": true}, {"name": "two", "passed": true}]), &["VALIDATOR_FAILED"]),
        (json!([{"name": "one", "passed": true}, {"name": "two", "passed": true}]), &[]),
    ] {
        let found = merged(&panel, None, &[Answer::Given(json!({ "stages": stages }).into())]);
        assert_eq!(found.issues.iter().map(|i| i.code.as_str()).collect::<Vec<_>>(), codes, "{stages}");
        let escalated = found.issues.iter().filter(|i| i.disposition == Disposition::Escalate);
        assert_eq!(escalated.count(), codes.iter().filter(|code| **code == "VALIDATOR_FAILED").count());
    }
}

#[test]
fn ensembles_of_measures_combine_before_anyone_is_asked() {
    let assess = |how: &str| {
        format!(
            "{{a: {{ensemble: {{members: [{{rubric: r}}, {{rules: r, penalty: 0.5}}], combine: {how}}}}}}}"
        )
    };
    let files = Memory::default()
        .with("rules/rubrics/r.yaml", "types: {unknown: {required: [x, y]}}")
        .with("rules/r.yaml", "rules: [{id: z, require: z}, {id: w, require: w}]");
    let mut out = Assessment::default();
    let measured = |how: &str, candidate: &Value, out: &mut Assessment| {
        let rules = compiled(&assess(how), &files);
        let scoring = crate::score::Scoring::new(rules.unwrap());
        crate::score::Assessor::new(scoring).measure("unknown", candidate, None, &[], out);
        out.scores.iter().map(|(name, score)| (name.to_owned(), score.get())).collect::<Vec<_>>()
    };
    // Half of the rubric's fields are present; one of two rules finds something.
    let candidate = json!({"x": 1, "z": 1});
    for (how, expected) in [("min", 0.5), ("max", 0.5), ("mean", 0.5), ("median", 0.5)] {
        assert_eq!(measured(how, &candidate, &mut out), [("a".to_owned(), expected)], "{how}");
    }
    for (how, expected) in [("min", 0.0), ("max", 0.5), ("mean", 0.25), ("median", 0.25)] {
        assert_eq!(measured(how, &json!({"x": 1}), &mut out), [("a".to_owned(), expected)], "{how}");
        assert_eq!(out.issues.len(), 3);
    }
}
