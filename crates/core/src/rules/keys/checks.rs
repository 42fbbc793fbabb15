//! The checks that rules and conditions share.

use super::super::checks::{FormatNamed, Length, Matches, OneOf, Range, Sum};
use super::super::quantity::Written;
use super::super::test::{Format, JsonType, PathSpec};
use super::CONDITION;
use crate::value::decode::Decode;
use crate::value::shape::{Key, Shape};

pub(in super::super) fn place() -> Shape {
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
pub(in super::super) static CHECKS: [Key; 26] = [
    Key::new("required", bool::shape, "`true`: the value must be present. Missing, `null`, `''`, `[]` and `{}` are absent.").examples(&["true"]),
    Key::new("require", places, "These must be present, whether or not the target is.").examples(&["grade", "[grade, margins]"]),
    Key::new("requires", places, "If the target is present, these must be, too.").examples(&["msiStatus"]),
    Key::new("forbids", places, "If the target is present, none of these may be.").examples(&["'@.negated'"]),
    Key::new("type", || Shape::one_or_more(JsonType::shape()), "The value must be of this type, or of one of these.").examples(&["number", "[integer, numeric]"]),
    Key::new(
        "matches",
        || Shape::AnyOf(vec![Shape::text("a regular expression"), Shape::Mapping(Matches::mapping())]),
        "A text (or number) in which this regular expression must be found. `^` and `$` tie it to the ends.",
    )
    .examples(&["'^T[0-4]'", "{ pattern: '^(left|right)$', ignore_case: true }"]),
    Key::new(
        "one_of",
        || Shape::AnyOf(vec![Shape::list(Shape::Any), Shape::Mapping(OneOf::mapping())]),
        "The value must be one of these.",
    )
    .examples(&["[left, right, bilateral]", "{ values: [left, right], ignore_case: true }"]),
    Key::new("range", || Shape::Mapping(Range::mapping()), "A number, or a text that is one, must lie within these bounds.").examples(&["{ min: 0, max: 100 }"]),
    Key::new("length", || Shape::Mapping(Length::mapping()), "How many characters, elements or members there must be.").examples(&["{ max: 200 }"]),
    Key::new(
        "format",
        || Shape::AnyOf(vec![Format::shape(), Shape::Mapping(FormatNamed::mapping())]),
        "How the value must be written: a date, an identifier with its check digit, a datatype of XML Schema.",
    )
    .examples(&["date", "doi", "{ named_at: ^.valueType }"]),
    Key::new(
        "unit",
        || Shape::one_or_more(Shape::text("a unit such as `mm`")),
        "The text must have a number followed by one of these units, in upper or lower case: `12 mm`, `12mm`, `12-mm`. With \
         bounds, it is `quantity`.",
    )
    .examples(&["[mm, cm]"]),
    Key::new(
        "quantity",
        || Shape::Mapping(Written::mapping()),
        "The text must have a number with one of these units, and each number that has one must lie within bounds. Numbers \
         joined as in `1.2 x 0.8 cm` share a unit.",
    )
    .examples(&["{ units: [mm, cm], min: 1, max: 500, in: mm }"]),
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
    Key::new("same_as", place, "The value must equal each value there, if there is any.").examples(&["^.unit"]),
    Key::new("at_most", place, "The number, date, time or duration must not be above one of its kind there.").examples(&["^.high"]),
    Key::new("at_least", place, "The number, date, time or duration must not be below one of its kind there.").examples(&["<.day"]),
    Key::new("equals", || Shape::Any, "The value must equal this, as JSON.").examples(&["1", "final"]),
    Key::new("contains", || Shape::Any, "A text must contain this, in upper or lower case; a list must have such an element.").examples(&["carcinoma"]),
    Key::new("before", date, "A date must lie before this date, or before the date in this field.").examples(&["discharged", "2030-01-01"]),
    Key::new("after", date, "A date must lie after this date, or after the date in this field.").examples(&["birthDate"]),
    Key::new(
        "sum_to",
        || Shape::AnyOf(vec![f64::shape(), Shape::Mapping(Sum::mapping())]),
        "The numbers of a list or mapping must add up to this.",
    )
    .examples(&["100", "{ value: 100, tolerance: 0.5 }"]),
    Key::new(
        "resolves",
        || Shape::AnyOf(vec![Shape::text("a JSONPath"), Shape::Mapping(PathSpec::mapping())]),
        "The value, or each of its elements, must be among the values that a path selects; or it is a chain of steps that must lead somewhere.",
    )
    .examples(&["'$.specimens[*].id'"]),
    Key::new("all", conditions, "All of these conditions must hold.").examples(&["[{ length: { min: 1 } }, { not: { matches: '^-' } }]"]),
    Key::new("any", conditions, "At least one of these conditions must hold.").examples(&["[{ type: number }, { matches: '%$' }]"]),
    Key::new("not", || Shape::Mapping(&CONDITION), "This condition must not hold.").examples(&["{ contains: unknown }"]),
];

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
