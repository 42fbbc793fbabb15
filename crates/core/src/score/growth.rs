//! Work that grows with a candidate and not with its square, and the issue when it is too much.

use super::{Assessment, Assessor, Scoring};
use crate::rules::memory::{Memory, compiled};
use crate::value::{Cancel, Disposition};
use serde_json::{Map, Value, json};

fn assessor(assess: &str, rule: &str) -> Assessor {
    let files = Memory::default()
        .with("rules/r.yaml", format!("rules:\n  - {rule}\n"))
        .with(
            "rules/rubrics/c.yaml",
            "types: {t: {optional: [size]}}\nfields: {size: {values: size}}\nvocabularies: [size]\n",
        )
        .with("rules/vocabularies/size.yaml", "vocabulary: size\nvalues: {small: [tiny], large: [huge]}\n");
    let rules = compiled(assess, &files).unwrap_or_else(|problems| panic!("{rule}: {:?}", problems.sorted()));
    Assessor::new(Scoring::new(rules))
}

/// The number of steps that a candidate takes.
fn work(assessor: &mut Assessor, candidate: &Value, source: &str) -> u64 {
    let source = assessor.scoring().source(source);
    let mut out = Assessment::default();
    assessor.measure("unknown", candidate, Some(&source), &[], &mut out);
    assert!(out.issues.iter().all(|issue| issue.code != "WORK_LIMIT"), "{:?}", out.issues.first());
    assessor.work()
}

#[test]
fn what_a_rule_looks_up_for_each_row_is_looked_up_once() {
    let rows = |count: usize| -> Value {
        let rows: Vec<Value> = (0..count).map(|at| json!({"id": at, "size": 3, "of": at / 2})).collect();
        json!({ "rows": rows, "ids": (0..count).collect::<Vec<_>>() })
    };
    for rule in [
        "{id: r, each: '$.rows[*].size', at_most: '$.rows[*].size'}",
        "{id: r, each: '$.rows[*].size', at_least: '$.rows[*].size'}",
        "{id: r, each: '$.rows[*].size', same_as: '$.rows[*].size'}",
        "{id: r, each: '$.rows[*].of', resolves: '$.rows[*].id'}",
        "{id: r, each: '$.rows[*]', require: '$.rows[*].id'}",
        "{id: r, field: ids, unique: true, resolves: '$.rows[*].id'}",
    ] {
        let mut assessor = assessor("v: { rules: r, penalty: 0.1 }", rule);
        let (few, more) = (work(&mut assessor, &rows(500), ""), work(&mut assessor, &rows(1_000), ""));
        assert!(more <= few * 5 / 2, "{rule}: {few} {more}");
    }
}

#[test]
fn the_documents_text_is_read_once_for_all_rows() {
    let rows = json!({ "rows": (0..1_000).map(|at| json!({"of": at})).collect::<Vec<Value>>() });
    let rule =
        "{id: r, each: '$.rows[*]', any: [{ source: { matches: 'no such word' } }, { type: mapping }]}";
    let mut assessor = assessor("v: { rules: r, penalty: 0.1 }", rule);
    let text = "Every word is another one. ".repeat(1_000);
    let (short, long) = (work(&mut assessor, &rows, ""), work(&mut assessor, &rows, &text));
    assert!(long > short && long - short < text.len() as u64, "{short} {long}");
}

#[test]
fn a_rule_may_cost_nothing() {
    let files = Memory::default().with(
        "rules/r.yaml",
        "rules:\n  - {id: a, require: x, costs: false, severity: critical}\n  - {id: b, require: y}\n  - {id: c, require: z, costs: false}\n",
    );
    let rules = compiled("v: { rules: r, penalty: 0.1 }", &files).unwrap();
    let mut out = Assessment::default();
    Assessor::new(Scoring::new(rules)).measure("unknown", &json!({}), None, &[], &mut out);
    let found: Vec<(&str, &str)> =
        out.issues.iter().map(|issue| (issue.code.as_str(), issue.severity.as_str())).collect();
    assert_eq!(found, [("A", "critical"), ("B", "major"), ("C", "major")]);
    assert!((out.scores.get("v").unwrap().get() - 0.9).abs() < 1e-12);
}

#[test]
fn a_condition_can_look_at_the_documents_text() {
    let found = |text: Option<&str>, condition: &str| {
        let rule = format!("{{id: r, field: x, any: [{{ required: true }}, {condition}]}}");
        let mut assessor = assessor("v: { rules: r, penalty: 0.1 }", &rule);
        let source = text.map(|text| assessor.scoring().source(text));
        let mut out = Assessment::default();
        assessor.measure("unknown", &json!({}), source.as_ref(), &[], &mut out);
        out.issues.len()
    };
    let says = "{ source: { contains: no medications } }";
    assert_eq!((found(Some("There are No Medications."), says), found(Some("Aspirin"), says)), (0, 1));
    let lacks = "{ source: { not: { contains: aspirin } } }";
    assert_eq!((found(Some("Nothing."), lacks), found(Some("Aspirin"), lacks)), (0, 1));
    let both = "{ source: { all: [{ matches: '^A' }, { length: { max: 7 } }] } }";
    assert_eq!((found(Some("Aspirin"), both), found(Some("Aspirin, two"), both)), (0, 1));
    // Without a text no phrase is found in it.
    assert_eq!(found(None, says), 1);
}

#[test]
fn the_same_is_found_as_when_everything_is_looked_up_for_each_row() {
    let broken = |rule: &str, candidate: &Value| -> usize {
        let mut out = Assessment::default();
        let mut assessor = assessor("v: { rules: r, penalty: 0.1 }", rule);
        assessor.measure("unknown", candidate, None, &[], &mut out);
        out.issues.len()
    };
    let rows =
        json!({"rows": [{"a": 1, "b": [1, 5]}, {"a": 5, "b": [2]}, {"a": "x", "b": ["1"]}, {"b": []}]});
    for (rule, expected) in [
        ("{id: r, each: '$.rows[*].a', at_most: '$.rows[*].a'}", 1),
        ("{id: r, each: '$.rows[*].a', at_least: '$.rows[*].a'}", 1),
        ("{id: r, each: '$.rows[*].a', same_as: '$.rows[*].a'}", 3),
        ("{id: r, each: '$.rows[*].a', same_as: '$.none[*].a'}", 0),
        ("{id: r, each: '$.rows[*].a', same_as: '$.rows[0].a'}", 2),
        ("{id: r, each: '$.rows[*].b', resolves: '$.rows[*].a'}", 2),
    ] {
        assert_eq!(broken(rule, &rows), expected, "{rule}");
    }
    // Asked one by one, and asked often.
    for count in [60, 200] {
        let items: Vec<Value> = (0..count).map(|at| json!({"to": at, "id": at / 2})).collect();
        let candidate = json!({ "items": items });
        let rule = "{id: r, each: '$.items[*].to', resolves: '$.items[*].id'}";
        assert_eq!(broken(rule, &candidate), count / 2, "{count}");
    }
}

#[test]
fn grounding_many_fields_takes_work_in_proportion() {
    let mut assessor = assessor("a: grounding", "{id: r, field: x, required: true}");
    let candidate = |count: usize| -> Value {
        let fields: Map<String, Value> =
            (0..count).map(|at| (format!("fieldNumber{at}"), json!("adenocarcinoma"))).collect();
        Value::Object(fields)
    };
    let text = "Diagnosis: adenocarcinoma of the lung.\n".repeat(5);
    let (few, more) =
        (work(&mut assessor, &candidate(400), &text), work(&mut assessor, &candidate(800), &text));
    assert!(more <= few * 5 / 2, "{few} {more}");
}

/// Values that no text has: three words, one of which resembles no other.
fn invented(count: usize) -> Value {
    let rows: Vec<Value> = (0..count)
        .map(|at| json!({"observation": format!("circumscribed quxzv{} enlargement", "ae".repeat(at % 7))}))
        .collect();
    json!({ "rows": rows })
}

/// A text in which new words keep coming.
fn report(words: usize) -> String {
    let word = |at: usize| match at % 5 {
        0 => "circumscribed".to_owned(),
        1 => "enlargement".to_owned(),
        2 => "of".to_owned(),
        3 => "tissue".to_owned(),
        _ => format!("finding{}", at.to_string().replace(|c: char| c.is_ascii_digit(), "e")),
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn values_that_are_not_there_take_little_of_a_long_text() {
    let mut assessor = assessor("a: grounding", "{id: r, field: x, required: true}");
    let (short, long) = (report(2_000), report(16_000));
    let (few, more) =
        (work(&mut assessor, &invented(100), &short), work(&mut assessor, &invented(100), &long));
    assert!(more <= few * 8, "{few} {more}");
    let twice = work(&mut assessor, &invented(200), &long);
    assert!(twice <= more * 5 / 2, "{more} {twice}");
}

#[test]
fn a_candidate_that_was_corrected_is_not_grounded_from_scratch() {
    let mut assessor = assessor("a: { grounding: { rubric: c } }", "{id: r, field: x, required: true}");
    let text = report(2_000);
    let source = assessor.scoring().source(&text);
    let mut out = Assessment::default();
    let mut candidate: Map<String, Value> =
        (0..100).map(|at| (format!("field{at}"), json!("circumscribed enlargement of tissue"))).collect();
    let mut work = |candidate: &Map<String, Value>| {
        assessor.measure("t", &Value::Object(candidate.clone()), Some(&source), &[], &mut out);
        (assessor.work(), out.issues.len())
    };
    let (first, _) = work(&candidate);
    candidate.insert("field7".to_owned(), json!("enlargement of tissue"));
    let (second, _) = work(&candidate);
    assert!(second * 5 < first, "{first} {second}");
}

#[test]
fn what_could_not_be_looked_at_has_no_score_and_is_for_a_person() {
    let cancel = Cancel::default();
    cancel.cancel();
    let mut assessor =
        assessor("v: { rules: r, penalty: 0.1 }", "{id: r, field: x, required: true}").with_cancel(&cancel);
    let mut out = Assessment::default();
    assessor.measure("unknown", &json!({"x": 1}), None, &[], &mut out);
    let issue = out.issues.first().unwrap();
    assert_eq!((issue.code.as_str(), issue.disposition), ("WORK_LIMIT", Disposition::Escalate));
    assert_eq!(
        issue.message,
        "the assessment is not complete, because it was stopped; there is no score for `v`"
    );
    assert!(out.overall.abs() < 1e-9);
}

#[test]
fn numbers_are_compared_as_they_are_written() {
    let holds = |rule: &str, candidate: &Value| {
        let mut out = Assessment::default();
        assessor("v: { rules: r, penalty: 0.1 }", rule).measure("unknown", candidate, None, &[], &mut out);
        out.issues.is_empty()
    };
    let two = |x: Value, y: Value| json!({"x": x, "y": y});
    let (less, more) = (9_007_199_254_740_992_i64, 9_007_199_254_740_993_i64);
    for (x, y, at_most, at_least) in [
        (json!(more), json!(less), false, true),
        (json!(less), json!(more), true, false),
        (json!(more.to_string()), json!(less), false, true),
        (json!("123456789012345678901234567890"), json!("123456789012345678901234567891"), true, false),
        (json!(0.1), json!("0.10"), true, true),
        (json!(1e16), json!(10_000_000_000_000_000_i64), true, true),
        (json!("no number"), json!(1), true, true),
    ] {
        let candidate = two(x, y);
        assert_eq!(holds("{id: r, field: x, at_most: y}", &candidate), at_most, "{candidate}");
        assert_eq!(holds("{id: r, field: x, at_least: y}", &candidate), at_least, "{candidate}");
    }
    let range = format!("{{id: r, field: x, range: {{min: {less}, max: {less}}}}}");
    assert!(holds(&range, &json!({ "x": less })));
    assert!(!holds(&range, &json!({ "x": more })));
    // Few are compared pairwise, many by their hashes: both give the same result.
    for extra in [0, 100] {
        let mut items = vec![json!(1e16), json!(10_000_000_000_000_000_i64)];
        items.extend((0..extra).map(Value::from));
        assert!(!holds("{id: r, field: x, unique: true}", &json!({ "x": items })), "{extra}");
        let mut items = vec![json!(9_007_199_254_740_992.0), json!(more)];
        items.extend((0..extra).map(Value::from));
        assert!(holds("{id: r, field: x, unique: true}", &json!({ "x": items })), "{extra}");
    }
}
