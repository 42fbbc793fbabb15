//! A document that is named and not read yet.

use super::file_kind::FileKind;
use super::input_record::{InputRecord, StoredOrigin};
use super::names::{absolute, parent_name, with_parent};
use super::records::{Content, ListedDocument, are_records};
use super::sections::{section_digest, section_of};
use super::{Document, DocumentReader, InputError, Media, Origin};
use crate::disk::{self, ReadError};
use crate::value::{DocumentId, digest_bytes, path_text};
use loopctl_core::document::MOST_ATTACHED_BYTES;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// The largest document, in bytes: a request with it, and an answer that repeats it, cross the plugin boundary whole,
/// with a MiB for what accompanies it. A thousand pages of text have some 3 MB.
pub const MAX_DOCUMENT_BYTES: u64 = loopctl_plugin_sdk::abi::LC_MAX_OUTPUT as u64 - (1 << 20);

/// The largest image, in bytes: it is sent to a model whole.
const MAX_MEDIA_BYTES: u64 = MOST_ATTACHED_BYTES as u64;
/// The largest file of which only the text that a reader finds in it is sent, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;
/// The first bytes of a file, which tell its kind.
const FIRST_BYTES: u64 = 4096;

/// The most hexadecimal digits of a digest that are part of a name.
const NAME_DIGITS: usize = 12;

/// A document that has a name and has not been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    id: DocumentId,
    name: String,
    qualified: String,
    origin: Origin,
    /// The location, for those that are more than their file.
    identity: Option<String>,
    document_type: Option<String>,
    variables: BTreeMap<String, String>,
    /// `true` if a person named it: then it may be a pipe, which is waited for.
    is_named: bool,
}

impl Input {
    /// A document from elsewhere, under a name of the caller's choice.
    #[must_use]
    pub fn new(id: DocumentId, origin: Origin) -> Self {
        let qualified = match &origin {
            Origin::File(path) => {
                with_parent(&parent_name(path), Path::new(path.file_name().unwrap_or_default()))
            }
            _ => id.to_string(),
        };
        Input { is_named: true, ..Self::found(id.to_string(), qualified, origin) }
    }

    /// A document that was found in a folder or a list.
    pub(super) fn found(name: String, qualified: String, origin: Origin) -> Self {
        Input {
            id: DocumentId::new(name.as_str()),
            name,
            qualified,
            origin,
            identity: None,
            document_type: None,
            variables: BTreeMap::new(),
            is_named: false,
        }
    }

    /// The document that a record describes. `identity` is the location of the record, if it has a name of its own.
    pub(super) fn of_record(self, record: ListedDocument, identity: Option<String>) -> Self {
        let ListedDocument { document_type, variables, .. } = record;
        Input { document_type, variables, identity, ..self }
    }

    pub(super) fn with_qualified(self, qualified: String) -> Self {
        Input { qualified, ..self }
    }

    /// Its name: unique once it was assigned, by [`super::Names`] or by a caller that knows which are taken; until then
    /// the name that it would get.
    #[must_use]
    pub fn id(&self) -> &DocumentId {
        &self.id
    }

    /// This document, under another name.
    #[must_use]
    pub fn with_id(self, id: DocumentId) -> Self {
        Input { id, ..self }
    }

    /// The name that it would get: it depends on the argument and the path alone, so that it does not change when
    /// others join.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name for it when another document has its name.
    #[must_use]
    pub fn qualified(&self) -> &str {
        &self.qualified
    }

    /// The name for it when that is taken, too: its name with the beginning of a digest of its location.
    #[must_use]
    pub fn unambiguous(&self) -> String {
        let digest = digest_bytes(self.identity().as_bytes());
        format!("{}~{}", self.name, digest.get(..NAME_DIGITS).unwrap_or(&digest))
    }

    /// Its location, as a text that stays the same: its absolute path; for a record the path of its file, `#` and its
    /// id; `-` for standard input.
    #[must_use]
    pub fn identity(&self) -> String {
        match (&self.identity, &self.origin) {
            (Some(identity), _) => identity.clone(),
            (None, Origin::File(path)) => path_text(&absolute(path)).into_owned(),
            (None, Origin::Record { file, line, .. }) => format!("{}#{line}", path_text(&absolute(file))),
            (None, Origin::Section { file, section, .. }) => {
                format!("{}#section {section}", path_text(&absolute(file)))
            }
            (None, Origin::Piped { line, .. }) => format!("-#{line}"),
            (None, Origin::Stdin) => "-".to_owned(),
        }
    }

    /// Returns whether its name is a key that its list gives: then two with one name are a mistake.
    pub(super) fn has_key(&self) -> bool {
        self.identity.is_some()
    }

    /// This document, with a type that the caller knows.
    #[must_use]
    pub fn with_document_type(self, document_type: impl Into<String>) -> Self {
        Input { document_type: Some(document_type.into()), ..self }
    }

    /// This document, with the variables of another.
    pub(super) fn with_variables_of(self, other: &Self) -> Self {
        Input { variables: other.variables.clone(), ..self }
    }

    /// The source of its bytes.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The document with its file, if its path is relative, below a folder.
    #[must_use]
    pub fn below(mut self, folder: &Path) -> Self {
        match &mut self.origin {
            Origin::File(file) | Origin::Record { file, .. } | Origin::Section { file, .. } => {
                *file = folder.join(&*file);
            }
            Origin::Stdin | Origin::Piped { .. } => {}
        }
        self
    }

    /// Its type, if a record gives it.
    #[must_use]
    pub fn document_type(&self) -> Option<&str> {
        self.document_type.as_deref()
    }

    /// Variables of prompts that a record gives.
    #[must_use]
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// A record from which another process can read the same document, wherever its working directory is.
    #[must_use]
    pub fn to_record(&self) -> InputRecord {
        let origin = match &self.origin {
            Origin::File(path) => StoredOrigin::File { path: absolute(path) },
            Origin::Stdin => StoredOrigin::Stdin,
            Origin::Record { file, line, offset } => {
                StoredOrigin::Record { file: absolute(file), line: *line, offset: *offset }
            }
            Origin::Section { file, section, sections, text, digest } => StoredOrigin::Section {
                file: absolute(file),
                section: *section,
                sections: *sections,
                text: text.clone(),
                digest: digest.clone(),
            },
            Origin::Piped { line, text } => StoredOrigin::Piped { line: *line, text: text.as_ref().into() },
        };
        InputRecord {
            id: self.id.clone(),
            name: self.name.clone(),
            qualified: self.qualified.clone(),
            origin,
            identity: self.identity.clone(),
            document_type: self.document_type.clone(),
            variables: self.variables.clone(),
            is_named: self.is_named,
        }
    }

    /// The document that a record describes.
    #[must_use]
    pub fn from_record(record: InputRecord) -> Self {
        let origin = match record.origin {
            StoredOrigin::File { path } => Origin::File(path),
            StoredOrigin::Stdin => Origin::Stdin,
            StoredOrigin::Record { file, line, offset } => Origin::Record { file, line, offset },
            StoredOrigin::Section { file, section, sections, text, digest } => {
                Origin::Section { file, section, sections, text, digest }
            }
            StoredOrigin::Piped { line, text } => Origin::Piped { line, text: text.into() },
        };
        Input {
            id: record.id,
            name: record.name,
            qualified: record.qualified,
            origin,
            identity: record.identity,
            document_type: record.document_type,
            variables: record.variables,
            is_named: record.is_named,
        }
    }

    /// Reads the document, by this reader if it is a PDF: at most `MAX_DOCUMENT_BYTES` of a text. A file that is not a readable text is not an error here:
    /// see [`Document::text`].
    ///
    /// # Errors
    /// When there are no bytes, or too many; [`InputError::Changed`] when its line of a list has changed since.
    pub fn read(&self, reader: &DocumentReader) -> Result<Document, InputError> {
        self.document(self.file_bytes()?, reader)
    }

    /// The document, from bytes that were [read](Input::file_bytes) before.
    ///
    /// # Errors
    /// [`InputError::Changed`] when it is a section of a file that has changed since.
    pub fn document(&self, bytes: Vec<u8>, reader: &DocumentReader) -> Result<Document, InputError> {
        let reader = reader.for_file(self.origin.file());
        let document = match &self.origin {
            Origin::File(_) | Origin::Stdin => reader.document(self.id.clone(), bytes),
            // The text of a record is text.
            Origin::Record { .. } | Origin::Piped { .. } => Document::from_bytes(self.id.clone(), bytes),
            Origin::Section { section, sections, text, digest, .. } => {
                let changed = || InputError::Changed { origin: self.origin.clone() };
                if digest_bytes(&bytes) != *digest {
                    return Err(changed());
                }
                let whole = reader.shared_document(&self.id, (digest, bytes), (*section, *sections));
                Document { id: self.id.clone(), ..section_of(&whole, text).ok_or_else(changed)? }
            }
        };
        Ok(Document {
            path: self.origin.path().map(Path::to_path_buf),
            document_type: self.document_type.clone(),
            variables: self.variables.clone(),
            ..document
        })
    }

    /// The digest of the document's bytes, as [`Document::digest`] has it.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn digest(&self) -> Result<String, InputError> {
        self.file_bytes().map(|bytes| self.digest_of(&bytes))
    }

    /// The digest of the document if these are the bytes of its file.
    #[must_use]
    pub fn digest_of(&self, bytes: &[u8]) -> String {
        let digest = digest_bytes(bytes);
        match &self.origin {
            Origin::Section { text, .. } => section_digest(&digest, text),
            Origin::File(_) | Origin::Stdin | Origin::Record { .. } | Origin::Piped { .. } => digest,
        }
    }

    fn is_file(&self) -> bool {
        matches!(self.origin, Origin::File(_) | Origin::Stdin | Origin::Section { .. })
    }

    /// The document's bytes as they are, at most as many as a document of its kind may have.
    ///
    /// # Errors
    /// As [`Input::read`].
    pub fn file_bytes(&self) -> Result<Vec<u8>, InputError> {
        let bytes = match &self.origin {
            Origin::Stdin => {
                let mut stdin = io::stdin().lock();
                let first = self.first_bytes(&mut stdin)?;
                let limit = most_bytes(&first);
                let bytes = self.bytes(first.chain(stdin), limit)?;
                if are_records(&bytes) {
                    return Err(InputError::Records { origin: self.origin.clone() });
                }
                bytes
            }
            Origin::File(path) | Origin::Section { file: path, .. } => {
                let opened = if self.is_named { disk::open_input(path) } else { disk::open(path) };
                let mut file = opened.map_err(|error| self.unreadable(error))?;
                let first = self.first_bytes(&mut file)?;
                let limit = most_bytes(&first);
                let metadata = file.metadata().map_err(|source| self.io(source))?;
                if metadata.is_file() && metadata.len() > limit {
                    let size = Some(metadata.len());
                    return Err(InputError::TooLarge { origin: self.origin.clone(), size, limit });
                }
                self.bytes(first.chain(file), limit)?
            }
            Origin::Record { file, offset, .. } => self.text_in(file, *offset)?.into_bytes(),
            Origin::Piped { text, .. } => text.as_bytes().to_vec(),
        };
        let limit = if self.is_file() { most_bytes(&bytes) } else { MAX_DOCUMENT_BYTES };
        let size = bytes.len() as u64;
        if size > limit {
            return Err(InputError::TooLarge { origin: self.origin.clone(), size: Some(size), limit });
        }
        Ok(bytes)
    }

    /// The text of the record at this offset in a file.
    fn text_in(&self, file: &Path, offset: u64) -> Result<String, InputError> {
        let mut open = disk::open(file).map_err(|error| self.unreadable(error))?;
        open.seek(SeekFrom::Start(offset)).map_err(|source| self.io(source))?;
        let mut lines = super::lines::Lines::new(Box::new(BufReader::new(open)));
        let line = lines.read_next().map_err(|source| self.io(source))?;
        let changed = || InputError::Changed { origin: self.origin.clone() };
        let record = line.and_then(|line| ListedDocument::parse(&line.bytes?).ok()).ok_or_else(changed)?;
        match record.content {
            Content::Text(text) if record.id.as_deref() == Some(self.name.as_str()) => Ok(text),
            _ => Err(changed()),
        }
    }

    fn first_bytes(&self, reader: &mut impl Read) -> Result<Vec<u8>, InputError> {
        let mut first = Vec::new();
        reader.take(FIRST_BYTES).read_to_end(&mut first).map_err(|source| self.io(source))?;
        Ok(first)
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
        InputError::refused(self.origin.clone(), error)
    }

    fn io(&self, source: io::Error) -> InputError {
        InputError::Io { origin: self.origin.clone(), source }
    }
}

/// The most bytes of a file that begins so.
fn most_bytes(first: &[u8]) -> u64 {
    if FileKind::of(first).is_some() {
        MAX_FILE_BYTES
    } else if Media::of(first).is_some() {
        MAX_MEDIA_BYTES
    } else {
        MAX_DOCUMENT_BYTES
    }
}

impl InputError {
    /// The error for an origin that the system refused to read, or we did.
    pub(super) fn refused(origin: Origin, error: ReadError) -> Self {
        let source = match error {
            ReadError::Io(source) => source,
            ReadError::Missing => io::ErrorKind::NotFound.into(),
            ReadError::Denied => io::ErrorKind::PermissionDenied.into(),
            error => io::Error::other(error.to_string()),
        };
        InputError::Io { origin, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unreadable;

    #[test]
    fn a_file_over_the_limit_is_refused_by_its_size_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dump.txt");
        // A hole: its size is known and none of it is on the disk.
        std::fs::File::create(&path).unwrap().set_len(100_000_000).unwrap();
        let error = Input::new(DocumentId::new("x"), Origin::File(path.clone()))
            .read(&DocumentReader::in_process())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{}` has 100000000 bytes; a document has at most 15728640", path.display())
        );
    }

    #[test]
    fn a_file_whose_text_is_read_may_be_larger_than_what_is_sent_to_a_model() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("scan.pdf");
        std::fs::write(&path, b"%PDF-1.7\n").unwrap();
        let sized = |size| {
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(size).unwrap();
            Input::new(DocumentId::new("x"), Origin::File(path.clone())).read(&DocumentReader::in_process())
        };
        let document = sized(20 << 20).unwrap();
        assert!(document.text.is_err() && document.media.is_some_and(|media| !media.can_be_attached()));
        let error = sized(300 << 20).unwrap_err().to_string();
        assert!(error.ends_with("has 314572800 bytes; a document has at most 268435456"), "{error}");
    }

    #[test]
    fn a_stream_over_the_limit_is_refused_without_reading_on() {
        let input = Input::new(DocumentId::new("x"), Origin::Stdin);
        let error = input.bytes(io::repeat(b'x'), 1_000).unwrap_err();
        assert_eq!(error.to_string(), "standard input has more than 1000 bytes; a document has at most 1000");
        assert_eq!(input.bytes(io::repeat(b'x').take(1_000), 1_000).unwrap().len(), 1_000);
    }

    #[test]
    fn a_file_that_vanished_and_a_folder_are_errors_and_not_documents() {
        let dir = tempfile::tempdir().unwrap();
        let gone = Input::new(DocumentId::new("x"), Origin::File(dir.path().join("gone.txt")));
        assert!(matches!(gone.read(&DocumentReader::in_process()), Err(InputError::Io { .. })));
        let not_a_file = Input::new(DocumentId::new("x"), Origin::File(dir.path().into()));
        assert!(matches!(not_a_file.read(&DocumentReader::in_process()), Err(InputError::Io { .. })));
    }

    #[test]
    fn an_unreadable_text_is_a_document_with_a_reason() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("empty.txt");
        std::fs::write(&path, b"").unwrap();
        let input = Input::new(DocumentId::new("x"), Origin::File(path));
        assert_eq!(input.read(&DocumentReader::in_process()).unwrap().text, Err(Unreadable::Empty));
    }

    /// It was a file when its folder was read.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let input = Input::found("a".into(), "a".into(), Origin::File(path));
        let error = input.read(&DocumentReader::in_process()).unwrap_err().to_string();
        assert!(error.ends_with("it is a named pipe, not a regular file"), "{error}");
    }
}
