//! The keys of rubrics.

use super::super::rubric::FieldKnowledge;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape};

fn names() -> Shape {
    Shape::list(Shape::text("the name of a top-level field"))
}

fn weight() -> Shape {
    Shape::number(0.0, 1e6)
}

/// A rubric.
pub static RUBRIC: Mapping = Mapping {
    name: "rubric",
    what: "rubric",
    doc: "Which fields a document of each type should have, what each weighs, and what texts call them. Completeness is \
          the weight of the fields that are present by the weight of all.",
    keys: &[&[
        Key::new("rubric", String::shape, "The rubric's name, for readers.").examples(&["clinical"]),
        Key::new("description", String::shape, "What the rubric is for.").examples(&["Clinical documents of eight types"]),
        Key::new("extends", String::shape, "Another rubric, by name. What this one does not say is as there: mappings merge key by key, lists replace, `null` takes a key away.")
            .examples(&["clinical"]),
        Key::new("weights", || Shape::Mapping(&WEIGHTS), "What a present field weighs, by its importance.")
            .examples(&["{ required: 1.0, important: 0.7, optional: 0.3 }"]),
        Key::new(
            "fields",
            || {
                Shape::Map(Open {
                    key: "FIELD",
                    names: Names::Any,
                    doc: "What is known of this field.",
                    shape: FieldKnowledge::shape,
                    null: Null::Mistake,
                })
            },
            "What is known of fields, whatever the document type. A field that is not listed is known by its name only.",
        )
        .examples(&["{ grade: { synonyms: [histologic grade], mentions: ['\\bgrade\\s+[1-3]\\b'] } }"]),
        Key::new(
            "types",
            || {
                Shape::Map(Open {
                    key: "TYPE",
                    names: Names::Any,
                    doc: "The fields of this document type.",
                    shape: || Shape::Mapping(&DOCUMENT_TYPE),
                    null: Null::Mistake,
                })
            },
            "The fields that a document of each type should have. A type that is not listed has none.",
        )
        .required()
        .examples(&["{ pathology: { required: [histology, grade], important: [ihcMarkers], optional: [date] } }"]),
    ]],
    open: None,
};

pub(in super::super) static WEIGHTS: Mapping = Mapping {
    name: "weights",
    what: "table of weights",
    doc: "What a present field weighs, by its importance: 0 or more, in proportion to each other.",
    keys: &[&[
        Key::new("required", weight, "A required field.").default("1.0").examples(&["2"]),
        Key::new("important", weight, "An important field.").default("0.7").examples(&["1"]),
        Key::new("optional", weight, "An optional field.").default("0.3").examples(&["0"]),
    ]],
    open: None,
};

pub(in super::super) static DOCUMENT_TYPE: Mapping = Mapping {
    name: "document_type",
    what: "document type",
    doc: "The fields of a document type. A field stands in one of the lists.",
    keys: &[&[
        Key::new("required", names, "Fields whose absence is a major issue.")
            .default("[]")
            .examples(&["[histology, grade]"]),
        Key::new("important", names, "Fields whose absence is a minor issue.")
            .default("[]")
            .examples(&["[ihcMarkers]"]),
        Key::new("optional", names, "Fields whose absence is no issue.").default("[]").examples(&["[date]"]),
    ]],
    open: None,
};

pub(in super::super) static FIELD: Mapping = Mapping {
    name: "field",
    what: "field",
    doc: "What is known of a field.",
    keys: &[&[
        Key::new(
            "mentions",
            || Shape::list(Shape::text("a regular expression")),
            "If one of these is found in the text, in upper or lower case, the text speaks of the field. Then \
             `FIELD_status: not_present` is not believed.",
        )
        .default("[]")
        .examples(&["['\\bgrade\\s+[1-3]\\b']"]),
        Key::new(
            "keys",
            || {
                Shape::Map(Open {
                    key: "KEY",
                    names: Names::Any,
                    doc: "What this key inside the field may be called.",
                    shape: || Shape::Mapping(&KEY),
                    null: Null::Mistake,
                })
            },
            "What the keys inside the field may be called in a text.",
        )
        .default("{}")
        .examples(&["{ ER: { synonyms: [estrogen receptor] } }"]),
        Key::new("synonyms", <Vec<String>>::shape, "What the field may be called in a text; grounding looks for its value beside these.")
            .default("[]")
            .examples(&["[histologic grade, differentiation]"]),
        Key::new("suggestion", String::shape, "What to do when it is missing; it is fed back. Without it nothing is suggested.")
            .examples(&["look for the histologic grade"]),
    ]],
    open: None,
};

pub(in super::super) static KEY: Mapping = Mapping {
    name: "key",
    what: "key",
    doc: "What is known of a key inside a field.",
    keys: &[&[Key::new("synonyms", <Vec<String>>::shape, "What it may be called in a text.")
        .default("[]")
        .examples(&["[estrogen receptor]"])]],
    open: None,
};
