//! Selected profiles compiled into plans, with their problems shown.

use crate::context::Context;
use crate::diag::{Problems, nearest};
use crate::failure::{ExitStatus, Failure};
use crate::plan::Plan;
use crate::profile::{Library, Loaded, file_of};
use crate::profiles::{ReachedProfile, SelectedProfile};
use crate::provider::Prices;
use crate::streams::Streams;
use crate::value::sanitize_line;
use std::path::Path;

impl SelectedProfile {
    /// Loads and compiles the profile, showing every problem.
    ///
    /// # Errors
    /// When it can't be used.
    pub fn plan(
        &self,
        context: &Context,
        library: &Library,
        forced: &[&str],
        output: &mut Streams,
    ) -> Result<Plan, Failure> {
        let mut problems = Problems::new();
        let plan = self.compile(context, library, forced, &mut problems);
        self.shown(plan, &problems, output)
    }

    /// Like [`Self::plan`], for scoring only.
    ///
    /// # Errors
    /// When it can't be used.
    pub fn plan_to_score(
        &self,
        context: &Context,
        library: &Library,
        output: &mut Streams,
    ) -> Result<Plan, Failure> {
        let mut problems = Problems::new();
        let loaded = self.load(context, library, &[], &mut problems);
        let plan = loaded.and_then(|loaded| Plan::compile_to_score(&loaded, &mut problems));
        self.shown(plan.filter(|_| !problems.has_errors()), &problems, output)
    }

    /// Loads and compiles the profile to tell what it would do, showing every problem.
    ///
    /// # Errors
    /// When it can't be used.
    pub fn to_explain(&self, context: &Context, output: &mut Streams) -> Result<(Loaded, Plan), Failure> {
        let mut problems = Problems::new();
        let loaded = self.load(context, &context.library(), &[], &mut problems);
        let plan = loaded.as_ref().and_then(|loaded| Plan::compile(loaded, &mut problems));
        output.show(&problems);
        loaded.zip(plan).filter(|_| !problems.has_errors()).ok_or_else(|| {
            let name = self.name();
            Failure::usage(format!(
                "the profile `{name}` can't be used, so there is no telling what it would do"
            ))
            .help("mend what is named above; `loopctl profile show` shows its settings all the same")
        })
    }

    /// Reads the profile with every file that it reaches, showing every problem.
    ///
    /// # Errors
    /// When it can't be used.
    pub fn reached(
        &self,
        context: &Context,
        library: &Library,
        forced: &[&str],
        output: &mut Streams,
    ) -> Result<ReachedProfile, Failure> {
        let mut problems = Problems::new();
        let reached = ReachedProfile::read(context, self, library, forced, &mut problems);
        self.shown(reached, &problems, output)
    }

    /// Shows the problems of reading the profile; a failure unless something was `read`.
    fn shown<T>(&self, read: Option<T>, problems: &Problems, output: &mut Streams) -> Result<T, Failure> {
        output.show(problems);
        read.ok_or_else(|| {
            let count = problems.error_count();
            let errors = if count == 1 { "1 error".to_owned() } else { format!("{count} errors") };
            Failure {
                message: format!("the profile `{}` can't be used: {errors}", self.name()),
                help: None,
                exit: ExitStatus::Usage,
            }
        })
    }
}

/// Reads the prices of models, from `file` first, and shows problems of the tables.
///
/// # Errors
/// When a table can't be used.
pub fn read_prices(file: Option<&Path>, context: &Context, output: &mut Streams) -> Result<Prices, Failure> {
    let mut problems = Problems::new();
    let prices = context.prices(file, &mut problems);
    output.show(&problems);
    if problems.has_errors() { Err(Failure::usage("the prices can't be used")) } else { Ok(prices) }
}

/// Returns the type of documents that a user names.
///
/// # Errors
/// When the profile has no such type.
pub fn known_type(plan: &Plan, document_type: &str) -> Result<String, Failure> {
    if plan.document_types().any(|known| known == document_type) {
        return Ok(document_type.to_owned());
    }
    let list = plan.document_types().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", ");
    let help = match nearest(document_type, plan.document_types()) {
        Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
        None => format!("known: {list}"),
    };
    Err(Failure::usage(format!("no document type is called `{document_type}`")).help(help))
}

/// Refuses arguments that are not files but name profiles.
///
/// # Errors
/// When one does: another profile would be used.
pub fn refuse_profiles<P: AsRef<Path>>(context: &Context, files: &[P]) -> Result<(), Failure> {
    let profile = files.iter().find_map(|file| {
        let name = file.as_ref().to_str()?;
        let is_file = file.as_ref().exists() || name.contains(['/', '\\']);
        (!is_file && file_of(name, &context.library()).is_ok_and(|file| file.is_some())).then_some(name)
    });
    match profile {
        Some(name) => {
            let name = sanitize_line(name);
            Err(Failure::usage(format!("`{name}` is a profile, and a file is meant here"))
                .help(format!("write `--profile {name}`")))
        }
        None => Ok(()),
    }
}
