//! The way in which a file would be split into sections, before anything is asked or paid for.

use super::{bytes, shown};
use crate::context::Context;
use crate::failure::Failure;
use crate::ingest::{CutReason, DocumentReader, Section};
use crate::profiles::SelectedProfile;
use crate::report::Paint;
use crate::streams::Streams;
use crate::value::prose::{list, plural};
use crate::value::{DocumentId, sanitize_line};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A request for the sections of a file.
#[derive(Debug, Clone)]
pub struct SectionsRequest {
    /// The file; `-` for standard input.
    pub file: PathBuf,
    /// The profile whose classification declares types and the signs of sections.
    pub profile: SelectedProfile,
}

/// The sections of a file.
#[derive(Debug, Clone, Serialize)]
pub struct FileSections {
    file: String,
    sections: Vec<ShownSection>,
}

#[derive(Debug, Clone, Serialize)]
struct ShownSection {
    /// Its number, from 1.
    section: usize,
    /// Its first and last line in the text of the file, from 1.
    lines: (usize, usize),
    #[serde(flatten)]
    found: Section,
}

/// Finds the sections of a file.
///
/// # Errors
/// When the file can't be read, or the profile tells no types apart.
pub fn file_sections(
    request: &SectionsRequest,
    context: &Context,
    reader: &DocumentReader,
    output: &mut Streams,
) -> Result<FileSections, Failure> {
    let plan = request.profile.plan_to_score(context, &context.library(), output)?;
    let Some(classifier) = &plan.classifier else {
        let message = format!("the profile `{}` tells no document types apart", request.profile.name());
        return Err(Failure::usage(message).help("name one that has `classify`, with `--profile`"));
    };
    let file = shown(&request.file);
    let reader = reader.clone().with_ingest(&plan.profile.ingest);
    let document = reader.document(DocumentId::new(file.as_str()), bytes(&request.file)?);
    let text =
        document.text.map_err(|error| Failure::broken(format!("`{file}`: {error}")).help(error.help()))?;
    let text = text.as_str();
    let found = classifier.sections(text, document.pages.as_deref(), &document.structure);
    let line = |at: usize| 1 + text.get(..at).unwrap_or(text).matches('\n').count();
    let sections = (1..).zip(found).map(|(section, found): (usize, _)| {
        let own = text.get(found.text.clone()).unwrap_or_default();
        let lines = (line(found.text.start), line(found.text.start + own.trim_end().len()));
        ShownSection { section, lines, found }
    });
    Ok(FileSections { file, sections: sections.collect() })
}

impl FileSections {
    /// For people.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        for ShownSection { section, lines, found } in &self.sections {
            let head = format!("section {section}");
            let confidence = found.confidence.get();
            let _ = writeln!(
                out,
                "{}  {} (confidence {confidence:.2}), lines {} to {}",
                paint.strong(&head),
                found.document_type,
                lines.0,
                lines.1
            );
            if let Some(title) = &found.title {
                let _ = writeln!(out, "  title: {}", sanitize_line(title));
            }
            if !found.reasons.is_empty() {
                let reasons: Vec<String> =
                    found.reasons.iter().map(|reason: &CutReason| reason.words().to_owned()).collect();
                let _ = writeln!(out, "  cut here because of: {}", list(&reasons, "and"));
            }
        }
        let count = self.sections.len();
        if count > 1 {
            let _ = writeln!(out, "{count} {} in one file", plural(count as u64, "document"));
        }
        out
    }
}
