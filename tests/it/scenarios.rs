//! `loopctl test`: scenario tests beside profiles and rules.

use super::workspace::{Ran, Workspace};
use loopctl::diag::{Problems, SourceFile};
use loopctl::experiment::scenario::{Choice, Verdict, survivors, test_profile};
use loopctl::experiment::{Answer, Trajectory, simulate};
use loopctl::policy::ScriptCriteria;
use loopctl::profile::{Library, load};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One measured and one given dimension.
const PROFILE: &str = "
stages: [{ id: extract, provider: nobody, prompt: ask.md }]
assess: { quality: given, consistency: { rules: mine, penalty: 0.25 } }
overall: { quality: 0.5, consistency: 0.5 }
accept: { overall: 0.9 }
on_regression: rollback
stop: { max_iterations: 3, rollbacks: 2 }
select: { order: [overall], ties: first }
review: { when: overall < 0.5 }
feedback: { template: mine.md }
";

const RULES: &str = "
rules:
  - { id: grade-format, field: grade, matches: { pattern: '^[123]$' }, message: 'not a grade: {{ value }}' }
  - { id: needs-date, when: { field: grade, required: true }, require: date }
";

fn place(cases: &str) -> Workspace {
    let place = Workspace::new();
    place.write("profiles/mine.yaml", PROFILE);
    place.write("rules/mine.yaml", RULES);
    place.write("prompts/ask.md", "Read this: {{ source }}");
    let feedback = "{% for finding in major %}\nMajor: {{ finding.message }}{% endfor %}{% for failed in failed_attempts %}\n{{ failed }}{% endfor %}\nScore: {{ score }}";
    place.write("prompts/mine.md", feedback);
    place.write("profiles/mine.test.yaml", format!("cases:\n{cases}"));
    place
}

fn tested(cases: &str) -> Ran {
    place(cases).run(&["test", "mine"])
}

/// The report on cases that can't be used.
fn problems(cases: &str) -> String {
    let ran = tested(cases).exits(2);
    ran.err
}

const PASSES: &str = "
  - name: passes at the bound
    trajectory: [{ scores: { quality: 0.8, consistency: 1 } }]
    expect: { final_status: passed, stop_reason: accepted, improvement_trajectory: [0.9000004], best_iteration: 0, review: false }
";

#[test]
fn a_case_that_comes_out_as_expected_is_counted() {
    let ran = tested(PASSES).exits(0);
    assert_eq!(ran.out, "ok      mine  1 case\n1 passed: 1 case in 1 test file\n");
    assert_eq!(ran.err, "");
}

#[test]
fn what_differs_is_shown_with_its_line() {
    let ran = tested(
        "
  - name: goes on
    trajectory:
      - { scores: { quality: 0.5, consistency: 1 }, issues: [{ code: X, severity: major }] }
      - { scores: 0.25, elapsed_ms: 10, cost_usd: 0.5 }
    expect:
      final_status: passed
      improvement_trajectory: [0.75, 0.251]
      best_iteration: 0
      rollbacks: 1
      base: 0
      cost_usd: 0.5
      feedback: { contains: [quality fell from 0.500 to 0.250, nonsense], lacks: [Major, 'Minor:'] }
  - name: is assessed
    candidates: [{ grade: x }, { grade: '2', date: d }]
    expect:
      assessments:
        - scores: { consistency: 1 }
          missing: []
          issues: [{ code: GRADE_FORMAT, severity: minor }, { rule: grade-format, message: 'not a grade' }]
          no_issues: [{ path: /grade, code: GRADE_FORMAT }]
        - { issues: [] , overall: 0.5 }
",
    )
    .exits(3);
    insta::assert_snapshot!(ran.out);
    assert_eq!(ran.err, "");
}

#[test]
fn results_are_written_for_programs() {
    let cases = format!(
        "{PASSES}\n  - name: '<fails> & \"stops\"'\n    unreadable: true\n    expect: {{ stop_reason: accepted }}\n"
    );
    let place = place(&cases);
    let json: Value =
        serde_json::from_str(&place.run(&["test", "mine", "--format", "json"]).exits(3).out).unwrap();
    assert_eq!((&json["passed"], &json["failed"]), (&1.into(), &1.into()));
    assert_eq!(
        json["suites"][0]["cases"][1],
        json!({"name": "<fails> & \"stops\"", "line": 7, "passed": false, "stuck": null,
            "differences": [{"path": "stop_reason", "expected": "accepted", "found": "unreadable_input", "line": 9}]})
    );
    let junit = place.run(&["test", "mine", "--format", "junit"]).exits(3).out;
    insta::assert_snapshot!(junit);
}

#[test]
fn what_can_not_be_used_is_named_in_every_format() {
    let place =
        place("\n  - { name: 'a & b', trajectory: [{ scores: 1 }], expect: { final_status: passt } }\n");
    let human = place.run(&["test", "mine", "batch", "nobody"]).exits(2).out;
    assert!(human.contains("FAILED  nobody  can't be used\n"), "{human}");
    assert!(human.contains("FAILED  mine  ./profiles/mine.test.yaml can't be used\n"), "{human}");
    assert!(human.ends_with(" in 1 test file, 2 can't be used\n"), "{human}");

    let json = place.run(&["test", "mine", "--format", "json"]).exits(2).out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["passed"], &json["failed"], &json["errors"]), (&0.into(), &0.into(), &1.into()));
    let suite = &json["suites"][0];
    assert_eq!((&suite["name"], &suite["kind"]), (&"mine".into(), &"profile".into()));
    let problem = &suite["problems"][0];
    assert!(problem["message"].as_str().unwrap().contains("passt"), "{suite:#}");
    assert_eq!((&problem["file"], &problem["line"]), (&"./profiles/mine.test.yaml".into(), &3.into()));

    let junit = place.run(&["test", "mine", "nobody", "--format", "junit"]).exits(2).out;
    insta::assert_snapshot!(junit);
}

#[test]
fn a_script_that_breaks_fails_each_case_that_does_not_expect_it() {
    let cases =
        "  - { name: measured, candidates: [{ a: 1 }], expect: { final_status: incomplete EXPECTED } }
  - { name: scored, trajectory: [{ scores: 0.5 }, { scores: 0.6 }], expect: { final_status: incomplete } }
";
    let place = place(&cases.replace("EXPECTED", ""));
    let profile = PROFILE
        .replace("{ rules: mine, penalty: 0.25 }", "{ script: 'mine.rhai#look' }")
        .replace("rollbacks: 2", "script: { halt: 'mine.rhai#halt' }");
    place.write("profiles/mine.yaml", profile);
    let works = "fn look(candidate, source) { 0.5 }\nfn halt(history) { false }\n";
    place.write("rules/mine.rhai", works);
    place.run(&["test", "mine"]).exits(0);
    place.write("rules/mine.rhai", works.replace("0.5", "\"half\"").replace("false", "\"no\""));
    let broken = place.run(&["test", "mine"]).exits(3);
    for part in ["0 passed, 2 failed", "`look`: returned string; expected a number", "`halt`"] {
        assert!(broken.out.contains(part), "{part}: {}", broken.out);
    }
    // Who wants to see it break says so.
    let expected = ", assessments: [{ issues: [{ code: SCRIPT_FAILED }] }]";
    place.write("profiles/mine.test.yaml", format!("cases:\n{}", cases.replace("EXPECTED", expected)));
    place.write("rules/mine.rhai", works.replace("0.5", "\"half\""));
    place.run(&["test", "mine"]).exits(0);
}

#[test]
fn a_score_that_is_enough_is_not_said_to_be_too_low() {
    for template in ["default", "definition", "marc-v1"] {
        let place = place(
            "  - { name: low, trajectory: [{ scores: 0.5 }], expect: { feedback: { contains: '90.0 % is needed' } } }
  - name: enough
    trajectory: [{ scores: 1, issues: [{ code: A, severity: critical, path: /a }] }]
    expect: { feedback: { contains: '100.0 % of 100 %, which is enough; other conditions', lacks: is needed } }
",
        );
        let profile = PROFILE.replace("mine.md", &format!("feedback/{template}.md"));
        let profile = profile.replace("overall: 0.9 }", "overall: 0.9, critical_issues: 0 }");
        place.write("profiles/mine.yaml", profile);
        place.run(&["test", "mine"]).exits(0);
    }
}

#[test]
fn what_could_never_be_compared_is_an_error_with_a_guess() {
    let case = |rest: &str| format!("  - name: x\n    {rest}\n");
    let good = "trajectory: [{ scores: { quality: 1 } }]";
    for (rest, message, help) in [
        (good.to_owned(), "this case expects nothing", "add `expect:`"),
        (format!("{good}\n    expect: {{}}"), "this case expects nothing", "say what must come of it"),
        (
            format!("{good}\n    expect: {{ final_stats: passed }}"),
            "mine.test.yaml:4:15",
            "did you mean `final_status`?",
        ),
        (
            format!("{good}\n    expect: {{ final_status: pased }}"),
            "unknown status `pased`",
            "did you mean `passed`?",
        ),
        (
            format!("{good}\n    expect: {{ stop_reason: acepted }}"),
            "unknown reason to stop `acepted`",
            "did you mean `accepted`?",
        ),
        (format!("{good}\n    expect: {{ rollbacks: '1' }}"), "expected a whole number, found text", ""),
        (format!("{good}\n    expect: {{ rollbacks: null }}"), "expected a value, found nothing", ""),
        (format!("{good}\n    expect: {{ improvement_trajectory: 0.9 }}"), "expected a list", ""),
        (
            format!("{good}\n    expect: {{ assessments: [{{ overall: 1 }}] }}"),
            "`assessments` has nothing to look at",
            "`candidates`",
        ),
        (format!("{good}\n    answers: [{{}}]\n    expect: {{ tokens: 0 }}"), "answers", ""),
        (
            "trajectory: [{ scores: { qualty: 1 } }]\n    expect: { tokens: 0 }".into(),
            "no dimension is called `qualty`",
            "did you mean `quality`?",
        ),
        (
            "trajectory: [{ scores: { quality: 95 } }]\n    expect: { tokens: 0 }".into(),
            "expected a score from 0 to 1, found 95",
            "0.95",
        ),
        (
            "trajectory: [{ score: { quality: 1 } }]\n    expect: { tokens: 0 }".into(),
            "unknown key `score`",
            "did you mean `scores`?",
        ),
        ("trajectory: []\n    expect: { tokens: 0 }".into(), "there must be at least one candidate", ""),
        ("expect: { tokens: 0 }".into(), "this case has no candidates", "`trajectory`"),
        (
            format!("{good}\n    candidates: [{{}}]\n    expect: {{ tokens: 0 }}"),
            "has its candidates twice",
            "",
        ),
        (
            format!("{good}\n    set: {{ acept.overall: 0.5 }}\n    expect: {{ tokens: 0 }}"),
            "unknown key `acept`",
            "did you mean `accept`?",
        ),
        (
            "candidates: [{}]\n    document_type: patology\n    expect: { tokens: 0 }".into(),
            "no document type is called `patology`",
            "did you mean `pathology`?",
        ),
        (
            "candidates: [{}]\n    expect: { assessments: [{}, {}] }".into(),
            "more of them than candidates",
            "",
        ),
        (
            "candidates: [{}]\n    expect: { assessments: [{ issues: [{ cod: X }] }] }".into(),
            "unknown key `cod`",
            "did you mean `code`?",
        ),
        (
            "candidates: [{}]\n    expect: { assessments: [{ issues: [{}] }] }".into(),
            "this fits every issue",
            "",
        ),
        (
            "candidates: [{}]\n    expect: { assessments: [{ issues: [{ rule: grade-formt }] }] }".into(),
            "no rule is called `grade-formt`",
            "did you mean `grade-format`?",
        ),
        (
            "candidates: [{}]\n    expect: { assessments: [{ issues: [{ path: a.b }] }] }".into(),
            "starts with `/`",
            "write `/a/b`",
        ),
        (
            "candidates: [{}]\n    expect: { assessments: [{ no_issues: [] }] }".into(),
            "excludes nothing",
            "`issues: []`",
        ),
        ("candidates: [{}]\n    expect: { feedback: {} }".into(), "no expectation of the text", ""),
        (
            "candidates: [{}]\n    expect: { feedback: { contains: ' ' } }".into(),
            "every text contains this",
            "",
        ),
        (
            "candidates: [{}]\n    expect: { feedback: { stage: extrct, contains: x } }".into(),
            "no stage is called `extrct`",
            "did you mean `extract`?",
        ),
        (
            "candidates: [{}]\n    answers: [{ judge: 1 }]\n    expect: { tokens: 0 }".into(),
            "no judge or validator is called `judge`",
            "",
        ),
        (
            "outputs: [{ extrat: 1 }]\n    expect: { tokens: 0 }".into(),
            "no stage is called `extrat`",
            "did you mean `extract`?",
        ),
    ] {
        let err = problems(&case(&rest));
        assert!(err.contains(message) && err.contains(help), "{rest}\n{err}");
    }
    let twice = problems(&(PASSES.to_owned() + PASSES));
    assert!(twice.contains("two cases have this name"), "{twice}");
}

#[test]
fn a_code_that_is_nearly_one_is_warned_about() {
    let ran = tested(
        "  - name: x\n    candidates: [{ grade: x }]\n    expect: { assessments: [{ no_issues: [{ code: GRADE_FORMATS }] }] }\n",
    );
    let err = ran.exits(0).err;
    assert!(
        err.contains("no rule gives the code `GRADE_FORMATS`")
            && err.contains("did you mean `GRADE_FORMAT`?"),
        "{err}"
    );
}

/// Two stages, a judge and a validator.
const PIPELINE: &str = "
mask: [{ pattern: 'SECRET.*', replace: '[withheld]' }]
stages:
  - { id: tagger, provider: nobody, prompt: ask.md, into: tags, skip_when: tagger.found | length == 0 }
  - { id: writer, provider: nobody, prompt: ask.md }
judges:
  reader: { provider: '${LOOPCTL_JUDGE:-none}', prompt: judge.md, sees: unmasked, issues: /remarks, on_failure: { retry: 1, then: escalate } }
validators:
  engine: { command: [nothing], stages: [one, two] }
assess:
  quality: { judge: reader, score: /score, otherwise: { rules: mine, penalty: 0.2 } }
  outside: { external: { validator: engine } }
overall: { from: quality }
accept: { quality: 0.9 }
stop: { max_iterations: 2 }
feedback: { to: all }
";

#[test]
fn stages_judges_and_validators_answer_as_the_case_says() {
    let place = place("");
    place.write("profiles/piped.yaml", PIPELINE);
    place.write("prompts/judge.md", "Judge {{ candidate }} by {{ source }}");
    place.write(
        "profiles/piped.test.yaml",
        "
cases:
  - name: nothing found, nothing to do
    source: A report.
    outputs: [{ tagger: { found: [] } }]
    expect: { final_status: skipped, stop_reason: 'skip:tagger', iteration_count: 0, best_iteration: null, selection_reason: null }
  - name: stages answer one after the other
    source: A report. SECRET impression
    outputs: [{ tagger: { found: [a] }, writer: { text: x } }]
    answers: [{ reader: { score: 0.4, remarks: [too short] }, engine: { stages: [{ name: one, passed: true }] } }]
    expect:
      final_status: incomplete
      best_extraction: { text: x, tags: { found: [a] } }
      assessments:
        - scores: { quality: 0.4, outside: 0.5 }
          issues: [{ code: JUDGE_READER, message: too short }]
          no_issues: [{ code: VALIDATOR_UNAVAILABLE }]
      feedback: { stage: tagger, contains: too short }
      request: { stage: writer, contains: [Read this, too short] }
      requests:
        - { stage: tagger, iteration: 0, contains: 'A report. [withheld]', lacks: SECRET }
        - { stage: tagger, iteration: 1, contains: too short }
        - { judge: reader, contains: SECRET impression }
  - name: without its answer a judge is not asked, and rules take its place
    candidates: [{ grade: x, date: d }]
    expect:
      assessments: [{ scores: { quality: 0.8 }, issues: [{ code: GRADE_FORMAT }, { code: VALIDATOR_UNAVAILABLE, disposition: warn }] }]
  - name: a judge may fail
    candidates: [{}]
    answers: [{ reader: null }]
    expect: { assessments: [{ issues: [{ code: JUDGE_FAILED, severity: critical, disposition: escalate }] }] }
  - name: what a judge says without a score is no answer
    candidates: [{}]
    answers: [{ reader: fine }]
    expect: { assessments: [{ issues: [{ code: JUDGE_FAILED, message: no number at }] }] }
  - name: the rest is assessed by itself
    set: { stop.max_iterations: 1 }
    candidates: [{ grade: x, date: d }, { grade: '1', date: d }]
    expect:
      iteration_count: 1
      assessments: [{ scores: { quality: 0.8 } }, { scores: { quality: 1 } }]
  - name: a judge that is asked and says nothing
    candidates: [{}, {}]
    answers: [{ reader: { score: 0.1 } }]
    expect: { iteration_count: 2 }
  - name: a stage that is asked and says nothing
    outputs: [{ tagger: { found: [a] } }]
    expect: { iteration_count: 1 }
",
    );
    let ran = place.run(&["test", "piped"]).exits(3);
    assert!(ran.out.contains("8 cases, 2 failed"), "{}", ran.out);
    assert!(
        ran.out.contains("judge `reader` is asked about candidate 1, and `answers[1]` has no answer of it"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("stage `writer` is asked for candidate 0, and `outputs[0]` has no answer of it"),
        "{}",
        ran.out
    );
}

#[test]
fn unreadable_documents_and_types_are_found_as_in_a_run() {
    let ran = tested(
        "
  - name: no text
    candidates: [{}]
    source: \"\\0\\0\\0\"
    expect: { final_status: failed, stop_reason: unreadable_input, iteration_count: 0, best_extraction: null }
  - name: classified
    candidates: [{}]
    source: 'SURGICAL PATHOLOGY REPORT. FINAL DIAGNOSIS: adenocarcinoma. Gross description. Microscopic description.'
    expect: { document_type: pathology, review: false, best_extraction: {} }
",
    );
    ran.exits(0);
}

#[test]
fn a_profile_given_by_path_has_its_cases_beside_it() {
    let place = Workspace::new();
    place.write("deep/down.yaml", "extends: batch\nstop: { max_iterations: 2 }\n");
    let missing = place.run(&["test", "deep/down.yaml"]).exits(2);
    assert!(
        missing.err.contains("`deep/down.yaml` has no test file `deep/down.test.yaml`"),
        "{}",
        missing.err
    );
    place.write(
        "deep/down.test.yaml",
        "cases:\n  - name: two candidates\n    trajectory: [{ scores: 0.1 }, { scores: 0.2 }]\n    expect: { stop_reason: max_iterations }\n",
    );
    for argument in ["deep/down.yaml", "deep/down.test.yaml"] {
        assert!(place.run(&["test", argument]).exits(0).out.contains("1 passed"));
    }
    place.run(&["test", "deep/down.yaml", "--config", "stop.max_iterations=3"]).exits(3);
    let unknown = place.run(&["test", "bach"]).exits(2);
    assert!(unknown.err.contains("did you mean `batch`?"), "{}", unknown.err);
}

#[test]
fn cases_are_chosen_by_name_and_the_environment_decides_nothing() {
    let place = place(PASSES);
    place.run(&["test", "mine", "--filter", "at the bound"]).exits(0);
    let none = place.run(&["test", "mine", "--filter", "beyond"]).exits(2);
    assert!(none.err.contains("no case has `beyond` in its name"), "{}", none.err);
    let set = place.loopctl(&["test", "mine"]).env("LOOPCTL_QUALITY_THRESHOLD", "0.99").assert();
    assert!(set.get_output().status.success());
}

#[test]
fn rules_find_nothing_in_valid_and_something_in_invalid_candidates() {
    let place = place(PASSES);
    place.write(
        "rules/mine.test.yaml",
        "cases:\n  - rule: grade-format\n    valid: [{ grade: '2' }, {}, { grade: x }]\n    invalid: [{ grade: x }, { grade: '1' }]\n",
    );
    for argument in ["rules/mine.yaml", "rules/mine.test.yaml"] {
        let ran = place.run(&["test", argument]).exits(3);
        assert!(
            ran.out.contains("valid[2]  line 3")
                && ran.out.contains("GRADE_FORMAT major correct at /grade: not a grade: x"),
            "{}",
            ran.out
        );
        assert!(
            ran.out.contains("invalid[1]  line 4") && !ran.out.contains("valid[1]  line 3"),
            "{}",
            ran.out
        );
        assert!(ran.err.contains("the rule `needs-date` of rules/mine.yaml has no case in"), "{}", ran.err);
    }
    let case = |rest: &str| format!("cases:\n  - rule: grade-format\n    valid: [{{}}]\n    {rest}\n");
    let like = |issue: &str| case(&format!("invalid: [{{ grade: x }}]\n    issue: {{ {issue} }}"));
    place.write("rules/mine.test.yaml", like("code: GRADE_FORMAT, auto_fixable: false"));
    place.run(&["test", "rules/mine.yaml"]).exits(0);
    place.write("rules/mine.test.yaml", like("code: GRADE_FORMAT, auto_fixable: true"));
    let other = place.run(&["test", "rules/mine.yaml"]).exits(3).out;
    assert!(other.contains("expected  an issue GRADE_FORMAT auto_fixable\n"), "{other}");
    place.write("rules/mine.test.yaml", case("issue: { code: GRADE_FORMAT }"));
    let unused = place.run(&["test", "rules/mine.yaml"]).exits(2).err;
    assert!(unused.contains("no issue is compared with this"), "{unused}");
    place.write("rules/other.yaml", RULES);
    place.write("rules/mine.test.yaml", "cases: [{ rule: grade-format, valid: [{}] }]");
    let all = place.run(&["test"]).exits(0);
    assert!(all.err.contains("the rules of `./rules/other.yaml` have no cases"), "{}", all.err);
    assert!(
        all.err.contains("the rule `grade-format` of rules/mine.yaml has no invalid candidate"),
        "{}",
        all.err
    );
    place.write("rules/mine.test.yaml", "cases: [{ rule: grade-formt, valid: [{}] }]");
    let slip = place.run(&["test", "rules/mine.yaml"]).exits(2);
    assert!(
        slip.err.contains("no rule is called `grade-formt`")
            && slip.err.contains("did you mean `grade-format`?"),
        "{}",
        slip.err
    );
}

#[test]
fn everything_with_a_test_file_is_tested_by_default() {
    Workspace::new().run(&["test"]).exits(2).says(&["there are no tests in this folder", "--all"]);
    let ran = Workspace::new().run(&["test", "--all"]).exits(0);
    for name in ["clinical", "rules/clinical-validity", "rules/clinical-consistency"] {
        assert!(ran.out.contains(&format!("ok      {name}  ")), "{}", ran.out);
    }
    assert_eq!(ran.err, "");
}

#[test]
fn in_a_project_its_own_cases_are_tested_by_default() {
    let place = place("  - { name: a, trajectory: [{ scores: 1 }], expect: { final_status: passed } }\n");
    let own = place.run(&["test"]).exits(0).out;
    assert_eq!(own, "ok      mine  1 case\n1 passed: 1 case in 1 test file\n");
    let all = place.run(&["test", "--all"]).exits(0).out;
    assert!(all.contains("ok      mine  1 case\n") && all.contains("ok      clinical  "), "{all}");
}

#[test]
fn changes_that_no_case_notices_are_named() {
    let library = Library::embedded()
        .holding("profiles/small.yaml", "extends: batch\naccept: { overall: 0.5 }\nstop: { max_iterations: 2 }\ndescription: d\n")
        .holding(
            "profiles/small.test.yaml",
            "cases:\n  - { name: a, trajectory: [{ scores: 0.5 }], expect: { final_status: passed } }\n  - { name: b, trajectory: [{ scores: 0.49 }, { scores: 0.1 }], expect: { stop_reason: max_iterations } }\n",
        );
    let found = survivors("small", &library, &mut Problems::new()).unwrap();
    let names: Vec<&str> = found.survivors.iter().map(|mutant| mutant.name.as_str()).collect();
    // With one candidate at most, the second case ends for the same reason.
    assert_eq!(names, ["stop.max_iterations: 2 → 1"]);
    assert!(found.noticed > 4, "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A case may expect everything that `simulate` answers, and nothing else.
    #[test]
    fn a_case_agrees_with_simulate(scores in prop::collection::vec(0_u32..=100, 1..6)) {
        let step = |score: &u32| {
            let score = f64::from(*score) / 100.0;
            let scores = json!({"completeness": score, "accuracy": score, "validity": score, "consistency": score});
            json!({"scores": scores, "elapsed_ms": 7, "cost_usd": 0.1, "tokens": 3})
        };
        let steps: Vec<Value> = scores.iter().map(step).collect();
        let line = json!({"id": 1, "iterations": steps});
        let trajectory = Trajectory::parse(line.to_string().as_bytes()).unwrap();
        let library = Library::embedded();
        let policy = load("balanced", &library, &[], &|_| None, &mut Problems::new()).unwrap().profile.policy;
        let simulated = simulate(&policy, &ScriptCriteria::default(), &trajectory);
        let mut answer = serde_json::to_value(Answer::of(&trajectory.id, None, &simulated)).unwrap();
        answer.as_object_mut().unwrap().remove("id");
        let mut wrong = answer.clone();
        wrong["best_iteration"] = (answer["best_iteration"].as_u64().unwrap() + 1).into();
        let case = |name: &str, expect: &Value| json!({"name": name, "trajectory": steps, "expect": expect});
        let cases = json!({"cases": [case("right", &answer), case("wrong", &wrong)]});
        let file = SourceFile::new("balanced.test.yaml", cases.to_string());
        let choice = Choice { first_failure: true, ..Choice::default() };
        let suite = test_profile("balanced", &library, &file, choice, &mut Problems::new()).unwrap();
        let failed = suite.results.iter().filter(|result| result.verdict != Verdict::Passed);
        prop_assert_eq!(failed.map(|result| result.name.as_str()).collect::<Vec<_>>(), ["wrong"]);
    }
}
