//! The content of the next request: the `feedback` block of a profile.

use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Fields, Spanned};
use crate::{decode_words, mapping};

mapping! {
    /// The settings of correction requests.
    "feedback" is "set of feedback settings", expects "a mapping of feedback settings", checked by Feedback::check, all default;
    #[derive(Debug, Clone)]
    pub struct Feedback {
        /// The text that reports the issues: a template that is filled in with issues, scores and failed attempts.
        #[key(text("a file under `prompts/`"), required, default("feedback/default.md"), examples(&["feedback/clinical.md"]))]
        pub template: Spanned<String>,
        /// The stage that gets the feedback. It runs again, and so do those after it; `all` runs and informs every
        /// stage. Without it, the last stage.
        #[key(text("the id of a stage, or `all`"), examples(&["extract", "all"]))]
        pub to: Option<Spanned<String>>,
        /// The number of failed attempts that are reported; the oldest are dropped first.
        #[key(count, default("10"), examples(&["5"]))]
        pub history: usize,
        /// The most bytes of feedback in one request, the previous output not counted. Over it, the least important
        /// points are left out, and their number is reported.
        #[key(count, default("20000"), examples(&["8000"]))]
        pub max_bytes: usize,
        /// The part of the corrected candidate that a correction request shows.
        #[key(default("include"), examples(&["failing_fields"]))]
        pub previous_output: PreviousOutput,
        /// The fields that a correction must leave as they are.
        #[key(default("none"), examples(&["passing"]))]
        pub lock: Lock,
    }
}

/// The part of its base candidate that a correction request shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PreviousOutput {
    /// All of it.
    #[default]
    Include,
    /// Nothing.
    Omit,
    /// The fields that have issues which are fed back.
    FailingFields,
}

decode_words!(PreviousOutput, "way to show the previous output", {
    "include": "All of it." => PreviousOutput::Include,
    "omit": "Nothing of it: only what is wrong is told." => PreviousOutput::Omit,
    "failing_fields": "Only the top-level fields with issues that are fed back." => PreviousOutput::FailingFields,
});

/// The fields that a correction must leave as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lock {
    /// None.
    #[default]
    None,
    /// Those that were present and free of issues.
    Passing,
}

decode_words!(Lock, "lock", {
    "none": "Every field may change." => Lock::None,
    "passing": "Fields that are present and have no issue must stay as they are; changing one is a major issue." => Lock::Passing,
});

impl Feedback {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        let shows_little =
            matches!(self.previous_output, PreviousOutput::Omit | PreviousOutput::FailingFields);
        if let (Lock::Passing, true, Some(span)) = (self.lock, shows_little, fields.key_span("lock")) {
            let message = "`lock: passing` asks for values to be kept that `previous_output` does not show";
            let problem = Problem::warning(Code::Conflict, span, message);
            problems.push(problem.help("set `previous_output: include`, or `lock: none`"));
        }
    }
}
