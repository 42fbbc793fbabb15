//! A run made for the evaluation.

use super::super::headings::DOCUMENTS;
use super::super::loading::context;
use super::super::run::{RunOptions, RunSelection, carry_out, online};
use super::labels::LabelFiles;
use crate::failure::{ExitStatus, Failure};
use crate::ingest::{Input, Origin};
use crate::plan::Plan;
use crate::profiles::SelectedProfile;
use crate::requests::{ResultFormat, RunRequest};
use crate::result::DocumentResult;
use crate::streams::{Streams, complain};
use crate::value::ShownPath;
use crate::value::{DocumentId, path_text, sanitize_line};
use clap::Args;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The maximum number of documents that are named because they have no file.
const MOST_NAMED: usize = 20;

#[derive(Args)]
pub(super) struct FreshArguments {
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
}

/// A finished run.
pub(super) struct FreshRun {
    pub(super) results: Vec<DocumentResult>,
    pub(super) exit: ExitStatus,
    /// Each labelled document whose type was given to the loop, with the type that the classifier finds.
    pub(super) classified: Vec<(String, String)>,
}

/// A document to run over.
struct Listed<'l> {
    name: &'l str,
    document_type: Option<&'l str>,
    path: PathBuf,
}

impl FreshArguments {
    pub(super) fn is_asked(&self) -> bool {
        self.fresh
    }

    /// The files of the labelled documents; none if they are not run.
    pub(super) fn files(&self, labels: &LabelFiles) -> impl Iterator<Item = PathBuf> {
        let labels = labels.with_folders().filter(|_| self.fresh);
        labels.map(|(label, folder)| self.file(&label.document, folder))
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
        output: &mut Streams,
    ) -> Result<FreshRun, Failure> {
        let unusable =
            |error: std::io::Error| Failure::broken(format!("can't keep what the run leaves: {error}"));
        let mut list = tempfile::Builder::new().suffix(".jsonl").tempfile().map_err(unusable)?;
        let (listed, all_there) = self.listed(labels, plan, output)?;
        for document in &listed {
            writeln!(list, "{}", document.record()).map_err(unusable)?;
        }
        let request = RunRequest {
            folder: Some(context().folder().into()),
            from: vec![list.path().into()],
            batches: Some(online()),
            format: Some(ResultFormat::Jsonl),
            quiet: true,
            ..RunRequest::of(profile.spec.clone())
        };
        let mut results = Vec::new();
        let options = RunOptions {
            results: Some(&mut results),
            ..RunOptions::of(profile.clone(), RunSelection::Fresh)
        };
        let exit = carry_out(request, options, output)?;
        if matches!(exit, ExitStatus::Usage | ExitStatus::Interrupted) {
            return Err(Failure::shown(exit));
        }
        let classified = listed.iter().filter_map(|document| {
            let found = document.classified(plan)?;
            Some((document.name.to_owned(), found))
        });
        let exit = if all_there { exit } else { ExitStatus::Broken };
        Ok(FreshRun { results, exit, classified: classified.collect() })
    }

    /// The labelled documents, each once, in the order of their labels; and whether each that is not left out has a
    /// file.
    fn listed<'l>(
        &self,
        labels: &'l LabelFiles,
        plan: &Plan,
        output: &mut Streams,
    ) -> Result<(Vec<Listed<'l>>, bool), Failure> {
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
                        listed.push(Listed { name, document_type, path });
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
            return Err(Failure::broken("none of the labelled documents is there").help(help));
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

impl Listed<'_> {
    /// The document as `run --from` reads it.
    fn record(&self) -> Value {
        let mut record = json!({ "id": self.name, "path": path_text(&self.path) });
        if let (Some(document_type), Value::Object(members)) = (self.document_type, &mut record) {
            members.insert("document_type".to_owned(), document_type.into());
        }
        record
    }

    /// The type that the classifier finds; `None` if the loop was not given a type, or the document can't be read.
    fn classified(&self, plan: &Plan) -> Option<String> {
        let classifier = plan.classifier.as_ref().filter(|_| self.document_type.is_some())?;
        let document = Input::new(DocumentId::new(self.name), Origin::File(self.path.clone())).read().ok()?;
        let text = document.text.as_ref().ok()?;
        Some(classifier.classify(text.as_str()).document_type)
    }
}
