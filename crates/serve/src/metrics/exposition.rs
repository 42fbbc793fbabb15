//! The text format that Prometheus reads (version 0.0.4).

use std::fmt::Write;

/// The media type of the answer.
pub(super) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Text that grows by families and samples.
#[derive(Default)]
pub(super) struct Exposition(String);

impl Exposition {
    /// Describes the samples that follow.
    pub(super) fn family(&mut self, name: &str, kind: &str, help: &str) {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// One value.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        self.0.push_str(name);
        if !labels.is_empty() {
            self.0.push('{');
            for (at, (label, value)) in labels.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                let _ = write!(self.0, "{comma}{label}=\"{}\"", escaped(value));
            }
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {}", number(value));
    }

    /// The buckets of one series, each with those before it, and their sum and count.
    pub(super) fn histogram(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        bounds: &[f64],
        counts: &[u64],
        sum: f64,
    ) {
        let (bucket, mut so_far) = (format!("{name}_bucket"), 0);
        let bounds = bounds.iter().copied().chain([f64::INFINITY]);
        for (bound, count) in bounds.zip(counts) {
            so_far += count;
            let bound = number(bound);
            let labels: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.sample(&bucket, &labels, as_number(so_far));
        }
        self.sample(&format!("{name}_sum"), labels, sum);
        self.sample(&format!("{name}_count"), labels, as_number(so_far));
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the format has floating point numbers, and nothing here counts to 2^53"
)]
pub(super) fn as_number(count: u64) -> f64 {
    count as f64
}

/// A number as Go reads it.
fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
    }
}

/// The value of a label between its quotes.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name of a profile may hold anything, and must not end its line or its quotes.
    #[test]
    fn values_of_labels_stay_between_their_quotes() {
        let mut out = Exposition::default();
        out.sample("x", &[("profile", "a\"} 1\nx{profile=\"b\\")], f64::INFINITY);
        assert_eq!(out.into_text(), "x{profile=\"a\\\"} 1\\nx{profile=\\\"b\\\\\"} +Inf\n");
    }
}
