//! One assessment of a candidate without issues: the hot path.

use crate::documents::{PATHOLOGY_REPORT, loaded, pathology, plan, shipped, wide, wide_plan};
use criterion::Criterion;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::score::Assessment;
use loopctl::value::Score;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

pub(crate) fn bench(criterion: &mut Criterion) {
    one(criterion, "score pathology", &shipped("clinical"), "pathology", PATHOLOGY_REPORT, &pathology());
    let folder = tempfile::tempdir().unwrap();
    let (text, candidate) = wide();
    one(criterion, "score 200 fields", &wide_plan(folder.path()), "observations", &text, &candidate);
    let (text, candidate) = invoice();
    one(criterion, "score invoice of 300 leaves", &invoice_plan(folder.path()), "invoice", &text, &candidate);
    growth(criterion, &shipped("clinical"));
}

/// A page of an invoice and its extraction of 300 leaves: 99 lines of three, and three of the whole.
fn invoice() -> (String, Value) {
    let mut text = String::from(
        "Invoice No: INV-2024-0817          Invoice date: 17 August 2024\n\nDescription            Quantity        Amount\n",
    );
    let mut items = Vec::new();
    let mut total = 0;
    for line in 1..100 {
        let (quantity, amount) = (line % 17 + 1, line * 7919 % 9000 + 100);
        total += amount;
        let name = format!("Steel beam type {}", line * 31 + 1000);
        // Writing to a String can't fail.
        let _ = writeln!(text, "{name:<22}{quantity:>9}{amount:>11}.00");
        items.push(json!({"description": name, "quantity": quantity, "amount": amount}));
    }
    let _ = writeln!(text, "{:>31}{total:>11}.00", "Total");
    let candidate = json!({
        "invoiceNumber": "INV-2024-0817", "invoiceDate": "2024-08-17", "items": items, "total": total,
    });
    (text, candidate)
}

/// A profile for invoices, which no vocabulary reads. Its files are in `folder`.
fn invoice_plan(folder: &Path) -> Plan {
    let rubric = "types: { invoice: { required: [invoiceNumber, invoiceDate, items, total] } }\n";
    let profile = "extends: marc
classify: null
stages: null
assess:
  completeness: { rubric: invoice }
  accuracy: { grounding: { rubric: invoice } }
  validity: null
  consistency: null
overall: { completeness: 0.5, accuracy: 0.5, validity: null, consistency: null }
";
    for (name, content) in [("rules/rubrics/invoice.yaml", rubric), ("invoice.yaml", profile)] {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).unwrap();
        std::fs::write(path, content).unwrap();
    }
    plan(&loaded(&folder.join("invoice.yaml").to_string_lossy()))
}

/// Growth of the time for grounding with the text: values that are not there are the most expensive.
fn growth(criterion: &mut Criterion, plan: &Plan) {
    let mut group = criterion.benchmark_group("ground 200 values that are not there");
    let rows: Vec<Value> =
        (0..200).map(|row| json!({"finding": format!("circumscribed quxzv{row} enlargement")})).collect();
    let candidate = json!({ "rows": rows });
    for kilobytes in [3, 30, 300] {
        let text: String = (0..)
            .flat_map(|at| [PATHOLOGY_REPORT.to_owned(), format!("Addendum word{at}.\n")])
            .take(kilobytes)
            .collect();
        let document = DocumentContext::named(plan, "unknown", Some(&text));
        let mut out = Assessment::default();
        group.bench_function(format!("{kilobytes} KB, by a new assessor"), |b| {
            b.iter(|| {
                let mut assessor = document.assessor();
                document.assess(&mut assessor, black_box(&candidate), Given::default(), &mut out);
            });
        });
    }
    group.finish();
}

fn one(
    criterion: &mut Criterion,
    name: &str,
    plan: &Plan,
    document_type: &str,
    text: &str,
    candidate: &Value,
) {
    let mut group = criterion.benchmark_group(name);
    let document = DocumentContext::named(plan, document_type, Some(text));
    let mut assessor = document.assessor();
    let mut out = Assessment::default();
    let grounded = [("accuracy".to_owned(), Score::ONE)];
    let given = Given { scores: &grounded, ..Given::default() };
    document.assess(&mut assessor, candidate, Given::default(), &mut out);
    assert!(out.issues.is_empty(), "{:?}", out.issues);
    group.bench_function("whole", |b| {
        b.iter(|| document.assess(&mut assessor, black_box(candidate), Given::default(), &mut out));
    });
    group.bench_function("whole, by a new assessor", |b| {
        b.iter(|| {
            let mut assessor = document.assessor();
            document.assess(&mut assessor, black_box(candidate), Given::default(), &mut out);
        });
    });
    group.bench_function("without grounding", |b| {
        b.iter(|| document.assess(&mut assessor, black_box(candidate), given, &mut out));
    });
    group.bench_function("to compare: naive search for each leaf in the text", |b| {
        b.iter(|| found(black_box(candidate), text));
    });
    group.bench_function("to compare: a walk over the leaves", |b| b.iter(|| present(black_box(candidate))));
    group.bench_function("once per document: index the source", |b| {
        b.iter(|| plan.scoring.source(black_box(text)));
    });
    group.finish();
}

/// The number of leaves that are not empty.
fn present(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.values().map(present).sum(),
        Value::Array(items) => items.iter().map(present).sum(),
        Value::String(text) => usize::from(!text.is_empty()),
        Value::Null => 0,
        Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// The number of leaves that are in the text as they are, in lower case.
fn found(candidate: &Value, text: &str) -> usize {
    fn walk(value: &Value, text: &str) -> usize {
        match value {
            Value::Object(members) => members.values().map(|member| walk(member, text)).sum(),
            Value::Array(items) => items.iter().map(|item| walk(item, text)).sum(),
            Value::String(leaf) => usize::from(text.contains(&leaf.to_lowercase())),
            other => usize::from(text.contains(&other.to_string())),
        }
    }
    walk(candidate, &text.to_lowercase())
}
