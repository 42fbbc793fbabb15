//! The words of an element's name.

/// The words of a name: `IssueDate`, `issue-date`, `issue_date`.
pub(super) fn name_words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut before: Option<char> = None;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let c = if matches!(c, '_' | '-' | '.') { ' ' } else { c };
        let follows_word = |before: char| {
            before.is_lowercase()
                || before.is_ascii_digit()
                || before.is_uppercase() && rest.peek().is_some_and(|next| next.is_lowercase())
        };
        if c.is_uppercase() && before.is_some_and(follows_word) {
            words.push(' ');
        }
        words.push(c);
        before = Some(c);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::name_words;

    #[test]
    fn names_are_words() {
        for (name, words) in [
            ("IssueDate", "Issue Date"),
            ("issue-date", "issue date"),
            ("CompanyID", "Company ID"),
            ("VATNumber", "VAT Number"),
            ("article_number", "article number"),
            ("Åsa", "Åsa"),
        ] {
            assert_eq!(name_words(name), words);
        }
    }
}
