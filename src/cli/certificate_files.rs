//! Certificates: read and written, and said at the beginning of a run.

use super::exit::Failure;
use super::output::Output;
use crate::disk::{self, Access};
use crate::experiment::calibrate::{Basis, Certificate};
use crate::lint::{AGAIN, read_certificate, void};
use crate::value::decode::Spanned;
use crate::value::sanitize_line;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What a run may be certified by.
pub(super) struct Certified {
    /// The policy of the run.
    pub(super) basis: Basis,
    /// The certificate that the command names.
    pub(super) named: Option<PathBuf>,
    /// The one that the profile names.
    pub(super) of_profile: Option<Spanned<String>>,
}

impl Certified {
    /// Says what the certificate promises, or why it is void. One that the command names must be there.
    pub(super) fn say(
        &self,
        providers: Value,
        plugins: Value,
        quiet: bool,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let of_profile = self.of_profile.as_ref().map(|file| PathBuf::from(&file.value));
        let Some(file) = self.named.clone().or(of_profile) else { return Ok(()) };
        let shown = sanitize_line(&file.display().to_string());
        let certificate = match (open_certificate(&file), &self.named) {
            (Ok(certificate), _) => certificate,
            (Err(failure), Some(_)) => return Err(failure),
            (Err(failure), None) => {
                warn(&failure.message, output);
                return Ok(());
            }
        };
        let changes = certificate.basis.changes(&self.basis.clone().asking(providers, plugins));
        if changes.is_empty() {
            if !quiet {
                output.say(&format!("certificate `{shown}` ({}):", sanitize_line(&certificate.date)));
                for statement in certificate.calibration.statements() {
                    output.say(&format!("  {}", sanitize_line(&statement)));
                }
            }
        } else {
            warn(&void(&shown, &changes), output);
            output.say(&format!("  help: {AGAIN}"));
        }
        Ok(())
    }
}

fn warn(message: &str, output: &mut Output) {
    let word = output.err_paint.warn("warning:");
    output.say(&format!("{word} {}", sanitize_line(message)));
}

/// Reads a certificate.
pub(super) fn open_certificate(file: &Path) -> Result<Certificate, Failure> {
    read_certificate(file).map_err(|why| {
        Failure::broken(format!("the certificate `{}` can't be used: {why}", file.display()))
            .help("name a file that `loopctl calibrate --out FILE` wrote")
    })
}

/// Writes a certificate, with the folder in which it is to be.
pub(super) fn write_certificate(certificate: &Certificate, file: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::broken(format!("can't write the certificate to `{}`: {error}", file.display()))
    };
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut text = serde_json::to_vec_pretty(certificate).map_err(std::io::Error::from).map_err(failed)?;
    text.push(b'\n');
    let access = if file.exists() { Access::AsBefore } else { Access::Owner };
    disk::replace(file, &text, access).map_err(failed)
}
