//! A document's type, when nobody names it.

use super::Plan;

/// The type that was `given`, or the one that the profile's classifier finds; what is doubtful about it goes to
/// `warnings`, with the way to name it.
pub fn document_type_of(
    plan: &Plan,
    given: Option<&str>,
    text: &str,
    way_to_name_it: &str,
    warnings: &mut Vec<String>,
) -> String {
    match (given, &plan.classifier) {
        (Some(given), _) => given.to_owned(),
        (None, Some(classifier)) if !text.is_empty() => {
            let found = classifier.classify(text);
            if found.document_type == "unknown" {
                warnings.push(format!("the document's type was not recognised; name it {way_to_name_it}"));
            } else if found.confidence.get() < 0.6 {
                warnings.push(format!(
                    "the document's type, {}, is uncertain (confidence {:.2})",
                    found.document_type,
                    found.confidence.get()
                ));
            }
            found.document_type
        }
        _ => "unknown".to_owned(),
    }
}
