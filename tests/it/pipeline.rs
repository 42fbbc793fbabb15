//! Several stages, judges and validators through the command, with answers from a file.

use crate::journal::assert_replays;
use crate::workspace::{Ran, Workspace, wait_until_gone};
use loopctl::engine::{Input, Output, Produced, Recorded};
use loopctl::score::Assessment;
use loopctl::value::{Millis, Score, Usage};
use serde_json::{Value, json};
use std::sync::Arc;

const RUBRIC: &str = "types: { unknown: { required: [tags, class, advice] } }\n";

/// Three stages; the second needs the first, the last is told what is wrong.
pub(crate) const PROFILE: &str = "classify: null
stages:
  - { id: tagger, provider: scripted, config: { file: answers.jsonl }, into: tags, prompt: tagger.md,
      skip_when: tagger.found | length == 0 }
  - { id: classifier, provider: scripted, config: { file: answers.jsonl }, into: class, prompt: classifier.md,
      context_files: [context/guide.md], context: { passages: 1, max_bytes: 500 } }
  - { id: adviser, provider: scripted, config: { file: answers.jsonl }, prompt: adviser.md }
assess: { quality: { rubric: parts } }
overall: { from: quality }
accept: { overall: 0.9 }
stop: { max_iterations: 3 }
";

pub(crate) fn place(profile: &str, answers: &[Value]) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/parts.yaml", RUBRIC);
    place.write("profiles/parts.yaml", profile);
    place.write("prompts/tagger.md", "Tag: {{ source }}");
    place.write(
        "prompts/classifier.md",
        "Classify {{ stages.tagger.found | join('+') }}.\n{% for p in context %}{{ p.text }}{% endfor %}",
    );
    place.write("prompts/adviser.md", "Advise on {{ stages.classifier }} of {{ stages.tagger }}.");
    place.write("prompts/context/guide.md", "# Cysts\nLeave them.\n\n# Nodules\nMeasure each nodule.\n");
    place.write("prompts/judge.md", "Judge {{ candidate }} against {{ source }}.");
    place.write("doc.txt", "A nodule.\nIMPRESSION: cancer.\n");
    let lines: String = answers.iter().map(|answer| format!("{answer}\n")).collect();
    place.write("answers.jsonl", lines);
    place
}

fn run(place: &Workspace, more: &[&str]) -> Ran {
    let mut arguments = vec!["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"];
    arguments.extend(more);
    place.run(&arguments)
}

pub(crate) fn answer(stage: &str, value: Value) -> Value {
    json!({ "stage": stage, "value": value, "cost_usd": 0.01, "tokens": { "input": 10, "output": 1 } })
}

fn tags() -> Value {
    answer("tagger", json!({ "found": ["nodule"] }))
}

#[test]
fn outputs_of_stages_become_one_candidate() {
    let answers = [
        tags(),
        answer("classifier", json!("benign")),
        answer("adviser", json!({})),
        answer("adviser", json!({ "advice": "wait" })),
    ];
    let place = place(PROFILE, &answers);
    let result = run(&place, &[]).exits(0).json();
    assert_eq!(result["stop_reason"], "accepted");
    assert_eq!(result["iteration_count"], 2);
    assert_eq!(
        result["best_extraction"],
        json!({ "tags": { "found": ["nodule"] }, "class": "benign", "advice": "wait" })
    );
    // Only the last stage, which feedback reaches, was asked again.
    assert_eq!(result["usage"]["calls"], 4);
    assert_eq!(
        place.json("out/doc-extraction.json"),
        json!({ "tags": { "found": ["nodule"] }, "class": "benign" })
    );
    assert_eq!(place.json("out/doc-extraction_corrected1.json"), result["best_extraction"]);
    assert_replays(&place, "parts");
}

#[test]
fn feedback_to_all_runs_every_stage_but_those_that_run_once() {
    let answers = [
        tags(),
        answer("classifier", json!("benign")),
        answer("adviser", json!({})),
        answer("classifier", json!("malignant")),
        answer("adviser", json!({ "advice": "biopsy" })),
    ];
    let profile = format!("{PROFILE}generate_once: [tagger]\nfeedback: {{ to: all }}\n");
    let place = place(&profile, &answers);
    let result = run(&place, &[]).exits(0).json();
    assert_eq!((&result["iteration_count"], &result["usage"]["calls"]), (&json!(2), &json!(5)));
    assert_eq!(
        result["best_extraction"],
        json!({ "tags": { "found": ["nodule"] }, "class": "malignant", "advice": "biopsy" })
    );
    assert_replays(&place, "parts");
    // From a stage on: those after it run again, because what they build on has changed.
    let profile = format!("{PROFILE}feedback: {{ to: classifier }}\n");
    let second = self::place(&profile, &answers);
    assert_eq!(run(&second, &[]).exits(0).json()["usage"]["calls"], 5);
}

#[test]
fn a_document_with_nothing_to_do_is_skipped() {
    let place = place(PROFILE, &[answer("tagger", json!({ "found": [] }))]);
    let result = run(&place, &[]).exits(0).json();
    assert_eq!((&result["final_status"], &result["stop_reason"]), (&json!("skipped"), &json!("skip:tagger")));
    assert_eq!((&result["iteration_count"], &result["best_iteration"]), (&json!(0), &Value::Null));
    assert_eq!(result["usage"]["calls"], 1);
    assert_replays(&place, "parts");
}

#[test]
fn a_supplied_candidate_is_taken_apart_and_its_missing_parts_are_made() {
    let answers = [tags(), answer("adviser", json!({ "advice": "wait" }))];
    let place = place(PROFILE, &answers);
    place.write("given.json", r#"{"class": "benign"}"#);
    let result = run(&place, &["--extraction", "given.json"]).exits(0).json();
    assert_eq!((&result["iteration_count"], &result["usage"]["calls"]), (&json!(2), &json!(2)));
    assert_eq!(
        result["best_extraction"],
        json!({ "tags": { "found": ["nodule"] }, "class": "benign", "advice": "wait" })
    );
    assert_replays(&place, "parts");
}

#[test]
fn what_stages_say_of_each_other_is_checked() {
    let place = place(PROFILE, &[]);
    for (change, says) in [
        ("feedback: { to: advisor }", "did you mean `adviser`?"),
        ("generate_once: [taggr]", "did you mean `tagger`?"),
        ("generate_once: [adviser]", "no stage is left"),
        ("feedback: { to: tagger }\ngenerate_once: [tagger]", "runs once"),
        ("judges: { tone: { provider: scripted } }", "lacks `prompt`"),
        ("judges: { tone: { provider: scripted, prompt: judge.md, issues: issues } }", "`/issues`"),
        ("mask: [{ pattern: '(' }]", "not a regular expression"),
        ("mask: [{ pattern: 'x*' }]", "between any two characters"),
        ("validators: { v: { command: [''], stages: [a] } }", "the program's name is empty"),
        ("validators: { v: { command: [], stages: [a] } }", "`command` is empty"),
        ("validators: { v: { command: [x], stages: [a], deadline: 0s } }", "within no time"),
        ("judges: { tone: { provider: scripted, prompt: judge.md, deadline: 0ms } }", "within no time"),
    ] {
        place.write("profiles/parts.yaml", format!("{PROFILE}{change}\n"));
        let ran = place.run(&["check", "parts"]).exits(2);
        assert!(ran.out.contains(says), "{change}: {}", ran.out);
    }
    for (from, to, says) in [
        (
            "tagger.found | length",
            "adviser.found | length",
            "`adviser` is neither this stage nor one before it",
        ),
        ("into: class", "into: tags", "becomes `tags` already"),
        ("id: classifier", "id: tagger", "is called `tagger` already"),
        ("id: classifier", "id: all", "can't be called `all`"),
        ("quality: { rubric: parts }", "quality: { judge: tone, score: /q }", "no judge is called `tone`"),
    ] {
        place.write("profiles/parts.yaml", PROFILE.replace(from, to));
        let ran = place.run(&["check", "parts"]).exits(2);
        assert!(ran.out.contains(says), "{to}: {}", ran.out);
    }
    let gated =
        JUDGED.replace(", otherwise: { rubric: parts } }", " }").replace("gate: { parts", "gate: { tone");
    place.write("profiles/parts.yaml", gated);
    assert!(place.run(&["check", "parts"]).exits(2).out.contains("nothing else measures `tone`"));
    place.write("profiles/parts.yaml", PROFILE);
    place.write("prompts/classifier.md", "{{ stages.adviser }}");
    assert!(place.run(&["check", "parts"]).exits(2).out.contains("no stage before this one"));
}

/// One stage, a judge and a gate.
pub(crate) const JUDGED: &str = "classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: tagger.md, retries: 0 }]
mask: [{ pattern: '(?s)IMPRESSION:.*', replace: '[withheld]' }]
judges:
  tone:
    provider: scripted
    config: { file: answers.jsonl }
    prompt: judge.md
    sees: unmasked
    issues: /issues
    severity: minor
    on_failure: { retry: 1, then: escalate }
assess:
  parts: { rubric: parts }
  tone: { judge: tone, score: /tone, otherwise: { rubric: parts } }
overall: { parts: 0.5, tone: 0.5 }
accept: { overall: 0.9 }
gate: { parts: 0.5 }
stop: { max_iterations: 2 }
";

fn whole() -> Value {
    answer("extract", json!({ "tags": 1, "class": 1, "advice": 1 }))
}

#[test]
fn a_judge_s_word_becomes_score_and_issues() {
    let found = json!({ "tone": 0.7, "issues": ["too blunt", { "code": "RUDE", "path": "/advice", "message": "m" }] });
    let answers = [whole(), answer("tone", found), whole(), answer("tone", json!({ "tone": 1.0 }))];
    let place = place(JUDGED, &answers);
    let result = run(&place, &[]).exits(0).json();
    assert_eq!(result["improvement_trajectory"], json!([0.85, 1.0]));
    assert_eq!(result["usage"]["calls"], 4);
    let first = place.json("out/doc-validation.json");
    assert_eq!(first["scores"], json!({ "parts": 1.0, "tone": 0.7 }));
    let issues: Vec<(&str, &str)> = first["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| (issue["code"].as_str().unwrap(), issue["severity"].as_str().unwrap()))
        .collect();
    assert_eq!(issues, [("JUDGE_TONE", "minor"), ("RUDE", "minor")]);
    assert_replays(&place, "parts");
}

#[test]
fn the_gate_saves_the_judge_s_call() {
    let place = place(JUDGED, &[answer("extract", json!({ "tags": 1 }))]);
    let result = run(&place, &[]).exits(3).json();
    assert_eq!((&result["stop_reason"], &result["usage"]["calls"]), (&json!("gate"), &json!(1)));
    assert_replays(&place, "parts");
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_again_and_then_a_person_decides() {
    let unreadable = answer("tone", json!({ "tone": "very good" }));
    let answers = [whole(), unreadable.clone(), unreadable, whole(), answer("tone", json!({ "tone": 1 }))];
    let place = place(JUDGED, &answers);
    let result = run(&place, &[]).exits(0).json();
    // Escalated, the dimension has no score: 0.5 of 1.
    assert_eq!(result["improvement_trajectory"], json!([0.5, 1.0]));
    let first = place.json("out/doc-validation.json");
    assert_eq!(first["issues"][0]["code"], "JUDGE_FAILED");
    assert_eq!(first["issues"][0]["disposition"], "escalate");
    assert!(!first["issues"][0]["message"].as_str().unwrap().contains("very good"));
    assert_replays(&place, "parts");
}

#[test]
fn a_person_is_told_of_the_issue_that_ended_the_run_also_when_another_candidate_is_the_best() {
    let grave = json!({ "code": "GRAVE", "disposition": "escalate", "message": "contradicts itself" });
    let answers = [
        whole(),
        answer("tone", json!({ "tone": 0.7 })),
        whole(),
        answer("tone", json!({ "tone": 0.2, "issues": [grave] })),
    ];
    let place = place(&format!("{JUDGED}on_escalate: stop\n"), &answers);
    let result = run(&place, &[]).exits(3).json();
    assert_eq!((&result["stop_reason"], &result["best_iteration"]), (&json!("critical_issue"), &json!(0)));
    let message = result["message"].as_str().unwrap();
    assert!(message.contains("of candidate 1, which is not the one returned"), "{message}");
    assert!(message.contains("GRAVE at the whole answer: contradicts itself"), "{message}");
}

#[test]
fn a_verdict_that_was_cut_short_is_none() {
    let said = |text: &str| json!({ "stage": "tone", "text": text });
    let answers = [
        whole(),
        said(r#"{"tone": 1, "issues": ["#),
        said(
            r#"```json
{"tone": 0.6, "issues": ["too blunt",]}
```"#,
        ),
        whole(),
        said(r#"{"issues": [], "tone": 0.9"#),
        said(r#"{"issues": ["cut"#),
    ];
    let place = place(JUDGED, &answers);
    let result = run(&place, &[]).exits(3).json();
    // The cut ones were no answers: the first was asked for again, the others are a matter for a person.
    assert_eq!(result["improvement_trajectory"], json!([0.8, 0.5]));
    assert_eq!(result["usage"]["calls"], 6);
    assert_eq!(place.json("out/doc-validation_corrected1.json")["issues"][0]["code"], "JUDGE_FAILED");
    assert_replays(&place, "parts");
}

#[test]
fn a_judge_without_a_provider_is_not_asked() {
    let place = place(JUDGED, &[whole()]);
    let result = run(&place, &["--judge", "none"]).exits(0).json();
    assert_eq!((&result["final_status"], &result["usage"]["calls"]), (&json!("passed"), &json!(1)));
    assert_eq!(result["best_validation"]["scores"], json!({ "parts": 1.0, "tone": 1.0 }));
}

/// A validator that says what it was asked.
pub(crate) const VALIDATED: &str = "classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl } }]
validators:
  shell: { command: [sh, -c], script: check.sh, stages: [read, check], deadline: 20s }
assess:
  parts: { rubric: parts }
  outside: { external: { validator: shell } }
overall: { outside: 1 }
accept: { overall: 0.9 }
stop: { max_iterations: 2 }
";

#[cfg(unix)]
#[test]
fn a_validator_runs_only_when_it_is_allowed_to() {
    let script = r#"if grep -q '"advice":1'
then echo '{"stages": [{"name": "read", "passed": true}, {"name": "check", "passed": true}]}'
else echo '{"stages": [{"name": "read", "passed": false, "issues": [{"code": "NO_ADVICE", "path": "/advice", "message": "none"}]}]}'
fi"#;
    let answers = [answer("extract", json!({ "tags": 1 })), whole()];
    let allowed = place(VALIDATED, &answers);
    allowed.write("rules/check.sh", script);
    let result = run(&allowed, &["--allow-commands"]).exits(0).json();
    assert_eq!(result["improvement_trajectory"], json!([0.25, 1.0]));
    assert_eq!(allowed.json("out/doc-validation.json")["issues"][2]["code"], "NO_ADVICE");
    assert_replays(&allowed, "parts");

    let forbidden = place(VALIDATED, &answers);
    forbidden.write("rules/check.sh", script);
    let result = run(&forbidden, &[]).exits(3).json();
    assert_eq!(result["improvement_trajectory"], json!([0.0, 0.0]));
    let issues = result["best_validation"]["issues"].to_string();
    assert!(issues.contains("VALIDATOR_UNAVAILABLE") && issues.contains("--allow-commands"), "{issues}");
}

#[cfg(unix)]
#[test]
fn a_validator_that_fails_says_nothing_of_the_candidate() {
    let issues = |script: &str, setting: &str| {
        let place = place(VALIDATED, &[whole(), whole()]);
        place.write("rules/check.sh", script);
        let set = ["--allow-commands", "--config", &format!("validators.shell.{setting}")];
        run(&place, &set).exits(3).json()["best_validation"]["issues"].to_string()
    };
    for (script, says) in [
        ("exit 3", "exit status: 3"),
        ("echo not json", "not JSON"),
        ("echo '{}'", "no list `stages`"),
        ("printf '{\"stages\": []}'", "ran none of its stages"),
        (
            "head -c 120 /dev/zero | tr '\\0' '['; head -c 120 /dev/zero | tr '\\0' ']'",
            "nested more than 100 deep",
        ),
    ] {
        let issues = issues(script, "deadline=20s");
        assert!(issues.contains("VALIDATOR_FAILED") && issues.contains(says), "{script}: {issues}");
    }
    let late = issues("sleep 3600", "deadline=300ms");
    assert!(late.contains("VALIDATOR_FAILED") && late.contains("took longer than 300 ms"), "{late}");
    let missing = issues("", "command=[no-such-program]");
    assert!(missing.contains("there is no program `no-such-program`"), "{missing}");
}

#[cfg(unix)]
#[test]
fn what_a_validator_leaves_running_ends_with_it() {
    let fine = r#"echo '{"stages": [{"name": "read", "passed": true}, {"name": "check", "passed": true}]}'"#;
    for (rest, status, deadlines) in [(fine, 0, &["60s"][..]), ("wait", 3, &["300ms", "3s", "30s"])] {
        // On a slow machine, a short deadline may be over before it has left anything.
        let left = deadlines.iter().find_map(|deadline| {
            let place = place(VALIDATED, &[whole(), whole()]);
            // It has the validator's standard output, too.
            place.write(
                "rules/check.sh",
                format!("sleep 3600 & echo $! > left.new; mv left.new left; {rest}"),
            );
            let deadline = format!("validators.shell.deadline={deadline}");
            run(&place, &["--allow-commands", "--config", &deadline]).exits(status);
            std::fs::read_to_string(place.path("left")).ok()
        });
        wait_until_gone(left.unwrap().trim());
    }
}

#[test]
fn a_verdict_that_does_not_follow_its_schema_is_no_score() {
    let schema = r#"{"type": "object", "required": ["tone"], "properties": {"tone": {"type": "number", "maximum": 1}}}"#;
    let profile = JUDGED.replace("    sees: unmasked", "    sees: unmasked\n    output: schemas/tone.json");
    // Percent where a share was asked for is no 1.
    let percent = answer("tone", json!({ "tone": 95 }));
    let answers = [whole(), percent.clone(), percent, whole(), answer("tone", json!({ "tone": 0.95 }))];
    let place = place(&profile, &answers);
    place.write("schemas/tone.json", schema);
    let result = run(&place, &[]).exits(0).json();
    assert_eq!(result["improvement_trajectory"], json!([0.5, 0.975]));
    let message = place.json("out/doc-validation.json")["issues"][0]["message"].to_string();
    assert!(message.contains("does not follow its schema at `/tone` (`maximum`)"), "{message}");
    assert_replays(&place, "parts");
    // `issues: /issues` finds nothing in answers of this schema.
    let check = place.run(&["check", "parts"]).exits(0);
    assert!(check.out.contains("has nothing at `/issues`"), "{}", check.out);
}

#[test]
fn nothing_is_skipped_for_what_a_repair_left() {
    let schema = r#"{"type": "object", "properties": {"found": {"type": "array", "items": {
        "type": "object", "required": ["finding"], "properties": {"finding": {"type": "string"}}, "additionalProperties": false}}}}"#;
    let profile = PROFILE.replace("prompt: tagger.md,", "prompt: tagger.md, output: schemas/tags.json,");
    let misnamed = json!({ "stage": "tagger", "text": r#"{"found": [{"name": "spiculated nodule"}]}"# });
    let cut = json!({ "stage": "tagger", "text": r#"{"found": ["# });
    for (tagger, status) in
        [(misnamed, "passed"), (cut, "failed"), (answer("tagger", json!({ "found": [] })), "skipped")]
    {
        let answers =
            [tagger, answer("classifier", json!("benign")), answer("adviser", json!({ "advice": "wait" }))];
        let place = place(&profile, &answers);
        place.write("schemas/tags.json", schema);
        // What was cut before its first word says nothing: its field is missing, and no further answer is there.
        assert_eq!(run(&place, &[]).json()["final_status"], status);
        assert_replays(&place, "parts");
    }
}

#[test]
fn what_nobody_judged_and_nothing_masked_is_said() {
    let place = place(JUDGED, &[whole(), whole()]);
    place.write("doc.txt", "A nodule, and nothing else.");
    let warnings = run(&place, &["--judge", "none"]).exits(0).json()["warnings"].to_string();
    assert!(
        warnings.contains("judge `tone` was not asked") && warnings.contains("found nothing to withhold"),
        "{warnings}"
    );
}

#[test]
fn a_child_may_have_a_dimension_judged_that_its_parent_measures() {
    let place = Workspace::new();
    place.write("prompts/judge.md", "{{ candidate }}");
    for measure in [
        "{ judge: j, score: /s }",
        "{ ensemble: { members: [grounding, { judge: j, score: /s }], combine: max } }",
    ] {
        let profile = format!(
            "extends: marc\njudges: {{ j: {{ provider: scripted, prompt: judge.md }} }}\nassess: {{ completeness: {measure} }}\n"
        );
        place.write("profiles/child.yaml", profile);
        let check = place.run(&["check", "child"]).exits(0);
        assert!(check.out.contains("0 errors"), "{}", check.out);
    }
}

#[cfg(unix)]
#[test]
fn a_validator_sees_no_keys() {
    let place = place(VALIDATED, &[whole(), whole()]);
    place.write("rules/check.sh", r#"echo "{\"unavailable\": \"home $HOME key $OPENAI_API_KEY\"}""#);
    let arguments = ["run", "--profile", "parts", "--format", "json", "--allow-commands", "doc.txt"];
    let ran = Ran::of(place.loopctl(&arguments).env("OPENAI_API_KEY", "sk-very-secret")).exits(3);
    assert!(ran.out.contains("home /") && !ran.out.contains("sk-very-secret"), "{}", ran.out);
}

#[test]
fn a_stop_while_a_judge_is_asked_keeps_the_candidate() {
    let place = place(JUDGED, &[]);
    let plan = crate::journal::plan(&place, "parts");
    let mut run = plan.engine_run();
    let usage = Usage { calls: 1, ..Usage::default() };
    let candidate = Arc::new(json!({ "tags": 1, "class": 1 }));
    let scores = [("parts", Score::clamped(0.7)), ("tone", Score::clamped(0.7))].into_iter().collect();
    let tier1 = Assessment { scores, ..Assessment::default() };
    let produced = Produced { candidate, usage, ..Produced::default() };
    let inputs = [
        Input::Started,
        Input::Produced(produced),
        Input::Assessed(Arc::new(tier1)),
        Input::Stop { in_flight: Usage::default() },
    ];
    let mut record = Vec::new();
    let mut outcome = None;
    for input in inputs {
        run.handle(Millis(1), input).unwrap();
        while let Some(output) = run.poll() {
            match output {
                Output::Record(event) => record.push(Recorded { at: Millis(1), event }),
                Output::Finished(finished) => outcome = Some(finished),
                Output::Call(_) | Output::Wake { .. } => {}
            }
        }
    }
    let outcome = outcome.unwrap();
    assert_eq!((outcome.iteration_count, outcome.best_iteration), (1, Some(0)));
    assert_eq!(outcome.stop_reason.to_string(), "cancelled");
    assert!(plan.engine_run().replay(&record).unwrap().is_over());
}
