//! The labels of each document, though labels are written `in/x.txt` and results `x`.

use std::collections::BTreeMap;

/// The longest ending of a file's name, without the dot.
const LONGEST_ENDING: usize = 8;

/// The quality of a match of names, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It is the same text.
    Same,
    /// It is the same path without the ending of the file's name.
    SamePath,
    /// It is the same file's name, in any folder.
    SameFile,
}

/// The names of labelled documents.
#[derive(Debug, Default)]
pub(super) struct DocumentNames {
    names: BTreeMap<String, usize>,
    paths: BTreeMap<String, Vec<usize>>,
    files: BTreeMap<String, Vec<usize>>,
}

impl DocumentNames {
    /// The number of a name, and whether it has not been seen before.
    pub(super) fn number(&mut self, name: &str) -> (usize, bool) {
        if let Some(number) = self.names.get(name) {
            return (*number, false);
        }
        let number = self.names.len();
        self.names.insert(name.to_owned(), number);
        self.paths.entry(path(name).to_owned()).or_default().push(number);
        self.files.entry(file(name).to_owned()).or_default().push(number);
        (number, true)
    }

    /// The labelled documents that a document of this name may be, all with the same fit; none if nothing fits.
    pub(super) fn find(&self, name: &str) -> (Fit, &[usize]) {
        if let Some(number) = self.names.get(name) {
            return (Fit::Same, std::slice::from_ref(number));
        }
        if let Some(numbers) = self.paths.get(path(name)) {
            return (Fit::SamePath, numbers);
        }
        (Fit::SameFile, self.files.get(file(name)).map_or(&[], Vec::as_slice))
    }
}

/// A path without the ending of its file's name.
fn path(name: &str) -> &str {
    let name = name.trim_start_matches("./");
    match name.rsplit_once('.') {
        Some((stem, ending))
            if !stem.is_empty()
                && !stem.ends_with(['/', '\\'])
                && (1..=LONGEST_ENDING).contains(&ending.len())
                && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
                && ending.bytes().any(|byte| byte.is_ascii_alphabetic()) =>
        {
            stem
        }
        _ => name,
    }
}

/// The name of a file without folders and ending.
fn file(name: &str) -> &str {
    let path = path(name);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_goes_before_the_same_path_and_that_before_the_same_file() {
        let mut names = DocumentNames::default();
        for name in ["a/x.txt", "b/x.txt", "y", "z.1", "z.2"] {
            assert!(names.number(name).1);
        }
        assert_eq!(names.number("y"), (2, false));
        assert_eq!(names.find("a/x.txt"), (Fit::Same, &[0][..]));
        assert_eq!(names.find("a/x"), (Fit::SamePath, &[0][..]));
        assert_eq!(names.find("x.md"), (Fit::SameFile, &[0, 1][..]));
        assert_eq!(names.find("in/y.pdf"), (Fit::SameFile, &[2][..]));
        // A number after a dot is not an ending.
        assert_eq!(names.find("z"), (Fit::SameFile, &[][..]));
        assert_eq!(names.find("w"), (Fit::SameFile, &[][..]));
    }
}
