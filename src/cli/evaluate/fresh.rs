//! A run that is made for the evaluation.

use super::super::exit::{Exit, Failure};
use super::super::headings::DOCUMENTS;
use super::super::output::Output;
use super::super::{run, run_arguments};
use super::labels::LabelFiles;
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct FreshArguments {
    /// Run the loop over the labelled documents first, and evaluate that
    ///
    /// A document is the file that its label names, in `--documents` or beside the label. The run is in the journal like any other;
    /// for other settings than these, `loopctl run` the documents and evaluate the run.
    #[arg(long, conflicts_with_all = ["run", "results"], help_heading = DOCUMENTS)]
    fresh: bool,
    /// The folder of the labelled documents
    #[arg(long, value_name = "DIR", requires = "fresh", help_heading = DOCUMENTS)]
    documents: Option<PathBuf>,
    /// Tell the loop the types that labels name, instead of having it find them
    #[arg(long, requires = "fresh", help_heading = DOCUMENTS)]
    typed: bool,
}

/// What a run left.
pub(super) struct FreshRun {
    /// A result on each line.
    pub(super) lines: Vec<u8>,
    pub(super) exit: Exit,
}

impl FreshArguments {
    pub(super) fn is_asked(&self) -> bool {
        self.fresh
    }

    /// Runs the loop over the labelled documents.
    pub(super) fn run(
        &self,
        labels: &LabelFiles,
        profile: Option<&str>,
        settings: &[String],
        output: &mut Output,
    ) -> Result<FreshRun, Failure> {
        let unusable =
            |error: std::io::Error| Failure::broken(format!("can't keep what the run leaves: {error}"));
        let mut list = tempfile::Builder::new().suffix(".jsonl").tempfile().map_err(unusable)?;
        let mut listed = BTreeSet::new();
        for (label, folder) in labels.with_folders() {
            if !listed.insert(label.document.as_str()) {
                continue;
            }
            let record = self.record(&label.document, label.document_type.as_deref(), folder);
            writeln!(list, "{record}").map_err(unusable)?;
        }
        let from = list.path().display().to_string();
        let mut words: Vec<String> =
            ["run", "--quiet", "--format", "jsonl", "--from", &from].map(str::to_owned).to_vec();
        if let Some(profile) = profile {
            words.extend(["--profile".to_owned(), profile.to_owned()]);
        }
        words.extend(settings.iter().flat_map(|setting| ["--config".to_owned(), setting.clone()]));
        let arguments =
            run_arguments(&words).ok_or_else(|| Failure::usage("the labelled documents can't be run"))?;
        let mut kept = tempfile::tempfile().map_err(unusable)?;
        let results = kept.try_clone().map_err(unusable)?;
        let own = std::mem::replace(&mut output.out, Box::new(results));
        let ended = run::execute(&arguments, output);
        output.out = own;
        let exit = ended?;
        let mut lines = Vec::new();
        kept.rewind().and_then(|()| kept.read_to_end(&mut lines)).map_err(unusable)?;
        if matches!(exit, Exit::Usage | Exit::Interrupted) {
            return Err(Failure::shown(exit));
        }
        Ok(FreshRun { lines, exit })
    }

    /// A document as `run --from` reads it.
    fn record(&self, document: &str, document_type: Option<&str>, folder: &Path) -> Value {
        let file = self.documents.as_deref().unwrap_or(folder).join(document);
        let path = std::path::absolute(&file).unwrap_or(file);
        let mut record = json!({ "id": document, "path": path });
        if let (true, Some(document_type), Value::Object(members)) = (self.typed, document_type, &mut record)
        {
            members.insert("document_type".to_owned(), document_type.into());
        }
        record
    }
}
