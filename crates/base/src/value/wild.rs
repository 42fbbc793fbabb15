//! Characters that do something to the page instead of appearing on it.

/// Returns whether a terminal or a page would obey the character: control characters and separators of lines, those
/// that reverse what follows, which would show another value than there is, and tags, which are invisible.
#[must_use]
pub fn is_wild(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Text from outside (names of files, answers of providers) as one line that is safe for a terminal: characters that it
/// would obey become spaces.
#[must_use]
pub fn sanitize_line(text: &str) -> String {
    text.chars().map(|c| if is_wild(c) { ' ' } else { c }).collect()
}
