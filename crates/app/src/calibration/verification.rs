//! Certificates verified: for the policy as it is, and by an audit.

use super::certificate_files::open_certificate;
use super::labels::read_labels;
use super::{CalibrationAnswer, CalibrationRequest, CalibrationTask, no_run, sample};
use crate::context::Context;
use crate::experiment::calibrate::{AuditOutcome, Basis, Certificate, ScoredDocument, is_drawn, watch_audit};
use crate::failure::Failure;
use crate::lint::{AGAIN, void};
use crate::profile::{Certify, Looks};
use crate::report::{Paint, audit_text};
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::decode::Spanned;
use crate::value::{path_text, sanitize_line};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A verified certificate.
#[derive(Debug)]
pub struct Verification {
    file: PathBuf,
    certificate: Certificate,
    /// The parts of the policy that changed.
    changes: Vec<String>,
    /// The findings of its audit.
    audit: Option<AuditOutcome>,
}

impl Verification {
    /// Returns whether the certificate holds: for the policy, and by its audit.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.changes.is_empty() && !self.drifted()
    }

    /// Returns whether there is an audit with a document that the certificate covers, or none was asked for.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.audit.is_none_or(|audit| audit.says_something())
    }

    fn drifted(&self) -> bool {
        self.audit.is_some_and(|audit| audit.drifted)
    }

    /// The statements of the certificate. An altered one states nothing.
    fn statements(&self) -> Vec<String> {
        if self.certificate.is_intact() {
            self.certificate.calibration.statements().collect()
        } else {
            Vec::new()
        }
    }

    /// The verification for people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let name = sanitize_line(&self.file.shown());
        let date = sanitize_line(&self.certificate.date);
        let mut text = if !self.changes.is_empty() {
            format!("{}\n  {AGAIN}\n", paint.bad(&sanitize_line(&void(&name, &self.changes))))
        } else if self.drifted() {
            format!("The certificate `{name}` ({date}) is of this policy, but its audit speaks against it\n")
        } else {
            format!("The certificate `{name}` ({date}) holds for this policy\n")
        };
        for statement in self.statements() {
            text.push_str(&format!("  {}\n", sanitize_line(&statement)));
        }
        if let Some(audit) = &self.audit {
            text.push_str(&audit_text(&self.certificate.calibration, audit, paint));
        }
        text
    }

    /// The verification for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "certificate": path_text(&self.file),
            "holds": self.holds(),
            "changed": self.changes,
            "statements": self.statements(),
            "audit": self.audit,
        })
    }
}

impl CalibrationRequest {
    /// Verifies a certificate, or draws the documents of its audit.
    pub(super) fn verify(
        &self,
        file: &Path,
        settings: &Certify,
        basis: &Basis,
        context: &Context,
        output: &mut Streams,
    ) -> Result<CalibrationAnswer, Failure> {
        let certificate = open_certificate(file)?;
        let verified = |certificate: Certificate, changes, audit| {
            let verification = Verification { file: file.to_path_buf(), certificate, changes, audit };
            Ok(CalibrationAnswer::Verified(Box::new(verification)))
        };
        if !certificate.is_intact() {
            let changes = certificate.changes(basis);
            return verified(certificate, changes, None);
        }
        let calibration = &certificate.calibration;
        let score = Spanned { value: calibration.score.clone(), span: settings.score.span.clone() };
        let of_certificate = Certify { score, among: calibration.among, ..settings.clone() };
        let made = self.made(&of_certificate, basis, context, output)?;
        let now = made.as_ref().and_then(|made| made.run.as_ref()).map_or(basis, |(_, basis)| basis);
        let changes = certificate.changes(now);
        if let CalibrationTask::DrawAudit(_) = &self.task {
            let Some(made) = made else { return Err(no_run("`--draw-audit` draws documents of a run")) };
            let Some(share) = settings.audit else {
                return Err(Failure::usage("the profile says no share to audit")
                    .help("write `certify: { audit: 5% }`"));
            };
            let salt = calibration.sample_digest.as_str();
            let is_chosen = |document: &ScoredDocument| {
                calibration.covers(Some(&document.document_type), document.score)
                    && is_drawn(&document.id, share.get(), salt)
            };
            return Ok(CalibrationAnswer::Drawn(made.documents.into_iter().filter(is_chosen).collect()));
        }
        if self.labels.is_empty() {
            return verified(certificate, changes, None);
        }
        let labels = read_labels(&self.labels, output)?;
        let documents = made.as_ref().map(|made| made.documents.as_slice());
        // An audit is inspected while it grows.
        let settings = Certify { looks: Looks::AnyTime, ..settings.clone() };
        let audit = watch_audit(&certificate, sample(labels, documents, &settings)?);
        verified(certificate, changes, Some(audit))
    }
}
