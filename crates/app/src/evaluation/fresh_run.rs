//! A run made for the evaluation.

use super::LabelFiles;
use crate::context::Context;
use crate::execution::{FinishedRun, RunHost, RunOptions, run};
use crate::failure::{ExitStatus, Failure};
use crate::ingest::{DocumentReader, Input, Origin};
use crate::plan::Plan;
use crate::profiles::SelectedProfile;
use crate::requests::{BatchRequest, ResultFormat, RunRequest};
use crate::streams::{Streams, complain};
use crate::value::{DocumentId, ShownPath, path_text, sanitize_line};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// The maximum number of documents that are named because they have no file.
const MOST_NAMED: usize = 20;

/// A run over the labelled documents. A document is the file that its label names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FreshRunRequest {
    /// The folder of the labelled documents; `None` for those beside their labels.
    pub documents: Option<PathBuf>,
    /// `true` if the loop is given the types that labels name, instead of finding them.
    pub typed: bool,
}

/// A document to run over.
struct FreshDocument {
    /// Its name in the labels.
    name: String,
    /// Its type, if the loop is given it.
    document_type: Option<String>,
    /// Its file.
    path: PathBuf,
}

/// A run for an evaluation, with the types that the classifier finds of documents whose types were given to the loop.
pub(super) struct LabelledRun {
    pub(super) run: FinishedRun,
    pub(super) classified: Vec<(String, String)>,
}

impl FreshRunRequest {
    /// The files of the labelled documents.
    pub(super) fn files(&self, labels: &LabelFiles) -> impl Iterator<Item = PathBuf> {
        labels.with_folders().map(|(label, folder)| self.file(&label.document, folder))
    }

    fn file(&self, document: &str, folder: &Path) -> PathBuf {
        self.documents.as_deref().unwrap_or(folder).join(document)
    }

    /// Runs the loop over the labelled documents.
    pub(super) fn run(
        &self,
        labels: &LabelFiles,
        plan: &Plan,
        profile: &SelectedProfile,
        host: RunHost,
        context: &Context,
        output: &mut Streams,
    ) -> Result<LabelledRun, Failure> {
        let (documents, all_there) = self.listed(labels, plan, output)?;
        let list = list_of(&documents)
            .map_err(|error| Failure::broken(format!("can't keep what the run leaves: {error}")))?;
        let request = RunRequest {
            folder: Some(context.folder().into()),
            from: vec![(&*list).into()],
            batches: Some(BatchRequest::online()),
            format: Some(ResultFormat::Jsonl),
            quiet: true,
            ..RunRequest::of(profile.spec.clone())
        };
        let profile = profile.clone();
        let options = RunOptions { profile, returns_results: true, host, ..RunOptions::default() };
        let mut run = run(request, options, context, output)?;
        if matches!(run.exit, ExitStatus::Usage | ExitStatus::Interrupted) {
            return Err(Failure::shown(run.exit));
        }
        let reader = context.reader().clone().with_ingest(&plan.profile.ingest);
        let classified = documents.into_iter().filter_map(|document| {
            let found = document.classified(plan, &reader)?;
            Some((document.name, found))
        });
        let classified = classified.collect();
        if !all_there {
            run.exit = ExitStatus::Broken;
        }
        Ok(LabelledRun { run, classified })
    }

    /// The labelled documents, each once, in the order of their labels; and whether each that is not left out has a
    /// file.
    fn listed(
        &self,
        labels: &LabelFiles,
        plan: &Plan,
        output: &mut Streams,
    ) -> Result<(Vec<FreshDocument>, bool), Failure> {
        let mut types: BTreeMap<&str, &str> = BTreeMap::new();
        for (label, _) in labels.with_folders().filter(|_| self.typed) {
            if let Some(named) = &label.document_type {
                types.insert(&label.document, named);
            }
        }
        let (mut seen, mut left_out) = (BTreeSet::new(), BTreeMap::<&str, u64>::new());
        let (mut listed, mut lacking) = (Vec::new(), 0_usize);
        for (label, folder) in labels.with_folders() {
            let name = label.document.as_str();
            if !seen.insert(name) {
                continue;
            }
            let document_type = types.get(name).copied();
            match document_type.filter(|named| !plan.document_types().any(|known| known == *named)) {
                Some(unknown) => *left_out.entry(unknown).or_default() += 1,
                None => {
                    let file = self.file(name, folder);
                    let path = std::path::absolute(&file).unwrap_or(file);
                    if path.is_file() {
                        let (name, document_type) = (name.to_owned(), document_type.map(str::to_owned));
                        listed.push(FreshDocument { name, document_type, path });
                        continue;
                    }
                    lacking += 1;
                    if lacking <= MOST_NAMED {
                        let message = format!("{}: there is no file `{}`", label.place, path.shown());
                        complain(output, &Failure::broken(message));
                    }
                }
            }
        }
        if let Some(more @ 1..) = lacking.checked_sub(MOST_NAMED) {
            output.say(&format!("  {more} more documents have no file"));
        }
        if listed.is_empty() && lacking > 0 {
            let help =
                "a document is the file that its label names, in `--documents DIR` or beside the label";
            return Err(Failure::broken("none of the labelled documents was found").help(help));
        }
        let counted: Vec<String> =
            left_out.iter().map(|(named, count)| format!("`{}` ({count})", sanitize_line(named))).collect();
        let known = || plan.document_types().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
        if listed.is_empty() {
            let message = format!("the profile has none of the labelled types: {}", counted.join(", "));
            return Err(Failure::broken(message).help(format!(
                "known: {}; `types` in a map says which labelled type is which, and without `--typed` none is told",
                known()
            )));
        }
        if !left_out.is_empty() {
            let word = output.err_paint.faint("note:");
            let counted = counted.join(", ");
            output.say(&format!("{word} left out, because the profile has no such document type: {counted}"));
        }
        Ok((listed, lacking == 0))
    }
}

/// A list of the documents, which is gone when it is dropped.
fn list_of(documents: &[FreshDocument]) -> std::io::Result<TempPath> {
    let mut list = tempfile::Builder::new().suffix(".jsonl").tempfile()?;
    documents.iter().try_for_each(|document| writeln!(list, "{}", document.record()))?;
    Ok(list.into_temp_path())
}

impl FreshDocument {
    /// The document as a line of a list.
    fn record(&self) -> Value {
        let mut record = json!({ "id": self.name, "path": path_text(&self.path) });
        if let (Some(document_type), Value::Object(members)) = (&self.document_type, &mut record) {
            members.insert("document_type".to_owned(), document_type.as_str().into());
        }
        record
    }

    /// The type that the classifier finds; `None` if the loop was not given a type, or the document can't be read.
    fn classified(&self, plan: &Plan, reader: &DocumentReader) -> Option<String> {
        let classifier = plan.classifier.as_ref().filter(|_| self.document_type.is_some())?;
        let input = Input::new(DocumentId::new(self.name.as_str()), Origin::File(self.path.clone()));
        let document = input.read(reader).ok()?;
        let text = document.text.as_ref().ok()?;
        Some(classifier.classify(text.as_str()).document_type)
    }
}
