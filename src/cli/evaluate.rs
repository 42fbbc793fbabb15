//! `loopctl evaluate`: results against labelled documents.

mod fresh;
mod labels;
mod results;
mod reviewed;

use self::fresh::FreshArguments;
pub(super) use self::labels::LabelFiles;
use self::results::{ResultArguments, ResultSource};
use self::reviewed::reviewed_labels;
use super::headings::{ARGUMENTS, OUTPUT, PROFILE};
use super::loading::{context, library, usual_profile};
use super::result_format::result_format;
use crate::disk::{self, Access, FolderKey};
use crate::experiment::evaluate::{Evaluation, Evaluator, UnusableLabel, unknown_fields};
use crate::failure::{ExitStatus, Failure};
use crate::profiles::SelectedProfile;
use crate::report::{evaluation_html, evaluation_text};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::prose::count;
use crate::value::sanitize_line;
use clap::Args;
use std::path::{Path, PathBuf};

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
    #[command(flatten)]
    results: ResultArguments,
    #[command(flatten)]
    fresh: FreshArguments,
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
    let mut labels = if arguments.labels.is_empty() {
        LabelFiles::default()
    } else {
        LabelFiles::read(&arguments.labels, arguments.columns.as_deref(), output)?
    };
    arguments.refuse_report_among_inputs(&labels)?;
    let recorded = if arguments.fresh.is_asked() { None } else { Some(arguments.results.source()?) };
    let named = match (&arguments.profile, &recorded) {
        (Some(profile), _) => profile.clone(),
        (None, Some(source)) => source.profile()?,
        (None, None) => usual_profile(),
    };
    let profile = SelectedProfile::of(&named, &arguments.settings);
    let plan = profile.plan_to_score(context(), &library(), output)?;
    let (source, ran, classified) = match recorded {
        Some(source) => (source, ExitStatus::Success, Vec::new()),
        None => {
            let run = arguments.fresh.run(&labels, &plan, &profile, output)?;
            (ResultSource::Fresh(run.results), run.exit, run.classified)
        }
    };
    let mut evaluator = Evaluator::new(&plan);
    labels.take().into_iter().for_each(|record| evaluator.add_label(record));
    if let (true, ResultSource::Run(journal, run)) = (arguments.reviewed, &source) {
        for record in reviewed_labels(journal, run, &plan)? {
            evaluator.add_label_of_result(record);
        }
    }
    classified.into_iter().for_each(|(document, found)| evaluator.add_classified(&document, found));
    let labelled = evaluator.labelled_documents();
    let is_broken = source.each(output, |result| evaluator.add_result(result))?;
    let evaluation = evaluator.finish(source.named(), plan.profile.name.clone(), arguments.confidence);
    write(&evaluation, arguments, output)?;
    if evaluation.documents.evaluated == 0 {
        return Err(nothing_matched(&evaluation, labelled));
    }
    Ok(if is_broken || labels.is_broken || ran == ExitStatus::Broken {
        ExitStatus::Broken
    } else {
        ExitStatus::Success
    })
}

impl Arguments {
    /// Refuses a report that would overwrite one of its inputs.
    fn refuse_report_among_inputs(&self, labels: &LabelFiles) -> Result<(), Failure> {
        let Some(report) = &self.report else { return Ok(()) };
        // A report that does not exist yet overwrites nothing.
        let Ok(key) = FolderKey::of(report) else { return Ok(()) };
        let mut inputs: Vec<(&str, PathBuf)> = Vec::new();
        inputs.extend(labels.files().iter().map(|file| ("labels", file.clone())));
        inputs.extend(self.columns.iter().map(|file| ("map of `--columns`", file.clone())));
        inputs.extend(self.profile.iter().map(|file| ("profile", file.into())));
        inputs.extend(self.results.files()?.into_iter().map(|file| ("results", file)));
        inputs.extend(self.results.journal().into_iter().map(|file| ("journal", file)));
        inputs.extend(self.fresh.files(labels).map(|file| ("labelled documents", file)));
        match inputs.iter().find(|(_, input)| FolderKey::of(input).is_ok_and(|input| input == key)) {
            Some((what, input)) => {
                let message =
                    format!("`--report {}` would overwrite the {what} `{}`", report.shown(), input.shown());
                Err(Failure::usage(message).help("write the report to another file, such as `quality.html`"))
            }
            None => Ok(()),
        }
    }
}

fn write(evaluation: &Evaluation, arguments: &Arguments, output: &mut Streams) -> Result<(), Failure> {
    if let Some(file) = &arguments.report {
        write_page(evaluation, file)?;
    }
    match arguments.format {
        ResultFormat::Text => {
            let text = evaluation_text(evaluation, output.out_paint);
            output.out.write_all(text.as_bytes())?;
            output.out.flush()?;
            Ok(())
        }
        format => output.write_json(evaluation, format),
    }
}

/// Writes the page. It contains values of documents, so only its owner may read it.
fn write_page(evaluation: &Evaluation, file: &Path) -> Result<(), Failure> {
    let page = evaluation_html(evaluation);
    disk::replace(file, page.as_bytes(), Access::Owner)
        .map_err(|error| Failure::broken(format!("can't write the report to `{}`: {error}", file.shown())))
}

fn nothing_matched(evaluation: &Evaluation, labelled: usize) -> Failure {
    let labelled = count(labelled as u64, "labelled document");
    let results = count(evaluation.sources.result_documents, "result");
    let message = format!("no label fits a result: {labelled}, {results}");
    let unmatched = &evaluation.unmatched;
    if let (Some(label), None) = (unmatched.unusable.first(), unmatched.fields.first()) {
        let message = format!("no label can be used: {labelled}, {results}");
        let UnusableLabel { field, place, expected, .. } = label;
        return Failure::broken(message).help(sanitize_line(&format!(
            "values of `{field}` are {expected}, unlike the label in {place}"
        )));
    }
    let has_other_reason = !unmatched.fields.is_empty() || !unmatched.disputed.is_empty();
    if evaluation.documents.not_judged > 0 && !has_other_reason {
        let message = format!("no label is of a field: {labelled}, {results}");
        return Failure::broken(message)
            .help("documents that only their type is known of are neither right nor wrong");
    }
    let help = match (unmatched.labels.first(), unmatched.documents.first(), unmatched.fields.first()) {
        (_, _, Some(field)) => unknown_fields(unmatched).unwrap_or_else(|| {
            format!("labels name fields that the profile does not have, such as `{}`", field.field)
        }),
        (Some(label), Some(document), None) => {
            format!("labels name documents such as `{}`, and results such as `{}`", label.document, document)
        }
        (_, None, None) if evaluation.sources.result_documents == 0 => {
            "the run has no finished document".to_owned()
        }
        _ => "`document` of a label must be the id of a result, or its path".to_owned(),
    };
    Failure::broken(message).help(sanitize_line(&help))
}

fn confidence(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| *number > 0.0 && *number < 1.0)
        .ok_or_else(|| "expected a number between 0 and 1, such as 0.95".to_owned())
}
