//! Projects begun and added to: planned, written, and reported.

use super::change::{How, Plan, Refusal};
use super::document_type::{NewDocumentType, new_document_type};
use super::draft::Project;
use super::field::{NewField, new_field};
use super::profile::{NewProfile, new_profile};
use super::rule::{NewRule, new_rule};
use super::starter::starter;
use super::vocabulary::{NewVocabulary, new_vocabulary};
use super::write::{WriteError, write};
use crate::context::Context;
use crate::failure::{ExitStatus, Failure};
use crate::shell::quoted;
use crate::streams::Streams;
use crate::value::{ShownPath, sanitize_line};
use std::path::Path;

/// An addition to a project.
#[derive(Debug)]
pub enum Addition<'a> {
    /// A profile.
    Profile(NewProfile<'a>),
    /// A rule.
    Rule(NewRule<'a>),
    /// A field of a document type.
    Field(NewField<'a>),
    /// A vocabulary.
    Vocabulary(NewVocabulary<'a>),
    /// A document type.
    DocumentType(NewDocumentType<'a>),
}

/// Begins a project in a folder, from a profile that ships.
///
/// # Errors
/// When it can't be made of that profile, or written there.
pub fn begin(folder: &Path, profile: &str, context: &Context, output: &mut Streams) -> Result<Plan, Failure> {
    if folder.symlink_metadata().is_ok() && !folder.is_dir() {
        let message = format!("`{}` is a file, not a folder", folder.shown());
        return Err(Failure::usage(message).help("name another"));
    }
    // What the project will find when it is used: itself, the user's own folder, the shipped files.
    let library = context.library_from(folder.to_path_buf());
    written(folder, starter(folder, profile, &library), output)
}

/// Adds to the project in the working directory.
///
/// # Errors
/// When the addition does not fit the project, or can't be written.
pub fn add(addition: &Addition<'_>, context: &Context, output: &mut Streams) -> Result<Plan, Failure> {
    let root = Path::new(".");
    let project = Project::new(root, context.library());
    let planned = match *addition {
        Addition::Profile(profile) => new_profile(&project, profile),
        Addition::Rule(rule) => new_rule(&project, rule),
        Addition::Field(field) => new_field(&project, field),
        Addition::Vocabulary(vocabulary) => new_vocabulary(&project, vocabulary),
        Addition::DocumentType(document_type) => new_document_type(&project, document_type),
    };
    written(root, planned, output)
}

fn written(root: &Path, planned: Result<Plan, Refusal>, output: &mut Streams) -> Result<Plan, Failure> {
    let plan = planned.map_err(|refusal| refused(refusal, output))?;
    write(root, &plan.changes)?;
    Ok(plan)
}

/// Shows the problems of files, and what to add manually.
fn refused(refusal: Refusal, output: &mut Streams) -> Failure {
    output.show(&refusal.problems);
    let mut help = refusal.help;
    if let Some((path, text)) = refusal.by_hand {
        for line in text.trim_end().lines() {
            output.say(&sanitize_line(line));
        }
        help = Some(format!("nothing was written; add the lines above to `{path}` yourself"));
    }
    Failure { message: sanitize_line(&refusal.message), help, exit: ExitStatus::Usage }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(..) => Failure::broken(error.to_string())
                .help("check who may write there, and that the disk is not full"),
            WriteError::NoFolder(_) => Failure::usage(error.to_string()).help("name another folder"),
            WriteError::Occupied(_) => Failure::usage(error.to_string()).help("choose another name"),
            WriteError::Changed(_) => Failure::usage(error.to_string()).help("run the command again"),
        }
    }
}

impl Plan {
    /// For people: what was done, and what to do next.
    pub fn text(&self, root: &Path) -> String {
        let here = root == Path::new(".");
        let place = if here { String::new() } else { format!(" in `{}`", root.shown()) };
        let paths = |belongs: fn(&How) -> bool| -> Vec<String> {
            let changes = self.changes.iter().filter(|change| belongs(&change.how));
            changes.map(|change| change.path.clone()).collect()
        };
        let cd = (!here).then(|| format!("cd {}", quoted(&root.shown())));
        let next: Vec<String> = cd.into_iter().chain(self.next.iter().cloned()).collect();
        [
            list(&format!("wrote{place}:"), &paths(|how| matches!(how, How::Written))),
            list(
                "copied from what ships with loopctl and added to, from here on yours:",
                &paths(|how| matches!(how, How::Copied)),
            ),
            list("added to:", &paths(|how| matches!(how, How::Changed { .. }))),
            list("left as it is, because it is there already:", &self.kept),
            list("left to do:", &self.remarks),
            list("next:", &next),
        ]
        .concat()
    }
}

fn list(heading: &str, lines: &[String]) -> String {
    let lines: String = lines.iter().map(|line| format!("  {}\n", sanitize_line(line))).collect();
    if lines.is_empty() { lines } else { format!("{heading}\n{lines}") }
}
