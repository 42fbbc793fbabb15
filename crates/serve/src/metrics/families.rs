//! Counters, gauges and histograms, each a family of series that are told apart by labels.
//!
//! Our own, and not of a crate: the format is a page long, and what a family may hold is bounded here.

use super::exposition::Exposition;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most series of a family. Names that submissions choose (models, say) would otherwise fill the memory of their
/// collector.
const MOST_SERIES: usize = 200;

/// The value of labels for everything beyond that.
const OTHER: &str = "other";

/// The series of a family by the values of its labels.
struct Family<V> {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    series: Mutex<BTreeMap<Vec<String>, V>>,
}

impl<V: Default> Family<V> {
    const fn new(name: &'static str, help: &'static str, labels: &'static [&'static str]) -> Self {
        Family { name, help, labels, series: Mutex::new(BTreeMap::new()) }
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<Vec<String>, V>> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, labels: &[&str], change: impl FnOnce(&mut V)) {
        debug_assert_eq!(labels.len(), self.labels.len(), "{}", self.name);
        let mut series = self.locked();
        let mut key: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        if !series.contains_key(&key) && series.len() >= MOST_SERIES {
            key = labels.iter().map(|_| OTHER.to_owned()).collect();
        }
        change(series.entry(key).or_default());
    }

    /// Each series with its labels, behind the lines that describe the family. A family without series is left out.
    fn write(
        &self,
        out: &mut Exposition,
        kind: &str,
        mut one: impl FnMut(&mut Exposition, &[(&str, &str)], &V),
    ) {
        let series = self.locked();
        if series.is_empty() {
            return;
        }
        out.family(self.name, kind, self.help);
        for (values, value) in series.iter() {
            let labels: Vec<(&str, &str)> =
                self.labels.iter().copied().zip(values.iter().map(String::as_str)).collect();
            one(out, &labels, value);
        }
    }
}

/// A value that only grows.
pub(super) struct Counter(Family<f64>);

impl Counter {
    pub(super) const fn new(name: &'static str, help: &'static str, labels: &'static [&'static str]) -> Self {
        Counter(Family::new(name, help, labels))
    }

    pub(super) fn add(&self, labels: &[&str], by: f64) {
        if by.is_finite() && by >= 0.0 {
            self.0.change(labels, |value| *value += by);
        }
    }

    pub(super) fn write(&self, out: &mut Exposition) {
        let name = self.0.name;
        self.0.write(out, "counter", |out, labels, value| out.sample(name, labels, *value));
    }
}

/// A value that goes up and down.
pub(super) struct Gauge(Family<f64>);

impl Gauge {
    pub(super) const fn new(name: &'static str, help: &'static str, labels: &'static [&'static str]) -> Self {
        Gauge(Family::new(name, help, labels))
    }

    pub(super) fn set(&self, labels: &[&str], to: f64) {
        self.0.change(labels, |value| *value = to);
    }

    pub(super) fn write(&self, out: &mut Exposition) {
        let name = self.0.name;
        self.0.write(out, "gauge", |out, labels, value| out.sample(name, labels, *value));
    }
}

/// The distribution of values over buckets.
pub(super) struct Histogram {
    family: Family<Buckets>,
    bounds: &'static [f64],
}

#[derive(Default)]
struct Buckets {
    /// The number of values in each bucket and in none before it; the last has those above every bound.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    pub(super) const fn new(
        name: &'static str,
        help: &'static str,
        labels: &'static [&'static str],
        bounds: &'static [f64],
    ) -> Self {
        Histogram { family: Family::new(name, help, labels), bounds }
    }

    pub(super) fn record(&self, labels: &[&str], value: f64) {
        if !value.is_finite() {
            return;
        }
        let at = self.bounds.partition_point(|bound| *bound < value);
        self.family.change(labels, |buckets| {
            buckets.counts.resize(self.bounds.len() + 1, 0);
            if let Some(count) = buckets.counts.get_mut(at) {
                *count += 1;
            }
            buckets.sum += value;
        });
    }

    pub(super) fn write(&self, out: &mut Exposition) {
        let name = self.family.name;
        self.family.write(out, "histogram", |out, labels, buckets| {
            out.histogram(name, labels, self.bounds, &buckets.counts, buckets.sum);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Exposition)) -> String {
        let mut out = Exposition::default();
        write(&mut out);
        out.into_text()
    }

    #[test]
    fn a_family_says_what_it_is_once_and_each_series_its_labels() {
        let calls = Counter::new("calls_total", "Calls.", &["outcome"]);
        assert_eq!(written(|out| calls.write(out)), "");
        calls.add(&["answered"], 2.0);
        calls.add(&["answered"], 1.0);
        calls.add(&["failed"], 1.0);
        calls.add(&["failed"], -1.0);
        calls.add(&["failed"], f64::NAN);
        insta::assert_snapshot!(written(|out| calls.write(out)), @r#"
        # HELP calls_total Calls.
        # TYPE calls_total counter
        calls_total{outcome="answered"} 3
        calls_total{outcome="failed"} 1
        "#);
    }

    /// A value on a bound is in its bucket, and every bucket holds those before it.
    #[test]
    fn buckets_add_up() {
        let seconds = Histogram::new("seconds", "Time.", &[], &[0.5, 1.0]);
        for value in [0.1, 0.5, 0.75, 3.0, f64::INFINITY] {
            seconds.record(&[], value);
        }
        insta::assert_snapshot!(written(|out| seconds.write(out)), @r#"
        # HELP seconds Time.
        # TYPE seconds histogram
        seconds_bucket{le="0.5"} 2
        seconds_bucket{le="1"} 3
        seconds_bucket{le="+Inf"} 4
        seconds_sum 4.35
        seconds_count 4
        "#);
    }

    #[test]
    fn series_are_bounded_and_nothing_is_lost() {
        let models = Counter::new("models_total", "Models.", &["model", "outcome"]);
        for at in 0..1_000 {
            models.add(&[&format!("model-{at}"), "answered"], 1.0);
        }
        let text = written(|out| models.write(out));
        assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), MOST_SERIES + 1);
        assert!(text.contains("models_total{model=\"other\",outcome=\"other\"} 800\n"), "{text}");
    }
}
