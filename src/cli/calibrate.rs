//! `loopctl calibrate`: thresholds certified from labels.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_argument::JournalArgument;
use super::loading::{ProfileArguments, context};
use super::result_format::RecordFormat;
use crate::calibration::{
    CalibrationAnswer, CalibrationRequest, CalibrationTask, EvidenceAnswer, EvidenceRequest, answer,
};
use crate::experiment::calibrate::{Calibration, ScoredDocument};
use crate::failure::{ExitStatus, Failure};
use crate::report::{calibration_text, evidence_text, needed_text};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{path_text, sanitize_line};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "A label is a line of JSON or a row of a CSV file: `document` (its id) and `wrong` (true or false), and what else is known:\n`score`, `document_type`, `passed`, `cluster`, `reviewer`, `settles`, `wrote_rules`, `example`.\n\nExamples:\n  loopctl calibrate --profile clinic --run latest\n  loopctl calibrate --profile clinic --run latest --draw 300\n  loopctl calibrate --profile clinic --run latest --out certificates/clinic.json --report clinic.html labels.csv\n  loopctl calibrate --profile clinic --verify certificates/clinic.json audit.jsonl\n  loopctl calibrate --profile clinic --evidence --run latest --out rules/evidence.yaml\n\nExit status: 0 something is certified, or a certificate holds; 3 nothing can be certified, a certificate no longer holds, or the audit has no document that it covers."
)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: ProfileArguments,
    /// The run whose documents were reviewed, as `loopctl runs list` names it: scores and types come from it
    #[arg(long, value_name = "RUN", help_heading = DOCUMENTS)]
    run: Option<String>,
    #[command(flatten, next_help_heading = DOCUMENTS)]
    journal: JournalArgument,
    /// Take scores and types from the results in this folder instead: they lack the settings of their profile, so no
    /// certificate is made from them
    #[arg(long, value_name = "DIR", conflicts_with = "run", help_heading = DOCUMENTS)]
    results: Option<PathBuf>,
    /// Count how often passages of each pattern were right according to reviewers, for `grounding.patterns`; LABELS, if
    /// given, are records of `loopctl score` with `labels`
    #[arg(long, conflicts_with_all = ["results", "only_this_run", "draw", "draw_audit", "verify", "report"], help_heading = ARGUMENTS)]
    evidence: bool,
    /// Write a standalone table, without the shipped counts
    #[arg(long, requires = "evidence", help_heading = OUTPUT)]
    alone: bool,
    /// Certify only the documents of this run, and no future ones: needs fewer reviews, of documents drawn from it at
    /// random
    #[arg(long, help_heading = DOCUMENTS)]
    only_this_run: bool,
    /// Draw this many documents of the run at random for review
    #[arg(long, value_name = "N", conflicts_with_all = ["verify", "out", "draw_audit"], help_heading = DOCUMENTS)]
    draw: Option<usize>,
    /// Draw for review the audit's share of the documents of the run that the certificate of `--verify` covers
    #[arg(long, requires = "verify", help_heading = DOCUMENTS)]
    draw_audit: bool,
    /// Check whether this certificate holds for the profile as it is; with labels, also whether the audited documents
    /// contradict it
    #[arg(long, value_name = "FILE", conflicts_with = "out", help_heading = ARGUMENTS)]
    verify: Option<PathBuf>,
    /// Write a certificate to this file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Also write the findings to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html", conflicts_with_all = ["verify", "draw", "draw_audit"], help_heading = OUTPUT)]
    report: Option<PathBuf>,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
    /// Labels: JSON lines or CSV; `-` is standard input. With a run and no labels, the number of reviews needed is
    /// shown
    #[arg(value_name = "LABELS", help_heading = ARGUMENTS)]
    labels: Vec<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    match answer(&arguments.request(), context(), output)? {
        CalibrationAnswer::Calibrated { calibration, certificate, of_run } => {
            let written = (certificate.as_deref(), arguments.out.is_some());
            write_calibration(&calibration, written, of_run, format, output)?;
            Ok(if calibration.certifies() { ExitStatus::Success } else { ExitStatus::NotPassed })
        }
        CalibrationAnswer::Needed(needed, settings) => {
            let text = |output: &Streams| needed_text(&needed, &settings, output.out_paint);
            write(text, || json!(needed), format, output)
        }
        CalibrationAnswer::Drawn(documents) => write_drawn(&documents, format, output),
        CalibrationAnswer::Verified(verification) => {
            let text = |output: &Streams| verification.text(output.out_paint);
            write(text, || verification.to_json(), format, output)?;
            let is_good = verification.holds() && verification.is_shown();
            Ok(if is_good { ExitStatus::Success } else { ExitStatus::NotPassed })
        }
        CalibrationAnswer::Evidence(answer) => {
            write_evidence(&answer, arguments.out.as_deref(), format, output)
        }
    }
}

impl Arguments {
    fn request(&self) -> CalibrationRequest {
        let (run, journal, labels) = (self.run.clone(), self.journal.spec(), self.labels.clone());
        let task = match (&self.verify, self.draw) {
            _ if self.evidence => CalibrationTask::Evidence(EvidenceRequest {
                run: run.clone(),
                journal: journal.clone(),
                records: labels.clone(),
                out: self.out.clone(),
                alone: self.alone,
            }),
            (Some(file), _) if self.draw_audit => CalibrationTask::DrawAudit(file.clone()),
            (Some(file), _) => CalibrationTask::Verify(file.clone()),
            (None, Some(count)) => CalibrationTask::Draw(count),
            (None, None) => CalibrationTask::Certify { out: self.out.clone(), report: self.report.clone() },
        };
        CalibrationRequest {
            profile: self.profile.selected(),
            task,
            run,
            journal,
            results: self.results.clone(),
            only_this_run: self.only_this_run,
            labels,
        }
    }
}

/// Writes an answer for people or for programs.
fn write(
    text: impl FnOnce(&Streams) -> String,
    value: impl FnOnce() -> Value,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    if format == ResultFormat::Text {
        let text = text(output);
        output.out.write_all(text.as_bytes())?;
        output.out.flush()?;
    } else {
        output.write_json(&value(), format)?;
    }
    Ok(ExitStatus::Success)
}

/// Writes the findings; `written` is the file of the certificate, and `true` if one was asked for.
fn write_calibration(
    calibration: &Calibration,
    written: (Option<&Path>, bool),
    of_run: bool,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<(), Failure> {
    let value = || {
        let mut value = json!(calibration);
        if let Value::Object(members) = &mut value {
            members.insert("statements".to_owned(), calibration.statements().collect());
            members.insert("certificate".to_owned(), json!(written.0.map(path_text)));
        }
        value
    };
    write(|output| calibration_text(calibration, output.out_paint), value, format, output)?;
    if format != ResultFormat::Text {
        return Ok(());
    }
    match written {
        (Some(file), _) => {
            output.say(&format!("the certificate is in `{}`", sanitize_line(&file.shown())));
            if !of_run {
                output.say("its scores are those of the labels: nothing shows that this policy gave them");
            }
        }
        (None, true) => output.say("no certificate is written"),
        (None, false) => {}
    }
    Ok(())
}

/// Writes the documents without scores: reviewers who know them review differently.
fn write_drawn(
    documents: &[ScoredDocument],
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let text =
        |_: &Streams| documents.iter().map(|document| format!("{}\n", sanitize_line(&document.id))).collect();
    let line = |document: &ScoredDocument| json!({ "document": document.id, "document_type": document.document_type, "wrong": null });
    write(text, || documents.iter().map(line).collect(), format, output)
}

fn write_evidence(
    answer: &EvidenceAnswer,
    out: Option<&Path>,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let EvidenceAnswer { calibration, unseen, unclear } = answer;
    let value = || {
        let mut value = json!(calibration);
        if let Value::Object(members) = &mut value {
            members.insert("unseen".to_owned(), json!(unseen));
            members.insert("unclear".to_owned(), json!(unclear));
            members.insert("table".to_owned(), json!(out.map(path_text)));
        }
        value
    };
    write(|output| evidence_text(calibration, output.out_paint), value, format, output)?;
    if format != ResultFormat::Text {
        return Ok(ExitStatus::Success);
    }
    if *unseen > 0 {
        output.say(&format!(
            "left out: {} that were accepted with their documents as they were, because no one says that they were looked at",
            unseen
        ));
    }
    if *unclear > 0 {
        output.say(&format!(
            "left out: {} about which reviewers differ, or whose list has got other items",
            unclear
        ));
    }
    if let Some(out) = out {
        let shown = sanitize_line(&out.shown());
        output.say(&format!("the table is in `{shown}`"));
        match shown.split_once("rules/") {
            Some((_, name)) => {
                output.say(&format!("  help: use it with `grounding: {{ patterns: {name} }}`"))
            }
            None => output
                .say("  help: put it into `rules/`, and use it with `grounding: { patterns: NAME.yaml }`"),
        }
    }
    Ok(ExitStatus::Success)
}
