//! `loopctl check`: every mistake in a profile and in what it reaches, each with its location.

use crate::workspace::{Ran, Workspace};
use serde_json::Value;

/// Checks one profile as `profiles/mine.yaml`.
fn check(profile: &str) -> Ran {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", profile);
    place.run(&["check", "mine"])
}

/// The profile must be refused, with each of these reported at its location: `line:column` and a part of the message.
#[track_caller]
fn assert_refused(ran: Ran, mistakes: &[(&str, &str)]) {
    let ran = ran.exits(2);
    for (at, part) in mistakes {
        assert!(ran.out.contains(&format!(":{at}\n")), "nothing is said at {at}:\n{}", ran.out);
        assert!(ran.out.contains(part), "`{part}` is not said:\n{}", ran.out);
    }
    let errors = ran.out.lines().filter(|line| line.starts_with("error[")).count();
    assert_eq!(errors, mistakes.len(), "{}", ran.out);
}

#[test]
fn what_is_shipped_has_no_mistakes() {
    let place = Workspace::new();
    let all = place.run(&["check"]).exits(0);
    assert_eq!(all.out, "9 profiles checked: 0 errors, 0 warnings\n");
    let names = ["aas", "clinical", "balanced", "real-time", "batch", "literature", "definition"];
    let changed = ["check", "--profile", "marc-v1", "--config", "accept.overall=0.5"];
    let changed = place.run(&[&changed[..], &names].concat()).exits(0);
    assert!(changed.out.contains("8 profiles checked: 0 errors, 0 warnings"), "{}", changed.out);
    let list = place.run(&["profile", "list"]).exits(0);
    for profile in ["clinical", "balanced", "real-time", "batch", "marc"] {
        assert!(list.out.lines().any(|line| line.starts_with(profile)), "{}", list.out);
    }
}

/// The patterns of files in the executable are taken as they are: here they are checked like those of a user.
#[test]
#[ignore = "long"]
fn what_is_shipped_has_no_mistakes_as_files_of_ones_own() {
    let place = Workspace::new();
    let ran = Ran::of(place.loopctl(&["check"]).current_dir(env!("CARGO_MANIFEST_DIR"))).exits(0);
    assert!(ran.out.contains(" files checked: 0 errors, 0 warnings"), "{}", ran.out);
}

#[test]
fn five_mistakes_are_shown_at_once() {
    let ran = check(
        "name: mine
extends: clinical
acept: { overall: 0.9 }
stop:
  max_iterations: three
  timeout: soon
select: { order: [no_critical, qualty], ties: last }
accept: { overall: 1.5 }
",
    );
    let ran = ran.exits(2);
    insta::assert_snapshot!(ran.out);
}

/// Mistakes of every kind, in the profile and in the files that it reaches.
#[test]
fn mistakes_are_shown_wherever_they_stand() {
    let place = Workspace::new();
    place.write(
        "profiles/mine.yaml",
        "extends: clinical
acept: { overall: 0.9 }
assess:
  completeness: { rubric: clinicl }
  validity: { rules: mine }
  sense: { script: 'mine.rhai#look' }
feedback: { template: mine.md }
review: { when: overal < 0.8 }
",
    );
    place.write(
        "rules/mine.yaml",
        "rules:
  - id: grade-format
    feild: grade
    matches: '('
  - id: her2
    field: $.ihcMarkers[
    one_of: [positive, negative]
",
    );
    place.write("rules/mine.rhai", "fn look(candidate, source) {\n  let x = ;\n}\n");
    place.write("prompts/mine.md", "Correct this.\n{{ issuse }}\n{% if missing %}\n");
    let ran = place.run(&["check", "mine"]).exits(2);
    for (file, at) in [
        ("profiles/mine.yaml", "2:1"),
        ("profiles/mine.yaml", "4:27"),
        ("profiles/mine.yaml", "8:17"),
        ("rules/mine.yaml", "3:5"),
        ("rules/mine.yaml", "4:14"),
        ("rules/mine.yaml", "6:12"),
        ("rules/mine.rhai", "2:11"),
        ("prompts/mine.md", ""),
    ] {
        assert!(ran.out.contains(&format!("{file}:{at}")), "nothing is said of {file}:{at}\n{}", ran.out);
    }
    insta::assert_snapshot!(ran.out);
}

#[test]
fn programs_read_the_same_problems_as_people() {
    let place = Workspace::new();
    let path = place
        .write("mine.yaml", "extends: clinical\nstop: { max_iteration: 3 }\naccept: { overall: .nan }\n");
    let ran = place.run(&["check", "--format", "json", path.to_str().unwrap()]).exits(2);
    assert_eq!(ran.err, "");
    let problems = ran.json();
    let problems = problems.as_array().unwrap();
    let at = |problem: &Value| (problem["line"].as_u64().unwrap(), problem["column"].as_u64().unwrap());
    assert_eq!(problems.iter().map(at).collect::<Vec<_>>(), [(2, 9), (3, 20)]);
    for problem in problems {
        assert_eq!(problem["file"], path.to_str().unwrap());
        assert_eq!(problem["level"], "error");
        assert!(problem["code"].as_str().unwrap().starts_with("LC"), "{problem}");
        assert!(!problem["message"].as_str().unwrap().is_empty());
    }
    assert!(problems[0]["help"].as_str().unwrap().contains("max_iterations"), "{}", problems[0]);
    let ran = place.run(&["check", "--format", "json", "clinical"]).exits(0);
    assert_eq!(ran.json(), Value::Array(Vec::new()));
}

#[test]
fn extends_that_leads_nowhere_or_round_in_a_circle_is_shown_with_its_chain() {
    let place = Workspace::new();
    for (name, parent) in
        [("a", "b"), ("b", "c"), ("c", "a"), ("self", "self"), ("orphan", "clinicl"), ("path", "./self.yaml")]
    {
        place.write(&format!("profiles/{name}.yaml"), format!("extends: {parent}\n"));
    }
    place.run(&["check", "a"]).exits(2).finds(&["a → b → c → a", "profiles/c.yaml:1:10"]);
    place
        .run(&["check", "self"])
        .exits(2)
        .finds(&["the profile `self` extends itself", "profiles/self.yaml:1:10"]);
    place.run(&["check", "path"]).exits(2).finds(&["extends itself"]);
    let orphan = place.run(&["check", "orphan"]).exits(2);
    place.write("profiles/two.yaml", "extends: clinicl\nacept: 1\nstop: { max_iterations: 0 }\n");
    place.run(&["check", "two"]).exits(2).finds(&["two.yaml:1:10", "two.yaml:2:1", "two.yaml:3:25"]);
    orphan.finds(&[
        "no profile is called `clinicl`",
        "profiles/orphan.yaml:1:10",
        "did you mean `clinical`?",
    ]);
    assert_refused(check("extends: [a, b]\n"), &[("1:10", "`extends` names one profile")]);
    assert_refused(check("extends: ./nowhere.yaml\n"), &[("1:10", "nowhere.yaml")]);
    let long = Workspace::new();
    for link in 0..40 {
        long.write(&format!("profiles/p{link}.yaml"), format!("extends: p{}\n", link + 1));
    }
    long.run(&["check", "p0"]).exits(2).finds(&["more than 16 profiles extend each other"]);
}

#[test]
fn numbers_out_of_range_and_words_in_their_place_are_refused() {
    for (setting, at, part) in [
        ("accept: { overall: .nan }", "2:20", "finite"),
        ("accept: { overall: .inf }", "2:20", "finite"),
        ("accept: { overall: 1.01 }", "2:20", "from 0 to 1"),
        ("accept: { overall: -0.5 }", "2:20", "from 0 to 1"),
        ("accept: { overall: high }", "2:20", "high"),
        ("accept: { overall: '0.9' }", "2:20", "0.9"),
        ("accept: { critical_issues: -1 }", "2:28", "-1"),
        ("accept: { critical_issues: 0.5 }", "2:28", "0.5"),
        ("accept: [0.9]", "2:9", "accept"),
        ("stop: { max_iterations: 0 }", "2:25", "from 1 to 1000"),
        ("stop: { max_iterations: 99999999999999999999 }", "2:25", "whole number"),
        ("stop: { max_iterations: 2.5 }", "2:25", "2.5"),
        ("stop: { timeout: 30 }", "2:18", "duration"),
        ("stop: { timeout: -3s }", "2:18", "duration"),
        ("stop: { timeout: 99999999999999999999h }", "2:18", "duration"),
        ("stop: { budget: { cost_usd: -1 } }", "2:29", "-1"),
        ("stop: { min_improvement: { delta: 2 } }", "2:35", "2"),
        ("overall: { completeness: -1, accuracy: 2 }", "2:26", "-1"),
        ("on_regression: rolback", "2:16", "did you mean `rollback`?"),
        ("select: { ties: middle }", "2:17", "`first`, `last`"),
        ("select: { order: [] }", "2:18", ""),
        ("feedback: { history: many }", "2:22", "many"),
        ("stages: extract", "2:9", "stages"),
    ] {
        let ran = check(&format!("extends: clinical\n{setting}\n"));
        assert_refused(ran, &[(at, part)]);
    }
}

/// A profile with a key written into it, and a mistake beside it.
#[test]
fn a_secret_in_a_profile_is_not_shown() {
    let ran = check(
        "extends: clinical\nstages:\n  - { id: extract, provider: openai:m, config: { api_key: sk-hush }, promt: a.md }\n",
    );
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("unknown key `promt`") && said.contains("config: { api_key: ******* }"), "{said}");
    assert!(!said.contains("hush"), "{said}");
}

#[test]
fn a_key_that_stands_twice_is_shown_with_both_places() {
    let ran = check("extends: clinical\nname: one\nname: two\nstop: { timeout: 1s, timeout: 2s }\n");
    assert_refused(
        ran,
        &[("3:1", "the key `name` appears twice"), ("4:22", "the key `timeout` appears twice")],
    );
}

#[test]
fn yaml_that_can_not_be_read_is_shown_where_it_breaks() {
    for (text, at) in [
        ("extends: clinical\naccept: { overall: 0.9\nstop: {}\n", "3:5"),
        ("extends: clinical\nstop:\n\tmax_iterations: 3\n", "3:2"),
        ("extends: 'clinical\n", ""),
        ("- a\n- b\n", "1:1"),
        ("just text\n", "1:1"),
        ("extends: *nowhere\n", "1:10"),
        ("a: &a [*a]\n", ""),
        ("", "1:1"),
        ("# nothing\n", ""),
        ("extends: clinical\n---\nextends: batch\n", "2"),
        ("extends: !!python/object:os.system clinical\n", ""),
    ] {
        let ran = check(text).exits(2);
        assert!(ran.out.contains(&format!("profiles/mine.yaml:{at}")), "{text:?} at {at}:\n{}", ran.out);
    }
}

#[test]
fn files_made_to_break_parsers_break_nothing() {
    let place = Workspace::new();
    let mut laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..20 {
        let before = format!("*a{}", level - 1);
        laughs += &format!("a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(", "));
    }
    place.write("laughs.yaml", laughs);
    place.run(&["check", "./laughs.yaml"]).exits(2).finds(&["laughs.yaml:", "aliases"]);
    place.write("deep.yaml", format!("a: {}{}", "[".repeat(100_000), "]".repeat(100_000)));
    place.run(&["check", "./deep.yaml"]).exits(2).finds(&["deep.yaml:1:"]);
    place.write("indented.yaml", (0..3000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>());
    place.run(&["check", "./indented.yaml"]).exits(2).finds(&["indented.yaml:"]);
    place.write("big.yaml", format!("description: {}\n", "x".repeat(50_000_000)));
    place.run(&["check", "./big.yaml"]).exits(2).finds(&["big.yaml", "bytes"]);
    place.write("long.yaml", format!("extends: clinical\nname: {}\nbogus: 1\n", "x".repeat(2_000_000)));
    assert!(place.run(&["check", "./long.yaml"]).exits(2).out.len() < 5_000);
    place.write("bytes.yaml", [0xff, 0xfe, 0x00]);
    place.run(&["check", "./bytes.yaml"]).exits(2).finds(&["bytes.yaml", "UTF-8"]);
    let keys: String = (0..20_000).map(|n| format!("k{n}: 1\n")).collect();
    place.write("keys.yaml", format!("extends: batch\n{keys}"));
    let keys = place.run(&["check", "./keys.yaml"]).exits(2).finds(&[" errors", "more problems"]);
    assert!(keys.out.len() < 500_000, "{} bytes", keys.out.len());
}

#[test]
fn a_pattern_that_would_take_for_ever_is_refused_or_harmless() {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", "extends: batch\nassess: { validity: { rules: mine } }\n");
    place.write(
        "rules/mine.yaml",
        "rules:\n  - { id: big, field: grade, matches: '((a{1,1000}){1,1000}){1,1000}' }\n",
    );
    place.run(&["check", "mine"]).exits(2).finds(&["rules/mine.yaml:2:"]);
    place.write("rules/mine.yaml", "rules:\n  - { id: evil, field: grade, matches: '^(a+)+$' }\n");
    let record = format!("{{\"id\": 1, \"extraction\": {{\"grade\": \"{}b\"}}}}", "a".repeat(100_000));
    place.write("r.jsonl", record);
    place.run(&["score", "--profile", "mine", "r.jsonl"]).exits(0);
}

#[test]
fn names_that_lead_out_of_the_project_are_refused() {
    for setting in [
        "feedback: { template: ../../secret.md }",
        "assess: { completeness: { rubric: ../../../etc/passwd } }",
        "assess: { sense: { schema: /etc/passwd } }",
    ] {
        let ran = check(&format!("extends: batch\n{setting}\n")).exits(2);
        assert!(ran.out.contains(":2:"), "{}", ran.out);
    }
}

/// The schema of answers is sent to the provider, and so would be any other file of the project.
#[test]
fn a_schema_is_a_file_among_schemas() {
    let place = Workspace::new();
    place.write("package.json", "{}");
    place.write("schemas/own.json", "{}");
    let checked = |profile: &str, rule: &str| {
        place.write("profiles/mine.yaml", format!("extends: batch\n{profile}\n"));
        place.write("rules/mine.yaml", format!("rules:\n  - {{ id: a, field: grade, {rule} }}\n"));
        place.run(&["check", "mine"])
    };
    let stage = |output: &str| {
        format!("stages: [{{ id: extract, provider: pattern, prompt: extract.md, output: {output} }}]")
    };
    let own = "assess: { validity: { rules: mine, penalty: 0.1 } }";
    for (profile, rule) in [
        (stage("package.json"), "type: text"),
        (stage("'./package.json'"), "type: text"),
        ("assess: { validity: { schema: package.json } }".to_owned(), "type: text"),
        (own.to_owned(), "schema: package.json"),
    ] {
        let out = checked(&profile, rule).exits(2).out;
        assert_eq!(out.matches("a schema is a file under `schemas/`, found").count(), 1, "{out}");
    }
    for (profile, rule) in [
        (stage("schemas/own.json"), "type: text"),
        (stage("./schemas/own.json"), "type: text"),
        (own.to_owned(), "schema: schemas/own.json"),
    ] {
        checked(&profile, rule).exits(0);
    }
}

#[test]
fn a_provider_that_is_not_there_is_a_warning_here_and_an_error_when_it_runs() {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", "extends: batch\nstages: [{ id: extract, provider: patern }]\n");
    place.run(&["check", "mine"]).exits(0).finds(&[
        "warning[",
        "profiles/mine.yaml:2:35",
        "did you mean `pattern`?",
    ]);
    place.write("doc.txt", "x");
    place.run(&["run", "--profile", "mine", "doc.txt"]).exits(2).says(&["patern", "did you mean `pattern`?"]);
}

#[test]
fn a_template_with_a_variable_that_nothing_fills_is_refused() {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", "extends: batch\nfeedback: { template: mine.md }\n");
    place.write("prompts/mine.md", "Correct this:\n\n{{ issuse }}\n");
    place.run(&["check", "mine"]).exits(2).finds(&["prompts/mine.md:3:", "issuse"]);
    // Templates have no way to a file.
    place.write("prompts/mine.md", "{% include '../../../etc/passwd' %}\n");
    place.write("doc.txt", "x");
    let ran = place.run(&["run", "--profile", "mine", "--format", "json", "doc.txt"]).exits(2);
    ran.says(&["prompts/mine.md:1:1", "a template can't include"]);
}

#[test]
fn a_script_is_kept_to_its_limits_and_its_document_goes_on() {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", "extends: batch\nassess: { sense: { script: 'mine.rhai#look' } }\n");
    place.write("r.jsonl", "{\"id\": 1, \"extraction\": {}}\n{\"id\": 2, \"extraction\": {}}\n");
    for body in [
        "loop { }",
        "look(candidate, source)",
        "let s = \"x\"; loop { s += s; }",
        "let a = []; loop { a.push(a); }",
        "throw \"no\"",
        "\"not a score\"",
    ] {
        place.write("rules/mine.rhai", format!("fn look(candidate, source) {{\n  {body}\n}}\n"));
        let ran = place.run(&["score", "--profile", "mine", "r.jsonl"]).exits(0);
        assert_eq!(ran.lines().len(), 2, "{body}");
        assert!(ran.out.contains("mine.rhai"), "{body}: {}", ran.out);
    }
    place.write("rules/mine.rhai", "import \"x\" as x;\nfn look(candidate, source) { 1.0 }\n");
    assert_ne!(place.run(&["check", "mine"]).code, Some(0));
}

#[test]
fn settings_of_feedback_are_checked() {
    check("extends: batch\nfeedback: { previous_output: omitt }\n").exits(2).finds(&[
        ":2:30",
        "unknown way to show the previous output `omitt`",
        "did you mean `omit`?",
    ]);
    check("extends: batch\nfeedback: { lock: all }\n").exits(2).finds(&[":2:19", "known: `none`, `passing`"]);
    check("extends: batch\nfeedback: { lock: passing, previous_output: failing_fields }\n")
        .exits(0)
        .finds(&["warning[", ":2:13", "`previous_output` does not show"]);
    check("extends: batch\nfeedback: { lock: passing }\n").exits(0).finds(&["0 warnings"]);
}
