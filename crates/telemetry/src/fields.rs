//! The fields of spans and events, as JSON.

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};

/// Fields in the order in which they were recorded. One that was recorded by its text form is JSON where it reads as JSON, so
/// that lists and objects stay what they are.
#[derive(Debug, Clone, Default)]
pub struct EventFields(pub Map<String, Value>);

impl Visit for EventFields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let text = format!("{value:?}");
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        self.0.insert(field.name().to_owned(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}
