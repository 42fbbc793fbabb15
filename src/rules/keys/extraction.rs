//! The keys of extraction patterns.

use crate::value::decode::{Count, Decode};
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape, Word};

fn pattern() -> Shape {
    Shape::text("a regular expression; `{name}` stands for one of `words`")
}

/// A file of extraction patterns.
pub(crate) static EXTRACTION: Mapping = Mapping {
    name: "extraction",
    what: "extraction file",
    doc: "How the provider `pattern` finds the fields of one document type without a language model. Every value is \
          copied from the document. Upper and lower case are the same unless a part is in `(?-i:…)`, and `^` and `$` are \
          the ends of a line.",
    keys: &[&[
        Key::new("extract", || Shape::text("a document type"), "The document type.").required().examples(&["pathology"]),
        Key::new("extends", String::shape, "Other patterns, by name. What this file does not say is as there: words and fields are added, and one of the same name replaces. A file of its own name is the one that ships.")
            .examples(&["pathology"]),
        Key::new(
            "words",
            || {
                Shape::Map(Open {
                    key: "WORD",
                    names: Names::Any,
                    doc: "A part of patterns; the words above it may be used in it. Its name has small letters, digits and `_`.",
                    shape: pattern,
                    null: Null::Mistake,
                })
            },
            "Parts of patterns by name; a pattern uses one as `{name}`.",
        )
        .examples(&["{ differentiated: '(?:well|moderately|poorly) differentiated' }"]),
        Key::new(
            "headings",
            || Shape::list(pattern()),
            "What a heading looks like; its words are the group `title`. Without it no `section` is found.",
        )
        .examples(&["['^(?P<title>[A-Z ]+):']"]),
        Key::new(
            "fields",
            || {
                Shape::Map(Open {
                    key: "FIELD",
                    names: Names::Any,
                    doc: "How this field is found.",
                    shape: || Shape::Mapping(&FIELD),
                    null: Null::Mistake,
                })
            },
            "The fields and how each is found.",
        )
        .required()
        .examples(&["{ grade: { patterns: [{ pattern: 'grade:\\s*(?P<value>[^\\n.;]+)' }] } }"]),
    ]],
    open: None,
};

/// What a field may be.
pub(in super::super) static KINDS: [Word; 5] = [
    Word { word: "text", doc: "The group `value` of the first pattern that matches." },
    Word { word: "number", doc: "The same, as a number." },
    Word { word: "object", doc: "One entry for each match: the groups `key` and `value`." },
    Word { word: "list", doc: "One element for each match: each named group is a property." },
    Word { word: "whole", doc: "The whole document." },
];

pub(in super::super) static FIELD: Mapping = Mapping {
    name: "field",
    what: "field",
    doc: "How one field is found.",
    keys: &[&[
        Key::new("kind", || Shape::Words(KINDS.to_vec()), "What the field is.").default("text").examples(&["number"]),
        Key::new(
            "keys",
            || {
                Shape::Map(Open {
                    key: "NAME",
                    names: Names::Any,
                    doc: "What this key may be called in the document.",
                    shape: pattern,
                    null: Null::Mistake,
                })
            },
            "For objects: the name to use, and what it may be called in the document. Other keys are passed over. Without \
             it keys stay as they are.",
        )
        .examples(&["{ ER: 'ER|estrogen receptor' }"]),
        Key::new(
            "absent",
            || Shape::Mapping(&ABSENT),
            "When to say `FIELD_status: not_present`. Without it that is never said.",
        )
        .examples(&["{ after: 1, unless: 'grad|differentiat' }"]),
        Key::new("patterns", || Shape::list(Shape::Mapping(&PATTERN)), "Tried from top to bottom; the first that matches gives the value.")
            .default("[]")
            .examples(&["[{ pattern: 'grade:\\s*(?P<value>[^\\n.;]+)' }]"]),
    ]],
    open: None,
};

pub(in super::super) static ABSENT: Mapping = Mapping {
    name: "absent",
    what: "rule for absent fields",
    doc: "When to say that the document has no such field.",
    keys: &[&[
        Key::new("after", Count::shape, "After this tier has found nothing: 1 or more, for the first attempt never gives up.").required().examples(&["1"]),
        Key::new("unless", pattern, "Not if this is found in the document: then it speaks of the field. Without it nothing holds it back.")
            .examples(&["'grad|differentiat'"]),
    ]],
    open: None,
};

/// Which match is taken.
pub(in super::super) static TAKE: [Word; 2] =
    [Word { word: "first", doc: "The first match." }, Word { word: "last", doc: "The last match." }];

pub(in super::super) static PATTERN: Mapping = Mapping {
    name: "pattern",
    what: "pattern",
    doc: "Where and how to look. It has `pattern`, `section` or both.",
    keys: &[&[
        Key::new(
            "tier",
            u64::shape,
            "0 is tried at once; 1 only when the first answer was missing or faulty, 2 when the second was, and so on. Put \
             what can hardly be wrong in tier 0, and good guesses in the others.",
        )
        .default("0")
        .examples(&["1"]),
        Key::new("head", Count::shape, "Look only at so many characters from the beginning of the document or section. Without it, at all.")
            .examples(&["300"]),
        Key::new("take", || Shape::Words(TAKE.to_vec()), "Which match is taken.").default("first").examples(&["last"]),
        Key::new(
            "section",
            pattern,
            "Look only under headings whose whole title matches; without `pattern`, all text under the heading is the value. Without it, everywhere.",
        )
        .examples(&["diagnosis"]),
        Key::new("reject", pattern, "Pass over a value (in a list: a match) in which this is found. Without it none is passed over.")
            .examples(&["not specified"]),
        Key::new("pattern", pattern, "What to look for, with the group `value` round what is taken.")
            .examples(&["'grade:\\s*(?P<value>[^\\n.;]+)'"]),
        Key::new(
            "examples",
            || Shape::list(Shape::text("a text")),
            "Texts in which `pattern` must find something. `check` tries them; a run takes no notice of them. Without it none is tried.",
        )
        .examples(&["['Grade: II', 'grade 3']"]),
    ]],
    open: None,
};
