//! Arguments to documents: which files are meant, their names, and one document at a time in memory.

use super::{Media, SourceText, Unreadable};
use crate::disk::{self, ReadError};
use crate::profile::nearby;
use crate::value::{DocumentId, digest_bytes};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Largest document, in bytes. A thousand pages of text have some 3 MB; beyond this a file is a dump, and
/// every candidate's values would be searched for in it.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Endings, in any case, of the files that are taken from a folder.
pub(crate) const ENDINGS: [&str; 4] = ["txt", "text", "md", "json"];

/// Where a document's bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Standard input, written `-`.
    Stdin,
}

impl Origin {
    /// The file, if it is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Origin::File(path) => Some(path),
            Origin::Stdin => None,
        }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::File(path) => write!(f, "`{}`", path.display()),
            Origin::Stdin => f.write_str("standard input"),
        }
    }
}

/// A document that has a name and has not been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    id: DocumentId,
    origin: Origin,
}

/// A document in memory.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its name, unique among the inputs.
    pub id: DocumentId,
    /// Its file; `None` for standard input.
    pub path: Option<PathBuf>,
    /// SHA-256 of its bytes, in hexadecimal.
    pub digest: String,
    /// Its text, or why it has none: then it ends as `failed / unreadable_input`.
    pub text: Result<SourceText, Unreadable>,
    /// The document itself, if it is an image or PDF.
    pub media: Option<Media>,
}

impl Document {
    /// The name of its file, without folders; `None` for what is in no file.
    #[must_use]
    pub(crate) fn file_name(&self) -> Option<String> {
        let name = self.path.as_deref().and_then(Path::file_name)?;
        Some(name.to_string_lossy().into_owned())
    }

    /// A document that is at hand as text, by a name that is unique among those of a run. One without any text is no error
    /// here: see [`Document::text`].
    #[must_use]
    pub fn from_text(id: impl Into<String>, text: impl Into<String>) -> Self {
        let bytes = text.into().into_bytes();
        Document {
            id: DocumentId::new(id),
            path: None,
            digest: digest_bytes(&bytes),
            text: SourceText::from_bytes(bytes),
            media: None,
        }
    }
}

/// An argument or a file that can't be used at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Nothing by that name.
    #[error("there is no file or folder `{}`", path.display())]
    Missing {
        /// The argument.
        path: PathBuf,
    },
    /// A folder in which no file has one of `ENDINGS`.
    #[error("the folder `{}` holds no documents", path.display())]
    NoDocuments {
        /// The folder.
        path: PathBuf,
    },
    /// More bytes than are read.
    #[error("{origin} has {} bytes; at most {limit} are read", shown_size(*size, *limit))]
    TooLarge {
        /// The document.
        origin: Origin,
        /// Its size in bytes, when it is known without reading it.
        size: Option<u64>,
        /// The limit in bytes.
        limit: u64,
    },
    /// The system refused.
    #[error("can't read {origin}: {source}")]
    Io {
        /// The document or folder.
        origin: Origin,
        /// Why.
        source: io::Error,
    },
}

impl InputError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            InputError::Missing { path } if path.to_string_lossy().contains(['*', '?', '[']) => {
                "no file matches; patterns are filled in by the shell, so leave them without quotes"
                    .to_owned()
            }
            InputError::Missing { path } => match nearby(path) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => "check the spelling; names are relative to the working directory".to_owned(),
            },
            InputError::NoDocuments { .. } => {
                let endings = ENDINGS.map(|ending| format!("`.{ending}`")).join(", ");
                format!(
                    "files directly in the folder that end in {endings} are taken; name other files one by one"
                )
            }
            InputError::TooLarge { .. } => "split it, or check that this is the file you meant".to_owned(),
            InputError::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "make it readable for the user who runs this".to_owned()
            }
            InputError::Io { .. } => "check that it is a readable file".to_owned(),
        }
    }
}

fn shown_size(size: Option<u64>, limit: u64) -> String {
    size.map_or_else(|| format!("more than {limit}"), |size| size.to_string())
}

/// What the arguments stand for.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FoundInputs {
    /// Documents to be read, in the order of the arguments; a folder's files sorted by name. No two have one id.
    pub inputs: Vec<Input>,
    /// Arguments that stand for nothing.
    pub errors: Vec<InputError>,
}

/// Finds what the arguments stand for: files of any name, folders (their files with one of `ENDINGS`, one level
/// deep, hidden files left out), and `-` for standard input. What is named twice is taken once.
///
/// A document's id is its file's name without ending. Files that would share an id (upper and lower case taken as
/// the same) get their paths relative to the innermost folder that holds them all.
#[must_use]
pub fn find<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> FoundInputs {
    find_also(arguments, &[])
}

/// The same, with files of other endings taken from folders, too.
#[must_use]
pub(crate) fn find_also<A: AsRef<OsStr>>(
    arguments: impl IntoIterator<Item = A>,
    endings: &[&str],
) -> FoundInputs {
    let mut found = FoundInputs::default();
    let mut origins = Vec::new();
    for argument in arguments {
        let argument = argument.as_ref();
        if argument == "-" {
            origins.push(Origin::Stdin);
            continue;
        }
        let path = PathBuf::from(argument);
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => match documents_in(&path, endings) {
                Ok(files) if files.is_empty() => found.errors.push(InputError::NoDocuments { path }),
                Ok(files) => origins.extend(files.into_iter().map(Origin::File)),
                Err(source) => found.errors.push(InputError::Io { origin: Origin::File(path), source }),
            },
            Ok(_) => origins.push(Origin::File(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                found.errors.push(InputError::Missing { path });
            }
            Err(source) => found.errors.push(InputError::Io { origin: Origin::File(path), source }),
        }
    }
    let mut seen = HashSet::new();
    origins.retain(|origin| seen.insert(origin.path().map(absolute)));
    found.inputs = named(origins);
    found
}

fn documents_in(folder: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let ending = path.extension().unwrap_or_default();
        if !hidden
            && ENDINGS.iter().chain(endings).any(|known| ending.eq_ignore_ascii_case(known))
            && path.is_file()
        {
            // What links lead to is the choice of whoever made the folder; the kernel's files about processes are no
            // documents, and hold keys.
            if matches!(disk::open(&path), Err(ReadError::Special(_))) {
                continue;
            }
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

fn named(origins: Vec<Origin>) -> Vec<Input> {
    let stems: Vec<String> = origins
        .iter()
        .map(|origin| match origin.path() {
            None => "stdin".to_owned(),
            Some(path) => path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        })
        .collect();
    let mut groups: HashMap<String, Group> = HashMap::new();
    for (stem, origin) in stems.iter().zip(&origins) {
        // Standard input has no path, and collides with a file `stdin.txt` all the same.
        groups.entry(stem.to_lowercase()).or_default().add(origin.path());
    }
    let mut taken = HashSet::new();
    let mut inputs = Vec::with_capacity(origins.len());
    for (stem, origin) in stems.into_iter().zip(origins) {
        let group = groups.get(&stem.to_lowercase()).filter(|group| group.count > 1);
        let wanted = match (origin.path(), group) {
            (Some(path), Some(group)) => group.relative(path),
            _ => stem,
        };
        // `b` (the path of one file) may still be what another file is called without its ending.
        let mut id = wanted.clone();
        let mut count = 1;
        while !taken.insert(id.clone()) {
            count += 1;
            id = format!("{wanted}#{count}");
        }
        inputs.push(Input { id: DocumentId::new(id), origin });
    }
    inputs
}

/// Files that would share an id.
#[derive(Default)]
struct Group {
    count: usize,
    /// How all paths begin, part by part; `None` before the first.
    shared: Option<Vec<String>>,
}

impl Group {
    fn add(&mut self, path: Option<&Path>) {
        self.count += 1;
        let Some(path) = path else { return };
        let parts = parts(path);
        match &mut self.shared {
            Some(shared) => {
                let same = shared.iter().zip(&parts).take_while(|(one, other)| one == other).count();
                shared.truncate(same);
            }
            none => *none = Some(parts),
        }
    }

    /// The path without the folders that the whole group shares, with `/` between its parts on every system.
    fn relative(&self, path: &Path) -> String {
        let own = parts(path);
        let folders = own.len().saturating_sub(1);
        let shared = self.shared.as_ref().map_or(0, Vec::len).min(folders);
        own.into_iter().skip(shared).collect::<Vec<_>>().join("/")
    }
}

fn parts(path: &Path) -> Vec<String> {
    #[cfg(test)]
    tests::SPLITS.with(|splits| splits.set(splits.get() + 1));
    absolute(path)
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect()
}

impl Input {
    /// A document from elsewhere, under a name of the caller's choice.
    #[must_use]
    pub fn new(id: DocumentId, origin: Origin) -> Self {
        Input { id, origin }
    }

    /// Its name, unique among the inputs that were found together.
    #[must_use]
    pub fn id(&self) -> &DocumentId {
        &self.id
    }

    /// Where its bytes come from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Reads the document, at most `MAX_DOCUMENT_BYTES` of it. A file that is not a readable text is no error
    /// here: see [`Document::text`].
    ///
    /// # Errors
    /// When there are no bytes to be had, or too many.
    pub fn read(&self) -> Result<Document, InputError> {
        self.read_at_most(MAX_DOCUMENT_BYTES)
    }

    fn read_at_most(&self, limit: u64) -> Result<Document, InputError> {
        let bytes = match &self.origin {
            Origin::Stdin => self.bytes(io::stdin().lock(), limit)?,
            Origin::File(path) => {
                let file = disk::open_input(path).map_err(|error| self.unreadable(error))?;
                let metadata = file.metadata().map_err(|source| self.io(source))?;
                if metadata.is_file() && metadata.len() > limit {
                    let size = Some(metadata.len());
                    return Err(InputError::TooLarge { origin: self.origin.clone(), size, limit });
                }
                self.bytes(file, limit)?
            }
        };
        Ok(Document {
            id: self.id.clone(),
            path: self.origin.path().map(Path::to_path_buf),
            digest: digest_bytes(&bytes),
            media: Media::of(&bytes),
            text: SourceText::from_bytes(bytes),
        })
    }

    /// The size that a file claims is not trusted: pipes have none, and files grow.
    fn bytes(&self, reader: impl Read, limit: u64) -> Result<Vec<u8>, InputError> {
        let mut bytes = Vec::new();
        reader.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|source| self.io(source))?;
        if bytes.len() as u64 > limit {
            return Err(InputError::TooLarge { origin: self.origin.clone(), size: None, limit });
        }
        Ok(bytes)
    }

    fn unreadable(&self, error: ReadError) -> InputError {
        match error {
            ReadError::Io(source) => self.io(source),
            ReadError::Missing => self.io(io::ErrorKind::NotFound.into()),
            ReadError::Denied => self.io(io::ErrorKind::PermissionDenied.into()),
            error => self.io(io::Error::other(error.to_string())),
        }
    }

    fn io(&self, source: io::Error) -> InputError {
        InputError::Io { origin: self.origin.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
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

    thread_local! {
        /// How many paths were taken apart.
        pub(super) static SPLITS: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn many_files_of_one_name_are_told_apart_by_their_folders() {
        let reports = |count: usize| -> Vec<Origin> {
            (0..count).map(|n| Origin::File(PathBuf::from(format!("/data/{n}/report.txt")))).collect()
        };
        let splits = |count| {
            let before = SPLITS.with(Cell::get);
            named(reports(count));
            SPLITS.with(Cell::get) - before
        };
        // Once for what the group shares, once for the name.
        assert_eq!((splits(100), splits(400)), (200, 800));
        let count = 1_000;
        let inputs = named(reports(count));
        let ids: HashSet<&str> = inputs.iter().map(|input| input.id().as_str()).collect();
        assert_eq!(ids.len(), count);
        assert_eq!(inputs[0].id().as_str(), "0/report.txt");
        assert_eq!(inputs[count - 1].id().as_str(), format!("{}/report.txt", count - 1));
    }

    #[test]
    fn a_folder_gives_its_documents_sorted_and_one_level_deep() {
        let dir = folder(&["b.txt", "a.JSON", "c.md", "d.text", ".hidden.txt", "x.csv", "sub/e.txt"]);
        let found = find([dir.path()]);
        assert!(found.errors.is_empty());
        assert_eq!(ids(&found), ["a", "b", "c", "d"]);
        let document = found.inputs[1].read().unwrap();
        assert_eq!(document.text.unwrap().as_str(), "text of b.txt");
        assert_eq!(document.path.unwrap(), dir.path().join("b.txt"));
        assert_eq!(document.digest, digest_bytes(b"text of b.txt"));
    }

    #[test]
    fn a_named_file_may_end_as_it_likes_and_counts_once() {
        let dir = folder(&["report.log"]);
        let path = dir.path().join("report.log");
        let again = dir.path().join("./report.log");
        assert_eq!(ids(&find([&path, &again])), ["report"]);
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
            "files directly in the folder that end in `.txt`, `.text`, `.md`, `.json` are taken; \
             name other files one by one"
        );
    }

    #[test]
    fn equal_names_become_paths_as_short_as_they_can_be() {
        let dir = folder(&["one/r.txt", "two/r.txt", "two/s.txt", "two/s.json", "two/t.md"]);
        let found = find([dir.path().join("one"), dir.path().join("two")]);
        assert_eq!(ids(&found), ["one/r.txt", "two/r.txt", "s.json", "s.txt", "t"]);
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

    #[test]
    fn a_file_over_the_limit_is_refused_by_its_size_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dump.txt");
        // A hole: its size is known and none of it is on the disk.
        std::fs::File::create(&path).unwrap().set_len(100_000_000).unwrap();
        let error = find([&path]).inputs[0].read().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{}` has 100000000 bytes; at most 67108864 are read", path.display())
        );
    }

    #[test]
    fn a_stream_over_the_limit_is_refused_without_reading_on() {
        let input = Input::new(DocumentId::new("x"), Origin::Stdin);
        let error = input.bytes(io::repeat(b'x'), 1_000).unwrap_err();
        assert_eq!(error.to_string(), "standard input has more than 1000 bytes; at most 1000 are read");
        assert_eq!(input.bytes(io::repeat(b'x').take(1_000), 1_000).unwrap().len(), 1_000);
    }

    #[test]
    fn a_file_that_vanished_and_a_folder_are_errors_and_not_documents() {
        let dir = folder(&["a.txt"]);
        let gone = Input::new(DocumentId::new("x"), Origin::File(dir.path().join("gone.txt")));
        assert!(matches!(gone.read(), Err(InputError::Io { .. })));
        let not_a_file = Input::new(DocumentId::new("x"), Origin::File(dir.path().into()));
        assert!(matches!(not_a_file.read(), Err(InputError::Io { .. })));
    }

    #[test]
    fn an_unreadable_text_is_a_document_with_a_reason() {
        let dir = folder(&[]);
        let path = dir.path().join("empty.txt");
        std::fs::write(&path, b"").unwrap();
        assert_eq!(find([&path]).inputs[0].read().unwrap().text, Err(Unreadable::Empty));
    }
}
