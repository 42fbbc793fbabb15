//! From a profile's name to its compiled form: paid once for all documents.

use crate::documents::{loaded, plan, shipped};
use criterion::Criterion;
use std::hint::black_box;

pub(crate) fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.bench_function("load and compile clinical", |b| b.iter(|| shipped(black_box("clinical"))));
    group.bench_function("load alone", |b| b.iter(|| loaded(black_box("clinical"))));
    let profile = loaded("clinical");
    group.bench_function("compile alone", |b| b.iter(|| plan(black_box(&profile))));
    group.finish();
}
