//! A certificate that a profile names, and that does not cover its current form, or promises less than it asks for.

use crate::diag::{Code, Problem, Problems};
use crate::disk;
use crate::experiment::calibrate::{Basis, Certificate};
use crate::policy::{FinalStatus, Review};
use crate::profile::{Loaded, Profile, Target};
use crate::score::Scores;
use crate::value::Score;
use std::path::Path;

/// Largest certificate that is read, in bytes.
pub const MOST_CERTIFICATE_BYTES: u64 = 16 << 20;

/// The distance below a threshold: more than scores are rounded by, less than anyone writes.
const STEP: f64 = 1e-6;

/// Warns of a certificate that can't be read, is bound to something other than `basis`, the profile's current basis, or
/// leaves open what the profile asks for. Models are not compared: they are known when a run begins.
pub fn lint_certificate(loaded: &Loaded, basis: &Basis, problems: &mut Problems) {
    let Some(named) = loaded.profile.certify.as_ref().and_then(|certify| certify.certificate.as_ref()) else {
        return;
    };
    let file = &named.value;
    let (why, help) = match read_certificate(Path::new(file)) {
        Err(why) => (format!("the certificate `{file}` can't be used: {why}"), WITHOUT),
        Ok(certificate) => match certificate.changes(basis).as_slice() {
            [] => {
                for (message, help) in left_open(file, &certificate, &loaded.profile) {
                    problems.push(Problem::warning(Code::VoidCertificate, &named.span, message).help(help));
                }
                return;
            }
            changes => (void(file, changes), AGAIN),
        },
    };
    problems.push(Problem::warning(Code::VoidCertificate, &named.span, why).help(help));
}

const WITHOUT: &str = "make one with `loopctl calibrate --out FILE`, or take the key out";

/// The advice on a certificate that is void.
pub const AGAIN: &str = "bring the policy back as it was, or review documents made under this one and run `loopctl calibrate` again";

/// The message that a certificate does not cover the policy, in a line.
pub fn void(file: &str, changes: &[String]) -> String {
    format!("the certificate `{file}` is void: since it was made, {} changed", changes.join(", "))
}

/// The parts of the profile's demands that a valid certificate does not promise, each with advice.
pub fn left_open(file: &str, certificate: &Certificate, profile: &Profile) -> Vec<(String, &'static str)> {
    let calibration = &certificate.calibration;
    let mut found = Vec::new();
    if let Some(certify) = &profile.certify {
        let (asked, promised) = (certify.wrong_documents, calibration.wrong_documents);
        if asked < promised {
            found.push((
                format!("the profile asks for at most {asked} wrong documents, and the certificate `{file}` promises at most {promised}"),
                LESS,
            ));
        }
        let (asked, promised) = (certify.confidence, calibration.confidence);
        if asked > promised {
            found.push((
                format!(
                    "the profile asks for {asked} confidence, and the certificate `{file}` has {promised}"
                ),
                LESS,
            ));
        }
    }
    if let Some(threshold) = unreviewed_below(certificate, profile) {
        found.push((
            format!(
                "documents that pass with {} below {threshold} can go without review, and the certificate `{file}` does not cover them",
                calibration.score
            ),
            "mark them in `review`, such as `review: { when: overall < 0.95 or status != passed }`",
        ));
    }
    found
}

const LESS: &str =
    "certify that with `loopctl calibrate`, or write in `certify` what the certificate promises";

/// The strictest certified threshold, if a document may pass below it without being marked for review. The document is
/// good in everything but the score of the certificate.
fn unreviewed_below(certificate: &Certificate, profile: &Profile) -> Option<f64> {
    let calibration = &certificate.calibration;
    let certified = calibration.groups.iter().filter_map(|group| group.certified);
    let threshold = certified.map(|found| found.threshold).max_by(f64::total_cmp)?;
    let dimensions: Vec<&str> = profile.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    let review = match &profile.review {
        // A condition that can't be read is reported at its own position.
        Some(when) => Some(Review::parse(&when.value, &dimensions).ok()?),
        None => None,
    };
    let target = match calibration.score.as_str() {
        "overall" => Target::Overall,
        dimension => Target::Dimension(dimension.to_owned()),
    };
    let score_of = |name: &str, value: f64| if name == target.name() { value } else { 1.0 };
    let is_reviewed = |value: f64| {
        let scores: Scores =
            dimensions.iter().map(|name| (*name, Score::clamped(score_of(name, value)))).collect();
        let overall = score_of("overall", value);
        review
            .as_ref()
            .is_some_and(|review| review.applies(FinalStatus::Passed, overall, &scores, &dimensions))
    };
    let lowest = profile.policy.accept.bound(&target).map_or(0.0, Score::get);
    let may_pass = |value: &f64| (lowest..threshold).contains(value);
    [threshold - STEP, lowest]
        .into_iter()
        .filter(may_pass)
        .any(|value| !is_reviewed(value))
        .then_some(threshold)
}

/// Reads a certificate, or says why it can't be used.
pub fn read_certificate(file: &Path) -> Result<Certificate, String> {
    let text = disk::read_input(file, MOST_CERTIFICATE_BYTES).map_err(|error| error.to_string())?;
    Certificate::parse(&text).map_err(|error| error.to_string())
}
