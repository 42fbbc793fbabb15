//! Punctuation of East Asian keyboards outside of texts: `：`, `，`, `｛`.

use super::look::{closes, is_quote, is_space};

/// JSON's character for it.
fn half(c: char) -> Option<char> {
    Some(match c {
        '：' => ':',
        '，' | '、' => ',',
        '｛' => '{',
        '｝' => '}',
        '［' => '[',
        '］' => ']',
        _ => return None,
    })
}

/// The text with JSON's punctuation, and the position of the first replacement; `None` when there is none. Each is
/// padded with spaces, so that all positions stay valid. Within texts, and outside of brackets, nothing changes.
pub(super) fn halved(text: &str) -> Option<(String, usize)> {
    if !text.contains(|c| half(c).is_some()) {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let mut first = None;
    let mut depth = 0_usize;
    let mut quoted: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        let after = || text.get(at + c.len_utf8()..).unwrap_or_default();
        if let Some(open) = quoted {
            if !escaped && closes(open, c) && is_end(after()) {
                quoted = None;
            }
            escaped = c == '\\' && !escaped;
            plain.push(c);
            continue;
        }
        let token = half(c).unwrap_or(c);
        match token {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ if depth > 0 && is_quote(c) => quoted = Some(c),
            _ => {}
        }
        // The last closing bracket leaves nothing open, and is one all the same.
        if token == c || (depth == 0 && !matches!(token, '}' | ']')) {
            plain.push(c);
        } else {
            first.get_or_insert(at);
            plain.push(token);
            plain.extend(std::iter::repeat_n(' ', c.len_utf8() - 1));
        }
    }
    first.map(|first| (plain, first))
}

/// Checks that a quote before this closes its text.
fn is_end(after: &str) -> bool {
    let next = after.chars().find(|c| !is_space(*c));
    next.is_none_or(|next| {
        matches!(half(next).unwrap_or(next), ':' | ',' | '}' | ']' | '/' | '#' | '+' | '`')
    })
}
