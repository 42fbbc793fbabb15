//! `loopctl evaluate`: results against labelled documents.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_argument::JournalArgument;
use super::passwords::PasswordArguments;
use super::process_host::PROCESS;
use super::result_format::result_format;
use crate::evaluation::{EvaluationRequest, FreshRunRequest, ResultSpec, evaluate};
use crate::failure::{ExitStatus, Failure};
use crate::report::evaluation_text;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl evaluate gold/\n  loopctl evaluate gold.csv --columns gold.map.yaml --results out/\n  loopctl evaluate --reviewed\n  loopctl evaluate gold.jsonl --fresh --profile clinical --report quality.html"
)]
pub(super) struct Arguments {
    /// Labels: `.json`, `.jsonl` and `.csv` files; for a folder its `*.labels.json`, or all of these if it has none
    /// (repeatable)
    #[arg(required_unless_present = "reviewed", value_name = "GOLD", help_heading = ARGUMENTS)]
    labels: Vec<PathBuf>,
    /// Also use reviewers' decisions about the run (`loopctl review`) as labels
    ///
    /// They are corrections: the latest label of a field holds.
    #[arg(long, conflicts_with_all = ["results", "fresh"], help_heading = ARGUMENTS)]
    reviewed: bool,
    /// File that maps columns of tables, and members of other JSON, to labels
    ///
    /// Without it, the header of a table names the fields, and one column is `document`.
    #[arg(long, value_name = "MAP.yaml", help_heading = ARGUMENTS)]
    columns: Option<PathBuf>,
    /// The run whose results are evaluated, as `loopctl runs list` names it [default: the latest]
    #[arg(long, value_name = "RUN", conflicts_with = "results", help_heading = DOCUMENTS)]
    run: Option<String>,
    /// Evaluate the results in this folder (`*-result.json`), this `.json` or this `.jsonl`, `-` for standard input,
    /// instead of those of a run
    #[arg(long, value_name = "PATH", help_heading = DOCUMENTS)]
    results: Option<PathBuf>,
    #[command(flatten)]
    journal: JournalArgument,
    /// Run the loop over the labelled documents first, and evaluate that run
    ///
    /// A document is the file that its label names, in `--documents` or beside the label. The run is kept in the
    /// journal like any other; for other settings, `loopctl run` the documents and evaluate that run.
    #[arg(long, conflicts_with_all = ["run", "results"], help_heading = DOCUMENTS)]
    fresh: bool,
    /// The folder of the labelled documents
    #[arg(long, value_name = "DIR", requires = "fresh", help_heading = DOCUMENTS)]
    documents: Option<PathBuf>,
    /// Give the loop the types that labels name, instead of having it find them
    ///
    /// The types that it would have found are counted besides. Documents of a type that the profile does not have are
    /// left out.
    #[arg(long, requires = "fresh", help_heading = DOCUMENTS)]
    typed: bool,
    #[command(flatten)]
    passwords: PasswordArguments,
    /// The profile whose rubrics and vocabularies say when two values are the same [default: that of the results]
    #[arg(long, short, value_name = "PROFILE", help_heading = PROFILE)]
    profile: Option<String>,
    /// Set a key of the profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE", help_heading = PROFILE)]
    settings: Vec<String>,
    /// The confidence of every interval, between 0 and 1
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = confidence, help_heading = OUTPUT)]
    confidence: f64,
    /// Format of the evaluation on standard output
    #[arg(long, value_parser = result_format(), value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    format: ResultFormat,
    /// Also write it to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    report: Option<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let answer = evaluate(&arguments.request(), &arguments.passwords.context()?, PROCESS, output)?;
    let text = |paint| evaluation_text(&answer.evaluation, paint);
    output.write_answer(arguments.format, text, || &answer.evaluation)?;
    match answer.failure() {
        Some(failure) => Err(failure),
        None => Ok(ExitStatus::whole(!answer.is_incomplete)),
    }
}

impl Arguments {
    fn request(&self) -> EvaluationRequest {
        let results = match (&self.results, self.fresh) {
            (_, true) => {
                ResultSpec::Fresh(FreshRunRequest { documents: self.documents.clone(), typed: self.typed })
            }
            (Some(path), false) => ResultSpec::Files(path.clone()),
            (None, false) => ResultSpec::Run(self.run.clone()),
        };
        EvaluationRequest {
            labels: self.labels.clone(),
            reviewed: self.reviewed,
            columns: self.columns.clone(),
            results,
            journal: self.journal.spec(),
            profile: self.profile.clone(),
            settings: self.settings.clone(),
            confidence: self.confidence,
            report: self.report.clone(),
        }
    }
}

fn confidence(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| *number > 0.0 && *number < 1.0)
        .ok_or_else(|| "expected a number between 0 and 1, such as 0.95".to_owned())
}
