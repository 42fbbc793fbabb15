//! `loopctl runs export`.

use super::super::headings::OUTPUT;
use super::super::journal_argument::JournalArgument;
use super::super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::run_export::{FileFormat, RunFileRequest, write_results, write_run_file};
use crate::streams::Streams;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl runs export > results.jsonl\n  loopctl runs export --to results.csv\n  loopctl runs export 20261125T081500Z-0001 --to results.xlsx --corrections corrections.jsonl\n  loopctl runs export --to reports.ndjson --type pathology"
)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it; the beginning of its id is enough
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    /// Write extractions, validations and results to this folder [default: results, one per line on standard output]
    #[arg(long, value_name = "DIR", conflicts_with = "to")]
    out: Option<PathBuf>,
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    journal: JournalArgument,
}

/// The format of a file, as arguments name it.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FileFormatName {
    /// A table: one row per document, UTF-8 (`.csv`)
    Csv,
    /// A workbook: the same table, and a sheet about it (`.xlsx`)
    Xlsx,
    /// The results, one on each line (`.jsonl`)
    Jsonl,
    /// FHIR R4 bundles, one on each line (`.ndjson`)
    Fhir,
}

#[derive(Args)]
struct FileArguments {
    /// Write the run to this file, in the format of its extension: `.csv`, `.xlsx`, `.jsonl`, or `.ndjson` for FHIR
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    to: Option<PathBuf>,
    /// Format of the file, whatever its extension
    #[arg(long, value_enum, value_name = "FORMAT", requires = "to", help_heading = OUTPUT)]
    format: Option<FileFormatName>,
    /// Only documents of this type (repeatable)
    #[arg(long = "type", value_name = "TYPE", requires = "to", help_heading = OUTPUT)]
    types: Vec<String>,
    /// Reviewers' corrections, one on each line, which override decisions in the journal: the corrected values are
    /// written, with the reviewer's name (repeatable)
    #[arg(long, value_name = "FILE", requires = "to", help_heading = OUTPUT)]
    corrections: Vec<PathBuf>,
    /// Write the extracted values, without reviewers' decisions in the journal
    #[arg(long, requires = "to", help_heading = OUTPUT)]
    without_reviews: bool,
    /// Leave a field out, such as `rawText` (repeatable); not for JSONL, whose results are whole
    #[arg(long, value_name = "FIELD", requires = "to", help_heading = OUTPUT)]
    leave_out: Vec<String>,
    /// The profile whose rubrics say what is written as FHIR, and by which codes [default: that of the run]
    #[arg(long, short, value_name = "PROFILE", requires = "to", help_heading = OUTPUT)]
    profile: Option<String>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    if let Some(to) = &arguments.file.to {
        let written = write_run_file(&arguments.request(to), context(), output)?;
        written.lines().iter().for_each(|line| output.say(line));
        return Ok(ExitStatus::Success);
    }
    let (run, out) = (&arguments.run, arguments.out.as_deref());
    let is_whole = write_results(run, &arguments.journal.spec(), out, context(), output)?;
    Ok(if is_whole { ExitStatus::Success } else { ExitStatus::Broken })
}

impl Arguments {
    fn request(&self, to: &Path) -> RunFileRequest {
        let FileArguments { types, corrections, without_reviews, leave_out, profile, .. } = &self.file;
        RunFileRequest {
            run: self.run.clone(),
            journal: self.journal.spec(),
            to: to.to_path_buf(),
            format: self.file.format.map(|format| match format {
                FileFormatName::Csv => FileFormat::Csv,
                FileFormatName::Xlsx => FileFormat::Xlsx,
                FileFormatName::Jsonl => FileFormat::Jsonl,
                FileFormatName::Fhir => FileFormat::Fhir,
            }),
            types: types.clone(),
            corrections: corrections.clone(),
            without_reviews: *without_reviews,
            leave_out: leave_out.clone(),
            profile: profile.clone(),
        }
    }
}
