//! Thresholds certified from labels, and certificates verified.

mod answer;
mod certificate_files;
mod evidence;
mod labels;
mod scored_documents;
mod verification;

pub use answer::CalibrationAnswer;
pub use certificate_files::say_certificate;
pub use evidence::{EvidenceAnswer, EvidenceRequest};
pub use verification::Verification;

use crate::context::Context;
use crate::experiment::calibrate::{
    Basis, Calibration, Certificate, Label, Sample, SampleError, ScoredDocument, calibrate, needed_reviews,
};
use crate::failure::Failure;
use crate::journals::{JournalSpec, find_run};
use crate::profile::{Certify, FileTracker, Reached};
use crate::profiles::SelectedProfile;
use crate::report::calibration_html;
use crate::report_file::{refuse_overwriting, write_report};
use crate::requests::basis_of;
use crate::streams::Streams;
use crate::value::digest_bytes;
use certificate_files::{check_place_of_certificate, write_certificate};
use labels::read_labels;
use scored_documents::{documents_of_folder, documents_of_run};
use std::path::{Path, PathBuf};

/// A request about thresholds.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationRequest {
    /// The profile whose thresholds they are.
    pub profile: SelectedProfile,
    /// The task.
    pub task: CalibrationTask,
    /// The run whose documents were reviewed.
    pub run: Option<String>,
    /// Its journal.
    pub journal: JournalSpec,
    /// A folder of results, instead of a run.
    pub results: Option<PathBuf>,
    /// `true` if only the documents of the run are certified.
    pub only_this_run: bool,
    /// Files of labels.
    pub labels: Vec<PathBuf>,
}

/// The task of a request about thresholds.
#[derive(Debug, Clone, PartialEq)]
pub enum CalibrationTask {
    /// Certifies thresholds from labels; without labels, says how many reviews it takes.
    Certify {
        /// The file for a certificate.
        out: Option<PathBuf>,
        /// The file for the findings as a page.
        report: Option<PathBuf>,
    },
    /// Draws this many documents of the run for review.
    Draw(usize),
    /// Draws the audit's share of the documents that a certificate covers.
    DrawAudit(PathBuf),
    /// Checks whether a certificate holds; with labels, also whether these contradict it.
    Verify(PathBuf),
    /// Counts how often passages of each pattern were right.
    Evidence(EvidenceRequest),
}

/// The documents that the labels are about.
struct LabelledDocuments {
    documents: Vec<ScoredDocument>,
    /// The run that they belong to, if they come from a journal.
    run: Option<(String, Basis)>,
}

/// Answers a request about thresholds. Problems of the profile, and doubts about the labels, are reported.
///
/// # Errors
/// When something that it names can't be used, or a file can't be written.
pub fn answer(
    request: &CalibrationRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<CalibrationAnswer, Failure> {
    let notes = FileTracker::default();
    let plan = request.profile.plan(context, &context.library().noted_in(&notes), &[], output)?;
    let reached = notes.take();
    let (out, report) = match &request.task {
        CalibrationTask::Evidence(asked) => {
            let answer = evidence::calibrate_evidence(&plan, asked, context)?;
            return Ok(CalibrationAnswer::Evidence(Box::new(answer)));
        }
        CalibrationTask::Certify { out, report } => (out.as_deref(), report.as_deref()),
        CalibrationTask::Draw(_) | CalibrationTask::DrawAudit(_) | CalibrationTask::Verify(_) => (None, None),
    };
    let basis = Basis::of(&plan.profile, &reached, Path::new(request.profile.name()));
    let settings = plan.profile.certify.clone().unwrap_or_default();
    if let CalibrationTask::Verify(file) | CalibrationTask::DrawAudit(file) = &request.task {
        return request.verify(file, &settings, &basis, context, output);
    }
    request.check_out(out, &reached)?;
    request.check_report(report, out, &reached)?;
    let made = request.made(&settings, &basis, context, output)?;
    if let CalibrationTask::Draw(count) = &request.task {
        let Some(made) = made else { return Err(no_run("`--draw` draws documents of a run")) };
        return Ok(CalibrationAnswer::Drawn(drawn(made, *count, &settings)));
    }
    if request.labels.is_empty() {
        return match made {
            Some(made) if out.is_none() => {
                let needed = needed_reviews(&settings, &made.documents, request.only_this_run);
                Ok(CalibrationAnswer::Needed(needed, Box::new(settings)))
            }
            _ => Err(Failure::usage("no labels are named").help(
                "name a file of labels; `--run RUN` alone says how many it takes, and `--run RUN --draw 300` draws documents to be reviewed",
            )),
        };
    }
    let labels = read_labels(&request.labels, output)?;
    let (calibration, sample) = request.calibration(&settings, labels, made.as_ref(), output)?;
    if let Some(file) = report {
        write_report(file, &calibration_html(&calibration))?;
    }
    let of_run = made.is_some();
    let certificate = match out.filter(|_| calibration.certifies()) {
        Some(file) => {
            let (run, basis) =
                made.and_then(|made| made.run).map_or((None, basis), |(run, basis)| (Some(run), basis));
            let date = context.now().to_string();
            let certificate = Certificate::new(date, run, calibration.clone(), &sample, basis)
                .map_err(|error| Failure::broken(error.to_string()))?;
            write_certificate(&certificate, file)?;
            Some(file.to_path_buf())
        }
        None => None,
    };
    Ok(CalibrationAnswer::Calibrated {
        calibration: Box::new(calibration),
        certificate,
        is_certificate_wanted: out.is_some(),
        of_run,
    })
}

impl CalibrationRequest {
    /// Refuses a certificate that would overwrite something else, or that nothing binds to the policy.
    fn check_out(&self, out: Option<&Path>, reached: &Reached) -> Result<(), Failure> {
        let Some(file) = out else { return Ok(()) };
        let labels = self.labels.iter().map(|labels| (labels.as_path(), "a file of labels"));
        let results = self.results.iter().map(|folder| (folder.as_path(), "one of the results"));
        let read = reached.present().map(|path| (path, "the profile or a file that it reads"));
        check_place_of_certificate(file, &labels.chain(results).chain(read).collect::<Vec<_>>())?;
        if self.results.is_some() {
            return Err(Failure::usage(
                "no certificate can be made of results: they name their profile, and don't say its settings when they were made",
            )
            .help("name their run, which says them: `--run RUN --journal DIR/journal.sqlite`"));
        }
        Ok(())
    }

    /// Refuses a report without labels, which has nothing to show, and one that would overwrite its inputs.
    fn check_report(
        &self,
        report: Option<&Path>,
        out: Option<&Path>,
        reached: &Reached,
    ) -> Result<(), Failure> {
        let Some(report) = report else { return Ok(()) };
        if self.labels.is_empty() {
            return Err(Failure::usage(
                "`--report` shows labels against thresholds, and no labels are named",
            )
            .help("name a file of labels; `--run RUN` alone says how many reviews it takes"));
        }
        let labels = self.labels.iter().map(|file| ("labels", file.clone()));
        let out = out.into_iter().map(|file| ("certificate of `--out`", file.to_path_buf()));
        let read = reached.present().map(|file| ("profile, or a file that it reads,", file.to_path_buf()));
        refuse_overwriting(
            "--report",
            report,
            &labels.chain(out).chain(read).collect::<Vec<_>>(),
            "calibration.html",
        )
    }

    /// Returns the documents of the named run or folder.
    fn made(
        &self,
        settings: &Certify,
        basis: &Basis,
        context: &Context,
        output: &mut Streams,
    ) -> Result<Option<LabelledDocuments>, Failure> {
        if let Some(folder) = &self.results {
            let documents = documents_of_folder(folder, &basis.profile, settings)?;
            output.warn("results name their profile, and don't say its settings: nothing shows that these are of the policy as it is");
            return Ok(Some(LabelledDocuments { documents, run: None }));
        }
        let Some(id) = &self.run else { return Ok(None) };
        let journal = self.journal.open(context)?;
        let run = find_run(&journal, id)?;
        let Some(made_by) = basis_of(&run) else {
            return Err(Failure::usage(format!("run `{}` does not say which policy decided", run.id))
                .help("it is of an earlier release; run its documents again"));
        };
        let changes = made_by.changes(basis);
        if !changes.is_empty() {
            let message = format!(
                "run `{}` is of another policy: since it began, {} changed",
                run.id,
                changes.join(", ")
            );
            return Err(Failure::usage(message).help(
                "bring the profile back as it was and give the flags of the run (`--config`, `--provider`), or name a run of this policy",
            ));
        }
        let documents = documents_of_run(&journal, &run.id, settings)?;
        Ok(Some(LabelledDocuments { documents, run: Some((run.id.to_string(), made_by)) }))
    }

    fn calibration(
        &self,
        settings: &Certify,
        mut labels: Vec<Label>,
        made: Option<&LabelledDocuments>,
        output: &mut Streams,
    ) -> Result<(Calibration, Sample), Failure> {
        let documents = made.map(|made| made.documents.as_slice());
        if self.only_this_run {
            if documents.is_none() {
                return Err(no_run("`--only-this-run` is about the documents of a run"));
            }
            // Chance decides here only which documents are drawn: those of a cluster may well resemble each other.
            labels.iter_mut().for_each(|label| label.cluster = None);
        }
        let sample = sample(labels, documents, settings)?;
        if let Some((here, there)) = documents.and_then(|documents| sample.is_unlike(documents)) {
            output.warn(&format!(
                "the reviewed documents were not drawn at random: {:.1} % of them may be accepted, and {:.1} % of those of the run",
                here * 100.0,
                there * 100.0
            ));
            output.say("  help: what is certified holds for documents that are drawn as these were; draw with `--draw N`");
        }
        let calibration = calibrate(settings, &sample, documents.filter(|_| self.only_this_run));
        Ok((calibration, sample))
    }
}

fn sample(
    labels: Vec<Label>,
    documents: Option<&[ScoredDocument]>,
    settings: &Certify,
) -> Result<Sample, Failure> {
    Sample::of(labels, documents, settings).map_err(|error| {
        let help = match &error {
            SampleError::NoScore(_) => {
                "name the run with `--run RUN`, or give each label its `score` (or `passed: false`)"
            }
            SampleError::NoType(_) => {
                "give each label its `document_type`, or certify all types together: `certify: { per: all }`"
            }
            SampleError::NotInRun { .. } => {
                "name the run whose documents were reviewed; ids are those of `loopctl runs export`"
            }
            SampleError::Twice { .. } => {
                "name the `reviewer` of each label; a label that decides between them says `settles: true`"
            }
            _ => "labels of one document say the same of it, and differ only in what their reviewers found",
        };
        Failure::broken(error.to_string()).help(help)
    })
}

fn no_run(message: &str) -> Failure {
    Failure::usage(message).help("name it with `--run RUN`, or its folder with `--results DIR`")
}

/// Draws `count` documents at random, by digests of their ids, so that the draw can be repeated.
fn drawn(made: LabelledDocuments, count: usize, settings: &Certify) -> Vec<ScoredDocument> {
    let salt = made.run.map_or_else(String::new, |(run, _)| run);
    let place = |document: &ScoredDocument| digest_bytes(format!("{salt}\n{}", document.id).as_bytes());
    let mut documents = made.documents;
    documents.retain(|document| !settings.exclude.contains(&document.id));
    documents.sort_by_cached_key(place);
    documents.truncate(count);
    documents
}
