//! Tidying a captured piece of text without changing what it says.

/// Trims a captured piece and puts it on one line: white space around line breaks becomes one space, and a word that
/// was hyphenated over a line break is joined. Everything else stays as the document has it.
///
/// Returns `None` when nothing is left: a field is never an empty string.
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
/// or an abbreviation, and patterns can leave it out. So does a dash that touches a number: it is its sign.
fn trim(piece: &str) -> &str {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '|');
    let mut rest = piece.trim_matches(ends);
    while let Some(after) = rest.strip_prefix(['-', '\u{2013}', '\u{2022}', '*']) {
        if rest.starts_with(['-', '\u{2013}']) && begins_with_number(after) {
            break;
        }
        rest = after.trim_start_matches(ends);
    }
    rest
}

/// `45`, `.5`, `$45`, `\u{20ac} 45`.
fn begins_with_number(text: &str) -> bool {
    const CURRENCIES: [char; 5] = ['$', '\u{20ac}', '\u{a3}', '\u{a5}', '\u{20b9}'];
    let amount = text.strip_prefix(CURRENCIES).map_or(text, str::trim_start);
    amount.strip_prefix(['.', ',']).unwrap_or(amount).starts_with(|c: char| c.is_numeric())
}

/// Returns whether the piece is in the source, ignoring white space and hyphens.
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
            // A dash that touches a number is its sign.
            ("-45.00", Some("-45.00")),
            (": -45.00;", Some("-45.00")),
            ("\u{2013}45.00", Some("\u{2013}45.00")),
            ("\u{2212}45.00", Some("\u{2212}45.00")),
            ("-.5", Some("-.5")),
            ("-$45.00", Some("-$45.00")),
            ("-\u{20ac} 45,00", Some("-\u{20ac} 45,00")),
            ("- -3 D", Some("-3 D")),
            ("(45.00)", Some("(45.00)")),
            ("45.00-", Some("45.00-")),
            // One that does not is a bullet.
            ("- 5 mm", Some("5 mm")),
            ("* \u{2022} 5 mm", Some("5 mm")),
            ("-Adenocarcinoma", Some("Adenocarcinoma")),
            (" - ", None),
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
