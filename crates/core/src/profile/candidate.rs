//! `candidate` and `variables`: the form of a candidate, and the texts that its prompts get besides the document.

use crate::decode_words;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::wrong_type;
use crate::value::yaml::{Data, Node};
use serde_json::{Map, Value};

/// The form of a candidate, and so the value that is assessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CandidateKind {
    /// The structured output itself.
    #[default]
    Value,
    /// A JSON Patch (RFC 6902) against the document, which is JSON: the patched document is assessed.
    Patch,
}

decode_words!(CandidateKind, "kind of candidate", {
    "value": "The structured output itself." => CandidateKind::Value,
    "patch": "A JSON Patch (RFC 6902) against the document, which is JSON; the patched document is assessed." => CandidateKind::Patch,
});

/// The handling of a mistake that the document had before a patch, and that the patch does not touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnPreExisting {
    /// It is shown and blocks nothing.
    #[default]
    Warn,
    /// It counts like any other.
    Block,
}

decode_words!(OnPreExisting, "action", {
    "warn": "It is shown, as a warning with `pre_existing: true`, and blocks nothing." => OnPreExisting::Warn,
    "block": "It counts like any other." => OnPreExisting::Block,
});

/// Reads `variables`.
pub(super) fn decode_variables(node: &Node, problems: &mut Problems) -> Option<Map<String, Value>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from names to values", problems);
    };
    for entry in entries {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !entry.key.chars().all(word) || entry.key.starts_with(|c: char| c.is_ascii_digit()) {
            problems.push(
                Problem::error(
                    Code::UnknownWord,
                    &entry.key_span,
                    format!("`{}` can't be the name of a variable", entry.key),
                )
                .help(
                    "names are made of letters, digits and `_`; prompts use them as `{{ variables.NAME }}`",
                ),
            );
        }
    }
    match node.to_json() {
        Value::Object(variables) => Some(variables),
        _ => None,
    }
}
