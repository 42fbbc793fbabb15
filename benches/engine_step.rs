//! One turn of the loop without the calls: a candidate comes in, its assessment, and the next call goes out.

use crate::documents::{PATHOLOGY_REPORT, pathology, shipped};
use criterion::{BatchSize, Criterion};
use loopctl::engine::{Input, Output, Produced, Recorded, Retry, Run};
use loopctl::plan::{DocumentContext, Given};
use loopctl::policy::{History, IterationSummary, ScriptCriteria, Spent, decide};
use loopctl::score::Assessment;
use loopctl::value::{Digest, Millis};
use serde_json::{Value, json};
use std::hint::black_box;
use std::sync::Arc;

const RETRY: Retry = Retry { attempts: 2, pause: Millis(250) };

pub(crate) fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("engine step");
    let plan = shipped("balanced");
    let policy = &plan.policy;
    let mut assessment = Assessment::default();
    let mut lacking = with(pathology(), "grade", Value::Null);
    let context = DocumentContext::named(&plan, "pathology", Some(PATHOLOGY_REPORT));
    context.assess(&mut context.assessor(), &lacking, Given::default(), &mut assessment);

    let turn = |run: &mut Run, candidate: &Arc<Value>| {
        let produced = Produced { candidate: Arc::clone(candidate), ..Produced::default() };
        run.handle(Millis(1), Input::Produced(produced)).unwrap();
        while run.poll().is_some() {}
        run.handle(Millis(2), Input::Assessed(Arc::new(assessment.clone()))).unwrap();
        while let Some(output) = run.poll() {
            black_box(output);
        }
    };
    let begun = || {
        let mut run = Run::new(Arc::clone(policy), RETRY);
        run.handle(Millis(0), Input::Started).unwrap();
        while run.poll().is_some() {}
        run
    };
    let candidate = Arc::new(lacking.clone());
    group.bench_function("produced, assessed, decided", |b| {
        b.iter_batched_ref(begun, |run| turn(run, &candidate), BatchSize::SmallInput);
    });
    group.bench_function("of it: the candidate's digest", |b| b.iter(|| Digest::of(black_box(&lacking))));
    let facts = IterationSummary::of(policy, &assessment, Some(Arc::new(lacking.clone())));
    group.bench_function("of it: the decision", |b| {
        b.iter_batched_ref(
            || {
                let mut history = History::new();
                history.push(policy, facts.clone());
                history
            },
            |history| decide(policy, history, Spent::default(), &ScriptCriteria::default()),
            BatchSize::SmallInput,
        );
    });

    let mut record = Vec::new();
    let mut run = Run::new(Arc::clone(policy), RETRY);
    run.handle(Millis(0), Input::Started).unwrap();
    for iteration in 0.. {
        keep(&mut run, &mut record);
        if run.is_over() {
            break;
        }
        lacking = with(lacking, "institution", json!(iteration));
        let candidate = Arc::new(lacking.clone());
        let produced = Produced { candidate, ..Produced::default() };
        run.handle(Millis(0), Input::Produced(produced)).unwrap();
        keep(&mut run, &mut record);
        run.handle(Millis(0), Input::Assessed(Arc::new(assessment.clone()))).unwrap();
    }
    group.bench_function(format!("replay of {} events", record.len()), |b| {
        b.iter(|| Run::new(Arc::clone(policy), RETRY).replay(black_box(&record)).unwrap());
    });
    group.finish();
}

fn keep(run: &mut Run, record: &mut Vec<Recorded>) {
    while let Some(output) = run.poll() {
        if let Output::Record(event) = output {
            record.push(Recorded { at: Millis(0), event });
        }
    }
}

fn with(mut candidate: Value, field: &str, value: Value) -> Value {
    if let Some(members) = candidate.as_object_mut() {
        members.insert(field.to_owned(), value);
    }
    candidate
}
