//! A certificate: what is promised, and all that it rests on.

use super::{Basis, Calibration};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a file of this kind calls itself.
const FORMAT: &str = "loopctl certificate";

/// The version of the form that is written and read.
const VERSION: u64 = 1;

/// A certificate, as a file holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Certificate {
    /// What the file is.
    format: String,
    /// The version of its form.
    version: u64,
    /// When it was made, as RFC 3339.
    pub date: String,
    /// The run whose scores it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The statements, for people.
    pub statements: Vec<String>,
    /// What was tested, and what came of it.
    pub calibration: Calibration,
    /// The policy that it is about.
    pub basis: Basis,
}

/// Why a file is no certificate that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateError {
    /// Not JSON, or not of this form.
    #[error("it is no certificate: {0}")]
    Form(String),
    /// Made by a later loopctl.
    #[error("it is a certificate of version {0}, and this loopctl reads version {VERSION}")]
    Version(u64),
}

impl Certificate {
    /// Makes one. `date` is RFC 3339.
    #[must_use]
    pub fn new(date: String, run: Option<String>, calibration: Calibration, basis: Basis) -> Self {
        let statements = calibration.statements().collect();
        Certificate { format: FORMAT.to_owned(), version: VERSION, date, run, statements, calibration, basis }
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn parse(text: &[u8]) -> Result<Self, CertificateError> {
        let form = |error: serde_json::Error| CertificateError::Form(error.to_string());
        let value: Value = serde_json::from_slice(text).map_err(form)?;
        if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(CertificateError::Form(format!("its `format` is not `{FORMAT}`")));
        }
        match value.get("version").and_then(Value::as_u64) {
            Some(VERSION) => serde_json::from_value(value).map_err(form),
            other => Err(CertificateError::Version(other.unwrap_or_default())),
        }
    }
}
