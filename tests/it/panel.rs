//! Judges and validators together: asked at once, made into one score, and what happens when some give no answer.

use crate::journal::assert_replays;
use crate::pipeline::{answer, place};
use crate::provider::http::{http, serve};
use crate::workspace::{Ran, Workspace};
use loopctl::exchange::{Task, judge_request, stage_request};
use loopctl::provider::protocol::DocumentRef;
use serde_json::{Value, json};

/// Three judges of one dimension; `{}` is the rest of the ensemble.
fn profile(ensemble: &str) -> String {
    let judge = |id: &str, after: &str| {
        format!(
            "  {id}: {{ provider: scripted, config: {{ file: answers.jsonl }}, prompt: judge.md, on_failure: {{ retry: 0{after} }} }}\n"
        )
    };
    format!(
        "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }}, retries: 0 }}]
judges:
{}{}{}assess:
  tone:
    ensemble:
      members: [{{ rubric: parts, weight: 3 }}, {{ judge: a, score: /s }}, {{ judge: b, score: /s, weight: 2 }}, {{ judge: c, score: /s }}]
      {ensemble}
overall: {{ from: tone }}
accept: {{ overall: 0.9, escalate_issues: 0 }}
stop: {{ max_iterations: 1 }}
",
        judge("a", ""),
        judge("b", ""),
        judge("c", ", then: { fallback: 0.1 }"),
    )
}

/// Without weights.
fn judged(ensemble: &str, answers: &[Value]) -> Workspace {
    place(&profile(ensemble).replace(", weight: 3", "").replace(", weight: 2", ""), answers)
}

fn extracted() -> Value {
    answer("extract", json!({ "tags": 1, "class": 1, "advice": 1 }))
}

fn says(judge: &str, score: f64) -> Value {
    answer(judge, json!({ "s": score }))
}

fn fails(judge: &str) -> Value {
    json!({ "stage": judge, "fault": "permanent", "message": "gone" })
}

fn run(place: &Workspace) -> Ran {
    place.run(&["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"])
}

fn codes(result: &Value) -> Vec<(String, String)> {
    let text = |issue: &Value, key: &str| issue[key].as_str().unwrap().to_owned();
    let issues = result["best_validation"]["issues"].as_array().unwrap();
    issues.iter().map(|issue| (text(issue, "code"), text(issue, "disposition"))).collect()
}

#[test]
fn members_count_by_their_weight() {
    let answers = [extracted(), says("a", 0.5), says("b", 1.0), says("c", 0.8)];
    let place = place(&profile("combine: weighted"), &answers);
    let result = run(&place).exits(0).json();
    // (3 · 1 + 0.5 + 2 · 1 + 0.8) / 7
    assert!((result["improvement_trajectory"][0].as_f64().unwrap() - 0.9).abs() < 1e-12);
    assert_eq!(result["usage"]["calls"], 4);
    assert_replays(&place, "parts");
}

#[test]
fn members_that_disagree_are_a_matter_for_a_person_or_at_least_shown() {
    for (rule, last, found) in [
        ("{ above: 0.4 }", 0.59, Some("escalate")),
        ("{ above: 0.4, then: warn }", 0.59, Some("warn")),
        ("{ above: 0.4 }", 0.6, None),
        ("{ above: 1 }", 0.0, None),
    ] {
        let answers = [extracted(), says("a", 1.0), says("b", 0.9), says("c", last)];
        let place = judged(&format!("combine: max\n      disagreement: {rule}"), &answers);
        let result = run(&place).json();
        let expected = found.map(|then| ("DISAGREEMENT".to_owned(), then.to_owned()));
        assert_eq!(codes(&result), Vec::from_iter(expected), "{rule} {last}");
        assert_eq!(result["final_status"] == "passed", found != Some("escalate"), "{rule} {last}");
    }
    // A number that stands in for an answer is no one's opinion.
    let answers = [extracted(), says("a", 1.0), says("b", 0.9), fails("c")];
    let place = judged("combine: max\n      disagreement: { above: 0.5 }", &answers);
    assert_eq!(codes(&run(&place).exits(0).json()), [("JUDGE_FAILED".to_owned(), "warn".to_owned())]);
    let answers = [extracted(), says("a", 1.0), says("b", 0.9), says("c", 0.25)];
    let place = judged("combine: max\n      disagreement: { above: 0.5 }", &answers);
    let message = run(&place).json()["message"].to_string();
    assert!(message.contains("those who measure `tone` disagree: from 0.25 to 1.00"), "{message}");
}

#[test]
fn measures_that_disagree_are_seen_without_any_judge() {
    let profile = "classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl } }]
assess:
  tone: { ensemble: { members: [{ rubric: parts }, { rules: strict, penalty: 1 }], combine: max,
    disagreement: { above: 0.5, then: warn } } }
overall: { from: tone }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
";
    let place = place(profile, &[extracted()]);
    place.write("rules/strict.yaml", "rules: [{ id: z, require: z }]");
    let result = run(&place).exits(0).json();
    assert!(codes(&result).contains(&("DISAGREEMENT".to_owned(), "warn".to_owned())), "{result}");
}

#[test]
fn a_quorum_does_without_those_that_fail() {
    let met = [extracted(), says("a", 0.95), fails("b"), says("c", 0.92)];
    let place = judged("quorum: 2", &met);
    let result = run(&place).exits(0).json();
    assert_eq!(result["improvement_trajectory"], json!([0.92]));
    assert_eq!(codes(&result), [("JUDGE_FAILED".to_owned(), "warn".to_owned())]);
    assert_replays(&place, "parts");

    // Of those that are left out, a number that stands in is, too.
    let fallback = [extracted(), says("a", 0.95), says("b", 0.92), fails("c")];
    let result = run(&judged("combine: min\n      quorum: 2", &fallback)).exits(0).json();
    assert_eq!(result["improvement_trajectory"], json!([0.92]));

    // A number that stands in is no answer.
    let missed = [extracted(), says("a", 0.95), fails("b"), fails("c")];
    let place = judged("quorum: 2", &missed);
    let result = run(&place).exits(3).json();
    assert_eq!(result["best_validation"]["scores"], json!({}));
    let found: Vec<String> = codes(&result).into_iter().map(|(code, _)| code).collect();
    assert_eq!(found, ["JUDGE_FAILED", "JUDGE_FAILED", "NO_QUORUM"]);
    let message = result["message"].to_string();
    assert!(message.contains("1 of those who measure `tone` answered, 2 must"), "{message}");

    let all_must = [extracted(), says("a", 0.95), fails("b"), says("c", 0.92)];
    let place = judged("combine: min", &all_must);
    assert_eq!(run(&place).exits(3).json()["best_validation"]["scores"], json!({}));
}

#[test]
fn what_means_nothing_in_an_ensemble_is_refused() {
    for (ensemble, problem) in [
        ("combine: min", "a weight means nothing with `combine: min`"),
        ("combine: weighted\n      quorum: 4", "so its quorum can't be 4"),
        ("combine: weighted\n      quorum: 0", "at least 1"),
        ("combine: weighted\n      disagreement: { above: 0.3, then: correct }", "`correct`"),
        ("combine: weighted\n      disagreement: { above: 3 }", "3"),
        ("combine: wieghted", "did you mean `weighted`?"),
    ] {
        let place = place(&profile(ensemble), &[]);
        let check = place.run(&["check", "parts"]).exits(2);
        assert!(check.out.contains(problem), "{ensemble}: {}", check.out);
    }
    for weight in ["0", "-1", "1e9", "heavy"] {
        let text = profile("combine: weighted").replace("weight: 2", &format!("weight: {weight}"));
        let place = place(&text, &[]);
        let check = place.run(&["check", "parts"]).exits(2);
        assert!(check.out.contains(weight.trim_start_matches('-')), "{weight}: {}", check.out);
    }
}

/// Each waits for the other: asked in turn, neither could answer within its deadline.
#[cfg(unix)]
#[test]
fn the_panel_is_asked_at_the_same_time() {
    let profile = "classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl } }]
validators:
  one: { command: [sh, -c, 'echo here > there; echo \"{\\\"stages\\\": [{\\\"name\\\": \\\"s\\\", \\\"passed\\\": true}]}\"'], stages: [s], deadline: 20s }
  two: { command: [sh, -c, 'cat there > /dev/null; echo \"{\\\"stages\\\": [{\\\"name\\\": \\\"s\\\", \\\"passed\\\": true}]}\"'], stages: [s], deadline: 20s }
assess:
  tone: { ensemble: { members: [{ external: { validator: one } }, { external: { validator: two } }] } }
overall: { from: tone }
accept: { overall: 1 }
stop: { max_iterations: 1 }
";
    let place = crate::pipeline::place(profile, &[extracted()]);
    let made = std::process::Command::new("mkfifo").arg(place.path("there")).status().unwrap();
    assert!(made.success());
    let arguments = ["run", "--profile", "parts", "--format", "json", "--allow-commands", "doc.txt"];
    place.run(&arguments).exits(0);
}

#[test]
fn a_provider_stands_in_for_one_that_failed() {
    let profile = "classify: null
stages:
  - id: extract
    provider: [{ name: scripted:first, config: { file: first.jsonl } }, { name: scripted:second, config: { file: answers.jsonl } }]
    retries: 1
assess: { tone: { rubric: parts } }
overall: { from: tone }
accept: { overall: 1 }
stop: { max_iterations: 1 }
";
    let transient = json!({ "fault": "rate_limited", "message": "busy", "retry_after_ms": 1 });
    let permanent = json!({ "fault": "permanent", "message": "no such model" });
    let whole = json!({ "value": { "tags": 1, "class": 1, "advice": 1 } });
    for (first, calls) in [
        // Asked again, then given up.
        (vec![transient.clone(), transient.clone(), whole.clone()], 3),
        // Given up at once.
        (vec![permanent.clone()], 2),
        (vec![transient.clone(), permanent.clone()], 3),
    ] {
        let place = crate::pipeline::place(profile, &[extracted()]);
        let lines: String = first.iter().map(|answer| format!("{answer}\n")).collect();
        place.write("first.jsonl", lines);
        let result = run(&place).exits(0).json();
        assert_eq!(result["usage"]["calls"], calls);
        let warnings = result["warnings"].to_string();
        assert!(warnings.contains("asking `scripted:second` instead"), "{warnings}");
        assert!(warnings.contains("answered by `scripted:second`"), "{warnings}");
        assert_replays(&place, "parts");
    }
    // With no one left the document ends, saying so.
    let place = crate::pipeline::place(profile, std::slice::from_ref(&permanent));
    place.write("first.jsonl", format!("{permanent}\n"));
    let result = run(&place).exits(1).json();
    assert_eq!((&result["stop_reason"], &result["usage"]["calls"]), (&json!("provider_error"), &json!(2)));
}

#[test]
fn chains_that_make_no_sense_are_refused() {
    for (chain, problem) in [
        ("[pattern, pattern]", "appears here twice"),
        ("'pattern, pattern'", "appears here twice"),
        ("[]", "no provider"),
        ("[{ nam: x }]", "did you mean `name`?"),
        ("[pattern, none]", "`none` can't replace"),
        ("[a, b, c, d, e, f]", "at most 5"),
        (
            "'openai:a, anthropic:b', config: { base_url: 'http://127.0.0.1:1' }",
            "one would get another's key",
        ),
    ] {
        let place = crate::pipeline::place("extends: batch", &[]);
        place.write(
            "profiles/parts.yaml",
            format!("extends: batch\nstages: [{{ id: x, provider: {chain} }}]\n"),
        );
        let check = place.run(&["check", "parts"]).exits(2);
        assert!(check.out.contains(problem), "{chain}: {}", check.out);
    }
}

#[test]
fn a_reference_is_for_its_judge_alone() {
    let judged = "extends: null
classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: tagger.md }]
judges:
  a: { provider: scripted, config: { file: answers.jsonl }, prompt: gold.md, reference: 'gold/{{ document_id }}.txt',
    on_failure: { retry: 3 } }
  b: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md }
assess: { tone: { ensemble: { members: [{ judge: a, score: /s }, { judge: b, score: /s }] } } }
overall: { from: tone }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
"
    .replace("extends: null\n", "");
    let answers = [extracted(), says("a", 0.95), says("b", 0.95)];
    let place = crate::pipeline::place(&judged, &answers);
    place.write("prompts/gold.md", "{{ candidate }} should be {{ reference }}");
    place.write("gold/doc.txt", "the right answer");
    run(&place).exits(0);

    let plan = crate::journal::plan(&place, "parts");
    let document = DocumentRef { id: "doc".to_owned(), document_type: "unknown".to_owned() };
    let references = [("a".to_owned(), "the right answer".to_owned())].into();
    let task = Task {
        document: &document,
        source: "s",
        unmasked: "s",
        attached: None,
        file_name: None,
        references: &references,
        variables: None,
        feedback: None,
    };
    let asked = |at: usize| judge_request(&plan, &plan.judges[at], task, &json!({}), 0).unwrap();
    assert_eq!(asked(0).messages[0].content, "{} should be the right answer");
    let others = [asked(1), stage_request(&plan, &plan.stages[0], task, &serde_json::Map::new()).unwrap()];
    for request in others {
        let text = serde_json::to_string(&request).unwrap();
        assert!(!text.contains("the right answer"), "{text}");
    }

    // Without it the judge is not asked at all, and a person decides.
    std::fs::remove_file(place.path("gold/doc.txt")).unwrap();
    let result = run(&place).exits(3).json();
    assert_eq!(result["usage"]["calls"], 2);
    assert_eq!(codes(&result), [("JUDGE_FAILED".to_owned(), "escalate".to_owned())]);
    assert!(result["warnings"].to_string().contains("gold/doc.txt"), "{result}");

    place.write("profiles/parts.yaml", judged.replace("document_id", "document"));
    let check = place.run(&["check", "parts"]).exits(2);
    assert!(check.out.contains("`document_id` and `document_type`"), "{}", check.out);
}

#[test]
fn what_is_attached_must_be_taken_and_may_not_be_masked() {
    let attached = "classify: null
stages: [{ id: extract, provider: pattern, prompt: tagger.md, attach: document }]
assess: { tone: { rubric: parts } }
overall: { from: tone }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
";
    let place = crate::pipeline::place(attached, &[]);
    place.write("scan.pdf", "%PDF-1.4 and so on");
    let ran = place.run(&["run", "--profile", "parts", "scan.pdf"]).exits(2);
    assert!(ran.err.contains("takes no images or PDFs"), "{}", ran.err);
    place.write("profiles/parts.yaml", format!("{attached}mask: [{{ pattern: 'x', replace: 'y' }}]\n"));
    let check = place.run(&["check", "parts"]).exits(2);
    assert!(check.out.contains("shows what `mask` withholds"), "{}", check.out);
    place.write("profiles/parts.yaml", attached.replace("document }", "documents }"));
    assert!(place.run(&["check", "parts"]).exits(2).out.contains("did you mean `document`?"));
}

#[test]
fn a_validator_may_be_a_service() {
    let stages = json!({ "stages": [{ "name": "codes", "passed": false, "issues": [{ "code": "NO_CODE", "message": "m" }] }] });
    for (reply, expected, code) in [
        (http("200 OK", "", &stages.to_string()), json!([0.5]), "NO_CODE"),
        (http("200 OK", "", r#"{"unavailable": "asleep"}"#), json!([0.0]), "VALIDATOR_FAILED"),
        (http("404 Not Found", "", r#"{"message": "no such check"}"#), json!([0.0]), "VALIDATOR_FAILED"),
        (http("200 OK", "", "[]"), json!([0.0]), "VALIDATOR_FAILED"),
    ] {
        let (address, sent) = serve(reply);
        let profile = format!(
            "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }} }}]
validators:
  terms: {{ url: 'http://{address}/check?strict=1', stages: [codes], token: true, retries: 0 }}
assess: {{ tone: {{ external: {{ validator: terms }} }} }}
overall: {{ from: tone }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 1 }}
"
        );
        let place = crate::pipeline::place(&profile, &[extracted()]);
        let arguments = ["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"];
        let mut command = place.loopctl(&arguments);
        let ran = Ran::of(command.env("LOOPCTL_SERVICE_TOKEN", "a-token-nobody-may-see")).exits(3);
        let result = ran.json();
        assert_eq!(result["improvement_trajectory"], expected, "{result}");
        assert_eq!(codes(&result)[0].0, code);
        // It is no model.
        assert_eq!(result["usage"]["calls"], 1);
        let request = sent.recv().unwrap();
        assert!(request.starts_with("POST /check?strict=1 HTTP/1.1"), "{request}");
        assert!(request.contains("Bearer a-token-nobody-may-see"), "{request}");
        let body: Value = serde_json::from_str(
            request.split_once('{').map(|(_, rest)| format!("{{{rest}")).unwrap().as_str(),
        )
        .unwrap();
        assert_eq!(body["candidate"], json!({ "tags": 1, "class": 1, "advice": 1 }));
        assert_eq!(body.as_object().unwrap().len(), 3);
        assert_replays(&place, "parts");
    }
    let place =
        crate::pipeline::place("extends: batch\nvalidators: { v: { url: example.org, stages: [a] } }\n", &[]);
    assert!(place.run(&["check", "parts"]).exits(2).out.contains("`example.org` is not a URL"));
}

#[test]
fn a_judge_that_would_be_waited_for_too_long_takes_no_other_with_it() {
    let profile = "classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl } }]
judges:
  a: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md, on_failure: { retry: 1 } }
  b: { provider: [{ name: scripted:first, config: { file: broken.jsonl } }, { name: scripted:second, config: { file: answers.jsonl } }],
    prompt: judge.md, on_failure: { retry: 0 } }
assess: { one: { judge: a, score: /s }, two: { judge: b, score: /s } }
overall: { from: two }
accept: { overall: 0.9, escalate_issues: 0 }
stop: { max_iterations: 1, timeout: 30s }
";
    let busy = json!({ "stage": "a", "fault": "rate_limited", "message": "busy", "retry_after_ms": 45_000 });
    let place = crate::pipeline::place(profile, &[extracted(), busy, says("a", 1.0), says("b", 0.95)]);
    place.write("broken.jsonl", format!("{}\n", fails("b")));
    let ran = run(&place).exits(3);
    assert!(!ran.err.contains("the next document is tried"), "there is none: {}", ran.err);
    let result = ran.json();
    assert_eq!(result["best_validation"]["scores"], json!({ "two": 0.95 }), "{result}");
    let message = result["message"].to_string();
    assert!(message.contains("no attempt is left within the timeout"), "{message}");
    assert_replays(&place, "parts");
}

#[test]
fn a_reference_lies_in_the_folder_of_its_document_and_is_none_itself() {
    let judged = |reference: &str| {
        format!(
            "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }} }}]
judges: {{ a: {{ provider: scripted, config: {{ file: answers.jsonl }}, prompt: judge.md, reference: '{reference}' }} }}
assess: {{ tone: {{ judge: a, score: /s }} }}
overall: {{ from: tone }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 1 }}
"
        )
    };
    for outside in ["../secret.txt", "/etc/passwd", "link/secret.txt"] {
        let place = crate::pipeline::place(&judged(outside), &[extracted(), says("a", 1.0)]);
        place.write("docs/doc.txt", "text");
        place.write("secret.txt", "secret");
        #[cfg(unix)]
        std::os::unix::fs::symlink(place.path("."), place.path("docs/link")).unwrap();
        let ran = place.run(&["run", "--profile", "parts", "--format", "json", "docs/doc.txt"]).exits(3);
        let warnings = ran.json()["warnings"].to_string();
        assert!(warnings.contains("is not in the folder of the document"), "{outside}: {warnings}");
    }
    // A folder of documents with their references has as many documents as it has documents.
    let place =
        crate::pipeline::place(&judged("{{ document_id }}.gold.json"), &[extracted(), says("a", 1.0)]);
    place.write("docs/doc.txt", "text");
    place.write("docs/doc.gold.json", "{}");
    let result = place.run(&["run", "--profile", "parts", "--format", "json", "docs"]).exits(0).json();
    assert_eq!(result.as_array().unwrap().len(), 1);
    let result = &result[0];
    assert_eq!((&result["id"], &result["answered_by"]["a"]), (&json!("doc"), &json!(["scripted"])));
}

/// Each server gets the key of the provider that is there, and no other.
#[test]
fn where_a_profile_says_its_provider_is_another_is_not() {
    let (own, own_sent) = serve(http("404 Not Found", "", "{}"));
    let (other, other_sent) = serve(http("404 Not Found", "", "{}"));
    let profile = format!(
        "classify: null
stages: [{{ id: extract, provider: 'openai:m', config: {{ base_url: 'http://{own}/v1' }}, prompt: tagger.md }}]
assess: {{ tone: {{ rubric: parts }} }}
overall: {{ from: tone }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 1 }}
"
    );
    let place = crate::pipeline::place(&profile, &[]);
    let ask = |more: &[&str]| {
        let mut arguments = vec!["run", "--profile", "parts", "doc.txt"];
        arguments.extend(more);
        let mut command = place.loopctl(&arguments);
        command.env("ANTHROPIC_API_KEY", "sk-ant-nobody-may-see").env("OPENAI_API_KEY", "sk-openai-key");
        Ran::of(command.env("ANTHROPIC_BASE_URL", format!("http://{other}")))
    };
    ask(&[]).exits(1);
    assert!(own_sent.recv().unwrap().contains("sk-openai-key"));
    let refused = ask(&["--provider", "anthropic:m"]).exits(2);
    assert!(refused.err.contains("says where its own provider is"), "{}", refused.err);
    let named = format!("base_url=http://{other}");
    ask(&["--provider", "anthropic:m", "--provider-config", &named]).exits(1);
    assert!(other_sent.recv().unwrap().contains("sk-ant-nobody-may-see"));
    assert!(own_sent.try_recv().is_err());
}

/// A stage's answer is paid for in vain when the judge can't be asked, and the next document's would be, too.
#[test]
fn a_judge_whose_key_is_refused_ends_a_batch_unless_something_stands_in_for_it() {
    let profile = |then: &str| {
        format!(
            "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }} }}]
judges:
  a: {{ provider: scripted, config: {{ file: answers.jsonl }}, prompt: judge.md, on_failure: {{ retry: 0{then} }} }}
assess: {{ tone: {{ judge: a, score: /s }} }}
overall: {{ from: tone }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 1 }}
"
        )
    };
    let refused = json!({ "stage": "a", "fault": "unauthorized" });
    let place = place(&profile(""), &[extracted(), refused.clone()]);
    let arguments = ["run", "--profile", "parts", "--format", "jsonl", "--out", "out", "--resume", "docs"];
    for name in ["a", "b", "c"] {
        place.write(&format!("docs/{name}.txt"), "x");
    }
    let ran = place.run(&arguments).exits(1).says(&[
        "error: 2 documents were not tried (`b`, `c`): judge `a` gave no answer: provider `scripted` failed (unauthorized)",
    ]);
    assert_eq!(ran.out.lines().count(), 1);
    // What lacks a judge's word is not finished.
    let again = place.run(&arguments).exits(1);
    assert_eq!((again.out.lines().count(), again.err.contains("left out")), (1, false));

    let place = self::place(&profile(", then: { fallback: 0.95 }"), &[extracted(), refused]);
    for name in ["a", "b", "c"] {
        place.write(&format!("docs/{name}.txt"), "x");
    }
    assert_eq!(place.run(&arguments).exits(0).out.lines().count(), 3);
}
