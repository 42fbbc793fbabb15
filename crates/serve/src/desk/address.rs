//! Addresses of documents.

use crate::pages::in_address;

/// The address of a document's page.
pub(super) fn of_document(run: &str, document: &str) -> String {
    format!("/review/{}/{}", in_address(run), in_address(document))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_name_leaves_its_place() {
        assert_eq!(of_document("r-1", "a/b c?d#ü"), "/review/r-1/a%2Fb%20c%3Fd%23%C3%BC");
    }
}
