//! Texts that problems point into, and the positions in them.

use std::fmt;
use std::sync::Arc;

/// A file (or an environment variable, or a flag) with the text it held when it was read.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    origin: Origin,
}

/// The origin of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Argument,
    Recorded,
    Shipped,
    Other,
}

impl SourceFile {
    /// `name` is what people call it: a path, `--config`, or the name of a variable.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(SourceFile { name: name.into(), text: text.into(), origin: Origin::Other })
    }

    /// The text that the person who runs the program gives in a flag or a variable of this name: their own word, unlike
    /// a file, which may be someone else's.
    #[must_use]
    pub fn argument(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(SourceFile { name: name.into(), text: text.into(), origin: Origin::Argument })
    }

    /// A flag from a run's record: given by whoever wrote the journal, not necessarily the person who runs the program.
    #[must_use]
    pub fn recorded(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(SourceFile { name: name.into(), text: text.into(), origin: Origin::Recorded })
    }

    /// One of the files in the executable, by its path below the folder of the project that it was built from.
    #[must_use]
    pub fn shipped(name: &str, text: impl Into<String>) -> Arc<Self> {
        let name = format!("<embedded>/{name}");
        Arc::new(SourceFile { name, text: text.into(), origin: Origin::Shipped })
    }

    /// Returns whether it was given in a flag or a variable, now or when a run was recorded: its lines and columns mean
    /// little.
    #[must_use]
    pub fn is_argument(&self) -> bool {
        matches!(self.origin, Origin::Argument | Origin::Recorded)
    }

    /// Returns whether it is a flag from a run's record.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.origin == Origin::Recorded
    }

    /// Returns whether it is one of the files in the executable.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        self.origin == Origin::Shipped
    }

    /// The name by which people know it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text without the byte order mark that some editors put first: to JSON it is a mistake.
    #[must_use]
    pub fn without_mark(&self) -> &str {
        self.text.strip_prefix('\u{feff}').unwrap_or(&self.text)
    }
}

/// A range of bytes in a source, always on character boundaries.
#[derive(Clone)]
pub struct Span {
    file: Arc<SourceFile>,
    start: usize,
    end: usize,
}

impl Span {
    /// A span from byte `start` to byte `end`, moved to the nearest character boundaries within the text.
    #[must_use]
    pub fn new(file: &Arc<SourceFile>, start: usize, end: usize) -> Self {
        let text = file.text();
        let floor = |mut at: usize| {
            at = at.min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = floor(start);
        let end = floor(end).max(start);
        Span { file: Arc::clone(file), start, end }
    }

    /// The source it lies in.
    #[must_use]
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// First byte.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start
    }

    /// One past the last byte.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns whether the other one lies in it.
    pub fn contains(&self, other: &Span) -> bool {
        self.file.name == other.file.name && self.start <= other.start && other.end <= self.end
    }

    /// The marked text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.file.text().get(self.start..self.end).unwrap_or_default()
    }

    /// File, line and column of its first character.
    #[must_use]
    pub fn location(&self) -> Location<'_> {
        self.place(self.start)
    }

    /// File, line and column of the character after its last.
    #[must_use]
    pub fn end_location(&self) -> Location<'_> {
        self.place(self.end)
    }

    fn place(&self, at: usize) -> Location<'_> {
        let before = self.file.text().get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Location {
            file: self.file.name(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start && self.end == other.end && self.file.name == other.file.name
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.location(), self.end - self.start)
    }
}

/// A location as people write it. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location<'a> {
    /// Name of the source.
    pub file: &'a str,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let file = SourceFile::new("p.yaml", "a: 1\nträge: x\n");
        let at = file.text().find(": x").unwrap();
        let span = Span::new(&file, at, at + 1);
        assert_eq!(span.location().to_string(), "p.yaml:2:6");
    }

    #[test]
    fn a_span_inside_a_character_moves_to_its_boundary() {
        let file = SourceFile::new("p.yaml", "é");
        assert_eq!(Span::new(&file, 1, 9).text(), "é");
    }
}
