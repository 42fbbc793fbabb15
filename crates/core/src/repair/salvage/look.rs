//! Looks ahead into a text, each of them bounded.

/// The most bytes of a look ahead. A key, or the space between two values, is never so long.
pub(super) const MAX_LOOKAHEAD: usize = 256;

/// Returns whether a character is space here: white space in Unicode, byte order marks, and spaces of no width.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
}

/// Returns whether JSON knows this space.
pub(super) fn is_json_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

pub(super) fn only_space(text: &str) -> bool {
    text.chars().all(is_space)
}

/// Returns whether a character may quote a text.
pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '´' | '“' | '”' | '„' | '‟' | '‘' | '’' | '‚' | '‛' | '＂')
}

/// Returns whether `c` may close a text that the quote `open` opened.
pub(super) fn closes(open: char, c: char) -> bool {
    match open {
        '"' => c == '"',
        '\'' => c == '\'',
        '“' | '”' | '„' | '‟' | '＂' => matches!(c, '“' | '”' | '‟' | '＂' | '"'),
        '‘' | '’' | '‚' | '‛' => matches!(c, '‘' | '’' | '‛' | '\''),
        _ => matches!(c, '`' | '´' | '\''),
    }
}

/// A piece of text from a position on, of at most [`MAX_LOOKAHEAD`] bytes.
pub(super) fn ahead(text: &str, at: usize) -> &str {
    let end = (at.saturating_add(MAX_LOOKAHEAD)).min(text.len());
    // A character is at most four bytes long.
    (0..4).find_map(|back| text.get(at..end.checked_sub(back)?)).unwrap_or_default()
}

/// Without leading space and comments that end within it.
pub(super) fn trim(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(is_space);
        let after = if let Some(rest) = text.strip_prefix("/*") {
            rest.split_once("*/").map_or("", |(_, after)| after)
        } else if text.starts_with("//") {
            text.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(length) = escaped_space(text).or_else(|| other_comment(text)) {
            text.get(length..).unwrap_or_default()
        } else {
            return text;
        };
        text = after;
    }
}

/// The length of a line break or tab that was escaped once too often: between values it can be nothing else.
pub(super) fn escaped_space(text: &str) -> Option<usize> {
    let escape = text.strip_prefix('\\')?.chars().next()?;
    matches!(escape, 'n' | 'r' | 't').then_some(2)
}

/// The length of a comment of another language than JavaScript that a text begins with: `# …`, `#…` and `-- …` to the
/// end of their line, `<!-- … -->`. It must end within [`MAX_LOOKAHEAD`]. Quotes in one to the end of a line are rather
/// those of a text, unless they come in pairs and the next key or the end follows.
pub(super) fn other_comment(text: &str) -> Option<usize> {
    let near = ahead(text, 0);
    if near.starts_with("<!--") {
        return near.find("-->").map(|end| end + 3);
    }
    let begins = near.starts_with('#')
        || near
            .strip_prefix("--")
            .is_some_and(|rest| rest.starts_with(|c: char| c == ' ' || c == '\t' || c.is_alphabetic()));
    let end = near.find('\n').filter(|_| begins)?;
    let quotes = near.get(..end)?.matches('"').count();
    let next = near.get(end..)?.trim_start_matches(is_space);
    (quotes == 0 || (quotes % 2 == 0 && (quoted_key(next) || next.starts_with(['}', ']'])))).then_some(end)
}

/// The rest after the text in quotes with which a text begins, without leading space.
fn after_quoted(text: &str) -> Option<&str> {
    let mut chars = text.char_indices();
    let (_, open) = chars.next().filter(|(_, c)| is_quote(*c))?;
    let mut escaped = false;
    for (at, c) in chars {
        match c {
            '\n' | '{' | '}' => return None,
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            _ if closes(open, c) && !escaped => {
                return text.get(at + c.len_utf8()..).map(|after| after.trim_start_matches(is_space));
            }
            _ => {}
        }
        escaped = false;
    }
    None
}

/// Returns whether a text begins with a key in quotes and a colon.
pub(super) fn quoted_key(text: &str) -> bool {
    after_quoted(text).is_some_and(|after| after.starts_with(':'))
}

/// Checks that a text begins with a member whose key is one word in quotes, whose value begins as one of JSON, and
/// whose number or literal is followed by a comma, a line break or the end of the object.
pub(super) fn plain_member(text: &str) -> bool {
    let key = text.trim_start_matches(is_quote);
    let word = key.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let Some(value) = after_quoted(text).and_then(|after| after.strip_prefix(':')).map(trim) else {
        return false;
    };
    let bare = value.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '.'));
    let is_literal = ["true", "false", "null"].iter().any(|literal| value.starts_with(literal));
    word.len() < key.len()
        && word.starts_with(is_quote)
        && match value.chars().next() {
            Some('"' | '[' | '{') => true,
            Some(c) if c.is_ascii_digit() || c == '-' || is_literal => {
                bare.trim_start_matches([' ', '\t', '\r']).starts_with([',', '\n', '}'])
            }
            _ => false,
        }
}

/// Checks that an object or list begins with the bracket that a text begins with, as far as one can see: a key follows, or an
/// item, or its end, or the end of the text.
pub(super) fn begins_value(text: &str) -> bool {
    let mut chars = text.chars();
    let bracket = chars.next();
    let inner = trim(chars.as_str());
    let Some(first) = inner.chars().next() else { return true };
    let item_ends = |after: &str| {
        let after = trim(after);
        after.is_empty()
            || after.starts_with([',', '}', ']', ':', '+', '/', '#'])
            || after.starts_with(is_quote)
    };
    // A text in quotes that is longer than a look ahead begins a value, too; one that continues in the next line does
    // not.
    let quoted = || match after_quoted(inner) {
        Some(after) => item_ends(after) || after.starts_with(|c: char| c.is_ascii_digit()),
        None => !inner.contains(['\n', '{', '}']),
    };
    match (bracket, first) {
        (Some('{'), '}') | (Some('['), ']') => true,
        (_, '{' | '[') => begins_value(inner),
        (_, '(' | '.' | '…' | '`' | '\\') => true,
        (_, c) if is_quote(c) => quoted(),
        (Some('{'), c) => {
            let line = inner.split(['\n', '{', '}', ',', '.']).next().unwrap_or_default();
            let is_member = |(key, _): (&str, &str)| key.split_whitespace().count() <= 3;
            key(inner) || c.is_ascii_digit() || line.split_once([':', '=']).is_some_and(is_member)
        }
        _ => {
            let word =
                inner.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_'));
            let token = inner.get(..inner.len() - word.len()).unwrap_or_default();
            let is_number = first.is_ascii_digit() || matches!(first, '-' | '+');
            let is_literal = matches!(token, "true" | "false" | "null" | "True" | "False" | "None");
            (is_number || is_literal) && (item_ends(word) || word.starts_with('\n'))
        }
    }
}

/// Returns whether the members of an object continue after its closing bracket: a comma and a key; outside of lists
/// also a key and a text that lack the colon, if the object is closed again after them.
pub(super) fn members_go_on(text: &str, outermost: bool) -> bool {
    let Some(member) = trim(text).strip_prefix(',').map(trim) else { return false };
    let lacks_colon = || {
        let after = after_quoted(member).and_then(after_quoted)?;
        Some(after.starts_with('}') || after.strip_prefix(',').map(trim).is_some_and(quoted_key))
    };
    quoted_key(member) || (outermost && lacks_colon() == Some(true))
}

/// Returns whether a text begins with a key without quotes and a colon that does not look like a part of the text
/// (`12:30`, `http://…`).
pub(super) fn bare_key(text: &str) -> bool {
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    // `b": 1` is a key that lacks its first quote.
    let quoted = rest.strip_prefix(['"', '\'']);
    let rest = quoted.unwrap_or(rest).trim_start_matches([' ', '\t']);
    let begins = word.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$'));
    // `5: "value"`, and not `12:30`.
    let numbered = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) && rest.starts_with(": ");
    (begins || numbered || (quoted.is_some() && !word.is_empty()))
        && rest.starts_with(':')
        && !rest.starts_with("://")
}

/// Returns whether a text begins with a key and a colon.
pub(super) fn key(text: &str) -> bool {
    quoted_key(text) || bare_key(text)
}

/// Returns whether the text after a comma in an object may be its next member, its end, or the end of the text.
pub(super) fn member_after_comma(text: &str) -> bool {
    let rest = trim(text);
    let Some(first) = rest.chars().next() else { return true };
    if matches!(first, '}' | ']' | '{' | '[' | ',')
        || rest.starts_with("...")
        || rest.starts_with("```")
        || key(rest)
    {
        return true;
    }
    if is_quote(first) {
        // A key cut off by the end of the text.
        return !rest.chars().skip(1).any(|c| closes(first, c) || c == ':');
    }
    // A stray word before the key.
    let after = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    after.len() < rest.len() && quoted_key(after.trim_start_matches([' ', '\t']))
}

/// Returns whether the text after a comma in a list may be its next value, its end, or the end of the text.
pub(super) fn item_after_comma(text: &str) -> bool {
    let rest = trim(text);
    let Some(first) = rest.chars().next() else { return true };
    if is_quote(first)
        || matches!(first, '{' | '[' | '(' | ']' | '}' | ')' | '-' | ',' | '0'..='9')
        || rest.starts_with("...")
    {
        return true;
    }
    // A word without quotes, if no quote comes between it and its end.
    matches!(rest.find(['"', ',', ']', '\n']).and_then(|at| rest.get(at..)), Some(end) if !end.starts_with('"'))
}

/// Returns whether the text after a closing bracket looks like the rest of JSON, and not like text. `open` brackets are
/// still open after it: when all of them are closed as well, anything may follow.
pub(super) fn after_bracket(text: &str, mut open: usize) -> bool {
    let mut rest = trim(text);
    while let Some(after) = rest.strip_prefix(['}', ']', ')']) {
        rest = trim(after);
        open = open.saturating_sub(1);
    }
    match rest.chars().next() {
        None | Some(',' | '{' | '[' | '`') => true,
        Some(c) if is_quote(c) => quoted_key(rest),
        Some(_) => open == 0,
    }
}
