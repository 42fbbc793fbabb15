//! The checks that rules and conditions share.

use super::super::test::{Format, JsonType};
use super::CONDITION;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Mapping, Shape};

fn place() -> Shape {
    Shape::text("a field or a path (`$.a`, `@.a`, `^.a`, `<.a`)")
}

fn places() -> Shape {
    Shape::one_or_more(place())
}

fn date() -> Shape {
    Shape::text_like(
        "a date such as `2024-06-19`, or a field or path with one",
        r"^([^0-9]|[0-9]{4}-[0-9]{2}-[0-9]{2})",
    )
}

fn conditions() -> Shape {
    Shape::list(Shape::Mapping(&CONDITION))
}

/// Every check, in the order in which they are asked.
pub(in super::super) static CHECKS: [Key; 25] = [
    Key::new("required", bool::shape, "`true`: the value must be present. Missing, `null`, `''`, `[]` and `{}` are absent.").examples(&["true"]),
    Key::new("require", places, "These must be present, whether or not the target is.").examples(&["grade", "[grade, margins]"]),
    Key::new("requires", places, "If the target is present, these must be, too.").examples(&["msiStatus"]),
    Key::new("forbids", places, "If the target is present, none of these may be.").examples(&["'@.negated'"]),
    Key::new("type", || Shape::one_or_more(JsonType::shape()), "The value must be of this type, or of one of these.").examples(&["number", "[integer, numeric]"]),
    Key::new(
        "matches",
        || Shape::AnyOf(vec![Shape::text("a regular expression"), Shape::Mapping(&MATCHES)]),
        "A text (or number) in which this regular expression must be found. `^` and `$` tie it to the ends.",
    )
    .examples(&["'^T[0-4]'", "{ pattern: '^(left|right)$', ignore_case: true }"]),
    Key::new(
        "one_of",
        || Shape::AnyOf(vec![Shape::list(Shape::Any), Shape::Mapping(&ONE_OF)]),
        "The value must be one of these.",
    )
    .examples(&["[left, right, bilateral]", "{ values: [left, right], ignore_case: true }"]),
    Key::new("range", || Shape::Mapping(&RANGE), "A number, or a text that is one, must lie within these bounds.").examples(&["{ min: 0, max: 100 }"]),
    Key::new("length", || Shape::Mapping(&LENGTH), "How many characters, elements or members there must be.").examples(&["{ max: 200 }"]),
    Key::new(
        "format",
        || Shape::AnyOf(vec![Format::shape(), Shape::Mapping(&FORMAT_NAMED)]),
        "How the value must be written: a date, an identifier with its check digit, a datatype of XML Schema.",
    )
    .examples(&["date", "doi", "{ named_at: ^.valueType }"]),
    Key::new(
        "unit",
        || Shape::one_or_more(Shape::text("a unit such as `mm`")),
        "The text must have a number followed by one of these units, in upper or lower case.",
    )
    .examples(&["[mm, cm]"]),
    Key::new(
        "unique",
        || Shape::AnyOf(vec![Shape::Bool, Shape::text("the key that tells elements apart, or a path")]),
        "A list must have no repetitions (`true`), no two elements with the same value of a key, or no two equal values \
         at a path (`$…`, `@…`).",
    )
    .examples(&["true", "name", "'$.reports[*].id'"]),
    Key::new(
        "uniform",
        || Shape::AnyOf(vec![Shape::Bool, Shape::text("what all elements must have the same of: a key, or a path that begins with `@`")]),
        "All elements of a list must be equal (`true`), or have the same of what a key or path selects.",
    )
    .examples(&["unit"]),
    Key::new("same_as", place, "The value must equal each value that stands there, if any does.").examples(&["^.unit"]),
    Key::new("at_most", place, "The number must not be above a number that stands there.").examples(&["^.high"]),
    Key::new("at_least", place, "The number must not be below a number that stands there.").examples(&["<.day"]),
    Key::new("equals", || Shape::Any, "The value must equal this, as JSON.").examples(&["1", "final"]),
    Key::new("contains", || Shape::Any, "A text must contain this, in upper or lower case; a list must have such an element.").examples(&["carcinoma"]),
    Key::new("before", date, "A date must lie before this date, or before the date in this field.").examples(&["discharged", "2030-01-01"]),
    Key::new("after", date, "A date must lie after this date, or after the date in this field.").examples(&["birthDate"]),
    Key::new(
        "sum_to",
        || Shape::AnyOf(vec![f64::shape(), Shape::Mapping(&SUM)]),
        "The numbers of a list or mapping must add up to this.",
    )
    .examples(&["100", "{ value: 100, tolerance: 0.5 }"]),
    Key::new(
        "resolves",
        || Shape::AnyOf(vec![Shape::text("a JSONPath"), Shape::Mapping(&CHAIN)]),
        "The value, or each of its elements, must be among the values that a path selects; or it is a chain of steps that must lead somewhere.",
    )
    .examples(&["'$.specimens[*].id'"]),
    Key::new("all", conditions, "All of these conditions must hold.").examples(&["[{ length: { min: 1 } }, { not: { matches: '^-' } }]"]),
    Key::new("any", conditions, "At least one of these conditions must hold.").examples(&["[{ type: number }, { matches: '%$' }]"]),
    Key::new("not", || Shape::Mapping(&CONDITION), "This condition must not hold.").examples(&["{ contains: unknown }"]),
];

pub(in super::super) static MATCHES: Mapping = Mapping {
    name: "matches",
    what: "pattern",
    doc: "A regular expression that must be found in the value.",
    keys: &[&[
        Key::new(
            "pattern",
            || Shape::text("a regular expression"),
            "The regular expression (syntax of the Rust crate `regex`).",
        )
        .required()
        .examples(&["'^(1|2|3|I|II|III)'"]),
        Key::new("ignore_case", bool::shape, "Whether upper and lower case count alike.")
            .default("false")
            .examples(&["true"]),
        Key::new(
            "examples",
            || Shape::list(Shape::text("a text")),
            "Texts that the pattern must match. `check` tries them; a run takes no notice of them. Without it none is tried.",
        )
        .examples(&["[I, 'III']"]),
    ]],
    open: None,
};

pub(in super::super) static ONE_OF: Mapping = Mapping {
    name: "one_of",
    what: "list of allowed values",
    doc: "The values that are allowed.",
    keys: &[&[
        Key::new("values", || Shape::list(Shape::Any), "The allowed values, at least one.")
            .required()
            .examples(&["[left, right]"]),
        Key::new("ignore_case", bool::shape, "Whether upper and lower case count alike.")
            .default("false")
            .examples(&["true"]),
    ]],
    open: None,
};

pub(in super::super) static RANGE: Mapping = Mapping {
    name: "range",
    what: "range",
    doc: "Bounds of a number: `min`, `max` or both. The bounds themselves are allowed.",
    keys: &[&[
        Key::new("min", f64::shape, "The least. Without it there is none.").examples(&["0"]),
        Key::new("max", f64::shape, "The greatest. Without it there is none.").examples(&["100"]),
    ]],
    open: None,
};

pub(in super::super) static LENGTH: Mapping = Mapping {
    name: "length",
    what: "length",
    doc: "Bounds of a length, in characters, elements or members: `min`, `max` or both.",
    keys: &[&[
        Key::new("min", u64::shape, "The least. Without it there is none.").examples(&["1"]),
        Key::new("max", u64::shape, "The greatest. Without it there is none.").examples(&["200"]),
    ]],
    open: None,
};

pub(in super::super) static FORMAT_NAMED: Mapping = Mapping {
    name: "format_named",
    what: "format",
    doc: "A format whose name stands in the document.",
    keys: &[&[Key::new("named_at", place, "Where the name of the datatype (`xs:int`, say) stands.")
        .required()
        .examples(&["^.valueType"])]],
    open: None,
};

pub(in super::super) static SUM: Mapping = Mapping {
    name: "sum",
    what: "sum",
    doc: "What numbers must add up to.",
    keys: &[&[
        Key::new("value", f64::shape, "What the numbers must add up to.").required().examples(&["100"]),
        Key::new("tolerance", || Shape::at_least(0.0), "How far the sum may be off.")
            .default("1e-9")
            .examples(&["0.5"]),
    ]],
    open: None,
};

pub(in super::super) static CHAIN: Mapping = Mapping {
    name: "chain",
    what: "chain",
    doc: "Steps that lead through a document: each finds its element below the one before.",
    keys: &[&[
        Key::new("start", || Shape::text("a JSONPath"), "Where the first step is looked for.")
            .required()
            .examples(&["'$.regions[*]'"]),
        Key::new(
            "below",
            || Shape::one_or_more(Shape::text("a path that begins with `@`")),
            "Where each further step is looked for, from what the one before has found.",
        )
        .required()
        .examples(&["['@.parts[*]', '@.findings[*]']"]),
        Key::new("by", String::shape, "The member by which the first step is found.")
            .required()
            .examples(&["id"]),
        Key::new(
            "name",
            String::shape,
            "The member by which further steps are found; an element without it is found by its position.",
        )
        .required()
        .examples(&["label"]),
        Key::new(
            "step",
            String::shape,
            "The member of a step that says what it looks for. Without it, the step itself.",
        )
        .examples(&["is"]),
    ]],
    open: None,
};

#[cfg(test)]
mod tests {
    use super::super::super::checks::READERS;
    use super::*;

    #[test]
    fn every_check_is_declared_in_the_order_in_which_it_is_asked() {
        let declared: Vec<&str> = CHECKS.iter().map(|key| key.name).collect();
        let read: Vec<&str> = READERS.iter().map(|(name, _)| *name).chain(["all", "any", "not"]).collect();
        assert_eq!(declared, read);
    }
}
