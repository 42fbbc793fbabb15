//! Counts of the outcomes of labelled fields.

use super::clusters::ClusterSizes;
use super::evaluation::{FieldFigures, rounded};
use super::outcome::{FieldOutcome, Verdict};
use crate::statistics;

/// The outcomes of a field, counted.
#[derive(Debug, Clone, Default)]
pub(super) struct FieldTally {
    figures: FieldFigures,
    extracted: u64,
    /// Extracted values that agree, where it is known which values besides are wrong.
    extracted_agreeing: u64,
    is_partial: bool,
    clusters: ClusterSizes,
}

impl FieldTally {
    /// Adds its outcome in a document of a cluster.
    pub(super) fn add(&mut self, outcome: &FieldOutcome, cluster: Option<usize>) {
        self.clusters.add(cluster);
        let figures = &mut self.figures;
        figures.documents += 1;
        figures.exact += u64::from(outcome.verdict.is_right());
        let count = match outcome.verdict {
            Verdict::Right => &mut figures.right,
            Verdict::Wrong => &mut figures.wrong,
            Verdict::Missing => &mut figures.missing,
            Verdict::Spurious => &mut figures.spurious,
            Verdict::Absent => &mut figures.absent,
        };
        *count += 1;
        figures.labelled_values += outcome.items.labelled;
        figures.agreeing_values += outcome.items.agreeing;
        if outcome.is_partial {
            self.is_partial = true;
        } else {
            self.extracted += outcome.items.extracted;
            self.extracted_agreeing += outcome.items.agreeing;
        }
    }

    pub(super) fn absorb(&mut self, other: &FieldTally) {
        let (own, others) = (&mut self.figures, &other.figures);
        own.documents += others.documents;
        own.exact += others.exact;
        own.right += others.right;
        own.wrong += others.wrong;
        own.missing += others.missing;
        own.spurious += others.spurious;
        own.absent += others.absent;
        own.labelled_values += others.labelled_values;
        own.agreeing_values += others.agreeing_values;
        self.extracted += other.extracted;
        self.extracted_agreeing += other.extracted_agreeing;
        self.is_partial |= other.is_partial;
        self.clusters.absorb(&other.clusters);
    }

    pub(super) fn figures(&self, field: &str, compared_by: String, confidence: f64) -> FieldFigures {
        let mut figures = self.figures.clone();
        figures.field = field.to_owned();
        figures.compared_by = compared_by;
        figures.extracted_values = (!self.is_partial).then_some(self.extracted);
        figures.precision =
            if self.is_partial { None } else { share(self.extracted_agreeing, self.extracted) };
        figures.recall = share(figures.agreeing_values, figures.labelled_values);
        // From counts, so that it is 0 and not `None` if no value was extracted.
        let both = self.extracted + figures.labelled_values;
        figures.f1 = if self.is_partial { None } else { share(2 * self.extracted_agreeing, both) };
        figures.exact_agreement = share(figures.exact, figures.documents);
        figures.clusters = self.clusters.count();
        figures.exact_interval = self.clusters.interval(figures.exact, figures.documents, confidence);
        figures
    }
}

/// The share of a part, rounded; `None` if the whole is 0.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    statistics::share(part, whole).map(rounded)
}
