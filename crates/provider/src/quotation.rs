//! Keeps the words of a document out of messages about a failed call: an API's own message, or what a program wrote to
//! standard error, may repeat what it was sent.

use std::collections::HashSet;

/// The number of consecutive bytes of the document that make a quotation. Fewer may be anyone's words.
const QUOTED: usize = 16;

/// Written instead of a quotation.
const MARK: &str = "[document]";

/// `message` without its quotations of the document, however either breaks its lines.
pub(super) fn without_quotations(message: String, document: &str) -> String {
    let line = collapsed(&message);
    let windows: HashSet<&[u8]> = line.as_bytes().windows(QUOTED).collect();
    if windows.is_empty() {
        return message;
    }
    let document = collapsed(document);
    let quoted: HashSet<&[u8]> =
        document.as_bytes().windows(QUOTED).filter(|window| windows.contains(window)).collect();
    if quoted.is_empty() {
        return message;
    }
    let mut told = String::new();
    // The byte up to which the line is a quotation.
    let mut until = 0;
    for (at, c) in line.char_indices() {
        if line.as_bytes().get(at..at + QUOTED).is_some_and(|window| quoted.contains(window)) {
            if until <= at {
                told.push_str(MARK);
            }
            until = at + QUOTED;
        }
        if at >= until {
            told.push(c);
        }
    }
    told
}

/// With one space for all white space, at either end as well: what a message leaves off there may be what makes its
/// words long enough for a quotation.
fn collapsed(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            line.push(c);
        } else if !line.ends_with(' ') {
            line.push(' ');
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DOCUMENT: &str = "Final diagnosis:\n  adenocarcinoma, größter Durchmesser 8 mm.\nMargins: free.";

    #[test]
    fn quotations_are_left_out() {
        for (message, told) in [
            ("400: bad input `Final diagnosis: adenocarcinoma`", "400: bad input `[document]`"),
            ("x größter Durchmesser 8  mm. Margins: free. y", "x[document] y"),
            ("a adenocarcinoma, größter b Margins: free. c", "a[document]b Margins: free. c"),
            ("the model `Final` does not exist", "the model `Final` does not exist"),
            ("adenocarcinoma, ", "[document]"),
            (" adenocarcinoma,", "[document]"),
            ("two  spaces", "two  spaces"),
            ("", ""),
        ] {
            assert_eq!(without_quotations(message.to_owned(), DOCUMENT), told);
        }
    }

    proptest! {
        #[test]
        fn no_quotation_is_left(from in 0..40_usize, length in 0..40_usize, before in ".{0,9}", after in ".{0,9}") {
            let quote: String = DOCUMENT.chars().skip(from).take(length).collect();
            let told = without_quotations(format!("{before}{quote}{after}"), DOCUMENT);
            let document = collapsed(DOCUMENT);
            let left = told.replace(MARK, "\u{0}");
            let windows: Vec<char> = left.chars().collect();
            for window in windows.windows(QUOTED) {
                let part: String = window.iter().collect();
                prop_assert!(!document.contains(&part), "{} in {}", part, told);
            }
        }
    }
}
