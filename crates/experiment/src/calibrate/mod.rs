//! Certificates from labels (`loopctl calibrate`): the threshold at which at most so many of the accepted documents
//! hold a wrong value.
//!
//! [`Sample::of`] makes reviewed documents of [`Label`]s and scores; [`calibrate`] tests the profile's grid of
//! thresholds on them; a [`Certificate`] keeps the outcome with all that it rests on, bound to the policy ([`Basis`])
//! under which the documents were made. [`needed_reviews`] computes before any label how many reviews it takes.
//! [`watch_audit`] checks whether the promise still holds. [`EvidenceCalibration`] has the counts of labelled values
//! for the patterns of passages. No clock and no files: dates and texts are passed in.

mod agreement;
mod audit;
mod basis;
mod betting;
mod calibration;
mod certificate;
mod distribution;
mod evidence;
mod feasibility;
mod label;
mod needed;
mod sample;
mod sequence;

pub use agreement::Agreement;
pub use audit::{AuditOutcome, is_drawn, watch_audit};
pub use basis::{Basis, FileDigest};
pub use betting::{Against, Wealth};
pub use calibration::Threshold;
pub use calibration::{Calibration, CertifiedThreshold, Group, Scope, TestedThreshold, calibrate};
pub use certificate::{Certificate, CertificateError};
pub use distribution::{
    binomial_cdf, exact_interval, hypergeometric_cdf, lower_bound, most_wrong, upper_bound,
};
pub use evidence::{EvidenceCalibration, PatternTrust, ShippedTrust};
pub use feasibility::{Feasibility, MoreReviews};
pub use label::{Label, LabelError};
pub use needed::{NeededAtThreshold, NeededReviews, needed_reviews};
pub use sample::{LeftOut, Reviewed, Sample, SampleError, ScoredDocument};
pub use sequence::{Counts, Evidence, Promise, Verdict, certified};
