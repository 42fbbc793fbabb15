//! Certificates: reading, writing, and reporting them at the beginning of a run.

use crate::disk::{self, Access};
use crate::experiment::calibrate::{Basis, Certificate, CertificateError};
use crate::failure::Failure;
use crate::lint::{AGAIN, MOST_CERTIFICATE_BYTES, left_open, read_certificate, void};
use crate::profile::Profile;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::sanitize_line;
use std::path::Path;

/// Reports what the certificate of a run with this policy promises and what it leaves open of the requirements of
/// `profile`, or why it is void. It is the one that the command names, which must exist, or else that of the profile.
///
/// # Errors
/// When the certificate that the command names can't be used.
pub fn say_certificate(
    named: Option<&Path>,
    profile: &Profile,
    basis: &Basis,
    quiet: bool,
    output: &mut Streams,
) -> Result<(), Failure> {
    let of_profile = || profile.certify.as_ref()?.certificate.as_ref().map(|file| Path::new(&file.value));
    let Some(file) = named.or_else(of_profile) else { return Ok(()) };
    let shown = sanitize_line(&file.shown());
    let certificate = match (open_certificate(file), named) {
        (Ok(certificate), _) => certificate,
        (Err(failure), Some(_)) => return Err(failure),
        (Err(failure), None) => {
            output.warn(&sanitize_line(&failure.message));
            return Ok(());
        }
    };
    let changes = certificate.changes(basis);
    if changes.is_empty() {
        if !quiet {
            output.say(&format!("certificate `{shown}` ({}):", sanitize_line(&certificate.date)));
            for statement in certificate.calibration.statements() {
                output.say(&format!("  {}", sanitize_line(&statement)));
            }
        }
        for (message, help) in left_open(&shown, &certificate, profile) {
            output.warn(&sanitize_line(&message));
            output.say(&format!("  help: {help}"));
        }
    } else {
        output.warn(&sanitize_line(&void(&shown, &changes)));
        output.say(&format!("  help: {AGAIN}"));
    }
    Ok(())
}

/// Reads a certificate.
pub(super) fn open_certificate(file: &Path) -> Result<Certificate, Failure> {
    read_certificate(file).map_err(|why| {
        Failure::broken(format!("the certificate `{}` can't be used: {why}", file.shown()))
            .help("name a file that `loopctl calibrate --out FILE` wrote")
    })
}

/// Refuses to overwrite one of `inputs`, each with its description, or any other file that is not a certificate.
pub(super) fn check_place_of_certificate(file: &Path, inputs: &[(&Path, &str)]) -> Result<(), Failure> {
    let Ok(place) = file.canonicalize() else { return Ok(()) };
    let refused = |why: String| {
        Failure::usage(format!("`--out` would overwrite `{}`, {why}", file.shown()))
            .help("name a file of its own for the certificate, such as `certificates/clinic.json`")
    };
    let is_input = |input: &Path| {
        input
            .canonicalize()
            .is_ok_and(|input| place == input || (input.is_dir() && place.starts_with(&input)))
    };
    let is_certificate = || {
        let text = disk::read_input(&place, MOST_CERTIFICATE_BYTES).ok();
        text.is_some_and(|text| {
            matches!(Certificate::parse(&text), Ok(_) | Err(CertificateError::Version(_)))
        })
    };
    // A certificate may be kept where the results are.
    if place.is_file() && is_certificate() {
        return Ok(());
    }
    match inputs.iter().find(|(input, _)| is_input(input)) {
        Some((_, what)) => Err(refused(format!("which is {what}"))),
        None => Err(refused("which is not a certificate".to_owned())),
    }
}

/// Writes a certificate.
pub(super) fn write_certificate(certificate: &Certificate, file: &Path) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(certificate).map_err(std::io::Error::from);
    write_kept("certificate", text.map(|text| format!("{text}\n")), file)
}

/// Writes a file that is kept with the project, creating its folder; `what` says in a failure what it is.
pub(super) fn write_kept(what: &str, text: std::io::Result<String>, file: &Path) -> Result<(), Failure> {
    let write = |text: String| {
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let access = if file.exists() { Access::AsBefore } else { Access::Owner };
        disk::replace(file, text.as_bytes(), access)
    };
    text.and_then(write)
        .map_err(|error| Failure::broken(format!("can't write the {what} to `{}`: {error}", file.shown())))
}
