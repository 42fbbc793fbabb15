//! Tidying a captured piece of text without changing what it says.

/// Trims a captured piece and puts it on one line: white space around line breaks becomes one space, and a word that
/// was hyphenated over a line break is joined. Everything else stays as the document has it.
///
/// Returns nothing when nothing is left: a field is never an empty string.
pub(crate) fn tidy(piece: &str) -> Option<String> {
    let piece = trim(piece);
    if piece.is_empty() {
        return None;
    }
    if !piece.contains(['\n', '\r']) {
        return Some(piece.to_owned());
    }
    let mut out = String::with_capacity(piece.len());
    for line in piece.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
        let hyphenated = out.ends_with('-')
            && out.chars().rev().nth(1).is_some_and(char::is_lowercase)
            && line.chars().next().is_some_and(char::is_lowercase);
        if hyphenated {
            out.pop();
        } else if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(line);
    }
    Some(out)
}

/// White space and list punctuation at both ends, bullets at the beginning. A full stop stays: it may belong to a number
/// or an abbreviation, and patterns can leave it out.
fn trim(piece: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '|');
    piece
        .trim_start_matches(|c: char| ends(c) || matches!(c, '-' | '\u{2013}' | '\u{2022}' | '*'))
        .trim_end_matches(ends)
}

/// Whether the piece stands in the source, white space and line-break hyphens aside.
pub(crate) fn stands_in(piece: &str, source: &str) -> bool {
    if source.contains(piece) {
        return true;
    }
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect::<String>();
    let piece = bare(piece);
    !piece.is_empty() && bare(source).contains(&piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tidies_ends_and_line_breaks_only() {
        let cases = [
            ("  a b  ", Some("a b")),
            ("- Adenocarcinoma,", Some("Adenocarcinoma")),
            ("moder-\nately  differentiated", Some("moderately  differentiated")),
            ("grade\r\n  II", Some("grade II")),
            ("pT3-\nN1", Some("pT3- N1")),
            ("1.5 cm.", Some("1.5 cm.")),
            (" ,;: \n", None),
            ("", None),
        ];
        for (given, expected) in cases {
            assert_eq!(tidy(given).as_deref(), expected, "{given:?}");
        }
    }

    #[test]
    fn finds_a_joined_word_again() {
        assert!(stands_in("moderately well", "x moder-\nately\n well y"));
        assert!(!stands_in("poorly", "x moder-\nately\n well y"));
    }
}
