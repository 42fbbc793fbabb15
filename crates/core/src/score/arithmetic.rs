//! The arithmetic of scores (`docs/concepts.md`), against an obvious model.

use super::{Assessment, Assessor, Scoring};
use crate::diag::Problems;
use crate::profile::Overall;
use crate::rules::compile;
use crate::rules::memory::{Memory, compiled, dimensions};
use crate::value::Score;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const FIELDS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

fn value() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        Just(None),
        Just(Some(json!(null))),
        Just(Some(json!(""))),
        Just(Some(json!([]))),
        Just(Some(json!({}))),
        Just(Some(json!(false))),
        Just(Some(json!(0))),
        Just(Some(json!("text"))),
        Just(Some(json!(["x"]))),
        any::<i32>().prop_map(|n| Some(json!(n))),
    ]
}

/// Importance of each field: required, important, optional, or not in the rubric.
fn rubric_text(importance: &[usize], weights: [f64; 3]) -> String {
    let listed = |wanted: usize| {
        let names: Vec<&str> =
            FIELDS.iter().zip(importance).filter(|(_, i)| **i == wanted).map(|(f, _)| *f).collect();
        names.join(", ")
    };
    format!(
        "weights: {{required: {}, important: {}, optional: {}}}\nfields: {{ a: {{ mentions: ['\\balpha\\b'], suggestion: find a }} }}\n\
         types:\n  t: {{required: [{}], important: [{}], optional: [{}]}}\n",
        weights[0],
        weights[1],
        weights[2],
        listed(0),
        listed(1),
        listed(2)
    )
}

fn naive_rubric(
    importance: &[usize],
    weights: [f64; 3],
    candidate: &Map<String, Value>,
    source: &str,
) -> f64 {
    let (mut present, mut all) = (0.0, 0.0);
    for (wanted, weight) in weights.into_iter().enumerate() {
        for (field, _) in FIELDS.iter().zip(importance).filter(|(_, i)| **i == wanted) {
            let claimed = candidate.get(&format!("{field}_status")) == Some(&json!("not_present"));
            let mentioned = *field == "a" && source.to_lowercase().split_whitespace().any(|w| w == "alpha");
            if claimed && !mentioned {
                continue;
            }
            all += weight;
            let there = match candidate.get(*field) {
                None | Some(Value::Null) => false,
                Some(v) => *v != json!("") && *v != json!([]) && *v != json!({}),
            };
            if there && !claimed {
                present += weight;
            }
        }
    }
    if all == 0.0 { 0.0 } else { present / all }
}

proptest! {
    #[test]
    fn rubric_and_rules_agree_with_the_naive_model(
        importance in prop::collection::vec(0_usize..4, 6),
        values in prop::collection::vec(value(), 6),
        claims in prop::collection::vec(prop::bool::weighted(0.2), 6),
        weights in [0.0..2.0_f64, 0.0..2.0_f64, 0.0..2.0_f64],
        mention in any::<bool>(),
        penalty in 0.0..1.0_f64,
        floor in 0.0..1.0_f64,
        share in 0.0..1.0_f64,
    ) {
        let mut candidate = Map::new();
        for ((field, value), claimed) in FIELDS.iter().zip(&values).zip(&claims) {
            if let Some(value) = value {
                candidate.insert((*field).to_owned(), value.clone());
            }
            if *claimed {
                candidate.insert(format!("{field}_status"), json!("not_present"));
            }
        }
        let rules: String = FIELDS.iter().map(|f| format!("  - {{id: r-{f}, field: {f}, required: true, type: text}}\n")).collect();
        let files = Memory::default()
            .with("rules/rubrics/c.yaml", rubric_text(&importance, weights))
            .with("rules/r.yaml", format!("rules:\n{rules}"));
        let assess = format!("c: {{ rubric: c }}\nv: {{ rules: r, penalty: {penalty}, floor: {floor} }}\n");
        let overall = Overall::Weighted(vec![("c".into(), share), ("v".into(), 1.0 - share)]);
        let mut problems = Problems::new();
        let compiled = compile(&dimensions(&assess), &overall, &[], &files, &mut problems);
        let scoring = Scoring::new(compiled.unwrap());
        let text = if mention { "an Alpha here" } else { "nothing alphabetic" };
        let source = scoring.source(text);
        let mut out = Assessment::default();
        let mut assessor = Assessor::new(scoring);
        assessor.measure("t", &Value::Object(candidate.clone()), Some(&source), &[], &mut out);

        let completeness = naive_rubric(&importance, weights, &candidate, text);
        let violations = FIELDS.iter().filter(|f| candidate.get(**f).is_none_or(|v| v.as_str().is_none_or(str::is_empty))).count();
        let validity = (1.0 - penalty * violations as f64).max(floor);
        prop_assert!((out.scores.get("c").unwrap().get() - completeness).abs() < 1e-12);
        prop_assert!((out.scores.get("v").unwrap().get() - validity).abs() < 1e-12);
        prop_assert!((out.overall - (share * completeness + (1.0 - share) * validity)).abs() < 1e-12);
        prop_assert_eq!(out.issues.iter().filter(|i| i.rule.is_some()).count(), violations);

        // A given score replaces the measured one, and its issues with it.
        let given = [("v".to_owned(), Score::clamped(share))];
        assessor.measure("t", &Value::Object(candidate), Some(&source), &given, &mut out);
        prop_assert_eq!(out.scores.get("v").unwrap().get(), share);
        prop_assert!(out.issues.iter().all(|i| i.rule.is_none()));
    }

    #[test]
    fn no_candidate_makes_assessing_panic(candidate in any_json(), text in "\\PC{0,40}") {
        let rules = "rules:
  - {id: a, field: x, all: [{type: text}, {length: {max: 3}}, {unique: true}]}
  - {id: b, each: '$..*', when: {key: {matches: '[a-z]'}}, not: {sum_to: 1}, range: {min: 0}, resolves: '$..*'}
  - {id: c, each: '$.*', format: date, before: '$.x', message: '{{ key }} {{ value }} {{ path }} {{ field }}'}
  - {id: d, each: '$.*', unit: mm, quantity: {units: [mm, cm], min: 0}, contains: a, one_of: {values: [a], ignore_case: true}, requires: ['@.x', '$[0]']}
";
        let files = Memory::default()
            .with("rules/r.yaml", rules)
            .with("rules/rubrics/c.yaml", "types: {unknown: {required: [x], important: [a]}}")
            .with("schemas/s.json", r##"{"properties": {"x": {"$ref": "#"}, "a": {"type": "string", "format": "date"}}, "required": ["x"]}"##)
            .with("rules/s.rhai", "fn look(candidate, source) { let n = 0; for k in candidate.keys() { n += 1 } n }");
        let rules = compiled(
            "v: { rules: r, penalty: 0.1 }\nc: { rubric: c }\ns: { schema: schemas/s.json }\ng: grounding\nm: { script: 's.rhai#look' }",
            &files,
        ).unwrap();
        let scoring = Scoring::new(rules);
        let source = scoring.source(&text);
        let mut out = Assessment::default();
        Assessor::new(scoring).measure("unknown", &candidate, Some(&source), &[], &mut out);
        prop_assert!(out.scores.iter().all(|(_, score)| (0.0..=1.0).contains(&score.get())));
        prop_assert!(out.issues.iter().all(|i| i.path.is_empty() || candidate.pointer(&i.path).is_some()
            || i.path.starts_with('/')));
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|f| json!(f)),
        "\\PC{0,12}".prop_map(Value::from),
        Just(json!("2024-01-01")),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[xa/~]{0,2}|\\PC{0,3}|x_status", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn one(assess: &str, files: &Memory, candidate: &Value, text: Option<&str>) -> Assessment {
    let scoring = Scoring::new(compiled(assess, files).unwrap());
    let source = text.map(|text| scoring.source(text));
    let mut out = Assessment::default();
    Assessor::new(scoring).measure("t", candidate, source.as_ref(), &[], &mut out);
    out
}

#[test]
fn missing_fields_are_listed_by_importance_with_suggestions() {
    let files =
        Memory::default().with("rules/rubrics/c.yaml", rubric_text(&[1, 0, 2, 3, 3, 3], [1.0, 0.7, 0.3]));
    let out = one("c: { rubric: c }", &files, &json!({}), None);
    let issues: Vec<(&str, &str, &str)> =
        out.issues.iter().map(|i| (i.code.as_str(), i.severity.as_str(), i.path.as_str())).collect();
    let missing = |severity, path| ("MISSING_FIELD", severity, path);
    assert_eq!(issues, [missing("major", "/b"), missing("minor", "/a"), missing("info", "/c")]);
    assert_eq!(out.issues[1].suggested_fix.as_deref(), Some("find a"));
    assert_eq!(out.issues[2].message, "optional field `c` is missing, which costs 0.150 of `c`");
    assert_eq!(out.issues[2].disposition.as_str(), "warn");
    assert_eq!(out.missing, ["b".into(), "a".into(), "c".into()]);
    for candidate in [json!(null), json!([1]), json!("a")] {
        assert_eq!(one("c: { rubric: c }", &files, &candidate, None).scores.get("c"), Some(Score::ZERO));
    }
}

#[test]
fn a_claim_that_the_source_refutes_is_an_issue_and_the_field_missing() {
    let files =
        Memory::default().with("rules/rubrics/c.yaml", rubric_text(&[0, 0, 3, 3, 3, 3], [1.0, 0.7, 0.3]));
    let candidate = json!({"a_status": "not_present", "b": 1});
    let out = one("c: { rubric: c }", &files, &candidate, Some("Das übliche ALPHA."));
    assert_eq!(out.scores.get("c").unwrap().get(), 0.5);
    assert_eq!(
        (out.issues[0].code.as_str(), out.issues[0].path.as_str()),
        ("NOT_PRESENT_BUT_MENTIONED", "/a")
    );
    assert_eq!(out.issues[0].source_span, Some((12..17).into()));
    assert_eq!(out.missing, ["a".into()]);
    let out = one("c: { rubric: c }", &files, &candidate, Some("nothing"));
    assert_eq!((out.scores.get("c").unwrap(), out.issues.len(), out.missing.len()), (Score::ONE, 0, 0));
    let nothing_left = json!({"a_status": "not_present", "b_status": "not_present"});
    assert_eq!(one("c: { rubric: c }", &files, &nothing_left, None).scores.get("c"), Some(Score::ZERO));
}

#[test]
fn what_is_said_to_be_ambiguous_is_left_out_only_where_the_source_says_several_things() {
    let rubric =
        "fields: {a: {mentions: ['grade [0-9]', '(low|high) grade']}}\ntypes: {t: {required: [a, b]}}\n";
    let files = Memory::default().with("rules/rubrics/c.yaml", rubric);
    let claim = json!({"a_status": "ambiguous", "b": 1});
    for (candidate, text, score, code, missing) in [
        (&claim, Some("Grade 2. Addendum: grade 3."), 1.0, "FIELD_AMBIGUOUS", 0),
        (&claim, Some("Grade 2, so low grade."), 1.0, "FIELD_AMBIGUOUS", 0),
        (&claim, None, 1.0, "FIELD_AMBIGUOUS", 0),
        (&claim, Some("Grade 2, that is: GRADE  2"), 0.5, "AMBIGUOUS_BUT_CLEAR", 1),
        (&claim, Some("nothing of the kind"), 0.5, "AMBIGUOUS_BUT_CLEAR", 1),
        (&json!({"a": "2", "a_status": "ambiguous", "b": 1}), Some("Grade 2."), 1.0, "FIELD_AMBIGUOUS", 0),
        (&json!({"a": "2", "a_status": "ambiguous"}), Some("Grade 2; grade 3."), 0.5, "FIELD_AMBIGUOUS", 1),
    ] {
        let out = one("c: { rubric: c }", &files, candidate, text);
        let issue = out.issues.iter().find(|issue| issue.path == "/a").unwrap();
        let asks_a_person = issue.disposition.as_str() == "escalate";
        assert_eq!((issue.code.as_str(), issue.severity.as_str()), (code, "major"), "{text:?}");
        assert_eq!(asks_a_person, code == "FIELD_AMBIGUOUS", "{text:?}");
        assert_eq!((out.scores.get("c").unwrap().get(), out.missing.len()), (score, missing), "{text:?}");
    }
}

#[test]
fn an_issue_that_only_informs_takes_no_penalty_off() {
    let files = Memory::default().with(
        "rules/r.yaml",
        "rules: [{id: a, field: x, required: true, severity: info}, {id: b, field: y, required: true}]",
    );
    let out = one("v: { rules: r, penalty: 0.25 }", &files, &json!({}), None);
    assert_eq!((out.issues.len(), out.scores.get("v").unwrap().get()), (2, 0.75));
}

#[test]
fn schema_errors_take_off_in_proportion() {
    let schema = r#"{"type": "object", "required": ["a", "b"], "properties": {
        "a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "array", "items": {"properties": {"d": {"format": "date"}}}},
        "e": {"enum": ["x"]}}, "additionalProperties": false}"#;
    let files = Memory::default().with("schemas/t.json", schema).with("schemas/unknown.json", "true");
    let assess = "s: { schema: 'schemas/{{ document_type }}.json' }\nr: { rubric: c }";
    let files = files.with("rules/rubrics/c.yaml", "types: {t: {required: [a]}}");
    for (candidate, errors, codes) in [
        (json!({"a": "x", "b": 1}), 0, vec![]),
        (json!({"a": 1, "b": 1}), 1, vec![("SCHEMA_TYPE", "/a")]),
        (json!({"a": "x"}), 1, vec![("SCHEMA_REQUIRED", "/b")]),
        (
            json!({"a": "x", "b": 1, "c": [{"d": "2024-01-01"}, {"d": "x"}], "z": 1}),
            2,
            vec![("SCHEMA_ADDITIONAL_PROPERTIES", ""), ("SCHEMA_FORMAT", "/c/1/d")],
        ),
        (
            json!({"a": 1, "e": 1}),
            3,
            vec![("SCHEMA_ENUM", "/e"), ("SCHEMA_REQUIRED", "/b"), ("SCHEMA_TYPE", "/a")],
        ),
        (json!([]), 1, vec![("SCHEMA_TYPE", "")]),
    ] {
        let out = one(assess, &files, &candidate, None);
        let mut found: Vec<(&str, &str)> = out
            .issues
            .iter()
            .filter(|i| i.code.starts_with("SCHEMA"))
            .map(|i| (i.code.as_str(), i.path.as_str()))
            .collect();
        found.sort_unstable();
        assert_eq!(found, codes, "{candidate}");
        assert!(
            (out.scores.get("s").unwrap().get() - (1.0 - f64::from(errors) / 4.0)).abs() < 1e-12,
            "{candidate}"
        );
    }
}

#[test]
fn grounding_counts_leaves_and_says_what_it_does_not_find() {
    let files = Memory::default().with("rules/rubrics/c.yaml", "types: {t: {optional: [a]}}");
    let assess = "g: { grounding: { rubric: c, ignore: [rawText], severity: critical } }";
    let candidate = json!({
        "histology": "invasive ductal carcinoma", "site": "left breast", "node": "spleen", "flag": true, "none": null, "empty": "",
        "grade_status": "not_present", "rawText": "made up", "deep": {"x_status": "made up too"}
    });
    let out = one(assess, &files, &candidate, Some("Left breast: invasive ductal carcinoma."));
    assert!((out.scores.get("g").unwrap().get() - 2.0 / 3.0).abs() < 1e-12, "{out:?}");
    assert_eq!(out.issues.len(), 1);
    assert_eq!((out.issues[0].code.as_str(), out.issues[0].path.as_str()), ("UNGROUNDED_VALUE", "/node"));
    assert_eq!(out.issues[0].severity.as_str(), "critical");
    let spans = out.evidence.iter().filter_map(|(path, leaf)| Some((path, leaf.span?)));
    let evidence: Vec<(&str, usize, usize)> =
        spans.map(|(path, span)| (path, span.start, span.end)).collect();
    assert_eq!(evidence, [("/histology", 13, 38), ("/site", 0, 11)]);

    let out = one(assess, &files, &json!({"flag": true}), Some("x"));
    assert_eq!((out.scores.get("g"), out.issues.len()), (Some(Score::ZERO), 0));
    let out = one(assess, &files, &candidate, None);
    assert_eq!((out.scores.get("g"), out.issues[0].code.as_str()), (None, "NO_SOURCE"));
    assert_eq!((out.issues[0].severity.as_str(), out.issues[0].disposition.as_str()), ("minor", "warn"));
}
