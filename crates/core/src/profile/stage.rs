//! `stages`: the steps that make a candidate.

use super::call::{Call, identifier, nameless};
use super::references::ALL_STAGES;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Spanned, wrong_type};
use crate::value::shape::{NAME, Shape};
use crate::value::yaml::{Data, Node};
use crate::{decode_words, mapping};
use std::collections::HashSet;

/// Most stages that a profile may have: a bound on the cost of a slip.
const MOST_STAGES: usize = 20;

mapping! {
    /// One step that makes a candidate, or a part of it. Stages run in their order; each prompt sees what earlier stages
    /// answered as `{{ stages.ID }}`.
    "stage" is "stage", expects "a stage";
    #[derive(Debug, Clone)]
    pub struct Stage {
        /// The stage's name, unlike that of any other stage. Prompts, `feedback.to` and `generate_once` use it.
        #[key(
            required,
            shaped(|| Shape::text_like("a name of letters, digits, `-` and `_`", NAME)),
            examples(&["extract"])
        )]
        pub id: Spanned<String> = identifier => nameless,
        /// The providers to ask, and the way to ask them.
        #[key(flatten)]
        pub call: Call,
        /// The extraction patterns, for the provider `pattern` and others that work by patterns. `{{ document_type }}` is filled
        /// in.
        #[key(text("a file under `rules/`"), examples(&["extract/{{ document_type }}.yaml"]))]
        pub patterns: Option<Spanned<String>>,
        /// The number of times that a call is made again that failed with a transient error (no answer in time, too
        /// many requests). 0 to 20, for each provider of the list.
        #[key(whole(0, 20), default("2"), examples(&["5"]))]
        pub retries: u32,
        /// The evidence to ask for beside the values. Quotes are held against the document where it does not state a
        /// value in its words; they cost tokens. Not for candidates that are patches.
        #[key(default("none"), examples(&["quotes"]))]
        pub evidence: StageEvidence,
        /// The field of the candidate that this stage's output becomes. Without it, the last stage's output is the candidate, and
        /// an earlier stage only serves later ones.
        #[key(text("the name of a field"), examples(&["tags"]))]
        pub into: Option<Spanned<String>>,
        /// If this holds when the stage has first answered, there is nothing to do for the document: the run ends as
        /// `skipped`, which counts as success.
        #[key(text("a condition over the outputs of stages"), examples(&["tagger.findings | length == 0"]))]
        pub skip_when: Option<Spanned<String>>,
        /// Texts under `prompts/` from which the passages that fit the document best are shown to the prompt as
        /// `{{ context }}`. No model is asked to choose them.
        #[key(
            default("[]"),
            shaped(|| Shape::list(Shape::text("a file under `prompts/`"))),
            examples(&["[context/guide.md]"])
        )]
        pub context_files: Vec<Spanned<String>>,
        /// The part of the context files that the prompt sees.
        #[key(examples(&["{ passages: 5, max_bytes: 4000 }"]))]
        pub context: ContextLimits => |_| ContextLimits::default(),
    }
}

/// The evidence that a stage is asked for beside the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageEvidence {
    /// Nothing.
    None,
    /// A passage of the document for each value.
    Quotes,
}

decode_words!(StageEvidence, "kind of evidence", {
    "none" : "Nothing." => StageEvidence::None,
    "quotes" : "For each value the passage of the document that says it, copied word for word." => StageEvidence::Quotes,
});

mapping! {
    /// The part of a stage's context files that its prompt sees.
    "context" is "set of context limits", expects "`{ passages: 5, max_bytes: 4000 }`", all default;
    #[derive(Debug, Clone, Copy)]
    pub struct ContextLimits {
        /// The most passages (paragraphs, each with the heading above it).
        #[key(count, default("5"), examples(&["3"]))]
        pub passages: usize,
        /// The most bytes of all passages together.
        #[key(count, default("4000"), examples(&["8000"]))]
        pub max_bytes: usize,
    }
}

/// Reads `stages`, checking their references to each other.
pub(super) fn decode_stages(node: &Node, problems: &mut Problems) -> Vec<Stage> {
    let Data::List(items) = &node.data else {
        return wrong_type(node, "a list of stages", problems).unwrap_or_default();
    };
    if items.len() > MOST_STAGES {
        let problem = format!("a profile has at most {MOST_STAGES} stages, found {}", items.len());
        problems.push(Problem::error(Code::OutOfRange, &node.span, problem));
        return Vec::new();
    }
    let stages: Vec<Stage> = items.iter().filter_map(|item| Stage::decode(item, problems)).collect();
    let mut ids = HashSet::new();
    let mut fields = HashSet::new();
    for stage in &stages {
        if !ids.insert(stage.id.value.as_str()) {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &stage.id.span,
                    format!("another stage is called `{}` already", stage.id.value),
                )
                .help("give each stage an id of its own"),
            );
        }
        if stage.id.value == ALL_STAGES {
            let problem = format!("a stage can't be called `{ALL_STAGES}`");
            problems.push(
                Problem::error(Code::Conflict, &stage.id.span, problem)
                    .help(format!("`feedback.to: {ALL_STAGES}` means every stage")),
            );
        }
        if let Some(into) = &stage.into
            && !fields.insert(into.value.as_str())
        {
            problems.push(
                Problem::error(
                    Code::Conflict,
                    &into.span,
                    format!("another stage's output becomes `{}` already", into.value),
                )
                .help("one would overwrite the other; name another field"),
            );
        }
    }
    stages
}
