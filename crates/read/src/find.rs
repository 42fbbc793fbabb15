//! Everything that a listing finds, at once and with unique names: for a small number of documents.

use super::{Input, InputError, Listing, Names, Skipped, Wanted};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The documents that the arguments name.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FoundInputs {
    /// Documents to be read, in the order of the arguments; a folder's files sorted by name. No two have one id.
    pub inputs: Vec<Input>,
    /// Arguments, files and lines that name no document.
    pub errors: Vec<InputError>,
    /// The entries that were left out, by reason.
    pub skipped: Skipped,
}

/// Finds what the arguments name: files of any name, the documents in folders and in their folders (hidden files
/// left out), those that a pattern such as `reports/**/*.txt` matches, the records of `.jsonl` files, and `-` for
/// standard input. A document that is named twice is taken once.
///
/// A document's id is its file's name without ending, in a folder the path in it, for a record the id that it gives.
/// See [`Names`] for those that would share one. For very many documents, read a [`Listing`].
#[must_use]
pub fn find<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> FoundInputs {
    let arguments = arguments.into_iter().map(|argument| PathBuf::from(argument.as_ref())).collect();
    find_all(Wanted { arguments, ..Wanted::default() })
}

/// Like [`find`], for anything that a command may ask for.
#[must_use]
pub fn find_all(wanted: Wanted) -> FoundInputs {
    let mut listing = Listing::new(wanted);
    let mut names = Names::default();
    let mut found = FoundInputs::default();
    for input in listing.by_ref() {
        match input {
            Ok(input) => found.inputs.push(names.assign(input)),
            Err(error) => found.errors.push(error),
        }
    }
    found.skipped = listing.skipped().clone();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::digest_bytes;
    use std::collections::HashSet;
    use tempfile::TempDir;

    fn folder(files: &[&str]) -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("text of {file}")).unwrap();
        }
        dir
    }

    fn ids(found: &FoundInputs) -> Vec<&str> {
        found.inputs.iter().map(|input| input.id().as_str()).collect()
    }

    #[test]
    fn a_folder_gives_its_documents_sorted_and_at_any_depth() {
        let dir =
            folder(&["b.txt", "a.JSON", "c.md", "d.text", ".hidden.txt", "x.csv", "sub/e.txt", "sub/f/b.md"]);
        let found = find([dir.path()]);
        assert!(found.errors.is_empty());
        assert_eq!(ids(&found), ["a", "b", "c", "d", "sub/e", "sub/f/b"]);
        assert_eq!(
            found.skipped.line().unwrap(),
            "left out: 1 file with another ending (.csv 1), 1 hidden file or folder"
        );
        let document = found.inputs[1].read(&crate::DocumentReader::in_process()).unwrap();
        assert_eq!(document.text.unwrap().as_str(), "text of b.txt");
        assert_eq!(document.path.unwrap(), dir.path().join("b.txt"));
        assert_eq!(document.digest, digest_bytes(b"text of b.txt"));
    }

    #[test]
    fn a_named_file_may_end_as_it_likes_and_counts_once() {
        let dir = folder(&["report.log"]);
        let path = dir.path().join("report.log");
        let again = dir.path().join("./report.log");
        let found = find([&path, &again]);
        assert_eq!((ids(&found), found.skipped.total()), (vec!["report"], 1));
    }

    #[test]
    fn every_argument_that_stands_for_nothing_is_reported_and_the_rest_is_found() {
        let dir = folder(&["a.txt", "empty/x.csv"]);
        let found = find([
            dir.path().join("none.txt"),
            dir.path().join("a.txt"),
            dir.path().join("empty"),
            dir.path().join("a.txt/b"),
        ]);
        assert_eq!(ids(&found), ["a"]);
        assert!(matches!(found.errors[0], InputError::Missing { .. }));
        assert!(matches!(found.errors[1], InputError::NoDocuments { .. }));
        assert!(matches!(found.errors[2], InputError::Io { .. }));
        assert!(found.errors[1].to_string().ends_with("empty` holds no documents"));
        assert_eq!(
            found.errors[1].help(),
            "files in the folder, and in its folders, that end in `.txt`, `.text`, `.md`, `.json`, `.pdf`, `.docx`, `.docm`, \
             `.xlsx`, `.xlsm`, `.odt`, `.ods`, `.rtf`, `.eml`, `.html`, `.htm`, `.xml`, `.nxml` are taken, and the records of `.jsonl`; name other files one by one, or by a pattern"
        );
    }

    #[test]
    fn files_that_are_arguments_and_have_one_name_become_paths_as_short_as_they_can_be() {
        let dir = folder(&["one/r.txt", "two/r.txt", "two/s.txt"]);
        let found = find(["one/r.txt", "two/r.txt", "two/s.txt"].map(|file| dir.path().join(file)));
        assert_eq!(ids(&found), ["one/r.txt", "two/r.txt", "s"]);
    }

    #[test]
    fn a_folder_names_its_documents_whatever_else_is_there() {
        let dir = folder(&["one/r.txt", "two/r.txt", "two/s.txt", "two/s.json"]);
        let found = find([dir.path().join("one"), dir.path().join("two")]);
        assert_eq!(ids(&found), ["r", "two/r", "s", "two/s"]);
        let names: Vec<&str> = found.inputs.iter().map(Input::name).collect();
        assert_eq!(names, ["r", "r", "s", "s"]);
        assert_eq!(
            ids(&find([dir.path()])),
            ["one/r", "two/r", "two/s", &format!("{}/two/s", folder_of(&dir))]
        );
    }

    fn folder_of(dir: &TempDir) -> String {
        dir.path().file_name().unwrap().to_string_lossy().into_owned()
    }

    #[test]
    fn no_two_documents_ever_share_an_id() {
        let dir = folder(&["b.c", "b.txt", "b.c.txt", "stdin.txt", "B.md"]);
        let mut arguments: Vec<_> =
            ["b.c", "b.txt", "b.c.txt", "stdin.txt", "B.md"].iter().map(|f| dir.path().join(f)).collect();
        arguments.push("-".into());
        arguments.push("-".into());
        let found = find(&arguments);
        let unique: HashSet<_> = ids(&found).into_iter().collect();
        assert_eq!((found.inputs.len(), unique.len()), (6, 6), "{unique:?}");
        assert!(unique.contains("stdin") && unique.contains("stdin.txt"), "{unique:?}");
    }
}
