//! The messages about wrong rules, rubrics and scripts.

use super::memory::{Memory, compiled};
use crate::diag::{Code, Level, Problem, Problems};
use proptest::prelude::*;

fn problems(files: &Memory, assess: &str) -> Vec<Problem> {
    let all = compiled(assess, files).err().unwrap_or_default();
    all.sorted().into_iter().cloned().collect()
}

fn of_rule(rule: &str) -> Vec<Problem> {
    let indented: String = rule.lines().map(|line| format!("    {line}\n")).collect();
    let text = format!("rules:\n  -\n{indented}");
    problems(&Memory::default().with("rules/r.yaml", text), "v: { rules: r, penalty: 0.1 }")
}

#[test]
fn five_mistakes_in_one_file_are_all_reported_with_their_places() {
    let text = "rules:
  - id: one
    field: grade
    matchs: '^1'
  - id: two
    field: grade
    matches: '(unclosed'
  - id: three
    each: measurements[*]
    required: true
  - id: four
    field: grade
    required: true
    severity: serious
  - id: five
    field: grade
    required: true
    message: '{{ valeu }}'
";
    let found = problems(&Memory::default().with("rules/r.yaml", text), "v: { rules: r, penalty: 0.1 }");
    let seen: Vec<(Code, String)> =
        found.iter().map(|p| (p.code, p.span.as_ref().unwrap().location().to_string())).collect();
    let expected = [
        (Code::UnknownKey, "rules/r.yaml:4:5"),
        (Code::BadPattern, "rules/r.yaml:7:14"),
        (Code::BadPath, "rules/r.yaml:9:11"),
        (Code::UnknownWord, "rules/r.yaml:14:15"),
        (Code::BadTemplate, "rules/r.yaml:18:14"),
    ];
    assert_eq!(seen, expected.map(|(code, at)| (code, at.to_owned())), "{found:#?}");
    let help = |i: usize| found[i].help.clone().unwrap_or_default();
    assert!(help(0).contains("`matches`") && help(3).contains("`minor`") && help(4).contains("`value`"));
}

#[test]
fn each_mistake_in_a_rule_has_its_code() {
    for (rule, code) in [
        ("field: a\nrequired: true", Code::MissingKey),
        ("id: Not_Kebab\nfield: a\nrequired: true", Code::UnknownWord),
        ("id: a", Code::InertRule),
        ("id: a\nfield: x", Code::InertRule),
        ("id: a\nfield: x\neach: $.y\nrequired: true", Code::Conflict),
        ("id: a\nfield: $.x\nrequired: true", Code::BadPath),
        ("id: a\nfield: x\nrange: {min: 3, max: 1}", Code::Conflict),
        ("id: a\nfield: x\nrange: {}", Code::Empty),
        ("id: a\nfield: x\nrange: {min: .nan}", Code::OutOfRange),
        ("id: a\nfield: x\nlength: {min: -1}", Code::OutOfRange),
        ("id: a\nfield: x\none_of: []", Code::Empty),
        ("id: a\nfield: x\nquantity: {units: [mm, kg], max: 1}", Code::Conflict),
        ("id: a\nfield: x\nquantity: {units: mm, max: 1, in: g/dL}", Code::Conflict),
        ("id: a\nfield: x\nquantity: {units: mm, min: 2, max: 1}", Code::Conflict),
        ("id: a\nfield: x\nquantity: {units: mm}", Code::Empty),
        ("id: a\nfield: x\nquantity: {units: [' '], max: 1}", Code::Empty),
        ("id: a\nfield: x\nquantity: {max: 1}", Code::MissingKey),
        ("id: a\nfield: x\nformat: isbn", Code::UnknownWord),
        ("id: a\nfield: x\ntype: string", Code::UnknownWord),
        ("id: a\nfield: x\nany: []", Code::Empty),
        ("id: a\nfield: x\nnot: {}", Code::Empty),
        ("id: a\nwhen: { key: { matches: x } }\nrequire: b", Code::InertRule),
        ("id: a\nfield: x\nbefore: 2024-13-01", Code::WrongType),
        ("id: a\nrequire: ^.b", Code::InertRule),
        ("id: a\nwhen: { field: <.b, equals: 1 }\nrequire: c", Code::InertRule),
        ("id: a\nfield: x\nsame_as: '^.a['", Code::BadPath),
        ("id: a\nfield: x\nformat: xs:integral", Code::UnknownWord),
        ("id: a\nfield: x\nformat: {}", Code::MissingKey),
        ("id: a\nfield: x\nuniform: [a]", Code::WrongType),
        ("id: a\nfield: x\nunique: '@.a['", Code::BadPath),
        ("id: a\nfield: x\nresolves: {start: '$', by: a, name: b}", Code::MissingKey),
        ("id: a\nfield: x\nresolves: {start: '$', by: a, name: b, below: '$.c'}", Code::BadPath),
        ("id: a\nschema: schemas/none.json", Code::MissingFile),
        ("id: a\nrequire: b\ncodes: {type: A}", Code::InertRule),
        ("id: a\nfor: []\nrequire: b", Code::Empty),
        ("id: a\nrequire: '$.a['", Code::BadPath),
        ("id: a\nfield: x\nmatches: 'a{1000}{1000}{1000}'", Code::BadPattern),
        ("id: a\nfield: x\nmatches: {pattern: x, ignorecase: true}", Code::UnknownKey),
        ("id: a\nrequire: b\nmessage: '{{ value'", Code::BadTemplate),
        ("id: a\nrequire: b\ncode: lower", Code::UnknownWord),
        ("id: a\nscript: nothing", Code::BadScript),
        ("id: a\nscript: nothing.rhai#f", Code::MissingFile),
    ] {
        let found = of_rule(rule);
        assert!(found.iter().any(|p| p.code == code && p.level == Level::Error), "{rule}: {found:?}");
        assert!(found.iter().all(|p| p.span.is_some()), "{rule}: {found:?}");
        assert_eq!(found.len(), 1, "{rule}: {found:?}");
    }
}

#[test]
fn a_unit_beside_a_range_can_hold_of_nothing() {
    let of = |rule: &str| {
        let text = format!("rules:\n  - {{id: a, require: missing, for: 3}}\n  - {rule}\n");
        let found = problems(&Memory::default().with("rules/r.yaml", text), "v: { rules: r, penalty: 0.1 }");
        found.into_iter().filter(|problem| problem.level == Level::Warning).collect::<Vec<_>>()
    };
    let found = of("{id: b, field: x, unit: [mm, cm], range: {max: 50}}");
    assert_eq!((found.len(), found[0].code, found[0].related.len()), (1, Code::DecidedCondition, 1));
    assert!(found[0].help.as_deref().unwrap_or_default().contains("quantity"), "{found:?}");
    assert!(of("{id: b, field: x, any: [{unit: mm}, {range: {max: 50}}]}").is_empty());
}

#[test]
fn two_rules_of_one_name_and_a_rule_for_an_unknown_type() {
    let rules = "rules:\n  - {id: a, require: b}\n  - {id: a, require: c}\n";
    let found = problems(&Memory::default().with("rules/r.yaml", rules), "v: { rules: r, penalty: 0.1 }");
    assert_eq!((found.len(), found[0].code, found[0].related.len()), (1, Code::Conflict, 1));

    let files = Memory::default()
        .with("rules/r.yaml", "rules:\n  - {id: a, for: [patholgy], require: b, severity: none}\n")
        .with("rules/rubrics/c.yaml", "types: {pathology: {required: [x]}}\n");
    let found = problems(&files, "v: { rules: r, penalty: 0.1 }\nc: { rubric: c }");
    let warning = found.iter().find(|p| p.code == Code::UnknownName).unwrap();
    assert_eq!((warning.level, warning.help.as_deref()), (Level::Warning, Some("did you mean `pathology`?")));
}

#[test]
fn mistakes_in_rubrics() {
    for (text, code) in [
        ("rubric: c\n", Code::MissingKey),
        ("types: [a]\n", Code::WrongType),
        ("types: {a: {required: [x], important: [x]}}\n", Code::Conflict),
        ("types: {a: {require: [x]}}\n", Code::UnknownKey),
        ("types: {a: {required: x}}\n", Code::WrongType),
        ("weights: {required: -1}\ntypes: {}\n", Code::OutOfRange),
        ("fields: {a: {mentions: ['(']}}\ntypes: {}\n", Code::BadPattern),
        ("fields: {a: {synonym: [b]}}\ntypes: {}\n", Code::UnknownKey),
        ("fields: {a: {keys: {b: [c]}}}\ntypes: {}\n", Code::WrongType),
    ] {
        let found = problems(&Memory::default().with("rules/rubrics/c.yaml", text), "c: { rubric: c }");
        assert_eq!(found.iter().map(|p| p.code).collect::<Vec<_>>(), [code], "{text}");
    }
}

#[test]
fn missing_files_are_reported_where_they_are_named() {
    let files = Memory::default()
        .with("rules/clinical-validity.yaml", "rules: [{id: a, require: b}]")
        .with("schemas/broken.json", "{\n  \"type\": 3,\n}")
        .with("schemas/wrong.json", "{\"type\": 3}");
    for (assess, code, file) in [
        ("v: { rules: clinical-validty, penalty: 0.1 }", Code::MissingFile, "profile.yaml"),
        ("c: { rubric: none }", Code::MissingFile, "profile.yaml"),
        ("s: { schema: 'schemas/{{ document_type }}.json' }", Code::MissingFile, "profile.yaml"),
        ("s: { schema: 'schemas/{{ type }}.json' }", Code::BadTemplate, "profile.yaml"),
        ("s: { schema: schemas/broken.json }", Code::BadSchema, "schemas/broken.json"),
        ("s: { schema: schemas/wrong.json }", Code::BadSchema, "schemas/wrong.json"),
        ("s: { script: 'a.rhai#f' }", Code::MissingFile, "profile.yaml"),
    ] {
        let found = problems(&files, assess);
        assert_eq!(found.len(), 1, "{assess}: {found:?}");
        assert_eq!((found[0].code, found[0].span.as_ref().unwrap().file().name()), (code, file), "{assess}");
    }
    let found = problems(&files, "v: { rules: clinical-validty, penalty: 0.1 }");
    assert_eq!(found[0].help.as_deref(), Some("did you mean `clinical-validity`?"));
}

#[test]
fn scripts_are_checked_when_they_are_loaded() {
    for (script, function, code, at, says) in [
        ("fn agree(candidate, source) {\n  let x = ;\n}", "agree", Code::BadScript, "rules/s.rhai:2:11", ""),
        (
            "fn agree(candidate, source) { () }",
            "agre",
            Code::BadScript,
            "profile.yaml:1:14",
            "did you mean `s.rhai#agree`?",
        ),
        (
            "fn agree(candidate) { () }",
            "agree",
            Code::BadScript,
            "profile.yaml:1:14",
            "fn agree(candidate, source)",
        ),
        ("fn agree(candidate, source) {\n  eval(\"1\")\n}", "agree", Code::BadScript, "rules/s.rhai:2:3", ""),
        ("import \"x\" as y;\nfn agree(c, s) { () }", "agree", Code::BadScript, "rules/s.rhai:1:1", ""),
        ("fn agree(candidate, source) { unknown_name }", "agree", Code::BadScript, "rules/s.rhai:1:31", ""),
    ] {
        let files = Memory::default().with("rules/s.rhai", script);
        let found = problems(&files, &format!("s: {{ script: 's.rhai#{function}' }}"));
        assert_eq!(found.len(), 1, "{script}: {found:?}");
        assert_eq!(found[0].code, code);
        assert_eq!(found[0].span.as_ref().unwrap().location().to_string(), at, "{script}: {found:?}");
        assert!(found[0].help.clone().unwrap_or_default().contains(says), "{:?}", found[0].help);
    }
}

/// Words that rule files are made of, in any order.
fn soup() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("id"),
        Just("field"),
        Just("each"),
        Just("when"),
        Just("matches"),
        Just("any"),
        Just("not"),
        Just("key"),
        Just("value"),
        Just("range"),
        Just("required"),
        Just("rules"),
        Just("true"),
        Just("'$.*'"),
        Just("a"),
        Just("1.5"),
        Just("-"),
        Just(":"),
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just("\n"),
        Just("  "),
        Just("\n    "),
        Just(","),
        Just("types"),
        Just("fields"),
        Just("script"),
        Just("message"),
        Just("'{{ x'"),
        Just("sum_to"),
        Just("before"),
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

/// YAML that reads, with keys that rules know and values of every kind.
fn tree() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::json!(null)),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e9..1e9_f64).prop_map(|f| serde_json::json!(f)),
        "[a-z$.@*({]{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof![
            Just("id"),
            Just("field"),
            Just("each"),
            Just("when"),
            Just("matches"),
            Just("pattern"),
            Just("any"),
            Just("all"),
            Just("not"),
            Just("key"),
            Just("value"),
            Just("range"),
            Just("min"),
            Just("length"),
            Just("rules"),
            Just("unique"),
            Just("types"),
            Just("weights"),
            Just("required"),
            Just("require"),
            Just("one_of"),
            Just("contains"),
            Just("unit"),
            Just("sum_to"),
            Just("resolves"),
            Just("format"),
            Just("for"),
            Just("script"),
            Just("message"),
            Just("type"),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_text_makes_reading_panic(text in soup()) {
        let files = Memory::default().with("rules/r.yaml", text.clone()).with("rules/rubrics/c.yaml", text);
        let _ = problems(&files, "v: { rules: r, penalty: 0.1 }\nc: { rubric: c }");
    }

    #[test]
    fn no_tree_makes_reading_panic(tree in tree()) {
        let text = format!("rules: [{tree}]");
        let files = Memory::default().with("rules/r.yaml", text).with("rules/rubrics/c.yaml", tree.to_string());
        let _ = problems(&files, "v: { rules: r, penalty: 0.1 }\nc: { rubric: c }");
    }
}

/// Warnings alone leave the rules usable.
#[test]
fn warnings_do_not_refuse() {
    let files = Memory::default().with("rules/r.yaml", "rules: []\n");
    let rules = compiled("v: { rules: r, penalty: 0.1 }", &files);
    assert!(rules.is_ok(), "{:?}", rules.err().map(|p: Problems| p.len()));
}
