//! A document's type, when no one names it.

use super::Plan;
use crate::document::UNKNOWN;

/// A document's type, and whether it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypedAs {
    /// The type.
    pub name: String,
    /// `true` if the profile tells types apart, none was given for this document, and it was not recognised.
    pub unrecognised: bool,
}

/// The type that was `given`, or the one that the profile's classifier finds; what is doubtful about it goes to
/// `warnings`, with the way to name it.
pub(super) fn document_type_of(
    plan: &Plan,
    given: Option<&str>,
    text: &str,
    way_to_name_it: &str,
    warnings: &mut Vec<String>,
) -> TypedAs {
    let known = |name: &str| TypedAs { name: name.to_owned(), unrecognised: false };
    match (given, &plan.classifier) {
        (Some(given), _) => known(given),
        (None, None) => known(UNKNOWN),
        // An image or a PDF has no text to tell its type by.
        (None, Some(_)) if text.is_empty() => TypedAs { unrecognised: true, ..known(UNKNOWN) },
        (None, Some(classifier)) => {
            let found = classifier.classify(text);
            let unrecognised = found.document_type == UNKNOWN;
            if unrecognised {
                warnings.push(format!("the document's type was not recognised; name it {way_to_name_it}"));
            } else if found.confidence.get() < 0.6 {
                warnings.push(format!(
                    "the document's type, {}, is uncertain (confidence {:.2})",
                    found.document_type,
                    found.confidence.get()
                ));
            }
            TypedAs { name: found.document_type, unrecognised }
        }
    }
}
