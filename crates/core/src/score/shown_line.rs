//! The part of a line that messages show of a passage.

use std::ops::Range;

/// The length of a line that is shown before a passage, in bytes, and the length shown in all, in characters.
const SHOWN_BEFORE: usize = 40;
const SHOWN: usize = 100;

/// The part of a text that is shown for a passage of it: its surroundings in its line.
pub(super) fn shown_around(text: &str, passage: &Range<usize>) -> Range<usize> {
    let before = text.get(..passage.start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let after = text.get(passage.end..).and_then(|rest| rest.find('\n'));
    let line_end = after.map_or(text.len(), |at| passage.end + at);
    let from = passage.start.saturating_sub(SHOWN_BEFORE).max(line);
    let from = (from..=passage.start).find(|at| text.is_char_boundary(*at)).unwrap_or(passage.start);
    let shown = text.get(from..line_end).unwrap_or_default();
    let from = from + (shown.len() - shown.trim_start().len());
    let shown = shown.trim();
    from..from + shown.char_indices().nth(SHOWN).map_or(shown.len(), |(at, _)| at)
}

/// The part of a text that is shown for a passage that states another value than this: it stops before the value
/// itself.
pub(super) fn shown_apart(text: &str, passage: &Range<usize>, value: &str) -> Range<usize> {
    let shown = shown_around(text, passage);
    let found = places(value, text.get(shown.clone()).unwrap_or_default());
    let found: Vec<Range<usize>> =
        found.map(|place| shown.start + place.start..shown.start + place.end).collect();
    let from = found.iter().map(|place| place.end).filter(|end| *end <= passage.start).max();
    let to = found.iter().map(|place| place.start).filter(|start| *start >= passage.end).min();
    from.unwrap_or(shown.start)..to.unwrap_or(shown.end)
}

/// The positions of a value in a text as whole words and numbers, whatever the case and the spaces between them.
fn places<'t>(value: &'t str, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
    let words: Vec<&str> = value.split_whitespace().collect();
    let first = value.trim().chars().next();
    let starts = text.char_indices().map(|(at, _)| at);
    starts.filter(move |at| first.is_some() && is_free(text.get(..*at), first, true)).filter_map(move |at| {
        let mut rest = text.get(at..)?;
        for (i, word) in words.iter().enumerate() {
            let trimmed = if i == 0 { rest } else { rest.trim_start() };
            if i > 0 && trimmed.len() == rest.len() {
                return None;
            }
            trimmed.get(..word.len()).filter(|here| here.eq_ignore_ascii_case(word))?;
            rest = trimmed.get(word.len()..)?;
        }
        is_free(Some(rest), value.trim().chars().next_back(), false).then(|| at..text.len() - rest.len())
    })
}

/// Returns whether the text beside a match, before or after it, does not continue the match's word or number.
fn is_free(beside: Option<&str>, own: Option<char>, before: bool) -> bool {
    let mut chars: Box<dyn Iterator<Item = char>> = match (beside, before) {
        (None, _) => return false,
        (Some(text), true) => Box::new(text.chars().rev()),
        (Some(text), false) => Box::new(text.chars()),
    };
    let Some(own) = own.filter(|own| own.is_alphanumeric()) else { return true };
    match (chars.next(), chars.next()) {
        (Some(next), _) if next.is_alphanumeric() => false,
        (Some('.' | ','), Some(digit)) => !(own.is_ascii_digit() && digit.is_ascii_digit()),
        (Some(_) | None, _) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_of_one_line() {
        let text = "first line\n  the second line\nthird";
        let at = text.find("second").unwrap();
        assert_eq!(text.get(shown_around(text, &(at..at + 6))), Some("the second line"));
        assert_eq!(shown_around("ä\u{a0}b", &(0..0)), 0..5);
        let text = "Positive in A; ER: Negative; PR: positive, HER2: 1+";
        let at = text.find("Negative").unwrap();
        let shown = shown_apart(text, &(at..at + 8), "Positive");
        assert_eq!(text.get(shown), Some(" in A; ER: Negative; PR: "));
    }
}
