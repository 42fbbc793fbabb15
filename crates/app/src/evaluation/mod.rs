//! Results evaluated against labelled documents.

mod fresh_run;
mod label_files;
mod result_source;
mod reviewed_labels;

pub use fresh_run::FreshRunRequest;
pub use label_files::LabelFiles;
pub use result_source::ResultSpec;

use crate::context::Context;
use crate::disk::FolderKey;
use crate::execution::RunHost;
use crate::experiment::evaluate::{Evaluation, Evaluator, UnusableLabel, unknown_fields};
use crate::failure::{ExitStatus, Failure};
use crate::journals::JournalSpec;
use crate::profiles::SelectedProfile;
use crate::report::evaluation_html;
use crate::report_file::{refuse_overwriting, write_report};
use crate::streams::Streams;
use crate::value::prose::count;
use crate::value::sanitize_line;
use fresh_run::LabelledRun;
use result_source::ResultSource;
use reviewed_labels::reviewed_labels;
use std::path::PathBuf;

/// A request for an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationRequest {
    /// Files and folders of labels.
    pub labels: Vec<PathBuf>,
    /// The decisions of reviewers about the run are labels, too.
    pub reviewed: bool,
    /// The file that maps columns of tables, and members of other JSON, to labels.
    pub columns: Option<PathBuf>,
    /// The results that are evaluated.
    pub results: ResultSpec,
    /// The journal of the run.
    pub journal: JournalSpec,
    /// The profile whose rubrics and vocabularies say when two values are the same; `None` for that of the results.
    pub profile: Option<String>,
    /// Settings laid over the profile.
    pub settings: Vec<String>,
    /// The confidence of every interval.
    pub confidence: f64,
    /// The file for the evaluation as a page.
    pub report: Option<PathBuf>,
}

/// An evaluation.
#[derive(Debug)]
pub struct EvaluationAnswer {
    /// The findings.
    pub evaluation: Evaluation,
    /// `true` if labels or results could not be read, which was reported.
    pub is_incomplete: bool,
    /// The number of labelled documents.
    labelled: usize,
}

/// Evaluates results against labels. Labels and results that can't be used are reported, and the rest counts. A fresh
/// run is made in the process `host`.
///
/// # Errors
/// When there are no labels or no results, the profile can't be used, or the page can't be written.
pub fn evaluate(
    request: &EvaluationRequest,
    context: &Context,
    host: RunHost,
    output: &mut Streams,
) -> Result<EvaluationAnswer, Failure> {
    let mut labels = if request.labels.is_empty() {
        LabelFiles::default()
    } else {
        LabelFiles::read(&request.labels, request.columns.as_deref(), output)?
    };
    request.refuse_report_among_inputs(&labels, context)?;
    let source = request.results.source(context, &request.journal)?;
    let named = match &request.profile {
        Some(profile) => profile.clone(),
        None => source.profile(context)?,
    };
    let profile = SelectedProfile::of(&named, &request.settings);
    let plan = profile.plan_to_score(context, &context.library(), output)?;
    let (source, ran, classified) = match source {
        ResultSource::Fresh(fresh) => {
            let LabelledRun { run, classified } =
                fresh.run(&labels, &plan, &profile, host, context, output)?;
            (ResultSource::Made(run.results), run.exit, classified)
        }
        recorded => (recorded, ExitStatus::Success, Vec::new()),
    };
    let mut evaluator = Evaluator::new(&plan);
    labels.take().into_iter().for_each(|record| evaluator.add_label(record));
    if let (true, ResultSource::Run(journal, run)) = (request.reviewed, &source) {
        for record in reviewed_labels(journal, run, &plan)? {
            evaluator.add_label_of_result(record);
        }
    }
    classified.into_iter().for_each(|(document, found)| evaluator.add_classified(&document, found));
    let labelled = evaluator.labelled_documents();
    let is_broken = source.each(output, |result| evaluator.add_result(result))?;
    let evaluation = evaluator.finish(source.named(), plan.profile.name.clone(), request.confidence);
    if let Some(file) = &request.report {
        write_report(file, &evaluation_html(&evaluation))?;
    }
    let is_incomplete = is_broken || labels.is_broken || ran == ExitStatus::Broken;
    Ok(EvaluationAnswer { evaluation, is_incomplete, labelled })
}

impl EvaluationRequest {
    /// Refuses a report that would overwrite one of its inputs.
    fn refuse_report_among_inputs(&self, labels: &LabelFiles, context: &Context) -> Result<(), Failure> {
        // A report that does not exist yet overwrites nothing.
        let Some(report) = self.report.as_ref().filter(|report| FolderKey::of(report).is_ok()) else {
            return Ok(());
        };
        let mut inputs: Vec<(&str, PathBuf)> = Vec::new();
        inputs.extend(labels.files().iter().map(|file| ("labels", file.clone())));
        inputs.extend(self.columns.iter().map(|file| ("map of `--columns`", file.clone())));
        inputs.extend(self.profile.iter().map(|file| ("profile", file.into())));
        inputs.extend(self.results.files()?.into_iter().map(|file| ("results", file)));
        inputs.extend(self.journal.located(context).into_iter().map(|file| ("journal", file)));
        if let ResultSpec::Fresh(fresh) = &self.results {
            inputs.extend(fresh.files(labels).map(|file| ("labelled documents", file)));
        }
        refuse_overwriting("--report", report, &inputs, "quality.html")
    }
}

impl EvaluationAnswer {
    /// The reason why no label fits a result; `None` if one does.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        (self.evaluation.documents.evaluated == 0).then(|| nothing_matched(&self.evaluation, self.labelled))
    }
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
