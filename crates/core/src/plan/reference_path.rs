//! The path of the file that a judge holds a candidate against.

use crate::value::fill_in_path;

/// The path that a template such as `{{ document_id }}.gold.json` yields.
///
/// # Errors
/// Describes the problem with the template.
pub fn reference_path(template: &str, document_id: &str, document_type: &str) -> Result<String, String> {
    fill_in_path(template, minijinja::context! { document_id, document_type })
        .map_err(|error| error.detail().map_or_else(|| error.to_string(), str::to_owned))
}
