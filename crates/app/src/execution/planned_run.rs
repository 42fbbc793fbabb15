//! A run as it is planned: its policy, compiled, and what its user permits.

use super::RunOptions;
use super::batches::check_batches;
use super::parties::ConsultedParties;
use crate::context::Context;
use crate::diag::Problems;
use crate::failure::Failure;
use crate::journals::JournalPlace;
use crate::plan::Plan;
use crate::profile::Reached;
use crate::profiles::changed_by;
use crate::requests::{DecidedBy, ResultFormat, RunRequest};
use crate::resumption::say_where_documents_go;
use crate::streams::Streams;
use crate::value::sanitize_line;
use std::path::PathBuf;
use std::sync::Arc;

/// A run that is planned.
pub(super) struct PlannedRun {
    pub(super) request: RunRequest,
    pub(super) options: RunOptions,
    pub(super) plan: Arc<Plan>,
    /// The digests of the policy; a step is in no record, and has none.
    pub(super) decided_by: DecidedBy,
    pub(super) consulted: ConsultedParties,
    pub(super) journal: JournalPlace,
    pub(super) format: ResultFormat,
    /// Folders in which documents must lie, if a recorded command names them.
    pub(super) within: Option<Vec<PathBuf>>,
}

/// A step of the loop with one document and one extraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The verdict on the extraction: the loop with room for one candidate and no provider to ask.
    Verdict,
    /// One correction of the extraction, returned whatever its score. One that is already accepted is not corrected.
    Correction,
}

impl PlannedRun {
    /// Plans the run of a request.
    pub(super) fn of(
        request: RunRequest,
        options: RunOptions,
        context: &Context,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let format = output.record_format(request.format, context)?;
        let profile = options.profile.reached(context, &context.library(), &[], output)?;
        say_changes(options.profile.name(), &profile.reached, context, output);
        check_batches(&request, &options, profile.plan.profile.network.batch)?;
        let resumed = options.resumed.as_ref();
        let within = resumed
            .map(|resumed| resumed.permitted_folders(&request, &profile.loaded, context, output))
            .transpose()?
            .flatten();
        say_where_documents_go(&profile.loaded, output);
        let decided_by = profile.decided_by();
        let journal = JournalPlace::of(request.journal.as_deref(), request.out.as_deref(), context);
        let (plan, consulted) = (Arc::new(profile.plan), ConsultedParties::All);
        Ok(PlannedRun { request, options, plan, decided_by, consulted, journal, format, within })
    }

    /// Plans a step of a request, which is in no journal.
    pub(super) fn of_step(
        step: Step,
        request: RunRequest,
        options: RunOptions,
        context: &Context,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let (profile, library) = (&options.profile, context.library());
        let mut forced = match step {
            Step::Verdict => vec!["stop.max_iterations=1", "stop.max_corrections=null"],
            Step::Correction => {
                vec!["stop={max_iterations: 2}", "gate=null", "on_escalate=continue", "select.return=last"]
            }
        };
        // Problems of the profile are reported when it is compiled.
        let loaded = profile.load(context, &library, &forced, &mut Problems::new());
        let consulted = match step {
            Step::Verdict => {
                if loaded.as_ref().is_some_and(|loaded| !loaded.profile.judges.is_empty()) {
                    forced.push("judges.*.provider=none");
                }
                ConsultedParties::OnThisMachine
            }
            Step::Correction => ConsultedParties::All,
        };
        let plan = Arc::new(profile.plan(context, &library, &forced, output)?);
        if let (Step::Correction, Some(loaded)) = (step, &loaded) {
            say_where_documents_go(loaded, output);
        }
        Ok(PlannedRun {
            format: output.record_format(request.format, context)?,
            request,
            plan,
            decided_by: DecidedBy::default(),
            consulted,
            journal: JournalPlace::Memory,
            within: None,
            options,
        })
    }
}

/// Reports the files that change a profile that ships with loopctl.
fn say_changes(profile: &str, reached: &Reached, context: &Context, output: &mut Streams) {
    let changed = changed_by(profile, reached, context);
    if !changed.is_empty() {
        let (word, files) = (output.err_paint.warn("note:"), sanitize_line(&changed.join(", ")));
        let name = sanitize_line(profile);
        output
            .say(&format!("{word} the profile `{name}` ships with loopctl, and is changed here by {files}"));
    }
}
