//! Messages of JSON Schema errors: values as JSON, superfluous members by name, and for forms of which none fits, what
//! keeps the value from the nearest one.

use super::wording::cut_message;
use crate::rules::shown;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// Most members of one error that are named.
const MOST_NAMES: usize = 10;
/// The depth to which forms within forms are inspected.
const MAX_FORMS: usize = 3;

/// The message of an error.
pub(super) fn schema_message(error: &ValidationError<'_>) -> String {
    cut_message(&message(error, 0))
}

fn message(error: &ValidationError<'_>, depth: usize) -> String {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => too_many(unexpected),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            no_form(error, context, depth)
        }
        _ => error.to_string(),
    }
}

fn too_many(names: &[String]) -> String {
    let named: Vec<String> =
        names.iter().take(MOST_NAMES).map(|name| format!("`{}`", Value::from(name.as_str()))).collect();
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (members, are) = if names.len() == 1 { ("member", "is") } else { ("members", "are") };
    format!("the {members} {}{more} {are} not allowed here", named.join(", "))
}

/// None of several forms fits: the one with the fewest errors, and the first of these.
fn no_form(error: &ValidationError<'_>, forms: &[Vec<ValidationError<'static>>], depth: usize) -> String {
    let value = shown(error.instance());
    let count = forms.len();
    let nearest = forms
        .iter()
        .enumerate()
        .filter(|(_, errors)| !errors.is_empty())
        .min_by_key(|(_, errors)| errors.len());
    let Some((number, first)) = nearest.and_then(|(at, errors)| Some((at + 1, errors.first()?))) else {
        return format!("`{value}` fits none of the {count} forms that are allowed here");
    };
    if depth >= MAX_FORMS {
        return format!("`{value}` fits none of the {count} forms that are allowed here");
    }
    let place =
        first.instance_path().as_str().strip_prefix(error.instance_path().as_str()).unwrap_or_default();
    let at = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
    format!(
        "`{value}` fits none of the {count} forms that are allowed here; nearest is form {number}{at}: {}",
        message(first, depth + 1)
    )
}
