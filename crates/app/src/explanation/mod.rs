//! Explanations: why a run went as it did, what a profile does, what a code means, what a document says of a field.

mod field;
mod issue_code;
mod policy;
mod recorded_run;
mod subject;
mod written;

pub use field::{DocumentParts, FieldMentions};
pub use issue_code::IssueMeaning;
pub use policy::{PolicyInWords, explain_policy};
pub use written::TextForm;

use crate::context::Context;
use crate::diag::{Code, nearest};
use crate::explain::run::{DocumentEntry, Story};
use crate::failure::Failure;
use crate::profiles::SelectedProfile;
use crate::requests::ProfileSpec;
use crate::streams::Streams;
use crate::value::sanitize_line;
use std::path::PathBuf;
use subject::Subject;

/// A request for an explanation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExplainRequest {
    /// A run, a profile or a code; with a field, the document that it is read in.
    pub target: String,
    /// The document, among several of a run.
    pub document: Option<String>,
    /// The journal of a run; `None` for the one beside its results, or that of the latest run.
    pub journal: Option<PathBuf>,
    /// The field of a document.
    pub field: Option<String>,
    /// The profile whose vocabularies read the field; `None` for the usual one.
    pub profile: Option<String>,
    /// The settings laid over a profile; its name is not used.
    pub overrides: ProfileSpec,
    /// A table of prices before the usual ones.
    pub prices: Option<PathBuf>,
}

/// An explanation.
#[derive(Debug)]
pub enum Explanation {
    /// The codes of all problems.
    Codes,
    /// The code of a problem.
    Code(Code),
    /// The code of an issue.
    Issue(IssueMeaning),
    /// A profile.
    Policy(PolicyInWords),
    /// The documents of a run, of which none was named.
    Documents(Vec<DocumentEntry>),
    /// One document of a run.
    Document(Box<Story>),
    /// The mentions of a field in a document.
    Field(FieldMentions),
    /// The parts of a document, each an item of a list.
    Parts(DocumentParts),
}

/// Explains what a request names. A run may be read from standard input.
///
/// # Errors
/// When there is nothing of that name, or it can't be read.
pub fn explain(
    request: &ExplainRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<Explanation, Failure> {
    if let Some(field) = &request.field {
        return field::explain_field(request, field, context, output);
    }
    let subject = Subject::of(&request.target, &context.library());
    subject.refuse_other_flags(request)?;
    match subject {
        Subject::AllCodes => Ok(Explanation::Codes),
        Subject::Code => known_code(&request.target).map(Explanation::Code),
        Subject::Issue => issue_code::meaning(&request.target, &context.library()).map(Explanation::Issue),
        Subject::Profile => {
            let profile = request.over(&request.target);
            explain_policy(&profile, request.prices.as_deref(), context, output).map(Explanation::Policy)
        }
        Subject::Run => recorded_run::explain_run(request, context, output),
    }
}

impl ExplainRequest {
    /// A profile with the settings of the request laid over it.
    fn over(&self, profile: &str) -> SelectedProfile {
        let spec = ProfileSpec { name: profile.to_owned(), ..self.overrides.clone() };
        SelectedProfile { spec, ..SelectedProfile::default() }
    }
}

fn known_code(code: &str) -> Result<Code, Failure> {
    const LISTED: &str = "`loopctl explain codes` lists them all";
    Code::parse(code).ok_or_else(|| {
        let guess = nearest(code, Code::ALL.iter().map(|code| code.as_str()));
        let help =
            guess.map_or_else(|| LISTED.to_owned(), |guess| format!("did you mean `{guess}`? {LISTED}"));
        Failure::usage(format!("no code is called `{}`", sanitize_line(code))).help(help)
    })
}
