//! Words of a command line that is shown to people.

/// Quotes a word so that a shell reads it as one.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '/' | '.' | '-' | '_' | ':' | '=' | '+' | ',')
            || (cfg!(windows) && c == '\\')
    };
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_a_quoted_word_as_one() {
        assert_eq!((quoted("a/b-1"), quoted("it's")), ("a/b-1".to_owned(), r"'it'\''s'".to_owned()));
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("~x"), "'~x'");
        #[cfg(unix)]
        assert_eq!(quoted(r"a\b"), r"'a\b'");
    }
}
