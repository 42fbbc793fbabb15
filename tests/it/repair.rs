//! `loopctl repair`, and what runs repair.

use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

const SCHEMA: &str = r#"{
  "type": "object",
  "required": ["title"],
  "additionalProperties": false,
  "properties": {
    "title": {"type": "string", "minLength": 1},
    "year": {"type": "integer"},
    "doi": {"type": "string", "pattern": "^10\\."},
    "authors": {"type": "array", "items": {"type": "string"}}
  }
}"#;

const ANSWER: &str = "Here it is:\n```json\n{'title': 'A study', \"year\": \"2019\", \"doi\": \"\", \"authors\": \"Ann\", \"note\": 1,}\n```\n";

#[test]
fn the_value_goes_to_standard_output_and_what_was_done_to_standard_error() {
    let place = Workspace::new();
    place.write("schema.json", SCHEMA);
    place.write("answer.txt", ANSWER);
    let expected = json!({"title": "A study", "year": 2019, "authors": ["Ann"]});
    let ran = place.run(&["repair", "--schema", "schema.json", "answer.txt"]).exits(0).says(&[
        "3:2: quotes other than",
        "a comma before the end",
        "`pattern` at /doi",
        "`additionalProperties` at /note",
        "`type` at /authors",
    ]);
    assert_eq!(ran.json(), expected);

    // Without a schema, and from standard input.
    let ran = Ran::of(place.loopctl(&["repair"]).write_stdin(ANSWER)).exits(0);
    assert_eq!(ran.json()["note"], 1);
    let ran = Ran::of(place.loopctl(&["repair", "-"]).write_stdin("[1]")).exits(0);
    assert_eq!((ran.json(), ran.err.as_str()), (json!([1]), ""));

    // All of it as data: the patch, applied to anything, gives the value.
    let answer = place.run_json(&["repair", "--format", "json", "--schema", "schema.json", "answer.txt"]);
    assert_eq!(answer["value"], expected);
    let patch: Vec<_> = serde_json::from_value(answer["patch"].clone()).unwrap();
    let mut value = Value::from(ANSWER);
    loopctl::repair::apply(&mut value, &patch).unwrap();
    assert_eq!(value, expected);
    let steps = answer["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["kind"].is_string() && step["reason"].is_string()));
    let patches: usize = steps.iter().filter_map(|step| step["patch"].as_array()).map(Vec::len).sum();
    assert_eq!(patches, patch.len());
}

#[test]
fn passes_can_be_left_out() {
    let place = Workspace::new();
    place.write("schema.json", SCHEMA);
    place.write("value.json", r#"{"title": "x", "year": "2019", "doi": ""}"#);
    let value = |extra: &[&str]| {
        let mut arguments = vec!["repair", "--schema", "schema.json", "value.json"];
        arguments.extend(extra);
        place.run(&arguments).exits(0).json()
    };
    assert_eq!(value(&[]), json!({"title": "x", "year": 2019}));
    assert_eq!(value(&["--without", "coerce"]), json!({"title": "x"}));
    assert_eq!(value(&["--without", "drop_invalid"]), json!({"title": "x", "year": 2019, "doi": ""}));
    place.write("bad.txt", "{\n  'a': 1}");
    place
        .run(&["repair", "--without", "salvage", "bad.txt"])
        .exits(1)
        .says(&["`bad.txt`: the text is not JSON (line 2, column 3)", "help:"]);
}

#[test]
fn what_can_not_be_repaired_is_said() {
    let place = Workspace::new();
    place.write("refusal.txt", "I'm sorry, I can't do that.");
    place.write("schema.json", SCHEMA);
    place.write("value.json", r#"{"title": ""}"#);
    place.write("broken.json", "{\n  \"type\": }");
    place.write("nonsense.json", r#"{"type": "nonsense"}"#);
    let ran = place
        .run(&["repair", "refusal.txt"])
        .exits(1)
        .says(&["`refusal.txt`: there is no JSON in the text", "help:"]);
    assert_eq!(ran.out, "");
    place.run(&["repair", "none.txt"]).exits(1).says(&["can't read `none.txt`"]);
    place
        .run(&["repair", "--schema", "none.json", "value.json"])
        .exits(1)
        .says(&["can't read the schema `none.json`"]);
    place
        .run(&["repair", "--schema", "broken.json", "value.json"])
        .exits(1)
        .says(&["broken.json:2:11: the schema is not JSON"]);
    place
        .run(&["repair", "--schema", "nonsense.json", "value.json"])
        .exits(2)
        .says(&["`nonsense.json` is not a JSON Schema"]);
    // A required value stays, regardless of what is wrong with it.
    let ran = place
        .run(&["repair", "--schema", "schema.json", "value.json"])
        .exits(0)
        .says(&["1 schema error is left"]);
    assert_eq!(ran.json(), json!({"title": ""}));
}

#[test]
fn the_errors_that_remain_are_listed_for_programs() {
    let place = Workspace::new();
    place.write("schema.json", SCHEMA);
    place.write("value.json", r#"{"title": "", "year": {"secret": 1}}"#);
    let arguments = ["repair", "--format", "json", "value.json", "--schema", "schema.json"];
    let left = json!([{"path": "/title", "keyword": "minLength"}, {"path": "/year", "keyword": "type"}]);
    let ran = place.run(&arguments).exits(0).says(&["2 schema errors are left"]);
    let mut found = ran.json()["remaining_errors"].as_array().unwrap().clone();
    found.sort_by_key(|one| one["path"].to_string());
    assert_eq!(Value::from(found), left);
    // Without a schema there is nothing to say; with one, an empty list says that nothing is wrong.
    assert_eq!(place.run_json(&arguments[..4]).get("remaining_errors"), None);
    place.write("value.json", r#"{"title": "x"}"#);
    assert_eq!(place.run_json(&arguments)["remaining_errors"], json!([]));

    let schema = r#"{"items": {"type": "integer"}}"#;
    let many = vec!["\"x\""; 1000].join(",");
    let records = format!(
        "{{\"id\": 1, \"input\": [{many}], \"schema\": {schema}}}\n{{\"id\": 2, \"input\": [1]}}\n{{\"id\": 3, \"input\": \"no JSON in here\", \"schema\": {schema}}}"
    );
    place.write("records.jsonl", records);
    let answers = place.run(&["repair", "records.jsonl"]).lines();
    let listed = answers[0]["remaining_errors"].as_array().unwrap();
    assert_eq!(listed.len(), loopctl::repair::MAX_REMAINING);
    assert_eq!(listed[0], json!({"path": "/0", "keyword": "type"}));
    assert_eq!(answers[1].get("remaining_errors"), None);
    assert_eq!(answers[2].get("remaining_errors"), None);
}

#[test]
fn records_are_answered_line_by_line() {
    let place = Workspace::new();
    place.write("schema.json", SCHEMA);
    let records = concat!(
        "{\"id\": 1, \"input\": \"{'title': 'x',}\"}\n",
        "not JSON\n",
        "\n",
        "{\"id\": \"b\", \"input\": \"no JSON in here\"}\n",
        "{\"input\": \"{}\"}\n",
        "{\"id\": 3}\n",
        "{\"id\": 4, \"input\": \"[12]\", \"schema\": {\"items\": {\"type\": \"string\"}}}\n",
        "{\"id\": 5, \"input\": \"1\", \"schema\": {\"type\": \"nonsense\"}}\n",
        "{\"id\": 7, \"input\": \"1\", \"schema\": {\"$ref\": \"#/nowhere\"}}\n",
        "{\"id\": 6, \"input\": {\"title\": \"y\", \"more\": 1}}",
    );
    place.write("records.jsonl", records);
    for arguments in [
        &["repair", "--schema", "schema.json", "records.jsonl"][..],
        &["repair", "--schema", "schema.json", "--format", "jsonl", "-"],
    ] {
        let ran = Ran::of(place.loopctl(arguments).write_stdin(records)).exits(1).says(&[
            ":2: column 2: the line is not JSON",
            ":5: expected an object with `id` and `input`",
            ":6: the record lacks `input`",
            ":8: `schema` is not a JSON Schema",
        ]);
        let answers: Vec<(Value, Value, Value)> = ran
            .lines()
            .into_iter()
            .map(|line| (line["id"].clone(), line["value"].clone(), line["error"].clone()))
            .collect();
        let expected = [
            (json!(1), json!({"title": "x"}), json!(null)),
            (json!(null), json!(null), json!("column 2: the line is not JSON")),
            (json!("b"), json!(null), json!("there is no JSON in the text")),
            (json!(null), json!(null), json!("expected an object with `id` and `input`, and it lacks `id`")),
            (json!(3), json!(null), json!("the record lacks `input`")),
            (json!(4), json!(["12"]), json!(null)),
        ];
        let (schema, answers): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(id, ..)| *id == 5);
        assert!(schema[0].2.as_str().unwrap().starts_with("`schema` is not a JSON Schema: "));
        let (reference, answers): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(id, ..)| *id == 7);
        assert!(reference[0].2.as_str().unwrap().contains("/nowhere"), "{reference:?}");
        let (last, answers): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(id, ..)| *id == 6);
        assert_eq!(last, [(json!(6), json!({"title": "y"}), json!(null))]);
        assert_eq!(answers, expected);
        assert!(ran.lines().iter().all(|line| line["steps"].is_array()));
    }
    place.write("good.jsonl", "{\"id\": 1, \"input\": \"{a: 1}\"}\n");
    place.run(&["repair", "good.jsonl"]).exits(0);
}

const REPORT: &str = "PATHOLOGY REPORT\n\nFINAL DIAGNOSIS: Skin, left arm, excision: malignant melanoma. Breslow depth 1.2 mm. Margins are free of tumor.\n";

fn run(place: &Workspace, settings: &[&str]) -> Value {
    let mut arguments =
        vec!["run", "--profile", "clinical", "--type", "pathology", "--out", "out", "--format", "json"];
    arguments.extend(["--provider", "scripted", "--provider-config", "file=answers.yaml", "report.txt"]);
    arguments.extend(["--config", "stop.max_iterations=1"]);
    for setting in settings {
        arguments.extend(["--config", setting]);
    }
    place.run(&arguments).json()
}

#[test]
fn a_run_repairs_answers_and_says_so() {
    let place = Workspace::new();
    place.write("report.txt", REPORT);
    let answer = "Sure!\\n```json\\n{'histology': 'malignant melanoma', grade: '', margins: ['free of tumor'], 'remark': 1,\\n```";
    place.write("answers.yaml", format!("- text: \"{answer}\"\n"));
    let result = run(&place, &[]);
    assert_eq!(
        result["best_extraction"],
        json!({"histology": "malignant melanoma", "margins": "free of tumor", "rawText": REPORT}),
        "{result:#}"
    );
    let repairs = result["iterations"][0]["repairs"].as_array().unwrap();
    let kinds: Vec<&str> = repairs.iter().map(|step| step["kind"].as_str().unwrap()).collect();
    for kind in [
        "prose",
        "fence",
        "quotes",
        "unquoted_key",
        "missing_bracket",
        "drop_invalid",
        "unwrap",
        "drop_unknown",
    ] {
        assert!(kinds.contains(&kind), "{kind} is not among {kinds:?}");
    }
    assert_eq!(result["usage"]["calls"], 1);

    let result = run(&place, &["repair.drop_unknown=false"]);
    assert_eq!(result["best_extraction"]["remark"], 1);
    let result = run(&place, &["repair=false"]);
    assert_eq!(result["stop_reason"], "provider_error");
    let warnings = result["warnings"].to_string();
    assert!(
        warnings.contains("text that can't be used: the text is not JSON (line 1, column 1)"),
        "{warnings}"
    );
}

#[test]
fn a_run_takes_no_prose_for_an_answer() {
    let place = Workspace::new();
    place.write("report.txt", REPORT);
    for (text, said) in [
        ("Sorry, I can't.", "there is no JSON in the text"),
        ("Sorry", "no JSON object or list"),
        ("", "the text is empty"),
    ] {
        place.write("answers.yaml", format!("- text: \"{text}\"\n"));
        let result = run(&place, &[]);
        assert_eq!(result["stop_reason"], "provider_error", "{text}");
        assert!(result["warnings"].to_string().contains(said), "{result:#}");
    }
}

#[test]
fn a_supplied_extraction_is_judged_as_it_is() {
    let place = Workspace::new();
    place.write("report.txt", REPORT);
    place.write("own.json", r#"{"histology": "malignant melanoma", "grade": "", "remark": 1}"#);
    let result = place
        .run(&[
            "validate",
            "--extraction",
            "own.json",
            "--type",
            "pathology",
            "--format",
            "json",
            "report.txt",
        ])
        .json();
    assert_eq!(
        result["best_extraction"],
        json!({"histology": "malignant melanoma", "grade": "", "remark": 1})
    );
    assert!(result["iterations"][0].get("repairs").is_none());
}

#[test]
fn a_profile_says_what_is_repaired() {
    let place = Workspace::new();
    place.write("mine.yaml", "extends: clinical\nrepair: { salvage: true, defualts: true, coerce: 3 }\n");
    place.run(&["check", "mine.yaml"]).exits(2).finds(&[
        "unknown key `defualts`",
        "did you mean `defaults`?",
        "expected `true` or `false`",
    ]);
    place.write("mine.yaml", "extends: clinical\nrepair: never\n");
    place.run(&["check", "mine.yaml"]).exits(2).finds(&["expected `false`, or a mapping of passes"]);
    place.write("mine.yaml", "extends: clinical\nrepair: false\n");
    place.run(&["check", "mine.yaml"]).exits(0);
}

/// The least that a schema wants, with null for all that is optional: how an API answers that has every property required.
fn with_nulls(schema: &Value) -> Value {
    if let Some(values) = schema["enum"].as_array() {
        return values.first().cloned().unwrap();
    }
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    match schema["type"].as_str().unwrap() {
        "object" => schema["properties"].as_object().map_or_else(
            || json!({}),
            |properties| {
                let value = |(name, property): (&String, &Value)| {
                    let wanted = required.contains(&json!(name));
                    (name.clone(), if wanted { with_nulls(property) } else { Value::Null })
                };
                // Where the schema itself takes a null, it may stay.
                let takes_null = |property: &Value| {
                    property["type"].as_array().is_some_and(|types| types.contains(&json!("null")))
                };
                properties.iter().filter(|(_, property)| !takes_null(property)).map(value).collect()
            },
        ),
        "array" => json!([with_nulls(&schema["items"])]),
        "string" => json!("x"),
        "boolean" => json!(true),
        _ => schema.get("minimum").cloned().unwrap_or(json!(1)),
    }
}

#[test]
fn nulls_for_what_is_optional_are_taken_out_of_answers_to_every_shipped_schema() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut seen = 0;
    for folder in ["", "definition", "judge", "literature", "marc-v1"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let name = path.display().to_string();
            // Those of our own files are not for answers.
            if loopctl::value::shape::FILE_KINDS
                .iter()
                .any(|kind| path.ends_with(format!("{kind}.schema.json")))
            {
                continue;
            }
            let schema: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let schema_repairer = loopctl::repair::SchemaRepairer::new(&name, &schema).unwrap();
            let shaped = schema_repairer.shape(
                with_nulls(&schema),
                loopctl::profile::Repair::default(),
                None,
                &loopctl::value::Fuel::of(loopctl::repair::MAX_STEPS),
            );
            assert!(schema_repairer.remaining(&shaped.value, 10).is_empty(), "{name}: {}", shaped.value);
            assert!(!shaped.value.to_string().contains("null"), "{name}: {}", shaped.value);
            seen += 1;
        }
    }
    assert!(seen > 15, "{seen}");
}
