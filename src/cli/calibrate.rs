//! `loopctl calibrate`: thresholds certified from labels.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_argument::JournalArgument;
use super::loading::{ProfileArguments, context};
use super::result_format::RecordFormat;
use crate::calibration::{CalibrationRequest, CalibrationTask, EvidenceRequest, answer};
use crate::failure::{ExitStatus, Failure};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

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
    let answer = answer(&arguments.request(), context(), output)?;
    output.write_answer(format, |paint| answer.text(paint), || answer.to_json())?;
    if format == ResultFormat::Text {
        answer.remarks().iter().for_each(|remark| output.say(remark));
    }
    Ok(ExitStatus::passed(answer.passes()))
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
