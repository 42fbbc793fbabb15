//! Selected profiles compiled into plans, with their problems shown.

use crate::context::Context;
use crate::diag::Problems;
use crate::failure::{ExitStatus, Failure};
use crate::plan::Plan;
use crate::profile::Library;
use crate::profiles::{ReachedProfile, SelectedProfile};
use crate::streams::Streams;

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
