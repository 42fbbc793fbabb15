//! From a profile's name to its compiled form: paid once for all documents.

use crate::documents::{loaded, plan, shipped};
use criterion::Criterion;
use std::hint::black_box;

/// `clinical` with a stage that needs no patterns.
const WITHOUT_PATTERNS: &str = "extends: clinical
stages: [{ id: extract, provider: scripted, prompt: extract.md, output: 'schemas/{{ document_type }}.schema.json' }]
";

pub(crate) fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    group.bench_function("load and compile clinical", |b| b.iter(|| shipped(black_box("clinical"))));
    group.bench_function("load alone", |b| b.iter(|| loaded(black_box("clinical"))));
    let folder = tempfile::tempdir().unwrap();
    let mut text = WITHOUT_PATTERNS.to_owned();
    for left_out in ["", " and classification"] {
        let file = folder.path().join("part.yaml");
        std::fs::write(&file, &text).unwrap();
        let profile = loaded(&file.to_string_lossy());
        group.bench_function(format!("to compare: without extraction patterns{left_out}"), |b| {
            b.iter(|| plan(black_box(&profile)));
        });
        text.push_str("classify: null\n");
    }
    group.finish();
}
