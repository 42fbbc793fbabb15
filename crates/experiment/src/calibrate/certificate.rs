//! A certificate: a promise, and all that it rests on.

use super::{Basis, Calibration, Sample};
use crate::value::digest_bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The name of the format, as files give it.
const FORMAT: &str = "loopctl certificate";

/// The version of the format that is written and read.
const VERSION: u64 = 1;

/// A certificate, as a file holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Certificate {
    /// The name of the file's format.
    format: String,
    /// The version of the format.
    version: u64,
    /// The time at which it was made, as RFC 3339.
    pub date: String,
    /// The run whose scores it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The statements, for people.
    pub statements: Vec<String>,
    /// The tests, and their outcome.
    pub calibration: Calibration,
    /// The policy that it is about.
    pub basis: Basis,
    /// SHA-256 of the id of each of [`Sample::documents`] and [`Sample::not_counted`]: none of them can be part of an
    /// audit.
    documents: BTreeSet<String>,
    /// SHA-256 of all of the above. It detects changes, and is not a signature: whoever changes the file on purpose can
    /// make it again.
    #[serde(default)]
    digest: String,
    /// `true` if the file is as it was written.
    #[serde(skip)]
    intact: bool,
}

/// The reason why a file is no usable certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// Not JSON, or not of this form.
    #[error("it is not a certificate: {0}")]
    Form(String),
    /// It has another version, such as that of a later loopctl.
    #[error("it is a certificate of version {0}, and this loopctl reads version {VERSION}")]
    Version(u64),
}

impl Certificate {
    /// Makes a certificate of the outcome of testing `sample`. `date` is RFC 3339.
    ///
    /// # Errors
    /// [`CertificateError::Form`] where it can't be written as JSON.
    pub fn new(
        date: String,
        run: Option<String>,
        calibration: Calibration,
        sample: &Sample,
        basis: Basis,
    ) -> Result<Self, CertificateError> {
        let reviewed = sample.documents.iter().map(|document| &document.document);
        let documents = reviewed.chain(&sample.not_counted).map(|id| digest_bytes(id.as_bytes())).collect();
        let mut certificate = Certificate {
            format: FORMAT.to_owned(),
            version: VERSION,
            date,
            run,
            statements: calibration.statements().collect(),
            calibration,
            basis,
            documents,
            digest: String::new(),
            intact: true,
        };
        let value = serde_json::to_value(&certificate).map_err(form)?;
        certificate.digest = digest_of(value);
        Ok(certificate)
    }

    /// Reads a certificate.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn parse(text: &[u8]) -> Result<Self, CertificateError> {
        let value: Value = serde_json::from_slice(text).map_err(form)?;
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(CertificateError::Form(format!("its `format` is not `{FORMAT}`")));
        }
        match value.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {
                let digest = digest_of(value.clone());
                let mut certificate: Certificate = serde_json::from_value(value).map_err(form)?;
                certificate.intact = certificate.digest == digest;
                Ok(certificate)
            }
            other => Err(CertificateError::Version(other.unwrap_or_default())),
        }
    }

    /// Returns whether it is as it was written. One that is not promises nothing, whatever it says.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.intact
    }

    /// The reasons why it promises nothing about documents that the policy of `later` makes, each in a few words; empty
    /// if it holds.
    #[must_use]
    pub fn changes(&self, later: &Basis) -> Vec<String> {
        let itself = (!self.intact).then(|| "the certificate itself".to_owned());
        itself.into_iter().chain(self.basis.changes(later)).collect()
    }

    /// Removes the documents that were reviewed for this certificate from the sample of an audit, and returns their
    /// number: they determined the threshold, and would speak for it.
    pub fn leave_out_its_own(&self, audit: &mut Sample) -> u64 {
        let before = audit.documents.len();
        let is_own = |id: &str| self.documents.contains(&digest_bytes(id.as_bytes()));
        audit.documents.retain(|reviewed| !is_own(&reviewed.document));
        (before - audit.documents.len()) as u64
    }
}

fn form(error: serde_json::Error) -> CertificateError {
    CertificateError::Form(error.to_string())
}

/// The digest of a certificate's content, which is all but the digest.
fn digest_of(mut certificate: Value) -> String {
    if let Value::Object(members) = &mut certificate {
        members.shift_remove("digest");
    }
    digest_bytes(certificate.to_string().as_bytes())
}
