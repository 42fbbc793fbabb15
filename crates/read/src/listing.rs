//! The documents that the arguments of a command name, as a stream: any number of them, one at a time.

use super::endings::holds_records;
use super::lines::{Lines, ListLine, MAX_LINE_BYTES, is_wide};
use super::names::{
    SharedNames, absolute, as_written, parent_name, short_digest, with_parent, without_ending,
};
use super::patterns::{PathPattern, is_pattern};
use super::records::{BadRecord, Content, ListedDocument, looks_like_record};
use super::walk::{FolderWalk, real_folder};
use super::{Input, InputError, Origin, SkipReason, Skipped};
use crate::diag::nearest;
use crate::disk::{self, FolderKey};
use crate::value::{DocumentId, ShownPath, path_of, path_text, sanitize_line};
use std::collections::HashSet;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

/// The inputs that a command asks for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Files, folders, patterns, files of records; `-` is one document from standard input.
    pub arguments: Vec<PathBuf>,
    /// Lists: each line is a path or a record; `-` is standard input.
    pub from: Vec<PathBuf>,
    /// Endings that documents in folders may have besides the usual ones.
    pub endings: &'static [&'static str],
    /// Folders that are not entered from above, such as that of the results.
    pub apart: Vec<PathBuf>,
    /// The types that a record may give; `None` for any.
    pub document_types: Option<Vec<String>>,
    /// Returns whether a folder holds recorded answers, which are not documents.
    pub holds_recordings: Option<fn(&Path) -> bool>,
    /// Returns whether a folder holds the results of a run. It is not entered from above.
    pub holds_results: Option<fn(&Path) -> bool>,
    /// `true` if a document that is named twice comes twice, because the caller leaves it out. Otherwise it comes once,
    /// and eight bytes are held for each document.
    pub keeps_repeats: bool,
}

/// The documents, one after the other: arguments in their order, then lists; in folders by name, as far as their
/// entries were read at once.
///
/// Documents come under the names that they would have ([`Input::name`]); the caller makes the names unique. Memory does
/// not grow with their number, but for eight bytes for each folder and, without [`Wanted::keeps_repeats`], each document.
pub struct Listing {
    sources: std::vec::IntoIter<ListingSource>,
    /// The sources that are being read: a list, a folder that it names, a file of records in that.
    open: Vec<OpenSource>,
    shared: SharedNames,
    document_types: Option<Vec<String>>,
    seen: WalkState,
    /// Lists, and the names that their records give, which must not come twice.
    keys: HashSet<u64>,
    documents: Option<HashSet<u64>>,
}

/// The state that walks share.
pub(super) struct WalkState {
    pub(super) skipped: Skipped,
    pub(super) folders: HashSet<FolderKey>,
    pub(super) endings: &'static [&'static str],
    /// Folders that are not entered, with their keys once they are there.
    pub(super) apart: Vec<(PathBuf, Option<FolderKey>)>,
    pub(super) holds_recordings: Option<fn(&Path) -> bool>,
    pub(super) holds_results: Option<fn(&Path) -> bool>,
}

impl WalkState {
    /// Returns whether a folder is one that is not entered. That of the results may be made while others are read.
    pub(super) fn is_apart(&mut self, key: &FolderKey) -> bool {
        self.apart.iter_mut().any(|(folder, own)| {
            if own.is_none() {
                *own = FolderKey::of(folder).ok();
            }
            own.as_ref() == Some(key)
        })
    }
}

/// The outcome of a step.
pub(super) enum ListingStep {
    /// A document.
    Found(Input),
    /// An input that names no document.
    Error(InputError),
    /// A file of records.
    Records {
        path: PathBuf,
        /// `true` if a person named it: then it may be a pipe.
        is_named: bool,
        /// The folder in which it was found, out of which its records must not lead.
        within: Option<PathBuf>,
    },
    /// A document that was taken already.
    Repeated,
    /// Nothing yet.
    Again,
    /// Nothing more.
    End,
}

enum ListingSource {
    Argument(PathBuf),
    List(PathBuf),
}

/// Something that is being read, and whether anything came of it.
struct OpenSource {
    reader: SourceReader,
    has_any: bool,
    /// The error if nothing does.
    nothing: Option<InputError>,
}

enum SourceReader {
    Walk(Box<FolderWalk>),
    List(DocumentList),
}

/// Lines that name documents.
struct DocumentList {
    lines: Lines,
    /// The file; `None` for standard input.
    file: Option<PathBuf>,
    /// `true` if it can be read again.
    is_regular: bool,
    /// `true` if lines may be paths.
    has_paths: bool,
    /// The folder out of which its records must not lead.
    within: Option<PathBuf>,
}

impl Listing {
    /// Begins a listing. Nothing is read yet, except to tell arguments of one name apart.
    #[must_use]
    pub fn new(wanted: Wanted) -> Self {
        let is_file =
            |path: &Path| !holds_records(path) && std::fs::metadata(path).is_ok_and(|found| !found.is_dir());
        let shared = SharedNames::of(&wanted.arguments, is_file);
        let arguments = wanted.arguments.into_iter().map(ListingSource::Argument);
        let sources: Vec<ListingSource> =
            arguments.chain(wanted.from.into_iter().map(ListingSource::List)).collect();
        Listing {
            sources: sources.into_iter(),
            open: Vec::new(),
            shared,
            document_types: wanted.document_types,
            seen: WalkState {
                skipped: Skipped::default(),
                folders: HashSet::new(),
                endings: wanted.endings,
                apart: wanted.apart.into_iter().map(|folder| (folder, None)).collect(),
                holds_recordings: wanted.holds_recordings,
                holds_results: wanted.holds_results,
            },
            keys: HashSet::new(),
            documents: (!wanted.keeps_repeats).then(HashSet::new),
        }
    }

    /// The entries that were left out so far, by reason.
    #[must_use]
    pub fn skipped(&self) -> &Skipped {
        &self.seen.skipped
    }

    /// The number of entries of folders in memory.
    #[cfg(test)]
    pub(super) fn in_memory(&self) -> usize {
        let of = |open: &OpenSource| match &open.reader {
            SourceReader::Walk(walk) => walk.in_memory(),
            SourceReader::List(_) => 0,
        };
        self.open.iter().map(of).sum()
    }

    fn begin(&mut self, source: ListingSource) -> ListingStep {
        match source {
            ListingSource::Argument(path) if path.as_os_str() == "-" => {
                ListingStep::Found(Input::new(DocumentId::new("stdin"), Origin::Stdin))
            }
            ListingSource::Argument(path) => self.argument(path, None),
            ListingSource::List(path) if !self.is_new_list(&path) => ListingStep::Repeated,
            ListingSource::List(path) if path.as_os_str() == "-" => {
                self.list(None, Box::new(BufReader::new(io::stdin())), false, (true, None))
            }
            ListingSource::List(path) => self.open_list(path, true, (true, None)),
        }
    }

    /// The inputs that a name expands to; `list` is the list and line that names it, if it is not an argument.
    fn argument(&mut self, path: PathBuf, list: Option<(&DocumentList, u64)>) -> ListingStep {
        let found = match std::fs::metadata(&path) {
            Ok(found) => found,
            Err(error) => return self.not_there(path, error, list),
        };
        if found.is_dir() {
            return self.walk(FolderWalk::of_folder(path.clone()), InputError::NoDocuments { path });
        }
        if holds_records(&path) {
            return ListingStep::Records { path, is_named: list.is_none(), within: None };
        }
        let folder = parent_name(&path);
        let name_in_it = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
        let qualified = with_parent(&folder, &name_in_it);
        match list {
            None => {
                let name = self.shared.name(&path);
                ListingStep::Found(
                    Input::new(DocumentId::new(name), Origin::File(path)).with_qualified(qualified),
                )
            }
            Some(_) => ListingStep::Found(Input::found(as_written(&path), qualified, Origin::File(path))),
        }
    }

    fn not_there(
        &mut self,
        path: PathBuf,
        error: io::Error,
        list: Option<(&DocumentList, u64)>,
    ) -> ListingStep {
        let is_missing = matches!(error.kind(), io::ErrorKind::NotFound);
        if let Some((list, number)) = list {
            let shown = sanitize_line(&path.shown());
            let (problem, help) = match is_missing {
                true if path.is_symlink() => {
                    (format!("the link `{shown}` leads nowhere"), InputError::Dangling { path }.help())
                }
                true => (format!("there is no file or folder `{shown}`"), list.meant(path)),
                false => {
                    (format!("can't read `{shown}`: {error}"), "check that it is a readable file".to_owned())
                }
            };
            let help = Some(help);
            return ListingStep::Error(list.wrong(number, BadRecord { problem, help }));
        }
        let pattern = path.to_str().filter(|text| is_missing && is_pattern(text));
        match pattern.map(|text| (text.to_owned(), PathPattern::parse(text))) {
            _ if path.is_symlink() && is_missing => ListingStep::Error(InputError::Dangling { path }),
            None if is_missing => ListingStep::Error(InputError::Missing { path }),
            None => ListingStep::Error(InputError::Io { origin: Origin::File(path), source: error }),
            Some((pattern, Err(problem))) => ListingStep::Error(InputError::BadPattern { pattern, problem }),
            Some((pattern, Ok(parsed))) => {
                let base = parsed.base().to_path_buf();
                if !base.as_os_str().is_empty() && !base.is_dir() {
                    return ListingStep::Error(InputError::NoMatch { pattern, missing: Some(base) });
                }
                self.walk(FolderWalk::of_pattern(parsed), InputError::NoMatch { pattern, missing: None })
            }
        }
    }

    fn walk(&mut self, mut walk: FolderWalk, nothing: InputError) -> ListingStep {
        let step = walk.begin(&mut self.seen);
        if matches!(step, ListingStep::Again) {
            self.open.push(OpenSource {
                reader: SourceReader::Walk(Box::new(walk)),
                has_any: false,
                nothing: Some(nothing),
            });
        }
        step
    }

    /// Opens a file of records, or of paths, too.
    fn open_list(
        &mut self,
        path: PathBuf,
        is_named: bool,
        (has_paths, within): (bool, Option<PathBuf>),
    ) -> ListingStep {
        let opened = if is_named { disk::open_input(&path) } else { disk::open(&path) };
        match opened {
            Ok(file) => {
                let is_regular = file.metadata().is_ok_and(|found| found.is_file());
                self.list(Some(path), Box::new(BufReader::new(file)), is_regular, (has_paths, within))
            }
            Err(disk::ReadError::Missing) => ListingStep::Error(InputError::Missing { path }),
            Err(error) => ListingStep::Error(InputError::refused(Origin::File(path), error)),
        }
    }

    fn list(
        &mut self,
        file: Option<PathBuf>,
        input: Box<dyn io::BufRead + Send>,
        is_regular: bool,
        (has_paths, within): (bool, Option<PathBuf>),
    ) -> ListingStep {
        let list = DocumentList { lines: Lines::new(input), file, is_regular, has_paths, within };
        let nothing = Some(InputError::NoRecords { origin: list.origin() });
        self.open.push(OpenSource { reader: SourceReader::List(list), has_any: false, nothing });
        ListingStep::Again
    }

    /// Advances what is open; `None` when nothing is.
    fn advance(&mut self) -> Option<ListingStep> {
        let mut open = self.open.pop()?;
        let below = self.open.len();
        let step = match &mut open.reader {
            SourceReader::Walk(walk) => walk.step(&mut self.seen),
            SourceReader::List(list) => match list.next_line() {
                Ok(None) => ListingStep::End,
                Ok(Some(line)) => self.line(list, &line),
                // Another try would give the same error.
                Err(error) => return Some(ListingStep::Error(error)),
            },
        };
        if matches!(step, ListingStep::End) {
            let nothing = open.nothing.filter(|_| !open.has_any);
            return Some(nothing.map_or(ListingStep::Again, ListingStep::Error));
        }
        // A folder that a line names answers for itself.
        open.has_any |= !matches!(step, ListingStep::Again) || self.open.len() > below;
        self.open.insert(below, open);
        Some(step)
    }

    /// The inputs that a line expands to.
    fn line(&mut self, list: &DocumentList, line: &ListLine) -> ListingStep {
        let number = line.number;
        let wrong = |problem: String| ListingStep::Error(list.wrong(number, problem.into()));
        let Some(bytes) = line.bytes.as_deref() else {
            return wrong(format!("the line has more than {MAX_LINE_BYTES} bytes"));
        };
        if bytes.trim_ascii().is_empty() {
            return ListingStep::Again;
        }
        if !list.has_paths || looks_like_record(bytes) {
            return match ListedDocument::parse(bytes) {
                Ok(record) => self.record(list, line, record),
                Err(bad) => ListingStep::Error(list.wrong(number, bad)),
            };
        }
        if bytes.contains(&0) {
            let help = Some("write each path on a line of its own; call `find` without `-print0`".to_owned());
            let problem = "a path can't hold a zero byte".to_owned();
            return ListingStep::Error(list.wrong(number, BadRecord { problem, help }));
        }
        match path_of_bytes(bytes) {
            Some(path) => self.argument(path, Some((list, number))),
            None => wrong("the path is not UTF-8".to_owned()),
        }
    }

    fn record(&mut self, list: &DocumentList, line: &ListLine, mut record: ListedDocument) -> ListingStep {
        let number = line.number;
        if let (Some(known), Some(named)) = (&self.document_types, &record.document_type)
            && !known.contains(named)
        {
            let all = known.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
            let help = match nearest(named, known.iter().map(String::as_str)) {
                Some(guess) => format!("did you mean `{guess}`? Known: {all}"),
                None => format!("known: {all}"),
            };
            let problem = format!("no document type is called `{}`", sanitize_line(named));
            return ListingStep::Error(list.wrong(number, BadRecord { problem, help: Some(help) }));
        }
        let content = std::mem::replace(&mut record.content, Content::Text(String::new()));
        let origin = match content {
            Content::Text(text) => match (&list.file, list.is_regular) {
                (Some(file), true) => {
                    Origin::Record { file: file.clone(), line: number, offset: line.offset }
                }
                _ => Origin::Piped { line: number, text: text.into() },
            },
            Content::Path(path) => {
                let path = list.folder().join(path_of(&path));
                if let Some(bad) = no_document(&path).or_else(|| list.leads_out(&path)) {
                    return ListingStep::Error(list.wrong(number, bad));
                }
                Origin::File(path)
            }
        };
        let Some(id) = record.id.clone() else {
            let Origin::File(path) = &origin else { return ListingStep::Again };
            let relative = path.strip_prefix(list.folder()).unwrap_or(path);
            let (name, qualified) = (as_written(relative), with_parent(&list.name(), relative));
            return ListingStep::Found(Input::found(name, qualified, origin).of_record(record, None));
        };
        let place = list.file.as_deref().filter(|_| list.is_regular);
        let place = place.map_or_else(|| "-".to_owned(), |file| path_text(&absolute(file)).into_owned());
        let identity = format!("{place}#{id}");
        let qualified = format!("{}/{id}", list.name());
        if !self.keys.insert(short_digest(&identity)) {
            let problem = format!("the id `{}` was given before", sanitize_line(&id));
            let help = Some("each record needs an id of its own".to_owned());
            return ListingStep::Error(list.wrong(number, BadRecord { problem, help }));
        }
        ListingStep::Found(Input::found(id, qualified, origin).of_record(record, Some(identity)))
    }

    /// Returns whether a list is named for the first time.
    fn is_new_list(&mut self, path: &Path) -> bool {
        let is_new = self.keys.insert(short_digest(&path_text(&absolute(path))));
        if !is_new {
            self.seen.skipped.count(SkipReason::Again);
        }
        is_new
    }

    /// Returns whether a document is named for the first time.
    fn is_new(&mut self, identity: &str) -> bool {
        let is_new = self.documents.as_mut().is_none_or(|taken| taken.insert(short_digest(identity)));
        if !is_new {
            self.seen.skipped.count(SkipReason::Again);
        }
        is_new
    }
}

impl Iterator for Listing {
    type Item = Result<Input, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let step = match self.advance() {
                Some(step) => step,
                None => {
                    let source = self.sources.next()?;
                    self.begin(source)
                }
            };
            match step {
                ListingStep::Found(input) if input.has_key() || self.is_new(&input.identity()) => {
                    return Some(Ok(input));
                }
                ListingStep::Error(error) => return Some(Err(error)),
                ListingStep::Records { path, is_named, within } if self.is_new_list(&path) => {
                    if let ListingStep::Error(error) = self.open_list(path, is_named, (false, within)) {
                        return Some(Err(error));
                    }
                }
                ListingStep::Found(_)
                | ListingStep::Records { .. }
                | ListingStep::Repeated
                | ListingStep::Again
                | ListingStep::End => {}
            }
        }
    }
}

impl DocumentList {
    fn next_line(&mut self) -> Result<Option<ListLine>, InputError> {
        let read = self.lines.read_next();
        let line = read.map_err(|source| InputError::Io { origin: self.origin(), source })?;
        if line.as_ref().is_some_and(|line| line.number == 1 && line.bytes.as_deref().is_some_and(is_wide)) {
            let (problem, help) = ("it is UTF-16".to_owned(), Some("save it as UTF-8".to_owned()));
            return Err(self.wrong(1, BadRecord { problem, help }));
        }
        Ok(line)
    }

    /// The problem with a path of a list that was not named itself, when it leads out of the folder that was named.
    fn leads_out(&self, path: &Path) -> Option<BadRecord> {
        let root = real_folder(self.within.as_deref()?);
        let real = path.canonicalize().ok();
        if real.zip(root).is_some_and(|(real, root)| real.starts_with(root)) {
            return None;
        }
        let shown = sanitize_line(&path.shown());
        Some(BadRecord {
            problem: format!("`{shown}` leads out of the folder that the list was found in"),
            help: Some("name the list itself, if it may name files anywhere".to_owned()),
        })
    }

    fn origin(&self) -> Origin {
        self.file.clone().map_or(Origin::Stdin, Origin::File)
    }

    /// Its name.
    fn name(&self) -> String {
        self.file.as_deref().map_or_else(|| "stdin".to_owned(), without_ending)
    }

    /// The folder to which paths of records are relative.
    fn folder(&self) -> &Path {
        self.file.as_deref().filter(|_| self.is_regular).and_then(Path::parent).unwrap_or(Path::new(""))
    }

    fn wrong(&self, line: u64, bad: BadRecord) -> InputError {
        InputError::Line { origin: self.origin(), line, problem: bad.problem, help: bad.help }
    }

    /// Advice about a path that leads nowhere.
    fn meant(&self, path: PathBuf) -> String {
        let folder = self.folder();
        if !folder.as_os_str().is_empty() && folder.join(&path).exists() {
            "paths on lines of their own are relative to the working directory, those in records to their file"
                .to_owned()
        } else {
            InputError::Missing { path }.help()
        }
    }
}

/// The reason why the path of a record is not a document, if it plainly is not.
fn no_document(path: &Path) -> Option<BadRecord> {
    let shown = sanitize_line(&path.shown());
    let (problem, help) = match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            (format!("`{shown}` is a folder"), "name one document; folders are arguments, or lines of a list")
        }
        Ok(_) if holds_records(path) => (
            format!("`{shown}` holds a document on each line"),
            "name one document; such files are arguments",
        ),
        Ok(_) => return None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => (
            format!("there is no file `{shown}`"),
            "paths in records are relative to the file that holds them, on standard input to the working directory",
        ),
        Err(error) => (format!("can't read `{shown}`: {error}"), "check that it is a readable file"),
    };
    Some(BadRecord { problem, help: Some(help.to_owned()) })
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}
