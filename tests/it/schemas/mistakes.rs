//! Mistakes that people make, at several depths, and what looks like one and is none.

use super::{is_of_form, json_of, mistakes, refusals, validator};
use loopctl::reference::FileKind;

#[test]
fn mistakes_are_refused_by_decoder_and_schema() {
    for (kind, text) in [
        ("profile", "extends: clinical\nacept: { overall: 0.9 }\n"),
        ("profile", "extends: clinical\naccept: { overall: 95 }\n"),
        ("profile", "extends: clinical\nstop: { max_iterations: many }\n"),
        ("profile", "extends: clinical\nstop: { timeout: 30 }\n"),
        ("profile", "extends: clinical\nstop: { stagnation: { windo: 2 } }\n"),
        ("profile", "extends: clinical\nstop: { any: [{ decline: { length: 1 } }] }\n"),
        ("profile", "extends: clinical\nselect: { ties: middle }\n"),
        ("profile", "extends: clinical\nstages: [{ id: x, provider: pattern, retrys: 2 }]\n"),
        ("profile", "extends: clinical\nassess: { validity: { rules: x, penalty: 0.1, flor: 0 } }\n"),
        ("profile", "extends: clinical\nassess: { truth: groundig }\n"),
        ("profile", "extends: clinical\njudges: { j: { provider: none, on_failure: { then: giveup } } }\n"),
        ("profile", "extends: clinical\nnetwork: { breaker: { failures: 0 } }\n"),
        ("rules", "rules: [{ id: a, field: b, requird: true }]\n"),
        ("rules", "rules: [{ id: a, when: { field: b, not: { typ: text } }, require: c }]\n"),
        ("rules", "rules: [{ id: a, field: b, type: texts }]\n"),
        ("rules", "rules: [{ id: A_B, field: b, required: true }]\n"),
        ("rubric", "types: { pathology: { needed: [a] } }\n"),
        ("rubric", "weights: { required: -1 }\ntypes: {}\n"),
        ("rubric", "vocabularies: grade\ntypes: {}\n"),
        ("rubric", "fields: { a: { values: [b] } }\ntypes: {}\n"),
        ("extraction", "extract: a\nfields: { b: { kind: txt } }\n"),
        ("vocabulary", "values: { a: b }\n"),
        ("vocabulary", "values: { a: [b] }\nopposites: { a: a }\n"),
        ("context", "context: a\nnegated: no\n"),
        ("context", "context: a\nsections: [{ headings: [a], says: maybe }]\n"),
        ("vocabulary-tests", "cases: [{ text: a, say: b }]\n"),
        ("classification", "classify: { a: [{ pattern: x, weight: 0 }] }\n"),
        ("evidence", "labelled: { right: 1, wrnog: 0 }\npatterns: {}\n"),
        ("evidence", "labelled: { right: -1 }\npatterns: {}\n"),
        ("evidence", "labelled: { right: 1 }\npattern: {}\n"),
        ("prices", "prices: [{ provider: a, models: [b], input: -1, output: 1, as_of: 2026-01-02 }]\n"),
        ("label-map", "document: a\nfields: [{ field: b, from: c, compare: equal }]\n"),
        ("label-map", "document: a\nfields: [{ field: b, form: c }]\n"),
        (
            "experiment",
            "documents: { run: latest }\nspace: { a.b: 3 }\nobjectives: [{ maximize: overall }]\n",
        ),
        ("experiment", "documents: { run: latest }\nspace: {}\nobjectives: [{ maximise: overall }]\n"),
        ("experiment", "documents: { run: latest }\nspace: {}\nobjectives: []\nsplit: { test: 1 }\n"),
        ("scenarios", "cases: [{ name: a, trajectory: [{ scores: 2 }], expect: { review: true } }]\n"),
        ("scenarios", "cases: [{ name: a, trajectory: [{ scores: 1 }], expect: { final_status: done } }]\n"),
        ("rule-tests", "cases: [{ rule: a, valid: [], invalid: [1], issue: { sevrity: major } }]\n"),
    ] {
        let kind = FileKind::named(kind).unwrap();
        let found = mistakes(kind, text);
        assert!(found.iter().any(|(code, _)| is_of_form(*code)), "{text}: {found:?}");
        assert!(!refusals(&validator(kind), &json_of("it", text)).is_empty(), "the schema takes {text}");
    }
}

/// The keys that a profile may leave out, take away and leave to the environment.
#[test]
fn a_profile_may_inherit_take_away_and_ask_the_environment() {
    let profile = FileKind::named("profile").unwrap();
    let validator = validator(profile);
    for text in [
        "extends: clinical\n",
        "extends: clinical\nstop: { max_iterations: '${N:-3}', timeout: '${T:-10s}', unchanged: '${U:-true}' }\n",
        "extends: clinical\nselect: { ties: '${TIES:-first}' }\naccept: { overall: '${GOOD:-0.9}' }\n",
        "extends: clinical\nstop: { stagnation: { epsilon: 0.01 }, min_improvement: null, budget: null }\n",
        "extends: clinical\njudges: null\nreview: null\naccept: { overall: null, accuracy: 0.9 }\n",
        "extends: clinical\nassess: { validity: { penalty: 0.2 }, accuracy: null, completeness: '${HOW:-given}' }\n",
        "extends: aas\nvalidators: { test-engines: { command: null, script: null, url: 'https://example.org/x' } }\n",
        "extends: clinical\noverall: { from: completeness }\n",
        "extends: clinical\nnetwork: { breaker: '${BREAKER:-false}', egress: ['${HOST:-api.example.com}'] }\n",
    ] {
        let found = refusals(&validator, &json_of("it", text));
        assert!(found.is_empty(), "{text}: {found:#?}");
    }
    for text in
        ["name: mine\n", "assess: {}\noverall: {}\n", "extends: clinical\nstop: { unchanged: '$${U}' }\n"]
    {
        assert!(!validator.is_valid(&json_of("it", text)), "{text}");
    }
}

/// The blocks of the pages about our YAML.
#[test]
fn what_the_pages_show_is_valid_by_the_schemas() {
    let mut seen = 0;
    for page in ["docs/rules.md", "docs/scenarios.md", "docs/vocabularies.md"] {
        let text = std::fs::read_to_string(super::root().join(page)).unwrap();
        for block in text.split("```yaml\n").skip(1).map(|rest| rest.split("\n```").next().unwrap()) {
            let has = |key: &str| block.lines().any(|line| line.starts_with(key));
            let kind = match block.lines().next().and_then(|line| line.strip_prefix("# ")) {
                Some(path) if path.starts_with("rules/vocabularies/") => "vocabulary-tests",
                Some(path) if path.starts_with("rules/") => "rule-tests",
                Some(path) if path.ends_with(".test.yaml") => "scenarios",
                Some(path) if path.starts_with("profiles/") => "profile",
                _ if has("rules:") => "rules",
                _ if has("types:") => "rubric",
                _ if has("vocabulary:") => "vocabulary",
                _ if has("context:") => "context",
                _ => panic!("{page}: {block}"),
            };
            let found = refusals(&validator(FileKind::named(kind).unwrap()), &json_of(page, block));
            assert!(found.is_empty(), "{page}: {found:#?}\n{block}");
            seen += 1;
        }
    }
    assert!(seen > 7, "{seen}");
}
