//! Texts in place of values: never present, never supported, never passed, and reported in plain words.

use crate::workspace::{Ran, Workspace};
use loopctl::diag::Problems;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::{Assessment, Support};
use serde_json::{Value, json};

const RUBRIC: &str = "types: { unknown: { required: [margins, grade, race, status, biopsy, side, room, markers, findings, notes] } }
fields:
  margins: { synonyms: [Resektionsränder] }
  biopsy: { values: { biopsy: [excision], none: [no biopsy] } }
";
const RULES: &str = "rules:
  - { id: side, field: side, one_of: { values: [left, right, unspecified] } }
";
const PROFILE: &str = "classify: null
stages:
  - { id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: extract.md, output: schemas/report.schema.json }
assess:
  completeness: { rubric: report }
  accuracy: grounding
  validity: { rules: report, penalty: 0.1 }
overall: { completeness: 0.5, accuracy: 0.4, validity: 0.1 }
accept: { overall: 0.0 }
stop: { max_iterations: 2 }
";

fn place() -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/report.yaml", RUBRIC);
    place.write("rules/report.yaml", RULES);
    place.write("profiles/report.yaml", PROFILE);
    place.write("schemas/report.schema.json", include_str!("../placeholders/report.schema.json"));
    place.write(
        "prompts/extract.md",
        "Extract from\n{{ source }}\nlike {{ schema }}, for example {\"room\": \"the blue one\"}",
    );
    place
}

fn plan(place: &Workspace) -> Plan {
    let mut problems = Problems::new();
    let library = Library::new(vec![place.path("")]);
    let loaded = load("report", &library, &[], &|_| None, &mut problems).unwrap();
    Plan::compile(&loaded, &mut problems).unwrap_or_else(|| panic!("{problems:?}"))
}

fn assessed(plan: &Plan, text: Option<&str>, extraction: &Value) -> Assessment {
    let context = DocumentContext::named(plan, "unknown", text);
    let mut out = Assessment::default();
    context.assess(&mut context.assessor(), extraction, Given::default(), &mut out);
    out
}

fn placeholders(assessment: &Assessment) -> Vec<String> {
    let those = assessment.issues.iter().filter(|issue| issue.code == "PLACEHOLDER_VALUE");
    let mut found: Vec<String> = those.map(|issue| issue.path.to_string()).collect();
    found.sort();
    found
}

#[test]
fn what_only_stands_for_a_value_is_told_from_values() {
    let place = place();
    let plan = plan(&place);
    let table: Value = yaml_table(include_str!("../placeholders/cases.yaml"));
    for case in table["cases"].as_array().unwrap() {
        let text = case.get("document").unwrap_or(&table["document"]).as_str().unwrap();
        let out = assessed(&plan, Some(text), &case["extraction"]);
        let expected: Vec<&str> =
            case["placeholders"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(placeholders(&out), expected, "{case}");
        for (path, leaf) in out.evidence.iter() {
            if expected.contains(&path) {
                assert_eq!(leaf.support, Support::Unsupported, "{case}");
            }
        }
        // Of the fields, those of which every text is one are missing.
        for (name, value) in case["extraction"].as_object().unwrap() {
            let mut leaves = Vec::new();
            leaves_of(value, &format!("/{name}"), &mut leaves);
            let is_one = leaves.iter().all(|leaf| expected.contains(&leaf.as_str()));
            assert_eq!(
                out.missing.iter().any(|missing| **missing == **name),
                is_one,
                "{case}: {:?}",
                out.missing
            );
        }
    }
}

fn leaves_of(value: &Value, at: &str, into: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(nth, item)| leaves_of(item, &format!("{at}/{nth}"), into));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| leaves_of(member, &format!("{at}/{name}"), into));
        }
        _ => into.push(at.to_owned()),
    }
}

#[test]
fn an_example_that_the_document_does_not_say_is_no_value() {
    let place = place();
    let plan = plan(&place);
    let (of_schema, of_prompt) = (json!({"grade": "well differentiated"}), json!({"room": "the blue one"}));
    for (extraction, path) in [(of_schema, "/grade"), (of_prompt, "/room")] {
        assert_eq!(placeholders(&assessed(&plan, Some("Nothing of it."), &extraction)), [path]);
    }
    let said = assessed(&plan, Some("Grade: well differentiated"), &json!({"grade": "well differentiated"}));
    assert_eq!(placeholders(&said), Vec::<String>::new());
}

#[test]
fn without_a_document_the_name_of_a_field_is_no_value_either() {
    let place = place();
    let plan = plan(&place);
    let out = assessed(&plan, None, &json!({"margins": "Margins", "grade": "..."}));
    assert_eq!(placeholders(&out), ["/grade", "/margins"]);
    assert!(["margins", "grade"].iter().all(|name| out.missing.iter().any(|missing| **missing == **name)));
    // Whether a document says `unknown` is not known.
    assert_eq!(placeholders(&assessed(&plan, None, &json!({"margins": "unknown"}))), Vec::<String>::new());
}

#[test]
fn a_placeholder_never_passes_and_the_model_is_told_so() {
    let place = place();
    place.write("report.txt", "Surgical margins: free of tumor. Grade: 2.\n");
    let answers =
        [json!({"margins": "Margins", "grade": "2"}), json!({"margins": "free of tumor", "grade": "2"})];
    place.write(
        "answers.jsonl",
        answers.iter().map(|answer| format!("{}\n", json!({ "value": answer }))).collect::<String>(),
    );
    let arguments = ["run", "--profile", "report", "--format", "json", "--out", "out", "report.txt"];
    let ran = Ran::of(place.loopctl(&arguments).arg("--quiet")).json();
    // Any score would do, and the first candidate is refused all the same.
    assert_eq!((&ran["final_status"], &ran["iteration_count"]), (&json!("passed"), &json!(2)), "{ran}");
    assert_eq!(ran["best_extraction"]["margins"], "free of tumor");
    let told = Ran::of(&mut place.loopctl(&["explain", "out"])).out.replace(" | ", " ");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("`\"Margins\"` is the name of the field, not a value of it"), "{told}");
}

#[test]
fn a_member_that_is_too_many_is_named_where_fields_are_missing() {
    let place = place();
    let plan = plan(&place);
    let out = assessed(
        &plan,
        Some("Grade: 2"),
        &json!({"Extraction": {"grade": "2"}, "margins_status": "not_present"}),
    );
    let named = out.issues.iter().find(|issue| issue.code == "UNKNOWN_MEMBER").unwrap();
    assert_eq!(
        (named.path.as_str(), named.message.as_str()),
        ("/Extraction", "the member `\"Extraction\"` is not allowed here")
    );
}

#[test]
fn a_member_that_is_too_many_is_named_at_any_depth() {
    let place = place();
    let schema: Value = serde_json::from_str(include_str!("../placeholders/report.schema.json")).unwrap();
    let mut schema = schema;
    schema["$defs"]["finding"]["additionalProperties"] = json!(false);
    schema["properties"]["biopsy"] = json!({
        "type": "object", "additionalProperties": false,
        "properties": { "where": { "type": "object", "properties": {}, "patternProperties": { "^x": {} }, "additionalProperties": false } },
    });
    place.write("schemas/report.schema.json", schema.to_string());
    let plan = plan(&place);
    let told = |extraction: Value| {
        let out = assessed(&plan, Some("Nodule, liver. Grade: 2"), &extraction);
        let those = out.issues.into_iter().filter(|issue| issue.code == "UNKNOWN_MEMBER");
        let all = those.map(|issue| {
            let fix = issue.suggested_fix.unwrap().to_string();
            (issue.path.to_string(), issue.message.to_string(), fix)
        });
        all.collect::<Vec<_>>()
    };
    let found = told(
        json!({"findings": [{"name": "nodule"}, {"name": "nodule", "extraction": {"site": "liver"}, "size": 2}]}),
    );
    assert_eq!(
        found,
        [(
            "/findings/1/extraction".to_owned(),
            "the members `\"extraction\"`, `\"size\"` are not allowed here".to_owned(),
            "write only what the schema has here: `name`, `site`".to_owned()
        )]
    );
    // Statuses of known members, patterns of names, and objects that take any member.
    let right = json!({"findings": [{"site_status": "not_present"}], "biopsy": {"where": {"x1": "liver"}}, "markers": {"a": "b"}});
    assert_eq!(told(right), []);
}

#[test]
fn a_rule_that_requires_a_value_takes_no_placeholder() {
    const REQUIRING: &str = "rules:
  - { id: staged, code: STAGED, field: stage, required: true }
  - { id: sites, code: SITED, each: '$.findings[*].site', required: true }
  - { id: both, code: BOTH, require: [stage] }
";
    for assess in ["  accuracy: grounding\n", ""] {
        let place = place();
        place.write("rules/report.yaml", REQUIRING);
        let overall = if assess.is_empty() {
            "{ completeness: 0.9, validity: 0.1 }"
        } else {
            "{ completeness: 0.5, accuracy: 0.4, validity: 0.1 }"
        };
        let profile = PROFILE.replace("  accuracy: grounding\n", assess);
        place.write(
            "profiles/report.yaml",
            profile.replace("{ completeness: 0.5, accuracy: 0.4, validity: 0.1 }", overall),
        );
        let plan = plan(&place);
        let codes = |extraction: Value| {
            let out = assessed(&plan, Some("Stage: II. Site: liver"), &extraction);
            let codes: Vec<String> = out.issues.iter().map(|issue| issue.code.to_string()).collect();
            ["STAGED", "SITED", "BOTH"]
                .into_iter()
                .filter(|code| codes.iter().any(|one| one == code))
                .collect::<Vec<_>>()
        };
        for text in ["N/A", "string", "Stage", "..."] {
            assert_eq!(
                codes(json!({"stage": text, "findings": [{"site": "liver"}]})),
                ["STAGED", "BOTH"],
                "{text}"
            );
        }
        assert_eq!(
            codes(json!({"stage": "II", "findings": [{"site": "liver"}, {"site": "N/A"}]})),
            ["SITED"]
        );
        assert_eq!(
            codes(json!({"stage": ["N/A", "II"], "findings": [{"site": "liver"}]})),
            Vec::<&str>::new()
        );
    }
}

#[test]
fn an_example_that_the_document_does_not_say_is_missing_whatever_else_is_measured() {
    let example = json!({"room": "the blue one"});
    let missing = |place: &Workspace, text: Option<&str>, extraction: &Value| {
        let plan = plan(place);
        let out = assessed(&plan, text, extraction);
        (out.missing.iter().any(|name| **name == *"room"), placeholders(&out))
    };
    // The rubric is measured before the look into the document.
    let grounded = place();
    let alone = place();
    alone.write(
        "profiles/report.yaml",
        PROFILE.replace("  accuracy: grounding\n", "").replace(
            "{ completeness: 0.5, accuracy: 0.4, validity: 0.1 }",
            "{ completeness: 0.9, validity: 0.1 }",
        ),
    );
    for place in [&grounded, &alone] {
        assert_eq!(missing(place, Some("Nothing of it."), &example), (true, vec!["/room".to_owned()]));
        let said = missing(place, Some("Room: The Blue One, upstairs."), &example);
        assert_eq!(said, (false, Vec::new()));
    }
    // Without a document it is unknown whether it says so.
    assert_eq!(missing(&alone, None, &example), (false, Vec::new()));
}

/// The table, read by the YAML reader of the program.
fn yaml_table(text: &str) -> Value {
    let file = loopctl::diag::SourceFile::new("cases.yaml", text);
    let mut problems = Problems::new();
    loopctl::value::yaml::parse(&file, &mut problems).unwrap_or_else(|| panic!("{problems:?}")).to_json()
}
