//! The audit sample: a check that the promise still holds while the certificate is used.

use super::betting::{Against, Wealth};
use super::certificate::Certificate;
use super::distribution::lower_bound;
use super::sample::Sample;
use crate::value::digest_bytes;
use serde::Serialize;

/// The findings of an audit sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AuditOutcome {
    /// Reviewed documents that the certificate covers.
    pub accepted: u64,
    /// The number of these that are wrong.
    pub wrong: u64,
    /// Reviewed documents that it does not cover, and that say nothing about it.
    pub not_covered: u64,
    /// Documents that were reviewed for the certificate, and are left out.
    pub own: u64,
    /// The outcome of betting on drift after the latest document.
    pub e_value: f64,
    /// The highest e-value so far.
    pub highest_e_value: f64,
    /// The e-value from which drift counts as shown: 1 / δ.
    pub limit: f64,
    /// `true` if more documents are shown to be wrong than was promised.
    pub drifted: bool,
    /// The smallest share of wrong documents that these do not contradict, if it was constant all the time.
    pub lower_bound: f64,
}

impl AuditOutcome {
    /// Returns whether any audited document is covered: without one, the audit shows nothing.
    #[must_use]
    pub fn says_something(&self) -> bool {
        self.accepted > 0
    }
}

/// Inspects the documents of an audit in the order in which they were reviewed. However often that is done, drift is
/// found with a probability of at most δ where there is none. Documents that were reviewed for the certificate are left
/// out.
#[must_use]
pub fn watch_audit(certificate: &Certificate, mut audit: Sample) -> AuditOutcome {
    let own = certificate.leave_out_its_own(&mut audit);
    let calibration = &certificate.calibration;
    let delta = calibration.confidence.rest();
    let mut wealth = Wealth::new(Against::NoMore, calibration.wrong_documents.get());
    let (mut accepted, mut wrong, mut not_covered) = (0, 0, 0);
    for document in &audit.documents {
        if calibration.covers(document.document_type.as_deref(), document.score) {
            wealth.add(document.wrong);
            accepted += 1;
            wrong += u64::from(document.wrong);
        } else {
            not_covered += 1;
        }
    }
    AuditOutcome {
        accepted,
        wrong,
        not_covered,
        own,
        e_value: wealth.now(),
        highest_e_value: wealth.highest(),
        limit: 1.0 / delta,
        drifted: wealth.highest() >= 1.0 / delta,
        lower_bound: lower_bound(wrong, accepted, delta),
    }
}

/// Returns whether a document belongs to the share that is drawn: by a digest of its id, which is independent of
/// scores, and for which `salt` gives another draw of the same documents.
#[must_use]
pub fn is_drawn(document: &str, share: f64, salt: &str) -> bool {
    let digest = digest_bytes(format!("{salt}\n{document}").as_bytes());
    let digits = digest.get(..13).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
    // Thirteen hexadecimal digits are 52 bits, which a number holds exactly.
    super::distribution::real(digits) < share * 2_f64.powi(52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_drawn_and_the_same_one_each_time() {
        let drawn = |salt: &str| (0..10_000).filter(|k| is_drawn(&format!("d{k}"), 0.05, salt)).count();
        assert!((400..600).contains(&drawn("a")), "{}", drawn("a"));
        assert_eq!(drawn("a"), drawn("a"));
        let both = (0..10_000)
            .filter(|k| is_drawn(&format!("d{k}"), 0.05, "a") && is_drawn(&format!("d{k}"), 0.05, "b"));
        assert!(both.count() < 60);
    }
}
