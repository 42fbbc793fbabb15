//! `loopctl calibrate`: thresholds certified from labels.

use super::calibrate_evidence::{EvidenceArguments, calibrate_evidence};
use super::certificate_files::{check_place_of_certificate, open_certificate, write_certificate};
use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT, PROFILE};
use super::label_files::read_labels;
use super::loading::{ProfileArguments, context, library};
use super::result_format::RecordFormat;
use super::resume::{JournalArgument, find_run};
use super::scored_documents::{documents_of_folder, documents_of_run};
use crate::disk::{self, Access, FolderKey};
use crate::experiment::calibrate::{
    AuditOutcome, Basis, Calibration, Certificate, Label, NeededReviews, Sample, SampleError, ScoredDocument,
    calibrate, is_drawn, needed_reviews, watch_audit,
};
use crate::failure::{ExitStatus, Failure};
use crate::lint::{AGAIN, void};
use crate::profile::{Certify, FileTracker, Looks, Reached};
use crate::report::{audit_text, calibration_html, calibration_text, needed_text};
use crate::requests::ResultFormat;
use crate::requests::basis_of;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::decode::Spanned;
use crate::value::{digest_bytes, sanitize_line};
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

/// The documents that the labels are about.
struct LabelledDocuments {
    documents: Vec<ScoredDocument>,
    /// The run that they belong to, if they come from a journal.
    run: Option<(String, Basis)>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let notes = FileTracker::default();
    let profile = arguments.profile.selected();
    let plan = profile.plan(context(), &library().noted_in(&notes), &[], output)?;
    let reached = notes.take();
    if arguments.evidence {
        let asked = EvidenceArguments {
            run: arguments.run.as_deref(),
            journal: &arguments.journal,
            records: &arguments.labels,
            out: arguments.out.as_deref(),
            alone: arguments.alone,
            format,
        };
        return calibrate_evidence(&plan, &asked, output);
    }
    let basis = Basis::of(&plan.profile, &reached, Path::new(profile.name()));
    let settings = plan.profile.certify.clone().unwrap_or_default();
    if let Some(file) = &arguments.verify {
        return verify(arguments, file, &settings, &basis, format, output);
    }
    arguments.check_out(&reached)?;
    arguments.check_report(&reached)?;
    let made = arguments.made(&settings, &basis, output)?;
    if let Some(count) = arguments.draw {
        let Some(made) = &made else { return Err(no_run("`--draw` draws documents of a run")) };
        return write_drawn(&drawn(made, count, &settings), format, output);
    }
    if arguments.labels.is_empty() {
        return match made {
            Some(made) if arguments.out.is_none() => {
                let needed = needed_reviews(&settings, &made.documents, arguments.only_this_run);
                write_needed(&needed, &settings, format, output)
            }
            _ => Err(Failure::usage("no labels are named").help(
                "name a file of labels; `--run RUN` alone says how many it takes, and `--run RUN --draw 300` draws documents to be reviewed",
            )),
        };
    }
    let labels = read_labels(&arguments.labels, output)?;
    let (calibration, sample) = arguments.calibration(&settings, labels, made.as_ref(), output)?;
    if let Some(file) = &arguments.report {
        disk::replace(file, calibration_html(&calibration).as_bytes(), Access::Owner).map_err(|error| {
            Failure::broken(format!("can't write the report to `{}`: {error}", file.shown()))
        })?;
    }
    let is_of_run = made.is_some();
    let written = match &arguments.out {
        Some(file) if calibration.certifies() => {
            let (run, basis) =
                made.and_then(|made| made.run).map_or((None, basis), |(run, basis)| (Some(run), basis));
            let date = context().now().to_string();
            let certificate = Certificate::new(date, run, calibration.clone(), &sample, basis)
                .map_err(|error| Failure::broken(error.to_string()))?;
            write_certificate(&certificate, file)?;
            Some(file)
        }
        _ => None,
    };
    if format == ResultFormat::Text {
        output.out.write_all(calibration_text(&calibration, output.out_paint).as_bytes())?;
        output.out.flush()?;
        match (written, &arguments.out) {
            (Some(file), _) => {
                output.say(&format!("the certificate is in `{}`", sanitize_line(&file.shown())));
                if !is_of_run {
                    output
                        .say("its scores are those of the labels: nothing shows that this policy gave them");
                }
            }
            (None, Some(_)) => output.say("no certificate is written"),
            (None, None) => {}
        }
    } else {
        let mut value = serde_json::to_value(&calibration).map_err(std::io::Error::from)?;
        if let Value::Object(members) = &mut value {
            members.insert("statements".to_owned(), calibration.statements().collect());
            members.insert("certificate".to_owned(), json!(written));
        }
        output.write_json(&value, format)?;
    }
    Ok(if calibration.certifies() { ExitStatus::Success } else { ExitStatus::NotPassed })
}

impl Arguments {
    /// Refuses a certificate that would overwrite something else, or that nothing binds to the policy.
    fn check_out(&self, reached: &Reached) -> Result<(), Failure> {
        let Some(file) = &self.out else { return Ok(()) };
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
    fn check_report(&self, reached: &Reached) -> Result<(), Failure> {
        let Some(report) = &self.report else { return Ok(()) };
        if self.labels.is_empty() {
            return Err(Failure::usage(
                "`--report` shows labels against thresholds, and no labels are named",
            )
            .help("name a file of labels; `--run RUN` alone says how many reviews it takes"));
        }
        let labels = self.labels.iter().map(|file| ("labels", file.as_path()));
        let out = self.out.iter().map(|file| ("certificate of `--out`", file.as_path()));
        let read = reached.present().map(|file| ("profile, or a file that it reads,", file));
        let is_report = |file: &Path| {
            file == report
                || matches!((FolderKey::of(file), FolderKey::of(report)), (Ok(file), Ok(report)) if file == report)
        };
        match labels.chain(out).chain(read).find(|(_, file)| is_report(file)) {
            Some((what, file)) => {
                let message =
                    format!("`--report {}` would overwrite the {what} `{}`", report.shown(), file.shown());
                Err(Failure::usage(message)
                    .help("write the report to another file, such as `calibration.html`"))
            }
            None => Ok(()),
        }
    }

    /// Returns the documents of the named run or folder.
    fn made(
        &self,
        settings: &Certify,
        basis: &Basis,
        output: &mut Streams,
    ) -> Result<Option<LabelledDocuments>, Failure> {
        if let Some(folder) = &self.results {
            let documents = documents_of_folder(folder, &basis.profile, settings)?;
            let word = output.err_paint.warn("warning:");
            output.say(&format!(
                "{word} results name their profile, and don't say its settings: nothing shows that these are of the policy as it is"
            ));
            return Ok(Some(LabelledDocuments { documents, run: None }));
        }
        let Some(id) = &self.run else { return Ok(None) };
        let journal = self.journal.open()?;
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
            let word = output.err_paint.warn("warning:");
            output.say(&format!(
                "{word} the reviewed documents were not drawn at random: {:.1} % of them may be accepted, and {:.1} % of those of the run",
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
fn drawn<'a>(made: &'a LabelledDocuments, count: usize, settings: &Certify) -> Vec<&'a ScoredDocument> {
    let salt = made.run.as_ref().map_or("", |(run, _)| run.as_str());
    let place = |document: &ScoredDocument| digest_bytes(format!("{salt}\n{}", document.id).as_bytes());
    let mut documents: Vec<&ScoredDocument> =
        made.documents.iter().filter(|document| !settings.exclude.contains(&document.id)).collect();
    documents.sort_by_cached_key(|document| place(document));
    documents.truncate(count);
    documents
}

/// Writes the documents without scores: reviewers who know them review differently.
fn write_drawn(
    documents: &[&ScoredDocument],
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    if format == ResultFormat::Text {
        for document in documents {
            writeln!(output.out, "{}", sanitize_line(&document.id))?;
        }
        output.out.flush()?;
        return Ok(ExitStatus::Success);
    }
    let line = |document: &&ScoredDocument| json!({ "document": document.id, "document_type": document.document_type, "wrong": null });
    output.write_json(&documents.iter().map(line).collect::<Vec<_>>(), format)?;
    Ok(ExitStatus::Success)
}

fn write_needed(
    needed: &[NeededReviews],
    settings: &Certify,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    if format == ResultFormat::Text {
        output.out.write_all(needed_text(needed, settings, output.out_paint).as_bytes())?;
        output.out.flush()?;
    } else {
        output.write_json(&needed, format)?;
    }
    Ok(ExitStatus::Success)
}

fn verify(
    arguments: &Arguments,
    file: &Path,
    settings: &Certify,
    basis: &Basis,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let certificate = open_certificate(file)?;
    if !certificate.is_intact() {
        return write_verified(file, &certificate, &certificate.changes(basis), None, format, output);
    }
    let calibration = &certificate.calibration;
    let score = Spanned { value: calibration.score.clone(), span: settings.score.span.clone() };
    let of_certificate = Certify { score, among: calibration.among, ..settings.clone() };
    let made = arguments.made(&of_certificate, basis, output)?;
    let now = made.as_ref().and_then(|made| made.run.as_ref()).map_or(basis, |(_, basis)| basis);
    let changes = certificate.changes(now);
    if arguments.draw_audit {
        let Some(made) = &made else { return Err(no_run("`--draw-audit` draws documents of a run")) };
        let Some(share) = settings.audit else {
            return Err(
                Failure::usage("the profile says no share to audit").help("write `certify: { audit: 5% }`")
            );
        };
        let salt = calibration.sample_digest.as_str();
        let is_chosen = |document: &&ScoredDocument| {
            calibration.covers(Some(&document.document_type), document.score)
                && is_drawn(&document.id, share.get(), salt)
        };
        return write_drawn(&made.documents.iter().filter(is_chosen).collect::<Vec<_>>(), format, output);
    }
    let audit = if arguments.labels.is_empty() {
        None
    } else {
        let labels = read_labels(&arguments.labels, output)?;
        let documents = made.as_ref().map(|made| made.documents.as_slice());
        // An audit is inspected while it grows.
        let settings = Certify { looks: Looks::AnyTime, ..settings.clone() };
        Some(watch_audit(&certificate, sample(labels, documents, &settings)?))
    };
    write_verified(file, &certificate, &changes, audit, format, output)
}

/// Reports whether a certificate holds: for the policy, and by its audit.
fn write_verified(
    file: &Path,
    certificate: &Certificate,
    changes: &[String],
    audit: Option<AuditOutcome>,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let calibration = &certificate.calibration;
    // An altered certificate states nothing.
    let statements: Vec<String> =
        if certificate.is_intact() { calibration.statements().collect() } else { Vec::new() };
    let drifted = audit.is_some_and(|audit| audit.drifted);
    let holds = changes.is_empty() && !drifted;
    if format == ResultFormat::Text {
        let name = sanitize_line(&file.shown());
        let date = sanitize_line(&certificate.date);
        let mut text = if !changes.is_empty() {
            format!("{}\n  {AGAIN}\n", output.out_paint.bad(&sanitize_line(&void(&name, changes))))
        } else if drifted {
            format!("The certificate `{name}` ({date}) is of this policy, but its audit speaks against it\n")
        } else {
            format!("The certificate `{name}` ({date}) holds for this policy\n")
        };
        for statement in &statements {
            text.push_str(&format!("  {}\n", sanitize_line(statement)));
        }
        if let Some(audit) = &audit {
            text.push_str(&audit_text(calibration, audit, output.out_paint));
        }
        output.out.write_all(text.as_bytes())?;
        output.out.flush()?;
    } else {
        let value = json!({
            "certificate": file,
            "holds": holds,
            "changed": changes,
            "statements": statements,
            "audit": audit,
        });
        output.write_json(&value, format)?;
    }
    let is_shown = audit.is_none_or(|audit| audit.says_something());
    Ok(if holds && is_shown { ExitStatus::Success } else { ExitStatus::NotPassed })
}
