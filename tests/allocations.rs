//! Scoring a candidate without issues allocates nothing once its buffers are warm, and deciding about it nothing at all.
//!
//! A binary of its own: it counts every allocation of the process's test thread with a global allocator.
#![expect(unsafe_code, reason = "a global allocator can't be written without it")]

use loopctl::engine::{Consulted, Input, Output, Produced, Work};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::policy::{History, IterationSummary, ScriptCriteria, Spent, decide};
use loopctl::score::Assessment;
use loopctl::value::{Millis, Score, Usage};
use serde_json::{Map, Value, json};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

// The same documents as the benches measure.
#[cfg(test)]
#[path = "../benches/documents.rs"]
mod documents;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches a plain thread-local cell,
// which neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(run: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    run();
    COUNT.with(Cell::get) - before
}

/// The first assessment warms the buffers; the second is free.
#[track_caller]
fn assert_free(plan: &Plan, document_type: &str, candidate: &Value, text: &str) {
    let context = DocumentContext::named(plan, document_type, Some(text));
    let mut assessor = context.assessor();
    let mut out = Assessment::default();
    context.assess(&mut assessor, candidate, Given::default(), &mut out);
    assert!(out.issues.is_empty(), "{:?}", out.issues);
    assert!((out.overall - 1.0).abs() < 1e-9, "{:?}", out.scores);
    let count = allocations(|| context.assess(&mut assessor, candidate, Given::default(), &mut out));
    assert_eq!(count, 0, "a candidate without issues was assessed with {count} allocations");
}

#[test]
fn a_pathology_report_costs_no_allocation() {
    let plan = documents::shipped("clinical");
    assert_free(&plan, "pathology", &documents::pathology(), documents::PATHOLOGY_REPORT);
}

#[test]
fn two_hundred_grounded_fields_cost_no_allocation() {
    let folder = tempfile::tempdir().unwrap();
    let plan = documents::wide_plan(folder.path());
    let (text, candidate) = documents::wide();
    assert_free(&plan, "observations", &candidate, &text);
}

#[test]
fn two_hundred_fields_and_every_check_cost_no_allocation() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("rules/rubrics")).unwrap();
    let fields: Vec<String> = (0..200).map(|i| format!("field{i}")).collect();
    std::fs::write(
        root.path().join("rules/rubrics/wide.yaml"),
        format!("types: {{unknown: {{required: [{}]}}}}\n", fields.join(", ")),
    )
    .unwrap();
    std::fs::write(
        root.path().join("rules/wide.yaml"),
        "rules:
  - {id: a, each: '$.*', when: {key: {matches: '^field'}}, type: [text, number], matches: 'a|\\d'}
  - {id: b, field: field0, required: true, length: {min: 1, max: 40}, one_of: {values: [ALPHA], ignore_case: true}, contains: LPH, not: {equals: beta}}
  - {id: c, field: field1, format: date, before: field2, after: 2000-01-01}
  - {id: d, field: field3, unit: [mm], any: [{range: {min: 5}}, {contains: mm}]}
  - {id: e, field: list, unique: true, resolves: '$.list[*]', sum_to: 6}
  - {id: f, require: field5, forbids: [nothing], requires: ['$.list[0]']}
  - {id: g, field: field4, type: integer, range: {min: 1, max: 9}}
",
    )
    .unwrap();
    let mut candidate: Map<String, Value> =
        fields.iter().enumerate().map(|(i, field)| (field.clone(), json!(format!("a value {i}")))).collect();
    for (field, value) in [
        ("field0", json!("alpha")),
        ("field1", json!("2024-01-01")),
        ("field2", json!("2024-02-01")),
        ("field3", json!("12 mm")),
        ("field4", json!(7)),
        ("list", json!([1, 2, 3])),
    ] {
        candidate.insert(field.to_owned(), value);
    }
    let profile = root.path().join("wide.yaml");
    std::fs::write(
        &profile,
        "assess: {c: {rubric: wide}, v: {rules: wide, penalty: 0.1}}
overall: {c: 0.5, v: 0.5}
accept: {overall: 0.9}
stop: {max_iterations: 2}
",
    )
    .unwrap();
    let plan = documents::plan(&documents::loaded(&profile.to_string_lossy()));
    assert_free(&plan, "unknown", &Value::Object(candidate), "");
}

/// Facts already known about a candidate move from state to state.
#[test]
fn an_answer_costs_the_same_whatever_was_found_and_answered_before() {
    let root = tempfile::tempdir().unwrap();
    let judges: String = (0..8).map(|n| format!("  j{n}: {{ provider: x, prompt: extract.md }}\n")).collect();
    let dimensions: Vec<String> = (0..8).map(|n| format!("d{n}: {{ judge: j{n}, score: /s }}")).collect();
    let profile = root.path().join("judged.yaml");
    std::fs::write(
        &profile,
        format!(
            "classify: null
stages: [{{ id: extract, provider: x, prompt: extract.md }}]
judges:
{judges}assess: {{ {} }}
overall: {{ from: d0 }}
accept: {{ overall: 0.9 }}
stop: {{ max_iterations: 2 }}
",
            dimensions.join(", ")
        ),
    )
    .unwrap();
    let plan = documents::plan(&documents::loaded(&profile.to_string_lossy()));
    // Takes a run to where its judges are asked about a candidate with so many issues, and counts what each answer allocates,
    // without the first and the last.
    let allocations_of_answers = |issues: usize| {
        let mut run = plan.engine_run();
        let mut input = Some(Input::Started);
        let mut members = Vec::new();
        while members.is_empty() {
            run.handle(Millis(0), input.take().unwrap()).unwrap();
            while let Some(output) = run.poll() {
                match output {
                    Output::Call(Work::Generate { .. }) => {
                        let candidate = Arc::new(json!({ "a": "x" }));
                        input = Some(Input::Produced(Produced { candidate, ..Produced::default() }));
                    }
                    Output::Call(Work::Assess { .. }) => {
                        let mut assessment = Assessment::default();
                        let issue = json!({ "code": "FOUND", "severity": "minor", "disposition": "warn", "path": "/a" });
                        assessment.issues = vec![serde_json::from_value(issue).unwrap(); issues];
                        input = Some(Input::Assessed(Arc::new(assessment)));
                    }
                    Output::Call(Work::Consult { member, .. }) => members.push(member),
                    _ => {}
                }
            }
        }
        let mut counts = Vec::new();
        for member in members {
            let answer = Arc::new(json!({ "s": 0.5 }));
            let consulted =
                Consulted { answer, usage: Usage::default(), notes: Vec::new(), repairs: Vec::new() };
            let input = Input::Consulted { member, consulted };
            counts.push(allocations(|| run.handle(Millis(0), input).unwrap()));
            while run.poll().is_some() {}
        }
        counts.pop();
        counts.remove(0);
        counts
    };
    let (few, many) = (allocations_of_answers(0), allocations_of_answers(1_000));
    assert_eq!(few, many);
    // Room for events grows now and then.
    assert!(few.iter().all(|count| count.abs_diff(few[0]) <= 2), "{few:?}");
}

/// Lines have their names when the policy is read, and a few checks, scores and names of criteria need no memory of their own.
#[test]
fn a_decision_costs_no_allocation() {
    let root = tempfile::tempdir().unwrap();
    let profile = root.path().join("decided.yaml");
    std::fs::write(
        &profile,
        "assess: { a: given, b: given, c: given }
overall: { a: 0.5, b: 0.3, c: 0.2 }
accept: { overall: 0.95, a: 0.5, critical_issues: 0 }
stop:
  max_iterations: 1000
  any:
    - oscillation: { window: 3, flips: 1 }
    - max_iterations: 3
    - min_improvement: { delta: 0.05, patience: 1, baseline: previous }
",
    )
    .unwrap();
    let policy = documents::plan(&documents::loaded(&profile.to_string_lossy())).policy;
    let scripts = ScriptCriteria::default();
    for (course, verdict) in [
        (&[0.5, 0.9][..], "continue"),
        (&[0.5, 0.6, 0.9], "max_iterations"),
        (&[0.5, 0.9, 0.6], "oscillation"),
        (&[0.5, 0.6, 0.96], "accepted"),
        (&[0.5, 0.96], "accepted"),
    ] {
        let assessments: Vec<Assessment> = course
            .iter()
            .map(|score| {
                let mut assessment = Assessment::default();
                for name in ["a", "b", "c"] {
                    assessment.scores.set(&Arc::from(name), Score::clamped(*score));
                }
                assessment.weigh(&policy.overall);
                assessment
            })
            .collect();
        let candidate = Arc::new(json!({ "field": "value" }));
        let mut history = History::new();
        let mut decided = None;
        let mut count = 0;
        for assessment in &assessments {
            let candidate = Some(Arc::clone(&candidate));
            count = allocations(|| {
                history.push(&policy, IterationSummary::of(&policy, assessment, candidate));
                decided = Some(decide(&policy, &mut history, Spent::default(), &scripts));
            });
        }
        let decided = serde_json::to_value(decided).unwrap();
        let reason = decided.get("reason").unwrap_or(&decided["verdict"]);
        assert_eq!(reason, verdict, "{decided}");
        assert_eq!(count, 0, "a decision took {count} allocations: {decided}");
    }
}

#[test]
fn the_counter_counts() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1_u8]))) > 0);
}
