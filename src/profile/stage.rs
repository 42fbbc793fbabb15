//! `stages`: what makes a candidate.

use super::call::{Call, decode_retries, identifier};
use super::keys;
use super::references::ALL_STAGES;
use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::decode::{Decode, Fields, Spanned, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use std::collections::HashSet;

/// Most stages that a profile may have: a bound on what a slip can cost.
const MOST_STAGES: usize = 20;

/// One step that makes (part of) a candidate.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Its name.
    pub id: Spanned<String>,
    /// Whom it asks, and how.
    pub call: Call,
    /// Extraction patterns, under `rules/`.
    pub patterns: Option<Spanned<String>>,
    /// How often a call that failed with a transient error is made again.
    pub retries: u32,
    /// The field of the candidate that its output becomes. Without it the last stage's output is the candidate, and an
    /// earlier stage only serves later ones.
    pub into: Option<Spanned<String>>,
    /// When it holds of the outputs so far, there is nothing to do for the document.
    pub skip_when: Option<Spanned<String>>,
    /// Texts under `prompts/` whose most relevant passages its prompt sees as `context`.
    pub context_files: Vec<Spanned<String>>,
    /// How much of them.
    pub context: ContextLimits,
}

mapping! {
    /// How much of a stage's context files its prompt sees.
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

/// Reads `stages`, checking what they say of each other.
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

impl Decode for Stage {
    const EXPECTED: &'static str = "a stage";

    fn shape() -> Shape {
        Shape::Mapping(&keys::STAGE)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::STAGE, problems)?;
        let id = identifier(&mut fields, "id", problems);
        let stage = Stage {
            // What is missing has been reported; the files that the stage names can still be looked at.
            id: id.unwrap_or_else(|| Spanned { value: String::new(), span: node.span.clone() }),
            call: Call::decode(&mut fields, problems),
            patterns: fields.optional("patterns", problems),
            retries: fields.node("retries").and_then(|n| decode_retries(n, problems)).unwrap_or(2),
            into: fields.optional("into", problems),
            skip_when: fields.optional("skip_when", problems),
            context_files: fields.or("context_files", Vec::new(), problems),
            context: fields.or("context", ContextLimits::default(), problems),
        };
        fields.finish(problems);
        Some(stage)
    }
}
