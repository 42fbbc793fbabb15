//! Tick boxes: of options with boxes, those that are ticked count, and the others do not.

use std::ops::Range;

/// The longest stretch before a position that is searched for a box, in bytes.
const REACH: usize = 200;

/// The most characters between the sides of a box: a longer run of blanks is a gap to write in.
const INNER: usize = 6;

/// A box where a text has one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tick {
    range: Range<usize>,
    is_ticked: bool,
}

/// The box that begins at the start of a text, if one does.
fn tick_at(text: &str) -> Option<(usize, bool)> {
    let mut chars = text.chars();
    let first = chars.next()?;
    match first {
        '☒' | '☑' | '✓' | '✔' | '✗' | '✘' | '●' | '◉' | '■' | '▣' => {
            return Some((first.len_utf8(), true));
        }
        '☐' | '○' | '◯' | '□' => return Some((first.len_utf8(), false)),
        // A box of several characters.
        _ => {}
    }
    let close = match first {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        '_' => '_',
        _ => return None,
    };
    let length = text.char_indices().skip(1).take(INNER).find(|(_, c)| *c == close)?.0;
    let inner = text.get(1..length)?;
    let is_ticked = match inner.trim() {
        "x" | "X" | "✓" | "✔" | "×" => true,
        "" if first != '_' => false,
        _ => return None,
    };
    Some((length + 1, is_ticked))
}

/// The boxes of a text.
fn ticks(text: &str) -> Vec<Tick> {
    let mut found = Vec::new();
    let mut at = 0;
    for (start, c) in text.char_indices() {
        // `f(x)` and `a_x_b` have none.
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        if start < at
            || before.is_some_and(|before| before.is_alphanumeric() && !c.is_alphanumeric() && c.is_ascii())
        {
            continue;
        }
        if let Some((length, is_ticked)) = text.get(start..).and_then(tick_at) {
            found.push(Tick { range: start..start + length, is_ticked });
            at = start + length;
        }
    }
    found
}

/// A text without boxes, in pieces: what precedes the first box, and the options that are ticked. `None` for one that
/// has no boxes.
pub(crate) fn pieces(text: &str) -> Option<Vec<Range<usize>>> {
    let ticks = ticks(text);
    let (first, last) = (ticks.first()?, ticks.last()?);
    let mut found = Vec::new();
    let stands_behind = text.get(last.range.end..).unwrap_or_default().trim().is_empty();
    let lead = 0..first.range.start;
    let label_end = |range: &Range<usize>| {
        let own = text.get(range.clone()).unwrap_or_default();
        own.rfind([':', '：']).map_or(range.start, |at| {
            range.start + at + own.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        })
    };
    if stands_behind {
        // `Detected [x]`: the option precedes its box.
        let mut from = label_end(&lead);
        found.push(0..from);
        for tick in &ticks {
            if tick.is_ticked {
                found.push(from..tick.range.start);
            }
            from = tick.range.end;
        }
    } else {
        found.push(lead);
        for (nth, tick) in ticks.iter().enumerate() {
            let end = ticks.get(nth + 1).map_or(text.len(), |next| next.range.start);
            if tick.is_ticked {
                found.push(tick.range.end..end);
            }
        }
    }
    found.retain(|range| text.get(range.clone()).is_some_and(|own| own.contains(char::is_alphanumeric)));
    Some(found)
}

/// The beginning of a text, to the end of its first line or as far as a value reaches.
pub(crate) fn line(text: &str) -> &str {
    let mut end = text.len().min(REACH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let near = text.get(..end).unwrap_or_default();
    near.split(['\n', '\r']).next().unwrap_or_default()
}

/// Returns whether a position lies in an option whose box is not ticked.
pub(crate) fn is_unticked(text: &str, at: usize) -> bool {
    let start = text.get(..at).and_then(|before| before.rfind(['\n', '\r'])).map_or(0, |line| line + 1);
    let mut start = start.max(at.saturating_sub(REACH));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let own = ticks(text.get(start..at).unwrap_or_default());
    let Some(last) = own.last().filter(|last| !last.is_ticked) else { return false };
    // `Detected [ ] Not detected [x]`: each box follows its option.
    let line = line(text.get(at..).unwrap_or_default());
    let ends_with_box = ticks(line)
        .last()
        .is_some_and(|tick| line.get(tick.range.end..).is_some_and(|end| end.trim().is_empty()));
    // Options are near their boxes.
    !ends_with_box && at - (start + last.range.end) <= REACH / 2
}

/// A value without boxes: its options that are ticked. `None` where it has boxes and none of them is ticked.
pub(crate) fn ticked(value: &str) -> Option<String> {
    let Some(pieces) = pieces(value) else { return Some(value.to_owned()) };
    let said: Vec<&str> = pieces.iter().filter_map(|range| value.get(range.clone())).map(str::trim).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ticked_is_said() {
        for (text, said) in [
            ("[ ] well [x] moderate [ ] poor", Some("moderate")),
            ("☐ well ☒ moderate", Some("moderate")),
            ("( ) negative  (X) positive", Some("positive")),
            ("___ negative  _X_ positive", Some("___ negative positive")),
            ("Detected [ ] Not detected [x]", Some("Not detected")),
            ("Influenza A: Detected [x] Not detected [ ]", Some("Influenza A: Detected")),
            ("[ ] yes [ ] no", None),
            ("pT2 (f(x) aside)", Some("pT2 (f(x) aside)")),
        ] {
            assert_eq!(ticked(text).as_deref(), said, "{text}");
        }
        let text = "Margin: [ ] free [x] involved";
        assert!(is_unticked(text, text.find("free").unwrap()));
        assert!(!is_unticked(text, text.find("involved").unwrap()));
        let text = "Detected [ ] Not detected [x]";
        assert!(!is_unticked(text, text.find("Not").unwrap()));
    }
}
