//! Runs of a source's tokens.

/// Source tokens that match a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenMatch {
    /// First token.
    pub(super) from: usize,
    /// Token after the last.
    pub(super) to: usize,
    /// Some number was equal, but written differently.
    pub(super) numeric: bool,
}

/// Hyphens and dashes of all kinds.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Whether a gap holds an empty line.
pub(super) fn has_blank_line(gap: &str) -> bool {
    gap.matches('\n').nth(1).is_some() && {
        let mut lines = gap.split('\n');
        lines.next();
        lines.next_back();
        lines.any(|line| line.trim().is_empty())
    }
}
