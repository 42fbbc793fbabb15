//! Characters that do something to the page instead of standing on it.

/// Whether a terminal or a page would obey the character: control characters, and those that turn what follows round,
/// which would show another value than there is.
#[must_use]
pub fn is_wild(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
