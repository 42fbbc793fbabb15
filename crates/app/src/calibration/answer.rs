//! Answers about thresholds, for people and for programs.

use super::{EvidenceAnswer, Verification};
use crate::experiment::calibrate::{Calibration, NeededReviews, ScoredDocument};
use crate::profile::Certify;
use crate::report::{Paint, calibration_text, evidence_text, needed_text};
use crate::value::{ShownPath, path_text, sanitize_line};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The answer to a request about thresholds.
#[derive(Debug)]
pub enum CalibrationAnswer {
    /// Thresholds.
    Calibrated {
        /// The findings.
        calibration: Box<Calibration>,
        /// The file of the certificate that was written.
        certificate: Option<PathBuf>,
        /// `true` if a certificate was asked for.
        is_certificate_wanted: bool,
        /// `true` if scores and types come from a run or a folder, and not from the labels.
        of_run: bool,
    },
    /// The number of reviews that it takes.
    Needed(Vec<NeededReviews>, Box<Certify>),
    /// Documents to review.
    Drawn(Vec<ScoredDocument>),
    /// A certificate that holds, or does not.
    Verified(Box<Verification>),
    /// The counts of patterns.
    Evidence(Box<EvidenceAnswer>),
}

impl CalibrationAnswer {
    /// Returns whether something is certified, or a certificate holds; `true` for an answer about neither.
    #[must_use]
    pub fn passes(&self) -> bool {
        match self {
            CalibrationAnswer::Calibrated { calibration, .. } => calibration.certifies(),
            CalibrationAnswer::Verified(verification) => verification.holds() && verification.is_shown(),
            CalibrationAnswer::Needed(..) | CalibrationAnswer::Drawn(_) | CalibrationAnswer::Evidence(_) => {
                true
            }
        }
    }

    /// The answer for people. Documents to review have no scores: reviewers who know them review differently.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        match self {
            CalibrationAnswer::Calibrated { calibration, .. } => calibration_text(calibration, paint),
            CalibrationAnswer::Needed(needed, settings) => needed_text(needed, settings, paint),
            CalibrationAnswer::Drawn(documents) => {
                documents.iter().map(|document| format!("{}\n", sanitize_line(&document.id))).collect()
            }
            CalibrationAnswer::Verified(verification) => verification.text(paint),
            CalibrationAnswer::Evidence(answer) => evidence_text(&answer.calibration, paint),
        }
    }

    /// The answer for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            CalibrationAnswer::Calibrated { calibration, certificate, .. } => with_members(
                calibration,
                [
                    ("statements", calibration.statements().collect()),
                    ("certificate", json!(certificate.as_deref().map(path_text))),
                ],
            ),
            CalibrationAnswer::Needed(needed, _) => json!(needed),
            CalibrationAnswer::Drawn(documents) => documents
                .iter()
                .map(|document| json!({ "document": document.id, "document_type": document.document_type, "wrong": null }))
                .collect(),
            CalibrationAnswer::Verified(verification) => verification.to_json(),
            CalibrationAnswer::Evidence(answer) => with_members(
                &answer.calibration,
                [
                    ("unseen", json!(answer.unseen)),
                    ("unclear", json!(answer.unclear)),
                    ("table", json!(answer.table.as_deref().map(path_text))),
                ],
            ),
        }
    }

    /// Remarks for people beside the answer: the files that were written, and what was left out.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        match self {
            CalibrationAnswer::Calibrated { certificate: Some(file), of_run, .. } => {
                let written = format!("the certificate is in `{}`", sanitize_line(&file.shown()));
                let doubt = "its scores are those of the labels: nothing shows that this policy gave them";
                std::iter::once(written).chain((!of_run).then(|| doubt.to_owned())).collect()
            }
            CalibrationAnswer::Calibrated { is_certificate_wanted: true, .. } => {
                vec!["no certificate is written".to_owned()]
            }
            CalibrationAnswer::Evidence(answer) => answer.remarks(),
            CalibrationAnswer::Calibrated { .. }
            | CalibrationAnswer::Needed(..)
            | CalibrationAnswer::Drawn(_)
            | CalibrationAnswer::Verified(_) => Vec::new(),
        }
    }
}

impl EvidenceAnswer {
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.unseen > 0 {
            remarks.push(format!(
                "left out: {} that were accepted with their documents as they were, because no one says that they were looked at",
                self.unseen
            ));
        }
        if self.unclear > 0 {
            remarks.push(format!(
                "left out: {} about which reviewers differ, or whose list has got other items",
                self.unclear
            ));
        }
        remarks.extend(self.table.as_deref().into_iter().flat_map(about_table));
        remarks
    }
}

/// Remarks on a table that was written.
fn about_table(table: &Path) -> [String; 2] {
    let shown = sanitize_line(&table.shown());
    let help = match shown.split_once("rules/") {
        Some((_, name)) => format!("  help: use it with `grounding: {{ patterns: {name} }}`"),
        None => {
            "  help: put it into `rules/`, and use it with `grounding: { patterns: NAME.yaml }`".to_owned()
        }
    };
    [format!("the table is in `{shown}`"), help]
}

/// Findings as JSON, with further members.
fn with_members<const N: usize>(findings: &impl Serialize, further: [(&str, Value); N]) -> Value {
    let mut value = json!(findings);
    if let Value::Object(members) = &mut value {
        members.extend(further.map(|(name, member)| (name.to_owned(), member)));
    }
    value
}
