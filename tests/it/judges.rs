//! Judges and validators, one answer at a time: how each answer is read, who gets to see it, and what follows if one
//! says nothing.

use crate::pipeline::{answer, place};
use crate::workspace::{Ran, Workspace};
use serde_json::{Value, json};

/// One judge of one dimension; `judge` is what it has besides a provider and a prompt, `rest` what the profile has.
pub(crate) fn judged(judge: &str, rest: &str) -> String {
    format!(
        "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }}, prompt: tagger.md, retries: 0 }}]
judges:
  j: {{ provider: scripted, config: {{ file: answers.jsonl }}, prompt: judge.md, issues: /issues{judge} }}
assess: {{ tone: {{ judge: j, score: /s }} }}
overall: {{ from: tone }}
accept: {{ overall: 0.9, critical_issues: 0 }}
{rest}
"
    )
}

fn extracted(name: &str) -> Value {
    answer("extract", json!({ "tags": name }))
}

fn says(value: Value) -> Value {
    answer("j", value)
}

fn run(place: &Workspace) -> Ran {
    place.run(&["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"])
}

fn issues(result: &Value) -> Vec<Value> {
    result["best_validation"]["issues"].as_array().unwrap().clone()
}

/// Returns whether any file that a run wrote, the record of its requests and answers included, has the text in it.
fn is_written(place: &Workspace, text: &str) -> bool {
    std::fs::read_dir(place.path("out")).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[test]
fn a_judge_does_not_tell_the_stages_what_only_it_sees() {
    let told = |message: &str| {
        says(json!({ "s": 0.5, "issues": [{
            "path": "/tags", "message": message, "suggested_fix": "Zebra stripe", "severity": "major",
        }]}))
    };
    let two = "stop: { max_iterations: 2 }";
    for (profile, gold) in [
        (
            judged(", reference: 'gold/{{ document_id }}.json'", two),
            r#"{"tags": "Zebra stripe", "why": "it has a very long tail"}"#,
        ),
        (
            judged(", reference: 'gold/{{ document_id }}.json'", two),
            "Zebra stripe.\nSeen because it has a very long tail.",
        ),
        (
            judged(
                ", sees: unmasked",
                &format!("{two}\nmask: [{{ pattern: '(?s)GOLD:.*', replace: 'GOLD: [hidden]' }}]"),
            ),
            "",
        ),
    ] {
        let message = "not a nodule: it is a ZEBRA stripe, for \u{201c}it has a very long tail\u{201d}";
        let answers = [extracted("a"), told(message), extracted("b"), told(message)];
        let place = place(&profile, &answers);
        place.write("prompts/judge.md", "{{ candidate }} of {{ source }} {{ reference }}");
        place.write("gold/doc.json", gold);
        place.write("doc.txt", "A nodule.\nGOLD: Zebra stripe. Seen because it has a very long tail.\n");
        let profile = profile.contains("reference");
        if profile {
            place.write("doc.txt", "A nodule.\n");
        }
        let result = run(&place).exits(3).json();
        assert_eq!(result["iteration_count"], 2, "{result}");
        let issue = &issues(&result)[0];
        assert_eq!(issue["message"], "not a nodule: it is a [withheld], for \u{201c}[withheld]\u{201d}");
        assert_eq!((&issue["suggested_fix"], &issue["path"]), (&json!("[withheld]"), &json!("/tags")));
        assert!(result["warnings"].to_string().contains("quoted what only judges see"), "{result}");
        for secret in ["very long tail", "ebra stripe", "ZEBRA"] {
            assert!(!is_written(&place, secret), "{gold}: {secret}");
        }
    }
}

#[test]
fn severities_are_the_loop_s_own_words_and_paths_find_their_place() {
    let found = |issue: Value| {
        let place = place(
            &judged(", on_failure: { retry: 0 }", "stop: { max_iterations: 1 }"),
            &[extracted("a"), says(json!({ "s": 0.95, "issues": [issue] }))],
        );
        run(&place).json()
    };
    for severity in ["blocker", "High", "sehr schwer"] {
        let result = found(json!({ "message": "m", "severity": severity }));
        assert_ne!(result["final_status"], "passed", "{severity}");
        let message = issues(&result)[0]["message"].to_string();
        assert!(message.contains("`critical`, `major` and `minor`"), "{message}");
    }
    for (severity, read) in [(json!(" Critical"), "critical"), (json!(null), "major"), (json!(""), "major")] {
        let result = found(json!({ "message": "m", "severity": severity }));
        assert_eq!(issues(&result)[0]["severity"], read, "{severity}");
    }
    for (path, read) in [
        ("/tags", "/tags"),
        ("tags", "/tags"),
        ("$.tags", "/tags"),
        ("authors[0].family", "/authors/0/family"),
        ("the second tag", ""),
        ("", ""),
    ] {
        let result = found(json!({ "message": "m", "path": path, "suggested_fix": 4 }));
        let issue = &issues(&result)[0];
        assert_eq!((&issue["path"], &issue["suggested_fix"]), (&json!(read), &json!("4")), "{path}");
    }
}

/// On a scale of 0 to 10 a 3 is little, so it must not count as 1.
#[test]
fn a_score_that_is_not_on_the_judge_s_scale_is_no_answer() {
    let one = "stop: { max_iterations: 1 }";
    let found = |said: &str, answers: &[Value]| {
        let answers: Vec<Value> = std::iter::once(extracted("a")).chain(answers.iter().cloned()).collect();
        run(&place(&judged(said, one), &answers)).json()
    };
    let eight = || says(json!({ "s": 8, "issues": [] }));
    let result = found(", on_failure: { retry: 0 }", &[eight()]);
    assert_ne!(result["final_status"], "passed", "{result}");
    assert_eq!(result["best_validation"]["scores"].get("tone"), None, "{result}");
    let failed = issues(&result).remove(0);
    assert_eq!((&failed["code"], &failed["disposition"]), (&json!("JUDGE_FAILED"), &json!("escalate")));
    let message = failed["message"].to_string();
    assert!(message.contains("has 8 at `/s`, which is not on its scale of 0 to 1"), "{message}");
    // It is asked again, and something may stand in for it.
    let asked_again =
        found(", on_failure: { retry: 1 }", &[eight(), says(json!({ "s": 0.95, "issues": [] }))]);
    assert_eq!(asked_again["final_status"], "passed", "{asked_again}");
    let stood_in = found(", on_failure: { retry: 0, then: { fallback: 0.5 } }", &[eight()]);
    assert_eq!(stood_in["best_validation"]["scores"]["tone"], 0.5);
    // Where the judge declares the scale, the number is converted.
    let declared = found(", scale: [0, 10]", &[says(json!({ "s": 9.5, "issues": [] }))]);
    assert_eq!(declared["best_validation"]["scores"]["tone"], 0.95);
    assert_eq!(declared["final_status"], "passed", "{declared}");
}

/// Of two occurrences, either could be meant; nothing beside the location that is read may be lost.
#[test]
fn an_answer_that_says_two_things_is_none() {
    let found = |text: &str| {
        let judged = judged(", on_failure: { retry: 0 }", "stop: { max_iterations: 1 }");
        let place = place(&judged, &[extracted("a"), json!({ "stage": "j", "text": text })]);
        run(&place).json()
    };
    assert_eq!(found(r#"{"s": 1.0, "issues": []}"#)["final_status"], "passed");
    for (text, why) in [
        (r#"{"s": 0.1, "s": 1.0, "issues": []}"#, "a key twice"),
        (r#"{"s": 1.0, "issues": ["wrong"], "issues": []}"#, "a key twice"),
        ("```json\n{\"s\": 1.0, \"issues\": [\"wrong\"], \"issues\": []}\n```", "a key that stood twice"),
        (
            r#"{"s": 1.0, "issues": [{"message": "m", "severity": "critical", "severity": "minor"}]}"#,
            "a key twice",
        ),
        (
            r#"{"s": 1.0, "Issues": [{"message": "m", "severity": "critical"}]}"#,
            "has `Issues` where `/issues` is read",
        ),
    ] {
        let result = found(text);
        assert_ne!(result["final_status"], "passed", "{text}");
        let all = json!(issues(&result)).to_string();
        assert!(all.contains("JUDGE_FAILED") && all.contains(why), "{text}: {all}");
    }
    let capital =
        found(r#"{"s": 1.0, "issues": [{"Message": "m", "Severity": "Critical", "Path": "/tags"}]}"#);
    let issue = issues(&capital).remove(0);
    assert_eq!(
        (&issue["severity"], &issue["message"], &issue["path"]),
        (&json!("critical"), &json!("m"), &json!("/tags"))
    );
    assert_ne!(capital["final_status"], "passed");
}

#[test]
fn a_document_whose_type_was_not_recognised_does_not_pass() {
    let good = || [extracted("a"), says(json!({ "s": 1, "issues": [] }))];
    let types = "minimum: 1\nclassify: { letter: [{ pattern: 'Dear', weight: 1 }] }\n";
    let found = |accept: &str, text: &str, more: &[&str]| {
        let profile = judged("", "stop: { max_iterations: 1 }")
            .replace("classify: null", "classify: types")
            .replace("critical_issues: 0", accept);
        let place = place(&profile, &good());
        place.write("rules/types.yaml", types);
        place.write("doc.txt", text);
        let arguments = ["run", "--profile", "parts", "--format", "json", "--out", "out", "doc.txt"];
        place.run(&[&arguments, more].concat()).json()
    };
    let unknown = found("tone: 0.9", "Nothing of the kind.", &[]);
    assert_eq!(unknown["final_status"], "max_iterations_reached", "{unknown}");
    assert_eq!((&unknown["document_type"], &unknown["review"]), (&json!("unknown"), &json!(true)));
    assert_eq!(issues(&unknown)[0]["code"], "DOCUMENT_TYPE_UNKNOWN");
    for (accept, text, more) in [
        ("tone: 0.9", "Dear reader", &[][..]),
        ("tone: 0.9", "Nothing of the kind.", &["--type", "letter"]),
        ("unknown_type: true", "Nothing of the kind.", &[]),
    ] {
        let result = found(accept, text, more);
        assert_eq!(result["final_status"], "passed", "{accept} {text}: {result}");
        assert_eq!(issues(&result), [] as [Value; 0]);
    }
    // A profile that tells no types apart has nothing to recognise.
    let result = run(&place(&judged("", "stop: { max_iterations: 1 }"), &good())).json();
    assert_eq!((&result["final_status"], &result["document_type"]), (&json!("passed"), &json!("unknown")));
}

/// Without it no candidate can be what is wanted, regardless of what could be corrected meanwhile.
#[test]
fn a_judge_that_is_gone_ends_the_document_as_its_on_failure_says() {
    let gone = || json!({ "stage": "j", "fault": "permanent", "message": "gone" });
    let ended = |on_failure: &str| {
        let answers = [extracted("a"), gone(), extracted("b"), says(json!({ "s": 1, "issues": [] }))];
        let result = run(&place(&judged(on_failure, "stop: { max_iterations: 2 }"), &answers)).json();
        let word = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
        (word("final_status"), word("stop_reason"), result["usage"]["calls"].as_u64().unwrap())
    };
    let as_is = |status: &str, reason: &str, calls| (status.to_owned(), reason.to_owned(), calls);
    assert_eq!(ended(""), as_is("failed", "provider_error", 2));
    assert_eq!(ended(", on_failure: { then: escalate }"), as_is("failed", "critical_issue", 2));
    assert_eq!(ended(", on_failure: { then: { fallback: 0.95 } }"), as_is("passed", "accepted", 2));
    assert_eq!(ended(", on_failure: { then: { fallback: 0.5 } }"), as_is("passed", "accepted", 4));
}

/// A judge that can't be asked says nothing about the candidate, so there is nothing to correct.
#[test]
fn who_gives_no_answer_costs_no_correction() {
    let gone = || json!({ "stage": "j", "fault": "permanent", "message": "gone" });
    let three = "stop: { max_iterations: 3 }";
    let silent = place(&judged("", three), &[extracted("a"), gone(), extracted("b"), gone()]);
    let result = run(&silent).exits(1).json();
    assert_eq!(
        (&result["final_status"], &result["stop_reason"]),
        (&json!("failed"), &json!("provider_error"))
    );
    assert_eq!(result["usage"]["calls"], 2);
    assert_eq!(result["best_extraction"], json!({ "tags": "a" }));
    assert_eq!(issues(&result)[0]["code"], "JUDGE_FAILED");
    assert!(result["detail"].to_string().contains("judge `j` gave no answer"), "{result}");
    crate::journal::assert_replays(&silent, "parts");

    // The next document's judge would be refused, too.
    let refused = json!({ "stage": "j", "fault": "unauthorized" });
    let batch = place(&judged("", three), &[extracted("a"), refused]);
    for name in ["a", "b", "c"] {
        batch.write(&format!("docs/{name}.txt"), "x");
    }
    let ran = batch.run(&["run", "--profile", "parts", "--format", "jsonl", "docs"]).exits(1);
    ran.says(&["error: 2 documents were not tried (`b`, `c`): judge `j` gave no answer"]);

    // With something to correct it ends, too; with something that stands in for the judge the loop continues.
    let strict = judged("", three).replace("assess: {", "assess: { parts: { rules: strict, penalty: 0.1 },");
    let place_of = |profile: &str| {
        let place = place(profile, &[extracted("a"), gone(), extracted("b"), gone(), extracted("c"), gone()]);
        place.write("rules/strict.yaml", "rules: [{ id: z, require: z }]");
        place
    };
    let stood_in = judged(", on_failure: { then: { fallback: 0.5 } }", three);
    for (profile, count, reason) in [(strict, 1, "provider_error"), (stood_in, 3, "max_iterations")] {
        let result = run(&place_of(&profile)).json();
        assert_eq!((&result["iteration_count"], &result["stop_reason"]), (&json!(count), &json!(reason)));
    }
}

#[test]
fn an_attempt_that_nobody_judged_is_not_said_to_be_worse() {
    let busy = json!({ "stage": "j", "fault": "transient", "message": "busy" });
    let found = says(json!({ "s": 0.5, "issues": ["look again"] }));
    let answers =
        [extracted("a"), found, extracted("b"), busy, extracted("c"), says(json!({ "s": 1, "issues": [] }))];
    let profile =
        judged(", on_failure: { retry: 0 }", "on_regression: rollback\nstop: { max_iterations: 3 }");
    let place = place(&profile, &answers);
    assert_eq!(run(&place).exits(0).json()["iteration_count"], 3);
    assert!(is_written(&place, "attempt 1 changed /tags: tone was not measured"));
    assert!(!is_written(&place, "tone fell"));
}

#[test]
fn a_judge_is_asked_where_the_stage_is() {
    let profile = |provider: &str| {
        judged("", "stop: { max_iterations: 1 }")
            .replace("j: { provider: scripted, config: { file: answers.jsonl }", &format!("j: {{ {provider}"))
    };
    let answers = [extracted("a"), says(json!({ "s": 1, "issues": [] }))];
    let result = run(&place(&profile("provider: $stage"), &answers)).exits(0).json();
    assert_eq!(result["answered_by"]["j"], json!(["scripted"]));

    // The provider of the stage may be named on the command line, too; one that asks no model is no judge.
    let place = place(&profile("provider: $stage"), &answers);
    place.write(
        "rules/extract/parts.yaml",
        "extract: parts\nfields: { tags: { patterns: [{ pattern: '(?P<value>nodule)' }] } }\n",
    );
    let more = [
        "--provider",
        "pattern",
        "--config",
        "stages.*.patterns=extract/parts.yaml",
        "--config",
        "stages.*.config={}",
    ];
    let result = place
        .run(&[&["run", "--profile", "parts", "--format", "json", "doc.txt"], &more[..]].concat())
        .exits(3)
        .json();
    assert!(result["warnings"].to_string().contains("judge `j` was not asked"), "{result}");

    place.write("profiles/parts.yaml", profile("provider: [$stage, scripted]"));
    let check = place.run(&["check", "parts"]).exits(2);
    assert!(check.out.contains("`$stage` is all that the stage asks already"), "{}", check.out);
}

#[test]
fn a_judge_that_nobody_listens_to_is_warned_of() {
    let deaf = "  k: { provider: scripted, config: { file: answers.jsonl }, prompt: judge.md }\nassess:";
    let place = place(&judged("", "stop: { max_iterations: 2 }").replace("assess:", deaf), &[]);
    let check = place.run(&["check", "parts"]).exits(0);
    assert!(check.out.contains("nothing uses the judge `k`"), "{}", check.out);
    assert!(!check.out.contains("nothing uses the judge `j`"), "{}", check.out);
}

#[cfg(unix)]
#[test]
fn a_validator_that_contradicts_itself_has_failed() {
    let found = |said: &str| {
        let profile = "classify: null
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: tagger.md }]
validators: { v: { command: [sh, -c, 'cat > said.in; cat said.json'], stages: [one, two] } }
assess: { tone: { external: { validator: v }, otherwise: { rubric: parts } } }
overall: { from: tone }
accept: { overall: 0.2, critical_issues: 0 }
stop: { max_iterations: 1 }
";
        let place = place(profile, &[extracted("a")]);
        place.write("said.json", said);
        place.run(&["run", "--profile", "parts", "--allow-commands", "--format", "json", "doc.txt"]).json()
    };
    let passed = r#"{"name": "one", "passed": true}, {"name": "two", "passed": true}"#;
    assert_eq!(found(&format!(r#"{{"stages": [{passed}]}}"#))["final_status"], "passed");
    for (said, why) in [
        (format!(r#"{{"stages": [{passed}, {{"name": "two", "passed": false, "issues": ["m"]}}]}}"#), "has a stage twice"),
        (format!(r#"{{"unavailable": "no", "stages": [{passed}]}}"#), "has `unavailable` and `stages`"),
        (r#"{"stages": [{"name": "one", "passed": false, "issues": [{"message": "m", "severity": "fatal"}]}]}"#.to_owned(), "whose `severity`"),
        (format!(r#"{{"stages": [{{"name": "one", "passed": false}}], "stages": [{passed}]}}"#), "a key twice"),
        (format!(r#"{{"stages": [{passed}], "issues": [{{"message": "m"}}]}}"#), "`issues` beside its stages"),
        (r#"{"stages": [{"name": "one", "passed": true, "issues": "bad"}, {"name": "two", "passed": true}]}"#.to_owned(), "not a list of issues"),
    ] {
        let result = found(&said);
        assert_ne!(result["final_status"], "passed", "{said}");
        let all = json!(issues(&result)).to_string();
        assert!(all.contains("VALIDATOR_FAILED") && all.contains(why), "{all}");
    }
}

#[test]
fn nothing_turns_round_what_a_person_reads() {
    let turned = "12\u{202e}34\u{2066}5";
    let place = place(
        &judged("", "stop: { max_iterations: 1 }"),
        &[extracted(turned), says(json!({ "s": 0.5, "issues": [turned] }))],
    );
    let ran = place.run(&["run", "--profile", "parts", "--format", "text", "doc.txt"]).exits(3);
    assert!(ran.out.contains("12 34 5"), "{}", ran.out);
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains('\u{202e}') && !text.contains('\u{2066}'), "{text}");
    }
}

/// A dimension that stands in for a judge counts as what it is in the end, not as what measured it before others were asked.
#[test]
fn what_stands_in_for_a_judge_is_itself_judged() {
    let judge = |id: &str, after: &str| {
        format!(
            "  {id}: {{ provider: scripted, config: {{ file: answers.jsonl }}, prompt: judge.md, on_failure: {{ retry: 0, then: {after} }} }}\n"
        )
    };
    let scores = |b: Value| {
        let profile = format!(
            "classify: null
stages: [{{ id: extract, provider: scripted, config: {{ file: answers.jsonl }}, prompt: tagger.md, retries: 0 }}]
judges:
{}{}{}assess:
  first: {{ judge: a, score: /s }}
  second: {{ judge: c, score: /s }}
  third: {{ judge: b, score: /s, otherwise: {{ rubric: parts }} }}
overall: {{ from: first }}
accept: {{ first: 0.9 }}
stop: {{ max_iterations: 1 }}
",
            judge("a", "{ fallback: second }"),
            judge("b", "escalate"),
            judge("c", "{ fallback: third }"),
        );
        let gone = |judge: &str| json!({ "stage": judge, "fault": "permanent", "message": "gone" });
        let whole = answer("extract", json!({ "tags": 1, "class": 1, "advice": 1 }));
        let result = run(&place(&profile, &[whole, gone("a"), b, gone("c")])).json();
        (result["final_status"].clone(), result["best_validation"]["scores"].clone())
    };
    let (status, low) = scores(answer("b", json!({ "s": 0.1 })));
    assert_eq!(
        (status, low),
        (json!("max_iterations_reached"), json!({ "third": 0.1, "first": 0.1, "second": 0.1 }))
    );
    let (status, none) = scores(json!({ "stage": "b", "fault": "permanent", "message": "gone" }));
    assert_ne!(status, "passed");
    assert_eq!(none, json!({}));
    assert_eq!(scores(answer("b", json!({ "s": 0.95 }))).0, "passed");
}
