//! The keys of classifications.

use super::classify::{Types, Weight, WeightedPattern};
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape};

/// A classification.
pub(crate) static CLASSIFICATION: Mapping = Mapping {
    name: "classification",
    what: "classification",
    doc: "What type a document is, by what is in its text. A type's score is the sum of the weights of those of its \
          patterns that occur at least once. The highest score wins; with two of the highest, or below `minimum`, the \
          document is `unknown`.",
    keys: &[&[
        Key::new("extends", String::shape, "Another classification, by name. What this one does not say is as there: types are added, and one of the same name replaces.")
            .examples(&["classify"]),
        Key::new("minimum", || Shape::at_least(0.0), "The least score with which a type is taken.")
            .default("0")
            .examples(&["3"]),
        Key::new("classify", Types::shape, "The document types, and what speaks for each.")
            .required()
            .examples(&["{ pathology: [{ pattern: '\\bgross description\\b', weight: 4 }] }"]),
    ]],
    open: None,
};

pub(super) fn types() -> Shape {
    Shape::Map(Open {
        key: "TYPE",
        names: Names::Any,
        doc: "What speaks for this document type. `unknown` is the type of what fits none, and has no patterns.",
        shape: <Vec<WeightedPattern>>::shape,
        null: Null::Mistake,
    })
}

pub(super) static PATTERN: Mapping = Mapping {
    name: "pattern",
    what: "pattern",
    doc: "Something that speaks for a document type.",
    keys: &[&[
        Key::new(
            "pattern",
            || Shape::text("a regular expression"),
            "A regular expression. Upper and lower case are the same unless a part is in `(?-i:…)`; `^` and `$` are the \
             ends of a line.",
        )
        .required()
        .examples(&["'\\bgross description\\b'"]),
        Key::new(
            "weight",
            Weight::shape,
            "How much it says, above 0 and at most 1000: 1 a hint, 2 usual, 3 rarely found elsewhere, 5 and more as good as proof.",
        )
        .required()
        .examples(&["4"]),
    ]],
    open: None,
};
