//! A certificate that a profile names, and that does not cover it as it is.

use crate::diag::{Code, Problem, Problems};
use crate::disk;
use crate::experiment::calibrate::{Basis, Certificate};
use crate::profile::Loaded;
use std::path::Path;

/// Largest certificate that is read, in bytes.
pub(crate) const MOST_CERTIFICATE_BYTES: u64 = 16 << 20;

/// Warns of a certificate that can't be read or is bound to something else than `basis`, which is what the profile is at this moment.
/// Models are not compared: who answers is known when a run begins.
pub(crate) fn lint_certificate(loaded: &Loaded, basis: &Basis, problems: &mut Problems) {
    let Some(named) = loaded.profile.certify.as_ref().and_then(|certify| certify.certificate.as_ref()) else {
        return;
    };
    let file = &named.value;
    let (why, help) = match read_certificate(Path::new(file)) {
        Err(why) => (format!("the certificate `{file}` can't be used: {why}"), WITHOUT),
        Ok(certificate) => match certificate.basis.changes(basis).as_slice() {
            [] => return,
            changes => (void(file, changes), AGAIN),
        },
    };
    problems.push(Problem::warning(Code::VoidCertificate, &named.span, why).help(help));
}

const WITHOUT: &str = "make one with `loopctl calibrate --out FILE`, or take the key out";

/// What to do about a certificate that is void.
pub(crate) const AGAIN: &str = "bring the policy back as it was, or review documents made under this one and run `loopctl calibrate` again";

/// That a certificate does not cover the policy, in a line.
pub(crate) fn void(file: &str, changes: &[String]) -> String {
    format!("the certificate `{file}` is void: since it was made, {} changed", changes.join(", "))
}

/// Reads a certificate, or says why it can't be used.
pub(crate) fn read_certificate(file: &Path) -> Result<Certificate, String> {
    let text = disk::read_input(file, MOST_CERTIFICATE_BYTES).map_err(|error| error.to_string())?;
    Certificate::parse(&text).map_err(|error| error.to_string())
}
