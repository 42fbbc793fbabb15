//! Named parts of extraction patterns, so that a long pattern reads as what it means. The host checks patterns with it, and
//! providers that work by patterns expand them with it.

/// The longest pattern, in bytes, after its words are put in: words within words grow fast.
pub const MAX_PATTERN_BYTES: usize = 16_384;

/// The reason why a pattern can't be expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unexpanded {
    /// It uses a word that is not declared above it.
    Unknown(String),
    /// It would be longer than this many bytes.
    TooLong(usize),
}

impl std::fmt::Display for Unexpanded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unexpanded::Unknown(name) => {
                write!(f, "no word `{name}` is declared under `words`, or only below its use")
            }
            Unexpanded::TooLong(most) => write!(f, "more than {most} bytes, words included"),
        }
    }
}

impl std::error::Error for Unexpanded {}

/// The words of a pattern file, in its order: name and expanded pattern.
#[derive(Debug, Default)]
pub struct Words(Vec<(String, String)>);

impl Words {
    /// Declares a word. Words may use words declared before them, so that there are no cycles.
    pub fn declare(&mut self, name: &str, expanded: String) {
        self.0.push((name.to_owned(), expanded));
    }

    /// The names declared so far.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Replaces each `{word}` by its pattern, as one group. `{2,5}`, `\{` and `\p{Greek}` are not words.
    ///
    /// # Errors
    ///
    /// A word that is not declared; or a result of more than `most` bytes, because words within words grow fast.
    pub fn expand(&self, pattern: &str, most: usize) -> Result<String, Unexpanded> {
        let mut out = String::with_capacity(pattern.len());
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            match after.split_once('}') {
                Some((name, tail)) if is_name(name) && !is_escaped(before) => {
                    let (_, part) = self
                        .0
                        .iter()
                        .find(|(known, _)| known == name)
                        .ok_or_else(|| Unexpanded::Unknown(name.to_owned()))?;
                    out.push_str("(?:");
                    out.push_str(part);
                    out.push(')');
                    rest = tail;
                }
                _ => {
                    out.push('{');
                    rest = after;
                }
            }
            if out.len() > most {
                break;
            }
        }
        out.push_str(rest);
        if out.len() > most { Err(Unexpanded::TooLong(most)) } else { Ok(out) }
    }
}

/// Lower-case letters, digits and `_`, beginning with a letter: never the bounds of a repetition.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Returns whether the text before a brace gives it another meaning: `\{`, or a class like `\p{…}`.
fn is_escaped(before: &str) -> bool {
    let escapes = |text: &str| text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1;
    escapes(before) || before.strip_suffix(['p', 'P', 'x', 'u', 'U']).is_some_and(escapes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        let mut words = Words::default();
        words.declare("unit", "mm|cm".to_owned());
        let size = words.expand(r"\d{1,3} {unit}", 100).unwrap();
        words.declare("size", size);
        words
    }

    #[test]
    fn expands_words_and_nothing_else() {
        let cases = [
            ("{size}s", r"(?:\d{1,3} (?:mm|cm))s"),
            (r"a{2}b{2,}c{,3}", r"a{2}b{2,}c{,3}"),
            (r"\{unit} \p{greek} \\{unit}", r"\{unit} \p{greek} \\(?:mm|cm)"),
            (r"\b{unit}\b", r"\b(?:mm|cm)\b"),
            (r"x{Unit} {", r"x{Unit} {"),
            ("", ""),
        ];
        for (given, expected) in cases {
            assert_eq!(words().expand(given, 1000).as_deref(), Ok(expected), "{given}");
        }
    }

    #[test]
    fn refuses_unknown_words_and_growth() {
        let unknown = words().expand("{sise}", 1000).unwrap_err();
        assert_eq!(unknown.to_string(), "no word `sise` is declared under `words`, or only below its use");
        let mut words = Words::default();
        words.declare("w", "x".repeat(50));
        assert_eq!(
            words.expand("{w}{w}", 100).unwrap_err().to_string(),
            "more than 100 bytes, words included"
        );
        assert!(words.expand(&"x".repeat(101), 100).is_err());
    }
}
