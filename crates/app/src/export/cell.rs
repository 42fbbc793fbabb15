//! The content of a table cell.

use crate::value::is_present;
use jiff::civil::Date;
use serde_json::{Number, Value};
use std::borrow::Cow;

/// The content of a cell.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Cell<'a> {
    /// An empty cell: a value that is not present, or an empty text.
    #[default]
    Empty,
    /// A text; a list or mapping is JSON.
    Text(Cow<'a, str>),
    /// A number.
    Number(Number),
    /// A Boolean value.
    Truth(bool),
    /// A calendar day, without a time of day.
    Date(Date),
}

impl<'a> Cell<'a> {
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Some(text.into()).filter(|text| !text.is_empty()).map_or(Cell::Empty, Cell::Text)
    }

    pub(super) fn number(number: impl Into<Number>) -> Self {
        Cell::Number(number.into())
    }

    /// A value of an extraction; an empty cell for one that is not present. Lists and mappings are JSON, with their
    /// members sorted by name. A text of a field of dates that is an ISO date is a date; any other form of a day is not
    /// changed, as its day and month are ambiguous.
    pub(super) fn value(value: &'a Value, is_date: bool) -> Self {
        match value {
            absent if !is_present(absent) => Cell::Empty,
            Value::Null => Cell::Empty,
            Value::Bool(truth) => Cell::Truth(*truth),
            Value::Number(number) => Cell::Number(number.clone()),
            Value::String(text) => match iso_date(text).filter(|_| is_date) {
                Some(date) => Cell::Date(date),
                None => Cell::text(text),
            },
            Value::Array(_) | Value::Object(_) => {
                let mut sorted = value.clone();
                sorted.sort_all_objects();
                Cell::text(sorted.to_string())
            }
        }
    }
}

/// A day as `2026-11-27`.
pub(super) fn iso_date(text: &str) -> Option<Date> {
    (text.len() == 10).then(|| text.parse::<Date>().ok()).flatten().filter(|date| date.to_string() == text)
}

/// A measured number without the last digits of arithmetic in binary: 0.97, not 0.9700000000000001.
pub(super) fn in_decimals(number: f64) -> Option<Number> {
    Number::from_f64((number * 1e12).round() / 1e12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_and_mappings_read_the_same_in_whatever_order_they_were_extracted() {
        let value = json!({"b": [2, {"d": 1, "c": null}], "a": "x"});
        assert_eq!(Cell::value(&value, false), Cell::Text(r#"{"a":"x","b":[2,{"c":null,"d":1}]}"#.into()));
    }

    #[test]
    fn only_days_that_can_be_read_in_one_way_are_dates() {
        for (text, is_date) in
            [("2016-09-06", true), ("06/09/2016", false), ("2016-9-6", false), ("20160906ab", false)]
        {
            let value = json!(text);
            assert_eq!(matches!(Cell::value(&value, true), Cell::Date(_)), is_date, "{text}");
            assert!(matches!(Cell::value(&value, false), Cell::Text(_)), "{text}");
        }
    }
}
