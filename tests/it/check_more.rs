//! `loopctl check` beyond profiles: SARIF, the meaning of a code, strictness, and files of other kinds by themselves.

use super::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// A profile with an error, a warning and a note.
const DOUBTFUL: &str = "extends: real-time
stop: { decline: { length: 2 }, timeout: 0s }
acept: { overall: 0.9 }
";

fn checked(files: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let place = Workspace::new();
    for (name, text) in files {
        place.write(name, text);
    }
    place.run(arguments)
}

#[test]
fn notes_are_counted_and_the_way_to_more_is_shown() {
    let mine = "extends: real-time\naccept: { overall: 0 }\nstop: { decline: { length: 2 } }\n";
    let ran = checked(&[("profiles/mine.yaml", mine)], &["check", "mine"]).exits(0);
    assert!(
        ran.out.ends_with(
            "1 profile checked: 0 errors, 1 warning, 1 note\nmore about a code: loopctl explain LC521\n"
        ),
        "{}",
        ran.out
    );
    let ran = checked(&[], &["check", "batch"]).exits(0);
    assert_eq!(ran.out, "1 profile checked: 0 errors, 0 warnings\n");
}

#[test]
fn a_field_that_a_rule_reaches_by_a_path_is_looked_at() {
    let profile = "classify: null
stages: [{ id: extract, provider: scripted, config: { answers: [] }, prompt: extract.md, output: schemas/m.json }]
assess: { v: { rules: m, penalty: 0.1 } }
overall: { v: 1 }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
";
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": { "grade": { "type": "string" }, "held": { "type": "string" }, "deep": { "type": "string" } }
    });
    for (rule, nobody) in [
        ("{ id: a, field: grade, same_as: ^.held }", Some("`deep`")),
        ("{ id: a, each: $..deep, type: text }", Some("`grade`, `held`")),
        ("{ id: a, each: '$[?@.deep]', type: text }", Some("`grade`, `held`")),
        ("{ id: a, each: $.*, type: text }", None),
        ("{ id: a, each: $..*, type: text }", None),
        ("{ id: a, field: grade, type: text }", Some("`deep`, `held`")),
    ] {
        let (rules, schema) = (format!("rules:\n  - {rule}\n"), schema.to_string());
        let files = [("profiles/mine.yaml", profile), ("rules/m.yaml", &rules), ("schemas/m.json", &schema)];
        let ran = checked(&files, &["check", "mine"]).exits(0);
        assert_eq!(ran.out.contains("LC604"), nobody.is_some(), "{rule}: {}", ran.out);
        assert!(nobody.is_none_or(|fields| ran.out.contains(fields)), "{rule}: {}", ran.out);
    }
}

#[test]
fn with_strict_a_warning_is_enough_and_a_note_is_not() {
    let warned = [("profiles/mine.yaml", "extends: batch\nstop: { timeout: 0s }\n")];
    checked(&warned, &["check", "mine"]).exits(0);
    checked(&warned, &["check", "--strict", "mine"]).exits(2);
    checked(&[], &["check", "--strict", "real-time"]).exits(0).finds(&["1 note"]);
}

#[test]
fn sarif_has_the_rules_and_places_of_what_is_found() {
    let files = [("profiles/mine.yaml", DOUBTFUL.trim_end_matches("acept: { overall: 0.9 }\n"))];
    let ran = checked(&files, &["check", "--format", "sarif", "mine"]).exits(0);
    assert_eq!(ran.err, "");
    let log = ran.json();
    assert_eq!(
        (&log["version"], &log["runs"][0]["tool"]["driver"]["name"]),
        (&json!("2.1.0"), &json!("loopctl"))
    );
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{results:#?}");
    for result in results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        for text in ["/shortDescription/text", "/fullDescription/text", "/help/markdown"] {
            assert!(!rule.pointer(text).and_then(Value::as_str).unwrap().is_empty(), "{text}: {rule}");
        }
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
    }
    let at = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let region = &place["region"];
        let number = |key: &str| region[key].as_u64().unwrap();
        (
            place["artifactLocation"]["uri"].as_str().unwrap().to_owned(),
            [number("startLine"), number("startColumn"), number("endLine"), number("endColumn")],
        )
    };
    let found: Vec<_> = results.iter().filter(|result| result["level"] == "warning").map(at).collect();
    let file = "profiles/mine.yaml".to_owned();
    assert_eq!(found, [(file, [2, 33, 2, 40])]);
    // What is embedded is no file that a viewer could open.
    let inherited = [("profiles/mine.yaml", "extends: literature\non_regression: keep\n")];
    let log = checked(&inherited, &["check", "--format", "sarif", "mine"]).exits(0).json();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let logical =
        |result: &Value| result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"].clone();
    let places: Vec<Value> = results.iter().map(logical).filter(|place| !place.is_null()).collect();
    assert_eq!(places.len(), 2, "{results:#?}");
    let embedded = "<embedded>/profiles/literature.yaml:";
    assert!(places[0].as_str().unwrap().starts_with(embedded), "{}", places[0]);
}

#[test]
fn every_code_is_explained() {
    let place = Workspace::new();
    let list = place.run(&["explain", "codes"]).exits(0);
    assert!(
        list.out.lines().any(|line| line == "LC505  a stop criterion that can never fire"),
        "{}",
        list.out
    );
    for line in list.out.lines() {
        let code = line.split(' ').next().unwrap();
        let page = place.run(&["explain", &code.to_lowercase()]).exits(0);
        assert!(page.out.starts_with(&format!("# {code}: ")), "{}", page.out);
    }
    place.run(&["explain", "LC55"]).exits(2).says(&["no code is called `LC55`", "did you mean `LC5"]);
    place.run(&["explain", "LC9999"]).exits(2).says(&["`loopctl explain codes` lists them all"]);
}

/// A pattern that can never match is reported for a file that no profile reaches, too.
#[test]
fn a_pattern_that_can_never_match_is_said_of_the_file_alone() {
    for (name, before, after) in [
        ("rules/mine.yaml", "rules:\n  - { id: a, field: grade, matches: ", " }\n"),
        (
            "rules/mine.yaml",
            "rules:\n  - { id: a, when: { field: grade, matches: ",
            " }, require: [grade] }\n",
        ),
        (
            "rules/rubrics/mine.yaml",
            "rubric: mine\ntypes: { letter: { required: [grade] } }\nfields:\n  grade: { mentions: [",
            "] }\n",
        ),
        ("rules/kinds.yaml", "minimum: 1\nclassify:\n  letter: [{ weight: 1, pattern: ", " }]\n"),
        ("rules/extract/mine.yaml", "extract: mine\nfields:\n  grade: { patterns: [{ pattern: ", " }] }\n"),
    ] {
        let pattern = if name.contains("extract") { r"\bgrade (?P<value>\d)" } else { r"\bgrade" };
        let single = format!("{before}'{pattern}'{after}");
        checked(&[(name, &single)], &["check", name]).exits(0).finds(&["0 warnings"]);
        let double = format!("{before}\"{}\"{after}", pattern.replace(r"\d", r"\\d"));
        let ran = checked(&[(name, &double)], &["check", name]).exits(0);
        assert!(ran.out.contains("warning[LC616]") && ran.out.contains("a backspace"), "{name}: {}", ran.out);
        assert!(ran.out.contains("1 file checked: 0 errors, 1 warning"), "{name}: {}", ran.out);
    }
}

/// Each kind of file by itself: one mistake in each, reported at its location.
#[test]
fn any_kind_of_file_can_be_checked_by_itself() {
    for (name, text, at) in [
        ("rules/mine.yaml", "rules:\n  - { id: a, field: grade, matches: '(' }\n", "2:"),
        ("rules/rubrics/mine.yaml", "rubric: mine\ntypes:\n  letter: { requird: [a] }\n", "3:"),
        ("rules/extract/mine.yaml", "extract: mine\nfields:\n  a: { patterns: ['('] }\n", "3:"),
        (
            "rules/classify-mine.yaml",
            "minimum: 3\nclassify:\n  letter: [{ pattern: '(', weight: 3 }]\n",
            "3:",
        ),
        (
            "prices.yaml",
            "prices:\n  - { provider: openai, models: [x], input: much, output: 1, as_of: 2026-01-01 }\n",
            "2:",
        ),
        ("schemas/mine.schema.json", "{\n  \"properties\": { \"a\": { \"type\": \"txt\" } }\n}\n", "2:"),
        ("schemas/torn.schema.json", "{\n  \"properties\": {\n", ":"),
        ("prompts/mine.md", "Read this:\n{{ sourc }}\n", "2:"),
        ("prompts/feedback/mine.md", "{% if missing %}\n", "1:"),
        ("rules/mine.rhai", "fn agree(candidate, source) {\n  let x = ;\n}\n", "2:"),
        ("profiles/mine.yaml", "extends: batch\nacept: 1\n", "2:"),
    ] {
        let ran = checked(&[(name, text)], &["check", name]).exits(2);
        assert!(
            ran.out.contains(&format!("{name}:{at}")) || at == ":" && ran.out.contains(name),
            "{name}: {}",
            ran.out
        );
        assert!(
            ran.out.contains("1 profile checked: 1 error") || ran.out.contains("1 file checked: 1 error"),
            "{}",
            ran.out
        );
    }
    let cases = (
        "profiles/mine.test.yaml",
        "cases:\n  - { name: a, trajectory: [{ scores: 1 }], expect: { final_satus: passed } }\n",
    );
    let profile = ("profiles/mine.yaml", "extends: batch\n");
    checked(&[cases, profile], &["check", cases.0])
        .exits(2)
        .finds(&["profiles/mine.test.yaml:2:", "final_status"]);
    let rules = ("rules/mine.yaml", "rules: [{ id: a, field: grade, required: true }]\n");
    let cases = ("rules/mine.test.yaml", "cases: [{ rule: b, valid: [{ grade: 1 }], invalid: [{}] }]\n");
    checked(&[cases, rules], &["check", cases.0]).exits(2).finds(&["rules/mine.test.yaml:1:", "`b`"]);
}

#[test]
fn what_is_right_is_right_by_itself_and_what_is_nothing_of_ours_is_said() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [
        "rules/clinical-validity.yaml",
        "rules/aas.yaml",
        "rules/literature.test.yaml",
        "rules/rubrics/clinical.yaml",
        "rules/classify.yaml",
        "rules/extract/radiology.yaml",
        "rules/definition.rhai",
        "prices.yaml",
        "schemas/radiology.schema.json",
        "prompts/extract.md",
        "prompts/judge/literature.md",
        "prompts/feedback/aas.md",
        "prompts/context/imaging-follow-up.md",
    ];
    let place = Workspace::new();
    let mut arguments = vec!["check"];
    arguments.extend(files);
    let ran = Ran::of(place.loopctl(&arguments).current_dir(root)).exits(0);
    assert_eq!(ran.out, format!("{} files checked: 0 errors, 0 warnings\n", files.len()));
    for (name, text) in [("notes.txt", "hello"), ("data.json", "{\"a\": 1}"), ("other.yaml", "a: 1\n")] {
        let ran = checked(&[(name, text)], &["check", name]).exits(2);
        ran.finds(&[&format!("`{name}` is not a file that loopctl can check"), "JSON Schemas (`.json`)"]);
    }
    checked(&[], &["check", "rules/nowhere.rhai"]).exits(2).finds(&["nowhere.rhai"]);
}

#[test]
fn without_arguments_the_files_of_the_project_are_checked_also_those_that_no_profile_reaches() {
    let ran = checked(
        &[
            ("profiles/mine.yaml", "extends: batch\n"),
            ("rules/lonely.yaml", "rules:\n  - { id: a, field: grade, matches: '(' }\n"),
            ("rules/rubrics/lonely.yaml", "rubric: lonely\ntypes: { letter: { required: [a] } }\n"),
            ("notes/a.yaml", "a: 1\n"),
        ],
        &["check"],
    );
    ran.exits(2)
        .finds(&["rules/lonely.yaml:2:", "10 profiles and 2 other files checked: 1 error, 0 warnings"]);
}

#[test]
fn a_limit_for_a_provider_that_there_is_not_is_shown_where_it_stands() {
    let limits = "extends: batch\nnetwork:\n  limits:\n    openai: { concurrency: 2 }\n    olama: { concurrency: 2 }\n";
    checked(&[("profiles/mine.yaml", limits)], &["check", "mine"]).exits(0).finds(&[
        "no provider is called `olama`",
        "./profiles/mine.yaml:5:5",
        "did you mean `ollama`?",
    ]);
}

#[test]
fn a_key_that_goes_to_a_port_that_only_the_profile_names_is_warned_of() {
    let place = Workspace::new();
    let profile = |url: &str| {
        format!(
            "extends: batch\nstages: [{{ id: extract, provider: 'openai:m', config: {{ base_url: '{url}' }}, prompt: extract.md }}]\n"
        )
    };
    place.write("mine.yaml", profile("http://localhost:8000/v1"));
    place.write("safe.yaml", profile("https://api.openai.com/v1"));
    let warned = |arguments: &[&str], set: &[(&str, &str)]| {
        let mut command = place.loopctl(arguments);
        let ran = Ran::of(command.envs(set.iter().copied())).exits(0);
        assert!(!ran.out.contains("sk-1"), "{}", ran.out);
        ran.out.contains("warning[LC638]")
    };
    let key = ("OPENAI_API_KEY", "sk-1");
    assert!(warned(&["check", "mine.yaml"], &[key]));
    assert!(!warned(&["check", "mine.yaml"], &[]), "no key, nothing to be sent");
    assert!(!warned(&["check", "safe.yaml"], &[key]), "the vendor's");
    assert!(!warned(&["check", "mine.yaml"], &[key, ("OPENAI_BASE_URL", "http://localhost:8000/v1")]));
    let own = "stages.*.config.base_url=http://localhost:8000/v1";
    assert!(!warned(&["check", "-p", "safe.yaml", "--config", own], &[key]), "the person's");
    // The token of services, which goes where it is asked for.
    let validated = |more: &str| {
        format!(
            "extends: batch\nvalidators: {{ ours: {{ url: 'http://localhost:8000/check', stages: [a]{more} }} }}\nassess: {{ ours: {{ external: {{ validator: ours }} }} }}\noverall: {{ completeness: 0.2, accuracy: 0.4, ours: 0.1 }}\n"
        )
    };
    place.write("validated.yaml", validated(", token: true"));
    place.write("plain.yaml", validated(""));
    let token = ("LOOPCTL_SERVICE_TOKEN", "sk-1");
    assert!(warned(&["check", "validated.yaml"], &[token]));
    assert!(!warned(&["check", "plain.yaml"], &[token]), "not asked for");
    assert!(!warned(&["check", "validated.yaml"], &[]), "no token, nothing to be sent");
    let listed = ("LOOPCTL_SERVICE_HOSTS", "example.org, localhost:8000");
    assert!(!warned(&["check", "validated.yaml"], &[token, listed]), "the person's");
}
