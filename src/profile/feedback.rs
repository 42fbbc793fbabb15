//! How the next request is written: the `feedback` block of a profile.

use super::keys;
use crate::decode_words;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Count, Decode, Fields, Spanned};
use crate::value::shape::Shape;
use crate::value::yaml::Node;

/// How the next request is written.
#[derive(Debug, Clone)]
pub struct Feedback {
    /// The template, under `prompts/`.
    pub template: Spanned<String>,
    /// The stage that is told what is wrong, or `all`; `None` for the last.
    pub to: Option<Spanned<String>>,
    /// How many failed attempts are remembered, first in first out.
    pub history: usize,
    /// Most bytes of feedback in one request. The previous output is not counted: it is bounded by `previous_output`.
    pub max_bytes: usize,
    /// What is shown of the candidate that is corrected.
    pub previous_output: PreviousOutput,
    /// Which fields a correction must leave as they are.
    pub lock: Lock,
}

/// What a correction request shows of the candidate that it starts from.
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

/// Which fields a correction must leave as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// What is in for a block that can't be used, so that the rest of the profile can be checked.
    pub(super) fn fallback(root: &Node) -> Self {
        let template = Spanned { value: "feedback/default.md".to_owned(), span: root.span.clone() };
        Feedback {
            template,
            to: None,
            history: 10,
            max_bytes: 20_000,
            previous_output: PreviousOutput::Include,
            lock: Lock::None,
        }
    }
}

impl Decode for Feedback {
    const EXPECTED: &'static str = "a mapping of feedback settings";

    fn shape() -> Shape {
        Shape::Mapping(&keys::FEEDBACK)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::FEEDBACK, problems)?;
        let template = fields.required("template", problems);
        let to = fields.optional("to", problems);
        let history = fields.or("history", Count(10), problems).0 as usize;
        let max_bytes = fields.or("max_bytes", Count(20_000), problems).0 as usize;
        let previous_output = fields.or("previous_output", PreviousOutput::Include, problems);
        let lock = fields.or("lock", Lock::None, problems);
        if let (Lock::Passing, PreviousOutput::Omit | PreviousOutput::FailingFields) = (lock, previous_output)
            && let Some(span) = fields.key_span("lock")
        {
            problems.push(
                Problem::warning(
                    Code::Conflict,
                    span,
                    "`lock: passing` asks for values to be kept that `previous_output` does not show",
                )
                .help("set `previous_output: include`, or `lock: none`"),
            );
        }
        fields.finish(problems);
        Some(Feedback { template: template?, to, history, max_bytes, previous_output, lock })
    }
}
